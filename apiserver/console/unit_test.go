// SPDX-License-Identifier: Apache-2.0

package console

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"strings"
	"testing"
	"testing/fstest"
	"testing/iotest"
	"time"

	"github.com/google/go-cmp/cmp"
	authorizationv1 "k8s.io/api/authorization/v1"
	clocktesting "k8s.io/utils/clock/testing"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/reelops/reelops/apiserver/problem"
	"github.com/reelops/reelops/apiserver/read"
	"github.com/reelops/reelops/internal/account/apikey"
	"github.com/reelops/reelops/internal/store/envelope"
	"github.com/reelops/reelops/internal/testkit"
)

var noon = time.Date(2026, 11, 26, 12, 0, 0, 0, time.UTC)

func TestSeal_OpensOnlyItsOwnValues(t *testing.T) {
	key := bytes.Repeat([]byte("k"), 32)
	mine, err := newTokens(key, "session")
	if err != nil {
		t.Fatal(err)
	}
	other, err := newTokens(key, "sign-in")
	if err != nil {
		t.Fatal(err)
	}
	value, err := mine.Seal(newSession("anna", []string{"team"}, "acme", noon))
	if err != nil {
		t.Fatal(err)
	}
	got := &session{}
	if err := mine.Open(value, got); err != nil || got.User != "anna" || got.Account != "acme" {
		t.Errorf("got %+v, %v", got, err)
	}
	for why, bad := range map[string]string{
		"cut": value[:len(value)-2], "changed": "A" + value[1:], "empty": "", "not base64": "*",
		"too long": strings.Repeat("A", maxCookie+1),
	} {
		if bad == value {
			continue
		}
		if err := mine.Open(bad, &session{}); !errors.Is(err, envelope.ErrToken) {
			t.Errorf("%s: got %v", why, err)
		}
	}
	if err := other.Open(value, &session{}); !errors.Is(err, envelope.ErrToken) {
		t.Errorf("a value for another purpose was opened: %v", err)
	}
	if strings.Contains(value, "anna") {
		t.Error("the value shows the name of the user")
	}
	if _, err := newTokens(key[:31], "session"); err == nil {
		t.Error("a short key was accepted")
	}
}

func TestSeal_HoldsManyGroups(t *testing.T) {
	s, err := newTokens(bytes.Repeat([]byte("k"), 32), "session")
	if err != nil {
		t.Fatal(err)
	}
	var groups []string
	for i := range 250 {
		groups = append(groups, fmt.Sprintf("department-%03d-of-the-company", i))
	}
	if _, err := s.Seal(newSession("anna", groups, "acme", noon)); err != nil {
		t.Errorf("250 groups: %v", err)
	}
	for i := range 250 {
		sum := hashOf(fmt.Sprint(i))
		groups = append(groups, sum)
	}
	if _, err := s.Seal(newSession("anna", groups, "acme", noon)); !errors.Is(err, envelope.ErrTokenTooLong) {
		t.Errorf("500 groups of which half are random: got %v", err)
	}
}

func TestCookies(t *testing.T) {
	for base, secure := range map[string]bool{
		"https://reelops.example": true, "http://127.0.0.1:8080": false, "http://localhost:8080": false,
		"http://[::1]:8080":      false,
		"http://reelops.example": true, "https://localhost": true, "http://localhost.evil.example": true,
	} {
		u, err := url.Parse(base)
		if err != nil {
			t.Fatal(err)
		}
		c := cookiesFor(u)
		if c.secure != secure || strings.HasPrefix(c.session, "__Host-") != secure ||
			strings.HasPrefix(c.flow, "__Host-") != secure {
			t.Errorf("%s: got %+v", base, c)
		}
	}
}

