// SPDX-License-Identifier: Apache-2.0

package sandbox

import (
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"
)

// Errors of a token or code lookup.
var (
	ErrNoToken      = errors.New("no token")
	ErrUnknownToken = errors.New("unknown token")
	ErrExpiredToken = errors.New("expired token")
	ErrRevokedToken = errors.New("revoked token")
)

// TokenRules define the lifetimes of a platform's tokens. A lifetime of 0 means no expiry.
type TokenRules struct {
	Code, Access, Refresh time.Duration
	// Rotate issues a new refresh token at each refresh and invalidates the old one.
	Rotate bool
	// CodePrefix, AccessPrefix and RefreshPrefix are prepended to the tokens.
	CodePrefix, AccessPrefix, RefreshPrefix string
}

// Grant is what a user approved on the consent page.
type Grant struct {
	// Account is the name of the account.
	Account                    string
	ClientID, RedirectURI      string
	Challenge, ChallengeMethod string
	Scopes                     []string
	issued                     time.Time
	used                       bool
}

// Token is an issued pair of access and refresh token.
type Token struct {
	Access, Refresh string
	Grant           Grant
	IssuedAt        time.Time
	// AccessEnds and RefreshEnds are zero when the tokens do not expire.
	AccessEnds, RefreshEnds time.Time

	dead bool
}

// Tokens is the token store of a platform.
type Tokens struct {
	s        *Sandbox
	platform string
	rules    TokenRules
	// The maps are guarded by the sandbox's lock.
	codes     map[string]*Grant
	byAccess  map[string]*Token
	byRefresh map[string]*Token
}

// Tokens returns the token store of a platform and sets its rules.
func (s *Sandbox) Tokens(platform string, rules TokenRules) *Tokens {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := s.book(platform)
	t.rules = rules
	return t
}

func (s *Sandbox) book(platform string) *Tokens {
	t := s.tokens[platform]
	if t == nil {
		t = &Tokens{s: s, platform: platform, codes: map[string]*Grant{}, byAccess: map[string]*Token{}, byRefresh: map[string]*Token{}}
		s.tokens[platform] = t
	}
	return t
}

// Code issues an authorization code for a grant.
func (t *Tokens) Code(g Grant) string {
	t.s.mu.Lock()
	defer t.s.mu.Unlock()
	g.issued = t.s.Now()
	code := t.rules.CodePrefix + Letters(40)
	t.codes[code] = &g
	return code
}

// Redeem exchanges a code, once. It returns ErrUnknownToken, ErrExpiredToken, or ErrRevokedToken when the code was used
// before.
func (t *Tokens) Redeem(code string) (Grant, error) {
	t.s.mu.Lock()
	defer t.s.mu.Unlock()
	g := t.codes[code]
	switch {
	case g == nil:
		return Grant{}, ErrUnknownToken
	case g.used:
		return Grant{}, ErrRevokedToken
	case t.rules.Code > 0 && t.s.Now().Sub(g.issued) >= t.rules.Code:
		return Grant{}, ErrExpiredToken
	}
	g.used = true
	return *g, nil
}

// Issue issues a new pair of tokens.
func (t *Tokens) Issue(g Grant) Token {
	t.s.mu.Lock()
	defer t.s.mu.Unlock()
	return t.issue(g, t.rules.RefreshPrefix+Letters(48), t.after(t.rules.Refresh))
}

func (t *Tokens) issue(g Grant, refresh string, refreshEnds time.Time) Token {
	now := t.s.Now()
	k := &Token{
		Access: t.rules.AccessPrefix + Letters(64), Refresh: refresh, Grant: g, IssuedAt: now,
		AccessEnds: t.after(t.rules.Access), RefreshEnds: refreshEnds,
	}
	t.keep(k)
	_ = t.s.write(entry{On: t.platform, Token: k})
	return *k
}

func (t *Tokens) keep(k *Token) { t.byAccess[k.Access], t.byRefresh[k.Refresh] = k, k }

func (t *Tokens) after(d time.Duration) time.Time {
	if d == 0 {
		return time.Time{}
	}
	return t.s.Now().Add(d)
}

