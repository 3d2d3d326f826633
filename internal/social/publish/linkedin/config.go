// SPDX-License-Identifier: Apache-2.0

package linkedin

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"

	"k8s.io/utils/clock"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/social/publish"
)

// Default addresses and API version of LinkedIn.
const (
	DefaultWebBase = "https://www.linkedin.com"
	DefaultAPIBase = "https://api.linkedin.com"
	// DefaultVersion is the API version, year and month. LinkedIn disables a version about a year after its release.
	DefaultVersion = "202607"
)

// Config is the installation's app at LinkedIn.
type Config struct {
	// ClientID and ClientSecret are those of the app. The secret is empty in a process that makes no calls.
	ClientID, ClientSecret string
	// WebBase serves the consent page, the tokens and the posts; APIBase serves everything else.
	WebBase, APIBase string
	// Version is the API version, such as 202607.
	Version string
	// Pages requests access to the pages that a member administers. The app needs the Community Management product for
	// that. An app without it has Sign In with LinkedIn and Share on LinkedIn. LinkedIn refuses the whole consent page
	// if the app lacks a requested scope.
	Pages bool
	// Analytics requests the scopes to read members' metrics, which an app has with the Community Management product.
	Analytics bool
	// UploadHosts are hosts that may receive files besides those of WebBase and APIBase: a host, or host:port. A file
	// and its token are never sent to another host, even if a response names one. With the real LinkedIn, all its hosts
	// are allowed.
	UploadHosts []string
	// HTTP sends the calls. The default is a client without its own timeout: calls end with their context.
	HTTP *http.Client
	// Clock defaults to the real clock.
	Clock clock.PassiveClock
}

// At returns the configuration with every address set to base, such as that of a sandbox.
func (c Config) At(base string) Config {
	base = strings.TrimSuffix(base, "/")
	c.WebBase, c.APIBase = base, base
	return c
}

// Platform is the adapter for LinkedIn.
type Platform struct {
	c         Config
	hosts     map[string]bool
	saveEvery int64
}

var (
	_       publish.Platform  = (*Platform)(nil)
	_       publish.Commenter = (*Platform)(nil)
	version                   = regexp.MustCompile(`^20[0-9]{2}(0[1-9]|1[0-2])$`)
)

// New returns the adapter, or an error if the configuration is invalid. It makes no call. Missing settings are no
// error: Missing lists them.
func New(c Config) (*Platform, error) {
	p := &Platform{hosts: map[string]bool{}, saveEvery: saveEvery}
	for _, d := range []struct {
		v         *string
		what, def string
	}{
		{&c.WebBase, "web address", DefaultWebBase},
		{&c.APIBase, "API address", DefaultAPIBase},
	} {
		if *d.v == "" {
			*d.v = d.def
		}
		u, err := url.Parse(*d.v)
		if err != nil || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" || (u.Scheme != "https" && u.Scheme != "http") {
			return nil, fmt.Errorf("LinkedIn's %s has to be an http or https address without user, query and fragment", d.what)
		}
		*d.v = strings.TrimSuffix(*d.v, "/")
		p.hosts[u.Scheme+"://"+strings.ToLower(u.Host)] = true
	}
	for _, h := range c.UploadHosts {
		p.hosts["https://"+strings.ToLower(h)] = true
	}
	if c.Version == "" {
		c.Version = DefaultVersion
	}
	if !version.MatchString(c.Version) {
		return nil, errors.New("the version of LinkedIn's API is a year and a month, such as " + DefaultVersion)
	}
	if c.HTTP == nil {
		c.HTTP = &http.Client{}
	}
	if c.Clock == nil {
		c.Clock = clock.RealClock{}
	}
	p.c = c
	return p, nil
}

// Name returns linkedin.
func (*Platform) Name() v1beta1.Platform { return catalog.LinkedIn }

// TellsNumbers reports whether the installation's app may read metrics.
func (p *Platform) TellsNumbers() bool { return p.c.Analytics }

// Missing returns the settings that the installation has not configured. The redirect address is configured outside
// this package.
func (p *Platform) Missing() []string {
	if p.c.ClientID == "" {
		return []string{"client_id"}
	}
	return nil
}

// allowsUpload reports whether files and a token may be sent to the address.
func (p *Platform) allowsUpload(address string) bool {
	u, err := url.Parse(address)
	if err != nil || u.User != nil {
		return false
	}
	host := strings.ToLower(u.Host)
	return p.hosts[u.Scheme+"://"+host] || (p.c.WebBase == DefaultWebBase && u.Scheme == "https" && strings.HasSuffix(host, ".linkedin.com"))
}
