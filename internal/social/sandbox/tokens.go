// SPDX-License-Identifier: Apache-2.0

package sandbox

import (
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"
)

// What is wrong with a token or a code.
var (
	ErrNoToken      = errors.New("no token")
	ErrUnknownToken = errors.New("unknown token")
	ErrExpiredToken = errors.New("expired token")
	ErrRevokedToken = errors.New("revoked token")
)

// TokenRules are how a platform's tokens live. A time of 0 means that they do not end.
type TokenRules struct {
	Code, Access, Refresh time.Duration
	// Rotate gives a new refresh token at each renewal; the old one is then dead.
	Rotate bool
	// CodePrefix, AccessPrefix and RefreshPrefix stand in front of them.
	CodePrefix, AccessPrefix, RefreshPrefix string
}

// Grant is what a person approved.
type Grant struct {
	// Account by its name.
	Account                    string
	ClientID, RedirectURI      string
	Challenge, ChallengeMethod string
	Scopes                     []string
	issued                     time.Time
	used                       bool
}

// Token is a pair that was given out.
type Token struct {
	Access, Refresh string
	Grant           Grant
	IssuedAt        time.Time
	// AccessEnds and RefreshEnds are zero when they do not end.
	AccessEnds, RefreshEnds time.Time

	dead bool
}

// Tokens is the book of a platform's tokens.
type Tokens struct {
	s        *Sandbox
	platform string
	rules    TokenRules
	// The sandbox's lock guards these.
	codes     map[string]*Grant
	byAccess  map[string]*Token
	byRefresh map[string]*Token
}

// Tokens opens the book of a platform.
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

// Code is what the page gives for a grant.
func (t *Tokens) Code(g Grant) string {
	t.s.mu.Lock()
	defer t.s.mu.Unlock()
	g.issued = t.s.Now()
	code := t.rules.CodePrefix + Letters(40)
	t.codes[code] = &g
	return code
}

// Redeem takes a code, once: ErrUnknownToken, ErrExpiredToken, or ErrRevokedToken when it was taken before.
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

// Issue gives a new pair.
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

// Refresh renews a pair by its refresh token. Access tokens that were given before stay good until they end.
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

// Lookup finds the pair of an access token. With ErrExpiredToken and ErrRevokedToken it is given too.
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

// Who is the account that a request is made for, by its header, or by access_token, refresh_token or code of its query or form;
// empty when nobody can tell.
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

// RevokeToken takes back everything that belongs to an access or refresh token's account.
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

// Revoke takes back every token of an account, as its owner may on the platform; of all accounts when the name is empty.
func (t *Tokens) Revoke(account string) { t.each(account, "dead") }

// Expire ends the access tokens of an account now; refresh tokens stay. Of all accounts when the name is empty.
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

// kill makes an access or refresh token one that was taken back.
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

// end makes an access token one that is over.
func (t *Tokens) end(access string) {
	if k := t.byAccess[access]; k != nil {
		k.AccessEnds = t.s.Now()
	}
}

// Allows says whether a scope was granted.
func (k Token) Allows(scope string) bool { return slices.Contains(k.Grant.Scopes, scope) }

// RevokeAccount takes back every token of an account on a platform.
func (s *Sandbox) RevokeAccount(platform, account string) error {
	if _, ok := s.AccountByName(platform, account); !ok {
		return ErrUnknownToken
	}
	s.tokensOf(platform).Revoke(account)
	return nil
}
