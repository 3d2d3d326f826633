// SPDX-License-Identifier: Apache-2.0

package tiktok_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/social/publish"
	"github.com/reelops/reelops/internal/social/sandbox"
	stand "github.com/reelops/reelops/internal/social/sandbox/tiktok"
)

func TestLook_PublishedBeforeItsLinkIsKnown(t *testing.T) {
	r := newRig(t)
	l := stand.Default()
	l.Moderation = time.Minute
	r.stand.SetLimits(l)
	d := r.film(catalog.PostDirect, 0)
	h := r.accepted(d).Handle
	if v := r.look(d, h); v.State != v1beta1.DeliveryProcessing || v.Settled || v.Wait != 5*time.Second {
		t.Errorf("at once: %+v", v)
	}
	r.clock.Step(5 * time.Second)
	if v := r.look(d, h); v.State != v1beta1.DeliveryPublished || v.PostID != "" || v.Settled || v.Wait != 10*time.Second {
		t.Errorf("processed: %+v", v)
	}
	r.clock.Step(time.Minute)
	v, post := r.look(d, h), r.one()
	if v.State != v1beta1.DeliveryPublished || v.PostID != post.ID || v.URL != post.URL || !v.Settled || !v.PublishedAt.Equal(post.At.Truncate(time.Second)) {
		t.Errorf("moderated: got %+v, want %+v", v, post)
	}
	if strings.Contains(v.URL, "utm") {
		t.Errorf("the link %s contains the sharing user", v.URL)
	}
}

// Waiting for the public id ends after a day.
func TestLook_MissingID(t *testing.T) {
	r := newRig(t)
	l := stand.Default()
	l.Moderation = 48 * time.Hour
	r.stand.SetLimits(l)
	d := r.film(catalog.PostDirect, 0)
	h := r.accepted(d).Handle
	r.clock.Step(24*time.Hour - time.Minute)
	if v := r.look(d, h); v.Settled || v.State != v1beta1.DeliveryPublished {
		t.Errorf("after a day: %+v", v)
	}
	r.clock.Step(2 * time.Minute)
	r.renew()
	if v := r.look(d, h); !v.Settled || v.State != v1beta1.DeliveryPublished || v.URL != "" {
		t.Errorf("after the timeout: %+v", v)
	}
}

// renew gives maya an access token that has not expired.
func (r *rig) renew() {
	k := r.core.Tokens("tiktok", sandbox.TokenRules{Access: 24 * time.Hour}).Issue(sandbox.Grant{Account: "maya", Scopes: r.maya.Scopes})
	r.maya.AccessToken = k.Access
}

func TestLook_BuildsTheLinkWithoutTheListScope(t *testing.T) {
	r := newRig(t)
	r.maya.Scopes = []string{"video.publish"}
	for name, d := range map[string]publish.Draft{"film": r.film(catalog.PostDirect, 0), "photos": r.photos(catalog.PostDirect)} {
		if err := r.core.Reset(); err != nil {
			t.Fatal(err)
		}
		h := r.accepted(d).Handle
		r.clock.Step(5 * time.Second)
		if v := r.look(d, h); v.URL != r.one().URL || !v.Settled {
			t.Errorf("%s: got %s, want %s", name, v.URL, r.one().URL)
		}
		if r.calls("video.query") > 0 {
			t.Errorf("%s: a call without the scope was made", name)
		}
	}
}

// A failed read of the URL does not mean that the post does not exist.
func TestLook_LinkCannotBeRead(t *testing.T) {
	r := newRig(t)
	d := r.film(catalog.PostDirect, 0)
	h := r.accepted(d).Handle
	r.clock.Step(5 * time.Second)
	r.fault(sandbox.Fault{Call: "video.query", Do: sandbox.Status, Status: 500})
	if v := r.look(d, h); v.URL != r.one().URL || !v.Settled {
		t.Errorf("got %+v", v)
	}
}

