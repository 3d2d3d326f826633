// SPDX-License-Identifier: Apache-2.0

package instagram_test

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/reelops/reelops/internal/social/publish"
	"github.com/reelops/reelops/internal/social/sandbox"
	sandboxinstagram "github.com/reelops/reelops/internal/social/sandbox/instagram"
)

func TestHeadroom(t *testing.T) {
	w := newWorld(t)
	b := sandboxinstagram.Usual
	b.QuotaTotal = 2
	w.there.Behave(b)
	a, _ := w.connect("maya")
	headroom := func(want publish.Headroom) {
		t.Helper()
		got, err := w.p.Headroom(t.Context(), a)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, *got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
	const day = 24 * time.Hour
	headroom(publish.Headroom{Max: 2, Window: day})
	var first time.Time
	for i := range 2 {
		d := w.photos("Bread", 1)
		note := w.prepare(a, d)
		if _, err := w.p.Commit(t.Context(), a, d, note); err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			first = w.clock.Now().Truncate(time.Second)
		}
		w.clock.Step(time.Hour)
	}
	// The window is rolling: a place becomes free a day after the oldest post, not at midnight.
	headroom(publish.Headroom{Used: 2, Max: 2, Window: day, Limited: true, ResetsAt: first.Add(day)})
	d := w.photos("Bread", 1)
	note := w.prepare(a, d)
	var refused *publish.Error
	if _, err := w.p.Commit(t.Context(), a, d, note); !errors.As(err, &refused) || refused.Kind != publish.RateLimited || !refused.ResetsAt.Equal(first.Add(day)) {
		t.Errorf("above the limit: got %v until %v", err, refused.ResetsAt)
	}
	w.clock.Step(22*time.Hour + time.Minute)
	headroom(publish.Headroom{Used: 1, Max: 2, Window: day})
	if n := len(w.core.Landed("instagram")); n != 2 {
		t.Errorf("got %d posts", n)
	}
}

// A new post may not be visible everywhere yet. An older post that is not visible was removed.
func TestLook_RemovedPost(t *testing.T) {
	w := newWorld(t)
	a, _ := w.connect("maya")
	d := w.reel("Bread")
	r, err := w.p.Commit(t.Context(), a, d, w.prepare(a, d))
	if err != nil {
		t.Fatal(err)
	}
	if r.View.State != "published" || r.View.Settled || r.View.PostID == "" {
		t.Errorf("got %+v", r.View)
	}
	if err := w.core.Remove("instagram", r.View.PostID); err != nil {
		t.Fatal(err)
	}
	if v, err := w.p.Look(t.Context(), a, d, r.Handle); err != nil || v.Settled || v.PostID != r.View.PostID {
		t.Errorf("at once: got %+v, %v", v, err)
	}
	w.clock.Step(10 * time.Minute)
	if v, err := w.p.Look(t.Context(), a, d, r.Handle); !errors.Is(err, publish.ErrNotFound) {
		t.Errorf("after ten minutes: got %+v, %v", v, err)
	}
}

// An account that Instagram does not show to the app must be reconnected, for every call.
func TestCalls_AccountIsNotShown(t *testing.T) {
	w := newWorld(t)
	a, _ := w.connect("maya")
	d := w.reel("Bread")
	note := w.prepare(a, d)
	for call, ask := range map[string]func() error{
		sandboxinstagram.CallMe:      func() error { _, err := w.p.Identify(t.Context(), a); return err },
		sandboxinstagram.CallLimit:   func() error { _, err := w.p.Headroom(t.Context(), a); return err },
		sandboxinstagram.CallCreate:  func() error { _, err := w.p.Prepare(t.Context(), a, d, nil, never); return err },
		sandboxinstagram.CallPublish: func() error { _, err := w.p.Commit(t.Context(), a, d, note); return err },
		sandboxinstagram.CallList:    func() error { _, err := w.p.Find(t.Context(), a, d, note, w.clock.Now()); return err },
	} {
		w.faults(sandbox.Fault{Call: call, Do: sandbox.Status, Status: 400, Code: "100/33"})
		err := ask()
		var e *publish.Error
		if !errors.As(err, &e) || e.Kind != publish.Auth || e.Revoked {
			t.Errorf("%s: got %v, want the kind %s", call, err, publish.Auth)
		}
	}
	if n := len(w.core.Landed("instagram")); n != 0 {
		t.Errorf("got %d posts", n)
	}
}
