// SPDX-License-Identifier: Apache-2.0

package probe

import (
	"context"
	"errors"
	"fmt"
	"image"
	"image/jpeg"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/media/sniff"
	"github.com/reelops/reelops/internal/work/child"
	"github.com/reelops/reelops/internal/work/outcome"
)

func tools() Tools {
	return Tools{FFmpeg: "ffmpeg", FFprobe: "ffprobe", Threads: 2, MemoryBytes: 1 << 30}
}

func limits() Limits {
	return Limits{
		Duration: catalog.MaxClipDuration, Tracks: catalog.MaxMediaTracks, Pixels: catalog.MaxClipPixels, Side: catalog.MaxClipSide,
		Frames: catalog.MaxClipFrames, FrameRate: catalog.MaxClipFrameRate,
	}
}

// film creates a media file with ffmpeg and returns its path. The path is the last argument of the command.
func film(t *testing.T, name string, args ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	args = append(append([]string{"-hide_banner", "-loglevel", "error", "-nostdin"}, args...), path)
	if out, err := exec.CommandContext(t.Context(), "ffmpeg", args...).CombinedOutput(); err != nil {
		t.Fatalf("ffmpeg %v: %v\n%s", args, err, out)
	}
	return path
}

// source returns the arguments of a test video with a tone.
func source(size string, seconds float64) []string {
	return []string{"-f", "lavfi", "-i", fmt.Sprintf("testsrc2=s=%s:r=30:d=%g", size, seconds), "-f", "lavfi", "-i", fmt.Sprintf("sine=d=%g", seconds)}
}

func h264(more ...string) []string {
	return append([]string{"-c:v", "libx264", "-preset", "ultrafast", "-pix_fmt", "yuv420p", "-c:a", "aac"}, more...)
}

// sniffed returns the content type that the intake detects.
func sniffed(t *testing.T, path string) string {
	t.Helper()
	doc, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	head := doc[:min(len(doc), sniff.Bytes)]
	if ct := sniff.ContentType(head); ct != "" {
		return ct
	}
	return sniff.Audio(head)
}

func refusedFor(t *testing.T, err error, want outcome.Reason) {
	t.Helper()
	var r *Refusal
	if !errors.As(err, &r) {
		t.Fatalf("got %v, want the Refusal %s", err, want)
	}
	if r.Reason != want {
		t.Errorf("got %s, want %s: %v", r.Reason, want, err)
	}
	if r.Message == "" || strings.Contains(r.Message, "/") || !strings.HasSuffix(r.Message, ".") {
		t.Errorf("got message %q", r.Message)
	}
}

func TestClips(t *testing.T) {
	for name, c := range map[string]struct {
		file string
		args []string
		want Clip
	}{
		"mp4":                  {"a.mp4", append(source("320x240", 2), h264()...), Clip{Width: 320, Height: 240, FrameRate: 30, Frames: 60, VideoCodec: "h264", AudioCodec: "aac"}},
		"index first":          {"a.mp4", append(source("320x240", 2), h264("-movflags", "+faststart")...), Clip{Width: 320, Height: 240, FrameRate: 30, Frames: 60, VideoCodec: "h264", AudioCodec: "aac"}},
		"in fragments":         {"a.mp4", append(source("320x240", 2), h264("-movflags", "frag_keyframe+empty_moov")...), Clip{Width: 320, Height: 240, FrameRate: 30, Frames: 60, VideoCodec: "h264", AudioCodec: "aac"}},
		"quicktime":            {"a.mov", append(source("320x240", 2), h264("-an")...), Clip{Width: 320, Height: 240, FrameRate: 30, Frames: 60, VideoCodec: "h264"}},
		"webm, vp8":            {"a.webm", append(source("320x240", 2), "-c:v", "libvpx", "-deadline", "realtime", "-cpu-used", "8", "-c:a", "libvorbis"), Clip{Width: 320, Height: 240, FrameRate: 30, Frames: 60, VideoCodec: "vp8", AudioCodec: "vorbis"}},
		"webm, vp9":            {"a.webm", append(source("320x240", 2), "-c:v", "libvpx-vp9", "-deadline", "realtime", "-cpu-used", "8", "-c:a", "libopus"), Clip{Width: 320, Height: 240, FrameRate: 30, Frames: 60, VideoCodec: "vp9", AudioCodec: "opus"}},
		"webm without lengths": {"a.webm", append(source("320x240", 2), "-c:v", "libvpx", "-deadline", "realtime", "-cpu-used", "8", "-an", "-live", "1"), Clip{Width: 320, Height: 240, FrameRate: 30, Frames: 60, VideoCodec: "vp8"}},
		"slow":                 {"a.mp4", append(source("320x240", 2), h264("-r", "1", "-frames:v", "2")...), Clip{Width: 320, Height: 240, FrameRate: 1, Frames: 2, VideoCodec: "h264", AudioCodec: "aac"}},
		"non-square pixels":    {"a.mp4", append(source("320x240", 2), h264("-vf", "setsar=2")...), Clip{Width: 640, Height: 240, FrameRate: 30, Frames: 60, VideoCodec: "h264", AudioCodec: "aac"}},
		"one frame":            {"a.mp4", append(source("320x240", 2), h264("-frames:v", "1", "-an")...), Clip{Width: 320, Height: 240, FrameRate: 30, Frames: 1, VideoCodec: "h264"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := film(t, c.file, c.args...)
			got, err := tools().Clip(t.Context(), path, sniffed(t, path), limits())
			if err != nil {
				t.Fatal(err)
			}
			if want := float64(c.want.Frames) / c.want.FrameRate; math.Abs(got.Duration.Seconds()-want) > 0.05 {
				t.Errorf("got %s, want %g s", got.Duration, want)
			}
			if math.Abs(got.FrameRate-c.want.FrameRate) > 0.5 {
				t.Errorf("got %g frames per second", got.FrameRate)
			}
			c.want.Duration, c.want.FrameRate, c.want.stream, c.want.start = got.Duration, got.FrameRate, got.stream, got.start
			if *got != c.want {
				t.Errorf("got %+v, want %+v", *got, c.want)
			}
			out := filepath.Join(t.TempDir(), "thumbnail.jpg")
			if err := tools().Thumbnail(t.Context(), path, sniffed(t, path), got, 160, limits(), out); err != nil {
				t.Fatal(err)
			}
			if b := picture(t, out).Bounds(); b.Dx() != 160 || b.Dy() != 160*got.Height/got.Width {
				t.Errorf("got a thumbnail of %v", b)
			}
		})
	}
}

