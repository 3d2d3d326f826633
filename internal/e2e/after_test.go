// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	. "github.com/onsi/gomega"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/kube/naming"
)

// video checks that a render succeeded once: the job has succeeded, its video is the reported one, and all temporary
// objects are deleted. It returns the video and the number of attempts.
func (s *stack) video(t *testing.T, a *api, id int64) (video []byte, attempts int32) {
	t.Helper()
	j := a.succeeded(t, id, "render")
	if j.Result == nil || j.Result.VideoURL == nil || j.Progress != 100 {
		t.Fatalf("the job has no video: %+v", j)
	}
	video = download(t, *j.Result.VideoURL)
	r := s.render(t, id)
	sum := sha256.Sum256(video)
	if out := r.Status.Output; out == nil || out.SHA256 != hex.EncodeToString(sum[:]) || out.Bytes != int64(len(video)) {
		t.Errorf("the video differs from the reported one: got %d bytes, status %+v", len(video), out)
	}
	s.checkLeftovers(t, r, "film.mp4")
	return video, r.Status.Work.Attempt
}

// render returns the only RenderJob of a short.
func (s *stack) render(t *testing.T, id int64) *v1beta1.RenderJob {
	t.Helper()
	var list v1beta1.RenderJobList
	if err := s.kube.List(t.Context(), &list, client.InNamespace(tenant), client.MatchingLabels{v1beta1.LabelShort: fmt.Sprint(id)}); err != nil {
		t.Fatal(err)
	}
	if len(list.Items) != 1 {
		t.Fatalf("short %d has %d RenderJobs", id, len(list.Items))
	}
	return &list.Items[0]
}

// packName is the name of the segment cache of a video in the store. It is sent once, so it is missing if a process is
// killed meanwhile.
const packName = "pack"

// checkLeftovers checks that a finished render left only the timeline, the outcome of the last attempt if that stored
// one, the video and its segment cache if there is one, and its Jobs: one per attempt, with at most one pod each.
func (s *stack) checkLeftovers(t *testing.T, r *v1beta1.RenderJob, keep ...string) {
	t.Helper()
	ours := []client.ListOption{client.InNamespace(tenant), client.MatchingLabels{v1beta1.LabelRenderJob: r.Name}}
	want := append([]string{"timeline.json"}, keep...)
	NewWithT(t).Eventually(func(g Gomega) {
		there := s.stored("renders", tenant, string(r.UID))
		last := fmt.Sprintf("a%d/outcome.json", r.Status.Work.Attempt)
		there = slices.DeleteFunc(there, func(name string) bool { return name == last })
		if len(keep) > 0 {
			there = slices.DeleteFunc(there, func(name string) bool { return name == packName })
		}
		g.Expect(there).To(ConsistOf(want))
		var secrets corev1.SecretList
		g.Expect(s.kube.List(t.Context(), &secrets, ours...)).To(Succeed())
		g.Expect(secrets.Items).To(BeEmpty(), "Secrets of attempts that are left")
		g.Expect(s.find("renderer")).To(BeEmpty())
		g.Expect(s.find("ffmpeg")).To(BeEmpty())
		scratch, err := filepath.Glob(s.path("kube", "node", "pods", "*", "volumes", "*", "*"))
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(scratch).To(BeEmpty(), "files of pods that are left")
	}).WithTimeout(waitTimeout).WithPolling(poll).Should(Succeed())

	var names []string
	for n := int32(1); n <= r.Status.Work.Attempt; n++ {
		names = append(names, naming.Child(r.Name, string(r.UID), fmt.Sprintf("a%d", n)))
	}
	NewWithT(t).Eventually(func(g Gomega) {
		var jobs batchv1.JobList
		g.Expect(s.kube.List(t.Context(), &jobs, ours...)).To(Succeed())
		for _, j := range jobs.Items {
			g.Expect(names).To(ContainElement(j.Name), "name of a Job without an attempt")
			g.Expect(j.Status.Active).To(BeZero(), "running pods of Job %s", j.Name)
			g.Expect(j.Status.Failed+j.Status.Succeeded).To(BeNumerically("<=", 1), "pods that Job %s ran", j.Name)
		}
	}).WithTimeout(waitTimeout).WithPolling(poll).Should(Succeed())
}

// stored returns the paths of the objects in a folder of the blob store, relative to that folder. The temporary file of
// a killed writer is not an object; the store removes such files when it is opened on a later day.
func (s *stack) stored(folder ...string) []string {
	root := s.path(append([]string{"blobs"}, folder...)...)
	var out []string
	_ = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && !strings.HasSuffix(path, ".tmp") {
			name, _ := filepath.Rel(root, path)
			out = append(out, name)
		}
		return nil // a missing folder has no objects
	})
	return out
}

// checkSteadyState checks that no object of the product changes for a few seconds without requests. API keys are left
// out: the counts of earlier requests are written to them every half minute.
func (s *stack) checkSteadyState(t *testing.T) {
	var wait sync.WaitGroup
	for _, list := range []client.ObjectList{
		&v1beta1.AccountList{}, &v1beta1.BrandList{}, &v1beta1.MediaAssetList{}, &v1beta1.MediaPackList{}, &v1beta1.SlideshowList{},
		&v1beta1.RenderJobList{}, &batchv1.JobList{}, &corev1.PodList{}, &corev1.SecretList{}, &corev1.ConfigMapList{}, &corev1.EventList{},
	} {
		if err := s.kube.List(t.Context(), list); err != nil {
			t.Fatal(err)
		}
		for _, o := range items(t, list) {
			r, ok := o.(*v1beta1.RenderJob)
			if ok && r.Status.ObservedGeneration != r.Generation {
				t.Errorf("RenderJob %s: got observedGeneration %d, want %d",
					r.Name, r.Status.ObservedGeneration, r.Generation)
			}
		}
		w, err := s.kube.Watch(t.Context(), list, &client.ListOptions{Raw: &metav1.ListOptions{
			ResourceVersion: list.GetResourceVersion(), TimeoutSeconds: new(int64(4)), // the server ends the watch
		}})
		if err != nil {
			t.Fatal(err)
		}
		wait.Go(func() {
			for e := range w.ResultChan() {
				if o, err := meta.Accessor(e.Object); err == nil {
					t.Errorf("%s of %T %s/%s while the stack is idle", e.Type, e.Object, o.GetNamespace(), o.GetName())
				}
			}
		})
	}
	wait.Wait()
}

func items(t *testing.T, list client.ObjectList) []client.Object {
	t.Helper()
	found, err := meta.ExtractList(list)
	if err != nil {
		t.Fatal(err)
	}
	out := make([]client.Object, len(found))
	for i, o := range found {
		out[i] = o.(client.Object)
	}
	return out
}
