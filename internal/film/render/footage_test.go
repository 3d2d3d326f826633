// SPDX-License-Identifier: Apache-2.0

package render

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/reelops/reelops/internal/film/timeline"
)

// plainPattern returns a file of n frames without any oddity.
func plainPattern(n int) pattern {
	return pattern{w: 270, h: 480, rate: "30", pictures: n, codec: options(h264Options, bt709Tags), file: "mp4"}
}

func footage(key string, frames int) *timeline.Footage {
	return &timeline.Footage{Input: key, ContentType: "video/mp4", Frames: frames, Focus: &timeline.Centre}
}

// TestFootage_MixedVideo has still images, a zoom, footage and text, joined by cuts and by cross-fades.
func TestFootage_MixedVideo(t *testing.T) {
	needFFmpeg(t)
	paths := map[string]string{
		"a": writePNG(t, photo(270, 480, 1)), "b": writePNG(t, photo(400, 300, 2)), "text": writePNG(t, text(270, 480)),
		"one": writePNG(t, word(60, 40, rgb{255, 0, 255})), "two": writePNG(t, word(60, 40, rgb{0, 255, 255})),
		"short": plainPattern(20).make(t), "long": plainPattern(40).make(t),
	}
	spot := func(key string, from, to int) timeline.Spot {
		return timeline.Spot{Layer: timeline.Layer{Input: key, X: 100, Y: 100}, From: from, To: to}
	}
	fade := timeline.Transition{Kind: timeline.Crossfade, Frames: 6}
	tl := &timeline.Timeline{
		Version: timeline.Version, Canvas: timeline.Canvas{Width: 270, Height: 480}, FPS: 30,
		Clips: []timeline.Clip{
			{Footage: footage("short", 20), Frames: 35, Spots: []timeline.Spot{spot("one", 5, 10), spot("two", 10, 30)}}, // 0
			{Background: timeline.Background{Input: "a"}, Layer: &timeline.Layer{Input: "text"}, Frames: 20, Transition: fade, Spots: []timeline.Spot{spot("one", 8, 12)}},
			{Footage: footage("long", 40), Frames: 30, Transition: fade}, // 55
			{Footage: footage("short", 20), Frames: 12},                  // 85
			{Background: timeline.Background{Input: "b"}, Frames: 10, Motion: timeline.Motion{Kind: timeline.SlowZoom, From: 1, To: 1.1}},
		},
		Audio: timeline.Audio{Kind: timeline.NoAudio},
	}
	dir := t.TempDir()
	var sums []string
	var film []picture
	for n := range 3 {
		out := filepath.Join(dir, fmt.Sprint(n))
		r, err := Film(t.Context(), tl, paths, out, Options{Threads: 2, CRF: 10, EveryFrame: n == 2})
		if err != nil {
			t.Fatal(err)
		}
		sums = append(sums, r.SHA256)
		if n == 0 {
			film = decode(t, out, 270, 480)
			if r.Encoded >= tl.Frames() {
				t.Errorf("all %d frames were encoded; the last image of an ended clip should be repeated", r.Encoded)
			}
		}
		for i, f := range decode(t, out, 270, 480) {
			if d := far(f.at(0.5, 0.5), film[i].at(0.5, 0.5)); d > 12 {
				t.Errorf("video %d, frame %d: got %v, want %v", n, i, f.at(0.5, 0.5), film[i].at(0.5, 0.5))
			}
		}
	}
	if sums[0] != sums[1] {
		t.Error("two renders of the same video differ")
	}
	if left, _ := os.ReadDir(dir); len(left) != 3 {
		t.Errorf("left over: %v", left)
	}
	same := func(c rgb) rgb { return c }
	// The second footage is visible from three frames before its time, and so is the third.
	for n, want := range map[int]int{0: 0, 7: 7, 19: 19, 20: 19, 34: 19, 58: 6, 60: 8, 81: 29, 88: 6, 96: 14} {
		if got := film[n].count(same); got != want%levels {
			t.Errorf("frame %d shows image %d, want %d", n, got, want%levels)
		}
	}
	for n, want := range map[int]rgb{4: quarters[0], 5: {255, 0, 255}, 9: {255, 0, 255}, 10: {0, 255, 255}, 29: {0, 255, 255}, 30: quarters[0], 43: {255, 0, 255}, 46: {255, 0, 255}} {
		if got := film[n].at(0.45, 0.25); far(got, want) > 12 {
			t.Errorf("frame %d has %v at the text, want %v", n, got, want)
		}
	}
	if got := film[47].at(0.45, 0.25); far(got, rgb{255, 0, 255}) < 40 {
		t.Errorf("a text stays: %v", got)
	}
}

