// SPDX-License-Identifier: Apache-2.0

package offline

import (
	"strings"

	"github.com/reelops/reelops/internal/textgen"
)

// captionAim is how long a caption gets before its last sentence; longer ones are folded away by every platform.
const captionAim = 320

// finish writes what stands beside the slides, and keeps what the caller gave.
func (s *story) finish(d *textgen.Draft, hook unit, points []unit, cta unit) {
	d.Title, d.Caption, d.Tags = s.r.Title, s.r.Caption, s.r.Tags
	if d.Title == "" {
		d.Title = tidy(hook.head)
	}
	if d.Caption == "" {
		d.Caption = s.caption(hook, points, cta)
	}
	if s.r.WantsTags() {
		d.Tags = tags(s.tag, s.r, s.plain, s.m.title+" "+s.brief.topic, s.hashtags)
	} else if s.r.KeepTags && len(d.Tags) == 0 {
		d.Tags = []string{}
	}
}

// caption tells the story in one paragraph: the opening, what follows it while there is room, the call.
func (s *story) caption(hook unit, points []unit, cta unit) string {
	end := endWith(s.tag, cta.head)
	out := join(endWith(s.tag, hook.head), endWith(s.tag, hook.body))
	if hook.flows {
		out = join(hook.head+hook.joint, endWith(s.tag, hook.body))
	}
	full := runes(out)
	for _, p := range points {
		full += runes(s.told(p, true)) + 1
	}
	for _, p := range points {
		t := s.told(p, full <= captionAim)
		if runes(out)+runes(t) > captionAim {
			break
		}
		out = join(out, t)
	}
	if runes(out)+runes(end)+1 <= textgen.MaxCaption {
		out = join(out, end)
	}
	return strings.TrimSpace(out)
}

// told is a point in a caption; where there is no room for everything its heading stands for it.
func (s *story) told(p unit, whole bool) string {
	switch {
	case p.flows:
		return join(p.head+p.joint, endWith(s.tag, p.body))
	case p.body == "" || !whole && !asks(p.head):
		return endWith(s.tag, p.head)
	case endsSentence(p.head) || weight(p.head) > 4 || strings.Contains(p.whole, p.head+"."):
		return join(endWith(s.tag, p.head), endWith(s.tag, p.body))
	}
	return p.head + ": " + endWith(s.tag, p.body)
}
