// SPDX-License-Identifier: Apache-2.0

package order

import (
	"fmt"
	"regexp"
	"unicode/utf8"

	"github.com/reelops/reelops/internal/catalog"
)

// Bounds of spoken texts.
const (
	// MaxSpeechCharacters is the longest text of an order with one text, in Unicode code points.
	MaxSpeechCharacters = catalog.MaxHookCharacters
	// MaxPassages is the largest number of texts of an order: a voice-over has one for each slide.
	MaxPassages = catalog.MaxSlides
	// MaxPassageCharacters is the longest text of a passage, in Unicode code points.
	MaxPassageCharacters = catalog.MaxSpeechCharacters
	// MaxID is the longest ID of a passage, in bytes.
	MaxID = 64
)

// voiceName matches names of voices.
var voiceName = regexp.MustCompile(`^([A-Za-z0-9][A-Za-z0-9_.:+-]{0,63})?$`)

// language matches BCP 47 tags.
var language = regexp.MustCompile(`^([A-Za-z0-9]{1,8}(-[A-Za-z0-9]{1,8}){0,7})?$`)

// Input is a stored file to inspect.
type Input struct {
	// URL is a signed URL for GET.
	URL string `json:"url"`
	// ContentType is the type of the file by its first bytes. The renderer rejects a file of another type.
	ContentType string `json:"content_type"`
	// MaxBytes is the size limit of the file. The renderer rejects a larger file.
	MaxBytes int64 `json:"max_bytes"`
}

// Speech is a spoken text.
type Speech struct {
	// Text has 1 to MaxSpeechCharacters characters, in a passage up to MaxPassageCharacters.
	Text string `json:"text"`
	// Language is a BCP 47 tag. If empty, the renderer detects the language of the text.
	Language string `json:"language,omitempty"`
	// Voice is a name of a voice of the renderer's programs. If empty, the language decides. Only with Speak.
	Voice string `json:"voice,omitempty"`
}

// Passage is one of several spoken texts.
type Passage struct {
	// ID identifies the passage in the order and in its result: 1 to MaxID plain characters, unique in the order.
	ID string `json:"id"`
	Speech
	// Input is the sound to analyze. It is set only with Listen.
	Input *Input `json:"input,omitempty"`
	// File is the destination of the spoken sound. It is set only with Speak.
	File *Target `json:"file,omitempty"`
}

// checkMedia checks the files and the text of an order without passages.
func (o *Order) checkMedia() error {
	switch {
	case o.Kind.Inspects() != (o.Input != nil):
		return Wrong("input", "There is an input exactly for kinds with a stored file.")
	case o.Kind.Starter() != (o.Starter != "") || len(o.Starter) > maxName:
		return Wrong("starter", fmt.Sprintf("There is a starter item, of at most %d bytes, exactly for starter kinds.",
			maxName))
	case o.Kind.Inspects() == (o.File != nil):
		return Wrong("file", "There is a place for a file exactly when one is created.")
	case o.Kind.Clip() != (o.Thumbnail != nil):
		return Wrong("thumbnail", "There is a place for a thumbnail exactly with clips.")
	case o.Kind.Spoken() != (o.Speech != nil):
		return Wrong("speech", "There is a text exactly when one is spoken.")
	}
	if err := o.Input.check("input"); err != nil {
		return err
	}
	if err := o.File.check("file"); err != nil {
		return err
	}
	if err := o.Thumbnail.check("thumbnail"); err != nil {
		return err
	}
	return o.Speech.check("speech", o.Kind, MaxSpeechCharacters)
}

// checkPassages checks an order of several texts.
func (o *Order) checkPassages() error {
	if !o.Kind.Spoken() || o.Speech != nil || o.Input != nil || o.File != nil || o.Thumbnail != nil || o.Starter != "" {
		return Wrong("passages", "Passages are for spoken texts, and replace the text and the files of the order.")
	}
	if len(o.Passages) > MaxPassages {
		return Wrong("passages", fmt.Sprintf("There are at most %d passages.", MaxPassages))
	}
	seen := map[string]bool{}
	for i := range o.Passages {
		p, at := &o.Passages[i], fmt.Sprintf("passages[%d]", i)
		switch {
		case p.ID == "" || len(p.ID) > MaxID || !Plain(p.ID) || seen[p.ID]:
			return Wrong(at+".id", fmt.Sprintf("A passage has an id of its own, of at most %d letters, digits and signs.",
				MaxID))
		case (o.Kind == Listen) != (p.Input != nil):
			return Wrong(at+".input", "There is an input exactly with listen.")
		case (o.Kind == Speak) != (p.File != nil):
			return Wrong(at+".file", "There is a place for a file exactly with speak.")
		}
		seen[p.ID] = true
		if err := p.Speech.check(at, o.Kind, MaxPassageCharacters); err != nil {
			return err
		}
		if err := p.Input.check(at + ".input"); err != nil {
			return err
		}
		if err := p.File.check(at + ".file"); err != nil {
			return err
		}
	}
	return nil
}

// check returns an *Error if the input is invalid. No input is valid.
func (in *Input) check(field string) error {
	if in == nil {
		return nil
	}
	if err := checkURL(field+".url", in.URL); err != nil {
		return err
	}
	if in.ContentType == "" || len(in.ContentType) > maxName {
		return Wrong(field+".content_type", "The type of the input is missing.")
	}
	if in.MaxBytes < 1 {
		return Wrong(field+".max_bytes", "The size limit must be above zero.")
	}
	return nil
}

// check returns an *Error if the text is invalid. No text is valid. most is the largest number of characters.
func (s *Speech) check(field string, k Kind, most int) error {
	if s == nil {
		return nil
	}
	if n := utf8.RuneCountInString(s.Text); n < 1 || n > most || !utf8.ValidString(s.Text) {
		return Wrong(field+".text", fmt.Sprintf("The text has 1 to %d characters.", most))
	}
	if !language.MatchString(s.Language) {
		return Wrong(field+".language", "The language must be a BCP 47 tag.")
	}
	if !voiceName.MatchString(s.Voice) || (s.Voice != "" && k != Speak) {
		return Wrong(field+".voice", "A voice has at most 64 letters, digits and signs, and is only for speak.")
	}
	return nil
}
