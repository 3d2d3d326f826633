// SPDX-License-Identifier: Apache-2.0

package slideshow

import (
	"context"
	"errors"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/log"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/account/ledger"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/content/deck"
	"github.com/reelops/reelops/internal/content/slides"
	"github.com/reelops/reelops/internal/content/textgen"
	"github.com/reelops/reelops/internal/film/shortwork"
	"github.com/reelops/reelops/internal/kube/finalize"
	"github.com/reelops/reelops/internal/store/pinned"
)

// result is the result of act.
type result struct {
	err    error              // the pass could not be completed and is retried
	failed *v1beta1.WorkError // the attempt, or the work, has failed
	final  bool               // of failed: no further attempt helps
	text   *v1beta1.Text      // was written
	drawn  *slides.Drawn      // was drawn

	attempt   int32         // of speaking that begins; recorded before its Job is created
	narration *narration    // is complete
	wait      time.Duration // time until the next look at a Job, or request to a busy service

	// unready is the message of a text model that takes no requests yet. Nothing was done or lost.
	unready string
}

// requeue returns the time until the next reconcile; 0 for the next event.
func (res result) requeue(d decision, s *v1beta1.Slideshow) time.Duration {
	switch {
	case d.kind == actionWait:
		return d.requeue
	case d.kind == actionNothing || d.kind == actionRender || d.kind == actionAwaitTrack:
		return 0
	case res.wait > 0:
		return res.wait
	case res.unready != "":
		return shortwork.ModelWait
	case res.failed != nil && !s.Status.Work.State.Settled():
		// Another attempt, with exponential backoff.
		return time.Second << s.Status.Work.Attempt
	}
	// Another action may follow, also after the work has ended: the render, or a refund. No event starts that pass.
	return soon
}

// act executes a decision. It writes the status only where the ledger does: the charge, and the credits that belong to it.
// Everything else that the status records is in the result.
func (r *Reconciler) act(ctx context.Context, s *v1beta1.Slideshow, o *observed, d decision) result {
	if d.kind == actionClean {
		return r.clean(ctx, s, o)
	}
	if d.kind != actionStart && ledger.StateOf(o.account, s, r.Clock.Now()) == ledger.Reserved {
		if err := r.commit(ctx, s, o, 0); err != nil { // an accepted slideshow is charged, also if it fails
			return result{err: err}
		}
	}
	switch d.kind {
	case actionStart:
		return r.begin(ctx, s, o, d)
	case actionSettle:
		return result{err: r.settle(ctx, s, o)}
	case actionFail:
		if err := r.stopSpeech(ctx, s); err != nil {
			return result{err: err}
		}
		return result{failed: d.err}
	case actionRefund:
		return result{err: r.Ledger.Reservations(r.Client).Release(ctx, s)}
	case actionWrite:
		return r.write(ctx, s, o)
	case actionDraw:
		return r.draw(ctx, s, o, d.design)
	case actionSpeak:
		return r.speak(ctx, s, o)
	case actionRender:
		return result{err: r.render(ctx, s, o)}
	}
	return result{}
}

func (r *Reconciler) write(ctx context.Context, s *v1beta1.Slideshow, o *observed) result {
	began := r.Clock.Now()
	draft, err := r.Writer.Write(ctx, shortwork.WriteRequest(s, o.Brand))
	if err != nil {
		if ctx.Err() != nil {
			return result{err: err} // the manager is stopping; its successor writes
		}
		failed, unready := shortwork.TextError(ctx, err, s.Status.Work.Attempt)
		return result{failed: failed, unready: unready}
	}
	log.FromContext(ctx).Info("text written", "short_id", s.Labels[v1beta1.LabelID], "slides", len(draft.Slides), "text_ms", r.Clock.Since(began).Milliseconds())
	return result{text: textOf(draft, deck.SourceHash(s))}
}

// mostOmitted is the largest number of omitted passages in a status.
const mostOmitted = 100

func textOf(d textgen.Draft, source string) *v1beta1.Text {
	t := &v1beta1.Text{SourceHash: source, Language: d.Language, Title: d.Title, Caption: d.Caption, Tags: d.Tags}
	t.Omitted = d.Omitted[:min(len(d.Omitted), mostOmitted)]
	t.Source, t.Model = shortwork.SourceOf(d.Model)
	if f := d.Shortfall; f != nil {
		t.Shortfall = &v1beta1.TextShortfall{Wanted: int32(f.Wanted), FromText: int32(f.FromText)}
	}
	for _, s := range d.Slides {
		t.Slides = append(t.Slides, v1beta1.SlideText{
			Role: string(s.Role), Heading: s.Heading, Body: s.Body, AltText: s.AltText, Keywords: s.Keywords,
		})
	}
	return t
}

