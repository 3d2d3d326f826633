// SPDX-License-Identifier: Apache-2.0

package youtube

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/utils/ptr"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/social/publish"
	"github.com/reelops/reelops/internal/social/sandbox"
	stand "github.com/reelops/reelops/internal/social/sandbox/youtube"
)

// with returns a draft of a video with settings for YouTube.
func (r *rig) with(s *v1beta1.YouTubeSettings) publish.Draft {
	d := draft(newMedia(aFilm(r.t, mib)), "a")
	d.Settings.YouTube = s
	return d
}

// YouTube notifies subscribers when a private upload becomes public, and only if the upload requested it.
func TestCommit_NotifiesSubscribers(t *testing.T) {
	for name, c := range map[string]struct {
		settings *v1beta1.YouTubeSettings
		want     bool
	}{
		"by default":              {want: true},
		"when chosen":             {settings: &v1beta1.YouTubeSettings{NotifySubscribers: ptr.To(true)}, want: true},
		"not if declined":         {settings: &v1beta1.YouTubeSettings{NotifySubscribers: ptr.To(false)}},
		"not for unlisted videos": {settings: &v1beta1.YouTubeSettings{Privacy: "unlisted"}},
	} {
		r := newRig(t)
		d := r.with(c.settings)
		r.ready(d)
		if v := r.youtube.Videos()[0]; !v.NotifiedAt.IsZero() {
			t.Errorf("%s: notified at %s, before it was public", name, v.NotifiedAt)
		}
		r.clock.Step(time.Minute)
		r.commit(d)
		if got := r.youtube.Videos()[0].NotifiedAt; got.Equal(r.clock.Now()) != c.want || got.IsZero() == c.want {
			t.Errorf("%s: notified at %q, published at %s", name, got, r.clock.Now())
		}
	}
}

func TestPublish_SendsTheSettings(t *testing.T) {
	type seen struct {
		Privacy, Category, Synthetic string
		ForKids                      bool
		State                        v1beta1.DeliveryState
	}
	for name, c := range map[string]struct {
		settings *v1beta1.YouTubeSettings
		mode     string
		want     seen
	}{
		"none":          {want: seen{Privacy: "public", Category: "22", State: v1beta1.DeliveryPublished}},
		"unlisted":      {settings: &v1beta1.YouTubeSettings{Privacy: "unlisted"}, want: seen{Privacy: "unlisted", Category: "22", State: v1beta1.DeliveryPublished}},
		"private":       {settings: &v1beta1.YouTubeSettings{Privacy: "private"}, want: seen{Privacy: "private", Category: "22", State: v1beta1.DeliveryPrivate}},
		"for children":  {settings: &v1beta1.YouTubeSettings{MadeForKids: ptr.To(true)}, want: seen{Privacy: "public", Category: "22", ForKids: true, State: v1beta1.DeliveryPublished}},
		"by a machine":  {settings: &v1beta1.YouTubeSettings{SyntheticMedia: ptr.To(true)}, want: seen{Privacy: "public", Category: "22", Synthetic: "true", State: v1beta1.DeliveryPublished}},
		"by no machine": {settings: &v1beta1.YouTubeSettings{SyntheticMedia: ptr.To(false)}, want: seen{Privacy: "public", Category: "22", Synthetic: "false", State: v1beta1.DeliveryPublished}},
		"education":     {settings: &v1beta1.YouTubeSettings{Category: "27"}, want: seen{Privacy: "public", Category: "27", State: v1beta1.DeliveryPublished}},
		"a draft": {
			settings: &v1beta1.YouTubeSettings{Privacy: "public"}, mode: catalog.PostDraft, want: seen{Privacy: "private", Category: "22", State: v1beta1.DeliveryPrivate},
		},
	} {
		r := newRig(t)
		d := r.with(c.settings)
		if c.mode != "" {
			d.Mode = c.mode
		}
		r.ready(d)
		view := r.commit(d).View
		v := r.youtube.Videos()[0]
		got := seen{Privacy: v.Privacy, Category: v.Category, Synthetic: v.Synthetic, ForKids: v.ForKids, State: view.State}
		if diff := cmp.Diff(c.want, got); diff != "" || !view.Settled || len(view.Warnings) > 0 {
			t.Errorf("%s: view %+v, -want +got\n%s", name, view, diff)
		}
		found, err := r.Find(t.Context(), r.account, d, r.note, r.clock.Now())
		if err != nil || found.View.State != c.want.State {
			t.Errorf("%s: found %+v, %v", name, found, err)
		}
	}
	r := newRig(t)
	d := r.with(&v1beta1.YouTubeSettings{Category: "99"})
	if _, err := r.prepare(d); kindOf(err) != publish.Rejected {
		t.Errorf("an unknown category: got %v", err)
	}
}

const jpeg = "\xff\xd8\xff\xe0\x00\x10JFIF and more"

func coverOf(doc, contentType string) *publish.Cover {
	return &publish.Cover{Image: &publish.Media{ContentType: contentType, Bytes: int64(len(doc)), Open: func(_ context.Context, offset int64) (io.ReadCloser, error) {
		return io.NopCloser(bytes.NewReader([]byte(doc)[offset:])), nil
	}}}
}

