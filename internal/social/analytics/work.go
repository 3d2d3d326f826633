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

// Bounds of texts that platforms send, in bytes: more than any of them lets people write.
const (
	maxTitle   = 2_000
	maxCaption = 20_000
	maxID      = 256
	maxURL     = 4_096
)

// work is one refresh.
type work struct {
	source   Source
	terms    Terms
	account  publish.Account
	now      time.Time
	oldest   time.Time // posts before it are of no interest
	reach    reach
	max      int
	walkedAt time.Time
	history  []Day

	posts map[string]*entry // by the platform's id
	ours  map[string]*Ours
	// gone are ids of posts that the platform said are there no more.
	gone map[string]bool
}

// entry is a post in work.
type entry struct {
	Row
	// listed says that it was in the listing, measured that all its numbers were told this time; told are those that were.
	listed, measured bool
	told             Numbers
}

// take adds a row, unless it is too old.
func (w *work) take(r Row) *entry {
	if r.ID == "" || len(r.ID) > maxID || r.PostedAt.Before(w.oldest) {
		return nil
	}
	e := &entry{Row: r}
	e.PostedAt = r.PostedAt.UTC()
	w.posts[r.ID] = e
	return e
}

// bring adds the posts that were published through the service, where the platform lists none, but for those that it has no more.
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

// list goes through the platform's posts, newest first, as far as the refresh reaches and its terms allow. Posts that should have come
// and did not are dropped, whatever stopped it.
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

// takeListed takes up a post of a page.
func (w *work) takeListed(p *Post) {
	e := w.posts[p.ID]
	if e == nil {
		e = w.take(Row{Post: Post{ID: p.ID, PostedAt: p.PostedAt}})
	}
	if e == nil {
		return
	}
	e.listed, e.told = true, p.Numbers
	if w.terms.Batch == 0 || !p.MeasuredAt.IsZero() {
		w.fill(e, p)
		return
	}
	// A page that does not tell all: what it lacks stays.
	old := e.Post
	e.describe(p)
	e.Title, e.Caption = firstText(p.Title, old.Title, maxTitle), firstText(p.Caption, old.Caption, maxCaption)
	if e.MeasuredAt.IsZero() {
		e.Numbers = p.Numbers // those of a post that was measured are all of one time, and stay so
	}
}

// firstText is the first of two texts that there is, in so many bytes.
func firstText(a, b string, most int) string { return cut(cmp.Or(a, b), most) }

// whole is the text that a platform shows of a post of ours, which somebody may have changed there; the one that it was sent with where
// the platform shows none, or no more than its beginning.
func whole(shown, sent string, most int) string {
	if strings.HasPrefix(sent, strings.TrimRight(shown, "… ")) {
		return cut(sent, most)
	}
	return shown
}

// fill takes all that a post shows: numbers that are not told are unknown now.
func (w *work) fill(e *entry, p *Post) {
	e.describe(p)
	e.Title, e.Caption, e.Numbers = cut(p.Title, maxTitle), cut(p.Caption, maxCaption), p.Numbers
	e.MeasuredAt, e.measured = w.now, true
	if !p.MeasuredAt.IsZero() {
		e.MeasuredAt = p.MeasuredAt.UTC()
	}
}

// describe takes what does not depend on who tells it.
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

// cut shortens a text to so many bytes, at a letter.
func cut(s string, most int) string {
	if len(s) > most {
		for most > 0 && !utf8.RuneStart(s[most]) {
			most--
		}
		s = s[:most]
	}
	return strings.ToValidUTF8(s, "\uFFFD")
}

// dropUnlisted drops posts of the stretch that was listed which were not in it: their owner deleted or hid them.
func (w *work) dropUnlisted(seen *covered) {
	for id, e := range w.posts {
		if !e.listed && seen.covers(e.PostedAt) {
			delete(w.posts, id)
		}
	}
}

// covered is the stretch of time that a listing showed whole.
type covered struct {
	// all says that it came to its end, some that there was a post, disorder that an older one came before a newer one.
	all, some, disorder bool
	// last is the time of the last post, newest that of the newest one of the last page.
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

// edge is the time after which everything was shown. A listing that is not quite in order is believed as far as its last page begins.
func (c *covered) edge() time.Time {
	if c.disorder {
		return c.newest
	}
	return c.last
}

// before says that the listing has gone back past a time.
func (c *covered) before(t time.Time) bool { return c.some && c.edge().Before(t) }

// covers says that a post of the time was shown if it is there. One of the very time of the edge may come on the next page.
func (c *covered) covers(t time.Time) bool { return c.all || (c.some && t.After(c.edge())) }

// measure asks for the numbers of stale posts, the newest first, as far as the terms allow.
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
			if p.MeasuredAt = (time.Time{}); e.told != (Numbers{}) {
				p.Numbers = e.told // what was known earlier is not to pass for what the page told
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

// takeMeasured takes the numbers of a post. Texts that it does not tell stay.
func (w *work) takeMeasured(e *entry, p *Post) {
	old := e.Post
	w.fill(e, p)
	e.Title, e.Caption = firstText(e.Title, old.Title, maxTitle), firstText(e.Caption, old.Caption, maxCaption)
}

// due lists the posts whose numbers are stale and have not been told this time, newest first.
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

// rows are the newest of the posts that are known now, with their links. A link stays when the record of the post here is gone: that it
// was published through the service stays true.
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

// goneOurs are those of our posts that the platform has no more, where it lists none.
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
