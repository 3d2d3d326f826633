// SPDX-License-Identifier: Apache-2.0

package post

import (
	"context"
	"errors"
	"testing"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/social/publish"
)

// second returns another process with the same cluster, platform and clock.
func (w *world) second() *world {
	other := newWorld(w.t, 0, none)
	other.live, other.clock, other.platform, other.accounts = w.live, w.clock, w.platform, w.accounts
	other.start()
	w.shared, other.shared = true, true
	return other
}

// writing passes the process's writes to the status of posts through f.
func (w *world) writing(f func(p *v1beta1.Post, do func() error) error) {
	w.r.Client = interceptor.NewClient(w.r.Client.(client.WithWatch), interceptor.Funcs{ //nolint:forcetypeassert // start made it
		SubResourcePatch: func(ctx context.Context, c client.Client, sub string, o client.Object, p client.Patch, opts ...client.SubResourcePatchOption) error {
			do := func() error { return c.SubResource(sub).Patch(ctx, o, p, opts...) }
			if post, ok := o.(*v1beta1.Post); ok {
				return f(post, do)
			}
			return do()
		},
	})
}

// ended reports whether the first post has ended.
func (w *world) ended() bool { return w.post("post-1").Status.State.Final() }

func (w *world) once(t *testing.T) {
	t.Helper()
	if p := w.post("post-1"); w.landed("1") != 1 || p.Status.State != v1beta1.PostSuccess {
		t.Errorf("published %d times: %+v", w.landed("1"), p.Status)
	}
}

func intends(p *v1beta1.Post) bool {
	a := last(p)
	return a != nil && a.State == v1beta1.AttemptIntended
}

// TestAttempt_SuspendedBeforeTheCall suspends a process between the write of its attempt and its call. Meanwhile
// another process resolves the attempt and records the next one.
func TestAttempt_SuspendedBeforeTheCall(t *testing.T) {
	w := newWorld(t, 0, none, atOnce()...)
	other := w.second()
	held := false
	w.writing(func(p *v1beta1.Post, do func() error) error {
		err := do()
		if err == nil && intends(p) && !held {
			held = true
			other.r.onPost(w.post("post-1"))
			other.until(10*time.Minute, other.ended)
		}
		return err
	})
	w.until(time.Hour, w.ended)
	w.once(t)
}

// TestAttempt_OnlyProcessSuspendedBeforeTheCall suspends the only process. It records the attempt as not sent, and
// publishes the post later.
func TestAttempt_OnlyProcessSuspendedBeforeTheCall(t *testing.T) {
	w := newWorld(t, 0, none, atOnce()...)
	w.platform.blind = true
	held := false
	w.writing(func(p *v1beta1.Post, do func() error) error {
		err := do()
		if intends(p) && !held {
			held = true
			w.clock.Step(time.Hour)
		}
		return err
	})
	w.settle()
	w.once(t)
}

// TestAttempt_OfAnotherProcess loses a write of an attempt. Another process records an attempt with the same number,
// and is sending it when the first process continues.
func TestAttempt_OfAnotherProcess(t *testing.T) {
	w := newWorld(t, 0, none, atOnce()...)
	other := w.second()
	broke := false
	w.writing(func(p *v1beta1.Post, do func() error) error {
		if intends(p) && !broke {
			broke = true
			return errors.New("the connection broke")
		}
		return do()
	})
	w.until(time.Minute, func() bool { return broke })
	w.clock.Step(time.Second)
	looked := false
	w.before = func() {
		if p := w.post("post-1"); intends(p) && !looked {
			looked = true
			w.pass(client.ObjectKeyFromObject(p))
		}
	}
	other.until(20*time.Minute, other.ended)
	if !looked {
		t.Error("the attempt was not looked up")
	}
	w.once(t)
}