// TestFootage_InvalidFiles distinguishes unusable footage from transient failures.
func TestFootage_InvalidFiles(t *testing.T) {
	needFFmpeg(t)
	good := plainPattern(5).make(t)
	silent := filepath.Join(t.TempDir(), "sound.mp4")
	ffmpeg(t, "-v", "error", "-f", "lavfi", "-i", "sine=d=1", "-c:a", "aac", silent)
	doc, err := os.ReadFile(good)
	if err != nil {
		t.Fatal(err)
	}
	from := bytes.Index(doc, []byte("mdat")) + 4
	to := bytes.Index(doc[from:], []byte("moov"))
	if to < 0 {
		t.Fatal("the index is not at the end")
	}
	garbled := append(append(append([]byte{}, doc[:from]...), bytes.Repeat([]byte{0xff}, to)...), doc[from+to:]...)
	playlist := []byte("#EXTM3U\n#EXTINF:10,x\nfile:///etc/passwd\n")
	for name, tc := range map[string]struct {
		path, contentType, says string
	}{
		"not a clip":              {writeFile(t, playlist), "video/mp4", "damaged"},
		"not a clip of that type": {good, "video/webm", "damaged"},
		"a playlist as WebM":      {writeFile(t, playlist), "video/webm", "damaged"},
		"an empty file":           {writeFile(t, nil), "video/quicktime", "damaged"},
		"only sound":              {silent, "video/mp4", "no video stream"},
		"random frames":           {writeFile(t, garbled), "video/mp4", "no frame that can be decoded"},
		"only the index":          {writeFile(t, doc[len(doc)-200:]), "video/mp4", "damaged"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := footage("bad.clip", 30)
			f.ContentType = tc.contentType
			tl := &timeline.Timeline{Version: 1, Canvas: timeline.Canvas{Width: 90, Height: 160}, FPS: 30, Clips: []timeline.Clip{
				{Footage: footage("good", 5), Frames: 5}, {Footage: f, Frames: 30},
			}}
			dir := t.TempDir()
			_, err := Film(t.Context(), tl, map[string]string{"good": good, "bad.clip": tc.path}, filepath.Join(dir, "film.mp4"), Options{})
			var e *Error
			if !errors.As(err, &e) || e.Kind != BadInput || e.Field != "inputs.bad.clip" || !strings.Contains(e.Message, tc.says) {
				t.Errorf("got %v, want a bad input named bad.clip, with %q", err, tc.says)
			}
			if left, _ := os.ReadDir(dir); len(left) != 0 {
				t.Errorf("left over: %v", left)
			}
		})
	}
}

// wrapped returns an ffmpeg that runs another command when it decodes to raw frames.
func wrapped(t *testing.T, instead string) string {
	t.Helper()
	real, err := exec.LookPath("ffmpeg")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "ffmpeg")
	script := "#!/bin/bash\ncase \"$*\" in *rawvideo\\ pipe:1) " + instead + ";; esac\nexec " + real + " \"$@\"\n"
	if err := os.WriteFile(path, []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestFootage_KilledDecoder must not freeze the video: with more memory the next attempt succeeds.
func TestFootage_KilledDecoder(t *testing.T) {
	needFFmpeg(t)
	tl := &timeline.Timeline{Version: 1, Canvas: timeline.Canvas{Width: 90, Height: 160}, FPS: 30, Clips: []timeline.Clip{{Footage: footage("c", 40), Frames: 40}}}
	paths := map[string]string{"c": plainPattern(40).make(t)}
	for name, tc := range map[string]struct {
		instead string
		kind    Kind
	}{
		"killed at once":            {"kill -9 $$", EncoderKilled},
		"killed after some frames":  {"head -c 50000 /dev/zero; kill -9 $$", EncoderKilled},
		"terminated":                {"kill -15 $$", EncoderKilled},
		"crashed at once":           {"kill -11 $$", BadInput},
		"crashed after some frames": {"head -c 86400 /dev/zero; kill -11 $$", ""},
		"exited":                    {"exit 1", BadInput},
	} {
		program := wrapped(t, tc.instead) // a program that is still being written cannot be started
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := Film(t.Context(), tl, paths, filepath.Join(t.TempDir(), "film.mp4"), Options{FFmpeg: program})
			var e *Error
			if tc.kind == "" && err != nil || tc.kind != "" && (!errors.As(err, &e) || e.Kind != tc.kind) {
				t.Errorf("got %v, want the kind %q", err, tc.kind)
			}
		})
	}
}

