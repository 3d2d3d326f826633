// SPDX-License-Identifier: Apache-2.0

package offline

import (
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/reelops/reelops/internal/textgen"
	"github.com/reelops/reelops/internal/textgen/lang"
)

// topics are what pictures often show: an English keyword and the stems that stand for it, by language. A stem of three letters
// or more matches the beginning of a word, a shorter one only a whole word; in scripts without spaces it matches anywhere.
var topics = []struct{ english, stems string }{
	{"sea", "en:ocean,beach,coast,shore,surf,sail,ferry,ferries,dolphin es:mar,playa,costa fr:mer,plage,océan de:meer,strand,küste it:mare,spiaggia pt:mar,praia nl:zee,strand pl:morz,plaż ru:море,моря,морс,пляж uk:море,моря,пляж tr:deniz,plaj,sahil id:laut,pantai vi:biển ar:بحر,شاطئ,ساحل he:ים,חוף hi:समुद्र,सागर th:ทะเล,ชายหาด ja:海,ビーチ,波 zh:海,沙滩 ko:바다,해변"},
	{"night", "es:noche fr:nuit de:nacht,abend it:notte,sera pt:noite nl:nacht,avond pl:noc ru:ночь,ночи,вечер uk:ніч,вечір tr:gece,akşam id:malam vi:đêm,tối ar:ليل,مساء he:לילה,ערב hi:रात th:กลางคืน,คืน ja:夜 zh:夜,晚上 ko:밤,저녁"},
	{"morning", "en:breakfast,sunrise es:mañana,desayuno fr:matin de:morgen,frühstück it:mattin,colazione pt:manhã nl:ochtend,ontbijt pl:poran,śniadan ru:утро,утра,утрен,завтрак uk:ранок,сніданок tr:sabah,kahvaltı id:pagi vi:sáng ar:صباح,فطور he:בוקר hi:सुबह,नाश्त th:เช้า ja:朝 zh:早上,早晨,早餐 ko:아침"},
	{"coffee", "en:espresso,latte,cappuccino es:café,cafetería fr:café de:kaffee it:caffè pt:café nl:koffie pl:kaw ru:кофе uk:кав tr:kahve id:kopi vi:cà ar:قهوة,قهوت,البن he:קפה hi:कॉफ़ी,कॉफी th:กาแฟ ja:コーヒー,珈琲 zh:咖啡 ko:커피"},
	{"tea", "es:té de:tee it:tè fr:thé pt:chá nl:thee pl:herbat ru:чай,чая uk:чай tr:çay id:teh vi:trà ar:شاي he:תה hi:चाय ja:お茶,茶 zh:茶 ko:차"},
	{"home", "en:house,kitchen,bedroom,apartment es:casa,hogar,cocina fr:maison,cuisine de:haus,zuhause,küche,wohnung it:casa,cucina pt:casa,cozinha nl:huis,keuken,thuis pl:dom,kuchni ru:дом,дома,кухн,квартир uk:дім,дому,кухн tr:ev,mutfak id:rumah,dapur vi:nhà,bếp ar:بيت,منزل,مطبخ he:בית,מטבח hi:घर,रसोई th:บ้าน,ครัว ja:家,部屋,キッチン zh:家里,房间,厨房 ko:집,주방"},
	{"work", "en:office,job,meeting,career es:trabajo,oficina fr:travail,bureau de:arbeit,büro,job it:lavoro,ufficio pt:trabalho,escritório nl:werk,kantoor pl:prac,biur ru:работ,офис uk:робот,офіс tr:iş,ofis,çalış id:kerja,kantor vi:việc ar:عمل,مكتب he:עבודה,משרד hi:काम,दफ़्तर,ऑफिस th:ทำงาน,ออฟฟิศ ja:仕事,働 zh:工作,办公 ko:일,업무,사무실,직장"},
	{"money", "en:budget,saving,invest,price,finance es:dinero,ahorr,presupuesto fr:argent,économ,épargn de:geld,sparen,budget it:soldi,denaro,risparm pt:dinheiro,poup,econom nl:geld,sparen pl:pieniąd,oszczęd ru:деньг,денег,бюджет,сбереж uk:грош,бюджет,заощад tr:para,bütçe,tasarruf id:uang,tabung vi:tiền ar:مال,ميزانية,ادخار he:כסף,תקציב hi:पैस,बचत,बजट th:เงิน,ออม ja:お金,貯金,節約 zh:钱,理财,预算,省钱 ko:돈,저축,예산"},
	{"food", "en:recipe,meal,dinner,lunch,cook,dish,eat es:comida,receta,cena,cocin fr:repas,recette,dîner,nourriture de:essen,rezept,gericht,kochen it:cibo,ricett,cena,cucinar pt:comida,receita,jantar nl:eten,recept,koken pl:jedzeni,przepis,obiad ru:еда,еды,рецепт,блюд,ужин uk:їжа,рецепт,страв,вечер tr:yemek,tarif id:makan,resep,masak vi:món,nấu ar:طعام,أكل,وصف,طبخ he:אוכל,מתכון,ארוח hi:खाना,भोजन,रेसिपी th:อาหาร,เมนู,ข้าว ja:料理,ごはん,食べ,レシピ zh:美食,菜,食物,吃 ko:음식,요리,밥,레시피"},
	{"bread", "en:bakery,bake,baking,sourdough,flour,dough,flatbread,croissant,pastry,cake es:pan,panadería,pastel fr:pain,boulangerie,gâteau de:brot,bäckerei,kuchen it:pane,panetteria,torta pt:pão,padaria,bolo nl:brood,bakkerij,taart pl:chleb,piekarni,ciast ru:хлеб,пекарн,торт,выпечк uk:хліб,пекарн,торт tr:ekmek,fırın,pasta id:roti,kue vi:bánh ar:خبز,مخبز,كعك he:לחם,מאפי,עוגה hi:रोटी,ब्रेड,केक th:ขนม,เค้ก ja:パン,ケーキ zh:面包,蛋糕 ko:빵,케이크"},
	{"travel", "en:trip,vacation,holiday,flight,hotel,tourist es:viaj,vacacion,hotel fr:voyag,vacances,hôtel de:reise,urlaub,hotel it:viagg,vacanz pt:viag,viaj,férias nl:reis,vakantie pl:podróż,wakac ru:путешеств,отпуск,поездк,отел uk:подорож,відпустк,готел tr:seyahat,tatil,gezi id:wisata,liburan,perjalanan vi:du,chuyến ar:سفر,رحلة,رحلات,سياح he:טיול,חופש,נסיע hi:यात्रा,सफ़र,पर्यटन th:เที่ยว,เดินทาง,ทริป ja:旅,旅行,観光 zh:旅行,旅游,假期 ko:여행,휴가"},
	{"sport", "en:workout,fitness,running,gym,exercise,training,yoga es:deporte,entren,ejercicio,gimnasio fr:sport,entraînement,course de:sport,training,laufen it:sport,allenam,palestra pt:esporte,desporto,treino,academia nl:sport,training,hardlopen pl:sport,trening,bieg ru:спорт,трениров,бег uk:спорт,тренуван,біг tr:spor,egzersiz,koşu id:olahraga,lari vi:thể,tập ar:رياض,تمرين,تمارين he:ספורט,אימון,ריצה hi:व्यायाम,खेल,योग th:ออกกำลัง,กีฬา,วิ่ง,โยคะ ja:運動,スポーツ,ヨガ zh:运动,健身,跑步,瑜伽 ko:운동,스포츠,요가"},
	{"nature", "en:forest,mountain,tree,hike,river,plant,garden es:naturaleza,bosque,montaña,jardín,planta fr:nature,forêt,montagne,jardin,plante de:natur,wald,berg,garten,pflanz it:natura,bosco,montagn,giardin,piant pt:natureza,floresta,montanha,jardim,planta nl:natuur,bos,berg,tuin,plant pl:natur,las,gór,ogród,roślin ru:природ,лес,гор,сад,растен uk:природ,ліс,гір,сад,рослин tr:doğa,orman,dağ,bahçe,bitki id:alam,hutan,gunung,kebun,tanaman vi:núi,rừng,vườn,cây ar:طبيع,غابة,جبل,جبال,حديق,نبات he:טבע,יער,הר,גינה,צמח hi:प्रकृति,जंगल,पहाड़,पौध th:ธรรมชาติ,ป่า,ภูเขา,สวน,ต้นไม้ ja:自然,森,山,庭,植物 zh:自然,森林,山,花园,植物 ko:자연,숲,산,정원,식물"},
	{"flowers", "en:flower,rose,bloom es:flor fr:fleur de:blume,blüte it:fior pt:flor nl:bloem pl:kwiat ru:цвет uk:квіт tr:çiçek id:bunga vi:hoa ar:زهر,ورد,زهور he:פרח,פרחים hi:फूल th:ดอกไม้ ja:花,桜 zh:花 ko:꽃"},
	{"city", "en:street,town,downtown,urban es:ciudad,calle fr:ville,rue de:stadt,straße it:città,strad pt:cidade,rua nl:stad,straat pl:miast,ulic ru:город,улиц uk:міст,вулиц tr:şehir,sokak id:kota,jalan vi:phố ar:مدينة,شارع he:עיר,רחוב hi:शहर th:เมือง,ถนน ja:街,都市,町 zh:城市,街 ko:도시,거리"},
	{"family", "en:parent,kid,child,baby,mom,dad es:familia,niñ,hijo,padre fr:famille,enfant,parent de:familie,kind,eltern it:famiglia,bambin,figli,genitor pt:família,criança,filho,pais nl:gezin,kind,ouder pl:rodzin,dzieck,dziec ru:семь,семей,дет,ребён,родител uk:сім,родин,діт,дитин,батьк tr:aile,çocuk id:keluarga,anak vi:gia,trẻ ar:عائل,أسرة,طفل,أطفال he:משפח,ילד,הורים hi:परिवार,बच्च th:ครอบครัว,เด็ก,ลูก ja:家族,子ども,子供,親子 zh:家庭,家人,孩子,宝宝 ko:가족,아이,부모"},
	{"health", "en:healthy,wellness,vitamin,doctor,sleep,stress es:salud,dormir,sueño fr:santé,sommeil,dormir de:gesund,schlaf it:salut,dormir,sonno pt:saúde,dormir,sono nl:gezond,slaap pl:zdrow,sen ru:здоров,сон,сна uk:здоров,сон,сну tr:sağlık,uyku id:sehat,kesehatan,tidur vi:khỏe,ngủ ar:صحة,صحي,نوم he:בריא,שינה hi:स्वास्थ्य,सेहत,नींद th:สุขภาพ,นอน ja:健康,睡眠 zh:健康,睡眠 ko:건강,수면,잠"},
	{"beauty", "en:skin,skincare,makeup,hair,cosmetic es:belleza,piel,cabello fr:beauté,peau,cheveux de:schönheit,haut,haare it:bellezza,pelle,capelli pt:beleza,pele,cabelo nl:schoonheid,huid,haar pl:pięk,skór,włos ru:красот,кож,волос uk:крас,шкір,волос tr:güzellik,cilt,saç id:cantik,kulit,rambut vi:đẹp,da,tóc ar:جمال,بشرة,شعر he:יופי,עור,שיער hi:सुंदर,त्वचा,बाल th:ความงาม,ผิว,ผม ja:美容,肌,髪 zh:美容,皮肤,护肤,头发 ko:뷰티,피부,머리"},
	{"technology", "en:app,phone,software,computer,digital,laptop,battery es:tecnología,móvil,aplicación fr:technologie,téléphone,appli de:technik,technolog,handy,app it:tecnologia,telefono pt:tecnologia,celular,aplicativo nl:technologie,telefoon pl:technolog,telefon,aplikac ru:технолог,телефон,приложен uk:технолог,телефон,застосун tr:teknoloji,telefon,uygulama id:teknologi,ponsel,aplikasi vi:công,điện ar:تقن,تكنولوج,هاتف,تطبيق he:טכנולוג,טלפון,אפליקצ hi:तकनीक,फ़ोन,ऐप th:เทคโนโลยี,มือถือ,แอป ja:技術,スマホ,アプリ zh:科技,手机,应用 ko:기술,스마트폰,앱"},
	{"study", "en:learn,school,student,exam,book,read,course es:estudi,escuela,libro,aprend fr:étud,école,livre,apprend de:lern,schule,studi,buch it:studi,scuola,libro,impar pt:estud,escola,livro,aprend nl:studeren,school,boek,leren pl:nauk,szkoł,książk ru:учёб,учеб,школ,книг,урок uk:навчан,школ,книг,урок tr:ders,okul,kitap,öğren id:belajar,sekolah,buku vi:học,sách ar:دراس,مدرس,كتاب,تعل he:לימוד,בית ספר,ספר,ללמוד hi:पढ़,स्कूल,किताब th:เรียน,หนังสือ ja:勉強,学校,本,学 zh:学习,学校,书 ko:공부,학교,책"},
	{"love", "en:wedding,romantic,couple,heart es:amor,boda fr:amour,mariage de:liebe,hochzeit it:amore,matrimonio pt:amor,casamento nl:liefde,bruiloft pl:miłoś,ślub ru:любов,свадьб uk:кохан,любов,весілл tr:aşk,sevgi,düğün id:cinta,nikah vi:yêu,cưới ar:حب,زفاف he:אהבה,חתונה hi:प्यार,शादी th:รัก,แต่งงาน ja:愛,恋,結婚 zh:爱情,婚礼 ko:사랑,결혼"},
	{"music", "en:song,guitar,concert,playlist es:música,canción fr:musique,chanson de:musik,lied it:musica,canzon pt:música,canção nl:muziek pl:muzyk ru:музык,песн uk:музик,пісн tr:müzik,şarkı id:musik,lagu vi:nhạc ar:موسيق,أغني he:מוזיק,שיר hi:संगीत,गाना th:ดนตรี,เพลง ja:音楽,曲 zh:音乐,歌 ko:음악,노래"},
	{"winter", "en:snow,ski,cold,christmas es:invierno,nieve fr:hiver,neige de:winter,schnee it:inverno,neve pt:inverno,neve nl:winter,sneeuw pl:zim,śnieg ru:зим,снег uk:зим,сніг tr:kış,kar vi:đông ar:شتاء,ثلج he:חורף,שלג hi:सर्दी,बर्फ th:หนาว,หิมะ ja:冬,雪 zh:冬,雪 ko:겨울,눈"},
	{"summer", "en:sunny,sunshine es:verano,sol fr:été,soleil de:sommer,sonne it:estate,sole pt:verão,sol nl:zomer,zon pl:lat,słońc ru:лето,летн,солнц uk:літо,літн,сонц tr:yaz,güneş id:panas,matahari vi:hè,nắng ar:صيف,شمس he:קיץ,שמש hi:गर्मी,धूप th:ร้อน,แดด ja:夏,太陽 zh:夏,阳光 ko:여름,햇"},
	{"autumn", "en:fall,leaves es:otoño fr:automne de:herbst it:autunno pt:outono nl:herfst pl:jesie ru:осен uk:осін tr:sonbahar vi:thu ar:خريف he:סתיו ja:秋,紅葉 zh:秋 ko:가을"},
	{"rain", "en:umbrella,storm es:lluvia fr:pluie de:regen it:piogg pt:chuva nl:regen pl:deszcz ru:дожд uk:дощ tr:yağmur id:hujan vi:mưa ar:مطر he:גשם hi:बारिश th:ฝน ja:雨 zh:雨 ko:비"},
	{"water", "en:hydrat,drink es:agua,beber fr:eau,boire de:wasser,trinken it:acqua,bere pt:água,beber nl:water,drinken pl:wod ru:вод,пить uk:вод tr:su id:air,minum vi:nước ar:ماء,مياه,شرب he:מים hi:पानी th:น้ำ ja:水 zh:水,喝 ko:물"},
	{"paper", "en:notebook,write,planner es:papel,cuaderno fr:papier,carnet de:papier,notiz it:carta,quaderno pt:papel,caderno ru:бумаг,блокнот ja:紙,ノート zh:纸,笔记 ko:종이,노트 he:נייר,מחברת ar:ورق,دفتر hi:कागज th:กระดาษ"},
	{"animals", "en:dog,cat,pet,puppy,kitten,bird es:perro,gato,mascota fr:chien,chat de:hund,katze,haustier it:cane,gatto pt:cachorro,cão,gato nl:hond,kat pl:pies,kot ru:собак,кошк,кот uk:собак,кіт tr:köpek,kedi id:anjing,kucing vi:chó,mèo ar:كلب,قط,حيوان he:כלב,חתול hi:कुत्त,बिल्ली th:หมา,สุนัข,แมว ja:犬,猫,ペット zh:狗,猫,宠物 ko:강아지,고양이,반려"},
	{"craft", "en:handmade,ceramic,candle,wood,pottery,leather es:artesan,hecho,vela,madera,cerámica fr:artisan,bougie,bois,céramique de:handgemacht,handwerk,kerze,holz,keramik it:artigian,candel,legno,ceramica pt:artesan,vela,madeira,cerâmica pl:rękodzie,świec,drewn ru:ручн,свеч,дерев,керамик uk:ручн,свіч,дерев tr:el,mum,ahşap ja:手作り,木,陶器 zh:手工,木,陶瓷 ko:수제,나무,도자기 ar:يدوي,شمع,خشب he:עבודת,נר,עץ hi:हस्त,मोमबत्ती,लकड़ी th:ทำมือ,เทียน,ไม้"},
}