func picture(t *testing.T, path string) image.Image {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	img, err := jpeg.Decode(f)
	if err != nil {
		t.Fatal(err)
	}
	return img
}

// A clip of a phone held upright: the frames are stored in landscape, with a rotation in the metadata.
func TestClip_Rotated(t *testing.T) {
	lying := film(t, "lying.mp4", append([]string{"-f", "lavfi", "-i", "color=red:s=160x240:d=1,pad=320:240:0:0:blue"}, h264("-an")...)...)
	path := film(t, "turned.mp4", "-i", lying, "-c", "copy", "-metadata:s:v:0", "rotate=90")
	c, err := tools().Clip(t.Context(), path, sniff.MP4, limits())
	if err != nil {
		t.Fatal(err)
	}
	if c.Width != 240 || c.Height != 320 {
		t.Errorf("got %dx%d", c.Width, c.Height)
	}
	out := filepath.Join(t.TempDir(), "thumbnail.jpg")
	if err := tools().Thumbnail(t.Context(), path, sniff.MP4, c, 120, limits(), out); err != nil {
		t.Fatal(err)
	}
	img := picture(t, out)
	if b := img.Bounds(); b.Dx() != 120 || b.Dy() != 160 {
		t.Fatalf("got a thumbnail of %v", b)
	}
	isRed := func(x, y int) bool { r, _, b, _ := img.At(x, y).RGBA(); return r > b }
	if above, below := isRed(60, 20), isRed(60, 140); above == below {
		t.Error("red and blue are side by side, as stored: the image is not rotated")
	}
}

func TestClip_Truncated(t *testing.T) {
	for name, path := range map[string]string{
		"index last":   film(t, "a.mp4", append(source("320x240", 3), h264()...)...),
		"index first":  film(t, "b.mp4", append(source("320x240", 3), h264("-movflags", "+faststart")...)...),
		"in fragments": film(t, "c.mp4", append(source("320x240", 3), h264("-movflags", "frag_keyframe+empty_moov", "-g", "15")...)...),
		"webm":         film(t, "d.webm", append(source("320x240", 3), "-c:v", "libvpx", "-deadline", "realtime", "-cpu-used", "8", "-c:a", "libvorbis")...),
	} {
		whole, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		ct := sniffed(t, path)
		for percent := 5; percent <= 100; percent += 5 {
			cut := whole[:len(whole)*percent/100]
			if percent == 100 {
				cut = whole[:len(whole)-1]
			}
			t.Run(fmt.Sprintf("%s at %d%%", name, percent), func(t *testing.T) {
				part := filepath.Join(t.TempDir(), "part")
				if err := os.WriteFile(part, cut, 0o600); err != nil {
					t.Fatal(err)
				}
				_, err := tools().Clip(t.Context(), part, ct, limits())
				if err == nil && name == "in fragments" {
					return // a file that is truncated between two fragments is a valid shorter clip
				}
				refusedFor(t, err, outcome.Unreadable)
			})
		}
	}
}

