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

// Where Instagram is, unless the configuration says otherwise.
const (
	DefaultWebBase   = "https://www.instagram.com"
	DefaultTokenBase = "https://api.instagram.com"
	DefaultGraphBase = "https://graph.instagram.com"
	DefaultVersion   = "v25.0"
)

// Config is the installation's app at Instagram.
type Config struct {
	// ClientID and ClientSecret are the Instagram app's, which are others than those of the Facebook app around it. The secret
	// is empty where no calls are made.
	ClientID, ClientSecret string
	// WebBase has the page where people approve, and the profiles; TokenBase takes codes; GraphBase everything else.
	WebBase, TokenBase, GraphBase string
	// Version of the API, such as v25.0.
	Version string
	// Scopes that the consent page requests; empty means DefaultScopes. Those that publishing needs have to be among them.
	Scopes []string
	// HTTP makes the calls. Default: http.DefaultClient.
	HTTP *http.Client
	// Clock tells the time. Default: the machine's.
	Clock clock.PassiveClock
}

// At is the configuration with everything of Instagram at one address, as a sandbox has it.
func (c Config) At(base string) Config {
	base = strings.TrimSuffix(base, "/")
	c.WebBase, c.TokenBase, c.GraphBase = base, base, base
	return c
}

// Platform is Instagram.
type Platform struct {
	c Config
}

var (
	_ publish.Platform  = (*Platform)(nil)
	_ publish.Commenter = (*Platform)(nil)
)

// New checks the configuration. What an installation has not configured is no error: Missing lists it.
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

// Name is instagram.
func (p *Platform) Name() v1beta1.Platform { return catalog.Instagram }

// Missing lists what the installation has not configured. Where the page leads back to is not this package's to know.
func (p *Platform) Missing() []string {
	if p.c.ClientID == "" {
		return []string{"client_id"}
	}
	return nil
}
