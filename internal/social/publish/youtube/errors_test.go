// SPDX-License-Identifier: Apache-2.0

package youtube

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/reelops/reelops/internal/social/publish"
)

func TestRefused(t *testing.T) {
	now := time.Date(2026, 11, 21, 15, 0, 0, 0, time.UTC)
	midnight := time.Date(2026, 11, 22, 8, 0, 0, 0, time.UTC)
	type want struct {
		Kind     publish.Kind
		Code     string
		AppWide  bool
		After    time.Duration
		ResetsAt time.Time
	}
	envelope := func(reason, message string) string {
		return fmt.Sprintf(`{"error":{"code":1,"message":%q,"errors":[{"message":%[1]q,"domain":"d","reason":%q}]}}`, message, reason)
	}
	const day = "Quota exceeded for quota metric 'Video Uploads' and limit 'Video Uploads per day' of service 'youtube.googleapis.com' for consumer 'project_number:1'."
	for name, c := range map[string]struct {
		status     int
		body       string
		retryAfter string
		want       want
	}{
		"daily uploads":                {429, envelope("rateLimitExceeded", day), "", want{publish.RateLimited, "rateLimitExceeded", true, 0, midnight}},
		"daily uploads with a status":  {429, `{"error":{"code":429,"message":"` + day + `","status":"RESOURCE_EXHAUSTED"}}`, "", want{publish.RateLimited, "RESOURCE_EXHAUSTED", true, 0, midnight}},
		"daily units":                  {403, envelope("quotaExceeded", "exceeded your quota"), "", want{publish.RateLimited, "quotaExceeded", true, 0, midnight}},
		"daily units, older code":      {403, envelope("dailyLimitExceeded", ""), "", want{publish.RateLimited, "dailyLimitExceeded", true, 0, midnight}},
		"burst":                        {429, envelope("rateLimitExceeded", "Queries per minute"), "", want{publish.RateLimited, "rateLimitExceeded", false, 0, time.Time{}}},
		"burst with a time":            {403, envelope("userRateLimitExceeded", ""), "7", want{publish.RateLimited, "userRateLimitExceeded", false, 7 * time.Second, time.Time{}}},
		"429 without a code":           {429, ``, "", want{publish.RateLimited, "", false, 0, time.Time{}}},
		"429 with another reason":      {429, envelope("forbidden", ""), "", want{publish.RateLimited, "forbidden", false, 0, time.Time{}}},
		"channel's uploads":            {400, envelope("uploadLimitExceeded", ""), "", want{publish.RateLimited, "uploadLimitExceeded", false, 24 * time.Hour, time.Time{}}},
		"channel's uploads, as seen":   {403, envelope("uploadLimitExceeded", ""), "", want{publish.RateLimited, "uploadLimitExceeded", false, 24 * time.Hour, time.Time{}}},
		"token":                        {401, envelope("authError", ""), "", want{publish.Unauthorized, "authError", false, 0, time.Time{}}},
		"token, newer code":            {401, `{"error":{"code":401,"status":"UNAUTHENTICATED"}}`, "", want{publish.Unauthorized, "UNAUTHENTICATED", false, 0, time.Time{}}},
		"401 without a code":           {401, `<html>`, "", want{publish.Unauthorized, "", false, 0, time.Time{}}},
		"no channel":                   {401, envelope("youtubeSignupRequired", ""), "", want{publish.Rejected, "youtubeSignupRequired", false, 0, time.Time{}}},
		"no channel, as seen":          {403, envelope("youtubeSignupRequired", ""), "", want{publish.Rejected, "youtubeSignupRequired", false, 0, time.Time{}}},
		"scope":                        {403, envelope("insufficientPermissions", ""), "", want{publish.Scope, "insufficientPermissions", false, 0, time.Time{}}},
		"suspended":                    {403, envelope("authenticatedUserAccountSuspended", ""), "", want{publish.Rejected, "authenticatedUserAccountSuspended", false, 0, time.Time{}}},
		"tags":                         {400, envelope("invalidTags", ""), "", want{publish.Rejected, "invalidTags", false, 0, time.Time{}}},
		"bad request":                  {400, envelope("badRequest", ""), "", want{publish.Misconfigured, "badRequest", false, 0, time.Time{}}},
		"gone":                         {404, envelope("videoNotFound", ""), "", want{publish.Expired, "videoNotFound", false, 0, time.Time{}}},
		"404 without a code":           {404, ``, "", want{publish.Expired, "", false, 0, time.Time{}}},
		"backend":                      {500, envelope("backendError", "Backend Error"), "", want{publish.Transient, "backendError", false, 0, time.Time{}}},
		"503 with the code of a limit": {503, envelope("quotaExceeded", ""), "", want{publish.Transient, "quotaExceeded", false, 0, time.Time{}}},
		"a new reason":                 {403, envelope("somethingNew", "secret"), "", want{publish.Rejected, "somethingNew", false, 0, time.Time{}}},
		"an invalid reason":            {403, envelope("<script>alert(1)</script>", "secret"), "", want{publish.Rejected, "", false, 0, time.Time{}}},
	} {
		t.Run(name, func(t *testing.T) {
			e := refused(&publish.Answer{Status: c.status, Body: []byte(c.body), Header: http.Header{"Retry-After": {c.retryAfter}}}, now)
			if diff := cmp.Diff(c.want, want{e.Kind, e.Code, e.AppWide, e.RetryAfter, e.ResetsAt}); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
			if e.Safe == "" || strings.Contains(e.Safe, "secret") {
				t.Errorf("got message %q", e.Safe)
			}
		})
	}
}

