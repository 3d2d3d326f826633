// SPDX-License-Identifier: Apache-2.0

package timeline

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"time"
)

// Limits of a valid video.
const (
	MinSide     = 16
	MaxSide     = 4096
	MinFPS      = 1
	MaxFPS      = 60
	MaxClips    = 60
	MaxDuration = 10 * time.Minute
	// MinScale and MaxScale bound a zoom: below 1 the canvas would not be covered, above 4 too little of the image is
	// left.
	MinScale = 1.0
	MaxScale = 4.0
	// MaxFadeSeconds bounds one cross-fade.
	MaxFadeSeconds = 5
	// MaxSpots bounds the spots of one clip: the longest spoken text has fewer words.
	MaxSpots = 400
	// MaxVoices bounds the pieces of speech in a video.
	MaxVoices = 60
)

// maxClipFrames bounds one clip; a separate check enforces the limit of the whole video.
const maxClipFrames = int(MaxDuration/time.Second) * MaxFPS

// inputKey is the form of the name of an input. Messages use keys as file names, so keys are plain.
var inputKey = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_.-]{0,62}$`)

// Error reports what is wrong with one field of a timeline.
type Error struct {
	// Field is the path of the field, such as clips[2].transition.frames.
	Field string
	// Message is a sentence for users.
	Message string
}

// Error returns the field and the message.
func (e *Error) Error() string { return e.Field + ": " + e.Message }

// Validate returns why the video is invalid. The result is nil or a joined error of *Error values, in document order;
// FieldErrors returns the parts.
func (t *Timeline) Validate() error {
	v := &validation{}
	if t.Version != Version {
		v.add("version", "This renderer reads timeline version %d, not %d.", Version, t.Version)
	}
	v.canvas(t.Canvas)
	fpsOK := t.FPS >= MinFPS && t.FPS <= MaxFPS
	if !fpsOK {
		v.add("fps", "The frame rate must be %d to %d frames per second, not %d.", MinFPS, MaxFPS, t.FPS)
	}
	switch n := len(t.Clips); {
	case n == 0:
		v.add("clips", "A video needs at least one clip.")
	case n > MaxClips:
		v.add("clips", "A video has at most %d clips, not %d.", MaxClips, n)
	default:
		for i := range t.Clips {
			v.clip(t, i)
		}
	}
	if fpsOK && len(v.errs) == 0 {
		if limit := int(MaxDuration/time.Second) * t.FPS; t.Frames() > limit {
			v.add("clips", "The video is %d frames long; at %d frames per second the limit of %s is %d frames.",
				t.Frames(), t.FPS, MaxDuration, limit)
		}
	}
	v.audio(t)
	return errors.Join(v.errs...)
}

// FieldErrors returns the field errors inside an error of Validate or Parse, nil if there are none.
func FieldErrors(err error) []*Error {
	var many interface{ Unwrap() []error }
	if errors.As(err, &many) {
		var out []*Error
		for _, e := range many.Unwrap() {
			out = append(out, FieldErrors(e)...)
		}
		return out
	}
	var one *Error
	if errors.As(err, &one) {
		return []*Error{one}
	}
	return nil
}

type validation struct{ errs []error }

func (v *validation) add(field, format string, args ...any) {
	v.errs = append(v.errs, &Error{Field: field, Message: fmt.Sprintf(format, args...)})
}

func (v *validation) canvas(c Canvas) {
	for _, s := range []struct {
		name string
		n    int
	}{{"width", c.Width}, {"height", c.Height}} {
		if s.n < MinSide || s.n > MaxSide || s.n%2 != 0 {
			v.add("canvas."+s.name, "The canvas %s must be an even number of %d to %d pixels, not %d.", s.name, MinSide, MaxSide, s.n)
		}
	}
}

func (v *validation) clip(t *Timeline, i int) {
	c, at := &t.Clips[i], fmt.Sprintf("clips[%d]", i)
	if c.Footage != nil {
		v.moving(c, at)
	} else {
		v.key(at+".background.input", c.Background.Input)
		v.point(at+".background.focus", c.Background.Focus)
	}
	if c.Inset != nil {
		v.inset(t, c, at+".inset")
	}
	if c.Layer != nil {
		v.layer(t, at+".layer", c.Layer)
	}
	if c.Frames < 1 || c.Frames > maxClipFrames {
		v.add(at+".frames", "A clip lasts 1 to %d frames, not %d.", maxClipFrames, c.Frames)
	}
	v.spots(t, c, at+".spots")
	v.motion(at+".motion", c.Motion)
	v.transition(t, i, at+".transition")
}

func (v *validation) layer(t *Timeline, at string, l *Layer) {
	v.key(at+".input", l.Input)
	if l.X < 0 || l.Y < 0 || l.X >= t.Canvas.Width || l.Y >= t.Canvas.Height {
		v.add(at, "The layer must start inside the canvas, not at %d, %d.", l.X, l.Y)
	}
}

func (v *validation) spots(t *Timeline, c *Clip, at string) {
	if n := len(c.Spots); n > MaxSpots {
		v.add(at, "A clip has at most %d spots, not %d.", MaxSpots, n)
		return
	}
	for k := range c.Spots {
		s, at := &c.Spots[k], fmt.Sprintf("%s[%d]", at, k)
		v.layer(t, at, &s.Layer)
		if s.From < 0 || s.From >= s.To || s.To > c.Frames {
			v.add(at+".from", "A spot is shown within the %d frames of its clip and for at least one of them, not from %d to %d.", c.Frames, s.From, s.To)
		}
	}
}

func (v *validation) motion(at string, m Motion) {
	switch m.Kind {
	case "", Still:
	case SlowZoom:
		for _, s := range []struct {
			name  string
			scale float64
		}{{"from", m.From}, {"to", m.To}} {
			if !(s.scale >= MinScale && s.scale <= MaxScale) { // written to reject NaN
				v.add(at+"."+s.name, "A zoom scale must be %g to %g, not %g.", MinScale, MaxScale, s.scale)
			}
		}
		v.point(at+".focus", m.Focus)
	default:
		v.add(at+".kind", "The motion must be %s or %s, not %q.", Still, SlowZoom, m.Kind)
	}
}

func (v *validation) transition(t *Timeline, i int, at string) {
	tr := t.Clips[i].Transition
	switch tr.Kind {
	case "", Cut:
		if tr.Frames != 0 {
			v.add(at+".frames", "A cut has no frames; use %s to blend %d frames.", Crossfade, tr.Frames)
		}
	case Crossfade:
		if i == len(t.Clips)-1 {
			v.add(at+".kind", "The last clip has no next clip to fade into.")
			return
		}
		fps := t.FPS
		if fps < MinFPS || fps > MaxFPS { // already reported for its own field
			fps = MaxFPS
		}
		if limit := MaxFadeSeconds * fps; tr.Frames < 1 || tr.Frames > limit {
			v.add(at+".frames", "A cross-fade has 1 to %d frames, not %d.", limit, tr.Frames)
			return
		}
	default:
		v.add(at+".kind", "The transition must be %s or %s, not %q.", Cut, Crossfade, tr.Kind)
		return
	}
	_, _, in := t.fade(i - 1)
	_, out, _ := t.fade(i)
	if f := t.Clips[i].Frames; in+out > 0 && in+out >= f && f > 0 {
		v.add(at+".frames", "The cross-fades around this clip need %d of its %d frames; at least one frame must show the clip alone.", in+out, f)
	}
}

func (v *validation) audio(t *Timeline) {
	a := t.Audio
	v.voices(t)
	switch a.Kind {
	case "", NoAudio:
		if a.Input != "" {
			v.add("audio.input", "A video without music has no music file; set the kind to %s.", Music)
		}
	case Music:
		v.key("audio.input", a.Input)
		if a.FadeOutFrames < 0 || (len(t.Clips) > 0 && a.FadeOutFrames > t.Frames()) {
			v.add("audio.fade_out_frames", "The fade-out must be 0 to the video's %d frames, not %d.", t.Frames(), a.FadeOutFrames)
		}
	default:
		v.add("audio.kind", "The audio must be %s or %s, not %q.", NoAudio, Music, a.Kind)
	}
}

func (v *validation) voices(t *Timeline) {
	if n := len(t.Audio.Voices); n > MaxVoices {
		v.add("audio.voices", "A video has at most %d voices, not %d.", MaxVoices, n)
		return
	}
	for i, voice := range t.Audio.Voices {
		at := fmt.Sprintf("audio.voices[%d]", i)
		v.key(at+".input", voice.Input)
		if voice.ContentType != "" {
			v.contentType(at+".content_type", voice.ContentType)
		}
		if voice.At < 0 || voice.At >= max(t.Frames(), 1) {
			v.add(at+".at", "A voice begins within the video's %d frames, not at frame %d.", t.Frames(), voice.At)
		}
	}
}

func (v *validation) key(field, key string) {
	if !inputKey.MatchString(key) {
		v.add(field, "An input is named by 1 to 63 letters, digits, dots, dashes and underscores, not %q.", clip(key))
	}
}

func (v *validation) point(field string, p *Point) {
	if p == nil {
		return
	}
	v.within(field+".x", p.X, 0, 1)
	v.within(field+".y", p.Y, 0, 1)
}

func (v *validation) within(field string, n, low, high float64) {
	if math.IsNaN(n) || n < low || n > high {
		v.add(field, "The value must be %g to %g, not %g.", low, high, n)
	}
}

// clip shortens a value to its first 80 characters, for a message.
func clip(s string) string {
	if r := []rune(s); len(r) > 80 {
		return string(r[:80]) + "…"
	}
	return s
}
