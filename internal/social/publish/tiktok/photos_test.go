// SPDX-License-Identifier: Apache-2.0

package tiktok_test

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/social/publish"
	"github.com/reelops/reelops/internal/social/sandbox"
)

// lose commits a photo set, loses the response and returns the time of the commit.
func (r *rig) lose(d publish.Draft, note []byte) time.Time {
	r.t.Helper()
	at := r.clock.Now()
	r.fault(sandbox.Fault{Call: "content.init", Do: sandbox.Drop, When: sandbox.After})
	_, err := r.Commit(r.t.Context(), r.maya, d, note)
	kind(r.t, err, publish.Ambiguous)
	r.clock.Step(2 * time.Minute)
	return at
}

func TestFind_LostPhotoSet(t *testing.T) {
	r := newRig(t)
	d := r.photos(catalog.PostDirect)
	d.Caption = strings.Repeat("long 🥖 ", 40) // the list shows the first 150 characters
	r.accepted(d)                             // an earlier post with the same text
	r.clock.Step(time.Hour)
	for range 25 { // two pages of other posts
		other := r.photos(catalog.PostDirect)
		other.Caption = "another"
		r.accepted(other)
		r.clock.Step(time.Second)
	}
	r.clock.Step(time.Hour)
	note := r.prepared(d)
	at := r.lose(d, note)
	for range 25 {
		other := r.photos(catalog.PostDirect)
		other.Caption = "another"
		r.accepted(other)
		r.clock.Step(time.Second)
	}
	r.clock.Step(time.Minute)
	found, err := r.Find(t.Context(), r.maya, d, note, at)
	if err != nil {
		t.Fatal(err)
	}
	want := sandbox.Landing{}
	for _, l := range r.core.Landed("tiktok") {
		if l.Caption == d.Caption {
			want = l // the newest
		}
	}
	if v := found.View; v.PostID != want.ID || v.URL != want.URL || !v.Settled || !found.Guess {
		t.Errorf("got %+v, want %s at %s", v, want.ID, want.URL)
	}
	if v := r.look(d, found.Handle); v.PostID != want.ID {
		t.Errorf("Look: got %+v", v)
	}
	if err := r.core.Remove("tiktok", want.ID); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Look(t.Context(), r.maya, d, found.Handle); !errors.Is(err, publish.ErrNotFound) {
		t.Errorf("after its deletion: got %v", err)
	}
}

func TestFind_AmbiguousPhotoSet(t *testing.T) {
	for name, lost := range map[string]func(r *rig) (publish.Draft, []byte, time.Time){
		"the call did not arrive": func(r *rig) (publish.Draft, []byte, time.Time) {
			d := r.photos(catalog.PostDirect)
			return d, r.prepared(d), r.clock.Now()
		},
		"two posts look the same": func(r *rig) (publish.Draft, []byte, time.Time) {
			d := r.photos(catalog.PostDirect)
			note := r.prepared(d)
			at := r.lose(d, note)
			r.accepted(d)
			r.clock.Step(time.Minute)
			return d, note, at
		},
		"it is in the inbox": func(r *rig) (publish.Draft, []byte, time.Time) {
			d := r.photos(catalog.PostDraft)
			note := r.prepared(d)
			return d, note, r.lose(d, note)
		},
		"it is not public": func(r *rig) (publish.Draft, []byte, time.Time) {
			r.stand.SetPrivate("maya", true)
			d := r.photos(catalog.PostDirect)
			note := r.prepared(d)
			return d, note, r.lose(d, note)
		},
		"it has no text": func(r *rig) (publish.Draft, []byte, time.Time) {
			d := r.photos(catalog.PostDirect)
			d.Title, d.Caption = "", ""
			note := r.prepared(d)
			return d, note, r.lose(d, note)
		},
		"it is listed, and not returned by its id": func(r *rig) (publish.Draft, []byte, time.Time) {
			d := r.photos(catalog.PostDirect)
			note := r.prepared(d)
			at := r.lose(d, note)
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
				if strings.HasSuffix(q.URL.Path, "/v2/video/query/") {
					_, _ = io.WriteString(w, `{"data":{"videos":[]},"error":{"code":"ok"}}`)
					return
				}
				r.core.ServeHTTP(w, q)
			}))
			r.t.Cleanup(server.Close)
			r.open(r.config.At(server.URL + "/tiktok"))
			return d, note, at
		},
		"the posts may not be listed": func(r *rig) (publish.Draft, []byte, time.Time) {
			r.maya.Scopes = []string{"video.publish"}
			d := r.photos(catalog.PostDirect)
			note := r.prepared(d)
			return d, note, r.lose(d, note)
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			d, note, at := lost(r)
			if found, err := r.Find(t.Context(), r.maya, d, note, at); !errors.Is(err, publish.ErrCannotTell) {
				t.Errorf("got %+v, %v", found, err)
			}
		})
	}
}

// The account may change its audiences between the preparation and the commit.
func TestCommit_AudienceNoLongerOffered(t *testing.T) {
	r := newRig(t)
	d := r.photos(catalog.PostDirect)
	note := r.prepared(d)
	r.stand.SetPrivate("maya", true)
	_, err := r.Commit(t.Context(), r.maya, d, note)
	kind(t, err, publish.Expired)
	r.accepted(d)
	if l := r.one(); l.Visibility != sandbox.Private {
		t.Errorf("got %+v", l)
	}
}

func TestLook_ImagesCannotBeFetched(t *testing.T) {
	r := newRig(t)
	d := r.photos(catalog.PostDirect)
	r.pulls = "http://127.0.0.1:1"
	receipt := r.accepted(d)
	r.clock.Step(5 * time.Second)
	v := r.look(d, receipt.Handle)
	if v.Failed == nil || v.Failed.Kind != publish.Expired || v.Failed.Code != "photo_pull_failed" || len(r.core.Landed("")) > 0 {
		t.Errorf("got %+v", v)
	}
}

func TestPrepare_RejectedSets(t *testing.T) {
	r := newRig(t)
	for name, change := range map[string]func(*publish.Draft){
		"none":              func(d *publish.Draft) { d.Photos = nil },
		"too many":          func(d *publish.Draft) { d.Photos = make([]publish.Media, 36) },
		"a PNG":             func(d *publish.Draft) { d.Photos[1].ContentType = "image/png" },
		"a large one":       func(d *publish.Draft) { d.Photos[1].Bytes = 20_000_001 },
		"another mode":      func(d *publish.Draft) { d.Mode = "later" },
		"another kind":      func(d *publish.Draft) { d.Kind = "text" },
		"a long text":       func(d *publish.Draft) { d.Caption = strings.Repeat("🥖", 2001) },
		"a long title":      func(d *publish.Draft) { d.Title = strings.Repeat("🥖", 45) + "x" },
		"an animated image": func(d *publish.Draft) { d.Kind = catalog.MediaVideo },
	} {
		d := r.photos(catalog.PostDirect)
		change(&d)
		if _, err := r.Prepare(t.Context(), r.maya, d, nil, r.save); err == nil || publish.KindOf(err) != publish.Rejected {
			t.Errorf("%s: got %v", name, err)
		}
	}
	if n := len(r.core.Calls()); n > 0 {
		t.Errorf("got %d calls", n)
	}
}
