// SPDX-License-Identifier: Apache-2.0

package video

import (
	"fmt"
	"strings"
	"time"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/film/subtitle"
)

const (
	// buttonTime is how long the button of a call to action is shown, at the end of its clip.
	buttonTime = 3 * time.Second
	// wholeTime is the clip length below which the button is shown from the beginning of the clip.
	wholeTime = 4 * time.Second
)

// label is a text or call to action of a demo.
type label struct {
	subtitle.Label
	// demo is the index of the demo in the spec.
	demo int
}

// labelsOf returns the texts and calls to action of the demos. Blank ones are left out.
func labelsOf(v *v1beta1.Video) []label {
	var out []label
	for i, d := range v.Spec.Demos {
		for _, l := range []subtitle.Label{{Text: d.Text}, {Text: d.CallToAction, Button: true}} {
			if strings.TrimSpace(l.Text) != "" {
				out = append(out, label{Label: l, demo: i})
			}
		}
	}
	return out
}

// name returns the name of the label's image.
func (l label) name() string {
	if l.Button {
		return fmt.Sprintf("demo-%d-button", l.demo+1)
	}
	return fmt.Sprintf("demo-%d-text", l.demo+1)
}

// during returns the times between which the film shows the label over a clip, in milliseconds.
func (l label) during(c *v1beta1.VideoClip) (from, to int64) {
	from, to = c.StartMilliseconds, c.StartMilliseconds+c.DurationMilliseconds
	if l.Button && c.DurationMilliseconds >= wholeTime.Milliseconds() {
		from = to - buttonTime.Milliseconds()
	}
	return from, to
}

// labelSpots places the images of labels on the film each time their demo is shown. The demos are all clips except the
// first, in the order of the spec.
func labelSpots(v *v1beta1.Video, labels []label, pictures []subtitle.Picture, clips []v1beta1.VideoClip) []spot {
	var out []spot
	for i := range clips[1:] {
		for k, l := range labels {
			if l.demo != i%len(v.Spec.Demos) || len(pictures[k].PNG) == 0 {
				continue
			}
			from, to := l.during(&clips[1+i])
			out = append(out, spotOf(wordKey(v, l.name()), pictures[k], from, to))
		}
	}
	return out
}
