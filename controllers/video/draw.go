// SPDX-License-Identifier: Apache-2.0

package video

import (
	"context"
	"fmt"
	"image"
	"slices"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/content/overlay"
	"github.com/reelops/reelops/internal/film/subtitle"
)

// TextDrawer draws the words of a hook as they are spoken, writes them as captions, and draws the labels of the demos.
type TextDrawer interface {
	// DrawTexts returns the errors of package subtitle.
	DrawTexts(ctx context.Context, r TextRequest) (*DrawnTexts, error)
}

// TextRequest is what a TextDrawer draws.
type TextRequest struct {
	// Words with their times from the film's beginning.
	Words []v1beta1.SpokenWord
	// Labels of the demos.
	Labels []subtitle.Label
	// Together reports whether words and labels are shown at the same time, so that they must not overlap.
	Together    bool
	Settings    v1beta1.TextSettings
	AspectRatio catalog.AspectRatio
}

// DrawnTexts are the images and captions of a TextRequest.
type DrawnTexts struct {
	// States are consecutive and do not overlap in time.
	States []subtitle.State
	// Labels are the images of the labels, in the order of the request. A label without visible content has no PNG.
	Labels         []subtitle.Picture
	Normalizations []v1beta1.Normalization
	// WebVTT and SRT hold the words as captions.
	WebVTT, SRT []byte
}

// OverlayDrawer draws with the engine that also draws the texts of slides.
type OverlayDrawer struct{ Engine *overlay.Engine }

var _ TextDrawer = OverlayDrawer{}

// maxNormalizations limits the number of changes listed in a status.
const maxNormalizations = 50

// DrawTexts implements TextDrawer.
func (d OverlayDrawer) DrawTexts(ctx context.Context, r TextRequest) (*DrawnTexts, error) {
	cues := subtitle.Cues(r.Words)
	drawn, err := subtitle.Draw(d.Engine, r.AspectRatio, r.Settings, cues)
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
	labels, changes, err := subtitle.DrawLabels(d.Engine, r.AspectRatio, r.Settings, r.Labels, words)
	if err != nil {
		return nil, fmt.Errorf("drawing the labels: %w", err)
	}
	out := &DrawnTexts{States: drawn.States, Labels: labels, WebVTT: subtitle.WebVTT(cues), SRT: subtitle.SRT(cues)}
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
