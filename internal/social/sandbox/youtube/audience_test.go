// SPDX-License-Identifier: Apache-2.0

package youtube

import (
	"net/http"
	"strings"
	"testing"
	"time"
)

const published = `"status":{"privacyStatus":"public"}}`

// Subscribers are notified when a video first becomes public, unless the uploader declined at the start of the upload.
func TestUpdate_NotifiesSubscribers(t *testing.T) {
	for query, notified := range map[string]bool{"": true, "&notifySubscribers=true": true, "&notifySubscribers=false": false} {
		r := newRig(t)
		a := r.call("POST", "/upload/youtube/v3/videos?uploadType=resumable&part=snippet,status"+query, []byte(private))
		a = r.call("PUT", a.header.Get("Location"), aFilm(t))
		id, _ := a.doc["id"].(string)
		if v := r.Videos(); len(v) != 1 || !v[0].NotifiedAt.IsZero() {
			t.Fatalf("%q: private video: got %+v", query, v)
		}
		r.clock.Step(time.Minute)
		at := r.clock.Now()
		for range 2 {
			if a := r.call("PUT", "/youtube/v3/videos?part=status", []byte(`{"id":"`+id+`",`+published)); a.status != 200 {
				t.Fatalf("%q: got %d %v", query, a.status, a.doc)
			}
			r.clock.Step(time.Minute)
		}
		if got := r.Videos()[0].NotifiedAt; got.Equal(at) != notified || got.IsZero() == notified {
			t.Errorf("%q: notified at %s, published at %s", query, got, at)
		}
	}
}

// YouTube accepts that a video of an app that it has not audited becomes public, and locks it later.
func TestUpdate_LocksVideosOfUnauditedApps(t *testing.T) {
	r := newRig(t)
	rules := Generous()
	rules.Unverified, rules.LocksAfter = true, 30*time.Minute
	r.SetRules(rules)
	id := r.upload(private)
	public := []byte(`{"id":"` + id + `",` + published)
	r.call("PUT", "/youtube/v3/videos?part=status", public)
	if s := r.status(id); s["privacyStatus"] != "public" {
		t.Fatalf("at once: got %v", s)
	}
	r.clock.Step(30 * time.Minute)
	if s := r.status(id); s["privacyStatus"] != "private" {
		t.Errorf("later: got %v", s)
	}
	r.call("PUT", "/youtube/v3/videos?part=status", public)
	if s := r.status(id); s["privacyStatus"] != "private" {
		t.Errorf("made public again: got %v", s)
	}
	if l := r.core.Landed(name); len(l) != 1 || l[0].Visibility != "private" {
		t.Errorf("got %+v", l)
	}
}

// The session URL is an authorization of its own; an additional token must be valid.
func TestUpload_SessionsNeedNoToken(t *testing.T) {
	r := newRig(t)
	session := r.open(private)
	if a := r.call("PUT", session, aFilm(t), "Authorization", "Bearer ya29.none"); a.status != http.StatusUnauthorized {
		t.Errorf("with an invalid token: got %d", a.status)
	}
	if a := r.call("PUT", session, aFilm(t), "Authorization", ""); a.status != http.StatusCreated {
		t.Errorf("without a token: got %d %v", a.status, a.doc)
	}
}

