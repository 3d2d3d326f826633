// SPDX-License-Identifier: Apache-2.0

package offline

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/reelops/reelops/internal/content/textgen"
	"github.com/reelops/reelops/internal/content/textgen/lang"
)

// Writer writes drafts from the request alone. The zero value is ready to use.
type Writer struct{}

// New returns a writer.
func New() Writer { return Writer{} }

var _ textgen.Writer = Writer{}

// Write returns a draft. The same request always has the same draft.
func (Writer) Write(ctx context.Context, r textgen.Request) (textgen.Draft, error) {
	if err := ctx.Err(); err != nil {
		return textgen.Draft{}, textgen.Fail("Text generation was stopped before it started", true, err)
	}
	if err := r.Validate(); err != nil {
		return textgen.Draft{}, err
	}
	d := read(r).draft()
	if len(d.Slides) == 0 {
		return textgen.Draft{}, textgen.Fail(nothingToShow, false, nil)
	}
	if bad := textgen.Check(r, d); len(bad) > 0 {
		return textgen.Draft{}, textgen.Fail("No slides could be written from this text", false, fmt.Errorf("%s",
			strings.Join(bad, "; ")))
	}
	return d, nil
}

// nothingToShow is the error message for a text without words and for an instruction without a topic.
const nothingToShow = "The context has no text that a slide can show; add the message of the slides"

// story is the state of one draft.
type story struct {
	r        textgen.Request
	tag      string
	words    phrases
	brief    brief
	title    string  // the text's own headline, or empty
	blocks   []block // the rest of the text
	omitted  []string
	plain    string // the whole content as one text
	hashtags []string
	address  string // host of a context that is only an address
	keyWords map[string]bool
}

func read(r textgen.Request) *story {
	s := &story{r: r}
	text := clean(r.Context)
	if host := strings.TrimSpace(text); !strings.ContainsAny(host, " \n") && reAddress.FindString(host) == host &&
		host != "" && !strings.Contains(host, "@") {
		text = addressWords(r.Context)
		s.address = strings.SplitN(host, "/", 2)[0]
	}
	blocks, hashtags := parse(text)
	s.hashtags = hashtags
	s.tag = lang.Detect(text, r.Language)
	s.words = phrasesFor(s.tag)
	s.brief, blocks = readBrief(blocks)
	s.blocks = s.allowed(blocks)
	if len(s.blocks) > 0 && s.blocks[0].kind == heading {
		s.title, s.blocks = s.blocks[0].text, s.blocks[1:]
	}
	all := []string{s.title}
	for _, b := range s.blocks {
		all = append(all, b.say())
	}
	s.plain = strings.TrimSpace(strings.Join(append(all, s.brief.topic), "\n"))
	s.keyWords = tellingWords(s.tag, s.plain)
	return s
}

