// SPDX-License-Identifier: Apache-2.0

package automation_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/sets"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/controllers/automation"
	"github.com/reelops/reelops/internal/testkit"
)

// outage passes one slot in time, and two while nothing runs.
func (w *world) outage() {
	for _, hour := range []float64{-0.5, 0, 2.25} {
		w.at(hour)
	}
}

// once checks that no slot ran twice, that none was lost, and that no item was used twice.
func (w *world) once(wantStates string) {
	w.t.Helper()
	w.expect(wantStates)
	names := sets.New[string]()
	items := map[string]int{}
	for _, run := range w.runs() {
		if run.Status.Number > 0 {
			names.Insert(run.Name)
			items[run.Status.Item.ID]++
		}
	}
	shows, batches := sets.New[string](), sets.New[string]()
	for _, s := range w.shows() {
		shows.Insert(s.Name)
	}
	for _, b := range w.batches() {
		batches.Insert(b.Name)
		if len(b.OwnerReferences) > 0 && b.Status.Open == 0 {
			w.t.Errorf("the batch %s of an ended run is owned by it", b.Name)
		}
	}
	if !shows.Equal(names) || !batches.Equal(names) {
		w.t.Errorf("got the slideshows %v and the batches %v, want %v",
			sets.List(shows), sets.List(batches), sets.List(names))
	}
	st := w.automation().Status
	if int(st.Runs) != len(names) || int(st.Cursor) != len(names) || len(st.UsedItems) != len(names) {
		w.t.Errorf("got %d runs, the cursor %d and %d used items, want %d", st.Runs, st.Cursor, len(st.UsedItems), len(names))
	}
	if len(items) != len(names) {
		w.t.Errorf("an item was used twice: %v", items)
	}
}

func prompts(n int) func(*v1beta1.Automation) {
	return func(a *v1beta1.Automation) {
		a.Spec.Source.Prompts.Items = nil
		for i := range n {
			prompt := v1beta1.Prompt{Text: fmt.Sprintf("Prompt %d", i+1)}
			a.Spec.Source.Prompts.Items = append(a.Spec.Source.Prompts.Items, prompt)
		}
	}
}

func TestCrash_BetweenAnyTwoWritesRunsEachSlotOnce(t *testing.T) {
	w := newWorld(t, prompts(20))
	w.outage()
	want := w.states()
	w.once(want)
	t.Logf("%d writes: %v", len(w.rec.Writes), w.rec.Writes)
	for _, cell := range testkit.Cells(w.rec.Writes) {
		t.Run(cell.Tag, func(t *testing.T) {
			w := newWorld(t, prompts(20))
			w.rec.FailAt, w.rec.Fault = cell.At, cell.Fault
			// The next pass is one of another process.
			w.rec.OnFault = func() { w.r, w.rec = w.leader() }
			w.outage()
			w.once(want)
		})
	}
}

// TestCrash_BeforeALongOutage crashes at each write, and then the deadline of the run passes. A run whose item is
// recorded as used has its number, so the counts of the automation are those of its runs.
func TestCrash_BeforeALongOutage(t *testing.T) {
	clean := newWorld(t, prompts(20))
	clean.at(0)
	for _, cell := range testkit.Cells(clean.rec.Writes) {
		t.Run(cell.Tag, func(t *testing.T) {
			w := newWorld(t, prompts(20))
			w.rec.FailAt, w.rec.Fault = cell.At, cell.Fault
			w.rec.OnFault = func() {
				w.r, w.rec = w.leader()
				w.clock.Step(3 * time.Hour)
			}
			w.at(0)
			w.settle()
			numbers := 0
			for _, run := range w.runs() {
				if run.Status.Number > 0 {
					numbers++
				}
			}
			st := w.automation().Status
			if int(st.Runs) != numbers || int(st.Cursor) != numbers || len(st.UsedItems) != numbers {
				t.Errorf("got %d runs, the cursor %d and %d used items, want %d: %s",
					st.Runs, st.Cursor, len(st.UsedItems), numbers, w.states())
			}
		})
	}
}

func TestTwoLeaders_StartEachSlotOnce(t *testing.T) {
	w := newWorld(t, prompts(20))
	w.settle()
	stale := w.automation()
	old, rec := w.leader()
	w.at(0)
	want := w.states()
	before := len(rec.Writes)
	// The former leader wakes with the automation as it was before the slot.
	if _, err := old.Reconcile(t.Context(), stale); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]string(nil), rec.Writes[before:]); d != "" {
		t.Errorf("the former leader wrote:\n%s", d)
	}
	w.once(want)

	// Both act in turns.
	var both [2]*automation.Reconciler
	both[0], _ = w.leader()
	both[1], _ = w.leader()
	for i, hour := range []float64{1, 2, 3} {
		w.r = both[i%2]
		w.at(hour)
		w.r = both[(i+1)%2]
		w.settle()
	}
	w.once(w.states())
}
