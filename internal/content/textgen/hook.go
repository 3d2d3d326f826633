// SPDX-License-Identifier: Apache-2.0

package textgen

import (
	"context"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/reelops/reelops/internal/catalog"
)

// Lengths of a hook in characters. MaxHook is the limit for a hook from the caller. A writer aims at AimHook, about
// eight seconds of speech.
const (
	MaxHook = catalog.MaxHookCharacters
	AimHook = 120
)

// HookRequest is a request for the text of one video: the spoken hook, the title, the caption and the tags.
type HookRequest struct {
	// Hook is kept unchanged if set, at most MaxHook characters. If empty, it is written from the brand.
	Hook string
	// Language is a BCP 47 tag. If empty, the language is that of the hook, else that of the brand's texts.
	Language string
	Brand    Brand
	// Title, Caption and Tags are kept unchanged if set. KeepTags without tags means that there are none.
	Title, Caption string
	Tags           []string
	KeepTags       bool
	// Seed distinguishes requests of one brand: with another seed the hook may differ. It may be any text.
	Seed string
}

// HookDraft is the written text of a video.
type HookDraft struct {
	// Language is the BCP 47 tag of the hook; "und" if it is unknown.
	Language string
	// Hook is one line of 1 to MaxHook characters.
	Hook           string
	Title, Caption string
	Tags           []string
	// Model is the model that wrote the draft; empty for a writer without one.
	Model string
}

// HookWriter writes the text of videos, under the same rules as Writer. Both writers implement it.
type HookWriter interface {
	WriteHook(ctx context.Context, r HookRequest) (HookDraft, error)
}

// Texts writes the text of slideshows and videos.
type Texts interface {
	Writer
	HookWriter
}

// Validate returns an *Error, not retryable, if the request is invalid.
func (r HookRequest) Validate() error {
	if n := utf8.RuneCountInString(r.Hook); n > MaxHook {
		return Fail(fmt.Sprintf("The hook must have at most %d characters, this one has %d", MaxHook, n), false, nil)
	}
	if !utf8.ValidString(r.Hook) {
		return Fail("The hook is not valid UTF-8 text", false, nil)
	}
	return nil
}

// Given reports whether the caller provided a hook.
func (r HookRequest) Given() bool { return strings.TrimSpace(r.Hook) != "" }

// WantsTags reports whether the writer has to write tags.
func (r HookRequest) WantsTags() bool { return !r.KeepTags && len(r.Tags) == 0 }

// Kept returns the draft with the caller's own texts in place of the written ones.
func (r HookRequest) Kept(d HookDraft) HookDraft {
	if r.Given() {
		d.Hook = Line(r.Hook)
	}
	if r.Title != "" {
		d.Title = r.Title
	}
	if r.Caption != "" {
		d.Caption = r.Caption
	}
	if !r.WantsTags() {
		d.Tags = append([]string{}, r.Tags...)
	}
	return d
}

// Line returns a text on one line with single spaces, as it is spoken.
func Line(s string) string { return strings.Join(strings.Fields(s), " ") }

// CheckHook returns the defects of a draft for a request, as Check does for slideshows, including banned words.
func CheckHook(r HookRequest, d HookDraft) []string {
	var bad []string
	add := func(format string, args ...any) { bad = append(bad, fmt.Sprintf(format, args...)) }
	if strings.TrimSpace(d.Hook) == "" {
		add("The hook is missing")
	}
	bad = append(bad, tooLong("The hook", d.Hook, MaxHook)...)
	if strings.ContainsAny(d.Hook, "\r\n") {
		add("The hook must be one line")
	}
	bad = append(bad, checkAround(
		Request{Title: r.Title, Caption: r.Caption, Tags: r.Tags, KeepTags: r.KeepTags},
		Draft{Language: d.Language, Title: d.Title, Caption: d.Caption, Tags: d.Tags},
	)...)
	var texts []string
	if !r.Given() {
		texts = append(texts, d.Hook)
	}
	if r.Title == "" && !r.Given() { // the title may equal the caller's hook
		texts = append(texts, d.Title)
	}
	if r.Caption == "" && !r.Given() {
		texts = append(texts, d.Caption)
	}
	if r.WantsTags() {
		texts = append(texts, d.Tags...)
	}
	for _, t := range texts {
		if w := Banned(t, r.Brand.BannedWords); w != "" {
			add("The banned word %q is used", w)
			break
		}
	}
	return bad
}
