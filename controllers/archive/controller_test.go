// SPDX-License-Identifier: Apache-2.0

package archive

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/events"
	testclock "k8s.io/utils/clock/testing"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/store/archive"
	"github.com/reelops/reelops/internal/store/blob"
	"github.com/reelops/reelops/internal/testkit"
)

var shared testkit.Shared

func TestMain(m *testing.M) { shared.Main(m) }

// world is a namespace with an account, and a reconciler whose clock is 40 days ahead of the cluster's.
type world struct {
	*testing.T
	cluster   *testkit.Cluster
	namespace string
	rec       *testkit.Recorder
	clock     *testclock.FakeClock
	store     *archive.Store
	files     *blob.Store
	events    *events.FakeRecorder
	r         *Reconciler
	last      ctrl.Result
	after     time.Duration
}

// never is longer than any age in the tests: nothing is archived.
const never = 10000 * 24 * time.Hour

func newWorld(t *testing.T, namespace string) *world {
	t.Helper()
	w := &world{
		T: t, after: 30 * 24 * time.Hour, cluster: shared.Start(t), namespace: namespace, events: events.NewFakeRecorder(100),
		clock: testclock.NewFakeClock(time.Now().Add(40 * 24 * time.Hour)),
	}
	w.files = testkit.Files(t, w.clock)
	w.store = archive.New(w.files, 0)
	var err error
	if w.rec, err = w.cluster.Recorder(nil); err != nil {
		t.Fatal(err)
	}
	for _, o := range []client.Object{testkit.Namespace(namespace), testkit.Account(namespace)} {
		if err := w.cluster.Client.Create(t.Context(), o); err != nil && !apierrors.IsAlreadyExists(err) {
			t.Fatal(err)
		}
	}
	w.start()
	return w
}

// start replaces the reconciler by a new one, as after the end of its process.
func (w *world) start() {
	w.r = &Reconciler{
		Client: inView{w.rec}, Live: w.cluster.Client, Store: w.store, Files: w.files, After: w.after, Events: w.events,
		Clock: w.clock,
	}
}

// inView lists what the cache of the manager holds.
type inView struct{ client.Client }

func (v inView) List(ctx context.Context, l client.ObjectList, opts ...client.ListOption) error {
	return v.Client.List(ctx, l, append(opts, client.MatchingLabelsSelector{Selector: v1beta1.Whole()})...)
}

// create creates the objects of a unit with their statuses, and returns them as stored.
func (w *world) create(u *unit) []client.Object {
	w.Helper()
	owners := map[types.UID]types.UID{}
	var out []client.Object
	for _, o := range u.objects() {
		uid := o.GetUID()
		refs := o.GetOwnerReferences()
		for i := range refs {
			refs[i].UID = owners[refs[i].UID]
		}
		o.SetUID("")
		o.SetGeneration(0)
		status := o.DeepCopyObject().(client.Object)
		if err := w.cluster.Client.Create(w.Context(), o); err != nil {
			w.Fatal(err)
		}
		owners[uid] = o.GetUID()
		status.SetResourceVersion(o.GetResourceVersion())
		status.SetUID(o.GetUID())
		if err := w.cluster.Client.Status().Update(w.Context(), status); err != nil {
			w.Fatal(err)
		}
		out = append(out, status)
	}
	return out
}

// archiveAfter changes the setting of the installation.
func (w *world) archiveAfter(d time.Duration) {
	w.after, w.r.After = d, d
}

// pass runs one pass, advances the clock to the next one, and returns whether the pass wrote anything.
func (w *world) pass() (wrote bool, err error) {
	n := len(w.rec.Writes)
	key := client.ObjectKey{Namespace: w.namespace, Name: v1beta1.ArchiveName}
	w.last, err = w.r.Reconcile(w.Context(), ctrl.Request{NamespacedName: key})
	w.clock.Step(max(w.last.RequeueAfter, time.Millisecond))
	return len(w.rec.Writes) > n, err
}

