// SPDX-License-Identifier: Apache-2.0

package posting

import (
	"time"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/catalog"
)

// TooSoon returns an issue for a time that is in the past or less than lead ahead; nil otherwise. lead is the
// installation's minimum.
func TooSoon(at, now time.Time, lead time.Duration) *Issue {
	earliest := now.Add(lead)
	if !at.Before(earliest) {
		return nil
	}
	// Times are reported in whole seconds. The earliest reported time must be accepted.
	if t := earliest.Truncate(time.Second); t.Before(earliest) {
		earliest = t.Add(time.Second)
	}
	i := issue(catalog.ScheduleTooSoon, "", Details{"min_lead_seconds": int(lead / time.Second), "earliest_at": earliest})
	return &i
}

// TooFar reports whether a time is further ahead than posts may be scheduled.
func TooFar(at, now time.Time) bool { return at.After(now.Add(catalog.MaxScheduleAhead)) }

// Missed reports whether a batch was created after its scheduled time: a restored backup, an old manifest, or a batch
// moved from another cluster. Such a batch never posts.
func Missed(b *v1beta1.PostBatch) bool {
	return b.Spec.ScheduledAt != nil && b.CreationTimestamp.Sub(b.Spec.ScheduledAt.Time) > catalog.MadeLate
}

// MissedPost reports whether the batch of a post was created after the time of the post: a restored backup. A post that
// was moved to a later time is sent at that time, although its batch was created after its own.
func MissedPost(b *v1beta1.PostBatch, p *v1beta1.Post) bool {
	if p.Spec.Edit == nil {
		return Missed(b)
	}
	return b.CreationTimestamp.Sub(p.Spec.ScheduledAt.Time) > catalog.MadeLate
}

// Ended reports whether a batch recorded the success or failure of its post with the given name. If that post exists
// without a status, the post was restored without it. A missing or canceled post does not count, because the post may
// have been created just now.
func Ended(b *v1beta1.PostBatch, post string) bool {
	for i := range b.Status.Targets {
		if t := &b.Status.Targets[i]; t.Post == post && (t.State == v1beta1.PostSuccess || t.State == v1beta1.PostFailed) {
			return true
		}
	}
	return false
}

// MissedSchedule returns the error of the targets of a missed batch.
func MissedSchedule() Issue {
	return issue(catalog.Conflict, "The batch was created after its scheduled time; nothing was published.", Details{"reason": "missed_schedule"})
}

// NameTaken returns the error of a target whose post cannot be created because another batch's post has its name.
// Posting again reserves another ID.
func NameTaken(post string) Issue {
	i := issue(catalog.Conflict, "Another post is named "+post+"; nothing was created for this account. Post to it again; a manifest must leave postID out.",
		Details{"reason": "name_taken"})
	i.Retryable = true
	return i
}
