// SPDX-License-Identifier: Apache-2.0

package instagram

import (
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/social/publish"
)

// meaning is the interpretation of an Instagram error code.
type meaning struct {
	kind publish.Kind
	safe string
	// catalog is the catalog's code for the same rule.
	catalog catalog.Code
	// doubt reports whether a publishing call may have succeeded despite the error.
	doubt bool
	// remake reports whether a new container may succeed after this one failed.
	remake bool
	// throttle reports whether the limit applies to calls, not to posts.
	throttle, appWide, revoked bool
	// wait is the retry delay for errors where Instagram reports none and retrying within minutes would prolong the
	// block.
	wait time.Duration
}

type key struct{ code, subcode int }

// whole is the subcode of entries for all subcodes without their own entry.
const whole = 0

// hours is the wait for accounts that Instagram has blocked. Instagram reports no time; users report hours to days.
const hours = 3 * time.Hour

const (
	safeEnded    = "The permission on Instagram has ended: reconnect the account."
	safeScope    = "The permission on Instagram does not cover this: reconnect the account and grant every permission."
	safeThrottle = "Instagram accepts no more calls for this account at the moment."
	safeService  = "Instagram had an internal error."
	safeFetch    = "Instagram could not download the file: the blob store must be reachable from the internet."
	safeUpload   = "Instagram could not receive the file."
	safeVideo    = "Instagram does not accept this video: it accepts MP4 or MOV with H.264 or HEVC and AAC, 3 seconds to 15 minutes."
	safeGone     = "Instagram no longer has the prepared post."
	safeTags     = "Instagram did not accept the product tags."
)

// meanings are Instagram's documented codes. The type of an error carries no information.
var meanings = map[key]meaning{
	// The permission. The plain code and those of an expired token may only mean that another process has renewed the
	// token.
	{190, whole}: {kind: publish.Unauthorized, safe: safeEnded},
	{102, whole}: {kind: publish.Unauthorized, safe: safeEnded},
	{190, 463}:   {kind: publish.Unauthorized, safe: safeEnded},
	{190, 467}:   {kind: publish.Unauthorized, safe: safeEnded},
	{190, 458}:   {kind: publish.Auth, revoked: true, safe: "The app was removed in Instagram's settings: reconnect the account."},
	{190, 459}:   {kind: publish.Auth, safe: "Instagram requires the user to sign in and pass a check: do so, then reconnect the account."},
	{190, 460}:   {kind: publish.Auth, revoked: true, safe: "The password on Instagram was changed, which ended the permission: reconnect the account."},
	{190, 464}:   {kind: publish.Auth, safe: "The account on Instagram is not confirmed: confirm it there, then reconnect it."},
	{190, 492}:   {kind: publish.Auth, safe: "The person no longer has a role on the account's page: reconnect as a user who has one."},
	{10, whole}:  {kind: publish.Scope, safe: safeScope},
	{3, whole}:   {kind: publish.Scope, safe: safeScope},
	{25, 2207050}: {
		kind: publish.Rejected,
		safe: "Instagram has restricted this account or requires a confirmation: open the app on the phone, then post again.",
	},

	// Objects and parameters.
	{100, 33}:      {kind: publish.Rejected, safe: "Instagram does not show this account or post to the app."},
	{100, whole}:   {kind: publish.Rejected, safe: "Instagram did not accept a part of the request."},
	{100, 2207023}: {kind: publish.Rejected, safe: "Instagram does not know this kind of post."},
	{100, 2207028}: {kind: publish.Rejected, safe: "A carousel on Instagram must have 2 to 10 images."},
	{100, 2207035}: {kind: publish.Rejected, safe: safeTags},
	{100, 2207036}: {kind: publish.Rejected, safe: safeTags},
	{100, 2207037}: {kind: publish.Rejected, safe: safeTags},
	{100, 2207040}: {kind: publish.Rejected, safe: "Instagram accepts at most 20 mentions (@) in a caption."},
	{1, 2207057}:   {kind: publish.Rejected, safe: "The cover frame is outside the video."},
	{101, whole}:   {kind: publish.Misconfigured, safe: "Instagram does not know this installation's app."},

	// Instagram itself.
	{1, whole}:    {kind: publish.Transient, safe: safeService, doubt: true},
	{2, whole}:    {kind: publish.Transient, safe: safeService, doubt: true},
	{-1, whole}:   {kind: publish.Transient, safe: safeService, doubt: true},
	{-1, 2207001}: {kind: publish.Transient, safe: safeService, doubt: true},

	// The file, and how Instagram fetches it.
	{-1, 2207032}:    {kind: publish.Transient, safe: safeUpload, remake: true},
	{-1, 2207053}:    {kind: publish.Transient, safe: safeUpload, remake: true},
	{-1, 2207082}:    {kind: publish.Transient, safe: safeUpload, remake: true},
	{-1, 2207077}:    {kind: publish.Transient, safe: safeFetch, remake: true},
	{-2, 2207003}:    {kind: publish.Transient, safe: safeFetch, remake: true},
	{9004, 2207052}:  {kind: publish.Transient, safe: safeFetch, remake: true},
	{9004, whole}:    {kind: publish.Transient, safe: safeFetch, remake: true},
	{352, 2207026}:   {kind: publish.Rejected, safe: safeVideo},
	{352, whole}:     {kind: publish.Rejected, safe: safeVideo},
	{36000, 2207004}: {kind: publish.Rejected, safe: "The image is too large for Instagram: 8 MB is the most."},
	{36000, whole}:   {kind: publish.Rejected, safe: "The image is too large for Instagram: 8 MB is the most."},
	{36001, 2207005}: {kind: publish.Rejected, safe: "Instagram could not read the image: it accepts only JPEG."},
	{36001, whole}:   {kind: publish.Rejected, safe: "Instagram could not read the image: it accepts only JPEG."},
	{36003, 2207009}: {kind: publish.Rejected, safe: "Instagram does not accept the image's shape: between 4:5 and 1.91:1."},
	{36003, whole}:   {kind: publish.Rejected, safe: "Instagram does not accept the image's shape: between 4:5 and 1.91:1."},
	{36004, 2207010}: {kind: publish.Rejected, catalog: catalog.CaptionTooLong, safe: "The caption is too long for Instagram."},
	{36004, whole}:   {kind: publish.Rejected, catalog: catalog.CaptionTooLong, safe: "The caption is too long for Instagram."},
	{-1, 2207081}:    {kind: publish.Rejected, safe: "This account cannot post trial reels."},

	// The container. If a container cannot be found, it may also have been published.
	{-2, 2207020}:   {kind: publish.Expired, safe: safeGone},
	{24, 2207006}:   {kind: publish.Transient, safe: safeGone, remake: true, doubt: true},
	{24, 2207008}:   {kind: publish.Transient, safe: safeGone, remake: true, doubt: true},
	{24, whole}:     {kind: publish.Transient, safe: safeGone, remake: true, doubt: true},
	{9007, 2207027}: {kind: publish.Transient, safe: "Instagram is still working on the file.", wait: 30 * time.Second},
	{9007, whole}:   {kind: publish.Transient, safe: "Instagram is still working on the file.", wait: 30 * time.Second},
	{506, whole}:    {kind: publish.Rejected, safe: "Instagram considers this a duplicate of a post.", doubt: true},

	// Rate limits and quotas.
	{4, 2207051}: {kind: publish.Rejected, safe: "Instagram considers this spam and has stopped posts from this account: wait some hours."},
	{368, whole}: {kind: publish.RateLimited, wait: hours, safe: "Instagram has blocked this account temporarily for breaking a policy."},
	{9, 2207042}: {kind: publish.RateLimited, safe: "The account has posted as often as Instagram allows within 24 hours."},
	{4, whole}:   {kind: publish.RateLimited, throttle: true, appWide: true, safe: "Instagram accepts no more calls of this installation's app at the moment."},
	{17, whole}:  {kind: publish.RateLimited, throttle: true, safe: safeThrottle},
	{32, whole}:  {kind: publish.RateLimited, throttle: true, safe: safeThrottle},
	{341, whole}: {kind: publish.RateLimited, throttle: true, safe: safeThrottle},
	{613, whole}: {kind: publish.RateLimited, throttle: true, safe: safeThrottle},
	{80002, whole}: {
		kind: publish.RateLimited, throttle: true,
		safe: safeThrottle,
	},
}

