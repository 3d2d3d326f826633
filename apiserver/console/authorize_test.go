// SPDX-License-Identifier: Apache-2.0

package console_test

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/modelcontextprotocol/go-sdk/oauthex"
	"golang.org/x/oauth2"

	"github.com/reelops/reelops/api/v1beta1"
)

const clientCallback = "http://127.0.0.1:51234/callback"

// agent is an MCP client that signs in with OAuth.
type agent struct {
	t       *testing.T
	replica *replica
	handler *auth.AuthorizationCodeHandler
	// decide returns the decision of the user about a request for scopes.
	decide func(scopes []string) map[string]any
	// asked are the scopes of each request.
	asked [][]string
}

// newAgent returns an agent whose user has a browser.
func newAgent(t *testing.T, r *replica, user *browser) *agent {
	t.Helper()
	a := &agent{t: t, replica: r}
	a.decide = func(scopes []string) map[string]any { return approval(scopes...) }
	var err error
	a.handler, err = auth.NewAuthorizationCodeHandler(&auth.AuthorizationCodeHandlerConfig{
		DynamicClientRegistrationConfig: &auth.DynamicClientRegistrationConfig{Metadata: &oauthex.ClientRegistrationMetadata{
			ClientName: "Agent", RedirectURIs: []string{clientCallback},
			GrantTypes: []string{"authorization_code", "refresh_token"}, ResponseTypes: []string{"code"},
		}},
		RedirectURL: clientCallback,
		AuthorizationCodeFetcher: func(_ context.Context, args *auth.AuthorizationArgs) (*auth.AuthorizationResult, error) {
			u, err := url.Parse(args.URL)
			must(t, err)
			a.asked = append(a.asked, strings.Fields(u.Query().Get("scope")))
			if page := user.get(u.RequestURI()); page.status != http.StatusOK {
				t.Fatalf("the page: got %d", page.status)
			}
			shown := user.get("/console/authorization?" + u.RawQuery)
			if shown.status != http.StatusOK || shown.data()["name"] != "Agent" || shown.data()["this_computer"] != true {
				t.Fatalf("the request: got %d %s", shown.status, shown.raw)
			}
			body := a.decide(a.asked[len(a.asked)-1])
			body["query"] = u.RawQuery
			decided := user.call("POST", "/console/authorization", body)
			if decided.status != http.StatusOK {
				t.Fatalf("the decision: got %d %s", decided.status, decided.raw)
			}
			to, err := url.Parse(decided.data()["redirect"].(string))
			must(t, err)
			if refused := to.Query().Get("error"); refused != "" {
				return nil, errors.New(refused)
			}
			return &auth.AuthorizationResult{
				Code: to.Query().Get("code"), State: to.Query().Get("state"), Iss: to.Query().Get("iss"),
			}, nil
		},
	})
	must(t, err)
	return a
}

// approval returns a decision that grants scopes for an hour.
func approval(scopes ...string) map[string]any {
	return map[string]any{"approve": true, "scopes": scopes, "expires_at": time.Now().Add(time.Hour).Format(time.RFC3339)}
}

// connect opens a session with the MCP server.
func (a *agent) connect() (*sdk.ClientSession, error) {
	a.t.Helper()
	c := sdk.NewClient(&sdk.Implementation{Name: "agent", Version: "1"}, nil)
	s, err := c.Connect(a.t.Context(), &sdk.StreamableClientTransport{
		Endpoint: a.replica.url + "/mcp", OAuthHandler: a.handler, DisableStandaloneSSE: true, MaxRetries: -1,
	}, nil)
	if err == nil {
		a.t.Cleanup(func() { _ = s.Close() })
	}
	return s, err
}

// tool calls a tool and reports whether it succeeded.
func tool(t *testing.T, s *sdk.ClientSession, name string, in map[string]any) (bool, error) {
	t.Helper()
	out, err := s.CallTool(t.Context(), &sdk.CallToolParams{Name: name, Arguments: in})
	return err == nil && !out.IsError, err
}

