// SPDX-License-Identifier: Apache-2.0

package renderjob

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
)

// TestPolicyAcceptsRenderJobs creates the Job and the Secret of an attempt with the identity of the manager.
func TestPolicyAcceptsRenderJobs(t *testing.T) {
	manager := cluster.Start(t).Manager(t, "tenant")
	j := &v1beta1.RenderJob{ObjectMeta: metav1.ObjectMeta{
		Namespace: "tenant", Name: "tea", UID: "u", Labels: map[string]string{v1beta1.LabelShort: "7", v1beta1.LabelBrand: "acme"},
		Annotations: map[string]string{v1beta1.AnnotationTraceParent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"},
	}}
	j.Status = v1beta1.RenderJobStatus{Work: &v1beta1.Work{Attempt: 2}, JobName: jobName(j, 2), MemoryBytes: 1 << 30}
	options := podOptions()
	options.Image, options.Queue = "reelops.dev/renderer:dev", "films"
	job := jobOf(j, options, 50<<20)
	if len(job.Spec.Template.Spec.Containers[0].Env) != 2 {
		t.Fatal("the Job carries no trace")
	}
	w := work(j, 0)
	w.Namespace, w.Name = j.Namespace, j.Status.JobName
	secret, err := w.Secret("http://x", options)
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range []client.Object{secret, job} {
		if err := manager.Create(t.Context(), o); err != nil {
			t.Error(err)
		}
	}
}
