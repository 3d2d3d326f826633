// SPDX-License-Identifier: Apache-2.0

package oauth

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/zitadel/oidc/v3/pkg/oidc"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	clocktesting "k8s.io/utils/clock/testing"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/apiserver/auth"
	"github.com/reelops/reelops/apiserver/limit"
	"github.com/reelops/reelops/apiserver/read"
	"github.com/reelops/reelops/internal/account/apikey"
	"github.com/reelops/reelops/internal/process/fetch"
	"github.com/reelops/reelops/internal/testkit"
)

const (
	callback = "https://agent.example/callback"
	resource = "https://reelops.example/mcp"
	verifier = "a-verifier-of-more-than-forty-three-characters"
)

var noon = time.Date(2026, 11, 28, 12, 0, 0, 0, time.UTC)

// world is a server with a fake cluster, and the part of the MCP server that checks tokens.
type world struct {
	*Server
	t       *testing.T
	clock   *clocktesting.FakeClock
	cluster client.WithWatch
	keys    *auth.Authenticator
	web     http.Handler
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{t: t, clock: clocktesting.NewFakeClock(noon)}
	var uids atomic.Int64
	w.cluster = fake.NewClientBuilder().WithScheme(testkit.Scheme()).WithStatusSubresource(&v1beta1.APIKey{}).
		WithInterceptorFuncs(interceptor.Funcs{
			Create: func(ctx context.Context, c client.WithWatch, o client.Object, opts ...client.CreateOption) error {
				o.SetUID(types.UID(fmt.Sprintf("uid-%d", uids.Add(1))))
				return c.Create(ctx, o, opts...)
			},
		}).Build()
	var ids atomic.Int64
	var err error
	w.Server, err = New(Config{
		SigningKey: bytes.Repeat([]byte("k"), 32), BaseURL: "https://reelops.example/", Transport: "mcp", Path: "/mcp",
		Live: w.cluster, KeyPrefix: apikey.DefaultPrefix,
		NextKey:   func(context.Context) (int64, error) { return ids.Add(1), nil },
		Documents: fetch.New(time.Second), Ready: func() error { return nil },
		Limits: limit.New(limit.Default(), w.clock), Clock: w.clock, Log: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	w.keys = &auth.Authenticator{
		Prefix: apikey.DefaultPrefix, Reader: &read.Reader{Cached: w.cluster, Live: w.cluster}, Usage: auth.NewUsage(),
		Clock: w.clock, Tokens: w.AccessTokens(),
	}
	w.web = w.Routes()
	return w
}

// reply is a response.
type reply struct {
	status int
	header http.Header
	body   map[string]any
}

func (w *world) send(r *http.Request) reply {
	w.t.Helper()
	to := httptest.NewRecorder()
	w.web.ServeHTTP(to, r)
	out := reply{status: to.Code, header: to.Header(), body: map[string]any{}}
	if to.Body.Len() > 0 {
		if err := json.Unmarshal(to.Body.Bytes(), &out.body); err != nil {
			w.t.Fatalf("%s: %v: %s", r.URL, err, to.Body)
		}
	}
	return out
}

func (w *world) post(path string, form url.Values) reply {
	w.t.Helper()
	r := httptest.NewRequest(http.MethodPost, path, strings.NewReader(form.Encode()))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	return w.send(r)
}

// refused checks the code of an error.
func (r reply) refused(t *testing.T, why, code string) {
	t.Helper()
	if r.status != http.StatusBadRequest || r.body["error"] != code {
		t.Errorf("%s: got %d %v, want %s", why, r.status, r.body, code)
	}
}

// registered registers a client and returns its id.
func (w *world) registered(redirects ...string) string {
	w.t.Helper()
	doc, err := json.Marshal(map[string]any{"client_name": "Agent", "redirect_uris": redirects})
	if err != nil {
		w.t.Fatal(err)
	}
	got := w.send(httptest.NewRequest(http.MethodPost, registerPath, bytes.NewReader(doc)))
	if got.status != http.StatusCreated {
		w.t.Fatalf("registration: got %d %v", got.status, got.body)
	}
	id, _ := got.body["client_id"].(string)
	return id
}

func challengeOf(verifier string) string {
	sum := sha256.Sum256([]byte(verifier))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

// query returns the query of a valid request, with changes: pairs of a name and a value. An empty value removes one.
func query(id string, changes ...string) url.Values {
	q := url.Values{
		"response_type": {"code"}, "client_id": {id}, "redirect_uri": {callback}, "state": {"state-1"},
		"code_challenge": {challengeOf(verifier)}, "code_challenge_method": {"S256"}, "resource": {resource},
		"scope": {"brand:read posts:write"},
	}
	for i := 0; i+1 < len(changes); i += 2 {
		if q.Del(changes[i]); changes[i+1] != "" {
			q.Set(changes[i], changes[i+1])
		}
	}
	return q
}

// approved returns the parameters of the response to an approved request.
func (w *world) approved(q url.Values) url.Values {
	w.t.Helper()
	r, err := w.Parse(w.t.Context(), q)
	if err != nil {
		w.t.Fatal(err)
	}
	to, err := w.Approve(r, Approval{
		User: "maya", Account: "acme", Brand: "tea", Scopes: r.Scopes, Expires: w.clock.Now().Add(24 * time.Hour),
	})
	if err != nil {
		w.t.Fatal(err)
	}
	u, err := url.Parse(to)
	if err != nil {
		w.t.Fatal(err)
	}
	return u.Query()
}

// exchangeForm returns the form that exchanges a code, with changes as for query.
func exchangeForm(id, code string, changes ...string) url.Values {
	form := url.Values{
		"grant_type": {"authorization_code"}, "client_id": {id}, "code": {code}, "redirect_uri": {callback},
		"code_verifier": {verifier}, "resource": {resource},
	}
	for i := 0; i+1 < len(changes); i += 2 {
		if form.Del(changes[i]); changes[i+1] != "" {
			form.Set(changes[i], changes[i+1])
		}
	}
	return form
}

// signIn returns the tokens of a new grant.
func (w *world) signIn(id string) (access, refresh string) {
	w.t.Helper()
	got := w.post(tokenPath, exchangeForm(id, w.approved(query(id)).Get("code")))
	if got.status != http.StatusOK {
		w.t.Fatalf("exchange: got %d %v", got.status, got.body)
	}
	return got.body["access_token"].(string), got.body["refresh_token"].(string)
}

func (w *world) refreshWith(id, token string, more ...string) reply {
	w.t.Helper()
	form := url.Values{"grant_type": {"refresh_token"}, "client_id": {id}, "refresh_token": {token}}
	for i := 0; i+1 < len(more); i += 2 {
		form.Set(more[i], more[i+1])
	}
	return w.post(tokenPath, form)
}

// use authenticates a token as the MCP server does.
func (w *world) use(token string) (*auth.Caller, error) {
	return w.keys.Authenticate(w.t.Context(), "Bearer "+token, "mcp", false)
}

// grants returns the grants in the cluster.
func (w *world) grants() []v1beta1.APIKey {
	w.t.Helper()
	var list v1beta1.APIKeyList
	if err := w.cluster.List(w.t.Context(), &list); err != nil {
		w.t.Fatal(err)
	}
	return list.Items
}

func TestSignIn_ToRevocation(t *testing.T) {
	w := newWorld(t)
	id := w.registered(callback)
	answer := w.approved(query(id))
	if answer.Get("state") != "state-1" || answer.Get("iss") != "https://reelops.example" {
		t.Errorf("the response: got %v", answer)
	}
	got := w.post(tokenPath, exchangeForm(id, answer.Get("code")))
	if got.status != http.StatusOK || got.body["token_type"] != "Bearer" || got.body["expires_in"] != 3600.0 ||
		got.body["scope"] != "brand:read posts:write" || got.header.Get("Cache-Control") != "no-store" {
		t.Fatalf("exchange: got %d %v %v", got.status, got.body, got.header)
	}
	access, refreshing := got.body["access_token"].(string), got.body["refresh_token"].(string)
	c, err := w.use(access)
	if err != nil {
		t.Fatal(err)
	}
	g := c.Key
	if g.Namespace != "acme" || g.Spec.BrandRef.Name != "tea" || g.Spec.OAuth.User != "maya" ||
		g.Spec.OAuth.ClientID != id ||
		g.Spec.DisplayName != "Agent" || !g.Spec.ExpiresAt.Equal(ptrTo(noon.Add(24*time.Hour))) || g.Spec.Hint != "" {
		t.Errorf("the grant: got %+v", g.Spec)
	}
	if !c.Has("posts:write") || c.Has("content:write") {
		t.Errorf("scopes: got %v", c.Scopes)
	}
	next := w.refreshWith(id, refreshing)
	if next.status != http.StatusOK || next.body["refresh_token"] == refreshing {
		t.Fatalf("refresh: got %d %v", next.status, next.body)
	}
	if got := w.post(revokePath, url.Values{"token": {next.body["refresh_token"].(string)}}); got.status != http.StatusOK {
		t.Errorf("revocation: got %d %v", got.status, got.body)
	}
	second := next.body["access_token"].(string)
	for why, token := range map[string]string{"the first token": access, "the second": second} {
		if _, err := w.use(token); err == nil {
			t.Errorf("%s works after the revocation", why)
		}
	}
	w.refreshWith(id, next.body["refresh_token"].(string)).refused(t, "refresh after revocation", "invalid_grant")
	if got := w.post(revokePath, url.Values{"token": {"unknown"}}); got.status != http.StatusOK {
		t.Errorf("revocation of an unknown token: got %d %v", got.status, got.body)
	}
}

// TestThreats has the attacks of RFC 9700, section 4, that concern this server.
func TestThreats(t *testing.T) {
	for _, threat := range []struct {
		section, name string
		attack        func(t *testing.T, w *world, id string)
	}{
		{"4.1", "a redirect URI that is not registered", func(t *testing.T, w *world, id string) {
			for _, uri := range []string{
				"https://attacker.example/callback", callback + "/more", callback + "?x=1", "https://agent.example:8443/callback",
				"http://agent.example/callback", "https://agent.example.attacker.example/callback",
				"https://agent.example/Callback", callback + "#fragment", "http://localhost/callback",
				"https://agent.example@attacker.example/callback",
			} {
				_, err := w.Parse(t.Context(), query(id, "redirect_uri", uri))
				unredirected(t, uri, err)
			}
		}},
		{"4.1", "the registration of a dangerous redirect URI", func(t *testing.T, w *world, _ string) {
			for _, uri := range []string{
				"javascript:alert(1)", "data:text/html,x", "http://agent.example/callback", "https://agent.example/#x", "relative",
				"https://*.example/callback", "file:///etc/passwd", "https://user:secret@agent.example/", "//agent.example/", "",
				"blob:https://agent.example/1", "view-source:https://agent.example", strings.Repeat("https://a.example/", 50),
			} {
				doc, _ := json.Marshal(map[string]any{"redirect_uris": []string{callback, uri}})
				r := httptest.NewRequest(http.MethodPost, registerPath, bytes.NewReader(doc))
				w.send(r).refused(t, uri, "invalid_redirect_uri")
			}
		}},
		{"4.3", "a code from the history of the browser", func(t *testing.T, w *world, id string) {
			code := w.approved(query(id)).Get("code")
			w.clock.Step(codeTime)
			w.post(tokenPath, exchangeForm(id, code)).refused(t, "after a minute", "invalid_grant")
			if n := len(w.grants()); n != 0 {
				t.Errorf("%d grants exist", n)
			}
		}},
		{"4.3", "tokens in a URL", func(t *testing.T, w *world, id string) {
			form := exchangeForm(id, w.approved(query(id)).Get("code"))
			r := httptest.NewRequest(http.MethodPost, tokenPath+"?"+form.Encode(), http.NoBody)
			r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
			w.send(r).refused(t, "parameters in the query", "unsupported_grant_type")
		}},
		{"4.4", "a response that another server made up", func(t *testing.T, w *world, id string) {
			r, err := w.Parse(t.Context(), query(id))
			if err != nil {
				t.Fatal(err)
			}
			_, refusal := w.Parse(t.Context(), query(id, "response_type", "token"))
			var refused *RefusedError
			if !errors.As(refusal, &refused) {
				t.Fatal(refusal)
			}
			for _, to := range []string{w.Deny(r), refused.Redirect} { // success: TestSignIn_ToRevocation
				if u, _ := url.Parse(to); u.Query().Get("iss") != "https://reelops.example" || u.Query().Get("error") == "" {
					t.Errorf("without issuer: %s", to)
				}
			}
		}},
		{"4.5", "an injected or stolen code", func(t *testing.T, w *world, id string) {
			other := w.registered(callback)
			code := w.approved(query(id)).Get("code")
			w.post(tokenPath, exchangeForm(other+"x", code)).refused(t, "an unknown client", "invalid_grant")
			w.post(tokenPath, exchangeForm(id, code, "code_verifier", strings.Repeat("x", 43))).
				refused(t, "another verifier", "invalid_grant")
			w.post(tokenPath, exchangeForm(id, code, "code_verifier", "")).refused(t, "no verifier", "invalid_grant")
			w.post(tokenPath, exchangeForm(id, code, "redirect_uri", callback+"2")).
				refused(t, "another redirect URI", "invalid_grant")
			w.post(tokenPath, exchangeForm(id, code[:len(code)-2])).refused(t, "a cut code", "invalid_grant")
			if n := len(w.grants()); n != 0 {
				t.Errorf("%d grants exist", n)
			}
		}},
		{"4.5", "a code that is used twice", func(t *testing.T, w *world, id string) {
			code := w.approved(query(id)).Get("code")
			got := w.post(tokenPath, exchangeForm(id, code))
			w.post(tokenPath, exchangeForm(id, code)).refused(t, "the second use", "invalid_grant")
			if _, err := w.use(got.body["access_token"].(string)); err == nil {
				t.Error("the tokens of the first use work")
			}
		}},
		{"4.7", "a response to a request of another user", func(t *testing.T, w *world, id string) {
			if got := w.approved(query(id, "state", "a b&c=d")).Get("state"); got != "a b&c=d" {
				t.Errorf("state: got %q", got)
			}
		}},
		{"4.8", "a request without PKCE", func(t *testing.T, w *world, id string) {
			for why, changes := range map[string][]string{
				"no challenge": {"code_challenge", ""}, "no method": {"code_challenge_method", ""},
				"plain": {"code_challenge_method", "plain"}, "a short challenge": {"code_challenge", "abc"},
			} {
				_, err := w.Parse(t.Context(), query(id, changes...))
				redirected(t, why, err, "invalid_request")
			}
		}},
		{"4.9", "a token at another resource", func(t *testing.T, w *world, id string) {
			access, _ := w.signIn(id)
			if _, err := w.keys.Authenticate(t.Context(), "Bearer "+access, "", false); err == nil {
				t.Error("the token works at the REST API")
			}
			_, err := w.Parse(t.Context(), query(id, "resource", "https://other.example/mcp"))
			redirected(t, "another resource", err, "invalid_target")
			w.post(tokenPath, exchangeForm(id, "x", "resource", "https://other.example/")).
				refused(t, "an exchange for another resource", "invalid_target")
		}},
		{"4.10", "a stolen access token", func(t *testing.T, w *world, id string) {
			access, _ := w.signIn(id)
			w.clock.Step(accessTime)
			if _, err := w.use(access); err == nil {
				t.Error("the token works after an hour")
			}
		}},
		{"4.10", "the token of a grant that was deleted and created again", func(t *testing.T, w *world, id string) {
			access, refreshing := w.signIn(id)
			g := w.grants()[0]
			if err := w.cluster.Delete(t.Context(), &g); err != nil {
				t.Fatal(err)
			}
			g.ResourceVersion = ""
			if err := w.cluster.Create(t.Context(), &g); err != nil {
				t.Fatal(err)
			}
			if _, err := w.use(access); err == nil {
				t.Error("the access token works")
			}
			w.refreshWith(id, refreshing).refused(t, "refresh", "invalid_grant")
		}},
		{"4.11", "an open redirect", func(t *testing.T, w *world, id string) {
			for why, q := range map[string]url.Values{
				"an unknown client": query(id + "x"), "no client": query(""),
				"an address instead of a client": query("https://10.0.0.1/client"),
				"two redirect URIs":              {"client_id": {id}, "redirect_uri": {callback, "https://attacker.example/"}},
			} {
				_, err := w.Parse(t.Context(), q)
				unredirected(t, why, err)
			}
		}},
		{"4.14", "a refresh token that is used twice", func(t *testing.T, w *world, id string) {
			_, first := w.signIn(id)
			second := w.refreshWith(id, first).body["refresh_token"].(string)
			w.clock.Step(refreshGrace)
			w.refreshWith(id, first).refused(t, "the old token", "invalid_grant")
			w.refreshWith(id, second).refused(t, "the new token", "invalid_grant")
			if g := w.grants(); !g[0].Spec.Revoked {
				t.Error("the grant is not revoked")
			}
		}},
		{"4.14", "a refresh token of another client or for more scopes", func(t *testing.T, w *world, id string) {
			_, refreshing := w.signIn(id)
			w.refreshWith(w.registered("https://attacker.example/"), refreshing).refused(t, "another client", "invalid_grant")
			w.refreshWith(id, refreshing, "scope", "brand:read content:write").refused(t, "more scopes", "invalid_scope")
			w.refreshWith(id, "reelops_rt_forged").refused(t, "a forged token", "invalid_grant")
		}},
		{"4.14", "a refresh token of an ended grant", func(t *testing.T, w *world, id string) {
			_, refreshing := w.signIn(id)
			w.clock.Step(24 * time.Hour)
			w.refreshWith(id, refreshing).refused(t, "after the end", "invalid_grant")
		}},
		{"4.17", "a response to another window", func(t *testing.T, w *world, id string) {
			_, err := w.Parse(t.Context(), query(id, "response_mode", "web_message"))
			redirected(t, "web_message", err, "invalid_request")
		}},
	} {
		t.Run(threat.section+" "+threat.name, func(t *testing.T) {
			w := newWorld(t)
			threat.attack(t, w, w.registered(callback))
		})
	}
}

// unredirected checks that the browser stays at the server.
func unredirected(t *testing.T, why string, err error) {
	t.Helper()
	var refused *RefusedError
	var shown *oidc.Error
	if errors.As(err, &refused) || !errors.As(err, &shown) {
		t.Errorf("%s: got %v", why, err)
	}
}

// redirected checks that the client learns of a refusal.
func redirected(t *testing.T, why string, err error, code string) {
	t.Helper()
	var refused *RefusedError
	if !errors.As(err, &refused) {
		t.Errorf("%s: got %v", why, err)
		return
	}
	u, _ := url.Parse(refused.Redirect)
	q := u.Query()
	if !strings.HasPrefix(refused.Redirect, callback) || q.Get("error") != code || q.Get("state") != "state-1" {
		t.Errorf("%s: got %s", why, refused.Redirect)
	}
}

// TestRefresh_OfALostResponse repeats a refresh at once, as a client does whose connection broke.
func TestRefresh_OfALostResponse(t *testing.T) {
	w := newWorld(t)
	id := w.registered(callback)
	_, first := w.signIn(id)
	lost := w.refreshWith(id, first)
	again := w.refreshWith(id, first)
	if lost.status != http.StatusOK || again.status != http.StatusOK {
		t.Fatalf("got %d %v, %d %v", lost.status, lost.body, again.status, again.body)
	}
	if next := w.refreshWith(id, again.body["refresh_token"].(string)); next.status != http.StatusOK {
		t.Errorf("the next refresh: got %d %v", next.status, next.body)
	}
	if access, err := w.use(again.body["access_token"].(string)); err != nil || access.Key.Status.OAuth.Refreshes != 2 {
		t.Errorf("got %v", err)
	}
}

// TestRefresh_WhileTheStatusChanges counts a use of the key between the read and the write.
func TestRefresh_WhileTheStatusChanges(t *testing.T) {
	w := newWorld(t)
	id := w.registered(callback)
	_, token := w.signIn(id)
	changed := false
	w.Live = interceptor.NewClient(w.cluster, interceptor.Funcs{
		SubResourcePatch: func(
			ctx context.Context, c client.Client, name string, o client.Object, p client.Patch,
			opts ...client.SubResourcePatchOption,
		) error {
			if !changed {
				changed = true
				g := &v1beta1.APIKey{}
				if err := c.Get(ctx, client.ObjectKeyFromObject(o), g); err != nil {
					return err
				}
				before := g.DeepCopy()
				g.Status.RequestCount = 7
				if err := c.Status().Patch(ctx, g, client.MergeFrom(before)); err != nil {
					return err
				}
			}
			return c.SubResource(name).Patch(ctx, o, p, opts...)
		},
	})
	if got := w.refreshWith(id, token); got.status != http.StatusOK {
		t.Fatalf("got %d %v", got.status, got.body)
	}
	if s := w.grants()[0].Status; s.RequestCount != 7 || s.OAuth.Refreshes != 1 {
		t.Errorf("got %+v", s)
	}
}

// TestClusterAway fails each write once. The client gets an error that it can repeat, and the repetition succeeds.
func TestClusterAway(t *testing.T) {
	w := newWorld(t)
	id := w.registered(callback)
	away := errors.New("the cluster is away")
	failing := true
	w.Live = interceptor.NewClient(w.cluster, interceptor.Funcs{
		Create: func(ctx context.Context, c client.WithWatch, o client.Object, opts ...client.CreateOption) error {
			if failing {
				return away
			}
			return c.Create(ctx, o, opts...)
		},
		SubResourcePatch: func(
			ctx context.Context, c client.Client, name string, o client.Object, p client.Patch,
			opts ...client.SubResourcePatchOption,
		) error {
			if failing {
				return away
			}
			return c.SubResource(name).Patch(ctx, o, p, opts...)
		},
		Patch: func(
			ctx context.Context, c client.WithWatch, o client.Object, p client.Patch, opts ...client.PatchOption,
		) error {
			if failing {
				return away
			}
			return c.Patch(ctx, o, p, opts...)
		},
	})
	both := func(why string, request func() reply) reply {
		t.Helper()
		failing = true
		if got := request(); got.status != http.StatusServiceUnavailable || got.header.Get("Retry-After") == "" ||
			strings.Contains(fmt.Sprint(got.body), "away") {
			t.Errorf("%s while the cluster is away: got %d %v", why, got.status, got.body)
		}
		failing = false
		got := request()
		if got.status != http.StatusOK {
			t.Fatalf("%s: got %d %v", why, got.status, got.body)
		}
		return got
	}
	form := exchangeForm(id, w.approved(query(id)).Get("code"))
	token := both("exchange", func() reply { return w.post(tokenPath, form) }).body["refresh_token"].(string)
	both("refresh", func() reply { return w.refreshWith(id, token) })
	both("revocation", func() reply { return w.post(revokePath, url.Values{"token": {token}}) })
	if g := w.grants(); len(g) != 1 || !g[0].Spec.Revoked {
		t.Errorf("got %+v", g)
	}
}

// TestGrants_AreLimited connects as many clients as a brand may have.
func TestGrants_AreLimited(t *testing.T) {
	w := newWorld(t)
	id := w.registered(callback)
	for range v1beta1.MaxGrantsPerBrand {
		w.signIn(id)
	}
	w.post(tokenPath, exchangeForm(id, w.approved(query(id)).Get("code"))).refused(t, "one too many", "invalid_grant")
	_, _, err := apikey.Create(t.Context(), w.cluster, w.NextKey, noon, apikey.Request{
		Account: "acme", Brand: "tea", Prefix: apikey.DefaultPrefix,
	})
	if err != nil {
		t.Errorf("grants count as keys: %v", err)
	}
}

// TestFailures_AreLimited guesses codes until the rate limit refuses.
func TestFailures_AreLimited(t *testing.T) {
	w := newWorld(t)
	id := w.registered(callback)
	for range limit.Default()[limit.Unauthenticated].Limit {
		w.post(tokenPath, exchangeForm(id, "guess")).refused(t, "a guess", "invalid_grant")
	}
	got := w.post(tokenPath, exchangeForm(id, "guess"))
	if got.status != http.StatusTooManyRequests || got.header.Get("Retry-After") == "" {
		t.Errorf("got %d %v", got.status, got.body)
	}
}

// TestLoopback accepts any port of a registered address of this machine, as native programs need.
func TestLoopback(t *testing.T) {
	w := newWorld(t)
	id := w.registered("http://127.0.0.1/callback", "cursor://anysphere.cursor-mcp/oauth/callback")
	for uri, host := range map[string]string{
		"http://127.0.0.1:51234/callback": "127.0.0.1", "cursor://anysphere.cursor-mcp/oauth/callback": "cursor:",
	} {
		r, err := w.Parse(t.Context(), query(id, "redirect_uri", uri))
		if err != nil || r.RedirectHost() != host || !r.ToThisComputer() {
			t.Errorf("%s: got %v", uri, err)
		}
	}
	_, err := w.Parse(t.Context(), query(id, "redirect_uri", "http://127.0.0.1:51234/other"))
	unredirected(t, "another path", err)
}

// TestScopes has the defaults and the limits of requested scopes.
func TestScopes(t *testing.T) {
	w := newWorld(t)
	id := w.registered(callback)
	for asked, want := range map[string]string{
		"": fmt.Sprint(usualScopes), "offline_access posts:write brand:read": "[brand:read posts:write]",
	} {
		r, err := w.Parse(t.Context(), query(id, "scope", asked))
		if err != nil || fmt.Sprint(r.Scopes) != want {
			t.Errorf("%q: got %v, %v", asked, r, err)
		}
	}
	_, err := w.Parse(t.Context(), query(id, "scope", "everything"))
	redirected(t, "an unknown scope", err, "invalid_scope")
	_, token := w.signIn(id)
	got := w.refreshWith(id, token, "scope", "brand:read")
	c, err := w.use(got.body["access_token"].(string))
	if err != nil || c.Has("posts:write") || !c.Has("brand:read") || got.body["scope"] != "brand:read" {
		t.Errorf("fewer scopes: got %v, %v", got.body, err)
	}
}

// TestDocument reads metadata documents of clients.
func TestDocument(t *testing.T) {
	w := newWorld(t)
	var requests atomic.Int64
	docs := map[string]string{}
	site := httptest.NewServer(http.HandlerFunc(func(to http.ResponseWriter, r *http.Request) {
		requests.Add(1)
		if r.URL.Path == "/moved" {
			http.Redirect(to, r, "/good", http.StatusFound)
			return
		}
		_, _ = io.WriteString(to, docs[r.URL.Path])
	}))
	defer site.Close()
	w.Documents = fetch.New(time.Second, strings.TrimPrefix(site.URL, "http://"))
	doc := func(path, id string, more string) string {
		docs[path] = fmt.Sprintf(`{"client_id":%q,"client_name":"Good","redirect_uris":[%q]%s}`, id, callback, more)
		return site.URL + path
	}
	good := doc("/good", site.URL+"/good", "")
	for range 2 {
		r, err := w.Parse(t.Context(), query(good))
		if err != nil || r.Client.Name != "Good" || HostOf(r.Client.ID) != strings.TrimPrefix(site.URL, "http://") {
			t.Fatalf("got %v, %v", r, err)
		}
	}
	if n := requests.Load(); n != 1 {
		t.Errorf("%d requests for one document", n)
	}
	w.signIn(good)
	for why, id := range map[string]string{
		"of another client":    doc("/other", good, ""),
		"with a secret":        doc("/secret", site.URL+"/secret", `,"token_endpoint_auth_method":"client_secret_post"`),
		"at a moved address":   site.URL + "/moved",
		"not JSON":             site.URL + "/empty",
		"without a path":       site.URL,
		"with a user":          "http://user@" + strings.TrimPrefix(site.URL, "http://") + "/good",
		"at a private address": "https://192.168.1.1/client",
		"with plain http":      "http://agent.example/client",
		"too large":            doc("/large", site.URL+"/large", `,"x":"`+strings.Repeat("x", maxDocument)+`"`),
	} {
		_, err := w.Parse(t.Context(), query(id))
		unredirected(t, why, err)
	}
	w.clock.Step(documentTime)
	docs["/good"] = `{}`
	_, err := w.Parse(t.Context(), query(good))
	unredirected(t, "a document that changed", err)
}

// TestMetadata_IsForAllOrigins reads the two documents as a page of another origin.
func TestMetadata_IsForAllOrigins(t *testing.T) {
	w := newWorld(t)
	for _, path := range []string{resourcePath, resourcePath + "/mcp", serverPath} {
		r := httptest.NewRequest(http.MethodGet, path, http.NoBody)
		r.Header.Set("Origin", "https://inspector.example")
		got := w.send(r)
		if got.status != http.StatusOK || got.header.Get("Access-Control-Allow-Origin") != "*" || !w.Serves(path) {
			t.Errorf("%s: got %d %v", path, got.status, got.header)
		}
		if path != serverPath && got.body["resource"] != resource {
			t.Errorf("%s: got %v", path, got.body)
		}
		if path == serverPath && got.body["issuer"] != "https://reelops.example" {
			t.Errorf("%s: got %v", path, got.body)
		}
	}
}

func ptrTo(t time.Time) *metav1.Time { return &metav1.Time{Time: t} }