// settle runs passes until one writes nothing.
func (w *world) settle() {
	w.Helper()
	for range 20 {
		wrote, err := w.pass()
		if err != nil {
			w.Fatal(err)
		}
		if !wrote && w.last.RequeueAfter >= minInterval && len(w.archive().Status.Segments) == len(w.stored()) {
			return
		}
	}
	w.Fatalf("20 passes did not finish: %v, %+v", w.rec.Writes, w.archive().Status)
}

// stored are the segments of which no object is in the cluster.
func (w *world) stored() []v1beta1.ArchiveSegment {
	return slices.DeleteFunc(w.archive().Status.Segments, func(s v1beta1.ArchiveSegment) bool { return s.Phase != "" })
}

func (w *world) archive() *v1beta1.Archive {
	w.Helper()
	a := &v1beta1.Archive{}
	err := w.cluster.Client.Get(w.Context(), client.ObjectKey{Namespace: w.namespace, Name: v1beta1.ArchiveName}, a)
	if client.IgnoreNotFound(err) != nil {
		w.Fatal(err)
	}
	return a
}

// archived reports whether the archive holds a short.
func (w *world) archived(id int64) bool {
	w.Helper()
	a := w.archive()
	for i := range a.Status.Segments {
		s := &a.Status.Segments[i]
		keys, err := w.store.ShortKeys(w.Context(), w.namespace, s)
		if err != nil {
			w.Fatal(err)
		}
		if slices.ContainsFunc(keys, func(k archive.ShortKey) bool { return k.ID == id }) && a.Holds(s, id) {
			return true
		}
	}
	return false
}

// find returns an object as the cluster has it; nil if it does not exist.
func (w *world) find(o client.Object) client.Object {
	w.Helper()
	now := o.DeepCopyObject().(client.Object)
	if err := w.cluster.Client.Get(w.Context(), client.ObjectKeyFromObject(o), now); err != nil {
		if !apierrors.IsNotFound(err) {
			w.Fatal(err)
		}
		return nil
	}
	return now
}

// visible reports whether controllers see an object.
func (w *world) visible(o client.Object) bool {
	now := w.find(o)
	return now != nil && v1beta1.Whole().Matches(labels.Set(now.GetLabels()))
}

// inOnePlace fails the test unless the archive holds a unit, or every object of it is visible.
func (w *world) inOnePlace(id int64, objects []client.Object) {
	w.Helper()
	if w.archived(id) {
		return
	}
	for _, o := range objects {
		if !w.visible(o) {
			w.Errorf("%T %s is neither in the cluster nor in the archive", o, o.GetName())
		}
	}
}

// same fails the test unless an object has come back as it was.
func (w *world) same(was client.Object) {
	w.Helper()
	now := w.find(was)
	if now == nil || !w.visible(was) {
		w.Errorf("%T %s is not visible", was, was.GetName())
		return
	}
	if !slices.Equal(now.GetFinalizers(), was.GetFinalizers()) {
		w.Errorf("%T %s has the finalizers %v", was, was.GetName(), now.GetFinalizers())
	}
	if v1beta1.Origin(now) != was.GetUID() || !v1beta1.CreatedAt(now).Time.Equal(was.GetCreationTimestamp().Time) {
		w.Errorf("%T %s: origin %s, created at %s", was, was.GetName(), v1beta1.Origin(now), v1beta1.CreatedAt(now))
	}
	if d := cmp.Diff(was, now, cmpopts.IgnoreTypes(metav1.TypeMeta{}, metav1.ObjectMeta{})); d != "" {
		w.Errorf("%T %s changed:\n%s", was, was.GetName(), d)
	}
	for _, ref := range now.GetOwnerReferences() {
		if !slices.ContainsFunc(was.GetOwnerReferences(), func(r metav1.OwnerReference) bool {
			return r.Name == ref.Name && r.UID != ref.UID
		}) {
			w.Errorf("%T %s has the owner %v", was, was.GetName(), ref)
		}
	}
}

func (w *world) request(ids ...int64) {
	w.Helper()
	a := w.archive()
	a.Spec.Restore = append(a.Spec.Restore, ids...)
	if err := w.cluster.Client.Update(w.Context(), a); err != nil {
		w.Fatal(err)
	}
}

