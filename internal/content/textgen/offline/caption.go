// SPDX-License-Identifier: Apache-2.0

package offline

import (
	"slices"
	"strings"

	"github.com/reelops/reelops/internal/content/textgen"
)

// captionAim is the target length of a caption before its last sentence; every platform collapses longer captions.
const captionAim = 320

// finish sets the title, the caption and the tags, and keeps those from the caller. Content that did not fit on the
// slides is added to the caption if possible, else it is reported as omitted.
func (s *story) finish(d *textgen.Draft, cards []card, overflow []string) {
	d.Title, d.Caption, d.Tags = s.r.Title, s.r.Caption, s.r.Tags
	if d.Title == "" {
		d.Title = s.titled(cards[0])
	}
	d.Omitted = overflow
	if d.Caption == "" {
		d.Caption, d.Omitted = s.caption(cards, overflow)
	}
	d.Omitted = append(d.Omitted, s.omitted...)
	if s.r.WantsTags() {
		d.Tags = tags(s.tag, s.r, s.plain, s.title+" "+s.brief.topic, s.hashtags)
	} else if s.r.KeepTags && len(d.Tags) == 0 {
		d.Tags = []string{}
	}
	for _, h := range s.hashtags {
		if s.r.WantsTags() && !slices.Contains(d.Tags, h) && !mentions(s.plain, h) {
			d.Omitted = append(d.Omitted, "#"+h)
		}
	}
}

// titled returns the hook as a title.
func (s *story) titled(hook card) string {
	head := hook.head
	if hook.shape != plain {
		head, _, _ = strings.Cut(head, "\n")
	}
	if hook.flows && runes(hook.say(s.tag)) <= textgen.MaxTitle {
		head = hook.say(s.tag)
	}
	return shorten(s.tag, tidy(strings.ReplaceAll(head, "\n", " ")), textgen.MaxTitle)
}

// caption returns the headline, the content that did not fit on the slides, the first sentences of the text, and the
// call to action. Points of lists stay on the slides. left is the content that did not fit into the caption either.
func (s *story) caption(cards []card, overflow []string) (caption string, left []string) {
	hook, last := cards[0], cards[len(cards)-1]
	out := s.sentence(hook)
	end := ""
	if len(cards) > 1 && last.shape != listed && last.run == 0 {
		end = s.sentence(last)
	}
	room := textgen.MaxCaption - runes(end) - 1
	if runes(out) > room {
		out, end, room = shorten(s.tag, out, textgen.MaxCaption), "", textgen.MaxCaption
	}
	for _, o := range overflow {
		o = endWith(s.tag, strings.ReplaceAll(o, "\n", "; "))
		if runes(out)+runes(o)+1 > room {
			left = append(left, o)
			continue
		}
		out = join(out, o)
	}
	for i, c := range cards {
		if i == 0 || c.run != 0 && c.quoted == "" || c.shape == listed || c.para < 0 && len(overflow) > 0 {
			continue
		}
		if i == len(cards)-1 && end != "" {
			break
		}
		t := s.sentence(c)
		if runes(out)+runes(t) > captionAim {
			break
		}
		out = join(out, t)
	}
	return strings.TrimSpace(join(out, end)), left
}

// sentence returns a card as running text.
func (s *story) sentence(c card) string {
	if c.quoted != "" {
		return endWith(s.tag, c.quoted)
	}
	return endWith(s.tag, strings.ReplaceAll(c.say(s.tag), "\n", " "))
}
