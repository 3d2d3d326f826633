// SPDX-License-Identifier: Apache-2.0

package offline

import (
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/reelops/reelops/internal/content/textgen"
)

type kind int

const (
	heading kind = iota
	item         // of a list
	pair         // "label: value"
	prose        // one sentence, or a run of very short ones
	verse        // lines whose breaks are kept
	quote        // a quotation; label is its source
)

// block is one unit of the context. Its text is split only as far as the slides require.
type block struct {
	kind  kind
	text  string
	label string // of a pair, or the source of a quote
	raw   string // a pair as written
	mark  string // the number of a numbered item as written, without its punctuation
	slide bool   // written as "Slide 3: ..."
	post  bool   // written as "3/", a post of a thread
	call  bool   // the only line with a pointing hand
	drawn bool   // a line that begins with an emoji and has no other list mark
	para  int    // sentences of one paragraph have the same number
	group int    // blocks between the same blank lines have the same number
}

// say returns the block as one line or, for verse, as its lines.
func (b block) say() string {
	switch {
	case b.kind == quote && b.label != "":
		return b.text + " " + b.label
	case b.raw != "":
		return b.raw
	case b.kind == pair:
		return b.label + ": " + strings.ReplaceAll(b.text, "\n", ", ")
	case b.mark != "":
		return b.mark + ". " + b.text
	}
	return b.text
}

var (
	reHeading  = regexp.MustCompile(`^#{1,6}\s+(.*?)\s*#*$`)
	reRule     = regexp.MustCompile(`^[-*_=~•.·\s]{3,}$`)
	reNumbered = regexp.MustCompile(`^(?:\(?(\p{Nd}{1,2})(?:[.)]|️?⃣)\s*|(\p{Nd}{1,2})/\s+|([①-⑫])\s*|(?i:(?:slide|folie|diapositiva|слайд)\s+#?(\d{1,2})\s*[:.)–—-]\s*))(\S.*)$`)
	reBullet   = regexp.MustCompile(`^(?:[-*+•‣▪▫●○◦■□–—∙·►▶▸➤➔→✓✔☑✅☛👉🔹🔸🔷🔶➡⭐️️]+\x{fe0f}?)\s+(\S.*)$`)
	rePair     = regexp.MustCompile(`^([^:：!?。！？]{1,39}[^:：.!?。！？\s]|[^:：!?。！？]{0,39}\d\.|\p{L}{2,5}\.)(?:[:]\s+|\s:\s+|：\s*)(\S.*)$`)
	reLabel    = regexp.MustCompile(`^([^:：]{2,80}?)\s?[:：]$`)
	reCell     = regexp.MustCompile(`^\|?(.*\|.*?)\|?$`)
	reHashtag  = regexp.MustCompile(`(^|\s)#(\p{L}[\p{L}\p{N}_\p{M}]*)`)
	reTagsEnd  = regexp.MustCompile(`(?:(?:^|\s)#\p{L}[\p{L}\p{N}_\p{M}]*)+$`)
	reInlineNo = regexp.MustCompile(`(?:^|\s)\(?(\p{Nd}{1,2})[.)]\s+`)
	reRole     = regexp.MustCompile(`(?i)^(?:hook|intro|cta|call to action|headline|title)\s*[:–—-]\s*`)
	reAskMark  = regexp.MustCompile(`^(?:\p{Lu}|[问問答]|질문|답)\s?[:：.]\s*`)
	reFullStop = regexp.MustCompile(`\pL{2,}\. `)
	reFrom     = regexp.MustCompile(`^\s*(?:[-–—―~]+)\s*(\S.{1,79})$`)
)

// reader splits plain lines into blocks.
type reader struct {
	lines       []string
	blocks      []block
	hashtags    []string
	para        []string
	paraNo      int
	group       int
	header      []string
	short, own  []bool
	verse       []bool
	pointed     int
	counted     int  // number of the last numbered item
	questioning bool // lines are marked as questions and answers
}

