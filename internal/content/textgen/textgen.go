// SPDX-License-Identifier: Apache-2.0

package textgen

import (
	"context"
	"fmt"
	"strings"
	"unicode/utf8"
)

// Lengths a draft keeps, in characters (Unicode code points). A platform may allow more; these are what reads well on a
// phone.
const (
	MaxHeading  = 90
	MaxBody     = 180
	MaxAltText  = 300
	MaxTitle    = 90
	MaxCaption  = 600
	MinTags     = 3 // required of a model; a short text has fewer words that are worth a tag
	MaxTags     = 8
	MaxTag      = 40
	MaxKeywords = 10
)

// Role says what a slide does in the story. The first slide is the hook, the last one the call to action.
type Role string

// The roles a slide can have.
const (
	RoleHook         Role = "hook"
	RolePoint        Role = "point"
	RoleCallToAction Role = "call_to_action"
)

// Brand is what is known about who speaks. Every field may be empty.
type Brand struct {
	Name, Description, Audience, Tone, Niche, Offer string
	ValuePoints                                     []string
	// BannedWords are kept out of everything that is written.
	BannedWords  []string
	CallToAction string
}

// Request is one slideshow to be written.
type Request struct {
	// Context is who the slideshow is for and what it should say: MinContext to MaxContext characters after trimming.
	Context string
	// SlideCount is exactly how many slides to write, MinSlides to MaxSlides; 0 lets the writer choose.
	SlideCount int
	// Language is a BCP 47 tag; empty means the language of Context.
	Language string
	Brand    Brand
	// Title, Caption and Tags are kept as they are when given. KeepTags with no tags means that there shall be none.
	Title, Caption string
	Tags           []string
	KeepTags       bool
}

// Draft is a written slideshow.
type Draft struct {
	// Language is the BCP 47 tag of the words that were written; "und" where nobody can tell.
	Language string
	Title    string
	// Caption is one readable paragraph of at most MaxCaption characters (a given caption is kept whole).
	Caption string
	// Tags are lower-case words without '#'.
	Tags   []string
	Slides []Slide
	// Model that wrote the draft; empty for a writer without one.
	Model string
	// Shortfall is set when the request holds too little for its slides and the writer adds nothing of its own; nil
	// otherwise.
	Shortfall *Shortfall
	// Omitted are the passages of the context that are neither on a slide nor in the caption, in their order. Only a
	// writer that edits the context reports them; instructions to the writer are no passages.
	Omitted []string
}

// Shortfall is how far the text of a request reaches.
type Shortfall struct {
	// Wanted is how many slides there should be: the request's count, or MinSlides without one.
	Wanted int
	// FromText is how many slides show words of the context or of the brand's profile. It is less than Wanted.
	FromText int
}

// Slide is the words of one slide.
type Slide struct {
	Role Role
	// Heading is what a reader sees first, 1 to MaxHeading characters. It may be the only text. Equal points that share
	// a slide stand in the heading, a line each: then it has at most MaxBody characters.
	Heading string
	// Body supports the heading, at most MaxBody characters, often empty. It may have several lines.
	Body string
	// AltText says the slide in one line for those who do not see it.
	AltText string
	// Keywords are for choosing a picture, best first; English words are among them where the writer can give them.
	Keywords []string
}

// Writer writes drafts.
//
// Write does not block beyond ctx, keeps no state between calls and may be called at the same time from many places. A
// draft it returns passes Check; whatever goes wrong is an *Error.
type Writer interface {
	Write(ctx context.Context, r Request) (Draft, error)
}

// Validate tells whether the request can be written at all; what it refuses is an *Error that is not retryable.
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

// WantsTags tells whether the writer has to make tags.
func (r Request) WantsTags() bool { return !r.KeepTags && len(r.Tags) == 0 }
