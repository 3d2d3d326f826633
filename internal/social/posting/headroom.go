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
	// Limited says that nothing may be posted now: nothing remains, or the platform refused lately.
	Limited bool
	// ResetsAt is when the next post is possible, or, while posts are possible, when at least one more is.
	ResetsAt time.Time
	// Label for people, such as "15 posts per 24 hours".
	Label string
}

// Use is when a post counts against what an account may post, and whether it does: when it was sent, else when it is to be. A post
// that was never sent and never will be counts nowhere; neither does one that waits for a person.
func Use(p *v1beta1.Post) (time.Time, bool) {
	for _, a := range slices.Backward(p.Status.Attempts) {
		// A refused call costs nothing where posts are counted; one that may have been taken does.
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

// Window is how far back uses count on a platform.
func Window(platform v1beta1.Platform) time.Duration {
	if r, ok := catalog.RuleOf(string(platform)); ok && r.Cap.Window > 0 {
		return r.Cap.Window
	}
	return 24 * time.Hour
}

// Headroom is how much the account may still post at a time, now or later. uses are when posts were sent, or are to be sent, up to
// that time: the account's own, or, on platforms that count the whole installation, everybody's. Those before the window and after
// the time are passed over. What the platform told itself wins where it leaves less.
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

	// When slots free again: own posts tell it exactly, those made elsewhere leave the window with the platform's figure.
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