func TestArchiveAndRestore(t *testing.T) {
	w := newWorld(t, "archive-restore")
	all := w.create(settledUnit(w.namespace, 7))
	other := w.create(settledUnit(w.namespace, 8))
	w.settle()
	if !w.archived(7) || !w.archived(8) {
		t.Fatalf("not archived: %+v", w.archive().Status)
	}
	for _, o := range slices.Concat(all, other) {
		if now := w.find(o); now != nil {
			t.Errorf("%T %s is in the cluster: %v", o, o.GetName(), now.GetLabels())
		}
	}
	st := w.archive().Status
	if st.Shorts != 2 || st.Posts != 4 || len(st.Segments) != 1 || st.Segments[0].FilmBytes != 2000 {
		t.Errorf("got %+v", st)
	}
	w.archiveAfter(never)
	w.request(7, 99)
	w.settle()
	for _, o := range all {
		w.same(o)
	}
	a := w.archive()
	if w.archived(7) || !w.archived(8) || len(a.Spec.Restore) > 0 || a.Status.Shorts != 1 {
		t.Errorf("got %+v, %+v", a.Spec, a.Status)
	}
	// It leaves again when it is old enough, and comes back as it was at first.
	w.archiveAfter(30 * 24 * time.Hour)
	w.settle()
	if !w.archived(7) {
		t.Fatal("a restored short stays in the cluster")
	}
	w.archiveAfter(never)
	w.request(7)
	w.settle()
	for _, o := range all {
		w.same(o)
	}
}

// TestRoleAndPolicies archives and restores an approved batch with the permissions of the manager.
func TestRoleAndPolicies(t *testing.T) {
	manager := shared.Start(t).Manager(t, "archive-role")
	w := newWorld(t, "archive-role")
	for _, file := range []string{"policy/marks.yaml", "policy/approval.yaml"} {
		if err := w.cluster.Apply(t.Context(), file); err != nil {
			t.Fatal(err)
		}
	}
	u := settledUnit(w.namespace, 7)
	u.batches[0].Spec.Approved = true
	all := w.create(u)
	w.r.Client, w.r.Live = inView{manager}, manager
	for range 10 {
		if _, err := w.pass(); err != nil {
			t.Fatal(err)
		}
	}
	if !w.archived(7) || w.find(all[0]) != nil {
		t.Fatalf("got %+v", w.archive().Status)
	}
	w.archiveAfter(never)
	w.request(7)
	if _, err := w.pass(); err != nil {
		t.Fatal(err)
	}
	for _, o := range all {
		w.same(o)
	}
}

func TestUnfinishedUnitsStay(t *testing.T) {
	w := newWorld(t, "archive-unfinished")
	u := settledUnit(w.namespace, 7)
	u.posts[1].Status.State = v1beta1.PostScheduled
	w.create(u)
	young := settledUnit(w.namespace, 8)
	w.create(young)
	w.archiveAfter(41 * 24 * time.Hour)
	w.settle()
	if a := w.archive(); a.UID != "" {
		t.Errorf("archived %+v", a.Status)
	}
	w.archiveAfter(0)
	if _, err := w.pass(); err != nil || w.last.RequeueAfter != 0 {
		t.Errorf("got %v, %v", w.last, err)
	}
}

func TestPlanOverridesTheInstallation(t *testing.T) {
	w := newWorld(t, "archive-plan")
	w.create(settledUnit(w.namespace, 7))
	w.archiveAfter(0)
	a := testkit.Account(w.namespace)
	if err := w.cluster.Client.Get(t.Context(), client.ObjectKeyFromObject(a), a); err != nil {
		t.Fatal(err)
	}
	a.Spec.Plan.ArchiveAfterDays = new(int32(39))
	if err := w.cluster.Client.Update(t.Context(), a); err != nil {
		t.Fatal(err)
	}
	w.settle()
	if !w.archived(7) {
		t.Error("the plan has no effect")
	}
}

