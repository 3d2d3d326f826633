// SPDX-License-Identifier: Apache-2.0

package slideshow

import (
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/content/deck"
	"github.com/reelops/reelops/internal/content/imagery/starter"
	"github.com/reelops/reelops/internal/content/slides"
	"github.com/reelops/reelops/internal/film/renders"
	"github.com/reelops/reelops/internal/film/shortwork"
	"github.com/reelops/reelops/internal/film/voicing"
	"github.com/reelops/reelops/internal/kube/status"
)

// report writes the result of a pass into the status. No other function sets conditions and the fields that depend on
// renders.
func report(s *v1beta1.Slideshow, o *observed, d decision, res result, now time.Time) {
	record(s, d, res, now)
	reportRenders(s, o.renders)

	c := status.Conditions{List: &s.Status.Conditions, Generation: s.Generation}
	texts(c, s, res)
	pictures(c, s, o)
	summary(c, s, o, d, res)
}

// reportRenders sets the job and the video of the slideshow. A render that this pass created is not among all: the
// event of its creation starts the next pass. Until then the job is a render without a name.
func reportRenders(s *v1beta1.Slideshow, all []v1beta1.RenderJob) {
	s.Status.Render = nil
	if r := renders.Shown(all, s.Status.Revision); r != nil {
		s.Status.Render = renders.Summary(r)
	}
	s.Status.Job, s.Status.Output = renders.Job(s, all), renders.Video(s, all)
}

// record writes the results of the step into the status.
func record(s *v1beta1.Slideshow, d decision, res result, now time.Time) {
	at, eta := metav1.NewTime(now), metav1.NewTime(now.Add(estimate(s)))
	switch d.kind {
	case actionNothing, actionRender, actionAwaitTrack:
		if !s.Spec.Suspend && s.Status.Work != nil && s.Status.Work.State.Settled() {
			s.Status.WorkedOn = s.Generation // the requested content is ready, or has failed
			keepAltTexts(s)
		}
	case actionStart:
		if res.failed == nil {
			recordStart(s, d.design, at, eta)
		}
	}
	if d.kind == actionRender {
		s.Status.RetriedFor = s.Annotations[v1beta1.AnnotationRetry]
	}
	switch {
	case res.unready != "":
		shortwork.AwaitModel(s.Status.Work)
	case d.kind == actionWrite:
		shortwork.TakeUp(s.Status.Work, at, eta)
	}
	if res.text != nil {
		s.Status.Text = res.text
	}
	if res.drawn != nil {
		recordSlides(s, res.drawn, at)
	}
	if res.attempt > 0 {
		s.Status.SpeechAttempt = res.attempt
	}
	if n := res.narration; n != nil {
		s.Status.Slides, s.Status.Normalizations, s.Status.Voice = n.slides, n.normalizations, &n.status
		succeeded(s, at)
	}
	if res.failed != nil {
		recordFailure(s, res.failed, res.final || d.kind == actionFail || d.kind == actionStart, at)
	}
}

func recordStart(s *v1beta1.Slideshow, design v1beta1.Design, at, eta metav1.Time) {
	keepGeneration(s)
	s.Status.Work = &v1beta1.Work{State: v1beta1.WorkProcessing, StartedAt: &at, EstimatedCompletionAt: &eta, Attempt: 1}
	recordRequest(s)
	endSpeech(s)
	if len(s.Status.Slides) == 0 { // else the design describes the existing slides until others are drawn
		s.Status.Design = &design
	}
}

// recordSlides records drawn slides. They end the work unless a voice-over follows.
func recordSlides(s *v1beta1.Slideshow, drawn *slides.Drawn, at metav1.Time) {
	if !drawn.Kept {
		s.Status.Slides, s.Status.Normalizations = drawn.Slides, drawn.Normalizations
		s.Status.PreviewKey, s.Status.ThumbnailKey = drawn.PreviewKey, drawn.ThumbnailKey
		s.Status.Revision = drawn.Revision
		endSpeech(s) // it was for the earlier slides
	}
	design := drawn.Design
	s.Status.Design = &design
	s.Status.VisualHash = deck.VisualHash(s, design) // the hash includes the chosen backgrounds
	keepAltTexts(s)
	if !deck.Spoken(s) {
		s.Status.Voice = nil
	}
	if deck.Voiced(s) {
		succeeded(s, at)
	}
}

