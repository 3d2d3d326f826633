// SPDX-License-Identifier: Apache-2.0

package quota_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/account/quota"
)

var (
	november = time.Date(2026, 11, 30, 23, 59, 0, 0, time.UTC)
	december = november.Add(2 * time.Minute)
	one      = quota.Need{Slideshows: 1}
	tea      = quota.Show{Name: "tea", UID: "u1"}
	coffee   = quota.Show{Name: "coffee", UID: "u2"}
)

func account(limit, credits int32) *v1beta1.Account {
	a := &v1beta1.Account{}
	if limit >= 0 {
		a.Spec.Plan.SlideshowLimit = ptr.To(limit)
	}
	if credits >= 0 {
		a.Spec.Plan.Credits = ptr.To(credits)
	}
	return a
}

// book applies changes like the ledger: a rejected change leaves the account unchanged.
type book struct {
	t *testing.T
	a *v1beta1.Account
}

func (b *book) do(change func(a *v1beta1.Account) error) error {
	trial := b.a.DeepCopy()
	err := change(trial)
	if err == nil {
		b.a = trial
	}
	return err
}

func (b *book) hold(name string, n quota.Need, now time.Time) error {
	return b.do(func(a *v1beta1.Account) error { return quota.Hold(a, name, n, now) })
}

func (b *book) charge(s quota.Show, n int32, now time.Time) (at time.Time, err error) {
	err = b.do(func(a *v1beta1.Account) error {
		at, err = quota.Charge(a, s, n, now)
		return err
	})
	return at, err
}

func (b *book) used(want int32, now time.Time, why string) {
	b.t.Helper()
	if got := quota.Of(b.a, now).Used; got != want {
		b.t.Errorf("%s: got %d used, want %d; %+v", why, got, want, b.a.Status)
	}
}

func (b *book) credits(used, held int32, now time.Time, why string) {
	b.t.Helper()
	if s := quota.Of(b.a, now); s.CreditsUsed != used || s.CreditsHeld != held {
		b.t.Errorf("%s: got %d credits used and %d reserved, want %d and %d", why, s.CreditsUsed, s.CreditsHeld, used, held)
	}
}

func TestHold_BecomesTheCharge(t *testing.T) {
	b := &book{t, account(1, -1)}
	for range 2 {
		if err := b.hold("tea", one, november); err != nil {
			t.Fatal(err)
		}
		b.used(1, november, "reserved once, regardless of repeated calls")
	}
	var refused *quota.ExhaustedError
	if err := b.hold("coffee", one, november); !errors.As(err, &refused) || refused.Limit != 1 || refused.Used != 1 {
		t.Errorf("the last one is reserved: got %v", err)
	}
	if _, err := b.charge(coffee, 1, november); !errors.As(err, &refused) {
		t.Errorf("a manifest has the same limit: got %v", err)
	}
	for range 2 {
		if _, err := b.charge(tea, 1, november); err != nil {
			t.Fatal(err)
		}
		b.used(1, november, "a reservation is charged once")
	}
	if len(b.a.Status.Holds) != 0 {
		t.Errorf("the reservation is left: %+v", b.a.Status.Holds)
	}
	if err := b.hold("tea", one, november); err != nil {
		t.Errorf("a repeated reservation after the charge: got %v", err)
	}
	b.used(1, november, "and reserves nothing more")
}

func TestReleaseAndClose(t *testing.T) {
	b := &book{t, account(3, -1)}
	_ = b.hold("tea", one, november)
	quota.Release(b.a, "tea")
	b.used(0, november, "a slideshow that was not created costs nothing")
	quota.Release(b.a, "tea")
	b.used(0, november, "released once")

	_ = b.hold("tea", one, november)
	quota.Close(b.a, "tea", november)
	b.used(1, november, "an accepted slideshow that is deleted at once stays counted")
	quota.Close(b.a, "tea", november)
	b.used(1, november, "once")

	_ = b.hold("coffee", one, november)
	_, _ = b.charge(coffee, 1, november)
	quota.Release(b.a, "coffee")
	b.used(2, november, "a charge cannot be released")
}

