// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/social/analytics"
	"github.com/reelops/reelops/internal/social/publish"
	"github.com/reelops/reelops/internal/social/sandbox"
)

// Analytics configures the suite for one platform that reports metrics, with one type of account. The adapter that Open
// returns must also implement analytics.Source.
type Analytics struct {
	Platform string
	Mount    func(core *sandbox.Sandbox) sandbox.Platform
	Open     func(o Options) (publish.Platform, error)
	// As is the name of the account; maya when empty.
	As string
	// Kinds are the media kinds of posts that were created outside Reelops, used in turn; videos only when nil.
	Kinds []string
	// ID returns the ID of the nth post created outside Reelops, in the platform's format; a number of 19 digits when
	// nil.
	ID func(n int) string
	// Told lists the metrics reported when every scope was granted. Less lists the cases with fewer metrics, by name.
	Told Told
	Less map[string]Less
	// Optional are calls whose failure may leave some metrics unset instead of failing the whole read. A token error
	// always fails the read.
	Optional []string
}

// Told describes the metrics that a platform reports.
type Told struct {
	// Followers, Posts and Views report whether the platform returns each total.
	Followers, Posts, Views bool
	// Post returns the expected metrics of a post at a time; nil when the platform reports no metrics of posts.
	Post func(l sandbox.Landing, now time.Time) analytics.Numbers
}

// Less is a case in which the platform reports fewer metrics.
type Less struct {
	// Withhold is a scope that the user did not grant.
	Withhold string
	// Change modifies the behaviour of the sandbox.
	Change func(p sandbox.Platform)
	Told   Told
}

// Number of posts of the suite's account, and the interval between them.
const (
	manyPosts = 45
	apart     = 7 * time.Hour
)

// N returns a pointer to a known metric.
func N(n int64) *int64 { return &n }

// RunAnalytics runs the whole suite for metrics.
func RunAnalytics(t *testing.T, c Analytics) {
	t.Helper()
	if c.As == "" {
		c.As = "maya"
	}
	if c.Kinds == nil {
		c.Kinds = []string{catalog.MediaVideo}
	}
	if c.ID == nil {
		c.ID = func(n int) string { return fmt.Sprintf("7%018d", n) }
	}
	t.Run("everything granted", func(t *testing.T) { c.compareAll(t, Less{Told: c.Told}) })
	for name, l := range c.Less {
		t.Run(name, func(t *testing.T) { c.compareAll(t, l) })
	}
	t.Run("deleted posts", c.gone)
	t.Run("an account without posts", c.empty)
	t.Run("failures", c.failures)
}

// numbers is a world with posts and the adapter as an analytics source.
type numbers struct {
	*world
	conn   *connection
	source analytics.Source
	terms  analytics.Terms
	landed []sandbox.Landing // newest first
}

// open creates a world with the given number of posts of the account, and one post of another account.
func (c Analytics) open(t *testing.T, posts int, l Less) *numbers {
	t.Helper()
	var there sandbox.Platform
	mount := func(core *sandbox.Sandbox) sandbox.Platform {
		there = c.Mount(core)
		return there
	}
	w := newWorld(t, Case{Platform: c.Platform, Mount: mount, Open: c.Open})
	n := &numbers{world: w}
	source, ok := w.open(t).(analytics.Source)
	if !ok {
		t.Fatal("the adapter reports no analytics")
	}
	if l.Change != nil {
		l.Change(there)
	}
	for i := range posts {
		n.land(t, c, c.As, i)
		w.clock.Step(apart)
	}
	n.land(t, c, "studio", posts)
	w.clock.Step(apart)
	for _, x := range w.core.Landed(c.Platform) {
		if x.Account == c.As {
			n.landed = append(n.landed, x)
		}
	}
	slices.SortStableFunc(n.landed, func(a, b sandbox.Landing) int { return b.At.Compare(a.At) })
	n.conn = n.grant(t, c.As, l.Withhold) // last, because tokens of some platforms expire within hours
	n.source, n.terms = source, source.Terms(n.conn.account)
	return n
}

