// SPDX-License-Identifier: Apache-2.0

package items

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/reelops/reelops/internal/automation/feed"
)

const (
	// MaxTerms is the maximum number of terms of a list.
	MaxTerms = 50
	// MaxTerm is the maximum length of a term in characters.
	MaxTerm = 200
)

// Filter selects items by words and patterns. The zero value selects all.
type Filter struct{ include, exclude []*regexp.Regexp }

// CompileFilter returns a filter. An item passes if one of include matches its title or summary, or include is empty,
// and none of exclude matches. A term is a word or phrase, which matches whole words in any case, or an RE2 pattern
// between slashes (/pattern/), which is case-sensitive unless it begins with (?i). The error is a *TermError.
func CompileFilter(include, exclude []string) (Filter, error) {
	in, err := compile("include", include)
	if err != nil {
		return Filter{}, err
	}
	out, err := compile("exclude", exclude)
	if err != nil {
		return Filter{}, err
	}
	return Filter{include: in, exclude: out}, nil
}

// TermError is a term that cannot be used.
type TermError struct {
	// List is include or exclude, Index the position in it.
	List  string
	Index int
	// Term as given.
	Term string
	// Reason is why, as a clause without a full stop.
	Reason string
}

// Error returns a sentence without a full stop.
func (e *TermError) Error() string {
	return fmt.Sprintf("term %d of %s is not valid: %s", e.Index+1, e.List, e.Reason)
}

func compile(list string, terms []string) ([]*regexp.Regexp, error) {
	if len(terms) > MaxTerms {
		reason := fmt.Sprintf("at most %d are allowed", MaxTerms)
		return nil, &TermError{List: list, Index: MaxTerms, Term: terms[MaxTerms], Reason: reason}
	}
	var out []*regexp.Regexp
	for i, term := range terms {
		p, reason := pattern(term)
		if reason != "" {
			return nil, &TermError{List: list, Index: i, Term: term, Reason: reason}
		}
		out = append(out, p)
	}
	return out, nil
}

// pattern returns the pattern of a term, or why it has none.
func pattern(term string) (*regexp.Regexp, string) {
	words := strings.Fields(term)
	switch {
	case utf8.RuneCountInString(term) > MaxTerm:
		return nil, fmt.Sprintf("it has more than %d characters", MaxTerm)
	case len(words) == 0:
		return nil, "it is empty"
	}
	if inner, ok := strings.CutPrefix(term, "/"); ok && len(inner) > 1 && strings.HasSuffix(inner, "/") {
		p, err := regexp.Compile(strings.TrimSuffix(inner, "/"))
		if err != nil {
			return nil, fmt.Sprintf("%s is not an RE2 pattern", term)
		}
		return p, ""
	}
	first, _ := utf8.DecodeRuneInString(words[0])
	last, _ := utf8.DecodeLastRuneInString(words[len(words)-1])
	for i, w := range words {
		words[i] = regexp.QuoteMeta(w)
	}
	text := "(?i)" + boundary(first, "^") + strings.Join(words, `[\s\pZ]+`) + boundary(last, "$")
	p, err := regexp.Compile(text)
	if err != nil { // the term is not valid UTF-8
		return nil, "it is not text"
	}
	return p, ""
}

var unspaced = []*unicode.RangeTable{
	unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar,
}

// boundary returns the pattern of the end of a word whose outermost character is r. Scripts without spaces have none.
func boundary(r rune, edge string) string {
	if !unicode.IsLetter(r) && !unicode.IsDigit(r) || unicode.In(r, unspaced...) {
		return ""
	}
	return `(?:` + edge + `|[^\pL\pN\pM])`
}

// passes reports whether the filter selects an item.
func (f Filter) passes(i *feed.Item) bool {
	text := i.Title + "\n" + i.Summary
	in := func(p *regexp.Regexp) bool { return p.MatchString(text) }
	return (len(f.include) == 0 || slices.ContainsFunc(f.include, in)) && !slices.ContainsFunc(f.exclude, in)
}
