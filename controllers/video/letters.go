// SPDX-License-Identifier: Apache-2.0

package video

import (
	"context"
	"fmt"

	v1alpha1 "github.com/reelops/reelops/api/v1alpha1"
	"github.com/reelops/reelops/internal/overlay"
	"github.com/reelops/reelops/internal/subtitle"
)

// Letters draws words with the engine that draws the texts of slides.
type Letters struct{ Engine *overlay.Engine }

var _ Letterer = Letters{}

// maxNormalizations is how many changes a status tells of.
const maxNormalizations = 50

// Letter draws the words. The errors are those of package subtitle.
func (l Letters) Letter(ctx context.Context, r LetterRequest) (*Lettering, error) {
	cues := subtitle.Cues(r.Words)
	drawn, err := subtitle.Draw(l.Engine, r.AspectRatio, r.Settings, cues)
	if err != nil {
		return nil, fmt.Errorf("drawing the words: %w", err)
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	out := &Lettering{WebVTT: subtitle.WebVTT(cues), SRT: subtitle.SRT(cues)}
	for _, s := range drawn.States {
		out.States = append(out.States, State{PNG: s.PNG, X: s.X, Y: s.Y, From: s.From, To: s.To})
	}
	for _, c := range drawn.Changes[:min(len(drawn.Changes), maxNormalizations)] {
		from, to := c.Texts()
		out.Normalizations = append(out.Normalizations, v1alpha1.Normalization{Field: c.Field, From: from, To: to, Reason: string(c.Reason)})
	}
	return out, nil
}