// grant connects the account. When withhold is set, that scope is not granted.
func (n *numbers) grant(t *testing.T, as, withhold string) *connection {
	t.Helper()
	if withhold == "" {
		return n.connect(t, as)
	}
	p := n.world.open(t)
	known, _ := n.core.AccountByName(n.c.Platform, as)
	who := as
	if known.Owner != "" {
		who = known.Owner
	}
	a := publish.Authorization{State: "s", Verifier: verifier, RedirectURI: redirectURI}
	g, err := p.Exchange(t.Context(), n.approve(t, p, a, "&approve="+who+"&withhold="+withhold).Get("code"), a)
	if err != nil {
		t.Fatal("exchanging the code:", err)
	}
	if len(g.Lacking) > 0 {
		t.Errorf("publishing does not need %s, and %v is reported as lacking", withhold, g.Lacking)
	}
	i := slices.IndexFunc(g.Identities, func(i publish.Identity) bool { return i.ID == known.ID })
	if i < 0 {
		t.Fatalf("the grant has the identities %+v, want an account with the id %s", g.Identities, known.ID)
	}
	id := g.Identities[i]
	account := publish.Account{ID: id.ID, Username: id.Username, Type: id.Type, AccessToken: g.Tokens.AccessToken, Scopes: g.Tokens.Scopes}
	return &connection{name: as, tokens: g.Tokens, account: account}
}

// land creates a post directly on the sandbox, like a user of the platform's own app.
func (n *numbers) land(t *testing.T, c Analytics, as string, i int) {
	t.Helper()
	id := c.ID(i)
	err := n.core.Land(sandbox.Landing{
		Platform: c.Platform, Account: as, Kind: c.Kinds[i%len(c.Kinds)], Visibility: sandbox.Public, Title: fmt.Sprintf("Title %d", i),
		Caption: fmt.Sprintf("Post %d 🥖 & more", i), ID: id, URL: n.core.URL(c.Platform, "/shown/"+id),
	})
	if err != nil {
		t.Fatal(err)
	}
}

// list reads every page.
func (n *numbers) list(t *testing.T) []analytics.Post {
	t.Helper()
	var all []analytics.Post
	cursor, seen := "", map[string]bool{}
	for range 100 {
		page, err := n.source.Page(t.Context(), n.conn.account, cursor)
		if err != nil {
			t.Fatal("listing:", err)
		}
		all = append(all, page.Posts...)
		if page.Next == "" {
			return all
		}
		if seen[page.Next] {
			t.Fatalf("got the cursor %q twice", page.Next)
		}
		cursor = page.Next
		seen[cursor] = true
	}
	t.Fatal("the pages do not end")
	return nil
}

// bare returns the posts with only the fields that the publisher of a post knows, without metrics.
func (n *numbers) bare() []analytics.Post {
	var out []analytics.Post
	for _, l := range n.landed {
		out = append(out, analytics.Post{ID: l.ID, Caption: l.Caption, URL: l.URL, PostedAt: l.At.Truncate(time.Second)})
	}
	return out
}

// measure reads the metrics of posts, in batches as large as the terms allow.
func (n *numbers) measure(t *testing.T, posts []analytics.Post) (measured []analytics.Post, gone []string) {
	t.Helper()
	for part := range slices.Chunk(posts, n.terms.Batch) {
		m, g, err := n.source.Measure(t.Context(), n.conn.account, part)
		if err != nil {
			t.Fatal("measuring:", err)
		}
		measured, gone = append(measured, m...), append(gone, g...)
	}
	return measured, gone
}

// compareAll compares every total and metric that the adapter returns with the sandbox's.
func (c Analytics) compareAll(t *testing.T, l Less) {
	n := c.open(t, manyPosts, l)
	n.totals(t, l.Told, manyPosts)
	posts := n.bare()
	if l.Told.Post == nil {
		if n.terms.Lists || n.terms.Batch > 0 {
			t.Errorf("metrics of posts are not reported, and the terms are %+v", n.terms)
		}
		return
	}
	if n.terms.Lists {
		posts = n.list(t)
		n.order(t, posts)
	}
	known := map[string]analytics.Post{}
	var unmeasured []analytics.Post
	for _, p := range posts {
		if known[p.ID] = p; p.MeasuredAt.IsZero() {
			unmeasured = append(unmeasured, p)
		}
	}
	switch {
	case n.terms.Batch > 0:
		measured, gone := n.measure(t, unmeasured)
		if len(gone) > 0 || len(measured) != len(unmeasured) {
			t.Errorf("of %d posts %d were measured and %v are gone", len(unmeasured), len(measured), gone)
		}
		for _, p := range measured {
			known[p.ID] = p
		}
	case len(unmeasured) > 0:
		t.Errorf("pages contain all metrics, and %d posts were not measured", len(unmeasured))
	}
	n.compare(t, known, l.Told)
	if n.terms.Batch == 0 {
		return
	}
	// A second read from the publisher's fields alone returns the same metrics. After a day they have grown.
	n.clock.Step(24 * time.Hour)
	n.conn = n.grant(t, c.As, l.Withhold)
	measured, _ := n.measure(t, n.bare())
	known = map[string]analytics.Post{}
	for _, p := range measured {
		known[p.ID] = p
	}
	n.compare(t, known, l.Told)
}

