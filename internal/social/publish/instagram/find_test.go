// SPDX-License-Identifier: Apache-2.0

package instagram_test

import (
	"errors"
	"testing"
	"time"

	"github.com/reelops/reelops/internal/social/publish"
	"github.com/reelops/reelops/internal/social/sandbox"
	sandboxinstagram "github.com/reelops/reelops/internal/social/sandbox/instagram"
)

var lost = sandbox.Fault{Call: sandboxinstagram.CallPublish, Do: sandbox.Drop, When: sandbox.After}

// publishLost publishes with a lost response, and returns the note and the time of the call.
func (w *world) publishLost(a publish.Account, d publish.Draft) ([]byte, time.Time) {
	w.t.Helper()
	note := w.prepare(a, d)
	at := w.clock.Now()
	w.faults(lost)
	if _, err := w.p.Commit(w.t.Context(), a, d, note); publish.KindOf(err) != publish.Ambiguous {
		w.t.Fatalf("with a lost response: got %v", err)
	}
	return note, at
}

func TestFind_LostResponse(t *testing.T) {
	for name, draft := range map[string]func(*world) publish.Draft{
		"reel":              func(w *world) publish.Draft { return w.reel("Slow bread 🥖\n#bread") },
		"reel, no text":     func(w *world) publish.Draft { return w.reel("") },
		"one image":         func(w *world) publish.Draft { return w.photos("One", 1) },
		"carousel":          func(w *world) publish.Draft { return w.photos("Three", 3) },
		"carousel, no text": func(w *world) publish.Draft { return w.photos("", 2) },
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			a, _ := w.connect("maya")
			d := draft(w)
			note, at := w.publishLost(a, d)
			r, err := w.p.Find(t.Context(), a, d, note, at)
			if err != nil {
				t.Fatal(err)
			}
			l := w.core.Landed("instagram")
			if len(l) != 1 || r.View.PostID != l[0].ID || r.View.URL != l[0].URL || !r.View.Settled {
				t.Errorf("found %+v, want %+v", r.View, l)
			}
		})
	}
}

// A published post that the list does not contain yet counts as published. Its link is read later.
func TestFind_LaggingList(t *testing.T) {
	w := newWorld(t)
	b := sandboxinstagram.Usual
	b.ListLag = sandboxinstagram.Seconds(10 * time.Minute)
	w.there.Behave(b)
	a, _ := w.connect("maya")
	d := w.reel("Bread")
	note, at := w.publishLost(a, d)
	r, err := w.p.Find(t.Context(), a, d, note, at)
	if err != nil || r.View.State != "published" || r.View.PostID != "" || r.View.Settled {
		t.Fatalf("got %+v, %v", r, err)
	}
	v, err := w.p.Look(t.Context(), a, d, r.Handle)
	if err != nil || v.State != "published" || v.Settled {
		t.Fatalf("got %+v, %v", v, err)
	}
	w.clock.Step(11 * time.Minute)
	v, err = w.p.Look(t.Context(), a, d, r.Handle)
	if err != nil || v.PostID != w.core.Landed("instagram")[0].ID || !v.Settled {
		t.Errorf("got %+v, %v", v, err)
	}
}

// The wait for a link is bounded.
func TestLook_MissingLink(t *testing.T) {
	w := newWorld(t)
	b := sandboxinstagram.Usual
	b.ListLag = sandboxinstagram.Seconds(1000 * time.Hour)
	w.there.Behave(b)
	a, _ := w.connect("maya")
	d := w.reel("Bread")
	note, at := w.publishLost(a, d)
	r, err := w.p.Find(t.Context(), a, d, note, at)
	if err != nil {
		t.Fatal(err)
	}
	w.clock.Step(2 * time.Hour)
	if v, err := w.p.Look(t.Context(), a, d, r.Handle); err != nil || !v.Settled || v.State != "published" {
		t.Errorf("got %+v, %v", v, err)
	}
}

