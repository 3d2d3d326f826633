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

// Ours is a post that was published through the service.
type Ours struct {
	PlatformPostID string
	// Post and Short are its ids in the service.
	Post, Short int64
	// PostedAt, Title, Caption and URL are used if the platform does not list posts, and for fields that it does not
	// report.
	PostedAt            time.Time
	Title, Caption, URL string
}

// Ask is a request for one refresh of one account.
type Ask struct {
	Account publish.Account
	// Requested reports whether a user waits for the refresh; a scheduled refresh has false.
	Requested bool
	// Before is the previous document; nil for the first refresh. It is not changed.
	Before *Document
	// Ours are the posts of the account in the cluster that were published through the service and have a known platform
	// id. Older posts are in the archive: their rows in Before have the links.
	Ours []Ours
}

// Refresher reads new metrics. It is safe for concurrent use.
type Refresher struct {
	// Clock defaults to the real clock.
	Clock clock.PassiveClock
	// Window is the maximum age of posts; older ones are dropped. 0 means DefaultWindow.
	Window time.Duration
	// MaxPosts bounds the posts of an account, and so the memory of a refresh: the newest are kept. 0 means
	// DefaultMaxPosts.
	MaxPosts int
	// HistoryDays bounds the days of history. 0 means DefaultHistoryDays.
	HistoryDays int
}

// Refresh reads the stale metrics within the terms of the platform and returns a new document, based on the previous
// one. It returns an error if the account's totals could not be read, if a permission is invalid or does not cover a
// call, or if the context ended. If the platform fails later, the metrics read until then count, all other data stay as
// they were, and Document.Incomplete holds the error.
//
// Refresh holds the previous document, the new one and one page in memory: about 10 MB for 10,000 posts with usual
// texts.
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

// begin returns the work of a refresh, filled with the previous document.
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
		w.remember(&before.Rows[i])
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
