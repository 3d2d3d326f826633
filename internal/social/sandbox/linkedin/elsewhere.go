// SPDX-License-Identifier: Apache-2.0

package linkedin

import (
	"strings"
	"unicode"

	"github.com/reelops/reelops/internal/social/sandbox"
)

// catchUp applies the queued events: it adds posts created in other ways and marks deleted ones. The caller holds the
// lock.
func (p *Platform) catchUp() {
	for _, n := range p.News() {
		switch {
		case n.Landed == nil:
			if x := p.byURN[n.Gone]; x != nil {
				x.gone = true
			}
		case p.byURN[n.Landed.ID] == nil:
			p.adopt(*n.Landed)
		}
	}
}

// adopt adds a post of an earlier run, or one that was created in LinkedIn's own app.
func (p *Platform) adopt(l sandbox.Landing) {
	a, _ := p.core.AccountByName(name, l.Account)
	x := &post{urn: l.ID, author: a.ID, commentary: little(l.Caption), visibility: l.Audience, at: l.At}
	switch {
	case l.File != nil:
		x.content.Media = &medium{ID: videoURN + l.File.ID, Title: l.Title}
	case l.Elsewhere || len(l.Photos) == 0:
		x.content.Media = &medium{ID: videoURN + strings.TrimPrefix(strings.TrimPrefix(l.ID, ugcPostURN), shareURN), Title: l.Title}
	case len(l.Photos) == 1:
		x.content.Media = &medium{ID: imageURN + l.Photos[0].ID}
	default:
		x.content.MultiImage = &album{}
		for _, f := range l.Photos {
			x.content.MultiImage.Images = append(x.content.MultiImage.Images, medium{ID: imageURN + f.ID})
		}
	}
	p.add(x)
}

// add adds a post. The caller holds the lock.
func (p *Platform) add(x *post) {
	p.posts = append(p.posts, x)
	p.byURN[x.urn] = x
}

// little converts plain text to LinkedIn's little text format. It escapes reserved characters, except a # that starts a
// hashtag.
func little(text string) string {
	var b strings.Builder
	rs := []rune(text)
	for i, r := range rs {
		tag := r == '#' && i+1 < len(rs) && (unicode.IsLetter(rs[i+1]) || unicode.IsDigit(rs[i+1]))
		if strings.ContainsRune(reserved, r) && !tag {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}
