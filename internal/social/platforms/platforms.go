// SPDX-License-Identifier: Apache-2.0

// Package platforms creates the platform adapters from a program's flags. The manager has the secrets of the apps. The
// front end has only their client IDs, which are sufficient for links.
//
// The set includes platforms without a client ID, so that they can report what is missing.
package platforms

import (
	"errors"
	"flag"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"k8s.io/utils/clock"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/social/analytics"
	"github.com/reelops/reelops/internal/social/publish"
	"github.com/reelops/reelops/internal/social/publish/instagram"
	"github.com/reelops/reelops/internal/social/publish/tiktok"
	"github.com/reelops/reelops/internal/social/publish/youtube"
)

// Credentials of the only app that a sandbox accepts.
const (
	SandboxClientID     = "sandbox-app"
	SandboxClientSecret = "sandbox-secret"
)

// Set maps names to platforms. It contains all platforms of the catalog.
type Set map[v1beta1.Platform]publish.Platform

// Settings are the values of the flags.
type Settings struct {
	// Sandbox is the address of a sandbox that replaces all platforms; empty for the real platforms.
	Sandbox string
	// TikTokPrivacy is the widest audience of direct posts on TikTok.
	TikTokPrivacy string
	// LinkedInPages also requests access to the pages that members administer.
	LinkedInPages bool
	// LinkedInAnalytics indicates that the app may read analytics on LinkedIn; otherwise LinkedIn is not in Sources.
	LinkedInAnalytics bool
	// LinkedInVersion of the API, as year and month; empty for the version that this program was written for.
	LinkedInVersion string

	apps    map[string]*app
	secrets bool
}

type app struct{ clientID, secretFile, scopes string }

// Flags adds the flags of a program. With secrets it also adds the flags of the manager only: the files with the apps'
// secrets, the version of LinkedIn's API and the audience on TikTok.
func (s *Settings) Flags(f *flag.FlagSet, secrets bool) {
	s.secrets, s.apps = secrets, map[string]*app{}
	for _, name := range catalog.Platforms() {
		a := &app{}
		s.apps[name] = a
		other := "; must equal the reelops-apiserver's"
		if !secrets {
			other = "; must equal the manager's"
		}
		f.StringVar(&a.clientID, name+"-client-id", "", "client id of the installation's app on "+catalog.PlatformName(name)+"; if unset, no account can be connected on it"+other)
		if d, ok := defaultScopes[name]; ok {
			f.StringVar(&a.scopes, name+"-scopes", "", "scopes that the consent page of "+catalog.PlatformName(name)+
				" requests, separated by commas; default: "+strings.Join(d, ",")+
				". The page fails if the app is not approved for one of them. Users must reconnect after scopes are added"+other)
		}
		if secrets {
			f.StringVar(&a.secretFile, name+"-client-secret-file", "", "file with the secret of the app on "+catalog.PlatformName(name))
		}
	}
	f.StringVar(&s.Sandbox, "sandbox", "", "URL of a sandbox that replaces all platforms for tests, such as http://127.0.0.1:8300; nothing is published then")
	f.BoolVar(&s.LinkedInPages, "linkedin-pages", false, "connect LinkedIn pages that a member administers as well; the app needs the Community Management product instead of Sign In with LinkedIn and Share on LinkedIn. Must be equal on the manager and the reelops-apiserver")
	f.BoolVar(&s.LinkedInAnalytics, "linkedin-analytics", false, "read the analytics of accounts on LinkedIn; the app needs the Community Management product with the scopes r_member_postAnalytics and r_member_profileAnalytics. Every member must reconnect after a change of this flag, because it changes the requested scopes. Must be equal on the manager and the reelops-apiserver")
	if secrets {
		f.StringVar(&s.LinkedInVersion, "linkedin-version", "", "version of LinkedIn's API as year and month, such as 202607; default: the version that this release was written for. LinkedIn ends a version a year after its release")
		f.StringVar(&s.TikTokPrivacy, "tiktok-privacy", "", "widest audience of direct posts on TikTok: PUBLIC_TO_EVERYONE (the default), FOLLOWER_OF_CREATOR, MUTUAL_FOLLOW_FRIENDS or SELF_ONLY")
	}
}

// defaultScopes are those of the platforms whose scopes can be configured. LinkedIn's scopes follow from the products
// of the app, which have separate flags.
var defaultScopes = map[string][]string{
	catalog.TikTok:    tiktok.DefaultScopes,
	catalog.YouTube:   youtube.DefaultScopes,
	catalog.Instagram: instagram.DefaultScopes,
}

// list splits a flag at commas and drops spaces.
func list(flag string) []string {
	return strings.FieldsFunc(flag, func(r rune) bool { return r == ',' || r == ' ' })
}

