// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	. "github.com/onsi/gomega"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/testkit"
)

// show applies three hand-written slides whose video renders quickly, and waits until they are drawn.
func (s *stack) show(t *testing.T, a *api, name string) (id int64) {
	t.Helper()
	o := testkit.HandWritten(tenant, name, tenant, "One", "Two", "Three")
	o.Spec.Film = v1beta1.FilmSpec{Motion: "still", Transition: "cut"}
	if err := s.kube.Create(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	id = s.numbered(t, name)
	a.succeeded(t, id, "slideshow_generation")
	return id
}

func (a *api) render(t *testing.T, id int64) {
	t.Helper()
	a.accepted(t, http.MethodPost, fmt.Sprintf("/slideshows/%d/render", id), nil)
}

// appears waits until a process with the name runs.
func (s *stack) appears(t *testing.T, name string) process {
	t.Helper()
	var found process
	NewWithT(t).Eventually(func(g Gomega) {
		now := s.find(name)
		g.Expect(now).NotTo(BeEmpty())
		found = now[0]
	}).WithTimeout(waitTimeout).WithPolling(fastPoll).Should(Succeed(), "no %s started", name)
	return found
}

// encoder waits until the ffmpeg of a render runs, and freezes it. The pods of the starter set run other encoders.
func (s *stack) encoder(t *testing.T) process {
	t.Helper()
	var found process
	NewWithT(t).Eventually(func(g Gomega) {
		now := slices.DeleteFunc(s.find("ffmpeg"), func(p process) bool { return !p.encodesVideo() })
		g.Expect(now).NotTo(BeEmpty())
		found = now[0]
		found.freeze()
		g.Expect(found.isRunning()).To(BeTrue(), "the encoder has ended")
	}).WithTimeout(waitTimeout).WithPolling(fastPoll).Should(Succeed(), "no encoder started")
	return found
}

// renderPod checks the pod of a running render: the requested spec and the properties of the real process.
func (s *stack) renderPod(t *testing.T) {
	a := &api{s.url, s.newKey(t)}
	id := s.show(t, a, "pod")
	a.render(t, id)
	p := s.appears(t, "renderer")
	read := func(parts ...string) string {
		doc, err := os.ReadFile(filepath.Join(append([]string{"/proc", fmt.Sprint(p.pid)}, parts...)...))
		if err != nil {
			t.Fatalf("the renderer ended before the check: %v", err)
		}
		return string(doc)
	}
	status, environ := read("status"), read("environ")
	for _, secret := range []string{"/var/run/secrets/kubernetes.io", "/run/secrets/kubernetes.io"} {
		if _, err := os.Stat(filepath.Join("/proc", fmt.Sprint(p.pid), "root", secret)); err == nil {
			t.Errorf("the container contains %s", secret)
		}
	}
	s.video(t, a, id)

	for _, want := range []string{"\nUid:\t65532\t65532\t65532\t65532\n", "\nGid:\t65532\t65532\t65532\t65532\n", "\nNoNewPrivs:\t1\n", "\nCapEff:\t0000000000000000\n", "\nCapPrm:\t0000000000000000\n"} {
		if !strings.Contains(status, want) {
			t.Errorf("the status of the process lacks %q:\n%s", strings.TrimSpace(want), status)
		}
	}
	for v := range strings.SplitSeq(environ, "\x00") {
		name, value, _ := strings.Cut(v, "=")
		if name != "REELOPS_ORDER_URL" && (strings.Contains(strings.ToLower(name+value), "token") || strings.Contains(strings.ToLower(name), "kubeconfig") || strings.Contains(name, "SECRET")) {
			t.Errorf("the environment of the container contains %s", name)
		}
	}

	r := s.render(t, id)
	var b batchv1.Job
	if err := s.kube.Get(t.Context(), client.ObjectKey{Namespace: tenant, Name: r.Status.JobName}, &b); err != nil {
		t.Fatal(err)
	}
	var pods corev1.PodList
	if err := s.kube.List(t.Context(), &pods, client.InNamespace(tenant), client.MatchingLabels{batchv1.JobNameLabel: b.Name}); err != nil {
		t.Fatal(err)
	}
	if len(pods.Items) != 1 {
		t.Fatalf("got %d pods of the Job, want 1", len(pods.Items))
	}
	g := NewWithT(t)
	g.Expect(b.Spec.Template.Spec.ActiveDeadlineSeconds).To(HaveValue(BeEquivalentTo(catalog.RenderDeadline.Seconds())))
	g.Expect(b.Spec.BackoffLimit).To(HaveValue(BeEquivalentTo(0)))
	g.Expect(b.Spec.TTLSecondsAfterFinished).NotTo(BeNil())
	g.Expect(b.OwnerReferences).To(HaveLen(1))
	g.Expect(b.OwnerReferences[0].UID).To(Equal(r.UID))

	pod := pods.Items[0].Spec
	g.Expect(pod.AutomountServiceAccountToken).To(HaveValue(BeFalse()))
	g.Expect(pod.RestartPolicy).To(Equal(corev1.RestartPolicyNever))
	g.Expect(pod.HostNetwork || pod.HostPID || pod.HostIPC).To(BeFalse())
	g.Expect(pod.SecurityContext.RunAsNonRoot).To(HaveValue(BeTrue()))
	g.Expect(pod.SecurityContext.SeccompProfile.Type).To(Equal(corev1.SeccompProfileTypeRuntimeDefault))
	for _, v := range pod.Volumes { // a mounted token would be a projected volume
		g.Expect(v.EmptyDir).NotTo(BeNil(), "volume %s", v.Name)
		g.Expect(v.EmptyDir.SizeLimit).NotTo(BeNil(), "volume %s", v.Name)
	}
	g.Expect(pod.Containers).To(HaveLen(1))
	c := pod.Containers[0]
	g.Expect(c.SecurityContext.AllowPrivilegeEscalation).To(HaveValue(BeFalse()))
	g.Expect(c.SecurityContext.ReadOnlyRootFilesystem).To(HaveValue(BeTrue()))
	g.Expect(c.SecurityContext.Capabilities.Drop).To(ConsistOf(corev1.Capability("ALL")))
	g.Expect(c.SecurityContext.Capabilities.Add).To(BeEmpty())
	for _, name := range []corev1.ResourceName{corev1.ResourceCPU, corev1.ResourceMemory, corev1.ResourceEphemeralStorage} {
		g.Expect(c.Resources.Requests).To(HaveKey(name))
		g.Expect(c.Resources.Limits).To(HaveKey(name))
	}

	// The API server decides what the restricted standard requires.
	if out, err := s.program("", "kubectl", "label", "--dry-run=server", "--overwrite", "namespace", tenant, "pod-security.kubernetes.io/enforce=restricted"); err != nil {
		t.Error(err)
	} else if strings.Contains(strings.ToLower(out), "warning") {
		t.Errorf("pods of the tenant violate the restricted standard: %s", out)
	}
}
