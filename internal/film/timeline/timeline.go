// SPDX-License-Identifier: Apache-2.0

package timeline

import (
	"fmt"
	"iter"
	"time"
)

// Version is the only timeline version this package reads and writes.
const Version = 1

// DefaultFPS is the frame rate of the videos of this project, in frames per second.
const DefaultFPS = 30

// FramesOf returns the number of frames nearest to a duration, at DefaultFPS.
func FramesOf(d time.Duration) int {
	return int((d*DefaultFPS + time.Second/2) / time.Second)
}

// Timeline is one whole video.
type Timeline struct {
	// Version is always the constant Version.
	Version int `json:"version"`
	// Canvas is the size of every frame.
	Canvas Canvas `json:"canvas"`
	// FPS is the constant number of frames per second.
	FPS int `json:"fps"`
	// Clips are shown in order.
	Clips []Clip `json:"clips"`
	// Audio is the sound under the video.
	Audio Audio `json:"audio"`
}

// Canvas is a frame size in pixels. Both sides are even, because chroma is stored at half resolution.
type Canvas struct {
	Width  int `json:"width"`
	Height int `json:"height"`
}

// Clip is one image or footage, with optional layers on top, shown for some frames.
type Clip struct {
	// Background is the image that fills the canvas; it names no input if there is footage.
	Background Background `json:"background"`
	// Footage fills the canvas with moving images instead.
	Footage *Footage `json:"footage,omitempty"`
	// Inset is a second clip in a smaller area, drawn over the background or footage and under Layer and Spots.
	Inset *Inset `json:"inset,omitempty"`
	// Layer is drawn over the background and never moves with the background.
	Layer *Layer `json:"layer,omitempty"`
	// Spots are layers that are shown for a part of the clip, drawn over Layer in their order.
	Spots []Spot `json:"spots,omitempty"`
	// Frames is how long the clip is shown, in frames, cross-fades included.
	Frames int `json:"frames"`
	// Motion is the motion of the background. The empty kind means still.
	Motion Motion `json:"motion"`
	// Transition leads into the next clip. The empty kind means cut.
	Transition Transition `json:"transition"`
}

// Background names an input image. The image is scaled to cover the canvas and cropped around Focus.
type Background struct {
	// Input is the key of the image among the inputs of the work order.
	Input string `json:"input"`
	// Focus is the point that cropping keeps visible. Absent means the centre.
	Focus *Point `json:"focus,omitempty"`
}

// Footage names a video file of any size, shape and frame rate. It is rotated upright, scaled to fill the canvas as Fit
// indicates, and converted to the video's frame rate and to BT.709.
//
// It begins with its first frame at the first frame that shows the clip (see Seen), and continues through blended
// frames. Its sound, if audible, keeps the offset from that frame that it has in the file.
type Footage struct {
	// Input is the key of the file among the inputs of the work order.
	Input string `json:"input"`
	// ContentType is the type of the file by its first bytes; the renderer tries no other type.
	ContentType string `json:"content_type"`
	// Start is where in the file the footage begins, in frames of the video after the first frame. Default 0. A file
	// that is shorter than Start has no frames.
	Start int `json:"start,omitempty"`
	// Frames is how many frames of the video the file provides from Start on. A file that provides fewer stays on its
	// last frame until then.
	Frames int `json:"frames"`
	// Fit is how an image of another shape fills the canvas. The empty value means Cover. An inset always covers its
	// rectangle.
	Fit Fit `json:"fit,omitempty"`
	// Loop restarts the footage at its end; without it the last frame stays.
	Loop bool `json:"loop,omitempty"`
	// Focus is the point that cropping keeps visible. Absent means that the renderer detects the focus.
	Focus *Point `json:"focus,omitempty"`
	// Sound makes the file's own sound audible; a file without sound is silent. It is not set for an inset.
	Sound bool `json:"sound,omitempty"`
}

// Fit is how an image fills an area of another shape.
type Fit string

// Values of Fit.
const (
	// Cover scales the image until it fills the area, and crops the rest around the focus.
	Cover Fit = "cover"
	// Contain shows the whole image over a blurred copy of the image.
	Contain Fit = "contain"
	// FitAuto is Contain for screen recordings of which Cover would crop much, otherwise Cover.
	FitAuto Fit = "auto"
)

// Inset is footage in a rectangle of the canvas with round corners. It is scaled to cover the rectangle. Its own sound
// is audible only if a voice of the video names the same file.
//
// It begins with its first frame at the first frame of the clip's own time. Frames that are blended before show the
// first frame too.
type Inset struct {
	Footage
	// X and Y are the position of the top left corner on the canvas, in pixels. The whole rectangle is on the canvas,
	// and all four numbers are even.
	X      int `json:"x"`
	Y      int `json:"y"`
	Width  int `json:"width"`
	Height int `json:"height"`
	// Radius of the corners in pixels; at most half the shorter side.
	Radius int `json:"radius,omitempty"`
	// Shown is how many frames of the clip's own time show the inset, from the first one on. An inset that is shown to
	// the end of its clip is also shown in the frames that are blended after the clip.
	Shown int `json:"shown"`
}

