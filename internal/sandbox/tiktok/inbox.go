// SPDX-License-Identifier: Apache-2.0

package tiktok

import (
	"slices"

	"github.com/reelops/reelops/internal/sandbox"
)

// finishDraft makes posts of a draft. The lock is held.
func (p *Platform) finishDraft(b *publication, times int) error {
	if err := p.core.Remove(name, b.id); err != nil {
		return err
	}
	p.drafts[b.account] = slices.DeleteFunc(p.drafts[b.account], func(other *publication) bool { return other == b })
	for range times {
		id := p.post(b)
		err := p.core.Land(sandbox.Landing{
			Platform: name, Account: b.account, Kind: b.kind, Visibility: sandbox.Public, Title: b.title, Caption: b.caption,
			ID: id, URL: p.link(b.account, b.kind, id), File: b.file, Photos: b.pictures,
		})
		if err != nil {
			return err
		}
		p.tell(b.event("post.publish.publicly_available", map[string]any{"post_id": id}))
	}
	b.finished = true
	p.tell(b.event("post.publish.complete", nil))
	return nil
}