// Refresh issues a new access token for a refresh token. Earlier access tokens stay valid until they expire.
func (t *Tokens) Refresh(refresh string) (Token, error) {
	t.s.mu.Lock()
	defer t.s.mu.Unlock()
	k := t.byRefresh[refresh]
	switch {
	case refresh == "":
		return Token{}, ErrNoToken
	case k == nil:
		return Token{}, ErrUnknownToken
	case k.dead:
		return Token{}, ErrRevokedToken
	case t.past(k.RefreshEnds):
		return Token{}, ErrExpiredToken
	}
	if !t.rules.Rotate {
		return t.issue(k.Grant, k.Refresh, k.RefreshEnds), nil
	}
	delete(t.byRefresh, refresh)
	_ = t.s.write(entry{On: t.platform, Dead: refresh})
	return t.issue(k.Grant, t.rules.RefreshPrefix+Letters(48), k.RefreshEnds), nil
}

func (t *Tokens) past(end time.Time) bool { return !end.IsZero() && !t.s.Now().Before(end) }

// Lookup returns the pair of an access token. With ErrExpiredToken and ErrRevokedToken it returns the pair too.
func (t *Tokens) Lookup(access string) (Token, error) {
	t.s.mu.Lock()
	defer t.s.mu.Unlock()
	k := t.byAccess[access]
	switch {
	case access == "":
		return Token{}, ErrNoToken
	case k == nil:
		return Token{}, ErrUnknownToken
	case k.dead:
		return *k, ErrRevokedToken
	case t.past(k.AccessEnds):
		return *k, ErrExpiredToken
	}
	return *k, nil
}

// Bearer looks up the token of a request's Authorization header.
func (t *Tokens) Bearer(r *http.Request) (Token, error) {
	access, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	if !ok {
		return Token{}, ErrNoToken
	}
	return t.Lookup(access)
}

// Who returns the account of a request. It reads the Authorization header, then access_token, refresh_token or code of
// the query or form. It returns an empty name when none of them matches.
func (t *Tokens) Who(r *http.Request) string {
	if k, _ := t.Bearer(r); k.Grant.Account != "" {
		return k.Grant.Account
	}
	t.s.mu.Lock()
	defer t.s.mu.Unlock()
	if k := t.byAccess[r.FormValue("access_token")]; k != nil {
		return k.Grant.Account
	}
	if k := t.byRefresh[r.FormValue("refresh_token")]; k != nil {
		return k.Grant.Account
	}
	if g := t.codes[r.FormValue("code")]; g != nil {
		return g.Account
	}
	return ""
}

// RevokeToken revokes all tokens of the account that an access or refresh token belongs to. It reports whether the
// token is known.
func (t *Tokens) RevokeToken(token string) bool {
	t.s.mu.Lock()
	k := t.byAccess[token]
	if k == nil {
		k = t.byRefresh[token]
	}
	t.s.mu.Unlock()
	if k == nil {
		return false
	}
	t.Revoke(k.Grant.Account)
	return true
}

// Revoke revokes every token of an account, as its owner can on the platform. An empty name revokes the tokens of all
// accounts.
func (t *Tokens) Revoke(account string) { t.each(account, "dead") }

// Expire expires the access tokens of an account; refresh tokens stay valid. An empty name expires those of all
// accounts.
func (t *Tokens) Expire(account string) { t.each(account, "") }

func (t *Tokens) each(account, what string) {
	t.s.mu.Lock()
	defer t.s.mu.Unlock()
	for access, k := range t.byAccess {
		if account != "" && k.Grant.Account != account {
			continue
		}
		if what == "dead" {
			t.kill(access)
			t.kill(k.Refresh)
			_ = t.s.write(entry{On: t.platform, Dead: access})
			_ = t.s.write(entry{On: t.platform, Dead: k.Refresh})
			continue
		}
		t.end(access)
		_ = t.s.write(entry{On: t.platform, Expired: access})
	}
}

// kill marks an access or refresh token as revoked.
func (t *Tokens) kill(token string) {
	if k := t.byAccess[token]; k != nil {
		k.dead = true
		return
	}
	if k := t.byRefresh[token]; k != nil {
		gone := *k
		gone.dead = true
		t.byRefresh[token] = &gone
	}
}

// end marks an access token as expired.
func (t *Tokens) end(access string) {
	if k := t.byAccess[access]; k != nil {
		k.AccessEnds = t.s.Now()
	}
}

// Allows reports whether a scope was granted.
func (k Token) Allows(scope string) bool { return slices.Contains(k.Grant.Scopes, scope) }

// RevokeAccount revokes every token of an account on a platform. It returns ErrUnknownToken when the account does not
// exist.
func (s *Sandbox) RevokeAccount(platform, account string) error {
	if _, ok := s.AccountByName(platform, account); !ok {
		return ErrUnknownToken
	}
	s.tokensOf(platform).Revoke(account)
	return nil
}
