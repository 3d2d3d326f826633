// SPDX-License-Identifier: Apache-2.0

package ledger_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	clocktesting "k8s.io/utils/clock/testing"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/account/ledger"
	"github.com/reelops/reelops/internal/account/quota"
	"github.com/reelops/reelops/internal/testkit"
)

// world is one account with five slots for shorts.
type world struct {
	t     *testing.T
	c     client.Client
	clock *clocktesting.FakeClock
	book  *ledger.Book
	r     ledger.Reservations
	uids  int
	// deleted counts the deleted shorts of each of five slots.
	deleted [5]int
	// taken is the model of the count: 1 for each committed name that was not released; "deleted" counts deleted shorts
	// that stay counted.
	taken map[string]int
	// reserved contains the names that POST reserved and no commit used.
	reserved map[string]bool
}

const limit = 4

func newWorld(t *testing.T) *world {
	a := testkit.Account("acme")
	a.Spec.Plan.SlideshowLimit, a.Spec.Plan.Credits = ptr.To[int32](limit), ptr.To[int32](100)
	c := fake.NewClientBuilder().WithScheme(testkit.Scheme()).WithObjects(a).
		WithStatusSubresource(&v1beta1.Account{}, &v1beta1.Slideshow{}, &v1beta1.Video{}).Build()
	w := &world{t: t, c: c, clock: clocktesting.NewFakeClock(time.Date(2026, 11, 21, 8, 0, 0, 0, time.UTC)), taken: map[string]int{}, reserved: map[string]bool{}}
	w.book = ledger.New(c, c, w.clock)
	w.r = w.book.Reservations(c)
	return w
}

func (w *world) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) account() *v1beta1.Account {
	a := &v1beta1.Account{}
	w.must(w.c.Get(w.t.Context(), client.ObjectKey{Namespace: "acme", Name: v1beta1.AccountName}, a))
	return a
}

// short returns the slideshow or video of a name; nil if there is none.
func (w *world) short(name string) client.Object {
	o := kindOf(name)
	err := w.c.Get(w.t.Context(), client.ObjectKey{Namespace: "acme", Name: name}, o)
	if apierrors.IsNotFound(err) {
		return nil
	}
	w.must(err)
	return o
}

func kindOf(name string) client.Object {
	if strings.HasPrefix(name, "video") {
		return &v1beta1.Video{}
	}
	return &v1beta1.Slideshow{}
}

// step does one random operation. A quarter of the writes of a short's status are lost, as if the process died before.
func (w *world) step(rng *rand.Rand) string {
	ctx, kinds := w.t.Context(), []string{"show", "video"}
	slot := rng.IntN(5)
	name := fmt.Sprintf("%s-%d-%d", kinds[slot%2], slot, w.deleted[slot]) // ids are in the names: none is used twice
	s := w.short(name)
	lost := rng.IntN(4) == 0
	write := func() {
		if !lost {
			w.must(w.c.Status().Update(ctx, s))
		}
	}
	switch op := rng.IntN(7); {
	case op == 0 && s == nil: // POST, whose process may die before it creates the short
		if _, err := w.book.Hold(ctx, "acme", name, quota.Need{Slideshows: 1}); err != nil {
			return "refused " + name
		}
		w.reserved[name] = true
		if lost {
			return "reserve " + name
		}
		w.create(name)
		return "post " + name
	case op == 1 && s == nil: // a manifest
		w.create(name)
		return "apply " + name
	case op <= 3 && s != nil && !ledger.IsCommitted(s):
		if _, err := w.r.Commit(ctx, w.account(), s, 0); err != nil {
			return "not committed " + name
		}
		w.taken[name], w.reserved[name] = 1, false
		write()
		return fmt.Sprint("commit ", name, lost)
	case op == 4 && s != nil && ledger.IsCommitted(s):
		w.must(w.r.Release(ctx, s))
		w.taken[name] = 0
		write()
		return fmt.Sprint("release ", name, lost)
	case op == 5 && s != nil:
		w.must(w.r.Close(ctx, w.account(), s, false, 1, 0))
		w.must(w.c.Delete(ctx, s))
		if w.taken[name] > 0 || w.reserved[name] {
			w.taken["deleted"]++
		}
		w.taken[name], w.reserved[name] = 0, false
		w.deleted[slot]++
		return "delete " + name
	case op == 6:
		w.clock.Step(3 * time.Minute)
		_, err := w.book.ReleaseOrphans(ctx, w.account(), w.clock.Now())
		w.must(err)
		for name, r := range w.reserved {
			if s := w.short(name); r && s == nil {
				w.reserved[name] = false
			}
		}
		return "sweep"
	}
	return ""
}

