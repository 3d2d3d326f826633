// SPDX-License-Identifier: Apache-2.0

package tiktok

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestEvents_AreSignedAndRepeated(t *testing.T) {
	type received struct {
		event
		signed bool
	}
	got := make(chan received, 10)
	refuse := true
	hook := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		var e received
		_ = json.Unmarshal(body, &e.event)
		e.signed = r.Header.Get("TikTok-Signature") == signature(time.Unix(e.Created, 0), body)
		got <- e
		if refuse {
			w.WriteHeader(http.StatusInternalServerError)
		}
		refuse = false
	}))
	defer hook.Close()
	r := newRig(t)
	if s := r.post("/app/webhook?url="+url.QueryEscape(hook.URL), "").status; s != http.StatusNoContent {
		t.Fatal(s)
	}
	id := r.published(nobody, good(t))
	want := event{
		Client: "sandbox-app", Event: "post.publish.complete", Created: r.clock.Now().Unix(), User: "-0009235c250693ff95csandbox",
		Content: `{"publish_id":"` + id + `","publish_type":"DIRECT_PUBLISH"}`,
	}
	for range 2 { // the first delivery is rejected and repeated
		e := <-got
		if d := cmp.Diff(want, e.event, cmp.AllowUnexported(event{})); d != "" || !e.signed {
			t.Error(d, e.signed)
		}
	}
}
