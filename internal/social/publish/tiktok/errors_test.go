// SPDX-License-Identifier: Apache-2.0

package tiktok

import (
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	testclock "k8s.io/utils/clock/testing"

	"github.com/reelops/reelops/internal/social/publish"
)

var noon = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

// saying returns an adapter to a server that responds to every call with the same status and body.
func saying(t *testing.T, status int, body string, header ...string) *Platform {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		for i := 0; i+1 < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		w.WriteHeader(status)
		_, _ = w.Write([]byte(body))
	}))
	t.Cleanup(server.Close)
	p, err := New(Config{ClientID: "app", ClientSecret: "app-secret", Clock: testclock.NewFakePassiveClock(noon)}.At(server.URL))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func code(s string) string {
	return `{"data":{},"error":{"code":"` + s + `","message":"a message with act.token in it","log_id":"2026ABC"}}`
}

func TestRefused(t *testing.T) {
	type want struct {
		Kind    publish.Kind
		Code    string
		AppWide bool
		After   time.Duration
	}
	for _, c := range []struct {
		name      string
		status    int
		body      string
		header    []string
		publishes bool
		want      want
	}{
		{"a rejected token", 401, code("access_token_invalid"), nil, true, want{Kind: publish.Unauthorized, Code: "access_token_invalid"}},
		{"a missing scope", 401, code("scope_not_authorized"), nil, true, want{Kind: publish.Scope, Code: "scope_not_authorized"}},
		{"a field's scope", 400, code("scope_permission_missed"), nil, false, want{Kind: publish.Scope, Code: "scope_permission_missed"}},
		{"one spelling", 400, code("invalid_param"), nil, true, want{Kind: publish.Rejected, Code: "invalid_param"}},
		{"the other", 400, code("invalid_params"), nil, true, want{Kind: publish.Rejected, Code: "invalid_params"}},
		{"a limit with status 403", 403, code("spam_risk_too_many_posts"), nil, true, want{Kind: publish.RateLimited, Code: "spam_risk_too_many_posts", After: 24 * time.Hour}},
		{"a limit with status 200", 200, code("spam_risk_too_many_posts"), nil, false, want{Kind: publish.RateLimited, Code: "spam_risk_too_many_posts", After: 24 * time.Hour}},
		{"the app's limit", 200, code("reached_active_user_cap"), nil, false, want{Kind: publish.RateLimited, Code: "reached_active_user_cap", AppWide: true, After: time.Hour}},
		{"too many calls", 429, code("rate_limit_exceeded"), nil, true, want{Kind: publish.RateLimited, Code: "rate_limit_exceeded", After: time.Minute}},
		{
			"too many calls, with a time", 429, code("rate_limit_exceeded"),
			[]string{"Retry-After", "7"},
			true,
			want{Kind: publish.RateLimited, Code: "rate_limit_exceeded", After: 7 * time.Second},
		},
		{
			"too many calls, with a date", 429, "",
			[]string{"Retry-After", noon.Add(90 * time.Second).Format(http.TimeFormat)},
			true,
			want{Kind: publish.RateLimited, After: 90 * time.Second},
		},
		{"an unknown code at 400", 400, code("something_new"), nil, true, want{Kind: publish.Rejected, Code: "something_new"}},
		{"an unknown code at 200 to a call that publishes", 200, code("something_new"), nil, true, want{Kind: publish.Ambiguous, Code: "something_new"}},
		{"an unknown code at 200 to another call", 200, code("something_new"), nil, false, want{Kind: publish.Transient, Code: "something_new"}},
		{"an internal error to a call that publishes", 500, code("internal_error"), nil, true, want{Kind: publish.Ambiguous, Code: "internal_error"}},
		{"an internal error to another call", 500, code("internal_error"), nil, false, want{Kind: publish.Transient, Code: "internal_error"}},
		{"an internal error with status 200", 200, code("internal_error"), nil, true, want{Kind: publish.Ambiguous, Code: "internal_error"}},
		{"a known code with status 500 is ambiguous", 500, code("invalid_params"), nil, true, want{Kind: publish.Ambiguous, Code: "invalid_params"}},
		{"a gateway", 502, "<html>", nil, true, want{Kind: publish.Ambiguous}},
		{"a gateway timeout", 408, "", nil, true, want{Kind: publish.Ambiguous}},
		{"unavailable, with a time", 503, "", []string{"Retry-After", "30"}, false, want{Kind: publish.Transient, After: 30 * time.Second}},
		{"no JSON at 200", 200, "<html>", nil, true, want{Kind: publish.Ambiguous}},
		{"no error at 200", 200, `{"data":{"publish_id":"x"}}`, nil, true, want{Kind: publish.Ambiguous}},
		{"ok with status 403", 403, code("ok"), nil, true, want{Kind: publish.Rejected, Code: "ok"}},
		{"a redirect", 302, "", []string{"Location", "http://127.0.0.1:1/"}, true, want{Kind: publish.Ambiguous}},
		{"a firewall", 401, "", nil, true, want{Kind: publish.Unauthorized}},
		{"another code of a firewall", 403, "", nil, true, want{Kind: publish.Rejected}},
		{"data of another type", 200, `{"data":[],"error":{"code":"ok"}}`, nil, true, want{Kind: publish.Ambiguous}},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := saying(t, c.status, c.body, c.header...)
			err := p.send(t.Context(), call{method: http.MethodPost, path: "/x", token: "act.token", publishes: c.publishes}, &initAnswer{})
			e, _ := err.(*publish.Error) //nolint:errorlint // it is what the function answers with
			if e == nil {
				t.Fatalf("got %v", err)
			}
			if d := cmp.Diff(c.want, want{e.Kind, e.Code, e.AppWide, e.RetryAfter}); d != "" {
				t.Error(d)
			}
			if e.Safe == "" || strings.Contains(e.Error(), "act.token") || strings.Contains(e.Error(), "127.0.0.1") {
				t.Errorf("the error contains text of the platform: %v", e)
			}
		})
	}
}

