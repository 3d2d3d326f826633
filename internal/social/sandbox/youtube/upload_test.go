// SPDX-License-Identifier: Apache-2.0

package youtube

import (
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	testclock "k8s.io/utils/clock/testing"

	"github.com/reelops/reelops/internal/social/sandbox"
)

func TestUpload_Session(t *testing.T) {
	r := newRig(t)
	doc := padded(t, 600_000)
	s := r.open(private, "X-Upload-Content-Length", "600000", "X-Upload-Content-Type", "video/mp4", "Slug", "a.mp4")
	steps := []struct {
		what, method, content string
		body                  []byte
		head                  []string
		status                int
		rang                  string
	}{
		{"no bytes yet", "PUT", "bytes */600000", nil, nil, 308, ""},
		{"a piece that is not a multiple", "PUT", "bytes 0-99/600000", doc[:100], nil, 400, ""},
		{"a range longer than the body", "PUT", "bytes 0-262143/600000", doc[:100], nil, 400, ""},
		{"a piece of another upload", "PUT", "bytes 0-262143/700000", doc[:262144], nil, 400, ""},
		{"an offset that is too high", "PUT", "bytes 262144-524287/600000", doc[262144:524288], nil, 400, ""},
		{"nonsense", "PUT", "bytes one-two/three", doc[:262144], nil, 400, ""},
		{"the first piece", "PUT", "bytes 0-262143/600000", doc[:262144], nil, 308, "bytes=0-262143"},
		{"status query", "PUT", "bytes */600000", nil, nil, 308, "bytes=0-262143"},
		{"the second piece, by Google's library", "POST", "bytes 262144-524287/*", doc[262144:524288], []string{"X-GUploader-No-308", "yes"}, 200, "bytes=0-524287"},
		{"the second piece again", "PUT", "bytes 262144-524287/600000", doc[262144:524288], nil, 308, "bytes=0-524287"},
		{"the last piece", "PUT", "bytes 524288-599999/600000", doc[524288:], nil, 201, ""},
		{"status query after the end", "PUT", "bytes */600000", nil, nil, 201, ""},
		{"the last piece again", "PUT", "bytes 524288-599999/600000", doc[524288:], nil, 201, ""},
	}
	id := ""
	for _, st := range steps {
		a := r.call(st.method, s, st.body, append([]string{"Content-Range", st.content}, st.head...)...)
		if a.status != st.status || a.header.Get("Range") != st.rang || a.header.Get("Location") != "" {
			t.Fatalf("%s: got %d %q, want %d %q", st.what, a.status, a.header.Get("Range"), st.status, st.rang)
		}
		if st.status == 200 && a.header.Get("X-Http-Status-Code-Override") != "308" {
			t.Errorf("%s: the status query differs", st.what)
		}
		if st.status == 201 {
			if got := a.doc["id"].(string); id != "" && got != id {
				t.Errorf("%s: got a second video %s, the first is %s", st.what, got, id)
			} else {
				id = got
			}
		} else if n := len(r.Videos()); n != 0 {
			t.Fatalf("%s: got %d videos before the last byte", st.what, n)
		}
	}
	v := r.Videos()
	if len(v) != 1 || v[0].FileName != "a.mp4" || v[0].Bytes != 600_000 || v[0].Privacy != "private" || !v[0].NotifiedAt.IsZero() {
		t.Errorf("got %+v", v)
	}
	if l := r.core.Landed(name); len(l) != 1 || l[0].Visibility != sandbox.Private || l[0].SHA256 != v[0].SHA256 {
		t.Errorf("got %+v", l)
	}
}

func TestUpload_ExpiredSession(t *testing.T) {
	r := newRig(t)
	s := r.open(private)
	if a := r.call("PUT", s, nil, "Content-Range", "bytes */100", "Authorization", "Bearer "+r.grant("acme", managing[0])); a.status != 404 {
		t.Errorf("of another account: got %d", a.status)
	}
	if a := r.call("PUT", s, nil, "Content-Range", "bytes */100", "Authorization", "Bearer x"); a.status != 401 || a.reason() != "authError" {
		t.Errorf("an invalid token: got %d %v", a.status, a.doc)
	}
	r.clock.Step(r.Rules().Session)
	r.token = r.grant("maya", managing[0])
	if a := r.call("PUT", s, nil, "Content-Range", "bytes */100"); a.status != 404 {
		t.Errorf("an expired session: got %d", a.status)
	}
	if a := r.call("PUT", "/upload/youtube/v3/videos?upload_id=none", nil); a.status != 404 {
		t.Errorf("an unknown session: got %d", a.status)
	}
}