func (w *world) create(name string) {
	o := kindOf(name)
	w.uids++
	o.SetNamespace("acme")
	o.SetName(name)
	o.SetUID(types.UID(fmt.Sprint("uid-", w.uids)))
	w.must(w.c.Create(w.t.Context(), o))
}

func (w *world) used() int32 {
	n := 0
	for _, k := range w.taken {
		n += k
	}
	for _, r := range w.reserved {
		if r {
			n++
		}
	}
	return int32(n)
}

// Random sequences with lost writes, deletions and orphans: the account counts each accepted short once, and never more
// than the plan has.
func TestReservations_CountEachShortOnce(t *testing.T) {
	rounds := uint64(80)
	if testing.Short() {
		rounds = 10
	}
	for seed := range rounds {
		rng, w := rand.New(rand.NewPCG(seed, 17)), newWorld(t)
		var did []string
		for range 60 {
			if what := w.step(rng); what != "" {
				did = append(did, what)
			}
			if got := quota.Of(w.account(), w.clock.Now()).Used; got != w.used() || got > limit {
				t.Fatalf("seed %d: got %d used, want %d, at most %d; %v; %+v", seed, got, w.used(), limit, did, w.account().Status)
			}
		}
	}
}

func TestStateOf(t *testing.T) {
	now := time.Date(2026, 11, 21, 8, 0, 0, 0, time.UTC)
	month, _ := quota.Month(now)
	show := func(c *v1beta1.Charge) *v1beta1.Slideshow {
		return &v1beta1.Slideshow{ObjectMeta: metav1.ObjectMeta{Name: "tea", UID: "u"}, Status: v1beta1.SlideshowStatus{Charge: c}}
	}
	reserved := &v1beta1.Account{Status: v1beta1.AccountStatus{Holds: []v1beta1.Hold{{Slideshow: "tea", PeriodStart: metav1.NewTime(month), Slideshows: 1}}}}
	counted := &v1beta1.Account{Status: v1beta1.AccountStatus{Usage: &v1beta1.Usage{PeriodStart: metav1.NewTime(month), Unsettled: []string{"tea/u/charge-1/2026-11"}}}}
	for why, c := range map[string]struct {
		a     *v1beta1.Account
		short client.Object
		want  ledger.State
	}{
		"a manifest":         {&v1beta1.Account{}, show(nil), ledger.None},
		"without an account": {nil, show(nil), ledger.None},
		"POST reserved it":   {reserved, show(nil), ledger.Reserved},
		"counted, and not recorded in the status yet": {counted, show(nil), ledger.Reserved},
		"committed":                    {counted, show(&v1beta1.Charge{Charges: 1}), ledger.Committed},
		"released":                     {counted, show(&v1beta1.Charge{Charges: 1, Refunds: 1}), ledger.Released},
		"released and committed again": {&v1beta1.Account{}, show(&v1beta1.Charge{Charges: 2, Refunds: 1}), ledger.Committed},
	} {
		if got := ledger.StateOf(c.a, c.short, now); got != c.want {
			t.Errorf("%s: got %s, want %s", why, got, c.want)
		}
	}
}
