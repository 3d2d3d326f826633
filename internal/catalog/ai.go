// SPDX-License-Identifier: Apache-2.0

package catalog

// AIImages says what this installation offers in AI pictures.
type AIImages struct {
	// Available says that a picture model is set up.
	Available bool
	// CreditsPerImage is what one picture costs on plans that show credits.
	CreditsPerImage int32
}

// Cost is what a slideshow of so many slides costs in AI pictures, one a slide.
func (a AIImages) Cost(slides int) int32 { return int32(slides) * a.CreditsPerImage }

// AISlides is how many slides an AI slideshow has: what was asked for, else the brand's default, else the number that every
// automatic count is priced with. An automatic count is settled before the text is written, so that a slideshow costs what
// it was accepted for.
func AISlides(asked, brandDefault int) int {
	switch {
	case asked > 0:
		return asked
	case brandDefault > 0:
		return brandDefault
	}
	return DefaultSlideEstimate
}
