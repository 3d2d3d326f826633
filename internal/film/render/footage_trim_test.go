// SPDX-License-Identifier: Apache-2.0

package render

import (
	"bytes"
	"errors"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/reelops/reelops/internal/film/timeline"
)

// projectorOf returns a projector for one file on a small canvas.
func projectorOf(t testing.TB, path string, canvas timeline.Canvas) *projector {
	t.Helper()
	tl := &timeline.Timeline{Canvas: canvas, FPS: 30, Clips: []timeline.Clip{{}}}
	p := newProjector(tl, map[string]string{"c": path}, Options{}.withDefaults(path))
	p.begin(t.Context())
	t.Cleanup(p.end)
	return p
}

// frames decodes all frames of footage.
func (p *projector) frames(t testing.TB, f timeline.Footage) [][]byte {
	t.Helper()
	d, err := p.open(f, p.tl.Canvas)
	if err != nil {
		t.Fatal(err)
	}
	var all [][]byte
	for {
		one := newFrame(p.tl.Canvas.Width, p.tl.Canvas.Height)
		more, err := d.next(one)
		if err != nil {
			t.Fatal(err)
		}
		if !more {
			return all
		}
		all = append(all, one.pix)
	}
}

// TestTrim_FramesMatchTheFile compares every frame of trimmed footage, byte by byte, with the frame of the whole file
// at that time. The starts are before and after the offset from which the decoder seeks.
func TestTrim_FramesMatchTheFile(t *testing.T) {
	needFFmpeg(t)
	all := corpus()
	for _, name := range []string{
		"portrait", "turned by 90", "23.976 a second", "60 a second", "5 frames a second", "variable frame rate", "interlaced", "B-frames, open GOP",
		"late start", "cut within a group", "fragments", "many streams", "VP9 and Opus", "HEVC", "one long group", "frame without time",
	} {
		o, known := all[name]
		if name == "one long group" {
			o, known = oddity{made: plainPattern(24)}, true
			o.made.codec = options(h264Options, []string{"-g", "1000"})
		}
		if !known {
			t.Fatalf("the corpus has no %s", name)
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o.made.w, o.made.h, o.made.pictures = o.made.w/2&^1, o.made.h/2&^1, int(8*o.made.fps())
			path := o.made.make(t)
			canvas := timeline.Canvas{Width: 90, Height: 160}
			f := timeline.Footage{Input: "c", ContentType: contentType(o.made), Frames: 1000, Focus: &timeline.Centre}
			p := projectorOf(t, path, canvas)
			want := p.frames(t, f)
			if len(want) < 100 {
				t.Fatalf("got %d frames of the whole file", len(want))
			}
			for _, start := range []int{1, 91, 152, len(want) - 1} {
				f.Start = start
				got := p.frames(t, f)
				if len(got) != len(want)-start {
					t.Errorf("from frame %d: got %d frames, want %d", start, len(got), len(want)-start)
				}
				for n := range min(len(got), len(want)-start) {
					if !bytes.Equal(got[n], want[start+n]) {
						t.Fatalf("from frame %d, frame %d differs from that of the whole file", start, n)
					}
				}
			}
		})
	}
}

// TestTrim_LoopRepeatsThePart plays frames 4 to 9 of a file repeatedly.
func TestTrim_LoopRepeatsThePart(t *testing.T) {
	needFFmpeg(t)
	f := footage("c", 6)
	f.Start, f.Loop = 4, true
	tl := &timeline.Timeline{
		Version: 1, Canvas: timeline.Canvas{Width: 270, Height: 480}, FPS: 30, Clips: []timeline.Clip{{Footage: f, Frames: 20}},
	}
	out := filepath.Join(t.TempDir(), "film.mp4")
	if _, err := Film(t.Context(), tl, map[string]string{"c": plainPattern(24).make(t)}, out, Options{CRF: 10}); err != nil {
		t.Fatal(err)
	}
	for n, got := range decode(t, out, 270, 480) {
		if want := (4 + n%6) % levels; got.count(func(c rgb) rgb { return c }) != want {
			t.Errorf("frame %d shows image %d, want %d", n, got.count(func(c rgb) rgb { return c }), want)
		}
	}
}

