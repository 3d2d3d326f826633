// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"fmt"
	"net/http"
	"path/filepath"
	"testing"

	. "github.com/onsi/gomega"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
)

// generated creates slides from a text and calls kill twice: after the response to the request, and while slides are
// drawn. It checks that the slides are created once.
func (s *stack) generated(t *testing.T, a *api, kill func()) {
	t.Helper()
	id := a.accepted(t, http.MethodPost, "/slideshows", map[string]any{
		"context": "Tea in three steps. Boil the water. Let it steep for three minutes. Enjoy it slowly.", "slide_count": 3,
	}).ID
	kill()
	show := &v1beta1.Slideshow{}
	name := fmt.Sprintf("slideshow-%d", id)
	NewWithT(t).Eventually(func(g Gomega) {
		g.Expect(s.kube.Get(t.Context(), client.ObjectKey{Namespace: tenant, Name: name}, show)).To(Succeed())
		g.Expect(s.stored("shorts", tenant, string(show.UID))).NotTo(BeEmpty())
	}).WithTimeout(waitTimeout).WithPolling(fastPoll).Should(Succeed())
	kill()
	if j := a.succeeded(t, id, "slideshow_generation"); j.Result.Slides.Count != 3 {
		t.Errorf("got %d slides, want 3", j.Result.Slides.Count)
	}
	s.checkOnce(t, name)
}

// checkOnce checks that an interrupted generation was done once: one revision, one charge and no extra images.
func (s *stack) checkOnce(t *testing.T, name string) {
	t.Helper()
	show := &v1beta1.Slideshow{}
	if err := s.kube.Get(t.Context(), client.ObjectKey{Namespace: tenant, Name: name}, show); err != nil {
		t.Fatal(err)
	}
	if show.Status.Revision != 1 {
		t.Errorf("got revision %d of the slides, want 1", show.Status.Revision)
	}
	if c := show.Status.Charge; c == nil || c.Charges != 1 || c.Refunds != 0 {
		t.Errorf("got usage %+v of the plan", c)
	}
	var want []string
	for _, sl := range show.Status.Slides {
		want = append(want, sl.PictureKey, sl.LayerKey)
	}
	want = append(want, show.Status.PreviewKey, show.Status.ThumbnailKey)
	prefix := filepath.Join("shorts", tenant, string(show.UID))
	var got []string
	for _, f := range s.stored(prefix) {
		got = append(got, filepath.Join(prefix, f))
	}
	NewWithT(t).Expect(got).To(ConsistOf(want))
}

// uploaded waits until the video of the attempt, or its first bytes, are in the store.
func (s *stack) uploaded(t *testing.T, id int64) {
	t.Helper()
	pattern := s.path("blobs", "renders", tenant, string(s.render(t, id).UID), "a*", "film.mp4*")
	NewWithT(t).Eventually(func() ([]string, error) { return filepath.Glob(pattern) }).
		WithTimeout(waitTimeout).WithPolling(fastPoll).ShouldNot(BeEmpty())
}

// partKilled kills the manager or the front end at every stage. The renderer continues, so the video is that of the
// first attempt.
func (s *stack) partKilled(t *testing.T, part string) {
	a := &api{s.url, s.newKey(t)}
	s.generated(t, a, func() { s.kill(t, part) })
	id := s.show(t, a, part)
	a.render(t, id)
	s.kill(t, part)
	encoder := s.encoder(t)
	s.kill(t, part)
	encoder.resume()
	s.uploaded(t, id)
	s.kill(t, part)
	if _, attempts := s.video(t, a, id); attempts != 1 {
		t.Errorf("got %d attempts, want 1: the renderer was not killed", attempts)
	}
}

