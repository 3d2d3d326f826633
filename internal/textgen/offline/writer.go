// SPDX-License-Identifier: Apache-2.0

package offline

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/reelops/reelops/internal/textgen"
	"github.com/reelops/reelops/internal/textgen/lang"
)

// Writer writes drafts from the request alone. The zero value is ready to use.
type Writer struct{}

// New makes the writer.
func New() Writer { return Writer{} }

var _ textgen.Writer = Writer{}

// Write makes the draft. The same request always gives the same draft.
func (Writer) Write(ctx context.Context, r textgen.Request) (textgen.Draft, error) {
	if err := ctx.Err(); err != nil {
		return textgen.Draft{}, textgen.Fail("Writing was stopped before it began", true, err)
	}
	if err := r.Validate(); err != nil {
		return textgen.Draft{}, err
	}
	d := read(r).draft()
	if len(d.Slides) == 0 {
		return textgen.Draft{}, textgen.Fail(nothingToShow, false, nil)
	}
	if bad := textgen.Check(r, d); len(bad) > 0 {
		return textgen.Draft{}, textgen.Fail("No slides could be made of this text", false, fmt.Errorf("%s", strings.Join(bad, "; ")))
	}
	return d, nil
}

// nothingToShow is the failure of a text without words and of an instruction that names no topic.
const nothingToShow = "The context has no words that a slide could show; add what the slides should show"

// story is one draft in the making.
type story struct {
	r        textgen.Request
	tag      string
	words    phrases
	brief    brief
	m        material
	plain    string // all of the content in one piece
	hashtags []string
	address  string
	telling  map[string]bool
	used     map[string]bool // folded texts on slides
}

func read(r textgen.Request) *story {
	s := &story{r: r, used: map[string]bool{}}
	text := clean(r.Context)
	if host := strings.TrimSpace(text); !strings.ContainsAny(host, " \n") && reAddress.FindString(host) == host && host != "" && !strings.Contains(host, "@") {
		text = addressWords(r.Context)
		s.address = strings.SplitN(host, "/", 2)[0]
	}
	blocks, hashtags := parse(text)
	s.hashtags = hashtags
	s.tag = lang.Detect(text, r.Language)
	s.words = phrasesFor(s.tag)
	s.brief, blocks = readBrief(blocks)
	blocks = s.allowed(blocks)
	s.m = gather(s.tag, blocks)
	if s.address == "" {
		if m := linkedURL.FindStringSubmatch(" " + r.Context); m != nil {
			s.address = shortURL(m[1])
		}
	}
	if s.address == "" {
		s.address = strings.TrimRight(reAddress.FindString(text), ".")
	}
	var all []string
	for _, b := range blocks {
		all = append(all, strings.TrimSpace(b.label+" "+b.text))
	}
	s.plain = strings.Join(append(all, s.brief.topic), "\n")
	s.telling = tellingWords(s.tag, s.plain)
	return s
}

// addressWords are the words in an address: all that a context of one address says.
func addressWords(raw string) string {
	raw = strings.TrimSpace(raw)
	if i := strings.Index(raw, "://"); i >= 0 {
		raw = raw[i+3:]
	}
	raw, _, _ = strings.Cut(raw, "?")
	raw, _, _ = strings.Cut(raw, "#")
	parts := strings.Split(strings.Trim(raw, "/"), "/")
	var lines []string
	for _, p := range parts[1:] {
		p, _, _ = strings.Cut(p, ".")
		p = capital(tidy(strings.NewReplacer("-", " ", "_", " ", "+", " ", "%20", " ").Replace(p)))
		if weight(p) >= 2 { // one word of a path is meaningless on a slide
			lines = append(lines, p)
		}
	}
	name := strings.TrimPrefix(strings.ToLower(parts[0]), "www.")
	name, _, _ = strings.Cut(name, ".")
	if name = capital(strings.ReplaceAll(name, "-", " ")); len(lines) == 0 || weight(name) >= 2 {
		lines = append(lines, name)
	}
	if len(lines) == 1 {
		return lines[0] + "\n"
	}
	return "# " + lines[0] + "\n- " + strings.Join(lines[1:], "\n- ")
}

// allowed leaves out what holds a banned word; where nothing would remain the word alone goes.
func (s *story) allowed(blocks []block) []block {
	words := s.r.Brand.BannedWords
	if len(words) == 0 {
		return blocks
	}
	var out []block
	for _, b := range blocks {
		if textgen.Banned(b.label+" "+b.text, words) == "" {
			out = append(out, b)
		}
	}
	if len(out) > 0 {
		return out
	}
	for _, b := range blocks {
		b.text, b.label = without(b.text, words), without(b.label, words)
		if hasWord(b.text) {
			out = append(out, b)
		}
	}
	return out
}