// TestFootage_EndsWithItsContext covers a decoder that returns nothing: no goroutine waits for the decoder, and it is
// not left running.
func TestFootage_EndsWithItsContext(t *testing.T) {
	needFFmpeg(t)
	tl := &timeline.Timeline{Version: 1, Canvas: timeline.Canvas{Width: 90, Height: 160}, FPS: 30, Clips: []timeline.Clip{{Footage: footage("c", 40), Frames: 40}}}
	dir := t.TempDir()
	program := wrapped(t, "sleep 600; exit")
	paths := map[string]string{"c": plainPattern(40).make(t)}
	ctx, stop := context.WithCancelCause(t.Context())
	reason := errors.New("asked to stop")
	done := make(chan error, 1)
	go func() {
		_, err := Film(ctx, tl, paths, filepath.Join(dir, "film.mp4"), Options{FFmpeg: program})
		done <- err
	}()
	pid := running(t, program)
	stop(reason)
	if err := <-done; !errors.Is(err, reason) {
		t.Errorf("got %v, want the reason of the context", err)
	}
	if _, err := os.Stat("/proc/" + pid); err == nil {
		t.Error("the decoder still runs")
	}
	if left, _ := os.ReadDir(dir); len(left) != 0 {
		t.Errorf("left over: %v", left)
	}
}

// TestFootage_ShotsInAnyOrder draws with many goroutines at once, the last shots first.
func TestFootage_ShotsInAnyOrder(t *testing.T) {
	needFFmpeg(t)
	tl := &timeline.Timeline{Version: 1, Canvas: timeline.Canvas{Width: 90, Height: 160}, FPS: 30, Clips: []timeline.Clip{
		{Footage: footage("c", 20), Frames: 30}, {Footage: &timeline.Footage{Input: "c", ContentType: "video/mp4", Frames: 20, Loop: true}, Frames: 50},
	}}
	s := newScene(tl, tl.Shots(), map[string]string{"c": plainPattern(20).make(t)}, Options{}.withDefaults(filepath.Join(t.TempDir(), "x")))
	s.begin(t.Context())
	defer s.end()
	frames := make([]*frame, tl.Frames())
	errs := make(chan error)
	for n := len(frames) - 1; n >= 0; n-- {
		frames[n] = newFrame(90, 160)
		go func() { errs <- s.draw(frames[n], n, &brush{}) }()
	}
	for range frames {
		if err := <-errs; err != nil {
			t.Fatal(err)
		}
	}
	for n, f := range frames {
		want := min(n, 19)
		if n >= 30 {
			want = (n - 30) % 20
		}
		img := f.rgba()
		c := img.RGBAAt(45, 80)
		if got := (rgb{float64(c.R), float64(c.G), float64(c.B)}); far(got, level(want)) > 6 {
			t.Errorf("shot %d shows %v, want image %d, %v", n, got, want, level(want))
		}
	}
	if err := s.draw(frames[0], 0, &brush{}); err == nil {
		t.Error("a shot was drawn twice without an error")
	}
}

// TestFootage_SoundIsInSync also covers a clip that is blended in before its own time.
func TestFootage_SoundIsInSync(t *testing.T) {
	tl := &timeline.Timeline{Version: 1, Canvas: timeline.Canvas{Width: 90, Height: 160}, FPS: 30, Clips: []timeline.Clip{
		{Background: timeline.Background{Input: "a"}, Frames: 30, Transition: timeline.Transition{Kind: timeline.Crossfade, Frames: 10}},
		{Footage: &timeline.Footage{Input: "c", ContentType: "video/mp4", Frames: 50, Sound: true}, Frames: 40},
	}}
	first := -1
	for n, s := range tl.Shots() {
		if s.Mix > 0 && s.B.Clip == 1 && s.B.Frame == 0 {
			first = n
		}
	}
	heard := sources(tl, map[string]string{})
	if len(heard) != 1 || first != 25 || heard[0].from != first*sampleRate/30 || heard[0].to != 70*sampleRate/30 {
		t.Errorf("the first image is visible at frame %d, its sound is audible from sample %d to %d", first, heard[0].from, heard[0].to)
	}
}

// running waits until a script decodes to raw frames and returns its process ID.
func running(t *testing.T, script string) string {
	t.Helper()
	for ; t.Context().Err() == nil; time.Sleep(time.Millisecond) {
		all, err := filepath.Glob("/proc/[0-9]*/cmdline")
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range all {
			line, err := os.ReadFile(path)
			if err == nil && strings.Contains(string(line), "\x00"+script+"\x00") && strings.Contains(string(line), "rawvideo\x00pipe:1") {
				return filepath.Base(filepath.Dir(path))
			}
		}
	}
	t.Fatal("the script does not run")
	return ""
}
