// SPDX-License-Identifier: Apache-2.0

package video

import (
	"fmt"
	"slices"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/account/ledger"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/content/textgen"
	"github.com/reelops/reelops/internal/film/shortwork"
)

type action int

const (
	actionNothing action = iota // nothing to do, or a user has to act
	actionWait                  // for another object
	actionClean                 // the video is being deleted: remove its files
	actionRefund                // refund the charge of failed work
	actionDrop                  // delete objects of earlier work that prevent a retry or that have no use
	actionStart                 // start the work and charge it to the plan
	actionFail                  // end the work
	actionFetch                 // create the MediaAssets of URLs
	actionWrite                 // write the text
	actionSpeak                 // speak the hook, or determine the times of its words
	actionCompose               // draw the words and determine when each clip is shown
	actionRender                // create the RenderJob
	actionFinish                // copy the output of the render to the status
)

// decision is the one action of a pass. Its zero value does nothing.
type decision struct {
	kind    action
	reason  v1beta1.Reason        // of actionWait and actionFail
	message string                // of actionWait
	err     *v1beta1.WorkError    // of actionFail
	output  *v1beta1.RenderOutput // of actionFinish
	requeue time.Duration         // of actionWait: time until the next reconcile; 0 for the next event
}

// rule returns the decision about a video, or nil if the rule does not apply. A rule reads nothing but its arguments and
// changes none of them.
type rule func(*v1beta1.Video, *observed, time.Time) *decision

// rules of a video, in order. The first rule that applies decides.
var rules = []rule{
	deleted,         // files are removed before anything else
	refundDue,       // a refund depends on the recorded failure only
	suspended,       // a draft is left alone, but work in progress continues
	ended,           // settled work stays as it is, except for its render
	overdue,         // the deadline of the work ends every wait
	nameTaken,       // an object that the video needs cannot be created
	leftoversExist,  // a retry creates objects of the same names
	inputsMissing,   // other objects may be applied later
	inputsInvalid,   // checked before the work is charged
	notStarted,      // waiting is free, starting is charged
	clipsNotCreated, // clips are fetched while the text is written
	textMissing,     // the speech reads the text
	clipsNotReady,   // the clips decide about the speech and the times
	speechMissing,   // the speech decides about the times
	partsOpen,       // the render needs the times of all clips
	renderOpen,
}

// decide returns what a pass does about a video. It depends on its arguments only.
func decide(v *v1beta1.Video, o *observed, now time.Time) decision {
	for _, r := range rules {
		if d := r(v, o, now); d != nil {
			return *d
		}
	}
	return decision{} // the last rule always applies
}

func deleted(v *v1beta1.Video, _ *observed, _ time.Time) *decision {
	if v.DeletionTimestamp.IsZero() {
		return nil
	}
	return &decision{kind: actionClean}
}

// refundDue refunds a failure that the user did not cause. It follows from the recorded failure and not from the pass
// that recorded it: that pass may be lost.
func refundDue(v *v1beta1.Video, o *observed, _ time.Time) *decision {
	if o.account == nil || !shortwork.Refundable(v.Status.Work, v) {
		return nil
	}
	return &decision{kind: actionRefund}
}

func suspended(v *v1beta1.Video, _ *observed, _ time.Time) *decision {
	if !v.Spec.Suspend || shortwork.InProgress(v.Status.Work) {
		return nil
	}
	return &decision{}
}

// ended keeps settled work and its render in step until the retry annotation requests more.
func ended(v *v1beta1.Video, o *observed, _ time.Time) *decision {
	if !shortwork.Settled(v.Status.Work) || retried(v) {
		return nil
	}
	if v.Status.Work.State == v1beta1.WorkFailed {
		if o.render != nil && !renderState(o.render).Settled() && o.render.DeletionTimestamp.IsZero() {
			return &decision{kind: actionDrop} // the result of the render would not be used
		}
		return &decision{}
	}
	// The output is deleted with its render. A render that was deleted is created again from the same parts.
	d := decideRender(o, 0)
	if d.kind == actionFinish && v.Status.Output != nil && *v.Status.Output == *d.output {
		return &decision{}
	}
	return &d
}

