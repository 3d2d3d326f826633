// SPDX-License-Identifier: Apache-2.0

package offline

import (
	"strings"
	"unicode"

	"github.com/reelops/reelops/internal/content/textgen"
	"github.com/reelops/reelops/internal/content/textgen/lang"
)

// shape is the layout of a card.
type shape int

const (
	plain  shape = iota // a heading with optional supporting text
	rows                // equal points, one per line, all in the heading
	listed              // a heading that names the points, and the points in the body, one per line
)

// card is the content of a possible slide. No two cards share content.
type card struct {
	shape      shape
	head, body string
	flows      bool     // the body continues the sentence of the heading
	joint      string   // the punctuation between the two, if flows is set
	run        int      // cards of one list have the same number; 0 for none
	points     []string // the equal points of a list, as lines
	para       int      // paragraph of prose, -1 otherwise
	group      int
	quoted     string // on the first card of a quotation, the whole quotation as running text
	question   bool   // the heading is a question, the body its answer
	call       bool   // the text marks it as the call to action
}

func (c card) text() string { return strings.TrimSpace(c.head + "\n" + c.body) }

// say returns the card as running text; lines stay separate.
func (c card) say(tag string) string {
	switch {
	case c.flows:
		return join(c.head+c.joint, endWith(tag, c.body))
	case c.shape == listed:
		return c.head + ":\n" + c.body
	case c.shape == plain && c.body != "" && !isFrom(c.body):
		return join(endWith(tag, c.head), endWith(tag, c.body))
	}
	return c.text()
}

const (
	// rowsAim is the number of characters of equal points on one slide before more slides are used.
	rowsAim = 110
	// mostRows is the maximum number of lines of equal points on one slide.
	mostRows = 7
	// shortPoint is the maximum length of points that share a slide.
	shortPoint = 48
	// bodyAim is the length of the body under a sentence before more slides are used.
	bodyAim = 120
)

// dealer converts blocks to cards, in their order.
type dealer struct {
	tag    string
	blocks []block
	cards  []card
	runs   int
	few    bool // few paragraphs: a long one fills several slides
	lines  bool // three or more paragraphs: each is one thought
}

func deal(tag string, blocks []block) []card {
	d := &dealer{tag: tag, blocks: blocks}
	paras := map[int]bool{}
	for _, b := range blocks {
		if b.kind == prose {
			paras[b.para] = true
		}
	}
	d.lines, d.few = len(paras) >= 3, len(paras) < 7
	for i := 0; i < len(blocks); {
		i += d.next(i)
	}
	return d.cards
}

func (d *dealer) add(c card) { d.cards = append(d.cards, c) }

// next adds cards for the block at i and for those that belong to it, and returns the number of these blocks.
func (d *dealer) next(i int) int {
	switch b := d.blocks[i]; b.kind {
	case heading:
		return 1 + d.section(b.text, i+1)
	case item, pair:
		return d.list("", i)
	case prose:
		return d.paragraph(i)
	case quote:
		d.quotation(b)
	default:
		d.passage(card{para: -1, group: b.group}, b.text, rows)
	}
	return 1
}

// section adds cards for the blocks below a heading.
func (d *dealer) section(label string, i int) int {
	next := kind(-1)
	if i < len(d.blocks) {
		next = d.blocks[i].kind
	}
	switch {
	case next == item || next == pair:
		return d.list(label, i)
	case next == prose && runes(label) <= textgen.MaxHeading && !asks(label):
		// The section's first paragraph supports its name as far as it fits.
		c := card{head: label, para: d.blocks[i].para, group: d.blocks[i].group}
		n := 0
		for ; i+n < len(d.blocks) && d.blocks[i+n].kind == prose && d.blocks[i+n].para == c.para; n++ {
			s := d.blocks[i+n].text
			if c.body != "" && runes(c.body)+runes(s) >= bodyAim || runes(s) > textgen.MaxBody {
				break
			}
			c.body = join(c.body, s)
		}
		d.add(c)
		return n
	}
	d.passage(card{para: -1}, label, plain)
	return 0
}

