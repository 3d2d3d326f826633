// SPDX-License-Identifier: Apache-2.0

package textgen

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
)

// Check returns the defects of a draft for a request, as sentences that describe to the writer what to change. An empty
// list means that the draft meets every requirement of this package. Banned words are checked separately, by
// FindBanned.
func Check(r Request, d Draft) []string {
	var bad []string
	add := func(format string, args ...any) { bad = append(bad, fmt.Sprintf(format, args...)) }
	switch n := len(d.Slides); {
	case d.Shortfall != nil:
		if n < 1 || n >= d.Shortfall.Wanted || d.Shortfall.FromText > n {
			add("There are %d slides, which is no shortfall of %d", n, d.Shortfall.Wanted)
		}
	case r.SlideCount != 0 && n != r.SlideCount:
		add("There must be exactly %d slides, not %d", r.SlideCount, n)
	case n < MinSlides || n > MaxSlides:
		add("There must be %d to %d slides, not %d", MinSlides, MaxSlides, n)
	}
	seen := map[string]int{}
	for i, s := range d.Slides {
		want := roleAt(i, len(d.Slides))
		if d.Shortfall != nil && want == RoleCallToAction && s.Role == RolePoint {
			want = RolePoint // a text that ends early may have no call to action
		}
		if s.Role != want {
			add("Slide %d must have the role %s, not %q", i+1, want, string(s.Role))
		}
		if strings.TrimSpace(s.Heading) == "" {
			add("Slide %d has no heading", i+1)
		}
		bad = append(bad, tooLong(fmt.Sprintf("The heading of slide %d", i+1), s.Heading, mostHeading(s.Heading))...)
		bad = append(bad, tooLong(fmt.Sprintf("The body of slide %d", i+1), s.Body, MaxBody)...)
		bad = append(bad, tooLong(fmt.Sprintf("The alt text of slide %d", i+1), s.AltText, MaxAltText)...)
		if strings.TrimSpace(s.AltText) == "" {
			add("Slide %d has no alt text", i+1)
		}
		for _, text := range []string{s.Heading, s.Body} {
			key := Fold(text)
			if key == "" {
				continue
			}
			if first, dup := seen[key]; dup {
				add("Slide %d says the same as slide %d", i+1, first)
			}
			seen[key] = i + 1
		}
	}
	return append(bad, checkAround(r, d)...)
}

// checkAround returns the defects of the texts besides the slides or the hook: language, title, caption and tags.
func checkAround(r Request, d Draft) []string {
	var bad []string
	if strings.TrimSpace(d.Language) == "" {
		bad = append(bad, "The language is missing")
	}
	if r.Title == "" {
		if strings.TrimSpace(d.Title) == "" {
			bad = append(bad, "The title is missing")
		}
		bad = append(bad, tooLong("The title", d.Title, MaxTitle)...)
	}
	if r.Caption == "" {
		if strings.TrimSpace(d.Caption) == "" {
			bad = append(bad, "The caption is missing")
		}
		bad = append(bad, tooLong("The caption", d.Caption, MaxCaption)...)
	}
	if r.WantsTags() {
		bad = append(bad, checkTags(d.Tags)...)
	}
	return bad
}

// mostHeading returns the maximum length of a heading: MaxHeading for one line, MaxBody for points on several lines.
func mostHeading(heading string) int {
	if strings.Contains(heading, "\n") {
		return MaxBody
	}
	return MaxHeading
}

func checkTags(tags []string) []string {
	var bad []string
	if n := len(tags); n > MaxTags {
		bad = append(bad, fmt.Sprintf("There must be at most %d tags, not %d", MaxTags, n))
	}
	seen := map[string]bool{}
	for _, t := range tags {
		switch {
		case strings.TrimSpace(t) == "" || strings.ContainsAny(t, "#,"):
			bad = append(bad, fmt.Sprintf("The tag %q must be a word without '#' or comma", t))
		case utf8.RuneCountInString(t) > MaxTag:
			bad = append(bad, fmt.Sprintf("The tag %q is longer than %d characters", t, MaxTag))
		case seen[Fold(t)]:
			bad = append(bad, fmt.Sprintf("The tag %q is there twice", t))
		}
		seen[Fold(t)] = true
	}
	return bad
}

func tooLong(what, text string, limit int) []string {
	if n := utf8.RuneCountInString(text); n > limit {
		return []string{fmt.Sprintf("%s has %d characters, at most %d are allowed", what, n, limit)}
	}
	return nil
}

func roleAt(i, n int) Role {
	switch i {
	case 0:
		return RoleHook
	case n - 1:
		return RoleCallToAction
	}
	return RolePoint
}

// Fold returns a text in the form in which duplicates are compared: no case, no punctuation, single spaces. A text
// without letters and digits is only trimmed.
func Fold(text string) string {
	var b strings.Builder
	space := false
	for _, r := range cases.Fold().String(text) {
		if unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r) {
			if space && b.Len() > 0 {
				b.WriteByte(' ')
			}
			space = false
			b.WriteRune(r)
			continue
		}
		space = true
	}
	if b.Len() == 0 {
		return strings.TrimSpace(text)
	}
	return b.String()
}