// totals checks the totals of the account. A total that the platform does not report must be nil.
func (n *numbers) totals(t *testing.T, told Told, posts int64) {
	t.Helper()
	got, err := n.source.Totals(t.Context(), n.conn.account)
	if err != nil || got == nil {
		t.Fatalf("got totals %v, %v", got, err)
	}
	for _, x := range []struct {
		name string
		got  *int64
		told bool
	}{{"followers", got.Followers, told.Followers}, {"posts", got.Posts, told.Posts}, {"views", got.Views, told.Views}} {
		switch {
		case (x.got != nil) != x.told:
			t.Errorf("%s: got %s, reported: %v", x.name, shown(x.got), x.told)
		case x.got != nil && (*x.got < 0 || x.name == "posts" && *x.got != posts || x.name == "views" && posts > 0 && *x.got == 0):
			t.Errorf("%s: got %d, of %d posts", x.name, *x.got, posts)
		}
	}
	for _, d := range got.Changes {
		if _, err := time.Parse(time.DateOnly, d.Day); err != nil || d.Day > n.clock.Now().UTC().Format(time.DateOnly) {
			t.Errorf("got a change of followers on %q", d.Day)
		}
	}
}

// order checks a complete list: every public post of the account once, newest first, with the sandbox's fields.
func (n *numbers) order(t *testing.T, posts []analytics.Post) {
	t.Helper()
	var got, want []string
	for _, p := range posts {
		got = append(got, p.ID)
	}
	for _, l := range n.landed {
		want = append(want, l.ID)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatalf("listed (-want +got):\n%s", diff)
	}
	for i, p := range posts {
		l := n.landed[i]
		if !p.PostedAt.Equal(l.At.Truncate(time.Second)) || !strings.Contains(p.Title+" "+p.Caption, fmt.Sprintf("Post %d ", manyPosts-1-i)) || p.URL == "" {
			t.Errorf("listed %+v, want %+v", p, l)
		}
	}
}

// compare checks the metrics of all posts.
func (n *numbers) compare(t *testing.T, known map[string]analytics.Post, told Told) {
	t.Helper()
	now := n.clock.Now()
	if len(known) != len(n.landed) {
		t.Errorf("got %d posts, want %d", len(known), len(n.landed))
	}
	for _, l := range n.landed {
		p, ok := known[l.ID]
		if !ok {
			t.Errorf("no metrics of %s", l.ID)
			continue
		}
		if diff := cmp.Diff(told.Post(l, now), p.Numbers); diff != "" {
			t.Errorf("metrics of %s, %s old (-want +got):\n%s", l.ID, now.Sub(l.At), diff)
		}
		if !p.MeasuredAt.Equal(now) || p.PostedAt.IsZero() || p.URL == "" {
			t.Errorf("at %s: known metrics of %s: %+v", now, l.ID, p)
		}
	}
}

// gone deletes a post like its owner, and checks that the adapter omits it from lists and reports it as deleted.
func (c Analytics) gone(t *testing.T) {
	if c.Told.Post == nil {
		t.Skip("the platform reports no metrics of posts")
	}
	n := c.open(t, 4, Less{})
	before := n.bare()
	removed := n.landed[1].ID
	if err := n.core.Remove(c.Platform, removed); err != nil {
		t.Fatal(err)
	}
	if n.terms.Lists {
		var ids []string
		for _, p := range n.list(t) {
			ids = append(ids, p.ID)
		}
		if diff := cmp.Diff([]string{n.landed[0].ID, n.landed[2].ID, n.landed[3].ID}, ids); diff != "" {
			t.Errorf("listed (-want +got):\n%s", diff)
		}
	}
	if n.terms.Batch > 0 {
		measured, gone := n.measure(t, before)
		if len(measured) != 3 || !slices.Equal(gone, []string{removed}) {
			t.Errorf("%d posts were measured and %v are gone, want 3 and %s", len(measured), gone, removed)
		}
	}
}

