// SPDX-License-Identifier: Apache-2.0

package video

import (
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/film/renders"
	"github.com/reelops/reelops/internal/film/shortwork"
	"github.com/reelops/reelops/internal/film/voicing"
	"github.com/reelops/reelops/internal/kube/status"
)

// usualTime is the estimated duration shown to users. Speech and drawing take seconds, rendering takes about as long as
// the film.
const usualTime = time.Minute

// report writes the result of a pass into the status. No other function sets conditions.
func report(v *v1beta1.Video, o *observed, d decision, res result, now time.Time) {
	record(v, d, res, now)
	v.Status.Render = summaryOf(o)
	if v.Status.Output != nil && (o.render == nil || !o.render.DeletionTimestamp.IsZero()) {
		v.Status.Output, v.Status.PosterKey = nil, "" // the output is deleted with its render
	}
	c := status.Conditions{List: &v.Status.Conditions, Generation: v.Generation}
	text(c, v, res)
	summary(c, v, d, res)
}

func summaryOf(o *observed) *v1beta1.RenderSummary {
	if o.render == nil {
		return nil
	}
	return renders.Summary(o.render)
}

// record writes the results of the step into the status.
func record(v *v1beta1.Video, d decision, res result, now time.Time) {
	at := metav1.NewTime(now)
	s := &v.Status
	if d.kind == actionStart && res.failed == nil {
		eta := metav1.NewTime(now.Add(usualTime))
		s.Work = &v1beta1.Work{State: v1beta1.WorkProcessing, StartedAt: &at, EstimatedCompletionAt: &eta, Attempt: 1}
		s.RetriedFor = retryValue(v)
		// Keep what may cost money: the text if it still fits, and synthesized speech in the store. The rest is created
		// again.
		s.Speech, s.Clips, s.Revision, s.WordsKey, s.CaptionsKey, s.Normalizations = nil, nil, 0, "", "", nil
		s.Output, s.PosterKey, s.ThumbnailKey = nil, "", ""
		s.SpeechAttempt = voicing.NextAttempts(s.SpeechAttempt)
	}
	switch {
	case res.unready != "":
		shortwork.AwaitModel(s.Work)
	case d.kind == actionWrite:
		shortwork.TakeUp(s.Work, at, metav1.NewTime(now.Add(usualTime)))
	}
	if res.text != nil {
		s.Text = res.text
	}
	if res.attempt > 0 {
		s.SpeechAttempt = res.attempt
	}
	if res.speech != nil {
		s.Speech = res.speech
	}
	if c := res.composed; c != nil {
		s.Clips, s.WordsKey, s.CaptionsKey, s.Normalizations, s.Revision = c.clips, c.wordsKey, c.captionsKey, c.normalizations, 1
	}
	if f := res.finished; f != nil {
		s.Output, s.PosterKey, s.ThumbnailKey = f.output, f.output.PosterKey, f.thumbnailKey
		if w := s.Work; !w.State.Settled() {
			w.State, w.FinishedAt, w.EstimatedCompletionAt, w.Error = v1beta1.WorkSucceeded, &at, nil, nil
		}
	}
	if res.failed != nil && shortwork.Fail(&s.Work, res.failed, res.final, at) {
		s.RetriedFor = retryValue(v)
	}
}

func text(c status.Conditions, v *v1beta1.Video, res result) {
	switch {
	case res.unready != "":
		c.Set(v1beta1.ConditionWritten, false, v1beta1.ReasonTextModelNotReady, res.unready)
	case !written(v):
		c.Set(v1beta1.ConditionWritten, false, v1beta1.ReasonProgressing, "The text is not written yet")
	case v.Spec.HookText != nil:
		c.Set(v1beta1.ConditionWritten, true, v1beta1.ReasonByHand, "The hook is written in the spec")
	default:
		c.Set(v1beta1.ConditionWritten, true, v1beta1.ReasonGenerated, "The hook was written from the brand's profile")
	}
}

func summary(c status.Conditions, v *v1beta1.Video, d decision, res result) {
	w := v.Status.Work
	// Do not remove and set a condition in one pass: its transition time would change, and every pass would write the
	// status.
	if w == nil || w.State != v1beta1.WorkFailed || d.kind == actionWait {
		c.Remove(v1beta1.ConditionStalled)
	}
	switch {
	case d.kind == actionWait:
		c.Set(v1beta1.ConditionReady, false, d.reason, d.message)
	case w == nil:
		c.Set(v1beta1.ConditionReady, false, v1beta1.ReasonSuspended, "The video is a draft: set spec.suspend to false to generate it")
	case w.State == v1beta1.WorkFailed:
		reason, message := shortwork.FailureReason(w.Error), w.Error.Message
		if f := w.Error.Details["field"]; f != "" {
			message = manifestField(v, f) + ": " + message
		}
		c.Set(v1beta1.ConditionReady, false, reason, message)
		c.Set(v1beta1.ConditionStalled, true, reason, "Set the annotation "+v1beta1.AnnotationRetry+" to a new value, or create another Video")
	case w.State == v1beta1.WorkSucceeded && v.Status.Output != nil:
		c.Set(v1beta1.ConditionReady, true, v1beta1.ReasonReady, ready(v))
	case res.unready != "":
		c.Set(v1beta1.ConditionReady, false, v1beta1.ReasonTextModelNotReady, res.unready)
	default:
		c.Set(v1beta1.ConditionReady, false, v1beta1.ReasonProgressing, "Building the video")
	}
}

// ready returns a description of the film.
func ready(v *v1beta1.Video) string {
	message := fmt.Sprintf("%s with %s", time.Duration(v.Status.Output.DurationMilliseconds)*time.Millisecond, count(len(v.Status.Clips), "clip"))
	if len(v.Spec.Demos) == 0 {
		message += "; it shows no product, because spec.demos is empty"
	}
	if n := len(v.Status.Normalizations); n > 0 {
		message += "; " + count(n, "change") + " made the texts readable, see status.normalizations"
	}
	return message
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
