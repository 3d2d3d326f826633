// SPDX-License-Identifier: Apache-2.0

package text

import (
	"slices"
	"strings"
	"unicode"
)

// Phrases returns the offsets at which a phrase begins in a text of Chinese or Japanese, ascending and never 0. A
// phrase is a word with the particle, ending or mark that belongs to it. Stretches of other scripts contain no offsets.
func Phrases(runes []rune) []int {
	var out []int
	for at, kind := range phraseBreaks(runes) {
		if kind == ruled(betweenWord) {
			out = append(out, at)
		}
	}
	return out
}

// ruled is a breakKind, or unruled.
type ruled int8

const unruled ruled = -1

// phraseBreaks rates line breaks before runes with Chinese or Japanese on at least one side; the others are unruled. A
// text with kana is Japanese.
func phraseBreaks(runes []rune) []ruled {
	out := make([]ruled, len(runes)+1)
	for i := range out {
		out[i] = unruled
	}
	if !slices.ContainsFunc(runes, ideographic) {
		return out
	}
	japanese := slices.ContainsFunc(runes, isKana)
	for at := 1; at < len(runes); at++ {
		a, b := runes[at-1], runes[at]
		if !ideographic(a) && !ideographic(b) || unicode.IsSpace(a) || unicode.IsSpace(b) {
			continue
		}
		if kind, ok := atMark(runes, at); ok {
			out[at] = ruled(kind)
		} else if japanese {
			out[at] = ruled(japaneseBreak(runes, at))
		}
	}
	if !japanese {
		chineseBreaks(runes, out)
	}
	return out
}

func isKana(r rune) bool { return unicode.In(r, unicode.Hiragana, unicode.Katakana) || r == 'ー' }

// atMark rates a break at a mark, or at a character that never begins a line. It returns false for other places.
func atMark(runes []rune, at int) (breakKind, bool) {
	a, b := runes[at-1], runes[at]
	opens := func(r rune) bool { return unicode.In(r, unicode.Ps, unicode.Pi) }
	closes := func(r rune) bool { return unicode.In(r, unicode.Pe, unicode.Pf) }
	mark := func(r rune) bool { return unicode.IsPunct(r) || unicode.IsSymbol(r) }
	switch {
	case opens(a), closes(b), strings.ContainsRune("っゃゅょぁぃぅぇぉゎッャュョァィゥェォヮーｰ々〻ゝゞヽヾ", b):
		return noBreak, true
	case opens(b):
		return betweenWord, true
	case mark(b):
		return noBreak, true
	case closes(a) && hiragana(b):
		return atCluster, true // a particle after a quotation
	case strings.ContainsRune("・·〜～-–/", a):
		return insideWord, true
	case strings.ContainsRune("%％#＃@$¥￥€+.", a):
		return atCluster, true
	case mark(a):
		return betweenWord, true
	}
	return noBreak, false
}

// japaneseBreak rates a break between two letters of a Japanese text. Phrases end in hiragana and begin with another
// script. Between two hiragana, the particles and the words that begin a phrase are decisive.
func japaneseBreak(runes []rune, at int) breakKind {
	a, b := runes[at-1], runes[at]
	left, right := string(runes[max(0, at-4):at]), string(runes[at:min(len(runes), at+6)])
	prefix := (b == 'お' || b == 'ご') && at+1 < len(runes) && unicode.In(runes[at+1], unicode.Han, unicode.Katakana)
	switch {
	case (a == 'お' || a == 'ご' || a == '御') && !hiragana(b) && (at < 2 || !unicode.Is(unicode.Han, runes[at-2])):
		return noBreak
	case prefix:
		return betweenWord
	case a == 'っ' || a == 'ッ':
		return atCluster
	case strings.ContainsRune("かヶケカ", a) && strings.ContainsRune("所月国条年", b) && at > 1 && numeral(runes[at-2]):
		return noBreak // "3か月", "一か所"
	case hiragana(a) && hiragana(b):
		return betweenHiragana(runes, at, left, right)
	case hiragana(a):
		if insideCompound(runes, at, left) {
			return atCluster
		}
		if strings.ContainsRune(verbEnds, a) && strings.ContainsRune("人時事物者方前後中間日頃際所", b) &&
			(at+1 == len(runes) || !unicode.Is(unicode.Han, runes[at+1])) {
			return insideWord // a short noun reads with its attribute
		}
		return betweenWord
	case hiragana(b):
		if begins(right, "ください", "ありがと", "いつも", "とても", "もっと", "だけど", "なので", "ゼロ") {
			return betweenWord
		}
		return atCluster // an ending, or a particle
	case unicode.IsDigit(b):
		if strings.ContainsRune("第約全計各", a) {
			return noBreak
		}
		return betweenWord
	case unicode.IsDigit(a):
		return atCluster // a counter
	case unicode.Is(unicode.Han, a) && unicode.Is(unicode.Han, b):
		if ends(left, times...) {
			return insideWord
		}
		return atCluster
	case isKana(a) && isKana(b):
		return atCluster
	}
	return insideWord // parts of a compound in different scripts
}

// numeral reports whether a character is a digit or a Han numeral.
func numeral(r rune) bool {
	return unicode.IsDigit(r) || strings.ContainsRune("一二三四五六七八九十百千万数何", r)
}

