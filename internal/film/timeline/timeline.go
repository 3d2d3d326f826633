// SPDX-License-Identifier: Apache-2.0

package timeline

import (
	"fmt"
	"iter"
	"time"
)

// Version is the only timeline version this package reads and writes.
const Version = 1

// DefaultFPS is the frame rate of films made by this project.
const DefaultFPS = 30

// FramesOf returns the number of frames of a film of this project that a duration is nearest to.
func FramesOf(d time.Duration) int {
	return int((d*DefaultFPS + time.Second/2) / time.Second)
}

// Timeline is one whole film.
type Timeline struct {
	// Version is always the constant Version.
	Version int `json:"version"`
	// Canvas is the size of every frame.
	Canvas Canvas `json:"canvas"`
	// FPS is the constant number of frames per second.
	FPS int `json:"fps"`
	// Clips are shown one after the other.
	Clips []Clip `json:"clips"`
	// Audio is the sound under the film.
	Audio Audio `json:"audio"`
}

// Canvas is a frame size in pixels. Both sides are even, because colour is stored at half resolution.
type Canvas struct {
	Width  int `json:"width"`
	Height int `json:"height"`
}

// Clip is one picture with an optional layer of text on top, shown for some frames.
type Clip struct {
	// Background is the picture that fills the canvas; it names no input where there is footage.
	Background Background `json:"background"`
	// Footage fills the canvas with moving pictures instead.
	Footage *Footage `json:"footage,omitempty"`
	// Inset is a second clip in a smaller area, drawn over the background or footage and under Layer and Spots.
	Inset *Inset `json:"inset,omitempty"`
	// Layer is drawn over the background and never moves with it.
	Layer *Layer `json:"layer,omitempty"`
	// Spots are layers that are shown for a part of the clip, drawn over Layer in their order.
	Spots []Spot `json:"spots,omitempty"`
	// Frames is the clip's time on screen, cross-fades included.
	Frames int `json:"frames"`
	// Motion is how the background moves. The empty kind means still.
	Motion Motion `json:"motion"`
	// Transition leads into the next clip. The empty kind means cut.
	Transition Transition `json:"transition"`
}

// Background names an input picture. It is scaled to cover the canvas; what does not fit is cut away around Focus.
type Background struct {
	// Input is the key of the picture among the inputs of the work order.
	Input string `json:"input"`
	// Focus is the point that cropping keeps in sight. Absent means the centre.
	Focus *Point `json:"focus,omitempty"`
}

// Footage names a clip of moving pictures of any size, shape and frame rate. It is turned upright, scaled to fill the canvas as Fit
// says, and brought to the film's frame rate and to BT.709.
//
// It begins with its first picture at the first frame in which the clip can be seen (see Seen), and runs on through blended
// frames. Its sound, where it is heard, is as early or late against that picture as it is in the file.
type Footage struct {
	// Input is the key of the file among the inputs of the work order.
	Input string `json:"input"`
	// ContentType is what the file is by its first bytes; nothing else is tried.
	ContentType string `json:"content_type"`
	// Start is where in the file it begins, in frames of the film after the first picture. Default 0. A file that ends before has
	// no pictures.
	Start int `json:"start,omitempty"`
	// Frames is how many frames of the film the file gives from Start on before it is over. A file that gives fewer stays on its
	// last picture until then.
	Frames int `json:"frames"`
	// Fit says how a picture of another shape fills the canvas. The empty value means Cover. An inset always covers its rectangle.
	Fit Fit `json:"fit,omitempty"`
	// Loop begins anew when the file is over; without it the last picture stays.
	Loop bool `json:"loop,omitempty"`
	// Focus is the point that cropping keeps in sight. Absent means that the renderer looks for what matters.
	Focus *Point `json:"focus,omitempty"`
	// Sound says that the file's own sound is heard; a file without sound is silent. It is not set for an inset.
	Sound bool `json:"sound,omitempty"`
}

// Fit says how a picture fills an area of another shape.
type Fit string

// The ways to fit.
const (
	// Cover scales the picture until it fills the area; what does not fit is cut away around the focus.
	Cover Fit = "cover"
	// Contain shows the whole picture over a blurred copy of itself.
	Contain Fit = "contain"
	// FitAuto is Contain for screen recordings that Cover would cut much of, otherwise Cover.
	FitAuto Fit = "auto"
)

// Inset is footage in a rectangle of the canvas with round corners. It is scaled to cover the rectangle. Its own sound is heard only
// where a voice of the film names the same file.
//
// It begins with its first picture at the first frame of the clip's own time. In frames that are blended before, it shows that
// picture too.
type Inset struct {
	Footage
	// X and Y place the top left corner on the canvas, in pixels. The whole rectangle lies on the canvas, and all four numbers are
	// even.
	X      int `json:"x"`
	Y      int `json:"y"`
	Width  int `json:"width"`
	Height int `json:"height"`
	// Radius of the corners in pixels; at most half the shorter side.
	Radius int `json:"radius,omitempty"`
	// Shown is how many frames of the clip's own time show it, from the first one on. An inset that is shown to the end of its clip
	// is also shown in the frames that are blended after it.
	Shown int `json:"shown"`
}

// Spot is a layer that is shown for a part of a clip.
type Spot struct {
	Layer
	// From is the first frame of the clip that shows it, To the first one that does not any more. They count within the clip's
	// own time; a spot at either end of it is shown in the frames blended there as well.
	From int `json:"from"`
	To   int `json:"to"`
}

