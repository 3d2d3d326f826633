// SPDX-License-Identifier: Apache-2.0

package textgen

import (
	"context"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/reelops/reelops/internal/catalog"
)

// Lengths of a hook, in characters. MaxHook is what a caller may ask to be spoken; a writer keeps to AimHook: about eight seconds.
const (
	MaxHook = catalog.MaxHookCharacters
	AimHook = 120
)

// HookRequest is the text of one video to be written: a hook that is spoken, and what stands beside the film.
type HookRequest struct {
	// Hook is kept as it is when given, at most MaxHook characters. Empty means that it is written from the brand.
	Hook string
	// Language is a BCP 47 tag; empty means the language of the hook, else of the brand's own words.
	Language string
	Brand    Brand
	// Title, Caption and Tags are kept as they are when given. KeepTags with no tags means that there shall be none.
	Title, Caption string
	Tags           []string
	KeepTags       bool
	// Seed tells requests of one brand apart: with another seed the hook may say something else of it. Any text.
	Seed string
}

// HookDraft is the written text of a video.
type HookDraft struct {
	// Language is the BCP 47 tag of the hook; "und" where nobody can tell.
	Language string
	// Hook is one line of 1 to MaxHook characters.
	Hook           string
	Title, Caption string
	Tags           []string
	// Model that wrote the draft; empty for a writer without one.
	Model string
}

// HookWriter writes the text of videos, under the rules of Writer. Every Writer here is one.
type HookWriter interface {
	WriteHook(ctx context.Context, r HookRequest) (HookDraft, error)
}

// Texts writes what slideshows and videos say.
type Texts interface {
	Writer
	HookWriter
}

// Validate tells whether the request can be written at all; what it refuses is an *Error that is not retryable.
func (r HookRequest) Validate() error {
	if n := utf8.RuneCountInString(r.Hook); n > MaxHook {
		return Fail(fmt.Sprintf("The hook must have at most %d characters, this one has %d", MaxHook, n), false, nil)
	}
	if !utf8.ValidString(r.Hook) {
		return Fail("The hook is not valid UTF-8 text", false, nil)
	}
	return nil
}

// Given tells whether the caller gave a hook.
func (r HookRequest) Given() bool { return strings.TrimSpace(r.Hook) != "" }

// WantsTags tells whether the writer has to make tags.
func (r HookRequest) WantsTags() bool { return !r.KeepTags && len(r.Tags) == 0 }

// Kept is the draft with what the caller gave in its place.
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

// Line is a text on one line with single spaces, as it is spoken.
func Line(s string) string { return strings.Join(strings.Fields(s), " ") }

// CheckHook lists what is wrong with a draft for a request, as Check does for slideshows, banned words included.
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
	if r.Title == "" && !r.Given() { // a title may be the hook that was given
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
