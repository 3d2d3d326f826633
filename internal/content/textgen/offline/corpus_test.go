// SPDX-License-Identifier: Apache-2.0

package offline

import (
	"context"
	"embed"
	"fmt"
	"hash/fnv"
	"os"
	"path"
	"regexp"
	"sort"
	"strings"
	"testing"
	"unicode"

	"github.com/reelops/reelops/internal/content/textgen"
	"github.com/reelops/reelops/internal/content/textgen/lang"
)

//go:embed testdata/corpus testdata/notags.txt
var corpusFiles embed.FS

// sampleText is one text of the corpus. own reports whether the text ends with its own call to action.
type sampleText struct {
	name, language, kind, text string
	own, held                  bool
}

// samples reads the corpus: a file for each language, texts after lines "=== kind [own]". A third, by the hash of its
// name, is held back while the writer is tuned.
func samples(t *testing.T) []sampleText {
	t.Helper()
	entries, err := corpusFiles.ReadDir("testdata/corpus")
	if err != nil {
		t.Fatal(err)
	}
	var all []sampleText
	for _, e := range entries {
		data, err := corpusFiles.ReadFile(path.Join("testdata/corpus", e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		language := strings.TrimSuffix(e.Name(), ".txt")
		for _, part := range strings.Split("\n"+string(data), "\n=== ")[1:] {
			head, text, _ := strings.Cut(part, "\n")
			fields := strings.Fields(head)
			s := sampleText{
				language: language, kind: fields[0], name: language + "/" + fields[0],
				text: strings.TrimSpace(text), own: len(fields) > 1,
			}
			h := fnv.New32a()
			_, _ = h.Write([]byte(s.name))
			s.held = h.Sum32()%3 == 0
			all = append(all, s)
		}
	}
	return all
}

// figures are the metrics of texts: shares from 0 to 1.
type figures struct{ part, whole map[string]float64 }

func (f *figures) add(name string, part, whole float64) {
	if f.part == nil {
		f.part, f.whole = map[string]float64{}, map[string]float64{}
	}
	f.part[name] += part
	f.whole[name] += whole
}

func (f *figures) share(name string) float64 {
	if f.whole[name] == 0 {
		return 1
	}
	return f.part[name] / f.whole[name]
}

// The metrics, and the minimum share of each.
var thresholds = []struct {
	name, of string
	least    float64
}{
	{"kept", "content words on a slide or in the caption", 0.995},
	{"told", "content words kept or reported as omitted", 0.995},
	{"order", "words of the slides in the order of the text", 0.98},
	{"exact", "numbers, prices, links and hashtags letter by letter", 0.995},
	{"marks", "numbers of list items kept", 1},
	{"fits", "drafts that keep the limits of slides, title, caption and tags", 1},
	{"whole", "headings that begin and end where a sentence, line or clause does", 0.98},
	{"heads", "characters of slides that stand in headings", 0.6},
	{"closing", "drafts without a second closing slide", 0.97},
	{"caption", "captions of whole sentences, no list without its lead", 0.97},
	{"tags", "tags that are nouns or the text's own hashtags", 0.9},
}

// TestCorpus measures the drafts of real texts. CORPUS=name,name or CORPUS=all prints drafts for review.
func TestCorpus(t *testing.T) {
	notags := map[string]map[string]bool{}
	data, err := corpusFiles.ReadFile("testdata/notags.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range strings.Split(string(data), "\n") {
		language, words, _ := strings.Cut(line, ": ")
		if notags[language] == nil {
			notags[language] = map[string]bool{}
		}
		for _, w := range strings.Fields(words) {
			notags[language][w] = true
		}
	}
	tuned, held := &figures{}, &figures{}
	n := 0
	for _, s := range samples(t) {
		f := tuned
		if s.held {
			f = held
		}
		n++
		r := textgen.Request{Context: s.text}
		d, err := New().Write(context.Background(), r)
		if err != nil {
			t.Errorf("%s: got %v", s.name, err)
			f.add("kept", 0, 1)
			continue
		}
		var one figures
		measure(&one, s, r, d, notags[s.language])
		for name := range one.whole {
			f.add(name, one.part[name], one.whole[name])
		}
		printed(s, d, &one)
	}
	t.Logf("got %d texts", n)
	for _, m := range thresholds {
		t.Logf("%-8s tuned %.3f held %.3f  %s", m.name, tuned.share(m.name), held.share(m.name), m.of)
		if tuned.share(m.name) < m.least || held.share(m.name) < m.least {
			t.Errorf("%s is below %.3f", m.name, m.least)
		}
	}
}

func printed(s sampleText, d textgen.Draft, one *figures) {
	want := os.Getenv("CORPUS")
	if want == "" || want != "all" && !strings.Contains(","+want+",", ","+s.name+",") && !(want == "tuned" &&
		!s.held) && !(want == "bad" && !s.held && one.share("kept")*one.share("exact")*one.share("caption")*one.share("tags")*one.share("closing")*one.share("marks") < 1) {
		return
	}
	fmt.Printf("\n=== %s [%s]\nT: %s\n", s.name, d.Language, d.Title)
	for i, sl := range d.Slides {
		fmt.Printf("%2d %-5.5s %s\n", i+1, sl.Role, strings.ReplaceAll(sl.Heading, "\n", " ⏎ "))
		if sl.Body != "" {
			fmt.Printf("         | %s\n", strings.ReplaceAll(sl.Body, "\n", " ⏎ "))
		}
	}
	fmt.Printf("C: %s\n#: %s\n", d.Caption, strings.Join(d.Tags, " "))
	for _, o := range d.Omitted {
		fmt.Printf("omitted: %s\n", o)
	}
	for _, m := range thresholds {
		if v := one.share(m.name); v < 1 && m.name != "heads" {
			fmt.Printf("   %s %.2f", m.name, v)
		}
	}
	fmt.Println()
}

var (
	listMark = regexp.MustCompile(`(?m)^\s*(?:[-*•]\s+|(\d{1,2})(?:[.)]|/)\s+)`)
	askMark  = regexp.MustCompile(`(?m)^(?:Q|A): `)
	pipes    = regexp.MustCompile(`\|[-|]+\||\|`)
	figure   = regexp.MustCompile(`[\p{Sc}+#]?\p{Nd}[\p{Nd}.,:/×–-]*(?:\s?[%€$°])?`)
	linkOf   = regexp.MustCompile(`[\w.+-]+@[\w-]+\.\w+|\b[\w-]+(?:\.[\w-]+)*\.(?:com|example|org|net)\b(?:/[\w./-]*\w)?|@\w+`)
	partMark = regexp.MustCompile(`(?m) \(\d/\d\)$`)
	hashOf   = regexp.MustCompile(`#(\pL\w+)`)
)

func measure(f *figures, s sampleText, r textgen.Request, d textgen.Draft, notags map[string]bool) {
	var slides, heads []string
	for _, sl := range d.Slides {
		slides = append(slides, sl.Heading, sl.Body)
		heads = append(heads, sl.Heading)
	}
	shown := strings.Join(slides, "\n")
	plain := pipes.ReplaceAllString(askMark.ReplaceAllString(listMark.ReplaceAllString(s.text, ""), ""), "\n")
	source := contentOf(s.language, plain)
	onSlides, inCaption := contentOf(s.language, partMark.ReplaceAllString(listMark.ReplaceAllString(shown, ""), "")),
		contentOf(s.language, d.Caption+"\n"+strings.Join(d.Tags, " "))
	a, b, o := counted(onSlides), counted(inCaption), counted(contentOf(s.language, strings.Join(d.Omitted, "\n")))
	all := counted(source)
	kept, told := 0, 0
	for w, n := range all {
		k := min(n, max(a[w], b[w]))
		kept += k
		told += min(n, k+o[w])
	}
	f.add("kept", float64(kept), float64(len(source)))
	f.add("told", float64(told), float64(len(source)))
	var seen []string
	for _, w := range onSlides {
		if all[w] > 0 {
			seen = append(seen, w)
		}
	}
	f.add("order", float64(common(seen, source)), float64(len(seen)))
	everything := shown + "\n" + d.Caption
	for _, m := range figure.FindAllString(plain, -1) {
		m = strings.TrimRight(m, ".,:/–-")
		f.add("exact", boolean(strings.Contains(everything, m)), 1)
	}
	for _, m := range linkOf.FindAllString(plain, -1) {
		f.add("exact", boolean(strings.Contains(everything, m)), 1)
	}
	for _, m := range hashOf.FindAllStringSubmatch(plain, -1) {
		f.add("exact", boolean(strings.Contains(strings.Join(d.Tags, " ")+" ", strings.ToLower(m[1])+" ")), 1)
	}
	for _, m := range listMark.FindAllStringSubmatch(s.text, -1) {
		if m[1] != "" {
			f.add("marks", boolean(regexp.MustCompile(`(?m)^`+m[1]+`[.)/]`).MatchString(shown)), 1)
		}
	}
	f.add("fits", boolean(len(textgen.Check(r, d)) == 0), 1)
	for _, h := range heads {
		if !isPhrase(d.Language, h) {
			f.add("whole", boolean(isWhole(plain, h)), 1)
		}
		f.add("heads", float64(runes(h)), 0)
	}
	f.add("heads", 0, float64(runes(strings.Join(slides, ""))))
	closings := 0
	for _, h := range heads {
		if isPhrase(d.Language, h) {
			closings++
		}
	}
	if s.own {
		closings++
	}
	f.add("closing", boolean(closings <= 1), 1)
	f.add("caption", boolean(badCaption(s, d) == ""), 1)
	if bad := badCaption(s, d); bad != "" && os.Getenv("CORPUS") != "" {
		fmt.Printf("   caption of %s: %s\n", s.name, bad)
	}
	for _, tag := range d.Tags {
		f.add("tags", boolean(!notags[tag]), 1)
	}
}

func boolean(ok bool) float64 {
	if ok {
		return 1
	}
	return 0
}

// contentOf returns the words of a text that carry content, folded; for scripts without spaces, the characters.
func contentOf(language, text string) []string {
	var out []string
	for _, w := range strings.Fields(textgen.Fold(strings.ReplaceAll(text, "'", " "))) {
		if r := firstRune(w); !textgen.Spaced(r) || strings.IndexFunc(w,
			func(r rune) bool { return !textgen.Spaced(r) }) >= 0 {
			for _, r := range w {
				out = append(out, string(r))
			}
			continue
		}
		if !lang.IsStop(language, w) {
			out = append(out, w)
		}
	}
	return out
}

func counted(words []string) map[string]int {
	n := map[string]int{}
	for _, w := range words {
		n[w]++
	}
	return n
}

// common returns the length of the longest common subsequence.
func common(a, b []string) int {
	prev := make([]int, len(b)+1)
	for _, x := range a {
		cur := make([]int, len(b)+1)
		for j, y := range b {
			if x == y {
				cur[j+1] = prev[j] + 1
			} else {
				cur[j+1] = max(cur[j], prev[j+1])
			}
		}
		prev = cur
	}
	return prev[len(b)]
}

func isPhrase(language, heading string) bool {
	for _, p := range Phrases(language) {
		before, after, _ := strings.Cut(p, "%s")
		if strings.HasPrefix(heading, before) && strings.HasSuffix(heading, after) {
			return true
		}
	}
	return false
}

// isWhole reports whether every line of a heading begins and ends where a sentence, line or clause of the text does.
func isWhole(source, heading string) bool {
	source = strings.ToLower(source)
	if inner := strings.Trim(heading, "\"“”„«» "); inner != heading &&
		!strings.Contains(source, strings.ToLower(heading)) {
		heading = inner // a part of a quotation
	}
	for _, line := range strings.Split(strings.ToLower(heading), "\n") {
		line = strings.TrimSpace(partMark.ReplaceAllString(listMark.ReplaceAllString(line, ""), ""))
		at := strings.Index(source, line)
		if at < 0 {
			return false
		}
		before := lastRune(strings.TrimRight(source[:at], " "))
		after := firstRune(strings.TrimLeft(source[at+len(line):], " "))
		if before != 0 && !strings.ContainsRune("\n.!?:。！？：\"“„«»「」”()（", before) && !isPicture(before) {
			return false
		}
		if after != 0 && !strings.ContainsRune("\n.!?:;,。！？：；，、\"”“»」()（）–—-", after) &&
			!strings.ContainsRune(".!?。！？…\"”“»」", lastRune(line)) && !isPicture(after) {
			return false
		}
	}
	return true
}

// badCaption returns the error of a caption; empty for a good one.
func badCaption(s sampleText, d textgen.Draft) string {
	c := strings.TrimSpace(d.Caption)
	if end := lastRune(c); !strings.ContainsRune(".!?。！？…\"”“»」)", end) && !isPicture(end) &&
		!linkOf.MatchString(lastField(c)) && !strings.HasPrefix(lastField(c), "#") && !unicode.IsDigit(end) {
		return "it ends in the air"
	}
	folded := " " + textgen.Fold(c) + " "
	lead := ""
	for _, line := range strings.Split(s.text, "\n") {
		bare := listMark.ReplaceAllString(line, "")
		if line == "" {
			continue
		}
		if bare == line {
			lead = line
			continue
		}
		first := bare
		if said := sentences(bare); len(said) > 0 {
			first = said[0]
		}
		if strings.Contains(folded, " "+textgen.Fold(first)+" ") && lead != "" &&
			!strings.Contains(folded, " "+textgen.Fold(lead)+" ") {
			return fmt.Sprintf("the item %q stands without %q", bare, lead)
		}
	}
	source := strings.ReplaceAll(textgen.Fold(pipes.ReplaceAllString(listMark.ReplaceAllString(s.text, ""), "\n")),
		" ", "")
	for _, said := range sentences(c) {
		if f := strings.ReplaceAll(textgen.Fold(said), " ", ""); !strings.Contains(source, f) &&
			!isPhrase(d.Language, strings.TrimRight(said, ".。")) {
			return fmt.Sprintf("%q is no sentence of the text", said)
		}
	}
	return ""
}

func lastField(s string) string {
	f := strings.Fields(s)
	if len(f) == 0 {
		return ""
	}
	return f[len(f)-1]
}

// TestCorpusTags prints the tags of all texts by language, for review.
func TestCorpusTags(t *testing.T) {
	if os.Getenv("CORPUS") != "tags" {
		t.Skip("set CORPUS=tags to print the tags")
	}
	by := map[string]map[string]bool{}
	for _, s := range samples(t) {
		d, err := New().Write(context.Background(), textgen.Request{Context: s.text})
		if err != nil {
			continue
		}
		for _, tag := range d.Tags {
			if by[s.language] == nil {
				by[s.language] = map[string]bool{}
			}
			by[s.language][tag] = true
		}
	}
	for language, set := range by {
		var words []string
		for w := range set {
			words = append(words, w)
		}
		sort.Strings(words)
		fmt.Printf("%s: %s\n", language, strings.Join(words, " "))
	}
}
