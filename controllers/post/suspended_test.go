// SPDX-License-Identifier: Apache-2.0

package post

import (
	"context"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/social/posting"
)

func aBrand(suspended bool) *v1beta1.Brand {
	return &v1beta1.Brand{
		ObjectMeta: metav1.ObjectMeta{Namespace: "tenant", Name: "acme"}, Spec: v1beta1.BrandSpec{PostingSuspended: suspended},
	}
}

// suspend writes whether posting of the brand is suspended, and sends the event of the change.
func (w *world) suspend(suspended bool) {
	w.t.Helper()
	was := aBrand(false)
	if err := w.live.Get(w.t.Context(), client.ObjectKeyFromObject(was), was); err != nil {
		w.t.Fatal(err)
	}
	is := was.DeepCopy()
	is.Spec.PostingSuspended = suspended
	if err := w.live.Update(w.t.Context(), is); err != nil {
		w.t.Fatal(err)
	}
	w.r.onBrandUpdate(was, is)
}

func (w *world) pause(d time.Duration) { w.until(d, func() bool { return false }) }

func TestDecide_PostingSuspended(t *testing.T) {
	late := posting.ReasonSuspended
	for name, c := range map[string]struct {
		due     time.Duration
		post    func(*v1beta1.Post)
		kind    action
		state   v1beta1.PostState
		reason  v1beta1.Reason
		details string // details.reason of the error
		again   time.Duration
	}{
		"now":            {kind: doWait, state: v1beta1.PostPending, reason: v1beta1.ReasonPostingSuspended, details: late},
		"soon":           {due: 20 * time.Minute, kind: doWait, state: v1beta1.PostScheduled, reason: v1beta1.ReasonPostingSuspended, again: 20 * time.Minute},
		"far away":       {due: 2 * time.Hour, kind: doWait, state: v1beta1.PostScheduled, reason: v1beta1.ReasonScheduled, again: 90 * time.Minute},
		"later than 6 h": {due: -7 * time.Hour, kind: doWait, state: v1beta1.PostPending, reason: v1beta1.ReasonPostingSuspended, details: late},
		"canceled":       {post: func(p *v1beta1.Post) { p.Spec.Cancel = true }, kind: doCancel},
		"held":           {post: func(p *v1beta1.Post) { p.Spec.Hold = true }, kind: doHold},
		"accepted": {post: func(p *v1beta1.Post) {
			p.Status.Attempts = []v1beta1.PostAttempt{{Number: 1, State: v1beta1.AttemptAccepted, StartedAt: ago(0)}}
		}, kind: doPoll},
		"unresolved": {post: func(p *v1beta1.Post) {
			p.Status.Attempts = []v1beta1.PostAttempt{{Number: 1, State: v1beta1.AttemptIntended, StartedAt: ago(0)}}
		}, kind: doFind},
		"retry is due": {post: func(p *v1beta1.Post) {
			p.Status.State = v1beta1.PostRetrying
			p.Status.Attempts = []v1beta1.PostAttempt{{Number: 1, State: v1beta1.AttemptNotSent, StartedAt: ago(time.Hour)}}
			p.Status.Error = workError(catalog.InternalError, "down", map[string]string{"reason": "outage"})
		}, kind: doWait, state: v1beta1.PostRetrying, reason: v1beta1.ReasonPostingSuspended, details: "outage"},
		"no account, later": {due: 20 * time.Minute, post: func(p *v1beta1.Post) { p.Spec.Account = "gone" }, kind: doWait, state: v1beta1.PostScheduled, reason: v1beta1.ReasonPostingSuspended, again: 20 * time.Minute},
	} {
		t.Run(name, func(t *testing.T) {
			p := aPost("1", noon.Add(c.due))
			if c.post != nil {
				c.post(p)
			}
			o := &observed{
				now: noon, from: noon, configured: true, suspended: true, account: socialAccount(), batch: postBatch(noon.Add(c.due)),
				local: &localState{known: true, ready: true, graceEndsAt: noon},
			}
			o.batch.CreationTimestamp = metav1.NewTime(p.Spec.ScheduledAt.Time)
			d := decide(p, o)
			again := time.Duration(0)
			if !d.again.IsZero() {
				again = d.again.Sub(noon)
			}
			details := ""
			if d.err != nil {
				details = d.err.Details[detailReason]
			}
			if d.kind != c.kind || d.kind == doWait && (d.state != c.state || d.reason != c.reason || details != c.details || again != c.again || d.queued) {
				t.Errorf("got %+v, again in %v, error %q", d, again, details)
			}
		})
	}
}

