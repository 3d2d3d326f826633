// SPDX-License-Identifier: Apache-2.0

package tiktok

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestInit_RejectedVideos(t *testing.T) {
	info := func(s string) string { return `{` + s + `}` }
	for _, c := range []struct {
		name, info, want string
		status           int
		change           func(r *rig, l *Limits)
	}{
		{name: "valid", info: everybody, status: 200, want: "ok"},
		{name: "a caption at the limit", info: info(`"privacy_level":"SELF_ONLY","title":"` + strings.Repeat("🥖", 1100) + `"`), status: 200, want: "ok"},
		{name: "one unit more", info: info(`"privacy_level":"SELF_ONLY","title":"` + strings.Repeat("🥖", 1100) + `x"`), status: 400, want: "invalid_param"},
		{name: "no audience", info: info(`"title":"x"`), status: 400, want: "invalid_params"},
		{name: "no post_info", info: "null", status: 400, want: "invalid_params"},
		{name: "an audience that is not offered", info: info(`"privacy_level":"FOLLOWER_OF_CREATOR"`), status: 403, want: "privacy_level_option_mismatch"},
		{
			name: "everybody, private account", info: everybody, status: 403, want: "privacy_level_option_mismatch",
			change: func(r *rig, _ *Limits) { r.SetPrivate("maya", true) },
		},
		{name: "paid partnership, visible to oneself", info: info(`"privacy_level":"SELF_ONLY","brand_content_toggle":true`), status: 400, want: "invalid_params"},
		{
			name: "an app that was not audited", info: nobody, status: 403, want: "unaudited_client_can_only_post_to_private_accounts",
			change: func(_ *rig, l *Limits) { l.Unaudited = true },
		},
		{
			name: "an unaudited app and a private account", info: nobody, status: 200, want: "ok",
			change: func(r *rig, l *Limits) { l.Unaudited = true; r.SetPrivate("maya", true) },
		},
		{name: "no scope", info: nobody, status: 401, want: "scope_not_authorized", change: func(r *rig, _ *Limits) { r.token = r.grant("maya", scopeUpload) }},
		{name: "no token", info: nobody, status: 401, want: "access_token_invalid", change: func(r *rig, _ *Limits) { r.token = "act.x" }},
		{name: "an expired token", info: nobody, status: 401, want: "access_token_invalid", change: func(r *rig, _ *Limits) { r.clock.Step(24 * time.Hour) }},
		{name: "a revoked token", info: nobody, status: 401, want: "access_token_invalid", change: func(r *rig, _ *Limits) { r.tokens.Revoke("maya") }},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRig(t)
			if c.change != nil {
				l := Default()
				c.change(r, &l)
				r.SetLimits(l)
			}
			if a := r.begin(c.info, 1000, 1000, 1); a.status != c.status || a.code() != c.want {
				t.Errorf("got %d %s, want %d %s", a.status, a.code(), c.status, c.want)
			}
		})
	}
}

func TestInit_RejectedPhotoSets(t *testing.T) {
	r := newRig(t)
	right := set("DIRECT_POST", "SELF_ONLY", "http://127.0.0.1:1/x.jpg")
	for name, c := range map[string]struct{ old, new, want string }{
		"valid":                  {"", "", "ok"},
		"a draft":                {"DIRECT_POST", "MEDIA_UPLOAD", "ok"},
		"the mode with a space":  {"DIRECT_POST", "DIRECT POST", "invalid_params"},
		"a video":                {"PHOTO", "VIDEO", "invalid_params"},
		"an upload":              {"PULL_FROM_URL", "FILE_UPLOAD", "invalid_params"},
		"no images":              {`"http://127.0.0.1:1/x.jpg"`, "", "invalid_params"},
		"too many":               {`"http://127.0.0.1:1/x.jpg"`, strings.Repeat(`"http://127.0.0.1:1/x.jpg",`, 35) + `"http://127.0.0.1:1/x.jpg"`, "invalid_params"},
		"an invalid cover index": {`"photo_cover_index":0`, `"photo_cover_index":1`, "invalid_params"},
		"no cover":               {`"photo_cover_index":0,`, "", "invalid_params"},
		"a long title":           {`"T"`, `"` + strings.Repeat("x", 91) + `"`, "invalid_param"},
		"a long text":            {`"D"`, `"` + strings.Repeat("🥖", 2001) + `"`, "invalid_param"},
		"no audience":            {`"SELF_ONLY"`, `""`, "invalid_params"},
		"invalid JSON":           {`}`, "", "invalid_params"},
	} {
		if a := r.post("/v2/post/publish/content/init/", strings.ReplaceAll(right, c.old, c.new)); c.old == "" && a.code() != "ok" || c.old != "" && a.code() != c.want {
			t.Errorf("%s: got %d %s, want %s", name, a.status, a.code(), c.want)
		}
	}
	for scope, mode := range map[string]string{scopeUpload: "DIRECT_POST", scopePublish: "MEDIA_UPLOAD"} {
		r.token = r.grant("maya", scope)
		if a := r.post("/v2/post/publish/content/init/", set(mode, "SELF_ONLY", "http://127.0.0.1:1/x.jpg")); a.code() != "scope_not_authorized" {
			t.Errorf("%s with %s: got %s", mode, scope, a.code())
		}
	}
}

