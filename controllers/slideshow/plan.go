// SPDX-License-Identifier: Apache-2.0

package slideshow

import (
	"fmt"
	"time"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/account/ledger"
	"github.com/reelops/reelops/internal/account/quota"
	"github.com/reelops/reelops/internal/account/tenancy"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/content/deck"
	"github.com/reelops/reelops/internal/film/shortwork"
	"github.com/reelops/reelops/internal/kube/status"
)

type stepKind int

const (
	stepNothing    stepKind = iota // all is as it should be, or a person has to act
	stepWait                       // for another object
	stepClean                      // the slideshow is being deleted: remove its blobs
	stepStart                      // take the work up, charged to the plan
	stepFail                       // end the work
	stepSettle                     // pay for the AI pictures that were made and give what else is held back
	stepRefund                     // give the charge of failed work back
	stepWrite                      // write the texts
	stepDraw                       // draw the slides
	stepSpeak                      // speak the slides
	stepRender                     // make the RenderJob that autoRender asks for
	stepAwaitTrack                 // for the music of the video that autoRender asks for
)

// step is what a pass shall do.
type step struct {
	kind   stepKind
	reason v1beta1.Reason     // of stepWait, stepAwaitTrack and stepFail
	say    string             // of stepWait and stepAwaitTrack
	err    *v1beta1.WorkError // of stepFail
	design v1beta1.Design     // in force for this pass
	again  time.Duration      // when to look again, 0: when something changes
}

// plan decides. It reads nothing but its arguments. The first rule that holds wins.
func plan(s *v1beta1.Slideshow, o *seen, now time.Time) step {
	if !s.DeletionTimestamp.IsZero() {
		return step{kind: stepClean}
	}
	started := s.Status.Work != nil
	running := started && !s.Status.Work.State.Settled()
	st := step{}
	if o.brand != nil {
		st.design = designFor(s, o)
	}

	// What work held for AI pictures is settled when it has ended, however.
	if started && !running && o.account != nil && unsettled(s, o.account) {
		st.kind = stepSettle
		return st
	}
	// A failure that is not the user's is given back. This follows from the recorded verdict, not from the pass that came to
	// it: that pass may be lost, and the next may come to another.
	if started && !running && refundable(s) && o.account != nil {
		st.kind = stepRefund
		return st
	}
	// A suspended slideshow is a draft; work that is going on is not thrown away.
	if s.Spec.Suspend && !running {
		return st
	}
	// What ended stays as it is until the spec or the retry annotation asks for more.
	if started && !running && !wantsWork(s) {
		return st.planFilm(s, o)
	}
	left, bounded := patience(s, now)
	if running && bounded && left <= 0 {
		return st.fail(v1beta1.ReasonFailed, catalog.GenerationFailed, true, shortwork.Overdue(s.Status.Work, "slideshow"), nil)
	}
	// Other objects may be applied after this one: wait for them, as long as work may wait.
	if reason, say := missing(s, o); reason != "" {
		if bounded && left <= 0 {
			return st.fail(reason, catalog.ValidationFailed, false, say, nil)
		}
		st.kind, st.reason, st.say, st.again = stepWait, reason, say, max(left, 0)
		return st
	}
	if e := unusable(s, o, st.design); e != nil {
		return st.fail(v1beta1.ReasonFailed, catalog.ValidationFailed, false, e.Message, e.Details)
	}
	if !running {
		// The plan is charged once, again only after a refund. Waiting does not cost; beginning does.
		// A charge that the account counted before the slideshow could take note of it is the slideshow's own.
		// What the front end held for it is its own as well.
		if f := st.unaffordable(ledger.Affordable(o.account, s, creditsFor(s, o, st.design), now)); f != nil {
			return *f
		}
		st.kind = stepStart
		return st
	}
	if !deck.Written(s) {
		st.kind = stepWrite
		return st
	}
	if laidOut(s, st.design) && !deck.Voiced(s) {
		if o.closed != nil {
			st.kind, st.reason, st.say, st.again = stepWait, o.closed.Reason, o.closed.Message, min(max(left, 0), tenancy.Retry)
			return st
		}
		st.kind = stepSpeak
		return st
	}
	// Drawing also ends the work, so it runs even when nothing visual changed; what is drawn already is found by name.
	st.kind = stepDraw
	return st
}

// laidOut reports whether the slides are drawn as the spec asks for.
func laidOut(s *v1beta1.Slideshow, d v1beta1.Design) bool {
	return len(s.Status.Slides) > 0 && s.Status.VisualHash == deck.VisualHash(s, d)
}

