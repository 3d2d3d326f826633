// SPDX-License-Identifier: Apache-2.0

package postbatch

import (
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/kube/status"
	"github.com/reelops/reelops/internal/social/posting"
)

// report writes the status of the batch. Nothing else sets conditions.
func report(b *v1beta1.PostBatch, o *observed, p decision, now time.Time) {
	st := &b.Status
	if p.kind != doWait || o.begun(b) {
		reportTargets(b, o, p, now)
	}
	c := status.Conditions{List: &st.Conditions, Generation: b.Generation}
	summary(c, b, o, p)
	current(c, b, o)
}

// reportTargets writes the targets and counts them.
func reportTargets(b *v1beta1.PostBatch, o *observed, p decision, now time.Time) {
	st := &b.Status
	old := &v1beta1.PostBatch{Status: v1beta1.PostBatchStatus{Targets: st.Targets}}
	st.Targets, st.Published, st.Failed, st.Open = nil, 0, 0, 0
	if o.content != nil {
		st.ShortID = o.content.ShortID
	}
	for i := range o.targets {
		l := &o.targets[i]
		switch {
		case l.post != nil && posting.Ended(old, l.post.Name) && l.post.Status.State != l.State:
			// A post that was restored without its status is not sent again: the recorded state stays.
		case l.post != nil:
			st.ShortID = l.post.Spec.ShortID
			l.Post, l.PostID, l.State, l.Error = l.post.Name, postID(l.post), posting.State(l.post, now), nil
			if e := l.post.Status.Error; l.State == v1beta1.PostFailed || !l.State.Final() && posting.WaitReason(e) != "" {
				l.Error = e
			}
		case l.open() && p.kind == doMiss:
			missed := posting.MissedSchedule()
			l.refuse(&missed)
		case l.open():
			l.State, l.Error = firstState(b, o.brand, now), nil
			if l.waits != nil {
				l.Error = l.waits.Record()
			}
		case l.Post != "" && !l.State.Final():
			l.State = v1beta1.PostCancelled // the Post was deleted before it was sent
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
	st.Overall = ""
	if all := len(st.Targets); st.Open == 0 {
		st.Overall = posting.Overall(all-int(st.Failed), all)
	}
}

// summary sets Ready: what the batch waits for, or how it ended. A batch whose posts all wait for their time is ready:
// tools that apply a batch do not wait for days.
func summary(c status.Conditions, b *v1beta1.PostBatch, o *observed, p decision) {
	ready := func(value bool, r v1beta1.Reason, message string) { c.Set(v1beta1.ConditionReady, value, r, message) }
	if b.Status.Failed > 0 {
		reason, message := failure(b)
		ready(false, reason, message)
		c.Set(v1beta1.ConditionStalled, true, reason, message)
		return
	}
	c.Remove(v1beta1.ConditionStalled)
	if p.kind == doWait && !o.begun(b) {
		ready(false, p.reason, p.message)
		return
	}
	st, all := &b.Status, len(b.Status.Targets)
	states := map[v1beta1.PostState]int{}
	for _, t := range st.Targets {
		states[t.State]++
	}
	held := slices.ContainsFunc(st.Targets, func(t v1beta1.TargetStatus) bool { return t.State == v1beta1.PostHeld && t.Post != "" })
	at := next(b, o).UTC().Format(time.RFC3339)
	why, message := waitingTargets(st.Targets)
	switch cancelled := states[v1beta1.PostCancelled]; {
	case st.Open > 0 && o.brand == nil:
		ready(false, v1beta1.ReasonBrandNotFound, "There is no Brand "+b.Spec.BrandRef.Name+"; existing posts are published all the same. "+
			"Delete the batch to cancel them")
	case held && b.Spec.Suspend:
		ready(false, v1beta1.ReasonSuspended, "The posts are held until spec.suspend is false")
	case held:
		ready(false, v1beta1.ReasonAwaitingApproval, "The posts are held until they are approved: kubectl reelops approve "+b.Name+" --account "+b.Namespace)
	case why == v1beta1.ReasonPostingSuspended:
		ready(false, why, message)
	case why != "":
		ready(false, why, message+"; waiting until "+at)
	case p.kind == doWait:
		ready(false, p.reason, p.message)
	case states[v1beta1.PostPending]+states[v1beta1.PostRetrying] > 0:
		ready(false, v1beta1.ReasonProgressing, "Posts are being sent")
	case st.Open > 0:
		ready(true, v1beta1.ReasonScheduled, fmt.Sprintf("%d of %d posts wait for %s", st.Open, all, at))
	case cancelled > 0:
		ready(true, v1beta1.ReasonCancelled, fmt.Sprintf("%d of %d posts were cancelled", cancelled, all))
	default:
		ready(true, v1beta1.ReasonPublished, fmt.Sprintf("All %d posts are published", all))
	}
}

// next returns the earliest time of publication of the open posts, which may have been edited; without open posts, that
// of the batch.
func next(b *v1beta1.PostBatch, o *observed) time.Time {
	at := time.Time{}
	for i := range o.targets {
		p := o.targets[i].post
		if p == nil || p.Status.State.Final() {
			continue
		}
		if t := p.Spec.ScheduledAt.Time; at.IsZero() || t.Before(at) {
			at = t
		}
	}
	if at.IsZero() {
		return b.Spec.ScheduledAt.Time
	}
	return at
}

// failure returns the reason and the message of a batch of which posts failed.
func failure(b *v1beta1.PostBatch) (v1beta1.Reason, string) {
	targets := b.Status.Targets
	made := slices.ContainsFunc(targets, func(t v1beta1.TargetStatus) bool { return t.Post != "" })
	switch {
	case !made && posting.Missed(b):
		return v1beta1.ReasonMissedSchedule, "The batch was created after its scheduled time, " + b.Spec.ScheduledAt.UTC().Format(time.RFC3339) +
			": nothing is published. Create a new batch with a time in the future"
	case int(b.Status.Failed) == len(targets):
		return v1beta1.ReasonFailed, errorsOf(targets, func(t *v1beta1.TargetStatus) bool { return t.State == v1beta1.PostFailed })
	}
	return v1beta1.ReasonPartlyFailed, errorsOf(targets, func(t *v1beta1.TargetStatus) bool { return t.State == v1beta1.PostFailed })
}

// waitingTargets returns the reason of the first target that waits for its account or platform, and a message that
// names all of them. The reason is empty if none does.
func waitingTargets(targets []v1beta1.TargetStatus) (v1beta1.Reason, string) {
	waits := func(t *v1beta1.TargetStatus) bool { return !t.State.Final() && posting.WaitReason(t.Error) != "" }
	for i := range targets {
		if waits(&targets[i]) {
			return posting.WaitReason(targets[i].Error), errorsOf(targets, waits)
		}
	}
	return "", ""
}

// errorsOf names the targets, by their accounts, and their errors.
func errorsOf(targets []v1beta1.TargetStatus, which func(*v1beta1.TargetStatus) bool) string {
	var out []string
	for i := range targets {
		t := &targets[i]
		if !which(t) {
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

// announce records an event for each condition of Ready and ContentCurrent that has another reason than before the
// pass. Posts have events of their own for moves, retries, failures and cancellations.
func (r *Reconciler) announce(b, before *v1beta1.PostBatch) {
	for _, t := range []v1beta1.ConditionType{v1beta1.ConditionReady, v1beta1.ConditionContentCurrent} {
		is, was := meta.FindStatusCondition(b.Status.Conditions, string(t)), meta.FindStatusCondition(before.Status.Conditions, string(t))
		if is != nil && (was == nil || was.Reason != is.Reason) {
			r.announceOne(b, is)
		}
	}
}

func (r *Reconciler) announceOne(b *v1beta1.PostBatch, c *metav1.Condition) {
	kind := corev1.EventTypeWarning
	switch v1beta1.Reason(c.Reason) {
	case v1beta1.ReasonProgressing, v1beta1.ReasonUpToDate:
		return
	case v1beta1.ReasonScheduled, v1beta1.ReasonPublished, v1beta1.ReasonCancelled, v1beta1.ReasonSuspended, v1beta1.ReasonAwaitingApproval, v1beta1.ReasonShortNotReady:
		kind = corev1.EventTypeNormal
	}
	r.Events.Eventf(b, nil, kind, c.Reason, "TakeUp", "%s", c.Message)
}
