// SPDX-License-Identifier: Apache-2.0

package fairqueue

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

func request(ns string, i int) reconcile.Request {
	return reconcile.Request{NamespacedName: types.NamespacedName{Namespace: ns, Name: fmt.Sprint(i)}}
}

func TestQueue_OneNamespaceDoesNotOccupyEveryWorker(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := New(2)("", workqueue.DefaultTypedControllerRateLimiter[reconcile.Request]())
		var mu sync.Mutex
		inProcess, done := map[string]int{}, map[string]int{}
		release := make(chan struct{})
		for range 4 { // like the workers of controller-runtime
			go func() {
				for {
					r, shutdown := q.Get()
					if shutdown {
						return
					}
					mu.Lock()
					inProcess[r.Namespace]++
					if inProcess[r.Namespace] > 2 {
						t.Errorf("got %d of %s in process", inProcess[r.Namespace], r.Namespace)
					}
					mu.Unlock()
					if r.Namespace == "slow" {
						<-release
					}
					mu.Lock()
					inProcess[r.Namespace]--
					done[r.Namespace]++
					mu.Unlock()
					q.Done(r)
				}
			}()
		}
		for i := range 100 {
			q.Add(request("slow", i))
		}
		for i := range 100 {
			q.Add(request("other", i))
		}
		synctest.Wait()
		if done["other"] != 100 || done["slow"] != 0 || inProcess["slow"] != 2 {
			t.Fatalf("got done %v, in process %v", done, inProcess)
		}
		close(release)
		synctest.Wait()
		if done["slow"] != 100 {
			t.Errorf("got done %v", done)
		}
		q.ShutDown()
		synctest.Wait()
	})
}

func TestQueue_NamespacesTakeTurns(t *testing.T) {
	q := New(3)("", workqueue.DefaultTypedControllerRateLimiter[reconcile.Request]())
	defer q.ShutDown()
	for i := range 3 {
		q.Add(request("a", i))
	}
	q.Add(request("b", 0))
	var got string
	for range 4 {
		r, _ := q.Get()
		got += r.Namespace
		q.Done(r)
	}
	if got != "abaa" {
		t.Errorf("got order %s", got)
	}
}

// A request that is added while it is in process is processed again, also when its namespace is at its limit.
func TestQueue_LosesNoRequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := New(2)("", workqueue.DefaultTypedControllerRateLimiter[reconcile.Request]())
		var mu sync.Mutex
		added, seen := map[reconcile.Request]int{}, map[reconcile.Request]int{}
		add := func() {
			r := request(fmt.Sprint(rand.N(5)), rand.N(10))
			mu.Lock()
			added[r]++
			mu.Unlock()
			q.Add(r)
		}
		for range 3 {
			go func() {
				for {
					r, shutdown := q.Get()
					if shutdown {
						return
					}
					mu.Lock()
					seen[r] = added[r]
					again := rand.N(3) == 0
					mu.Unlock()
					if again {
						add()
					}
					q.Done(r)
				}
			}()
		}
		for range 2000 {
			add()
		}
		synctest.Wait()
		for r, n := range added {
			if seen[r] != n {
				t.Errorf("%v: added %d times, the last pass got %d", r, n, seen[r])
			}
		}
		q.ShutDown()
		synctest.Wait()
	})
}

func TestSlots_AlternateNamespaces(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := NewSlots(2, 1)
		var mu sync.Mutex
		var order string
		releases := make(chan func(), 20)
		acquire := func(ns string) {
			go func() {
				release, err := s.Acquire(t.Context(), ns)
				if err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				order += ns
				mu.Unlock()
				releases <- release
			}()
			synctest.Wait()
		}
		for range 3 {
			acquire("a")
		}
		if order != "a" {
			t.Fatalf("%s: a namespace exceeds its limit", order)
		}
		acquire("b")
		acquire("b")
		acquire("c")
		for range 6 {
			(<-releases)()
			synctest.Wait()
		}
		if order != "abcaba" {
			t.Errorf("got order %s", order)
		}
		// All slots are free again.
		for _, ns := range []string{"a", "b"} {
			if _, ok := s.TryAcquire(ns); !ok {
				t.Errorf("no slot is free for %s", ns)
			}
		}
		if _, ok := s.TryAcquire("c"); ok {
			t.Error("got a third slot")
		}
	})
}

func TestSlots_CanceledWaiterHoldsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := NewSlots(1, 1)
		release, ok := s.TryAcquire("a")
		if !ok {
			t.Fatal("no slot is free")
		}
		ctx, cancel := context.WithCancel(t.Context())
		left := make(chan error, 1)
		go func() {
			_, err := s.Acquire(ctx, "b")
			left <- err
		}()
		synctest.Wait()
		cancel()
		if err := <-left; err == nil {
			t.Fatal("got a slot twice")
		}
		release()
		if len(s.turns.waiting)+len(s.turns.running)+len(s.turns.next) != 0 {
			t.Errorf("left over: %+v", s.turns)
		}
		if _, ok := s.TryAcquire("b"); !ok {
			t.Error("no slot is free")
		}
	})
}
