// SPDX-License-Identifier: Apache-2.0

package slideshow

import (
	"context"
	"errors"
	"fmt"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/log"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/account/ledger"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/content/deck"
	"github.com/reelops/reelops/internal/content/textgen"
	"github.com/reelops/reelops/internal/film/shortwork"
	"github.com/reelops/reelops/internal/kube/finalize"
	"github.com/reelops/reelops/internal/store/pinned"
	"github.com/reelops/reelops/internal/work/runner"
)

// did is what came of a step.
type did struct {
	err    error              // the pass could not be done: come back
	failed *v1beta1.WorkError // the work has failed
	text   *v1beta1.Text      // was written
	drawn  *Drawn             // was drawn
	final  bool               // of failed: no further try helps

	attempt   int32         // of speaking begins
	narration *narration    // is there
	wait      time.Duration // until the next look; events come sooner
	busy      time.Duration // another service asks to wait so long: nothing was done or lost

	// unready is the message of a text model that takes no requests yet: nothing was done or lost.
	unready string
}

// again says when the next pass has to come by itself.
func (d did) again(st step, s *v1beta1.Slideshow) time.Duration {
	switch {
	case st.kind == stepWait:
		return st.again
	case st.kind == stepNothing || st.kind == stepRender || st.kind == stepAwaitTrack:
		return 0
	case d.wait > 0:
		return d.wait
	case d.busy > 0:
		return d.busy
	case d.unready != "":
		return shortwork.ModelWait
	case d.failed != nil && !s.Status.Work.State.Settled():
		// Another attempt, after a wait that grows with their number.
		return time.Second << s.Status.Work.Attempt
	}
	// Whatever was done, something may follow, also from the end of the work: the film, or a refund. No change of the spec
	// will wake us for it.
	return soon
}

// act does the one thing that the step asks for.
func (r *Reconciler) act(ctx context.Context, s *v1beta1.Slideshow, o *seen, st step) did {
	if st.kind == stepClean {
		return r.clean(ctx, s, o)
	}
	if st.kind != stepStart && ledger.StateOf(o.account, s, r.Clock.Now()) == ledger.Reserved {
		if err := r.pay(ctx, s, o, 0); err != nil { // an accepted slideshow is charged, also if it fails
			return did{err: err}
		}
	}
	switch st.kind {
	case stepStart:
		return r.begin(ctx, s, o, st)
	case stepSettle:
		return did{err: r.settle(ctx, s, o)}
	case stepFail:
		if err := r.silence(ctx, s); err != nil {
			return did{err: err}
		}
		return did{failed: st.err}
	case stepRefund:
		return did{err: r.Ledger.Reservations(r.Client).Release(ctx, s)}
	case stepWrite:
		return r.write(ctx, s, o)
	case stepDraw:
		return r.draw(ctx, s, o, st.design)
	case stepSpeak:
		return r.speak(ctx, s, o)
	case stepRender:
		return did{err: r.render(ctx, s, o)}
	}
	return did{}
}

func (r *Reconciler) write(ctx context.Context, s *v1beta1.Slideshow, o *seen) did {
	began := r.Clock.Now()
	draft, err := r.Writer.Write(ctx, shortwork.WriteRequest(s, o.brand))
	if err != nil {
		if ctx.Err() != nil {
			return did{err: err} // the manager is stopping: the next one writes
		}
		if say := shortwork.NotReady(err); say != "" {
			log.FromContext(ctx).Info("text model not ready", "error", err.Error())
			return did{unready: say}
		}
		log.FromContext(ctx).Error(err, "writing the text", "attempt", s.Status.Work.Attempt)
		return did{failed: shortwork.Unwritten(err)}
	}
	log.FromContext(ctx).Info("text written", "short_id", s.Labels[v1beta1.LabelID], "slides", len(draft.Slides), "text_ms", r.Clock.Since(began).Milliseconds())
	return did{text: textOf(draft, deck.SourceHash(s))}
}

// mostOmitted is how many omitted passages a status can hold.
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

func (r *Reconciler) draw(ctx context.Context, s *v1beta1.Slideshow, o *seen, d v1beta1.Design) did {
	revision := s.Status.Revision
	vh := deck.VisualHash(s, d)
	if s.Status.VisualHash == vh && len(s.Status.Slides) > 0 {
		return did{drawn: &Drawn{Revision: revision, Design: d, Kept: true}}
	}
	if err := r.silence(ctx, s); err != nil { // of the slides before
		return did{err: err}
	}
	if missing := r.gather(ctx, s, o, d); missing != nil {
		return *missing
	}
	in := drawing(s, o, d, revision+1)
	if missing := r.imagine(ctx, s, o, in); missing != nil {
		return *missing
	}
	began := r.Clock.Now()
	drawn, err := r.Drawer.Draw(ctx, in)
	if err != nil {
		if ctx.Err() != nil {
			return did{err: err}
		}
		var unfit *UnfitError
		if errors.As(err, &unfit) {
			return did{failed: &v1beta1.WorkError{
				Code: string(catalog.ValidationFailed), Message: unfit.Message, Details: map[string]string{"field": unfit.Field},
			}}
		}
		log.FromContext(ctx).Error(err, "drawing the slides", "attempt", s.Status.Work.Attempt)
		return did{failed: &v1beta1.WorkError{
			Code: string(catalog.GenerationFailed), Message: "The slides could not be drawn and stored", Retryable: true,
		}}
	}
	drawn.Revision, drawn.Design = revision+1, d
	log.FromContext(ctx).Info("slides drawn", "short_id", s.Labels[v1beta1.LabelID], "slides", len(drawn.Slides), "revision", revision+1,
		"draw_ms", r.Clock.Since(began).Milliseconds())
	return did{drawn: drawn}
}

// clean removes what the slideshow stored, except what open posts publish, then releases it. While a pod of it may still write, it waits.
func (r *Reconciler) clean(ctx context.Context, s *v1beta1.Slideshow, o *seen) did {
	if controllerutil.ContainsFinalizer(s, Finalizer) {
		wait, err := r.studio().Halt(ctx, s, s.Status.SpeechAttempt)
		if err != nil || wait > 0 {
			return did{err: err, wait: wait}
		}
	}
	return did{err: finalize.Release(ctx, r.Client, s, Finalizer, func() error {
		if err := r.close(ctx, s, o); err != nil {
			return err
		}
		if s.Status.SpeechAttempt > 0 {
			r.Jobs.Slots.Free(s.UID)
			if err := r.Drawer.Store.DeletePrefix(ctx, runner.MediaPrefix(s)); err != nil { // the orders of its Jobs
				return err
			}
		}
		return pinned.Remove(ctx, r.Client, r.Drawer.Store, Prefix(s))
	})}
}

// Prefix is where everything made for a slideshow lies in the blob store. The uid is in it, so that a slideshow made
// anew under an old name never finds another's pictures.
func Prefix(s *v1beta1.Slideshow) string {
	return fmt.Sprintf("shorts/%s/%s/", s.Namespace, v1beta1.Origin(s))
}
