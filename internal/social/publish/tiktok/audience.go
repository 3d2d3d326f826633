// SPDX-License-Identifier: Apache-2.0

package tiktok

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"

	"k8s.io/utils/ptr"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/social/publish"
)

const (
	publicToEveryone = "PUBLIC_TO_EVERYONE"
	selfOnly         = "SELF_ONLY"
)

// widestFirst lists TikTok's audiences, the widest first.
var widestFirst = []string{publicToEveryone, "FOLLOWER_OF_CREATOR", "MUTUAL_FOLLOW_FRIENDS", selfOnly}

// rank returns the position of an audience in widestFirst: 0 is the widest, and -1 means that TikTok has no such
// audience.
func rank(privacy string) int { return slices.Index(widestFirst, privacy) }

// audience returns the widest offered audience that is not wider than the limit, or an empty text if there is none.
func audience(offered []string, limit string) string {
	for _, level := range widestFirst[rank(limit):] {
		if slices.Contains(offered, level) {
			return level
		}
	}
	return ""
}

// settings returns the author's settings for TikTok.
func settings(d publish.Draft) v1beta1.TikTokSettings {
	if d.Settings.TikTok == nil {
		return v1beta1.TikTokSettings{}
	}
	return *d.Settings.TikTok
}

// commercial returns the commercial content that the post discloses.
func commercial(d publish.Draft) v1beta1.TikTokCommercial {
	return ptr.Deref(settings(d).Commercial, v1beta1.TikTokCommercial{})
}

// creator reads what the account may post now. TikTok requires this call before every direct post.
func (p *Platform) creator(ctx context.Context, a publish.Account) (*creator, error) {
	var c creator
	if err := p.send(ctx, call{method: http.MethodPost, path: "/v2/post/publish/creator_info/query/", token: a.AccessToken}, &c); err != nil {
		return nil, err
	}
	return &c, nil
}

// allowed returns what the account may post now, and the audience of the post: the chosen one, or the widest that the
// installation allows. A chosen audience is never replaced.
func (p *Platform) allowed(ctx context.Context, a publish.Account, d publish.Draft) (*creator, string, error) {
	c, err := p.creator(ctx, a)
	if err != nil {
		return nil, "", err
	}
	level := string(settings(d).PrivacyLevel)
	switch {
	case level == "":
		if level = audience(c.PrivacyOptions, p.privacy); level == "" {
			return nil, "", codes["privacy_level_option_mismatch"].as("", errors.New("no audience that is offered is allowed by the configuration"))
		}
	case rank(level) < rank(p.privacy): // includes audiences that TikTok does not have
		return nil, "", refuse("", "This installation allows posts on TikTok no wider audience than "+p.privacy+".")
	case !slices.Contains(c.PrivacyOptions, level):
		return nil, "", refuse("", "The account does not offer the audience "+level+" on TikTok. It offers "+listed(c.PrivacyOptions)+".")
	}
	if commercial(d).BrandedContent && level == selfOnly {
		return nil, "", brandedInPrivate()
	}
	return c, level, nil
}

// listed joins the options that are TikTok audiences, or returns "none".
func listed(options []string) string {
	known := slices.DeleteFunc(slices.Clone(options), func(o string) bool { return rank(o) < 0 })
	if len(known) == 0 {
		return "none"
	}
	return strings.Join(known, ", ")
}

func brandedInPrivate() *publish.Error {
	return refuse("", "Branded content on TikTok cannot be visible only to its author: choose a wider audience, or do not disclose a paid partnership.")
}

// Creator reads the options that the account may choose from.
func (p *Platform) Creator(ctx context.Context, a publish.Account) (*publish.Creator, error) {
	c, err := p.creator(ctx, a)
	if err != nil {
		return nil, err
	}
	return &publish.Creator{
		Nickname: c.Nickname, AvatarURL: c.AvatarURL, PrivacyLevels: c.PrivacyOptions,
		CommentDisabled: c.CommentDisabled, DuetDisabled: c.DuetDisabled, StitchDisabled: c.StitchDisabled,
		MaxVideoDuration: time.Duration(c.MaxSeconds) * time.Second,
	}, nil
}

// capWindow is the window of TikTok's posting limits.
const capWindow = 24 * time.Hour

// Headroom reports whether TikTok accepts posts from the account. TikTok reports no numbers: Used and Max are 0.
func (p *Platform) Headroom(ctx context.Context, a publish.Account) (*publish.Headroom, error) {
	if !slices.Contains(a.Scopes, scopePublish) {
		return nil, nil
	}
	h := &publish.Headroom{Window: capWindow}
	if _, err := p.creator(ctx, a); err != nil {
		e := (*publish.Error)(nil)
		if !errors.As(err, &e) || codes[e.Code].hold == 0 {
			return nil, err
		}
		h.Limited, h.ResetsAt = true, p.clock.Now().Add(e.RetryAfter)
	}
	return h, nil
}
