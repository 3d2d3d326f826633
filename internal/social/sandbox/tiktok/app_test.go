// SPDX-License-Identifier: Apache-2.0

package tiktok

import (
	"net/http"
	"slices"
	"testing"
)

func TestApp_UserActions(t *testing.T) {
	r := newRig(t)
	offers := func() bool {
		return slices.Contains(r.post("/v2/post/publish/creator_info/query/", "").Data.Options, public)
	}
	for path, want := range map[string]int{
		"/app/accounts/nobody/private": http.StatusNotFound, "/app/limits/none": http.StatusNotFound, "/app/inbox/none/finish": http.StatusNotFound,
		"/app/inbox/none/finish?posts=x": http.StatusBadRequest, "/app/accounts/nobody/disable": http.StatusNotFound,
		"/app/accounts/maya/disable?interactions=likes": http.StatusBadRequest,
	} {
		if got := r.post(path, "").status; got != want {
			t.Errorf("%s: %d, want %d", path, got, want)
		}
	}
	r.post("/app/accounts/maya/private", "")
	if offers() {
		t.Error("a private account offers public posts")
	}
	r.post("/app/accounts/maya/private?off=1", "")
	if !offers() {
		t.Error("a public account offers no public posts")
	}
	disabled := func() [3]bool {
		d := r.post("/v2/post/publish/creator_info/query/", "").Data
		return [3]bool{d.NoComment, d.NoDuet, d.NoStitch}
	}
	r.post("/app/accounts/maya/disable?interactions=duet,stitch", "")
	if got := disabled(); got != [3]bool{false, true, true} {
		t.Errorf("comment, duet and stitch are disabled: %v", got)
	}
	r.post("/app/accounts/maya/disable", "")
	if got := disabled(); got != [3]bool{} {
		t.Errorf("comment, duet and stitch are disabled: %v", got)
	}
	r.post("/app/limits/documented", "")
	for range 21 {
		offers()
	}
	if got := r.post("/v2/post/publish/creator_info/query/", "").status; got != http.StatusTooManyRequests {
		t.Errorf("got %d", got)
	}
	r.post("/app/limits/default", "")
	if !offers() {
		t.Error("the limit has not ended")
	}
}