// TestAttempt_SeenLate loses the response to the write of an attempt while the cache is behind. The next write is
// rejected. The attempt is still recognized as not sent, although the platform cannot confirm it.
func TestAttempt_SeenLate(t *testing.T) {
	w := newWorld(t, 0, none, atOnce()...)
	w.platform.blind = true
	broke := false
	w.writing(func(p *v1beta1.Post, do func() error) error {
		if intends(p) && !broke {
			broke = true
			w.freeze()
			if err := do(); err != nil {
				t.Fatal(err)
			}
			return errors.New("the connection broke")
		}
		return do()
	})
	w.settle()
	w.once(t)
}

// delayed is a platform whose responses are delayed.
type delayed struct {
	*platform
	late func()
}

func (a delayed) Commit(ctx context.Context, who publish.Account, draft publish.Draft, note []byte) (*publish.Receipt, error) {
	defer a.late()
	return a.platform.Commit(ctx, who, draft, note)
}

// TestAttempt_ResponseAfterNotSent suspends a process between the response and its record. The platform shows the
// post so late that another process has resolved the attempt as not sent.
func TestAttempt_ResponseAfterNotSent(t *testing.T) {
	w := newWorld(t, 0, none, atOnce()...)
	w.platform.lagging = 10 * time.Minute
	other := w.second()
	w.r.Platforms = map[v1beta1.Platform]publish.Platform{catalog.TikTok: delayed{w.platform, func() {
		other.r.onPost(w.post("post-1"))
		other.until(10*time.Minute, func() bool { return last(w.post("post-1")).State == v1beta1.AttemptNotSent })
	}}}
	w.until(10*time.Minute, func() bool { a := last(w.post("post-1")); return a != nil && a.State == v1beta1.AttemptAccepted })
	other.until(time.Hour, other.ended)
	w.once(t)
}

// finding is a platform that finds posts only by the session of their preparation.
type finding struct{ *platform }

func (f finding) Find(ctx context.Context, who publish.Account, draft publish.Draft, note []byte, at time.Time) (*publish.Receipt, error) {
	if string(note) != "session 2 of uid-1" {
		return nil, publish.ErrNotFound
	}
	return f.platform.Find(ctx, who, draft, note, at)
}

// TestFind_ByTheRecordedPreparation lets a process that has prepared the post itself look up an attempt that another
// process sent with its own preparation.
func TestFind_ByTheRecordedPreparation(t *testing.T) {
	w := newWorld(t, 0, none, inAnHour()...)
	w.r.Platforms = map[v1beta1.Platform]publish.Platform{catalog.TikTok: finding{w.platform}}
	w.until(50*time.Minute, func() bool {
		return w.r.local.of(client.ObjectKey{Namespace: "tenant", Name: "post-1"}, "uid-1", digest(w.post("post-1"))).ready
	})
	delete(w.platform.sessions, "session 1 of uid-1") // the session expired on the platform
	w.platform.lost = map[int]bool{1: true}
	other := w.second()
	other.until(40*time.Minute, func() bool { a := last(w.post("post-1")); return a != nil && a.State == v1beta1.AttemptUnknown })
	w.r.onPost(w.post("post-1"))
	w.until(2*time.Hour, w.ended)
	w.once(t)
}

// TestAttempt_PostReplacedDuringTheCall deletes a post without its finalizer, and recreates it, while its call is in
// flight.
func TestAttempt_PostReplacedDuringTheCall(t *testing.T) {
	w := newWorld(t, 0, none, atOnce()...)
	replaced := false
	w.before = func() {
		p := w.post("post-1")
		if replaced || !intends(p) {
			return
		}
		replaced = true
		p.Finalizers = nil
		anew := aPost("1", noon)
		anew.UID, anew.Spec.Hold = "uid-2", true
		if err := errors.Join(w.live.Update(t.Context(), p), w.live.Delete(t.Context(), p), w.live.Create(t.Context(), anew)); err != nil {
			t.Fatal(err)
		}
	}
	w.until(10*time.Minute, func() bool { return w.post("post-1").Status.State == v1beta1.PostHeld })
	if p := w.post("post-1"); !replaced || p.UID != "uid-2" || p.Status.State != v1beta1.PostHeld || len(p.Status.Attempts) > 0 {
		t.Errorf("replaced: %v, got %+v", replaced, p.Status)
	}
}
