// SPDX-License-Identifier: Apache-2.0

package offline

import (
	"slices"
	"strings"
	"unicode"

	"github.com/reelops/reelops/internal/content/textgen"
	"github.com/reelops/reelops/internal/content/textgen/lang"
)

// isTag reports whether a word is meaningful as a tag on its own; numbers and function words are not.
func isTag(w string) bool {
	return strings.IndexFunc(w, unicode.IsLetter) >= 0 && !lang.IsStopAnywhere(w)
}

// weakTags are headline words that are no useful tags by themselves, in any language, because the language of a single
// line is often detected wrongly.
var weakTags = func() map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(`tip tips trick tricks hack hacks idea ideas way ways reason reasons habit habits step steps place places better best
tipp tipps trick ideen wege gründe schritte besser bessere besseren besserer besseres beste besten
consejo consejos truco trucos ideas formas razones pasos mejor mejores
conseil conseils astuce astuces idées façons raisons étapes mieux meilleur meilleure meilleurs meilleures
consiglio consigli trucchi idee modi motivi passi meglio migliore migliori
dica dicas truques ideias maneiras razões motivos passos melhor melhores
ideeën manieren redenen stappen beter betere beste
rada rady porad porady sposobów sposoby powodów pomysłów lepszy lepsza lepsze lepiej
совет совета советов советы способов способа способы идей идеи причин причины шагов хорошего хороший лучший лучше
порада поради порад способів ідей причин кроків кращого кращий краще
ipucu ipuçları öneri yol fikir neden adım iyi
نصيحة نصائح طرق أفكار أسباب خطوات أفضل نکته نکات راه بهتر ٹوٹکے بہتر
טיפ טיפים דרכים רעיונות סיבות צעדים טוב טובה יותר
टिप टिप्स तरीके सुझाव कारण बेहतर उपाय टिपा
เคล็ดลับ วิธี コツ 方法 理由 アイデア 技巧 方法 建议 理由 小技巧 팁 방법 이유 아이디어 나은 위한 가지
kiat cara alasan langkah baik mẹo cách lý bước tốt hơn
råd sätt idéer skäl bättre måder ideer grunde bedre måter grunner vinkkiä vinkit tapaa ideaa syytä parempaan parempi
tipů tipy způsobů nápadů důvodů lepší sfaturi moduri idei motive tippek ötlet módszer jobb съвета съвети начина идеи причини
συμβουλές τρόποι ιδέες λόγοι καλύτερο καλύτερη`) {
		set[w] = true
	}
	return set
}()

// calendar holds the names of days and months, which are no useful tags.
var calendar = func() map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(`monday tuesday wednesday thursday friday saturday sunday january february march april june july august september october november december today
montag dienstag mittwoch donnerstag freitag samstag sonntag januar februar märz april juni juli oktober dezember uhr minuten stunden tage
lundi mardi mercredi jeudi vendredi samedi dimanche janvier février mars avril juin juillet août septembre octobre novembre décembre
lunes martes miércoles jueves viernes sábado domingo sábados domingos enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre
lunedì martedì mercoledì giovedì venerdì sabato domenica gennaio febbraio aprile maggio giugno luglio settembre ottobre dicembre
segunda terça quarta quinta sexta janeiro fevereiro março maio junho julho setembro outubro novembro dezembro feira
maandag dinsdag woensdag donderdag vrijdag zaterdag zondag januari februari maart mei juni juli augustus oktober
poniedziałek wtorek środa czwartek piątek sobota niedziela stycznia lutego marca kwietnia maja czerwca lipca sierpnia września października listopada grudnia
pazartesi salı çarşamba perşembe cuma cumartesi pazar ocak şubat mart nisan mayıs haziran temmuz ağustos eylül ekim kasım aralık
minutes minute hours hour week weeks month months year years minutos minuto horas hora semana mes meses año años ano anos heures heure mois semaine ans année minuti ore ora settimana mese anni anno minuten uren uur maand jaar week minut godzin godziny miesiąc rok lat dakika saat ay yıl hafta
시간 오늘 내일 매일 토요일 일요일 월요일 화요일 수요일 목요일 금요일 오전 오후 分钟 火曜日 月曜日 水曜日 木曜日 金曜日 土曜日 日曜日 毎日 毎朝 今日`) {
		set[w] = true
	}
	return set
}()

