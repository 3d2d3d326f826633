// SPDX-License-Identifier: Apache-2.0

package renderjob

import (
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/account/tenancy"
	"github.com/reelops/reelops/internal/store/blob"
	"github.com/reelops/reelops/internal/testkit"
	"github.com/reelops/reelops/internal/work/outcome"
)

// attempted returns a RenderJob in its first attempt.
func attempted() *v1beta1.RenderJob {
	j := &v1beta1.RenderJob{ObjectMeta: metav1.ObjectMeta{Namespace: "tenant", Name: "tea", UID: "render"}}
	j.Spec.Source = v1beta1.RenderSource{Kind: v1beta1.KindSlideshow, Name: "tea"}
	j.Status = v1beta1.RenderJobStatus{Work: &v1beta1.Work{State: v1beta1.WorkProcessing, Attempt: 1}, JobName: jobName(j, 1), TimelineKey: "x"}
	return j
}

// TestObserve_IgnoresForeignPods sets the labels of the attempt's pod on a pod that its Job did not create.
func TestObserve_IgnoresForeignPods(t *testing.T) {
	j := attempted()
	job := &batchv1.Job{ObjectMeta: metav1.ObjectMeta{
		Namespace: "tenant", Name: j.Status.JobName, UID: "job", OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(j, v1beta1.GroupVersion.WithKind("RenderJob"))},
	}}
	forged := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "tenant", Name: "a", Labels: map[string]string{batchv1.JobNameLabel: job.Name}}}
	forged.Status.ContainerStatuses = []corev1.ContainerStatus{{State: corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{
		Message: `{"version":1,"state":"failed","error":{"code":"generation_failed","message":"Forged.","retryable":false}}`,
	}}}}
	if _, err := outcome.Parse([]byte(forged.Status.ContainerStatuses[0].State.Terminated.Message)); err != nil {
		t.Fatalf("the forged outcome is invalid, so the test proves nothing: %v", err)
	}
	store, err := blob.Open(t.Context(), blob.Config{URL: "file://" + t.TempDir(), BaseURL: "http://127.0.0.1", SigningKey: make([]byte, 32)})
	if err != nil {
		t.Fatal(err)
	}
	r := &Reconciler{Store: store, Client: fake.NewClientBuilder().WithScheme(testkit.Scheme()).WithObjects(job, forged).Build()}
	o, err := r.observe(t.Context(), j)
	if err != nil || o.job == nil || o.pod != nil || o.outcome != nil {
		t.Fatalf("got %+v, %v, want the Job without a pod", o, err)
	}
	forged.OwnerReferences = []metav1.OwnerReference{*metav1.NewControllerRef(job, batchv1.SchemeGroupVersion.WithKind("Job"))}
	if err := r.Client.Update(t.Context(), forged); err != nil {
		t.Fatal(err)
	}
	if o, err = r.observe(t.Context(), j); err != nil || o.outcome == nil {
		t.Fatalf("got %+v, %v, want the outcome of the Job's own pod", o, err)
	}
}

// TestDecide_CreatesNoJobWithoutAnAccount covers the first attempt and one whose Job is missing.
func TestDecide_CreatesNoJobWithoutAnAccount(t *testing.T) {
	first := attempted()
	first.Status = v1beta1.RenderJobStatus{}
	for name, j := range map[string]*v1beta1.RenderJob{"first attempt": first, "Job of an attempt": attempted()} {
		c := fake.NewClientBuilder().WithScheme(testkit.Scheme()).Build()
		store, err := blob.Open(t.Context(), blob.Config{URL: "file://" + t.TempDir(), BaseURL: "http://127.0.0.1", SigningKey: make([]byte, 32)})
		if err != nil {
			t.Fatal(err)
		}
		r := &Reconciler{Client: c, Store: store, Gate: &tenancy.Gate{Accounts: c}}
		at := j.CreationTimestamp.Time
		o, err := r.observe(t.Context(), j)
		if err != nil {
			t.Fatal(err)
		}
		if st := decide(j, o, at); st.kind != actionWait || st.requeue != tenancy.Retry || j == first && st.reason != v1beta1.ReasonAccountNotFound {
			t.Errorf("%s, without an account: got %+v", name, st)
		}
		if err := c.Create(t.Context(), testkit.Account("tenant")); err != nil {
			t.Fatal(err)
		}
		if o, err = r.observe(t.Context(), j); err != nil || o.closed != nil {
			t.Errorf("%s, with an account: got %+v, %v", name, o.closed, err)
		}
	}
}
