// SPDX-License-Identifier: Apache-2.0

package instagram

import (
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"k8s.io/utils/clock"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/social/publish"
)

// Default addresses and API version of Instagram.
const (
	DefaultWebBase   = "https://www.instagram.com"
	DefaultTokenBase = "https://api.instagram.com"
	DefaultGraphBase = "https://graph.instagram.com"
	DefaultVersion   = "v25.0"
)

// Config is the installation's app at Instagram.
type Config struct {
	// ClientID and ClientSecret are those of the Instagram app, not of the Facebook app that contains it. The secret is
	// empty in a process that makes no calls.
	ClientID, ClientSecret string
	// WebBase serves the consent page and the profiles, TokenBase exchanges codes, GraphBase serves everything else.
	WebBase, TokenBase, GraphBase string
	// Version is the API version, such as v25.0.
	Version string
	// Scopes are the scopes that the consent page requests; empty means DefaultScopes. They must include those that
	// publishing needs.
	Scopes []string
	// HTTP sends the calls. Default: http.DefaultClient.
	HTTP *http.Client
	// Clock defaults to the real clock.
	Clock clock.PassiveClock
}

// At returns the configuration with all of Instagram at one address, as in a sandbox.
func (c Config) At(base string) Config {
	base = strings.TrimSuffix(base, "/")
	c.WebBase, c.TokenBase, c.GraphBase = base, base, base
	return c
}

// Platform is the adapter for Instagram.
type Platform struct {
	c Config
}

var (
	_ publish.Platform  = (*Platform)(nil)
	_ publish.Commenter = (*Platform)(nil)
)

// New returns the adapter, or an error if the configuration is invalid. Missing settings are no error: Missing lists
// them.
func New(c Config) (*Platform, error) {
	for _, d := range []struct {
		v    *string
		what string
		def  string
	}{
		{&c.WebBase, "the address of Instagram's pages", DefaultWebBase},
		{&c.TokenBase, "the address of Instagram's tokens", DefaultTokenBase},
		{&c.GraphBase, "the address of Instagram's API", DefaultGraphBase},
	} {
		if *d.v == "" {
			*d.v = d.def
		}
		u, err := url.Parse(*d.v)
		if err != nil || u.Host == "" || (u.Scheme != "https" && u.Scheme != "http") {
			return nil, errors.New(d.what + " is not an http or https URL")
		}
		*d.v = strings.TrimSuffix(*d.v, "/")
	}
	if c.Version == "" {
		c.Version = DefaultVersion
	}
	if strings.ContainsAny(c.Version, "/?#% ") {
		return nil, errors.New("the version of Instagram's API is not like v25.0")
	}
	if len(c.Scopes) == 0 {
		c.Scopes = DefaultScopes
	}
	for _, s := range needed {
		if !slices.Contains(c.Scopes, s) {
			return nil, errors.New("Instagram's scopes lack " + s + ", which publishing needs")
		}
	}
	if c.HTTP == nil {
		c.HTTP = http.DefaultClient
	}
	if c.Clock == nil {
		c.Clock = clock.RealClock{}
	}
	return &Platform{c: c}, nil
}

// Name returns instagram.
func (p *Platform) Name() v1beta1.Platform { return catalog.Instagram }

// Missing returns the settings that the installation has not configured. The redirect address is configured outside
// this package.
func (p *Platform) Missing() []string {
	if p.c.ClientID == "" {
		return []string{"client_id"}
	}
	return nil
}
