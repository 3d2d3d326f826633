// SPDX-License-Identifier: Apache-2.0

package postbatch

import (
	"fmt"
	"slices"
	"strings"
	"time"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/social/posting"
)

// What a pass does.
const (
	planNothing = iota // every target has its post, or its refusal
	planWait           // something is not there that may still come, for all targets
	planMake           // make the posts that are not there, and before the time only those of targets that do not wait
	planMissed         // it was made after its time: it never posts
)

type planned struct {
	kind int
	// reason and message of a wait, and when to look again at the latest; 0 leaves it to what is waited for.
	reason  v1beta1.Reason
	message string
	wait    time.Duration
}

// plan decides; the first that fits wins.
func plan(b *v1beta1.PostBatch, o *seen, now time.Time) planned {
	open := slices.ContainsFunc(o.lines, func(l line) bool { return l.open() })
	due := b.Spec.ScheduledAt.Sub(now)
	switch {
	case !open:
		return planned{}
	case posting.Missed(b):
		return planned{kind: planMissed}
	case o.brand == nil:
		return planned{kind: planWait, reason: v1beta1.ReasonBrandNotFound, message: "There is no Brand " + b.Spec.BrandRef.Name}
	case reserved(b) && now.Before(b.CreationTimestamp.Add(settling)):
		// The front end reserved the ids, and is making the posts at this moment.
		return planned{
			kind: planWait, reason: v1beta1.ReasonProgressing, message: "The posts are being made", wait: b.CreationTimestamp.Add(settling).Sub(now),
		}
	case due <= 0:
		return planned{kind: planMake} // with what there is now: nothing else may be waited for
	case posting.TooFar(b.Spec.ScheduledAt.Time, now):
		from := b.Spec.ScheduledAt.Add(-catalog.MaxScheduleAhead)
		return planned{
			kind: planWait, reason: v1beta1.ReasonTooFarAhead, wait: from.Sub(now),
			message: fmt.Sprintf("spec.scheduledAt is more than %d days ahead: the posts are made from %s on. If the year is wrong, delete the batch and make a new one",
				int(catalog.MaxScheduleAhead.Hours()/24), from.UTC().Format(time.RFC3339)),
		}
	}
	waiting, all := waits(o)
	if waiting != nil && (all || o.twice || notReady(o.content) != "") {
		return planned{
			kind: planWait, reason: posting.WaitReason(waiting.Record()), wait: due,
			message: strings.TrimSuffix(waiting.Message, ".") + "; this is waited for until the batch is due",
		}
	}
	if o.twice {
		return planned{
			kind: planWait, reason: v1beta1.ReasonShortNotReady, wait: due,
			message: strings.TrimSuffix(posting.Unclear(b.Spec.ShortRef.Name).Message, ".") + "; this is waited for until the batch is due",
		}
	}
	if why := notReady(o.content); why != "" {
		return planned{kind: planWait, reason: v1beta1.ReasonShortNotReady, message: why + "; it is waited for until the batch is due", wait: due}
	}
	if waiting != nil {
		return planned{kind: planMake, wait: due}
	}
	return planned{kind: planMake}
}

// waits returns the first of what open targets wait for, or nil, and whether all open targets wait.
func waits(o *seen) (first *posting.Issue, all bool) {
	all = true
	for i := range o.lines {
		switch l := &o.lines[i]; {
		case !l.open():
		case l.waits == nil:
			all = false
		case first == nil:
			first = l.waits
		}
	}
	return first, all
}

// notReady returns why it is too early to fix what is published as it is wanted; empty if it is not.
func notReady(c *posting.Content) string {
	switch {
	case c == nil:
		return "The brand has no such short yet"
	case c.Drawing:
		return "The slides of the short are being made"
	case c.Rendering && c.Video == nil && c.Wanted != catalog.MediaPhotoSet:
		return "The video of the short is being made"
	}
	if i := posting.FirstError(c.Problems()); i != nil {
		return strings.TrimSuffix(i.Message, ".")
	}
	return ""
}

// reserved says that the front end reserved the ids of all posts.
func reserved(b *v1beta1.PostBatch) bool {
	return len(b.Spec.Platforms) == 0 && !slices.ContainsFunc(b.Spec.Accounts, func(t v1beta1.PostTarget) bool { return t.PostID == 0 })
}
