// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/work/pod"
)

// TestIntake imports clips and tracks by manifest, from files in the store.
func TestIntake(t *testing.T) {
	t.Parallel()
	s := newStack(t)
	s.addImport(t, "clip.mp4", "-f", "lavfi", "-i", "testsrc2=s=1080x1920:r=30:d=3", "-f", "lavfi", "-i", "sine=d=3",
		"-c:v", "libx264", "-preset", "ultrafast", "-pix_fmt", "yuv420p", "-c:a", "aac")
	s.addImport(t, "tone.mp3", "-f", "lavfi", "-i", "sine=f=440:d=5")
	if t.Failed() {
		return
	}
	t.Run("an imported clip becomes ready with its metadata", s.clipIsReady)
	t.Run("an imported track becomes ready with its loudness", s.trackIsReady)
	t.Run("imports survive a killed manager", s.clipsDespiteKills)
	t.Run("deleted media leave no objects", s.deletedMedia)
}

// addImport creates a file among the tenant's imports.
func (s *stack) addImport(t *testing.T, name string, args ...string) {
	t.Helper()
	dir := s.path("blobs", "imports", tenant)
	if err := os.MkdirAll(dir, 0o750); err != nil {
		t.Fatal(err)
	}
	args = append(append([]string{"-hide_banner", "-loglevel", "error", "-nostdin"}, args...), filepath.Join(dir, name))
	if out, err := exec.CommandContext(t.Context(), "ffmpeg", args...).CombinedOutput(); err != nil {
		t.Fatalf("ffmpeg: %v\n%s", err, out)
	}
}

// asset applies a MediaAsset of an import.
func (s *stack) asset(t *testing.T, name, file string) *v1beta1.MediaAsset {
	t.Helper()
	key := "imports/" + tenant + "/" + file
	m := &v1beta1.MediaAsset{
		ObjectMeta: metav1.ObjectMeta{Namespace: tenant, Name: name},
		Spec:       v1beta1.MediaAssetSpec{MediaType: "product_demo", Title: name, Source: v1beta1.MediaSource{BlobKey: &key}},
	}
	if err := s.kube.Create(t.Context(), m); err != nil {
		t.Fatal(err)
	}
	return m
}

// waitProcessed waits until the processing of an asset has ended.
func (s *stack) waitProcessed(t *testing.T, m *v1beta1.MediaAsset) {
	t.Helper()
	NewWithT(t).Eventually(func(g Gomega) {
		g.Expect(s.kube.Get(t.Context(), client.ObjectKeyFromObject(m), m)).To(Succeed())
		g.Expect(m.Status.Work).NotTo(BeNil())
		g.Expect(m.Status.Work.State.Settled()).To(BeTrue(), "work %+v", m.Status.Work)
	}).WithTimeout(3 * waitTimeout).WithPolling(poll).Should(Succeed())
	if m.Status.Error != nil {
		t.Errorf("%s failed: %+v", m.Name, m.Status.Error)
	}
}

// checkNoWork checks that only finished Jobs are left of the processing.
func (s *stack) checkNoWork(t *testing.T) {
	t.Helper()
	NewWithT(t).Eventually(func(g Gomega) {
		var secrets corev1.SecretList
		g.Expect(s.kube.List(t.Context(), &secrets, client.InNamespace(tenant), client.MatchingLabels{v1beta1.LabelComponent: pod.Component})).To(Succeed())
		g.Expect(secrets.Items).To(BeEmpty(), "Secrets of attempts that are left")
		g.Expect(s.find("renderer")).To(BeEmpty())
		g.Expect(s.find("ffmpeg")).To(BeEmpty())
		g.Expect(s.find("ffprobe")).To(BeEmpty())
	}).WithTimeout(waitTimeout).WithPolling(poll).Should(Succeed())
}