// paragraph adds cards for the sentences of one paragraph.
func (d *dealer) paragraph(i int) int {
	first := d.blocks[i]
	n := 0
	for i+n < len(d.blocks) && d.blocks[i+n].kind == prose && d.blocks[i+n].para == first.para {
		n++
	}
	// A question and the paragraph right below it, which answers it.
	answer := i + n
	if n == 1 && asks(first.text) && answer < len(d.blocks) && d.blocks[answer].kind == prose &&
		d.blocks[answer].group == first.group && !asks(d.blocks[answer].text) {
		for answer < len(d.blocks) && d.blocks[answer].kind == prose && d.blocks[answer].para == d.blocks[i+n].para {
			answer++
		}
		n = answer - i
	}
	for k := i; k < i+n; k++ {
		b := d.blocks[k]
		prev := len(d.cards) - 1
		if k > i && d.supports(d.cards[prev], b.text) {
			d.cards[prev].body = join(d.cards[prev].body, b.text)
			continue
		}
		d.passage(card{para: b.para, group: b.group, question: asks(b.text) && k+1 < i+n}, b.text, plain)
	}
	return n
}

// supports reports whether a sentence belongs below the heading of a card, not on a card of its own.
func (d *dealer) supports(c card, s string) bool {
	length := runes(c.body) + runes(s) + 1
	switch {
	case c.run != 0 || c.shape != plain || c.flows || length > textgen.MaxBody || runes(c.head) > textgen.MaxHeading:
		return false
	case c.question:
		return true
	case (leans(d.tag, s) || weight(s) <= 3 && c.body == "" && len(d.cards) > 1 &&
		s != d.blocks[len(d.blocks)-1].text) && !asks(s):
		return true
	case !d.lines:
		return false
	}
	return c.body == "" || length <= bodyAim || !d.few
}

// quotation adds cards for a quotation. Every card has quotation marks, the last one also the source.
func (d *dealer) quotation(b block) {
	text := []rune(b.text)
	open, end := string(text[:1]), string(text[len(text)-1:])
	inner := strings.TrimSpace(string(text[1 : len(text)-1]))
	if spaced := strings.HasPrefix(b.text, open+" "); spaced {
		open, end = open+" ", " "+end
	}
	said := sentences(inner)
	var parts []string
	for _, s := range said {
		n := len(parts)
		if n > 0 && len(said) > 2 && runes(parts[n-1])+runes(s) < textgen.MaxHeading-4 {
			parts[n-1] = join(parts[n-1], s)
			continue
		}
		parts = append(parts, s)
	}
	for i, p := range parts {
		c := card{head: open + p + end, para: -1, group: b.group}
		if runes(c.head) > textgen.MaxHeading {
			head, rest := headOf(d.tag, p, textgen.MaxHeading-4)
			c.head, c.body = open+head+end, open+rest+end
		}
		if i == len(parts)-1 && b.label != "" {
			c.body = strings.TrimSpace(c.body + "\n" + b.label)
		}
		if i == 0 {
			c.quoted = strings.TrimRightFunc(b.say(), func(r rune) bool { return isPicture(r) || r == ' ' })
		}
		c.run = d.runs + 1
		d.add(c)
	}
	d.runs++
}

// passage adds one card for a text, or several if it is too long for one.
func (d *dealer) passage(like card, text string, as shape) {
	if as == rows {
		for i, lines := range evenly(strings.Split(text, "\n"), textgen.MaxBody, mostRows) {
			c := like
			c.shape, c.points = rows, lines
			c.head = strings.Join(lines, "\n")
			c.run = d.runs + 1
			if i == 0 {
				c.quoted = strings.ReplaceAll(text, "\n", " ")
			}
			d.add(c)
		}
		d.runs++
		return
	}
	for _, p := range clauses(d.tag, text, textgen.MaxHeading+textgen.MaxBody-20) {
		c := like
		c.head = p
		d.add(c)
	}
}