// A connection that breaks within a chunk leaves whole granules.
func TestUpload_BrokenPiece(t *testing.T) {
	r := newRig(t)
	doc := padded(t, 2<<20)
	s, err := url.Parse(r.open(private))
	if err != nil {
		t.Fatal(err)
	}
	c, err := net.Dial("tcp", s.Host)
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprintf(c, "PUT %s HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\nContent-Length: %d\r\nContent-Range: bytes 0-%d/%d\r\n\r\n", s.RequestURI(), r.token, len(doc), len(doc)-1, len(doc))
	if _, err := c.Write(doc[:1_500_000]); err != nil {
		t.Fatal(err)
	}
	_ = c.(*net.TCPConn).CloseWrite()
	_, _ = c.Read(make([]byte, 1)) // the server has finished
	_ = c.Close()
	r.core.Quiet()
	a := r.call("PUT", s.String(), nil, "Content-Range", fmt.Sprintf("bytes */%d", len(doc)))
	if want := "bytes=0-1310719"; a.status != 308 || a.header.Get("Range") != want {
		t.Fatalf("got %d %q, want %q", a.status, a.header.Get("Range"), want)
	}
	a = r.call("PUT", s.String(), doc[1310720:], "Content-Range", fmt.Sprintf("bytes 1310720-%d/%d", len(doc)-1, len(doc)))
	if a.status != 201 || len(r.Videos()) != 1 || r.Videos()[0].Bytes != int64(len(doc)) {
		t.Errorf("got %d, %+v", a.status, r.Videos())
	}
}

func TestUpload_Multipart(t *testing.T) {
	r := newRig(t)
	body := func(end string) []byte {
		return []byte("--b\r\nContent-Type: application/json\r\n\r\n" + `{"snippet":{"title":"One"}}` + "\r\n--b\r\nContent-Type: video/mp4\r\n\r\n" + string(aFilm(t)) + end)
	}
	const path = "/upload/youtube/v3/videos?uploadType=multipart&part=snippet,status"
	if a := r.call("POST", path, body(""), "Content-Type", `multipart/related; boundary=b`); a.status < 400 || len(r.Videos()) != 0 {
		t.Errorf("a truncated body: got %d, %d videos", a.status, len(r.Videos()))
	}
	a := r.call("POST", path, body("\r\n--b--\r\n"), "Content-Type", `multipart/related; boundary=b`)
	v := r.Videos()
	if a.status != 201 || len(v) != 1 || v[0].Bytes != int64(len(aFilm(t))) || v[0].Privacy != "public" || v[0].NotifiedAt.IsZero() {
		t.Fatalf("got %d %v; %+v", a.status, a.doc, v)
	}
	// The upload set no visibility.
	if l := r.core.Landed(name); len(l) != 1 || l[0].Visibility != sandbox.Public || !strings.Contains(l[0].URL, "/shorts/"+v[0].ID) {
		t.Errorf("got %+v", l)
	}
}

func TestUpload_Metadata(t *testing.T) {
	r := newRig(t)
	snippet := func(s string) string { return `{"snippet":` + s + `}` }
	status := func(s string) string { return `{"snippet":{"title":"t"},"status":` + s + `}` }
	for name, c := range map[string]struct{ doc, want string }{
		"good":                  {snippet(`{"title":"t","tags":["a b","c"],"categoryId":"22"}`), ""},
		"no title":              {snippet(`{"title":" "}`), "invalidTitle"},
		"title too long":        {snippet(`{"title":"` + strings.Repeat("é", 101) + `"}`), "invalidTitle"},
		"brackets in the title": {snippet(`{"title":"a<b"}`), "invalidTitle"},
		"description":           {snippet(`{"title":"t","description":"` + strings.Repeat("é", 2501) + `"}`), "invalidDescription"},
		"angles":                {snippet(`{"title":"t","description":">"}`), "invalidDescription"},
		"tags to the limit":     {snippet(`{"title":"t","tags":["` + strings.Repeat("a", 248) + `","` + strings.Repeat("b", 248) + ` "]}`), ""},
		"tags above the limit":  {snippet(`{"title":"t","tags":["` + strings.Repeat("a", 249) + `","` + strings.Repeat("b", 248) + ` "]}`), "invalidTags"},
		"category":              {snippet(`{"title":"t","categoryId":"99"}`), "invalidCategoryId"},
		"visibility":            {status(`{"privacyStatus":"secret"}`), "invalidVideoMetadata"},
		"licence":               {status(`{"license":"mine"}`), "forbiddenLicenseSetting"},
		"planned":               {status(`{"privacyStatus":"private","publishAt":"2026-12-01T09:00:00Z"}`), ""},
		"scheduled and public":  {status(`{"privacyStatus":"public","publishAt":"2026-12-01T09:00:00Z"}`), "invalidPublishAt"},
		"invalid schedule":      {status(`{"privacyStatus":"private","publishAt":"soon"}`), "invalidPublishAt"},
		"invalid JSON":          {`{`, "parseError"},
	} {
		t.Run(name, func(t *testing.T) {
			a := r.call("POST", "/upload/youtube/v3/videos?uploadType=resumable&part=snippet&part=status", []byte(c.doc), "Content-Type", "application/json")
			if a.reason() != c.want || (a.status == 200) != (c.want == "") {
				t.Errorf("got %d %q, want %q", a.status, a.reason(), c.want)
			}
		})
	}
	for name, c := range map[string]struct {
		path, want string
		head       []string
	}{
		"no part":        {"/upload/youtube/v3/videos?uploadType=resumable", "missingRequiredParameter", nil},
		"unknown part":   {"/upload/youtube/v3/videos?uploadType=resumable&part=soul", "unexpectedParameter", nil},
		"no upload type": {"/upload/youtube/v3/videos?part=snippet", "mediaBodyRequired", nil},
		"an image":       {"/upload/youtube/v3/videos?uploadType=resumable&part=snippet", "badContent", []string{"X-Upload-Content-Type", "image/png"}},
		"a path":         {"/upload/youtube/v3/videos?uploadType=resumable&part=snippet", "invalidFilename", []string{"Slug", "../a"}},
		"no token":       {"/upload/youtube/v3/videos?uploadType=resumable&part=snippet", "required", []string{"Authorization", ""}},
	} {
		t.Run(name, func(t *testing.T) {
			if a := r.call("POST", c.path, []byte(private), c.head...); a.reason() != c.want {
				t.Errorf("got %d %q, want %q", a.status, a.reason(), c.want)
			}
		})
	}
}

