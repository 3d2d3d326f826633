// SPDX-License-Identifier: Apache-2.0

package posting_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/social/posting"
)

var noon = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

func ago(d time.Duration) time.Time { return noon.Add(-d) }

func TestHeadroom(t *testing.T) {
	const day = 24 * time.Hour
	many := func(n int, at time.Time) (out []time.Time) {
		for i := range n {
			out = append(out, at.Add(time.Duration(i)*time.Second))
		}
		return out
	}
	told := func(used, most int32, at time.Time) *v1beta1.Headroom {
		return &v1beta1.Headroom{Used: used, Max: most, WindowSeconds: 86400, ObservedAt: metav1.NewTime(at)}
	}
	for _, c := range []struct {
		why      string
		platform v1beta1.Platform
		uses     []time.Time
		told     *v1beta1.Headroom
		until    time.Time
		want     posting.RateLimit
	}{
		{
			"no post: all places are left, and a full window would have to pass", "tiktok", nil, nil,
			time.Time{},
			posting.RateLimit{Max: 15, Remaining: 15, ResetsAt: noon.Add(day), Label: "15 posts per 24 hours"},
		},
		{
			"the oldest post of the window frees the next place", "instagram",
			[]time.Time{ago(2 * time.Hour), ago(5 * time.Hour)},
			nil,
			time.Time{},
			posting.RateLimit{Used: 2, Max: 50, Remaining: 48, ResetsAt: noon.Add(19 * time.Hour), Label: "50 posts per 24 hours"},
		},
		{
			"posts before the window and in the future do not count", "tiktok",
			[]time.Time{ago(day), ago(day + time.Hour), noon.Add(time.Second), noon},
			nil,
			time.Time{},
			posting.RateLimit{Used: 1, Max: 15, Remaining: 14, ResetsAt: noon.Add(day), Label: "15 posts per 24 hours"},
		},
		{
			"the limit is reached", "tiktok", many(15, ago(3*time.Hour)), nil,
			time.Time{},
			posting.RateLimit{Used: 15, Max: 15, Limited: true, ResetsAt: noon.Add(21 * time.Hour), Label: "15 posts per 24 hours"},
		},
		{
			"beyond the limit, all excess posts must leave the window", "tiktok", many(17, ago(3*time.Hour)), nil,
			time.Time{},
			posting.RateLimit{Used: 17, Max: 15, Limited: true, ResetsAt: noon.Add(21*time.Hour + 2*time.Second), Label: "15 posts per 24 hours"},
		},
		{
			"the platform counts posts of other programs", "instagram", nil, told(49, 50, ago(time.Hour)),
			time.Time{},
			posting.RateLimit{Used: 49, Max: 50, Remaining: 1, ResetsAt: noon.Add(23 * time.Hour), Label: "50 posts per 24 hours"},
		},
		{
			"posts since the last read are added", "instagram",
			[]time.Time{ago(time.Minute)},
			told(49, 50, ago(time.Hour)),
			time.Time{},
			posting.RateLimit{Used: 50, Max: 50, Limited: true, ResetsAt: noon.Add(24*time.Hour - time.Minute), Label: "50 posts per 24 hours"},
		},
		{
			"the maximum of the platform replaces the default", "instagram", nil, told(0, 100, ago(time.Hour)),
			time.Time{},
			posting.RateLimit{Max: 100, Remaining: 100, ResetsAt: noon.Add(day), Label: "100 posts per 24 hours"},
		},
		{
			"the larger use counts", "instagram", many(3, ago(2*time.Hour)), told(1, 50, ago(time.Hour)),
			time.Time{},
			posting.RateLimit{Used: 3, Max: 50, Remaining: 47, ResetsAt: noon.Add(22 * time.Hour), Label: "50 posts per 24 hours"},
		},
		{
			"a count older than the window is ignored", "instagram", nil, told(50, 50, ago(25*time.Hour)),
			time.Time{},
			posting.RateLimit{Max: 50, Remaining: 50, ResetsAt: noon.Add(day), Label: "50 posts per 24 hours"},
		},
		{
			"the platform rejected a post recently", "linkedin", nil, nil, noon.Add(10 * time.Minute),
			posting.RateLimit{Max: 150, Remaining: 150, Limited: true, ResetsAt: noon.Add(10 * time.Minute), Label: "150 posts per 24 hours"},
		},
		{
			"the limit has ended", "linkedin", nil, nil, ago(time.Second),
			posting.RateLimit{Max: 150, Remaining: 150, ResetsAt: noon.Add(day), Label: "150 posts per 24 hours"},
		},
	} {
		t.Run(c.why, func(t *testing.T) {
			a := &v1beta1.SocialAccount{Spec: v1beta1.SocialAccountSpec{Platform: c.platform}}
			a.Status.Headroom = c.told
			if !c.until.IsZero() {
				a.Status.LimitedUntil = &metav1.Time{Time: c.until}
			}
			if diff := cmp.Diff(c.want, posting.Headroom(a, c.uses, noon)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestUse(t *testing.T) {
	sent, later := ago(time.Minute), noon.Add(time.Hour)
	attempt := func(s v1beta1.AttemptState) []v1beta1.PostAttempt {
		return []v1beta1.PostAttempt{{Number: 1, State: s, StartedAt: metav1.NewMicroTime(sent)}}
	}
	for _, c := range []struct {
		why    string
		change func(*v1beta1.Post)
		want   time.Time
	}{
		{"scheduled", func(*v1beta1.Post) {}, noon},
		{"published", func(p *v1beta1.Post) {
			p.Status.State, p.Status.Attempts = v1beta1.PostSuccess, attempt(v1beta1.AttemptAccepted)
		}, sent},
		{"may have been published", func(p *v1beta1.Post) {
			p.Status.State, p.Status.Attempts = v1beta1.PostFailed, attempt(v1beta1.AttemptUnknown)
		}, sent},
		{"being published", func(p *v1beta1.Post) {
			p.Status.State, p.Status.Attempts = v1beta1.PostPending, attempt(v1beta1.AttemptIntended)
		}, sent},
		{"rejected", func(p *v1beta1.Post) {
			p.Status.State, p.Status.Attempts = v1beta1.PostFailed, attempt(v1beta1.AttemptRejected)
		}, time.Time{}},
		{"not sent, will be retried", func(p *v1beta1.Post) {
			p.Status.State, p.Status.Attempts = v1beta1.PostRetrying, attempt(v1beta1.AttemptNotSent)
			p.Status.NextAttemptAt = &metav1.MicroTime{Time: later}
		}, later},
		{"canceled", func(p *v1beta1.Post) { p.Spec.Cancel = true }, time.Time{}},
		{"waits for an approval", func(p *v1beta1.Post) { p.Spec.Hold = true }, time.Time{}},
	} {
		t.Run(c.why, func(t *testing.T) {
			p := &v1beta1.Post{Spec: v1beta1.PostSpec{ScheduledAt: metav1.NewMicroTime(noon)}}
			c.change(p)
			got, ok := posting.Use(p)
			if ok != !c.want.IsZero() || !got.Equal(c.want) {
				t.Errorf("got %v, %v; want %v", got, ok, c.want)
			}
		})
	}
}