// TestChangedWhileLeaving changes a unit between the steps of its way out.
func TestChangedWhileLeaving(t *testing.T) {
	edit := func(w *world, u *unit) {
		s := w.find(u.short).(*v1beta1.Slideshow)
		s.Spec.Context = "Four facts about tea"
		if err := w.cluster.Client.Update(w.Context(), s); err != nil {
			w.Fatal(err)
		}
	}
	for _, c := range []struct {
		name   string
		passes int
		change func(*world, *unit)
	}{
		{"an edit before hiding", 1, edit},
		{"another batch while its short is hidden", 2, func(w *world, u *unit) {
			b := settledUnit(w.namespace, u.id).batches[0]
			b.Name, b.UID, b.Status = "batch-other", "", v1beta1.PostBatchStatus{}
			if err := w.cluster.Client.Create(w.Context(), b); err != nil {
				w.Fatal(err)
			}
		}},
		{"another render while its short is hidden", 2, func(w *world, u *unit) {
			r := settledUnit(w.namespace, u.id).renders[0]
			r.Name, r.UID, r.OwnerReferences = "render-other", "", w.find(u.renders[0]).GetOwnerReferences()
			if err := w.cluster.Client.Create(w.Context(), r); err != nil {
				w.Fatal(err)
			}
		}},
		{"a deleted post", 2, func(w *world, u *unit) {
			p := w.find(u.posts[0])
			p.SetFinalizers(nil)
			if err := errors.Join(w.cluster.Client.Update(w.Context(), p), w.cluster.Client.Delete(w.Context(), p)); err != nil {
				w.Fatal(err)
			}
		}},
		{"a request for its restore", 2, func(w *world, u *unit) { w.request(u.id) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t, "leaving-"+strings.Map(letters, c.name))
			u := settledUnit(w.namespace, 7)
			all := w.create(u)
			other := w.create(settledUnit(w.namespace, 8))
			for range c.passes {
				if _, err := w.pass(); err != nil {
					t.Fatal(err)
				}
			}
			c.change(w, u)
			// Changed units do not leave at the next opportunity either: they were touched.
			w.archiveAfter(never)
			w.settle()
			if w.archived(7) || !w.archived(8) {
				t.Errorf("7 is archived: %v, 8 is archived: %v", w.archived(7), w.archived(8))
			}
			for _, o := range all {
				if now := w.find(o); now == nil {
					if !strings.Contains(c.name, "deleted") || o.GetName() != "post-70" {
						t.Errorf("%T %s does not exist", o, o.GetName())
					}
				} else if !w.visible(o) || len(now.GetFinalizers()) == 0 || now.GetUID() != o.GetUID() {
					t.Errorf("%T %s: %v, %v", o, o.GetName(), now.GetLabels(), now.GetFinalizers())
				}
			}
			for _, o := range other {
				if w.find(o) != nil {
					t.Errorf("%T %s is in the cluster", o, o.GetName())
				}
			}
		})
	}
}

// TestRequestedAfterItWasPutBack requests the restore of a short that was put back, while the segment that it was in
// still leaves: a front end had an older state of the archive.
func TestRequestedAfterItWasPutBack(t *testing.T) {
	script := func(w *world) (back []client.Object) {
		w.Helper()
		back = w.create(settledUnit(w.namespace, 7))
		w.create(settledUnit(w.namespace, 8))
		if _, err := w.pass(); err != nil {
			w.Fatal(err)
		}
		s := w.find(back[0]).(*v1beta1.Slideshow)
		s.Spec.Context = "Four facts about tea"
		if err := w.cluster.Client.Update(w.Context(), s); err != nil {
			w.Fatal(err)
		}
		w.archiveAfter(never)
		for range 10 {
			if _, err := w.pass(); errors.Is(err, testkit.ErrFault) {
				break
			} else if err != nil {
				w.Fatal(err)
			}
		}
		return back
	}
	calm := newWorld(t, "put-back-calm")
	script(calm)
	first := slices.IndexFunc(calm.rec.Writes, func(s string) bool { return strings.HasPrefix(s, "delete ") }) + 1
	if first == 0 {
		t.Fatalf("nothing is deleted: %v", calm.rec.Writes)
	}
	w := newWorld(t, "put-back")
	w.rec.FailAt, w.rec.Fault = first, testkit.Lost
	back := script(w)
	if p := w.archive().Status.Segments[0].Phase; p != v1beta1.ArchiveDeleting {
		t.Fatalf("the segment is in the phase %q", p)
	}
	w.request(7)
	w.settle()
	for _, o := range back {
		now := w.find(o)
		if now == nil || now.GetUID() != o.GetUID() || !w.visible(o) || now.GetDeletionTimestamp() != nil {
			t.Errorf("%T %s was deleted or replaced", o, o.GetName())
		}
	}
	if w.archived(7) || !w.archived(8) {
		t.Errorf("got %+v", w.archive().Status)
	}
}

