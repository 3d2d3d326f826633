// SPDX-License-Identifier: Apache-2.0

package ledger_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	clocktesting "k8s.io/utils/clock/testing"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/account/ledger"
	"github.com/reelops/reelops/internal/account/quota"
	"github.com/reelops/reelops/internal/testkit"
)

// cluster serves all tests of the package.
var cluster testkit.Shared

func TestMain(m *testing.M) { cluster.Main(m) }

var (
	now  = time.Date(2026, 11, 21, 8, 0, 0, 0, time.UTC)
	one  = quota.Need{Slideshows: 1}
	tick = clocktesting.NewFakePassiveClock(now)
)

// tenant creates a namespace with an account; a negative limit or number of credits means none.
func tenant(t *testing.T, name string, limit, credits int32) {
	t.Helper()
	cluster.Start(t)
	a := testkit.Account(name)
	if limit >= 0 {
		a.Spec.Plan.SlideshowLimit = ptr.To(limit)
	}
	if credits >= 0 {
		a.Spec.Plan.Credits = ptr.To(credits)
	}
	for _, o := range []client.Object{testkit.Namespace(name), a} {
		if err := cluster.Client.Create(t.Context(), o); err != nil {
			t.Fatal(err)
		}
	}
}

func account(t *testing.T, namespace string) *v1beta1.Account {
	t.Helper()
	a := &v1beta1.Account{}
	if err := cluster.Client.Get(t.Context(), client.ObjectKey{Namespace: namespace, Name: v1beta1.AccountName}, a); err != nil {
		t.Fatal(err)
	}
	return a
}

// process returns a ledger with its own client, like another replica.
func process(t *testing.T) (*ledger.Book, *testkit.Recorder) {
	t.Helper()
	rec, err := cluster.Start(t).Recorder(nil)
	if err != nil {
		t.Fatal(err)
	}
	return ledger.New(rec, rec, tick), rec
}

func TestHold_ConcurrentCallsForTheLastSlots(t *testing.T) {
	for replicas := 1; replicas <= 2; replicas++ {
		t.Run(fmt.Sprintf("%d processes", replicas), func(t *testing.T) {
			ns := fmt.Sprintf("burst-%d", replicas)
			tenant(t, ns, 7, -1)
			var books []*ledger.Book
			var recs []*testkit.Recorder
			for range replicas {
				b, rec := process(t)
				books, recs = append(books, b), append(recs, rec)
			}
			var held, refused atomic.Int32
			var all sync.WaitGroup
			for i := range 100 {
				all.Go(func() {
					_, err := books[i%replicas].Hold(t.Context(), ns, fmt.Sprintf("slideshow-%d", i), one)
					var exhausted *quota.ExhaustedError
					switch {
					case err == nil:
						held.Add(1)
					case errors.As(err, &exhausted) && exhausted.Limit == 7:
						refused.Add(1)
					default:
						t.Errorf("neither reserved nor rejected: %v", err)
					}
				})
			}
			all.Wait()
			if held.Load() != 7 || refused.Load() != 93 {
				t.Errorf("got %d reserved, %d rejected", held.Load(), refused.Load())
			}
			if s := quota.Of(account(t, ns), now); s.Used != 7 {
				t.Errorf("got account %+v", s)
			}
			writes := 0
			for _, r := range recs {
				writes += len(r.Writes)
			}
			if writes > 7+len(recs)*7 {
				t.Errorf("got %d writes for 7 reservations", writes)
			}
		})
	}
}