func TestThumbnails(t *testing.T) {
	const jpeg = "\xff\xd8\xff\xe0\x00\x10JFIF"
	r := newRig(t)
	short := r.upload(private)
	path := "/upload/youtube/v3/thumbnails/set?videoId=" + short
	if a := r.call("POST", path, []byte(jpeg), "Content-Type", "image/jpeg"); a.status != 403 {
		t.Errorf("of a Short in processing: got %d", a.status)
	}
	r.clock.Step(time.Minute)
	related := "--x\r\nContent-Type: application/json\r\n\r\n\r\n--x\r\nContent-Type: image/jpeg\r\n\r\n" + jpeg + "\r\n--x--\r\n"
	for what, c := range map[string]struct {
		query, body, kind, account string
		status                     int
		reason                     string
	}{
		"an image":                    {body: jpeg, kind: "image/jpeg", status: 200},
		"an image in two parts":       {query: "&uploadType=multipart", body: related, kind: "multipart/related; boundary=x", status: 200},
		"a text":                      {body: "jpeg", kind: "image/jpeg", status: 400, reason: "invalidImage"},
		"a type that is not an image": {body: jpeg, kind: "video/mp4", status: 400, reason: "invalidImage"},
		"nothing":                     {kind: "image/jpeg", status: 400, reason: "mediaBodyRequired"},
		"another's video":             {body: jpeg, kind: "image/jpeg", account: "acme", status: 404, reason: "videoNotFound"},
	} {
		token := r.token
		if c.account != "" {
			token = r.grant(c.account, managing[0])
		}
		a := r.call("POST", path+c.query, []byte(c.body), "Content-Type", c.kind, "Authorization", "Bearer "+token)
		if a.status != c.status || a.reason() != c.reason {
			t.Errorf("%s: got %d %s, want %d %s", what, a.status, a.reason(), c.status, c.reason)
		}
	}
	if got := r.Videos()[0].Thumbnail; len(got) != 64 {
		t.Errorf("got thumbnail %q", got)
	}
	rules := Generous()
	rules.NoThumbnails = map[string]bool{"maya": true}
	r.SetRules(rules)
	if a := r.call("POST", path, []byte(jpeg), "Content-Type", "image/jpeg"); a.status != 403 || a.reason() != "forbidden" {
		t.Errorf("of an account without thumbnails: got %d %s", a.status, a.reason())
	}
}

func TestComments(t *testing.T) {
	r := newRig(t)
	r.token = r.grant("maya", managing...)
	id := r.upload(`{"snippet":{"title":"Bread","categoryId":"22"},"status":{"privacyStatus":"public"}}`)
	say := func(text string, head ...string) answer {
		doc := `{"snippet":{"videoId":"` + id + `","topLevelComment":{"snippet":{"textOriginal":"` + text + `"}}}}`
		return r.call("POST", "/youtube/v3/commentThreads?part=snippet", []byte(doc), head...)
	}
	for i := range 21 {
		if a := say("Comment " + strings.Repeat("I", i+1)); a.status != 200 {
			t.Fatalf("got %d %v", a.status, a.doc)
		}
	}
	if a := say("", "Authorization", "Bearer "+r.grant("acme", commenting...)); a.status != 400 || a.reason() != "commentTextRequired" {
		t.Errorf("without a text: got %d %s", a.status, a.reason())
	}
	if a := say("Hello", "Authorization", "Bearer "+r.grant("maya", managing[0])); a.status != 403 || a.reason() != "insufficientPermissions" {
		t.Errorf("without the scope: got %d %s", a.status, a.reason())
	}
	list := r.call("GET", "/youtube/v3/commentThreads?part=snippet&videoId="+id, nil)
	next, _ := list.doc["nextPageToken"].(string)
	if len(list.items()) != 20 || next == "" {
		t.Fatalf("got %d items, next %q", len(list.items()), next)
	}
	if list = r.call("GET", "/youtube/v3/commentThreads?part=snippet&videoId="+id+"&pageToken="+next, nil); len(list.items()) != 1 {
		t.Errorf("got %d items on the second page", len(list.items()))
	}
	rules := Generous()
	rules.NoComments = true
	r.SetRules(rules)
	if a := say("Hello"); a.status != 403 || a.reason() != "commentsDisabled" {
		t.Errorf("with comments disabled: got %d %s", a.status, a.reason())
	}
}

func TestTokens_ScopesOfOtherClients(t *testing.T) {
	for _, scope := range []string{"youtubepartner", "userinfo.email", "userinfo.profile", "youtube.force-ssl"} {
		q := map[string][]string{
			"client_id": {"sandbox-app"}, "redirect_uri": {"http://127.0.0.1:9/x"}, "response_type": {"code"}, "scope": {scopes + "youtube " + scopes + scope},
		}
		if _, problem := checkAuthorize(q); problem != "" {
			t.Errorf("%s: %s", scope, problem)
		}
	}
}
