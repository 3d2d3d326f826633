// SPDX-License-Identifier: Apache-2.0

package render

import (
	"fmt"
	"math"
	"path/filepath"
	"testing"

	"github.com/reelops/reelops/internal/film/timeline"
)

// insetFilm has an inset that continues over two clips, the first one with footage, the second one with a still
// image, and a layer over both. In the second clip the inset ends early.
func insetFilm(t *testing.T) (*timeline.Timeline, map[string]string) {
	needFFmpeg(t)
	inset := func(start, shown int) *timeline.Inset {
		return &timeline.Inset{
			Footage: timeline.Footage{Input: "talk", ContentType: "video/mp4", Start: start, Frames: 40 - start, Focus: &timeline.Centre},
			X:       20, Y: 300, Width: 120, Height: 160, Radius: 30, Shown: shown,
		}
	}
	spots := []timeline.Spot{{Layer: timeline.Layer{Input: "word", X: 60, Y: 310}, From: 5, To: 8}}
	tl := &timeline.Timeline{
		Version: timeline.Version, Canvas: timeline.Canvas{Width: 270, Height: 480}, FPS: 30,
		Clips: []timeline.Clip{
			{Footage: footage("long", 40), Inset: inset(0, 15), Frames: 15, Spots: spots},
			{Background: timeline.Background{Input: "a"}, Layer: &timeline.Layer{Input: "text"}, Inset: inset(15, 10), Frames: 20},
		},
	}
	return tl, map[string]string{
		"a": writePNG(t, photo(270, 480, 1)), "text": writePNG(t, text(270, 480)), "word": writePNG(t, word(40, 30, rgb{255, 0, 255})), "long": plainPattern(40).make(t),
		"talk": pattern{w: 120, h: 160, rate: "30", pictures: 40, codec: options(h264Options, bt709Tags), file: "mp4"}.make(t),
	}
}

// TestInset_EveryFrame checks every frame of a video with an inset.
func TestInset_EveryFrame(t *testing.T) {
	tl, paths := insetFilm(t)
	dir := t.TempDir()
	var sums []string
	for n, threads := range []int{1, 3} {
		r, err := Film(t.Context(), tl, paths, filepath.Join(dir, fmt.Sprint(n)), Options{Threads: threads, CRF: 6})
		if err != nil {
			t.Fatal(err)
		}
		sums = append(sums, r.SHA256)
		if want := 15 + 10 + 1; r.Encoded != want {
			t.Errorf("got %d encoded frames, want %d: the still image after the inset should be repeated", r.Encoded, want)
		}
	}
	if sums[0] != sums[1] {
		t.Error("two renders of the same video differ")
	}
	film := decode(t, filepath.Join(dir, "0"), 270, 480)
	for n, f := range film {
		at := func(x, y int) rgb { return f.at((float64(x)+0.5)/270, (float64(y)+0.5)/480) }
		if n >= 25 {
			if got := at(80, 380); far(got, level(n)) < 20 {
				t.Errorf("frame %d still shows the inset", n)
			}
			continue
		}
		if got := at(80, 380); far(got, level(n)) > 8 {
			t.Errorf("frame %d has %v in the middle of the inset, want image %d, %v", n, got, n, level(n))
		}
		for i, want := range quarters { // 14 pixels from the edges
			if got := at([]int{50, 110}[i%2], []int{314, 446}[i/2]); far(got, want) > 16 && !(n >= 5 && n < 8 && i == 0) {
				t.Errorf("frame %d has %v in quarter %d, want %v", n, got, i, want)
			}
		}
		for _, p := range [][2]int{{22, 302}, {137, 302}, {22, 457}, {137, 457}} { // outside of the round corners
			if got := at(p[0], p[1]); n < 15 && far(got, quarters[2+p[0]/135]) > 16 {
				t.Errorf("frame %d has %v in the corner at %v", n, got, p)
			}
		}
		if got, shown := at(70, 320), n >= 5 && n < 8; shown != (far(got, rgb{255, 0, 255}) < 12) {
			t.Errorf("frame %d has %v at the text; shown: %t", n, got, shown)
		}
	}
}

