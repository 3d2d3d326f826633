// SPDX-License-Identifier: Apache-2.0

package tiktok

import (
	"fmt"
	"net/http"
	"strconv"
	"testing"
	"time"

	"github.com/reelops/reelops/internal/social/sandbox"
)

func TestStatus_PublishedPost(t *testing.T) {
	r := newRig(t)
	l := Default()
	l.Moderation = 10 * time.Second
	r.SetLimits(l)
	id := r.published(everybody, good(t))
	if got := r.core.Landed(name); len(got) != 1 || got[0].Visibility != sandbox.Public || got[0].Caption != "Bread 🥖" || got[0].Title != "" {
		t.Fatalf("got %+v", got)
	}
	post := r.core.Landed(name)[0].ID
	for _, c := range []struct {
		after  time.Duration
		status string
		posts  int
		listed int
	}{
		{0, processingUpload, 0, 0},
		{5 * time.Second, complete, 0, 0}, // moderation is in progress
		{10 * time.Second, complete, 1, 1},
	} {
		r.clock.Step(c.after)
		s := r.status(id)
		if s.Data.Status != c.status || len(s.Data.Posts) != c.posts || *s.Data.Uploaded != int64(len(good(t))) || s.Data.Downloaded != nil {
			t.Errorf("after %s: got %+v", c.after, s.Data)
		}
		if c.posts > 0 && s.Data.Posts[0].String() != post {
			t.Errorf("got post %s, want %s", s.Data.Posts[0], post)
		}
		if got := r.post("/v2/video/list/?fields=id", `{}`); len(got.Data.Videos) != c.listed {
			t.Errorf("after %s: got %d posts in the list", c.after, len(got.Data.Videos))
		}
	}
	if n, err := strconv.ParseInt(post, 10, 64); err != nil || n <= 1<<53 {
		t.Errorf("the id %s does not need 64 bits", post)
	}
}

func TestStatus_PrivatePostsHaveNoID(t *testing.T) {
	r := newRig(t)
	id := r.published(nobody, good(t))
	r.clock.Step(time.Hour)
	if s := r.status(id); s.Data.Status != complete || len(s.Data.Posts) > 0 {
		t.Errorf("got %+v", s.Data)
	}
	if l := r.core.Landed(name); len(l) != 1 || l[0].Visibility != sandbox.Private {
		t.Errorf("got %+v", l)
	}
}

func TestDrafts(t *testing.T) {
	for posts := range 3 {
		t.Run(fmt.Sprint(posts, " posts"), func(t *testing.T) {
			r := newRig(t)
			doc := good(t)
			a := r.post("/v2/post/publish/inbox/video/init/", fmt.Sprintf(`{"source_info":{"source":"FILE_UPLOAD","video_size":%d,"chunk_size":%d,"total_chunk_count":1}}`, len(doc), len(doc)))
			r.put(a.Data.UploadURL, doc, 0, len(doc))
			finish := fmt.Sprintf("/app/inbox/%s/finish?posts=%d", a.Data.PublishID, posts)
			if s := r.post(finish, "").status; s != http.StatusNotFound {
				t.Errorf("finished during processing: got %d", s)
			}
			r.clock.Step(5 * time.Second)
			if s := r.status(a.Data.PublishID); s.Data.Status != inInbox || len(s.Data.Posts) > 0 {
				t.Errorf("got %+v", s.Data)
			}
			if l := r.core.Landed(name); len(l) != 1 || l[0].Visibility != sandbox.Inbox {
				t.Errorf("got %+v", l)
			}
			if s := r.post(finish, "").status; s != http.StatusNoContent {
				t.Errorf("finishing: got %d", s)
			}
			if s := r.status(a.Data.PublishID); s.Data.Status != complete || len(s.Data.Posts) != posts {
				t.Errorf("got %+v", s.Data)
			}
			if l := r.core.Landed(name); len(l) != posts {
				t.Errorf("got %d posts, want %d", len(l), posts)
			}
		})
	}
}

func TestStatus_ForeignPosts(t *testing.T) {
	r := newRig(t)
	id := r.published(nobody, good(t))
	if s := r.status("v_pub_file~v2-1.1"); s.status != 400 || s.code() != "invalid_publish_id" {
		t.Errorf("got %d %s", s.status, s.code())
	}
	r.token = r.grant("studio", allScopes...)
	if s := r.status(id); s.status != 400 || s.code() != "token_not_authorized_for_specified_publish_id" {
		t.Errorf("got %d %s", s.status, s.code())
	}
	r.token = r.grant("maya", scopeBasic)
	if s := r.status(id); s.status != 401 || s.code() != "scope_not_authorized" {
		t.Errorf("got %d %s", s.status, s.code())
	}
}

func TestStatus_ScriptedProcessing(t *testing.T) {
	for _, c := range []struct {
		do, code, want string
	}{
		{sandbox.Fail, "", "internal"}, {sandbox.Fail, "auth_removed", "auth_removed"}, {sandbox.Reject, "", "spam_risk"}, {sandbox.Reject, "spam_risk_text", "spam_risk_text"},
	} {
		r := newRig(t)
		if err := r.core.SetFaults(sandbox.Fault{Platform: name, Call: sandbox.CallProcessing, Account: "maya", Do: c.do, Code: c.code}); err != nil {
			t.Fatal(err)
		}
		id := r.published(everybody, good(t))
		if s := r.status(id); s.Data.Status != processingUpload {
			t.Errorf("got %+v", s.Data)
		}
		r.clock.Step(5 * time.Second)
		if s := r.status(id); s.Data.Status != failed || s.Data.FailReason != c.want || s.code() != "ok" || s.status != 200 || len(r.core.Landed(name)) > 0 {
			t.Errorf("%s %s: got %+v", c.do, c.code, s.Data)
		}
		r.published(everybody, good(t)) // the next post is published
		if len(r.core.Landed(name)) != 1 {
			t.Error("no post was published")
		}
	}
}