// Check validates the flags.
func (s *Settings) Check() error {
	var errs []error
	if s.Sandbox != "" {
		if u, err := url.Parse(s.Sandbox); err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") || u.RawQuery != "" || u.Fragment != "" || u.User != nil {
			errs = append(errs, fmt.Errorf("--sandbox: %q is not a URL such as http://127.0.0.1:8300", s.Sandbox))
		}
	}
	for _, name := range catalog.Platforms() {
		a := s.apps[name]
		switch {
		case a == nil:
		case s.Sandbox != "" && a.clientID != "":
			errs = append(errs, fmt.Errorf("--sandbox replaces all platforms: remove it or --%s-client-id", name))
		case s.secrets && a.clientID != "" && a.secretFile == "":
			errs = append(errs, fmt.Errorf("--%s-client-id needs --%s-client-secret-file", name, name))
		}
	}
	return errors.Join(errs...)
}

// Open creates the platforms. It reads the secrets and makes no calls.
func (s *Settings) Open(c clock.PassiveClock) (Set, error) {
	client := &http.Client{Transport: transport()}
	out := Set{}
	for _, name := range catalog.Platforms() {
		given := app{}
		if a := s.apps[name]; a != nil {
			given = *a
		}
		o := opening{
			id: given.clientID, http: client, clock: c, privacy: s.TikTokPrivacy, scopes: list(given.scopes),
			pages: s.LinkedInPages, analytics: s.LinkedInAnalytics, version: s.LinkedInVersion,
		}
		switch {
		case s.Sandbox != "":
			o.id, o.base = SandboxClientID, strings.TrimRight(s.Sandbox, "/")+"/"+name
			if s.secrets {
				o.secret = SandboxClientSecret
			}
		case given.secretFile != "":
			text, err := os.ReadFile(given.secretFile)
			if err != nil {
				return nil, fmt.Errorf("reading the secret of the app on %s: %w", name, err)
			}
			if o.secret = strings.TrimSpace(string(text)); o.secret == "" {
				return nil, fmt.Errorf("%s is empty: the secret of the app on %s belongs there", given.secretFile, name)
			}
		}
		p, err := open(name, o)
		if err != nil {
			return nil, fmt.Errorf("setting up %s: %w", name, err)
		}
		out[v1beta1.Platform(name)] = p
	}
	return out, nil
}

// sometimes is a platform that provides analytics only to some apps.
type sometimes interface{ TellsNumbers() bool }

// Sources returns the platforms that provide analytics with this configuration.
func (s Set) Sources() map[v1beta1.Platform]analytics.Source {
	out := map[v1beta1.Platform]analytics.Source{}
	for name, p := range s {
		if u, ok := p.(unreachable); ok {
			p = u.Platform
		}
		source, ok := p.(analytics.Source)
		if only, some := p.(sometimes); !ok || some && !only.TellsNumbers() {
			continue
		}
		out[name] = source
	}
	return out
}

// avatarHosts are the hosts from which the platforms serve the images of accounts. They may contain wildcards of a
// Content-Security-Policy.
var avatarHosts = map[string][]string{
	catalog.TikTok:    {"*.tiktokcdn.com", "*.tiktokcdn-us.com", "*.tiktokcdn-eu.com"},
	catalog.YouTube:   {"yt3.ggpht.com", "yt3.googleusercontent.com"},
	catalog.Instagram: {"*.cdninstagram.com", "*.fbcdn.net"},
	catalog.LinkedIn:  {"media.licdn.com"},
}

// AvatarSources returns the origins of the images of accounts, as sources of a Content-Security-Policy. Platforms
// without an app have no accounts, and no sources. With a sandbox, its origin is the only one.
func (s *Settings) AvatarSources() []string {
	if u, err := url.Parse(s.Sandbox); s.Sandbox != "" && err == nil {
		return []string{u.Scheme + "://" + u.Host}
	}
	var out []string
	for _, name := range catalog.Platforms() {
		if a := s.apps[name]; a == nil || a.clientID == "" {
			continue
		}
		for _, host := range avatarHosts[name] {
			out = append(out, "https://"+host)
		}
	}
	return out
}

// ReachedAt returns the set for a front end with the given public address. Platforms accept only https redirect URIs,
// and http for the machine that the browser runs on. With any other address, the platforms report a missing redirect
// URI. A sandbox accepts any address.
func (s *Settings) ReachedAt(set Set, baseURL string) Set {
	u, err := url.Parse(baseURL)
	if s.Sandbox != "" || (err == nil && (u.Scheme == "https" || loopback(u.Hostname()))) {
		return set
	}
	out := Set{}
	for name, p := range set {
		out[name] = unreachable{p}
	}
	return out
}

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || (ip != nil && ip.IsLoopback())
}

// unreachable is a platform that cannot redirect to the front end.
type unreachable struct{ publish.Platform }

// Missing adds redirect_uri to what the platform lacks.
func (u unreachable) Missing() []string { return append(u.Platform.Missing(), "redirect_uri") }

// transport is for calls that are bounded by their context. It has no overall timeout because it carries video uploads;
// only the dial and the TLS handshake are limited.
func transport() *http.Transport {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.DialContext = (&net.Dialer{Timeout: 10 * time.Second, KeepAlive: 30 * time.Second}).DialContext
	t.TLSHandshakeTimeout = 10 * time.Second
	t.MaxIdleConnsPerHost = 32
	return t
}
