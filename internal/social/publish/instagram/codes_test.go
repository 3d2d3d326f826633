// SPDX-License-Identifier: Apache-2.0

package instagram

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/reelops/reelops/internal/social/publish"
)

var noon = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

func graph(code, subcode int, transient bool) []byte {
	return fmt.Appendf(nil, `{"error":{"message":"secret words https://media.example/x?sig=1","type":"OAuthException","code":%d,"error_subcode":%d,"is_transient":%t,"fbtrace_id":"A6LJ"}}`,
		code, subcode, transient)
}

// All rows of the platform's documentation, with their meaning for creating a container, for publishing one, and for
// reading.
func TestClassify_DocumentedCodes(t *testing.T) {
	const (
		tr, rl, un, au, sc, re, ex, mi, am = publish.Transient, publish.RateLimited, publish.Unauthorized, publish.Auth, publish.Scope,
			publish.Rejected, publish.Expired, publish.Misconfigured, publish.Ambiguous
	)
	for _, c := range []struct {
		code, subcode       int
		creating, publishes publish.Kind
	}{
		{190, 0, un, un},
		{102, 0, un, un},
		{190, 463, un, un},
		{190, 467, un, un},
		{190, 9999, un, un},
		{190, 458, au, au},
		{190, 459, au, au},
		{190, 460, au, au},
		{190, 464, au, au},
		{190, 492, au, au},
		{10, 0, sc, sc},
		{200, 0, sc, sc},
		{299, 0, sc, sc},
		{210, 7, sc, sc},
		{3, 0, sc, sc},
		{100, 33, re, re},
		{100, 0, re, re},
		{100, 1234, re, re},
		{1, 0, tr, am},
		{2, 0, tr, am},
		{-1, 2207001, tr, am},
		{-1, 0, tr, am},
		{-1, 2207032, tr, ex},
		{-1, 2207053, tr, ex},
		{-2, 2207003, tr, ex},
		{-2, 2207020, ex, ex},
		{4, 2207051, re, re},
		{4, 0, rl, rl},
		{17, 0, rl, rl},
		{32, 0, rl, rl},
		{341, 0, rl, rl},
		{613, 0, rl, rl},
		{613, 1996, rl, rl},
		{80002, 0, rl, rl},
		{9, 2207042, rl, rl},
		{24, 2207006, tr, am},
		{24, 2207008, tr, am},
		{25, 2207050, re, re},
		{100, 2207023, re, re},
		{100, 2207028, re, re},
		{100, 2207035, re, re},
		{100, 2207036, re, re},
		{100, 2207037, re, re},
		{100, 2207040, re, re},
		{1, 2207057, re, re},
		{352, 2207026, re, re},
		{9004, 2207052, tr, ex},
		{9007, 2207027, tr, tr},
		{36000, 2207004, re, re},
		{36001, 2207005, re, re},
		{36003, 2207009, re, re},
		{36004, 2207010, re, re},
		{368, 0, rl, rl},
		{506, 0, re, am},
		{101, 0, mi, mi},
		{777, 0, re, re}, // not documented
	} {
		for call, want := range map[call]publish.Kind{creating: c.creating, publishing: c.publishes} {
			for _, status := range []int{400, 401, 403, 429, 200} { // the HTTP status must not matter
				e := classify(&publish.Answer{Status: status, Header: http.Header{}, Body: graph(c.code, c.subcode, false)}, call, noon)
				if e == nil || e.Kind != want {
					t.Errorf("%d/%d with status %d, call %d: got %v, want %s", c.code, c.subcode, status, call, e, want)
					continue
				}
				if e.Safe == "" || !strings.HasPrefix(e.Code, fmt.Sprint(c.code)) {
					t.Errorf("%d/%d: got code %q, message %q", c.code, c.subcode, e.Code, e.Safe)
				}
				if strings.Contains(e.Error(), "secret") || strings.Contains(e.Error(), "media.example") {
					t.Errorf("%d/%d: the error contains text of the platform: %v", c.code, c.subcode, e)
				}
			}
		}
	}
}

