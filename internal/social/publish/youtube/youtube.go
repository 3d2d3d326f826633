// SPDX-License-Identifier: Apache-2.0

package youtube

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"k8s.io/utils/clock"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/social/publish"
)

// The addresses of YouTube and of Google's accounts.
const (
	accountsBase = "https://accounts.google.com"
	tokenBase    = "https://oauth2.googleapis.com"
	apiBase      = "https://youtube.googleapis.com"
	reportsBase  = "https://youtubeanalytics.googleapis.com"
	siteBase     = "https://www.youtube.com"
)

// chunkBytes is how much one request of an upload carries: a multiple of the 256 KiB that YouTube asks for.
const chunkBytes = 8 << 20

// Config says which app calls YouTube, and where.
type Config struct {
	// ClientID of the app; without it no account can be connected.
	ClientID string
	// ClientSecret of the app; empty in programs that exchange and renew nothing.
	ClientSecret string
	// Addresses without a slash at the end; empty ones are YouTube's own. Site is where links to videos lead.
	AccountsURL, TokenURL, APIURL, ReportsURL, SiteURL string
	// Scopes that the consent page requests; empty means DefaultScopes. One that permits to manage videos has to be among them.
	Scopes []string
	// HTTP makes the calls; it needs no time limit of its own. Default http.DefaultClient.
	HTTP *http.Client
	// Clock tells the time; default the machine's.
	Clock clock.PassiveClock
}

// At is the same app with every address below base, where a stand-in of YouTube answers.
func (c Config) At(base string) Config {
	base = strings.TrimRight(base, "/")
	c.AccountsURL, c.TokenURL, c.APIURL, c.ReportsURL, c.SiteURL = base, base, base, base, base
	return c
}

// Platform publishes on YouTube. It is safe for use by many goroutines.
type Platform struct {
	c     Config
	chunk int64
}

var (
	_ publish.Platform  = (*Platform)(nil)
	_ publish.Commenter = (*Platform)(nil)
	_ publish.Scoped    = (*Platform)(nil)
)

// New checks the addresses. It makes no call.
func New(c Config) (*Platform, error) {
	for _, a := range []struct {
		at   *string
		base string
	}{{&c.AccountsURL, accountsBase}, {&c.TokenURL, tokenBase}, {&c.APIURL, apiBase}, {&c.ReportsURL, reportsBase}, {&c.SiteURL, siteBase}} {
		if *a.at == "" {
			*a.at = a.base
		}
		*a.at = strings.TrimRight(*a.at, "/")
		if u, err := url.Parse(*a.at); err != nil || u.Host == "" || (u.Scheme != "https" && u.Scheme != "http") || u.RawQuery != "" || u.User != nil {
			return nil, fmt.Errorf("%q is no address of an HTTP service", *a.at)
		}
	}
	if strings.TrimSpace(c.ClientID) != c.ClientID || strings.TrimSpace(c.ClientSecret) != c.ClientSecret {
		return nil, errors.New("the client id or secret of YouTube has spaces around it")
	}
	if len(c.Scopes) == 0 {
		c.Scopes = DefaultScopes
	}
	if !slices.ContainsFunc(sufficient, func(s string) bool { return slices.Contains(c.Scopes, s) }) {
		return nil, fmt.Errorf("YouTube's scopes do not permit to manage videos: add %s", scopeManage)
	}
	if c.HTTP == nil {
		c.HTTP = http.DefaultClient
	}
	if c.Clock == nil {
		c.Clock = clock.RealClock{}
	}
	return &Platform{c: c, chunk: chunkBytes}, nil
}

// Name of the platform.
func (p *Platform) Name() v1beta1.Platform { return catalog.YouTube }

// link is where people find a video: as a Short when YouTube takes it for one, which are squares and upright films of up to three
// minutes. YouTube's interface tells neither.
func (p *Platform) link(d publish.Draft, id string) string {
	if short(d.Video) {
		return p.c.SiteURL + "/shorts/" + url.PathEscape(id)
	}
	return p.watch(id)
}
