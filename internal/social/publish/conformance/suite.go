// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/social/publish"
	"github.com/reelops/reelops/internal/social/sandbox"
)

// Run runs the whole suite.
func Run(t *testing.T, c Case) {
	t.Helper()
	t.Run("connecting", func(t *testing.T) { connecting(t, c) })
	for _, p := range c.paths() {
		t.Run(p.String(), func(t *testing.T) { newWorld(t, c).way(t, p) })
	}
	t.Run("choices", func(t *testing.T) { choices(t, c) })
	t.Run("errors", func(t *testing.T) { everyError(t, c) })
}

// way tests one way of publishing: first without failures, then with every failure injected into every call.
func (w *world) way(t *testing.T, p path) {
	conn := w.connect(t, p.as)
	if err := w.core.Reset(); err != nil {
		t.Fatal(err)
	}
	var steps []step
	if !t.Run("clean", func(t *testing.T) { steps = w.clean(t, p, conn) }) {
		return
	}
	t.Run("twins", func(t *testing.T) { w.twins(t, p, conn) })
	t.Run("processing", func(t *testing.T) { w.processing(t, p, conn) })
	kinds := strikes
	if p.large {
		kinds = heavy
	}
	cells := 0
	for _, s := range steps {
		for _, k := range kinds {
			t.Run(s.String()+"/"+k.name, func(t *testing.T) { w.cell(t, p, conn, s, k) })
			cells++
		}
	}
	cells += w.recovering(t, p, conn, steps)
	t.Run("unsent attempt", func(t *testing.T) { w.unsent(t, p, conn) })
	t.Run("receipt lost", func(t *testing.T) { w.receiptLost(t, p, conn) })
	t.Run("token revoked and connected again", func(t *testing.T) { w.revoked(t, p, conn, steps) })
	t.Logf("got %d calls, %d failures injected into them and into the recovery calls", len(steps), cells)
}

// begin returns a driver for a new draft, and the expected landed post.
func (w *world) begin(t *testing.T, p path, conn *connection, key string) (*driver, landed) {
	t.Helper()
	d, want := w.draft(t, p, key)
	return &driver{w: w, t: t, p: w.open(t), conn: conn, draft: d, ctx: t.Context()}, want
}

func (w *world) reset(t *testing.T) {
	t.Helper()
	w.strikes(nil)
	if err := w.core.Reset(); err != nil {
		t.Fatal(err)
	}
	w.core.ClearFaults()
	// Reset has also cleared the daily counters. Only a minute passes, so that tokens stay fresh enough.
	w.clock.Step(time.Minute)
}

// step is one call of a clean run: the nth call of its name.
type step struct {
	call string
	nth  int
}

func (s step) String() string {
	if s.nth == 1 {
		return s.call
	}
	return s.call + "#" + string(rune('0'+min(s.nth, 9)))
}

// clean publishes once without failures, and returns the calls of the run.
func (w *world) clean(t *testing.T, p path, conn *connection) []step {
	w.reset(t)
	d, want := w.begin(t, p, conn, "clean")
	o := d.run()
	w.judge(t, d, o, want)
	if len(d.errs) > 0 {
		t.Errorf("got errors: %v", d.errs)
	}
	if t.Failed() {
		return nil
	}
	steps := w.steps()
	// A second poll must not change the state.
	if v, err := d.p.Look(t.Context(), conn.account, d.draft, d.record.receipt.Handle); err != nil || v.State != o.view.State {
		t.Errorf("a second poll returned %+v, %v", v, err)
	}
	if r, err := d.p.Find(t.Context(), conn.account, d.draft, d.record.note, w.clock.Now().Add(-time.Hour)); err == nil && r.Handle == "" {
		t.Error("Find returned no handle")
	}
	if h, err := d.p.Headroom(t.Context(), conn.account); err != nil || h != nil && (h.Max < h.Used || h.Window <= 0) {
		t.Errorf("got headroom %+v, %v", h, err)
	}
	return steps
}

// steps returns the calls since the last reset. Of several calls of the same name, it returns the first two and the
// last.
func (w *world) steps() []step {
	count, total := map[string]int{}, map[string]int{}
	calls := w.core.Calls()
	for _, c := range calls {
		total[c.Call]++
	}
	var out []step
	for _, c := range calls {
		count[c.Call]++
		if n := count[c.Call]; n <= 2 || n == total[c.Call] {
			out = append(out, step{call: c.Call, nth: n})
		}
	}
	return out
}

// judge checks the outcome against the posts that were published on the sandbox.
func (w *world) judge(t *testing.T, d *driver, o outcome, want landed) {
	t.Helper()
	seen := w.visible(d.draft)
	if len(seen) > 1 {
		t.Fatalf("published %d times, by %d commits: %s at %s and %s at %s", len(seen), d.commits, seen[0].ID, seen[0].At, seen[1].ID, seen[1].At)
	}
	if o.unknown {
		if !d.mayNotTell(w.c.CannotTell) {
			t.Errorf("the adapter returned ErrCannotTell, which is not allowed here; %d posts; errors: %v", len(seen), d.errs)
		}
		return
	}
	if o.failed != nil {
		t.Errorf("ended with %v; errors: %v", o, d.errs)
		return
	}
	if len(seen) == 0 {
		t.Errorf("got %v without a post", o)
		return
	}
	w.same(t, d, o, seen[0], want)
}