// parse returns the blocks of plain lines, and the hashtags.
func parse(text string) (blocks []block, hashtags []string) {
	r := &reader{lines: strings.Split(text, "\n")}
	for i, l := range r.lines {
		r.lines[i] = r.withoutHashtags(strings.TrimSpace(strings.TrimLeft(l, "> ")))
	}
	r.short, r.own, r.verse = shortLines(r.lines), ownLines(r.lines), verseLines(r.lines)
	r.pointed, r.questioning = onlyPointed(r.lines), questionMarks(r.lines) >= 2
	for i := 0; i < len(r.lines); {
		i += r.read(i)
	}
	r.flush()
	for _, b := range r.blocks {
		switch n := len(blocks); {
		case hasWord(b.text):
			blocks = append(blocks, b)
		case isPictureOnly(b.text) && n > 0 && blocks[n-1].kind == quote:
			blocks[n-1].label = strings.TrimSpace(blocks[n-1].label + " " + b.text)
		case isPictureOnly(b.text) && n > 0:
			blocks[n-1].text += " " + b.text
		case isPictureOnly(b.text):
			blocks = append(blocks, b)
		}
	}
	return blocks, r.hashtags
}

// withoutHashtags collects the hashtags of a line. Hashtags at its end are removed; inside a sentence the word is kept.
func (r *reader) withoutHashtags(line string) string {
	for _, m := range reHashtag.FindAllStringSubmatch(line, -1) {
		r.hashtags = append(r.hashtags, strings.ToLower(m[2]))
	}
	if end := reTagsEnd.FindString(line); end != "" {
		rest := strings.TrimSpace(strings.TrimSuffix(line, end))
		if rest == "" || strings.Count(end, "#") > 1 || endsSentence(rest) {
			line = rest
		}
	}
	return reHashtag.ReplaceAllString(line, "$1$2")
}

func (r *reader) add(b block) {
	r.flush()
	b.group = r.group
	r.blocks = append(r.blocks, b)
}

// flush ends a paragraph.
func (r *reader) flush() {
	if len(r.para) == 0 {
		return
	}
	for _, p := range r.para {
		for _, s := range staccato(sentences(p)) {
			if s = tidy(s); s != "" {
				r.blocks = append(r.blocks, block{kind: prose, text: s, para: r.paraNo, group: r.group})
			}
		}
	}
	r.para, r.paraNo = nil, r.paraNo+1
}

// read reads the line at i, or several that belong together, and returns their number.
func (r *reader) read(i int) int {
	line := r.lines[i]
	if m := reHeading.FindStringSubmatch(line); m != nil {
		r.add(block{kind: heading, text: strings.TrimRight(tidy(cleanInline(m[1])), ".")})
		return 1
	}
	if line == "" || reRule.MatchString(line) || strings.HasPrefix(line, "```") {
		if line != "" && len(r.para) == 1 && strings.ContainsAny(line[:1], "=-") && runes(r.para[0]) <= 80 {
			h := tidy(r.para[0])
			r.para = nil
			r.add(block{kind: heading, text: h})
		}
		r.flush()
		r.group++
		return 1
	}
	if q, from, n := quotation(r.lines[i:]); n > 0 {
		r.add(block{kind: quote, text: cleanInline(q), label: from})
		return n
	}
	if strings.Count(line, "|") >= 2 && reCell.MatchString(line) {
		r.flush()
		if i+1 < len(r.lines) && isTableRule(r.lines[i+1]) {
			r.header = cells(line)
			return 1
		}
		for _, b := range row(line, r.header) {
			r.add(b)
		}
		return 1
	}
	if m := numberedItem(line); m != nil && r.counts(i, number(m[1]+m[2])) {
		if several := inlineNumbers(line); len(several) > 1 {
			r.addAll(several)
			return 1
		}
		b := itemBlock(m[5])
		b.post = m[2] != ""
		if b.mark = m[1] + m[2] + m[3]; m[4] != "" {
			b = itemBlock(reRole.ReplaceAllString(m[5], ""))
			b.slide = true
		}
		r.add(b)
		return 1
	}
	if i == r.pointed {
		b := itemBlock(line)
		b.call = true
		r.add(b)
		return 1
	}
	if m := reBullet.FindStringSubmatch(line); m != nil {
		r.add(itemBlock(m[1]))
		return 1
	}
	return r.readPlain(i, cleanInline(line))
}

// counts reports whether the number before the line at i belongs to a list: the first, the next one after the last, or
// one followed by its successor on a later line. Other numbers are dates and quantities.
func (r *reader) counts(i, n int) bool {
	if n <= 1 || n == r.counted+1 {
		r.counted = n
		return true
	}
	for _, l := range r.lines[i+1:] {
		if m := numberedItem(l); m != nil && number(m[1]+m[2]) == n+1 {
			r.counted = n
			return true
		}
	}
	return false
}

