// SPDX-License-Identifier: Apache-2.0

package posting

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/catalog"
)

// Texts are the texts that one platform is sent.
type Texts struct {
	// Title is empty when the platform, or the media type, has none.
	Title string
	// Caption with hashtags.
	Caption string
	// Tags for a platform that has a separate list of tags.
	Tags []string
}

// Texts returns the texts of the content on a platform: the account's own if set, else the short's. The short's tags
// are appended as hashtags to the short's caption, as many as fit. A caption of the account gets no hashtags.
// Characters that the platform refuses are replaced.
func (c *Content) Texts(rule catalog.PlatformRule, kind string, own v1beta1.PostText) Texts {
	out := Texts{Title: c.Title, Caption: c.Caption}
	if own.Title != nil {
		out.Title = *own.Title
	}
	if rule.TitleMaxFor(kind) == 0 {
		out.Title = ""
	}
	if own.Caption != nil {
		out.Caption = *own.Caption
	}
	out.Title = rule.Spell(out.Title, fits(rule.TitleMaxFor(kind), rule.TitleUnit))
	out.Caption = rule.Spell(out.Caption, fits(rule.CaptionMaxFor(kind), rule.CaptionUnit))
	switch {
	case rule.TagsMax > 0:
		out.Tags = c.Tags
	case own.Caption == nil:
		out.Caption = withHashtags(out.Caption, c.Tags, rule, kind)
	}
	return out
}

// withHashtags appends the tags that fit, in order, in a separate paragraph. Hashtags that the caption already has are
// not repeated.
func withHashtags(caption string, tags []string, rule catalog.PlatformRule, kind string) string {
	most := rule.CaptionMaxFor(kind)
	there := map[string]bool{}
	for _, h := range hashtagsIn(caption) {
		there[h] = true
	}
	out, added := caption, false
	for _, t := range tags {
		h := hashtag(t)
		if h == "" || there[strings.ToLower(h)] || rule.MaxHashtags > 0 && len(there) >= rule.MaxHashtags {
			continue
		}
		between := " "
		if !added {
			between = "\n\n"
		}
		if out == "" {
			between = ""
		}
		longer := out + between + h
		if Measure(longer, rule.CaptionUnit) > most {
			continue
		}
		out, added = longer, true
		there[strings.ToLower(h)] = true
	}
	return out
}

// hashtag converts a tag to one word: platforms end a hashtag at the first character that is not a letter, digit or
// underscore.
func hashtag(tag string) string {
	word := strings.Map(func(r rune) rune {
		if inHashtag(r) {
			return r
		}
		return -1
	}, tag)
	if word == "" {
		return ""
	}
	return "#" + word
}

func inHashtag(r rune) bool {
	return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r)
}

// hashtagsIn returns the distinct hashtags of a text, in lower case.
func hashtagsIn(text string) []string {
	var out []string
	seen := map[string]bool{}
	for i, r := range text {
		if r != '#' {
			continue
		}
		rest := text[i+1:]
		end := strings.IndexFunc(rest, func(r rune) bool { return !inHashtag(r) })
		if end < 0 {
			end = len(rest)
		}
		if h := "#" + strings.ToLower(rest[:end]); end > 0 && !seen[h] {
			seen[h] = true
			out = append(out, h)
		}
	}
	return out
}

// Measure returns the length of a text in one of the catalog's units.
func Measure(text, unit string) int {
	switch unit {
	case catalog.UnitBytes:
		return len(text)
	case catalog.UnitUTF16:
		n := 0
		for _, r := range text {
			n += utf16.RuneLen(r)
		}
		return n
	}
	return utf8.RuneCountInString(text)
}

// escaped counts the characters of a text that are sent with an escape.
func escaped(text, escapes string) (n int) {
	for _, r := range text {
		if strings.ContainsRune(escapes, r) {
			n++
		}
	}
	return n
}

func fits(most int, unit string) func(string) bool {
	return func(text string) bool { return Measure(text, unit) <= most }
}

// check validates the texts against the platform's limits.
func (t Texts) check(rule catalog.PlatformRule, kind string, target *Target) []Issue {
	var out []Issue
	over := func(code catalog.Code, text string, most int, unit string) {
		if n := Measure(text, unit); most > 0 && n > most {
			out = append(out, issue(code, "", Details{
				"max": most, "length": n, "unit": unit, "social_data_id": target.ID(), "platform": rule.Platform,
			}))
		}
	}
	over(catalog.TitleTooLong, t.Title, rule.TitleMaxFor(kind), rule.TitleUnit)
	over(catalog.CaptionTooLong, t.Caption, rule.CaptionMaxFor(kind), rule.CaptionUnit)
	if most, plain := rule.CaptionMaxFor(kind), Measure(t.Caption, rule.CaptionUnit); plain <= most {
		if n := plain + escaped(t.Caption, rule.Escapes); n > most {
			why := fmt.Sprintf("%s may count escapes: the caption then has %d characters, and %d are accepted.", Name(target.Platform), n, most)
			i := issue(catalog.CaptionTooLong, why, Details{
				"max": most, "length": n, "unit": rule.CaptionUnit, "reason": "escaped", "social_data_id": target.ID(), "platform": rule.Platform,
			})
			i.Warning = true
			out = append(out, i)
		}
	}
	if n := len(hashtagsIn(t.Caption)); rule.MaxHashtags > 0 && n > rule.MaxHashtags {
		out = append(out, field("caption", fmt.Sprintf("The caption has %d hashtags; %s accepts %d.", n, Name(target.Platform), rule.MaxHashtags), Details{"reason": "too_many_hashtags"}))
	}
	if rule.Platform == catalog.YouTube && strings.TrimSpace(t.Title) == "" && strings.TrimSpace(t.Caption) == "" {
		out = append(out, field("title", "YouTube requires a title, and the short has neither a title nor a caption.", nil))
	}
	return out
}