func TestSession_EndsByUseAndByAge(t *testing.T) {
	s := newSession("anna", nil, "acme", noon)
	if got := s.ends().Sub(noon); got != idleTime {
		t.Errorf("a new session ends after %s", got)
	}
	s.Renewed = noon.Add(longestTime - time.Hour).UnixMilli()
	if got := s.ends().Sub(noon); got != longestTime {
		t.Errorf("a renewed session ends after %s", got)
	}
	if other := newSession("anna", nil, "acme", noon); other.ID == s.ID || len(other.ID) != 32 {
		t.Errorf("got ids %s and %s", s.ID, other.ID)
	}
}

func TestSession_IsRenewedByUse(t *testing.T) {
	clock := clocktesting.NewFakePassiveClock(noon)
	h := &Handler{Config: Config{Clock: clock}, cookies: cookies{session: "session"}}
	var err error
	if h.sessions, err = newTokens(bytes.Repeat([]byte("k"), 32), "session"); err != nil {
		t.Fatal(err)
	}
	s := newSession("anna", nil, "acme", noon)
	for _, c := range []struct {
		after  time.Duration
		cookie string
	}{
		{renewEvery - time.Second, ""},
		{renewEvery, "Max-Age=43200"},
		{renewEvery + time.Minute, ""},
		{longestTime - time.Hour, "Max-Age=3600"},
	} {
		clock.SetTime(noon.Add(c.after))
		w := httptest.NewRecorder()
		if err := h.renew(w, httptest.NewRequest(http.MethodGet, "/console/api/v1/account", nil), s); err != nil {
			t.Fatal(err)
		}
		got := w.Header().Get("Set-Cookie")
		if c.cookie == "" && got != "" || !strings.Contains(got, c.cookie) {
			t.Errorf("after %s: got cookie %q", c.after, got)
		}
	}
}

func TestSession_IsNotRenewedByAutomaticRequests(t *testing.T) {
	h := withAccounts(t, map[string]bool{"acme": true}, "acme")
	for _, c := range []struct {
		why, path, automatic, account string
		age                           time.Duration // of the cookie in the response; 0 for none
	}{
		{"a request of the user", "/console/session", "", "acme", idleTime},
		{"another value", "/console/session", "false", "acme", idleTime},
		{"a poll of the session", "/console/session", "true", "acme", 0},
		{"a poll of a list of keys", "/console/keys", "true", "acme", 0},
		{"a list of keys", "/console/keys", "", "acme", idleTime},
		{"events", "/console/events?short_id=x", "", "acme", 0},
		{"a poll that changes the account", "/console/session", "true", "deleted", idleTime - renewEvery},
		{"a request that changes the account", "/console/session", "", "deleted", idleTime},
	} {
		s := newSession("anna", nil, c.account, noon.Add(-renewEvery))
		w := get(h.Routes(), c.path, "Cookie", cookie(t, h, s), "X-Reelops-Automatic", c.automatic)
		got, want := w.Header().Get("Set-Cookie"), ""
		if c.age > 0 {
			want = fmt.Sprintf("Max-Age=%d;", int(c.age.Seconds()))
		}
		if want == "" && got != "" || !strings.Contains(got, want) {
			t.Errorf("%s: got %d with cookie %q, want %q", c.why, w.Code, got, want)
		}
	}
}

func TestEndings_AreBounded(t *testing.T) {
	anna, bert := newSession("anna", nil, "", noon), newSession("bert", nil, "", noon)
	data := changed(nil, anna, false, noon)
	if len(data) != 1 || data[endingOf(anna)] == "" {
		t.Fatalf("got %v", data)
	}
	if got := changed(data, bert, true, noon.Add(time.Hour)); len(got) != 2 || got[userEnding+hashOf("bert")] == "" {
		t.Errorf("got %v", got)
	}
	if got := changed(data, bert, true, noon.Add(longestTime)); len(got) != 1 {
		t.Errorf("an ending without effect was kept: %v", got)
	}
	full := map[string]string{}
	for i := range mostEndings {
		full[fmt.Sprintf("%s%s.%d", sessionEnding, hashOf("user"), i)] = fmt.Sprint(noon.Add(time.Hour).UnixMilli())
	}
	if got := changed(full, anna, false, noon); len(got) != 1 || got[allEnding] == "" {
		t.Errorf("got %d entries, want the end of all sessions", len(got))
	}
	delete(full, sessionEnding+hashOf("user")+".0")
	user := userEnding + hashOf("anna")
	full[user] = fmt.Sprint(noon.Add(-time.Hour).UnixMilli())
	if got := changed(full, anna, false, noon); len(got) != mostEndings || millis(got[user]) != noon.UnixMilli() {
		t.Errorf("got %d entries, want the end of the user's sessions", len(got))
	}
}

