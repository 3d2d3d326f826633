// SPDX-License-Identifier: Apache-2.0

package linkedin

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestHeaders(t *testing.T) {
	r := newRig(t)
	for _, c := range []struct {
		header string
		status int
		code   string
	}{
		{"LinkedIn-Version: ", 400, "VERSION_MISSING"},
		{"LinkedIn-Version: 202610", 426, "NONEXISTENT_VERSION"},
		{"LinkedIn-Version: 202509", 426, "NONEXISTENT_VERSION"},
		{"LinkedIn-Version: 202613", 426, "NONEXISTENT_VERSION"},
		{"LinkedIn-Version: 202510", 200, ""},
		{"LinkedIn-Version: 202609", 200, ""},
		{"X-Restli-Protocol-Version: ", 400, "ILLEGAL_ARGUMENT"},
		{"Authorization: ", 401, "EMPTY_ACCESS_TOKEN"},
		{"Authorization: Bearer x", 401, "INVALID_ACCESS_TOKEN"},
		{"Authorization: Bearer " + r.grant("maya", "openid"), 403, "ACCESS_DENIED"},
	} {
		r.want(c.header, r.call("GET", "/rest/me", nil, c.header), c.status, c.code)
	}
	r.SetRules(Rules{Newest: "202712"})
	r.want("a disabled version", r.call("GET", "/rest/me", nil), 426, "NONEXISTENT_VERSION")
	r.SetRules(Rules{})
	r.clock.Step(61 * 24 * time.Hour)
	r.want("an expired token", r.call("GET", "/rest/me", nil), 401, "EXPIRED_ACCESS_TOKEN")
	r.tokens.Revoke("maya")
	r.want("a revoked token", r.call("GET", "/rest/me", nil), 401, "REVOKED_ACCESS_TOKEN")
}