// rendererKilled kills the renderer when it starts, and the next one while it creates the video.
func (s *stack) rendererKilled(t *testing.T) {
	a := &api{s.url, s.newKey(t)}
	id := s.show(t, a, "renderer")
	a.render(t, id)
	first := s.appears(t, "renderer")
	// its encoder may run a moment longer; the next renderer must not share it
	family := append(below(first.pid), first)
	first.kill()
	waitForExit(t, family)
	s.encoder(t)
	second := s.find("renderer")
	if len(second) == 0 {
		t.Fatal("encoders without a renderer")
	}
	for _, p := range second {
		p.kill()
	}
	if _, attempts := s.video(t, a, id); attempts != 3 {
		t.Errorf("got attempt %d, want 3", attempts)
	}
}

// rendererKilledLate kills the renderer when its video is in the store and may or may not be reported. The video is
// used or created again, but never stored twice.
func (s *stack) rendererKilledLate(t *testing.T) {
	a := &api{s.url, s.newKey(t)}
	id := s.show(t, a, "renderer-late")
	a.render(t, id)
	s.uploaded(t, id)
	for _, p := range s.find("renderer") {
		p.kill()
	}
	_, attempts := s.video(t, a, id)
	t.Logf("got attempt %d", attempts)
}

// deletedWhileRendering deletes a short while its encoder hangs. The Job is deleted, no process of its pod is left, and
// no object of the render stays in Kubernetes or in the store.
func (s *stack) deletedWhileRendering(t *testing.T) {
	a := &api{s.url, s.newKey(t)}
	id := s.show(t, a, "deleted-short")
	a.render(t, id)
	encoder := s.encoder(t)
	render := s.render(t, id)
	family := append(s.find("renderer"), encoder)
	want := NewWithT(t)
	want.Expect(s.kube.Delete(t.Context(), &v1beta1.Slideshow{ObjectMeta: metav1.ObjectMeta{Namespace: tenant, Name: "deleted-short"}})).To(Succeed())
	waitForExit(t, family)
	want.Eventually(func(g Gomega) {
		ours := client.MatchingLabels{v1beta1.LabelRenderJob: render.Name}
		for _, list := range []client.ObjectList{&batchv1.JobList{}, &corev1.PodList{}, &corev1.SecretList{}} {
			g.Expect(s.kube.List(t.Context(), list, client.InNamespace(tenant), ours)).To(Succeed())
			g.Expect(meta.LenList(list)).To(BeZero(), "%T objects of the render", list)
		}
		g.Expect(apierrors.IsNotFound(s.kube.Get(t.Context(), client.ObjectKeyFromObject(render), render))).To(BeTrue(),
			"the RenderJob still exists")
		g.Expect(s.stored("renders", tenant, string(render.UID))).To(BeEmpty(), "files of the render")
	}).WithTimeout(waitTimeout).WithPolling(poll).Should(Succeed())
}

// kubernetesKilled kills only the cluster; hack/run restarts it with all programs that need it.
func (s *stack) kubernetesKilled(t *testing.T) {
	a := &api{s.url, s.newKey(t)}
	id := s.show(t, a, "kubernetes")
	a.render(t, id)
	s.encoder(t)
	s.kill(t, "localkube")
	_, attempts := s.video(t, a, id)
	t.Logf("got attempt %d", attempts)
}

// everythingKilled kills all processes at every stage, like a power failure, and restarts them with the same data.
func (s *stack) everythingKilled(t *testing.T) {
	a := &api{s.url, s.newKey(t)}
	crash := func() {
		s.crash(t)
		s.start(t)
	}
	s.generated(t, a, crash)
	for _, stage := range []struct {
		name    string
		reached func(id int64)
	}{
		{"render-accepted", func(int64) {}},
		{"film-begun", func(int64) { s.encoder(t) }},
		{"film-stored", func(id int64) { s.uploaded(t, id) }},
	} {
		id := s.show(t, a, stage.name)
		a.render(t, id)
		stage.reached(id)
		crash()
		_, attempts := s.video(t, a, id)
		t.Logf("%s: got attempt %d", stage.name, attempts)
	}
}