func (r *reader) addAll(all []block) {
	for _, b := range all {
		r.add(b)
	}
}

// readPlain reads a line without a list or heading mark, and returns the number of lines read.
func (r *reader) readPlain(i int, line string) int {
	if parts := strings.Split(line, " • "); len(parts) > 2 {
		for _, p := range parts {
			r.add(itemBlock(p))
		}
		return 1
	}
	if several := inlineNumbers(line); len(several) > 1 {
		r.addAll(several)
		return 1
	}
	if r.questioning && reAskMark.MatchString(line) {
		r.flush()
		r.para = append(r.para, reAskMark.ReplaceAllString(line, ""))
		r.flush()
		return 1
	}
	if m := reLabel.FindStringSubmatch(line); m != nil {
		r.add(block{kind: heading, text: tidy(m[1])})
		return 1
	}
	if isHeadline(r.lines, i) || isSection(r.lines, i) {
		r.add(block{kind: heading, text: tidy(line)})
		return 1
	}
	if r.verse[i] {
		var lines []string
		n := 0
		for ; i+n < len(r.lines) && r.lines[i+n] != "" && r.verse[i+n]; n++ {
			lines = append(lines, cleanInline(r.lines[i+n]))
		}
		r.add(block{kind: verse, text: strings.Join(lines, "\n")})
		return n
	}
	if m := rePair.FindStringSubmatch(line); m != nil && isPair(m) {
		r.flush()
		r.add(block{kind: pair, label: tidy(m[1]), text: tidy(m[2]), raw: tidy(line), para: r.paraNo})
		r.paraNo++
		return 1
	}
	if startsWithPicture(line) && (i+1 < len(r.lines) && startsWithPicture(r.lines[i+1]) || i > 0 && startsWithPicture(r.lines[i-1])) && hasWord(line) {
		b := itemBlock(line)
		b.drawn = true
		r.add(b)
		return 1
	}
	switch {
	case standsAlone(r.lines, i) && runes(line) <= 70 && !endsSentence(line) && hasWord(line):
		r.add(block{kind: heading, text: tidy(line)})
	case r.short[i]:
		r.add(itemBlock(line))
	case r.own[i]:
		r.flush()
		r.para = append(r.para, line)
	case len(r.para) > 0 && continues(r.para[len(r.para)-1], line):
		r.para[len(r.para)-1] += " " + line
	default:
		r.para = append(r.para, line)
	}
	return 1
}

// numberedItem returns the parts of a numbered line, or nil if the digits at its beginning are a date or a quantity.
func numberedItem(line string) []string {
	m := reNumbered.FindStringSubmatch(line)
	if m == nil {
		return nil
	}
	if mark := strings.TrimSuffix(line, m[5]); !unicode.IsSpace(lastRune(mark)) && !unicode.IsLetter(firstRune(m[5])) && !isPicture(firstRune(m[5])) && !isPicture(lastRune(mark)) {
		return nil
	}
	return m
}

func itemBlock(text string) block { return block{kind: item, text: tidy(cleanInline(text))} }

func isPair(m []string) bool {
	return hasWord(m[1]) && !reFullStop.MatchString(m[1]) && len(strings.Fields(m[1])) <= 5 && hasWord(m[2]) && len(sentences(m[2])) <= 2
}

// quotation returns a quotation that fills whole lines, and its source: "- Name" below it. n is the number of lines, 0
// for none.
func quotation(lines []string) (text, from string, n int) {
	end := map[rune]string{'"': `"`, '“': "”", '„': "“”", '«': "»", '»': "«", '「': "」", '『': "』", '‘': "’"}[firstRune(lines[0])]
	if end == "" {
		return "", "", 0
	}
	for n < len(lines) && n < 8 && lines[n] != "" {
		text = join(text, lines[n])
		n++
		if strings.ContainsRune(end, lastRune(text)) {
			break
		}
	}
	if runes(text) < 3 || !strings.ContainsRune(end, lastRune(text)) || strings.ContainsAny(string([]rune(text)[1:runes(text)-1]), end) {
		return "", "", 0
	}
	for skip := 0; skip < 2 && n+skip < len(lines); skip++ {
		if m := reFrom.FindStringSubmatch(lines[n+skip]); m != nil && hasWord(m[1]) {
			return text, "— " + strings.TrimSpace(m[1]), n + skip + 1
		}
		if lines[n+skip] != "" {
			break
		}
	}
	return text, "", n
}

