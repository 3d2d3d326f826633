// SPDX-License-Identifier: Apache-2.0

package template

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// Values of one run. An unset value is the empty text.
type Values struct {
	// ItemTitle is {{item.title}}: the title of a feed item, or the text of a prompt.
	ItemTitle string
	// ItemSummary is {{item.summary}}.
	ItemSummary string
	// ItemLink is {{item.link}}.
	ItemLink string
	// ItemPublished is {{item.published}}: the date in the time's zone, as 2006-01-02; empty if zero.
	ItemPublished time.Time
	// Slot is {{slot.date}} (2006-01-02) and {{slot.time}} (15:04), in the time's zone; empty if zero.
	Slot time.Time
	// BrandName is {{brand.name}}.
	BrandName string
	// RunNumber is {{run.number}}, from 1.
	RunNumber int64
}

// placeholders are the valid placeholders with their values.
var placeholders = map[string]func(v *Values) string{
	"brand.name":     func(v *Values) string { return v.BrandName },
	"item.link":      func(v *Values) string { return v.ItemLink },
	"item.published": func(v *Values) string { return date(v.ItemPublished) },
	"item.summary":   func(v *Values) string { return v.ItemSummary },
	"item.title":     func(v *Values) string { return v.ItemTitle },
	"run.number":     func(v *Values) string { return strconv.FormatInt(v.RunNumber, 10) },
	"slot.date":      func(v *Values) string { return date(v.Slot) },
	"slot.time": func(v *Values) string {
		if v.Slot.IsZero() {
			return ""
		}
		return v.Slot.Format("15:04")
	},
}

func date(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.Format(time.DateOnly)
}

// found matches a placeholder. Its name may have spaces around it.
var found = regexp.MustCompile(`\{\{\s*([^{}]*?)\s*\}\}`)

// maxNamed is the maximum number of characters of a placeholder that an error repeats.
const maxNamed = 60

// Placeholders returns the valid placeholders without braces, sorted.
func Placeholders() []string {
	var out []string
	for name := range placeholders {
		out = append(out, name)
	}
	slices.Sort(out)
	return out
}

// Check returns an error if a text contains an unknown or unclosed placeholder. The error is a sentence without a full
// stop that names the placeholder and the valid ones.
func Check(text string) error {
	for _, m := range found.FindAllStringSubmatch(text, -1) {
		if placeholders[m[1]] == nil {
			return wrong(fmt.Sprintf("the placeholder %q is unknown", clip(m[0])))
		}
	}
	// What remains of a placeholder that lacks braces would be published as it is.
	rest := found.ReplaceAllString(text, " ")
	for _, half := range []string{"{{", "}}"} {
		if i := strings.Index(rest, half); i >= 0 {
			return wrong(fmt.Sprintf("a placeholder is not complete at %q", clip(rest[i:])))
		}
	}
	return nil
}

func wrong(what string) error {
	return fmt.Errorf("%s: use one of {{%s}}", what, strings.Join(Placeholders(), "}}, {{"))
}

func clip(s string) string {
	if r := []rune(s); len(r) > maxNamed {
		return string(r[:maxNamed]) + "…"
	}
	return s
}

// Pattern returns a regular expression (RE2) that matches exactly the texts that Check accepts. The rules of the
// CustomResourceDefinition contain the pattern. Braces that belong to no placeholder must not be doubled.
func Pattern() string {
	const single = `\{?(\}\{)*\}?`
	names := strings.ReplaceAll(strings.Join(Placeholders(), "|"), ".", `\.`)
	return `^(` + single + `([^{}]|\{\{\s*(` + names + `)\s*\}\}))*` + single + `$`
}

// Uses reports whether a text contains a valid placeholder whose name begins with prefix, such as "item.".
func Uses(text, prefix string) bool {
	return slices.ContainsFunc(found.FindAllStringSubmatch(text, -1), func(m []string) bool {
		return placeholders[m[1]] != nil && strings.HasPrefix(m[1], prefix)
	})
}

// Render returns a text with the values in place of its placeholders, at most limit characters (runes) long; 0 means no
// limit. A longer result is cut at the end of a word and ends in an ellipsis, which counts. Values are inserted as
// valid UTF-8. Unknown placeholders, which Check refuses, stay as they are.
func Render(text string, v Values, limit int) string {
	out := found.ReplaceAllStringFunc(text, func(m string) string {
		value := placeholders[found.FindStringSubmatch(m)[1]]
		if value == nil {
			return m
		}
		return strings.ToValidUTF8(value(&v), "\uFFFD")
	})
	return cut(out, limit)
}

// cut returns a text of at most limit runes.
func cut(s string, limit int) string {
	if limit <= 0 || utf8.RuneCountInString(s) <= limit {
		return s
	}
	r := []rune(s)[:limit]
	end := limit - 1 // without the ellipsis
	// Cut between words if a word ends in the second half; else a long first word would leave next to nothing.
	for i := end; i > limit/2; i-- {
		if unicode.IsSpace(r[i]) {
			end = i
			break
		}
	}
	for end > 0 && joins(r[end]) { // an accent or a joiner belongs to the character before
		end--
	}
	return strings.TrimRightFunc(string(r[:end]), func(r rune) bool {
		return unicode.IsSpace(r) || unicode.IsPunct(r) && strings.ContainsRune(",;:-–—", r)
	}) + "…"
}

// joins reports whether a character cannot be separated from the one before.
func joins(r rune) bool {
	return unicode.IsMark(r) || r == '\u200d' || r >= 0x1f3fb && r <= 0x1f3ff
}
