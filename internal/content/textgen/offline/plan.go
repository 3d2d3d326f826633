// SPDX-License-Identifier: Apache-2.0

package offline

import (
	"slices"
	"strings"

	"github.com/reelops/reelops/internal/content/textgen"
)

// settle fits all cards to the length limits of a slide. Text that does not fit on a card becomes a card of its own,
// right after it.
func settle(tag string, cards []card) []card {
	var out []card
	for _, c := range cards {
		f, rest := c.fit(tag)
		out = append(out, f)
		for rest != "" {
			f, rest = card{head: rest, para: c.para, group: c.group}.fit(tag)
			out = append(out, f)
		}
	}
	return out
}

// shrink merges cards until there are at most n, cheapest merge first: the points of a list evenly, sentences of one
// paragraph, then neighbours. More than n cards remain if no further cards can share a slide.
func shrink(tag string, cards []card, n int) []card {
	cards = slices.Clone(cards)
	for len(cards) > n {
		best, from, to := 1<<30, 0, 0
		var into []card
		for i := range cards {
			if c, cost, ok := merge(tag, cards[i:]); ok && cost < best {
				best, from, to, into = cost, i, i+2, []card{c}
			}
			if run, end, cost := regroup(cards, i); run != nil && cost < best {
				best, from, to, into = cost, i, end, run
			}
		}
		if into == nil {
			return cards
		}
		cards = slices.Replace(cards, from, to, into...)
	}
	return cards
}

// repack distributes the sentences of all prose again, as many on a slide as fit, across paragraphs or within each
// paragraph. Other cards are unchanged.
func repack(tag string, cards []card, across bool) []card {
	var out []card
	for i := 0; i < len(cards); {
		j := i
		var said []string
		for j < len(cards) && cards[j].shape == plain && cards[j].run == 0 && !cards[j].question &&
			cards[j].para >= 0 &&
			(across || cards[j].para == cards[i].para) {
			said = append(said, sentences(endWith(tag, cards[j].say(tag)))...)
			j++
		}
		if j == i {
			out = append(out, cards[i])
			i++
			continue
		}
		full := card{}
		for k, s := range said {
			c := card{head: full.head, body: join(full.body, s), para: cards[i].para, group: cards[i].group}
			if full.head == "" {
				c.head, c.body = s, ""
			}
			if _, rest := c.fit(tag); rest != "" && full.head != "" {
				fitted, _ := full.fit(tag)
				out = append(out, fitted)
				c.head, c.body = s, ""
			}
			if full = c; k == len(said)-1 {
				out = append(out, settle(tag, []card{full})...)
			}
		}
		i = j
	}
	return out
}

// regroup distributes the points of the list that begins at i over fewer slides, evenly. It returns nil if no list
// begins there or the points are too long for that.
func regroup(cards []card, i int) (run []card, end, cost int) {
	first := cards[i]
	if first.run == 0 || first.shape == listed || i > 0 && cards[i-1].run == first.run {
		return nil, 0, 0
	}
	var points []string
	most := 0
	for end = i; end < len(cards) && cards[end].run == first.run; end++ {
		points = append(points, cards[end].points...)
		most = max(most, len(cards[end].points))
	}
	for size := most + 1; size <= mostRows && end-i > 1; size++ {
		parts := evenly(points, textgen.MaxBody, size)
		if len(parts) >= end-i {
			continue
		}
		for _, lines := range parts {
			c := card{
				shape: rows, head: strings.Join(lines, "\n"), points: lines, run: first.run, para: -1,
				group: first.group,
			}
			if len(lines) == 1 {
				c.shape = plain
			}
			run = append(run, c)
		}
		return run, end, 20 + 4*size
	}
	return nil, 0, 0
}