func TestClassify(t *testing.T) {
	header := func(kv ...string) http.Header {
		h := http.Header{}
		for i := 0; i < len(kv); i += 2 {
			h.Set(kv[i], kv[i+1])
		}
		return h
	}
	for name, c := range map[string]struct {
		answer publish.Answer
		call   call
		want   publish.Kind
		check  func(*testing.T, *publish.Error)
	}{
		"unknown and transient": {publish.Answer{Status: 400, Body: graph(777, 0, true)}, creating, publish.Transient, nil},
		"unknown and transient, while publishing": {
			publish.Answer{Status: 400, Body: graph(777, 0, true)}, publishing, publish.Ambiguous, nil,
		},
		"a known error with 500 while publishing is ambiguous": {
			publish.Answer{Status: 500, Body: graph(36004, 2207010, false)}, publishing, publish.Ambiguous, nil,
		},
		"502 of a proxy":       {publish.Answer{Status: 502, Body: []byte("<html>")}, creating, publish.Transient, nil},
		"502 while publishing": {publish.Answer{Status: 502, Body: []byte("<html>")}, publishing, publish.Ambiguous, nil},
		"400 without an error, while publishing": {
			publish.Answer{Status: 400, Body: []byte("<html>")}, publishing, publish.Ambiguous, nil,
		},
		"a redirect while publishing": {publish.Answer{Status: 302}, publishing, publish.Ambiguous, nil},
		"401 without an error":        {publish.Answer{Status: 401}, reading, publish.Unauthorized, nil},
		"401 without an error does not end a permission": {
			publish.Answer{Status: 401}, renewing, publish.Transient, nil,
		},
		"190 while renewing ends it": {publish.Answer{Status: 400, Body: graph(190, 0, false)}, renewing, publish.Auth, nil},
		"500 with 190 while renewing ends it": {
			publish.Answer{Status: 500, Body: graph(190, 463, false)}, renewing, publish.Auth, nil,
		},
		"429 with Retry-After": {
			publish.Answer{Status: 429, Header: header("Retry-After", "90")}, publishing, publish.RateLimited, func(t *testing.T, e *publish.Error) {
				if e.RetryAfter != 90*time.Second {
					t.Errorf("got retry after %v", e.RetryAfter)
				}
			},
		},
		"Retry-After takes precedence over the minutes of the headers": {
			publish.Answer{Status: 403, Body: graph(80002, 0, false), Header: header("Retry-After", "5",
				headerBusiness, `{"1784":[{"type":"instagram","estimated_time_to_regain_access":28}]}`)},
			creating, publish.RateLimited,
			func(t *testing.T, e *publish.Error) {
				if e.RetryAfter != 5*time.Second || e.AppWide {
					t.Errorf("got retry after %v, app wide %v", e.RetryAfter, e.AppWide)
				}
			},
		},
		"the maximum of the minutes of the headers": {
			publish.Answer{Status: 400, Body: graph(4, 0, false), Header: header(headerBusiness,
				`{"1784":[{"type":"instagram","estimated_time_to_regain_access":3},{"type":"messenger","estimated_time_to_regain_access":28}],"99":[]}`)},
			creating, publish.RateLimited, func(t *testing.T, e *publish.Error) {
				if e.RetryAfter != 28*time.Minute || !e.AppWide {
					t.Errorf("got retry after %v, app wide %v", e.RetryAfter, e.AppWide)
				}
			},
		},
		"invalid headers": {
			publish.Answer{Status: 400, Body: graph(17, 0, false), Header: header(headerBusiness, `{"1784":`, headerApp, "100%")},
			creating, publish.RateLimited, func(t *testing.T, e *publish.Error) {
				if e.RetryAfter != 0 || e.AppWide {
					t.Errorf("got retry after %v, app wide %v", e.RetryAfter, e.AppWide)
				}
			},
		},
		"the quota of the app is exhausted": {
			publish.Answer{Status: 400, Body: graph(17, 0, false), Header: header(headerApp, `{"call_count":28,"total_time":100,"total_cputime":25}`)},
			creating, publish.RateLimited, func(t *testing.T, e *publish.Error) {
				if !e.AppWide {
					t.Error("the error is not app-wide")
				}
			},
		},
		"the daily limit is the account's, regardless of the app's quota": {
			publish.Answer{Status: 400, Body: graph(9, 2207042, false), Header: header(headerApp, `{"call_count":100}`)},
			publishing, publish.RateLimited, func(t *testing.T, e *publish.Error) {
				if e.AppWide {
					t.Error("the error is app-wide")
				}
			},
		},
		"a policy block is not retried within minutes": {
			publish.Answer{Status: 400, Body: graph(368, 0, false)}, publishing, publish.RateLimited, func(t *testing.T, e *publish.Error) {
				if e.RetryAfter < time.Hour {
					t.Errorf("got retry after %v", e.RetryAfter)
				}
			},
		},
		"missing metrics are no missing permission": {
			publish.Answer{Status: 400, Body: []byte(`{"error":{"message":"(#10) Not enough viewers for the media to show insights","code":10}}`)},
			reading, publish.Transient, nil,
		},
		"an account that is not professional": {
			publish.Answer{Status: 400, Body: []byte(`{"error":{"message":"(#10) The user is not an Instagram Business","type":"OAuthException","code":10}}`)},
			creating, publish.Scope, func(t *testing.T, e *publish.Error) {
				if e.Safe != "Switch to a professional account in the Instagram app, then reconnect." {
					t.Errorf("got message %q", e.Safe)
				}
			},
		},
		"a used code": {
			publish.Answer{Status: 400, Body: []byte(`{"error_type":"OAuthException","code":400,"error_message":"This authorization code has been used"}`)},
			exchanging, publish.Auth, nil,
		},
		"an unknown app": {
			publish.Answer{Status: 400, Body: []byte(`{"error_type":"OAuthException","code":400,"error_message":"Invalid platform app"}`)},
			exchanging, publish.Misconfigured, nil,
		},
		"another redirect URL": {
			publish.Answer{Status: 400, Body: []byte(`{"error_type":"OAuthException","code":400,"error_message":"Please make sure your redirect_uri is identical"}`)},
			exchanging, publish.Misconfigured, nil,
		},
	} {
		t.Run(name, func(t *testing.T) {
			if c.answer.Header == nil {
				c.answer.Header = http.Header{}
			}
			e := classify(&c.answer, c.call, noon)
			if e == nil || e.Kind != c.want {
				t.Fatalf("got %v, want %s", e, c.want)
			}
			if c.check != nil {
				c.check(t, e)
			}
		})
	}
	if e := classify(&publish.Answer{Status: 200, Header: http.Header{}, Body: []byte(`{"id":"1"}`)}, publishing, noon); e != nil {
		t.Errorf("got %v for a success", e)
	}
}

