// SPDX-License-Identifier: Apache-2.0

package posting

import (
	"fmt"
	"slices"
	"time"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/catalog"
)

// Ask holds the options of a posting request, apart from content and targets.
type Ask struct {
	// Mode is catalog.PostDirect or catalog.PostDraft.
	Mode         string
	AutoAddMusic bool
	// Defaults are the brand's posting defaults; nil for none.
	Defaults *v1beta1.PostSettings
	// Images are the brand's media that targets may choose as covers, by ID (see CoverImages). A media item that is not
	// in the map does not exist.
	Images map[int64]*v1beta1.MediaAsset
	// At is when the post is due, Now the time of the request. They are equal for immediate posts.
	At, Now time.Time
	// Missing returns the missing configuration of a platform; nil for a platform that is set up. A nil function means
	// that all platforms are set up.
	Missing func(v1beta1.Platform) []string
}

// Verdict is the result of the validation for one account.
type Verdict struct {
	Target
	// RateLimit as of now.
	RateLimit RateLimit
	Issues    []Issue
	// Media and Texts that the account would be sent; empty when the content has no Kind.
	Media v1beta1.PostMedia
	Texts Texts
	// Effective settings of the post, without those that do not apply to it; nil for none.
	Effective *v1beta1.PostSettings
}

// OK reports whether the post can be published.
func (v *Verdict) OK() bool { return FirstError(v.Issues) == nil }

// Judge validates the request for every target. Problems of the content itself are returned by Content.Problems, not in
// verdicts. A target without an account gets platform_not_connected.
func Judge(c *Content, ask Ask, targets []Target) []Verdict {
	out := make([]Verdict, len(targets))
	for i, t := range targets {
		out[i] = judge(c, ask, t)
	}
	return out
}

// NotConnected returns the issue for a platform without an account.
func NotConnected(p v1beta1.Platform) Issue {
	return issue(catalog.PlatformNotConnected, "No account is connected for "+Name(p)+".", Details{"platform": string(p)})
}

func judge(c *Content, ask Ask, t Target) Verdict {
	v := Verdict{Target: t}
	if t.Account == nil {
		v.Issues = []Issue{NotConnected(t.Platform)}
		return v
	}
	rule, _ := catalog.RuleOf(string(t.Platform))
	v.Effective = Effective(t.Settings, ask.Defaults, t.Platform)
	add := func(i ...Issue) { v.Issues = append(v.Issues, i...) }
	add(Connection(t.Account, ask.Missing)...)
	if !slices.Contains(rule.PostingModes, ask.Mode) {
		add(field("posting_mode", fmt.Sprintf("%s has no posting mode %s.", Name(t.Platform), ask.Mode), Details{"allowed": rule.PostingModes}))
	}
	if kind := c.Kind(); kind != "" {
		media, refusal := c.Media(rule, kind)
		if refusal != nil {
			add(*refusal)
		} else {
			v.Media, v.Texts = media, c.Texts(rule, media.Kind, t.Own)
			add(v.Texts.check(rule, media.Kind, &v.Target)...)
		}
	}
	add(checkSettings(c, ask, rule, &v)...)
	v.RateLimit = Headroom(t.Account, t.Uses, ask.Now)
	if i := room(&v, ask); i != nil {
		add(*i)
	}
	if ask.AutoAddMusic && (string(t.Platform) != catalog.TikTok || v.Media.Kind == catalog.MediaVideo) {
		i := field("auto_add_music", "Music is added to photo sets on TikTok only; it is ignored here.", nil)
		i.Warning = true
		add(i)
	}
	if len(t.Same) > 0 {
		i := issue(catalog.Conflict, "The same short is already scheduled or published on this account.", Details{"post_ids": t.Same})
		i.Warning = true
		add(i)
	}
	return v
}

// Connection returns the issues that prevent an account from posting any content: the platform is not set up, or the
// connection is no longer valid.
func Connection(a *v1beta1.SocialAccount, missing func(v1beta1.Platform) []string) []Issue {
	var out []Issue
	if missing != nil {
		if m := missing(a.Spec.Platform); len(m) > 0 {
			out = append(out, issue(catalog.PlatformNotConfigured, Name(a.Spec.Platform)+" is not set up on the server.", Details{
				"platform": string(a.Spec.Platform), "missing": m,
			}))
		}
	}
	// An account without a token status was connected a moment ago.
	if s := a.Status.TokenStatus; s != "" && !s.Usable() {
		out = append(out, issue(catalog.TokenExpired, tokenWords[s], Details{"token_status": string(s)}))
	}
	return out
}

var tokenWords = map[v1beta1.TokenStatus]string{
	v1beta1.TokenRevoked:           "The account's connection was revoked on the platform.",
	v1beta1.TokenInsufficientScope: "The account's connection lacks a permission that posting needs.",
}

// room returns an issue if the account has no quota left at the time the post is due.
func room(v *Verdict, ask Ask) *Issue {
	limit := v.RateLimit
	if ask.At.After(ask.Now) {
		limit = Headroom(v.Account, v.Uses, ask.At)
	}
	return Limited(limit)
}

// Limited returns the issue for an account that may not post now; nil when it may.
func Limited(limit RateLimit) *Issue {
	if !limit.Limited {
		return nil
	}
	i := issue(catalog.PlatformRateLimited, fmt.Sprintf("The account has used its %s.", limit.Label), Details{"resets_at": limit.ResetsAt})
	return &i
}
