// SPDX-License-Identifier: Apache-2.0

package posting

import (
	"fmt"
	"slices"
	"time"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/catalog"
)

// RateLimit is how much an account may still post.
type RateLimit struct {
	// Used of Max within the window; Remaining is never negative.
	Used, Max, Remaining int
	// Limited reports whether posting is impossible now: nothing remains, or the platform refused recently.
	Limited bool
	// ResetsAt is when the next post is possible. While posts are possible, it is when at least one more becomes
	// possible.
	ResetsAt time.Time
	// Label is a display text, such as "15 posts per 24 hours".
	Label string
}

// Use returns when a post counts against the account's rate limit, and whether it does: the time at which it was sent,
// or else is scheduled. Posts that were never sent and never will be do not count. Posts that wait for a user do not
// count either.
func Use(p *v1beta1.Post) (time.Time, bool) {
	for _, a := range slices.Backward(p.Status.Attempts) {
		// A rejected call does not count on the platform. A call that may have been accepted does.
		if a.State != v1beta1.AttemptNotSent && a.State != v1beta1.AttemptRejected {
			return a.StartedAt.Time, true
		}
	}
	switch {
	case p.Status.State.Final() || p.Spec.Cancel || p.Spec.Hold:
		return time.Time{}, false
	case p.Status.NextAttemptAt != nil:
		return p.Status.NextAttemptAt.Time, true
	}
	return p.Spec.ScheduledAt.Time, true
}

// Window returns the rate limit window of a platform: 24 hours when the catalog has none.
func Window(platform v1beta1.Platform) time.Duration {
	if r, ok := catalog.RuleOf(string(platform)); ok && r.Cap.Window > 0 {
		return r.Cap.Window
	}
	return 24 * time.Hour
}

// Headroom returns how much the account may still post at a time, now or later. uses are the times at which posts were
// or will be sent: those of the account or, on platforms that limit the whole installation, those of all accounts. Uses
// before the window and after the time are ignored. The platform's own numbers take precedence when they leave less.
func Headroom(a *v1beta1.SocialAccount, uses []time.Time, at time.Time) RateLimit {
	rule, _ := catalog.RuleOf(string(a.Spec.Platform))
	most, window := rule.Cap.Max, Window(a.Spec.Platform)
	told := a.Status.Headroom
	if told != nil && told.Max > 0 {
		most = int(told.Max)
		if told.WindowSeconds > 0 {
			window = time.Duration(told.WindowSeconds) * time.Second
		}
	}
	var own []time.Time
	for _, t := range uses {
		if t.After(at.Add(-window)) && !t.After(at) {
			own = append(own, t)
		}
	}
	slices.SortFunc(own, time.Time.Compare)
	out := RateLimit{Used: len(own), Max: most, Label: label(most, window)}

	// Own posts give the exact times at which slots become free. Other posts leave the window one window after the
	// platform's report.
	frees := func(n int) time.Time { return own[n].Add(window) }
	out.ResetsAt = at.Add(window)
	if len(own) > 0 {
		out.ResetsAt = frees(max(0, min(len(own)-most, len(own)-1)))
	}
	if told != nil && told.ObservedAt.After(at.Add(-window)) && !told.ObservedAt.After(at) {
		since := 0
		for _, t := range own {
			if t.After(told.ObservedAt.Time) {
				since++
			}
		}
		if n := int(told.Used) + since; n > out.Used {
			out.Used = n
			if elsewhere := told.ObservedAt.Add(window); len(own) == 0 || n-len(own) >= most {
				out.ResetsAt = elsewhere
			}
		}
	}
	out.Remaining = max(most-out.Used, 0)
	out.Limited = out.Remaining == 0
	if until := a.Status.LimitedUntil; until != nil && until.After(at) {
		out.Limited = true
		if until.After(out.ResetsAt) || out.Remaining > 0 {
			out.ResetsAt = until.Time
		}
	}
	return out
}

func label(most int, window time.Duration) string {
	posts := fmt.Sprintf("%d posts", most)
	if most == 1 {
		posts = "1 post"
	}
	switch hours := int(window / time.Hour); {
	case window%time.Hour != 0 || hours == 0:
		return posts + " per " + window.String()
	case hours == 1:
		return posts + " per hour"
	default:
		return fmt.Sprintf("%s per %d hours", posts, hours)
	}
}
