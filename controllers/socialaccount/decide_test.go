// SPDX-License-Identifier: Apache-2.0

package socialaccount

import (
	"testing"
	"time"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/social/credential"
	"github.com/reelops/reelops/internal/social/publish"
)

var noon = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

func TestTokenStatus(t *testing.T) {
	const day = 24 * time.Hour
	ended := func(s v1beta1.TokenStatus) credential.Sight {
		return credential.Sight{Ended: &credential.Ended{Status: s}, EndsAt: noon.Add(300 * day)}
	}
	for _, c := range []struct {
		why   string
		sight credential.Sight
		was   v1beta1.TokenStatus
		want  v1beta1.TokenStatus
	}{
		{"no expiry", credential.Sight{}, "", v1beta1.TokenActive},
		{"expires in a year", credential.Sight{EndsAt: noon.Add(365 * day)}, "", v1beta1.TokenActive},
		{"expires in a little more than three days", credential.Sight{EndsAt: noon.Add(3*day + time.Second)}, "", v1beta1.TokenActive},
		{"expires in three days", credential.Sight{EndsAt: noon.Add(3 * day)}, v1beta1.TokenActive, v1beta1.TokenExpiringSoon},
		{"expires in a second", credential.Sight{EndsAt: noon.Add(time.Second)}, v1beta1.TokenExpiringSoon, v1beta1.TokenExpiringSoon},
		{"expires now", credential.Sight{EndsAt: noon}, v1beta1.TokenExpiringSoon, v1beta1.TokenExpired},
		{"a renewal extends the expiry", credential.Sight{EndsAt: noon.Add(60 * day)}, v1beta1.TokenExpiringSoon, v1beta1.TokenActive},
		{"the platform rejected the renewal", ended(v1beta1.TokenExpired), v1beta1.TokenActive, v1beta1.TokenExpired},
		{"revoked", ended(v1beta1.TokenRevoked), v1beta1.TokenActive, v1beta1.TokenRevoked},
		{"reconnected", credential.Sight{EndsAt: noon.Add(365 * day)}, v1beta1.TokenRevoked, v1beta1.TokenActive},
		{"a scope is missing", credential.Sight{Lacking: []string{"video.publish"}, EndsAt: noon.Add(365 * day)}, "", v1beta1.TokenInsufficientScope},
		{"the tokens are missing", credential.Sight{Problem: &publish.Error{Kind: publish.Auth}}, v1beta1.TokenActive, v1beta1.TokenExpired},
		{"the last approval was for another account", credential.Sight{Problem: &publish.Error{Kind: publish.Auth, Revoked: true}}, v1beta1.TokenActive, v1beta1.TokenRevoked},
		{"the key is missing", credential.Sight{Problem: &publish.Error{Kind: publish.Misconfigured}}, v1beta1.TokenExpiringSoon, v1beta1.TokenExpiringSoon},
	} {
		a := &v1beta1.SocialAccount{Status: v1beta1.SocialAccountStatus{TokenStatus: c.was}}
		if got := tokenStatus(a, &observed{grant: &c.sight}, noon); got != c.want {
			t.Errorf("%s: got %s, want %s", c.why, got, c.want)
		}
	}
}

func TestNextChange(t *testing.T) {
	for _, c := range []struct {
		why   string
		sight credential.Sight
		want  time.Duration
	}{
		{"no change", credential.Sight{}, recheckPeriod},
		{"a renewal", credential.Sight{RenewAt: noon.Add(time.Minute)}, time.Minute},
		{"an overdue renewal is ignored", credential.Sight{RenewAt: noon}, recheckPeriod},
		{"three days before the expiry", credential.Sight{EndsAt: noon.Add(expiringSoon + time.Minute)}, time.Minute},
		{"the expiry", credential.Sight{EndsAt: noon.Add(time.Minute)}, time.Minute},
		{"far away", credential.Sight{EndsAt: noon.Add(1000 * time.Hour), RenewAt: noon.Add(500 * time.Hour)}, recheckPeriod},
	} {
		if got := nextChange(&observed{grant: &c.sight}, noon); got != c.want {
			t.Errorf("%s: got %s, want %s", c.why, got, c.want)
		}
	}
}

func TestBudget(t *testing.T) {
	b := &budget{}
	both, none := reads{headroom: true, identity: true}, reads{}
	old := noon.Add(-48 * time.Hour)
	if q, wait := b.acquire("a", noon, old, false); q != both || wait != headroomEvery {
		t.Errorf("the first account: got %+v, %s", q, wait)
	}
	if q, wait := b.acquire("b", noon, old, false); q != none || wait != minSpacing {
		t.Errorf("the second account at the same time: got %+v, %s", q, wait)
	}
	if q, _ := b.acquire("b", noon.Add(minSpacing), old, false); q != both {
		t.Errorf("the second account after minSpacing: got %+v", q)
	}
	if q, wait := b.acquire("a", noon.Add(time.Hour), old, false); q != none || wait != headroomEvery-time.Hour {
		t.Errorf("within the interval: got %+v, %s", q, wait)
	}
	if q, _ := b.acquire("a", noon.Add(headroomEvery), old, false); q != (reads{headroom: true}) {
		t.Errorf("after the interval: got %+v", q)
	}
	if q, _ := b.acquire("c", noon.Add(headroomEvery+minSpacing), noon, false); q != (reads{headroom: true}) {
		t.Errorf("connected today: got %+v", q)
	}
	b.postpone("c", noon.Add(headroomEvery+minSpacing))
	if q, _ := b.acquire("c", noon.Add(headroomEvery+minSpacing+retryAfterError), noon, false); q != (reads{headroom: true}) {
		t.Errorf("after a failed read: got %+v", q)
	}
	if q, _ := b.acquire("d", noon.Add(-24*time.Hour), old, false); q != both {
		t.Errorf("after the clock was set back: got %+v", q)
	}
}