// list adds cards for the items and pairs from i on.
func (d *dealer) list(label string, i int) int {
	n := 0
	for i+n < len(d.blocks) && !d.blocks[i+n].slide && (n == 0 || d.continues(i, n)) {
		n++
	}
	if n == 0 {
		n = 1 // a slide that the text defines explicitly
	}
	if label == "" && n >= 2 && i+n == len(d.blocks) && d.reaches(i+n-1) && !d.reaches(i+n-2) {
		n-- // the last line has contact details: the closing slide
	}
	all := d.blocks[i : i+n]
	d.runs++
	var points []string
	short, figures, longest := true, 0, 0 // short points share a slide
	for _, b := range all {
		p := b.say()
		points = append(points, p)
		short = short && (b.kind == pair || weight(p) <= 7) && runes(p) <= shortPoint
		if dated(strings.TrimPrefix(p, b.mark)) {
			figures++
		}
		longest = max(longest, runes(p))
	}
	tabular := all[0].kind == pair && strings.Contains(all[0].text, "\n")
	switch {
	case label != "" && longest <= textgen.MaxBody-10 && !tabular:
		d.named(label, points)
	case label == "" && n >= 2 && short && !tabular && (figures*3 >= n*2 && all[0].mark == "" ||
		all[0].kind == pair) && !all[0].drawn && !all[0].slide:
		for _, lines := range evenly(points, rowsAim, 4) {
			d.add(card{
				shape: rows, head: strings.Join(lines, "\n"), points: lines, run: d.runs, para: -1,
				group: all[0].group,
			})
		}
	default:
		if label != "" {
			d.passage(card{para: -1, group: all[0].group}, label, plain)
		}
		for _, b := range all {
			d.point(b)
		}
	}
	return n
}

// reaches reports whether a block has an address, an account or a telephone number.
func (d *dealer) reaches(i int) bool { return reContact.MatchString(d.blocks[i].say()) }

// continues reports whether the block n places after i belongs to the list that begins there: no blank line separates
// them, or one separates every two items.
func (d *dealer) continues(i, n int) bool {
	first, b := d.blocks[i], d.blocks[i+n]
	switch {
	case b.kind != item && b.kind != pair || (b.mark == "") != (first.mark == "") || b.drawn != first.drawn || b.call:
		return false
	case b.group == d.blocks[i+n-1].group:
		return true
	}
	return b.kind == item && first.kind == item && b.group-first.group == n
}

// named adds cards for points below the label that names them.
func (d *dealer) named(label string, points []string) {
	parts := evenly(points, textgen.MaxBody, mostRows)
	for i, lines := range parts {
		c := card{
			shape: listed, head: label, body: strings.Join(lines, "\n"), points: lines,
			run: d.runs, para: -1,
		}
		if len(parts) > 1 {
			c.head = label + " (" + itoa(i+1) + "/" + itoa(len(parts)) + ")"
		}
		d.add(c)
	}
}

// evenly splits lines into the fewest groups of about the same size that respect a limit in characters and a limit in
// lines.
func evenly(lines []string, limit, most int) [][]string {
	for parts := 1; ; parts++ {
		var out [][]string
		fits := true
		for i := range parts {
			from, to := (i*len(lines)+parts-1)/parts, ((i+1)*len(lines)+parts-1)/parts
			out = append(out, lines[from:to])
			fits = fits && (to-from <= 1 || to-from <= most && runes(strings.Join(lines[from:to], "\n")) <= limit)
		}
		if fits {
			return out
		}
	}
}