// TestCoverage checks the roundness of corners, at full and at half resolution.
func TestCoverage(t *testing.T) {
	for _, tc := range []struct{ w, h, radius int }{{100, 60, 0}, {100, 60, 20}, {60, 60, 30}, {16, 16, 8}, {402, 502, 41}} {
		want := float64(tc.w*tc.h) - (4-math.Pi)*float64(tc.radius*tc.radius)
		for _, sub := range []int{1, 2} {
			c := newCoverage(tc.w, tc.h, tc.radius, sub)
			sum := 0.0
			for y := range c.h {
				for x := range c.w {
					share := c.share[y*c.w+x]
					sum += float64(share) / 256 * float64(sub*sub)
					if share != c.share[y*c.w+c.w-1-x] || share != c.share[(c.h-1-y)*c.w+x] {
						t.Fatalf("%+v: the corners differ at %d, %d", tc, x, y)
					}
					if y >= c.top && y < c.bottom && share != 256 {
						t.Fatalf("%+v: row %d is reported as fully covered", tc, y)
					}
				}
			}
			if math.Abs(sum-want) > 0.01*want+2 {
				t.Errorf("%+v at a resolution of 1/%d: got %.0f covered pixels, want %.0f", tc, sub, sum, want)
			}
		}
	}
}

// TestInset_StaysInOneLane checks that the footage of an inset is decoded in one lane, because it is played from its
// beginning.
func TestInset_StaysInOneLane(t *testing.T) {
	tl, _ := insetFilm(t)
	tl.Clips = tl.Clips[1:]
	tl.Clips[0].Frames, tl.Clips[0].Inset.Frames, tl.Clips[0].Inset.Shown = 600, 600, 600
	segments := cut(tl, tl.Shots())
	if lanes := spread(segments, tl, 3); len(segments) < 3 || len(lanes) != 1 {
		t.Errorf("got %d segments in %d lanes, want one lane", len(segments), len(lanes))
	}
}

// TestKeys_OfFootage checks that keys change only with the inputs of the images.
func TestKeys_OfFootage(t *testing.T) {
	keys := func(change func(*timeline.Timeline)) (pictures, sound string) {
		tl, paths := insetFilm(t)
		tl.Clips[0].Footage.Sound = true
		change(tl)
		digests, err := digestAll(tl, paths, map[string]string{"long": "1", "talk": "2", "word": "3", "a": "4", "text": "5"})
		if err != nil {
			t.Fatal(err)
		}
		k := keyer{Options{}, tl, digests}
		return k.key(cut(tl, tl.Shots())[0]), k.sound()
	}
	picture, sound := keys(func(*timeline.Timeline) {})
	for name, tc := range map[string]struct {
		change      func(*timeline.Timeline)
		seen, heard bool
	}{
		"the start":             {func(tl *timeline.Timeline) { tl.Clips[0].Footage.Start = 3 }, true, true},
		"the fit":               {func(tl *timeline.Timeline) { tl.Clips[0].Footage.Fit = timeline.Contain }, true, false},
		"the fit, by its name":  {func(tl *timeline.Timeline) { tl.Clips[0].Footage.Fit = timeline.Cover }, false, false},
		"no inset":              {func(tl *timeline.Timeline) { tl.Clips[0].Inset = nil }, true, false},
		"the inset's start":     {func(tl *timeline.Timeline) { tl.Clips[0].Inset.Start = 1 }, true, false},
		"the inset's file":      {func(tl *timeline.Timeline) { tl.Clips[0].Inset.Input = "long" }, true, false},
		"the inset's place":     {func(tl *timeline.Timeline) { tl.Clips[0].Inset.X = 22 }, true, false},
		"the inset's size":      {func(tl *timeline.Timeline) { tl.Clips[0].Inset.Height = 100 }, true, false},
		"the inset's corners":   {func(tl *timeline.Timeline) { tl.Clips[0].Inset.Radius = 0 }, true, false},
		"the inset's focus":     {func(tl *timeline.Timeline) { tl.Clips[0].Inset.Focus = nil }, true, false},
		"its duration":          {func(tl *timeline.Timeline) { tl.Clips[0].Inset.Shown = 14 }, true, false},
		"the next clip's inset": {func(tl *timeline.Timeline) { tl.Clips[1].Inset = nil }, false, false},
		"a voice of its file": {func(tl *timeline.Timeline) {
			tl.Audio.Voices = []timeline.Voice{{Input: "talk", ContentType: "video/mp4"}}
		}, false, true},
		"the name of its fit": {func(tl *timeline.Timeline) { tl.Clips[0].Inset.Fit = timeline.Cover }, false, false},
		"its footage loops":   {func(tl *timeline.Timeline) { tl.Clips[0].Inset.Loop = true }, false, false},
	} {
		p, s := keys(tc.change)
		if (p != picture) != tc.seen {
			t.Errorf("%s: the key of the images changes: %t", name, p != picture)
		}
		if (s != sound) != tc.heard {
			t.Errorf("%s: the key of the sound changes: %t", name, s != sound)
		}
	}
}
