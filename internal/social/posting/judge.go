// SPDX-License-Identifier: Apache-2.0

package posting

import (
	"fmt"
	"slices"
	"time"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/catalog"
)

// Ask is what is asked for, apart from what and where.
type Ask struct {
	// Mode is catalog.PostDirect or catalog.PostDraft.
	Mode         string
	AutoAddMusic bool
	// Defaults are the brand's posting defaults; nil for none.
	Defaults *v1beta1.PostSettings
	// Images are the brand's media that targets may choose as covers, by id (see CoverImages). One that is missing does not exist.
	Images map[int64]*v1beta1.MediaAsset
	// At is when it goes out, Now when it is asked. They are equal when it goes out at once.
	At, Now time.Time
	// Missing tells what an installation has not configured of a platform; nil for a platform that is set up, and a nil function for
	// all of them.
	Missing func(v1beta1.Platform) []string
}

// Verdict is what can be said beforehand of one account.
type Verdict struct {
	Target
	// RateLimit as of now.
	RateLimit RateLimit
	Issues    []Issue
	// Media and Texts that the account would be sent; without a Kind there are none.
	Media v1beta1.PostMedia
	Texts Texts
	// Effective settings of the post, without those that do not apply to it; nil for none.
	Effective *v1beta1.PostSettings
}

// OK says that nothing keeps the post from going out.
func (v *Verdict) OK() bool { return FirstError(v.Issues) == nil }

// Judge looks at every account that is meant. What is wrong with the content itself is among the Problems of the content and in no
// verdict; a target without an account gets platform_not_connected.
func Judge(c *Content, ask Ask, targets []Target) []Verdict {
	out := make([]Verdict, len(targets))
	for i, t := range targets {
		out[i] = judge(c, ask, t)
	}
	return out
}

// NotConnected is what a platform without an account is refused with.
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

// Connection is what keeps an account from posting whatever the content: the platform is not set up, or the connection has ended.
func Connection(a *v1beta1.SocialAccount, missing func(v1beta1.Platform) []string) []Issue {
	var out []Issue
	if missing != nil {
		if m := missing(a.Spec.Platform); len(m) > 0 {
			out = append(out, issue(catalog.PlatformNotConfigured, Name(a.Spec.Platform)+" is not set up on the server.", Details{
				"platform": string(a.Spec.Platform), "missing": m,
			}))
		}
	}
	// An account that nobody has looked at yet was connected a moment ago.
	if s := a.Status.TokenStatus; s != "" && !s.Usable() {
		out = append(out, issue(catalog.TokenExpired, tokenWords[s], Details{"token_status": string(s)}))
	}
	return out
}

var tokenWords = map[v1beta1.TokenStatus]string{
	v1beta1.TokenRevoked:           "The account's connection was taken back on the platform.",
	v1beta1.TokenInsufficientScope: "The account's connection lacks a permission that posting needs.",
}

// room says that the account has used what it may post, at the time the post is to go out.
func room(v *Verdict, ask Ask) *Issue {
	limit := v.RateLimit
	if ask.At.After(ask.Now) {
		limit = Headroom(v.Account, v.Uses, ask.At)
	}
	return Limited(limit)
}

// Limited is what an account is refused with that may post nothing now; nil when it may.
func Limited(limit RateLimit) *Issue {
	if !limit.Limited {
		return nil
	}
	i := issue(catalog.PlatformRateLimited, fmt.Sprintf("The account has used its %s.", limit.Label), Details{"resets_at": limit.ResetsAt})
	return &i
}
