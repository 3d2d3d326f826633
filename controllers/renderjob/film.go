// SPDX-License-Identifier: Apache-2.0

package renderjob

import (
	"fmt"
	"time"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/film/timeline"
)

const (
	// defaultZoom and defaultFade apply when a slideshow requests motion or fades and its style has none. They are
	// small enough not to stand out as an effect.
	defaultZoom = 1.08
	defaultFade = 400 * time.Millisecond
	// maxInputBytes limits one image of a render. A full-size PNG layer has a few megabytes.
	maxInputBytes = 64 << 20
)

// filmOf returns the film of a slideshow's current revision.
func filmOf(s *v1beta1.Slideshow) film {
	ratio, _ := catalog.AspectRatioByValue(s.Status.Design.AspectRatio)
	f := film{
		Timeline: timeline.Timeline{
			Version: timeline.Version,
			Canvas:  timeline.Canvas{Width: ratio.Width, Height: ratio.Height},
			FPS:     timeline.DefaultFPS,
			Audio:   timeline.Audio{Kind: timeline.NoAudio},
		},
		Inputs: map[string]string{},
	}
	look := lookOf(s)
	at := 0
	for i, sl := range s.Status.Slides {
		bg, layer := fmt.Sprintf("background-%d", sl.ID), fmt.Sprintf("layer-%d", sl.ID)
		f.Inputs[bg], f.Inputs[layer] = sl.Background.BlobKey, sl.LayerKey
		c := timeline.Clip{
			Background: timeline.Background{Input: bg},
			Layer:      &timeline.Layer{Input: layer},
			Frames:     frames(time.Duration(sl.DurationMilliseconds) * time.Millisecond),
			Motion:     timeline.Motion{Kind: timeline.Still},
			Transition: timeline.Transition{Kind: timeline.Cut},
		}
		if look.Zoom > 1 {
			c.Motion = timeline.Motion{Kind: timeline.SlowZoom, From: 1, To: look.Zoom}
			if i%2 == 1 { // alternate zooming in and out, so that neighbours do not move in the same direction
				c.Motion.From, c.Motion.To = look.Zoom, 1
			}
		}
		if look.Fade > 0 && i < len(s.Status.Slides)-1 {
			c.Transition = timeline.Transition{Kind: timeline.Crossfade, Frames: frames(look.Fade)}
		}
		if sp := sl.Speech; sp != nil {
			name := fmt.Sprintf("%s-%d", speechInput, sl.ID)
			f.Inputs[name] = sp.BlobKey
			f.Timeline.Audio.Voices = append(f.Timeline.Audio.Voices, timeline.Voice{Input: name, At: at + frames(catalog.SlideSpeechLead)})
		}
		f.Timeline.Clips = append(f.Timeline.Clips, c)
		at += c.Frames
	}
	return f
}

// slideMillis returns the moments at which the slides are fully shown, in milliseconds, rounded up so that none is
// before its frame.
func slideMillis(t *timeline.Timeline) []int64 {
	out := make([]int64, len(t.Clips))
	for i := range t.Clips {
		out[i] = (int64(t.Alone(i))*1000 + int64(t.FPS) - 1) / int64(t.FPS)
	}
	return out
}

// lookOf returns the motion and transitions of the slides: those that the slideshow requests, with the values of its
// style.
func lookOf(s *v1beta1.Slideshow) catalog.FilmLook {
	style, _ := catalog.DesignStyleByID(s.Status.Design.Style)
	look := style.Film
	switch timeline.MotionKind(s.Spec.Film.Motion) {
	case timeline.Still:
		look.Zoom = 1
	case timeline.SlowZoom:
		if look.Zoom <= 1 {
			look.Zoom = defaultZoom
		}
	}
	switch timeline.TransitionKind(s.Spec.Film.Transition) {
	case timeline.Cut:
		look.Fade = 0
	case timeline.Crossfade:
		if look.Fade == 0 {
			look.Fade = defaultFade
		}
	}
	return look
}

func frames(d time.Duration) int { return timeline.FramesOf(d) }
