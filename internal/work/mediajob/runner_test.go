// SPDX-License-Identifier: Apache-2.0

package mediajob_test

import (
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/testkit"
	"github.com/reelops/reelops/internal/work/mediajob"
	"github.com/reelops/reelops/internal/work/mediawork"
)

// TestLook_TakesNoWordsOfAForeignPod sets the labels of the Job's pod on one that the Job did not create.
func TestLook_TakesNoWordsOfAForeignPod(t *testing.T) {
	owner := &v1beta1.MediaAsset{ObjectMeta: metav1.ObjectMeta{Namespace: "tenant", Name: "tea", UID: "asset"}}
	name := mediajob.Name(owner, 1)
	job := &batchv1.Job{ObjectMeta: metav1.ObjectMeta{
		Namespace: "tenant", Name: name, UID: "job", OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(owner, v1beta1.GroupVersion.WithKind("MediaAsset"))},
	}}
	pod := func(podName string, by *batchv1.Job, codec string) *corev1.Pod {
		said := mediawork.Outcome{Version: mediawork.Version, State: mediawork.Succeeded, Result: &mediawork.Result{
			ContentType: "audio/mpeg", Bytes: 1, DurationMilliseconds: 1000, AudioCodec: codec,
		}}
		doc, err := said.Encode()
		if err != nil {
			t.Fatal(err)
		}
		p := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "tenant", Name: podName, Labels: map[string]string{batchv1.JobNameLabel: name}}}
		if by != nil {
			p.OwnerReferences = []metav1.OwnerReference{*metav1.NewControllerRef(by, batchv1.SchemeGroupVersion.WithKind("Job"))}
		}
		p.Status.ContainerStatuses = []corev1.ContainerStatus{{State: corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{Message: string(doc)}}}}
		return p
	}
	earlier := job.DeepCopy()
	earlier.UID = "earlier"
	forged, stale, own := pod("a-forged", nil, "forged"), pod("b-stale", earlier, "stale"), pod("c-own", job, "mp3")
	c := fake.NewClientBuilder().WithScheme(testkit.Scheme()).WithObjects(job, forged, stale).Build()
	runner := &mediajob.Runner{Client: c}
	s, err := runner.Look(t.Context(), owner, 1)
	if err != nil || s.Pod != nil || s.Said != nil {
		t.Fatalf("%+v, %v: want no pod and no outcome", s, err)
	}
	if err := c.Create(t.Context(), own); err != nil {
		t.Fatal(err)
	}
	if s, err = runner.Look(t.Context(), owner, 1); err != nil || s.Pod == nil || s.Pod.Name != own.Name || s.Said == nil || s.Said.Result.AudioCodec != "mp3" {
		t.Fatalf("%+v, %v: want the outcome of the Job's own pod", s, err)
	}
}