func TestHold_BurstCostsFewWrites(t *testing.T) {
	tenant(t, "few", 1000, -1)
	b, rec := process(t)
	var all sync.WaitGroup
	for i := range 200 {
		all.Go(func() {
			if _, err := b.Hold(t.Context(), "few", fmt.Sprintf("slideshow-%d", i), one); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if n := len(account(t, "few").Status.Holds); n != 200 {
		t.Errorf("got %d reservations", n)
	}
	if n := len(rec.Writes); n > 100 {
		t.Errorf("200 concurrent reservations cost %d writes", n)
	}
}

func TestHold_KeepsOtherWrites(t *testing.T) {
	tenant(t, "mixed", 500, -1)
	front, _ := process(t)
	controller, _ := process(t)
	var all sync.WaitGroup
	for i := range 50 {
		name := fmt.Sprintf("slideshow-%d", i)
		all.Go(func() {
			hold, err := front.Hold(t.Context(), "mixed", name, one)
			if err != nil {
				t.Error(err)
				return
			}
			if i%5 == 0 {
				if err := hold.Release(t.Context()); err != nil {
					t.Error(err)
				}
				return
			}
			err = controller.Change(t.Context(), "mixed", func(a *v1beta1.Account, now time.Time) error {
				_, err := quota.Charge(a, quota.Show{Name: name, UID: name}, 1, now)
				return err
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	a := account(t, "mixed")
	if len(a.Status.Holds) != 0 || a.Status.Usage.SlideshowsUsed != 40 {
		t.Errorf("got %d reservations and %d used, of 40 charged and 10 released", len(a.Status.Holds), a.Status.Usage.SlideshowsUsed)
	}
}

// TestLedger_SurvivesFaults fails each write, before and after it is applied, of a reservation, its release, a charge
// with credits and their settlement. After a retry everything is counted once.
func TestLedger_SurvivesFaults(t *testing.T) {
	tea := quota.Show{Name: "tea", UID: "u"}
	steps := []struct {
		name string
		do   func(ctx context.Context, b *ledger.Book, ns string) error
	}{
		{"hold", func(ctx context.Context, b *ledger.Book, ns string) error {
			_, err := b.Hold(ctx, ns, "tea", quota.Need{Slideshows: 1, Credits: 14})
			return err
		}},
		{"reservation of another", func(ctx context.Context, b *ledger.Book, ns string) error {
			_, err := b.Hold(ctx, ns, "coffee", one)
			return err
		}},
		{"release", func(ctx context.Context, b *ledger.Book, ns string) error {
			return b.Change(ctx, ns, func(a *v1beta1.Account, _ time.Time) error { quota.Release(a, "coffee"); return nil })
		}},
		{"charge", func(ctx context.Context, b *ledger.Book, ns string) error {
			return b.Change(ctx, ns, func(a *v1beta1.Account, now time.Time) error {
				if _, err := quota.Charge(a, tea, 1, now); err != nil {
					return err
				}
				return quota.Reserve(a, tea, 16, now)
			})
		}},
		{"settle", func(ctx context.Context, b *ledger.Book, ns string) error {
			return b.Change(ctx, ns, func(a *v1beta1.Account, now time.Time) error { quota.Settle(a, tea, 1, 12, now); return nil })
		}},
		{"refund", func(ctx context.Context, b *ledger.Book, ns string) error {
			month, _ := quota.Month(now)
			return b.Change(ctx, ns, func(a *v1beta1.Account, now time.Time) error { quota.Refund(a, tea, 1, month, now); return nil })
		}},
	}
	for n := range steps {
		for tag, fault := range testkit.Faults() {
			t.Run(steps[n].name+" "+string(fault), func(t *testing.T) {
				ns := fmt.Sprintf("fault-%d-%s", n, tag)
				tenant(t, ns, 2, 20)
				b, rec := process(t)
				rec.FailAt, rec.Fault = n+1, fault
				for i, s := range steps {
					err := s.do(t.Context(), b, ns)
					if (i == n) != errors.Is(err, testkit.ErrFault) {
						t.Fatalf("%s: got %v", s.name, err)
					}
					if i == n {
						if err = s.do(t.Context(), b, ns); err != nil {
							t.Fatalf("%s again: got %v", s.name, err)
						}
					}
				}
				s := quota.Of(account(t, ns), now)
				if s.Used != 0 || s.CreditsUsed != 12 || s.CreditsHeld != 0 {
					t.Errorf("finally: got %+v", s)
				}
			})
		}
	}
}

func TestHold_CanceledCallDoesNotFailOthers(t *testing.T) {
	tenant(t, "leaves", 5, -1)
	b, _ := process(t)
	gone, leave := context.WithCancel(t.Context())
	leave()
	if _, err := b.Hold(gone, "leaves", "slideshow-1", one); !errors.Is(err, context.Canceled) {
		t.Errorf("a canceled call: got %v", err)
	}
	if _, err := b.Hold(t.Context(), "leaves", "slideshow-2", one); err != nil {
		t.Error(err)
	}
}

func TestHold_WithoutAccount(t *testing.T) {
	b, _ := process(t)
	if _, err := b.Hold(t.Context(), "nowhere", "slideshow-1", one); !errors.Is(err, ledger.ErrNoAccount) {
		t.Errorf("a namespace without an account: got %v", err)
	}
	if err := (ledger.Hold{}).Release(t.Context()); err != nil {
		t.Errorf("releasing nothing: got %v", err)
	}
}
