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

// Base URLs of YouTube and of Google accounts.
const (
	accountsBase = "https://accounts.google.com"
	tokenBase    = "https://oauth2.googleapis.com"
	apiBase      = "https://youtube.googleapis.com"
	reportsBase  = "https://youtubeanalytics.googleapis.com"
	siteBase     = "https://www.youtube.com"
)

// chunkBytes is the size of one upload request: a multiple of the 256 KiB that YouTube requires.
const chunkBytes = 8 << 20

// Config configures the app and the URLs with which the package calls YouTube.
type Config struct {
	// ClientID of the app. Without it no account can be connected.
	ClientID string
	// ClientSecret of the app. Programs that neither exchange codes nor renew tokens leave it empty.
	ClientSecret string
	// Base URLs without a trailing slash. The default is YouTube's own. SiteURL is the base of links to videos.
	AccountsURL, TokenURL, APIURL, ReportsURL, SiteURL string
	// Scopes that the consent page requests; DefaultScopes when empty. At least one must permit managing videos.
	Scopes []string
	// HTTP sends the requests and needs no timeout of its own. The default is http.DefaultClient.
	HTTP *http.Client
	// Clock returns the current time. The default is the system clock.
	Clock clock.PassiveClock
}

// At returns the configuration with every URL below base, for a stand-in of YouTube.
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

// New validates the configuration and returns the adapter. It sends no request.
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

// Name returns the name of the platform.
func (p *Platform) Name() v1beta1.Platform { return catalog.YouTube }

// link returns the URL of a video: that of a Short if the video qualifies as one. YouTube's API reports neither the URL
// nor whether a video is a Short.
func (p *Platform) link(d publish.Draft, id string) string {
	if short(d.Video) {
		return p.c.SiteURL + "/shorts/" + url.PathEscape(id)
	}
	return p.watch(id)
}