// english gives the picture topics that a text speaks of, in the order of the table.
func english(tag, text string) []string {
	words := wordsOf(strings.ToLower(text))
	var out []string
	for _, t := range lexicon[lang.Base(tag)] {
		for _, stem := range t.stems {
			if hasStem(words, text, stem) {
				out = append(out, t.english)
				break
			}
		}
	}
	return out
}

// themes are the topics that a whole text comes back to, most often first. One mention says nothing about a long text.
func themes(tag, text string) []string {
	words := wordsOf(strings.ToLower(text))
	type theme struct {
		english string
		count   int
	}
	var found []theme
	for _, t := range lexicon[lang.Base(tag)] {
		n := 0
		for _, stem := range t.stems {
			if r, _ := utf8.DecodeRuneInString(stem); !textgen.Spaced(r) {
				n += strings.Count(text, stem)
			}
		}
		for _, w := range words {
			for _, stem := range t.stems {
				if textgen.Spaced(firstRune(stem)) && hasStem([]string{w}, w, stem) {
					n++
					break
				}
			}
		}
		if n >= 2 || n == 1 && len(words) <= 60 {
			found = append(found, theme{t.english, n})
		}
	}
	sort.SliceStable(found, func(i, j int) bool { return found[i].count > found[j].count })
	var out []string
	for i, f := range found {
		if i < 3 && 3*f.count >= found[0].count {
			out = append(out, f.english)
		}
	}
	return out
}

