// SPDX-License-Identifier: Apache-2.0

package tiktok

import (
	"strconv"
	"sync"
	"time"

	"github.com/reelops/reelops/internal/social/sandbox"
)

const (
	direct = "direct"
	draft  = "draft"

	film   = "video"
	photos = "photo_set"

	public = "PUBLIC_TO_EVERYONE"
)

// Status values of a publish ID.
const (
	processingUpload   = "PROCESSING_UPLOAD"
	processingDownload = "PROCESSING_DOWNLOAD"
	inInbox            = "SEND_TO_USER_INBOX"
	complete           = "PUBLISH_COMPLETE"
	failed             = "FAILED"
)

// uploadLife is the lifetime of an upload URL.
const uploadLife = time.Hour

// publication is the state of a publish ID.
type publication struct {
	id, account          string
	kind, mode           string
	title, caption       string
	settings             settings
	aiGenerated          bool
	coverMillis          int64
	coverPhoto           int
	pulled               bool
	uploadID, secret     string
	size, chunk, count   int64
	openedAt             time.Time
	processing, moderate time.Duration

	// writing is held while a part is written, to serialize concurrent uploads. The platform's lock guards the fields
	// below.
	writing  sync.Mutex
	file     *sandbox.File
	pictures []*sandbox.File
	uploaded int64
	// doneAt is when all media had arrived; zero before. fail is then the reason of a failure, and posts the IDs of the
	// posts.
	doneAt time.Time
	fail   string
	posts  []string
	// finished reports whether the user posted the draft.
	finished bool
}

// begin stores a publication with IDs in the documented format.
func (p *Platform) begin(b *publication) {
	place, via := "pub", "file"
	if b.mode == draft {
		place = "inbox"
	}
	letter := "v"
	if b.kind == photos {
		letter = "p"
	}
	if b.pulled {
		via = "url"
	}
	b.id = letter + "_" + place + "_" + via + "~v2-1." + sandbox.Digits(19)
	b.openedAt, b.processing = p.core.Now(), p.core.Processing()
	p.mu.Lock()
	defer p.mu.Unlock()
	b.moderate = p.limits.Moderation
	p.byID[b.id] = b
	if b.uploadID != "" {
		p.byUpload[b.uploadID] = b
	}
}

// arrived decides the outcome of a publication whose media have all arrived. Every post is created here. It is called
// once per publication.
func (p *Platform) arrived(b *publication, reason string) {
	if reason == "" {
		reason = p.scripted(b.account)
	}
	if reason == "" {
		reason = p.judge(b)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	b.doneAt = p.core.Now()
	if reason == "" && b.mode == direct {
		reason, _ = p.capped(b.account)
		if reason == "reached_active_user_cap" {
			reason = "internal"
		}
	}
	if reason == "" && !p.land(b) {
		reason = "internal"
	}
	b.fail = reason
	if reason != "" {
		p.notify(b.event("post.publish.failed", map[string]any{"reason": reason}))
		return
	}
	if b.mode == draft {
		p.drafts[b.account] = append(p.drafts[b.account], b)
		p.notify(b.event("post.publish.inbox_delivered", nil))
		return
	}
	p.posted[b.account] = append(p.posted[b.account], b)
	p.notify(b.event("post.publish.complete", nil))
	if b.settings.Privacy == public {
		p.notify(b.event("post.publish.publicly_available", map[string]any{"post_id": b.posts[0]}))
	}
}

// scripted returns the reason with which a fault script makes an account's media fail, or an empty string.
func (p *Platform) scripted(account string) string {
	f := p.core.Outcome(name, account)
	switch {
	case f == nil:
		return ""
	case f.Code != "":
		return f.Code
	case f.Do == sandbox.Reject:
		return "spam_risk"
	}
	return "internal"
}

// land records a publication in the sandbox and reports whether that succeeded. The caller holds the lock.
func (p *Platform) land(b *publication) bool {
	l := sandbox.Landing{
		Platform: name, Account: b.account, Kind: b.kind, Title: b.title, Caption: b.caption, At: b.doneAt, File: b.file, Photos: b.pictures,
	}
	switch {
	case b.mode == draft:
		l.ID, l.Visibility = b.id, sandbox.Inbox
	default:
		l.ID, l.Visibility = p.post(b), sandbox.Private
		l.URL = p.link(b.account, b.kind, l.ID)
		if b.settings.Privacy == public {
			l.Visibility = sandbox.Public
		}
	}
	return p.core.Land(l) == nil
}

// post creates a post of a publication and returns its ID. The caller holds the lock.
func (p *Platform) post(b *publication) string {
	id := sandbox.Digits(19)
	b.posts = append(b.posts, id)
	p.byPost[id] = b
	return id
}

func (p *Platform) link(account, kind, id string) string {
	a, _ := p.core.AccountByName(name, account)
	path := "video"
	if kind == photos {
		path = "photo"
	}
	return p.core.URL(name, "/@"+a.Username+"/"+path+"/"+id)
}

// state returns the current status of a publish ID and the IDs of its public posts. The caller holds the lock.
func (b *publication) state(now time.Time) (status string, ids []int64) {
	ready := b.doneAt.Add(b.processing)
	switch {
	case b.doneAt.IsZero() || (now.Before(ready) && b.fail != "publish_cancelled"):
		if b.pulled {
			return processingDownload, nil
		}
		return processingUpload, nil
	case b.fail != "":
		return failed, nil
	case b.mode == draft && !b.finished:
		return inInbox, nil
	case b.shown(now):
		for _, id := range b.posts {
			n, _ := strconv.ParseInt(id, 10, 64)
			ids = append(ids, n)
		}
	}
	return complete, ids
}

// shown reports whether the posts are public. The caller holds the lock.
func (b *publication) shown(now time.Time) bool {
	open := (b.mode == direct && b.settings.Privacy == public) || b.finished
	return open && b.fail == "" && !b.doneAt.IsZero() && !now.Before(b.doneAt.Add(b.processing+b.moderate))
}
