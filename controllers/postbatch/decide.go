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

// action is what a pass does about the targets without a post.
type action int

const (
	doNothing action = iota // every target has its post or its error
	doWait                  // all targets wait for something that may still appear
	doCreate                // create the missing posts; before the time only those of targets that do not wait
	doMiss                  // the batch was created after its time: it never posts
)

type decision struct {
	kind action
	// reason and message of doWait. wait is when to reconcile at the latest; 0 if an event wakes the batch.
	reason  v1beta1.Reason
	message string
	wait    time.Duration
	// restore reports whether doWait waits for the restore of the short, which the pass requests.
	restore bool
}

// rule returns the decision about a batch, or nil if the rule does not apply. A rule reads nothing but its arguments.
type rule func(b *v1beta1.PostBatch, o *observed, now time.Time) *decision

// rules in order: the first that applies wins.
var rules = []rule{
	complete,     // nothing is left to create
	createdLate,  // restored or reapplied: never posts
	withoutBrand, // its approval policy is unknown
	frontEnd,     // the front end creates the posts at this moment
	accepted,     // POST /posts has answered with this content: nothing is waited for
	archived,     // its content is not in the cluster
	due,          // nothing else may be waited for
	tooFarAhead,  // the platforms' limits of that time are unknown
	targetsWait,  // for accounts, if no post can be created meanwhile
	shortUnclear, // two objects have its name
	shortUnready, // its content is not final
	create,
}

// decide returns what a pass does about a batch.
func decide(b *v1beta1.PostBatch, o *observed, now time.Time) decision {
	for _, r := range rules {
		if d := r(b, o, now); d != nil {
			return *d
		}
	}
	return decision{}
}

func complete(_ *v1beta1.PostBatch, o *observed, _ time.Time) *decision {
	if slices.ContainsFunc(o.targets, func(t target) bool { return t.open() }) {
		return nil
	}
	return &decision{}
}

func createdLate(b *v1beta1.PostBatch, _ *observed, _ time.Time) *decision {
	if !posting.Missed(b) {
		return nil
	}
	return &decision{kind: doMiss}
}

func withoutBrand(b *v1beta1.PostBatch, o *observed, _ time.Time) *decision {
	if o.brand != nil {
		return nil
	}
	return &decision{kind: doWait, reason: v1beta1.ReasonBrandNotFound, message: "There is no Brand " + b.Spec.BrandRef.Name}
}

// frontEnd leaves the posts to the front end for the first seconds of a batch whose ids it reserved. The front end creates
// them from the same record. Without this wait, half of the creations would be wasted calls.
func frontEnd(b *v1beta1.PostBatch, _ *observed, now time.Time) *decision {
	until := b.CreationTimestamp.Add(settling)
	if !reserved(b) || !now.Before(until) {
		return nil
	}
	return &decision{kind: doWait, reason: v1beta1.ReasonProgressing, message: "The posts are being created", wait: until.Sub(now)}
}

// reserved reports whether the front end reserved the ids of all posts.
func reserved(b *v1beta1.PostBatch) bool {
	return len(b.Spec.Platforms) == 0 && !slices.ContainsFunc(b.Spec.Accounts, func(t v1beta1.PostTarget) bool { return t.PostID == 0 })
}

// accepted creates the posts of a batch that records the content of every post that is still missing.
func accepted(_ *v1beta1.PostBatch, o *observed, _ time.Time) *decision {
	if slices.ContainsFunc(o.targets, func(t target) bool { return t.open() && t.accepted == nil }) {
		return nil
	}
	return &decision{kind: doCreate}
}

// A batch whose short is archived requests its restore at most every restoreInterval, and waits for it until restoreTime
// after it is due.
const (
	restoreInterval = 10 * time.Minute
	restoreTime     = time.Minute
)

// archived restores the short. It does not restore one that is not needed soon.
func archived(b *v1beta1.PostBatch, o *observed, now time.Time) *decision {
	left := b.Spec.ScheduledAt.Add(restoreTime).Sub(now)
	if !o.archived || left <= 0 || posting.TooFar(b.Spec.ScheduledAt.Time, now) {
		return nil
	}
	return &decision{
		kind: doWait, reason: v1beta1.ReasonShortNotReady, message: "The short is being restored from the archive",
		wait: min(left, restoreInterval), restore: true,
	}
}

// due creates the posts with the content and the accounts of this moment.
func due(b *v1beta1.PostBatch, _ *observed, now time.Time) *decision {
	if b.Spec.ScheduledAt.After(now) {
		return nil
	}
	return &decision{kind: doCreate}
}

func tooFarAhead(b *v1beta1.PostBatch, _ *observed, now time.Time) *decision {
	if !posting.TooFar(b.Spec.ScheduledAt.Time, now) {
		return nil
	}
	from := b.Spec.ScheduledAt.Add(-catalog.MaxScheduleAhead)
	return &decision{
		kind: doWait, reason: v1beta1.ReasonTooFarAhead, wait: from.Sub(now),
		message: fmt.Sprintf("spec.scheduledAt is more than %d days ahead: the posts are created at %s. If the year is wrong, delete the batch and create a new one",
			int(catalog.MaxScheduleAhead.Hours()/24), from.UTC().Format(time.RFC3339)),
	}
}

// targetsWait waits while all open targets wait, or while the posts of the others cannot be created either.
func targetsWait(b *v1beta1.PostBatch, o *observed, now time.Time) *decision {
	waiting, all := waits(o)
	if waiting == nil || !all && !o.ambiguous && notReady(o.content) == "" {
		return nil
	}
	return waitUntilDue(b, now, posting.WaitReason(waiting.Record()), strings.TrimSuffix(waiting.Message, "."))
}

func shortUnclear(b *v1beta1.PostBatch, o *observed, now time.Time) *decision {
	if !o.ambiguous {
		return nil
	}
	return waitUntilDue(b, now, v1beta1.ReasonShortNotReady, strings.TrimSuffix(posting.Unclear(b.Spec.ShortRef.Name).Message, "."))
}

func shortUnready(b *v1beta1.PostBatch, o *observed, now time.Time) *decision {
	why := notReady(o.content)
	if why == "" {
		return nil
	}
	return waitUntilDue(b, now, v1beta1.ReasonShortNotReady, why)
}

// create creates the posts of the targets that do not wait, and reconciles the others when the batch is due.
func create(b *v1beta1.PostBatch, o *observed, now time.Time) *decision {
	if waiting, _ := waits(o); waiting != nil {
		return &decision{kind: doCreate, wait: b.Spec.ScheduledAt.Sub(now)}
	}
	return &decision{kind: doCreate}
}

// waitUntilDue returns the decision to wait until the batch is due. message is the cause of the wait.
func waitUntilDue(b *v1beta1.PostBatch, now time.Time, reason v1beta1.Reason, message string) *decision {
	return &decision{kind: doWait, reason: reason, wait: b.Spec.ScheduledAt.Sub(now), message: message + "; waiting until the batch is due"}
}

// waits returns the first of what open targets wait for, or nil, and whether all open targets wait.
func waits(o *observed) (first *posting.Issue, all bool) {
	all = true
	for i := range o.targets {
		switch l := &o.targets[i]; {
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
		return "The slides of the short are being generated"
	case c.Rendering && c.Video == nil && c.Wanted != catalog.MediaPhotoSet:
		return "The video of the short is being rendered"
	}
	if i := posting.FirstError(c.Problems()); i != nil {
		return strings.TrimSuffix(i.Message, ".")
	}
	return ""
}
