// SPDX-License-Identifier: Apache-2.0

package analytics

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"k8s.io/utils/clock"

	"github.com/reelops/reelops/internal/social/publish"
)

// Ours are posts published through the service, by the platform's id.
type Ours struct {
	PlatformPostID string
	// Post and Short are their ids here.
	Post, Short int64
	// PostedAt, Title, Caption and URL serve where the platform does not list posts, and for what it does not tell of them.
	PostedAt            time.Time
	Title, Caption, URL string
}

// Ask is for one refresh of one account.
type Ask struct {
	Account publish.Account
	// Requested says that somebody waits for it; else it came by itself.
	Requested bool
	// Before is what was known; nil at first. It is not changed.
	Before *Document
	// Ours are all posts of the account that were published through the service and whose ids on the platform are known.
	Ours []Ours
}

// Refresher reads new numbers. It is safe for use by many goroutines.
type Refresher struct {
	// Clock is the machine's when nil.
	Clock clock.PassiveClock
	// Window is how old posts may be; older ones are dropped. DefaultWindow when 0.
	Window time.Duration
	// MaxPosts bounds the posts of an account, and with them the memory of a refresh: the newest are kept. DefaultMaxPosts when 0.
	MaxPosts int
	// HistoryDays bounds the days that are kept. DefaultHistoryDays when 0.
	HistoryDays int
}

// Refresh asks the platform, within its terms, for what has become stale, and makes a new document of the one before. Its error is the
// source's when the account as a whole could not be read, when a permission is not good or does not cover a call, or when the context
// ended; nothing is then known that was not before. When the platform breaks off later, what it told until then counts, all else
// stays as it was, and Document.Incomplete tells why.
//
// It holds the document before, the new one and one page at a time in memory: with 10,000 posts of usual texts, some 10 MB.
func (r *Refresher) Refresh(ctx context.Context, s Source, ask Ask) (*Document, error) {
	totals, err := s.Totals(ctx, ask.Account)
	if err != nil {
		return nil, fmt.Errorf("reading the account: %w", err)
	}
	if totals == nil {
		totals = &Totals{}
	}
	w := r.begin(s, ask)
	d := &Document{Version: version, Totals: *totals, WalkedAt: w.walkedAt}
	err = w.list(ctx)
	if err == nil {
		if w.reach.walk {
			d.WalkedAt = w.now
		}
		err = w.measure(ctx)
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	switch publish.KindOf(err) {
	case publish.Auth, publish.Unauthorized, publish.Scope:
		return nil, err
	}
	d.Rows, d.Gone, d.Incomplete = w.rows(), w.goneOurs(), err
	d.RefreshedAt = r.clock().Now().UTC()
	d.History = remember(w.history, d, cmp.Or(r.HistoryDays, DefaultHistoryDays))
	d.Totals.Changes = nil // they are in the history
	return d, nil
}

func (r *Refresher) clock() clock.PassiveClock {
	if r.Clock == nil {
		return clock.RealClock{}
	}
	return r.Clock
}

// begin lays out what was known.
func (r *Refresher) begin(s Source, ask Ask) *work {
	w := &work{
		source: s, terms: s.Terms(ask.Account), account: ask.Account, now: r.clock().Now().UTC(), max: cmp.Or(r.MaxPosts, DefaultMaxPosts),
		ours: make(map[string]*Ours, len(ask.Ours)), gone: map[string]bool{},
	}
	window := cmp.Or(r.Window, DefaultWindow)
	w.oldest = w.now.Add(-window)
	var before Document
	if ask.Before != nil {
		before = *ask.Before
	}
	w.walkedAt, w.history = before.WalkedAt, before.History
	w.reach = reachOf(w.now, window, ask.Requested, before.WalkedAt)
	w.posts = make(map[string]*entry, len(before.Rows))
	for i := range before.Rows {
		w.take(before.Rows[i])
	}
	for i := range ask.Ours {
		if o := &ask.Ours[i]; o.PlatformPostID != "" {
			w.ours[o.PlatformPostID] = o
		}
	}
	if !w.terms.Lists {
		w.bring(before.Gone)
	}
	return w
}

var errNoPage = errors.New("the platform gave no page")
