// SPDX-License-Identifier: Apache-2.0

package tiktok

import (
	"errors"
	"slices"

	"github.com/reelops/reelops/internal/social/sandbox"
)

var errNoDraft = errors.New("no such draft lies in an inbox")

// Finish posts a draft the given number of times, as a user does in the app. With 0 it discards the draft.
func (p *Platform) Finish(publishID string, times int) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	b := p.byID[publishID]
	if b == nil {
		return errNoDraft
	}
	if status, _ := b.state(p.core.Now()); status != inInbox {
		return errNoDraft
	}
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
		p.notify(b.event("post.publish.publicly_available", map[string]any{"post_id": id}))
	}
	b.finished = true
	p.notify(b.event("post.publish.complete", nil))
	return nil
}