// point adds the card of one item: "Label: what it means", "Label – what it means" and "First. Then more." have a
// heading and a body.
func (d *dealer) point(b block) {
	c := card{para: -1, group: b.group, run: d.runs, call: b.call, points: []string{b.say()}}
	mark := ""
	if b.mark != "" {
		mark = b.mark + ". "
	}
	if b.kind == pair {
		if said := sentences(b.text); b.raw != "" && len(said) > 1 && runes(b.label)+runes(said[0]) <= 48 &&
			dated(said[0]) {
			c.head, c.body = strings.TrimSpace(strings.TrimSuffix(b.raw, strings.Join(said[1:], " "))),
				strings.Join(said[1:], " ")
		} else if b.raw != "" && runes(b.raw) <= 48 {
			c.head = b.raw
		} else {
			c.head, c.body = b.label, b.text
		}
	} else {
		head, body := split(b.text)
		c.head, c.body = mark+head, body
	}
	if runes(c.body) > textgen.MaxBody || runes(c.head) > textgen.MaxHeading && c.body != "" {
		// Too long for one slide: the rest continues on the next one.
		rest := c.body
		c.body = ""
		d.add(c)
		d.passage(card{para: -1, group: b.group}, rest, plain)
		return
	}
	d.add(c)
}

// split returns the heading and the body of an item.
func split(s string) (head, body string) {
	if m := rePair.FindStringSubmatch(s); m != nil && len(strings.Fields(m[1])) <= 6 && hasWord(m[1]) &&
		!unicode.IsDigit(lastRune(m[1])) {
		if runes(s) <= 40 {
			return s, ""
		}
		return tidy(m[1]), capital(tidy(m[2]))
	}
	for _, dash := range []string{" – ", " — ", " - ", "——", "—"} {
		if a, b, ok := strings.Cut(s, dash); ok && weight(a) >= 1 && weight(b) >= 2 && runes(a) <= 60 && runes(s) > 40 {
			if a, b = tidy(a), tidy(b); hasWord(a) && hasWord(b) {
				return a, capital(b)
			}
		}
	}
	if parts := sentences(s); len(parts) > 1 && runes(parts[0]) <= textgen.MaxHeading-4 {
		return tidy(parts[0]), tidy(strings.Join(parts[1:], " "))
	}
	return s, ""
}

// clauses splits a text that is longer than a limit where a new thought begins.
func clauses(tag, s string, limit int) []string {
	if runes(s) <= limit {
		return []string{s}
	}
	a, b, ok := "", "", false
	if runes(s) <= 4*limit { // in a longer text the pieces are found from its beginning
		a, b, ok = halves(tag, s, 4, 3)
	}
	if !ok {
		if a, b = headOf(tag, s, limit-2); b == "" {
			return []string{a}
		}
	}
	return append(clauses(tag, a, limit), clauses(tag, b, limit)...)
}

// dependents are words at the beginning of a sentence that refer to the previous sentence.
var dependents = map[string]string{
	"en": "it its this that they these those he she his her their so but and also then however instead otherwise there here because which plus",
	"es": "esto eso ellos ellas así pero y también luego además", "fr": "il elle ils elles ce cela ça c'est ainsi mais et aussi puis",
	"de": "er sie es das dies diese dabei dafür dadurch deshalb aber und auch dann so danach", "it": "questo quello così ma e anche poi inoltre",
	"pt": "isso isto ele ela eles elas assim mas e também depois", "nl": "het dit dat deze ze hij zo maar en ook dan", "pl": "to on ona one tak ale i też potem dlatego",
	"ru": "он она оно они это так но и также потом поэтому а", "uk": "він вона воно вони це так але і також потім тому",
	"ar": "هذا هذه وهو وهي لكن ثم كما", "he": "זה זו הוא היא הם אבל וגם אז", "hi": "यह ये वह वे इससे इसलिए लेकिन और फिर", "ja": "これは それは そして しかし また だから", "zh": "这 它 但 而且 所以 因此", "ko": "이것은 그래서 하지만 그리고 또한",
}

func leans(tag, s string) bool {
	words := dependents[lang.Base(tag)]
	lower := strings.ToLower(s)
	first, _, _ := strings.Cut(lower, " ")
	first = strings.Trim(first, ",'’")
	first, _, _ = strings.Cut(first, "'")
	for _, w := range strings.Fields(words) {
		if first == w || !textgen.Spaced(firstRune(w)) && strings.HasPrefix(lower, w) {
			return true
		}
	}
	return false
}