func TestDrop(t *testing.T) {
	b := &book{t, account(3, -1)}
	_ = b.hold("tea", one, november)
	old := b.a.Status.Holds[0]
	_ = b.hold("tea", one, november.Add(30*time.Second))
	quota.Drop(b.a, old)
	b.used(1, november, "a recreated reservation is another one")
	quota.Drop(b.a, b.a.Status.Holds[0])
	b.used(0, november, "the same reservation is released")
}

func TestRefund(t *testing.T) {
	b := &book{t, account(1, -1)}
	at, _ := b.charge(tea, 1, november)
	for range 2 {
		quota.Refund(b.a, tea, 1, at, november)
		b.used(0, november, "released once")
	}
	if _, err := b.charge(tea, 2, november); err != nil {
		t.Fatal(err)
	}
	b.used(1, november, "a retry is charged again")
	quota.Refund(b.a, tea, 2, at, december)
	_, _ = b.charge(coffee, 1, december)
	b.used(1, december, "a charge of another month is not refunded to this one")
}

func TestCharge_AtTheEndOfAMonth(t *testing.T) {
	b := &book{t, account(1, 10)}
	_ = b.hold("tea", quota.Need{Slideshows: 1, Credits: 10}, november)
	b.used(0, december, "reservations of one month do not affect the next")
	b.credits(0, 0, december, "nor do its credits")
	if err := b.hold("coffee", quota.Need{Slideshows: 1, Credits: 10}, december); err != nil {
		t.Errorf("the new month starts with the full quota: got %v", err)
	}
	at, err := b.charge(tea, 1, december)
	if err != nil || at.Month() != time.November {
		t.Errorf("accepted in November: got %s, %v", at, err)
	}
	b.used(1, december, "charging it counts nothing in December")
	// The controller dies and retries: the result must be the same, also across the end of the month.
	if again, _ := b.charge(tea, 1, december); !again.Equal(at) {
		t.Errorf("charged in %s, then in %s", at, again)
	}
	quota.Settle(b.a, tea, 1, 8, december)
	b.credits(0, 10, december, "credits reserved in November count in November")

	c := &book{t, account(1, -1)}
	first, _ := c.charge(tea, 1, november)
	if again, err := c.charge(tea, 1, december); err != nil || !again.Equal(first) {
		t.Errorf("counted in November, retried in December: got %s, %v", again, err)
	}
	c.used(0, december, "it is not counted twice")
}

func TestCharge_DifferentClocks(t *testing.T) {
	b := &book{t, account(2, -1)}
	_, _ = b.charge(tea, 1, december)
	if _, err := b.charge(coffee, 1, november); err != nil {
		t.Fatal(err)
	}
	b.used(2, december, "a slow clock does not return to the previous month")
}

func TestCredits(t *testing.T) {
	b := &book{t, account(-1, 20)}
	if err := b.hold("tea", quota.Need{Slideshows: 1, Credits: 14}, november); err != nil {
		t.Fatal(err)
	}
	var short *quota.CreditsError
	if err := b.hold("coffee", quota.Need{Slideshows: 1, Credits: 14}, november); !errors.As(err, &short) || short.Required != 14 || short.Current != 6 {
		t.Errorf("6 are left: got %v", err)
	}
	_, _ = b.charge(tea, 1, november)
	b.credits(0, 14, november, "charging the slideshow keeps its credits reserved")
	if err := b.do(func(a *v1beta1.Account) error { return quota.Reserve(a, tea, 10, november) }); err != nil {
		t.Fatal(err)
	}
	b.credits(0, 14, november, "enough credits are reserved")
	if err := b.do(func(a *v1beta1.Account) error { return quota.Reserve(a, tea, 20, november) }); err != nil {
		t.Fatal(err)
	}
	b.credits(0, 20, november, "more credits are reserved while there are any")
	if err := b.do(func(a *v1beta1.Account) error { return quota.Reserve(a, tea, 22, november) }); !errors.As(err, &short) || short.Current != 20 {
		t.Errorf("22 are not available, 20 are: got %v", err)
	}
	for range 2 {
		quota.Settle(b.a, tea, 1, 12, november)
		b.credits(12, 0, november, "used credits are charged once, and the rest is released")
	}
	quota.Settle(b.a, coffee, 1, 0, november)
	b.credits(12, 0, november, "failed work costs nothing")

	free := &book{t, account(1, -1)}
	_ = free.hold("tea", quota.Need{Slideshows: 1, Credits: 14}, november)
	_, _ = free.charge(tea, 1, november)
	_ = quota.Reserve(free.a, tea, 14, november)
	quota.Settle(free.a, tea, 1, 14, november)
	free.credits(0, 0, november, "a plan without credits is charged none")
	if quota.Of(free.a, november).CurrentCredits() != nil {
		t.Error("a plan without credits shows some")
	}
}

