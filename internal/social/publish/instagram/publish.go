// SPDX-License-Identifier: Apache-2.0

package instagram

import (
	"context"
	"errors"
	"net/url"
	"time"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/social/publish"
)

// settled is the time after an attempt during which an unpublished container or a missing post proves nothing, because
// the state may lag. Instagram does not document how far.
const settled = 2 * time.Minute

// linkBudget is how long after an attempt to wait for the link of a post. A post without a link is published
// nevertheless.
const linkBudget = time.Hour

// Headroom returns the quota of the account as Instagram reports it, normally for the last 24 hours.
func (p *Platform) Headroom(ctx context.Context, a publish.Account) (*publish.Headroom, error) {
	ans, err := p.read(ctx, a.AccessToken, p.versioned(a.ID, "content_publishing_limit"), url.Values{"fields": {"quota_usage,config"}})
	if err != nil {
		return nil, ofAccount(err)
	}
	var l limitAnswer
	if err := one(ans.Body, &l); err != nil {
		return nil, unreadable(err, reading)
	}
	now := p.c.Clock.Now()
	h := &publish.Headroom{Used: l.QuotaUsage, Max: l.Config.QuotaTotal, Window: time.Duration(l.Config.QuotaDuration) * time.Second}
	if wait := blocked(ans.Header); wait > 0 {
		h.Limited, h.ResetsAt = true, now.Add(wait)
		return h, nil
	}
	if h.Max > 0 && h.Used >= h.Max {
		h.Limited = true
		h.ResetsAt = p.slotFrees(ctx, a, now, h.Window)
	}
	return h, nil
}

// slotFrees returns when the oldest listed post leaves the window; zero if unknown. Stories are not listed and may
// count, so a slot may become free before the returned time.
func (p *Platform) slotFrees(ctx context.Context, a publish.Account, now time.Time, window time.Duration) time.Time {
	if window <= 0 {
		return time.Time{}
	}
	var oldest time.Time
	err := p.list(ctx, a, now.Add(-window), func(m media) {
		if oldest.IsZero() || m.Timestamp.Before(oldest) {
			oldest = m.Timestamp.Time
		}
	})
	if err != nil || oldest.IsZero() {
		return time.Time{}
	}
	return oldest.Add(window)
}

// Commit publishes the container. This is the only call that cannot be undone.
func (p *Platform) Commit(ctx context.Context, a publish.Account, d publish.Draft, prior []byte) (*publish.Receipt, error) {
	n, err := readNote(prior)
	if err != nil || n.Main.ID == "" || !n.Main.Finished {
		return nil, expired("There is no preparation for Instagram to publish.")
	}
	at := p.c.Clock.Now().UTC()
	var ans idAnswer
	err = p.post(ctx, a.AccessToken, p.versioned(a.ID, "media_publish"), publishing, map[string]string{"creation_id": n.Main.ID}, &ans)
	if err != nil {
		return nil, p.whenFree(ctx, a, ofAccount(err))
	}
	if ans.ID == "" {
		return nil, unreadable(errors.New("there is no post in it"), publishing)
	}
	h := handle{media: string(ans.ID), at: at}
	// The link is read later: a failure to read it must not look like a failure to publish.
	return warned(&publish.Receipt{Handle: h.String(), View: &publish.View{State: v1beta1.DeliveryPublished, PostID: h.media, PublishedAt: at}}, n), nil
}

// whenFree adds the time of the next free slot to a refusal because of the daily quota. Instagram does not report the
// time in the refusal. If the time is unknown, whenFree returns the error unchanged.
func (p *Platform) whenFree(ctx context.Context, a publish.Account, err error) error {
	var e *publish.Error
	if r := about(err); r == nil || r.subcode != 2207042 || !errors.As(err, &e) || e.Kind != publish.RateLimited || e.RetryAfter > 0 {
		return err
	}
	h, failed := p.Headroom(ctx, a)
	if failed != nil || h.ResetsAt.IsZero() {
		return err
	}
	told := *e
	told.ResetsAt = h.ResetsAt
	return &told
}

