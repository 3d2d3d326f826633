// SPDX-License-Identifier: Apache-2.0

package sandbox

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
)

// request sends a request and returns the status and the body.
func (r *rig) request(t *testing.T, method, path, body string) (status int, doc string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, r.server.URL+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	got, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, string(got)
}

func (r *rig) ledger(t *testing.T) []Landing {
	t.Helper()
	_, doc := r.request(t, http.MethodGet, "/ledger", "")
	var out []Landing
	if err := json.Unmarshal([]byte(doc), &out); err != nil {
		t.Fatal(err)
	}
	return out
}

func TestElsewhere_CreatesAndDeletesPosts(t *testing.T) {
	dir := t.TempDir()
	r := newRig(t, dir)
	status, doc := r.request(t, http.MethodPost, "/elsewhere", `{"platform":"counter","account":"mayas.kitchen","caption":"Rye <bread>","count":3,"minutes":90,"at":"2026-11-20T12:00:00+02:00"}`)
	var posts []createdPost
	if err := json.Unmarshal([]byte(doc), &posts); status != http.StatusOK || err != nil || len(posts) != 3 {
		t.Fatal(status, doc, err)
	}
	last := time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC)
	for i, l := range r.ledger(t) {
		want := last.Add(time.Duration(i-2) * 90 * time.Minute)
		if l.ID != posts[i].ID || !l.Elsewhere || l.Account != "maya" || l.Username != "mayas.kitchen" || l.Visibility != Public || !l.At.Equal(want) ||
			l.Caption != "Rye <bread> "+string(rune('1'+i)) {
			t.Errorf("post %d: got %+v", i, l)
		}
	}
	if _, page := r.request(t, http.MethodGet, "/", ""); strings.Count(page, ">elsewhere</span>") != 3 || !strings.Contains(page, "Rye &lt;bread&gt; 2") {
		t.Error("the page does not show the origin of the posts:", page)
	}
	path := strings.TrimPrefix(posts[1].URL, r.server.URL)
	if status, page := r.request(t, http.MethodGet, path, ""); status != http.StatusOK || !strings.Contains(page, "Rye &lt;bread&gt; 2") {
		t.Error("the post's page:", status, page)
	}
	if n := len(r.s.Calls()); n > 0 {
		t.Errorf("posts of the app count %d API calls", n)
	}

	if status, doc := r.request(t, http.MethodDelete, "/ledger/counter/"+posts[1].ID, ""); status != http.StatusNoContent {
		t.Fatal(status, doc)
	}
	if status, _ := r.request(t, http.MethodGet, path, ""); status != http.StatusNotFound {
		t.Error("the page of a deleted post returns", status)
	}
	if status, _ := r.request(t, http.MethodDelete, "/ledger/counter/"+posts[1].ID, ""); status != http.StatusNotFound {
		t.Error("deleting the post again returns", status)
	}
	r.server.Close()
	if err := r.s.Close(); err != nil {
		t.Fatal(err)
	}
	again := newRig(t, dir)
	left := again.s.LandedOn("counter", "maya")
	if len(left) != 2 || left[0].ID != posts[2].ID || left[1].ID != posts[0].ID || !left[0].Elsewhere {
		t.Errorf("after a restart: got %+v", left)
	}
}

func TestElsewhere_ConcurrentPosts(t *testing.T) {
	r := newRig(t, t.TempDir())
	list, err := r.s.PostElsewhere(Elsewhere{Platform: "counter", Account: "studio", Title: "Step", Count: 2000, Minutes: 30})
	if err != nil {
		t.Fatal(err)
	}
	ids, urls := map[string]bool{}, map[string]bool{}
	for _, l := range list {
		ids[l.ID], urls[l.URL] = true, true
	}
	if len(ids) != 2000 || len(urls) != 2000 || !list[1999].At.Equal(r.clock.Now()) || len(r.s.Landed("counter")) != 2000 {
		t.Errorf("got %d ids, %d URLs, the last at %v", len(ids), len(urls), list[1999].At)
	}
}

func TestElsewhere_RejectsInvalidPosts(t *testing.T) {
	r := newRig(t, t.TempDir())
	for body, want := range map[string]string{
		`{"platform":"myspace","account":"maya","caption":"x"}`:                             `is none of counter`,
		`{"platform":"counter","account":"nobody","caption":"x"}`:                           `no account`,
		`{"platform":"counter","account":"maya"}`:                                           "title or a caption",
		`{"platform":"counter","account":"maya","caption":"x","count":100001}`:              "count must be",
		`{"platform":"counter","account":"maya","caption":"x","count":-1}`:                  "count must be",
		`{"platform":"counter","account":"maya","caption":"x","minutes":-5}`:                "minutes must be",
		`{"platform":"counter","account":"maya","caption":"x","at":"2026-11-21T12:00:01Z"}`: "in the future",
		`{"platform":"counter","account":"maya","caption":"x","when":1}`:                    "unknown field",
		`{"platform":"counter","account":"maya","caption":"x"} {}`:                          "one JSON object",
		`nonsense`: "invalid character",
	} {
		if status, doc := r.request(t, http.MethodPost, "/elsewhere", body); status != http.StatusBadRequest || !strings.Contains(doc, want) {
			t.Errorf("%s: got %d %s, want 400 with %q", body, status, doc, want)
		}
	}
	if n := len(r.s.Landed("")); n > 0 {
		t.Errorf("got %d posts", n)
	}
}
