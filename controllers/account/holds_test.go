// SPDX-License-Identifier: Apache-2.0

package account

import (
	"context"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clocktesting "k8s.io/utils/clock/testing"
	"k8s.io/utils/ptr"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/account/ledger"
	"github.com/reelops/reelops/internal/account/quota"
	"github.com/reelops/reelops/internal/testkit"
)

// cluster serves all tests of the package.
var cluster testkit.Shared

func TestMain(m *testing.M) { cluster.Main(m) }

// fixture is an account with its controller.
type fixture struct {
	t     *testing.T
	ns    string
	clock *clocktesting.FakeClock
	rec   *testkit.Recorder
	r     *Reconciler
}

func newFixture(t *testing.T, ns string) *fixture {
	t.Helper()
	cluster.Start(t)
	rec, err := cluster.Recorder(nil)
	if err != nil {
		t.Fatal(err)
	}
	a := testkit.Account(ns)
	a.Spec.Plan.SlideshowLimit, a.Spec.Plan.Credits = ptr.To[int32](3), ptr.To[int32](30)
	for _, o := range []client.Object{testkit.Namespace(ns), a, testkit.Brand(ns, "acme")} {
		if err := cluster.Client.Create(t.Context(), o); err != nil {
			t.Fatal(err)
		}
	}
	d := &fixture{t: t, ns: ns, rec: rec, clock: clocktesting.NewFakeClock(time.Date(2026, 11, 21, 8, 0, 0, 0, time.UTC))}
	d.r = &Reconciler{Client: rec, Ledger: ledger.New(rec, rec, d.clock), Clock: d.clock, NextID: func(context.Context) (int64, error) { return 1, nil }}
	return d
}

func (d *fixture) account() *v1beta1.Account {
	d.t.Helper()
	a := &v1beta1.Account{}
	if err := d.rec.Get(d.t.Context(), client.ObjectKey{Namespace: d.ns, Name: v1beta1.AccountName}, a); err != nil {
		d.t.Fatal(err)
	}
	return a
}

// pass reconciles until a reconcile writes nothing, and returns its result.
func (d *fixture) pass() ctrl.Result {
	d.t.Helper()
	for range 10 {
		n := len(d.rec.Writes)
		result, err := d.r.Reconcile(d.t.Context(), d.account())
		if err == nil && len(d.rec.Writes) == n {
			return result
		}
	}
	d.t.Fatalf("the reconciles keep writing: %v", d.rec.Writes)
	return ctrl.Result{}
}

func (d *fixture) hold(name string, n quota.Need) {
	d.t.Helper()
	if _, err := d.r.Ledger.Hold(d.t.Context(), d.ns, name, n); err != nil {
		d.t.Fatal(err)
	}
}

func (d *fixture) create(name string) *v1beta1.Slideshow {
	d.t.Helper()
	s := testkit.Slideshow(d.ns, name, "acme", "About tea")
	if err := cluster.Client.Create(d.t.Context(), s); err != nil {
		d.t.Fatal(err)
	}
	return s
}

func (d *fixture) used(want int32, why string) {
	d.t.Helper()
	if q := quota.Of(d.account(), d.clock.Now()); q.Used != want {
		d.t.Errorf("%s: %d shorts are used, want %d", why, q.Used, want)
	}
}

func TestHold_WithoutObjectIsReleased(t *testing.T) {
	d := newFixture(t, "nobody")
	d.hold("slideshow-1", quota.Need{Slideshows: 1, Credits: 14})
	d.clock.Step(time.Minute)
	if again := d.pass().RequeueAfter; again != time.Minute {
		t.Errorf("requeued after %s, want a minute", again)
	}
	d.used(1, "a reservation that the front end may still need")
	d.clock.Step(time.Minute)
	if again := d.pass().RequeueAfter; again != 0 {
		t.Errorf("requeued after %s without reservations, want no requeue", again)
	}
	d.used(0, "nobody came")
	if q := quota.Of(d.account(), d.clock.Now()); q.CreditsRemain != 30 {
		t.Errorf("got usage %+v, want 30 credits left", q)
	}
}

