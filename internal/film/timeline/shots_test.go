// SPDX-License-Identifier: Apache-2.0

package timeline

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// seen returns the views of a clip in all frames, alone or blended.
func seen(f *Timeline, clip int) (views []View) {
	for _, s := range f.Shots() {
		switch {
		case s.A.Clip == clip:
			views = append(views, s.A)
		case s.Mix > 0 && s.B.Clip == clip:
			views = append(views, s.B)
		}
	}
	return views
}

func TestShots_Footage(t *testing.T) {
	for name, tc := range map[string]struct {
		given, loopEvery int // frames of the file, and of the loop
		want             func(n int) int
	}{
		"longer than the clip":          {400, 0, func(n int) int { return n }},
		"shorter: the last frame stays": {40, 0, func(n int) int { return min(n, 39) }},
		"shorter: it restarts":          {40, 40, func(n int) int { return n % 40 }},
		"one frame":                     {1, 0, func(int) int { return 0 }},
		"one frame, many times":         {1, 1, func(int) int { return 0 }},
		"blended to its last part":      {114, 0, func(n int) int { return min(n, 113) }},
	} {
		t.Run(name, func(t *testing.T) {
			f := film()
			f.Clips[2] = Clip{Footage: &Footage{Input: "x", ContentType: "video/webm", Frames: tc.given, Loop: tc.loopEvery > 0}, Frames: 110}
			if err := f.Validate(); err != nil {
				t.Fatal(err)
			}
			views := seen(f, 2)
			if len(views) != 115 { // 5 of them before its own time
				t.Fatalf("the clip is visible in %d frames, want 115", len(views))
			}
			for n, v := range views {
				if v.Frame != tc.want(n) || v.Progress != 0 || v.Spots != noSpots {
					t.Fatalf("its frame %d: got %+v, want image %d", n, v, tc.want(n))
				}
			}
		})
	}
}

// TestShots_Insets has a clip that is blended at both ends: its inset counts from the clip's own first frame.
func TestShots_Insets(t *testing.T) {
	for name, tc := range map[string]struct {
		given, shown int
		loop         bool
		want         func(n int) int // n counts from the clip's own first frame
	}{
		"for a part of the clip":        {400, 60, false, func(n int) int { return btoi(n < 60) * (1 + max(n, 0)) }},
		"for the whole clip":            {400, 100, false, func(n int) int { return 1 + max(n, 0) }},
		"shorter: the last frame stays": {40, 100, false, func(n int) int { return 1 + min(max(n, 0), 39) }},
		"shorter: it restarts":          {40, 100, true, func(n int) int { return 1 + max(n, 0)%40 }},
		"one frame, for one frame":      {1, 1, false, func(n int) int { return btoi(n < 1) }},
		"for all but the last frame":    {400, 99, false, func(n int) int { return btoi(n < 99) * (1 + max(n, 0)) }},
	} {
		t.Run(name, func(t *testing.T) {
			f := film()
			f.Clips[0].Transition = Transition{Crossfade, 8}
			f.Clips[1].Inset = &Inset{
				Footage: Footage{Input: "x", ContentType: "video/webm", Start: 30, Frames: tc.given, Loop: tc.loop},
				Width:   100, Height: 100, Shown: tc.shown,
			}
			if err := f.Validate(); err != nil {
				t.Fatal(err)
			}
			views := seen(f, 1)
			if len(views) != 4+100+4 {
				t.Fatalf("the clip is visible in %d frames", len(views))
			}
			for n, v := range views {
				if v.Inset != tc.want(n-4) || v.Frame != 0 {
					t.Fatalf("frame %d of the clip: got %+v, want image %d of the inset", n-4, v, tc.want(n-4))
				}
			}
		})
	}
}

func TestSeen(t *testing.T) {
	f := film()
	first, last := map[int]int{}, map[int]int{}
	for n, s := range f.Shots() {
		for _, v := range []View{s.A, s.B}[:1+btoi(s.Mix > 0)] {
			if _, known := first[v.Clip]; !known {
				first[v.Clip] = n
			}
			last[v.Clip] = n
		}
	}
	for i := range f.Clips {
		if from, to := f.Seen(i); from != first[i] || to != last[i]+1 {
			t.Errorf("clip %d: got frames %d to %d, want %d to %d", i, from, to, first[i], last[i]+1)
		}
	}
}