func TestEndings_OfOneUserAreBounded(t *testing.T) {
	anna, bert := newSession("anna", nil, "", noon), newSession("bert", nil, "", noon)
	data := changed(nil, bert, false, noon)
	ahead := newSession("anna", nil, "", noon.Add(time.Minute)) // of a replica whose clock is ahead
	data = changed(data, ahead, false, noon)
	for range mostOfUser - 1 {
		data = changed(data, newSession("anna", nil, "", noon), false, noon)
	}
	if len(data) != 1+mostOfUser {
		t.Fatalf("got %d entries", len(data))
	}
	data = changed(data, anna, false, noon)
	for name, s := range map[string]*session{"anna": anna, "ahead": ahead, "bert": bert} {
		e := &endings{clock: clocktesting.NewFakePassiveClock(noon), data: data, read: noon}
		if ended, err := e.include(t.Context(), s); err != nil || !ended {
			t.Errorf("the session of %s has not ended: %v", name, err)
		}
	}
	if len(data) != 2 || data[userEnding+hashOf("anna")] == "" || data[endingOf(bert)] == "" {
		t.Errorf("got %v, want the end of one user's sessions", data)
	}
	if other := changed(data, anna, false, noon); len(other) != 3 {
		t.Errorf("got %v, want another entry", other)
	}
	if got := changed(changed(nil, ahead, false, noon), anna, true, noon); len(got) != 1 {
		t.Errorf("got %v, want no entries of single sessions", got)
	}
}

func TestReturnPath_IsAPageOfTheConsole(t *testing.T) {
	for raw, want := range map[string]string{
		"": Path, "/console": Path, "/console/calendar": "/console/calendar", "/console/shorts/": "/console/shorts",
		"/console/shorts/7?tab=posts":   "/console/shorts/7?tab=posts",
		"https://evil.example/console/": Path, "//evil.example/console/": Path, "/\\evil.example/console": Path,
		"/console/../openapi": Path, "/console/..//evil.example": Path, "/console//evil.example": Path,
		"javascript:alert(1)": Path, "/consoles": Path, "/oauth/tiktok/callback": Path,
		"/console/x%0d%0aSet-Cookie:a=b": "/console/x%0D%0ASet-Cookie:a=b",
		"/console/%5Cevil":               Path, "/console/a\r\nb": Path, "/console/" + strings.Repeat("a", maxReturn): Path,
		"%zz": Path, "https:/console": Path, "///evil.example": Path,
	} {
		if got := returnPath(raw); got != want {
			t.Errorf("%q: got %q, want %q", raw, got, want)
		}
	}
}

