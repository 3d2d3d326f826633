// SPDX-License-Identifier: Apache-2.0

package tiktok

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"time"

	"github.com/reelops/reelops/internal/publish"
)

const publicToEveryone = "PUBLIC_TO_EVERYONE"

// widestFirst lists TikTok's audiences.
var widestFirst = []string{publicToEveryone, "FOLLOWER_OF_CREATOR", "MUTUAL_FOLLOW_FRIENDS", "SELF_ONLY"}

// rank of an audience: 0 is the widest, -1 one that TikTok does not have.
func rank(privacy string) int { return slices.Index(widestFirst, privacy) }

// audience is the widest one that is offered and not wider than the limit; empty when there is none.
func audience(offered []string, limit string) string {
	for _, level := range widestFirst[rank(limit):] {
		if slices.Contains(offered, level) {
			return level
		}
	}
	return ""
}

// creator asks what the account lets be posted now: before every direct post, as TikTok demands.
func (p *Platform) creator(ctx context.Context, a publish.Account) (*creator, error) {
	var c creator
	if err := p.ask(ctx, call{method: http.MethodPost, path: "/v2/post/publish/creator_info/query/", token: a.AccessToken}, &c); err != nil {
		return nil, err
	}
	return &c, nil
}

// allowed is what the account lets be posted now, and the audience of the post.
func (p *Platform) allowed(ctx context.Context, a publish.Account) (*creator, string, error) {
	c, err := p.creator(ctx, a)
	if err != nil {
		return nil, "", err
	}
	level := audience(c.PrivacyOptions, p.privacy)
	if level == "" {
		return nil, "", codes["privacy_level_option_mismatch"].as("", errors.New("no audience that is offered is allowed by the configuration"))
	}
	return c, level, nil
}

// capWindow is the window of TikTok's caps on posts.
const capWindow = 24 * time.Hour

// Headroom asks whether TikTok takes posts from the account. It tells no numbers: Used and Max are 0.
func (p *Platform) Headroom(ctx context.Context, a publish.Account) (*publish.Headroom, error) {
	if !slices.Contains(a.Scopes, scopePublish) {
		return nil, nil
	}
	h := &publish.Headroom{Window: capWindow}
	if _, err := p.creator(ctx, a); err != nil {
		e := (*publish.Error)(nil)
		if !errors.As(err, &e) || e.Kind != publish.RateLimited || e.RetryAfter > 0 {
			return nil, err
		}
		h.Limited = true
	}
	return h, nil
}
