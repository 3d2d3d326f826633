// SPDX-License-Identifier: Apache-2.0

package render

import (
	"bytes"
	"context"
	"errors"
	"image"
	"image/color"
	"image/png"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/reelops/reelops/internal/film/timeline"
	"github.com/reelops/reelops/internal/testkit/need"
)

// photo returns an image with soft shapes and fine grain, the same for the same seed.
func photo(w, h int, seed uint32) *image.RGBA {
	img := image.NewRGBA(image.Rect(0, 0, w, h))
	s := seed*2654435761 + 1
	for y := range h {
		for x := range w {
			s = s*1664525 + 1013904223
			grain := float64(s>>24)/64 - 2
			v := 120 + 70*math.Sin(float64(x)/37+float64(seed)) + 50*math.Cos(float64(y)/53-float64(seed)) + grain
			c := func(f float64) uint8 { return uint8(min(max(f, 0), 255)) }
			img.SetRGBA(x, y, color.RGBA{c(v), c(v*0.8 + 20*float64(seed%5)), c(230 - v), 255})
		}
	}
	return img
}

// text is a transparent layer with an opaque plate and a half-transparent one.
func text(w, h int) *image.NRGBA {
	img := image.NewNRGBA(image.Rect(0, 0, w, h))
	for y := h / 3; y < h/2; y++ {
		for x := w / 4; x < w*3/4; x++ {
			c := color.NRGBA{255, 240, 20, 255}
			if y > h*5/12 {
				c = color.NRGBA{10, 20, 160, 128}
			}
			img.SetNRGBA(x, y, c)
		}
	}
	return img
}

func writePNG(t testing.TB, img image.Image) string {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		t.Fatal(err)
	}
	return writeFile(t, b.Bytes())
}

func writeFile(t testing.TB, b []byte) string {
	t.Helper()
	f, err := os.CreateTemp(t.TempDir(), "input")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.Write(b); err != nil {
		t.Fatal(err)
	}
	return f.Name()
}

// tone creates a WAV file of a soft chord.
func tone(t testing.TB, seconds string, db string) string {
	t.Helper()
	out := filepath.Join(t.TempDir(), "tone.wav")
	cmd := exec.Command("ffmpeg", "-v", "error", "-f", "lavfi", "-i",
		"sine=f=220:r=44100,volume="+db+"dB,tremolo=f=2", "-t", seconds, out)
	if b, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("creating a tone: %v: %s", err, b)
	}
	return out
}

func needFFmpeg(t testing.TB) {
	t.Helper()
	for _, p := range []string{"ffmpeg", "ffprobe"} {
		need.Program(t, p)
	}
}

// sampleFilm returns a small video with every feature: still and zooming clips, a layer, a cut and a cross-fade.
func sampleFilm(t testing.TB) (*timeline.Timeline, map[string]string) {
	tl := &timeline.Timeline{
		Version: timeline.Version, Canvas: timeline.Canvas{Width: 180, Height: 320}, FPS: 30,
		Clips: []timeline.Clip{
			{Background: timeline.Background{Input: "a"}, Layer: &timeline.Layer{Input: "text"}, Frames: 30},
			{
				Background: timeline.Background{Input: "b"}, Layer: &timeline.Layer{Input: "text"}, Frames: 24,
				Motion:     timeline.Motion{Kind: timeline.SlowZoom, From: 1, To: 1.1},
				Transition: timeline.Transition{Kind: timeline.Crossfade, Frames: 7},
			},
			{Background: timeline.Background{Input: "a"}, Frames: 40},
		},
		Audio: timeline.Audio{Kind: timeline.NoAudio},
	}
	paths := map[string]string{
		"a": writePNG(t, photo(180, 320, 1)), "b": writePNG(t, photo(400, 300, 2)), "text": writePNG(t, text(180, 320)),
	}
	return tl, paths
}

func TestFilm(t *testing.T) {
	needFFmpeg(t)
	tl, paths := sampleFilm(t)
	dir := t.TempDir()
	out := filepath.Join(dir, "film.mp4")
	seen := 0
	r, err := Film(t.Context(), tl, paths, out, Options{Threads: 2, Progress: func(done, total int) {
		if done <= seen || total < done {
			t.Errorf("progress changed from %d to %d of %d", seen, done, total)
		}
		seen = done
	}})
	if err != nil {
		t.Fatal(err)
	}
	want := Probe{
		VideoCodec: "h264", Profile: "High", PixelFormat: "yuv420p", Width: 180, Height: 320, FrameRate: "30/1", Frames: 94,
		DurationSeconds: r.Probe.DurationSeconds, AudioCodec: "aac", SampleRate: 48000, Channels: 2, FastStart: true,
	}
	if r.Probe != want {
		t.Errorf("probe: got %+v, want %+v", r.Probe, want)
	}
	seenBy, err := probe(t.Context(), "ffprobe", out) // ffprobe's packet count of the file
	if err != nil {
		t.Fatal(err)
	}
	if math.Abs(seenBy.DurationSeconds-94.0/30) > 0.001 {
		t.Errorf("got %.3f s, want %.3f", seenBy.DurationSeconds, 94.0/30)
	}
	if want.DurationSeconds = seenBy.DurationSeconds; seenBy != want {
		t.Errorf("ffprobe: got %+v, want %+v", seenBy, want)
	}
	if left, _ := os.ReadDir(dir); len(left) != 1 {
		t.Errorf("files next to the video: %v", left)
	}
	film, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(film, []byte("elst")) {
		t.Error("the video has an edit list")
	}
	if bytes.Contains(film, []byte("x264")) {
		t.Error("the video names its encoder, which differs between builds")
	}
	if got := keyFrames(t, out); got != "0 30 49" {
		t.Errorf("key frames at %s, want them at each cut and at the frame before the cross-fade: 0 30 49", got)
	}
}