func TestAuthorize_AnAgentSignsInAndIsRevoked(t *testing.T) {
	r := newReplica(t, nil)
	account := newAccount(t, "acme")
	user := newKeeper(t, account)
	b := signedIn(t, r, user, account)
	a := newAgent(t, r, b)
	a.decide = func([]string) map[string]any { return approval("brand:read", "posts:read") }
	s, err := a.connect()
	if err != nil {
		t.Fatal(err)
	}
	if ok, err := tool(t, s, "get_account", map[string]any{}); !ok {
		t.Errorf("a tool within the scopes: %v", err)
	}
	if !slices.Contains(a.asked[0], "content:write") {
		t.Errorf("requested scopes: got %v", a.asked)
	}

	// A tool that needs another scope makes the client ask again. The user refuses, then approves.
	a.decide = func([]string) map[string]any { return map[string]any{"approve": false} }
	write := map[string]any{
		"context": "Three reasons to walk to work\n1. You arrive awake.\n2. You save the gym.\n3. You see your town.",
	}
	ok, err := tool(t, s, "create_slideshow", write)
	if ok || err == nil || !strings.Contains(err.Error(), "access_denied") {
		t.Errorf("a refused scope: got %v, %v", ok, err)
	}
	if last := a.asked[len(a.asked)-1]; !slices.Contains(last, "content:write") || !slices.Contains(last, "posts:read") {
		t.Errorf("the second request: got %v", last)
	}
	a.decide = func(scopes []string) map[string]any { return approval(scopes...) }
	if s, err = a.connect(); err != nil {
		t.Fatal(err)
	}
	if ok, err := tool(t, s, "create_slideshow", write); !ok {
		t.Errorf("a tool with more scopes: %v", err)
	}

	// The client refreshes its token.
	source, err := a.handler.TokenSource(t.Context())
	must(t, err)
	token, err := source.Token()
	must(t, err)
	keys := func() []any {
		list, _ := b.get("/console/keys").body["data"].([]any)
		return list
	}
	eventually(t, "both grants in the list", func() (bool, error) { return len(keys()) == 2, nil })
	client := keys()[0].(map[string]any)["client"].(map[string]any)
	if client["name"] != "Agent" || client["user"] != user || client["host"] != "" {
		t.Errorf("the client in the list: got %v", client)
	}
	log := r.audit.String()
	if strings.Count(log, `"operation":"connect_client"`) != 2 || strings.Contains(log, token.AccessToken) {
		t.Error("the audit log has no lines of the grants, or has a token")
	}

	// A revocation takes effect with the next call.
	for _, one := range keys() {
		name, _ := one.(map[string]any)["name"].(string)
		b.call("DELETE", "/console/keys/"+name, nil).want(t, "revoke", http.StatusNoContent, "")
	}
	a.decide = func([]string) map[string]any { return map[string]any{"approve": false} }
	if ok, err := tool(t, s, "get_account", map[string]any{}); ok || err == nil {
		t.Errorf("a revoked client: got %v, %v", ok, err)
	}
}

