// SPDX-License-Identifier: Apache-2.0

package tiktok

import (
	"fmt"
	"net/http"
	"strings"
	"time"
	"unicode"

	"github.com/reelops/reelops/internal/social/publish"
)

const codeOK = "ok"

// window is the length of TikTok's sliding windows for calls. TikTok's error for too many calls does not report when to
// retry.
const window = time.Minute

// Waits of an account or the app after a limit for which TikTok reports no end. Drafts may be cleared at any time. The
// limit on active accounts uses a sliding window: another account may post as soon as the oldest has been inactive for
// a day.
const (
	pendingHold = time.Hour
	usersHold   = time.Hour
)

// meaning describes how one of TikTok's error codes is handled.
type meaning struct {
	kind    publish.Kind
	safe    string
	appWide bool
	revoked bool
	// hold is the wait of the account if TikTok reports none; 0 for calls that exceed a rate limit only.
	hold time.Duration
}

// codes are the error codes of the API.
var codes = map[string]meaning{
	"access_token_invalid":     {kind: publish.Unauthorized, safe: "TikTok does not accept the account's access token."},
	"scope_not_authorized":     {kind: publish.Scope, safe: "The account did not grant the permission for this on TikTok: reconnect it and grant every permission."},
	"scope_permission_missed":  {kind: publish.Scope, safe: "The account did not grant the permission for this on TikTok: reconnect it and grant every permission."},
	"invalid_param":            {kind: publish.Rejected, safe: "TikTok does not accept a part of this post."},
	"invalid_params":           {kind: publish.Rejected, safe: "TikTok does not accept a part of this post."},
	"invalid_file_upload":      {kind: publish.Rejected, safe: "TikTok does not accept the file."},
	"app_version_check_failed": {kind: publish.Rejected, safe: "The account's TikTok app is too old for drafts of photos: version 31.8 or later is needed."},
	"privacy_level_option_mismatch": {
		kind: publish.Rejected,
		safe: "The account does not offer the audience that was chosen for the post.",
	},
	"url_ownership_unverified": {
		kind: publish.Misconfigured,
		safe: "TikTok does not know the domain that images are served from: verify it in the app's settings at TikTok.",
	},
	"unaudited_client_can_only_post_to_private_accounts": {
		kind: publish.Misconfigured,
		safe: "TikTok has not audited the installation's app. Make the account private in TikTok and choose SELF_ONLY, or post as a draft.",
	},
	"spam_risk_too_many_posts": {
		kind: publish.RateLimited, hold: capWindow, safe: "TikTok accepts no more posts from this account within 24 hours.",
	},
	"spam_risk_too_many_pending_share": {
		kind: publish.RateLimited, hold: pendingHold,
		safe: "TikTok accepts at most 5 unfinished drafts of an account within 24 hours: publish or delete those in the inbox of the TikTok app.",
	},
	"reached_active_user_cap": {
		kind: publish.RateLimited, hold: usersHold, appWide: true, safe: "TikTok accepts posts of the app for no more accounts within 24 hours.",
	},
	"spam_risk_user_banned_from_posting": {kind: publish.Rejected, safe: "TikTok has banned the account from posting."},
	"spam_risk":                          {kind: publish.Rejected, safe: "TikTok rejected the post as possible spam."},
	"spam_risk_text":                     {kind: publish.Rejected, safe: "TikTok rejected the text of the post."},
	"rate_limit_exceeded":                {kind: publish.RateLimited, safe: "TikTok accepts no more calls for this account for a minute."},
	"invalid_publish_id":                 {kind: publish.Rejected, safe: "TikTok no longer has the upload."},
	"token_not_authorized_for_specified_publish_id": {
		kind: publish.Misconfigured,
		safe: "TikTok reports that the upload belongs to another account.",
	},
	"publish_not_cancellable": {kind: publish.Rejected, safe: "TikTok reports that the post can no longer be cancelled."},
}