func overdue(v *v1beta1.Video, o *observed, now time.Time) *decision {
	if left, bounded := timeLeft(v, o, now); !shortwork.InProgress(v.Status.Work) || !bounded || left > 0 {
		return nil
	}
	return fail(v1beta1.ReasonFailed, catalog.GenerationFailed, true, shortwork.Overdue(v.Status.Work, "video"), nil)
}

func nameTaken(_ *v1beta1.Video, o *observed, _ time.Time) *decision {
	if o.foreign == "" {
		return nil
	}
	return fail(v1beta1.ReasonFailed, catalog.InternalError, false, o.foreign, nil)
}

func leftoversExist(v *v1beta1.Video, o *observed, _ time.Time) *decision {
	if shortwork.InProgress(v.Status.Work) || v.Status.Work == nil || len(leftovers(o)) == 0 {
		return nil
	}
	return &decision{kind: actionDrop, reason: v1beta1.ReasonProgressing}
}

// inputsMissing waits until the deadline for objects that may be applied later. Once the parts of the video are stored,
// their inputs are not needed any more.
func inputsMissing(v *v1beta1.Video, o *observed, now time.Time) *decision {
	if shortwork.InProgress(v.Status.Work) && v.Status.Revision != 0 {
		return nil
	}
	reason, message := missing(v, o)
	if reason == "" {
		return nil
	}
	left, bounded := timeLeft(v, o, now)
	if bounded && left <= 0 {
		return fail(reason, catalog.ValidationFailed, false, message, nil)
	}
	return &decision{kind: actionWait, reason: reason, message: message, requeue: max(left, 0)}
}

func inputsInvalid(v *v1beta1.Video, o *observed, _ time.Time) *decision {
	if shortwork.InProgress(v.Status.Work) && v.Status.Revision != 0 {
		return nil
	}
	for _, c := range o.clips {
		if e := c.fault(v.Spec.BrandRef.Name); e != nil {
			return &decision{kind: actionFail, reason: v1beta1.ReasonFailed, err: e}
		}
	}
	return nil
}

// notStarted starts the work if the plan covers it. The video is charged once, and again only after a refund.
func notStarted(v *v1beta1.Video, o *observed, now time.Time) *decision {
	if shortwork.InProgress(v.Status.Work) {
		return nil
	}
	if d := unaffordable(ledger.Affordable(o.account, v, 0, now)); d != nil {
		return d
	}
	return &decision{kind: actionStart}
}

func clipsNotCreated(v *v1beta1.Video, o *observed, _ time.Time) *decision {
	if v.Status.Revision != 0 || !slices.ContainsFunc(o.clips, func(c source) bool { return c.own && c.asset == nil }) {
		return nil
	}
	return &decision{kind: actionFetch}
}

func textMissing(v *v1beta1.Video, _ *observed, _ time.Time) *decision {
	if v.Status.Revision != 0 || written(v) {
		return nil
	}
	return &decision{kind: actionWrite}
}

func clipsNotReady(v *v1beta1.Video, o *observed, now time.Time) *decision {
	i := slices.IndexFunc(o.clips, func(c source) bool { return !c.ready() })
	if v.Status.Revision != 0 || i < 0 {
		return nil
	}
	left, _ := timeLeft(v, o, now)
	message := fmt.Sprintf("The %s is not ready yet", o.clips[i].description())
	return &decision{kind: actionWait, reason: v1beta1.ReasonMediaNotReady, message: message, requeue: left}
}

func speechMissing(v *v1beta1.Video, _ *observed, _ time.Time) *decision {
	if v.Status.Revision != 0 || v.Status.Speech != nil {
		return nil
	}
	return &decision{kind: actionSpeak}
}

func partsOpen(v *v1beta1.Video, _ *observed, _ time.Time) *decision {
	if v.Status.Revision != 0 {
		return nil
	}
	return &decision{kind: actionCompose}
}

func renderOpen(v *v1beta1.Video, o *observed, now time.Time) *decision {
	left, _ := timeLeft(v, o, now)
	d := decideRender(o, left)
	return &d
}