func TestReasons_HaveMessages(t *testing.T) {
	for code, m := range known {
		if m.kind == "" || !strings.HasSuffix(m.safe, ".") || len(m.safe) < 20 {
			t.Errorf("%s: %q is not a message of kind %q", code, m.safe, m.kind)
		}
		if word(code) != code {
			t.Errorf("%s is not a code", code)
		}
	}
	for code, safe := range reasons {
		if !strings.HasSuffix(safe, ".") || word(code) != code {
			t.Errorf("%s: got %q", code, safe)
		}
	}
}

func TestMidnight(t *testing.T) {
	for _, c := range [][2]string{
		{"2026-11-21T15:00:00Z", "2026-11-22T08:00:00Z"}, // winter
		{"2026-11-22T07:59:59Z", "2026-11-22T08:00:00Z"},
		{"2026-11-22T08:00:00Z", "2026-11-23T08:00:00Z"},
		{"2026-07-01T12:00:00Z", "2026-07-02T07:00:00Z"}, // summer
		{"2026-11-01T08:30:00Z", "2026-11-02T08:00:00Z"}, // the day of 25 hours
		{"2026-03-08T09:00:00Z", "2026-03-09T07:00:00Z"}, // the day of 23 hours
	} {
		now, _ := time.Parse(time.RFC3339, c[0])
		if got := midnight(now).Format(time.RFC3339); got != c[1] {
			t.Errorf("after %s: got %s, want %s", c[0], got, c[1])
		}
	}
}

func TestPublishing(t *testing.T) {
	cause := errors.New("reset")
	for name, c := range map[string]struct {
		e      *publish.Error
		status int
		want   publish.Kind
	}{
		"not sent":                {unreachable(&publish.Unsent{Err: cause}), 0, publish.Transient},
		"no response":             {unreachable(cause), 0, publish.Ambiguous},
		"trouble":                 {&publish.Error{Kind: publish.Transient}, 503, publish.Ambiguous},
		"timeout":                 {&publish.Error{Kind: publish.Transient}, 408, publish.Ambiguous},
		"unreadable success":      {unreadable(nil), 200, publish.Ambiguous},
		"a redirect":              {&publish.Error{Kind: publish.Rejected}, 302, publish.Ambiguous},
		"refused":                 {&publish.Error{Kind: publish.Rejected}, 403, publish.Rejected},
		"limited":                 {&publish.Error{Kind: publish.RateLimited}, 429, publish.RateLimited},
		"token":                   {&publish.Error{Kind: publish.Unauthorized}, 401, publish.Unauthorized},
		"missing video":           {&publish.Error{Kind: publish.Expired}, 404, publish.Expired},
		"daily quota exhausted":   {&publish.Error{Kind: publish.RateLimited}, 403, publish.RateLimited},
		"app of the installation": {&publish.Error{Kind: publish.Misconfigured}, 400, publish.Misconfigured},
		"error of a proxy":        {&publish.Error{Kind: publish.Transient}, 502, publish.Ambiguous},
	} {
		t.Run(name, func(t *testing.T) {
			if got := publishing(c.e, c.status); got.Kind != c.want {
				t.Errorf("got %s, want %s", got.Kind, c.want)
			}
		})
	}
}