// after %v: got %v
func TestFind_LaggingStatus(t *testing.T) {
	w := newWorld(t)
	b := sandboxinstagram.Usual
	b.PublishedLag = sandboxinstagram.Seconds(10 * time.Minute)
	w.there.Behave(b)
	a, _ := w.connect("maya")
	d := w.reel("Bread")
	note, at := w.publishLost(a, d)
	for range 5 {
		w.clock.Step(time.Minute)
		if _, err := w.p.Find(t.Context(), a, d, note, at); !errors.Is(err, publish.ErrCannotTell) {
			t.Fatalf("after %v: %v", w.clock.Since(at), err)
		}
	}
	w.clock.Step(6 * time.Minute)
	r, err := w.p.Find(t.Context(), a, d, note, at)
	if err != nil || r.View.PostID != w.core.Landed("instagram")[0].ID {
		t.Errorf("got %+v, %v", r, err)
	}
}

// A post that was not published is reported as such after a while and two polls, with a read of the list between them.
func TestFind_PostWasNotPublished(t *testing.T) {
	w := newWorld(t)
	a, _ := w.connect("maya")
	d := w.reel("Bread")
	note := w.prepare(a, d)
	at := w.clock.Now()
	before := lost
	before.When = sandbox.Before
	w.faults(before)
	if _, err := w.p.Commit(t.Context(), a, d, note); publish.KindOf(err) != publish.Ambiguous {
		t.Fatal(err)
	}
	if _, err := w.p.Find(t.Context(), a, d, note, at); !errors.Is(err, publish.ErrCannotTell) {
		t.Fatalf("at once: got %v", err)
	}
	w.clock.Step(2 * time.Minute)
	looks, lists := w.calls(sandboxinstagram.CallStatus), w.calls(sandboxinstagram.CallList)
	if _, err := w.p.Find(t.Context(), a, d, note, at); !errors.Is(err, publish.ErrNotFound) {
		t.Fatalf("after two minutes: got %v", err)
	}
	if n, m := w.calls(sandboxinstagram.CallStatus)-looks, w.calls(sandboxinstagram.CallList)-lists; n != 2 || m != 1 {
		t.Errorf("got %d reads of the container and %d of the list", n, m)
	}
	// The same container is then published.
	s, err := w.p.Prepare(t.Context(), a, d, note, func([]byte) error { return nil })
	if err != nil || !s.Ready || w.calls(sandboxinstagram.CallCreate) != 1 {
		t.Fatalf("%+v, %v, %d containers", s, err, w.calls(sandboxinstagram.CallCreate))
	}
	if _, err := w.p.Commit(t.Context(), a, d, s.Note); err != nil || len(w.core.Landed("instagram")) != 1 {
		t.Errorf("%v, %d landed", err, len(w.core.Landed("instagram")))
	}
}

// Another post with the same text never matches a post that was not sent.
func TestFind_IgnoresDuplicates(t *testing.T) {
	w := newWorld(t)
	a, _ := w.connect("maya")
	d := w.reel("Bread")
	first, second := w.prepare(a, d), w.prepare(a, d)
	if _, err := w.p.Commit(t.Context(), a, d, first); err != nil {
		t.Fatal(err)
	}
	w.clock.Step(5 * time.Second)
	at := w.clock.Now()
	w.clock.Step(3 * time.Minute)
	if r, err := w.p.Find(t.Context(), a, d, second, at); !errors.Is(err, publish.ErrCannotTell) {
		t.Errorf("seconds after its duplicate: got %+v, %v", r, err)
	}
	if r, err := w.p.Find(t.Context(), a, d, second, at.Add(time.Minute)); !errors.Is(err, publish.ErrNotFound) {
		t.Errorf("long after its duplicate: got %+v, %v", r, err)
	}
	// Of two published posts, each is matched to its own attempt.
	if _, err := w.p.Commit(t.Context(), a, d, second); err != nil {
		t.Fatal(err)
	}
	landed := w.core.Landed("instagram")
	for i, note := range [][]byte{first, second} {
		if r, err := w.p.Find(t.Context(), a, d, note, landed[i].At); err != nil || r.View.PostID != landed[i].ID {
			t.Errorf("post %d: got %+v, %v", i, r, err)
		}
	}
}

