// SPDX-License-Identifier: Apache-2.0

package offline

import (
	"regexp"
	"strings"
)

// brief holds the instructions to the writer; the instructions themselves are never printed.
type brief struct {
	found           bool
	topic, audience string
	hook, cta       string
}

const madeThings = `slide ?shows?|slide decks?|carousels?|slides|presentations?|reels?|tik ?toks?|shorts|short videos?|videos?|posts?|stor(?:y|ies)|content|scripts?|adverts?|ads?|promos?`

var (
	reMake = regexp.MustCompile(`(?i)^(?:hi|hey|hello)?[,!]?\s*(?:please\s+)?(?:(?:can|could|would|will) you (?:please )?|(?:i|we)(?: would|'d)? (?:want|need|like)(?: you)?(?: to)? |help (?:me|us)(?: to)? |let's )?(?:(?:create|make|write|generate|build|produce|design|prepare|draft|craft|give me|put together|need|want)\s+)?(?:me |us )?(?:an?|the|some|my|our|\d+)?[\s-]*(?:[\p{L}\d-]+[\s-]+){0,5}?(?:` + madeThings + `)((?:[.!,:]|\s+(?:about|on|for|to|that|which|with|in|using|covering|explaining|promoting|showcasing|introducing|announcing|featuring|teaching|highlighting|regarding|aimed|targeting|targeted)\b).*|)$`)
	reVerb = regexp.MustCompile(`(?i)^(?:hi|hey|hello)?[,!]?\s*(?:please\s+)?(?:can|could|would|will|i|we|help|let's|create|make|write|generate|build|produce|design|prepare|draft|craft|give|put|need|want|an? \d*-?\s?(?:slide|carousel))`)

	reAbout    = regexp.MustCompile(`(?i)\s*[,:]?\s*\b(?:about|on|covering|regarding|explaining|that explains?|which explains?|promoting|that promotes?|to promote|showcasing|that shows?|introducing|announcing|featuring|teaching|highlighting|with tips (?:on|for|about))\s+(.*)$`)
	reFor      = regexp.MustCompile(`(?i)\b(?:aimed at|targeting|targeted at|for)\s+(.+?)(?:\s+(?:about|on|covering|explaining|promoting|showcasing|that (?:explains?|shows?|promotes?))\b|$)`)
	reAudience = regexp.MustCompile(`(?i)^(.*?)[,]?\s+(?:for|aimed at|targeting)\s+((?:busy|new|young|beginner|first|working|small|home|students?|parents?|mums?|moms?|dads?|teens?|people|everyone|kids|women|men|seniors?|runners?|gamers?|freelancers?|founders?|teachers?|nurses?|travell?ers?|owners?|beginners?|adults?|families|couples|office|remote|dog|cat|plant)\b.*)$`)
	reManner   = regexp.MustCompile(`(?i)[,]?\s+(?:in|using|with) an? [\p{L}\s,-]{2,40} (?:tone|style|voice|vibe)\b.*$`)
	reMention  = regexp.MustCompile(`(?i)^(?:also,? |then,? |and |please |you (?:can|should|must) )*(?:mention|include|highlight|emphasi[sz]e|stress|note|tell (?:them|people|viewers|readers|everyone)|point out|say|talk about|focus on|cover|describe|discuss|explain|show|remind (?:them|people|viewers))\b(?: also)?(?: that| the fact that| about)?\s+(.+)$`)
	reClose    = regexp.MustCompile(`(?i)^(?:and |then |please )*(?:end|finish|close|conclude|wrap up)\b.*?\b(?:with|by)\s+(?:(?:an? |the )?(?:strong |clear |short )?(?:call[- ]to[- ]action|cta)\s*)?(?:to |asking (?:people|them|viewers|readers) to |telling (?:people|them|viewers) to |that says |saying |inviting (?:people|them|viewers) to |for |:)?\s*(.+)$`)
	reOpen     = regexp.MustCompile(`(?i)^(?:please )?(?:start|open|begin)\b.*?\b(?:with|by asking|by)\s+(?:(?:an? |the )?(?:strong |catchy )?(?:hook|question|headline)\s*)?(?:about |like |that says |:|asking )?\s*(.+)$`)
	reManners  = regexp.MustCompile(`(?i)^(?:also |and |please )*(?:use an? |use (?:short|simple|plain|emojis?)|keep (?:it|the|each|slides?|text)\b|make (?:it|sure|the|each)\b|avoid\b|do not\b|don't\b|no (?:hashtags|emojis?|jargon)|the tone\b|tone should|the (?:target )?audience\b|our (?:target )?audience\b|it should\b|they should\b|each slide|every slide|the slides?\b|slides? should|the style\b|write in\b|the language|max(?:imum)?\b|at most\b|target\b)`)
	reIntent   = regexp.MustCompile(`(?i)^(?:we|i)(?: would|'d)? (?:want|need|like) (?:you )?to (?:promote|advertise|announce|sell|showcase|highlight|share|present)\s+(.+)$`)
	reWho      = regexp.MustCompile(`(?i)^(?:the |our )?(?:target )?audience (?:is|are)\s+(.+)$`)

	reOther = []*regexp.Regexp{
		regexp.MustCompile(`(?i)^(?:por favor,?\s+)?(?:crea|créame|haz|hazme|genera|escribe|diseña|prepara|necesito|quiero)\s+(?:un|una|unas|unos)\s+.{0,30}?(?:carrusel|presentación|slideshow|v[ií]deo|publicación|post|diapositivas)\s*(?:sobre|acerca de|que explique|para)\s+(?P<t>.+)$`),
		regexp.MustCompile(`(?i)^(?:crée|créez|fais|faites|génère|générez|rédige|écris|prépare)(?:-moi)?\s+(?:un|une|des)\s+.{0,30}?(?:carrousel|diaporama|slideshow|vidéo|post|présentation)\s*(?:sur|à propos de|pour|qui explique)\s+(?P<t>.+)$`),
		regexp.MustCompile(`(?i)^(?:bitte\s+)?(?:erstelle|erstell|mach|mache|schreibe|schreib|generiere|gestalte)\s+(?:mir |uns )?(?:eine?n?)\s+.{0,30}?(?:slideshow|karussell|diashow|präsentation|video|post|beitrag)\s*(?:über|zum thema|zu|für)\s+(?P<t>.+)$`),
		regexp.MustCompile(`(?i)^(?:crie|faça|gere|escreva|prepare)\s+(?:um|uma)\s+.{0,30}?(?:carrossel|slideshow|apresentação|v[ií]deo|post)\s*(?:sobre|para|que explique)\s+(?P<t>.+)$`),
		regexp.MustCompile(`(?i)^(?:crea|fai|genera|scrivi|prepara)\s+(?:un|una|uno)\s+.{0,30}?(?:carosello|slideshow|presentazione|video|post)\s*(?:sul|sulla|sui|sulle|su|per)\s+(?P<t>.+)$`),
		regexp.MustCompile(`(?i)^(?:пожалуйста,?\s+)?(?:создай|создайте|сделай|сделайте|напиши|напишите|подготовь|придумай)\s+.{0,30}?(?:слайдшоу|слайд-шоу|карусель|слайды|слайдов|презентацию|видео|пост)\s*(?:об|о|про|для|на тему)\s+(?P<t>.+)$`),
		regexp.MustCompile(`^(?:أنشئ|أنشئي|اصنع|اكتب|صمم|أريد)\s+.{0,30}?(?:عرض\S*|شرائح|فيديو|منشور\S*)\s*.{0,12}?\s(?:عن|حول)\s+(?P<t>.+)$`),
		regexp.MustCompile(`^(?P<t>.+?)(?:について|に関する)の?(?:スライドショー|スライド|動画|投稿|カルーセル)を?(?:作って|作成して|お願い).*$`),
		regexp.MustCompile(`^(?:请)?(?:帮我)?(?:制作|做|写|创建|生成)(?:一个|一份|一组)?(?:关于|有关)(?P<t>.+?)的?(?:幻灯片|轮播图?|视频|短片|短视频|帖子).*$`),
		regexp.MustCompile(`^(?P<t>.+?)에 (?:대한|관한)\s*(?:슬라이드쇼|슬라이드|영상|카드뉴스|게시물)(?:을|를)?\s*만들어.*$`),
		regexp.MustCompile(`^(?P<t>.+?)\s+के बारे में\s+(?:एक\s+)?(?:स्लाइड\s?शो|वीडियो|पोस्ट|स्लाइड)\s*(?:बनाओ|बनाएं|बनाइए|बना).*$`),
	}
)