func TestPart_Responses(t *testing.T) {
	for status, want := range map[int]struct{ last, other publish.Kind }{
		201: {"", ""},
		206: {publish.Expired, ""},
		400: {publish.Rejected, publish.Rejected},
		403: {publish.Expired, publish.Expired},
		404: {publish.Expired, publish.Expired},
		408: {publish.Ambiguous, publish.Transient},
		429: {publish.RateLimited, publish.RateLimited},
		500: {publish.Ambiguous, publish.Transient},
		502: {publish.Ambiguous, publish.Transient},
		200: {publish.Ambiguous, publish.Transient},
		302: {publish.Ambiguous, publish.Transient},
	} {
		t.Run(strconv.Itoa(status), func(t *testing.T) {
			p := saying(t, status, "")
			n := &note{UploadURL: p.api.String() + "/video/", Plan: plan{Total: 20, Size: 10, Count: 2}}
			d := publish.Draft{Video: film(t, strings.Repeat("x", 20))}
			for end, kind := range map[int64]publish.Kind{20: want.last, 10: want.other} {
				err := p.part(t.Context(), d, n, end-10, end)
				if kind == "" && err != nil || kind != "" && (err == nil || publish.KindOf(err) != kind) {
					t.Errorf("bytes up to %d: got %v, want %q", end, err, kind)
				}
			}
		})
	}
}

// Every documented reason and code has a message for users and an error kind.
func TestMessages_Complete(t *testing.T) {
	for _, table := range []map[string]meaning{codes, failReasons, oauthErrors} {
		for word, m := range table {
			if m.kind == "" || m.safe == "" || !strings.HasSuffix(m.safe, ".") {
				t.Errorf("%s: got %+v", word, m)
			}
		}
	}
	if e := failure("something_new"); e.Kind != publish.Rejected || e.Code != "something_new" || e.Safe == "" {
		t.Errorf("an unknown reason: got %+v", e)
	}
	if got := word("x<script>\n y_1" + strings.Repeat("z", 200)); strings.ContainsAny(got, "<> \n") || len(got) > 100 {
		t.Errorf("an invalid code: got %q", got)
	}
}
