// SPDX-License-Identifier: Apache-2.0

package slideshow

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"k8s.io/utils/ptr"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/content/deck"
	"github.com/reelops/reelops/internal/testkit"
)

// TestEdit_SurvivesFaults edits a rendered slideshow while each write of the edit's passes fails in each way. The
// result always has one more revision, unchanged slides keep their images, and nothing is charged or generated again.
func TestEdit_SurvivesFaults(t *testing.T) {
	st := newStage(t)
	edited := func(t *testing.T, namespace string, failAt int, f testkit.Fault) (u *run, before *v1beta1.Slideshow, writes []string) {
		u = st.run(t, namespace, &writer{}, 0, "")
		before = u.live()
		s := before.DeepCopy()
		r, err := deck.Apply(s, nil, deck.Edit{
			Slides: []deck.SlideEdit{{ID: 2, Overlays: &[]deck.OverlayEdit{{Text: ptr.To("Only this"), Set: v1beta1.TextOverlay{FontSize: 2000}}}}}, Order: []int64{3, 2, 1},
		})
		if err != nil {
			t.Fatal(err)
		}
		s.Spec = *r.Spec
		if err := st.cluster.Client.Update(t.Context(), s); err != nil {
			t.Fatal(err)
		}
		n := len(u.rec.Writes)
		if failAt > 0 {
			u.rec.FailAt, u.rec.Fault = n+failAt, f
		}
		u.settle()
		return u, before, u.rec.Writes[n:]
	}
	check := func(t *testing.T, u *run, before *v1beta1.Slideshow) {
		t.Helper()
		u.t = t
		s := u.live()
		if s.Status.Revision != 2 || s.Status.Work.State != v1beta1.WorkSucceeded || deck.Outdated(s) {
			t.Errorf("got revision %d, work %+v", s.Status.Revision, s.Status.Work)
		}
		for _, id := range []int64{1, 3} {
			if diff := cmp.Diff(deck.Drawn(before, id), deck.Drawn(s, id)); diff != "" {
				t.Errorf("slide %d changed (-before +after):\n%s", id, diff)
			}
		}
		if diff := cmp.Diff(before.Status.Work, s.Status.Generated); diff != "" {
			t.Errorf("the record of the generation (-before +after):\n%s", diff)
		}
		if len(s.Status.Normalizations) == 0 || s.Status.Normalizations[0].SlideID != 2 {
			t.Errorf("the repair of slide 2 is not reported: %+v", s.Status.Normalizations)
		}
		if diff := cmp.Diff(before.Status.Charge, s.Status.Charge); diff != "" || u.used() != 1 {
			t.Errorf("an edit was charged, %d in all:\n%s", u.used(), diff)
		}
		if u.text.calls != 1 {
			t.Errorf("the text was generated %d times", u.text.calls)
		}
		u.isStable()
	}
	clean, before, writes := edited(t, "edit-clean", 0, "")
	check(t, clean, before)
	for _, cell := range testkit.Cells(writes) {
		t.Run(cell.String(), func(t *testing.T) {
			t.Parallel() // each has its own namespace
			u, before, _ := edited(t, "edit-"+cell.Tag, cell.At, cell.Fault)
			check(t, u, before)
		})
	}
}