// fit returns a card within the length limits of a slide: text that does not fit in the heading continues in the body.
// rest is the text that did not fit either.
func (c card) fit(tag string) (fitted card, rest string) {
	if c.shape == plain {
		c.head = tidy(c.head)
		if runes(c.head) > textgen.MaxHeading {
			whole := c.head
			head, tail := headOf(tag, whole, textgen.MaxHeading-1)
			c.head, c.flows = head, hasWord(tail) && !endsSentence(head)
			if c.flows {
				c.joint = commaAfter(whole, head)
			}
			c.body = join(tail, c.body)
		}
	}
	if runes(c.body) > textgen.MaxBody {
		c.body, rest = bodyOf(tag, c.body)
	}
	if c.shape == plain {
		c.head, c.body = capital(c.head), strings.TrimSpace(c.body)
		// A lone sentence on a slide looks calmer without its full stop.
		mark := ""
		if m := numberedItem(c.head); m != nil {
			mark = strings.TrimSuffix(c.head, m[5])
		}
		c.head = mark + dropStop(strings.TrimPrefix(c.head, mark))
		if len(sentences(c.body)) == 1 && !strings.Contains(c.body, "\n") {
			c.body = dropStop(c.body)
		}
		if !c.flows || c.joint != "" && !strings.ContainsAny(c.joint, ",，、،") {
			c.body = capital(c.body) // after a colon or a dash a new thought begins
		}
	}
	if !hasWord(c.body) && !isPictureOnly(c.body) {
		c.body = ""
	}
	return c, rest
}

// bodyOf returns the part of a text that fits into a body, in whole lines or sentences if possible, and the rest.
func bodyOf(tag, text string) (body, rest string) {
	parts, sep := strings.Split(text, "\n"), "\n"
	if len(parts) == 1 {
		parts, sep = sentences(text), " "
	}
	for i, p := range parts {
		next := strings.TrimSpace(body + sep + p)
		if sep == " " {
			next = join(body, p)
		}
		if runes(next) > textgen.MaxBody {
			rest = strings.Join(parts[i:], sep)
			break
		}
		body = next
	}
	if body == "" {
		body, rest = headOf(tag, text, textgen.MaxBody-1)
	}
	return body, rest
}

// commaAfter returns the punctuation between a heading and its continuation in the body.
func commaAfter(whole, head string) string {
	rest, ok := strings.CutPrefix(whole, head)
	if !ok {
		return ""
	}
	for _, c := range []string{",", "，", "、", "،", ":", "：", " –", " —", "—"} {
		if strings.HasPrefix(rest, c) {
			return c
		}
	}
	return ""
}

func dropStop(s string) string {
	if len(sentences(s)) != 1 || strings.Count(s, ". ") > 1 {
		return s
	}
	for _, stop := range []string{"。", "।", "｡", "۔", "."} {
		if t, ok := strings.CutSuffix(s, stop); ok && !strings.HasSuffix(t, ".") && hasWord(t) &&
			(!strings.Contains(lastWord(t), ".") || reAddress.MatchString(lastWord(t))) {
			return t
		}
	}
	return s
}

// join returns two sentences as one text, with a space if the script uses spaces.
func join(a, b string) string {
	if b == "" {
		return a
	}
	if a == "" {
		return b
	}
	if last := lastRune(a); strings.ContainsRune("。！？｡…", last) && !textgen.Spaced(firstRune(b)) {
		return a + b
	}
	return a + " " + b
}

// endWith returns a sentence with the full stop of its script.
func endWith(tag, s string) string {
	if s = strings.TrimRight(s, " ,;:"); s == "" || endsSentence(s) || isPicture(lastRune(s)) {
		return s
	}
	switch lang.Base(tag) {
	case "ja", "zh":
		return s + "。"
	case "hi", "mr":
		return s + "।"
	case "th":
		return s
	case "ur":
		return s + "۔"
	}
	return s + "."
}

func itoa(n int) string {
	if n >= 10 {
		return itoa(n/10) + itoa(n%10)
	}
	return string(rune('0' + n))
}
