// SPDX-License-Identifier: Apache-2.0

package lang

import "strings"

// profiles hold the function words of each language. They identify the language and never become tags.
var profiles = map[string]string{
	"en": "the a an and or but of to in on at for from with by is are was were be been it its this that these those you your yours we our us they their them i my me he she his her not no do does did has have had will can could would should if so as than then there here what which who when where why how all any more most some into out up about after before over under just only also very too every each between while because until through without being get let got make makes made like one's don't doesn't isn't it's you're we're i'm that's can't won't lots even still ever never always again both either such same own off down around",
	"es": "el la los las un una unos unas y o pero de del al en con por para sin sobre es son era ser está están que qué como cómo más muy se su sus tu tus mi mis nos nuestro nuestra lo le les me te no sí si ya también cuando donde este esta estos estas ese esa hay tiene cada todo toda todos todas porque hasta desde entre",
	"fr": "le la les l un une des du de d et ou mais à au aux en dans avec pour par sans sur est sont être ce cet cette ces que qui quoi il elle ils elles on nous vous votre vos notre nos je tu son sa ses se ne pas plus très aussi si comme quand où chaque tout tous toute toutes parce jusqu entre y c'est qu",
	"de": "der die das den dem des ein eine einen einem einer eines und oder aber von zu zum zur in im an am auf für mit bei aus nach ist sind war sein hat haben wird werden es sie er wir ihr ihre ihren ich du dein deine unser unsere nicht kein keine auch nur noch schon so wie wenn dass was wer wo als sich man mehr sehr über vor ohne durch jede jeder jedes alle euch uns dich mich",
	"it": "il lo la i gli le un uno una e o ma di del della dei delle dello degli da dal dalla in nel nella nei nelle con per su sul sulla tra fra è sono era essere che chi cosa come più molto si suo sua suoi tuo tua tuoi mio mia nostro nostra noi voi ci vi non anche se quando dove questo questa questi queste ogni tutto tutti tutte perché senza al alla ai alle",
	"pt": "o a os as um uma uns umas e ou mas de do da dos das em no na nos nas com por para pelo pela sem sobre é são era ser está estão que como mais muito se seu sua seus suas teu tua meu minha nosso nossa você vocês nós eles elas não sim também quando onde este esta esse essa isso há tem cada todo toda todos todas porque até desde entre ao à",
	"nl": "de het een en of maar van te in op aan voor met bij uit naar is zijn was waren wordt worden heeft hebben dat die dit deze wat wie waar hoe als je jij jouw u uw we wij ons onze ze zij hun ik mijn hij niet geen ook nog al meer zeer over door om er dan zo elke elk alle tot zonder tussen",
	"pl": "i a w we z ze na do od po o u za dla przez bez nad pod przy jest są był była być się nie tak to ten ta te tym tego co kto jak gdzie kiedy że czy ale lub oraz już tylko także jego jej ich twój twoja twoje nasz nasza nasze mój moja ja ty my wy on ona każdy każda wszystko bardzo więcej jeśli aby ci cię nam",
	"tr": "ve veya ile bir bu şu o da de ki mi mı mu mü için gibi kadar daha çok en ne nasıl neden nerede kim ama fakat çünkü değil var yok ben sen biz siz onlar her hem ya olarak olan sonra önce göre",
	"id": "yang dan atau tetapi di ke dari untuk dengan pada dalam ini itu adalah akan tidak bukan juga sudah belum bisa dapat kami kita anda kamu saya mereka dia lebih sangat karena jika kalau agar oleh sebagai setiap semua seperti hanya ada para tanpa sampai saat apa bagaimana",
	"vi": "và hoặc nhưng của là có không được cho với trong trên từ đến ở này đó một những các khi nếu vì để mà thì cũng đã đang sẽ rất hơn nhất bạn tôi chúng mình ta họ nào gì sao mỗi mọi bằng ra vào lên về theo như",
	"sv": "och eller men att av i på för med till från är var det den en ett som inte om vi du din ditt dina vår vårt våra han hon de sig så kan ska har hade när hur vad mer mycket också utan varje",
	"da": "og eller men at af i på for med til fra er var det den en et som ikke om vi du din dit dine vores han hun de sig så kan skal har havde når hvordan hvad mere meget også uden hver",
	"nb": "og eller men at av i på for med til fra er var det den en et som ikke om vi du din ditt dine vår vårt våre han hun de seg så kan skal har hadde når hvordan hva mer mye også uten hver",
	"fi": "ja tai mutta on ovat oli se ne että kun jos niin kuin ei myös vain mitä miten missä hän me te he sinun meidän sen tämä nämä joka mukaan ilman kaikki enemmän",
	"cs": "a i ale nebo v ve na do z ze s se k ke o u po pro při bez je jsou byl byla být to ten ta že co kdo jak kde když jako také jen už není náš naše váš vaše každý více",
	"ro": "și sau dar de la în pe cu din pentru prin fără este sunt era fi un o al ale a ai cel cea care ce cum unde când mai foarte nu se să sa ta noi voi este fiecare toate",
	"hu": "a az és vagy de egy nem is hogy ha van volt lesz ez ki mi mit hol hogyan mert mint csak még már minden nagyon több el meg fel be",
	"ru": "и а но или в во на с со к ко о об от до из за по для при без над под про у это этот эта эти тот то что как где когда кто если чтобы не ни да нет же ли бы уже ещё еще только очень более его её ее их мы вы ты я он она они наш наша наши ваш ваша ваши твой свой вам нам вас нас все всё каждый так там тут есть был была были быть",
	"uk": "і й та а але або в у на з із зі до від для при без над під про це цей ця ці той що як де коли хто якщо щоб не ні так же чи б вже ще тільки дуже більше його її їх ми ви ти я він вона вони наш наша наші ваш ваша ваші твій свій вам нам вас нас усі все кожен там тут є був була були бути",
	"bg": "и а но или в във на с със от до из за по при без над под това този тази тези че как къде кога кой ако да не ли ще вече още само много повече ние вие ти аз той тя те нашият вашият всички всяка е са съм",
	"ar": "في من على إلى عن مع أو و ثم لكن هذا هذه ذلك تلك التي الذي ما ماذا كيف متى أين لماذا هل لا لم لن ليس إن أن إذا قد كل بعض كان كانت هو هي نحن أنت أنا هم لك لنا له لها عند بعد قبل حتى بين أكثر جدا فقط أيضا بدون غير",
	"fa": "و در از به که این آن با را برای تا یا اما هم است هست بود شد می نیست ما شما من او آنها چه چگونه کجا هر همه بسیار بیشتر فقط بدون",
	"ur": "اور میں کے کی کا کو سے پر ہے ہیں یہ وہ کہ نے تھا تھی بھی نہیں ہم آپ لیے جو کیا کیسے ہر سب بہت صرف یا",
	"he": "את של על אל עם או אבל גם לא כן כי אם זה זו זאת אלה הוא היא הם הן אני אתה אתם אנחנו לנו לכם שלך שלנו שלכם מה מי איך איפה מתי למה כל יותר מאוד רק עוד בין אחרי לפני בלי יש אין היה כמו",
	"hi": "का की के को से में पर और या है हैं था थी थे हो यह वह ये वे इस उस जो कि क्या कैसे कब कहाँ क्यों नहीं भी ही तो हम आप मैं हमारे आपके अपने अपनी लिए साथ बहुत अधिक एक हर सब कुछ तक बिना करें होता होती",
	"mr": "आहे आहेत आणि किंवा हे ही हा तो ती ते मध्ये साठी नाही काय कसे आम्ही तुम्ही खूप अधिक पण",
	"el": "ο η το οι τα του της των τον την και ή αλλά σε στο στη στην με για από είναι ήταν να θα που πως πώς τι δεν μας σας σου μου πιο πολύ κάθε όλα",
	"th": "และ หรือ แต่ ที่ ซึ่ง ของ ใน กับ จาก เพื่อ เพราะ เป็น ให้ ได้ ไม่ มี จะ นี้ นั้น ก็ แล้ว คุณ เรา",
	"ja": "の は が を に で と も や から まで より です ます した する この その あの",
	"zh": "的 了 和 是 在 我们 你 您 也 都 就 不 有 这 那 与 及 或",
	"ko": "이 그 저 및 또는 그리고 하지만 그러나 더 매우 수 것 등 위해 대한 있습니다 없습니다 합니다 입니다 우리 당신",
}

