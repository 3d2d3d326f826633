// SPDX-License-Identifier: Apache-2.0

package view

import (
	"slices"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/social/posting"
)

// Connections lists the social accounts of a brand.
type Connections struct {
	Accounts           []ConnectedAccount `json:"accounts" doc:"By id."`
	NotConnected       []NotConnected     `json:"not_connected" doc:"Platforms on which the brand has no account."`
	SupportedPlatforms []PlatformName     `json:"supported_platforms" doc:"All that there are."`
}

// ConnectedAccount is one social account.
type ConnectedAccount struct {
	SocialDataID    int64        `json:"social_data_id" example:"9" doc:"Stays the same when the same account is connected again."`
	Platform        PlatformName `json:"platform" doc:"Where it is."`
	AccountName     *string      `json:"account_name" example:"Maya's Kitchen" doc:"For people."`
	Username        *string      `json:"username" example:"mayas.kitchen" doc:"The handle, without @."`
	ProfileURL      *string      `json:"profile_url" format:"uri" doc:"The account on the platform."`
	AvatarURL       *string      `json:"avatar_url" format:"uri" doc:"Its picture, on the platform; such addresses end."`
	AccountType     *string      `json:"account_type" example:"page" doc:"As the platform calls it, such as personal, business or page."`
	TokenStatus     TokenStatus  `json:"token_status" doc:"Whether the platform accepts the connection: active and expiring_soon do, the others need a person to connect again. expiring_soon: within three days a person has to."`
	TokenExpiresAt  *Time        `json:"token_expires_at" nullable:"true" doc:"When the connection ends unless it is renewed; null where the platform gives no end."`
	RateLimit       RateLimit    `json:"rate_limit" doc:"How much the account may still post."`
	PostingModes    []string     `json:"posting_modes" doc:"Of the platform."`
	ReadyToPost     bool         `json:"ready_to_post" doc:"The platform is set up, the connection accepted, and something may be posted now."`
	Issues          []PostIssue  `json:"issues" doc:"Why it is not ready."`
	ConnectedAt     *Time        `json:"connected_at" nullable:"true" doc:"When a person last approved."`
	LastPublishedAt *Time        `json:"last_published_at" nullable:"true" doc:"When a post last came out through the service."`

	Creator       Nullable[Creator] `json:"creator" doc:"What the platform lets the account choose for a direct post; null where it does not report it. It is read at most once an hour."`
	MissingScopes []string          `json:"missing_scopes" doc:"Scopes that publishing or first comments need and that were not granted. Connect the account again and allow them."`
}

// Creator describes what a platform lets an account choose for a post.
type Creator struct {
	Nickname             *string  `json:"nickname" doc:"As the platform shows it."`
	AvatarURL            *string  `json:"avatar_url" format:"uri" doc:"The account's picture on the platform. The address expires."`
	PrivacyLevels        []string `json:"privacy_levels" doc:"The audiences that the account may choose, in the platform's order."`
	DisabledInteractions []string `json:"disabled_interactions" doc:"Interactions that the account disabled for all its posts: comment, duet, stitch."`
	MaxVideoSeconds      *int32   `json:"max_video_seconds" nullable:"true" doc:"Length of a video; null if unknown."`
	ObservedAt           Time     `json:"observed_at" doc:"When the platform reported these values. Equal values are confirmed once a day."`
}

func creatorOf(c *v1beta1.Creator) *Creator {
	if c == nil {
		return nil
	}
	out := &Creator{
		Nickname: nonEmpty(c.Nickname), AvatarURL: nonEmpty(c.AvatarURL), PrivacyLevels: list(c.PrivacyLevels), DisabledInteractions: []string{},
		ObservedAt: Time{c.ObservedAt.Time},
	}
	for _, i := range []struct {
		name     string
		disabled bool
	}{{"comment", c.CommentDisabled}, {"duet", c.DuetDisabled}, {"stitch", c.StitchDisabled}} {
		if i.disabled {
			out.DisabledInteractions = append(out.DisabledInteractions, i.name)
		}
	}
	if c.MaxVideoSeconds > 0 {
		out.MaxVideoSeconds = &c.MaxVideoSeconds
	}
	return out
}

// missingScopes returns the missing scopes that publishing or comments need, each once.
func missingScopes(st *v1beta1.SocialAccountStatus) []string {
	out := slices.Concat(st.MissingScopes, st.MissingCommentScopes)
	slices.Sort(out)
	return list(slices.Compact(out))
}

// NotConnected is a platform without an account.
type NotConnected struct {
	Platform   PlatformName `json:"platform" doc:"For connections/link."`
	Name       string       `json:"name" example:"TikTok" doc:"For people."`
	Configured bool         `json:"configured" doc:"Whether the server can connect accounts there."`
	Steps      []string     `json:"steps" doc:"What a person does, in order."`
}

// ConnectLink is a page where a person approves the access to an account.
type ConnectLink struct {
	Platform         PlatformName `json:"platform" doc:"Where."`
	AuthorizeURL     string       `json:"authorize_url" format:"uri" doc:"For a person, in a browser; good once."`
	Steps            []string     `json:"steps" doc:"What a person does, in order."`
	ExpiresAt        Time         `json:"expires_at" doc:"Until then it can be used."`
	ExpiresInSeconds int          `json:"expires_in_seconds" example:"600" doc:"From now."`
}

// ConnectedAccountOf returns the view of an account and its remaining posts. missing returns the settings that the
// installation lacks for a platform; nil means that all platforms are configured.
func ConnectedAccountOf(id int64, a *v1beta1.SocialAccount, limit posting.RateLimit, missing func(v1beta1.Platform) []string) ConnectedAccount {
	st := &a.Status
	rule, _ := catalog.RuleOf(string(a.Spec.Platform))
	issues := posting.Connection(a, missing)
	if i := posting.Limited(limit); i != nil {
		issues = append(issues, *i)
	}
	return ConnectedAccount{
		SocialDataID: id, Platform: PlatformName(a.Spec.Platform), AccountName: nonEmpty(st.AccountName), Username: nonEmpty(st.Username),
		ProfileURL: nonEmpty(st.ProfileURL), AvatarURL: nonEmpty(st.AvatarURL), AccountType: nonEmpty(st.AccountType),
		TokenStatus: TokenStatusOf(a), TokenExpiresAt: at(st.TokenExpiresAt), RateLimit: RateLimitOf(limit), PostingModes: rule.PostingModes,
		ReadyToPost: len(issues) == 0, Issues: PostIssues(issues), ConnectedAt: at(st.ConnectedAt), LastPublishedAt: at(st.LastPublishedAt),
		Creator: Nullable[Creator]{creatorOf(st.Creator)}, MissingScopes: missingScopes(st),
	}
}