func TestFind_WithoutContainer(t *testing.T) {
	w := newWorld(t)
	a, _ := w.connect("maya")
	d := w.reel("Bread")
	at := w.clock.Now()
	if _, err := w.p.Find(t.Context(), a, d, nil, at); !errors.Is(err, publish.ErrNotFound) {
		t.Errorf("without a preparation: got %v", err)
	}
	if _, err := w.p.Find(t.Context(), a, d, []byte("{"), at); !errors.Is(err, publish.ErrCannotTell) {
		t.Errorf("with an invalid note: got %v", err)
	}
	note := w.prepare(a, d)
	w.clock.Step(25 * time.Hour)
	if _, err := w.p.Find(t.Context(), a, d, note, at); !errors.Is(err, publish.ErrNotFound) {
		t.Errorf("with an expired container: got %v", err)
	}
	// A container that Instagram does not show proves nothing, unless the post exists.
	note, at = w.publishLost(a, d)
	f := sandbox.Fault{Call: sandboxinstagram.CallStatus, Do: sandbox.Status, Status: 400, Code: "24/2207006", Times: 1}
	w.faults(f)
	if r, err := w.p.Find(t.Context(), a, d, note, at); err != nil || r.View.PostID == "" || !r.Guess {
		t.Errorf("with the post: got %+v, %v", r, err)
	}
	if err := w.core.Remove("instagram", w.core.Landed("instagram")[0].ID); err != nil {
		t.Fatal(err)
	}
	w.faults(f)
	if r, err := w.p.Find(t.Context(), a, d, note, at); !errors.Is(err, publish.ErrCannotTell) {
		t.Errorf("without the post: got %+v, %v", r, err)
	}
}

// A container that is already published is never published again, regardless of the effect of a second call.
func TestPrepare_PublishedContainerIsNotSentAgain(t *testing.T) {
	w := newWorld(t)
	b := sandboxinstagram.Usual
	b.SecondPublish = sandboxinstagram.SecondDuplicate
	w.there.Behave(b)
	a, _ := w.connect("maya")
	d := w.reel("Bread")
	note, _ := w.publishLost(a, d)
	if _, err := w.p.Prepare(t.Context(), a, d, note, func([]byte) error { return nil }); publish.KindOf(err) != publish.Ambiguous {
		t.Errorf("prepared again: got %v", err)
	}
	if n := len(w.core.Landed("instagram")); n != 1 {
		t.Errorf("got %d posts", n)
	}
	// If Instagram rejects a second call, this does not prove that no post exists.
	b.SecondPublish = sandboxinstagram.SecondRefused
	w.there.Behave(b)
	if _, err := w.p.Commit(t.Context(), a, d, note); publish.KindOf(err) != publish.Ambiguous {
		t.Errorf("published again: got %v", err)
	}
}

// A post with another text or of another kind does not match, even if it was published at the same time.
func TestFind_ByTextAndKind(t *testing.T) {
	w := newWorld(t)
	a, _ := w.connect("maya")
	mine, words, kind := w.reel("Bread"), w.reel("Cake"), w.photos("Bread", 1)
	notes := [][]byte{w.prepare(a, mine), w.prepare(a, words), w.prepare(a, kind)}
	at := w.clock.Now()
	for i, d := range []publish.Draft{mine, words, kind} {
		if _, err := w.p.Commit(t.Context(), a, d, notes[i]); err != nil {
			t.Fatal(err)
		}
	}
	r, err := w.p.Find(t.Context(), a, mine, notes[0], at)
	if err != nil || r.View.PostID != w.core.Landed("instagram")[0].ID {
		t.Errorf("got %+v, %v", r, err)
	}
}