// Parsing of little text.
func TestLittleText(t *testing.T) {
	for text, want := range map[string]string{
		`a \(b\) \\ c`: `a (b) \ c`,
		"a (b) c":      "a ",
		"a _b_":        "a ",
		`tail\`:        "tail",
		"#bread 🥖":     "#bread 🥖",
		"# bread":      "",
		"Hi @[Acme \\(1\\)](urn:li:organization:1)!": `Hi Acme (1)!`,
		"x @y":                     "x ",
		`{hashtag|\#|bread} rises`: "#bread rises",
		"{x}":                      "",
		"":                         "",
	} {
		if got := visible(text); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

// Permissions of members on accounts.
func TestRoles(t *testing.T) {
	r := newRig(t)
	member, writer := r.grant("maya", scopeMember), r.grant("maya", scopePage)
	studio := r.grant("studio", everything...)
	for _, c := range []struct {
		what, token, owner string
		status             int
	}{
		{"for oneself", member, r.maya, 200},
		{"for a page with the scope for oneself", member, r.acme, 403},
		{"for a page", writer, r.acme, 200},
		{"for oneself with the scope for pages", writer, r.maya, 403},
		{"for another's page", studio, r.acme, 403},
		{"for another member", studio, r.maya, 403},
		{"for an unknown account", r.token, "urn:li:organization:1", 403},
	} {
		a := r.call("POST", "/rest/images?action=initializeUpload", object("initializeUploadRequest", object("owner", c.owner)), "Authorization: Bearer "+c.token)
		if a.status != c.status {
			t.Errorf("%s: got %d %v", c.what, a.status, a.doc)
		}
	}
	page, own := r.post(r.acme, "Hi"), r.post(r.maya, "Hi")
	if a := r.call("GET", "/rest/posts/"+escape(page), nil); a.status != 200 || a.doc["author"] != r.acme {
		t.Errorf("post of a page: got %d %v", a.status, a.doc)
	}
	r.want("a post of a member", r.call("GET", "/rest/posts/"+escape(own), nil), 403, "ACCESS_DENIED")
	r.want("without the scope", r.call("GET", "/rest/posts/"+escape(page), nil, "Authorization: Bearer "+writer), 403, "ACCESS_DENIED")
	find := func(author string, header ...string) answer {
		return r.call("GET", "/rest/posts?q=author&author="+escape(author), nil, header...)
	}
	if a := find(r.acme, "X-RestLi-Method: FINDER"); a.status != 200 || len(a.doc["elements"].([]any)) != 1 {
		t.Errorf("posts of a page: got %d %v", a.status, a.doc)
	}
	r.want("posts of a member", find(r.maya, "X-RestLi-Method: FINDER"), 400, "ILLEGAL_ARGUMENT")
	r.want("without the method", find(r.acme), 400, "ILLEGAL_ARGUMENT")
	r.want("an image of a member", r.call("GET", "/rest/images/"+escape(r.image(r.maya, picture(9, 9))), nil), 403, "ACCESS_DENIED")
}

func TestPosts_Rejections(t *testing.T) {
	r := newRig(t)
	a, b := r.image(r.acme, picture(10, 10)), r.image(r.acme, picture(10, 11))
	mine := r.image(r.maya, picture(10, 10))
	broken, huge := r.image(r.acme, []byte("no picture")), r.image(r.acme, picture(6020, 6010))
	r.clock.Step(10 * time.Second)
	late := r.image(r.acme, picture(10, 12))
	album := func(urns ...string) map[string]any {
		images := []any{}
		for _, u := range urns {
			images = append(images, object("id", u))
		}
		return object("multiImage", object("images", images))
	}
	many := strings.Split(strings.Repeat(a+" ", 20)+a, " ")
	for _, c := range []struct {
		what, field string
		value       any
		status      int
		code        string
	}{
		{"no text", "commentary", nil, 422, "MISSING_FIELD"},
		{"a draft", "lifecycleState", "DRAFT", 422, "INVALID_VALUE_FOR_FIELD"},
		{"for connections of a page", "visibility", "CONNECTIONS", 422, "INVALID_VALUE_FOR_FIELD"},
		{"a text that is too long", "commentary", strings.Repeat("é", 3001), 400, "FIELD_ARRAY_SIZE_TOO_HIGH"},
		{"a text that is too long with its escapes", "commentary", strings.Repeat(`\(`, 1500) + "x", 400, "FIELD_ARRAY_SIZE_TOO_HIGH"},
		{"a title that is too long", "content", object("media", object("id", a, "title", strings.Repeat("x", 401))), 400, "FIELD_LENGTH_TOO_LONG"},
		{"no content", "content", object(), 422, "UNPROCESSABLE_ENTITY"},
		{"one of several images", "content", album(a), 400, "INVALID_VALUE_FOR_FIELD"},
		{"21", "content", album(many...), 400, "INVALID_VALUE_FOR_FIELD"},
		{"a missing image", "content", object("media", object("id", "urn:li:image:x")), 400, "INVALID_IMAGE_ID"},
		{"a missing video", "content", object("media", object("id", "urn:li:video:x")), 400, "INVALID_VIDEO_ID"},
		{"another's image", "content", album(a, mine), 400, "INVALID_URN_ID"},
		{"not ready", "content", album(a, late), 400, "MEDIA_ASSET_WAITING_UPLOAD"},
		{"not an image", "content", album(a, broken), 400, "MEDIA_ASSET_PROCESSING_FAILED"},
		{"too many pixels", "content", album(a, huge), 400, "MEDIA_ASSET_PROCESSING_FAILED"},
	} {
		body := r.text(r.acme, a, "Hi")
		if body[c.field] = c.value; c.value == nil {
			delete(body, c.field)
		}
		r.want(c.what, r.call("POST", "/rest/posts", body), c.status, c.code)
	}
	if n := r.Posts(r.acme); n != 0 {
		t.Fatalf("got %d posts", n)
	}
	body := r.text(r.acme, a, strings.Repeat(`\(`, 1500))
	body["content"] = album(a, b)
	if got := r.call("POST", "/rest/posts", body); got.status != 201 || !strings.HasPrefix(got.header.Get("x-restli-id"), shareURN) || got.doc != nil {
		t.Errorf("3000 characters with escapes: got %d %v", got.status, got.doc)
	}
	if l := r.core.Landed(name); len(l) != 1 || l[0].Caption != strings.Repeat("(", 1500) || len(l[0].Files) != 2 {
		t.Errorf("got %d posts", len(l))
	}
}

func TestUploads(t *testing.T) {
	r := newRig(t)
	doc, err := film()
	if err != nil || len(doc) < partBytes || len(doc) > 500<<20 {
		t.Fatalf("a video of %d bytes, %v", len(doc), err)
	}
	begin := func(size int) (answer, []any) {
		a := r.call("POST", "/rest/videos?action=initializeUpload", object("initializeUploadRequest", object("owner", r.acme, "fileSizeBytes", size)))
		v, _ := a.doc["value"].(map[string]any)
		parts, _ := v["uploadInstructions"].([]any)
		return a, parts
	}
	for size, status := range map[int]int{0: 400, 500<<20 + 1: 400, 500 << 20: 200} {
		if a, _ := begin(size); a.status != status {
			t.Errorf("%d bytes: got %d %v", size, a.status, a.doc)
		}
	}
	a, parts := begin(len(doc))
	urn := a.value("video")
	finish := func(ids ...string) answer {
		return r.call("POST", "/rest/videos?action=finalizeUpload", object("finalizeUploadRequest", object("video", urn, "uploadToken", "", "uploadedPartIds", ids)))
	}
	var ids []string
	for i, x := range parts {
		p := x.(map[string]any)
		first, last := int(p["firstByte"].(float64)), int(p["lastByte"].(float64))
		if first != i*partBytes || (i < len(parts)-1 && last != first+partBytes-1) {
			t.Errorf("part %d is from %d to %d", i, first, last)
		}
		if got := r.call("PUT", p["uploadUrl"].(string), doc[first:last]); got.status != 400 {
			t.Errorf("a part that lacks a byte: got %d", got.status)
		}
		r.want("a missing part", finish(ids...), 400, "UPDATING_ASSET_FAILED")
		got := r.call("PUT", p["uploadUrl"].(string), doc[first:last+1])
		ids = append(ids, got.header.Get("ETag"))
	}
	state := func() string {
		s, _ := r.call("GET", "/rest/videos/"+escape(urn), nil).doc["status"].(string)
		return s
	}
	before := state()
	backwards := append([]string{}, ids...)
	backwards[0], backwards[len(ids)-1] = backwards[len(ids)-1], backwards[0]
	r.want("parts out of order", finish(backwards...), 400, "UPDATING_ASSET_FAILED")
	r.want("all parts", finish(ids...), 200, "")
	during := state()
	r.clock.Step(10 * time.Second)
	if diff := cmp.Diff([]string{"WAITING_UPLOAD", "PROCESSING", "AVAILABLE"}, []string{before, during, state()}); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	post := r.call("POST", "/rest/posts", r.text(r.acme, urn, "Hi"))
	if l := r.core.Landed(name); len(l) != 1 || l[0].Bytes != int64(len(doc)) || l[0].ID != post.header.Get("x-restli-id") || !strings.HasPrefix(l[0].ID, ugcPostURN) {
		t.Errorf("got %+v", l)
	}
	r.SetRules(Rules{UploadLife: time.Minute})
	_, parts = begin(len(doc))
	r.clock.Step(time.Minute)
	r.want("an expired URL", r.call("PUT", parts[0].(map[string]any)["uploadUrl"].(string), doc[:partBytes]), 400, "EXPIRED_UPLOAD_URL")
}

func TestPosts_ChangeAndDelete(t *testing.T) {
	r := newRig(t)
	urn := r.post(r.acme, "Hi")
	patch := object("patch", object("$set", object("commentary", `Hi \(you\)`)))
	r.want("without the method", r.call("POST", "/rest/posts/"+escape(urn), patch), 400, "ILLEGAL_ARGUMENT")
	if a := r.call("POST", "/rest/posts/"+escape(urn), patch, "X-RestLi-Method: PARTIAL_UPDATE"); a.status != 204 {
		t.Errorf("got %d %v", a.status, a.doc)
	}
	if l, _ := r.core.LandedByID(name, urn); l.Caption != "Hi (you)" {
		t.Errorf("got message %q", l.Caption)
	}
	stranger := "Authorization: Bearer " + r.grant("studio", everything...)
	r.want("another's", r.call("DELETE", "/rest/posts/"+escape(urn), nil, stranger), 403, "ACCESS_DENIED")
	for range 2 {
		if a := r.call("DELETE", "/rest/posts/"+escape(urn), nil); a.status != 204 {
			t.Errorf("got %d %v", a.status, a.doc)
		}
	}
	r.want("a deleted post", r.call("GET", "/rest/posts/"+escape(urn), nil), 404, "NOT_FOUND")
	if len(r.core.Landed(name)) > 0 || r.Posts(r.acme) > 0 {
		t.Error("the post still exists")
	}
}

func TestPosts_DuplicatesAndMissingIDs(t *testing.T) {
	r := newRig(t)
	r.SetRules(Rules{Duplicates: time.Hour})
	first := r.post(r.acme, "Hi")
	again := r.text(r.acme, r.image(r.acme, picture(10, 10)), "Hi")
	r.clock.Step(10 * time.Second)
	a := r.call("POST", "/rest/posts", again)
	r.want("again", a, 422, "DUPLICATE_POST")
	if m, _ := a.doc["message"].(string); !strings.HasSuffix(m, first) {
		t.Errorf("got message %q", m)
	}
	r.post(r.maya, "Hi")
	r.clock.Step(time.Hour)
	r.SetRules(Rules{Duplicates: time.Hour, NoID: true})
	if a := r.call("POST", "/rest/posts", again); a.status != 201 || a.header.Get("x-restli-id") != "" {
		t.Errorf("got %d %v", a.status, a.header)
	}
}

// Lists are paginated, newest first.
func TestPaging(t *testing.T) {
	r := newRig(t)
	for i := range 12 {
		r.post(r.acme, fmt.Sprint("no. ", i))
	}
	var got []string
	for next := "/rest/posts?q=author&author=" + escape(r.acme) + "&count=5"; next != ""; {
		a := r.call("GET", next, nil, "X-RestLi-Method: FINDER")
		for _, e := range a.doc["elements"].([]any) {
			got = append(got, e.(map[string]any)["commentary"].(string))
		}
		next = ""
		for _, l := range a.doc["paging"].(map[string]any)["links"].([]any) {
			next = l.(map[string]any)["href"].(string)
		}
	}
	if len(got) != 12 || got[0] != "no. 11" || got[11] != "no. 0" {
		t.Errorf("got %q", got)
	}
}

// After a restart, posts and their files are restored.
func TestSandbox_Restart(t *testing.T) {
	dir := t.TempDir()
	r := rigIn(t, dir, newRig(t).clock)
	urn := r.image(r.acme, picture(10, 10))
	r.clock.Step(10 * time.Second)
	id := r.call("POST", "/rest/posts", r.text(r.acme, urn, "Hi")).header.Get("x-restli-id")
	next := rigIn(t, dir, r.clock)
	a := next.call("GET", "/rest/posts/"+escape(id), nil, "Authorization: Bearer "+r.token)
	content, _ := a.doc["content"].(map[string]any)
	media, _ := content["media"].(map[string]any)
	if a.status != 200 || media["id"] != urn {
		t.Errorf("got %d %v", a.status, a.doc)
	}
	if err := next.core.Reset(); err != nil || next.Posts(r.acme) != 0 {
		t.Errorf("got %v, %d posts", err, next.Posts(r.acme))
	}
}