func letters(r rune) rune {
	if r == ' ' {
		return '-'
	}
	return r
}

// TestCrash ends the process at each write of an archiving and of a restore, once before and once after the write is
// applied. At each point the unit is in one place, and a new process finishes what the first one began.
func TestCrash(t *testing.T) {
	script := func(w *world, check func()) {
		restore := func() {
			w.archiveAfter(never)
			w.request(7)
		}
		for _, step := range []func(){func() {}, restore} {
			step()
			for range 30 {
				wrote, err := w.pass()
				if errors.Is(err, testkit.ErrFault) {
					check()
					w.start()
					continue
				}
				if err != nil {
					w.Fatal(err)
				}
				if !wrote && w.last.RequeueAfter >= minInterval &&
					len(w.stored()) == len(w.archive().Status.Segments) && len(w.archive().Spec.Restore) == 0 {
					break
				}
			}
			check()
		}
	}
	calm := newWorld(t, "crash-calm")
	all := calm.create(settledUnit(calm.namespace, 7))
	script(calm, func() { calm.inOnePlace(7, all) })
	if len(calm.rec.Writes) < 20 {
		t.Fatalf("the script makes %d writes: %v", len(calm.rec.Writes), calm.rec.Writes)
	}
	for _, cell := range testkit.Cells(calm.rec.Writes) {
		t.Run(cell.String(), func(t *testing.T) {
			w := newWorld(t, "crash-"+cell.Tag)
			all := w.create(settledUnit(w.namespace, 7))
			w.rec.FailAt, w.rec.Fault = cell.At, cell.Fault
			script(w, func() { w.inOnePlace(7, all) })
			for _, o := range all {
				w.same(o)
			}
			if w.archived(7) || len(w.archive().Spec.Restore) > 0 {
				t.Errorf("the restored short is archived: %+v", w.archive())
			}
		})
	}
}

// TestRequestedAtAnyTime requests the restore of a short at each write of its way out, which fails then: the request
// changes the Archive.
func TestRequestedAtAnyTime(t *testing.T) {
	script := func(w *world) {
		w.Helper()
		for range 30 {
			wrote, err := w.pass()
			if err != nil && !errors.Is(err, testkit.ErrFault) {
				w.Fatal(err)
			}
			idle := err == nil && !wrote && w.last.RequeueAfter >= minInterval
			if idle && len(w.stored()) == len(w.archive().Status.Segments) {
				return
			}
		}
		w.Fatal("30 passes did not finish")
	}
	calm := newWorld(t, "any-time-calm")
	calm.create(settledUnit(calm.namespace, 7))
	script(calm)
	for _, cell := range testkit.Cells(calm.rec.Writes) {
		if cell.Fault != testkit.Lost && !testing.Short() {
			continue // with -short there is one cell for each write, whose fault is replaced
		}
		t.Run(cell.String(), func(t *testing.T) {
			w := newWorld(t, "any-time-"+cell.Tag)
			all := w.create(settledUnit(w.namespace, 7))
			w.rec.FailAt, w.rec.Fault = cell.At, testkit.Lost
			w.rec.OnFault = func() {
				if w.archive().UID != "" {
					w.archiveAfter(never)
					w.request(7)
				}
			}
			script(w)
			w.inOnePlace(7, all)
			if len(w.archive().Spec.Restore) > 0 {
				t.Errorf("still requested: %v", w.archive().Spec.Restore)
			}
		})
	}
}

