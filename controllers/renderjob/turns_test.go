// SPDX-License-Identifier: Apache-2.0

package renderjob

import (
	"slices"
	"strconv"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/workqueue"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/catalog"
)

// woken keeps the names that a queue was told.
type woken struct {
	workqueue.TypedRateLimitingInterface[ctrl.Request]
	names []string
}

func (w *woken) Add(r ctrl.Request) { w.names = append(w.names, r.Name) }

func asking(namespace, name string, second int64) *v1beta1.RenderJob {
	return &v1beta1.RenderJob{ObjectMeta: metav1.ObjectMeta{
		Namespace: namespace, Name: name, UID: types.UID(name), CreationTimestamp: metav1.Unix(second, 0),
	}}
}

func TestTurnsAreFairAmongAccounts(t *testing.T) {
	told := &woken{}
	turns := newTurns(3)
	turns.wakes(told)
	var made []string
	jobs := map[string]*v1beta1.RenderJob{}
	for i := range 6 { // one account asks for six before another asks for two
		j := asking("big", "big-"+strconv.Itoa(i), int64(i))
		jobs[j.Name] = j
	}
	for i := range 2 {
		j := asking("small", "small-"+strconv.Itoa(i), int64(10+i))
		jobs[j.Name] = j
	}
	for _, name := range []string{"big-0", "big-1", "big-2", "big-5", "big-4", "big-3", "small-1", "small-0"} {
		if turns.enter(jobs[name]) {
			made = append(made, name)
		}
	}
	for len(made) < len(jobs) {
		told.names = nil
		turns.leave(types.UID(made[len(made)-3])) // the one that began first ends
		if len(told.names) != 1 {
			t.Fatalf("one is told that it is its turn: %v, after %v", told.names, made)
		}
		next := told.names[0]
		for name, j := range jobs { // whoever else asks waits on
			if name != next && !slices.Contains(made, name) && turns.enter(j) {
				t.Fatalf("%s went before %s", name, next)
			}
		}
		if !turns.enter(jobs[next]) {
			t.Fatalf("it is the turn of %s", next)
		}
		made = append(made, next)
	}
	if want := []string{"big-0", "big-1", "big-2", "small-0", "big-3", "big-4", "small-1", "big-5"}; !slices.Equal(made, want) {
		t.Errorf("in the order %v, want %v", made, want)
	}
}

func TestTurnsPassOverWhoLeaves(t *testing.T) {
	told := &woken{}
	turns := newTurns(1)
	turns.wakes(told)
	first, second, third := asking("a", "first", 1), asking("a", "second", 2), asking("a", "third", 3)
	begun := turns.enter(first)
	if again := turns.enter(first); !begun || !again || turns.enter(second) || turns.enter(third) {
		t.Fatal("one turn is for one, who may ask again")
	}
	turns.leave(first.UID)
	turns.leave(second.UID) // it cannot begin any more
	if want := []string{"second", "third"}; !slices.Equal(told.names, want) {
		t.Errorf("told %v, want %v", told.names, want)
	}
	if !turns.enter(third) {
		t.Error("nobody else waits")
	}
	turns.hold(first) // it was at work all the time
	turns.leave(third.UID)
	if turns.enter(second) {
		t.Error("the turn is taken")
	}
}

func TestFilmsAtWorkKeepTheirTurnsOverARestart(t *testing.T) {
	atWork, done, next := asking("a", "at-work", 1), asking("a", "done", 1), asking("b", "next", 2)
	atWork.Status.JobName, done.Status.JobName = "x", "y"
	done.Status.Work = &v1beta1.Work{State: v1beta1.WorkSucceeded}
	scheme := runtime.NewScheme()
	if err := v1beta1.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	r := &Reconciler{Client: fake.NewClientBuilder().WithScheme(scheme).WithObjects(atWork, done, next).Build(), turns: newTurns(1)}
	ask := func(after time.Duration) decision {
		t.Helper()
		st, err := r.inTurn(t.Context(), next, &observed{}, decision{kind: actionStart, attempt: 1}, next.CreationTimestamp.Add(after))
		if err != nil {
			t.Fatal(err)
		}
		return st
	}
	if st := ask(time.Minute); st.kind != actionWait || st.again != catalog.QueueDeadline-time.Minute || st.reason != v1beta1.ReasonQueued {
		t.Errorf("one is at work already: %+v", st)
	}
	if st := ask(catalog.QueueDeadline); st.kind != actionFail || !st.err.Retryable {
		t.Errorf("it has waited for as long as work may: %+v", st)
	}
	r.turns.leave(atWork.UID)
	if st := ask(time.Minute); st.kind != actionStart {
		t.Errorf("it is its turn: %+v", st)
	}
}