func TestUpload_Quotas(t *testing.T) {
	open := "/upload/youtube/v3/videos?uploadType=resumable&part=snippet,status"
	t.Run("daily uploads", func(t *testing.T) {
		r := newRig(t)
		rules := Documented()
		rules.Uploads = 2
		r.SetRules(rules)
		r.open(private)
		r.open(private)
		a := r.call("POST", open, []byte(private))
		e, _ := a.doc["error"].(map[string]any)
		if a.status != 429 || a.reason() != "rateLimitExceeded" || e["status"] != "RESOURCE_EXHAUSTED" || !strings.Contains(e["message"].(string), "'Video Uploads per day'") {
			t.Errorf("got %d %v", a.status, a.doc)
		}
		r.clock.SetTime(time.Date(2026, 11, 22, 7, 59, 59, 0, time.UTC))
		r.token = r.grant("maya", managing[0])
		if a := r.call("POST", open, []byte(private)); a.status != 429 {
			t.Errorf("before midnight in California: got %d", a.status)
		}
		r.clock.Step(time.Second)
		r.open(private)
	})
	t.Run("units", func(t *testing.T) {
		r := newRig(t)
		rules := Documented()
		rules.Units = 51
		r.SetRules(rules)
		id := r.upload(private)
		if a := r.call("PUT", "/youtube/v3/videos?part=status", []byte(`{"id":"`+id+`","status":{"privacyStatus":"unlisted"}}`)); a.status != 200 {
			t.Fatal(a.status, a.doc)
		}
		r.status(id)
		if a := r.call("GET", "/youtube/v3/videos?part=status&id="+id, nil); a.status != 403 || a.reason() != "quotaExceeded" {
			t.Errorf("got %d %v", a.status, a.doc)
		}
	})
	t.Run("channel", func(t *testing.T) {
		r := newRig(t)
		rules := Documented()
		rules.ChannelUploads = 1
		r.SetRules(rules)
		r.upload(private)
		if a := r.call("POST", open, []byte(private)); a.status != 400 || a.reason() != "uploadLimitExceeded" {
			t.Errorf("got %d %v", a.status, a.doc)
		}
		if a := r.call("POST", open, []byte(private), "Authorization", "Bearer "+r.grant("acme", managing[0])); a.status != 200 {
			t.Errorf("another channel: got %d", a.status)
		}
		r.clock.Step(24 * time.Hour)
		r.token = r.grant("maya", managing[0])
		r.open(private)
	})
}

// After a restart the videos are restored, and unfinished uploads are not.
func TestUpload_Restart(t *testing.T) {
	dir, clk := t.TempDir(), testclock.NewFakeClock(time.Date(2026, 11, 21, 20, 0, 0, 0, time.UTC))
	r := rigIn(t, dir, clk)
	id := r.upload(private)
	half := r.open(private)
	if err := r.core.Close(); err != nil {
		t.Fatal(err)
	}
	r = rigIn(t, dir, clk)
	clk.Step(time.Minute)
	if s := r.status(id); s["uploadStatus"] != "processed" || s["privacyStatus"] != "private" {
		t.Errorf("got %v", s)
	}
	u, _ := url.Parse(half)
	if a := r.call("PUT", u.RequestURI(), nil, "Content-Range", "bytes */100"); a.status != http.StatusNotFound {
		t.Errorf("a session from before: got %d", a.status)
	}
}
