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

// killed runs a pass of a process that may die in it.
func (w *world) killed() {
	defer func() { _ = recover() }()
	_, _ = w.pass()
}

func kill() { panic("killed") }

// requestedRefresh returns an account with analytics, and requests another refresh after a new post and new
// followers.
func requestedRefresh(t *testing.T) (*world, *v1beta1.Post) {
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

// answered checks that the request is answered and no refresh is in progress.
func (w *world) answered(why string) {
	w.t.Helper()
	a := w.is(v1beta1.ReasonRefreshed)
	if *a.Status.Followers != 99 || !a.Status.AnsweredRequestAt.Equal(a.Spec.RefreshRequestedAt) || a.Status.Refreshing || a.Status.Failures != 0 {
		w.t.Errorf("%s: got status %+v", why, a.Status)
	}
	w.document() // readable at any time
}

// TestCrashAtEveryWrite fails every write of a requested refresh, before and after it is applied, with and without the
// end of the process. Each case must end with new metrics, an answered request and one document.
func TestCrashAtEveryWrite(t *testing.T) {
	w, _ := requestedRefresh(t)
	w.good()
	writes := slices.Clone(w.recorder.Writes)
	if len(writes) != 3 || writes[2] != "patch Post/status" {
		t.Fatalf("got writes %v, want the start, the result and the metrics of a post", writes)
	}
	for i := range writes {
		for _, fault := range testkit.Faults() {
			for _, dies := range []bool{false, true} {
				why := fmt.Sprintf("write %d, %s, %s, the process dies: %t", i+1, writes[i], fault, dies)
				w, p := requestedRefresh(t)
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
				w.hasOneDocument(why + ", after the next")
				if err := cluster.Client.Get(t.Context(), client.ObjectKeyFromObject(p), p); err != nil || p.Status.Metrics == nil || *p.Status.Metrics.Views != 200 {
					t.Errorf("%s: the post has metrics %+v, error %v", why, p.Status.Metrics, err)
				}
			}
		}
	}
}

// TestRefresh_SurvivesStoreFaults fails each call to the blob store.
func TestRefresh_SurvivesStoreFaults(t *testing.T) {
	broken := errors.New("the disk is full")
	for _, c := range []struct {
		why, call string
		do        func(w *world, key string) error
		dies      bool
		later     time.Duration
	}{
		{"killed before the document is stored", "put", func(*world, string) error { kill(); return nil }, true, time.Second},
		{"killed between the writes of the document and the status", "put", func(w *world, key string) error {
			if err := w.store.Store.Put(context.Background(), key, contentType, strings.NewReader("half")); err != nil {
				return err
			}
			kill()
			return nil
		}, true, time.Second},
		{"storing the document fails", "put", func(*world, string) error { return broken }, false, 40 * time.Minute * 2},
		{"reading the previous document fails", "get", func(*world, string) error { return broken }, false, 40 * time.Minute * 2},
		{"killed before the previous document is deleted", "delete", func(*world, string) error { kill(); return nil }, true, 7 * time.Hour},
		{"deleting the previous document fails", "delete", func(*world, string) error { return broken }, false, 7 * time.Hour},
	} {
		w, _ := requestedRefresh(t)
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
			t.Fatalf("%s: the fault did not occur", c.why)
		}
		if c.call != "delete" && w.get().Status.DocumentKey != before.DocumentKey {
			t.Errorf("%s: the status names a missing document", c.why)
		}
		w.document()
		if c.dies {
			w.restart()
		}
		w.after(c.later)
		w.good()
		w.answered(c.why)
		w.hasOneDocument(c.why)
	}
}

// TestRefresh_ByTwoManagers starts a refresh in a second process during a refresh of the first.
func TestRefresh_ByTwoManagers(t *testing.T) {
	t.Run("the second ends before the first continues", func(t *testing.T) {
		w, _ := requestedRefresh(t)
		second, _ := w.manager()
		once := true
		w.source.on = func(call string, _ publish.Account) error {
			if call == "page" && once {
				once = false
				w.after(time.Second)
				if _, err := second.Reconcile(t.Context(), ctrl.Request{NamespacedName: w.key}); err != nil {
					t.Error(err)
				}
				w.answered("after the refresh of the second")
			}
			return nil
		}
		w.good()
		w.answered("after the refresh of the first")
		w.hasOneDocument("after both refreshes")
	})
	t.Run("the second ends after the first", func(t *testing.T) {
		w, _ := requestedRefresh(t)
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
			t.Errorf("the refresh of the second is not in progress: %+v", a.Status)
		}
		close(goOn)
		if err := <-done; err != nil {
			t.Error(err)
		}
		w.answered("after the refresh of the second")
		w.hasOneDocument("after both refreshes")
	})
}

func TestRefresh_ResumesAfterAShutdown(t *testing.T) {
	w, _ := requestedRefresh(t)
	ctx, cancel := context.WithCancel(t.Context())
	w.source.on = func(string, publish.Account) error { cancel(); return ctx.Err() }
	if r, err := w.r.Reconcile(ctx, ctrl.Request{NamespacedName: w.key}); err != nil || r.RequeueAfter == 0 {
		t.Errorf("got %+v, %v, want a requeue without an error", r, err)
	}
	if a := w.get(); !a.Status.Refreshing || a.Status.Error != nil {
		t.Errorf("an interrupted refresh is not left for the next process: %+v", a.Status)
	}
	w.source.on = nil
	w.restart()
	w.good()
	w.answered("after the restart")
	w.hasOneDocument("after the restart")
}

// A document that crashes its process each time is retried with a pause.
func TestRefresh_PausesInACrashLoop(t *testing.T) {
	w, _ := requestedRefresh(t)
	w.source.on = func(string, publish.Account) error { kill(); return nil }
	for range 40 {
		w.killed()
		w.restart()
		w.after(15 * time.Second)
	}
	if calls := w.source.count(); calls > 9 {
		t.Errorf("got %d calls in ten minutes, want at most 9", calls)
	}
	w.source.on = nil
	w.after(time.Hour)
	w.good()
	w.answered("after the crashes")
}

func TestRefresh_RequestedAgainWhileItRuns(t *testing.T) {
	w, _ := requestedRefresh(t)
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
		t.Errorf("want the first request answered, and the second delayed: %+v", a.Status)
	}
	if r := w.good(); r.RequeueAfter > catalog.RefreshCooldown {
		t.Errorf("requeued after %s, want at most the cooldown", r.RequeueAfter)
	}
	w.after(catalog.RefreshCooldown)
	w.good()
	w.answered("after the second request")
}

func TestRefresh_DeletedWhileItRuns(t *testing.T) {
	for _, force := range []bool{false, true} {
		w, _ := requestedRefresh(t)
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
		if force { // without the finalizer, the previous document stays
			if keys := w.keys(); len(keys) != 1 || keys[0] != before {
				t.Errorf("got stored documents %v, want only the previous one", keys)
			}
			continue
		}
		w.good()
		if keys := w.keys(); len(keys) > 0 {
			t.Errorf("got stored documents %v after the deletion", keys)
		}
	}
}