// addressWords returns the words of an address as text, for a context that is only an address.
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
		if weight(p) >= 2 { // a single word of a path is meaningless on a slide
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

// allowed returns the blocks without a banned word. If none is left, it removes only the banned words.
func (s *story) allowed(blocks []block) []block {
	words := s.r.Brand.BannedWords
	if len(words) == 0 {
		return blocks
	}
	var out []block
	for _, b := range blocks {
		if textgen.Banned(b.label+" "+b.text, words) == "" {
			out = append(out, b)
			continue
		}
		s.omitted = append(s.omitted, b.say())
	}
	if len(out) > 0 {
		return out
	}
	s.omitted = nil
	for _, b := range blocks {
		b.text, b.label, b.raw = without(b.text, words), without(b.label, words), ""
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

// proseAim is the number of slides that prose without lists fills before sentences share a slide. More slides would be
// tedious.
const proseAim = 8

// draft returns the draft. It has no slides if there is nothing to show. If the text and the brand's profile do not
// fill the slides, it has fewer than requested and a shortfall. A neutral call to action only closes a story; it never
// replaces content.
func (s *story) draft() textgen.Draft {
	cards := s.opened(unlike(settle(s.tag, deal(s.tag, s.blocks))))
	if len(cards) == 0 {
		return textgen.Draft{}
	}
	call, neutral := s.call(cards)
	most, least := textgen.MaxSlides, textgen.MinSlides
	if s.r.SlideCount != 0 {
		most, least = s.r.SlideCount, s.r.SlideCount
	}
	aim := most
	if s.r.SlideCount == 0 && !structured(cards) {
		aim = proseAim
	}
	if neutral && len(cards) == most {
		call = card{} // the text fills the slides itself
	}
	fit := func(n int) []card { return append(cards[:1:1], shrink(s.tag, cards[1:], max(n-1, 1))...) }
	room := most
	if call.head != "" {
		room, aim = room-1, aim-1
	}
	full := fit(aim)
	if neutral && call.head != "" && len(full) > room {
		call, room = card{}, most // a neutral call must not displace content
		full = fit(room)
	}
	if len(full) > room {
		// If not all of the text fits, keep its paragraphs together.
		if full = shrink(s.tag, repack(s.tag, cards, true), room); len(full) > room {
			full = repack(s.tag, cards, false)
		}
	}
	cards = full
	var overflow []string
	if len(cards) > room {
		cards, overflow = s.drop(cards, room)
	}
	wanted := least
	if call.head != "" {
		wanted--
	}
	if len(cards) < wanted {
		cards = s.widen(cards, wanted)
	}
	cards = s.extended(cards, call, wanted)
	if neutral && len(cards) == 1 {
		call = card{}
	}
	if call.head != "" {
		cards = append(cards, call)
	}
	for i, c := range cards {
		if runes(c.head) <= textgen.MaxHeading || strings.Contains(c.head, "\n") {
			continue
		}
		c.shape = plain // a single point left of its list
		var rest string
		if cards[i], rest = c.fit(s.tag); rest != "" {
			overflow = append(overflow, rest)
		}
	}
	cards = unlike(cards)
	d := textgen.Draft{Language: s.tag}
	whole := s.tagWords()
	for i, c := range cards {
		role := textgen.RolePoint
		if i == 0 {
			role = textgen.RoleHook
		}
		d.Slides = append(d.Slides, textgen.Slide{
			Role: role, Heading: c.head, Body: c.body, AltText: s.alt(c),
			Keywords: keywords(s.tag, c.text(), whole),
		})
	}
	if n := cmp.Or(s.r.SlideCount, textgen.MinSlides); len(d.Slides) < n {
		d.Shortfall = &textgen.Shortfall{Wanted: n, FromText: len(d.Slides)}
		if neutral && call.head != "" {
			d.Shortfall.FromText--
		}
	}
	if last := len(d.Slides) - 1; d.Shortfall == nil || call.head != "" && last > 0 {
		d.Slides[last].Role = textgen.RoleCallToAction // without a call, the last words of the text close the story
	}
	s.finish(&d, cards, overflow)
	return d
}

// alt returns the text of a card in one line.
func (s *story) alt(c card) string {
	if c.flows {
		return clip(s.tag, strings.ReplaceAll(c.say(s.tag), "\n", " "))
	}
	var parts []string
	for _, line := range strings.Split(c.text(), "\n") {
		parts = append(parts, endWith(s.tag, line))
	}
	if len(parts) == 1 {
		return c.head
	}
	return clip(s.tag, strings.Join(parts, " "))
}

func clip(tag, text string) string {
	if runes(text) <= textgen.MaxAltText {
		return text
	}
	return shorten(tag, text, textgen.MaxAltText)
}

// structured reports whether any card is more than prose.
func structured(cards []card) bool {
	for _, c := range cards {
		if c.run != 0 || c.shape != plain || c.question {
			return true
		}
	}
	return false
}

// opened returns the cards with a hook in front: the hook from the brief, the text's own headline, or the first words
// of the text.
func (s *story) opened(cards []card) []card {
	b := &s.brief
	hook := card{para: -1}
	switch {
	case b.hook != "" && s.ok(b.hook):
		hook.head = b.hook
	case b.topic != "" && s.ok(b.topic):
		hook.head = b.topic
		if b.audience != "" && lang.Base(s.tag) == "en" &&
			runes(hook.head)+runes(b.audience) < textgen.MaxHeading-6 &&
			!strings.Contains(strings.ToLower(hook.head), strings.ToLower(b.audience)) && !endsSentence(hook.head) {
			hook.head += " for " + strings.TrimPrefix(b.audience, "for ")
		}
		if s.title != "" {
			cards = append([]card{{head: s.title, para: -1}}, cards...)
		}
	case s.title != "":
		hook.head = s.title
	case len(cards) == 0:
		return s.borrowed()
	case cards[0].run != 0 && !cards[0].call && cards[0].quoted == "" && s.untitled(cards):
		hook.head = fmt.Sprintf(s.words.count, itoa(pointsOf(cards, cards[0].run)))
	default:
		return cards
	}
	hook, rest := hook.fit(s.tag)
	if rest != "" {
		more, _ := card{head: rest, para: -1}.fit(s.tag)
		cards = append([]card{more}, cards...)
	}
	if hook.body == "" {
		cards = led(s.tag, &hook, cards)
	}
	if !hasWord(hook.head) {
		return cards
	}
	return unlike(append([]card{hook}, cards...))
}

// led moves a short introductory paragraph below the headline and returns the remaining cards.
func led(tag string, hook *card, cards []card) []card {
	lead := ""
	n := 0
	for ; n < len(cards) && cards[n].shape == plain && cards[n].run == 0 && !cards[n].question &&
		cards[n].para >= 0 && cards[n].para == cards[0].para; n++ {
		lead = join(lead, endWith(tag, cards[n].say(tag)))
	}
	if n == 0 || n+1 >= len(cards) || runes(lead) > bodyAim || n > 1 && cards[n].run == 0 ||
		cards[n].group == cards[0].group {
		return cards
	}
	if hook.body = lead; len(sentences(lead)) == 1 {
		hook.body = dropStop(lead)
	}
	return cards[n:]
}

// untitled reports whether a text is a list of items without a headline of its own. The first line of a list with emoji
// bullets counts as a headline, as does the first post of a thread.
func (s *story) untitled(cards []card) bool {
	return s.words.count != "" && s.blocks[0].kind == item && !s.blocks[0].drawn && !s.blocks[0].post && pointsOf(cards, cards[0].run) >= 3
}

func pointsOf(cards []card, run int) int {
	n := 0
	for _, c := range cards {
		if c.run == run {
			n += len(c.points)
		}
	}
	return n
}

// borrowed returns the hook of a context without words: the brand's own description, or the only symbol of the context.
func (s *story) borrowed() []card {
	for _, t := range []string{s.r.Brand.Offer, s.r.Brand.Description} {
		if hasWord(t) && s.ok(t) {
			return settle(s.tag, []card{{head: tidy(cleanInline(clean(t))), para: -1}})
		}
	}
	if t := strings.TrimSpace(clean(s.r.Context)); isPictureOnly(t) && runes(t) <= textgen.MaxHeading &&
		!s.brief.found {
		return []card{{head: t, para: -1}}
	}
	return nil
}

// extended adds sentences from the brand's profile if the context has too little content.
func (s *story) extended(cards []card, call card, n int) []card {
	for _, t := range append(append([]string(nil), s.r.Brand.ValuePoints...), s.r.Brand.Description, s.r.Brand.Offer) {
		for _, x := range sentences(clean(t)) {
			if len(cards) >= n {
				return cards
			}
			c, rest := card{head: tidy(cleanInline(x)), para: -1}.fit(s.tag)
			if rest != "" || !hasWord(c.head) || !s.ok(c.text()) || textgen.Fold(c.head) == textgen.Fold(call.head) {
				continue
			}
			cards = unlike(append(cards, c))
		}
	}
	return cards
}

func (s *story) tagWords() []string {
	topic := s.title + " " + s.brief.topic
	of := append(english(s.tag, topic), themes(s.tag, topic+"\n"+s.plain)...)
	return unique(append(of, salient(s.tag, topic+" "+s.plain)...))
}