func (st step) fail(r v1beta1.Reason, c catalog.Code, retryable bool, message string, details map[string]string) step {
	st.kind, st.reason = stepFail, r
	st.err = &v1beta1.WorkError{Code: string(c), Message: message, Retryable: retryable, Details: details}
	return st
}

// exhausted ends the work because the plan has nothing left.
func (st step) exhausted(q quota.State) step {
	return st.fail(v1beta1.ReasonQuotaExceeded, catalog.QuotaExceeded, false,
		fmt.Sprintf("The plan's %d slideshows of this period are used up", q.Limit),
		map[string]string{"limit": fmt.Sprint(q.Limit), "used": fmt.Sprint(q.Used), "resets_at": q.PeriodEnd.Format(time.RFC3339)})
}

// wantsWork says whether settled work has to be taken up again.
func wantsWork(s *v1beta1.Slideshow) bool {
	if s.Annotations[v1beta1.AnnotationRetry] != s.Status.RetriedFor && s.Status.Work.State == v1beta1.WorkFailed {
		return true
	}
	return deck.Outdated(s)
}

// redraws says that work only has to draw slides that were made before: their text stands. It is no new slideshow, and it is
// no new job to those who wait for one.
func redraws(s *v1beta1.Slideshow) bool {
	w := s.Status.Work
	return w != nil && len(s.Status.Slides) > 0 && deck.Written(s) && (w.State == v1beta1.WorkSucceeded || deck.Edited(s))
}

// patience is how long the slideshow may still take, or wait for others, before that is a failure. An edit has no time that
// could be counted from, so what waits after one, or after a draft was released, waits without bound: whoever edited it
// reads in the conditions for what.
func patience(s *v1beta1.Slideshow, now time.Time) (left time.Duration, bounded bool) {
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

// missing names the first object that the slideshow needs and that is not there or not ready.
func missing(s *v1beta1.Slideshow, o *seen) (v1beta1.Reason, string) {
	switch {
	case o.account == nil:
		return v1beta1.ReasonAccountNotFound, fmt.Sprintf("The namespace %s has no Account named %q", s.Namespace, v1beta1.AccountName)
	case o.brand == nil:
		return v1beta1.ReasonBrandNotFound, fmt.Sprintf("There is no Brand %q in the namespace", s.Spec.BrandRef.Name)
	}
	if src := imageSource(s, o.brand); src.Type == v1beta1.ImageSourcePack {
		switch {
		case o.pack != nil && len(o.pack.pictures) == 0:
			return v1beta1.ReasonMediaNotReady, fmt.Sprintf("The MediaPack %q has no ready pictures", o.pack.name)
		case o.pack != nil:
		case src.PackRef != nil:
			return v1beta1.ReasonPackNotFound, fmt.Sprintf("There is no MediaPack %q in the namespace", src.PackRef.Name)
		case src.LibraryPackRef != nil:
			return v1beta1.ReasonPackNotFound, fmt.Sprintf("There is no pack %q that every account has", src.LibraryPackRef.Name)
		default:
			return v1beta1.ReasonPackNotFound, "The image source names no pack"
		}
	}
	for i := range s.Spec.Slides {
		img := s.Spec.Slides[i].Image
		if img == nil || img.MediaRef == nil {
			continue
		}
		a := o.media[img.MediaRef.Name]
		switch {
		case a == nil:
			return v1beta1.ReasonMediaNotFound, fmt.Sprintf("There is no MediaAsset %q in the namespace", img.MediaRef.Name)
		case a.Status.Probe == nil && a.Status.Error == nil:
			return v1beta1.ReasonMediaNotReady, fmt.Sprintf("The MediaAsset %q is not ready: %s", a.Name, status.Why(a.Status.Conditions))
		}
	}
	return missingShared(s, o)
}

// unusable tells what in the spec can never work, beyond what the API server could check.
func unusable(s *v1beta1.Slideshow, o *seen, d v1beta1.Design) *v1beta1.WorkError {
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
		return bad("imageSource.type", "AI pictures are not set up in this installation")
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
		if a := o.media[img.MediaRef.Name]; a.Status.Error != nil {
			return bad(field+".mediaRef", "The MediaAsset %q cannot be used: %s", a.Name, a.Status.Error.Message)
		} else if a.Status.Probe.Kind != "image" {
			return bad(field+".mediaRef", "The MediaAsset %q is not a picture", a.Name)
		}
	}
	return nil
}

// refundable says that making the slideshow has failed through no fault of its user and is still charged. An edit that
// fails leaves the slides that were paid for.
func refundable(s *v1beta1.Slideshow) bool {
	w := s.Status.Work
	return w != nil && !deck.Edited(s) && w.State == v1beta1.WorkFailed && w.Error != nil && w.Error.Retryable && ledger.IsCommitted(s)
}
