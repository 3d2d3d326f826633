// SPDX-License-Identifier: Apache-2.0

package tiktok

import (
	"slices"
	"strings"
)

// Interactions that an account disabled for all its posts.
type Interactions struct{ Comment, Duet, Stitch bool }

// SetDisabled disables interactions of an account, given by its name. The account's setting takes precedence over a
// post's.
func (p *Platform) SetDisabled(account string, off Interactions) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.disabled[account] = off
}

// Post holds the options with which a direct post was published.
type Post struct {
	ID, Account, Privacy                    string
	NoComment, NoDuet, NoStitch             bool
	BrandContent, BrandOrganic, AIGenerated bool
	CoverMillis                             int64
	CoverPhoto                              int
}

// Posts returns all posts, sorted by ID.
func (p *Platform) Posts() []Post {
	p.mu.Lock()
	defer p.mu.Unlock()
	var out []Post
	for id, b := range p.byPost {
		off, s := p.disabled[b.account], b.settings
		out = append(out, Post{
			ID: id, Account: b.account, Privacy: s.Privacy,
			NoComment: s.NoComment || off.Comment, NoDuet: s.NoDuet || off.Duet, NoStitch: s.NoStitch || off.Stitch,
			BrandContent: s.BrandContent, BrandOrganic: s.BrandOrganic, AIGenerated: b.aiGenerated,
			CoverMillis: b.coverMillis, CoverPhoto: b.coverPhoto,
		})
	}
	slices.SortFunc(out, func(a, b Post) int { return strings.Compare(a.ID, b.ID) })
	return out
}