// A post that becomes due while posting is suspended is late, and is published when posting is resumed.
func TestSuspended_PostGoesWhenPostingIsResumed(t *testing.T) {
	at := noon.Add(time.Hour)
	w := newWorld(t, 0, none, aBrand(true), socialAccount(), postBatch(at), aPost("1", at))
	w.pause(50 * time.Minute)
	if p := w.post("post-1"); w.reason() != v1beta1.ReasonPostingSuspended || p.Status.State != v1beta1.PostScheduled || p.Status.Error != nil || p.Status.Preparation != nil {
		t.Fatalf("before its time: %s, %+v", w.reason(), p.Status)
	}
	w.pause(3 * time.Hour)
	p := w.post("post-1")
	if e := p.Status.Error; w.reason() != v1beta1.ReasonPostingSuspended || p.Status.State != v1beta1.PostPending || e == nil ||
		e.Code != string(catalog.Conflict) || e.Details["reason"] != posting.ReasonSuspended || w.landed("1") > 0 {
		t.Fatalf("after its time: %s, %+v", w.reason(), p.Status)
	}
	if got := w.announced(); len(got) != 1 || !strings.HasPrefix(got[0], "Warning PostingSuspended ") || strings.Contains(got[0], "until 2") {
		t.Errorf("got events %q", got)
	}
	writes := w.writes
	w.pause(time.Hour)
	if w.writes != writes {
		t.Errorf("got %d writes while posting was suspended", w.writes-writes)
	}
	w.suspend(false)
	w.settle()
	w.once(t)
	if p := w.post("post-1"); p.Status.State != v1beta1.PostSuccess || p.Status.Error != nil {
		t.Errorf("got %+v", p.Status)
	}
}

// A post that is more than six hours late when posting is resumed fails, as one that waited for anything else.
func TestSuspended_PostFailsWhenPostingIsResumedTooLate(t *testing.T) {
	w := newWorld(t, 0, none, aBrand(true), socialAccount(), postBatch(noon), aPost("1", noon))
	w.pause(maxLateness + time.Hour)
	if p := w.post("post-1"); p.Status.State != v1beta1.PostPending {
		t.Fatalf("while posting is suspended: got %+v", p.Status)
	}
	w.suspend(false)
	w.settle()
	p := w.post("post-1")
	if e := p.Status.Error; p.Status.State != v1beta1.PostFailed || e == nil || e.Details["reason"] != reasonMissed || w.landed("1") > 0 {
		t.Errorf("got %+v", p.Status)
	}
}

// The cache may lag behind a suspension: the attempt reads the brand from the API server before it is recorded.
func TestSuspended_CacheLagsBehind(t *testing.T) {
	w := newWorld(t, 0, none, aBrand(false), socialAccount(), postBatch(noon), aPost("1", noon))
	stale := w.r.Client
	w.r.Client = staleBrand{stale}
	w.suspend(true)
	w.pause(time.Hour)
	if p := w.post("post-1"); len(p.Status.Attempts) > 0 || w.landed("1") > 0 || w.reason() != v1beta1.ReasonPostingSuspended {
		t.Fatalf("%s: got %+v", w.reason(), p.Status)
	}
	w.r.Client = stale
	w.suspend(false)
	w.settle()
	w.once(t)
}

// staleBrand is a cache in which posting was never suspended.
type staleBrand struct{ client.Client }

func (s staleBrand) Get(ctx context.Context, key client.ObjectKey, o client.Object, opts ...client.GetOption) error {
	err := s.Client.Get(ctx, key, o, opts...)
	if b, ok := o.(*v1beta1.Brand); ok {
		b.Spec.PostingSuspended = false
	}
	return err
}

// A post whose attempt has begun when posting is suspended is finished: its outcome is recorded, polled and commented.
func TestSuspended_BegunPostIsFinished(t *testing.T) {
	for _, f := range []fault{none, crashAfter, crashSlow, replyLost} {
		t.Run(string(f), func(t *testing.T) {
			p := aPost("1", noon)
			text := "first"
			p.Spec.Settings = &v1beta1.PostSettings{FirstComment: &text}
			w := newWorld(t, 0, none, aBrand(false), socialAccount(), postBatch(noon), p)
			w.before = func() {
				if q := w.post("post-1"); len(q.Status.Attempts) > 0 {
					w.before = nil
					w.failAt, w.fault = len(w.calls)+1, f
					w.suspend(true)
				}
			}
			w.until(5*time.Hour, func() bool { return w.post("post-1").Status.State.Final() && w.settled() })
			if got := w.post("post-1"); got.Status.State != v1beta1.PostSuccess || w.landed("1") != 1 {
				t.Errorf("got %+v, landed %d times", got.Status, w.landed("1"))
			}
		})
	}
}