func TestClip_Rejections(t *testing.T) {
	usual := film(t, "a.mp4", append(source("320x240", 2), h264()...)...)
	many := append(source("64x64", 0.5), h264()...)
	for range 20 {
		many = append(many, "-map", "1:a")
	}
	for name, c := range map[string]struct {
		path  string
		limit func(*Limits)
		want  outcome.Reason
	}{
		"too long":                 {usual, func(l *Limits) { l.Duration = time.Second }, outcome.TooLong},
		"too many pixels":          {usual, func(l *Limits) { l.Pixels = 320*240 - 1 }, outcome.TooManyPixels},
		"far too many pixels":      {usual, func(l *Limits) { l.Pixels = 1000 }, outcome.TooManyPixels},
		"too wide":                 {usual, func(l *Limits) { l.Side = 300 }, outcome.TooManyPixels},
		"too many frames":          {usual, func(l *Limits) { l.Frames = 59 }, outcome.TooManyFrames},
		"too fast":                 {usual, func(l *Limits) { l.FrameRate = 29 }, outcome.TooManyFrames},
		"two tracks, one accepted": {usual, func(l *Limits) { l.Tracks = 1 }, outcome.TooManyTracks},
		"many tracks":              {film(t, "many.mp4", append(many, "-map", "0:v")...), nil, outcome.TooManyTracks},
		"only sound":               {film(t, "b.mp4", "-f", "lavfi", "-i", "sine=d=1", "-c:a", "aac"), nil, outcome.NoPicture},
		"an unsupported codec":     {film(t, "c.mov", "-f", "lavfi", "-i", "testsrc2=s=64x64:d=1", "-c:v", "qtrle"), nil, outcome.Unsupported},
	} {
		t.Run(name, func(t *testing.T) {
			l := limits()
			if c.limit != nil {
				c.limit(&l)
			}
			_, err := tools().Clip(t.Context(), c.path, sniffed(t, c.path), l)
			refusedFor(t, err, c.want)
		})
	}
}

// Damaged bytes in the middle do not change the structure of the file, so the decoder must detect them.
func TestClip_Corrupt(t *testing.T) {
	path := film(t, "a.mp4", append(source("320x240", 4), h264("-movflags", "+faststart", "-g", "30")...)...)
	doc, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for i := len(doc) / 3; i < len(doc); i++ {
		doc[i] ^= byte(i * 7)
	}
	if err := os.WriteFile(path, doc, 0o600); err != nil {
		t.Fatal(err)
	}
	_, err = tools().Clip(t.Context(), path, sniff.MP4, limits())
	refusedFor(t, err, outcome.Unreadable)
}

func TestTracks(t *testing.T) {
	tone := []string{"-f", "lavfi", "-i", "sine=f=1000:d=5:r=48000"}
	for name, c := range map[string]struct {
		file, codec string
		args        []string
	}{
		"mp3":  {"a.mp3", "mp3", nil},
		"aac":  {"a.aac", "aac", nil},
		"m4a":  {"a.m4a", "aac", nil},
		"wav":  {"a.wav", "pcm_s16le", nil},
		"flac": {"a.flac", "flac", nil},
		"ogg":  {"a.ogg", "vorbis", []string{"-c:a", "libvorbis"}},
		"opus": {"a.ogg", "opus", []string{"-c:a", "libopus"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := film(t, c.file, append(tone, c.args...)...)
			ct := sniffed(t, path)
			k, err := tools().Track(t.Context(), path, ct, limits())
			if err != nil {
				t.Fatal(ct, err)
			}
			if math.Abs(k.Duration.Seconds()-5) > 0.1 || k.AudioCodec != c.codec {
				t.Errorf("got %+v", k)
			}
			l, err := tools().Loudness(t.Context(), path, ct, k, limits())
			if err != nil {
				t.Fatal(err)
			}
			// The amplitude of ffmpeg's tone is an eighth of full scale, -18 dB. In a stereo file each channel is 3 dB
			// lower.
			if l == nil || math.Abs(l.TruePeakDBTP+21.07) > 1 || math.Abs(l.IntegratedLUFS+21.05) > 1 {
				t.Errorf("got %+v", l)
			}
		})
	}
	t.Run("with a cover", func(t *testing.T) {
		cover := film(t, "cover.png", "-f", "lavfi", "-i", "testsrc2=s=64x64:d=1", "-frames:v", "1")
		path := film(t, "a.mp3", append(tone, "-i", cover, "-map", "0:a", "-map", "1:v", "-c:v", "copy", "-disposition:v", "attached_pic")...)
		if _, err := tools().Track(t.Context(), path, sniffed(t, path), limits()); err != nil {
			t.Error(err)
		}
	})
	t.Run("silence", func(t *testing.T) {
		path := film(t, "a.wav", "-f", "lavfi", "-i", "anullsrc=d=2:r=48000", "-t", "2")
		k, err := tools().Track(t.Context(), path, sniff.WAV, limits())
		if err != nil {
			t.Fatal(err)
		}
		if l, err := tools().Loudness(t.Context(), path, sniff.WAV, k, limits()); err != nil || l != nil {
			t.Errorf("got %+v, %v", l, err)
		}
	})
	t.Run("too long", func(t *testing.T) {
		l := limits()
		l.Duration = 4 * time.Second
		path := film(t, "a.flac", tone...)
		_, err := tools().Track(t.Context(), path, sniff.FLAC, l)
		refusedFor(t, err, outcome.TooLong)
	})
	t.Run("a video", func(t *testing.T) {
		path := film(t, "a.mp4", append(source("64x64", 1), h264()...)...)
		_, err := tools().Track(t.Context(), path, sniff.M4A, limits())
		refusedFor(t, err, outcome.Unsupported)
	})
}