func TestFailedContainers(t *testing.T) {
	for status, c := range map[string]struct {
		want   publish.Kind
		remake bool
	}{
		"Error: Media upload has failed with error code 2207026": {publish.Rejected, false},
		"2207053": {publish.Transient, true},
		"2207077": {publish.Transient, true},
		"2207082": {publish.Transient, true},
		"2207081": {publish.Rejected, false},
		"2207052": {publish.Transient, true},
		"2207003": {publish.Transient, true},
		"2207051": {publish.Rejected, false},
		"2207999": {publish.Transient, true}, // not documented
		"":        {publish.Transient, true},
		"Error: something with 12207026 and 22070261 in it": {publish.Transient, true},
	} {
		e := failed(status)
		if e.Kind != c.want || remakes(e) != c.remake {
			t.Errorf("%q: got %v, recreated: %v; want %s, %v", status, e, remakes(e), c.want, c.remake)
		}
	}
}

func TestUnanswered(t *testing.T) {
	broken := errors.New("broken pipe")
	for _, c := range []struct {
		err  error
		call call
		want publish.Kind
	}{
		{&publish.Unsent{Err: broken}, publishing, publish.Transient},
		{broken, publishing, publish.Ambiguous},
		{broken, creating, publish.Transient},
		{broken, exchanging, publish.Transient},
		{broken, renewing, publish.Transient},
	} {
		if got := publish.KindOf(unanswered(c.err, c.call)); got != c.want {
			t.Errorf("%v in call %d: got %s, want %s", c.err, c.call, got, c.want)
		}
	}
	if got := publish.KindOf(unreadable(broken, publishing)); got != publish.Ambiguous {
		t.Errorf("got %s for an invalid response to publishing", got)
	}
}

// A subcode has one row, so that the status of a failed container is unambiguous.
func TestSubcodesAreUnique(t *testing.T) {
	seen := map[int]int{}
	for k := range meanings {
		if k.subcode < 2207000 {
			continue
		}
		if other, ok := seen[k.subcode]; ok {
			t.Errorf("subcode %d has the codes %d and %d", k.subcode, other, k.code)
		}
		seen[k.subcode] = k.code
	}
}
