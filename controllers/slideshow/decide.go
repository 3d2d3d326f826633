// SPDX-License-Identifier: Apache-2.0

package slideshow

import (
	"fmt"
	"time"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/account/ledger"
	"github.com/reelops/reelops/internal/account/tenancy"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/content/deck"
	"github.com/reelops/reelops/internal/film/shortwork"
)

type action int

const (
	actionNothing    action = iota // nothing to do, or a user has to act
	actionWait                     // for another object
	actionClean                    // the slideshow is being deleted: remove its files
	actionStart                    // start the work and charge it to the plan
	actionFail                     // end the work
	actionSettle                   // charge the AI images that were created and release the other credits
	actionRefund                   // refund the charge of failed work
	actionWrite                    // write the texts
	actionDraw                     // draw the slides
	actionSpeak                    // speak the slides
	actionRender                   // create the RenderJob that autoRender requests
	actionAwaitTrack               // for the music of the video that autoRender requests
)

// decision is the one action of a pass.
type decision struct {
	kind    action
	reason  v1beta1.Reason     // of actionWait, actionAwaitTrack and actionFail
	message string             // of actionWait and actionAwaitTrack
	err     *v1beta1.WorkError // of actionFail
	design  v1beta1.Design     // in force for this pass; zero without a brand
	requeue time.Duration      // of actionWait: time until the next reconcile; 0 for the next event
}

// rule returns the decision about a slideshow, or nil if the rule does not apply. A rule reads nothing but its
// arguments and changes none of them. decide sets the design of the decision.
type rule func(*v1beta1.Slideshow, *observed, time.Time) *decision

// rules of a slideshow, in order. The first rule that applies decides.
var rules = []rule{
	deleted,       // files are removed before anything else
	creditsOpen,   // credits are settled however the work ended
	refundDue,     // a refund depends on the recorded failure only
	suspended,     // a draft is left alone, but work in progress continues
	ended,         // settled work stays as it is, except for its video
	overdue,       // the deadline of the work ends every wait
	inputsMissing, // other objects may be applied later
	inputsInvalid, // checked before the work is charged
	notStarted,    // waiting is free, starting is charged
	textMissing,   // the slides show the text
	speechMissing, // the speech reads the texts of the drawn slides
	slidesUndrawn, // drawing also ends the work
}

// decide returns what a pass does about a slideshow. It depends on its arguments only.
func decide(s *v1beta1.Slideshow, o *observed, now time.Time) decision {
	d := decision{}
	for _, r := range rules {
		if by := r(s, o, now); by != nil {
			d = *by
			break
		}
	}
	if o.Brand != nil {
		d.design = designFor(s, o)
	}
	return d
}

func deleted(s *v1beta1.Slideshow, _ *observed, _ time.Time) *decision {
	if s.DeletionTimestamp.IsZero() {
		return nil
	}
	return &decision{kind: actionClean}
}

// creditsOpen settles the credits of work that has ended.
func creditsOpen(s *v1beta1.Slideshow, o *observed, _ time.Time) *decision {
	if !shortwork.Settled(s.Status.Work) || o.account == nil || !unsettled(s, o.account) {
		return nil
	}
	return &decision{kind: actionSettle}
}

// refundDue refunds a failure that the user did not cause. It follows from the recorded failure and not from the pass
// that recorded it: that pass may be lost.
func refundDue(s *v1beta1.Slideshow, o *observed, _ time.Time) *decision {
	if o.account == nil || !refundable(s) {
		return nil
	}
	return &decision{kind: actionRefund}
}

func suspended(s *v1beta1.Slideshow, _ *observed, _ time.Time) *decision {
	if !s.Spec.Suspend || shortwork.InProgress(s.Status.Work) {
		return nil
	}
	return &decision{}
}

// ended leaves settled work as it is until the spec or the retry annotation requests more.
func ended(s *v1beta1.Slideshow, o *observed, _ time.Time) *decision {
	if !shortwork.Settled(s.Status.Work) || wantsWork(s) {
		return nil
	}
	return decideRender(s, o)
}

func overdue(s *v1beta1.Slideshow, _ *observed, now time.Time) *decision {
	if left, bounded := timeLeft(s, now); !shortwork.InProgress(s.Status.Work) || !bounded || left > 0 {
		return nil
	}
	return fail(v1beta1.ReasonFailed, catalog.GenerationFailed, true, shortwork.Overdue(s.Status.Work, "slideshow"), nil)
}

// inputsMissing waits until the deadline for objects that may be applied later.
func inputsMissing(s *v1beta1.Slideshow, o *observed, now time.Time) *decision {
	reason, message := missing(s, o)
	if reason == "" {
		return nil
	}
	left, bounded := timeLeft(s, now)
	if bounded && left <= 0 {
		return fail(reason, catalog.ValidationFailed, false, message, nil)
	}
	return &decision{kind: actionWait, reason: reason, message: message, requeue: max(left, 0)}
}

func inputsInvalid(s *v1beta1.Slideshow, o *observed, _ time.Time) *decision {
	e := unusable(s, o, designFor(s, o))
	if e == nil {
		return nil
	}
	return fail(v1beta1.ReasonFailed, catalog.ValidationFailed, false, e.Message, e.Details)
}

// notStarted starts the work if the plan covers it. The slideshow is charged once, and again only after a refund. A
// reservation of the front end for this slideshow, and a charge that its status does not record yet, count as its own.
func notStarted(s *v1beta1.Slideshow, o *observed, now time.Time) *decision {
	if shortwork.InProgress(s.Status.Work) {
		return nil
	}
	if d := unaffordable(ledger.Affordable(o.account, s, creditsFor(s, o, designFor(s, o)), now)); d != nil {
		return d
	}
	return &decision{kind: actionStart}
}

