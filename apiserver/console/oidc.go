// SPDX-License-Identifier: Apache-2.0

package console

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"
	"k8s.io/utils/clock"

	"github.com/reelops/reelops/apiserver/operation"
	"github.com/reelops/reelops/apiserver/problem"
)

// OIDC configures sign-in at an identity provider with OpenID Connect. The names that it gives are the users and groups
// that Kubernetes authorizes: they have to be those of the cluster, with the same prefixes.
type OIDC struct {
	// Issuer is the URL of the provider.
	Issuer string
	// ClientID and ClientSecret of the console at the provider.
	ClientID, ClientSecret string
	// UsernameClaim and GroupsClaim are the claims with the name of the user and with the groups, in the ID token or at
	// the userinfo endpoint.
	UsernameClaim, GroupsClaim string
	// UsernamePrefix and GroupsPrefix are put before the names. Without a prefix, a user of the provider could choose the
	// name of another user of the cluster.
	UsernamePrefix, GroupsPrefix string
}

const (
	// flowTime is how long a sign-in may take at the provider.
	flowTime = 10 * time.Minute
	// providerTime is the timeout of the requests to the provider for one request of a user.
	providerTime = 15 * time.Second
	// flowName is the number of characters of the state in the name of a flow's cookie.
	flowName = 8
	// mostFlows limits the cookies of unfinished sign-ins, because proxies limit the size of headers. Each has about
	// 400 bytes.
	mostFlows = 8
	// maxReturn is the maximum length of the path to return to.
	maxReturn = 2048
	// reserved begins the names of users and groups of Kubernetes itself, which no provider may give.
	reserved = "system:"
	// authenticated is the group that Kubernetes adds to every user that it authenticates.
	authenticated = "system:authenticated"
	// noProvider is shown without an identity provider.
	noProvider = "This installation has no identity provider. Use a link of `kubectl reelops console`."
	// emailClaim is the claim that counts only if the provider has verified it.
	emailClaim = "email"
)

// provider is the identity provider. Its configuration is read when the first user signs in, so that the front end
// starts without it.
type provider struct {
	OIDC
	callback string
	clock    clock.PassiveClock
	web      *http.Client

	mu    sync.Mutex
	found *discovered
}

// discovered is what the provider publishes about itself.
type discovered struct {
	remote   *oidc.Provider
	verifier *oidc.IDTokenVerifier
	oauth    oauth2.Config
}

func newProvider(c OIDC, callback string, clk clock.PassiveClock) *provider {
	return &provider{OIDC: c, callback: callback, clock: clk, web: &http.Client{Timeout: providerTime}}
}

// discover returns the configuration of the provider.
func (p *provider) discover(ctx context.Context) (*discovered, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.found != nil {
		return p.found, nil
	}
	remote, err := oidc.NewProvider(ctx, p.Issuer)
	if err != nil {
		return nil, fmt.Errorf("reading the configuration of the identity provider: %w", err)
	}
	var published struct {
		Scopes []string `json:"scopes_supported"`
	}
	if err := remote.Claims(&published); err != nil {
		return nil, fmt.Errorf("reading the configuration of the identity provider: %w", err)
	}
	scopes := []string{oidc.ScopeOpenID, "profile", "email"}
	if slices.Contains(published.Scopes, "groups") { // other providers refuse a scope that they do not have
		scopes = append(scopes, "groups")
	}
	p.found = &discovered{
		remote: remote, verifier: remote.Verifier(&oidc.Config{ClientID: p.ClientID, Now: p.clock.Now}),
		oauth: oauth2.Config{
			ClientID: p.ClientID, ClientSecret: p.ClientSecret, Endpoint: remote.Endpoint(), RedirectURL: p.callback,
			Scopes: scopes,
		},
	}
	return p.found, nil
}

// flow is a sign-in that the provider has not finished yet. A cookie holds it, sealed, so any replica can finish it.
type flow struct {
	State    string `json:"s"`
	Nonce    string `json:"n"`
	Verifier string `json:"v"`
	Return   string `json:"r"`
	// Expires in Unix seconds.
	Expires int64 `json:"e"`
}

// flowCookie returns the name of the cookie of a flow. Each flow has its own, because several tabs may sign in at the
// same time. The state of a request is of any length and content.
func (h *Handler) flowCookie(state string) string {
	return h.cookies.flow + "-" + state[:min(len(state), flowName)]
}

// dropFlow deletes the cookie of the flow that expires first if the browser has too many.
func (h *Handler) dropFlow(w http.ResponseWriter, r *http.Request) {
	oldest, expires, count := "", int64(0), 0
	for _, c := range r.Cookies() {
		if !strings.HasPrefix(c.Name, h.cookies.flow+"-") {
			continue
		}
		count++
		f := &flow{}
		if h.flows.Open(c.Value, f) != nil {
			f.Expires = 0 // of no use
		}
		if oldest == "" || f.Expires < expires {
			oldest, expires = c.Name, f.Expires
		}
	}
	if count >= mostFlows {
		h.setCookie(w, oldest, "", 0)
	}
}

