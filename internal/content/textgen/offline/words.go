// SPDX-License-Identifier: Apache-2.0

package offline

import (
	"regexp"
	"slices"
	"sort"
	"strings"
	"unicode"

	"github.com/reelops/reelops/internal/content/textgen"
	"github.com/reelops/reelops/internal/content/textgen/lang"
)

// wordsOf returns the words of a lower-case text without those in addresses.
func wordsOf(text string) []string {
	text = reAddress.ReplaceAllString(text, " ")
	return strings.FieldsFunc(text, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsMark(r) && !unicode.IsNumber(r) && r != '\'' && r != '’' && r != '-' && r != '\u200c'
	})
}

// plainWords are common words of little meaning, in addition to the function words of the language.
var plainWords = map[string]string{
	"en": "things thing way ways people someone something anything everything one two three four five six seven eight nine ten first second best better good great new easy simple free try use used using need want know like keep take takes give go come see look find put set right left day days time times today minute minutes hour hours week year years really actually much many few little lot sure inside back feel add top tip tips help helps start step steps per via around also every without long short high low big small full include includes included offer offers reason reasons save later",
	"de": "gut gute guten neue neuen tage tag jahr jahre mal ganz viel viele einfach immer macht machen geht gibt kommt beim deinen deinem ihrer ihrem ihren unseren unserer heute jetzt zwei drei vier fünf wenig wirklich",
	"es": "cosas cosa forma manera día días hacer hace tiempo vez veces bien mejor mejores nuevo nueva gran solo puede puedes tener ahora hoy antes después dos tres cuatro cinco",
	"fr": "chose choses jour jours fait faire temps fois bien mieux nouveau nouvelle peut peux avoir après avant aujourd hui deux trois quatre cinq",
	"it": "cose cosa modo giorno giorni fare fatto tempo volta volte bene meglio nuovo nuova può puoi avere oggi ora dopo prima due tre",
	"pt": "coisas coisa forma dia dias fazer faz tempo vez vezes bem melhor novo nova pode ter agora hoje antes depois dois três",
	"nl": "dingen dag dagen maken maakt tijd keer goed beter nieuwe kan kun vandaag nu twee drie jaar",
	"ru": "день дня дней раз можно нужно просто лучше время сделать вам два три пять лет год",
	"ko": "있는 없는 하는 되는 가장 모든 바로 다시 함께 오늘 하루 매일",
	"hi": "करना करने दिन समय पहले बाद सकते रहे गया रोज़ रोज हर",
}

func isPlain(tag, w string) bool {
	return lang.IsStop(tag, w) || slices.Contains(strings.Fields(plainWords[lang.Base(tag)]), w)
}

// salient returns the characteristic words of a text in lower case, the most characteristic first.
func salient(tag, text string) []string {
	type entry struct {
		word  string
		score float64
		at    int
	}
	index := map[string]int{}
	var list []entry
	add := func(w string, score float64) {
		if i, ok := index[w]; ok {
			list[i].score += score
			return
		}
		// Count a plural for its singular.
		if i, ok := index[strings.TrimSuffix(w, "s")]; ok && lang.Base(tag) == "en" {
			list[i].score += score
			return
		}
		index[w] = len(list)
		list = append(list, entry{w, score, len(list)})
	}
	named := map[string]bool{}
	for _, m := range inSentence.FindAllStringSubmatch(text, -1) {
		if rest := m[1][1:]; rest != strings.ToUpper(rest) || len(rest) < 3 {
			named[strings.ToLower(m[1])] = true
		}
	}
	for _, w := range wordsOf(strings.ToLower(text)) {
		w = plainForm(strings.Trim(w, "'’-\u200c"))
		first := firstRune(w)
		if !textgen.Spaced(first) {
			for _, p := range bareWords(w) {
				add(p, 1+float64(min(runes(p), 4))/4)
			}
			continue
		}
		w = koreanNoun(w)
		n := runes(w)
		if strings.ContainsAny(w, "'’") || !unicode.IsLetter(first) || n < minWord(first) || n > textgen.MaxTag || isPlain(tag, w) || isPlain(tag, bare(w)) || isVerb(tag, w) {
			continue
		}
		value := 1 + float64(min(n, 9))/20
		if named[w] {
			value += 0.7 // names, and every German noun
		}
		if len(english(tag, w)) > 0 {
			value += 0.6
		}
		add(w, value)
	}
	sort.SliceStable(list, func(i, j int) bool {
		if list[i].score != list[j].score {
			return list[i].score > list[j].score
		}
		return list[i].at < list[j].at
	})
	out := make([]string, len(list))
	for i, e := range list {
		out[i] = e.word
	}
	return out
}

// inSentence matches capitalised words that do not begin a sentence.
var inSentence = regexp.MustCompile(`[\p{Ll},\d] (\p{Lu}[\p{L}-]{2,})`)

// plainForm removes the vowel marks and the article of an Arabic word; other words are unchanged.
func plainForm(w string) string {
	if !unicode.Is(unicode.Arabic, firstRune(w)) {
		return w
	}
	w = strings.Map(func(r rune) rune {
		if r >= 0x064b && r <= 0x0652 || r == 0x0640 {
			return -1
		}
		return r
	}, w)
	for _, p := range []string{"وال", "بال", "كال", "لل", "ال"} {
		if rest, ok := strings.CutPrefix(w, p); ok && runes(rest) >= 3 {
			return rest
		}
	}
	return w
}

