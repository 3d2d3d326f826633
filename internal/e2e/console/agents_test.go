// SPDX-License-Identifier: Apache-2.0

package console

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"golang.org/x/oauth2"
)

// authorizePage registers an OAuth client and returns its id and the page to which it sends its user.
func (c *consoleTest) authorizePage(t *testing.T, name, callback, verifier string) (id, page string) {
	t.Helper()
	body, err := json.Marshal(map[string]any{"client_name": name, "redirect_uris": []string{callback}})
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.Post(c.url+"/mcp/oauth/register", "application/json", bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	var client struct {
		ID string `json:"client_id"`
	}
	if err := json.NewDecoder(resp.Body).Decode(&client); err != nil || client.ID == "" {
		t.Fatalf("registration: %d, %v", resp.StatusCode, err)
	}
	return client.ID, "/console/authorize?" + url.Values{
		"response_type": {"code"}, "client_id": {client.ID}, "redirect_uri": {callback}, "state": {"state-1"},
		"code_challenge_method": {"S256"}, "code_challenge": {oauth2.S256ChallengeFromVerifier(verifier)},
		"scope": {"brand:read content:write posts:read"},
	}.Encode()
}

// agentConnects approves an agent, which then calls a tool, and revokes it. Another one is refused.
func (c *consoleTest) agentConnects(t *testing.T) {
	answers := make(chan url.Values, 2)
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/callback" {
			answers <- r.URL.Query()
			w.Header().Set("Content-Type", "text/html")
			_, _ = w.Write([]byte("<!doctype html><link rel=icon href=data:,><title>Agent</title>Connected"))
		}
	}))
	t.Cleanup(site.Close)
	verifier := oauth2.GenerateVerifier()
	id, page := c.authorizePage(t, "Helpful agent", site.URL+"/callback", verifier)
	w := c.signedIn(t)
	w.visit(page)
	w.sees("heading", "Helpful agent")
	w.reads("unknown: the program named itself")
	w.click("checkbox", "posts:read")
	c.picture(w, "agent-consent")
	w.click("button", "Allow access")
	answer := <-answers
	if answer.Get("state") != "state-1" || answer.Get("iss") != c.url {
		t.Errorf("the answer: got %v", answer)
	}
	config := oauth2.Config{
		ClientID: id, RedirectURL: site.URL + "/callback",
		Endpoint: oauth2.Endpoint{TokenURL: c.url + "/mcp/oauth/token", AuthStyle: oauth2.AuthStyleInParams},
	}
	token, err := config.Exchange(t.Context(), answer.Get("code"), oauth2.VerifierOption(verifier))
	if err != nil {
		t.Fatal(err)
	}
	if scope := token.Extra("scope"); scope != "brand:read content:write" {
		t.Errorf("scopes: got %v", scope)
	}
	use := func() int {
		t.Helper()
		call := `{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "get_account", "arguments": {}}}`
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, c.url+"/mcp", strings.NewReader(call))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/json")
		token.SetAuthHeader(r)
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		return resp.StatusCode
	}
	if got := use(); got != http.StatusOK {
		t.Errorf("the token: got %d", got)
	}
	w.visit("/console/settings?tab=keys")
	w.reads("Agent, signed in by")
	w.click("button", "Revoke") // of the newest
	w.click("button", "Revoke key")
	waitFor(t, func() bool { return use() == http.StatusUnauthorized }, "the token is refused")

	_, page = c.authorizePage(t, "Helpful agent", site.URL+"/callback", verifier)
	w.visit(page)
	w.click("button", "Refuse")
	if answer := <-answers; answer.Get("error") != "access_denied" || answer.Get("code") != "" {
		t.Errorf("the refusal: got %v", answer)
	}
}