// failReasons are the reasons for which TikTok dropped an accepted post. Expired means here that the whole post has to
// be sent again.
var failReasons = map[string]meaning{
	"internal":                           {kind: publish.Expired, safe: "TikTok failed to process the post: it is sent again."},
	"video_pull_failed":                  {kind: publish.Expired, safe: "TikTok could not download the video: it is sent again."},
	"photo_pull_failed":                  {kind: publish.Expired, safe: "TikTok could not download the images: they are sent again."},
	"file_format_check_failed":           {kind: publish.Rejected, safe: "TikTok does not accept the format of the file."},
	"duration_check_failed":              {kind: publish.Rejected, safe: "TikTok does not accept the duration of the video."},
	"frame_rate_check_failed":            {kind: publish.Rejected, safe: "TikTok does not accept the video's frame rate: 23 to 60 frames per second."},
	"picture_size_check_failed":          {kind: publish.Rejected, safe: "TikTok does not accept the size of the images: 360 to 4,096 pixels a side in videos, 1080p in photo sets."},
	"auth_removed":                       {kind: publish.Auth, revoked: true, safe: "The account was disconnected on TikTok before the post was processed: reconnect it."},
	"publish_cancelled":                  {kind: publish.Rejected, safe: "The post was cancelled on TikTok."},
	"spam_risk_too_many_posts":           codes["spam_risk_too_many_posts"],
	"spam_risk_user_banned_from_posting": codes["spam_risk_user_banned_from_posting"],
	"spam_risk":                          codes["spam_risk"],
	"spam_risk_text":                     codes["spam_risk_text"],
}

func (m meaning) as(code string, err error) *publish.Error {
	return &publish.Error{Kind: m.kind, Code: code, Safe: m.safe, AppWide: m.appWide, Revoked: m.revoked, RetryAfter: m.hold, Err: err}
}

// refused returns the error of an unsuccessful response. apiErr is nil if the response holds no error of TikTok's.
func (p *Platform) refused(a *publish.Answer, apiErr *apiError, c call) *publish.Error {
	code := ""
	cause := fmt.Errorf("%s answered %d", c.path, a.Status)
	if apiErr != nil {
		code = word(apiErr.Code)
		cause = fmt.Errorf("%s answered %d %s: %s (log id %s)", c.path, a.Status, code, sentence(apiErr.Message, c.token), word(apiErr.LogID))
	}
	if a.Status >= 500 || a.Status == http.StatusRequestTimeout || code == "internal_error" {
		e := inconclusive(c.publishes, cause)
		e.Code = code
		if !c.publishes {
			e.Safe = "TikTok had an internal error."
			e.RetryAfter = a.RetryAfter(p.clock.Now())
		}
		return e
	}
	m, known := codes[code]
	switch {
	case known:
	case a.Status == http.StatusTooManyRequests:
		m = codes["rate_limit_exceeded"]
	case a.Status == http.StatusUnauthorized:
		m = codes["access_token_invalid"]
	case a.Status >= 400:
		m = meaning{kind: publish.Rejected, safe: "TikTok rejected the call."}
	default: // a success or a redirect without a known code
		e := inconclusive(c.publishes, cause)
		e.Code = code
		return e
	}
	e := m.as(code, cause)
	if e.Kind == publish.RateLimited {
		if retryAfter := a.RetryAfter(p.clock.Now()); retryAfter > 0 {
			e.RetryAfter = retryAfter
		} else if e.RetryAfter == 0 {
			e.RetryAfter = window
		}
	}
	return e
}

// failure returns the error of a publish id that failed.
func failure(reason string) *publish.Error {
	code := word(reason)
	m, known := failReasons[code]
	if !known {
		m = meaning{kind: publish.Rejected, safe: "TikTok did not publish the post."}
	}
	return m.as(code, nil)
}

// word returns one of TikTok's codes without unexpected characters, at most 100 bytes of it.
func word(s string) string {
	if len(s) > 100 {
		s = s[:100]
	}
	return strings.Map(func(r rune) rune {
		if r == '_' || r == '-' || r == '.' || (r < unicode.MaxASCII && (unicode.IsLetter(r) || unicode.IsDigit(r))) {
			return r
		}
		return -1
	}, s)
}

// sentence returns a message of TikTok's for logs: on one line, at most 200 characters, without the token.
func sentence(s, token string) string {
	if token != "" {
		s = strings.ReplaceAll(s, token, "…")
	}
	s = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, s)
	if r := []rune(s); len(r) > 200 {
		s = string(r[:200])
	}
	return s
}
