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

// report writes the status and says when to look again. It is the only place that sets conditions.
func report(a *v1beta1.SocialAccount, o *observation, d *done, now time.Time) time.Duration {
	st := &a.Status
	st.TokenStatus = tokenStatus(a, o, now)
	if s := o.sight; s.Problem == nil {
		who(st, s)
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
	reason, text, usable := words(st.TokenStatus)
	sealed := o.sight.Problem != nil && o.sight.Problem.Kind == publish.Misconfigured
	if sealed {
		reason, text, usable = v1beta1.ReasonTokenKeyMissing, "The tokens were sealed with a key that this installation does not have: give the manager the key file that it had, or connect again", false
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
		c.Set(v1beta1.ConditionReady, false, v1beta1.ReasonNotConfigured, fmt.Sprintf("The installation has no app on %s", a.Spec.Platform))
	case d.refused != nil:
		c.Set(v1beta1.ConditionReady, false, v1beta1.ReasonNotConfigured, d.refused.Safe)
	default:
		c.Set(v1beta1.ConditionReady, true, reason, text)
	}
	return wake(o, now)
}

// words of a state, and whether calls can be made.
func words(s v1beta1.TokenStatus) (v1beta1.Reason, string, bool) {
	switch s {
	case v1beta1.TokenActive:
		return v1beta1.ReasonConnected, "The platform accepts the permission", true
	case v1beta1.TokenExpiringSoon:
		return v1beta1.ReasonConnectAgainSoon, "The permission ends within three days: a person has to connect the account again", true
	case v1beta1.TokenRevoked:
		return v1beta1.ReasonTokenRevoked, "The permission was taken back on the platform: a person has to connect the account again", false
	case v1beta1.TokenInsufficientScope:
		return v1beta1.ReasonScopeMissing, "The permission does not cover publishing: a person has to connect the account again and allow all that is asked for", false
	}
	return v1beta1.ReasonTokenExpired, "The permission has ended: a person has to connect the account again", false
}

func who(st *v1beta1.SocialAccountStatus, s *credential.Sight) {
	const name, address, kind = 300, 2000, 64
	st.AccountName, st.Username, st.AccountType = cut(s.Identity.Name, name), cut(s.Identity.Username, name), cut(s.Identity.Type, kind)
	st.ProfileURL, st.AvatarURL = link(s.Identity.ProfileURL, address), link(s.Identity.AvatarURL, address)
}

// headroom keeps what the platform told. An account of which it says nothing new, and that has used nothing, stays as it is.
func headroom(st *v1beta1.SocialAccountStatus, d *done) {
	h := d.headroom
	if d.told.IsZero() || h == nil {
		return
	}
	if h.Max > 0 {
		told := &v1beta1.Headroom{
			Used: int32(h.Used), Max: int32(h.Max), WindowSeconds: int32(h.Window / time.Second), ObservedAt: metav1.NewTime(d.told.Truncate(time.Second)),
		}
		if old := st.Headroom; old != nil && told.Used == 0 && old.Used == 0 && old.Max == told.Max && old.WindowSeconds == told.WindowSeconds {
			told.ObservedAt = old.ObservedAt
		}
		st.Headroom = told
	}
	if h.Limited {
		until := h.ResetsAt
		if until.IsZero() {
			until = d.told.Add(time.Hour)
		}
		if st.LimitedUntil == nil || st.LimitedUntil.Time.Before(until) {
			st.LimitedUntil = at(until)
		}
	}
}

// creatorConfirmed is how often equal values of a creator are confirmed in writing.
const creatorConfirmed = 24 * time.Hour

// creator records what the platform lets the account choose. Equal values are not written again within a day.
func creator(st *v1beta1.SocialAccountStatus, d *done) {
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

// link keeps addresses of the web: people click on them.
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
