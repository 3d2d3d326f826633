// SPDX-License-Identifier: Apache-2.0

package video

import (
	"fmt"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/account/ledger"
	"github.com/reelops/reelops/internal/account/quota"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/content/textgen"
	"github.com/reelops/reelops/internal/film/shortwork"
)

type stepKind int

const (
	stepNothing stepKind = iota // all is as it should be, or a person has to act
	stepWait                    // for another object
	stepClean                   // the video is being deleted: remove its blobs
	stepRefund                  // give the charge of failed work back
	stepDrop                    // delete what earlier work left that is in the way of another try, or that works for nobody
	stepStart                   // take the work up, charged to the plan
	stepFail                    // end the work
	stepFetch                   // make the MediaAssets of URLs
	stepWrite                   // write the text
	stepSpeak                   // let the hook be spoken, or listen to it
	stepCompose                 // draw the words and fix when each clip is shown
	stepRender                  // make the RenderJob
	stepFinish                  // take the film over
)

// step is what a pass shall do.
type step struct {
	kind   stepKind
	reason v1beta1.Reason        // of stepWait and stepFail
	say    string                // of stepWait
	err    *v1beta1.WorkError    // of stepFail
	output *v1beta1.RenderOutput // of stepFinish
	again  time.Duration         // when to look again, 0: when something changes
}

// plan decides. It reads nothing but its arguments. The first rule that holds wins.
func plan(v *v1beta1.Video, o *seen, now time.Time) step {
	if !v.DeletionTimestamp.IsZero() {
		return step{kind: stepClean}
	}
	started := v.Status.Work != nil
	running := started && !v.Status.Work.State.Settled()
	// A failure that is not the user's is given back. This follows from the recorded verdict, not from the pass that came to
	// it: that pass may be lost, and the next may come to another.
	if started && !running && refundable(v) && o.account != nil {
		return step{kind: stepRefund}
	}
	// A suspended video is a draft; work that is going on is not thrown away.
	if v.Spec.Suspend && !running {
		return step{}
	}
	if started && !running && !retried(v) {
		return planSettled(v, o)
	}
	left, bounded := patience(v, o, now)
	switch {
	case running && bounded && left <= 0:
		return fail(v1beta1.ReasonFailed, catalog.GenerationFailed, true, shortwork.Overdue(v.Status.Work, "video"), nil)
	case o.foreign != "":
		return fail(v1beta1.ReasonFailed, catalog.InternalError, false, o.foreign, nil)
	case started && !running && len(leftovers(o)) > 0:
		return step{kind: stepDrop, reason: v1beta1.ReasonProgressing}
	}
	if v.Status.Revision == 0 || !running { // what its parts are made of is of no interest once they are fixed
		if reason, say := missing(v, o); reason != "" {
			if bounded && left <= 0 {
				return fail(reason, catalog.ValidationFailed, false, say, nil)
			}
			return step{kind: stepWait, reason: reason, say: say, again: max(left, 0)}
		}
		for _, c := range o.clips {
			if e := c.fault(v.Spec.BrandRef.Name); e != nil {
				return step{kind: stepFail, reason: v1beta1.ReasonFailed, err: e}
			}
		}
	}
	if !running {
		// The plan is charged once, again only after a refund. Waiting does not cost; beginning does.
		if f := unaffordable(ledger.Affordable(o.account, v, 0, now)); f != nil {
			return *f
		}
		return step{kind: stepStart}
	}
	if v.Status.Revision == 0 {
		return planParts(v, o, left)
	}
	return planFilm(o, left)
}

// planSettled looks after work that has ended.
func planSettled(v *v1beta1.Video, o *seen) step {
	if v.Status.Work.State == v1beta1.WorkFailed {
		if o.render != nil && !renderOf(o).Settled() && o.render.DeletionTimestamp.IsZero() {
			return step{kind: stepDrop} // nobody waits for it any more
		}
		return step{}
	}
	// The film belongs to its render: where somebody deleted that, it is made again from the same parts.
	st := planFilm(o, 0)
	switch {
	case st.kind == stepFinish && v.Status.Output != nil && *v.Status.Output == *st.output:
		return step{}
	case st.kind == stepWait:
		st.again = 0
	}
	return st
}

// planParts makes what the film is built of.
func planParts(v *v1beta1.Video, o *seen, left time.Duration) step {
	for _, c := range o.clips {
		if c.own && c.asset == nil {
			return step{kind: stepFetch}
		}
	}
	if !written(v) {
		return step{kind: stepWrite}
	}
	for _, c := range o.clips {
		if !c.ready() {
			return step{kind: stepWait, reason: v1beta1.ReasonMediaNotReady, say: fmt.Sprintf("The %s is still being taken in", c.what()), again: left}
		}
	}
	if v.Status.Speech == nil {
		return step{kind: stepSpeak}
	}
	return step{kind: stepCompose}
}

