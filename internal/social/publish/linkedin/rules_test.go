// SPDX-License-Identifier: Apache-2.0

package linkedin_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/reelops/reelops/internal/social/publish"
	"github.com/reelops/reelops/internal/social/publish/linkedin"
)

func TestLittleText(t *testing.T) {
	for text, want := range map[string]string{
		"":                               "",
		"Bread, slowly.":                 "Bread, slowly.",
		"🥖 & \"2\"\né":                   "🥖 & \"2\"\né",
		"(a) [b] {c} <d>":                `\(a\) \[b\] \{c\} \<d\>`,
		`a|b\c*d_e~f@g`:                  `a\|b\\c\*d\_e\~f\@g`,
		"#bread":                         "#bread",
		"Slow #bread #2025food":          "Slow #bread #2025food",
		"#pão #面包 #خبز":                  "#pão #面包 #خبز",
		"#slow_food":                     `#slow\_food`,
		"#_":                             `\#\_`,
		"C# and F#":                      `C\# and F\#`,
		"No. #1":                         `No. \#1`,
		"a # b":                          `a \# b`,
		"##x":                            `\#\#x`,
		"&#39;":                          `&\#39;`,
		"(#bread)":                       `\(#bread\)`,
		"#":                              `\#`,
		"@[Acme](urn:li:organization:1)": `\@\[Acme\]\(urn:li:organization:1\)`,
		"{hashtag|#|x}":                  `\{hashtag\|\#\|x\}`,
	} {
		if got := linkedin.Little(text); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

func TestKey(t *testing.T) {
	for urn, want := range map[string]string{
		"urn:li:share:123":    "urn%3Ali%3Ashare%3A123",
		"urn:li:x:(a,b c+d/e": "urn%3Ali%3Ax%3A%28a%2Cb%20c%2Bd%2Fe",
	} {
		if got := linkedin.Key(urn); got != want {
			t.Errorf("%s: got %s, want %s", urn, got, want)
		}
	}
}

func TestWhole(t *testing.T) {
	for name, c := range map[string]struct {
		parts [][2]int64
		size  int64
		want  bool
	}{
		"one":                  {[][2]int64{{0, 9}}, 10, true},
		"three":                {[][2]int64{{0, 3}, {4, 7}, {8, 8}}, 9, true},
		"none":                 {nil, 9, false},
		"the end is missing":   {[][2]int64{{0, 3}, {4, 7}}, 9, false},
		"too long":             {[][2]int64{{0, 3}, {4, 9}}, 9, false},
		"a gap":                {[][2]int64{{0, 3}, {5, 8}}, 9, false},
		"twice":                {[][2]int64{{0, 3}, {3, 8}}, 9, false},
		"out of order":         {[][2]int64{{4, 8}, {0, 3}}, 9, false},
		"backwards":            {[][2]int64{{0, -1}, {0, 8}}, 9, false},
		"the start is missing": {[][2]int64{{1, 8}}, 9, false},
		"parts of one byte":    {[][2]int64{{0, 0}, {1, 1}}, 2, true},
	} {
		if got := linkedin.Whole(c.parts, c.size); got != c.want {
			t.Errorf("%s: got %v", name, got)
		}
	}
}

func TestRefused(t *testing.T) {
	now := time.Date(2026, 11, 21, 23, 59, 0, 0, time.UTC)
	midnight := now.Add(time.Minute)
	type want struct {
		kind    publish.Kind
		code    string
		after   time.Duration
		resets  time.Time
		wide    bool
		revoked bool
		catalog string
	}
	nested := func(code, message string) string {
		return `{"errorDetailType":"com.linkedin.common.error.BadRequest","message":"` + message + `","errorDetails":{"inputErrors":[` +
			`{"description":"x","input":{"inputPath":{"fieldPath":"commentary"}},"code":"` + code + `"}]},"status":400}`
	}
	const overlong = "com.linkedin.content.common.exception.BadRequestResponseException: ShareCommentary text length (8694 characters) " +
		"exceeded the maximum allowed (3000 characters)"
	for name, c := range map[string]struct {
		status     int
		body       string
		publishes  bool
		retryAfter string
		want       want
	}{
		"expired":                {status: 401, body: `{"code":"EXPIRED_ACCESS_TOKEN","serviceErrorCode":65602}`, want: want{kind: publish.Unauthorized, code: "EXPIRED_ACCESS_TOKEN"}},
		"revoked":                {status: 401, body: `{"code":"REVOKED_ACCESS_TOKEN","serviceErrorCode":65601}`, want: want{kind: publish.Auth, code: "REVOKED_ACCESS_TOKEN", revoked: true}},
		"only a number":          {status: 401, body: `{"serviceErrorCode":65601,"message":"x"}`, want: want{kind: publish.Unauthorized, code: "INVALID_ACCESS_TOKEN"}},
		"401 without a code":     {status: 401, want: want{kind: publish.Unauthorized, code: "INVALID_ACCESS_TOKEN"}},
		"forbidden":              {status: 403, body: `{"code":"ACCESS_DENIED"}`, want: want{kind: publish.Scope, code: "ACCESS_DENIED"}},
		"403 without a code":     {status: 403, body: `<html>`, want: want{kind: publish.Scope, code: "ACCESS_DENIED"}},
		"403 with a new code":    {status: 403, body: `{"code":"NEW"}`, want: want{kind: publish.Scope, code: "ACCESS_DENIED"}},
		"version":                {status: 426, body: `{"code":"NONEXISTENT_VERSION"}`, want: want{kind: publish.Misconfigured, code: "NONEXISTENT_VERSION"}},
		"version without a code": {status: 426, want: want{kind: publish.Misconfigured, code: "NONEXISTENT_VERSION"}},
		"waiting":                {status: 400, body: `{"code":"MEDIA_ASSET_WAITING_UPLOAD"}`, publishes: true, want: want{kind: publish.Transient, code: "MEDIA_ASSET_WAITING_UPLOAD", after: 30 * time.Second}},
		"conflict":               {status: 409, body: `{}`, publishes: true, want: want{kind: publish.Transient, code: "CONFLICT", after: 30 * time.Second}},
		"duplicate":              {status: 422, body: `{"code":"DUPLICATE_POST","message":"x"}`, publishes: true, want: want{kind: publish.Rejected, code: "DUPLICATE_POST"}},
		"duplicate by its text":  {status: 422, body: `{"message":"Content is a duplicate of urn:li:share:7"}`, publishes: true, want: want{kind: publish.Rejected, code: "DUPLICATE_POST"}},
		"a new error":            {status: 422, body: `{"code":"NEW"}`, publishes: true, want: want{kind: publish.Rejected, code: "NEW"}},
		"length": {
			status: 400, body: nested("FIELD_LENGTH_TOO_LONG", "x"), publishes: true,
			want: want{kind: publish.Rejected, code: "FIELD_LENGTH_TOO_LONG"},
		},
		"length of the commentary": {
			status: 400, body: nested("FIELD_ARRAY_SIZE_TOO_HIGH", overlong), publishes: true,
			want: want{kind: publish.Rejected, code: "FIELD_LENGTH_TOO_LONG", catalog: "caption_too_long"},
		},
		"length of the commentary, by its text only": {
			status: 400, body: `{"message":"` + overlong + `","status":400}`, publishes: true,
			want: want{kind: publish.Rejected, code: "FIELD_LENGTH_TOO_LONG", catalog: "caption_too_long"},
		},
		"nested and waiting": {
			status: 400, body: nested("MEDIA_ASSET_WAITING_UPLOAD", "x"), publishes: true,
			want: want{kind: publish.Transient, code: "MEDIA_ASSET_WAITING_UPLOAD", after: 30 * time.Second},
		},
		"nested duplicate": {
			status: 422, body: nested("DUPLICATE_POST", "Content is a duplicate of urn:li:share:7"), publishes: true,
			want: want{kind: publish.Rejected, code: "DUPLICATE_POST"},
		},
		"nested below a general code": {
			status: 400, body: `{"code":"BAD_REQUEST","errorDetails":{"inputErrors":[{"code":"NEW"},{"code":"EXPIRED_UPLOAD_URL"}]}}`,
			want: want{kind: publish.Expired, code: "EXPIRED_UPLOAD_URL"},
		},
		"no activity":                      {status: 404, body: `{"message":"Unable to obtain activity for urn:li:share:7"}`, want: want{kind: publish.Transient, code: "ACTIVITY_UNAVAILABLE", after: 30 * time.Second}},
		"no activity while posting":        {status: 400, body: `{"message":"Unable to obtain activity"}`, publishes: true, want: want{kind: publish.Ambiguous, code: "ACTIVITY_UNAVAILABLE"}},
		"forbidden resource":               {status: 403, body: `{"message":"Accessing this video resource is forbidden. Please check","status":403}`, want: want{kind: publish.Transient, code: "RESOURCE_FORBIDDEN", after: 30 * time.Second}},
		"forbidden resource while posting": {status: 403, body: `{"message":"resource is forbidden","status":403}`, publishes: true, want: want{kind: publish.Transient, code: "RESOURCE_FORBIDDEN", after: 30 * time.Second}},
		"out of service":                   {status: 503, body: `{"code":"SERVICE_UNAVAILABLE"}`, want: want{kind: publish.Transient, code: "SERVICE_UNAVAILABLE"}},
		"out of service, and posting":      {status: 503, body: `{"code":"SERVICE_UNAVAILABLE"}`, publishes: true, want: want{kind: publish.Ambiguous, code: "SERVICE_UNAVAILABLE"}},
		"nested and new":                   {status: 400, body: nested("NEW", "x"), publishes: true, want: want{kind: publish.Rejected, code: "NEW"}},
		"details of another shape":         {status: 400, body: `{"code":"MEDIA_ASSET_WAITING_UPLOAD","errorDetails":"x"}`, want: want{kind: publish.Transient, code: "MEDIA_ASSET_WAITING_UPLOAD", after: 30 * time.Second}},
		"411":                              {status: 411, want: want{kind: publish.Rejected}},
		"day of the app":                   {status: 429, body: `{"message":"Resource level throttle APPLICATION DAY limit"}`, want: want{kind: publish.RateLimited, code: "TOO_MANY_REQUESTS", resets: midnight, wide: true}},
		"day of the member":                {status: 429, body: `{"message":"Resource level throttle MEMBER DAY limit"}`, want: want{kind: publish.RateLimited, code: "TOO_MANY_REQUESTS", resets: midnight}},
		"throttled":                        {status: 429, want: want{kind: publish.RateLimited, code: "TOO_MANY_REQUESTS", after: 5 * time.Minute}},
		"throttled with a time":            {status: 429, body: `{"message":"DAY"}`, retryAfter: "7", want: want{kind: publish.RateLimited, code: "TOO_MANY_REQUESTS", after: 7 * time.Second}},
		"throttled while posting":          {status: 429, publishes: true, want: want{kind: publish.RateLimited, code: "TOO_MANY_REQUESTS", after: 5 * time.Minute}},
		"500":                              {status: 500, body: `{"code":"INTERNAL_SERVER_ERROR"}`, want: want{kind: publish.Transient, code: "INTERNAL_SERVER_ERROR"}},
		"500 while posting":                {status: 500, body: `{"code":"INTERNAL_SERVER_ERROR"}`, publishes: true, want: want{kind: publish.Ambiguous, code: "INTERNAL_SERVER_ERROR"}},
		"500 that mentions tokens":         {status: 500, body: `{"code":"INVALID_ACCESS_TOKEN"}`, publishes: true, want: want{kind: publish.Ambiguous, code: "INVALID_ACCESS_TOKEN"}},
		"504 while posting":                {status: 504, body: `<html>`, publishes: true, want: want{kind: publish.Ambiguous}},
		"408":                              {status: 408, want: want{kind: publish.Transient}},
		"408 while posting":                {status: 408, publishes: true, want: want{kind: publish.Ambiguous}},
		"a redirect while posting":         {status: 302, publishes: true, want: want{kind: publish.Ambiguous}},
		"blocked":                          {status: 999, body: `<html>`, publishes: true, want: want{kind: publish.Misconfigured, wide: true}},
	} {
		h := http.Header{}
		if c.retryAfter != "" {
			h.Set("Retry-After", c.retryAfter)
		}
		e := linkedin.Refused(&publish.Answer{Status: c.status, Header: h, Body: []byte(c.body)}, c.publishes, now)
		if got := (want{e.Kind, e.Code, e.RetryAfter, e.ResetsAt, e.AppWide, e.Revoked, e.CatalogCode}); got != c.want {
			t.Errorf("%s: got %+v, want %+v", name, got, c.want)
		}
		if e.Safe == "" || strings.Contains(e.Safe, "urn:") || strings.Contains(e.Safe, "<") {
			t.Errorf("%s: got message %q", name, e.Safe)
		}
	}
}

func TestConfiguration(t *testing.T) {
	for name, c := range map[string]linkedin.Config{
		"no URL":             {WebBase: "127.0.0.1"},
		"a file":             {APIBase: "file:///x"},
		"with a user":        {APIBase: "https://a:b@api.linkedin.com"},
		"a version's day":    {Version: "20260701"},
		"a thirteenth month": {Version: "202613"},
	} {
		if _, err := linkedin.New(c); err == nil {
			t.Errorf("%s is accepted", name)
		}
	}
	p, err := linkedin.New(linkedin.Config{})
	if err != nil {
		t.Fatal("want a missing setting without an app:", err)
	}
	if m := p.Missing(); len(m) != 1 || m[0] != "client_id" {
		t.Errorf("got missing settings %v", m)
	}
}
