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

// Limits of YouTube that nobody else has.
const (
	tagsMax = 500 // characters of all tags together, as quoted measures them
	tagMax  = 100 // characters of one tag
	// shortMax is how long a Short may be.
	shortMax = 3 * time.Minute
)

var rule = func() catalog.PlatformRule {
	i := slices.IndexFunc(catalog.PlatformRules, func(r catalog.PlatformRule) bool { return r.Platform == catalog.YouTube })
	return catalog.PlatformRules[i]
}()

// texts are a draft's words as YouTube takes them.
type texts struct {
	title, description string
	tags               []string
}

// compose cleans a draft's words, and spells them as YouTube takes them. A draft without a title takes the first line of its
// description, because YouTube wants one. Words that are too long are refused; tags that do not fit are left out.
func compose(d publish.Draft) (texts, error) {
	clean := func(s string) string { return strings.TrimSpace(plain(s)) }
	t := texts{
		title:       oneLine(rule.Spell(d.Title, func(s string) bool { return units(oneLine(s)) <= rule.TitleMax })),
		description: clean(rule.Spell(d.Caption, func(s string) bool { return len(clean(s)) <= rule.CaptionMax })),
	}
	if n := len(t.description); n > rule.CaptionMax {
		return t, &publish.Error{
			Kind: publish.Rejected, Code: "invalidDescription", CatalogCode: "caption_too_long",
			Safe: fmt.Sprintf("The caption has %d bytes; YouTube takes %d.", n, rule.CaptionMax),
		}
	}
	if t.title == "" {
		first, _, _ := strings.Cut(t.description, "\n")
		t.title = cut(oneLine(first), rule.TitleMax)
	}
	if t.title == "" {
		return t, &publish.Error{Kind: publish.Rejected, Code: "invalidTitle", Safe: "YouTube wants a title, and the short has neither a title nor a caption."}
	}
	if n := units(t.title); n > rule.TitleMax {
		return t, &publish.Error{
			Kind: publish.Rejected, Code: "invalidTitle", CatalogCode: "title_too_long",
			Safe: fmt.Sprintf("The title has %d characters; YouTube takes %d.", n, rule.TitleMax),
		}
	}
	t.tags = tags(d.Tags)
	return t, nil
}

// units counts characters the dear way: YouTube does not say whether an emoji is one or two.
func units(s string) int { return len(utf16.Encode([]rune(s))) }

// plain is a text without what is no text: broken characters and control characters other than line breaks.
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

// cut ends a text at a word, at most limit units long.
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

// tags are the words of a draft's list that fit, without repetition.
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

// quoted is how much a tag takes: one with a space in it is counted with quotation marks around it.
func quoted(t string) int {
	if strings.ContainsRune(t, ' ') {
		return units(t) + 2
	}
	return units(t)
}

// fits says why a film cannot be published.
func fits(d publish.Draft) error {
	no := func(code, safe string, args ...any) error {
		return &publish.Error{Kind: publish.Rejected, Code: code, Safe: fmt.Sprintf(safe, args...)}
	}
	switch {
	case d.Kind != catalog.MediaVideo || d.Video == nil:
		return no("not_a_video", "YouTube takes videos only.")
	case !slices.Contains(rule.PostingModes, d.Mode):
		return no("mode", "YouTube has no such posting mode.")
	case d.Video.Bytes <= 0:
		return no("mediaBodyRequired", "The video is empty.")
	case d.Video.Bytes > rule.MaxVideoBytes:
		return no("too_large", "The video is larger than YouTube takes.")
	case d.Video.Duration > time.Duration(rule.MaxVideoSeconds)*time.Second:
		return no("length", "The video is longer than the %d minutes that every channel may upload.", rule.MaxVideoSeconds/60)
	}
	return nil
}

// short says whether YouTube takes a film for a Short.
func short(m *publish.Media) bool {
	return m != nil && m.Width > 0 && m.Width <= m.Height && m.Duration > 0 && m.Duration <= shortMax
}
