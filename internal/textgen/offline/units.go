// SPDX-License-Identifier: Apache-2.0

package offline

import (
	"regexp"
	"strings"
	"unicode"

	"github.com/reelops/reelops/internal/textgen"
	"github.com/reelops/reelops/internal/textgen/lang"
)

// unit is what one slide could say: a heading that fits and perhaps a body that supports it.
type unit struct {
	head, body string
	flows      bool   // the body goes on with the heading's sentence
	joint      string // the mark between the two then
	call       bool   // the text itself points at it as what to do
	drawn      bool   // a line that an emoji begins
	order      int    // the number of a numbered step
	listed     bool   // from a list, a pair or a section: part of the text's own structure
	para       int    // paragraph of a sentence, -1 otherwise
	group      int    // section
	last       bool   // among the last words of the text
	whole      string
}

func (u unit) text() string { return strings.TrimSpace(u.head + " " + u.body) }

// material is everything the context offers, in its order.
type material struct {
	title string // its own headline, if it has one
	lead  string // a heading over the list
	units []unit // the structure, or the sentences where there is none
	spare []unit // sentences beside the structure
}

// dependents begin a sentence that leans on the one before it.
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

// genericHeads are section names that tell a reader nothing.
var genericHeads = func() map[string]bool {
	set := map[string]bool{}
	for _, h := range strings.Split("about|about us|introduction|intro|overview|summary|description|details|features|key features|benefits|highlights|conclusion|background|specs|specifications|content|ingredients|instructions|steps|notes|tips|faq|product description|what you get|why us|contact|getting started|usage|installation|über uns|einleitung|beschreibung|merkmale|fazit|vorteile|introducción|descripción|características|conclusión|beneficios|introduction|présentation|caractéristiques|avantages|описание|введение|преимущества|о нас|заключение", "|") {
		set[h] = true
	}
	return set
}()

// gather makes units of the blocks.
func gather(tag string, blocks []block) material {
	var m material
	structured := 0
	for i, b := range blocks {
		if b.kind == item || b.kind == pair || b.kind == heading && i > 0 {
			structured++
		}
	}
	sentences := len(blocks) - structured
	listing := structured >= 2 && structured*4 >= sentences
	paragraphs := paragraphsOf(blocks)
	for i := 0; i < len(blocks); i++ {
		b := blocks[i]
		switch b.kind {
		case heading:
			if i == 0 {
				m.title = b.text
				continue
			}
			numbered := leadNumber.MatchString(b.text)
			b.text = capital(leadNumber.ReplaceAllString(b.text, ""))
			next := kind(-1)
			if i+1 < len(blocks) {
				next = blocks[i+1].kind
			}
			switch {
			case (next == item || next == pair) && !numbered:
				if m.lead == "" && !generic(b.text) {
					m.lead = b.text
				}
			case generic(b.text) && next == prose:
			case next == prose:
				u := unit{head: b.text, body: blocks[i+1].text, listed: true, para: -1, group: i}
				i++
				if i+1 < len(blocks) && blocks[i+1].kind == prose && blocks[i+1].para == blocks[i].para && runes(u.body)+runes(blocks[i+1].text) < 130 {
					u.body = join(u.body, blocks[i+1].text)
					i++
				}
				u.whole = u.text()
				m.units = append(m.units, u)
			default:
				m.units = append(m.units, unit{head: b.text, listed: true, para: -1, group: i, whole: b.text})
			}
		case item:
			u := split(b.text)
			u.order, u.listed, u.para, u.whole = b.order, true, -1, b.text
			u.call, u.drawn = b.call, b.drawn
			m.units = append(m.units, u)
		case pair:
			u := labelled(b.label, b.text)
			u.listed, u.para, u.whole = true, -1, b.label+": "+b.text
			m.units = append(m.units, u)
		default:
			if !listing && paragraphs >= 3 {
				said := []string{b.text}
				for i+1 < len(blocks) && blocks[i+1].kind == prose && blocks[i+1].para == b.para {
					i++
					said = append(said, blocks[i].text)
				}
				m.units = append(m.units, paragraphUnits(tag, said, b.para, paragraphs < manyParagraphs)...)
				continue
			}
			if pieces := longPieces(tag, b.text, sentences); len(pieces) > 1 && !listing {
				for _, p := range pieces {
					m.units = append(m.units, unit{head: p, para: b.para, whole: p})
				}
				continue
			}
			u := unit{head: b.text, para: b.para, whole: b.text}
			if listing {
				// An intro or an aside: kept in place, and used where slides are left.
				u.group = len(m.units)
				m.spare = append(m.spare, u)
				continue
			}
			if n := len(m.units); n > 0 && m.units[n-1].para == b.para && m.units[n-1].body == "" && (leans(tag, b.text) || n > 1 && asks(m.units[n-1].head) && !asks(b.text)) && runes(b.text) <= textgen.MaxBody && runes(m.units[n-1].head) <= textgen.MaxHeading {
				m.units[n-1].body = b.text
				m.units[n-1].whole += " " + b.text
				continue
			}
			m.units = append(m.units, u)
		}
	}
	if len(m.units) > 0 {
		m.units[len(m.units)-1].last = true
	}
	if n := len(m.units); n > 1 && !m.units[n-1].listed {
		m.units[n-2].last = true
	}
	for i := max(0, len(m.spare)-2); i < len(m.spare); i++ {
		m.spare[i].last = m.spare[i].group >= len(m.units) // after the list, not before it
	}
	return m
}