// same compares a landed post with the draft and with the status that the adapter returned.
func (w *world) same(t *testing.T, d *driver, o outcome, l sandbox.Landing, want landed) {
	t.Helper()
	if l.Account != d.conn.name || l.Kind != d.draft.Kind || l.Mode != d.draft.Mode {
		t.Errorf("published as %s %s of %s, want %s %s of %s", l.Mode, l.Kind, l.Account, d.draft.Mode, d.draft.Kind, d.conn.name)
	}
	got := landed{title: l.Title, caption: l.Caption, sum: l.SHA256, bytes: l.Bytes}
	for _, f := range l.Files {
		got.photos = append(got.photos, f.SHA256)
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(landed{})); diff != "" {
		t.Errorf("the published post differs (-want +got):\n%s", diff)
	}
	state := v1beta1.DeliveryState("published")
	switch l.Visibility {
	case sandbox.Inbox:
		state = "in_inbox"
	case sandbox.Private:
		state = "private"
	}
	if o.view.State != state {
		t.Errorf("the post is %s, the adapter reports %s", l.Visibility, o.view.State)
	}
	if l.Visibility == sandbox.Public && (o.view.PostID != l.ID || o.view.URL != l.URL) {
		t.Errorf("the post is %s at %s, the adapter reports %s at %s", l.ID, l.URL, o.view.PostID, o.view.URL)
	}
	if l.Visibility == sandbox.Public && !o.view.PublishedAt.IsZero() && o.view.PublishedAt.Sub(l.At).Abs() > 10*time.Minute {
		t.Errorf("published at %s, the adapter reports %s", l.At, o.view.PublishedAt)
	}
}

func (d *driver) mayNotTell(calls []string) bool {
	return slices.ContainsFunc(d.w.core.Calls(), func(c sandbox.CallRecord) bool { return c.Fault != "" && slices.Contains(calls, c.Call) }) ||
		len(calls) > 0 && (d.beforeCommit != nil || d.afterCommit != nil)
}

// unsent ends the process after the attempt was recorded and before anything was sent.
func (w *world) unsent(t *testing.T, p path, conn *connection) {
	w.reset(t)
	d, want := w.begin(t, p, conn, "unsent")
	died := false
	d.beforeCommit = func() bool {
		first := !died
		died = true
		return first
	}
	w.judge(t, d, d.run(), want)
}

// receiptLost ends the process after the platform's response and before the receipt was recorded.
func (w *world) receiptLost(t *testing.T, p path, conn *connection) {
	w.reset(t)
	d, want := w.begin(t, p, conn, "receipt lost")
	died := false
	d.afterCommit = func() bool {
		first := !died
		died = true
		return first
	}
	w.judge(t, d, d.run(), want)
}

// twins publishes two posts with the same texts and media. The adapter must never report the first post as the
// second.
func (w *world) twins(t *testing.T, p path, conn *connection) {
	w.reset(t)
	first, want := w.begin(t, p, conn, "first twin")
	o := first.run()
	w.judge(t, first, o, want)
	if t.Failed() || o.view == nil {
		return
	}
	w.clock.Step(20 * time.Minute)
	second, _ := w.begin(t, p, conn, "second twin")
	second.others = 1
	died := false
	second.beforeCommit = func() bool {
		if died {
			return false
		}
		died = true
		return true
	}
	two := second.run()
	seen := w.visible(second.draft)
	if len(seen) > 2 {
		t.Errorf("got %d posts", len(seen))
	}
	if two.view != nil && two.failed == nil && len(seen) < 2 {
		t.Errorf("the second of two equal posts was never sent, and the adapter reports the first one: %v", two)
	}
}

// processing makes the platform fail or reject the media, once and permanently.
func (w *world) processing(t *testing.T, p path, conn *connection) {
	for _, do := range []string{sandbox.Fail, sandbox.Reject} {
		for name, times := range map[string]int{"once": 1, "always": -1} {
			t.Run(do+" "+name, func(t *testing.T) {
				w.reset(t)
				if err := w.core.SetFaults(sandbox.Fault{Platform: w.c.Platform, Call: sandbox.CallProcessing, Do: do, Times: times}); err != nil {
					t.Fatal(err)
				}
				d, want := w.begin(t, p, conn, do)
				o := d.run()
				seen := w.visible(d.draft)
				switch {
				case o.unknown || len(seen) > 1:
					t.Errorf("got %v, and %d posts", o, len(seen))
				case len(seen) == 1 && o.failed == nil:
					w.judge(t, d, o, want) // retried, or the platform does not process this media kind
				case len(seen) != 0 || o.failed == nil:
					t.Errorf("got %v, and %d posts", o, len(seen))
				}
				if times < 0 && do == sandbox.Reject && o.failed != nil && o.failed.Kind != publish.Rejected {
					t.Errorf("rejected by moderation and reported as %v", o.failed)
				}
			})
		}
	}
}

