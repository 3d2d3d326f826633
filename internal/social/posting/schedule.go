// SPDX-License-Identifier: Apache-2.0

package posting

import (
	"time"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/catalog"
)

// TooSoon refuses a time that is past or not far enough ahead; nil otherwise. lead is the installation's least.
func TooSoon(at, now time.Time, lead time.Duration) *Issue {
	earliest := now.Add(lead)
	if !at.Before(earliest) {
		return nil
	}
	// Times are told in whole seconds; the earliest one that is told must be accepted.
	if t := earliest.Truncate(time.Second); t.Before(earliest) {
		earliest = t.Add(time.Second)
	}
	i := issue(catalog.ScheduleTooSoon, "", Details{"min_lead_seconds": int(lead / time.Second), "earliest_at": earliest})
	return &i
}

// TooFar says that a time is further ahead than posts may be scheduled.
func TooFar(at, now time.Time) bool { return at.After(now.Add(catalog.MaxScheduleAhead)) }

// Missed says that a batch was made after its time: a restored backup, an old manifest, one that was moved from another cluster. It
// never posts.
func Missed(b *v1beta1.PostBatch) bool {
	return b.Spec.ScheduledAt != nil && b.CreationTimestamp.Sub(b.Spec.ScheduledAt.Time) > catalog.MadeLate
}

// Ended says that a batch saw its post of the name come out, or fail. A post of that name that knows nothing of it was restored without
// its status. That a post is not there, or was cancelled, is no such end: whoever makes a post may not have been seen yet.
func Ended(b *v1beta1.PostBatch, post string) bool {
	for i := range b.Status.Targets {
		if t := &b.Status.Targets[i]; t.Post == post && (t.State == v1beta1.PostSuccess || t.State == v1beta1.PostFailed) {
			return true
		}
	}
	return false
}

// MissedSchedule is what a target of such a batch fails with.
func MissedSchedule() Issue {
	return issue(catalog.Conflict, "The scheduled time was over when the batch was made; nothing was sent.", Details{"reason": "missed_schedule"})
}

// NameTaken is the error of a target whose post cannot be created because another batch's post has its name. Posting again reserves
// another id.
func NameTaken(post string) Issue {
	i := issue(catalog.Conflict, "Another post is named "+post+"; nothing was created for this account. Post to it again; a manifest must leave postID out.",
		Details{"reason": "name_taken"})
	i.Retryable = true
	return i
}
