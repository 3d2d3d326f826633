// SPDX-License-Identifier: Apache-2.0

package offline

import (
	"regexp"
	"strings"
	"unicode"
)

type kind int

const (
	heading kind = iota
	item
	pair
	prose
)

// block is one thing the context says: a heading, a list item, a "label: value" line or one sentence.
type block struct {
	kind  kind
	text  string
	label string // of a pair
	order int    // of a numbered item, 0 otherwise
	slide bool   // written as "Slide 3: ..."
	call  bool   // the one line that a hand points at
	drawn bool   // a line that an emoji begins, not marked as a list otherwise
	para  int    // sentences with the same number stood in one paragraph
}

var (
	reHeading  = regexp.MustCompile(`^#{1,6}\s+(.*?)\s*#*$`)
	reRule     = regexp.MustCompile(`^[-*_=~•.·\s]{3,}$`)
	reNumbered = regexp.MustCompile(`^(?:\(?(\p{Nd}{1,2})(?:[.)]|️?⃣)\s*|([①-⑫])\s*|(?i:(?:step|tip|slide|schritt|tipp|paso|consejo|étape|conseil|passo|dica|шаг|совет|слайд|folie|diapositiva)\s+#?(\d{1,2})\s*[:.)–—-]\s*))(\S.*)$`)
	reBullet   = regexp.MustCompile(`^(?:[-*+•‣▪▫●○◦■□–—∙·►▶▸➤➔→✓✔☑✅☛👉🔹🔸🔷🔶➡⭐️️]+\x{fe0f}?)\s+(\S.*)$`)
	rePair     = regexp.MustCompile(`^([^:：.!?。！？]{2,32})(?:[:]\s+|：\s*)(\S.*)$`)
	reLabel    = regexp.MustCompile(`^([^:：]{2,80})[:：]$`)
	reCell     = regexp.MustCompile(`^\|?(.*\|.*?)\|?$`)
	reHashtag  = regexp.MustCompile(`(^|\s)#([\p{L}\p{N}_\p{M}]+)`)
	reInlineNo = regexp.MustCompile(`(?:^|\s)\(?(\p{Nd}{1,2})[.)]\s+`)
	reSlideNo  = regexp.MustCompile(`(?i)^(?:slide|folie|diapositiva|слайд)\s+#?\d{1,2}\s*[:.)–—-]`)
	reRole     = regexp.MustCompile(`(?i)^(?:hook|intro|cta|call to action|headline|title)\s*[:–—-]\s*`)
)

