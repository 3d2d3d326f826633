// SPDX-License-Identifier: Apache-2.0

package offline

import (
	"maps"
	"slices"
	"strings"

	"github.com/reelops/reelops/internal/content/textgen/lang"
)

// phrases are the only words that do not come from the request. They state no facts: they ask, invite and refer.
type phrases struct {
	save   string // a call to action that fits every topic
	follow string // an optional line below it
	link   string // "%s" is an address
	count  string // "%s" is a number; a headline for a list without one
	tried  string // a question for a video whose profile has only a name
}

// phraseTable: save | follow | link | count | tried
var phraseTable = map[string]string{
	"en": "Save this for later|Follow for more|Find out more at %s|%s things to know|Have you tried it?",
	"es": "Guárdalo para después|Síguenos para ver más|Más información en %s|%s cosas que debes saber|¿Ya lo has probado?",
	"fr": "À garder pour plus tard|Abonne-toi pour la suite|En savoir plus : %s|%s choses à savoir|Tu as déjà essayé ?",
	"de": "Speichere dir das für später|Folge uns für mehr|Mehr dazu: %s|%s Dinge, die du wissen solltest|Schon ausprobiert?",
	"it": "Salvalo per dopo|Seguici per saperne di più|Scopri di più su %s|%s cose da sapere|L'hai già provato?",
	"pt": "Salve para ver depois|Siga para ver mais|Saiba mais em %s|%s coisas para saber|Já experimentou?",
	"nl": "Bewaar dit voor later|Volg ons voor meer|Meer weten: %s|%s dingen om te weten|Al eens geprobeerd?",
	"pl": "Zapisz na później|Obserwuj po więcej|Więcej: %s|Co warto wiedzieć: %s|Już próbujesz?",
	"ru": "Сохраните на потом|Подпишитесь, чтобы не пропустить новое|Подробнее: %s|Что важно знать: %s|Уже пробовали?",
	"uk": "Збережіть на потім|Підпишіться, щоб не пропустити нове|Докладніше: %s|Що варто знати: %s|Уже пробували?",
	"tr": "Sonrası için kaydet|Daha fazlası için takip et|Daha fazlası: %s|Bilmen gereken %s şey|Hiç denedin mi?",
	"ar": "احفظها للعودة إليها لاحقا|تابعنا للمزيد|المزيد على %s|أهم النقاط: %s|هل جربتها من قبل؟",
	"he": "שמרו לאחר כך|עקבו לעוד תוכן|עוד פרטים: %s|%s דברים שכדאי לדעת|כבר ניסיתם?",
	"hi": "बाद के लिए सेव करें|और देखने के लिए फ़ॉलो करें|और जानें: %s|जानने लायक %s बातें|क्या आपने इसे आज़माया है?",
	"th": "บันทึกไว้ดูภายหลัง|กดติดตามเพื่อดูเพิ่มเติม|ดูเพิ่มเติมที่ %s|%s เรื่องที่ควรรู้|เคยลองหรือยัง?",
	"ja": "あとで見返せるように保存|フォローして続きをチェック|くわしくは %s|知っておきたい%sつのこと|もう試しましたか？",
	"zh": "收藏起来，以后再看|关注我们，了解更多|更多内容：%s|值得了解的%s件事|你试过吗？",
	"ko": "나중에 볼 수 있게 저장하세요|팔로우하고 더 알아보세요|더 알아보기: %s|알아두면 좋은 %s가지|이미 해 보셨나요?",
	"id": "Simpan untuk nanti|Ikuti untuk info lainnya|Selengkapnya di %s|%s hal yang perlu diketahui|Sudah pernah coba?",
	"vi": "Lưu lại để xem sau|Theo dõi để xem thêm|Xem thêm tại %s|%s điều nên biết|Bạn đã thử chưa?",
}

// Languages returns the languages of the phrases as BCP 47 tags, sorted. Texts in these languages can have calls to
// action.
func Languages() []string { return slices.Sorted(maps.Keys(phraseTable)) }

// phrasesFor returns the phrases of a language, or empty ones if the language is not in the table.
func phrasesFor(tag string) phrases {
	row, ok := phraseTable[lang.Base(tag)]
	if !ok {
		return phrases{}
	}
	f := strings.Split(row, "|")
	return phrases{save: f[0], follow: f[1], link: f[2], count: f[3], tried: f[4]}
}

// Phrases returns every phrase of a language's table, with "%s" as the placeholder for text from the request.
func Phrases(tag string) []string {
	p := phrasesFor(tag)
	if p.save == "" {
		return nil
	}
	return []string{p.save, p.follow, p.link, p.count, p.tried}
}
