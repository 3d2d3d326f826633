// SPDX-License-Identifier: Apache-2.0

package status

import (
	"reflect"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/testkit"
)

// TestReported_EveryKindWithConditions finds kinds with conditions that reported does not handle.
func TestReported_EveryKindWithConditions(t *testing.T) {
	n := 0
	for kind, typ := range testkit.Scheme().KnownTypes(v1beta1.GroupVersion) {
		o, ok := reflect.New(typ).Interface().(client.Object)
		if !ok {
			continue
		}
		st := reflect.ValueOf(o).Elem().FieldByName("Status")
		if !st.IsValid() || !st.FieldByName("Conditions").IsValid() {
			continue
		}
		n++
		observed, conditions := reported(o)
		if observed == nil || any(observed) != st.FieldByName("ObservedGeneration").Addr().Interface() ||
			any(conditions) != st.FieldByName("Conditions").Addr().Interface() {
			t.Errorf("reported does not return the fields of %s", kind)
		}
	}
	if n != 18 {
		t.Errorf("%d kinds have conditions, want 18", n)
	}
}

func TestPersist_ObservesTheOldestConditionAlone(t *testing.T) {
	j := &v1beta1.RenderJob{ObjectMeta: metav1.ObjectMeta{Namespace: "tenant", Name: "film", Generation: 1}, Status: v1beta1.RenderJobStatus{ObservedGeneration: -1}}
	c := fake.NewClientBuilder().WithScheme(testkit.Scheme()).WithObjects(j).WithStatusSubresource(j).Build()
	at := func(generation int64) Conditions {
		return Conditions{List: &j.Status.Conditions, Generation: generation}
	}
	w := Begin(c, j)
	observes := func(why string, want int64) {
		t.Helper()
		if err := w.Persist(t.Context()); err != nil {
			t.Fatal(err)
		}
		stored := &v1beta1.RenderJob{}
		if err := c.Get(t.Context(), client.ObjectKeyFromObject(j), stored); err != nil {
			t.Fatal(err)
		}
		if stored.Status.ObservedGeneration != want {
			t.Errorf("%s: got observedGeneration %d, want %d", why, stored.Status.ObservedGeneration, want)
		}
	}
	j.Status.JobName = "a-job"
	observes("a write without conditions", -1)
	at(1).Set(v1beta1.ConditionReady, false, v1beta1.ReasonProgressing, "Rendering")
	at(1).Unconfined([]string{"seccomp"})
	observes("conditions of the first generation", 1)
	j.Status.JobName = "another-job"
	observes("a write that computes no condition", 1)
	at(2).Set(v1beta1.ConditionStalled, true, v1beta1.ReasonFailed, "It failed")
	observes("one condition of the second generation", 1)
	at(2).Set(v1beta1.ConditionReady, false, v1beta1.ReasonFailed, "It failed")
	observes("all conditions of the second generation, next to a fact of the first", 2)
	if got := j.Status.Conditions[1]; got.Type != string(v1beta1.ConditionConfined) || got.ObservedGeneration != 2 {
		t.Errorf("Confined has generation %d", got.ObservedGeneration)
	}
}