// briefLabels are the "label: value" lines that are instructions to the writer. The value is how they are handled.
var briefLabels = map[string]string{
	"audience": "who", "target audience": "who", "target": "who", "for": "who", "público": "who", "zielgruppe": "who", "аудитория": "who", "public": "who",
	"tone": "drop", "style": "drop", "voice": "drop", "tone of voice": "drop", "format": "drop", "length": "drop", "slides": "drop", "slide count": "drop", "number of slides": "drop", "goal": "drop", "objective": "drop", "platform": "drop", "language": "drop", "tono": "drop", "estilo": "drop", "ton": "drop", "stil": "drop", "тон": "drop", "стиль": "drop", "hashtags": "drop", "keywords": "drop", "aspect ratio": "drop", "duration": "drop",
	"topic": "topic", "subject": "topic", "about": "topic", "title": "topic", "theme": "topic", "tema": "topic", "thema": "topic", "sujet": "topic", "тема": "topic",
	"cta": "cta", "call to action": "cta", "call-to-action": "cta", "llamada a la acción": "cta",
	"hook": "hook", "headline": "hook", "product": "name", "brand": "name", "key points": "item", "point": "item",
}

// readBrief returns the instructions in the blocks and the remaining blocks.
func readBrief(blocks []block) (brief, []block) {
	var b brief
	if b, rest, ok := slideBySlide(blocks); ok {
		return b, rest
	}
	labels := 0
	for i, x := range blocks {
		if x.kind == pair && briefLabels[strings.ToLower(x.label)] != "" {
			labels++
		}
		// An instruction to the writer comes first; the same words later are part of the text.
		if i < 3 && x.kind != item && (isMake(x.text) || otherTopic(x.text) != "") {
			b.found = true
		}
	}
	b.found = b.found || labels >= 2
	var rest []block
	name := ""
	for _, x := range blocks {
		if x.kind == pair {
			what := briefLabels[strings.ToLower(x.label)]
			switch {
			case what == "" || (!b.found && what != "cta" && what != "hook"):
			case what == "who":
				b.audience = strings.TrimRight(x.text, ".")
				continue
			case what == "topic":
				b.topic = x.text
				continue
			case what == "cta":
				b.cta = x.text
				continue
			case what == "hook":
				b.hook = x.text
				continue
			case what == "name":
				name = x.text
				continue
			case what == "item":
				for _, s := range members(x.text) {
					rest = append(rest, block{kind: item, text: capital(s)})
				}
				continue
			default:
				continue
			}
		}
		if m := reIntent.FindStringSubmatch(x.text); m != nil && x.kind == prose && !isMake(x.text) {
			x.text = capital(m[1])
		}
		if !b.found || x.kind == item || x.kind == pair {
			rest = append(rest, x)
			continue
		}
		rest = append(rest, b.follow(x)...)
	}
	if b.topic == "" {
		b.topic = name
	} else if name != "" {
		rest = append([]block{{kind: item, text: name}}, rest...)
	}
	b.topic, b.hook, b.cta = capital(tidy(b.topic)), capital(unquote(b.hook)), capital(unquote(b.cta))
	return b, rest
}