func TestHold_CountsOnAPlanWithoutLimits(t *testing.T) {
	b := &book{t, account(-1, -1)}
	if err := b.hold("tea", one, november); err != nil {
		t.Fatal(err)
	}
	b.used(1, november, "the slideshow was accepted")
	_, _ = b.charge(tea, 1, november)
	b.used(1, november, "its work has started")
	if len(b.a.Status.Holds) != 0 {
		t.Errorf("got reservations %+v", b.a.Status.Holds)
	}
}

func TestHold_RejectsNothingOnAPlanWithoutLimits(t *testing.T) {
	b := &book{t, account(-1, -1)}
	for i := range v1beta1.MaxHolds {
		b.a.Status.Holds = append(b.a.Status.Holds, v1beta1.Hold{Slideshow: fmt.Sprint(i), PeriodStart: metav1.NewTime(november)})
	}
	if err := b.hold("tea", one, november); err != nil {
		t.Error(err)
	}
}

func TestHold_MaximumNumber(t *testing.T) {
	b := &book{t, account(1e6, -1)}
	for i := range v1beta1.MaxHolds {
		b.a.Status.Holds = append(b.a.Status.Holds, v1beta1.Hold{Slideshow: fmt.Sprint(i), PeriodStart: metav1.NewTime(november)})
	}
	if err := b.hold("tea", one, november); !errors.Is(err, quota.ErrTooManyHolds) {
		t.Errorf("one more than the cluster can store: got %v", err)
	}
}

func TestForget(t *testing.T) {
	b := &book{t, account(-1, 100)}
	at, _ := b.charge(tea, 1, november)
	_, _ = b.charge(coffee, 1, november)
	quota.Refund(b.a, tea, 1, at, november)
	quota.Settle(b.a, tea, 1, 2, november)
	s := &v1beta1.Slideshow{}
	s.Status.Charge = &v1beta1.Charge{Charges: 1}
	quota.Forget(b.a, func(c quota.Counted) bool { return c.Show == tea && c.SettledIn(s.Status.Charge, s.Status.Credits) })
	want := []string{"coffee/u2/charge-1/2026-11", "tea/u1/refund-1/2026-11", "tea/u1/credits-1/2026-11"}
	if diff := cmp.Diff(want, b.a.Status.Usage.Unsettled); diff != "" {
		t.Errorf("only recorded slideshows are forgotten (-want +got):\n%s", diff)
	}
	s.Status.Charge.Refunds, s.Status.Credits = 1, &v1beta1.CreditUse{Settlements: 1}
	quota.Forget(b.a, func(c quota.Counted) bool { return c.Show == tea && c.SettledIn(s.Status.Charge, s.Status.Credits) })
	if len(b.a.Status.Usage.Unsettled) != 1 {
		t.Errorf("got %v", b.a.Status.Usage.Unsettled)
	}
}

