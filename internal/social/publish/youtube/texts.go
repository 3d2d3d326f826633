// SPDX-License-Identifier: Apache-2.0

package youtube

import (
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/social/publish"
)

// Limits that only YouTube has.
const (
	tagsMax = 500 // characters of all tags together, counted by quoted
	tagMax  = 100 // characters of one tag
	// shortMax is the maximum duration of a Short.
	shortMax = 3 * time.Minute
)

var rule = func() catalog.PlatformRule {
	i := slices.IndexFunc(catalog.PlatformRules, func(r catalog.PlatformRule) bool { return r.Platform == catalog.YouTube })
	return catalog.PlatformRules[i]
}()

// texts are the texts of a draft in YouTube's format.
type texts struct {
	title, description string
	tags               []string
}

// compose returns the texts of a draft, cleaned and spelled as YouTube accepts them. YouTube requires a title: without
// one, the first line of the description is used. Texts that are too long are an error. Tags that do not fit are
// omitted.
func compose(d publish.Draft) (texts, error) {
	clean := func(s string) string { return strings.TrimSpace(plain(s)) }
	t := texts{
		title:       oneLine(rule.Spell(d.Title, func(s string) bool { return units(oneLine(s)) <= rule.TitleMax })),
		description: clean(rule.Spell(d.Caption, func(s string) bool { return len(clean(s)) <= rule.CaptionMax })),
	}
	if n := len(t.description); n > rule.CaptionMax {
		return t, &publish.Error{
			Kind: publish.Rejected, Code: "invalidDescription", CatalogCode: "caption_too_long",
			Safe: fmt.Sprintf("The caption has %d bytes; YouTube accepts %d.", n, rule.CaptionMax),
		}
	}
	if t.title == "" {
		first, _, _ := strings.Cut(t.description, "\n")
		t.title = cut(oneLine(first), rule.TitleMax)
	}
	if t.title == "" {
		return t, &publish.Error{Kind: publish.Rejected, Code: "invalidTitle", Safe: "YouTube requires a title, and the short has neither a title nor a caption."}
	}
	if n := units(t.title); n > rule.TitleMax {
		return t, &publish.Error{
			Kind: publish.Rejected, Code: "invalidTitle", CatalogCode: "title_too_long",
			Safe: fmt.Sprintf("The title has %d characters; YouTube accepts %d.", n, rule.TitleMax),
		}
	}
	t.tags = tags(d.Tags)
	return t, nil
}

// units returns the length of s in UTF-16 units. YouTube does not document whether an emoji counts as one or two
// characters, so the larger count is used.
func units(s string) int { return len(utf16.Encode([]rune(s))) }

// plain returns a text without invalid characters and without control characters other than line breaks. A tab becomes
// a space.
func plain(s string) string {
	s = strings.ToValidUTF8(strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(s), "")
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n':
			return r
		case r == '\t':
			return ' '
		case unicode.IsControl(r), r == '\u2028', r == '\u2029', r == '\ufeff':
			return -1
		}
		return r
	}, s)
}

func oneLine(s string) string { return strings.Join(strings.Fields(plain(s)), " ") }

// cut shortens a text to at most limit units, preferably at the end of a word.
func cut(s string, limit int) string {
	if units(s) <= limit {
		return s
	}
	n, end := 1, 0 // the ellipsis is one unit
	for i, r := range s {
		if n += utf16.RuneLen(r); n > limit {
			break
		}
		end = i + utf8.RuneLen(r)
	}
	s = s[:end]
	if i := strings.LastIndexByte(s, ' '); i > len(s)/2 {
		s = s[:i]
	}
	return strings.TrimRight(s, " ,.;:-") + "…"
}

// tags returns the tags that fit, without duplicates.
func tags(in []string) []string {
	var out []string
	sum := 0
	for _, t := range in {
		t = oneLine(strings.NewReplacer("<", "", ">", "", ",", " ", `"`, "", "#", "").Replace(t))
		if t == "" || units(t) > tagMax || slices.ContainsFunc(out, func(o string) bool { return strings.EqualFold(o, t) }) {
			continue
		}
		n := quoted(t)
		if len(out) > 0 {
			n++ // the comma before it
		}
		if sum+n > tagsMax {
			continue
		}
		sum += n
		out = append(out, t)
	}
	return out
}

// quoted returns the number of characters that a tag counts: YouTube adds quotation marks to a tag with a space.
func quoted(t string) int {
	if strings.ContainsRune(t, ' ') {
		return units(t) + 2
	}
	return units(t)
}

// fits returns an error if YouTube cannot publish the video.
func fits(d publish.Draft) error {
	no := func(code, safe string, args ...any) error {
		return &publish.Error{Kind: publish.Rejected, Code: code, Safe: fmt.Sprintf(safe, args...)}
	}
	switch {
	case d.Kind != catalog.MediaVideo || d.Video == nil:
		return no("not_a_video", "YouTube accepts videos only.")
	case !slices.Contains(rule.PostingModes, d.Mode):
		return no("mode", "YouTube has no such posting mode.")
	case d.Video.Bytes <= 0:
		return no("mediaBodyRequired", "The video is empty.")
	case d.Video.Bytes > rule.MaxVideoBytes:
		return no("too_large", "The video is larger than YouTube accepts.")
	case d.Video.Duration > time.Duration(rule.MaxVideoSeconds)*time.Second:
		return no("length", "The video is longer than the %d minutes that every channel may upload.", rule.MaxVideoSeconds/60)
	}
	return nil
}

// short reports whether YouTube treats a video as a Short: square or vertical, and at most three minutes long.
func short(m *publish.Media) bool {
	return m != nil && m.Width > 0 && m.Width <= m.Height && m.Duration > 0 && m.Duration <= shortMax
}