// empty checks an account without posts.
func (c Analytics) empty(t *testing.T) {
	n := c.open(t, 0, Less{})
	told := c.Told
	n.totals(t, told, 0)
	if n.terms.Lists {
		if posts := n.list(t); len(posts) > 0 {
			t.Errorf("listed %+v", posts)
		}
	}
}

// failures injects each failure into every call of each read. The error must have the expected kind and contain no
// secret.
func (c Analytics) failures(t *testing.T) {
	n := c.open(t, 2, Less{})
	questions := map[string]func() error{
		"Totals": func() error { _, err := n.source.Totals(t.Context(), n.conn.account); return err },
	}
	if n.terms.Lists {
		questions["Page"] = func() error { _, err := n.source.Page(t.Context(), n.conn.account, ""); return err }
	}
	if n.terms.Batch > 0 {
		questions["Measure"] = func() error {
			_, _, err := n.source.Measure(t.Context(), n.conn.account, n.bare()[:1])
			return err
		}
	}
	for name, ask := range questions {
		before := len(n.core.Calls())
		if err := ask(); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		calls := n.core.Calls()[before:]
		if len(calls) == 0 {
			t.Errorf("%s makes no named call of the sandbox", name)
		}
		var tried []string
		for _, call := range calls {
			if slices.Contains(tried, call.Call) {
				continue
			}
			tried = append(tried, call.Call)
			for _, f := range failures {
				t.Run(name+"/"+call.Call+"/"+f.name, func(t *testing.T) { n.strike(t, call.Call, f, ask, slices.Contains(c.Optional, call.Call)) })
			}
		}
	}
}

type failure struct {
	name  string
	fault sandbox.Fault
	want  []publish.Kind
}

// failures are the failures injected into reads. They repeat until cleared, because a transport retries requests that
// only read.
var failures = []failure{
	{"dropped", sandbox.Fault{Do: sandbox.Drop, Times: -1}, []publish.Kind{publish.Transient}},
	{"cut", sandbox.Fault{Do: sandbox.Cut, When: sandbox.After, Times: -1}, []publish.Kind{publish.Transient}},
	{"500", sandbox.Fault{Do: sandbox.Status, Status: 500, Times: -1}, []publish.Kind{publish.Transient}},
	{"503", sandbox.Fault{Do: sandbox.Status, Status: 503, Times: -1}, []publish.Kind{publish.Transient}},
	{"429", sandbox.Fault{Do: sandbox.Status, Status: 429, RetryAfter: 90, Times: -1}, []publish.Kind{publish.RateLimited}},
	{"expired", sandbox.Fault{Do: sandbox.Expire, Times: -1}, []publish.Kind{publish.Unauthorized}},
	{"revoked", sandbox.Fault{Do: sandbox.Revoke, Times: -1}, []publish.Kind{publish.Unauthorized, publish.Auth}},
}

func (n *numbers) strike(t *testing.T, call string, f failure, ask func() error, optional bool) {
	defer func() {
		n.core.ClearFaults()
		n.conn.account.AccessToken = n.connect(t, n.conn.name).account.AccessToken
	}()
	f.fault.Platform, f.fault.Call = n.c.Platform, call
	if err := n.core.SetFaults(f.fault); err != nil {
		t.Fatal(err)
	}
	err := ask()
	token := slices.Contains(f.want, publish.Unauthorized)
	if err == nil && optional && !token {
		return
	}
	e := (*publish.Error)(nil)
	if !errors.As(err, &e) || !slices.Contains(f.want, e.Kind) {
		t.Fatalf("got %v, want the kind %v", err, f.want)
	}
	if e.Safe == "" || strings.Contains(e.Error()+e.Safe, n.conn.account.AccessToken) {
		t.Errorf("the error has no message for users, or contains a secret: %v", e)
	}
	if e.Kind == publish.RateLimited && e.RetryAfter != 90*time.Second {
		t.Errorf("got retry after %s, want 90 s", e.RetryAfter)
	}
}

func shown(n *int64) string {
	if n == nil {
		return "unknown"
	}
	return fmt.Sprint(*n)
}
