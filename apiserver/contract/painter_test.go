// SPDX-License-Identifier: Apache-2.0

package contract_test

import (
	"context"
	"errors"
	"image"
	"image/color"
	"image/draw"
	"sync/atomic"

	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/content/imagery/ai"
)

// offer describes the AI images of the installation in these specs.
var offer = catalog.AIImages{Available: true, CreditsPerImage: 2}

// painter is a fake image model.
var painter = &model{}

type model struct {
	// refuses makes the model refuse every further image; away makes it unavailable.
	refuses, away atomic.Bool
}

// Make returns a plain image.
func (p *model) Make(_ context.Context, _ string, ratio catalog.AspectRatio) (image.Image, error) {
	switch {
	case p.refuses.Load():
		return nil, &ai.Error{Reason: ai.ReasonContentPolicy, Message: "The picture model will not draw this", Err: errors.New("refused")}
	case p.away.Load():
		return nil, &ai.Error{Reason: ai.ReasonUnavailable, Message: "The picture model does not answer", Retryable: true, Err: errors.New("away")}
	}
	out := image.NewRGBA(image.Rect(0, 0, ratio.Width/4, ratio.Height/4))
	draw.Draw(out, out.Bounds(), image.NewUniform(color.RGBA{R: 20, G: 30, B: 60, A: 255}), image.Point{}, draw.Src)
	return out, nil
}