// Find resolves an attempt whose response was lost. If the account shows no such post, two states of the container
// prove that the attempt was not accepted. Either the container can no longer be published, or two polls later than
// settled report it as unpublished.
func (p *Platform) Find(ctx context.Context, a publish.Account, d publish.Draft, prior []byte, at time.Time) (*publish.Receipt, error) {
	n, err := readNote(prior)
	switch {
	case err != nil:
		return nil, publish.ErrCannotTell
	case n.Main.ID == "":
		return nil, publish.ErrNotFound // without a container, nothing could be published
	}
	st, err := p.status(ctx, a, n.Main.ID)
	if err != nil && !gone(err) {
		return nil, err
	}
	unknown := err != nil
	if !unknown && st.StatusCode == inProgress {
		return nil, publish.ErrCannotTell
	}
	m, err := p.match(ctx, a, d, at)
	if err != nil {
		return nil, err
	}
	if unknown {
		if m == nil {
			return nil, publish.ErrCannotTell
		}
		r := warned(found(*m, at), n)
		r.Guess = true
		return r, nil
	}
	switch st.StatusCode {
	case published:
		if m == nil {
			// The post is published, but the account's list lags.
			h := handle{container: n.Main.ID, at: at}
			return warned(&publish.Receipt{Handle: h.String(), View: &publish.View{State: v1beta1.DeliveryPublished, PublishedAt: at}}, n), nil
		}
		return warned(found(*m, at), n), nil
	case finished:
		// The state may lag, or the matching post may not come from this container.
		if m != nil || p.c.Clock.Now().Sub(at) < settled {
			return nil, publish.ErrCannotTell
		}
		again, err := p.status(ctx, a, n.Main.ID)
		if err != nil && !gone(err) {
			return nil, err
		}
		if err != nil || again.StatusCode != finished {
			return nil, publish.ErrCannotTell
		}
		return nil, publish.ErrNotFound
	case failure, lapsed:
		if m != nil {
			return nil, publish.ErrCannotTell
		}
		return nil, publish.ErrNotFound
	}
	return nil, publish.ErrCannotTell
}

func found(m media, at time.Time) *publish.Receipt {
	h := handle{media: string(m.ID), at: at}
	return &publish.Receipt{Handle: h.String(), View: m.view()}
}

// view returns the View of a visible post.
func (m media) view() *publish.View {
	return &publish.View{
		State: v1beta1.DeliveryPublished, PostID: string(m.ID), URL: m.Permalink, PublishedAt: m.Timestamp.Time, Settled: m.Permalink != "",
	}
}

// Look returns the View of a published post, with its link once it is available.
func (p *Platform) Look(ctx context.Context, a publish.Account, d publish.Draft, name string) (*publish.View, error) {
	h, err := readHandle(name)
	if err != nil {
		return nil, publish.ErrCannotTell
	}
	if h.media == "" {
		return p.lookForLink(ctx, a, d, h)
	}
	var m media
	q := url.Values{"fields": {"id,permalink,timestamp,media_type,media_product_type"}}
	err = p.get(ctx, a.AccessToken, p.versioned(h.media), q, func(b []byte) error { return one(b, &m) })
	switch {
	case err == nil:
		m.ID = id(h.media)
		v := m.view()
		if v.PublishedAt.IsZero() {
			v.PublishedAt = h.at
		}
		v.Settled = v.Settled || p.late(h)
		return v, nil
	case gone(err) && p.c.Clock.Now().Sub(h.at) < settled:
		// The post was just published and may not be visible everywhere yet.
		return &publish.View{State: v1beta1.DeliveryPublished, PostID: h.media, PublishedAt: h.at}, nil
	case gone(err):
		return nil, publish.ErrNotFound
	}
	return nil, err
}

// lookForLink searches the account's list of posts for a post of which only the container is known.
func (p *Platform) lookForLink(ctx context.Context, a publish.Account, d publish.Draft, h handle) (*publish.View, error) {
	m, err := p.match(ctx, a, d, h.at)
	if err != nil {
		return nil, err
	}
	if m != nil {
		return m.view(), nil
	}
	return &publish.View{State: v1beta1.DeliveryPublished, PublishedAt: h.at, Settled: p.late(h)}, nil
}

// late reports whether the time to wait for a link is over.
func (p *Platform) late(h handle) bool { return p.c.Clock.Now().Sub(h.at) > linkBudget }