func TestHold_IsKeptWhileItsObjectExists(t *testing.T) {
	d := newFixture(t, "somebody")
	d.hold("slideshow-1", quota.Need{Slideshows: 1})
	s := d.create("slideshow-1")
	d.clock.Step(time.Hour)
	d.pass()
	n := len(d.rec.Writes)
	for range 5 {
		d.clock.Step(2 * time.Minute)
		if again := d.pass().RequeueAfter; again != 2*time.Minute {
			t.Errorf("requeued after %s, want two minutes", again)
		}
	}
	d.used(1, "a slideshow that was not reconciled yet")
	if len(d.rec.Writes) != n {
		t.Errorf("rechecking the reservation wrote %v", d.rec.Writes[n:])
	}
	if err := cluster.Client.Delete(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	d.clock.Step(2 * time.Minute)
	d.pass()
	d.used(0, "the slideshow was deleted")
}

func TestHold_OfAChargedSlideshowIsReleased(t *testing.T) {
	d := newFixture(t, "taken")
	s := d.create("slideshow-1")
	s.Status.Charge = &v1beta1.Charge{PeriodStart: metav1.NewTime(d.clock.Now()), Charges: 1}
	if err := cluster.Client.Status().Update(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	d.hold("slideshow-1", quota.Need{Slideshows: 1})
	d.clock.Step(3 * time.Minute)
	d.pass()
	d.used(0, "the slideshow has its own charge")
}

func TestCredits_OfADeletedObjectAreReleased(t *testing.T) {
	d := newFixture(t, "credits")
	s := d.create("tea")
	for name, uid := range map[string]string{"tea": string(s.UID), "gone": "u2"} {
		err := d.r.Ledger.Change(t.Context(), d.ns, func(a *v1beta1.Account, now time.Time) error {
			return quota.Reserve(a, quota.Show{Name: name, UID: uid}, 10, now)
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	d.clock.Step(3 * time.Minute)
	d.pass()
	if q := quota.Of(d.account(), d.clock.Now()); q.CreditsHeld != 10 {
		t.Errorf("%d credits are held, want the 10 of the existing slideshow", q.CreditsHeld)
	}
}

func TestRelease_SurvivesFaults(t *testing.T) {
	for tag, fault := range testkit.Faults() {
		t.Run(string(fault), func(t *testing.T) {
			d := newFixture(t, "sweep-"+tag)
			d.hold("slideshow-1", quota.Need{Slideshows: 1})
			d.hold("slideshow-2", quota.Need{Slideshows: 1})
			d.create("slideshow-2")
			d.pass()
			d.clock.Step(3 * time.Minute)
			d.rec.FailAt, d.rec.Fault = len(d.rec.Writes)+1, fault
			d.pass()
			d.used(1, "only one of the two slideshows exists")
		})
	}
}

func TestHold_ForAVideo(t *testing.T) {
	d := newFixture(t, "video")
	d.hold("video-1", quota.Need{Slideshows: 1})
	v := &v1beta1.Video{}
	v.Namespace, v.Name, v.Spec.BrandRef.Name, v.Spec.Avatar.MediaRef = d.ns, "video-1", "acme", &v1beta1.LocalRef{Name: "anna"}
	if err := cluster.Client.Create(t.Context(), v); err != nil {
		t.Fatal(err)
	}
	d.clock.Step(time.Hour)
	d.pass()
	d.used(1, "a video that was not reconciled yet")
	before := v.DeepCopy()
	v.Status.Charge = &v1beta1.Charge{PeriodStart: metav1.NewTime(d.clock.Now()), Charges: 1}
	if err := cluster.Client.Status().Patch(t.Context(), v, client.MergeFrom(before)); err != nil {
		t.Fatal(err)
	}
	d.clock.Step(time.Hour)
	d.pass()
	d.used(0, "the video has its own charge")
}