// questionMarks returns the number of lines that are marked as questions ("Q: ...?").
func questionMarks(lines []string) int {
	n := 0
	for _, l := range lines {
		if reAskMark.MatchString(l) && asks(l) {
			n++
		}
	}
	return n
}

// staccato joins runs of very short sentences: "STOP. ASKING. ME." is one statement.
func staccato(said []string) []string {
	var out []string
	for i := 0; i < len(said); {
		j := i
		for j < len(said) && weight(said[j]) <= 2 && !asks(said[j]) && runes(strings.Join(said[i:j+1], " ")) <= textgen.MaxHeading {
			j++
		}
		if j-i >= 3 {
			out = append(out, strings.Join(said[i:j], " "))
			i = j
			continue
		}
		out = append(out, said[i])
		i++
	}
	return out
}

// asks reports whether a text ends with a question mark.
func asks(s string) bool {
	s = strings.TrimRightFunc(s, func(r rune) bool { return isPicture(r) || unicode.IsSpace(r) || strings.ContainsRune(closers, r) })
	return s != "" && strings.ContainsRune("?？؟", lastRune(s))
}

// ownLines marks lines that are paragraphs of their own: every line of their block begins and ends a sentence, so the
// breaks are intended. If a sentence crosses a break, the lines are only wrapped.
func ownLines(lines []string) []bool {
	out := make([]bool, len(lines))
	start := 0
	if len(lines) > 2 && standsAlone(lines, 0) && !endsSentence(lines[0]) {
		start = 1 // a headline
	}
	for i := start; i < len(lines); {
		j, whole := i, true
		for j < len(lines) && lines[j] != "" {
			whole = whole && (j == i || endsSentence(lines[j-1]) && !unicode.IsLower(firstRune(lines[j])))
			j++
		}
		for k := i; k < j && whole && j-i >= 2; k++ {
			out[k] = true
		}
		i = max(j, i+1)
	}
	return out
}

// verseLines marks blocks of two to eight short lines with intended breaks: a line ends in a comma, or begins in lower
// case although the line above had room for its first word.
func verseLines(lines []string) []bool {
	out := make([]bool, len(lines))
	for i := 0; i < len(lines); {
		j, longest := i, 0
		for j < len(lines) && lines[j] != "" {
			longest = max(longest, runes(lines[j]))
			j++
		}
		meant := false
		for k := i; k+1 < j; k++ {
			next, _, _ := strings.Cut(lines[k+1], " ")
			room := runes(lines[k])+1+runes(next) <= longest
			meant = meant || strings.ContainsRune(",;،、，", lastRune(lines[k])) || unicode.IsLower(firstRune(lines[k+1])) && room
		}
		plain := true
		for k := i; k < j; k++ {
			plain = plain && hasWord(lines[k]) && !marked(lines[k]) && (k+1 == j || !endsSentence(lines[k]) || runes(lines[k]) <= 40)
		}
		if n := j - i; n >= 2 && n <= 8 && longest <= 46 && meant && plain {
			for k := i; k < j; k++ {
				out[k] = true
			}
		}
		i = max(j, i+1)
	}
	return out
}

// marked reports whether a line has a mark of a list, a table, a heading or a label.
func marked(line string) bool {
	return reBullet.MatchString(line) || numberedItem(line) != nil || reHeading.MatchString(line) || strings.Count(line, "|") >= 2 || rePair.MatchString(line)
}