// Spot is a layer that is shown for a part of a clip.
type Spot struct {
	Layer
	// From is the first frame of the clip that shows the spot, To is the frame after the last one. Both count within
	// the clip's own time. A spot at either end of that time is shown in the frames blended there as well.
	From int `json:"from"`
	To   int `json:"to"`
}

// Layer names an image with transparency, such as a slide's text with its gradient.
type Layer struct {
	// Input is the key of the image among the inputs of the work order.
	Input string `json:"input"`
	// X and Y are the position of the layer's top left corner on the canvas, in pixels. A layer of the canvas's own
	// size stays at 0, 0.
	X int `json:"x,omitempty"`
	Y int `json:"y,omitempty"`
}

// Point is a position in an image, in fractions of its width and height: 0,0 is the top left corner, 1,1 the bottom
// right one.
type Point struct {
	X float64 `json:"x"`
	Y float64 `json:"y"`
}

// Centre is the middle of an image.
var Centre = Point{X: 0.5, Y: 0.5}

// MotionKind is how a background moves.
type MotionKind string

// Values of MotionKind.
const (
	// Still shows one unchanged image.
	Still MotionKind = "still"
	// SlowZoom enlarges or shrinks the background evenly around a focal point.
	SlowZoom MotionKind = "slow_zoom"
)

// Motion is how a clip's background moves while it is visible.
type Motion struct {
	Kind MotionKind `json:"kind"`
	// From and To are the scales at the start and the end of a slow zoom; 1 shows the whole canvas-shaped image.
	From float64 `json:"from,omitempty"`
	To   float64 `json:"to,omitempty"`
	// Focus is the fixed point of the zoom. Absent means the centre.
	Focus *Point `json:"focus,omitempty"`
}

// TransitionKind is how one clip becomes the next.
type TransitionKind string

// Values of TransitionKind.
const (
	// Cut shows the next clip at once.
	Cut TransitionKind = "cut"
	// Crossfade blends the two clips.
	Crossfade TransitionKind = "crossfade"
)

// Transition joins a clip to the one after it.
type Transition struct {
	Kind TransitionKind `json:"kind"`
	// Frames is the number of blended frames of a cross-fade. The larger half is in the time of the outgoing clip, the
	// rest in the time of the incoming one; neither clip becomes shorter or longer.
	Frames int `json:"frames,omitempty"`
}

// AudioKind is what sound a video has.
type AudioKind string

// Values of AudioKind. A video without music still gets a silent track, because platforms expect one.
const (
	NoAudio AudioKind = "none"
	Music   AudioKind = "music"
)

// Audio is the sound under a video.
type Audio struct {
	// Kind is none or music. The empty kind means none.
	Kind AudioKind `json:"kind"`
	// Input is the key of the music file among the inputs of the work order.
	Input string `json:"input,omitempty"`
	// Loop repeats music that is shorter than the video. Without it the rest of the video is silent.
	Loop bool `json:"loop,omitempty"`
	// FadeOutFrames is how long the fade-out of the music at the end of the video takes, in frames.
	FadeOutFrames int `json:"fade_out_frames,omitempty"`
	// Voices are played over the music. The music is ducked while a voice or a clip's own sound is audible. The own
	// sound of a clip with an inset is ducked while a voice is audible.
	Voices []Voice `json:"voices,omitempty"`
}

// Voice is a piece of speech.
type Voice struct {
	// Input is the key of the file among the inputs of the work order.
	Input string `json:"input"`
	// ContentType is set if the file is a clip whose own sound is the voice; it is the clip's type by its first bytes.
	// Absent means a sound file.
	ContentType string `json:"content_type,omitempty"`
	// At is the frame of the video at which the voice begins.
	At int `json:"at"`
}

// Frames returns the length of the video in frames: the sum of its clips.
func (t *Timeline) Frames() int {
	n := 0
	for i := range t.Clips {
		n += t.Clips[i].Frames
	}
	return n
}

// Duration returns the length of the video.
func (t *Timeline) Duration() time.Duration {
	if t.FPS <= 0 {
		return 0
	}
	return time.Duration(t.Frames()) * time.Second / time.Duration(t.FPS)
}

// fade returns the number of blended frames after clip i, and how many of them are in clip i (out) and in clip i+1
// (in).
func (t *Timeline) fade(i int) (n, out, in int) {
	if i < 0 || i >= len(t.Clips)-1 || t.Clips[i].Transition.Kind != Crossfade {
		return 0, 0, 0
	}
	n = t.Clips[i].Transition.Frames
	in = n / 2
	return n, n - in, in
}

// Inputs returns every input of the video with the field that names the input, in document order. A key that is used
// twice is returned twice.
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