// verbEnds are endings of words that are poor tags.
var verbEnds = map[string]string{
	"ko": "니다 세요 어요 아요 해요", "ru": "ется ются ится аем яем ем ает яет ить ать ешь ите йте шься", "uk": "ється ються иться аємо ємо ати ити іть йте",
	"en": "ly n't", "de": "", "tr": "ın in un ün arak erek", "hi": "ें ता ते ती ना", "fr": "ez ent-le ez-le", "es": "amos emos", "it": "iamo", "pt": "amos emos",
}

func isVerb(tag, w string) bool {
	for _, e := range strings.Fields(verbEnds[lang.Base(tag)]) {
		if strings.HasSuffix(w, e) && runes(w) > runes(e)+2 {
			return true
		}
	}
	return false
}

func minWord(r rune) int {
	switch {
	case unicode.Is(unicode.Hangul, r):
		return 2
	case unicode.In(r, unicode.Arabic, unicode.Hebrew, unicode.Devanagari):
		return 3
	}
	return 4
}

var koreanParticles = []string{"에서는", "으로는", "이라면", "에서", "으로", "에게", "까지", "부터", "처럼", "보다", "이나", "하고", "은", "는", "이", "가", "을", "를", "의", "에", "로", "와", "과", "도", "만"}

func koreanNoun(w string) string {
	if !unicode.Is(unicode.Hangul, firstRune(w)) {
		return w
	}
	for _, p := range koreanParticles {
		if rest, ok := strings.CutSuffix(w, p); ok && runes(rest) >= 2 {
			return rest
		}
	}
	return w
}

// bareWords returns the words in a run without spaces: known topics, then runs of one script that are short enough to
// be a word.
func bareWords(run string) []string {
	var out []string
	for _, code := range []string{"ja", "zh", "th"} {
		for _, t := range lexicon[code] {
			for _, s := range t.stems {
				if runes(s) >= 2 && strings.Contains(run, s) && !textgen.Spaced(firstRune(s)) && sameScript(s, run) {
					out = append(out, s)
				}
			}
		}
	}
	rs := []rune(run)
	japanese := strings.IndexFunc(run, func(r rune) bool { return unicode.Is(unicode.Hiragana, r) }) >= 0
	for i := 0; i < len(rs); {
		j := i
		class := scriptOf(rs[i])
		for j < len(rs) && (scriptOf(rs[j]) == class || rs[j] == 'ー') {
			j++
		}
		n := j - i
		switch class {
		case "katakana":
			if n >= 3 && n <= 12 {
				out = append(out, string(rs[i:j]))
			}
		case "han":
			if japanese && n >= 2 && n <= 4 {
				out = append(out, string(rs[i:j]))
			}
			if !japanese {
				out = append(out, chinesePieces(string(rs[i:j]))...)
			}
		case "thai", "lao", "khmer", "myanmar":
			if n >= 3 && n <= 14 && n == len(rs) {
				out = append(out, string(rs[i:j]))
			}
		}
		i = max(j, i+1)
	}
	return unique(out)
}

// chinesePieces splits a run at the characters that join words. A piece of two to four characters usually is a name or
// a thing.
func chinesePieces(run string) []string {
	var out []string
	for _, p := range strings.FieldsFunc(run, func(r rune) bool {
		return strings.ContainsRune("的了在从到和是去有最把被会不可以适合也都就与及或这那我你他她它们们很更只大约需要看吃喝走租讲带记得做用让给为对上下里中个一二三四五六七八九十两几每没着过吗呢吧啊條条碗杯件家天早晚午小多少能想", r)
	}) {
		if n := runes(p); n >= 2 && n <= 4 {
			out = append(out, p)
		}
	}
	return out
}

func scriptOf(r rune) string {
	switch {
	case unicode.Is(unicode.Katakana, r):
		return "katakana"
	case unicode.Is(unicode.Hiragana, r):
		return "hiragana"
	case unicode.Is(unicode.Han, r):
		return "han"
	case unicode.Is(unicode.Thai, r):
		return "thai"
	case unicode.Is(unicode.Lao, r):
		return "lao"
	case unicode.Is(unicode.Khmer, r):
		return "khmer"
	case unicode.Is(unicode.Myanmar, r):
		return "myanmar"
	}
	return "other"
}

func sameScript(a, b string) bool {
	s := scriptOf(firstRune(a))
	return s == "other" || strings.IndexFunc(b, func(r rune) bool { return scriptOf(r) == s }) >= 0
}

func unique(words []string) []string {
	seen := map[string]bool{}
	out := words[:0:0]
	for _, w := range words {
		if key := textgen.Fold(w); !seen[key] {
			seen[key] = true
			out = append(out, w)
		}
	}
	return out
}

// keywords returns the keywords for choosing an image: topics in English first, then the slide's characteristic words,
// then those of the whole text.
func keywords(tag, slide string, whole []string) []string {
	out := english(tag, slide)
	for i, w := range salient(tag, slide) {
		if i < 5 {
			out = append(out, w)
		}
	}
	for i, w := range whole {
		if i < 4 {
			out = append(out, w)
		}
	}
	out = unique(out)
	return out[:min(len(out), textgen.MaxKeywords)]
}