// lookUp returns the meaning of a code; false if the code is not documented.
func lookUp(code, subcode int) (meaning, bool) {
	if m, ok := meanings[key{code, subcode}]; ok {
		return m, true
	}
	if code >= 200 && code <= 299 {
		return meaning{kind: publish.Scope, safe: safeScope}, true
	}
	m, ok := meanings[key{code, whole}]
	return m, ok
}

// bySubcode returns the entry of one of Instagram's own subcodes. Each subcode belongs to one code.
func bySubcode(subcode int) (key, bool) {
	for k := range meanings {
		if k.subcode == subcode && subcode != whole {
			return k, true
		}
	}
	return key{}, false
}

var subcodes = regexp.MustCompile(`\b2207\d{3}\b`)

// failed returns the error of a container in state ERROR. Its status holds a subcode, or a text with one.
func failed(status string) *publish.Error {
	r := &refusal{status: http.StatusOK}
	if s := subcodes.FindString(status); s != "" {
		r.subcode, _ = strconv.Atoi(s)
	}
	e := &publish.Error{Kind: publish.Transient, Safe: "Instagram could not process the file.", Err: r, Code: "ERROR"}
	k, ok := bySubcode(r.subcode)
	if !ok {
		if r.subcode != 0 {
			e.Code = strconv.Itoa(r.subcode)
		}
		r.code, r.subcode = -1, 2207053 // a failure without a known reason may be temporary
		return e
	}
	m := meanings[k]
	r.code = k.code
	e.Kind, e.Safe, e.CatalogCode, e.Code = m.kind, m.safe, string(m.catalog), strconv.Itoa(k.code)+"/"+strconv.Itoa(k.subcode)
	return e
}

// exchangeRefused classifies a refused code exchange, which has its own error format. Instagram uses the same code for
// every cause. The app is at fault if the message mentions the app, the client or the redirect; otherwise the code is.
func exchangeRefused(env envelope, a *publish.Answer) *publish.Error {
	e := &publish.Error{
		Kind: publish.Auth, Code: strconv.Itoa(env.ErrorCode), Err: &refusal{code: env.ErrorCode, status: a.Status},
		Safe: "Instagram did not accept the approval: it may have been used or be older than an hour. Approve again.",
	}
	said := strings.ToLower(env.ErrorMessage)
	switch {
	case a.Status >= http.StatusInternalServerError:
		e.Kind, e.Safe = publish.Transient, safeService
	case a.Status == http.StatusTooManyRequests:
		e.Kind, e.Safe = publish.RateLimited, "Instagram accepts no more calls at the moment."
	case strings.Contains(said, "platform app"), strings.Contains(said, "client"), strings.Contains(said, "redirect"):
		e.Kind, e.Safe = publish.Misconfigured, "Instagram does not accept this installation's app: its id, its secret or its callback address."
	}
	return e
}

func notEnoughViewers(message string) bool {
	return strings.Contains(message, "Not enough viewers")
}
