// SPDX-License-Identifier: Apache-2.0

package tiktok

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

// TikTok's own addresses.
const (
	webBase = "https://www.tiktok.com"
	apiBase = "https://open.tiktokapis.com"
	// uploadDomain is the domain whose hosts accept videos.
	uploadDomain = "tiktokapis.com"
)

// Config holds the app's credentials, the addresses and the limits.
type Config struct {
	// ClientID is the app's client key, ClientSecret its secret. A process that only creates consent links needs no
	// secret.
	ClientID, ClientSecret string
	// WebBase is the base of the consent page and of post links, APIBase the base of all calls. Empty means TikTok's
	// own.
	WebBase, APIBase string
	// UploadHosts are allowed for uploads in addition to TikTok's own hosts, or to the host of another APIBase. An
	// entry is a host or host:port. Videos are sent to no other host, even if a response names one.
	UploadHosts []string
	// Privacy is the widest audience that a direct post gets: PUBLIC_TO_EVERYONE (the default), FOLLOWER_OF_CREATOR,
	// MUTUAL_FOLLOW_FRIENDS or SELF_ONLY. If the account does not offer it, the widest narrower audience that the
	// account offers is used.
	Privacy string
	// Scopes are requested by the consent page; empty means DefaultScopes. At least one of the two scopes for posting
	// is required.
	Scopes []string
	// HTTP sends the calls; nil means a client without a timeout of its own: calls end with their context.
	HTTP *http.Client
	// Clock is the source of the time; nil means the machine's clock.
	Clock clock.PassiveClock
}

// At returns the configuration with every address set to one base, such as that of a sandbox.
func (c Config) At(base string) Config {
	c.WebBase, c.APIBase = base, base
	return c
}

// Platform is TikTok.
type Platform struct {
	key, secret string
	web, api    *url.URL
	uploads     map[string]bool
	privacy     string
	scopes      []string
	whole       int64 // size of the largest video that is sent in one part, in bytes
	http        *http.Client
	clock       clock.PassiveClock
}

var (
	_ publish.Platform      = (*Platform)(nil)
	_ publish.CreatorReader = (*Platform)(nil)
	_ publish.Scoped        = (*Platform)(nil)
)

// New checks the configuration and makes no call. It returns an error for a base that is not an HTTP address, an
// unknown privacy level, and scopes that permit no posts.
func New(c Config) (*Platform, error) {
	p := &Platform{key: c.ClientID, secret: c.ClientSecret, uploads: map[string]bool{}, privacy: c.Privacy, whole: wholeMax, http: c.HTTP, clock: c.Clock}
	var err error
	if p.web, err = base(c.WebBase, webBase); err != nil {
		return nil, fmt.Errorf("TikTok's web address: %w", err)
	}
	if p.api, err = base(c.APIBase, apiBase); err != nil {
		return nil, fmt.Errorf("TikTok's API address: %w", err)
	}
	for _, h := range c.UploadHosts {
		p.uploads[strings.ToLower(h)] = true
	}
	if p.privacy == "" {
		p.privacy = publicToEveryone
	}
	if rank(p.privacy) < 0 {
		return nil, fmt.Errorf("TikTok has no privacy level %q: use one of %s", p.privacy, strings.Join(widestFirst, ", "))
	}
	if p.scopes = c.Scopes; len(p.scopes) == 0 {
		p.scopes = DefaultScopes
	}
	if !slices.ContainsFunc(needed, func(s string) bool { return slices.Contains(p.scopes, s) }) {
		return nil, fmt.Errorf("TikTok's scopes permit no posts: add one of %s", strings.Join(needed, ", "))
	}
	if p.http == nil {
		p.http = &http.Client{}
	}
	if p.clock == nil {
		p.clock = clock.RealClock{}
	}
	return p, nil
}

// Name returns the name of the platform.
func (*Platform) Name() v1beta1.Platform { return catalog.TikTok }

func base(given, own string) (*url.URL, error) {
	if given == "" {
		given = own
	}
	u, err := url.Parse(strings.TrimSuffix(given, "/"))
	if err != nil || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" || (u.Scheme != "http" && u.Scheme != "https") {
		return nil, errors.New("it has to be an http or https address without user, query and fragment")
	}
	return u, nil
}

// allowsUpload reports whether a video may be sent to the address.
func (p *Platform) allowsUpload(address string) bool {
	u, err := url.Parse(address)
	if err != nil || u.User != nil || u.Host == "" {
		return false
	}
	host := strings.ToLower(u.Host)
	switch {
	case u.Scheme == p.api.Scheme && host == strings.ToLower(p.api.Host):
		return true
	case p.uploads[host]:
		return u.Scheme == "https" || u.Scheme == p.api.Scheme
	case p.api.String() != apiBase:
		return false
	}
	return u.Scheme == "https" && (u.Port() == "" || u.Port() == "443") && strings.HasSuffix(strings.ToLower(u.Hostname()), "."+uploadDomain)
}
