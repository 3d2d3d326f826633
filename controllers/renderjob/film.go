// SPDX-License-Identifier: Apache-2.0

package renderjob

import (
	"fmt"
	"time"

	v1alpha1 "github.com/reelops/reelops/api/v1alpha1"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/timeline"
)

const (
	// zoom is how far a slow zoom goes: enough to be alive, too little to be noticed as an effect.
	zoom = 1.08
	// fadeTime is the length of a cross-fade.
	fadeTime = 400 * time.Millisecond
	// maxInputBytes bounds one picture of a render: a full-size PNG layer is a few megabytes.
	maxInputBytes = 64 << 20
)

// filmOf is the film of a slideshow's current revision.
func filmOf(s *v1alpha1.Slideshow) film {
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
		if s.Spec.Film.Motion != string(timeline.Still) {
			c.Motion = timeline.Motion{Kind: timeline.SlowZoom, From: 1, To: zoom}
			if i%2 == 1 { // in and out by turns, so that neighbours do not pull the same way
				c.Motion.From, c.Motion.To = zoom, 1
			}
		}
		if s.Spec.Film.Transition != string(timeline.Cut) && i < len(s.Status.Slides)-1 {
			c.Transition = timeline.Transition{Kind: timeline.Crossfade, Frames: frames(fadeTime)}
		}
		f.Timeline.Clips = append(f.Timeline.Clips, c)
	}
	return f
}

func frames(d time.Duration) int {
	return int((d*timeline.DefaultFPS + time.Second/2) / time.Second)
}