func TestSubject_OfAnIDToken(t *testing.T) {
	type claims = map[string]any
	bySub := OIDC{UsernameClaim: "sub"}
	for _, c := range []struct {
		why    string
		config OIDC
		claims claims
		user   string
		groups []string
		refuse string
	}{
		{
			"an email",
			OIDC{},
			claims{"email": "anna@example.com", "email_verified": true, "groups": []any{"team"}},
			"anna@example.com",
			[]string{"team"},
			"",
		},
		{
			"prefixes",
			OIDC{UsernamePrefix: "login:", GroupsPrefix: "login:"},
			claims{"email": "a@b.example", "email_verified": "true", "groups": "team"},
			"login:a@b.example",
			[]string{"login:team"},
			"",
		},
		{"an unverified email", OIDC{}, claims{"email": "a@b.example", "email_verified": false}, "", nil, "not verified"},
		{"an email of unknown state", OIDC{}, claims{"email": "anna@example.com"}, "", nil, "not verified"},
		{"another claim", bySub, claims{"sub": "7"}, "7", nil, ""},
		{"no claim", OIDC{UsernameClaim: "upn"}, claims{"sub": "7"}, "", nil, "did not send the claim upn"},
		{"a name of Kubernetes", bySub, claims{"sub": "system:serviceaccount:kube-system:root"}, "", nil, "reserved"},
		{
			"a prefix that makes one",
			OIDC{UsernameClaim: "sub", UsernamePrefix: "system:"},
			claims{"sub": "admin"},
			"", nil, "reserved",
		},
		{
			"groups of Kubernetes", bySub,
			claims{"sub": "7", "groups": []any{"system:masters", "team", "team", 3}},
			"7",
			[]string{"team"},
			"",
		},
	} {
		if c.config.UsernameClaim == "" {
			c.config.UsernameClaim = emailClaim
		}
		c.config.GroupsClaim = "groups"
		got, err := newProvider(c.config, "", clocktesting.NewFakePassiveClock(noon)).subject(c.claims)
		if c.refuse != "" {
			if refused := (*refusedError)(nil); !errors.As(err, &refused) || !strings.Contains(refused.message, c.refuse) {
				t.Errorf("%s: got %v", c.why, err)
			}
			continue
		}
		want := append([]string{authenticated}, c.groups...)
		if err != nil || got.user != c.user || cmp.Diff(want, got.groups) != "" {
			t.Errorf("%s: got %+v, %v", c.why, got, err)
		}
	}
}

func TestRights_EveryScopeHasAPermission(t *testing.T) {
	for _, s := range apikey.Scopes {
		if scopeAccess[s] == (access{}) {
			t.Errorf("%s has no permission", s)
		}
	}
	if len(scopeAccess) != len(apikey.Scopes) {
		t.Errorf("got %d permissions for %d scopes", len(scopeAccess), len(apikey.Scopes))
	}
}

func TestUID_IsStableAndPerUser(t *testing.T) {
	if a, b := uid("anna", forActions), uid("anna", forActions); a != b || len(a) != 36 {
		t.Errorf("got %s and %s", a, b)
	}
	if uid("anna", forActions) == uid("bert", forActions) || uid("anna", forActions) == uid("anna", forEvents) {
		t.Error("two users or purposes have one UID")
	}
}