// startOIDC redirects the user to the provider.
func (h *Handler) startOIDC(w http.ResponseWriter, r *http.Request) {
	back := returnPath(r.URL.Query().Get("return"))
	if h.oidc == nil {
		h.signInFailed(w, r, back, http.StatusNotFound, noProvider, nil)
		return
	}
	ctx, cancel := h.oidc.context(r)
	defer cancel()
	d, err := h.oidc.discover(ctx)
	if err != nil {
		h.signInFailed(w, r, back, http.StatusServiceUnavailable,
			"The identity provider cannot be reached. Try again in a moment.", err)
		return
	}
	f := flow{
		State: rand.Text(), Nonce: rand.Text(), Verifier: oauth2.GenerateVerifier(),
		Return: back, Expires: h.Clock.Now().Add(flowTime).Unix(),
	}
	value, err := h.flows.Seal(f)
	if err != nil {
		h.signInFailed(w, r, back, http.StatusInternalServerError, "An internal error occurred.", err)
		return
	}
	h.dropFlow(w, r)
	h.setCookie(w, h.flowCookie(f.State), value, flowTime)
	w.Header().Set("Cache-Control", "no-store")
	at := d.oauth.AuthCodeURL(f.State, oidc.Nonce(f.Nonce), oauth2.S256ChallengeOption(f.Verifier))
	http.Redirect(w, r, at, http.StatusSeeOther)
}

// finishOIDC handles the redirect from the provider.
func (h *Handler) finishOIDC(w http.ResponseWriter, r *http.Request) {
	if h.oidc == nil {
		h.signInFailed(w, r, Path, http.StatusNotFound, noProvider, nil)
		return
	}
	f := &flow{}
	q := r.URL.Query()
	name := h.flowCookie(q.Get("state"))
	c, err := r.Cookie(name)
	if err == nil {
		err = h.flows.Open(c.Value, f)
	}
	if err != nil || h.Clock.Now().Unix() >= f.Expires ||
		subtle.ConstantTimeCompare([]byte(q.Get("state")), []byte(f.State)) != 1 {
		h.signInFailed(w, r, returnPath(f.Return), http.StatusBadRequest,
			"The sign-in has expired, or was started in another browser.", nil)
		return
	}
	h.setCookie(w, name, "", 0) // a flow finishes once
	if refusal := q.Get("error"); refusal != "" {
		h.signInFailed(w, r, f.Return, http.StatusForbidden, "The identity provider refused the sign-in.",
			errors.New("the provider returned the error "+word(refusal)))
		return
	}
	if err := h.Ready(); err != nil {
		h.signInFailed(w, r, f.Return, http.StatusServiceUnavailable, "The service is starting. Try again in a moment.", err)
		return
	}
	ctx, cancel := h.oidc.context(r)
	defer cancel()
	who, err := h.oidc.exchange(ctx, f, q.Get("code"))
	if refused := (*refusedError)(nil); errors.As(err, &refused) {
		h.signInFailed(w, r, f.Return, http.StatusForbidden, refused.message, err)
		return
	}
	if err == nil {
		err = h.signIn(w, r, who, "", "oidc")
	}
	if p := (*problem.Problem)(nil); errors.As(err, &p) {
		h.signInFailed(w, r, f.Return, p.Status, p.Message, err)
		return
	}
	if err != nil {
		h.signInFailed(w, r, f.Return, http.StatusBadGateway, "The sign-in could not be completed. Try again.", err)
		return
	}
	w.Header().Set("Cache-Control", "no-store")
	http.Redirect(w, r, f.Return, http.StatusSeeOther)
}

// context returns the context for requests to the provider.
func (p *provider) context(r *http.Request) (context.Context, context.CancelFunc) {
	return context.WithTimeout(oidc.ClientContext(r.Context(), p.web), providerTime)
}

// refusedError means that the provider signed in a user that the console does not accept.
type refusedError struct{ message string }

func (e *refusedError) Error() string { return e.message }

