// SPDX-License-Identifier: Apache-2.0

package youtube

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/social/publish"
	"github.com/reelops/reelops/internal/social/sandbox"
	stand "github.com/reelops/reelops/internal/social/sandbox/youtube"
)

// Changes that a user makes in YouTube Studio between the upload and the publication are kept.
func TestCommit_KeepsOtherChanges(t *testing.T) {
	r := newRig(t)
	d := draft(newMedia(aFilm(t, mib)), "a")
	r.ready(d)
	id := r.youtube.Videos()[0].ID
	if !r.youtube.Edit(id, true, "creativeCommon") {
		t.Fatal("no such video")
	}
	rec := r.commit(d)
	v := r.youtube.Videos()[0]
	if v.Privacy != "public" || !v.ForKids || v.License != "creativeCommon" || v.Title != "Bread & ‹butter›" || v.Description != "Five steps\n#bread" || len(v.Tags) != 2 || v.Category != "22" {
		t.Errorf("got video %+v", v)
	}
	if rec.Handle != id || rec.View == nil || rec.View.State != v1beta1.DeliveryPublished || !rec.View.Settled || rec.View.URL != r.core.URL("youtube", "/shorts/"+id) {
		t.Errorf("got receipt %+v, view %+v", rec, rec.View)
	}
	// A second commit changes nothing and sends no update.
	r.wire.clear()
	again := r.commit(d)
	if again.Handle != id || len(r.wire.lines) != 1 || len(r.core.Landed("youtube")) != 1 {
		t.Errorf("second commit: got %+v, %v", again, r.wire.lines)
	}
}

func TestCommit_DraftStaysPrivate(t *testing.T) {
	r := newRig(t)
	d := draft(newMedia(aFilm(t, mib)), "a")
	d.Mode = catalog.PostDraft
	r.ready(d)
	rec := r.commit(d)
	if v := r.youtube.Videos()[0]; v.Privacy != "private" || rec.View.State != v1beta1.DeliveryPrivate || !rec.View.PublishedAt.IsZero() || !rec.View.Settled {
		t.Errorf("got %s, view %+v", v.Privacy, rec.View)
	}
	found, err := r.Find(t.Context(), r.account, d, r.note, r.clock.Now())
	if err != nil || found.Handle != rec.Handle {
		t.Errorf("found %+v, %v", found, err)
	}
}

func TestCommit_KeptPrivate(t *testing.T) {
	r := newRig(t)
	rules := stand.Generous()
	rules.Unverified = true
	r.youtube.SetRules(rules)
	d := draft(newMedia(aFilm(t, mib)), "a")
	r.ready(d)
	var e *publish.Error
	if _, err := r.Commit(t.Context(), r.account, d, r.note); !errors.As(err, &e) || e.Kind != publish.Rejected || e.Code != "keptPrivate" {
		t.Errorf("got %v", err)
	}
}

func TestFind(t *testing.T) {
	lost := sandbox.Fault{Call: "videos.update", Do: sandbox.Drop, When: sandbox.After}
	unheard := sandbox.Fault{Call: "videos.update", Do: sandbox.Drop}
	for name, c := range map[string]struct {
		fault sandbox.Fault
		then  func(r *rig)
		want  error
		state v1beta1.DeliveryState
	}{
		"taken":                {fault: lost, state: v1beta1.DeliveryPublished},
		"not accepted":         {fault: unheard, want: publish.ErrNotFound},
		"accepted and deleted": {fault: lost, then: func(r *rig) { r.youtube.Delete(r.youtube.Videos()[0].ID) }, want: publish.ErrCannotTell},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			d := draft(newMedia(aFilm(t, mib)), "a")
			r.ready(d)
			r.fault(c.fault)
			if _, err := r.Commit(t.Context(), r.account, d, r.note); kindOf(err) != publish.Ambiguous {
				t.Fatalf("with a lost response: got %v", err)
			}
			if c.then != nil {
				c.then(r)
			}
			rec, err := r.Find(t.Context(), r.account, d, r.note, r.clock.Now())
			if !errors.Is(err, c.want) || err == nil && rec.View.State != c.state {
				t.Errorf("found %+v, %v", rec, err)
			}
		})
	}
	t.Run("an unknown id with status 404", func(t *testing.T) {
		r := newRig(t)
		d := draft(newMedia(aFilm(t, mib)), "a")
		r.ready(d)
		r.fault(sandbox.Fault{Call: "videos.list", Do: sandbox.Status, Status: 404, Times: -1})
		if _, err := r.Find(t.Context(), r.account, d, r.note, r.clock.Now()); !errors.Is(err, publish.ErrCannotTell) {
			t.Errorf("Find: got %v", err)
		}
		if _, err := r.Look(t.Context(), r.account, d, "x"); !errors.Is(err, publish.ErrNotFound) {
			t.Errorf("Look: got %v", err)
		}
		if _, err := r.Commit(t.Context(), r.account, d, r.note); kindOf(err) != publish.Expired {
			t.Errorf("Commit: got %v", err)
		}
	})
	r := newRig(t)
	if _, err := r.Find(t.Context(), r.account, publish.Draft{}, nil, r.clock.Now()); !errors.Is(err, publish.ErrNotFound) {
		t.Errorf("Find without an upload: got %v", err)
	}
	if _, err := r.Commit(t.Context(), r.account, publish.Draft{}, nil); kindOf(err) != publish.Expired {
		t.Errorf("Commit without an upload: got %v", err)
	}
}

