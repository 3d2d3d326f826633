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

// Options an adapter is opened with.
type Options struct {
	// Base is where the stand-in is: http://127.0.0.1:PORT/NAME.
	Base                   string
	ClientID, ClientSecret string
	HTTP                   *http.Client
	Clock                  clock.Clock
}

// Case is one platform.
type Case struct {
	Platform string
	Mount    func(core *sandbox.Sandbox) sandbox.Platform
	Open     func(o Options) (publish.Platform, error)
	// As are the accounts to publish as, by name; maya when nil.
	As []string
	// Expect says which title and caption a post shows; by default the draft's, without a title where the platform has none.
	Expect func(d publish.Draft) (title, caption string)
	// Large is the size in bytes of one more film that makes the adapter send several parts; 0 is none.
	Large int64
	// CannotTell are calls after whose failure the outcome of the post or the comment is unknown. After all others the adapter
	// has to find it.
	CannotTell []string
	// Settings are choices of authors that have to reach the platform.
	Settings []Setting
	// Cover and Comments read from the stand-in what a post shows: its cover, empty without, as the moment "1500 ms" or the SHA-256 of a
	// picture, and the texts of the comments that the account wrote. Without them the landing has them.
	Cover    func(there sandbox.Platform, l sandbox.Landing) string
	Comments func(there sandbox.Platform, l sandbox.Landing) []string
	// NeedsScope is a scope that a person can withhold and that publishing needs.
	NeedsScope string
	// Errors are the platform's errors and what they mean. Never are kinds that the platform cannot answer with.
	Errors []Error
	Never  []publish.Kind
	// Processing is how long the stand-in takes for a medium; 5 seconds when 0.
	Processing time.Duration
}

// Error is an error and what it means: the first that publishing meets has to be of the kind.
type Error struct {
	Name string
	// Kind and Mode of what is published: a film, in the platform's first mode, when empty.
	Kind, Mode string
	// Fault strikes every call of its name from the start, unless Times says otherwise. Its platform is filled in.
	Fault sandbox.Fault
	// Change makes the draft one that is refused.
	Change func(d *publish.Draft)
	Want   publish.Kind
	// Catalog, when set, is the catalog's code that has to come with it.
	Catalog string
	// Check looks further at the error.
	Check func(t *testing.T, e *publish.Error)
}

// path is a way of publishing.
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

// paths are all ways that the catalog says the platform has.
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