// parse reads plain lines into blocks, and the hashtags beside them.
func parse(text string) (blocks []block, hashtags []string) {
	lines := strings.Split(text, "\n")
	var para []string
	paraNo := 0
	flush := func() {
		for _, p := range para {
			for _, s := range sentences(p) {
				if s = tidy(s); hasWord(s) || isPictureOnly(s) {
					blocks = append(blocks, block{kind: prose, text: s, para: paraNo})
				}
			}
		}
		para, paraNo = nil, paraNo+1
	}
	var header []string
	short, own := shortLines(lines), ownLines(lines)
	pointed := onlyPointed(lines)
	for i, raw := range lines {
		line := raw
		if m := reHeading.FindStringSubmatch(line); m != nil {
			flush()
			if h := tidy(cleanInline(m[1])); hasWord(h) {
				blocks = append(blocks, block{kind: heading, text: strings.TrimRight(h, ".")})
			}
			continue
		}
		if line == "" || reRule.MatchString(line) || strings.HasPrefix(line, "```") {
			if line != "" && i > 0 && len(para) == 1 && strings.ContainsAny(line[:1], "=-") && runes(para[0]) <= 80 {
				h := tidy(para[0])
				para = nil
				blocks = append(blocks, block{kind: heading, text: h})
			}
			flush()
			continue
		}
		line = strings.TrimSpace(strings.TrimLeft(line, "> "))
		for _, m := range reHashtag.FindAllStringSubmatch(line, -1) {
			hashtags = append(hashtags, strings.ToLower(m[2]))
		}
		if rest := strings.TrimSpace(reHashtag.ReplaceAllString(line, "$1")); !hasWord(rest) && reHashtag.MatchString(line) {
			continue
		}
		line = reHashtag.ReplaceAllString(line, "$1$2")
		if strings.Count(line, "|") >= 2 && reCell.MatchString(line) {
			flush()
			if i+1 < len(lines) && isTableRule(lines[i+1]) {
				header = cells(line)
				continue
			}
			blocks = append(blocks, row(line, header)...)
			continue
		}
		if m := reNumbered.FindStringSubmatch(line); m != nil && !unicode.IsDigit(firstRune(m[4])) {
			if several := inlineNumbers(line); len(several) > 1 {
				flush()
				blocks = append(blocks, several...)
				continue
			}
			flush()
			if reSlideNo.MatchString(line) {
				b := itemBlock(reRole.ReplaceAllString(m[4], ""), 0)
				b.slide = true
				blocks = append(blocks, b)
				continue
			}
			blocks = append(blocks, itemBlock(m[4], max(number(m[1]+m[3]), 1)))
			continue
		}
		if i == pointed {
			flush()
			b := itemBlock(line, 0)
			b.call = true
			blocks = append(blocks, b)
			continue
		}
		if m := reBullet.FindStringSubmatch(line); m != nil {
			flush()
			blocks = append(blocks, itemBlock(m[1], 0))
			continue
		}
		line = cleanInline(line)
		if parts := strings.Split(line, " • "); len(parts) > 2 {
			flush()
			for _, p := range parts {
				blocks = append(blocks, itemBlock(p, 0))
			}
			continue
		}
		if several := inlineNumbers(line); len(several) > 1 {
			flush()
			blocks = append(blocks, several...)
			continue
		}
		if m := reLabel.FindStringSubmatch(line); m != nil {
			flush()
			blocks = append(blocks, block{kind: heading, text: tidy(m[1])})
			continue
		}
		if isHeadline(lines, i) {
			flush()
			blocks = append(blocks, block{kind: heading, text: tidy(line)})
			continue
		}
		if m := rePair.FindStringSubmatch(line); m != nil && hasWord(m[1]) && len(strings.Fields(m[1])) <= 4 && hasWord(m[2]) && !unicode.IsDigit(lastRune(m[1])) && len(sentences(m[2])) <= 2 {
			flush()
			blocks = append(blocks, block{kind: pair, label: tidy(m[1]), text: tidy(m[2]), para: paraNo})
			paraNo++
			continue
		}
		if startsWithPicture(line) && (i+1 < len(lines) && startsWithPicture(lines[i+1]) || i > 0 && startsWithPicture(lines[i-1])) && hasWord(line) {
			flush()
			b := itemBlock(line, 0)
			b.drawn = true
			blocks = append(blocks, b)
			continue
		}
		switch {
		case standsAlone(lines, i) && runes(line) <= 70 && !endsSentence(line) && hasWord(line):
			flush()
			blocks = append(blocks, block{kind: heading, text: tidy(line)})
		case short[i]:
			flush()
			blocks = append(blocks, itemBlock(line, 0))
		case own[i]:
			flush()
			para = append(para, line)
		case len(para) > 0 && continues(para[len(para)-1], line):
			para[len(para)-1] += " " + line
		default:
			para = append(para, line)
		}
	}
	flush()
	read := blocks[:0]
	for _, b := range blocks {
		if hasWord(b.text) || isPictureOnly(b.text) {
			read = append(read, b)
		}
	}
	return read, hashtags
}

func itemBlock(text string, order int) block {
	return block{kind: item, text: tidy(cleanInline(text)), order: order}
}

// shortLines marks runs of three or more short lines that are a list without marks.
func shortLines(lines []string) []bool {
	out := make([]bool, len(lines))
	for i := 0; i < len(lines); {
		j := i
		for j < len(lines) && lines[j] != "" && runes(lines[j]) <= 70 && !endsSentence(lines[j]) {
			j++
		}
		if j-i >= 3 {
			for k := i; k < j; k++ {
				// A line that goes on in lower case is a wrapped line, not an item.
				if k > i && unicode.IsLower(firstRune(lines[k])) {
					for m := i; m < j; m++ {
						out[m] = false
					}
					break
				}
				out[k] = true
			}
		}
		i = max(j, i+1)
	}
	return out
}

// onlyPointed is the last line when a pointing hand begins it and no other line; -1 otherwise. A hand before every line is a list.
func onlyPointed(lines []string) int {
	last := -1
	for i, l := range lines {
		if strings.HasPrefix(l, "👉") {
			if last >= 0 {
				return -1
			}
			last = i
		}
	}
	for _, l := range lines[last+1:] {
		if hasWord(l) {
			return -1
		}
	}
	return last
}

