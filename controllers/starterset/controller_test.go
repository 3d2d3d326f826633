// SPDX-License-Identifier: Apache-2.0

package starterset

import (
	"slices"
	"strconv"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clocktesting "k8s.io/utils/clock/testing"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/starter/starterset"
	"github.com/reelops/reelops/internal/testkit"
)

// cluster is shared by all tests of the package.
var cluster testkit.Shared

func TestMain(m *testing.M) { cluster.Main(m) }

var start = time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)

// fixture is a library namespace, and a reconciler whose startDelay has passed.
type fixture struct {
	*testing.T
	ns  string
	rec *testkit.Recorder
	r   *Reconciler
	clk *clocktesting.FakePassiveClock
}

func setup(t *testing.T, ns string) *fixture {
	t.Helper()
	cluster.Start(t)
	if err := cluster.Client.Create(t.Context(), testkit.Namespace(ns)); err != nil {
		t.Fatal(err)
	}
	f := &fixture{T: t, ns: ns}
	f.restart()
	return f
}

// restart starts a new manager without in-process state.
func (f *fixture) restart() {
	rec, err := cluster.Recorder(map[string]client.IndexerFunc{IndexBusy: BusyIndex})
	if err != nil {
		f.Fatal(err)
	}
	f.rec, f.clk = rec, clocktesting.NewFakePassiveClock(start)
	f.r = New(rec, f.clk, f.ns)
	f.pass()
	f.clk.SetTime(start.Add(time.Hour))
}

func (f *fixture) pass() (ctrl.Result, error) { return f.r.Reconcile(f.Context(), ctrl.Request{}) }

// finish settles all objects in progress: MediaAssets become ready, and MusicTracks fail.
func (f *fixture) finish() {
	f.Helper()
	var assets v1beta1.MediaAssetList
	var tracks v1beta1.MusicTrackList
	for _, l := range []client.ObjectList{&assets, &tracks} {
		if err := cluster.Client.List(f.Context(), l, client.InNamespace(f.ns)); err != nil {
			f.Fatal(err)
		}
	}
	settle := func(o client.Object) {
		if err := cluster.Client.Status().Update(f.Context(), o); err != nil {
			f.Fatal(err)
		}
	}
	for i := range assets.Items {
		if assets.Items[i].Status.Probe != nil {
			continue
		}
		assets.Items[i].Status.Probe = &v1beta1.MediaProbe{Kind: "video", ContentType: "video/mp4"}
		settle(&assets.Items[i])
	}
	for i := range tracks.Items {
		if tracks.Items[i].Status.Error != nil {
			continue
		}
		tracks.Items[i].Status.Error = &v1beta1.WorkError{Code: "internal_error", Message: "Broken"}
		settle(&tracks.Items[i])
	}
}

// complete runs passes until nothing more is written.
func (f *fixture) complete() {
	f.Helper()
	for range 4 * len(starterset.Items()) {
		n := len(f.rec.Writes)
		if res, err := f.pass(); err != nil {
			f.Fatal(err)
		} else if len(f.rec.Writes) == n && res.RequeueAfter == 0 {
			return
		}
		f.finish()
	}
	f.Fatalf("the set does not become complete: %v", f.rec.Writes)
}

func (f *fixture) asset(name string) *v1beta1.MediaAsset {
	f.Helper()
	a := &v1beta1.MediaAsset{}
	if err := cluster.Client.Get(f.Context(), client.ObjectKey{Namespace: f.ns, Name: name}, a); err != nil {
		f.Fatal(err)
	}
	return a
}

// clips returns the items whose objects are MediaAssets.
func clips() []starterset.Item {
	return slices.DeleteFunc(starterset.Items(), func(i starterset.Item) bool { return i.Kind != starterset.Clip })
}

func TestSet_CreatesItemsOneAfterTheOther(t *testing.T) {
	f := setup(t, "one-by-one")
	items := starterset.Items()
	for i := range items {
		if _, err := f.pass(); err != nil {
			t.Fatal(err)
		}
		if len(f.rec.Writes) != i+1 || f.rec.Names[i] != items[i].Name {
			t.Fatalf("pass %d wrote %v", i+1, f.rec.Names)
		}
		if res, err := f.pass(); err != nil || res.RequeueAfter != 0 || len(f.rec.Writes) != i+1 {
			t.Fatalf("while %s is in progress: got %+v, %v, writes %v", items[i].Name, res, err, f.rec.Writes)
		}
		f.finish()
	}
	for range 3 {
		if res, err := f.pass(); err != nil || res.RequeueAfter != 0 {
			t.Fatalf("complete: got %+v, %v", res, err)
		}
	}
	if len(f.rec.Writes) != len(items) {
		t.Errorf("the complete set wrote %v", f.rec.Writes[len(items):])
	}
	clip := clips()[0]
	a := f.asset(clip.Name)
	if a.Spec.MediaType != "avatar_video" || *a.Spec.Source.Starter != clip.Name || a.Spec.BrandRef != nil || a.Spec.Title == "" {
		t.Errorf("got spec %+v", a.Spec)
	}
	f.restart()
	f.complete()
	if len(f.rec.Writes) != 0 {
		t.Errorf("the restart wrote %v", f.rec.Writes)
	}
}