func TestAlone(t *testing.T) {
	f := film()
	f.Clips[0].Transition = Transition{Crossfade, 8}
	alone := map[int]int{}
	for n, s := range f.Shots() {
		if s.Key {
			alone[s.A.Clip] = n
		}
	}
	for i := range f.Clips {
		if got := f.Alone(i); got != alone[i] {
			t.Errorf("clip %d stands alone from frame %d, want %d", i, got, alone[i])
		}
	}
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

func TestSame_SpotsOfFrames(t *testing.T) {
	f := film()
	c := withFootage(f)
	c.Footage, c.Background = nil, Background{Input: "a"} // only the texts change
	views := seen(f, 0)
	inputs := func(v View) (keys []string) {
		for _, k := range c.ShownSpots(v) {
			keys = append(keys, c.Spots[k].Input)
		}
		return keys
	}
	for n, want := range map[int][]string{
		0: nil, 4: nil, 5: {"one"}, 19: {"one"}, 20: {"two"}, 29: {"two"}, 30: {"one"}, 39: {"one"}, 40: nil, 59: nil, 60: {"last"}, 89: {"last"},
	} {
		if got := inputs(views[n]); !cmp.Equal(got, want) {
			t.Errorf("frame %d: got %q, want %q", n, got, want)
		}
	}
	for _, pair := range []struct {
		a, b int
		same bool
	}{{0, 4, true}, {4, 5, false}, {5, 19, true}, {19, 20, false}, {5, 30, true}, {0, 50, true}, {59, 60, false}, {30, 60, false}} {
		if got := (Shot{A: views[pair.a]}).Same(Shot{A: views[pair.b]}); got != pair.same {
			t.Errorf("frames %d and %d: got same %t, want %t", pair.a, pair.b, got, pair.same)
		}
	}
	c.Spots[2].X++ // the same text at another place
	if views := seen(f, 0); views[5] == views[30] {
		t.Error("a moved spot counts as the same")
	}
}

// TestSpots_InBlendedFrames has a clip that is blended at both ends.
func TestSpots_InBlendedFrames(t *testing.T) {
	f := film()
	f.Clips[0].Transition = Transition{Crossfade, 8}
	word := Layer{Input: "w"}
	f.Clips[1].Spots = []Spot{{word, 0, 10}, {word, 90, 100}}
	views := seen(f, 1)
	if len(views) != 4+100+4 {
		t.Fatalf("the clip is visible in %d frames", len(views))
	}
	for n, v := range views {
		if got, want := len(f.Clips[1].ShownSpots(v)), btoi(n < 4+10 || n >= 4+90); got != want {
			t.Errorf("frame %d: got %d spots, want %d", n-4, got, want)
		}
	}
}

func TestSpots_Order(t *testing.T) {
	c := Clip{Frames: 10, Spots: []Spot{{Layer{Input: "a"}, 0, 10}, {Layer{Input: "b"}, 2, 8}, {Layer{Input: "c"}, 4, 6}}}
	f := &Timeline{FPS: 30, Clips: []Clip{c}}
	var got [][]int
	for _, v := range seen(f, 0) {
		got = append(got, c.ShownSpots(v))
	}
	want := [][]int{{0}, {0}, {0, 1}, {0, 1}, {0, 1, 2}, {0, 1, 2}, {0, 1}, {0, 1}, {0}, {0}}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

// FuzzShots parses documents: every valid timeline has as many shots as frames, and every shot shows existing clips.
func FuzzShots(f *testing.F) {
	one := film()
	f.Add(document(f, one))
	withFootage(one)
	f.Add(document(f, one))
	one.Clips[0].Footage.Loop, one.Clips[0].Transition = true, Transition{Crossfade, 20}
	one.Clips[1].Spots = one.Clips[0].Spots
	f.Add(document(f, one))
	withInset(one)
	f.Add(document(f, one))
	one.Clips[0].Inset.Loop, one.Clips[0].Footage.Fit = true, Contain
	one.Clips[1].Inset = one.Clips[0].Inset
	f.Add(document(f, one))
	f.Fuzz(func(t *testing.T, doc []byte) {
		tl, err := Parse(doc)
		if err != nil {
			return
		}
		shots := tl.Shots()
		if len(shots) != tl.Frames() || !shots[0].Key {
			t.Fatalf("got %d shots for %d frames, the first is %+v", len(shots), tl.Frames(), shots[0])
		}
		for n, s := range shots {
			for _, v := range []View{s.A, s.B}[:1+btoi(s.Mix > 0)] {
				c := &tl.Clips[v.Clip]
				if c.Footage == nil && v.Frame != 0 || c.Footage != nil && (v.Frame < 0 || v.Frame >= c.Footage.Frames) || !(v.Progress >= 0 && v.Progress <= 1) {
					t.Fatalf("shot %d: got %+v", n, v)
				}
				if c.Inset == nil && v.Inset != 0 || c.Inset != nil && (v.Inset < 0 || v.Inset > c.Inset.Frames) {
					t.Fatalf("shot %d shows image %d of an inset", n, v.Inset)
				}
				from, to := tl.Seen(v.Clip)
				if n < from || n >= to {
					t.Fatalf("shot %d shows clip %d, which is visible from %d to %d", n, v.Clip, from, to)
				}
				if v.Spots != noSpots && len(c.ShownSpots(v)) == 0 {
					t.Fatalf("shot %d has no spots, and reports %d", n, v.Spots)
				}
			}
		}
		for field, key := range tl.Inputs() {
			if !inputKey.MatchString(key) {
				t.Fatalf("%s names %q", field, key)
			}
		}
	})
}

func document(f *testing.F, tl *Timeline) []byte {
	doc, err := json.Marshal(tl)
	if err != nil {
		f.Fatal(err)
	}
	return doc
}