// A child that hangs or exceeds its limits is killed with all processes that it started, and the error has the
// reason.
func TestRun_BoundsPrograms(t *testing.T) {
	script := func(body string) Tools {
		path := filepath.Join(t.TempDir(), "tool")
		if err := os.WriteFile(path, []byte("#!/bin/sh\n"+body+"\n"), 0o700); err != nil {
			t.Fatal(err)
		}
		k := tools()
		k.FFmpeg, k.FFprobe = path, path
		return k
	}
	path := film(t, "a.mp4", append(source("64x64", 1), h264()...)...)
	t.Run("killed", func(t *testing.T) {
		if _, err := script("kill -9 $$").Clip(t.Context(), path, sniff.MP4, limits()); !errors.Is(err, ErrKilled) {
			t.Errorf("got %v", err)
		}
	})
	t.Run("crashed", func(t *testing.T) {
		_, err := script("kill -SEGV $$").Clip(t.Context(), path, sniff.MP4, limits())
		refusedFor(t, err, outcome.Unreadable)
	})
	t.Run("out of processor time", func(t *testing.T) {
		_, err := script("kill -XCPU $$").Clip(t.Context(), path, sniff.MP4, limits())
		refusedFor(t, err, outcome.TooComplex)
	})
	t.Run("endless output", func(t *testing.T) {
		_, err := script("exec cat /dev/zero").Clip(t.Context(), path, sniff.MP4, limits())
		refusedFor(t, err, outcome.TooComplex)
	})
	t.Run("canceled", func(t *testing.T) {
		ctx, stop := context.WithCancelCause(t.Context())
		why := errors.New("stopped")
		// The grandchild holds the pipe: the wait ends only if the grandchild ends as well.
		mark := filepath.Join(t.TempDir(), "begun")
		k := script("sleep 600 & read begun <" + mark + "; wait")
		if err := syscall.Mkfifo(mark, 0o600); err != nil {
			t.Fatal(err)
		}
		go func() {
			_ = os.WriteFile(mark, []byte("\n"), 0) // waits for the child to read
			stop(why)
		}()
		if _, err := k.run(ctx, &child.Bounded{Limit: 1 << 10}, reads(mark), k.FFmpeg); !errors.Is(err, why) {
			t.Errorf("got %v", err)
		}
	})
	t.Run("limits", func(t *testing.T) {
		out := child.Bounded{Limit: 1 << 10}
		k := script(`until [ "$(ulimit -n)" = 64 ]; do :; done; ulimit -v; ulimit -t; env`)
		if _, err := k.run(t.Context(), &out, child.Files{}, k.FFmpeg); err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{fmt.Sprint((1<<30 + overhead) >> 10), "120", "LC_ALL=C"} {
			if !strings.Contains(string(out.Bytes), want) {
				t.Errorf("%s is missing in %s", want, string(out.Bytes))
			}
		}
		if strings.Contains(string(out.Bytes), "GOPATH") || strings.Contains(string(out.Bytes), "KUBE") {
			t.Errorf("our environment is inherited: %s", string(out.Bytes))
		}
	})
}