func TestInit_Limits(t *testing.T) {
	r := newRig(t)
	l := Default()
	l.Posts, l.Drafts, l.Creators = 2, 1, 1
	r.SetLimits(l)
	creator := func() string { return r.post("/v2/post/publish/creator_info/query/", "").code() }
	for range 2 {
		if got := creator(); got != "ok" {
			t.Fatal(got)
		}
		r.published(nobody, good(t))
	}
	if a := r.post("/v2/post/publish/creator_info/query/", ""); a.status != 200 || a.code() != "spam_risk_too_many_posts" {
		t.Errorf("got %d %s", a.status, a.code())
	}
	if a := r.begin(nobody, 1000, 1000, 1); a.status != 403 || a.code() != "spam_risk_too_many_posts" {
		t.Errorf("got %d %s", a.status, a.code())
	}
	maya := r.token
	r.token = r.grant("studio", allScopes...)
	if got := creator(); got != "reached_active_user_cap" {
		t.Errorf("another account: got %s", got)
	}
	r.token = maya
	doc := good(t)
	inbox := fmt.Sprintf(`{"source_info":{"source":"FILE_UPLOAD","video_size":%d,"chunk_size":%d,"total_chunk_count":1}}`, len(doc), len(doc))
	a := r.post("/v2/post/publish/inbox/video/init/", inbox)
	r.put(a.Data.UploadURL, doc, 0, len(doc))
	if b := r.post("/v2/post/publish/inbox/video/init/", inbox); b.status != 403 || b.code() != "spam_risk_too_many_pending_share" {
		t.Errorf("got %d %s", b.status, b.code())
	}
	r.clock.Step(5 * time.Second)
	if err := r.Finish(a.Data.PublishID, 1); err != nil {
		t.Fatal(err)
	}
	if b := r.post("/v2/post/publish/inbox/video/init/", inbox); b.code() != "ok" {
		t.Errorf("after it was finished: got %s", b.code())
	}
	r.clock.Step(24 * time.Hour)
	r.token = r.grant("studio", allScopes...)
	if got := creator(); got != "ok" {
		t.Errorf("a day later: got %s", got)
	}
}

// A limit that is reached between the start and the last byte of an upload fails the post.
func TestUpload_LimitReachedMeanwhile(t *testing.T) {
	r := newRig(t)
	l := Default()
	l.Posts = 1
	r.SetLimits(l)
	doc := good(t)
	first, second := r.begin(nobody, len(doc), len(doc), 1), r.begin(nobody, len(doc), len(doc), 1)
	for _, a := range []said{first, second} {
		r.put(a.Data.UploadURL, doc, 0, len(doc))
	}
	r.clock.Step(5 * time.Second)
	if s := r.status(second.Data.PublishID); s.Data.FailReason != "spam_risk_too_many_posts" || len(r.core.Landed(name)) != 1 {
		t.Errorf("got %+v", s.Data)
	}
}

func TestInit_CallsPerMinute(t *testing.T) {
	r := newRig(t)
	r.SetLimits(Documented())
	r.core.Calls()
	for path, c := range map[string]struct {
		body string
		n    int
	}{
		"/v2/post/publish/video/init/":         {`{"post_info":` + nobody + `,"source_info":{"source":"FILE_UPLOAD","video_size":9,"chunk_size":9,"total_chunk_count":1}}`, 6},
		"/v2/post/publish/creator_info/query/": {"", 20},
		"/v2/post/publish/status/fetch/":       {`{"publish_id":"x"}`, 30},
		"/v2/video/list/?fields=id":            {`{}`, 600},
	} {
		for i := range c.n {
			if a := r.post(path, c.body); a.status == 429 {
				t.Fatalf("%s: rejected after %d", path, i)
			}
		}
		if a := r.post(path, c.body); a.status != 429 || a.code() != "rate_limit_exceeded" || a.header.Get("Retry-After") != "" {
			t.Errorf("%s: got %d %s", path, a.status, a.code())
		}
	}
	if a := r.post("/v2/post/publish/inbox/video/init/", "{}"); a.status != 429 {
		t.Errorf("another call: got %d", a.status)
	}
	r.token = r.grant("maya", allScopes...)
	if a := r.post("/v2/post/publish/inbox/video/init/", "{}"); a.status == 429 {
		t.Error("another token is rejected")
	}
}

func TestAudiences(t *testing.T) {
	r := newRig(t)
	for private, want := range map[bool][]string{
		false: {"PUBLIC_TO_EVERYONE", "MUTUAL_FOLLOW_FRIENDS", "SELF_ONLY"}, true: {"FOLLOWER_OF_CREATOR", "MUTUAL_FOLLOW_FRIENDS", "SELF_ONLY"},
	} {
		r.SetPrivate("maya", private)
		if d := cmp.Diff(want, r.post("/v2/post/publish/creator_info/query/", "").Data.Options); d != "" {
			t.Error(d)
		}
	}
}
