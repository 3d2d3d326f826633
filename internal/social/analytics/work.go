// SPDX-License-Identifier: Apache-2.0

package analytics

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/reelops/reelops/internal/social/publish"
)

// Bounds of texts from platforms, in bytes. They exceed what any platform lets users write.
const (
	maxTitle   = 2_000
	maxCaption = 20_000
	maxID      = 256
	maxURL     = 4_096
)

// work is the state of one refresh.
type work struct {
	source   Source
	terms    Terms
	account  publish.Account
	now      time.Time
	oldest   time.Time // older posts are dropped
	reach    reach
	max      int
	walkedAt time.Time
	history  []Day

	posts map[string]*entry // by the platform's id
	ours  map[string]*Ours
	// gone holds the ids of posts that the platform reported as deleted.
	gone map[string]bool
}

// entry is a post of a refresh.
type entry struct {
	Row
	// listed reports whether the post was in the listing, measured whether all its metrics were read in this refresh.
	// reported holds the metrics that the listing reported.
	listed, measured bool
	reported         Numbers
}

// take adds a row, unless it is too old or its id is empty or too long.
func (w *work) take(r Row) *entry {
	if r.ID == "" || len(r.ID) > maxID || r.PostedAt.Before(w.oldest) {
		return nil
	}
	e := &entry{Row: r}
	e.PostedAt = r.PostedAt.UTC()
	w.posts[r.ID] = e
	return e
}

// remember takes a linked row of the previous document as a post of the service. Its Post may be in the archive, and no
// longer in the cluster. A post that a user deleted keeps its link too, until its row is too old.
func (w *work) remember(r *Row) {
	if r.OurPost != 0 {
		w.ours[r.ID] = &Ours{
			PlatformPostID: r.ID, Post: r.OurPost, Short: r.OurShort, PostedAt: r.PostedAt, Title: r.Title, Caption: r.Caption, URL: r.URL,
		}
	}
}

// bring adds the posts published through the service, except those that no longer exist on the platform. It is used if
// the platform does not list posts.
func (w *work) bring(gone []string) {
	for _, id := range gone {
		w.gone[id] = true
	}
	for id, o := range w.ours {
		if w.posts[id] == nil && !w.gone[id] {
			w.take(Row{Post: Post{ID: id, PostedAt: o.PostedAt, Title: o.Title, Caption: o.Caption, URL: o.URL}})
		}
	}
}

// list reads the platform's posts, newest first, as far as the reach of the refresh and the terms allow. Posts that are
// missing from the listed range are dropped, even if listing stops early.
func (w *work) list(ctx context.Context) error {
	if !w.terms.Lists {
		return nil
	}
	var (
		cursor string
		seen   = covered{}
		n      int
	)
	defer func() { w.dropUnlisted(&seen) }()
	for page := range w.terms.Pages {
		p, err := w.source.Page(ctx, w.account, cursor)
		if err == nil && p == nil {
			err = errNoPage
		}
		if err != nil {
			return fmt.Errorf("listing posts, page %d: %w", page+1, err)
		}
		for i := range p.Posts {
			w.takeListed(&p.Posts[i])
		}
		seen.page(p.Posts)
		n += len(p.Posts)
		if p.Next == "" {
			seen.all = true
			return nil
		}
		if seen.before(w.reach.list) || n >= w.max || p.Next == cursor {
			return nil
		}
		cursor = p.Next
	}
	return nil
}

// takeListed adds or updates a post from a page.
func (w *work) takeListed(p *Post) {
	e := w.posts[p.ID]
	if e == nil {
		e = w.take(Row{Post: Post{ID: p.ID, PostedAt: p.PostedAt}})
	}
	if e == nil {
		return
	}
	e.listed, e.reported = true, p.Numbers
	if w.terms.Batch == 0 || !p.MeasuredAt.IsZero() {
		w.fill(e, p)
		return
	}
	// This page does not report all fields: keep the old value of those that it lacks.
	old := e.Post
	e.describe(p)
	e.Title, e.Caption = firstText(p.Title, old.Title, maxTitle), firstText(p.Caption, old.Caption, maxCaption)
	if e.MeasuredAt.IsZero() {
		e.Numbers = p.Numbers // metrics of a measured post were all read at one time, and stay so
	}
}

// firstText returns the first non-empty text, cut to most bytes.
func firstText(a, b string, most int) string { return cut(cmp.Or(a, b), most) }

// whole returns the text that the platform shows for a post of ours, because it may have been edited there. It returns
// the text that was sent if the platform shows none or only the beginning of it.
func whole(shown, sent string, most int) string {
	if strings.HasPrefix(sent, strings.TrimRight(shown, "… ")) {
		return cut(sent, most)
	}
	return shown
}

// fill replaces all fields of a post. Metrics that p does not report become unknown.
func (w *work) fill(e *entry, p *Post) {
	e.describe(p)
	e.Title, e.Caption, e.Numbers = cut(p.Title, maxTitle), cut(p.Caption, maxCaption), p.Numbers
	e.MeasuredAt, e.measured = w.now, true
	if !p.MeasuredAt.IsZero() {
		e.MeasuredAt = p.MeasuredAt.UTC()
	}
}