// exchange exchanges the code for an ID token, and returns the user of the token. It keeps no token.
func (p *provider) exchange(ctx context.Context, f *flow, code string) (subject, error) {
	d, err := p.discover(ctx)
	if err != nil {
		return subject{}, err
	}
	token, err := d.oauth.Exchange(ctx, code, oauth2.VerifierOption(f.Verifier))
	if err != nil {
		// The error of a response holds its body, which may repeat secrets.
		var response *oauth2.RetrieveError
		if errors.As(err, &response) {
			err = fmt.Errorf("status %d, error %s", response.Response.StatusCode, word(response.ErrorCode))
		}
		return subject{}, fmt.Errorf("exchanging the code: %w", err)
	}
	raw, _ := token.Extra("id_token").(string)
	id, err := d.verifier.Verify(ctx, raw)
	if err != nil {
		return subject{}, fmt.Errorf("verifying the ID token: %w", err)
	}
	if subtle.ConstantTimeCompare([]byte(id.Nonce), []byte(f.Nonce)) != 1 {
		return subject{}, errors.New("verifying the ID token: it belongs to another sign-in")
	}
	claims := map[string]any{}
	if err := id.Claims(&claims); err != nil {
		return subject{}, fmt.Errorf("reading the ID token: %w", err)
	}
	if err := p.complete(ctx, d, id.Subject, token, claims); err != nil {
		return subject{}, err
	}
	return p.subject(claims)
}

// complete adds claims of the userinfo endpoint if the ID token lacks the name or the groups: some providers have them
// only there.
func (p *provider) complete(
	ctx context.Context, d *discovered, id string, token *oauth2.Token, claims map[string]any,
) error {
	unverified := p.UsernameClaim == emailClaim && claims["email_verified"] == nil
	whole := claims[p.UsernameClaim] != nil && claims[p.GroupsClaim] != nil && !unverified
	if whole || d.remote.UserInfoEndpoint() == "" {
		return nil
	}
	info, err := d.remote.UserInfo(ctx, oauth2.StaticTokenSource(token))
	if err != nil {
		return fmt.Errorf("reading the userinfo endpoint: %w", err)
	}
	if info.Subject != id {
		return errors.New("reading the userinfo endpoint: it describes another user than the ID token")
	}
	more := map[string]any{}
	if err := info.Claims(&more); err != nil {
		return fmt.Errorf("reading the userinfo endpoint: %w", err)
	}
	for name, value := range more {
		if _, has := claims[name]; !has {
			claims[name] = value
		}
	}
	return nil
}

// subject returns the user of an ID token with these claims. Its error is a refusedError.
func (p *provider) subject(claims map[string]any) (subject, error) {
	name, _ := claims[p.UsernameClaim].(string)
	if name == "" {
		return subject{}, &refusedError{"The identity provider did not send the claim " + p.UsernameClaim + "."}
	}
	if verified := claims["email_verified"]; p.UsernameClaim == emailClaim && verified != true && verified != "true" {
		return subject{}, &refusedError{"Your email address is not verified at the identity provider."}
	}
	who := subject{user: p.UsernamePrefix + name, groups: []string{authenticated}}
	if strings.HasPrefix(who.user, reserved) {
		return subject{}, &refusedError{"The name " + who.user + " is reserved for Kubernetes."}
	}
	for _, g := range texts(claims[p.GroupsClaim]) {
		if g = p.GroupsPrefix + g; !strings.HasPrefix(g, reserved) && !slices.Contains(who.groups, g) {
			who.groups = append(who.groups, g)
		}
	}
	return who, nil
}

// texts returns the strings of a claim: a list, or one string.
func texts(claim any) []string {
	switch v := claim.(type) {
	case string:
		return []string{v}
	case []any:
		var out []string
		for _, one := range v {
			if s, ok := one.(string); ok && s != "" {
				out = append(out, s)
			}
		}
		return out
	}
	return nil
}

// returnPath returns the path to open after the sign-in: the requested one if it is a page of the console, else the
// console's first page.
func returnPath(raw string) string {
	u, err := url.Parse(raw)
	if err != nil || len(raw) > maxReturn || u.Scheme != "" || u.Host != "" || u.Opaque != "" || u.User != nil ||
		strings.ContainsAny(raw, "\\\r\n\t") {
		return Path
	}
	clean := path.Clean(u.Path)
	if !isPage(clean) || strings.Contains(clean, "\\") {
		return Path
	}
	return (&url.URL{Path: clean, RawQuery: u.RawQuery}).String()
}

// word returns a code of the provider if it looks like one.
func word(s string) string {
	const most = 64
	const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-"
	if s == "" || len(s) > most || strings.Trim(s, letters) != "" {
		return "(none)"
	}
	return s
}

// signInFailed shows why a sign-in failed, with a link to try again that returns to the page back. The cause is logged
// only.
func (h *Handler) signInFailed(
	w http.ResponseWriter, r *http.Request, back string, status int, message string, cause error,
) {
	if cause != nil {
		h.Log.Warn("sign-in failed", "request_id", operation.RequestID(r), "status", status, "error", cause.Error())
	}
	w.Header().Set("Cache-Control", "no-store")
	again := ""
	if h.oidc != nil {
		again = Path + "/sign-in?" + url.Values{"return": {back}}.Encode()
	}
	h.page.message(w, status, "You are not signed in", message, again)
}
