// SPDX-License-Identifier: Apache-2.0

package offline

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/reelops/reelops/internal/content/textgen"
	"github.com/reelops/reelops/internal/content/textgen/lang"
)

var reAddress = regexp.MustCompile(`(?i)(?:[a-z0-9._%+-]+@)?\b[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9-]+)*\.(?:com|net|org|io|co|shop|store|app|dev|example|test|eu|de|fr|es|it|pt|nl|pl|ru|ua|tr|uk|us|ca|au|in|jp|cn|kr|id|vn|th|br|mx|me|ly|info|biz|online|coffee|studio|ai|ch|at|be|se|no|dk|fi|cz|gr|il|ae|sa)(?:\.[a-z]{2})?\b(?:/[^\s]*[^\s.,;:!?)。])?`)

// ctaVerbs are the verbs of calls to action. The first list holds strong verbs, which count beside an address anywhere
// or at the end. The second holds weak verbs, which count only at the very end.
var ctaVerbs = map[string][2]string{
	"en": {"shop order pre-order preorder buy book visit subscribe register download rsvp reserve donate dm follow", "try join sign call get start learn save share tag tap click grab contact message comment check come discover apply claim see find drop tell stop swing explore"},
	"es": {"compra pide reserva visita visítanos suscríbete descarga regístrate síguenos encarga compre reserve visite", "prueba únete llama consigue empieza descubre comparte guarda escríbenos ven conoce apúntate"},
	"fr": {"commande commandez achète achetez réserve réservez visite visitez inscris-toi inscrivez-vous abonne-toi abonnez-vous télécharge téléchargez", "essaie essayez rejoins rejoignez appelle appelez découvre découvrez contacte contactez viens venez partage partagez passez"},
	"de": {"bestelle bestellen bestell kaufe kauf buche buchen besuche besuchen besuch abonniere registriere reserviere reservieren", "probiere probier teste ruf rufe melde schreib komm kommt kommen entdecke hol sichere starte teile schau schauen jetzt"},
	"it": {"ordina compra prenota visita iscriviti scarica registrati seguici acquista", "prova unisciti chiama scopri inizia condividi contattaci vieni"},
	"pt": {"compre peça encomende reserve visite inscreva-se baixe cadastre-se siga", "experimente junte-se ligue descubra comece partilhe compartilhe venha aproveite"},
	"nl": {"bestel koop boek bezoek reserveer download volg", "probeer bel ontdek start deel kom meld"},
	"pl": {"zamów kup zarezerwuj odwiedź pobierz zapisz obserwuj", "wypróbuj dołącz zadzwoń odkryj napisz przyjdź sprawdź"},
	"ru": {"закажите заказывайте купите забронируйте запишитесь записывайтесь подпишитесь скачайте посетите бронируйте", "попробуйте приходите заходите позвоните звоните напишите пишите узнайте присоединяйтесь начните ждём"},
	"uk": {"замовте замовляйте купуйте забронюйте запишіться підпишіться завантажте", "спробуйте приходьте завітайте телефонуйте напишіть дізнайтеся приєднуйтеся почніть"},
	"tr": {"sipariş satın rezervasyon indir ziyaret", "dene katıl ara keşfet başla paylaş gel"},
	"id": {"pesan beli kunjungi unduh daftar", "coba hubungi mulai temukan bagikan ikuti"},
	"vi": {"đặt mua ghé tải đăng", "thử gọi khám tham liên hãy"},
	"ar": {"اطلب اطلبوا احجز احجزوا اشتر زورونا زر اشترك اشتركوا حمل سجل", "جرب انضم اتصل اكتشف ابدأ تواصل تعال شارك"},
	"he": {"הזמינו הזמן קנו בקרו הירשמו הורידו", "נסו הצטרפו התקשרו גלו בואו שתפו"},
	"hi": {"ऑर्डर खरीदें बुक", "आज ही अभी आज़माएं जुड़ें"},
}

// ctaEnds are endings of calls to action in languages that put the verb last.
var ctaEnds = map[string][]string{
	"ja": {"ください", "お越しを", "ご注文を", "ご予約を", "チェック", "ましょう", "てね", "フォロー", "コメント"},
	"ko": {"하세요", "주세요", "오세요", "보세요", "해보세요"},
	"zh": {"立即下单", "立即购买", "欢迎", "快来", "点击", "扫码", "预订", "下单", "关注"},
	"th": {"สั่งซื้อ", "สั่งเลย", "จองเลย", "แวะมา", "ติดต่อ", "ทักแชท", "โทร"},
	"hi": {"करें", "कीजिए", "आइए", "जुड़ें"},
	"tr": {"ver", "verin", "et", "edin", "yapın", "yap", "alın", "deneyin", "katılın"},
}