// TestTrim_StartAfterTheEnd covers a start without frames, with and without a seek of the decoder.
func TestTrim_StartAfterTheEnd(t *testing.T) {
	needFFmpeg(t)
	path := plainPattern(30).make(t)
	for _, start := range []int{30, 31, 80, 100, 50000} {
		f := footage("c", 10)
		f.Start = start
		tl := &timeline.Timeline{Version: 1, Canvas: timeline.Canvas{Width: 90, Height: 160}, FPS: 30, Clips: []timeline.Clip{{Footage: f, Frames: 10}}}
		_, err := Film(t.Context(), tl, map[string]string{"c": path}, filepath.Join(t.TempDir(), "film.mp4"), Options{})
		var e *Error
		if !errors.As(err, &e) || e.Kind != BadInput || e.Field != "inputs.c" || !strings.Contains(e.Message, "no frame") {
			t.Errorf("start %d: got %v, want that the clip has no frames", start, err)
		}
	}
}

// TestTrim_SoundIsInSync has a beep that is audible when its frame is visible, with any delay of the file's sound.
func TestTrim_SoundIsInSync(t *testing.T) {
	needFFmpeg(t)
	beep := func(before ...string) []string {
		args := append(before, "-f", "lavfi", "-i", "aevalsrc='0.5*sin(2*PI*1000*t)*gte(t,6)*lt(t,6.5)':s=44100:d=9")
		return append(args, "-f", "lavfi", "-i", "color=s=64x64:r=25:d=10", "-map", "1:v", "-map", "0:a", "-c:v", "libx264", "-preset", "ultrafast", "-c:a", "aac")
	}
	for name, tc := range map[string]struct {
		path  string
		start int
		want  float64 // second of the video at which the beep begins
	}{
		"from the first frame":       {sounding(t, "mp4", beep()...), 0, 6},
		"trimmed":                    {sounding(t, "mp4", beep()...), 100, 6 - 100.0/30},
		"trimmed within the beep":    {sounding(t, "mp4", beep()...), 185, 0},
		"late sound, trimmed after":  {sounding(t, "mp4", beep("-itsoffset", "0.4")...), 100, 6.4 - 100.0/30},
		"late sound, trimmed before": {sounding(t, "mp4", beep("-itsoffset", "2.5")...), 30, 8.5 - 1},
		"frames start late":          {sounding(t, "mp4", append([]string{"-itsoffset", "-0.5"}, beep()...)...), 100, 5.5 - 100.0/30},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			film := newSoundFilm(250).footage(0, tc.path, "video/mp4", 250, false)
			film.tl.Clips[0].Footage.Start = tc.start
			first := -1
			for i, v := range samplesOfTrack(t, film.track(t)) {
				if math.Abs(v) > 0.1 {
					first = i
					break
				}
			}
			if got := float64(first) / sampleRate; math.Abs(got-tc.want) > 0.03 { // the encoder cuts as much
				t.Errorf("got the beep at %.3f s, want %.3f", got, tc.want)
			}
		})
	}
}

// TestTrim_SoundMatchesTheFile compares samples with those of the whole file.
func TestTrim_SoundMatchesTheFile(t *testing.T) {
	needFFmpeg(t)
	path := sounding(t, "mp4", "-f", "lavfi", "-i", "anoisesrc=d=8:r=44100:seed=3", "-f", "lavfi", "-i", "color=s=64x64:r=30:d=8", "-c:v", "libx264", "-c:a", "aac")
	part := func(start, frames int) []byte {
		film := newSoundFilm(frames).footage(0, path, "video/mp4", frames, false)
		film.tl.Clips[0].Footage.Start = start
		s := sources(&film.tl, film.paths)[0]
		if err := s.decode(t.Context(), "ffmpeg", "ffprobe", filepath.Join(t.TempDir(), "pcm")); err != nil {
			t.Fatal(err)
		}
		defer s.pcm.close()
		b := make([]byte, s.pcm.frames*pcmBytes)
		if _, err := s.pcm.f.ReadAt(b, 0); err != nil {
			t.Fatal(err)
		}
		return b
	}
	whole := part(0, 240)
	for _, start := range []int{1, 37, 150} {
		got, from := part(start, 60), samplesOf(start, 30)*pcmBytes
		if len(got) != samplesOf(60, 30)*pcmBytes || !bytes.Equal(got, whole[from:from+len(got)]) {
			t.Errorf("from frame %d the %d samples differ from those of the whole file", start, len(got)/pcmBytes)
		}
	}
	if got := len(part(230, 60)); got > samplesOf(11, 30)*pcmBytes {
		t.Errorf("got %d samples after the end", got/pcmBytes)
	}
}