var stopwords = func() map[string]map[string]bool {
	all := make(map[string]map[string]bool, len(profiles))
	for tag, words := range profiles {
		set := map[string]bool{}
		for _, w := range strings.Fields(words) {
			set[w] = true
		}
		all[tag] = set
	}
	return all
}()

// IsStop reports whether a lower-case word is a function word of the language (a base tag such as "en").
func IsStop(tag, word string) bool { return stopwords[Base(tag)][word] }

// IsStopAnywhere reports whether a lower-case word is a function word of any language. It is for single lines, whose
// language is hard to detect.
func IsStopAnywhere(word string) bool {
	for _, words := range stopwords {
		if words[word] {
			return true
		}
	}
	return false
}

// letters are characters that few languages of a script use. Each occurrence counts for its languages.
var letters = map[string]string{
	"de": "äöüß", "es": "ñ¿¡", "fr": "œêèçùàâîôû", "pt": "ãõç", "pl": "łżśćęąńź", "tr": "ğışç", "vi": "ơưđạảấầẩậắằặẹẻẽếềểệỉịọỏốồổộớờởợụủứừửựỳỵỷỹ",
	"sv": "åäö", "da": "åæø", "nb": "åæø", "fi": "äö", "cs": "ěščřžůťď", "ro": "șțăşţ", "hu": "őűö", "it": "òìùàè",
	"uk": "іїєґ", "ru": "ыэё", "bg": "щъ", "fa": "پچژگکی", "ur": "ٹڈڑےںہ",
}
