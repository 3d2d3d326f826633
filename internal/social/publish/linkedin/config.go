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

// Where LinkedIn is, unless the configuration says otherwise.
const (
	DefaultWebBase = "https://www.linkedin.com"
	DefaultAPIBase = "https://api.linkedin.com"
	// DefaultVersion of the API, year and month. A version is switched off about a year after it came.
	DefaultVersion = "202607"
)

// Config is the installation's app at LinkedIn.
type Config struct {
	// ClientID and ClientSecret of the app. The secret is empty where no calls are made.
	ClientID, ClientSecret string
	// WebBase has the consent page, the tokens and the posts; APIBase everything else.
	WebBase, APIBase string
	// Version of the API, such as 202607.
	Version string
	// Pages asks for the pages that a member administers as well. The app needs the Community Management product for it, and has
	// Sign In with LinkedIn and Share on LinkedIn without: LinkedIn refuses the whole page of consent when a scope is asked for that
	// the app does not have.
	Pages bool
	// Analytics says that the app may read the numbers of members, which the Community Management product gives it, and asks for the
	// scopes that this takes.
	Analytics bool
	// UploadHosts may take files besides those of WebBase and APIBase: a host, or host:port. A file, and the token with it, is
	// sent nowhere else, whatever an answer says; on the real LinkedIn all its hosts may.
	UploadHosts []string
	// HTTP makes the calls; nil means a client without a time limit of its own: calls end with their context.
	HTTP *http.Client
	// Clock tells the time; nil means the machine's.
	Clock clock.PassiveClock
}

// At sets every address to the one base, such as that of a sandbox.
func (c Config) At(base string) Config {
	base = strings.TrimSuffix(base, "/")
	c.WebBase, c.APIBase = base, base
	return c
}

// Platform is LinkedIn.
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

// New checks the configuration; it makes no call. What an installation has not configured is no error: Missing lists it.
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

// Name of the platform.
func (*Platform) Name() v1beta1.Platform { return catalog.LinkedIn }

// TellsNumbers says whether the installation's app may read numbers.
func (p *Platform) TellsNumbers() bool { return p.c.Analytics }

// Missing lists what the installation has not configured. Where the page leads back to is not this package's to know.
func (p *Platform) Missing() []string {
	if p.c.ClientID == "" {
		return []string{"client_id"}
	}
	return nil
}

// takes says whether bytes and a token may be sent to the address.
func (p *Platform) takes(address string) bool {
	u, err := url.Parse(address)
	if err != nil || u.User != nil {
		return false
	}
	host := strings.ToLower(u.Host)
	return p.hosts[u.Scheme+"://"+host] || (p.c.WebBase == DefaultWebBase && u.Scheme == "https" && strings.HasSuffix(host, ".linkedin.com"))
}
