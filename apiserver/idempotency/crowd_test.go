// SPDX-License-Identifier: Apache-2.0

package idempotency

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/apiserver/problem"
)

// oneRecord is a fake cluster that holds at most one record and responds to reads when released.
type oneRecord struct {
	client.Client
	rec   *v1beta1.IdempotencyRecord
	err   error
	let   chan struct{}
	reads atomic.Int64
}

func (c *oneRecord) Get(ctx context.Context, key client.ObjectKey, o client.Object, _ ...client.GetOption) error {
	c.reads.Add(1)
	select {
	case <-c.let:
	case <-ctx.Done():
		return ctx.Err()
	}
	if c.err != nil {
		return c.err
	}
	if c.rec == nil {
		return apierrors.NewNotFound(schema.GroupResource{}, key.Name)
	}
	c.rec.DeepCopyInto(o.(*v1beta1.IdempotencyRecord))
	return nil
}

// crowd begins the same request many times at once, lets the cluster respond when all wait, and counts the results.
func crowd(t *testing.T, c *oneRecord, times int) map[string]int {
	t.Helper()
	scope := Scope{Namespace: "n", Key: "k", Method: "POST", Path: "/p"}
	s := New(c, clock.RealClock{}, "a", Options{})
	if c.rec != nil {
		c.rec.Spec.ScopeHash, c.rec.Spec.ExpiresAt = scope.hash(), metav1.NewTime(time.Now().Add(time.Hour))
		c.rec.Spec.Fingerprint = Fingerprint(1, []byte(nil))
	}
	c.let = make(chan struct{})
	var mu sync.Mutex
	got := map[string]int{}
	for range times {
		go func() {
			tx, replay, err := s.Begin(t.Context(), scope, Fingerprint(1, []byte(nil)))
			var p *problem.Problem
			what := fmt.Sprint(err)
			switch {
			case tx != nil:
				what = "runs"
			case replay != nil:
				what = "replay"
			case errors.As(err, &p):
				what = fmt.Sprint("conflict, in flight: ", p.Details["in_flight"])
			}
			mu.Lock()
			defer mu.Unlock()
			got[what]++
		}()
	}
	synctest.Wait()
	close(c.let)
	synctest.Wait()
	return got
}

func TestBegin_ConcurrentRequestsShareOneRead(t *testing.T) {
	const many = 10_000
	for _, test := range []struct {
		why  string
		c    *oneRecord
		want map[string]int
	}{
		{"a new key", &oneRecord{}, map[string]int{"runs": 1, "conflict, in flight: true": many - 1}},
		{"an answered key", &oneRecord{rec: &v1beta1.IdempotencyRecord{Status: v1beta1.IdempotencyRecordStatus{AnsweredAt: &metav1.MicroTime{Time: time.Now()}}}}, map[string]int{"replay": many}},
		{"an unavailable cluster", &oneRecord{err: errors.New("away")}, map[string]int{"reading an idempotency record: away": many}},
	} {
		t.Run(test.why, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				got := crowd(t, test.c, many)
				if fmt.Sprint(got) != fmt.Sprint(test.want) {
					t.Errorf("got %v, want %v", got, test.want)
				}
				if n := test.c.reads.Load(); n != 1 {
					t.Errorf("got %d reads of the cluster", n)
				}
			})
		})
	}
}

// The first caller may hang up; the others that wait for the same look-up must not fail.
func TestBegin_FirstCallerDisconnects(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &oneRecord{let: make(chan struct{})}
		s := New(c, clock.RealClock{}, "a", Options{})
		first, hangUp := context.WithCancel(t.Context())
		begin := func(ctx context.Context, into *error) {
			_, _, *into = s.Begin(ctx, Scope{Namespace: "n", Key: "k"}, "f")
		}
		var one, two, three error
		go begin(first, &one)
		synctest.Wait()
		second, hangUpToo := context.WithCancel(t.Context())
		go begin(second, &two)
		go begin(t.Context(), &three)
		synctest.Wait()
		hangUp()
		hangUpToo()
		synctest.Wait()
		if !errors.Is(two, context.Canceled) {
			t.Errorf("the disconnected caller still waits: %v", two)
		}
		close(c.let)
		synctest.Wait()
		var p *problem.Problem
		if one != nil || !errors.As(three, &p) || c.reads.Load() != 1 {
			t.Errorf("the first %v, the third %v, after %d reads", one, three, c.reads.Load())
		}
	})
}

func TestBegin_RequestWithoutAKey(t *testing.T) {
	var tx *Tx
	id, name, resumed, err := tx.Reserve(t.Context(), func(context.Context) (int64, string, error) { return 7, "slideshow-7", nil })
	if id != 7 || name != "slideshow-7" || resumed || err != nil {
		t.Error(id, name, resumed, err)
	}
	if _, _, ok := tx.Resumed(); ok {
		t.Error("it resumes a reservation")
	}
	if a, err := tx.Commit(t.Context(), Answer{Status: 202}); err != nil || a.Status != 202 {
		t.Error(a, err)
	}
	tx.Abort(t.Context(), true)
}
