// SPDX-License-Identifier: Apache-2.0

package linkedin_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/reelops/reelops/internal/social/publish"
	"github.com/reelops/reelops/internal/social/sandbox"
	stand "github.com/reelops/reelops/internal/social/sandbox/linkedin"
)

// The response to the last call is lost. A page's post is found by its upload; a member's post cannot be read.
func TestFind_LostResponse(t *testing.T) {
	for _, landed := range []bool{true, false} {
		for _, member := range []bool{false, true} {
			r := newRig(t)
			a, when := r.acme, map[bool]string{true: sandbox.After, false: sandbox.Before}[landed]
			if member {
				a = r.maya
			}
			d := r.film(0)
			note := r.prepared(a, d)
			r.fault(sandbox.Fault{Call: "posts.create", Do: sandbox.Drop, When: when})
			at := r.clock.Now()
			_, err := r.Commit(t.Context(), a, d, note)
			kind(t, err, publish.Ambiguous)
			r.clock.Step(30 * time.Second)
			early, err := r.Find(t.Context(), a, d, note, at)
			r.clock.Step(90 * time.Second)
			late, lateErr := r.Find(t.Context(), a, d, note, at)
			switch {
			case member:
				if !errors.Is(err, publish.ErrCannotTell) || !errors.Is(lateErr, publish.ErrCannotTell) {
					t.Errorf("post of a member, published %v: got %v, then %v", landed, err, lateErr)
				}
			case landed:
				if err != nil || lateErr != nil || early.Handle != r.one().ID || late.View.URL != r.one().URL || !late.View.Settled {
					t.Errorf("published post of a page: got %+v, %v, then %+v, %v", early, err, late, lateErr)
				}
			default:
				if !errors.Is(err, publish.ErrCannotTell) || !errors.Is(lateErr, publish.ErrNotFound) {
					t.Errorf("unpublished post of a page: got %v, then %v", err, lateErr)
				}
			}
		}
	}
}