// A cover is set while the video is private. In all cases the post is published.
func TestPrepare_SetsTheCover(t *testing.T) {
	sum := sha256.Sum256([]byte(jpeg))
	set := hex.EncodeToString(sum[:])
	at := func(f sandbox.Fault) *sandbox.Fault {
		f.Call = "thumbnails.set"
		return &f
	}
	for name, c := range map[string]struct {
		fault   *sandbox.Fault
		cover   *publish.Cover
		rules   func(*stand.Rules)
		want    string
		warning string
		calls   int
	}{
		"at once":                   {want: set, calls: 1},
		"after a fault":             {fault: at(sandbox.Fault{Do: sandbox.Status, Status: 503, Times: 2}), want: set, calls: 3},
		"after a lost response":     {fault: at(sandbox.Fault{Do: sandbox.Drop, When: sandbox.After}), want: set, calls: 2},
		"after a rate limit":        {fault: at(sandbox.Fault{Do: sandbox.Status, Status: 429}), want: set, calls: 2},
		"after the token expired":   {fault: at(sandbox.Fault{Do: sandbox.Expire}), want: set, calls: 2},
		"never, with faults":        {fault: at(sandbox.Fault{Do: sandbox.Status, Status: 500, Times: -1}), warning: "internal error", calls: 3},
		"never, without a token":    {fault: at(sandbox.Fault{Do: sandbox.Status, Status: 401, Times: -1}), warning: "access token", calls: 3},
		"not for a foreign channel": {rules: func(r *stand.Rules) { r.NoThumbnails = map[string]bool{"maya": true} }, warning: "does not allow", calls: 1},
		"not for an invalid image":  {cover: coverOf("GIF89a", "image/jpeg"), warning: "did not accept the cover", calls: 1},
		"not for another type":      {cover: coverOf("GIF89a", "image/gif"), warning: "JPEG and PNG"},
		"not for a time offset":     {cover: &publish.Cover{Offset: ptr.To(time.Second)}, warning: "only an image"},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			if c.rules != nil {
				rules := stand.Generous()
				c.rules(&rules)
				r.youtube.SetRules(rules)
			}
			if c.fault != nil {
				r.fault(*c.fault)
			}
			d := r.with(nil)
			if d.Cover = c.cover; d.Cover == nil {
				d.Cover = coverOf(jpeg, "image/jpeg")
			}
			for step := (publish.Step{}); !step.Ready; {
				var err error
				if step, err = r.prepare(d); err != nil {
					if kindOf(err) != publish.Unauthorized {
						t.Fatal(err)
					}
					if r.tokens, err = r.Refresh(t.Context(), r.tokens); err != nil {
						t.Fatal(err)
					}
					r.account.AccessToken = r.tokens.AccessToken
				}
				r.clock.Step(step.Wait)
			}
			if step, err := r.prepare(d); err != nil || !step.Ready {
				t.Errorf("prepared again: got %+v, %v", step, err)
			}
			rec := r.commit(d)
			if v := r.youtube.Videos()[0]; v.Thumbnail != c.want || v.Privacy != "public" {
				t.Errorf("%s: got thumbnail %q, want %q", v.Privacy, v.Thumbnail, c.want)
			}
			said := strings.Join(rec.View.Warnings, " ")
			if (said == "") != (c.warning == "") || !strings.Contains(said, c.warning) {
				t.Errorf("got warning %q, want %q", said, c.warning)
			}
			calls := 0
			for _, call := range r.core.Calls() {
				if call.Call == "thumbnails.set" {
					calls++
				}
			}
			if calls != c.calls {
				t.Errorf("got %d thumbnail calls, want %d", calls, c.calls)
			}
		})
	}
}

// YouTube accepts the videos of a project that it has not audited and locks them as private later.
func TestLook_ReportsLockedVideos(t *testing.T) {
	r := newRig(t)
	rules := stand.Generous()
	rules.Unverified, rules.LocksAfter = true, 30*time.Minute
	r.youtube.SetRules(rules)
	d := r.with(nil)
	r.ready(d)
	rec := r.commit(d)
	var checks []time.Duration
	v := rec.View
	for began := r.clock.Now(); v.Recheck > 0 && len(checks) < 10; {
		if v.State != v1beta1.DeliveryPublished || !v.Settled {
			t.Fatalf("got %+v", v)
		}
		r.clock.Step(v.Recheck)
		checks = append(checks, r.clock.Now().Sub(began))
		var err error
		if v, err = r.Look(t.Context(), r.account, d, rec.Handle); err != nil {
			if kindOf(err) != publish.Unauthorized {
				t.Fatal(err)
			}
			if r.tokens, err = r.Refresh(t.Context(), r.tokens); err != nil {
				t.Fatal(err)
			}
			r.account.AccessToken = r.tokens.AccessToken
			if v, err = r.Look(t.Context(), r.account, d, rec.Handle); err != nil {
				t.Fatal(err)
			}
		}
	}
	if v.State != v1beta1.DeliveryPrivate || !v.Settled || len(v.Warnings) != 1 || !strings.Contains(v.Warnings[0], "audit") {
		t.Errorf("after %v: got %+v", checks, v)
	}
}

func TestLook_ChecksFourTimesWithinADay(t *testing.T) {
	r := newRig(t)
	now := r.clock.Now()
	var got []time.Duration
	for at := now; len(got) < 10; {
		wait := recheck(now, at)
		if wait == 0 {
			break
		}
		at = at.Add(wait)
		got = append(got, at.Sub(now))
	}
	if diff := cmp.Diff([]time.Duration{10 * time.Minute, time.Hour, 6 * time.Hour, 24 * time.Hour}, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}