// merge returns the first two cards merged into one. cost grows with the length and with the lack of a relation between
// them.
func merge(tag string, cards []card) (card, int, bool) {
	if len(cards) < 2 {
		return card{}, 0, false
	}
	a, b := cards[0], cards[1]
	cost := (runes(a.text()) + runes(b.text())) / 12
	if a.para < 0 || a.para != b.para {
		cost += 12
	}
	if a.group != b.group {
		cost += 6
	}
	if a.question || b.question || a.shape != plain && a.shape != b.shape || b.shape != plain {
		cost += 15
	}
	if a.run != 0 && a.run == b.run && a.shape != listed {
		cost += 30 // one list is better set evenly
	}
	switch {
	case a.shape == listed && b.shape == listed && a.run == b.run:
		return card{}, 0, false // already as few as possible
	case a.shape != listed && b.shape != listed && (a.shape == rows || b.shape == rows || a.run != 0 && b.run != 0):
		lines := slices.Concat(a.lines(tag), b.lines(tag))
		c := card{
			shape: rows, head: strings.Join(lines, "\n"), points: lines, run: max(a.run, b.run), para: -1,
			group: b.group, call: b.call,
		}
		if runes(c.head) <= textgen.MaxBody && len(lines) <= mostRows {
			return c, cost, true
		}
	}
	c := a
	c.call, c.group = b.call, b.group
	sep := " "
	if a.shape == listed || b.shape != plain || strings.Contains(a.body, "\n") || b.question {
		sep = "\n"
	}
	more := b.head
	if b.shape == plain {
		if b.flows {
			more = strings.TrimSpace(b.head+b.joint) + " " + b.body
		} else {
			more = join(endWith(tag, b.head), b.body)
		}
	} else if b.body != "" {
		more += ":\n" + b.body
	}
	if sep == "\n" {
		c.body = strings.TrimSpace(c.body + "\n" + more)
	} else {
		c.body = join(endBody(tag, c), more)
	}
	return c, cost, runes(c.body) <= textgen.MaxBody && runes(c.head) <= textgen.MaxBody
}

// endBody returns the body of a card, closed so that another sentence can follow.
func endBody(tag string, c card) string {
	if c.body == "" {
		return ""
	}
	return endWith(tag, c.body)
}

// lines returns the content of a card as equal points, one per line.
func (c card) lines(tag string) []string {
	if len(c.points) > 0 {
		return c.points
	}
	return []string{strings.ReplaceAll(c.say(tag), "\n", " ")}
}

// widen splits cards until there are n, the mildest split first: points that share a slide get their own, a body
// becomes its own slide, then sentences are split at strong punctuation, then at commas and joining words. A question
// keeps its answer as long as possible.
func (s *story) widen(cards []card, n int) []card {
	cards = slices.Clone(cards)
	part := func(i int, into ...card) { cards = slices.Replace(cards, i, i+1, into...) }
	for len(cards) < n {
		i := longest(cards, func(c card) bool { return c.shape != plain && len(c.points) > 1 })
		if i < 0 {
			break
		}
		c, half := cards[i], (len(cards[i].points)+1)/2
		a, b := c, c
		b.quoted = ""
		a.points, b.points = c.points[:half], c.points[half:]
		if c.shape == rows {
			a.head, b.head = strings.Join(a.points, "\n"), strings.Join(b.points, "\n")
		} else {
			a.body = strings.Join(a.points, "\n")
			b.shape, b.head, b.body = rows, strings.Join(b.points, "\n"), ""
		}
		part(i, a, b)
	}
	bodies := func(questions bool) {
		for len(cards) < n {
			i := longest(cards, func(c card) bool {
				return c.shape == plain && weight(c.body) >= 3 && !c.flows && !isFrom(c.body) &&
					!strings.Contains(c.body, "\n") && (c.question || asks(c.head)) == questions
			})
			if i < 0 {
				return
			}
			a, b := cards[i], card{head: cards[i].body, para: -1, group: cards[i].group}
			a.body, a.question = "", false
			b, rest := b.fit(s.tag)
			if rest != "" {
				return
			}
			part(i, a, b)
		}
	}
	bodies(false)
	for _, step := range []struct{ level, least int }{{0, 2}, {1, 3}, {3, 3}, {2, 2}} {
		for len(cards) < n {
			i := longest(cards, func(c card) bool {
				_, _, ok := s.parted(c.whole(), step.level, step.least)
				return c.shape == plain && (c.body == "" || c.flows) && c.quoted == "" && ok && (c.flows ||
					c.head != cards[0].head)
			})
			if i < 0 {
				break
			}
			head, rest, _ := s.parted(cards[i].whole(), step.level, step.least)
			a, b := cards[i], cards[i]
			a.head, a.body, a.flows = head, "", false
			b.head, b.body, b.flows, b.run = rest, "", false, 0
			var left, right string
			a, left = a.fit(s.tag)
			if b, right = b.fit(s.tag); left+right != "" {
				break
			}
			part(i, a, b)
		}
	}
	bodies(true)
	return cards
}