// recordFailure records a failed attempt, or with final the failure of the work.
func recordFailure(s *v1beta1.Slideshow, failed *v1beta1.WorkError, final bool, at metav1.Time) {
	if !shortwork.InProgress(s.Status.Work) {
		keepGeneration(s)
	}
	if shortwork.Fail(&s.Status.Work, failed, final, at) {
		recordRequest(s)
	}
}

// recordRequest records which content of the spec, and which retry, the work is for.
func recordRequest(s *v1beta1.Slideshow) {
	s.Status.WorkedOn, s.Status.WorkedFor = s.Generation, deck.WorkHash(s)
	s.Status.RetriedFor = s.Annotations[v1beta1.AnnotationRetry]
}

// endSpeech makes the next voice-over begin with a new Job if one may be running.
func endSpeech(s *v1beta1.Slideshow) {
	if unfinished(s) {
		s.Status.SpeechAttempt = voicing.NextAttempts(s.Status.SpeechAttempt)
	}
}

func succeeded(s *v1beta1.Slideshow, at metav1.Time) {
	w := s.Status.Work
	w.State, w.FinishedAt, w.EstimatedCompletionAt, w.Error = v1beta1.WorkSucceeded, &at, nil, nil
}

// keepGeneration copies the work record of the slides' creation before other work replaces it. To clients that wait for
// the slides, drawing an edit is no new job.
func keepGeneration(s *v1beta1.Slideshow) {
	switch {
	case !redraws(s):
		s.Status.Generated = nil
	case s.Status.Generated == nil:
		s.Status.Generated = s.Status.Work
	}
}

// keepAltTexts copies the alt texts of the spec into the status. They are not visible, so nothing is drawn.
func keepAltTexts(s *v1beta1.Slideshow) {
	for _, sl := range deck.Slides(s) {
		if d := deck.Drawn(s, sl.ID); d != nil {
			d.AltText = deck.AltText(sl.AltText, d.TextOverlays)
		}
	}
}

// estimate returns the estimated duration shown to users: a few seconds for the text, about one per slide. A voice-over
// needs a pod and takes longer.
func estimate(s *v1beta1.Slideshow) time.Duration {
	n := len(s.Spec.Slides)
	if n == 0 {
		n = int(s.Spec.SlideCount)
	}
	if n == 0 {
		n = catalog.DefaultSlideEstimate
	}
	if deck.Spoken(s) {
		return 20*time.Second + time.Duration(n)*2*time.Second
	}
	return 5*time.Second + time.Duration(n)*time.Second
}

func texts(c status.Conditions, s *v1beta1.Slideshow, res result) {
	switch {
	case len(s.Spec.Slides) > 0:
		c.Set(v1beta1.ConditionWritten, true, v1beta1.ReasonByHand, "The slides are written in the spec")
	case deck.Written(s) && s.Status.Text.Shortfall != nil:
		c.Set(v1beta1.ConditionWritten, true, v1beta1.ReasonTextModelNotConfigured, deck.ShortfallMessage(s.Status.Text))
	case res.unready != "":
		c.Set(v1beta1.ConditionWritten, false, v1beta1.ReasonTextModelNotReady, res.unready)
	case deck.Written(s):
		message := fmt.Sprintf("%d slides were written from the context", len(s.Status.Text.Slides))
		if n := len(s.Status.Text.Omitted); n > 0 {
			message += fmt.Sprintf("; %d passages did not fit, see status.text.omitted", n)
		}
		c.Set(v1beta1.ConditionWritten, true, v1beta1.ReasonGenerated, message)
	default:
		c.Set(v1beta1.ConditionWritten, false, v1beta1.ReasonProgressing, "The text is not written yet")
	}
}