// standsAlone tells a line with nothing directly around it, or the first of several.
func standsAlone(lines []string, i int) bool {
	before := i == 0 || lines[i-1] == ""
	after := i+1 < len(lines) && lines[i+1] == ""
	wrapped := i+1 < len(lines) && unicode.IsLower(firstRune(lines[i+1])) // the line goes on below
	more := false
	for _, l := range lines[i+1:] {
		if hasWord(l) {
			more = true
			break
		}
	}
	first := true
	for _, l := range lines[:i] {
		if hasWord(l) {
			first = false
		}
	}
	return more && before && (after || first && !wrapped)
}

// isHeadline tells the first line of a text, set apart by a blank one, that has the shape of a pair: "Lisbon: five questions".
// What is said to the writer ("Topic: ...") is none.
func isHeadline(lines []string, i int) bool {
	m := rePair.FindStringSubmatch(lines[i])
	if m == nil || i+1 >= len(lines) || lines[i+1] != "" || endsSentence(lines[i]) || runes(lines[i]) > 80 || unicode.IsDigit(firstRune(m[2])) {
		return false
	}
	for _, l := range lines[:i] {
		if hasWord(l) {
			return false
		}
	}
	return briefLabels[strings.ToLower(m[1])] == "" && standsAlone(lines, i)
}

func continues(before, line string) bool {
	if endsSentence(before) {
		return true // the same paragraph; sentences are split later
	}
	return runes(before) >= 45 || unicode.IsLower(firstRune(line))
}

func endsSentence(s string) bool {
	s = strings.TrimRightFunc(s, func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune(closers, r) || isPicture(r) })
	return s != "" && strings.ContainsRune(fullStops, lastRune(s))
}

func cells(line string) []string {
	var out []string
	for _, c := range strings.Split(strings.Trim(line, "| "), "|") {
		out = append(out, tidy(cleanInline(c)))
	}
	return out
}

// row reads a table row as "first cell: the others, named by the header".
func row(line string, header []string) []block {
	if isTableRule(line) {
		return nil
	}
	var label string
	var rest []string
	for i, c := range cells(line) {
		switch {
		case !hasWord(c):
		case label == "":
			label = c
		case i < len(header) && hasWord(header[i]):
			rest = append(rest, header[i]+": "+c)
		default:
			rest = append(rest, c)
		}
	}
	switch {
	case label == "":
		return nil
	case len(rest) == 0:
		return []block{{kind: item, text: label}}
	}
	return []block{{kind: pair, label: label, text: strings.Join(rest, ", ")}}
}

func isTableRule(line string) bool {
	return strings.Contains(line, "-") && strings.Trim(line, "|-: ") == ""
}

// inlineNumbers reads "1) this 2) that" inside one line.
func inlineNumbers(line string) []block {
	found := reInlineNo.FindAllStringSubmatchIndex(line, -1)
	if len(found) < 2 {
		return nil
	}
	var out []block
	if lead := tidy(line[:found[0][0]]); hasWord(lead) {
		out = append(out, block{kind: heading, text: lead})
	}
	for i, f := range found {
		if number(line[f[2]:f[3]]) != i+1 {
			return nil
		}
		end := len(line)
		if i+1 < len(found) {
			end = found[i+1][0]
		}
		out = append(out, itemBlock(line[f[1]:end], i+1))
	}
	return out
}

func number(s string) int {
	n := 0
	for _, r := range s {
		zero := r
		for unicode.IsDigit(zero-1) && r-zero < 9 {
			zero-- // every script has its ten digits in a row
		}
		if !unicode.IsDigit(r) {
			return 0
		}
		n = n*10 + int(r-zero)
	}
	return n
}

func firstRune(s string) rune {
	for _, r := range s {
		return r
	}
	return 0
}

func lastRune(s string) rune {
	var last rune
	for _, r := range s {
		last = r
	}
	return last
}

func startsWithPicture(s string) bool { return isPicture(firstRune(s)) }

func isPictureOnly(s string) bool {
	return s != "" && strings.IndexFunc(s, func(r rune) bool { return !isPicture(r) && !unicode.IsSpace(r) }) < 0
}
