// SPDX-License-Identifier: Apache-2.0

package render

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/reelops/reelops/internal/film/timeline"
)

// screenMargin is the required factor between the threshold and the score of every clip in the corpus.
const screenMargin = 1.15

// TestScreen_IsDistinguishedFromCameras judges clips of both kinds and prints the score of each.
func TestScreen_IsDistinguishedFromCameras(t *testing.T) {
	needFFmpeg(t)
	for want, all := range map[bool]map[string]moving{true: screens(t), false: cameras(t)} {
		for name, m := range all {
			t.Run(name, func(t *testing.T) {
				f := timeline.Footage{Input: "c", ContentType: "video/mp4", Frames: 90}
				p := projectorOf(t, m.encode(t), timeline.Canvas{Width: 270, Height: 480})
				known, err := p.inspect(f)
				if err != nil {
					t.Fatal(err)
				}
				for _, n := range p.screenTiles(f, known) {
					t.Logf("flat %.2f, text %.3f, natural %.2f, still %.2f: score %.2f", n.flat/n.all, n.text/n.all, n.natural/n.all, n.still/n.all, n.score())
				}
				score := p.screenScore(f, known)
				t.Logf("screen %t, score %.2f", want, score)
				if want && score < screenMargin || !want && score > 1/screenMargin {
					t.Errorf("got a score of %.2f; a recording of a screen: %t", score, want)
				}
			})
		}
	}
}

// TestScreen_Fit decides by the shape of the image as well, and independently of the played part of the file.
func TestScreen_Fit(t *testing.T) {
	needFFmpeg(t)
	all := screens(t)
	wide, tall, camera := all["code editor"].encode(t), all["telephone"].encode(t), cameras(t)["an object on white"].encode(t)
	upright, square, level := timeline.Canvas{Width: 270, Height: 480}, timeline.Canvas{Width: 360, Height: 360}, timeline.Canvas{Width: 480, Height: 270}
	for name, tc := range map[string]struct {
		path  string
		area  timeline.Canvas
		fit   timeline.Fit
		whole bool
	}{
		"a wide screen in portrait":        {wide, upright, timeline.FitAuto, true},
		"a wide screen in a square":        {wide, square, timeline.FitAuto, true},
		"a wide screen on a wide canvas":   {wide, level, timeline.FitAuto, false},
		"a wide screen with the fit cover": {wide, upright, timeline.Cover, false},
		"a wide screen without text":       {wide, upright, "", false},
		"a phone in portrait":              {tall, upright, timeline.FitAuto, true},
		"a phone on a wide canvas":         {tall, level, timeline.FitAuto, true},
		"a camera in portrait":             {camera, upright, timeline.FitAuto, false},
		"a camera with the fit contain":    {camera, upright, timeline.Contain, true},
	} {
		t.Run(name, func(t *testing.T) {
			p := projectorOf(t, tc.path, tc.area)
			for _, part := range [][2]int{{0, 90}, {0, 10}, {60, 30}} {
				got, err := p.show(timeline.Footage{Input: "c", ContentType: "video/mp4", Start: part[0], Frames: part[1], Fit: tc.fit}, tc.area)
				if err != nil {
					t.Fatal(err)
				}
				if got.whole != tc.whole {
					t.Errorf("%d frames from frame %d on are shown whole: %t, want %t", part[1], part[0], got.whole, tc.whole)
				}
			}
		})
	}
}

// TestScreen_IsDetectedOnce plays a file that is deleted before its second clip begins.
func TestScreen_IsDetectedOnce(t *testing.T) {
	needFFmpeg(t)
	path := screens(t)["code editor"].encode(t)
	canvas := timeline.Canvas{Width: 270, Height: 480}
	p := projectorOf(t, path, canvas)
	for start := range 3 {
		s, err := p.show(timeline.Footage{Input: "c", ContentType: "video/mp4", Start: start, Frames: 20, Fit: timeline.FitAuto}, canvas)
		if err != nil || !s.whole {
			t.Errorf("part %d: shown whole: %t, %v", start, s != nil && s.whole, err)
		}
		if err := os.Rename(path, filepath.Join(t.TempDir(), "gone")); err != nil && start == 0 {
			t.Fatal(err)
		}
	}
}

// TestScreen_IsDeterministic in any assignment of clips to lanes.
func TestScreen_IsDeterministic(t *testing.T) {
	needFFmpeg(t)
	tl := &timeline.Timeline{Version: 1, Canvas: timeline.Canvas{Width: 270, Height: 480}, FPS: 30}
	for n := range 3 {
		f := &timeline.Footage{Input: "c", ContentType: "video/mp4", Start: 10 * n, Frames: 20 + n, Fit: timeline.FitAuto}
		tl.Clips = append(tl.Clips, timeline.Clip{Footage: f, Frames: 10})
	}
	paths := map[string]string{"c": screens(t)["code editor"].encode(t)}
	one, film, _ := renderWithCache(t, tl, paths, Options{Threads: 1})
	if _, other, _ := renderWithCache(t, tl, paths, Options{Threads: 3}); !bytes.Equal(film, other) {
		t.Error("two renders of the same video differ")
	}
	for n := range tl.Clips {
		tl.Clips[n].Footage.Fit = timeline.Contain
	}
	if whole, _, _ := renderWithCache(t, tl, paths, Options{}); whole.SHA256 != one.SHA256 {
		t.Error("the screen is cropped")
	}
}

func TestStrokes(t *testing.T) {
	for name, tc := range map[string]struct {
		row  []byte
		want int
	}{
		"flat":          {[]byte{9, 9, 9, 9, 9, 9, 9, 9}, 0},
		"one edge":      {[]byte{0, 0, 0, 255, 255, 255, 255, 255}, 0},
		"a soft slope":  {[]byte{0, 10, 20, 30, 40, 50, 40, 30, 20, 10, 0}, 0},
		"one stroke":    {[]byte{0, 0, 0, 255, 255, 0, 0, 0}, 1},
		"two strokes":   {[]byte{200, 200, 90, 90, 200, 200, 200, 90, 90, 200, 200}, 3},
		"almost no row": {[]byte{0}, 0},
	} {
		if got := strokesIn(tc.row); got != tc.want {
			t.Errorf("%s: got %d, want %d", name, got, tc.want)
		}
	}
}