// isFrom reports whether a body is the source of a quotation.
func isFrom(body string) bool { return strings.HasPrefix(body, "— ") }

// whole returns the sentence of a card, including a body that continues the heading.
func (c card) whole() string {
	if c.flows {
		return c.say("")
	}
	return c.head
}

func longest(cards []card, fits func(card) bool) int {
	found, most := -1, 0
	for i, c := range cards {
		if n := runes(c.text()); n > most && fits(c) {
			found, most = i, n
		}
	}
	return found
}

// parted returns halves if both have a characteristic word.
func (s *story) parted(text string, level, least int) (a, b string, ok bool) {
	a, b, ok = halves(s.tag, text, level, least)
	if !ok || len(salient(s.tag, a)) == 0 || len(salient(s.tag, b)) == 0 {
		return "", "", false
	}
	return a, b, true
}

// drop removes the least informative cards until n remain, never the first nor the last. It returns the text of the
// removed cards.
func (s *story) drop(cards []card, n int) (kept []card, dropped []string) {
	kept = slices.Clone(cards)
	firsts := map[int]string{}
	for _, c := range cards {
		if _, seen := firsts[c.para]; !seen {
			firsts[c.para] = c.head
		}
	}
	var gone []card
	for len(kept) > n {
		worst, least := -1, 1e9
		for i := 1; i < len(kept)-1; i++ {
			v := score(s.tag, kept[i].head, s.keyWords) + float64(runes(kept[i].text()))/60
			if kept[i].para >= 0 && firsts[kept[i].para] != kept[i].head {
				v -= 4 // a paragraph without its beginning is hard to follow
			}
			if kept[i].run != 0 || kept[i].shape != plain {
				v += 2
			}
			if v < least {
				worst, least = i, v
			}
		}
		if worst < 0 {
			worst = len(kept) - 1
		}
		gone = append(gone, kept[worst])
		kept = slices.Delete(kept, worst, worst+1)
	}
	// In the order of the text.
	for _, c := range cards {
		if i := slices.IndexFunc(gone, func(g card) bool { return g.head == c.head && g.body == c.body }); i >= 0 {
			dropped = append(dropped, c.say(s.tag))
			gone = slices.Delete(gone, i, i+1)
		}
	}
	return kept, dropped
}

// unlike removes duplicate headings and bodies: a body that occurred before joins its heading, and a card that repeats
// another is dropped. Cards without a heading, or with one longer than textgen.MaxBody, are dropped too.
func unlike(cards []card) []card {
	seen := map[string]bool{}
	var out []card
	for _, c := range cards {
		h, b := textgen.Fold(c.head), textgen.Fold(c.body)
		if b != "" && b == h {
			c.body, b = "", ""
		}
		if b != "" && (seen[h] || seen[b]) {
			line := strings.TrimRight(c.head, ":. ") + ": " + c.body
			if c.flows || strings.Contains(line, "\n") || runes(line) > textgen.MaxHeading {
				line = c.head + c.joint + "\n" + c.body
				c.shape = rows
			}
			c.head, c.body, c.flows = line, "", false
			h, b = textgen.Fold(c.head), ""
		}
		if h == "" || seen[h] || runes(c.head) > textgen.MaxBody {
			continue
		}
		seen[h] = true
		if b != "" {
			seen[b] = true
		}
		out = append(out, c)
	}
	return out
}
