// SPDX-License-Identifier: Apache-2.0

package youtube

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/reelops/reelops/internal/social/sandbox"
)

func TestProcessing(t *testing.T) {
	for what, c := range map[string]struct {
		fault sandbox.Fault
		doc   []byte
		want  [2]string
	}{
		"good":        {want: [2]string{"processed"}},
		"not a video": {doc: []byte("this is no film"), want: [2]string{"failed", "invalidFile"}},
		"script":      {fault: sandbox.Fault{Do: sandbox.Fail}, want: [2]string{"failed", "conversion"}},
		"codec":       {fault: sandbox.Fault{Do: sandbox.Fail, Code: "codec"}, want: [2]string{"failed", "codec"}},
		"moderation":  {fault: sandbox.Fault{Do: sandbox.Reject, Code: "trademark"}, want: [2]string{"rejected", "trademark"}},
	} {
		t.Run(what, func(t *testing.T) {
			r := newRig(t)
			if f := c.fault; f.Do != "" {
				f.Platform, f.Call = "youtube", sandbox.CallProcessing
				if err := r.core.SetFaults(f); err != nil {
					t.Fatal(err)
				}
			}
			doc := c.doc
			if doc == nil {
				doc = aFilm(t)
			}
			a := r.call("PUT", r.open(`{"snippet":{"title":"t"},"status":{"privacyStatus":"public"}}`), doc)
			id := a.doc["id"].(string)
			if s := r.status(id); s["uploadStatus"] != "uploaded" {
				t.Errorf("at once: got %v", s)
			}
			r.clock.Step(10 * time.Second)
			s := r.status(id)
			got := [2]string{s["uploadStatus"].(string)}
			for _, k := range []string{"failureReason", "rejectionReason"} {
				if v, ok := s[k].(string); ok {
					got[1] = v
				}
			}
			if got != c.want {
				t.Errorf("got %v, want %v", got, c.want)
			}
			if landed := len(r.core.Landed(name)); (landed == 1) != (c.want[0] == "processed") {
				t.Errorf("got %d landed", landed)
			}
		})
	}
}

// An update clears the fields that the named parts leave out, and keeps the other parts.
func TestUpdate(t *testing.T) {
	r := newRig(t)
	id := r.upload(`{"snippet":{"title":"t","description":"d","tags":["a"],"categoryId":"22"},"status":{"privacyStatus":"private","selfDeclaredMadeForKids":true,"license":"creativeCommon","publishAt":"2026-12-01T09:00:00Z"}}`)
	put := func(part, doc string) answer {
		return r.call("PUT", "/youtube/v3/videos?part="+part, []byte(strings.ReplaceAll(doc, "ID", id)))
	}
	if a := put("status", `{"id":"ID","status":{"privacyStatus":"private","embeddable":false}}`); a.status != 200 {
		t.Fatal(a.status, a.doc)
	}
	s := r.status(id)
	if _, kids := s["selfDeclaredMadeForKids"]; kids || s["license"] != "youtube" || s["embeddable"] != false || s["publishAt"] != nil {
		t.Errorf("status: got %v", s)
	}
	if v := r.Videos()[0]; v.Title != "t" || v.Description != "d" || len(v.Tags) != 1 {
		t.Errorf("the texts changed: %+v", v)
	}
	if a := put("snippet", `{"id":"ID","snippet":{"title":"u"}}`); a.reason() != "invalidCategoryId" {
		t.Errorf("without a category: got %v", a.doc)
	}
	if a := put("snippet", `{"id":"ID","snippet":{"title":"u","categoryId":"24"}}`); a.status != 200 {
		t.Fatal(a.doc)
	}
	if v := r.Videos()[0]; v.Title != "u" || v.Description != "" || v.Tags != nil || v.Privacy != "private" {
		t.Errorf("texts: got %+v", v)
	}
	if a := put("status", `{"id":"ID"}`); a.status != 200 || r.Videos()[0].Privacy != "public" {
		t.Errorf("without a visibility: got %d, %s", a.status, r.Videos()[0].Privacy)
	}
	if a := put("status", `{"id":"ID","status":{"privacyStatus":"private","publishAt":"2026-12-01T09:00:00Z"}}`); a.reason() != "invalidPublishAt" {
		t.Errorf("scheduled after it was public: got %v", a.doc)
	}
	r.token = r.grant("acme", managing[0])
	if a := put("status", `{"id":"ID","status":{"privacyStatus":"public"}}`); a.status != 403 {
		t.Errorf("by another user: got %d", a.status)
	}
	r.token = r.grant("maya", uploading[0])
	if a := put("status", `{"id":"ID","status":{"privacyStatus":"public"}}`); a.status != 403 || a.reason() != "insufficientPermissions" {
		t.Errorf("with the upload scope: got %v", a.doc)
	}
}