// revoked revokes the permission at every call. After the user connects again, the post must be published once.
func (w *world) revoked(t *testing.T, p path, conn *connection, steps []step) {
	for _, s := range steps {
		t.Run(s.String(), func(t *testing.T) {
			w.reset(t)
			fault := sandbox.Fault{Platform: w.c.Platform, Call: s.call, Skip: s.nth - 1, Do: sandbox.Revoke}
			if err := w.core.SetFaults(fault); err != nil {
				t.Fatal(err)
			}
			d, want := w.begin(t, p, conn, "revoked")
			again := 0
			d.revoked = func() *connection {
				again++
				*conn = *w.connect(t, conn.name)
				return conn
			}
			o := d.run()
			w.judge(t, d, o, want)
			if again > 1 {
				t.Errorf("the user had to reconnect %d times", again)
			}
			if again == 0 { // the last call needed no token, but the next post needs one
				*conn = *w.connect(t, conn.name)
			}
		})
	}
}

// everyError checks the table of errors, and that the table covers every kind.
func everyError(t *testing.T, c Case) {
	w := newWorld(t, c)
	conn := w.connect(t, c.paths()[0].as)
	shown := map[publish.Kind]bool{
		// Covered by failures injected into every call, and by expiring tokens.
		publish.Ambiguous: true, publish.Unauthorized: true, publish.Auth: true,
	}
	for _, e := range c.Errors {
		shown[e.Want] = true
		t.Run(e.Name, func(t *testing.T) { w.oneError(t, conn, e) })
	}
	for _, k := range []publish.Kind{
		publish.Transient, publish.RateLimited, publish.Unauthorized, publish.Auth, publish.Scope, publish.Rejected, publish.Expired,
		publish.Misconfigured, publish.Ambiguous,
	} {
		if !shown[k] && !slices.Contains(c.Never, k) {
			t.Errorf("no error of the table has the kind %s", k)
		}
	}
}

func (w *world) oneError(t *testing.T, conn *connection, e Error) {
	w.reset(t)
	p := path{as: conn.name, kind: catalog.MediaVideo, mode: w.c.rule().PostingModes[0]}
	if slices.Contains(w.c.rule().PostingModes, catalog.PostDirect) {
		p.mode = catalog.PostDirect
	}
	if e.Kind != "" {
		p.kind = e.Kind
	}
	if e.Mode != "" {
		p.mode = e.Mode
	}
	if f := e.Fault; f.Call != "" {
		f.Platform = w.c.Platform
		if f.Times == 0 {
			f.Times = -1
		}
		if err := w.core.SetFaults(f); err != nil {
			t.Fatal(err)
		}
	}
	d, _ := w.begin(t, p, conn, "error")
	if e.Change != nil {
		e.Change(&d.draft)
	}
	got := d.first()
	if got == nil {
		t.Fatalf("publishing returned no error; posts: %d", len(w.visible(d.draft)))
	}
	if got.Kind != e.Want || e.Catalog != "" && got.CatalogCode != e.Catalog {
		t.Errorf("got %v (catalog %q), want the kind %s (catalog %q)", got, got.CatalogCode, e.Want, e.Catalog)
	}
	if got.Kind != publish.Ambiguous && len(w.visible(d.draft)) > 0 {
		t.Errorf("got %v, and a post was published", got)
	}
	if e.Fault.RetryAfter > 0 && got.RetryAfter != time.Duration(e.Fault.RetryAfter)*time.Second && got.ResetsAt.IsZero() {
		t.Errorf("the platform sent a retry time, the error has %v", got.RetryAfter)
	}
	if e.Check != nil {
		e.Check(t, got)
	}
}

// first publishes until the first error and returns it; nil without an error.
func (d *driver) first() *publish.Error {
	ctx, cancel := context.WithCancel(d.ctx)
	defer cancel()
	for range maxCalls {
		step, err := d.p.Prepare(ctx, d.conn.account, d.draft, d.record.note, func(note []byte) error {
			d.record.note = note
			return nil
		})
		if err != nil {
			return d.classified("Prepare", err)
		}
		d.record.note = step.Note
		if !step.Ready {
			d.w.clock.Step(max(step.Wait, time.Second))
			continue
		}
		receipt, err := d.p.Commit(ctx, d.conn.account, d.draft, step.Note)
		if err != nil {
			return d.classified("Commit", err)
		}
		d.accept(receipt)
		view, err := d.look()
		if err != nil {
			return d.classified("Look", err)
		}
		return view.Failed
	}
	return nil
}

func (d *driver) classified(call string, err error) *publish.Error {
	e := d.saw(err)
	if e == nil {
		d.t.Fatalf("%s failed with an error without a kind: %v", call, err)
	}
	return e
}
