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
	Accounts           []ConnectedAccount `json:"accounts" doc:"The accounts, in order of id."`
	NotConnected       []NotConnected     `json:"not_connected" doc:"Platforms on which the brand has no account."`
	SupportedPlatforms []PlatformName     `json:"supported_platforms" doc:"All supported platforms."`
}

// ConnectedAccount is one social account.
type ConnectedAccount struct {
	SocialDataID    int64        `json:"social_data_id" example:"9" doc:"Id of the account; it stays the same when the account is connected again."`
	Platform        PlatformName `json:"platform" doc:"The platform of the account."`
	AccountName     *string      `json:"account_name" example:"Maya's Kitchen" doc:"Display name of the account."`
	Username        *string      `json:"username" example:"mayas.kitchen" doc:"The handle, without @."`
	ProfileURL      *string      `json:"profile_url" format:"uri" doc:"The account on the platform."`
	AvatarURL       *string      `json:"avatar_url" format:"uri" doc:"URL of the account's image on the platform. The URL expires."`
	AccountType     *string      `json:"account_type" example:"page" doc:"Type of the account in the platform's terms, such as personal, business or page."`
	TokenStatus     TokenStatus  `json:"token_status" doc:"State of the connection. The platform accepts active and expiring_soon. With any other value a user has to connect the account again. expiring_soon: a user has to do so within three days."`
	TokenExpiresAt  *Time        `json:"token_expires_at" nullable:"true" doc:"When the connection expires unless it is renewed; null if the platform reports no expiry."`
	RateLimit       RateLimit    `json:"rate_limit" doc:"How many posts the account may still publish."`
	PostingModes    []string     `json:"posting_modes" doc:"Posting modes of the platform."`
	ReadyToPost     bool         `json:"ready_to_post" doc:"Whether the platform is configured, the connection is accepted and the rate limit allows a post now."`
	Issues          []PostIssue  `json:"issues" doc:"Why the account is not ready to post."`
	ConnectedAt     *Time        `json:"connected_at" nullable:"true" doc:"When a user last approved the connection."`
	LastPublishedAt *Time        `json:"last_published_at" nullable:"true" doc:"When the service last published a post to the account."`

	Creator       Nullable[Creator] `json:"creator" doc:"The choices that the platform offers the account for a direct post; null if not reported. They are read at most once an hour."`
	MissingScopes []string          `json:"missing_scopes" doc:"Scopes that publishing or first comments need and that were not granted. Connect the account again and allow them."`
}

// Creator describes what a platform lets an account choose for a post.
type Creator struct {
	Nickname             *string  `json:"nickname" doc:"Display name of the account on the platform."`
	AvatarURL            *string  `json:"avatar_url" format:"uri" doc:"URL of the account's image on the platform. The URL expires."`
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
	Platform   PlatformName `json:"platform" doc:"Value for POST /connections/link."`
	Name       string       `json:"name" example:"TikTok" doc:"Display name."`
	Configured bool         `json:"configured" doc:"Whether the server can connect accounts there."`
	Steps      []string     `json:"steps" doc:"Steps for the user, in order."`
}

// ConnectLink is a page where a person approves the access to an account.
type ConnectLink struct {
	Platform         PlatformName `json:"platform" doc:"The platform."`
	AuthorizeURL     string       `json:"authorize_url" format:"uri" doc:"URL for a user to open in a browser; valid once."`
	Steps            []string     `json:"steps" doc:"Steps for the user, in order."`
	ExpiresAt        Time         `json:"expires_at" doc:"When the link expires."`
	ExpiresInSeconds int          `json:"expires_in_seconds" example:"600" doc:"Seconds until the link expires."`
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