func TestUpdate_Schedules(t *testing.T) {
	r := newRig(t)
	id := r.upload(`{"snippet":{"title":"t"},"status":{"privacyStatus":"private","publishAt":"2026-11-21T20:30:00Z"}}`)
	r.clock.Step(29 * time.Minute)
	if s := r.status(id); s["privacyStatus"] != "private" {
		t.Errorf("too early: got %v", s)
	}
	r.clock.Step(5 * time.Minute)
	if s := r.status(id); s["privacyStatus"] != "public" {
		t.Errorf("too late: got %v", s)
	}
	if l := r.core.Landed("youtube"); len(l) != 1 || l[0].Visibility != sandbox.Public || l[0].At.Format(time.TimeOnly) != "20:30:00" {
		t.Errorf("got %+v", l)
	}
}

func TestList_Visibility(t *testing.T) {
	r := newRig(t)
	hidden, shown := r.upload(private), r.upload(`{"snippet":{"title":"t"}}`)
	list := func() []string {
		var out []string
		for _, i := range r.call("GET", "/youtube/v3/videos?part=id&id="+hidden+"&id="+shown+",none", nil).items() {
			out = append(out, i.(map[string]any)["id"].(string))
		}
		return out
	}
	if diff := cmp.Diff([]string{hidden, shown}, list()); diff != "" {
		t.Error("as the owner:", diff)
	}
	r.token = r.grant("acme", reading[0])
	if diff := cmp.Diff([]string{shown}, list()); diff != "" {
		t.Error("as another user:", diff)
	}
	if a := r.call("GET", "/youtube/v3/videos?part=fileDetails&id="+shown, nil); a.status != 403 {
		t.Errorf("another user's files: got %d", a.status)
	}
	if a := r.call("GET", "/youtube/v3/videos?part=status", nil); a.reason() != "missingRequiredParameter" {
		t.Errorf("no id: got %v", a.doc)
	}
}

func TestList_UploadsPlaylist(t *testing.T) {
	r := newRig(t)
	rules := Generous()
	rules.UploadsLag = time.Minute
	r.SetRules(rules)
	var want []string
	for range 7 {
		want = append([]string{r.upload(private)}, want...)
	}
	c := r.call("GET", "/youtube/v3/channels?part=contentDetails,snippet,statistics&mine=true", nil).items()[0].(map[string]any)
	uploads := c["contentDetails"].(map[string]any)["relatedPlaylists"].(map[string]any)["uploads"].(string)
	if uploads != "UU"+strings.TrimPrefix(c["id"].(string), "UC") {
		t.Errorf("got playlist %s", uploads)
	}
	read := func(size int) []string {
		var got []string
		for page := ""; ; {
			a := r.call("GET", fmt.Sprintf("/youtube/v3/playlistItems?part=contentDetails,snippet,status&maxResults=%d&playlistId=%s&pageToken=%s", size, uploads, page), nil)
			for _, i := range a.items() {
				got = append(got, i.(map[string]any)["contentDetails"].(map[string]any)["videoId"].(string))
			}
			next, more := a.doc["nextPageToken"].(string)
			if !more {
				return got
			}
			page = next
		}
	}
	if got := read(5); got != nil {
		t.Errorf("before the videos appear: got %v", got)
	}
	r.clock.Step(time.Minute)
	for _, size := range []int{3, 5, 7, 50} {
		if diff := cmp.Diff(want, read(size)); diff != "" {
			t.Errorf("pages of %d: got %s", size, diff)
		}
	}
	r.token = r.grant("acme", reading[0])
	if got := read(50); got != nil {
		t.Errorf("another user: got %v", got)
	}
	if a := r.call("GET", "/youtube/v3/playlistItems?part=snippet&playlistId=UUnone", nil); a.status != 404 || a.reason() != "playlistNotFound" {
		t.Errorf("got %d %v", a.status, a.doc)
	}
	if a := r.call("GET", "/youtube/v3/playlistItems?part=snippet&maxResults=51&playlistId="+uploads, nil); a.status != 400 {
		t.Errorf("pages of 51: got %d", a.status)
	}
}

func TestDelete_RemovesTheThumbnail(t *testing.T) {
	r := newRig(t)
	id := r.upload(private)
	r.clock.Step(time.Minute)
	if a := r.call("POST", "/upload/youtube/v3/thumbnails/set?videoId="+id, []byte("\xff\xd8\xff\xe0jpeg"), "Content-Type", "image/jpeg"); a.status != 200 {
		t.Errorf("thumbnail: got %d %v", a.status, a.doc)
	}
	if a := r.call("DELETE", "/youtube/v3/videos?id="+id, nil, "Authorization", "Bearer "+r.grant("acme", managing[0])); a.status != 403 {
		t.Errorf("by another user: got %d", a.status)
	}
	if a := r.call("DELETE", "/youtube/v3/videos?id="+id, nil); a.status != 204 || len(r.Videos()) != 0 || len(r.core.Landed("youtube")) != 0 {
		t.Errorf("got %d, %d videos", a.status, len(r.Videos()))
	}
	if a := r.call("DELETE", "/youtube/v3/videos?id="+id, nil); a.status != 404 || a.reason() != "videoNotFound" {
		t.Errorf("again: got %d", a.status)
	}
}