// The list of a page is searched back to the attempt, even if many posts follow it.
func TestFind_AmongManyPosts(t *testing.T) {
	r := newRig(t)
	d := r.photos(1)
	note := r.prepared(r.acme, d)
	at := r.clock.Now()
	r.fault(sandbox.Fault{Call: "posts.create", Do: sandbox.Drop, When: sandbox.After})
	_, err := r.Commit(t.Context(), r.acme, d, note)
	kind(t, err, publish.Ambiguous)
	mine := r.one().ID
	other := r.prepared(r.acme, d)
	for range 60 {
		if _, err := r.Commit(t.Context(), r.acme, d, other); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := r.Find(t.Context(), r.acme, d, note, at); err != nil || got.Handle != mine {
		t.Errorf("got %+v, %v, want %s", got, err, mine)
	}
	if n := r.calls("posts.find"); n != 2 {
		t.Errorf("got %d calls", n)
	}
	// Posts that are older than the attempt are not searched.
	unsent := r.prepared(r.acme, d)
	r.clock.Step(24 * time.Hour)
	at = r.clock.Now()
	r.clock.Step(2 * time.Minute)
	if _, err := r.Find(t.Context(), r.acme, d, unsent, at); !errors.Is(err, publish.ErrNotFound) || r.calls("posts.find") != 3 {
		t.Errorf("got %v after %d calls", err, r.calls("posts.find"))
	}
}

// A page without the scope for reading is treated like a member.
func TestFind_WithoutTheReadScope(t *testing.T) {
	r := newRig(t)
	d := r.photos(1)
	note := r.prepared(r.acme, d)
	r.acme.Scopes = []string{"w_organization_social"}
	if _, err := r.Find(t.Context(), r.acme, d, note, r.clock.Now().Add(-time.Hour)); !errors.Is(err, publish.ErrCannotTell) {
		t.Errorf("got %v", err)
	}
	if v, err := r.Look(t.Context(), r.acme, d, "urn:li:share:1"); err != nil || !v.Settled || v.PostID != "urn:li:share:1" {
		t.Errorf("got %+v, %v", v, err)
	}
}

// A failed list call does not determine whether the post exists.
func TestFind_ListFails(t *testing.T) {
	r := newRig(t)
	d := r.photos(1)
	note := r.prepared(r.acme, d)
	at := r.clock.Now()
	r.clock.Step(time.Hour)
	for _, status := range []int{401, 403, 404, 429, 500} {
		r.fault(sandbox.Fault{Call: "posts.find", Do: sandbox.Status, Status: status})
		if _, err := r.Find(t.Context(), r.acme, d, note, at); err == nil || errors.Is(err, publish.ErrNotFound) {
			t.Errorf("%d: got %v", status, err)
		}
	}
}

// The error names a duplicate that is not listed yet: it is our own post.
func TestCommit_DuplicateOfItself(t *testing.T) {
	r := newRig(t)
	r.stand.SetRules(stand.Rules{Duplicates: time.Hour, Lag: 5 * time.Minute})
	d := r.film(0)
	note := r.prepared(r.acme, d)
	r.fault(sandbox.Fault{Call: "posts.create", Do: sandbox.Drop, When: sandbox.After})
	at := r.clock.Now()
	_, err := r.Commit(t.Context(), r.acme, d, note)
	kind(t, err, publish.Ambiguous)
	r.clock.Step(3 * time.Minute)
	if _, err := r.Find(t.Context(), r.acme, d, note, at); !errors.Is(err, publish.ErrNotFound) {
		t.Fatalf("the list contains the post already: %v", err)
	}
	got, err := r.Commit(t.Context(), r.acme, d, note)
	if err != nil || got.Handle != r.one().ID || !got.View.PublishedAt.Equal(at) {
		t.Errorf("got %+v, %v", got, err)
	}
}

// The error names a duplicate that is another post. If that post cannot be read, the outcome is unknown.
func TestCommit_DuplicateOfAnotherPost(t *testing.T) {
	r := newRig(t)
	r.stand.SetRules(stand.Rules{Duplicates: time.Hour})
	d := r.film(0)
	for _, a := range []publish.Account{r.acme, r.maya} {
		if _, err := r.Commit(t.Context(), a, d, r.prepared(a, d)); err != nil {
			t.Fatal(err)
		}
		note := r.prepared(a, d)
		_, err := r.Commit(t.Context(), a, d, note)
		kind(t, err, publish.Rejected)
	}
	r.fault(sandbox.Fault{Call: "posts.get", Do: sandbox.Status, Status: 500})
	_, err := r.Commit(t.Context(), r.acme, d, r.prepared(r.acme, d))
	kind(t, err, publish.Ambiguous)
	r.clock.Step(time.Hour)
	if _, err := r.Commit(t.Context(), r.acme, d, r.prepared(r.acme, d)); err != nil {
		t.Error("after the window:", err)
	}
}

// A response without an id means that the post was published. A page's list shows the id later.
func TestCommit_ResponseWithoutID(t *testing.T) {
	r := newRig(t)
	r.stand.SetRules(stand.Rules{NoID: true, Lag: time.Minute})
	d := r.photos(2)
	got, err := r.Commit(t.Context(), r.maya, d, r.prepared(r.maya, d))
	if err != nil || !got.View.Settled || got.View.State != "published" || got.View.URL != "" {
		t.Errorf("post of a member: commit got %+v, %v", got, err)
	}
	if v, err := r.Look(t.Context(), r.maya, d, got.Handle); err != nil || !v.Settled || v.State != "published" {
		t.Errorf("post of a member: look got %+v, %v", v, err)
	}
	if got, err = r.Commit(t.Context(), r.acme, d, r.prepared(r.acme, d)); err != nil || got.View.Settled {
		t.Fatalf("post of a page: got %+v, %v", got, err)
	}
	v, err := r.Look(t.Context(), r.acme, d, got.Handle)
	if err != nil || v.Settled || v.State != "published" || v.Wait == 0 {
		t.Errorf("before it is listed: got %+v, %v", v, err)
	}
	r.clock.Step(time.Minute)
	if v, err = r.Look(t.Context(), r.acme, d, got.Handle); err != nil || !v.Settled || v.PostID != r.core.Landed("linkedin")[1].ID {
		t.Errorf("after it is listed: got %+v, %v", v, err)
	}
}

// A deleted post of a page is reported as deleted. For a member's post this cannot be determined.
func TestLook_DeletedPost(t *testing.T) {
	r := newRig(t)
	d := r.photos(2)
	for _, a := range []publish.Account{r.acme, r.maya} {
		got, err := r.Commit(t.Context(), a, d, r.prepared(a, d))
		if err != nil {
			t.Fatal(err)
		}
		if v, err := r.Look(t.Context(), a, d, got.Handle); err != nil || !v.Settled || v.URL != got.View.URL {
			t.Errorf("got %+v, %v", v, err)
		}
		r.stand.Delete(got.Handle)
		_, err = r.Look(t.Context(), a, d, got.Handle)
		if page := a.ID == r.acme.ID; page != errors.Is(err, publish.ErrNotFound) {
			t.Errorf("page %v: got %v", page, err)
		}
	}
}

// LinkedIn counts the text with its escapes. A text that is too long only with escapes is reported as a caption that
// is too long.
func TestCommit_EscapesMakeTheTextTooLong(t *testing.T) {
	r := newRig(t)
	d := r.photos(1)
	d.Caption = strings.Repeat("(", 1501)
	_, err := r.Commit(t.Context(), r.acme, d, r.prepared(r.acme, d))
	kind(t, err, publish.Rejected)
	if e := asError(err); e != nil && (e.CatalogCode != "caption_too_long" || !strings.Contains(e.Safe, "3002")) {
		t.Errorf("got catalog code %q, message %q", e.CatalogCode, e.Safe)
	}
	if n := len(r.core.Landed("linkedin")); n != 0 {
		t.Errorf("got %d posts landed", n)
	}
}

// LinkedIn may reject files for some moments after it processed them. One such error is retried once; later ones mean
// that a permission is missing.
func TestCommit_ForbiddenRightAfterTheUpload(t *testing.T) {
	r := newRig(t)
	d := r.film(0)
	note := r.prepared(r.acme, d)
	forbidden := sandbox.Fault{Call: "posts.create", Do: sandbox.Status, Status: 403}
	r.fault(forbidden)
	_, err := r.Commit(t.Context(), r.acme, d, note)
	kind(t, err, publish.Transient)
	r.clock.Step(time.Minute)
	r.fault(forbidden)
	_, err = r.Commit(t.Context(), r.acme, d, note)
	kind(t, err, publish.Scope)
	if _, err := r.Commit(t.Context(), r.acme, d, note); err != nil || r.one().Account != "acme" {
		t.Error(err)
	}
	// A note of an earlier release lacks the time, so its upload does not count as new.
	old := strings.Replace(string(note), `"ready_at"`, `"unknown"`, 1)
	r.fault(forbidden)
	_, err = r.Commit(t.Context(), r.acme, d, []byte(old))
	kind(t, err, publish.Scope)
}

// A role that may not upload videos for the page is reported immediately, with a message that names it.
func TestPrepare_ForbiddenUpload(t *testing.T) {
	r := newRig(t)
	r.fault(sandbox.Fault{Call: "videos.initializeUpload", Do: sandbox.Status, Status: 403, Code: "RESOURCE_FORBIDDEN"})
	_, err := r.Prepare(t.Context(), r.acme, r.film(0), nil, unsaved)
	kind(t, err, publish.Scope)
	if e := asError(err); e != nil && !strings.Contains(e.Safe, "administrator") {
		t.Errorf("got message %q", e.Safe)
	}
}
