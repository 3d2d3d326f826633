// SPDX-License-Identifier: Apache-2.0

package pod_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/testkit/authority"
	"github.com/reelops/reelops/internal/work/pod"
)

func TestJob_IsConfined(t *testing.T) {
	w := pod.Work{
		Namespace: "tenant", Name: "tea-a1", Labels: map[string]string{v1beta1.LabelMedia: "u"}, MemoryBytes: 1 << 30,
		Queue: 30 * time.Minute, Run: 5 * time.Minute,
	}
	o := pod.Options{
		Image: "renderer", CPU: resource.MustParse("2"), Memory: resource.MustParse("3Gi"),
		Scratch: resource.MustParse("2Gi"), TTLSeconds: 600,
	}
	b := w.Job(o)
	s, err := w.Secret("http://order", o)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{
		v1beta1.LabelMedia: "u", v1beta1.LabelComponent: pod.Component,
		"app.kubernetes.io/name": "reelops", "app.kubernetes.io/component": "renderer",
		"app.kubernetes.io/part-of": "reelops",
	}
	for what, got := range map[string]map[string]string{
		"Job": b.Labels, "pod": b.Spec.Template.Labels,
		"Secret": s.Labels,
	} {
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("labels of the %s: %s", what, d)
		}
	}
	if *b.Spec.BackoffLimit != 0 || *b.Spec.ActiveDeadlineSeconds != 2100 ||
		*b.Spec.Template.Spec.ActiveDeadlineSeconds != 300 || *b.Spec.TTLSecondsAfterFinished != 600 {
		t.Errorf("got %+v", b.Spec)
	}
	spec := b.Spec.Template.Spec
	c := spec.Containers[0]
	switch {
	case *spec.AutomountServiceAccountToken || *spec.EnableServiceLinks || spec.RestartPolicy != corev1.RestartPolicyNever:
		t.Error("the pod has a token, has service links, or is restarted")
	case !*spec.SecurityContext.RunAsNonRoot ||
		spec.SecurityContext.SeccompProfile.Type != corev1.SeccompProfileTypeRuntimeDefault:
		t.Error("the pod is not restricted")
	case *c.SecurityContext.AllowPrivilegeEscalation || !*c.SecurityContext.ReadOnlyRootFilesystem ||
		c.SecurityContext.Capabilities.Drop[0] != "ALL":
		t.Error("the container is not restricted")
	case c.Resources.Limits.Memory().Value() != 3<<30:
		t.Errorf("got memory %s, want that of the work and of the scratch volume", c.Resources.Limits.Memory())
	case len(c.Env) != 1 || c.Env[0].ValueFrom.SecretKeyRef.Name != s.Name ||
		s.StringData[c.Env[0].ValueFrom.SecretKeyRef.Key] != "http://order":
		t.Errorf("got environment %+v, want one signed URL from the Secret of the Job", c.Env)
	case len(spec.Volumes) != 1 || spec.Volumes[0].EmptyDir.SizeLimit.Cmp(o.Scratch) != 0:
		t.Errorf("got volumes %+v, want one limited scratch volume", spec.Volumes)
	}
	if d := cmp.Diff(c.Resources.Requests, c.Resources.Limits); d != "" {
		t.Errorf("requests differ from limits: %s", d)
	}
	if s := spec.SecurityContext; s.RunAsUser != nil || s.RunAsGroup != nil || s.FSGroup != nil {
		t.Errorf("got security context %v, want no user", s)
	}
	o.User = pod.User
	if s := w.Job(o).Spec.Template.Spec.SecurityContext; *s.RunAsUser != 65532 || *s.RunAsGroup != 65532 ||
		*s.FSGroup != 65532 {
		t.Errorf("got security context %v, want the user of the options", s)
	}
	w.Job(o).Labels["mine"] = "x"
	if len(w.Labels) != 1 {
		t.Error("a change of the labels of a Job changed those of the work")
	}
}

func TestEnded_ReadsConditions(t *testing.T) {
	at := metav1.NewTime(time.Unix(100, 0))
	job := func(kind batchv1.JobConditionType, reason string) *batchv1.Job {
		return &batchv1.Job{Status: batchv1.JobStatus{Conditions: []batchv1.JobCondition{{
			Type:   kind,
			Status: corev1.ConditionTrue, Reason: reason, LastTransitionTime: at,
		}}}}
	}
	if _, over := pod.Ended(job(batchv1.JobFailureTarget, "")); over {
		t.Error("a Job whose pods are being terminated has ended")
	}
	if when, over := pod.Ended(job(batchv1.JobComplete, "")); !over || !when.Equal(at.Time) {
		t.Error("a complete Job has not ended")
	}
	if !pod.Overdue(job(batchv1.JobFailed, batchv1.JobReasonDeadlineExceeded), nil) || pod.Overdue(nil, nil) ||
		!pod.Overdue(nil, &corev1.Pod{Status: corev1.PodStatus{Reason: "DeadlineExceeded"}}) {
		t.Error("a deadline of the Job or of the pod is not recognized")
	}
	p := &corev1.Pod{
		Spec: corev1.PodSpec{ActiveDeadlineSeconds: ptr.To[int64](10)},
		Status: corev1.PodStatus{Phase: corev1.PodFailed, StartTime: &at, ContainerStatuses: []corev1.ContainerStatus{
			{State: corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{Reason: "OOMKilled"}}},
		}},
	}
	if pod.Due(p, at.Add(7*time.Second)) || !pod.Due(p, at.Add(8*time.Second)) {
		t.Error("the deadline is not two seconds before that of the Job")
	}
	if !pod.OutOfMemory(p) || !pod.Over(p) || pod.Running(p) || pod.OutOfMemory(nil) ||
		pod.Terminated(&corev1.Pod{}) != nil {
		t.Error("the state of the container is not returned")
	}
}

func TestSecret_HasAuthorities(t *testing.T) {
	dir := t.TempDir()
	a := authority.New(t)
	a.Issue(t, dir)
	w := pod.Work{Namespace: "tenant", Name: "tea-a1"}
	file := filepath.Join(dir, "ca.crt")
	o := pod.Options{Image: "renderer", CAFiles: []string{file, file}}
	s, err := w.Secret("http://order", o)
	if err != nil {
		t.Fatal(err)
	}
	env := w.Job(o).Spec.Template.Spec.Containers[0].Env
	if len(env) != 2 || env[1].Name != "REELOPS_CA" || env[1].ValueFrom.SecretKeyRef.Name != s.Name {
		t.Fatalf("got environment %+v", env)
	}
	if got := s.StringData[env[1].ValueFrom.SecretKeyRef.Key]; strings.Count(got, "BEGIN CERTIFICATE") != 2 {
		t.Errorf("the Secret has %q, want the certificates of both files", got)
	}
	for name, content := range map[string]string{
		"no certificate":        "hello",
		"more than the largest": strings.Repeat(string(a.PEM()), 1+pod.MaxCABytes/len(a.PEM())),
	} {
		if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Secret("http://order", o); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Secret("http://order", o); err == nil {
		t.Error("a missing file is accepted")
	}
}