// call returns the closing slide that the cards need: the brand's own call to action, the one from the brief, or a
// neutral one. It is empty if the text already closes with a call. neutral reports whether it is a phrase of this
// package.
func (s *story) call(cards []card) (call card, neutral bool) {
	own := len(cards) > 1 && s.closes(cards)
	if c := tidy(cleanInline(clean(s.r.Brand.CallToAction))); hasWord(c) && s.ok(c) {
		call, _ = card{head: c, para: -1}.fit(s.tag)
		if o := tidy(cleanInline(clean(s.r.Brand.Offer))); hasWord(o) && s.ok(o) && runes(o) <= textgen.MaxBody &&
			call.body == "" && !own {
			call.body = o
		}
		return call, false
	}
	if s.brief.cta != "" && s.ok(s.brief.cta) {
		call, _ = card{head: s.brief.cta, para: -1}.fit(s.tag)
		return call, false
	}
	if own {
		return card{}, false
	}
	if s.address != "" && s.ok(s.address) && runes(s.address) <= 60 {
		if s.words.link == "" {
			return card{head: s.address, para: -1}, false
		}
		return card{head: fmt.Sprintf(s.words.link, s.address), body: s.words.save, para: -1}, false
	}
	for _, c := range []card{{head: s.words.save, body: s.words.follow, para: -1}, {head: s.words.follow, para: -1}} {
		if c.head != "" && s.ok(c.text()) {
			return c, true
		}
	}
	return card{}, false
}

// closes reports whether the last of several cards already is a call to action: a request to act, an invitation to
// answer, a goodbye, or contact details, which may also be on the last card but one.
func (s *story) closes(cards []card) bool {
	last := cards[len(cards)-1]
	text := last.text()
	said := sentences(strings.ReplaceAll(text, "\n", " "))
	end := said[len(said)-1]
	invites := len(said) > 1 && asks(said[len(said)-2]) && asksForAct(s.tag, end, true)
	switch {
	case last.call || invites || reContact.MatchString(text) || reContact.MatchString(cards[len(cards)-2].text()) &&
		runes(text) <= 90:
		return true
	case len(s.hashtags) > 0 && asks(end), last.run != 0 && last.shape != rows:
		return asks(end) && len(s.hashtags) > 0 // among tips nearly every line is an imperative
	case last.question || last.shape == listed:
		return false
	case asks(end) && len(cards) >= 3, strings.ContainsRune("!！", lastRune(strings.TrimRightFunc(end, isPicture))):
		return true
	}
	for _, line := range append(strings.Split(text, "\n"), end) {
		if asksForAct(s.tag, line, true) {
			return true
		}
	}
	// Short lines without a full stop at the very end are a signature.
	return s.blocks[len(s.blocks)-1].kind == verse && runes(text) <= 60 && len(cards) >= 4 && !structured(cards)
}

// reContact matches an address, an account or a telephone number.
var reContact = regexp.MustCompile(reAddress.String() + `|(?:^|\s)@\w{3,}|(?:^|[\s:：])\+?\(?\d(?:[ ()/-]{0,2}\d){7,}`)

// asksForAct reports whether a sentence is a call to action.
func asksForAct(tag, s string, last bool) bool {
	base := lang.Base(tag)
	lower := strings.ToLower(strings.TrimLeftFunc(unvowelled(s), func(r rune) bool {
		return isPicture(r) ||
			r == ' ' || r == '¡'
	}))
	first, _, _ := strings.Cut(lower, " ")
	first = strings.Trim(first, ",.!:;")
	stem, _, _ := strings.Cut(first, "-")
	verbs := ctaVerbs[base]
	backed := reAddress.MatchString(s)
	for _, v := range strings.Fields(verbs[0]) {
		if (v == first || v == stem) && (last || backed) && !namesThing(base, lower) {
			return true
		}
	}
	for _, v := range strings.Fields(verbs[1]) {
		if (v == first || v == stem) && last && runes(s) <= 2*90 && !namesThing(base, lower) {
			return true
		}
	}
	if !last {
		return false
	}
	if strings.Contains(lower, "link in bio") {
		return true
	}
	end := strings.TrimRight(lower, ".!。！ …")
	for _, e := range ctaEnds[base] {
		if strings.HasSuffix(end, e) || (base == "zh" || base == "th") && strings.Contains(lower, e) {
			return true
		}
	}
	return reAddress.MatchString(s) && runes(s) <= 120
}

// unvowelled removes the vowel marks of Arabic and Hebrew words, which are optional in writing.
func unvowelled(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= 0x064B && r <= 0x0652 || r >= 0x0591 && r <= 0x05C7 && r != 0x05BE {
			return -1
		}
		return r
	}, s)
}

// nouns are English verbs that are often nouns: "shop owners worry" is not a call to action.
var nouns = " shop book order message contact comment call check stop start share find drop follow visit download "

// afterVerb are words after which the preceding word is a verb.
var afterVerb = " a an the your yours our my this these it one us me at in on now today online here by via with from before for any and early direct tickets free all small to up out "

func namesThing(base, lower string) bool {
	words := strings.Fields(lower)
	if base != "en" || len(words) < 2 || !strings.Contains(nouns, " "+words[0]+" ") {
		return false
	}
	second := strings.Trim(words[1], ",.!:;")
	return !strings.Contains(afterVerb, " "+second+" ") && !strings.HasPrefix(second, "@") &&
		!reAddress.MatchString(second)
}