func textMissing(s *v1beta1.Slideshow, _ *observed, _ time.Time) *decision {
	if deck.Written(s) {
		return nil
	}
	return &decision{kind: actionWrite}
}

// speechMissing speaks slides that are drawn. It waits while the namespace is not served with Jobs.
func speechMissing(s *v1beta1.Slideshow, o *observed, now time.Time) *decision {
	if !laidOut(s, designFor(s, o)) || deck.Voiced(s) {
		return nil
	}
	if o.closed != nil {
		left, _ := timeLeft(s, now)
		return &decision{
			kind: actionWait, reason: o.closed.Reason, message: o.closed.Message, requeue: min(max(left, 0), tenancy.Retry),
		}
	}
	return &decision{kind: actionSpeak}
}

// slidesUndrawn draws the slides. Drawing ends the work, so it runs even if nothing visible changed. Slides that are
// already drawn are found by name.
func slidesUndrawn(*v1beta1.Slideshow, *observed, time.Time) *decision {
	return &decision{kind: actionDraw}
}

// laidOut reports whether the slides are drawn as the spec requests.
func laidOut(s *v1beta1.Slideshow, d v1beta1.Design) bool {
	return len(s.Status.Slides) > 0 && s.Status.VisualHash == deck.VisualHash(s, d)
}

// fail returns the decision that ends the work with an error.
func fail(r v1beta1.Reason, c catalog.Code, retryable bool, message string, details map[string]string) *decision {
	e := &v1beta1.WorkError{Code: string(c), Message: message, Retryable: retryable, Details: details}
	return &decision{kind: actionFail, reason: r, err: e}
}

// wantsWork reports whether settled work has to be started again.
func wantsWork(s *v1beta1.Slideshow) bool {
	if s.Annotations[v1beta1.AnnotationRetry] != s.Status.RetriedFor && s.Status.Work.State == v1beta1.WorkFailed {
		return true
	}
	return deck.Outdated(s)
}

// redraws reports whether work only draws existing slides, whose text stays. Clients that wait for the slides see no new
// job.
func redraws(s *v1beta1.Slideshow) bool {
	w := s.Status.Work
	return w != nil && len(s.Status.Slides) > 0 && deck.Written(s) && (w.State == v1beta1.WorkSucceeded || deck.Edited(s))
}

// timeLeft returns the time until work that has not ended, or a wait for other objects, counts as failed. It is
// unbounded after an edit and after the release of a draft, because neither has a time to count from. The conditions
// report what the slideshow waits for.
func timeLeft(s *v1beta1.Slideshow, now time.Time) (left time.Duration, bounded bool) {
	w := s.Status.Work
	switch {
	case w != nil && !w.State.Settled() && w.StartedAt != nil:
		deadline := catalog.GenerationDeadline
		if deck.Spoken(s) {
			deadline = catalog.VoiceOverDeadline
		}
		return deadline - now.Sub(w.StartedAt.Time), true
	case (w == nil || w.State == v1beta1.WorkQueued) && s.Generation <= 1:
		return catalog.QueueDeadline - now.Sub(s.CreationTimestamp.Time), true
	}
	return 0, false
}

// missing returns the reason and a message for the first object that the slideshow needs and that does not exist or is
// not ready.
func missing(s *v1beta1.Slideshow, o *observed) (v1beta1.Reason, string) {
	switch {
	case o.account == nil:
		return v1beta1.ReasonAccountNotFound, fmt.Sprintf("The namespace %s has no Account named %q", s.Namespace, v1beta1.AccountName)
	case o.Brand == nil:
		return v1beta1.ReasonBrandNotFound, fmt.Sprintf("There is no Brand %q in the namespace", s.Spec.BrandRef.Name)
	}
	return o.Missing(s)
}

// unusable returns the error of the first value in the spec that can never work and that the API server cannot check.
func unusable(s *v1beta1.Slideshow, o *observed, d v1beta1.Design) *v1beta1.WorkError {
	bad := func(field, format string, a ...any) *v1beta1.WorkError {
		return &v1beta1.WorkError{Message: fmt.Sprintf(format, a...), Details: map[string]string{"field": field}}
	}
	if _, ok := catalog.DesignStyleByID(d.Style); !ok {
		return bad("designStyle", "There is no design style %q", d.Style)
	}
	if d.ImageWorld != "" {
		if _, ok := catalog.WorldByID(d.ImageWorld); !ok {
			return bad("imageWorld", "There is no image world %q", d.ImageWorld)
		}
	}
	if d.ImageSource.Type == v1beta1.ImageSourceAI && !o.ai.Available {
		return bad("imageSource.type", "AI images are not configured in this installation")
	}
	for i := range s.Spec.Slides {
		img := s.Spec.Slides[i].Image
		if img == nil {
			continue
		}
		field := fmt.Sprintf("slides[%d].image", i)
		if img.Stock != nil {
			if why := unusableStock(o, *img.Stock); why != "" {
				return bad(field+".stock", "%s", why)
			}
			continue
		}
		if a := o.Media[img.MediaRef.Name]; a.Status.Error != nil {
			return bad(field+".mediaRef", "The MediaAsset %q cannot be used: %s", a.Name, a.Status.Error.Message)
		} else if a.Status.Probe.Kind != "image" {
			return bad(field+".mediaRef", "The MediaAsset %q is not an image", a.Name)
		}
	}
	return nil
}

// refundable reports whether the creation of the slideshow failed through no fault of its user and is still charged. An
// edit that fails is not refunded: the slides that were paid for remain.
func refundable(s *v1beta1.Slideshow) bool {
	return !deck.Edited(s) && shortwork.Refundable(s.Status.Work, s)
}
