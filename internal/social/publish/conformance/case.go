// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"net/http"
	"slices"
	"testing"
	"time"

	"k8s.io/utils/clock"

	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/social/publish"
	"github.com/reelops/reelops/internal/social/sandbox"
)

// Options are the settings with which an adapter is opened.
type Options struct {
	// Base is the base URL of the sandbox: http://127.0.0.1:PORT/NAME.
	Base                   string
	ClientID, ClientSecret string
	HTTP                   *http.Client
	Clock                  clock.Clock
}

// Case configures the suite for one platform.
type Case struct {
	Platform string
	Mount    func(core *sandbox.Sandbox) sandbox.Platform
	Open     func(o Options) (publish.Platform, error)
	// As are the names of the accounts to publish as; maya when nil.
	As []string
	// Expect returns the title and caption that a post must show. The default is the draft's, without a title where the
	// platform has none.
	Expect func(d publish.Draft) (title, caption string)
	// Large is the size in bytes of an additional video that the adapter uploads in several parts; 0 for none.
	Large int64
	// CannotTell are calls after whose failure the outcome of the post or comment may stay unknown. After a failure of
	// any other call, the adapter must determine the outcome.
	CannotTell []string
	// Settings are author settings that must reach the platform.
	Settings []Setting
	// Cover and Comments read from the sandbox the cover of a post and the comments of the account. A cover is empty for
	// none, an offset such as "1500 ms", or the SHA-256 of an image. When they are nil, the landing's own fields are
	// used.
	Cover    func(there sandbox.Platform, l sandbox.Landing) string
	Comments func(there sandbox.Platform, l sandbox.Landing) []string
	// NeedsScope is a scope that publishing needs and that a user can withhold.
	NeedsScope string
	// Errors are the platform's errors and their kinds. Never are the kinds that the platform cannot return.
	Errors []Error
	Never  []publish.Kind
	// Processing is how long the sandbox processes a media file; 5 seconds when 0.
	Processing time.Duration
}

// Error is a platform error and its meaning: the first error of publishing must have the kind Want.
type Error struct {
	Name string
	// Kind and Mode of the post; a video in the platform's first mode when empty.
	Kind, Mode string
	// Fault is injected into every call of its name from the start, unless Times is set. The suite sets its platform.
	Fault sandbox.Fault
	// Change modifies the draft so that the platform rejects it.
	Change func(d *publish.Draft)
	Want   publish.Kind
	// Catalog is the catalog code that the error must have; not checked when empty.
	Catalog string
	// Check runs additional checks on the error.
	Check func(t *testing.T, e *publish.Error)
}

// path is one way of publishing: account, media kind and posting mode.
type path struct {
	as, kind, mode string
	large          bool
}

func (p path) String() string {
	s := p.as + "/" + p.mode + "/" + p.kind
	if p.large {
		s += "/large"
	}
	return s
}

func (c Case) rule() catalog.PlatformRule {
	i := slices.IndexFunc(catalog.PlatformRules, func(r catalog.PlatformRule) bool { return r.Platform == c.Platform })
	return catalog.PlatformRules[i]
}

// paths returns every way of publishing that the catalog lists for the platform.
func (c Case) paths() []path {
	as := c.as()
	var out []path
	for _, who := range as {
		for _, mode := range c.rule().PostingModes {
			for _, kind := range c.rule().MediaKinds {
				out = append(out, path{as: who, kind: kind, mode: mode})
			}
		}
	}
	if c.Large > 0 {
		out = append(out, path{as: as[0], kind: catalog.MediaVideo, mode: catalog.PostDirect, large: true})
	}
	return out
}

func (c Case) expect(d publish.Draft) (title, caption string) {
	if c.Expect != nil {
		return c.Expect(d)
	}
	if c.rule().TitleMax == 0 {
		return "", d.Caption
	}
	return d.Title, d.Caption
}