// shortLines marks runs of three or more short lines that are a list without marks.
func shortLines(lines []string) []bool {
	out := make([]bool, len(lines))
	for i := 0; i < len(lines); {
		j := i
		for j < len(lines) && lines[j] != "" && runes(lines[j]) <= 70 && !endsSentence(lines[j]) {
			j++
		}
		if j-i >= 2 {
			for k := i; k < j; k++ {
				// A line that begins in lower case is a wrapped line, not an item.
				if k > i && unicode.IsLower(firstRune(lines[k])) && !reContact.MatchString(lines[k]) {
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

// onlyPointed returns the index of the only line that begins with a pointing hand, or -1 if there is none or several. A
// hand before every line is a list.
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
	if slices.ContainsFunc(lines[last+1:], hasWord) {
		return -1
	}
	return last
}

// standsAlone reports whether a line has blank lines around it, or is the first of several.
func standsAlone(lines []string, i int) bool {
	before := i == 0 || lines[i-1] == ""
	after := i+1 < len(lines) && lines[i+1] == ""
	wrapped := i+1 < len(lines) && unicode.IsLower(firstRune(lines[i+1])) // the line continues below
	return slices.ContainsFunc(lines[i+1:], hasWord) && before && (after || isFirst(lines, i) && !wrapped)
}

func isFirst(lines []string, i int) bool { return !slices.ContainsFunc(lines[:i], hasWord) }

// isHeadline reports whether the first line of a text, followed by a blank one, is its headline although it has the
// form of a pair, a question or an exclamation: "Lisbon: five questions". An instruction to the writer ("Topic: ...")
// is not a headline.
func isHeadline(lines []string, i int) bool {
	if i+1 >= len(lines) || lines[i+1] != "" || !isFirst(lines, i) || !standsAlone(lines, i) || runes(lines[i]) > 80 || reBullet.MatchString(lines[i]) {
		return false
	}
	if m := rePair.FindStringSubmatch(lines[i]); m != nil {
		return !endsSentence(lines[i]) && briefLabels[strings.ToLower(m[1])] == ""
	}
	return strings.ContainsRune("!?！？؟", lastRune(lines[i])) && len(sentences(lines[i])) == 1 && !isMake(lines[i])
}

// isSection reports whether a line names the list or the lines right below it.
func isSection(lines []string, i int) bool {
	line := lines[i]
	if i+1 >= len(lines) || lines[i+1] == "" || i > 0 && lines[i-1] != "" || runes(line) > 60 || endsSentence(line) || !hasWord(line) || marked(line) || strings.ContainsRune(",;，、،", lastRune(line)) {
		return false
	}
	next := lines[i+1]
	if reBullet.MatchString(next) || numberedItem(next) != nil || strings.Count(next, "|") >= 2 || isFirst(lines, i) && !unicode.IsLower(firstRune(next)) && runes(line) < 45 && !dated(line) {
		return true
	}
	if m := rePair.FindStringSubmatch(next); m != nil && isPair(m) && !dated(line) {
		return true
	}
	// A short line over lines that end sentences, or over lines with digits, has no digits itself.
	if runes(line) <= 40 && (endsSentence(next) || dated(next) && !dated(line)) && !unicode.IsLower(firstRune(next)) {
		for j := i + 1; j < len(lines) && lines[j] != ""; j++ {
			if !endsSentence(lines[j]) && !dated(lines[j]) {
				return false
			}
		}
		return true
	}
	return false
}

// dated reports whether a line has a digit.
func dated(s string) bool { return strings.IndexFunc(s, unicode.IsDigit) >= 0 }

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
	for _, c := range strings.Split(strings.Trim(line, " "), "|") {
		out = append(out, tidy(cleanInline(c)))
	}
	if len(out) > 1 && out[0] == "" && strings.HasPrefix(strings.TrimSpace(line), "|") {
		out = out[1:]
	}
	return out
}

// row returns a table row as blocks: the first cell and the others, each on a line and named by the header.
func row(line string, header []string) []block {
	if isTableRule(line) {
		return nil
	}
	label := ""
	var rest []string
	for i, c := range cells(line) {
		name := ""
		if i < len(header) {
			name = header[i]
		}
		switch {
		case !hasWord(c):
		case label == "" && hasWord(name):
			label = name + ": " + c
		case label == "":
			label = c
		case hasWord(name):
			rest = append(rest, name+": "+c)
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
	return []block{{kind: pair, label: label, text: strings.Join(rest, "\n")}}
}

func isTableRule(line string) bool {
	return strings.Contains(line, "-") && strings.Trim(line, "|-: ") == ""
}

// inlineNumbers returns the items of a list such as "1) this 2) that" inside one line.
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
		b := itemBlock(line[f[1]:end])
		b.mark = line[f[2]:f[3]]
		out = append(out, b)
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
