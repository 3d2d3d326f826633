// SPDX-License-Identifier: Apache-2.0

package view

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/reelops/reelops/api/v1beta1"
)

func TestAnalytics_RefreshAvailableAt(t *testing.T) {
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	ago := func(d time.Duration) *metav1.Time { return &metav1.Time{Time: now.Add(-d)} }
	for _, c := range []struct {
		why                          string
		requested, answered, started *metav1.Time
		status                       v1beta1.TokenStatus
		running                      bool
		wait                         time.Duration // 0: now
		refreshing                   bool
	}{
		{why: "never read"},
		{why: "just requested", requested: ago(0), wait: 15 * time.Minute, refreshing: true},
		{why: "being read", requested: ago(5 * time.Second), started: ago(3 * time.Second), running: true, wait: 15*time.Minute - 3*time.Second, refreshing: true},
		{why: "read on request", requested: ago(5 * time.Minute), answered: ago(5 * time.Minute), started: ago(4 * time.Minute), wait: 11 * time.Minute},
		{why: "read automatically", started: ago(10 * time.Minute), wait: 5 * time.Minute},
		{why: "the last moment", started: ago(15*time.Minute - time.Second), wait: time.Second},
		{why: "the first moment", started: ago(15 * time.Minute)},
		{why: "requested long ago, but never read", requested: ago(time.Hour), refreshing: true},
		{why: "requested while reading is not possible", requested: ago(time.Minute), status: v1beta1.TokenRevoked, wait: 14 * time.Minute},
		{why: "a clock slightly ahead", started: ago(-30 * time.Second), wait: 15 * time.Minute},
		{why: "a wrong clock", started: ago(-24 * 365 * time.Hour)},
		{why: "requested with a time in the next year", requested: ago(-24 * 365 * time.Hour), refreshing: true},
	} {
		t.Run(c.why, func(t *testing.T) {
			n := &v1beta1.AccountAnalytics{
				Spec:   v1beta1.AccountAnalyticsSpec{RefreshRequestedAt: c.requested},
				Status: v1beta1.AccountAnalyticsStatus{AnsweredRequestAt: c.answered, RefreshStartedAt: c.started, Refreshing: c.running},
			}
			if wait := max(RefreshAvailable(n, 15*time.Minute, now).Sub(now), 0); wait != c.wait {
				t.Errorf("got wait %s, want %s", wait, c.wait)
			}
			row := AnalyticsAccountOf(1, &v1beta1.SocialAccount{Status: v1beta1.SocialAccountStatus{TokenStatus: c.status}}, n, 15*time.Minute, now)
			if row.Refreshing != c.refreshing {
				t.Errorf("got refreshing %t", row.Refreshing)
			}
			if told := row.RefreshAvailableAt; (told == nil) != (c.wait == 0) || told != nil && !told.Equal(now.Add(c.wait)) {
				t.Errorf("got refresh_available_at %v", told)
			}
		})
	}
}