// withAccounts returns a handler with a cluster of accounts, of which users may read those that readable has.
func withAccounts(t *testing.T, readable map[string]bool, accounts ...string) *Handler {
	t.Helper()
	var objects []client.Object
	for _, name := range accounts {
		objects = append(objects, testkit.Account(name))
	}
	review := func(_ context.Context, _ client.WithWatch, o client.Object, _ ...client.CreateOption) error {
		r, ok := o.(*authorizationv1.SubjectAccessReview)
		if !ok {
			return fmt.Errorf("created %T", o)
		}
		r.Status.Allowed = readable[r.Spec.ResourceAttributes.Namespace]
		return nil
	}
	c := fake.NewClientBuilder().WithScheme(testkit.Scheme()).WithObjects(objects...).
		WithInterceptorFuncs(interceptor.Funcs{Create: review}).Build()
	h, err := New(Config{
		Settings: Settings{Key: bytes.Repeat([]byte("k"), 32), Namespace: "reelops-system"}, Files: fstest.MapFS{},
		Reader: &read.Reader{Cached: c}, Live: c, BaseURL: "https://reelops.example", Ready: func() error { return nil },
		Clock: clocktesting.NewFakePassiveClock(noon), Log: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// cookie returns the header of a request with a session.
func cookie(t *testing.T, h *Handler, s *session) string {
	t.Helper()
	value, err := h.sessions.Seal(s)
	if err != nil {
		t.Fatal(err)
	}
	return h.cookies.session + "=" + value
}

func TestSession_StaysInAnAccountThatTheListOmits(t *testing.T) {
	var all []string
	for i := range mostAccounts {
		all = append(all, fmt.Sprintf("account-%03d", i))
	}
	readable := map[string]bool{"account-007": true, "mine": true, "other": true, "deleted": true}
	h := withAccounts(t, readable, append(all, "mine", "other", "withdrawn")...)
	for _, c := range []struct{ why, account, want, list string }{
		{"beyond the list", "mine", "mine", "account-007 mine"},
		{"in the list", "account-007", "account-007", "account-007"},
		{"without the right", "withdrawn", "account-007", "account-007"},
		{"deleted", "deleted", "account-007", "account-007"},
		{"none", "", "account-007", "account-007"},
	} {
		w := get(h.Routes(), "/console/session", "Cookie", cookie(t, h, newSession("anna", nil, c.account, noon)))
		var got shownSession
		if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil {
			t.Fatalf("%s: %v: %s", c.why, err, w.Body)
		}
		if got.Account != c.want || strings.Join(got.Accounts, " ") != c.list {
			t.Errorf("%s: got %s of %v", c.why, got.Account, got.Accounts)
		}
	}
}

// handler returns a handler that serves only files.
func handler(t *testing.T, files fstest.MapFS) http.Handler {
	t.Helper()
	h, err := New(Config{
		Settings: Settings{Key: bytes.Repeat([]byte("k"), 32), AvatarSources: []string{"https://*.cdn.example"}},
		BaseURL:  "https://reelops.example", Files: files,
		Ready: func() error { return nil }, Clock: clocktesting.NewFakePassiveClock(noon), Log: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	return h.Routes()
}

func get(h http.Handler, path string, headers ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodGet, path, nil)
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

func TestPage_WithoutABuildSaysHowToBuildIt(t *testing.T) {
	w := get(handler(t, fstest.MapFS{".gitignore": {}}), "/console")
	if w.Code != http.StatusServiceUnavailable || !strings.Contains(w.Body.String(), "make build") {
		t.Errorf("got %d: %s", w.Code, w.Body)
	}
}

func TestPage_IsServedAtEveryPathWithItsPolicy(t *testing.T) {
	script := strings.Repeat("console.log(1);\n", 100)
	h := handler(t, fstest.MapFS{
		"manifest.json":      {Data: []byte(`{"scripts":["assets/main-1a.js"],"styles":["assets/main-2b.css"]}`)},
		"assets/main-1a.js":  {Data: []byte(script)},
		"assets/main-2b.css": {Data: []byte("a{}")},
	})
	for _, path := range []string{"/console", "/console/", "/console/link", "/console/shorts/7"} {
		w := get(h, path)
		body := w.Body.String()
		if w.Code != http.StatusOK || w.Header().Get("Cache-Control") != "no-cache" ||
			!strings.Contains(body, `<script type="module" src="/console/assets/main-1a.js"></script>`) ||
			!strings.Contains(body, `<meta name="reelops-avatar-origins" content="https://*.cdn.example">`) ||
			!strings.Contains(body, `<link rel="stylesheet" href="/console/assets/main-2b.css">`) {
			t.Errorf("%s: got %d %v: %s", path, w.Code, w.Header(), body)
		}
		policy := w.Header().Get("Content-Security-Policy")
		for _, rule := range []string{
			"default-src 'self'", "img-src 'self' https://*.cdn.example;", "frame-ancestors 'none'", "object-src 'none'",
		} {
			if !strings.Contains(policy, rule) {
				t.Errorf("%s: the policy %q has no %s", path, policy, rule)
			}
		}
		if strings.Contains(policy, "unsafe") || w.Header().Get("Referrer-Policy") != "no-referrer" ||
			w.Header().Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s: got headers %v", path, w.Header())
		}
	}
	for path, status := range map[string]int{
		"/console/missing.js": 404, "/console/assets/main-9z.js": 404, "/console/assets/": 404,
		"/console/manifest.json": 404, "/console/.env": 404,
	} {
		if w := get(h, path); w.Code != status {
			t.Errorf("%s: got %d, want %d", path, w.Code, status)
		}
	}
	w := get(h, "/console/assets/main-1a.js", "Accept-Encoding", "br, gzip")
	if w.Header().Get("Content-Encoding") != "gzip" ||
		w.Header().Get("Content-Type") != "text/javascript; charset=utf-8" ||
		w.Header().Get("Cache-Control") != "public, max-age=31536000, immutable" {
		t.Fatalf("got headers %v", w.Header())
	}
	z, err := gzip.NewReader(w.Body)
	if err != nil {
		t.Fatal(err)
	}
	if plain, err := io.ReadAll(z); err != nil || string(plain) != script {
		t.Errorf("got another script, %v", err)
	}
	for _, header := range []string{"", "gzip;q=0", "identity"} {
		w := get(h, "/console/assets/main-1a.js", "Accept-Encoding", header)
		if w.Header().Get("Content-Encoding") != "" || w.Body.String() != script {
			t.Errorf("Accept-Encoding %q: got headers %v", header, w.Header())
		}
	}
	w = get(h, "/console/assets/main-2b.css", "Accept-Encoding", "gzip")
	if w.Header().Get("Content-Encoding") != "" || w.Body.String() != "a{}" {
		t.Errorf("a small file: got %v", w.Header())
	}
	r := httptest.NewRequest(http.MethodPost, "/console/shorts", nil)
	posted := httptest.NewRecorder()
	if h.ServeHTTP(posted, r); posted.Code != http.StatusMethodNotAllowed {
		t.Errorf("POST to a page: got %d", posted.Code)
	}
}

func TestFlows_OfOneBrowserAreBounded(t *testing.T) {
	h := withAccounts(t, nil)
	request := func(flows int, more ...string) *http.Request {
		r := httptest.NewRequest(http.MethodGet, "/console/sign-in", nil)
		for i := range flows {
			value, err := h.flows.Seal(flow{Expires: noon.Add(time.Duration(10+i) * time.Second).Unix()})
			if err != nil {
				t.Fatal(err)
			}
			r.AddCookie(&http.Cookie{Name: h.flowCookie(fmt.Sprintf("STATE%03d-cut", i)), Value: value})
		}
		for _, name := range more {
			r.AddCookie(&http.Cookie{Name: name, Value: "x"})
		}
		return r
	}
	for _, c := range []struct {
		why  string
		in   *http.Request
		want string
	}{
		{"few", request(mostFlows-1, h.cookies.session), ""},
		{"too many", request(mostFlows), h.cookies.flow + "-STATE000="},
		{"one of another key", request(mostFlows-1, h.flowCookie("FOREIGN1")), h.cookies.flow + "-FOREIGN1="},
	} {
		w := httptest.NewRecorder()
		h.dropFlow(w, c.in)
		got := w.Header().Get("Set-Cookie")
		if c.want == "" && got != "" ||
			c.want != "" && (!strings.HasPrefix(got, c.want) || !strings.Contains(got, "Max-Age=0")) {
			t.Errorf("%s: got %q, want %q", c.why, got, c.want)
		}
	}
	for state, want := range map[string]string{"": "-", "A": "-A", "ABCDEFGHIJ": "-ABCDEFGH"} {
		if got := h.flowCookie(state); got != h.cookies.flow+want {
			t.Errorf("%q: got %s", state, got)
		}
	}
}

// deadlines is a response that records the deadlines for reading the request.
type deadlines struct {
	*httptest.ResponseRecorder
	set []time.Time
}

// SetReadDeadline records a deadline.
func (d *deadlines) SetReadDeadline(t time.Time) error {
	d.set = append(d.set, t)
	return nil
}

func TestReadJSON_HasADeadline(t *testing.T) {
	request := func(body io.Reader) *http.Request {
		r := httptest.NewRequest(http.MethodPost, "/console/session/account", body)
		r.Header.Set("Content-Type", "application/json")
		return r
	}
	in := map[string]string{}
	w := &deadlines{ResponseRecorder: httptest.NewRecorder()}
	if err := readJSON(w, request(strings.NewReader(`{"account":"acme"}`)), &in); err != nil || in["account"] != "acme" {
		t.Errorf("got %v, %v", in, err)
	}
	if len(w.set) != 2 || time.Until(w.set[0]) > bodyTime || time.Until(w.set[0]) < 0 || !w.set[1].IsZero() {
		t.Errorf("got deadlines %v, want one that is removed after the body", w.set)
	}

	stalled := io.MultiReader(strings.NewReader(`{"account":`), iotest.ErrReader(os.ErrDeadlineExceeded))
	w = &deadlines{ResponseRecorder: httptest.NewRecorder()}
	p := (*problem.Problem)(nil)
	if err := readJSON(w, request(stalled), &in); !errors.As(err, &p) || !strings.Contains(p.Message, "within 10s") {
		t.Errorf("a body that is not sent: got %v", err)
	}
	if len(w.set) != 1 {
		t.Errorf("got deadlines %v, want one that stays", w.set)
	}
}

// signer returns a function that signs URLs at an origin, or fails like a driver that reads credentials.
func signer(failures int) (sign func(context.Context, string, time.Duration) (string, error), calls *int) {
	calls = new(int)
	return func(ctx context.Context, key string, _ time.Duration) (string, error) {
		if *calls++; *calls <= failures {
			return "", errors.New("no credentials")
		}
		return "https://store.example/" + key + "?signature=1", ctx.Err()
	}, calls
}

func TestOrigin_IsFoundAlthoughTheFirstRequestIsCancelled(t *testing.T) {
	sign, calls := signer(0)
	var o origin
	c := clocktesting.NewFakePassiveClock(noon)
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	o.get(cancelled, sign, c) // may return before the URL is signed
	if got := o.get(t.Context(), sign, c); got != "https://store.example" {
		t.Errorf("got %q", got)
	}
	if o.get(t.Context(), sign, c); *calls > 2 {
		t.Errorf("signed %d URLs", *calls)
	}
}

func TestOrigin_IsTriedAgainAfterAFailure(t *testing.T) {
	sign, calls := signer(1)
	var o origin
	c := clocktesting.NewFakePassiveClock(noon)
	for _, one := range []struct {
		after time.Duration
		want  string
		calls int
	}{{0, "", 1}, {4 * time.Second, "", 1}, {5 * time.Second, "https://store.example", 2}} {
		c.SetTime(noon.Add(one.after))
		if got := o.get(t.Context(), sign, c); got != one.want || *calls != one.calls {
			t.Errorf("after %s: got %q with %d calls", one.after, got, *calls)
		}
	}
}

func TestOrigin_SlowStoreDoesNotHoldRequests(t *testing.T) {
	release := make(chan struct{})
	var o origin
	sign := func(ctx context.Context, _ string, _ time.Duration) (string, error) {
		<-release
		return "https://store.example/x", ctx.Err()
	}
	c := clocktesting.NewFakePassiveClock(noon)
	first := make(chan string)
	go func() { first <- o.get(t.Context(), sign, c) }()
	leaving, cancel := context.WithCancel(t.Context())
	cancel()
	if got := o.get(leaving, sign, c); got != "" { // returns although the first request waits
		t.Errorf("got %q", got)
	}
	close(release)
	if got := <-first; got != "https://store.example" {
		t.Errorf("got %q", got)
	}
}

func TestSignIn_WithoutAProviderIsExplained(t *testing.T) {
	h := handler(t, fstest.MapFS{})
	for _, path := range []string{"/console/sign-in?return=/console", "/console/callback?code=1&state=2"} {
		if w := get(h, path); w.Code != http.StatusNotFound || !strings.Contains(w.Body.String(), "kubectl reelops console") {
			t.Errorf("%s: got %d: %s", path, w.Code, w.Body)
		}
	}
}
