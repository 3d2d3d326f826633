// SPDX-License-Identifier: Apache-2.0

package offline

import (
	"strings"

	"github.com/reelops/reelops/internal/textgen/lang"
)

// phrases are the only words that do not come from the request. They claim nothing: they ask, invite and point.
type phrases struct {
	save   string   // a call to action that fits every topic
	follow string   // what may stand below it
	link   string   // "%s" is an address
	count  string   // "%s" is a number; a headline for a list without one
	ask    []string // for slides that the text has no words left for
}

// phraseTable: save | follow | link | count | ask, ask, ...
var phraseTable = map[string]string{
	"en": "Save this for later|Follow for more|Find out more at %s|%s things to know|What comes to mind first?;Have you tried it?;Who should see this?;What would you add?;Yes, no or maybe?;What is your best tip?;Which part is new to you?;Tell us in the comments;Tag someone who needs this;Share it with a friend;Come back to this one",
	"es": "Guárdalo para después|Síguenos para ver más|Más información en %s|%s cosas que debes saber|¿Qué es lo primero que piensas?;¿Ya lo has probado?;¿Quién debería ver esto?;¿Qué añadirías?;¿Sí, no o quizás?;¿Cuál es tu mejor consejo?;¿Qué parte es nueva para ti?;Cuéntanos en los comentarios;Etiqueta a quien lo necesite;Compártelo con un amigo;Vuelve a verlo cuando quieras",
	"fr": "À garder pour plus tard|Abonne-toi pour la suite|En savoir plus : %s|%s choses à savoir|Quelle est ta première idée ?;Tu as déjà essayé ?;Qui devrait voir ça ?;Qu'ajouterais-tu ?;Oui, non ou peut-être ?;Ton meilleur conseil ?;Qu'est-ce qui est nouveau pour toi ?;Dis-le en commentaire;Tague quelqu'un à qui ça servira;Partage avec un ami;Reviens-y quand tu veux",
	"de": "Speichere dir das für später|Folge uns für mehr|Mehr dazu: %s|%s Dinge, die du wissen solltest|Woran denkst du zuerst?;Schon ausprobiert?;Wer sollte das sehen?;Was würdest du ergänzen?;Ja, nein oder vielleicht?;Was ist dein bester Tipp?;Was davon ist neu für dich?;Schreib es in die Kommentare;Markiere jemanden, der das braucht;Teile es mit einem Freund;Schau später noch einmal vorbei",
	"it": "Salvalo per dopo|Seguici per saperne di più|Scopri di più su %s|%s cose da sapere|Qual è il tuo primo pensiero?;L'hai già provato?;Chi dovrebbe vederlo?;Cosa aggiungeresti?;Sì, no o forse?;Qual è il tuo consiglio migliore?;Cosa ti è nuovo?;Scrivilo nei commenti;Tagga chi ne ha bisogno;Condividilo con un amico;Tornaci quando vuoi",
	"pt": "Salve para ver depois|Siga para ver mais|Saiba mais em %s|%s coisas para saber|O que vem à mente primeiro?;Já experimentou?;Quem deveria ver isto?;O que acrescentaria?;Sim, não ou talvez?;Qual é a sua melhor dica?;Que parte é novidade?;Conte nos comentários;Marque quem precisa disto;Partilhe com um amigo;Volte aqui quando quiser",
	"nl": "Bewaar dit voor later|Volg ons voor meer|Meer weten: %s|%s dingen om te weten|Waar denk je als eerste aan?;Al eens geprobeerd?;Wie moet dit zien?;Wat zou jij toevoegen?;Ja, nee of misschien?;Wat is jouw beste tip?;Wat is nieuw voor jou?;Vertel het in de reacties;Tag iemand die dit nodig heeft;Deel het met een vriend;Kom hier later op terug",
	"pl": "Zapisz na później|Obserwuj po więcej|Więcej: %s|Co warto wiedzieć: %s|Co przychodzi ci na myśl?;Już próbujesz?;Kto powinien to zobaczyć?;Co byś dodał?;Tak, nie czy może?;Twoja najlepsza rada?;Co jest tu dla ciebie nowe?;Napisz w komentarzu;Oznacz kogoś, komu to się przyda;Podziel się z przyjacielem;Wróć do tego później",
	"ru": "Сохраните на потом|Подпишитесь, чтобы не пропустить новое|Подробнее: %s|Что важно знать: %s|Что приходит на ум первым?;Уже пробовали?;Кому это показать?;Что бы вы добавили?;Да, нет или может быть?;Какой ваш лучший совет?;Что здесь для вас новое?;Напишите в комментариях;Отметьте того, кому это нужно;Поделитесь с другом;Вернитесь к этому позже",
	"uk": "Збережіть на потім|Підпишіться, щоб не пропустити нове|Докладніше: %s|Що варто знати: %s|Що спадає на думку першим?;Уже пробували?;Кому це показати?;Що б ви додали?;Так, ні чи можливо?;Яка ваша найкраща порада?;Що тут для вас нове?;Напишіть у коментарях;Позначте того, кому це потрібно;Поділіться з другом;Поверніться до цього пізніше",
	"tr": "Sonrası için kaydet|Daha fazlası için takip et|Daha fazlası: %s|Bilmen gereken %s şey|Aklına ilk ne geliyor?;Hiç denedin mi?;Bunu kim görmeli?;Sen ne eklerdin?;Evet mi, hayır mı, belki mi?;En iyi önerin ne?;Hangisi senin için yeni?;Yorumlarda anlat;İhtiyacı olan birini etiketle;Bir arkadaşınla paylaş;Sonra tekrar bak",
	"ar": "احفظها للعودة إليها لاحقا|تابعنا للمزيد|المزيد على %s|أهم النقاط: %s|ما أول ما يخطر ببالك؟;هل جربتها من قبل؟;من يجب أن يرى هذا؟;ماذا تضيف؟;نعم أم لا أم ربما؟;ما أفضل نصيحة لديك؟;ما الجديد بالنسبة لك؟;أخبرنا في التعليقات;أشر إلى شخص يحتاج هذا;شاركها مع صديق;عد إليها متى شئت",
	"he": "שמרו לאחר כך|עקבו לעוד תוכן|עוד פרטים: %s|%s דברים שכדאי לדעת|מה הדבר הראשון שעולה לכם בראש?;כבר ניסיתם?;מי צריך לראות את זה?;מה הייתם מוסיפים?;כן, לא או אולי?;מה הטיפ הכי טוב שלכם?;מה חדש לכם כאן?;ספרו לנו בתגובות;תייגו מישהו שצריך את זה;שתפו עם חבר;חזרו לזה אחר כך",
	"hi": "बाद के लिए सेव करें|और देखने के लिए फ़ॉलो करें|और जानें: %s|जानने लायक %s बातें|सबसे पहले क्या याद आता है?;क्या आपने इसे आज़माया है?;यह किसे दिखाना चाहिए?;आप क्या जोड़ेंगे?;हाँ, नहीं या शायद?;आपकी सबसे अच्छी सलाह क्या है?;इसमें आपके लिए नया क्या है?;कमेंट में बताएं;जिसे ज़रूरत हो उसे टैग करें;दोस्त के साथ साझा करें;बाद में फिर देखें",
	"th": "บันทึกไว้ดูภายหลัง|กดติดตามเพื่อดูเพิ่มเติม|ดูเพิ่มเติมที่ %s|%s เรื่องที่ควรรู้|คุณนึกถึงอะไรเป็นอย่างแรก?;เคยลองหรือยัง?;ใครควรเห็นสิ่งนี้?;คุณอยากเพิ่มอะไร?;ใช่ ไม่ใช่ หรืออาจจะ?;เคล็ดลับที่ดีที่สุดของคุณคืออะไร?;เรื่องไหนใหม่สำหรับคุณ?;บอกเราในคอมเมนต์;แท็กคนที่ต้องการสิ่งนี้;แชร์ให้เพื่อน;กลับมาดูอีกครั้งได้เสมอ",
	"ja": "あとで見返せるように保存|フォローして続きをチェック|くわしくは %s|知っておきたい%sつのこと|まず何を思い浮かべますか？;もう試しましたか？;誰に見せたいですか？;あなたなら何を加えますか？;はい、いいえ、それとも？;おすすめのコツは何ですか？;初めて知ったことはどれですか？;コメントで教えてください;必要な人をタグ付け;友だちにシェア;また見に来てください",
	"zh": "收藏起来，以后再看|关注我们，了解更多|更多内容：%s|值得了解的%s件事|你首先想到什么？;你试过吗？;谁应该看到这个？;你会补充什么？;是、不是，还是也许？;你最好的建议是什么？;哪一点对你来说是新的？;在评论区告诉我们;提醒需要的人;分享给朋友;有空再回来看看",
	"ko": "나중에 볼 수 있게 저장하세요|팔로우하고 더 알아보세요|더 알아보기: %s|알아두면 좋은 %s가지|가장 먼저 무엇이 떠오르나요?;이미 해 보셨나요?;누가 보면 좋을까요?;무엇을 더하고 싶나요?;네, 아니요, 아니면 글쎄요?;나만의 팁은 무엇인가요?;어떤 점이 새로웠나요?;댓글로 알려 주세요;필요한 사람을 태그하세요;친구와 공유하세요;다음에 다시 보세요",
	"id": "Simpan untuk nanti|Ikuti untuk info lainnya|Selengkapnya di %s|%s hal yang perlu diketahui|Apa yang pertama terlintas?;Sudah pernah coba?;Siapa yang perlu melihat ini?;Apa yang ingin kamu tambahkan?;Ya, tidak, atau mungkin?;Apa tips terbaikmu?;Bagian mana yang baru bagimu?;Ceritakan di komentar;Tandai teman yang butuh ini;Bagikan ke teman;Lihat lagi nanti",
	"vi": "Lưu lại để xem sau|Theo dõi để xem thêm|Xem thêm tại %s|%s điều nên biết|Bạn nghĩ đến điều gì đầu tiên?;Bạn đã thử chưa?;Ai nên xem điều này?;Bạn muốn thêm điều gì?;Có, không hay có thể?;Mẹo hay nhất của bạn là gì?;Điều nào mới với bạn?;Hãy kể trong phần bình luận;Gắn thẻ người cần điều này;Chia sẻ với bạn bè;Quay lại xem khi cần",
}

// phrasesFor are the phrases of a language; empty ones where the language is not in the table.
func phrasesFor(tag string) phrases {
	row, ok := phraseTable[lang.Base(tag)]
	if !ok {
		return phrases{}
	}
	f := strings.Split(row, "|")
	return phrases{save: f[0], follow: f[1], link: f[2], count: f[3], ask: strings.Split(f[4], ";")}
}

// Phrases is every phrase of a language's table, with "%s" where something of the request goes.
func Phrases(tag string) []string {
	p := phrasesFor(tag)
	if p.save == "" {
		return nil
	}
	return append([]string{p.save, p.follow, p.link, p.count}, p.ask...)
}

// signs are for a language without phrases, when its text has no words left.
var signs = []string{"👀", "💬", "❤️", "🔖", "✨", "👇", "🙌", "💡", "⭐", "🔁", "👉", "🎯"}
