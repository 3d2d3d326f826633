// SPDX-License-Identifier: Apache-2.0

package postbatch

import (
	"fmt"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/posting"
	"github.com/reelops/reelops/internal/status"
)

// report writes how the batch stands. It is the only place that sets conditions.
func report(b *v1beta1.PostBatch, o *seen, p planned, now time.Time) {
	st := &b.Status
	st.ObservedGeneration = b.Generation
	if p.kind != planWait || takenUp(b) {
		targets(b, o, p, now)
	}
	summary(status.Conditions{List: &st.Conditions, Generation: b.Generation}, b, p)
}

// targets writes the lines and counts them.
func targets(b *v1beta1.PostBatch, o *seen, p planned, now time.Time) {
	st := &b.Status
	old := &v1beta1.PostBatch{Status: v1beta1.PostBatchStatus{Targets: st.Targets}}
	st.Targets, st.Published, st.Failed, st.Open = nil, 0, 0, 0
	if o.content != nil {
		st.ShortID = o.content.ShortID
	}
	taken, unmade := 0, false
	for i := range o.lines {
		l := &o.lines[i]
		switch {
		case l.post != nil && posting.Ended(old, l.post.Name) && l.post.Status.State != l.State:
			// It was restored without its status, and is not sent again: what was seen of it stands.
		case l.post != nil:
			st.ShortID = l.post.Spec.ShortID
			l.Post, l.PostID, l.State, l.Error = l.post.Name, postID(l.post), posting.State(l.post, now), nil
			if l.State == v1beta1.PostFailed {
				l.Error = l.post.Status.Error
			}
		case l.open() && p.kind == planMissed:
			missed := posting.MissedSchedule()
			l.refuse(&missed)
		case l.open():
			unmade = true
		case l.Post != "" && !l.State.Final():
			l.State = v1beta1.PostCancelled // somebody removed it before it was sent: its controller would have waited
		}
		if l.Post != "" {
			taken++
		}
		switch {
		case l.State == v1beta1.PostSuccess:
			st.Published++
		case l.State == v1beta1.PostFailed:
			st.Failed++
		case !l.State.Final():
			st.Open++
		}
		st.Targets = append(st.Targets, l.TargetStatus)
	}
	if !unmade {
		st.Overall = posting.Overall(taken, len(o.lines))
	}
}

// summary says what the batch waits for, or how it ended. A batch whose posts all wait for their time is ready: nothing more is to be
// done until then, and a tool that applies it need not wait for days.
func summary(c status.Conditions, b *v1beta1.PostBatch, p planned) {
	ready := func(value bool, r v1beta1.Reason, message string) { c.Set(v1beta1.ConditionReady, value, r, message) }
	stalled := func(r v1beta1.Reason, message string) {
		ready(false, r, message)
		c.Set(v1beta1.ConditionStalled, true, r, message)
	}
	if p.kind == planWait {
		c.Remove(v1beta1.ConditionStalled)
		ready(false, p.reason, p.message)
		return
	}
	st, all := &b.Status, len(b.Status.Targets)
	states := map[v1beta1.PostState]int{}
	made := false
	for _, t := range st.Targets {
		states[t.State]++
		made = made || t.Post != ""
	}
	at := b.Spec.ScheduledAt.UTC().Format(time.RFC3339)
	if st.Failed > 0 {
		reason := v1beta1.ReasonPartlyFailed
		switch {
		case !made && posting.Missed(b):
			stalled(v1beta1.ReasonMissedSchedule, "It was made after "+at+", when it was to go out: nothing is sent. Make a new one with a time to come")
			return
		case int(st.Failed) == all:
			reason = v1beta1.ReasonFailed
		}
		stalled(reason, failures(st.Targets))
		return
	}
	c.Remove(v1beta1.ConditionStalled)
	switch cancelled := states[v1beta1.PostCancelled]; {
	case states[v1beta1.PostHeld] > 0 && b.Spec.Suspend:
		ready(false, v1beta1.ReasonSuspended, "The posts are held until spec.suspend is false")
	case states[v1beta1.PostHeld] > 0:
		ready(false, v1beta1.ReasonAwaitingApproval, "The posts are held until a person approves them: kubectl reelops approve "+b.Name+" --account "+b.Namespace)
	case states[v1beta1.PostPending]+states[v1beta1.PostRetrying] > 0:
		ready(false, v1beta1.ReasonProgressing, "Posts are being sent")
	case st.Open > 0:
		ready(true, v1beta1.ReasonScheduled, fmt.Sprintf("%d of %d posts wait for %s", st.Open, all, at))
	case cancelled > 0:
		ready(true, v1beta1.ReasonCancelled, fmt.Sprintf("%d of %d posts were cancelled", cancelled, all))
	default:
		ready(true, v1beta1.ReasonPublished, fmt.Sprintf("All %d posts came out", all))
	}
}

// failures names the accounts that failed, and why.
func failures(targets []v1beta1.TargetStatus) string {
	var out []string
	for _, t := range targets {
		if t.State != v1beta1.PostFailed {
			continue
		}
		who, why := t.Account, "it failed"
		if who == "" {
			who = string(t.Platform)
		}
		if t.Error != nil {
			why = strings.TrimSuffix(t.Error.Message, ".")
		}
		out = append(out, who+": "+why)
	}
	return strings.Join(out, "; ")
}

// tell says once that the posts of a batch were made, or why they were not.
func (r *Reconciler) tell(b *v1beta1.PostBatch) {
	if b.Status.Failed > 0 {
		r.Events.Eventf(b, nil, corev1.EventTypeWarning, string(v1beta1.ReasonPartlyFailed), "TakeUp", "%s", failures(b.Status.Targets))
		return
	}
	r.Events.Eventf(b, nil, corev1.EventTypeNormal, string(v1beta1.ReasonScheduled), "TakeUp", "Made %d posts", len(b.Status.Targets))
}
