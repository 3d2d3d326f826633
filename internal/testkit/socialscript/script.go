// SPDX-License-Identifier: Apache-2.0

// Package socialscript is a scripted social platform for tests of connections. It returns configured responses and
// records its calls. It does not publish.
package socialscript

import (
	"context"
	"fmt"
	"net/url"
	"sync"
	"time"

	"k8s.io/utils/clock"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/social/publish"
)

// Platform returns configured responses. Nil functions have default behaviour: tokens that rotate at each refresh, for
// one account.
type Platform struct {
	publish.Publisher

	Clock clock.PassiveClock
	// AccessLife and RefreshLife are the lifetimes of tokens; 0 means no expiry. NoRefresh issues no refresh tokens.
	AccessLife, RefreshLife time.Duration
	NoRefresh               bool
	Lacking                 []string
	// People are the accounts that a code is exchanged for.
	People []publish.Identity

	OnExchange func() error
	OnRefresh  func(publish.Tokens) (publish.Tokens, error)
	OnHeadroom func(publish.Account) (*publish.Headroom, error)
	OnIdentify func(publish.Account) (*publish.Identity, error)
	NotSetUp   []string

	name v1beta1.Platform
	mu   sync.Mutex
	n    int
	// live is the only valid refresh token.
	live   string
	calls  []string
	secret []string
}

// New returns a platform with the token lifetimes of TikTok.
func New(name v1beta1.Platform, c clock.PassiveClock, people ...publish.Identity) *Platform {
	return &Platform{name: name, Clock: c, AccessLife: 24 * time.Hour, RefreshLife: 365 * 24 * time.Hour, People: people}
}

// Calls returns the names of the calls, in order.
func (p *Platform) Calls() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]string{}, p.calls...)
}

// Count returns the number of calls with a name.
func (p *Platform) Count(call string) int {
	n := 0
	for _, c := range p.Calls() {
		if c == call {
			n++
		}
	}
	return n
}

// Secrets returns all issued tokens.
func (p *Platform) Secrets() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]string{}, p.secret...)
}

func (p *Platform) called(name string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.calls = append(p.calls, name)
}

// Name of the platform.
func (p *Platform) Name() v1beta1.Platform { return p.name }

// Missing returns NotSetUp.
func (p *Platform) Missing() []string { return p.NotSetUp }

// AuthorizeURL returns the URL of a page that does not exist.
func (p *Platform) AuthorizeURL(a publish.Authorization) string {
	return "https://" + string(p.name) + ".example/authorize?" + url.Values{"state": {a.State}, "redirect_uri": {a.RedirectURI}}.Encode()
}

// Exchange issues tokens for People.
func (p *Platform) Exchange(_ context.Context, _ string, _ publish.Authorization) (*publish.Grant, error) {
	p.called("exchange")
	if p.OnExchange != nil {
		if err := p.OnExchange(); err != nil {
			return nil, err
		}
	}
	return &publish.Grant{Tokens: p.Issue(), Identities: p.People, Lacking: p.Lacking}, nil
}

// Issue issues new tokens and invalidates earlier ones.
func (p *Platform) Issue() publish.Tokens {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.n++
	now := p.Clock.Now()
	t := publish.Tokens{AccessToken: fmt.Sprintf("access-secret-%s-%d", p.name, p.n), IssuedAt: now, Scopes: []string{"publish"}}
	if p.AccessLife > 0 {
		t.AccessExpiresAt = now.Add(p.AccessLife)
	}
	p.secret = append(p.secret, t.AccessToken)
	if p.NoRefresh {
		return t
	}
	t.RefreshToken = fmt.Sprintf("refresh-secret-%s-%d", p.name, p.n)
	if p.RefreshLife > 0 {
		t.RefreshExpiresAt = now.Add(p.RefreshLife)
	}
	p.live = t.RefreshToken
	p.secret = append(p.secret, t.RefreshToken)
	return t
}

// Dead is the error for a refresh token that is no longer valid.
var Dead = &publish.Error{Kind: publish.Auth, Code: "invalid_grant", Safe: "The permission has ended"}

// Refresh renews the valid refresh token. It returns Dead for any other.
func (p *Platform) Refresh(_ context.Context, t publish.Tokens) (publish.Tokens, error) {
	p.called("refresh")
	if p.OnRefresh != nil {
		return p.OnRefresh(t)
	}
	return p.Rotate(t)
}

// Rotate is the default behaviour of Refresh.
func (p *Platform) Rotate(t publish.Tokens) (publish.Tokens, error) {
	p.mu.Lock()
	live := p.live
	p.mu.Unlock()
	if t.RefreshToken != live {
		return t, Dead
	}
	return p.Issue(), nil
}

// Headroom returns nil, which means unknown, by default.
func (p *Platform) Headroom(_ context.Context, a publish.Account) (*publish.Headroom, error) {
	p.called("headroom")
	if p.OnHeadroom == nil {
		return nil, nil
	}
	return p.OnHeadroom(a)
}

// Identify returns only the account's ID by default.
func (p *Platform) Identify(_ context.Context, a publish.Account) (*publish.Identity, error) {
	p.called("identify")
	if p.OnIdentify == nil {
		return &publish.Identity{ID: a.ID}, nil
	}
	return p.OnIdentify(a)
}