// cues are the words that precede a noun, articles and prepositions. Those before the bar may begin the subject of a
// sentence.
var cues = map[string][2]string{
	"en": {"a an the our your my his her their its no each every", "of in on at for from with by without into about under over per"},
	"nl": {"de het een onze ons je jouw uw mijn zijn haar elke elk", "van in op aan voor met bij uit naar door zonder tussen per"},
	"sv": {"en ett den det din ditt vår vårt", "av i på för med till från utan"}, "da": {"en et den det din dit", "af i på for med til fra uden"}, "nb": {"en et den det din ditt", "av i på for med til fra uten"},
	"pl": {"", "w we z ze na do od po za dla przez bez nad pod przy o"}, "cs": {"", "v ve na do z ze s se k ke o u po pro při bez"},
	"ru": {"", "в во на с со к ко о об от до из за по для при без над под про у"}, "uk": {"", "у в на з із зі до від для при без над під про"}, "bg": {"", "в във на с със от до из за по при без над под"},
	"el": {"ο η το οι τα", "του της των τον την σε στο στη στην με για από"},
	"es": {"el la los las un una unos unas su sus tu tus mi mis nuestro nuestra cada", "del al de en con por para sin sobre"},
	"fr": {"le la les l un une des sa son ses votre vos notre nos chaque ce cette ces", "du de d au aux en dans avec pour par sans sur"},
	"it": {"il lo la i gli le l uno una un ogni suo sua nostra nostro", "del della dei delle dello degli dell da dal dalla in nel nella nei nelle con per su sul sulla tra fra di d al alla ai alle"},
	"pt": {"o a os as um uma uns umas seu sua cada", "de do da dos das em no na nos nas com por para pelo pela sem sobre ao à"},
	"ro": {"un o", "de la în pe cu din pentru prin fără"},
}

// nounFirst are the languages in which an adjective follows its noun.
var nounFirst = map[string]bool{"es": true, "fr": true, "it": true, "pt": true, "ro": true}

// notNouns are endings, after a hyphen, and words that follow a cue but are not nouns.
var notNouns = map[string]string{
	"en": "-ed -ing -ly broke sold made went came took told left kept gave found said knew thought once slow everyone bigger faster cleaner cheaper learn leave public single same next last more less full open close early late small large whole fresh white best local free",
	"es": "-ar -er -ir -ando -iendo -mente primer primera gran buen mejor nuevo nueva mismo misma pleno solo guardo menos hasta media mayores menores",
	"fr": "-er -ir -oir -ment petit petite grand grande vieux vieille nouveau nouvelle bon bonne premier première même moins claire libre plus",
	"it": "-are -ere -ire -ando -endo -mente nuovo nuova primo prima grande stesso vecchia vecchio meno ora",
	"pt": "-ar -er -ir -ando -endo -mente novo nova primeiro primeira grande mesmo mesma primeiras menos meio outros chegam",
	"nl": "-ige -lijke -isch beter langer vaker eerste laatste nieuwe groene schone open gratis snel droge krijg gemiddeld verkocht maanden",
	"pl": "-ć -ny -ne -na -nej -nym -ego -emu -ych -ymi -owy -owe -ski -skie -cki -li -ły -ła -my dwie dwa trzy cztery lepszy gratis zajmie wcześniej roku czasu -wym",
	"ru": "-ть -ся -ый -ий -ой -ая -ое -ые -ого -ему -ых -их", "uk": "-ти -ся -ий -а́я -ого -ому -их", "sv": "bättre", "cs": "-ní -ný -ná -né -ého lepší",
	"ko": "-다 -요 -는 -은 -한 -된 -할 -기 -게 -지 -서 -고 -면 -며 -까 -줄 -을 -던 -운 -인 -럼 -길 -히 -들 자주 묻는 줄이 주말에 아침형",
	"tr": "-mek -mak -dı -di -du -dü -yor -ın -in -un -ün -arak -erek -ken -lı -li -lu -lü -ki -ir -ır",
}

