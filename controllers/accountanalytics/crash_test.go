// SPDX-License-Identifier: Apache-2.0

package accountanalytics

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/social/publish"
	"github.com/reelops/reelops/internal/testkit"
)

// killed is a pass of a process that may end in the middle of it.
func (w *world) killed() {
	defer func() { _ = recover() }()
	_, _ = w.pass()
}

func kill() { panic("killed") }

// asked is an account whose numbers were read, with a post since, new followers, and a request.
func asked(t *testing.T) (*world, *v1beta1.Post) {
	t.Helper()
	w := newWorld(t)
	w.begun()
	p := w.published("b")
	w.after(20 * time.Minute)
	w.source.followers = 99
	w.request()
	w.restart()
	return w, p
}

// answered says that the request has its answer and nothing is left over.
func (w *world) answered(why string) {
	w.t.Helper()
	a := w.is(v1beta1.ReasonRefreshed)
	if *a.Status.Followers != 99 || !a.Status.AnsweredRequestAt.Equal(a.Spec.RefreshRequestedAt) || a.Status.Refreshing || a.Status.Failures != 0 {
		w.t.Errorf("%s: %+v", why, a.Status)
	}
	w.document() // can be read at any moment
}

// TestCrashAtEveryWrite fails every write of a requested refresh, before and after it is applied, with and without the
// end of the process. Each case must end with new metrics, an answered request and one document.
func TestCrashAtEveryWrite(t *testing.T) {
	w, _ := asked(t)
	w.good()
	writes := slices.Clone(w.recorder.Writes)
	if len(writes) != 3 || writes[2] != "patch Post/status" {
		t.Fatalf("a refresh writes that it begins, what it brought, and a post's numbers; not %v", writes)
	}
	for i := range writes {
		for _, fault := range []testkit.Fault{testkit.Lost, testkit.Unanswered} {
			for _, dies := range []bool{false, true} {
				why := fmt.Sprintf("write %d, %s, %s, the process dies: %t", i+1, writes[i], fault, dies)
				w, p := asked(t)
				w.recorder.FailAt, w.recorder.Fault = i+1, fault
				if dies {
					w.recorder.OnFault = kill
				}
				w.killed()
				if dies {
					w.restart()
				}
				for range 2 {
					w.after(time.Second)
					w.good()
				}
				w.answered(why)
				w.after(7 * time.Hour)
				w.good()
				w.whole(why + ", after the next")
				if err := cluster.Client.Get(t.Context(), client.ObjectKeyFromObject(p), p); err != nil || p.Status.Metrics == nil || *p.Status.Metrics.Views != 200 {
					t.Errorf("%s: the post shows %+v, %v", why, p.Status.Metrics, err)
				}
			}
		}
	}
}

// TestStoreFails does the same with what is written to the store.
func TestStoreFails(t *testing.T) {
	broken := errors.New("the disk is full")
	for _, c := range []struct {
		why, call string
		do        func(w *world, key string) error
		dies      bool
		later     time.Duration
	}{
		{"killed before the document is stored", "put", func(*world, string) error { kill(); return nil }, true, time.Second},
		{"killed between the document and the status", "put", func(w *world, key string) error {
			if err := w.store.Store.Put(context.Background(), key, contentType, strings.NewReader("half")); err != nil {
				return err
			}
			kill()
			return nil
		}, true, time.Second},
		{"the store does not take it", "put", func(*world, string) error { return broken }, false, 40 * time.Minute * 2},
		{"the store does not give the one before", "get", func(*world, string) error { return broken }, false, 40 * time.Minute * 2},
		{"killed before the one before is removed", "delete", func(*world, string) error { kill(); return nil }, true, 7 * time.Hour},
		{"the one before cannot be removed", "delete", func(*world, string) error { return broken }, false, 7 * time.Hour},
	} {
		w, _ := asked(t)
		before := w.get().Status
		happened := false
		w.store.on = func(call, key string) error {
			if call != c.call {
				return nil
			}
			happened = true
			return c.do(w, key)
		}
		w.killed()
		w.store.on = nil
		if !happened {
			t.Fatalf("%s: it did not happen", c.why)
		}
		if c.call != "delete" && w.get().Status.DocumentKey != before.DocumentKey {
			t.Errorf("%s: the status names a document that is not there", c.why)
		}
		w.document()
		if c.dies {
			w.restart()
		}
		w.after(c.later)
		w.good()
		w.answered(c.why)
		w.whole(c.why)
	}
}