func TestLook_PrivateAccount(t *testing.T) {
	r := newRig(t)
	r.stand.SetPrivate("maya", true)
	d := r.film(catalog.PostDirect, 0)
	h := r.accepted(d).Handle
	r.clock.Step(5 * time.Second)
	if v := r.look(d, h); v.State != v1beta1.DeliveryPrivate || !v.Settled || v.URL != "" {
		t.Errorf("got %+v", v)
	}
	if l := r.one(); l.Visibility != sandbox.Private {
		t.Errorf("got %+v", l)
	}
}

func TestCommit_WidestAudience(t *testing.T) {
	r := newRig(t)
	c := r.config
	c.Privacy = "SELF_ONLY"
	r.open(c)
	d := r.film(catalog.PostDirect, 0)
	h := r.accepted(d).Handle
	r.clock.Step(5 * time.Second)
	if v := r.look(d, h); v.State != v1beta1.DeliveryPrivate || r.one().Visibility != sandbox.Private {
		t.Errorf("got %+v, published as %+v", v, r.one())
	}
}

// An unknown publish id does not determine the state of the post.
func TestLook_ExpiredPublishID(t *testing.T) {
	r := newRig(t)
	d := r.film(catalog.PostDirect, 0)
	note := r.prepared(d)
	receipt, err := r.Commit(t.Context(), r.maya, d, note)
	if err != nil {
		t.Fatal(err)
	}
	l := stand.Default()
	l.Forget = 10 * time.Minute
	r.stand.SetLimits(l)
	r.clock.Step(10 * time.Minute)
	if _, err := r.Look(t.Context(), r.maya, d, receipt.Handle); !errors.Is(err, publish.ErrCannotTell) {
		t.Errorf("Look: got %v", err)
	}
	if _, err := r.Find(t.Context(), r.maya, d, note, r.clock.Now()); !errors.Is(err, publish.ErrCannotTell) {
		t.Errorf("Find: got %v", err)
	}
	if _, err := r.Look(t.Context(), r.maya, d, "noise"); !errors.Is(err, publish.ErrCannotTell) {
		t.Errorf("with an invalid handle: got %v", err)
	}
}

func TestLook_FinishedDraft(t *testing.T) {
	r := newRig(t)
	d := r.film(catalog.PostDraft, 0)
	h := r.accepted(d).Handle
	r.clock.Step(5 * time.Second)
	if err := r.stand.Finish(r.one().ID, 2); err != nil {
		t.Fatal(err)
	}
	posts := r.core.Landed("tiktok")
	if v := r.look(d, h); v.State != v1beta1.DeliveryPublished || v.PostID != posts[0].ID || !v.Settled {
		t.Errorf("got %+v, posts %+v", v, posts)
	}
}

func TestHeadroom(t *testing.T) {
	r := newRig(t)
	l := stand.Documented()
	l.Posts, l.Inits = 1, 0
	r.stand.SetLimits(l)
	d := r.film(catalog.PostDirect, 0)
	if h, err := r.Headroom(t.Context(), r.maya); err != nil || h.Limited || h.Window != 24*time.Hour {
		t.Errorf("before: %+v, %v", h, err)
	}
	r.accepted(d)
	if h, err := r.Headroom(t.Context(), r.maya); err != nil || !h.Limited {
		t.Errorf("after: %+v, %v", h, err)
	}
	_, err := r.Prepare(t.Context(), r.maya, d, nil, r.save)
	kind(t, err, publish.RateLimited)
	for range l.CreatorInfos {
		_, err = r.Headroom(t.Context(), r.maya)
	}
	kind(t, err, publish.RateLimited) // a limit for calls, which does not apply to posts
	r.maya.Scopes = []string{"video.upload"}
	if h, err := r.Headroom(t.Context(), r.maya); h != nil || err != nil {
		t.Errorf("without the scope: got %+v, %v", h, err)
	}
}
