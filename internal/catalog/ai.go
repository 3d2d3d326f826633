// SPDX-License-Identifier: Apache-2.0

package catalog

// AIImages describes the AI images that this installation offers.
type AIImages struct {
	// Available reports whether an image model is configured.
	Available bool
	// CreditsPerImage is the price of one image on plans with credits.
	CreditsPerImage int32
}

// Cost returns the price in credits of a slideshow with the given number of slides, with one AI image per slide.
func (a AIImages) Cost(slides int) int32 { return int32(slides) * a.CreditsPerImage }

// AISlides returns the number of slides of an AI slideshow: the requested number, else the brand's default, else
// DefaultSlideEstimate. An automatic count is fixed before the text is written, so that a slideshow costs what it was
// accepted for.
func AISlides(asked, brandDefault int) int {
	switch {
	case asked > 0:
		return asked
	case brandDefault > 0:
		return brandDefault
	}
	return DefaultSlideEstimate
}
