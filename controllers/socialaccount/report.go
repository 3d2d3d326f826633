// SPDX-License-Identifier: Apache-2.0

package socialaccount

import (
	"fmt"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/kube/status"
	"github.com/reelops/reelops/internal/social/credential"
	"github.com/reelops/reelops/internal/social/publish"
)

// report sets the status and returns the requeue. No other function sets conditions.
func report(a *v1beta1.SocialAccount, o *observed, d *result, now time.Time) time.Duration {
	st := &a.Status
	st.TokenStatus = tokenStatus(a, o, now)
	if s := o.grant; s.Problem == nil {
		identityStatus(st, s)
		st.Scopes, st.MissingScopes, st.MissingCommentScopes = bounded(s.Scopes), bounded(s.Lacking), nil
		if c, ok := o.platform.(publish.Commenter); ok {
			st.MissingCommentScopes = bounded(c.LackingForComments(s.Scopes))
		}
		st.ConnectedAt = at(s.ConnectedAt)
		st.TokenExpiresAt, st.RefreshAt = at(s.EndsAt), nil
		if st.TokenStatus.Usable() {
			st.RefreshAt = at(s.RenewAt)
		}
	} else if s.Problem.Kind != publish.Misconfigured {
		st.RefreshAt = nil
	}
	headroom(st, d)
	creator(st, d)

	c := status.Conditions{List: &st.Conditions, Generation: a.Generation}
	reason, text, usable := describe(st.TokenStatus)
	sealed := o.grant.Problem != nil && o.grant.Problem.Kind == publish.Misconfigured
	if sealed {
		reason, text, usable = v1beta1.ReasonTokenKeyMissing, "The tokens were sealed with a key that this installation lacks: restore the manager's key, or reconnect the account", false
	}
	c.Set(v1beta1.ConditionConnected, usable, reason, text)
	if usable || sealed {
		c.Remove(v1beta1.ConditionStalled)
	} else {
		c.Set(v1beta1.ConditionStalled, true, reason, text)
	}
	switch {
	case !o.brand:
		c.Set(v1beta1.ConditionReady, false, v1beta1.ReasonBrandNotFound, fmt.Sprintf("The namespace has no Brand %q", a.Spec.BrandRef.Name))
	case !usable:
		c.Set(v1beta1.ConditionReady, false, reason, text)
	case o.platform == nil:
		c.Set(v1beta1.ConditionReady, false, v1beta1.ReasonNotConfigured, fmt.Sprintf("The installation has no app on %s: an operator has to configure one", a.Spec.Platform))
	case d.refused != nil:
		c.Set(v1beta1.ConditionReady, false, v1beta1.ReasonNotConfigured, d.refused.Safe)
	default:
		c.Set(v1beta1.ConditionReady, true, reason, text)
	}
	return nextChange(o, now)
}

// describe returns the reason and message of a state, and whether the token can be used.
func describe(s v1beta1.TokenStatus) (v1beta1.Reason, string, bool) {
	switch s {
	case v1beta1.TokenActive:
		return v1beta1.ReasonConnected, "The platform accepts the permission", true
	case v1beta1.TokenExpiringSoon:
		return v1beta1.ReasonConnectAgainSoon, "The permission expires within three days: reconnect the account", true
	case v1beta1.TokenRevoked:
		return v1beta1.ReasonTokenRevoked, "The permission was revoked on the platform: reconnect the account", false
	case v1beta1.TokenInsufficientScope:
		return v1beta1.ReasonScopeMissing, "The permission does not cover publishing: reconnect the account and allow every requested scope", false
	}
	return v1beta1.ReasonTokenExpired, "The permission has expired: reconnect the account", false
}

func identityStatus(st *v1beta1.SocialAccountStatus, s *credential.Sight) {
	const name, address, kind = 300, 2000, 64
	st.AccountName, st.Username, st.AccountType = cut(s.Identity.Name, name), cut(s.Identity.Username, name), cut(s.Identity.Type, kind)
	st.ProfileURL, st.AvatarURL = link(s.Identity.ProfileURL, address), link(s.Identity.AvatarURL, address)
}

// headroom records the headroom. An unchanged value of an unused account keeps its time, so that nothing is written.
func headroom(st *v1beta1.SocialAccountStatus, d *result) {
	h := d.headroom
	if d.observedAt.IsZero() || h == nil {
		return
	}
	if h.Max > 0 {
		told := &v1beta1.Headroom{
			Used: int32(h.Used), Max: int32(h.Max), WindowSeconds: int32(h.Window / time.Second), ObservedAt: metav1.NewTime(d.observedAt.Truncate(time.Second)),
		}
		if old := st.Headroom; old != nil && told.Used == 0 && old.Used == 0 && old.Max == told.Max && old.WindowSeconds == told.WindowSeconds {
			told.ObservedAt = old.ObservedAt
		}
		st.Headroom = told
	}
	if h.Limited {
		until := h.ResetsAt
		if until.IsZero() {
			until = d.observedAt.Add(time.Hour)
		}
		if st.LimitedUntil == nil || st.LimitedUntil.Time.Before(until) {
			st.LimitedUntil = at(until)
		}
	}
}

// creatorConfirmed is the time after which unchanged creator values are written again.
const creatorConfirmed = 24 * time.Hour

// creator records the options that the platform offers the account. Unchanged values are written once a day.
func creator(st *v1beta1.SocialAccountStatus, d *result) {
	c := d.creator
	if c == nil {
		return
	}
	const name, address = 300, 2000
	read := &v1beta1.Creator{
		Nickname: cut(c.Nickname, name), AvatarURL: link(c.AvatarURL, address), PrivacyLevels: levels(c.PrivacyLevels),
		CommentDisabled: c.CommentDisabled, DuetDisabled: c.DuetDisabled, StitchDisabled: c.StitchDisabled,
		MaxVideoSeconds: int32(c.MaxVideoDuration / time.Second), ObservedAt: metav1.NewTime(d.creatorRead.Truncate(time.Second)),
	}
	if old := st.Creator; old != nil && d.creatorRead.Sub(old.ObservedAt.Time) < creatorConfirmed {
		same := read.DeepCopy()
		same.ObservedAt = old.ObservedAt
		if equality.Semantic.DeepEqual(old, same) {
			return
		}
	}
	st.Creator = read
}

func levels(in []string) []string {
	const most, long = 16, 64
	var out []string
	for _, s := range in[:min(len(in), most)] {
		out = append(out, cut(s, long))
	}
	return out
}

func at(t time.Time) *metav1.Time {
	if t.IsZero() {
		return nil
	}
	return &metav1.Time{Time: t.Truncate(time.Second)}
}

func cut(s string, most int) string {
	if r := []rune(s); len(r) > most {
		return string(r[:most])
	}
	return s
}

// link returns an HTTP or HTTPS URL; empty for anything else, because users click on it.
func link(s string, most int) string {
	if len(s) > most || !(strings.HasPrefix(s, "https://") || strings.HasPrefix(s, "http://")) {
		return ""
	}
	return s
}

func bounded(scopes []string) []string {
	const most, long = 64, 256
	var out []string
	for _, s := range scopes[:min(len(scopes), most)] {
		out = append(out, cut(s, long))
	}
	return out
}
