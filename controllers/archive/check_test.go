// SPDX-License-Identifier: Apache-2.0

package archive

import (
	"errors"
	"strings"
	"testing"

	"sigs.k8s.io/controller-runtime/pkg/client"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/kube/recreate"
	"github.com/reelops/reelops/internal/store/archive"
	"github.com/reelops/reelops/internal/testkit"
)

// fromBackup creates an object as a restore from a backup does.
func (w *world) fromBackup(o client.Object) client.Object {
	w.Helper()
	const mark = "reelops.dev/restore"
	doc, err := archive.Encode(o)
	if err != nil {
		w.Fatal(err)
	}
	typed, err := archive.Decode(doc)
	if err != nil {
		w.Fatal(err)
	}
	u, err := unstructuredOf(typed)
	if err != nil {
		w.Fatal(err)
	}
	c, ok := recreate.Source{Annotation: mark, ID: "b"}.Prepare(u, nil)
	if !ok {
		w.Fatal("the object has an owner")
	}
	u, err = recreate.Create(w.Context(), w.cluster.Client, c)
	if err == nil {
		err = recreate.Release(w.Context(), w.cluster.Client, u, mark)
	}
	if err != nil {
		w.Fatal(err)
	}
	return u
}

// requestCheck sets the annotation that a restore from a backup sets.
func (w *world) requestCheck() {
	w.Helper()
	a := w.archive()
	a.Annotations = map[string]string{v1beta1.AnnotationCheckArchive: "true"}
	if err := w.cluster.Client.Update(w.Context(), a); err != nil {
		w.Fatal(err)
	}
}

// TestCheck restores a backup that has one object of an archived short. Each write of the check itself fails once,
// before and after it is applied; TestCrash fails those of the restore.
func TestCheck(t *testing.T) {
	prepare := func(t *testing.T, namespace string) (w *world, all []client.Object, was client.Object) {
		t.Helper()
		w = newWorld(t, namespace)
		all = w.create(settledUnit(namespace, 7))
		w.create(settledUnit(namespace, 8))
		w.settle()
		w.r.After = 0 // what returns is not archived again
		was = w.fromBackup(all[0])
		w.requestCheck()
		w.rec.Writes = nil
		return w, all, was
	}
	run := func(w *world) {
		w.Helper()
		for range 10 {
			wrote, err := w.pass()
			if errors.Is(err, testkit.ErrFault) {
				after := w.r.After
				w.start()
				w.r.After = after
				continue
			}
			if err != nil {
				w.Fatal(err)
			}
			if !wrote && w.archive().Annotations[v1beta1.AnnotationCheckArchive] == "" {
				return
			}
		}
		w.Fatal("the check does not end")
	}
	finished := func(w *world, all []client.Object, was client.Object) {
		w.Helper()
		for _, o := range all {
			w.same(o)
		}
		if now := w.find(all[0]); now.GetUID() != was.GetUID() {
			w.Error("an object that was in the cluster was replaced")
		}
		if w.archived(7) || !w.archived(8) || len(w.archive().Spec.Restore) > 0 {
			w.Errorf("got %+v", w.archive().Status)
		}
		if w.archive().Annotations[v1beta1.AnnotationCheckArchive] != "" {
			w.Error("the check is still requested")
		}
	}
	calm, all, was := prepare(t, "check-calm")
	run(calm)
	finished(calm, all, was)
	for _, cell := range testkit.Cells(calm.rec.Writes) {
		if cell.Write != "patch Archive" {
			continue
		}
		t.Run(cell.String(), func(t *testing.T) {
			w, all, was := prepare(t, "check-"+cell.Tag)
			w.rec.FailAt, w.rec.Fault = cell.At, cell.Fault
			run(w)
			finished(w, all, was)
		})
	}
}

// TestCheck_DamagedSegment reports a segment without files, and checks the others.
func TestCheck_DamagedSegment(t *testing.T) {
	w := newWorld(t, "check-damaged")
	w.create(settledUnit(w.namespace, 7))
	w.settle()
	seg := w.archive().Status.Segments[0]
	if err := w.store.Delete(t.Context(), w.namespace, &seg); err != nil {
		t.Fatal(err)
	}
	w.r.After = 0
	w.requestCheck()
	if _, err := w.pass(); err != nil {
		t.Fatal(err)
	}
	if w.archive().Annotations[v1beta1.AnnotationCheckArchive] != "" {
		t.Error("the check is still requested")
	}
	select {
	case e := <-w.events.Events:
		if want := "segment " + seg.Name + " was not checked"; !strings.Contains(e, want) {
			t.Errorf("got the event %q, want %q", e, want)
		}
	default:
		t.Error("there is no event")
	}
}