// slideBySlide handles a text that lists the content of each slide. ok is false for other texts.
func slideBySlide(blocks []block) (brief, []block, bool) {
	for _, x := range blocks {
		if !x.slide {
			return brief{}, nil, false
		}
	}
	if len(blocks) < 3 {
		return brief{}, nil, false
	}
	last := len(blocks) - 1
	return brief{hook: blocks[0].text, cta: blocks[last].text}, blocks[1:last], true
}

// follow applies one instruction and returns the blocks to keep. A sentence that is no instruction is returned
// unchanged.
func (b *brief) follow(x block) []block {
	s := strings.TrimSpace(x.text)
	if isMake(s) {
		b.readTopic(reMake.FindStringSubmatch(s)[1])
		return nil
	}
	if t := otherTopic(s); t != "" {
		b.topic = strings.TrimRight(t, ".。")
		return nil
	}
	if m := reClose.FindStringSubmatch(s); m != nil {
		b.cta = m[1]
		return nil
	}
	if m := reWho.FindStringSubmatch(s); m != nil {
		b.audience = strings.TrimRight(m[1], ".")
		return nil
	}
	if reManners.MatchString(s) {
		return nil
	}
	if m := reOpen.FindStringSubmatch(s); m != nil && weight(m[1]) >= 3 {
		b.hook = m[1]
		return nil
	}
	if m := reMention.FindStringSubmatch(s); m != nil {
		var out []block
		for _, e := range enumeration(m[1]) {
			out = append(out, block{kind: item, text: capital(e)})
		}
		return out
	}
	return []block{x}
}

