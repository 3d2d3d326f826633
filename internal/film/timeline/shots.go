// SPDX-License-Identifier: Apache-2.0

package timeline

// View is one clip at one moment of its motion.
type View struct {
	// Clip is the index of the clip.
	Clip int
	// Progress runs from 0, the first frame that shows the clip, to 1, the last one, blended frames included. It stays
	// 0 for a still clip, so that identical views are equal.
	Progress float64
	// Frame is the frame of the clip's footage: 0 is the first one. After the end of the footage, Frame stays at the
	// last frame, or starts again at 0 if the footage loops. Frame is 0 without footage.
	Frame int
	// Inset is the frame of the clip's inset: 1 is the first one. After the end, Inset stays or loops like Frame. Inset
	// is 0 if no inset is shown.
	Inset int
	// Spots is the name of the set of the clip's spots that are shown, the input of ShownSpots. Identical sets have the
	// same name, so that identical views are equal.
	Spots int
}

// Shot is the content of one frame. Two equal shots show the same image.
type Shot struct {
	// A is the visible clip, or the outgoing clip while two are blended.
	A View
	// B is the incoming clip. It is used only while Mix is above 0.
	B View
	// Mix is the share of B: 0 outside of a cross-fade, strictly between 0 and 1 inside.
	Mix float64
	// Key marks the first frame of each clip that shows only that clip. Such a frame starts a closed group of pictures,
	// so that a player can seek to the slide.
	Key bool
}

// Same reports whether both shots show the same image.
func (s Shot) Same(o Shot) bool {
	return s.A == o.A && s.B == o.B && s.Mix == o.Mix
}

// Shots returns what every frame of a valid timeline shows, one entry per frame.
func (t *Timeline) Shots() []Shot {
	shots := make([]Shot, 0, t.Frames())
	start := 0 // first frame of the clip's own time
	sets := t.Clips[0].spotSets()
	for i := range t.Clips {
		frames := t.Clips[i].Frames
		var following []spotSet
		if i+1 < len(t.Clips) {
			following = t.Clips[i+1].spotSets()
		}
		_, _, in := t.fade(i - 1)
		n, out, _ := t.fade(i)
		for f := start + in; f < start+frames-out; f++ {
			shots = append(shots, Shot{A: t.view(i, start, f, sets), Key: f == start+in})
		}
		next := start + frames
		for k := range n { // blended frames: half are in the time of this clip, half in that of the next
			f := next - out + k
			shots = append(shots, Shot{
				A:   t.view(i, start, f, sets),
				B:   t.view(i+1, next, f, following),
				Mix: float64(k+1) / float64(n+1),
			})
		}
		start, sets = next, following
	}
	return shots
}

// Seen returns the range of frames that show clip i, blended frames included: the first frame, and the frame after the
// last one.
func (t *Timeline) Seen(i int) (from, to int) {
	for k := range i {
		from += t.Clips[k].Frames
	}
	_, before, _ := t.fade(i - 1)
	_, _, after := t.fade(i)
	return from - before, from + t.Clips[i].Frames + after
}

// Alone returns the first frame that shows clip i and no other clip.
func (t *Timeline) Alone(i int) int {
	from := 0
	for k := range i {
		from += t.Clips[k].Frames
	}
	_, _, in := t.fade(i - 1)
	return from + in
}

// view returns clip i, whose own time begins at frame start, as it appears in frame f. A clip that is blended at its
// ends keeps moving there, so its motion is stretched over all frames that show the clip.
func (t *Timeline) view(i, start, f int, sets []spotSet) View {
	c := &t.Clips[i]
	own := min(max(f-start, 0), c.Frames-1) // the nearest frame of the clip's own time
	v := View{Clip: i, Spots: setAt(sets, own)}
	if c.Inset != nil && own < c.Inset.Shown {
		v.Inset = 1 + c.Inset.frameAt(max(f-start, 0))
	}
	_, before, _ := t.fade(i - 1)
	_, _, after := t.fade(i)
	if c.Footage != nil {
		v.Frame = c.Footage.frameAt(f - start + before)
		return v
	}
	if seen := before + c.Frames + after; c.Motion.Kind == SlowZoom && c.Motion.From != c.Motion.To && seen > 1 {
		v.Progress = float64(f-start+before) / float64(seen-1)
	}
	return v
}

// frameAt returns the frame of the footage for the n-th frame that shows the footage, counted from 0.
func (f *Footage) frameAt(n int) int {
	if f.Loop {
		return n % f.Frames
	}
	return min(n, f.Frames-1)
}