func isNotNoun(tag, w string) bool {
	for _, e := range strings.Fields(notNouns[lang.Base(tag)]) {
		if end, ok := strings.CutPrefix(e, "-"); ok && strings.HasSuffix(w, end) && runes(w) > runes(end)+1 || e == w {
			return true
		}
	}
	return false
}

// nounsOf returns the words of a text, in lower case, in the position of a noun. The rules depend on the language; in
// doubt a word is not included. title is the text's headline.
func nounsOf(tag, title, text string) map[string]bool {
	set := map[string]bool{}
	add := func(w string) {
		w = plainForm(strings.ToLower(strings.Trim(w, "'’-")))
		if w = koreanNoun(w); !isNotNoun(tag, w) && !isPlain(tag, w) {
			set[w] = true
		}
	}
	base := lang.Base(tag)
	for i, line := range strings.Split(title+"\n"+text, "\n") {
		words := tokens(line)
		switch {
		case base == "de":
			for j, w := range words {
				if r := firstRune(w); unicode.IsUpper(r) && j > 0 &&
					!strings.ContainsAny(words[j-1], ".!?:–—-„\"“”»«\n") && !lang.IsStop(tag, strings.ToLower(w)) {
					add(w)
				}
			}
		case base == "ko":
			for _, w := range words {
				if stem := koreanNoun(w); stem != w || i == 0 {
					add(w)
				}
			}
		case base == "ja":
			japaneseNouns(line, add)
		case cues[base][1] != "":
			cued(tag, words, i == 0, add)
		}
	}
	if base == "en" {
		for _, t := range topics {
			add(t.english)
		}
	}
	if known := base == "de" || base == "ko" || base == "ja" || cues[base][1] != ""; !known {
		for _, t := range lexicon[base] { // without rules for a language, use the image topics
			for _, stem := range t.stems {
				if runes(stem) >= 2 && (textgen.Spaced(firstRune(stem)) || strings.Contains(text, stem)) {
					add(stem)
				}
			}
		}
	}
	if base == "zh" && runes(title) <= 6 && strings.IndexFunc(title,
		func(r rune) bool { return textgen.Spaced(r) }) < 0 {
		add(title)
	}
	return set
}

// tokens returns the words of a line and the punctuation between them.
func tokens(line string) []string {
	var out []string
	for _, f := range strings.Fields(strings.NewReplacer("’", "' ", "'", "' ").Replace(line)) {
		word := strings.TrimFunc(f, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) })
		at := strings.Index(f, word)
		for _, t := range []string{f[:at], word, f[at+len(word):]} {
			if t != "" && t != "'" {
				out = append(out, t)
			}
		}
	}
	return out
}