func (r *Reconciler) draw(ctx context.Context, s *v1beta1.Slideshow, o *observed, d v1beta1.Design) result {
	revision := s.Status.Revision
	vh := deck.VisualHash(s, d)
	if s.Status.VisualHash == vh && len(s.Status.Slides) > 0 {
		return result{drawn: &slides.Drawn{Revision: revision, Design: d, Kept: true}}
	}
	if err := r.stopSpeech(ctx, s); err != nil { // stop the Jobs of the slides that are replaced
		return result{err: err}
	}
	images := slides.Images{Store: r.Drawer.Store, Stock: r.Stock, Fetch: r.Fetch, Model: r.Pictures}
	gathered, err := images.Gather(ctx, s, &o.Inputs, d)
	if err != nil {
		return failedBy(err)
	}
	in := slides.NewDrawing(s, &o.Inputs, gathered, d, revision+1)
	if res := r.createImages(ctx, s, o, d, images, in); res != nil {
		return *res
	}
	began := r.Clock.Now()
	drawn, err := r.Drawer.Draw(ctx, in)
	if err != nil {
		if ctx.Err() != nil {
			return result{err: err}
		}
		if res := failedBy(err); res.failed != nil {
			return res
		}
		log.FromContext(ctx).Error(err, "drawing slides failed", "attempt", s.Status.Work.Attempt)
		return result{failed: &v1beta1.WorkError{
			Code: string(catalog.GenerationFailed), Message: "The slides could not be rendered and stored", Retryable: true,
		}}
	}
	drawn.Revision, drawn.Design = revision+1, d
	log.FromContext(ctx).Info("slides drawn", "short_id", s.Labels[v1beta1.LabelID], "slides", len(drawn.Slides), "revision", revision+1,
		"draw_ms", r.Clock.Since(began).Milliseconds())
	return result{drawn: drawn}
}

// createImages pays for the AI images of a drawing and creates the missing ones. It returns nil if all of them exist, else
// the result of the pass.
func (r *Reconciler) createImages(
	ctx context.Context, s *v1beta1.Slideshow, o *observed, d v1beta1.Design, images slides.Images, in slides.Drawing,
) *result {
	missing, err := images.Missing(ctx, in)
	if err != nil {
		return &result{err: err}
	}
	if cost := creditsFor(s, o, d); cost > 0 {
		if err := r.commit(ctx, s, o, cost); err != nil {
			if f := unaffordable(err); f != nil {
				return &result{failed: f.err}
			}
			return &result{err: err}
		}
	}
	if len(missing) == 0 {
		return nil
	}
	began := r.Clock.Now()
	logger := log.FromContext(ctx).WithValues("short_id", s.Labels[v1beta1.LabelID])
	if err := images.Create(log.IntoContext(ctx, logger), in, missing); err != nil {
		res := failedBy(err)
		return &res
	}
	logger.Info("AI images generated", "pictures", len(missing), "made_ms", r.Clock.Since(began).Milliseconds())
	return nil
}

// failedBy returns the result for an error of package slides.
func failedBy(err error) result {
	var failed *slides.FailedError
	var busy *slides.BusyError
	switch {
	case errors.As(err, &failed):
		return result{failed: &failed.WorkError}
	case errors.As(err, &busy):
		return result{wait: busy.After}
	}
	return result{err: err}
}

// clean removes the stored files of the slideshow, except those that open posts publish, and then the finalizer. It
// waits while a pod of the slideshow may still write files.
func (r *Reconciler) clean(ctx context.Context, s *v1beta1.Slideshow, o *observed) result {
	if controllerutil.ContainsFinalizer(s, Finalizer) {
		wait, err := r.studio().Halt(ctx, s, s.Status.SpeechAttempt)
		if err != nil || wait > 0 {
			return result{err: err, wait: wait}
		}
	}
	return result{err: finalize.Release(ctx, r.Client, s, Finalizer, func() error {
		if r.Record != nil {
			if err := r.Record(ctx, s); err != nil {
				return err
			}
		}
		if err := r.close(ctx, s, o); err != nil {
			return err
		}
		if s.Status.SpeechAttempt > 0 {
			r.Jobs.Slots.Free(s.UID)
		}
		return pinned.RemoveAll(ctx, r.Client, r.Drawer.Store, s, r.Live)
	})}
}
