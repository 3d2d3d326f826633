// SPDX-License-Identifier: Apache-2.0

package slideshow

import (
	"context"
	"fmt"

	"sigs.k8s.io/controller-runtime/pkg/log"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/content/deck"
	"github.com/reelops/reelops/internal/content/slides"
	"github.com/reelops/reelops/internal/film/subtitle"
	"github.com/reelops/reelops/internal/film/voicing"
	"github.com/reelops/reelops/internal/kube/status"
	"github.com/reelops/reelops/internal/work/order"
	"github.com/reelops/reelops/internal/work/outcome"
)

// studio returns the studio that speaks the slides.
func (r *Reconciler) studio() voicing.Studio {
	return voicing.Studio{Store: r.Drawer.Store, Jobs: r.Jobs, Speaker: r.Speaker, Clock: r.Clock}
}

// source returns the source of the speech.
func (r *Reconciler) source() string {
	if r.Speaker != nil {
		return voicing.Service
	}
	return voicing.Package
}

// speak executes one step of the voice-over of the current revision: one request to the speech service, or one
// observation of the Job that speaks the missing slides.
func (r *Reconciler) speak(ctx context.Context, s *v1beta1.Slideshow, o *observed) result {
	studio, source := r.studio(), r.source()
	passages := passagesOf(s, o, source)
	records := map[string]*voicing.Record{}
	var missing []voicing.Passage
	for _, p := range passages {
		if _, known := records[p.Key]; known || !sayable(p) {
			continue
		}
		rec, err := studio.Recorded(ctx, p.Key)
		if err != nil {
			return result{err: err}
		}
		if records[p.Key] = rec; rec == nil {
			missing = append(missing, p)
		}
	}
	if len(missing) == 0 {
		return r.narrated(ctx, s, narrate(s, source, passages, records))
	}
	if source == voicing.Service {
		logged := log.IntoContext(ctx, log.FromContext(ctx).WithValues("short_id", s.Labels[v1beta1.LabelID], "attempt", s.Status.Work.Attempt))
		for _, p := range missing {
			if asked, failed, err := studio.Ask(logged, "slide", p.Key, p.Request); asked || err != nil {
				return result{failed: failed, err: err}
			}
		}
	}
	p := studio.Follow(ctx, voicing.Work{
		Owner: s, Kind: "slideshow", Attempt: s.Status.SpeechAttempt,
		Conditions: status.Conditions{List: &s.Status.Conditions, Generation: s.Generation},
		Order:      func(ctx context.Context) (*order.Order, error) { return studio.Order(ctx, source, missing) },
		Read: func(ctx context.Context, res *outcome.Media) *v1beta1.WorkError {
			return studio.Take(ctx, missing, res)
		},
	})
	switch {
	case p.Refused != nil:
		return result{failed: refused(p.Refused), final: true}
	case p.Failed != nil:
		return result{failed: p.Failed, final: true}
	}
	return result{err: p.Err, wait: p.Wait, attempt: p.Attempt}
}

// refused returns the error of an order for which no attempt can succeed.
func refused(e *v1beta1.WorkError) *v1beta1.WorkError {
	switch reason := outcome.Reason(e.Details["reason"]); reason {
	case outcome.UnknownVoice, outcome.TooLong:
		e.Code, e.Details = string(catalog.ValidationFailed), map[string]string{"field": "voice", "reason": string(reason)}
	}
	return e
}

// narrated stores the captions of a voice-over.
func (r *Reconciler) narrated(ctx context.Context, s *v1beta1.Slideshow, n narration) result {
	if n.length > catalog.MaxSlideshowDuration {
		return result{final: true, failed: &v1beta1.WorkError{
			Code:    string(catalog.ValidationFailed),
			Message: fmt.Sprintf("With its voice-over the video would last longer than %s; shorten the text or disable the voice-over", catalog.MaxSlideshowDuration),
			Details: map[string]string{"field": "voice"},
		}}
	}
	if len(n.words) > 0 {
		cues := subtitle.Cues(n.words)
		var err error
		n.status.CaptionsKey, err = r.studio().StoreCaptions(ctx, slides.Prefix(s)+"captions-"+deck.Hash(n.words)[:16], subtitle.SRT(cues), subtitle.WebVTT(cues))
		if err != nil {
			return result{err: err}
		}
	}
	log.FromContext(ctx).Info("slides spoken", "short_id", s.Labels[v1beta1.LabelID], "words", len(n.words), "video_ms", n.length.Milliseconds())
	return result{narration: &n}
}

// unfinished reports whether a Job of a voice-over may be running.
func unfinished(s *v1beta1.Slideshow) bool {
	return s.Status.SpeechAttempt > 0 && deck.VoiceOf(s) == nil
}

// stopSpeech stops the Jobs of a voice-over that is no longer needed.
func (r *Reconciler) stopSpeech(ctx context.Context, s *v1beta1.Slideshow) error {
	if !unfinished(s) {
		return nil
	}
	return r.studio().Tidy(ctx, s, s.Status.SpeechAttempt)
}