func (b *brief) readTopic(rest string) {
	rest = reManner.ReplaceAllString(strings.TrimRight(strings.TrimSpace(rest), ".!"), "")
	if m := reAbout.FindStringSubmatchIndex(rest); m != nil {
		b.topic = rest[m[2]:m[3]]
		if f := reFor.FindStringSubmatch(rest[:m[2]]); f != nil && b.audience == "" {
			b.audience = f[1]
		}
		if a := reAudience.FindStringSubmatch(b.topic); a != nil {
			b.topic, b.audience = a[1], a[2]
		}
		return
	}
	if f := reFor.FindStringSubmatch(rest); f != nil {
		b.topic = f[1]
		return
	}
	if t := tidy(rest); weight(t) >= 2 {
		b.topic = t
	}
}

func isMake(s string) bool {
	return reVerb.MatchString(s) && reMake.MatchString(s) && !strings.HasSuffix(s, "?") || strings.HasSuffix(s, "?") && regexpCanYou.MatchString(s) && reMake.MatchString(s)
}

var regexpCanYou = regexp.MustCompile(`(?i)^(?:can|could|would|will) you\b`)

func otherTopic(s string) string {
	for _, re := range reOther {
		if m := re.FindStringSubmatch(strings.TrimRight(s, ".!。！")); m != nil {
			return strings.TrimSpace(m[re.SubexpIndex("t")])
		}
	}
	return ""
}

// enumeration returns the members of "a, b and c" (or "how a, why b"); any other text is one member.
func enumeration(s string) []string {
	s = strings.TrimRight(strings.TrimSpace(s), ".")
	parts := strings.Split(s, ", ")
	if len(parts) < 2 {
		return []string{s}
	}
	last := parts[len(parts)-1]
	switch {
	case strings.HasPrefix(last, "and "):
		parts[len(parts)-1] = last[4:]
	case strings.Contains(last, " and ") && len(parts) >= 2 && weight(last) <= 8:
		a, c, _ := strings.Cut(last, " and ")
		parts = append(parts[:len(parts)-1], a, c)
	default:
		return []string{s}
	}
	var out []string
	for _, p := range parts {
		if p = tidy(p); hasWord(p) {
			out = append(out, p)
		}
	}
	return out
}

// members returns the members of a line that is a list, with any separator.
func members(s string) []string {
	if list := enumeration(s); len(list) > 1 {
		return list
	}
	sep := ", "
	if strings.Contains(s, "; ") {
		sep = "; "
	}
	var out []string
	for _, p := range strings.Split(s, sep) {
		if p = tidy(p); hasWord(p) {
			out = append(out, strings.TrimRight(p, "."))
		}
	}
	return out
}

func unquote(s string) string {
	return tidy(strings.Trim(strings.TrimSpace(s), "\"'“”‘’«»"))
}