// cued adds the nouns after articles, prepositions and numbers: the first word in languages where adjectives follow,
// else the last one before the next small word or punctuation mark.
func cued(tag string, words []string, title bool, add func(string)) {
	base := lang.Base(tag)
	subject, other := strings.Fields(cues[base][0]), strings.Fields(cues[base][1])
	content := func(w string) bool {
		return unicode.IsLetter(firstRune(w)) && !lang.IsStop(tag, strings.ToLower(w))
	}
	for i, w := range words {
		w = strings.ToLower(w)
		mayLead := slices.Contains(subject, w)
		if !mayLead && !slices.Contains(other, w) && !unicode.IsDigit(firstRune(w)) {
			continue
		}
		j := i + 1
		for j < len(words) && unicode.IsDigit(firstRune(w)) && runes(words[j]) <= 3 && content(words[j]) &&
			j+1 < len(words) && content(words[j+1]) {
			j++ // a unit
		}
		from := j
		for j < len(words) && j-from < 4 && content(words[j]) {
			j++
		}
		if j == from {
			continue
		}
		if nounFirst[base] {
			add(words[from])
			continue
		}
		closed := j == len(words) || !hasWord(words[j]) ||
			slices.Contains([]string{"and", "or", "of", "en", "of", "och", "og"}, strings.ToLower(words[j]))
		if closed || !mayLead && !unicode.IsDigit(firstRune(w)) {
			add(words[j-1])
		}
	}
	if n := len(words); title && n > 0 {
		switch {
		case !nounFirst[base] && content(words[n-1]) && !(n > 1 && (words[n-2] == "te" || words[n-2] == "to")):
			add(words[n-1])
		case nounFirst[base] && content(words[0]) && (n <= 2 || slices.Contains(other, strings.ToLower(words[1])) ||
			!hasWord(words[1])):
			add(words[0])
		}
	}
}

// japaneseNouns adds the runs of kanji or katakana before a particle or the end of a clause.
func japaneseNouns(line string, add func(string)) {
	rs := []rune(line)
	for i := 0; i < len(rs); {
		j, class := i, scriptOf(rs[i])
		for j < len(rs) && (scriptOf(rs[j]) == class || rs[j] == 'ー') {
			j++
		}
		run, rest := string(rs[i:j]), string(rs[j:])
		n := j - i
		closed := rest == "" || strings.ContainsRune("のをがはにと、。 ,.！？「」（）：・", rs[min(j, len(rs)-1)]) ||
			strings.HasPrefix(rest, "で") && !strings.HasPrefix(rest, "です") && !strings.HasPrefix(rest, "でも")
		if closed && (class == "katakana" && n >= 3 || class == "han" && n >= 2 && n <= 4 &&
			!strings.ContainsAny(run, "一二三四五六七八九十半何回")) && (i == 0 || !unicode.IsDigit(rs[i-1])) {
			add(run)
		}
		i = max(j, i+1)
	}
}

// tags returns at most MaxTags words: the text's own hashtags, then its nouns, the most characteristic first. A text
// with few nouns has few tags, or none.
func tags(tag string, r textgen.Request, text, topic string, hashtags []string) []string {
	var out []string
	add := func(words ...string) {
		for _, w := range words {
			w = strings.ToLower(strings.Trim(strings.NewReplacer("#", "", ",", "").Replace(w), " .-_"))
			if w == "" || runes(w) > textgen.MaxTag || !isTag(w) || textgen.Banned(w, r.Brand.BannedWords) != "" {
				continue
			}
			out = append(out, w)
		}
		out = unique(out)
	}
	add(hashtags...)
	headline := strings.TrimSpace(topic)
	if headline == "" {
		headline, _, _ = strings.Cut(text, "\n")
		if said := sentences(headline); len(said) > 0 && weight(said[0]) > 1 {
			headline = strings.TrimRight(said[0], ".!?…。！？ ")
		}
	}
	own := nounsOf(tag, headline, text)
	telling := slices.DeleteFunc(salient(tag, strings.Repeat(topic+" . ", 2)+text), func(w string) bool {
		return weakTags[w] || calendar[w] || isNotNoun(tag, w) || !own[w] && !own[w+"s"] && !own[bare(w)]
	})
	add(telling[:min(len(telling), 5)]...)
	for _, w := range wordsOf(strings.ToLower(text)) {
		if len(out) < textgen.MinTags && runes(w) == 3 && own[w] && !weakTags[w] && unicode.IsLetter(firstRune(w)) {
			add(w)
		}
	}
	if n := r.Brand.Niche; n != "" && weight(n) <= 3 {
		add(n)
	}
	return out[:min(len(out), textgen.MaxTags)]
}