// TestTwoManagers has another process take over in the middle of a refresh.
func TestTwoManagers(t *testing.T) {
	t.Run("that is done before the first goes on", func(t *testing.T) {
		w, _ := asked(t)
		second, _ := w.manager()
		once := true
		w.source.on = func(call string, _ publish.Account) error {
			if call == "page" && once {
				once = false
				w.after(time.Second)
				if _, err := second.Reconcile(t.Context(), ctrl.Request{NamespacedName: w.key}); err != nil {
					t.Error(err)
				}
				w.answered("by the second")
			}
			return nil
		}
		w.good()
		w.answered("and the first changes nothing")
		w.whole("and leaves nothing")
	})
	t.Run("that goes on after the first", func(t *testing.T) {
		w, _ := asked(t)
		second, _ := w.manager()
		reached, goOn, done := make(chan struct{}), make(chan struct{}), make(chan error, 1)
		pages := 0
		w.source.on = func(call string, _ publish.Account) error {
			if call != "page" {
				return nil
			}
			switch pages++; pages {
			case 1:
				w.after(time.Second)
				go func() {
					_, err := second.Reconcile(context.Background(), ctrl.Request{NamespacedName: w.key})
					done <- err
				}()
				<-reached
			case 2:
				close(reached)
				<-goOn
			}
			return nil
		}
		w.good()
		if a := w.get(); !a.Status.Refreshing {
			t.Errorf("the second is at it: %+v", a.Status)
		}
		close(goOn)
		if err := <-done; err != nil {
			t.Error(err)
		}
		w.answered("by the second")
		w.whole("and the first left nothing")
	})
}

func TestInterrupted(t *testing.T) {
	w, _ := asked(t)
	ctx, cancel := context.WithCancel(t.Context())
	w.source.on = func(string, publish.Account) error { cancel(); return ctx.Err() }
	if r, err := w.r.Reconcile(ctx, ctrl.Request{NamespacedName: w.key}); err != nil || r.RequeueAfter == 0 {
		t.Errorf("%+v %v", r, err)
	}
	if a := w.get(); !a.Status.Refreshing || a.Status.Error != nil {
		t.Errorf("a process that is asked to end leaves it to the next: %+v", a.Status)
	}
	w.source.on = nil
	w.restart()
	w.good()
	w.answered("which does it at once")
	w.whole("and leaves nothing")
}

// A document that ends its process each time is not tried without a pause.
func TestCrashLoop(t *testing.T) {
	w, _ := asked(t)
	w.source.on = func(string, publish.Account) error { kill(); return nil }
	for range 40 {
		w.killed()
		w.restart()
		w.after(15 * time.Second)
	}
	if calls := w.source.count(); calls > 9 {
		t.Errorf("%d tries in ten minutes", calls)
	}
	w.source.on = nil
	w.after(time.Hour)
	w.good()
	w.answered("in the end")
}

func TestAskedAgainMeanwhile(t *testing.T) {
	w, _ := asked(t)
	first := w.get().Spec.RefreshRequestedAt
	w.source.on = func(call string, _ publish.Account) error {
		if call == "page" {
			w.after(10 * time.Second)
			w.request()
		}
		return nil
	}
	w.good()
	w.source.on = nil
	a := w.get()
	if !a.Status.AnsweredRequestAt.Equal(first) || *a.Status.Followers != 99 || a.Status.Refreshing {
		t.Errorf("the first request is answered, and the second put off: %+v", a.Status)
	}
	if r := w.good(); r.RequeueAfter > catalog.RefreshCooldown {
		t.Errorf("again in %s", r.RequeueAfter)
	}
	w.after(catalog.RefreshCooldown)
	w.good()
	w.answered("the second as well")
}

func TestRemovedMeanwhile(t *testing.T) {
	for _, force := range []bool{false, true} {
		w, _ := asked(t)
		w.source.on = func(call string, _ publish.Account) error {
			if call != "page" {
				return nil
			}
			a := w.get()
			if err := cluster.Client.Delete(t.Context(), a); err != nil {
				t.Error(err)
			}
			if force {
				before := w.get()
				a = before.DeepCopy()
				a.Finalizers = nil
				if err := cluster.Client.Patch(t.Context(), a, client.MergeFrom(before)); err != nil {
					t.Error(err)
				}
			}
			return nil
		}
		before := w.get().Status.DocumentKey
		w.good()
		w.source.on = nil
		if force { // then nobody knows of the older one: whoever forces it takes that over
			if keys := w.keys(); len(keys) != 1 || keys[0] != before {
				t.Errorf("nothing new is left: %v", keys)
			}
			continue
		}
		w.good()
		if keys := w.keys(); len(keys) > 0 {
			t.Errorf("%v", keys)
		}
	}
}
