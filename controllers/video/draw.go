// SPDX-License-Identifier: Apache-2.0

package video

import (
	"context"
	"fmt"
	"image"
	"slices"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/content/overlay"
	"github.com/reelops/reelops/internal/film/subtitle"
)

// Letters draws words with the overlay engine, which also draws the texts of slides.
type Letters struct{ Engine *overlay.Engine }

var _ Letterer = Letters{}

// maxNormalizations limits the number of changes listed in a status.
const maxNormalizations = 50

// Letter draws the words and the labels. It returns the errors of package subtitle.
func (l Letters) Letter(ctx context.Context, r LetterRequest) (*Lettering, error) {
	cues := subtitle.Cues(r.Words)
	drawn, err := subtitle.Draw(l.Engine, r.AspectRatio, r.Settings, cues)
	if err != nil {
		return nil, fmt.Errorf("drawing the captions: %w", err)
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	var words image.Rectangle
	if r.Together {
		words = drawn.Bounds()
	}
	labels, changes, err := subtitle.DrawLabels(l.Engine, r.AspectRatio, r.Settings, r.Labels, words)
	if err != nil {
		return nil, fmt.Errorf("drawing the labels: %w", err)
	}
	out := &Lettering{States: drawn.States, Labels: labels, WebVTT: subtitle.WebVTT(cues), SRT: subtitle.SRT(cues)}
	changes = append(drawn.Changes, changes...)
	for _, c := range changes {
		from, to := c.Texts()
		n := v1beta1.Normalization{Field: c.Field, From: from, To: to, Reason: string(c.Reason)}
		if len(out.Normalizations) < maxNormalizations && !slices.Contains(out.Normalizations, n) {
			out.Normalizations = append(out.Normalizations, n)
		}
	}
	return out, nil
}
