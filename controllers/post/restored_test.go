// SPDX-License-Identifier: Apache-2.0

package post

import (
	"errors"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1alpha1 "github.com/reelops/reelops/api/v1alpha1"
)

// replace makes the first post anew without its status, as `kubectl replace --force` and tools that restore backups do.
func (w *world) replace() {
	w.t.Helper()
	old := w.post("post-1")
	anew := aPost("1", old.Spec.ScheduledAt.Time)
	anew.UID = types.UID("uid-1-restored")
	old.Finalizers = nil
	if err := errors.Join(w.live.Update(w.t.Context(), old), client.IgnoreNotFound(w.live.Delete(w.t.Context(), old))); err != nil {
		w.t.Fatal(err)
	}
	w.event(client.ObjectKeyFromObject(old))
	w.until(time.Minute, func() bool { return w.r.queue.Len() == 0 })
	if err := w.live.Create(w.t.Context(), anew); err != nil {
		w.t.Fatal(err)
	}
	w.event(client.ObjectKeyFromObject(anew))
}

// TestRestoredWithoutItsStatus restores a post whose batch is still there and knows what became of it.
func TestRestoredWithoutItsStatus(t *testing.T) {
	for name, c := range map[string]struct {
		why   string
		state v1alpha1.PostState
		post  string
		want  v1alpha1.PostState
		lands int
	}{
		"came out":     {"it is not sent again", v1alpha1.PostSuccess, "post-1", v1alpha1.PostFailed, 0},
		"failed":       {"nobody may know whether it came out", v1alpha1.PostFailed, "post-1", v1alpha1.PostFailed, 0},
		"waits":        {"it goes out at its time", v1alpha1.PostScheduled, "post-1", v1alpha1.PostSuccess, 1},
		"removed":      {"the batch may not have seen it yet: that it is not there says nothing", v1alpha1.PostCancelled, "post-1", v1alpha1.PostSuccess, 1},
		"another post": {"what became of others does not matter", v1alpha1.PostSuccess, "post-2", v1alpha1.PostSuccess, 1},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, 0, none, inAnHour()...)
			w.until(time.Minute, func() bool { return w.post("post-1").Status.State != "" })
			b := &v1alpha1.PostBatch{}
			if err := w.live.Get(t.Context(), client.ObjectKey{Namespace: "tenant", Name: "batch-1"}, b); err != nil {
				t.Fatal(err)
			}
			b.Status.Targets = []v1alpha1.TargetStatus{{Account: "maya", Post: c.post, PostID: 1, State: c.state}}
			if err := w.live.Status().Update(t.Context(), b); err != nil {
				t.Fatal(err)
			}
			w.replace()
			w.settle()
			p := w.post("post-1")
			if got := w.landed("1-restored"); got != c.lands || p.Status.State != c.want {
				t.Errorf("%s: landed %d times, %+v", c.why, got, p.Status)
			}
			if c.want == v1alpha1.PostFailed && p.Status.Error.Details[detailReason] != reasonMissed {
				t.Errorf("%s: %+v", c.why, p.Status.Error)
			}
		})
	}
}