// labelled is what a "label: value" line says. A short value is the news itself and stands beside its label.
func labelled(label, text string) unit {
	first := sentencesOf(text)
	if len(first) > 0 && runes(label)+runes(first[0]) <= 48 && !strings.Contains(text, ": ") && (len(first) == 1 || strings.IndexFunc(first[0], unicode.IsDigit) >= 0) {
		return unit{head: label + ": " + dropStop(first[0]), body: strings.TrimSpace(strings.Join(first[1:], " "))}
	}
	return unit{head: label, body: text}
}

var leadNumber = regexp.MustCompile(`^\(?\d{1,2}[.):]\s+`)

// longPieces parts a sentence that is too long for a slide, or that is nearly the whole text, where a new thought begins.
func longPieces(tag, s string, sentences int) []string {
	limit := textgen.MaxHeading + textgen.MaxBody
	if sentences <= 2 {
		limit = 160
	}
	if runes(s) <= limit {
		return []string{s}
	}
	return clauses(tag, s)
}

func clauses(tag, s string) []string {
	if runes(s) <= textgen.MaxHeading {
		return []string{s}
	}
	a, b, ok := halves(tag, s, 3, 4)
	if !ok {
		return []string{s}
	}
	return append(clauses(tag, a), clauses(tag, b)...)
}

func sentencesOf(s string) []string { return sentences(s) }

func generic(h string) bool {
	return genericHeads[strings.ToLower(strings.TrimRight(h, ":!"))]
}

// split makes a heading and a body of one list item: "Label: what it means", "Label – what it means", "First. Then more."
func split(s string) unit {
	if m := rePair.FindStringSubmatch(s); m != nil && len(strings.Fields(m[1])) <= 6 && hasWord(m[1]) && !unicode.IsDigit(lastRune(m[1])) {
		if runes(s) <= 40 {
			return unit{head: s}
		}
		return unit{head: tidy(m[1]), body: capital(tidy(m[2]))}
	}
	for _, dash := range []string{" – ", " — ", " - ", "——", "—"} {
		if a, b, ok := strings.Cut(s, dash); ok && weight(a) >= 1 && weight(b) >= 2 && runes(a) <= 60 {
			if a, b = tidy(a), tidy(b); hasWord(a) && hasWord(b) && runes(s) > 40 {
				return unit{head: a, body: capital(b)}
			}
		}
	}
	if parts := sentences(s); len(parts) > 1 && runes(parts[0]) <= textgen.MaxHeading {
		return unit{head: tidy(parts[0]), body: tidy(strings.Join(parts[1:], " "))}
	}
	return unit{head: s}
}

// fitUnit makes the unit keep the lengths of a slide. What does not fit in the heading goes on in the body; what does not fit there
// either is left out at a sentence or clause.
func fitUnit(tag string, u unit) unit {
	u.head, u.body = tidy(u.head), tidy(u.body)
	if runes(u.head) > textgen.MaxHeading {
		whole := u.head
		head, rest := headOf(tag, whole, textgen.MaxHeading-1)
		u.head = head
		flows := hasWord(rest) && !endsSentence(head)
		if flows {
			u.joint = commaAfter(whole, head)
		} else {
			rest = capital(rest)
		}
		switch {
		case u.body == "":
			u.body, u.flows = rest, flows
		case runes(rest)+runes(u.body) < textgen.MaxBody && hasWord(rest):
			u.body, u.flows = join(endWith(tag, rest), u.body), flows
		case flows:
			// The body stays, so the heading has to end where it was cut.
			u.joint = ""
			u.head = shorten(tag, whole, textgen.MaxHeading)
		}
	}
	if runes(u.body) > textgen.MaxBody {
		kept := ""
		for _, s := range sentences(u.body) {
			if runes(kept)+runes(s)+1 > textgen.MaxBody {
				break
			}
			kept = join(kept, s)
		}
		if kept == "" {
			kept = shorten(tag, u.body, textgen.MaxBody)
		}
		u.body = kept
	}
	if !hasWord(u.body) && !isPictureOnly(u.body) {
		u.body = ""
	}
	u.head, u.body = capital(u.head), strings.TrimSpace(u.body)
	// A lone sentence on a slide looks calmer without its full stop.
	u.head = dropStop(u.head)
	if u.body == "" {
		u.joint = ""
	}
	if len(sentences(u.body)) == 1 {
		u.body = dropStop(u.body)
	}
	if textgen.Fold(u.head) == textgen.Fold(u.body) {
		u.body, u.joint = "", ""
	}
	return u
}

// commaAfter is the mark that stood between a heading and what goes on in the body.
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
	if len(sentences(s)) != 1 {
		return s
	}
	for _, stop := range []string{"。", "।", "｡", "۔", "."} {
		if t, ok := strings.CutSuffix(s, stop); ok && !strings.HasSuffix(t, ".") && hasWord(t) && (!strings.Contains(lastWord(t), ".") || reAddress.MatchString(lastWord(t))) {
			return t
		}
	}
	return s
}

// join puts two sentences together as the script does.
func join(a, b string) string {
	if b == "" {
		return a
	}
	if a == "" {
		return b
	}
	if last := lastRune(a); strings.ContainsRune("。！？｡…", last) {
		return a + b
	}
	return a + " " + b
}

// endWith closes a sentence as its script does.
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
