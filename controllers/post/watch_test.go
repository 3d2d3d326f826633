// SPDX-License-Identifier: Apache-2.0

package post

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/priorityqueue"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
)

// TestQueue_DuePostsFirst enqueues posts that are not urgent, and after them a post that is due now.
func TestQueue_DuePostsFirst(t *testing.T) {
	w := newWorld(t, 0, none, socialAccount(), postBatch(noon))
	attempted := func(state v1beta1.AttemptState) func(*v1beta1.Post) {
		return func(p *v1beta1.Post) {
			p.Status.Attempts = []v1beta1.PostAttempt{{Number: 1, State: state, StartedAt: metav1.NewMicroTime(noon)}}
		}
	}
	next := metav1.NewMicroTime(noon.Add(time.Minute))
	var all []client.ObjectKey
	for _, c := range []struct {
		id     string
		at     time.Time
		change func(*v1beta1.Post)
	}{
		{"1", noon.Add(time.Minute), func(*v1beta1.Post) {}},
		{"2", noon, attempted(v1beta1.AttemptAccepted)},
		{"3", noon, attempted(v1beta1.AttemptUnknown)},
		{"4", noon, func(p *v1beta1.Post) { p.Spec.Hold = true }},
		{"5", noon, func(p *v1beta1.Post) { attempted(v1beta1.AttemptNotSent)(p); p.Status.NextAttemptAt = &next }},
		{"6", noon, func(*v1beta1.Post) {}},
	} {
		p := aPost(c.id, c.at)
		c.change(p)
		w.r.onPost(p)
		all = append(all, client.ObjectKeyFromObject(p))
	}
	q := priorityqueue.New[reconcile.Request]("test")
	defer q.ShutDown()
	for _, key := range all {
		add(q, reconcile.Request{NamespacedName: key}, w.r.urgent(key))
	}
	var got []string
	for range all {
		req, _ := q.Get()
		got = append(got, req.Name)
	}
	if d := cmp.Diff([]string{"post-6", "post-1", "post-2", "post-3", "post-4", "post-5"}, got); d != "" {
		t.Error(d)
	}
}

// TestWatch_IgnoresAnalytics changes the analytics of a post that has ended, and of a post that has just ended.
func TestWatch_IgnoresAnalytics(t *testing.T) {
	w := newWorld(t, 0, none, socialAccount(), postBatch(noon))
	ended := aPost("1", noon)
	ended.Status.State, ended.Status.PostURL = v1beta1.PostSuccess, "https://tiktok.example/1"
	read := ended.DeepCopy()
	views := int64(7)
	read.Status.Metrics = &v1beta1.PostMetrics{Views: &views}
	waiting := func() int {
		keys, _ := w.r.queue.Pop(noon.Add(time.Hour))
		return len(keys)
	}
	w.r.onPostUpdate(ended, read)
	if n := waiting(); n > 0 {
		t.Error("new analytics trigger a reconcile")
	}
	w.r.onPostUpdate(aPost("1", noon), ended)
	if n := waiting(); n != 1 {
		t.Errorf("a post that has just ended triggers %d reconciles, want one", n)
	}
}
