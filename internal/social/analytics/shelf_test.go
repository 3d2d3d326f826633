// SPDX-License-Identifier: Apache-2.0

package analytics

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"testing"
	"time"

	testclock "k8s.io/utils/clock/testing"

	"github.com/reelops/reelops/internal/social/publish"
)

// noon is the start time of the tests.
var noon = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

func n(v int64) *int64 { return &v }

// ago returns a time before noon.
func ago(d time.Duration) time.Time { return noon.Add(-d) }

// pagedPlatform is a platform with posts in pages, newest first.
type pagedPlatform struct {
	terms  Terms
	page   int
	totals Totals
	posts  []Post
	// bare pages contain no metrics. gone posts are reported as deleted when they are measured.
	bare bool
	// err is the result of the calls with a name, from its skip-th on.
	fail map[string]error
	skip int
	// after is called after every call.
	after func(call string)

	calls    []string
	measured []string
	seen     []Post // arguments of Measure
}

func (s *pagedPlatform) call(name string) error {
	s.calls = append(s.calls, name)
	defer func() {
		if s.after != nil {
			s.after(name)
		}
	}()
	if err := s.fail[name]; err != nil {
		if s.skip == 0 {
			return err
		}
		s.skip--
	}
	return nil
}

func (s *pagedPlatform) Terms(publish.Account) Terms { return s.terms }

func (s *pagedPlatform) Totals(context.Context, publish.Account) (*Totals, error) {
	if err := s.call("totals"); err != nil {
		return nil, err
	}
	t := s.totals
	return &t, nil
}

func (s *pagedPlatform) Page(_ context.Context, _ publish.Account, cursor string) (*Page, error) {
	if err := s.call("page"); err != nil {
		return nil, err
	}
	from := 0
	if cursor != "" {
		from, _ = strconv.Atoi(cursor)
	}
	to := min(from+s.page, len(s.posts))
	p := &Page{Posts: slices.Clone(s.posts[from:to])}
	if to < len(s.posts) {
		p.Next = strconv.Itoa(to)
	}
	if s.bare {
		for i := range p.Posts {
			p.Posts[i].Numbers = Numbers{}
		}
	}
	return p, nil
}

func (s *pagedPlatform) Measure(_ context.Context, _ publish.Account, posts []Post) (measured []Post, gone []string, err error) {
	s.seen = append(s.seen, posts...)
	if err := s.call("measure"); err != nil {
		return nil, nil, err
	}
	if len(posts) > s.terms.Batch {
		return nil, nil, fmt.Errorf("got %d posts in one call", len(posts))
	}
	for _, p := range posts {
		s.measured = append(s.measured, p.ID)
		i := slices.IndexFunc(s.posts, func(x Post) bool { return x.ID == p.ID })
		if i < 0 {
			gone = append(gone, p.ID)
			continue
		}
		p.Numbers = s.posts[i].Numbers
		measured = append(measured, p)
	}
	return measured, gone, nil
}

// count returns the number of calls with the name.
func (s *pagedPlatform) count(name string) int {
	return len(slices.DeleteFunc(slices.Clone(s.calls), func(c string) bool { return c != name }))
}

// at returns a post of an age.
func at(id string, age time.Duration, views int64) Post {
	return Post{ID: id, Caption: "about " + id, PostedAt: ago(age), Numbers: Numbers{Views: n(views)}}
}

// refresh refreshes at a time.
func refresh(t *testing.T, s Source, now time.Time, a Ask) *Document {
	t.Helper()
	r := &Refresher{Clock: testclock.NewFakePassiveClock(now)}
	d, err := r.Refresh(t.Context(), s, a)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// ids returns the ids of a document's rows.
func ids(d *Document) []string {
	out := []string{}
	for i := range d.Rows {
		out = append(out, d.Rows[i].ID)
	}
	return out
}

// row returns the row of a post.
func row(t *testing.T, d *Document, id string) *Row {
	t.Helper()
	for i := range d.Rows {
		if d.Rows[i].ID == id {
			return &d.Rows[i]
		}
	}
	t.Fatalf("no row %s in %v", id, ids(d))
	return nil
}