func (s *stack) clipIsReady(t *testing.T) {
	m := s.asset(t, "clip", "clip.mp4")
	s.waitProcessed(t, m)
	p := m.Status.Probe
	if p == nil || p.Kind != "video" || p.ContentType != "video/mp4" || p.Width != 1080 || p.Height != 1920 || p.FrameRate != 30 ||
		p.VideoCodec != "h264" || p.AudioCodec != "aac" || p.DurationMilliseconds < 2950 || p.DurationMilliseconds > 3050 {
		t.Errorf("probe %+v", p)
	}
	NewWithT(t).Expect(s.stored("media", tenant, string(m.UID))).To(ConsistOf("file.mp4", "thumbnail.jpg", "outcome-1.json"))
	out, err := s.program("", "kubectl", "get", "media", "clip", "-n", tenant)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"True", "product_demo", "video", "1080", "1920"} {
		if !strings.Contains(out, want) {
			t.Errorf("kubectl get media does not show %s:\n%s", want, out)
		}
	}
	s.checkNoWork(t)
}

func (s *stack) trackIsReady(t *testing.T) {
	key := "imports/" + tenant + "/tone.mp3"
	m := &v1beta1.MusicTrack{
		ObjectMeta: metav1.ObjectMeta{Namespace: tenant, Name: "tone"},
		Spec:       v1beta1.MusicTrackSpec{Title: "A tone", Source: v1beta1.MediaSource{BlobKey: &key}},
	}
	if err := s.kube.Create(t.Context(), m); err != nil {
		t.Fatal(err)
	}
	NewWithT(t).Eventually(func(g Gomega) {
		g.Expect(s.kube.Get(t.Context(), client.ObjectKeyFromObject(m), m)).To(Succeed())
		g.Expect(m.Status.Work).NotTo(BeNil())
		g.Expect(m.Status.Work.State.Settled()).To(BeTrue(), "work %+v", m.Status.Work)
	}).WithTimeout(3 * waitTimeout).WithPolling(poll).Should(Succeed())
	p := m.Status.Probe
	if p == nil || p.AudioCodec != "mp3" || p.Loudness == nil || p.Loudness.IntegratedLUFS > -10 || p.Loudness.IntegratedLUFS < -30 {
		t.Errorf("probe %+v, error %+v", p, m.Status.Error)
	}
}

func (s *stack) clipsDespiteKills(t *testing.T) {
	var all []*v1beta1.MediaAsset
	for i := range 5 {
		all = append(all, s.asset(t, fmt.Sprintf("many-%d", i), "clip.mp4"))
	}
	for range 3 {
		s.appears(t, "renderer")
		s.kill(t, "manager")
	}
	for _, m := range all {
		s.waitProcessed(t, m)
		NewWithT(t).Expect(s.stored("media", tenant, string(m.UID))).To(ConsistOf("file.mp4", "thumbnail.jpg", "outcome-1.json"))
	}
	s.checkNoWork(t)
	s.checkSteadyState(t)
}

func (s *stack) deletedMedia(t *testing.T) {
	if err := s.kube.DeleteAllOf(t.Context(), &v1beta1.MediaAsset{}, client.InNamespace(tenant)); err != nil {
		t.Fatal(err)
	}
	if err := s.kube.DeleteAllOf(t.Context(), &v1beta1.MusicTrack{}, client.InNamespace(tenant)); err != nil {
		t.Fatal(err)
	}
	NewWithT(t).Eventually(func(g Gomega) {
		var media v1beta1.MediaAssetList
		g.Expect(s.kube.List(t.Context(), &media, client.InNamespace(tenant))).To(Succeed())
		g.Expect(media.Items).To(BeEmpty())
		g.Expect(s.stored("media", tenant)).To(BeEmpty())
	}).WithTimeout(waitTimeout).WithPolling(poll).Should(Succeed())
	if left := s.stored("imports", tenant); len(left) != 2 {
		t.Errorf("imports must stay when media are deleted: got %v", left)
	}
}