func TestTokenError(t *testing.T) {
	now := time.Date(2026, 11, 21, 15, 0, 0, 0, time.UTC)
	ended := publish.Tokens{RefreshExpiresAt: now.Add(-time.Second)}
	for name, c := range map[string]struct {
		status  int
		body    string
		grant   string
		old     publish.Tokens
		want    publish.Kind
		revoked bool
	}{
		"revoked":                     {400, `{"error":"invalid_grant","error_description":"Token has been expired or revoked."}`, "refresh_token", publish.Tokens{}, publish.Auth, true},
		"ended":                       {400, `{"error":"invalid_grant"}`, "refresh_token", ended, publish.Auth, false},
		"a used code":                 {400, `{"error":"invalid_grant"}`, "authorization_code", publish.Tokens{}, publish.Auth, false},
		"blocked by an administrator": {400, `{"error":"admin_policy_enforced"}`, "refresh_token", publish.Tokens{}, publish.Auth, true},
		"unknown app":                 {401, `{"error":"invalid_client"}`, "refresh_token", publish.Tokens{}, publish.Misconfigured, false},
		"deleted app":                 {401, `{"error":"deleted_client"}`, "refresh_token", publish.Tokens{}, publish.Misconfigured, false},
		"callback":                    {400, `{"error":"redirect_uri_mismatch"}`, "authorization_code", publish.Tokens{}, publish.Misconfigured, false},
		"app without permission":      {400, `{"error":"unauthorized_client"}`, "refresh_token", publish.Tokens{}, publish.Misconfigured, false},
		"trouble":                     {503, `{"error":"invalid_grant"}`, "refresh_token", publish.Tokens{}, publish.Transient, false},
		"too many calls":              {429, ``, "refresh_token", publish.Tokens{}, publish.RateLimited, false},
		"no code":                     {400, `<html>`, "refresh_token", publish.Tokens{}, publish.Transient, false},
	} {
		t.Run(name, func(t *testing.T) {
			e := tokenError(&publish.Answer{Status: c.status, Body: []byte(c.body)}, now, c.grant, c.old)
			if e.Kind != c.want || e.Revoked != c.revoked || e.Safe == "" {
				t.Errorf("got %v (revoked %v), want %s (revoked %v)", e, e.Revoked, c.want, c.revoked)
			}
		})
	}
}

func TestReceived(t *testing.T) {
	for in, want := range map[string]int64{"": 0, "bytes=0-99": 100, "0-99": 100, "bytes=0-0": 1, "bytes=5-9": -1, "bytes=0-x": -1, "bytes=0": -1, "bytes=0--5": -1} {
		got, err := received(in)
		if err != nil {
			got = -1
		}
		if got != want {
			t.Errorf("%q: got %d, want %d", in, got, want)
		}
	}
}

func TestTrusts(t *testing.T) {
	google, _ := New(Config{})
	local, _ := New(Config{}.At("http://127.0.0.1:8300/youtube"))
	for _, c := range []struct {
		p       *Platform
		session string
		want    bool
	}{
		{google, "https://youtube.googleapis.com/upload/youtube/v3/videos?upload_id=x", true},
		{google, "https://www.googleapis.com/upload/youtube/v3/videos?upload_id=x", true},
		{google, "http://www.googleapis.com/upload", false},
		{google, "https://googleapis.com.evil.example/upload", false},
		{google, "https://evil.example/.googleapis.com", false},
		{google, "https://u:p@www.googleapis.com/upload", false},
		{google, "", false},
		{google, "://", false},
		{local, "http://127.0.0.1:8300/youtube/upload?upload_id=x", true},
		{local, "http://127.0.0.1:8301/youtube/upload?upload_id=x", false},
		{local, "https://www.googleapis.com/upload", false},
	} {
		if got := c.p.trusts(c.session); got != c.want {
			t.Errorf("%s with %s: got %v", c.session, c.p.c.APIURL, got)
		}
	}
}