func without(text string, words []string) string {
	var kept []string
	for _, f := range strings.Fields(text) {
		if textgen.Banned(f, words) == "" {
			kept = append(kept, f)
		}
	}
	text = strings.Join(kept, " ")
	for _, w := range words {
		if textgen.Banned(text, []string{w}) != "" {
			text = strings.ReplaceAll(text, w, " ")
		}
	}
	if textgen.Banned(text, words) != "" {
		return ""
	}
	return tidy(text)
}

func (s *story) ok(text string) bool {
	return textgen.Banned(text, s.r.Brand.BannedWords) == ""
}

// take marks a text as said; false when it has been said already.
func (s *story) take(u unit) bool {
	h, b := textgen.Fold(u.head), textgen.Fold(u.body)
	if h == "" || s.used[h] || (b != "" && s.used[b]) || !s.ok(u.text()) {
		return false
	}
	s.used[h] = true
	if b != "" {
		s.used[b] = true
	}
	return true
}

// draft puts the story together. It has no slides when there is nothing to show, and fewer than requested, with a shortfall, when the
// text and the brand's profile do not fill them. A neutral call closes a story; it does not replace one.
func (s *story) draft() textgen.Draft {
	cta, neutral := s.takeCTA()
	hook, counted := s.takeHook()
	n := s.r.SlideCount
	if n == 0 {
		n = s.autoCount()
	}
	hook = fitUnit(s.tag, hook)
	if hook.head == "" {
		return textgen.Draft{}
	}
	s.take(hook)
	cta = fitUnit(s.tag, cta)
	if cta.head == "" || !s.take(cta) {
		cta, neutral = s.neutralCTA()
		s.take(cta)
	}
	listed := len(s.m.units)
	points, fromList := s.points(n - 2)
	if neutral && len(points) == 0 {
		cta = unit{}
	}
	if counted {
		fixed := recount(s.tag, hook.head, listed, fromList)
		if key := textgen.Fold(fixed); key == textgen.Fold(hook.head) || !s.used[key] {
			hook.head = fixed
			s.used[key] = true
		}
	}
	d := textgen.Draft{Language: s.tag}
	whole := s.tagWords()
	add := func(role textgen.Role, u unit) {
		alt := u.head
		switch {
		case u.flows:
			alt = join(u.head+u.joint, u.body)
		case u.body != "":
			alt = join(endWith(s.tag, u.head), u.body)
		}
		if u.joint != "" && !strings.ContainsAny(u.joint, ",，、،") {
			u.body = capital(u.body) // after a colon or a dash a new thought begins
		}
		d.Slides = append(d.Slides, textgen.Slide{Role: role, Heading: u.head, Body: u.body, AltText: alt, Keywords: keywords(s.tag, u.text(), whole)})
	}
	add(textgen.RoleHook, hook)
	for _, p := range points {
		add(textgen.RolePoint, p)
	}
	if cta.head != "" {
		add(textgen.RoleCallToAction, cta)
	}
	if n := cmp.Or(s.r.SlideCount, textgen.MinSlides); len(d.Slides) < n {
		d.Shortfall = &textgen.Shortfall{Wanted: n, FromText: len(d.Slides)}
		if neutral && cta.head != "" {
			d.Shortfall.FromText--
		}
	}
	if d.Shortfall == nil {
		d.Slides[len(d.Slides)-1].Role = textgen.RoleCallToAction // a language without phrases closes with the text's own words
	}
	s.finish(&d, hook, points, cta)
	return d
}

func (s *story) tagWords() []string {
	topic := s.m.title + " " + s.brief.topic
	of := append(english(s.tag, topic), themes(s.tag, topic+"\n"+s.plain)...)
	return unique(append(of, salient(s.tag, topic+" "+s.plain)...))
}

// autoCount goes by the amount of material: a slide for each point, fewer where prose would tire.
func (s *story) autoCount() int {
	most := 8
	if len(s.m.units) > 0 && s.m.units[0].listed {
		most = textgen.MaxSlides
	}
	n := len(s.m.units)
	if n < 3 {
		n += min(len(s.m.spare), 2)
	}
	return max(textgen.MinSlides, min(n+2, most))
}
