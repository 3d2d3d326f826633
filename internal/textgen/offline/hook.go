// SPDX-License-Identifier: Apache-2.0

package offline

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/reelops/reelops/internal/textgen"
	"github.com/reelops/reelops/internal/textgen/lang"
)

// takeHook takes the opening out of the material: the text's own headline if it has one, else its strongest early sentence.
// counted reports whether its number, if any, is the number of points that follow. The hook is empty when neither the text nor the brand's
// profile has words to show.
func (s *story) takeHook() (hook unit, counted bool) {
	b, m := &s.brief, &s.m
	switch {
	case b.hook != "" && s.ok(b.hook):
		return s.backed(unit{head: b.hook}), true
	case b.topic != "" && s.ok(b.topic):
		head := b.topic
		if b.audience != "" && lang.Base(s.tag) == "en" && runes(head)+runes(b.audience) < textgen.MaxHeading-6 && !strings.Contains(strings.ToLower(head), strings.ToLower(b.audience)) && !endsSentence(head) {
			head += " for " + strings.TrimPrefix(b.audience, "for ")
		}
		return s.backed(unit{head: head}), true
	case m.title != "" && !generic(m.title):
		return s.backed(unit{head: m.title}), true
	case m.lead != "" && len(m.units) >= 2:
		return s.backed(unit{head: m.lead}), true
	}
	if len(m.units) > 0 && m.units[0].listed {
		if len(m.spare) > 0 {
			hook := m.spare[0]
			m.spare = m.spare[1:]
			hook.head = strings.TrimRight(hook.head, ":：")
			return hook, true
		}
		if first := m.units[0]; first.drawn && len(m.units) >= 3 {
			// Of lines that emoji begin the first one is the headline.
			m.units = m.units[1:]
			return first, true
		}
		if len(m.units) >= 3 && s.words.count != "" {
			return unit{head: fmt.Sprintf(s.words.count, itoa(len(m.units)))}, true
		}
	}
	pool := &m.units
	if len(*pool) == 0 {
		pool = &m.spare
	}
	if len(*pool) == 0 {
		for _, t := range []string{s.r.Brand.Offer, s.r.Brand.Description} {
			if hasWord(t) && s.ok(t) {
				return unit{head: tidy(cleanInline(clean(t)))}, false
			}
		}
		if t := strings.TrimSpace(clean(s.r.Context)); (hasWord(tidy(t)) || isPictureOnly(t)) && runes(t) <= textgen.MaxHeading && !strings.Contains(t, "\n") && s.ok(t) && !s.brief.found {
			return unit{head: t}, false
		}
		return unit{}, false
	}
	best, top := 0, -1e9
	for i := 0; i < min(len(*pool), 3); i++ {
		u := (*pool)[i]
		v := score(s.tag, u.head, s.telling) - float64(i)*1.2
		if i == 0 {
			v += 1.5
		}
		if strings.ContainsAny(u.head, "?？؟") && runes(u.head) <= textgen.MaxHeading {
			v += 1.5
		}
		if v > top {
			best, top = i, v
		}
	}
	hook = (*pool)[best]
	*pool = append((*pool)[:best:best], (*pool)[best+1:]...)
	return hook, len(*pool) > 0 && (*pool)[0].listed
}

// backed gives a headline the sentence that introduces it, if the text has one to spare.
func (s *story) backed(u unit) unit {
	m := &s.m
	if len(m.spare) > 0 && len(m.units) > 0 && m.spare[0].group == 0 && runes(m.spare[0].head) <= textgen.MaxBody && len(m.units) >= 2 {
		u.body = strings.TrimRight(m.spare[0].head, ":：")
		m.spare = m.spare[1:]
	}
	return u
}

var reCount = regexp.MustCompile(`\d{1,2}`)

// recount keeps a headline honest: "7 ways to ..." over three ways says 3. Where a language would bend the noun after another
// number, or nothing that can be counted follows, the headline stays as it was written.
func recount(tag, head string, listed, shown int) string {
	loc := reCount.FindStringIndex(head)
	if loc == nil || (loc[1] < len(head) && head[loc[1]] != ' ' && textgen.Spaced(firstRune(head[loc[1]:]))) || (loc[0] > 0 && head[loc[0]-1] != ' ' && textgen.Spaced(lastRune(head[:loc[0]]))) {
		return head
	}
	said := number(head[loc[0]:loc[1]])
	if said == shown || said < 2 {
		return head
	}
	switch lang.Base(tag) {
	case "ru", "uk", "pl", "cs", "bg", "ar", "ro":
		return head
	}
	if said == listed && shown >= 2 && shown < listed {
		return head[:loc[0]] + itoa(shown) + head[loc[1]:]
	}
	if m := leadCount.FindStringSubmatch(head); m != nil && shown < 2 && lang.Base(tag) == "en" {
		return capital(m[1])
	}
	return head
}