// TestChanges_InAnyOrder creates, charges, fails, retries and deletes slideshows in any order across the end of a
// month, with each change applied once or twice. A model counts as well.
func TestChanges_InAnyOrder(t *testing.T) {
	const price, size = 2, 7
	type life struct {
		show            quota.Show
		at              string // "", held, charged, refunded or gone
		month           time.Month
		charges, refund int32
		settled         int32
		heldCredits     int32
		creditMonth     time.Month
	}
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 1))
		b := &book{t, account(int32(r.IntN(6)), int32(r.IntN(60)))}
		now := november.Add(-time.Hour)
		lives := make([]*life, 8)
		for i := range lives {
			lives[i] = &life{show: quota.Show{Name: fmt.Sprintf("s%d", i), UID: fmt.Sprint(i)}}
		}
		usedCredits := map[time.Month]int32{}
		twice := func(change func(a *v1beta1.Account) error) error {
			err := b.do(change)
			if err == nil && r.IntN(2) == 0 { // the response was lost
				if again := b.do(change); again != nil {
					t.Fatalf("seed %d: the same change again: got %v", seed, again)
				}
			}
			return err
		}
		for range 120 {
			now = now.Add(time.Duration(r.IntN(90)) * time.Second)
			month := now.Month()
			l := lives[r.IntN(len(lives))]
			need := quota.Need{Slideshows: 1, Credits: price * size * int32(r.IntN(2))}
			switch step := r.IntN(6); {
			case step == 0 && l.at == "":
				if twice(func(a *v1beta1.Account) error { return quota.Hold(a, l.show.Name, need, now) }) == nil {
					l.at, l.month, l.heldCredits, l.creditMonth = "held", month, need.Credits, month
				}
			case step == 1 && l.at == "held" && r.IntN(3) == 0:
				_ = twice(func(a *v1beta1.Account) error { quota.Release(a, l.show.Name); return nil })
				l.at, l.heldCredits = "", 0
			case step == 2 && (l.at == "" || l.at == "held" || l.at == "refunded"):
				if twice(func(a *v1beta1.Account) error { _, err := quota.Charge(a, l.show, l.charges+1, now); return err }) == nil {
					if l.at != "held" {
						l.month = month
					}
					l.at = "charged"
					l.charges++
				}
			case step == 3 && l.at == "charged":
				if twice(func(a *v1beta1.Account) error { return quota.Reserve(a, l.show, need.Credits, now) }) == nil && need.Credits > 0 {
					if l.heldCredits < need.Credits || l.creditMonth != month {
						l.heldCredits, l.creditMonth = need.Credits, month
					}
				}
			case step == 4 && l.at == "charged" && l.heldCredits > 0:
				made := price * int32(r.IntN(size+1))
				_ = twice(func(a *v1beta1.Account) error { quota.Settle(a, l.show, l.settled+1, made, now); return nil })
				if l.creditMonth == month {
					usedCredits[month] += made
				}
				l.settled++
				l.heldCredits = 0
			case step == 5 && l.at == "charged" && l.heldCredits == 0:
				at := time.Date(2026, l.month, 1, 0, 0, 0, 0, time.UTC)
				_ = twice(func(a *v1beta1.Account) error { quota.Refund(a, l.show, l.refund+1, at, now); return nil })
				l.refund++
				l.at = "refunded"
			}
			var used, held int32
			for _, l := range lives {
				if (l.at == "held" || l.at == "charged") && l.month == month {
					used++
				}
				if l.creditMonth == month {
					held += l.heldCredits
				}
			}
			s := quota.Of(b.a, now)
			if !s.ShowsCredits || s.Used != used || s.CreditsHeld != held || s.CreditsUsed != usedCredits[month] {
				t.Fatalf("seed %d: got %+v, want %d used, %d credits reserved and %d used", seed, s, used, held, usedCredits[month])
			}
			if s.Used > s.Limit || s.CreditsUsed+s.CreditsHeld > s.CreditsGranted {
				t.Fatalf("seed %d: more than the plan allows: %+v", seed, s)
			}
		}
	}
}