// describe copies the fields that a listing and a measurement report alike.
func (e *entry) describe(p *Post) {
	if !p.PostedAt.IsZero() {
		e.PostedAt = p.PostedAt.UTC()
	}
	if p.URL != "" && len(p.URL) <= maxURL {
		e.URL = p.URL
	}
	if p.ThumbnailURL != "" && len(p.ThumbnailURL) <= maxURL {
		e.ThumbnailURL = p.ThumbnailURL
	}
	if p.Seconds > 0 {
		e.Seconds = p.Seconds
	}
}

// cut shortens a text to at most most bytes, at a character boundary, and replaces invalid UTF-8.
func cut(s string, most int) string {
	if len(s) > most {
		for most > 0 && !utf8.RuneStart(s[most]) {
			most--
		}
		s = s[:most]
	}
	return strings.ToValidUTF8(s, "\uFFFD")
}

// dropUnlisted drops posts that are missing from the listed range: their owner deleted or hid them.
func (w *work) dropUnlisted(seen *covered) {
	for id, e := range w.posts {
		if !e.listed && seen.covers(e.PostedAt) {
			delete(w.posts, id)
		}
	}
}

// covered is the time range that a listing covered completely.
type covered struct {
	// all reports whether the listing reached its end, some whether it had a post, disorder whether an older post
	// preceded a newer one.
	all, some, disorder bool
	// last is the time of the last post, newest the time of the newest post on the last page.
	last, newest time.Time
}

func (c *covered) page(posts []Post) {
	for i := range posts {
		t := posts[i].PostedAt
		if i == 0 || t.After(c.newest) {
			c.newest = t
		}
		if c.some && t.After(c.last) {
			c.disorder = true
		}
		c.last, c.some = t, true
	}
}

// edge returns the time after which the listing is complete. If the listing is out of order, that is the newest time on
// its last page.
func (c *covered) edge() time.Time {
	if c.disorder {
		return c.newest
	}
	return c.last
}

// before reports whether the listing went back past a time.
func (c *covered) before(t time.Time) bool { return c.some && c.edge().Before(t) }

// covers reports whether a post of that time would have been listed. A post at exactly the edge may be on the next
// page.
func (c *covered) covers(t time.Time) bool { return c.all || (c.some && t.After(c.edge())) }

// measure reads the metrics of stale posts, the newest first, as far as the terms allow.
func (w *work) measure(ctx context.Context) error {
	if w.terms.Batch <= 0 {
		return nil
	}
	due := w.due()
	for n := 0; n < w.terms.Measures && len(due) > 0; n++ {
		batch := due[:min(w.terms.Batch, len(due))]
		due = due[len(batch):]
		posts := make([]Post, 0, len(batch))
		for _, e := range batch {
			p := e.Post
			if p.MeasuredAt = (time.Time{}); e.reported != (Numbers{}) {
				p.Numbers = e.reported // metrics from an earlier refresh must not count as reported by the page
			}
			posts = append(posts, p)
		}
		measured, gone, err := w.source.Measure(ctx, w.account, posts)
		for i := range measured {
			if p := &measured[i]; w.posts[p.ID] != nil {
				w.takeMeasured(w.posts[p.ID], p)
			}
		}
		for _, id := range gone {
			if w.posts[id] != nil {
				delete(w.posts, id)
				w.gone[id] = true
			}
		}
		if err != nil {
			return fmt.Errorf("reading the numbers of posts: %w", err)
		}
	}
	return nil
}

// takeMeasured updates a post with its metrics. Texts that p lacks keep their value.
func (w *work) takeMeasured(e *entry, p *Post) {
	old := e.Post
	w.fill(e, p)
	e.Title, e.Caption = firstText(e.Title, old.Title, maxTitle), firstText(e.Caption, old.Caption, maxCaption)
}

// due returns the posts whose metrics are stale and were not read in this refresh, newest first.
func (w *work) due() []*entry {
	var out []*entry
	for _, e := range w.posts {
		if !e.PostedAt.Before(w.reach.measure) && !e.measured && stale(&e.Post, w.now) {
			out = append(out, e)
		}
	}
	slices.SortFunc(out, func(a, b *entry) int { return inOrder(&a.Row, &b.Row) })
	return out
}

// rows returns the newest known posts with their links to posts of the service.
func (w *work) rows() []Row {
	all := make([]*entry, 0, len(w.posts))
	for _, e := range w.posts {
		if !e.PostedAt.Before(w.oldest) {
			all = append(all, e)
		}
	}
	slices.SortFunc(all, func(a, b *entry) int { return inOrder(&a.Row, &b.Row) })
	out := make([]Row, 0, min(len(all), w.max))
	for _, e := range all[:cap(out)] {
		if o := w.ours[e.ID]; o != nil {
			e.OurPost, e.OurShort = o.Post, o.Short
			e.Title, e.Caption, e.URL = whole(e.Title, o.Title, maxTitle), whole(e.Caption, o.Caption, maxCaption), firstText(e.URL, o.URL, maxURL)
		}
		out = append(out, e.Row)
	}
	return out
}

// goneOurs returns the ids of our posts that no longer exist on the platform, if the platform does not list posts.
func (w *work) goneOurs() []string {
	if w.terms.Lists {
		return nil
	}
	var out []string
	for id := range w.gone {
		if o := w.ours[id]; o != nil && !o.PostedAt.Before(w.oldest) {
			out = append(out, id)
		}
	}
	slices.Sort(out)
	return out
}