// keyFrames returns the numbers of the key frames of a video.
func keyFrames(t testing.TB, film string) string {
	t.Helper()
	b, err := exec.Command("ffprobe", "-v", "error", "-select_streams", "v", "-show_entries", "packet=flags", "-of", "csv=p=0", film).Output()
	if err != nil {
		t.Fatal(err)
	}
	var keys []string
	for n, line := range strings.Fields(string(b)) {
		if strings.HasPrefix(line, "K") {
			keys = append(keys, strconv.Itoa(n))
		}
	}
	return strings.Join(keys, " ")
}

func TestFilm_IsDeterministic(t *testing.T) {
	needFFmpeg(t)
	tl, paths := sampleFilm(t)
	tl.Audio = timeline.Audio{Kind: timeline.Music, Input: "music", Loop: true, FadeOutFrames: 15}
	paths["music"] = tone(t, "1", "-20")
	var sums []string
	for range 2 {
		r, err := Film(t.Context(), tl, paths, filepath.Join(t.TempDir(), "film.mp4"), Options{Threads: 2})
		if err != nil {
			t.Fatal(err)
		}
		sums = append(sums, r.SHA256)
	}
	if sums[0] != sums[1] {
		t.Errorf("two renders differ: %s", sums)
	}
}

func TestFilm_InvalidInputs(t *testing.T) {
	needFFmpeg(t)
	whole := func() []byte { b, _ := os.ReadFile(writePNG(t, photo(180, 320, 3))); return b }()
	for name, tc := range map[string]struct {
		spoil func(*timeline.Timeline, map[string]string)
		kind  Kind
		field string
		says  string
	}{
		"an invalid image": {
			func(_ *timeline.Timeline, p map[string]string) {
				p["b"] = writeFile(t, []byte("<html>not found</html>"))
			},
			BadInput, "inputs.b", "not a readable",
		},
		"a truncated image": {
			func(_ *timeline.Timeline, p map[string]string) { p["a"] = writeFile(t, whole[:len(whole)/2]) },
			BadInput, "inputs.a", "damaged",
		},
		"a layer larger than the canvas": {
			func(_ *timeline.Timeline, p map[string]string) { p["text"] = writePNG(t, text(182, 320)) },
			BadInput, "inputs.text", "does not fit",
		},
		"invalid music": {
			func(tl *timeline.Timeline, p map[string]string) {
				tl.Audio = timeline.Audio{Kind: timeline.Music, Input: "m"}
				p["m"] = writeFile(t, []byte("#EXTM3U\nfile:///etc/passwd\n"))
			}, BadInput, "inputs.m", "not music",
		},
		"truncated music": {
			func(tl *timeline.Timeline, p map[string]string) {
				tl.Audio = timeline.Audio{Kind: timeline.Music, Input: "m"}
				p["m"] = writeFile(t, append([]byte("fLaC\x00\x00\x00\x22"), bytes.Repeat([]byte{7}, 4000)...))
			}, BadInput, "inputs.m", "could not be decoded",
		},
		"an impossible timeline": {
			func(tl *timeline.Timeline, _ map[string]string) { tl.Clips[1].Frames = 3 },
			BadTimeline, "clips[1].transition.frames", "at least one frame",
		},
		"a missing input": {
			func(_ *timeline.Timeline, p map[string]string) { delete(p, "a") },
			BadTimeline, "clips[0].background.input", "no input named a",
		},
	} {
		t.Run(name, func(t *testing.T) {
			tl, paths := sampleFilm(t)
			tc.spoil(tl, paths)
			dir := t.TempDir()
			_, err := Film(t.Context(), tl, paths, filepath.Join(dir, "film.mp4"), Options{})
			var e *Error
			if !errors.As(err, &e) || e.Kind != tc.kind || e.Field != tc.field || !strings.Contains(e.Message, tc.says) {
				t.Errorf("got %#v (%v), want kind %s, field %s, with %q", e, err, tc.kind, tc.field, tc.says)
			}
			if left, _ := os.ReadDir(dir); len(left) != 0 {
				t.Errorf("left over: %v", left)
			}
		})
	}
}

func TestFilm_StopsWithItsContext(t *testing.T) {
	needFFmpeg(t)
	tl, paths := sampleFilm(t)
	reason := errors.New("asked to stop")
	ctx, stop := context.WithCancelCause(t.Context())
	dir := t.TempDir()
	_, err := Film(ctx, tl, paths, filepath.Join(dir, "film.mp4"), Options{Progress: func(done, _ int) {
		if done >= 3 {
			stop(reason)
		}
	}})
	if !errors.Is(err, reason) {
		t.Errorf("got %v, want the reason of the context", err)
	}
	if left, _ := os.ReadDir(dir); len(left) != 0 {
		t.Errorf("left over: %v", left)
	}
}
