// SPDX-License-Identifier: Apache-2.0

// Package conformance checks the requirements of package textgen with sample texts. The tests of every writer run it.
package conformance

import (
	"context"
	"embed"
	"fmt"
	"path"
	"regexp"
	"strings"
	"testing"

	"github.com/rivo/uniseg"

	"github.com/reelops/reelops/internal/content/textgen"
	"github.com/reelops/reelops/internal/content/textgen/lang"
)

//go:embed testdata/*.txt
var files embed.FS

// languages are the languages of the sample texts; texts not listed are English.
var languages = map[string]string{
	"arabic": "ar", "hebrew": "he", "hindi": "hi", "thai": "th", "japanese": "ja", "chinese": "zh", "korean": "ko", "russian": "ru",
	"spanish": "es", "german": "de", "french": "fr", "turkish": "tr", "briefde": "de", "swahili": "und",
}

// Corpus returns the sample texts by name.
func Corpus() map[string]string {
	entries, err := files.ReadDir("testdata")
	if err != nil {
		panic(err) // embedded above
	}
	texts := map[string]string{}
	for _, e := range entries {
		data, err := files.ReadFile(path.Join("testdata", e.Name()))
		if err != nil {
			panic(err)
		}
		texts[strings.TrimSuffix(e.Name(), ".txt")] = string(data)
	}
	return texts
}

// Run writes every text of the corpus with every slide count and checks each draft.
func Run(t *testing.T, w textgen.Writer) {
	t.Helper()
	for name, text := range Corpus() {
		t.Run(name, func(t *testing.T) {
			for _, n := range []int{0, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12} {
				r := textgen.Request{Context: text, SlideCount: n}
				d, err := w.Write(context.Background(), r)
				if err != nil {
					t.Fatalf("%d slides: %v", n, err)
				}
				want := languages[name]
				if want == "" {
					want = "en"
				}
				if d.Language != want {
					t.Errorf("%d slides: language %q, want %q", n, d.Language, want)
				}
				if got := lang.Detect(allText(d), want); want != lang.Unknown && lang.Base(got) != want {
					t.Errorf("%d slides: the slides read as %q, want %q", n, got, want)
				}
				for _, bad := range Inspect(r, d) {
					t.Errorf("%d slides: %s", n, bad)
				}
			}
		})
	}
	t.Run("what the caller gave is kept", func(t *testing.T) { kept(t, w) })
	t.Run("banned words", func(t *testing.T) { banned(t, w) })
	t.Run("bad requests", func(t *testing.T) { refused(t, w) })
}

func kept(t *testing.T, w textgen.Writer) {
	r := textgen.Request{Context: Corpus()["tips"], Title: "My title", Caption: "My caption #x", Tags: []string{"One", "two"}}
	d, err := w.Write(context.Background(), r)
	if err != nil {
		t.Fatal(err)
	}
	if d.Title != r.Title || d.Caption != r.Caption || strings.Join(d.Tags, ",") != "One,two" {
		t.Errorf("title %q, caption %q, tags %q were changed", d.Title, d.Caption, d.Tags)
	}
	r.Tags, r.KeepTags = nil, true
	if d, err = w.Write(context.Background(), r); err != nil || len(d.Tags) != 0 {
		t.Errorf("no tags were wanted, got %q, %v", d.Tags, err)
	}
}

func banned(t *testing.T, w textgen.Writer) {
	r := textgen.Request{Context: Corpus()["tips"], Brand: textgen.Brand{BannedWords: []string{"Caffeine", "phone"}}}
	d, err := w.Write(context.Background(), r)
	if err != nil {
		t.Fatal(err)
	}
	if word := textgen.FindBanned(r, d); word != "" {
		t.Errorf("the banned word %q is used", word)
	}
}

func refused(t *testing.T, w textgen.Writer) {
	for name, r := range map[string]textgen.Request{
		"no context":       {Context: " \n "},
		"context too long": {Context: strings.Repeat("long ", 1100)},
		"two slides":       {Context: "Two slides are too few", SlideCount: 2},
		"thirteen slides":  {Context: "Thirteen slides are too many", SlideCount: 13},
	} {
		if d, err := w.Write(context.Background(), r); err == nil {
			t.Errorf("%s: no error, %d slides", name, len(d.Slides))
		}
	}
}

var (
	markup  = regexp.MustCompile("\\*\\*|__|~~|`|(?:^|\\s)#|\\]\\(|</?(?:p|div|b|li|ul|h[1-6]|br|a|span)\\b[^>]*>|&(?:amp|nbsp|lt|gt|quot|#\\d+|ndash);|https?:/?/?$")
	hanging = regexp.MustCompile(`(?i)\b(?:and|the|or|of|und|oder|der|y|el|et|le)$`)
)

// Inspect returns the defects of a draft, including some that textgen.Check does not find: left-over markup, incomplete
// phrases, broken emoji, unpaired brackets.
func Inspect(r textgen.Request, d textgen.Draft) []string {
	bad := textgen.Check(r, d)
	texts := []string{d.Title, d.Caption}
	for i, s := range d.Slides {
		texts = append(texts, s.Heading, s.Body)
		if len(s.Keywords) == 0 && strings.ContainsFunc(s.Heading, func(c rune) bool { return c > 'a' && c < 'z' }) {
			bad = append(bad, fmt.Sprintf("slide %d has no keywords", i+1))
		}
		if s.Body == "" && hanging.MatchString(s.Heading) {
			bad = append(bad, fmt.Sprintf("slide %d ends in the air: %q", i+1, s.Heading))
		}
		for _, p := range []string{"()", "[]", "「」", "（）", "“”", "«»"} {
			rs := []rune(p)
			for _, text := range []string{s.Heading, s.Body} {
				if strings.Count(text, string(rs[0])) != strings.Count(text, string(rs[1])) && !strings.Contains(text, "„") {
					bad = append(bad, fmt.Sprintf("slide %d has half of %s: %q", i+1, p, text))
				}
			}
		}
	}
	for _, text := range texts {
		if m := markup.FindString(text); m != "" {
			bad = append(bad, fmt.Sprintf("markup %q is left in %q", m, text))
		}
		if strings.Contains(text, "  ") || text != strings.TrimSpace(text) {
			bad = append(bad, fmt.Sprintf("loose spaces in %q", text))
		}
		for g := uniseg.NewGraphemes(text); g.Next(); {
			// A cluster of only a joiner or a modifier has lost its emoji.
			if rs := g.Runes(); len(rs) > 0 && (rs[0] == 0x200d || rs[0] == 0xfe0f || rs[0] >= 0x1f3fb && rs[0] <= 0x1f3ff) {
				bad = append(bad, fmt.Sprintf("half an emoji in %q", text))
			}
		}
	}
	return bad
}

func allText(d textgen.Draft) string {
	var out []string
	for _, s := range d.Slides {
		out = append(out, s.Heading, s.Body)
	}
	return strings.Join(out, "\n")
}