// takeCTA takes the closing call out of the material: the brand's own, the text's own, or a neutral one. It is empty when there is
// none. neutral reports whether the call is a phrase of this package.
func (s *story) takeCTA() (cta unit, neutral bool) {
	if u := s.ownCTA(); u.head != "" {
		return u, false
	}
	return s.neutralCTA()
}

// ownCTA takes the call of the brand or of the text out of the material. It is empty when there is none.
func (s *story) ownCTA() unit {
	if c := tidy(cleanInline(clean(s.r.Brand.CallToAction))); hasWord(c) && s.ok(c) {
		u := unit{head: c}
		if o := tidy(cleanInline(clean(s.r.Brand.Offer))); hasWord(o) && s.ok(o) && runes(o) <= textgen.MaxBody {
			u.body = o
		}
		return u
	}
	if s.brief.cta != "" && s.ok(s.brief.cta) {
		return unit{head: s.brief.cta}
	}
	if n := len(s.m.units); n >= 3 && s.m.units[n-1].call {
		u := s.m.units[n-1]
		s.m.units = s.m.units[:n-1]
		return u
	}
	for _, pool := range []*[]unit{&s.m.spare, &s.m.units} {
		for i := len(*pool) - 1; i >= 0; i-- {
			u := (*pool)[i]
			// Among tips nearly every line is an imperative: only a call that has an address or stands apart counts.
			last := u.last && !u.listed
			if u.listed && !((reAddress.MatchString(u.whole) || invites(s.tag, u.whole)) && i == len(*pool)-1) || len(s.m.units)+len(s.m.spare) < 3 && s.m.title == "" && s.brief.topic == "" {
				continue
			}
			if !asksForAct(s.tag, u.head, last || u.listed) {
				continue
			}
			from, to := i, i+1
			if weight(u.head) <= 3 && i > 0 && (*pool)[i-1].para == u.para && asksForAct(s.tag, (*pool)[i-1].head, last) {
				from = i - 1 // "Buy three, get one free. Shop now."
				u = unit{head: (*pool)[from].head, body: u.head, whole: (*pool)[from].whole}
			} else if to < len(*pool) && last && u.body == "" && (*pool)[to].para == u.para && runes((*pool)[to].head) <= textgen.MaxBody {
				u.body = (*pool)[to].head
				to++
			}
			*pool = append((*pool)[:from:from], (*pool)[to:]...)
			if s.address != "" && !strings.Contains(u.text(), s.address) && u.body == "" && !strings.Contains(s.address, "@") {
				u.body = s.address
			}
			return u
		}
	}
	// A question at the very end is an invitation to answer it.
	for _, pool := range []*[]unit{&s.m.spare, &s.m.units} {
		n := len(*pool)
		if n == 0 || len(s.m.units)+len(s.m.spare) < 4 {
			continue
		}
		u := (*pool)[n-1]
		if q := strings.TrimRightFunc(u.head, func(r rune) bool { return isPicture(r) || r == ' ' }); !u.listed && u.last && u.body == "" && strings.ContainsRune("?？؟", lastRune(q)) {
			*pool = (*pool)[:n-1]
			u.body = s.words.save
			return u
		}
		break
	}
	return unit{}
}

// neutralCTA returns a call that needs no text: a phrase, the address, the brand's offer, or, in a language without phrases, the
// text's last words. It is empty when there is none. neutral reports whether it is a phrase.
func (s *story) neutralCTA() (cta unit, neutral bool) {
	save, follow := s.words.save, s.words.follow
	if s.address != "" && s.ok(s.address) && runes(s.address) <= 60 {
		if s.words.link != "" {
			if head := fmt.Sprintf(s.words.link, s.address); !s.used[textgen.Fold(head)] && s.ok(head) {
				return unit{head: head, body: save}, false
			}
		} else if !s.used[textgen.Fold(s.address)] {
			return unit{head: s.address}, false
		}
	}
	candidates := []unit{{head: save, body: follow}, {head: follow}, {head: save}}
	phrases := len(candidates)
	candidates = append(candidates, unit{head: tidy(cleanInline(clean(s.r.Brand.Offer)))})
	// A language without phrases: the text's own last words.
	for _, u := range []*[]unit{&s.m.units, &s.m.spare} {
		if n := len(*u); n > 1 && s.words.save == "" {
			last := (*u)[n-1]
			if f := fitUnit(s.tag, last); hasWord(f.head) && !s.used[textgen.Fold(f.head)] {
				*u = (*u)[:n-1]
				return last, false
			}
		}
	}
	for i, c := range candidates {
		if c.head != "" && s.ok(c.text()) && !s.used[textgen.Fold(c.head)] && (c.body == "" || !s.used[textgen.Fold(c.body)]) {
			return c, i < phrases
		}
	}
	return unit{}, false
}