func TestSet_WaitsForUserWork(t *testing.T) {
	f := setup(t, "people-first")
	s := testkit.Slideshow(f.ns, "tea", "acme", "tea")
	if err := cluster.Client.Create(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	s.Status.Work = &v1beta1.Work{State: v1beta1.WorkProcessing, Attempt: 1}
	if err := cluster.Client.Status().Update(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	if res, err := f.pass(); err != nil || res.RequeueAfter != busyWait || len(f.rec.Writes) > 0 {
		t.Fatalf("while busy: got %+v, %v, wrote %v", res, err, f.rec.Writes)
	}
	s.Status.Work.State = v1beta1.WorkSucceeded
	if err := cluster.Client.Status().Update(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	if _, err := f.pass(); err != nil || len(f.rec.Writes) != 1 {
		t.Errorf("when idle: %v, wrote %v", err, f.rec.Writes)
	}
}

func TestSet_RestoresDeletedItemsAtTheNextStart(t *testing.T) {
	f := setup(t, "deleted")
	f.complete()
	name := clips()[2].Name
	if err := cluster.Client.Delete(t.Context(), f.asset(name)); err != nil {
		t.Fatal(err)
	}
	n := len(f.rec.Writes)
	f.complete()
	if len(f.rec.Writes) != n {
		t.Errorf("a deleted item is restored at once: %v", f.rec.Writes[n:])
	}
	f.restart()
	f.complete()
	if len(f.rec.Names) != 1 || f.rec.Names[0] != name {
		t.Errorf("the restart wrote %v", f.rec.Names)
	}
}

func TestSet_UpgradesItems(t *testing.T) {
	f := setup(t, "upgrades")
	f.complete()
	items := clips()
	age := func(name, version, title string) {
		t.Helper()
		a := f.asset(name)
		a.Annotations[starterset.AnnotationVersion], a.Spec.Title = version, title
		a.Labels[v1beta1.LabelID] = "41"
		if err := cluster.Client.Update(t.Context(), a); err != nil {
			t.Fatal(err)
		}
	}
	age(items[0].Name, "1-older", "Old title")
	age(items[1].Name, "0-older", "Old film")
	words, film := f.asset(items[0].Name), f.asset(items[1].Name)
	f.restart()
	f.complete()
	if a := f.asset(items[0].Name); a.UID != words.UID || a.Spec.Title != items[0].Asset.Title || a.Annotations[starterset.AnnotationVersion] != items[0].Version() {
		t.Errorf("an item with another title: got %+v", a)
	}
	if a := f.asset(items[1].Name); a.UID == film.UID || a.Spec.Title != items[1].Asset.Title || a.Labels[v1beta1.LabelID] != "41" {
		t.Errorf("an item with another clip: got %+v", a)
	}
}

func TestSet_KeepsForeignObjects(t *testing.T) {
	f := setup(t, "others")
	items := clips()
	theirs := &v1beta1.MediaAsset{
		ObjectMeta: metav1.ObjectMeta{Namespace: f.ns, Name: items[0].Name},
		Spec:       v1beta1.MediaAssetSpec{Title: "Mine", Source: v1beta1.MediaSource{BlobKey: new("imports/shared/mine.mp4")}},
	}
	if err := cluster.Client.Create(t.Context(), theirs); err != nil {
		t.Fatal(err)
	}
	f.complete()
	if a := f.asset(items[0].Name); a.UID != theirs.UID || a.Spec.Title != "Mine" {
		t.Errorf("the foreign object was changed: %+v", a.Spec)
	}
	if got := len(f.rec.Writes); got != len(starterset.Items()) { // one write was rejected
		t.Errorf("got %d writes for %d items: %v", got, len(starterset.Items()), f.rec.Names)
	}
}

func TestSet_WaitsForTheLibraryNamespace(t *testing.T) {
	f := setup(t, "not-yet")
	f.ns = "not-yet-there"
	f.restart()
	if res, err := f.pass(); err != nil || res.RequeueAfter != startDelay {
		t.Errorf("got %+v, %v", res, err)
	}
}

// TestSet_SurvivesFaults fails each write, before and after it is applied. The set still becomes complete, without
// duplicates.
func TestSet_SurvivesFaults(t *testing.T) {
	for i, fault := range []testkit.Fault{testkit.Lost, testkit.Unanswered} {
		for at := 1; at <= 2; at++ {
			f := setup(t, "fault-"+strconv.Itoa(i)+"-"+strconv.Itoa(at))
			f.r.items = clips()[:2]
			f.complete()
			a := f.asset(f.r.items[0].Name)
			a.Annotations[starterset.AnnotationVersion] = "0-older"
			if err := cluster.Client.Update(t.Context(), a); err != nil {
				t.Fatal(err)
			}
			items := f.r.items
			f.restart()
			f.r.items = items
			f.rec.FailAt, f.rec.Fault = at, fault
			for range 6 {
				_, _ = f.pass()
				f.finish()
			}
			f.complete()
			if b := f.asset(items[0].Name); b.UID == a.UID || b.Annotations[starterset.AnnotationVersion] != items[0].Version() {
				t.Errorf("%s at write %d: got %+v", fault, at, b.ObjectMeta)
			}
		}
	}
}
