// SPDX-License-Identifier: Apache-2.0

package tiktok

import (
	"slices"
	"strings"
)

// Interactions that an account turned off for all its posts.
type Interactions struct{ Comment, Duet, Stitch bool }

// SetDisabled turns interactions of an account, by its name, off. The account's choice wins over that of a post.
func (p *Platform) SetDisabled(account string, off Interactions) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.disabled[account] = off
}

// Post is what a direct post was published with.
type Post struct {
	ID, Account, Privacy                    string
	NoComment, NoDuet, NoStitch             bool
	BrandContent, BrandOrganic, AIGenerated bool
	CoverMillis                             int64
	CoverPhoto                              int
}

// Posts lists all posts by their ids.
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