func TestRestore_NameTaken(t *testing.T) {
	w := newWorld(t, "archive-taken")
	all := w.create(settledUnit(w.namespace, 7))
	w.settle()
	b := settledUnit(w.namespace, 9).batches[0]
	b.Name, b.UID = all[3].GetName(), ""
	if err := w.cluster.Client.Create(t.Context(), b); err != nil {
		t.Fatal(err)
	}
	w.archiveAfter(never)
	w.request(7)
	w.settle()
	if !w.archived(7) || len(w.archive().Spec.Restore) > 0 {
		t.Errorf("got %+v", w.archive())
	}
	for _, o := range all {
		if now := w.find(o); now != nil && now.GetName() != b.Name {
			t.Errorf("%T %s was created", o, o.GetName())
		}
	}
	select {
	case e := <-w.events.Events:
		if !strings.Contains(e, "short 7 was not restored") || !strings.Contains(e, b.Name) {
			t.Errorf("got the event %q", e)
		}
	default:
		t.Error("there is no event")
	}
}

func TestCompact(t *testing.T) {
	w := newWorld(t, "archive-compact")
	for i := range int64(fewSegments) {
		w.create(settledUnit(w.namespace, i+1))
		w.settle()
	}
	st := w.archive().Status
	if len(st.Segments) != 1 || st.Shorts != fewSegments || st.Posts != 2*fewSegments {
		t.Fatalf("got %+v", st)
	}
	w.archiveAfter(never)
	w.request(1, 2, 3)
	w.settle()
	st = w.archive().Status
	if len(st.Segments) != 1 || st.Shorts != fewSegments-3 || st.Posts != 2*(fewSegments-3) ||
		len(st.Segments[0].Removed) > 0 {
		t.Errorf("got %+v", st)
	}
	for id := range int64(fewSegments) {
		if got := w.archived(id + 1); got != (id >= 3) {
			t.Errorf("short %d is archived: %v", id+1, got)
		}
	}
}

// TestCompact_WhileUnitsLeave archives a unit in each pass, so that at each time a segment is leaving the cluster.
func TestCompact_WhileUnitsLeave(t *testing.T) {
	w := newWorld(t, "archive-compact-busy")
	for i := range int64(4 * fewSegments) {
		w.create(settledUnit(w.namespace, i+1))
		if _, err := w.pass(); err != nil {
			t.Fatal(err)
		}
	}
	leaving := len(w.archive().Status.Segments) - len(w.stored())
	if got := len(w.stored()); got > fewSegments || leaving == 0 {
		t.Errorf("%d segments were not merged while %d were leaving", got, leaving)
	}
	if got := w.archive().Status.Shorts; got != 4*fewSegments {
		t.Errorf("the archive has %d shorts", got)
	}
}

func TestSweeper_DeletesTheFilesOfDeletedAccounts(t *testing.T) {
	w := newWorld(t, "archive-swept")
	w.create(settledUnit(w.namespace, 7))
	w.settle()
	seg := w.archive().Status.Segments[0]
	if _, _, err := w.store.Read(t.Context(), w.namespace, &seg); err != nil {
		t.Fatal(err)
	}
	gone := fmt.Sprintf("%s-gone", w.namespace)
	if _, err := w.store.Write(t.Context(), gone, []archive.Short{{ID: 1, CreatedAt: longAgo}}, nil); err != nil {
		t.Fatal(err)
	}
	const film, other = "renders/archive-swept-gone/1/film.mp4", "renders/archive-swept-gone2/1/film.mp4"
	for _, key := range []string{film, other} {
		if err := w.files.Put(t.Context(), key, "video/mp4", strings.NewReader("film")); err != nil {
			t.Fatal(err)
		}
	}
	n, err := (&sweeper{w.r}).pass(t.Context())
	if n != 1 || err != nil {
		t.Errorf("got %d, %v", n, err)
	}
	if _, _, err := w.store.Read(t.Context(), w.namespace, &seg); err != nil {
		t.Errorf("the files of an account are gone: %v", err)
	}
	for key, want := range map[string]bool{film: false, other: true} {
		if got, err := w.files.Exists(t.Context(), key); got != want || err != nil {
			t.Errorf("%s exists: %v, %v", key, got, err)
		}
	}
}