// decideRender decides about the render. left is the time until the deadline of the work; 0 for no deadline.
func decideRender(o *observed, left time.Duration) decision {
	wait := func(message string) decision {
		return decision{kind: actionWait, reason: v1beta1.ReasonProgressing, message: message, requeue: left}
	}
	switch {
	case o.render == nil:
		return decision{kind: actionRender}
	case !o.render.DeletionTimestamp.IsZero():
		return wait("The render is about to start")
	}
	switch w := o.render.Status.Work; renderState(o.render) {
	case v1beta1.WorkSucceeded:
		if out := o.render.Status.Output; out != nil {
			return decision{kind: actionFinish, output: out}
		}
	case v1beta1.WorkFailed:
		e := &v1beta1.WorkError{Code: string(catalog.GenerationFailed), Message: "The video could not be rendered", Retryable: true}
		if w.Error != nil {
			e = w.Error.DeepCopy()
		}
		return decision{kind: actionFail, reason: v1beta1.ReasonFailed, err: e}
	case v1beta1.WorkProcessing:
		return wait("Rendering the video")
	}
	return wait("The video waits for a free worker")
}

// renderState returns the state of a render. A render without a status is queued.
func renderState(j *v1beta1.RenderJob) v1beta1.WorkState {
	if j.Status.Work == nil {
		return v1beta1.WorkQueued
	}
	return j.Status.Work.State
}

// fail returns the decision that ends the work with an error.
func fail(r v1beta1.Reason, c catalog.Code, retryable bool, message string, details map[string]string) *decision {
	e := &v1beta1.WorkError{Code: string(c), Message: message, Retryable: retryable, Details: details}
	return &decision{kind: actionFail, reason: r, err: e}
}

// retried reports whether the retry annotation requests that failed work starts again.
func retried(v *v1beta1.Video) bool {
	return v.Status.Work.State == v1beta1.WorkFailed && retryValue(v) != v.Status.RetriedFor
}

// retryValue returns the value of the retry annotation, up to the length that the status stores.
func retryValue(v *v1beta1.Video) string {
	a := v.Annotations[v1beta1.AnnotationRetry]
	return a[:min(len(a), 200)]
}

// leftovers returns the objects of earlier work that prevent a retry: its render, and clips that failed or are being
// deleted.
func leftovers(o *observed) []client.Object {
	var out []client.Object
	if o.render != nil {
		out = append(out, o.render)
	}
	for _, c := range o.clips {
		if c.own && (c.failed() || c.asset != nil && !c.exists()) {
			out = append(out, c.asset)
		}
	}
	return out
}

// written reports whether the text fits the spec. The hook of a draft may have changed after the text was written.
func written(v *v1beta1.Video) bool {
	t := v.Status.Text
	return t != nil && (v.Spec.HookText == nil || t.Hook == textgen.Line(*v.Spec.HookText))
}

// timeLeft returns the time until work that has not ended, or a wait for other objects, counts as failed. The time for
// which the render waits for a free worker does not count: the RenderJob has its own deadline for it.
func timeLeft(v *v1beta1.Video, o *observed, now time.Time) (left time.Duration, bounded bool) {
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

// missing returns the reason and a message for the first object that the video needs and that does not exist or is not
// ready.
func missing(v *v1beta1.Video, o *observed) (v1beta1.Reason, string) {
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
			where = "in the library"
		}
		switch {
		case c.own:
		case !c.exists(), c.library && !c.visible(v.Spec.BrandRef.Name):
			return v1beta1.ReasonMediaNotFound, fmt.Sprintf("There is no %s %s, which %s names", c.description(), where, c.path)
		case !c.ready() && !c.failed():
			return v1beta1.ReasonMediaNotReady, fmt.Sprintf("The %s is not ready yet", c.description())
		}
	}
	return "", ""
}

// unaffordable returns the decision that ends the work because the plan is used up; nil for other errors.
func unaffordable(err error) *decision {
	if e := shortwork.Exhausted(err, "slideshows and videos"); e != nil {
		return &decision{kind: actionFail, reason: v1beta1.ReasonQuotaExceeded, err: e}
	}
	return nil
}