// insideCompound reports whether a hiragana between two other characters is inside a word: "使い|方", "引っ|越し", "女の|子".
func insideCompound(runes []rune, at int, left string) bool {
	if runes[at] == '方' && ends(left, "やり", "つくり", "あり", "し") ||
		ends(left, "女の", "男の", "目の", "身の", "世の") && strings.ContainsRune("子前回中", runes[at]) {
		return true
	}
	return at > 1 && unicode.Is(unicode.Han, runes[at-2]) && strings.ContainsRune("きしちみりいえけせべめれげぎじび", runes[at-1]) &&
		strings.ContainsRune("方物込出合切組換替付直続始終立取入上下回返掛先目過越抜放消手", runes[at])
}

// Hiragana at the end of phrases, of nouns and of verbs.
const (
	nounParticles = "はがをにでとものへや"
	verbEnds      = "るいたうくすつむぶぬぐなの"
)

// betweenHiragana rates a break between two hiragana.
func betweenHiragana(runes []rune, at int, left, right string) breakKind {
	a := runes[at-1]
	particle := strings.ContainsRune(nounParticles+"て", a)
	afterNoun := at > 1 && (unicode.In(runes[at-2], unicode.Han, unicode.Katakana, unicode.Latin, unicode.Nd, unicode.Pe) || runes[at-2] == 'ー')
	switch {
	case a == 'を':
		return betweenWord
	case strings.ContainsRune(verbEnds, a) && begins(right, formalNouns...):
		return betweenWord
	case (a == 'て' || a == 'で') && begins(right, helpers...):
		return insideWord
	case begins(right, adverbs...) && (particle || strings.ContainsRune(verbEnds+"ら、", a)):
		return betweenWord
	case particle && begins(right, verbs...) && !ends(left, "では", "じゃ", "にと", "につ"):
		return betweenWord
	case strings.ContainsRune("はがにでとへや", a) && begins(right, "この", "その", "あの", "どの", "また", "まず", "もう", "すぐ", "まだ"):
		return betweenWord
	case afterNoun && particle && !follows(a, right):
		return betweenWord
	case ends(left, "には", "では", "とは", "にも", "から", "まで", "より", "だけ", "しか", "ので", "のに",
		"ながら", "れば", "など", "ほど", "くらい", "として", "という") &&
		(begins(right, verbs...) || !strings.ContainsRune("はがをにもでとのかだしなねよっいす", []rune(right)[0])):
		return betweenWord
	}
	return atCluster
}

// follows reports whether the text continues the particle: with another particle, or as a longer word that begins with
// it.
func follows(particle rune, right string) bool {
	first := []rune(right)[0]
	switch particle {
	case 'は':
		return strings.ContainsRune("じずな", first)
	case 'が':
		return strings.ContainsRune("るりっらろちた", first)
	case 'に':
		return strings.ContainsRune("はもての", first) ||
			begins(right, "つい", "つき", "よっ", "より", "よる", "おい", "おけ", "とっ", "なる", "なっ", "なり")
	case 'で':
		return strings.ContainsRune("すしきはもあのょ", first)
	case 'と':
		return strings.ContainsRune("はもかのいっしな", first)
	case 'の':
		return strings.ContainsRune("でにはがをもかだみよん", first)
	case 'も':
		return strings.ContainsRune("のうっしらちと", first)
	case 'や':
		return strings.ContainsRune("っかりめすさ", first)
	case 'へ':
		return strings.ContainsRune("のと", first)
	}
	return true
}

func begins(s string, with ...string) bool {
	return slices.ContainsFunc(with, func(w string) bool { return strings.HasPrefix(s, w) })
}

func ends(s string, with ...string) bool {
	return slices.ContainsFunc(with, func(w string) bool { return strings.HasSuffix(s, w) })
}

var (
	// formalNouns begin a phrase after the end of a verb or an adjective.
	formalNouns = strings.Fields(`こと もの とき ところ ために ための ため、 ように ような ようで ようと まま はず わけ つもり とおり うちに たびに
		やり方 あとに あとで あとは まえに ほうが ほうを ほうは だけで`)
	// times are words of time and similar ones that precede a word without a particle.
	times = strings.Fields(`毎日 毎朝 毎晩 毎週 今日 明日 昨日 今年 来年 去年 今週 来週 今月 来月 最近 結局 全部 一番 絶対 本当`)
	// helpers are auxiliary verbs after a verb in て.
	helpers = strings.Fields(`いる いた いて いま いな います いく いき おく おき おい くだ くる きた きま みる みて みま しま もら あげ くれ ほし ある あり も は`)
	adverbs = strings.Fields(`いつも いつで とても もっと ずっと ちょっと きっと ゆっくり しっかり きちんと すっきり ぐっすり たっぷり じっくり だんだん どんどん
		そろそろ いろいろ さまざま たくさん みんな なかなか ほとんど まったく ぜひ いきなり かならず たぶん やはり やっぱり すべて はじめて
		あなた わたし なぜ どうし どうや しかし だから そして それから たとえば つまり さらに いちばん ひとつ ふたつ まいにち ここ そこ こんな そんな どんな`)
	verbs = strings.Fields(`たま ふえ あります ありません あった ある いません います いる できま できる できた できな できて なりま なりました なった なって なる なれ ならな
		しましょ します しません しない する した して したい しよう おすすめ おいし うれし たのし かわい やさし むずか すご よい よく いい ない なく なけ なし
		わから わかり わかる みましょ みる みて やめ つくる つくり つくっ つける つけて つけ かける かけて かか とる とって とり もらう もらえ あげ くれ くださ いただ
		はじめ はじま つづけ つづく たべ のむ のん のみ いう いえ いわ おも かんが まも まと ため きめ きま ある あるく かえ かう かい つか つづ そだ ふえ へら
		ひと もの こと もど のこ ふれ いれ みな こころ からだ`)
)
