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

// recorder records the names of added requests.
type recorder struct {
	workqueue.TypedRateLimitingInterface[ctrl.Request]
	names []string
}

func (w *recorder) Add(r ctrl.Request) { w.names = append(w.names, r.Name) }

// waitingRender returns a render that was created at a second.
func waitingRender(namespace, name string, second int64) *v1beta1.RenderJob {
	return &v1beta1.RenderJob{ObjectMeta: metav1.ObjectMeta{
		Namespace: namespace, Name: name, UID: types.UID(name), CreationTimestamp: metav1.Unix(second, 0),
	}}
}

func TestQueue_IsFairAmongAccounts(t *testing.T) {
	added := &recorder{}
	slots := newQueue(3)
	slots.enqueueIn(added)
	var started []string
	jobs := map[string]*v1beta1.RenderJob{}
	for i := range 6 { // one account requests six before another requests two
		j := waitingRender("big", "big-"+strconv.Itoa(i), int64(i))
		jobs[j.Name] = j
	}
	for i := range 2 {
		j := waitingRender("small", "small-"+strconv.Itoa(i), int64(10+i))
		jobs[j.Name] = j
	}
	for _, name := range []string{"big-0", "big-1", "big-2", "big-5", "big-4", "big-3", "small-1", "small-0"} {
		if slots.enter(jobs[name]) {
			started = append(started, name)
		}
	}
	for len(started) < len(jobs) {
		added.names = nil
		slots.leave(types.UID(started[len(started)-3])) // the first one ends
		if len(added.names) != 1 {
			t.Fatalf("added %v after %v, want one request", added.names, started)
		}
		next := added.names[0]
		for name, j := range jobs { // no other render gets the slot
			if name != next && !slices.Contains(started, name) && slots.enter(j) {
				t.Fatalf("%s got a slot before %s", name, next)
			}
		}
		if !slots.enter(jobs[next]) {
			t.Fatalf("%s got no slot", next)
		}
		started = append(started, next)
	}
	if want := []string{"big-0", "big-1", "big-2", "small-0", "big-3", "big-4", "small-1", "big-5"}; !slices.Equal(started, want) {
		t.Errorf("got order %v, want %v", started, want)
	}
}

func TestQueue_SkipsRendersThatLeave(t *testing.T) {
	added := &recorder{}
	slots := newQueue(1)
	slots.enqueueIn(added)
	first, second, third := waitingRender("a", "first", 1), waitingRender("a", "second", 2), waitingRender("a", "third", 3)
	entered := slots.enter(first)
	if again := slots.enter(first); !entered || !again || slots.enter(second) || slots.enter(third) {
		t.Fatal("more than the first render holds the slot")
	}
	slots.leave(first.UID)
	slots.leave(second.UID) // it was deleted
	if want := []string{"second", "third"}; !slices.Equal(added.names, want) {
		t.Errorf("added %v, want %v", added.names, want)
	}
	if !slots.enter(third) {
		t.Error("the only waiting render got no slot")
	}
	slots.hold(first) // it ran all the time
	slots.leave(third.UID)
	if slots.enter(second) {
		t.Error("a second render got the slot")
	}
}

func TestAwaitSlot_KeepsSlotsOverARestart(t *testing.T) {
	running, done, next := waitingRender("a", "running", 1), waitingRender("a", "done", 1), waitingRender("b", "next", 2)
	running.Status.JobName, done.Status.JobName = "x", "y"
	done.Status.Work = &v1beta1.Work{State: v1beta1.WorkSucceeded}
	scheme := runtime.NewScheme()
	if err := v1beta1.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	r := &Reconciler{Client: fake.NewClientBuilder().WithScheme(scheme).WithObjects(running, done, next).Build(), queue: newQueue(1)}
	await := func(after time.Duration) decision {
		t.Helper()
		st, err := r.awaitSlot(t.Context(), next, &observed{}, decision{kind: actionStart, attempt: 1}, next.CreationTimestamp.Add(after))
		if err != nil {
			t.Fatal(err)
		}
		return st
	}
	if st := await(time.Minute); st.kind != actionWait || st.requeue != catalog.QueueDeadline-time.Minute || st.reason != v1beta1.ReasonQueued {
		t.Errorf("got %+v, want a wait for the running render", st)
	}
	if st := await(catalog.QueueDeadline); st.kind != actionFail || !st.err.Retryable {
		t.Errorf("got %+v, want a failure at the queue deadline", st)
	}
	r.queue.leave(running.UID)
	if st := await(time.Minute); st.kind != actionStart {
		t.Errorf("got %+v, want a start", st)
	}
}