type topic struct {
	english string
	stems   []string
}

// lexicon is the table by language.
var lexicon = func() map[string][]topic {
	all := map[string][]topic{}
	for _, t := range topics {
		groups := map[string][]string{"en": {t.english}}
		for _, group := range strings.Fields(t.stems) {
			code, stems, _ := strings.Cut(group, ":")
			groups[code] = append(groups[code], strings.Split(stems, ",")...)
		}
		for code, stems := range groups {
			all[code] = append(all[code], topic{t.english, stems})
		}
	}
	return all
}()

func hasStem(words []string, text, stem string) bool {
	r, _ := utf8.DecodeRuneInString(stem)
	if !textgen.Spaced(r) {
		return strings.Contains(text, stem)
	}
	whole := utf8.RuneCountInString(stem) < 3
	for _, w := range words {
		if w == stem || bare(w) == stem {
			return true
		}
		// What follows a stem is an ending, not another word ("cat" is not in "category").
		if rest, ok := strings.CutPrefix(w, stem); ok && !whole && runes(rest) <= 4 && (runes(stem) >= 4 || runes(rest) <= 2) {
			return true
		}
		if rest, ok := strings.CutPrefix(bare(w), stem); ok && !whole && runes(rest) <= 3 {
			return true
		}
	}
	return false
}

// bare takes the article and the small prefixes off an Arabic or Hebrew word.
func bare(w string) string {
	r, size := utf8.DecodeRuneInString(w)
	switch {
	case unicode.Is(unicode.Arabic, r):
		for _, p := range []string{"وال", "بال", "لل", "ال", "و", "ب", "ل"} {
			if rest, ok := strings.CutPrefix(w, p); ok && runes(rest) >= 3 {
				return rest
			}
		}
	case unicode.Is(unicode.Hebrew, r) && strings.ContainsRune("הובלמשכ", r):
		if runes(w) >= 3 {
			return w[size:]
		}
	}
	return w
}