func pictures(c status.Conditions, s *v1beta1.Slideshow, o *observed) {
	n := len(s.Status.Normalizations)
	drawn := fmt.Sprintf("%d slides are drawn", len(s.Status.Slides))
	if k := unpictured(s); k > 0 {
		drawn += fmt.Sprintf("; no image fits %d of them, which show a pattern", k)
		if !o.configured {
			drawn += "; configure Pexels, Unsplash or Pixabay for more images"
		}
	}
	switch {
	case s.Status.Design == nil || s.Status.VisualHash != deck.VisualHash(s, *s.Status.Design) || len(s.Status.Slides) == 0:
		c.Set(v1beta1.ConditionDrawn, false, v1beta1.ReasonProgressing, "The slides are not drawn yet")
	case n > 0:
		c.Set(v1beta1.ConditionDrawn, true, v1beta1.ReasonNormalised, fmt.Sprintf("%s; %d changes made them readable, see status.normalizations", drawn, n))
	case reused(s) > 0:
		c.Set(v1beta1.ConditionDrawn, true, v1beta1.ReasonDrawn,
			fmt.Sprintf("%d slides are drawn; the pack has fewer images, so %d slides repeat one", len(s.Status.Slides), reused(s)))
	default:
		c.Set(v1beta1.ConditionDrawn, true, v1beta1.ReasonDrawn, drawn)
	}
}

// unpictured returns how many slides show a backdrop.
func unpictured(s *v1beta1.Slideshow) int {
	n := 0
	for i := range s.Status.Slides {
		if b, ok := starter.ByID(s.Status.Slides[i].Background.ID); ok && starter.BackdropStyle(b) != "" {
			n++
		}
	}
	return n
}

// reused returns how many slides show an image of a pack that an earlier slide already shows.
func reused(s *v1beta1.Slideshow) int {
	if s.Status.Design == nil || s.Status.Design.ImageSource.Type != v1beta1.ImageSourcePack {
		return 0
	}
	shown := map[string]bool{}
	for i := range s.Status.Slides {
		shown[s.Status.Slides[i].Background.ID] = true
	}
	return len(s.Status.Slides) - len(shown)
}

func summary(c status.Conditions, s *v1beta1.Slideshow, o *observed, d decision, res result) {
	w := s.Status.Work
	// Do not remove and set a condition in one pass: its transition time would change, and every pass would write the
	// status.
	drawn := w != nil && w.State == v1beta1.WorkSucceeded && d.kind != actionWait
	if drawn && reportRender(c, s, o, d) {
		return
	}
	if w == nil || w.State != v1beta1.WorkFailed || d.kind == actionWait {
		c.Remove(v1beta1.ConditionStalled)
	}
	switch {
	case d.kind == actionWait: // also when earlier work has settled: the content that the spec requests now is not ready
		c.Set(v1beta1.ConditionReady, false, d.reason, d.message)
	case w == nil:
		c.Set(v1beta1.ConditionReady, false, v1beta1.ReasonSuspended, "The slideshow is a draft: set spec.suspend to false to generate it")
	case w.State == v1beta1.WorkFailed:
		reason := shortwork.FailureReason(w.Error)
		message := w.Error.Message
		if f := w.Error.Details["field"]; f != "" {
			message = f + ": " + message
		}
		c.Set(v1beta1.ConditionReady, false, reason, message)
		c.Set(v1beta1.ConditionStalled, true, reason, "Change the spec, or set the annotation "+v1beta1.AnnotationRetry+" to a new value")
	case w.State == v1beta1.WorkSucceeded:
		message := fmt.Sprintf("%d slides are ready in revision %d", len(s.Status.Slides), s.Status.Revision)
		if v := deck.VoiceOf(s); v != nil && v.Unspoken != "" {
			message += ". " + v.Unspoken
		}
		c.Set(v1beta1.ConditionReady, true, v1beta1.ReasonReady, message)
	case res.unready != "":
		c.Set(v1beta1.ConditionReady, false, v1beta1.ReasonTextModelNotReady, res.unready)
	case d.kind == actionSpeak:
		c.Set(v1beta1.ConditionReady, false, v1beta1.ReasonProgressing, "Synthesizing the speech of the slides")
	default:
		c.Set(v1beta1.ConditionReady, false, v1beta1.ReasonProgressing, "Writing and laying out the slides")
	}
}