// Layer names a picture with transparency, such as a slide's text with its gradient.
type Layer struct {
	// Input is the key of the picture among the inputs of the work order.
	Input string `json:"input"`
	// X and Y place the layer's top left corner on the canvas, in pixels. A layer of the canvas's own size stays at 0, 0.
	X int `json:"x,omitempty"`
	Y int `json:"y,omitempty"`
}

// Point is a place on a picture, in fractions of its width and height: 0,0 is the top left corner, 1,1 the bottom right one.
type Point struct {
	X float64 `json:"x"`
	Y float64 `json:"y"`
}

// Centre is the middle of a picture.
var Centre = Point{X: 0.5, Y: 0.5}

// MotionKind says how a background moves.
type MotionKind string

// The motions there are.
const (
	// Still shows one unchanged picture.
	Still MotionKind = "still"
	// SlowZoom grows or shrinks the background evenly around a focal point.
	SlowZoom MotionKind = "slow_zoom"
)

// Motion is how a clip's background moves while it is on screen.
type Motion struct {
	Kind MotionKind `json:"kind"`
	// From and To are the scales at the start and the end of a slow zoom; 1 shows the whole canvas-shaped picture.
	From float64 `json:"from,omitempty"`
	To   float64 `json:"to,omitempty"`
	// Focus is the point that stays where it is while the rest grows or shrinks. Absent means the centre.
	Focus *Point `json:"focus,omitempty"`
}

// TransitionKind says how one clip becomes the next.
type TransitionKind string

// The transitions there are.
const (
	// Cut shows the next clip at once.
	Cut TransitionKind = "cut"
	// Crossfade blends the two clips.
	Crossfade TransitionKind = "crossfade"
)

// Transition joins a clip to the one after it.
type Transition struct {
	Kind TransitionKind `json:"kind"`
	// Frames is the number of blended frames of a cross-fade. The outgoing clip gives the larger half of them, the incoming
	// one the rest; neither clip becomes shorter or longer.
	Frames int `json:"frames,omitempty"`
}

// AudioKind says what sound a film has.
type AudioKind string

// The kinds of sound there are. A film without music still gets a silent track, because platforms expect one.
const (
	NoAudio AudioKind = "none"
	Music   AudioKind = "music"
)

// Audio is the sound under a film.
type Audio struct {
	// Kind is none or music. The empty kind means none.
	Kind AudioKind `json:"kind"`
	// Input is the key of the music file among the inputs of the work order.
	Input string `json:"input,omitempty"`
	// Loop repeats music that is shorter than the film. Without it the rest of the film is silent.
	Loop bool `json:"loop,omitempty"`
	// FadeOutFrames is how long the music takes to fade away at the end of the film.
	FadeOutFrames int `json:"fade_out_frames,omitempty"`
	// Voices speak over it. While a voice or a clip's own sound is heard, the music steps back. While a voice is heard, so does the own
	// sound of a clip with an inset.
	Voices []Voice `json:"voices,omitempty"`
}

// Voice is a piece of speech.
type Voice struct {
	// Input is the key of the file among the inputs of the work order.
	Input string `json:"input"`
	// ContentType is set where the file is a clip whose own sound is the voice, and is what the clip is by its first bytes. Absent
	// means a sound file.
	ContentType string `json:"content_type,omitempty"`
	// At is the frame of the film at which it begins.
	At int `json:"at"`
}

// Frames is the length of the film in frames: the sum of its clips.
func (t *Timeline) Frames() int {
	n := 0
	for i := range t.Clips {
		n += t.Clips[i].Frames
	}
	return n
}

// Duration is the length of the film.
func (t *Timeline) Duration() time.Duration {
	if t.FPS <= 0 {
		return 0
	}
	return time.Duration(t.Frames()) * time.Second / time.Duration(t.FPS)
}

// fade is the number of blended frames after clip i, and how many of them lie in clip i (out) and in clip i+1 (in).
func (t *Timeline) fade(i int) (n, out, in int) {
	if i < 0 || i >= len(t.Clips)-1 || t.Clips[i].Transition.Kind != Crossfade {
		return 0, 0, 0
	}
	n = t.Clips[i].Transition.Frames
	in = n / 2
	return n, n - in, in
}

// Inputs lists every input the film uses with the field that names it, in the order of the document. A key that is used twice
// is listed twice.
func (t *Timeline) Inputs() iter.Seq2[string, string] {
	return func(yield func(field, key string) bool) {
		for i := range t.Clips {
			c, at := &t.Clips[i], fmt.Sprintf("clips[%d]", i)
			switch {
			case c.Footage != nil:
				if !yield(at+".footage.input", c.Footage.Input) {
					return
				}
			case !yield(at+".background.input", c.Background.Input):
				return
			}
			if c.Inset != nil && !yield(at+".inset.input", c.Inset.Input) {
				return
			}
			if c.Layer != nil && !yield(at+".layer.input", c.Layer.Input) {
				return
			}
			for k := range c.Spots {
				if !yield(fmt.Sprintf("%s.spots[%d].input", at, k), c.Spots[k].Input) {
					return
				}
			}
		}
		if t.Audio.Kind == Music && !yield("audio.input", t.Audio.Input) {
			return
		}
		for i, v := range t.Audio.Voices {
			if !yield(fmt.Sprintf("audio.voices[%d].input", i), v.Input) {
				return
			}
		}
	}
}