// planFilm follows the render.
func planFilm(o *seen, left time.Duration) step {
	if o.render == nil || !o.render.DeletionTimestamp.IsZero() {
		if o.render != nil {
			return step{kind: stepWait, reason: v1beta1.ReasonProgressing, say: "The film is about to be rendered", again: left}
		}
		return step{kind: stepRender}
	}
	switch w := o.render.Status.Work; renderOf(o) {
	case v1beta1.WorkSucceeded:
		if out := o.render.Status.Output; out != nil {
			return step{kind: stepFinish, output: out}
		}
	case v1beta1.WorkFailed:
		e := &v1beta1.WorkError{Code: string(catalog.GenerationFailed), Message: "The film could not be rendered", Retryable: true}
		if w.Error != nil {
			e = w.Error.DeepCopy()
		}
		return step{kind: stepFail, reason: v1beta1.ReasonFailed, err: e}
	case v1beta1.WorkProcessing:
		return step{kind: stepWait, reason: v1beta1.ReasonProgressing, say: "Rendering the film", again: left}
	}
	return step{kind: stepWait, reason: v1beta1.ReasonProgressing, say: "The film waits for a free worker", again: left}
}

// renderOf is the state of the render; it waits before anybody has looked at it.
func renderOf(o *seen) v1beta1.WorkState {
	if o.render == nil || o.render.Status.Work == nil {
		return v1beta1.WorkQueued
	}
	return o.render.Status.Work.State
}

func fail(r v1beta1.Reason, c catalog.Code, retryable bool, message string, details map[string]string) step {
	return step{kind: stepFail, reason: r, err: &v1beta1.WorkError{Code: string(c), Message: message, Retryable: retryable, Details: details}}
}

// exhausted ends the work because the plan has nothing left.
func exhausted(q quota.State) step {
	return fail(v1beta1.ReasonQuotaExceeded, catalog.QuotaExceeded, false,
		fmt.Sprintf("The plan's %d slideshows and videos of this period are used up", q.Limit),
		map[string]string{"limit": fmt.Sprint(q.Limit), "used": fmt.Sprint(q.Used), "resets_at": q.PeriodEnd.Format(time.RFC3339)})
}

// retried says that somebody wants failed work to be tried again.
func retried(v *v1beta1.Video) bool {
	return v.Status.Work.State == v1beta1.WorkFailed && retryValue(v) != v.Status.RetriedFor
}

func retryValue(v *v1beta1.Video) string {
	a := v.Annotations[v1beta1.AnnotationRetry]
	return a[:min(len(a), 200)] // of what the status keeps
}

// leftovers are what earlier work left in the way of another try: its render, and clips that could not be had.
func leftovers(o *seen) []client.Object {
	var out []client.Object
	if o.render != nil {
		out = append(out, o.render)
	}
	for _, c := range o.clips {
		if c.own && (c.failed() || c.asset != nil && !c.there()) {
			out = append(out, c.asset)
		}
	}
	return out
}

// written says that the text fits the spec. A draft may have got another hook since it was written.
func written(v *v1beta1.Video) bool {
	t := v.Status.Text
	return t != nil && (v.Spec.HookText == nil || t.Hook == textgen.Line(*v.Spec.HookText))
}

// patience is how long the video may still take, or wait for others, before that is a failure. The time in which its render
// waits for a free worker does not count: the render has a deadline of its own for it.
func patience(v *v1beta1.Video, o *seen, now time.Time) (left time.Duration, bounded bool) {
	w := v.Status.Work
	switch {
	case w != nil && !w.State.Settled() && w.StartedAt != nil:
		spent := now.Sub(w.StartedAt.Time)
		if o.render != nil {
			spent = o.render.CreationTimestamp.Sub(w.StartedAt.Time)
			if rw := o.render.Status.Work; rw != nil && rw.StartedAt != nil {
				spent += now.Sub(rw.StartedAt.Time)
			}
		}
		return catalog.VideoDeadline - spent, true
	case (w == nil || w.State == v1beta1.WorkQueued) && v.Generation <= 1:
		return catalog.QueueDeadline - now.Sub(v.CreationTimestamp.Time), true
	}
	return 0, false
}

// missing names the first object that the video needs and that is not there or not ready.
func missing(v *v1beta1.Video, o *seen) (v1beta1.Reason, string) {
	switch {
	case o.account == nil:
		return v1beta1.ReasonAccountNotFound, fmt.Sprintf("The namespace %s has no Account named %q", v.Namespace, v1beta1.AccountName)
	case o.closed != nil:
		return o.closed.Reason, o.closed.Message
	case o.brand == nil:
		return v1beta1.ReasonBrandNotFound, fmt.Sprintf("There is no Brand %q in the namespace", v.Spec.BrandRef.Name)
	}
	for _, c := range o.clips {
		where := "in the namespace"
		if c.library {
			where = "that every account has"
		}
		switch {
		case c.own:
		case !c.there(), c.library && !c.visible(v.Spec.BrandRef.Name):
			return v1beta1.ReasonMediaNotFound, fmt.Sprintf("There is no %s %s, which %s names", c.what(), where, c.path)
		case !c.ready() && !c.failed():
			return v1beta1.ReasonMediaNotReady, fmt.Sprintf("The %s is still being taken in", c.what())
		}
	}
	return "", ""
}