func TestAuthorize_RefreshAndRevocationByTheClient(t *testing.T) {
	r := newReplica(t, nil)
	account := newAccount(t, "acme")
	a := newAgent(t, r, signedIn(t, r, newKeeper(t, account), account))
	a.decide = func([]string) map[string]any { return approval("brand:read") }
	if _, err := a.connect(); err != nil {
		t.Fatal(err)
	}
	source, err := a.handler.TokenSource(t.Context())
	must(t, err)
	token, err := source.Token()
	must(t, err)
	list := &v1beta1.APIKeyList{}
	must(t, cluster.Client.List(t.Context(), list))
	i := slices.IndexFunc(list.Items, func(k v1beta1.APIKey) bool { return k.Namespace == account })
	config := &oauth2.Config{
		ClientID: list.Items[i].Spec.OAuth.ClientID,
		Endpoint: oauth2.Endpoint{TokenURL: r.url + "/mcp/oauth/token", AuthStyle: oauth2.AuthStyleInParams},
	}
	fresh, err := config.TokenSource(t.Context(), &oauth2.Token{RefreshToken: token.RefreshToken}).Token()
	must(t, err)
	list2 := newBrowser(t, r)
	rpc := map[string]any{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
	use := func() answer { return list2.call("POST", "/mcp", rpc, "Authorization", "Bearer "+fresh.AccessToken) }
	use().want(t, "the new token", http.StatusOK, "")
	list2.get("/api/v1/account", "Authorization", "Bearer "+fresh.AccessToken).
		want(t, "the token at the REST API", http.StatusUnauthorized, "invalid_token")
	resp, err := http.PostForm(r.url+"/mcp/oauth/revoke", url.Values{"token": {fresh.RefreshToken}})
	must(t, err)
	must(t, resp.Body.Close())
	refused := use()
	refused.want(t, "a token after the revocation", http.StatusUnauthorized, "key_revoked")
	metadata := `resource_metadata="` + r.url + `/.well-known/oauth-protected-resource/mcp"`
	if c := refused.header.Get("WWW-Authenticate"); !strings.Contains(c, metadata) {
		t.Errorf("WWW-Authenticate: got %s", c)
	}
}

func TestAuthorize_WhatAUserCannotGrant(t *testing.T) {
	r := newReplica(t, nil)
	account := newAccount(t, "acme")
	viewer := newUser(t, account, "reelops-viewer")
	b := signedIn(t, r, viewer, account)
	stranger := newBrowser(t, r)
	registered := stranger.call("POST", "/mcp/oauth/register", map[string]any{"redirect_uris": []string{clientCallback}})
	id, _ := registered.body["client_id"].(string)
	query := url.Values{
		"response_type": {"code"}, "client_id": {id}, "redirect_uri": {clientCallback}, "code_challenge_method": {"S256"},
		"code_challenge": {strings.Repeat("A", 43)}, "scope": {"brand:read content:write"},
	}.Encode()
	decide := func(body map[string]any, headers ...string) answer {
		body["query"] = query
		return b.call("POST", "/console/authorization", body, headers...)
	}
	decide(approval("brand:read")).want(t, "a user who may not create keys", http.StatusForbidden, "missing_scope")
	allow(t, account, viewer, "apikeys", "create")
	eventually(t, "the permission", func() (bool, error) {
		return decide(approval("brand:read")).status == http.StatusOK, nil
	})
	decide(approval("content:write")).want(t, "a scope that the user lacks", http.StatusForbidden, "missing_scope")
	decide(approval("media:read")).
		want(t, "a scope that the client did not request", http.StatusUnprocessableEntity, "validation_failed")
	decide(approval()).want(t, "no scopes", http.StatusUnprocessableEntity, "validation_failed")
	long := approval("brand:read")
	long["expires_at"] = time.Now().Add(10000 * time.Hour).Format(time.RFC3339)
	decide(long).want(t, "more than a year", http.StatusUnprocessableEntity, "validation_failed")
	other := approval("brand:read")
	other["brand_id"] = 999999
	decide(other).want(t, "an unknown brand", http.StatusUnprocessableEntity, "validation_failed")
	decide(approval("brand:read"), "Origin", "https://attacker.example", "Sec-Fetch-Site", "cross-site").
		want(t, "a page of another origin", http.StatusForbidden, "bad_request")
	stranger.get("/console/authorization?"+query).want(t, "without a session", http.StatusUnauthorized, "invalid_token")
	b.get("/console/authorization?client_id=unknown").want(t, "an unknown client", http.StatusBadRequest, "bad_request")
	page := b.get("/console/authorize?" + query)
	if csp := page.header.Get("Content-Security-Policy"); !strings.Contains(csp, "frame-ancestors 'none'") ||
		page.header.Get("Referrer-Policy") != "no-referrer" {
		t.Errorf("the page: got %v", page.header)
	}
	list := &v1beta1.APIKeyList{}
	must(t, cluster.Client.List(t.Context(), list))
	for i := range list.Items {
		if list.Items[i].Namespace == account {
			t.Errorf("a grant exists: %s", list.Items[i].Name)
		}
	}
}