func TestLook(t *testing.T) {
	r := newRig(t)
	d := draft(newMedia(aFilm(t, mib)), "a")
	r.ready(d)
	r.clock.Step(time.Minute)
	rec := r.commit(d)
	at := r.clock.Now().Truncate(time.Second) // YouTube reports whole seconds
	r.clock.Step(time.Minute)
	v, err := r.Look(t.Context(), r.account, d, rec.Handle)
	if err != nil || v.State != v1beta1.DeliveryPublished || v.PostID != rec.Handle || !v.Settled || !v.PublishedAt.Equal(at) {
		t.Errorf("got %+v, %v", v, err)
	}
	r.youtube.Delete(rec.Handle)
	if _, err := r.Look(t.Context(), r.account, d, rec.Handle); !errors.Is(err, publish.ErrNotFound) {
		t.Errorf("a deleted video: got %v", err)
	}
}

// A new video may be missing from lists for a while. A video that stays missing was deleted.
func TestCalls_DeletedVideo(t *testing.T) {
	r := newRig(t)
	d := draft(newMedia(aFilm(t, mib)), "a")
	if _, err := r.prepare(d); err != nil {
		t.Fatal(err)
	}
	r.youtube.Delete(r.youtube.Videos()[0].ID)
	step, err := r.prepare(d)
	if err != nil || step.Ready || step.Wait <= 0 {
		t.Errorf("at once: got %+v, %v", step, err)
	}
	r.clock.Step(settling)
	if _, err := r.prepare(d); kindOf(err) != publish.Expired {
		t.Errorf("later: got %v", err)
	}
}

func TestLook_MissingVideo(t *testing.T) {
	r := newRig(t)
	rules := stand.Generous()
	r.youtube.SetRules(rules)
	d := draft(newMedia(aFilm(t, mib)), "a")
	step, err := r.prepare(d)
	if err != nil || step.Wait != minWait {
		t.Errorf("at first: got %+v, %v", step, err)
	}
}

func TestExchange(t *testing.T) {
	t.Run("a permission that cannot upload", func(t *testing.T) {
		r := bareRig(t)
		a, _ := New(r.c)
		g, err := r.connect(swap(a.AuthorizeURL(authorization), "auth%2Fyoutube&", "auth%2Fyoutube.readonly&"))
		if err != nil || len(g.Lacking) != 1 || len(g.Identities) != 1 {
			t.Errorf("got %+v, %v", g, err)
		}
	})
	t.Run("a permission that cannot be renewed", func(t *testing.T) {
		r := bareRig(t)
		if _, err := r.connect(swap(r.AuthorizeURL(authorization), "access_type=offline", "access_type=online")); kindOf(err) != publish.Auth {
			t.Errorf("got %v", err)
		}
	})
	t.Run("an account without a channel", func(t *testing.T) {
		r := bareRig(t)
		rules := stand.Generous()
		rules.NoChannel = map[string]bool{"maya": true}
		r.youtube.SetRules(rules)
		var e *publish.Error
		if _, err := r.connect(r.AuthorizeURL(authorization)); !errors.As(err, &e) || e.Kind != publish.Rejected || e.Code != "youtubeSignupRequired" {
			t.Errorf("got %v", err)
		}
	})
	t.Run("the channel cannot be read twice", func(t *testing.T) {
		r := bareRig(t)
		r.fault(sandbox.Fault{Call: "channels.list", Do: sandbox.Status, Status: 503, Times: 2})
		if g, err := r.connect(r.AuthorizeURL(authorization)); err != nil || g.Identities[0].Name != "Maya's Kitchen" || g.Identities[0].Username != "mayas.kitchen" {
			t.Errorf("got %+v, %v", g, err)
		}
	})
	t.Run("an app in testing", func(t *testing.T) {
		r := bareRig(t)
		rules := stand.Generous()
		rules.Testing = true
		r.youtube.SetRules(rules)
		g, err := r.connect(r.AuthorizeURL(authorization))
		if err != nil {
			t.Fatal(err)
		}
		end := r.clock.Now().Add(7 * 24 * time.Hour)
		next, err := r.Refresh(t.Context(), g.Tokens)
		if err != nil || !next.RefreshExpiresAt.Equal(end) || next.RefreshToken != g.Tokens.RefreshToken || next.AccessToken == g.Tokens.AccessToken {
			t.Errorf("renewed: got %+v, %v", next, err)
		}
		r.clock.Step(7 * 24 * time.Hour)
		var e *publish.Error
		if _, err := r.Refresh(t.Context(), next); !errors.As(err, &e) || e.Kind != publish.Auth || e.Revoked {
			t.Errorf("after a week: got %v", err)
		}
	})
}

func swap(s, old, to string) string { return strings.Replace(s, old, to, 1) }
