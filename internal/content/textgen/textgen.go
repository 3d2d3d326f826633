// SPDX-License-Identifier: Apache-2.0

package textgen

import (
	"context"
	"fmt"
	"strings"
	"unicode/utf8"
)

// Maximum lengths in a draft, in characters (Unicode code points). Platforms may allow more; these lengths are readable
// on a phone.
const (
	MaxHeading  = 90
	MaxBody     = 180
	MaxAltText  = 300
	MaxTitle    = 90
	MaxCaption  = 600
	MinTags     = 3 // required of a model; a short text may not have enough words for tags
	MaxTags     = 8
	MaxTag      = 40
	MaxKeywords = 10
)

// Role is the role of a slide in the story. The first slide is the hook, the last one the call to action.
type Role string

// The roles of slides.
const (
	RoleHook         Role = "hook"
	RolePoint        Role = "point"
	RoleCallToAction Role = "call_to_action"
)

// Brand is the profile of the brand. Every field may be empty.
type Brand struct {
	Name, Description, Audience, Tone, Niche, Offer string
	ValuePoints                                     []string
	// BannedWords must not occur in any generated text.
	BannedWords  []string
	CallToAction string
}

// Request is a request for the text of one slideshow.
type Request struct {
	// Context describes the audience and the content of the slideshow: MinContext to MaxContext characters after
	// trimming.
	Context string
	// SlideCount is the exact number of slides, MinSlides to MaxSlides; 0 lets the writer choose.
	SlideCount int
	// Language is a BCP 47 tag; empty means the language of Context.
	Language string
	Brand    Brand
	// Title, Caption and Tags are kept unchanged if set. KeepTags without tags means that there are none.
	Title, Caption string
	Tags           []string
	KeepTags       bool
}

// Draft is the written text of a slideshow.
type Draft struct {
	// Language is the BCP 47 tag of the written text; "und" if it is unknown.
	Language string
	Title    string
	// Caption is one paragraph of at most MaxCaption characters. A caption from the caller is kept in full.
	Caption string
	// Tags are lower-case words without '#'.
	Tags   []string
	Slides []Slide
	// Model is the model that wrote the draft; empty for a writer without one.
	Model string
	// Shortfall is set if the request has too little content for its slides and the writer adds none of its own; nil
	// otherwise.
	Shortfall *Shortfall
	// Omitted are the passages of the context that are neither on a slide nor in the caption, in their order. Only a
	// writer that edits the context reports them. Instructions to the writer do not count.
	Omitted []string
}

// Shortfall is how many slides the text of a request fills.
type Shortfall struct {
	// Wanted is the required number of slides: the request's count, or MinSlides without one.
	Wanted int
	// FromText is the number of slides with words of the context or of the brand's profile. It is less than Wanted.
	FromText int
}

// Slide is the text of one slide.
type Slide struct {
	Role Role
	// Heading is the main text, 1 to MaxHeading characters. It may be the only text. Equal points that share a slide
	// are all in the heading, one per line; such a heading has at most MaxBody characters.
	Heading string
	// Body supports the heading, at most MaxBody characters, often empty. It may have several lines.
	Body string
	// AltText describes the slide in one line for screen readers.
	AltText string
	// Keywords serve to choose an image, the best first. They include English words if the writer can provide them.
	Keywords []string
}

// Writer writes drafts.
//
// Write respects ctx, keeps no state between calls and is safe for concurrent use. A returned draft passes Check. Every
// error is an *Error.
type Writer interface {
	Write(ctx context.Context, r Request) (Draft, error)
}

// Validate returns an *Error, not retryable, if the request is invalid.
func (r Request) Validate() error {
	if n := utf8.RuneCountInString(strings.TrimSpace(r.Context)); n < MinContext || n > MaxContext {
		return Fail(fmt.Sprintf("The context must have %d to %d characters, this one has %d", MinContext, MaxContext, n), false, nil)
	}
	if !utf8.ValidString(r.Context) {
		return Fail("The context is not valid UTF-8 text", false, nil)
	}
	if r.SlideCount != 0 && (r.SlideCount < MinSlides || r.SlideCount > MaxSlides) {
		return Fail(fmt.Sprintf("The slide count must be 0 or %d to %d, not %d", MinSlides, MaxSlides, r.SlideCount), false, nil)
	}
	return nil
}

// WantsTags reports whether the writer has to write tags.
func (r Request) WantsTags() bool { return !r.KeepTags && len(r.Tags) == 0 }
