// SPDX-License-Identifier: Apache-2.0

package platforms

import (
	"fmt"
	"net/http"

	"k8s.io/utils/clock"

	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/social/publish"
	"github.com/reelops/reelops/internal/social/publish/instagram"
	"github.com/reelops/reelops/internal/social/publish/linkedin"
	"github.com/reelops/reelops/internal/social/publish/tiktok"
	"github.com/reelops/reelops/internal/social/publish/youtube"
)

// opening holds the parameters of an adapter.
type opening struct {
	id, secret string
	// base is the address of a sandbox; empty for the real platform.
	base    string
	privacy string
	// scopes that the consent page requests; empty for the adapter's default.
	scopes []string
	// pages, analytics and version are LinkedIn's.
	pages, analytics bool
	version          string
	http             *http.Client
	clock            clock.PassiveClock
}

func open(name string, o opening) (publish.Platform, error) {
	switch name {
	case catalog.TikTok:
		c := tiktok.Config{ClientID: o.id, ClientSecret: o.secret, Privacy: o.privacy, Scopes: o.scopes, HTTP: o.http, Clock: o.clock}
		if o.base != "" {
			c = c.At(o.base)
			c.Scopes = orElse(o.scopes, tiktok.AllScopes)
		}
		return tiktok.New(c)
	case catalog.YouTube:
		c := youtube.Config{ClientID: o.id, ClientSecret: o.secret, Scopes: o.scopes, HTTP: o.http, Clock: o.clock}
		if o.base != "" {
			c = c.At(o.base)
			c.Scopes = orElse(o.scopes, youtube.AllScopes)
		}
		return youtube.New(c)
	case catalog.Instagram:
		c := instagram.Config{ClientID: o.id, ClientSecret: o.secret, Scopes: o.scopes, HTTP: o.http, Clock: o.clock}
		if o.base != "" {
			c = c.At(o.base)
			c.Scopes = orElse(o.scopes, instagram.AllScopes)
		}
		return instagram.New(c)
	case catalog.LinkedIn:
		c := linkedin.Config{
			ClientID: o.id, ClientSecret: o.secret, Pages: o.pages || o.base != "", Analytics: o.analytics, Version: o.version, HTTP: o.http, Clock: o.clock,
		}
		if o.base != "" {
			c = c.At(o.base)
		}
		return linkedin.New(c)
	}
	return nil, fmt.Errorf("there is no adapter for %s", name)
}

// orElse returns the scopes, or the others if there are none: a sandbox approves everything.
func orElse(scopes, others []string) []string {
	if len(scopes) == 0 {
		return others
	}
	return scopes
}
