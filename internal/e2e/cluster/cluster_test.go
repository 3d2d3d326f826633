// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/e2e/manifest"
)

const (
	tenant = "acme"
	text   = "Sourdough for beginners: feed the starter twice a day, give the dough a night in the fridge, and bake in a pot that is very hot. Why the first loaves are flat and what helps."
)

// everywhere has the expected posts of a batch for TikTok and LinkedIn by platform. One approval on LinkedIn connects
// two accounts: the user's and that of her page.
var everywhere = map[string]int{"tiktok": 1, "linkedin": 2}

// story is the state that the steps share.
type story struct {
	*node
	api *api
	// first was created over REST.
	first release
	// caption is the caption of the posts of the manifest, which are due at the time due.
	caption string
	due     time.Time
}

// release is a short with its video and its posts.
type release struct {
	short int64
	// film is the SHA-256 of the video.
	film  string
	posts []post
}

// TestCluster runs an installation from `helm install` to `helm uninstall`. It has TLS inside the cluster, and its
// metrics require a token. The installation into which the backup is restored has the defaults of the chart.
func TestCluster(t *testing.T) {
	s := &story{node: start(t)}
	for _, step := range []struct {
		name string
		run  func(*testing.T)
	}{
		{"install", s.install},
		{"main job", s.mainJob},
		{"certificate", s.replaceCertificate},
		{"manifests", s.manifests},
		{"network", s.network},
		{"metrics", s.metrics},
		{"upgrade", s.upgrade},
		{"uninstall keeps data", s.uninstallKeeps},
		{"restore into an empty cluster", s.restore},
		{"render without TLS", s.plain},
		{"uninstall", s.uninstall},
	} {
		began := time.Now()
		if !t.Run(step.name, step.run) {
			t.FailNow()
		}
		t.Logf("%s: %s", step.name, time.Since(began).Round(time.Second))
	}
}

// helmInstall installs or upgrades, and returns when everything is ready. The scheme https selects TLS inside the
// cluster and secure metrics, http the defaults of the chart. Clients and platforms use the address of the Service,
// which is the default of the chart.
func (n *node) helmInstall(t *testing.T, verb, scheme string, set ...string) {
	t.Helper()
	n.base = scheme + "://" + frontEnd
	args := []string{
		verb, "reelops", filepath.Join(n.root, "config/chart/reelops"), "--namespace", system, "--wait", "--timeout", "6m",
		"--set", "platforms.sandbox=" + sandbox, "--set", "starterSet=false",
		"--set", "image.pullPolicy=IfNotPresent", // the images are only in the store of the node
	}
	if scheme == "https" {
		set = append(set, "tls.enabled=true", "tls.existingSecret="+certificate,
			"monitoring.metrics.secure=true", "monitoring.metrics.existingSecret="+metricsCertificate)
	}
	for _, v := range set {
		args = append(args, "--set", v)
	}
	n.must(t, "", n.helm, args...)
}

// restricted creates a namespace that enforces the Pod Security Standard restricted.
func (n *node) restricted(t *testing.T, name string) {
	t.Helper()
	n.kubectl(t, fmt.Sprintf("apiVersion: v1\nkind: Namespace\nmetadata: {name: %s, labels: {pod-security.kubernetes.io/enforce: restricted}}\n", name), "apply", "-f", "-")
}

// prepare creates the namespaces and Secrets that the chart expects, and a sandbox that trusts the authority.
func (n *node) prepare(t *testing.T) {
	t.Helper()
	n.restricted(t, system)
	n.restricted(t, world)
	n.kubectl(t, "", "apply", "--server-side", "-k", filepath.Join(n.root, "config/sandbox"))
	n.trust(t, world)
	n.trust(t, sandboxes)
	n.kubectl(t, "", "patch", "-n", sandboxes, "deployment/reelops-sandbox", "--patch-file", "testdata/sandbox-tls.yaml")
	n.issueFrontEnd(t)
	n.issue(t, metricsCertificate, metricsOf("apiserver"), metricsOf("manager"))
}

func (s *story) install(t *testing.T) {
	s.prepare(t)
	s.helmInstall(t, "install", "https")
	s.kubectl(t, "", "rollout", "status", "-n", sandboxes, "deployment/reelops-sandbox", "--timeout=3m")
	s.reelops(t, "account", "create", tenant, "--email", "owner@example.com")
	s.reelops(t, "brand", "create", tenant, "--account", tenant, "--display-name", "Acme")
	s.api = s.newAPI(t, tenant, "first")
}

func (s *story) mainJob(t *testing.T) {
	var ids []int64
	for _, p := range []string{"tiktok", "youtube", "instagram", "linkedin"} {
		ids = append(ids, s.api.connect(t, p).ID)
	}
	s.first = s.release(t, ids...)
}

// release creates a slideshow over REST, renders it in a pod, and publishes it on the accounts. Instagram downloads the
// video from the front end.
func (s *story) release(t *testing.T, accounts ...int64) (r release) {
	t.Helper()
	want := NewWithT(t)
	var made job
	s.api.do(t, "POST", "/slideshows", map[string]any{"context": text, "slide_count": 3}, &made)
	r.short = made.ID
	want.Expect(s.api.done(t, made.ID).Result.Slides.Count).To(Equal(3))
	s.api.do(t, "POST", fmt.Sprintf("/slideshows/%d/render", made.ID), nil, nil)
	s.renderPod(t, made.ID)
	done := s.api.done(t, made.ID)
	doc, err := s.get(t.Context(), done.Result.VideoURL)
	want.Expect(err).NotTo(HaveOccurred())
	want.Expect(string(doc[4:8])).To(Equal("ftyp"), "the video is not an MP4")
	sum := sha256.Sum256(doc)
	r.film = hex.EncodeToString(sum[:])
	t.Logf("downloaded %d bytes of %s", len(doc), strings.SplitN(done.Result.VideoURL, "?", 2)[0])

	var b batch
	s.api.do(t, "POST", "/posts", map[string]any{"short_id": r.short, "social_data_ids": accounts, "posting_mode": "direct"}, &b)
	r.posts = s.api.published(t, r.short, b.ID, len(accounts))
	s.landedOnce(t, r)
	return r
}

// landedOnce checks that every post of a release is on its platform exactly once, with the right video.
func (s *story) landedOnce(t *testing.T, r release) {
	t.Helper()
	landed := s.ledger(t)
	for _, p := range r.posts {
		n := 0
		for _, l := range landed {
			if l.URL == p.URL {
				n++
				NewWithT(t).Expect(l.SHA256).To(Equal(r.film), "the post on %s has another video", p.Platform)
			}
		}
		NewWithT(t).Expect(n).To(Equal(1), "the post on %s was published %d times, want 1", p.Platform, n)
	}
}

// renderPod waits for the pod that renders a slideshow and checks its security settings.
func (s *story) renderPod(t *testing.T, short int64) {
	t.Helper()
	want := NewWithT(t)
	var pod corev1.Pod
	want.Eventually(func(g Gomega) {
		var pods corev1.PodList
		g.Expect(s.kube.List(t.Context(), &pods, client.InNamespace(tenant), client.MatchingLabels{"reelops.dev/component": "renderer"})).To(Succeed())
		i := slices.IndexFunc(pods.Items, func(p corev1.Pod) bool { return strings.HasPrefix(p.Name, fmt.Sprintf("slideshow-%d-", short)) })
		g.Expect(i).NotTo(BeNumerically("<", 0))
		pod = pods.Items[i]
		g.Expect(pod.Status.PodIP).NotTo(BeEmpty())
	}).WithTimeout(patience).WithPolling(nowAndThen).Should(Succeed(), "no pod of a render exists")
	want.Expect(pod.Spec.AutomountServiceAccountToken).To(HaveValue(BeFalse()))
	want.Expect(pod.Spec.SecurityContext.RunAsNonRoot).To(HaveValue(BeTrue()))
	want.Expect(pod.Spec.SecurityContext.SeccompProfile.Type).To(Equal(corev1.SeccompProfileTypeRuntimeDefault))
	// The pod trusts the authority because of its own Secret only.
	want.Expect(pod.Spec.Containers[0].Env).To(ContainElement(HaveField("ValueFrom.SecretKeyRef", Equal(&corev1.SecretKeySelector{
		LocalObjectReference: corev1.LocalObjectReference{Name: pod.Labels[batchv1.JobNameLabel]}, Key: "ca.crt",
	}))))
	c := pod.Spec.Containers[0].SecurityContext
	want.Expect(c.ReadOnlyRootFilesystem).To(HaveValue(BeTrue()))
	want.Expect(c.AllowPrivilegeEscalation).To(HaveValue(BeFalse()))
	want.Expect(c.Capabilities.Drop).To(ContainElement(corev1.Capability("ALL")))
	// The namespace admits only restricted pods, and it admitted this one.
	var ns corev1.Namespace
	want.Expect(s.kube.Get(t.Context(), client.ObjectKey{Name: tenant}, &ns)).To(Succeed())
	want.Expect(ns.Labels).To(HaveKeyWithValue("pod-security.kubernetes.io/enforce", "restricted"))
}

// manifests applies a short with its batch twice, like a tool that applies a repository.
func (s *story) manifests(t *testing.T) {
	want := NewWithT(t)
	doc := manifest.Launch(tenant, "launch", "From a repository", time.Now().Add(30*time.Second))
	s.kubectl(t, doc, "apply", "-f", "-")
	s.healthy(t, "launch", string(v1beta1.ReasonPublished))
	again := s.kubectl(t, doc, "apply", "-f", "-")
	want.Expect(strings.Count(again, " unchanged")).To(Equal(2), again)
	want.Expect(saying(s.ledger(t), "From a repository")).To(Equal(everywhere))
}

// plain renders and publishes in the installation without TLS.
func (s *story) plain(t *testing.T) {
	s.kubectl(t, manifest.Launch(tenant, "plain", "Without TLS", time.Now().Add(30*time.Second)), "apply", "-f", "-")
	s.healthy(t, "plain", string(v1beta1.ReasonPublished))
	NewWithT(t).Expect(saying(s.ledger(t), "Without TLS")).To(Equal(everywhere))
}

// healthy waits until a batch is Ready for the reason.
func (s *story) healthy(t *testing.T, name, reason string) {
	t.Helper()
	NewWithT(t).Eventually(func(g Gomega) {
		b := &v1beta1.PostBatch{}
		g.Expect(s.kube.Get(t.Context(), client.ObjectKey{Namespace: tenant, Name: name}, b)).To(Succeed())
		var got []string
		for _, c := range b.Status.Conditions {
			got = append(got, c.Type+"="+string(c.Status)+" "+c.Reason)
		}
		g.Expect(strings.Join(got, "; ")).To(ContainSubstring(" "+reason), "%s", name)
	}).WithTimeout(patience).WithPolling(time.Second).Should(Succeed())
}

// upgrade replaces every pod by a newer version under load. No call fails.
func (s *story) upgrade(t *testing.T) {
	for _, name := range []string{"manager", "apiserver", "renderer"} {
		s.must(t, "", "ctr", "--address", filepath.Join(s.dir, "containerd.sock"), "--namespace", "k8s.io", "images", "tag", "--force",
			"reelops.dev/"+name+":dev", "reelops.dev/"+name+":next")
	}
	stop := s.load(t)
	s.helmInstall(t, "upgrade", "https", "image.tag=next")
	calls, failed := stop()
	want := NewWithT(t)
	want.Expect(failed).To(BeEmpty())
	t.Logf("%d calls during the upgrade, none failed", calls)
	var pods corev1.PodList
	want.Expect(s.kube.List(t.Context(), &pods, client.InNamespace(system), client.MatchingLabels{"app.kubernetes.io/name": "reelops"})).To(Succeed())
	for _, p := range pods.Items {
		if p.DeletionTimestamp == nil {
			want.Expect(p.Spec.Containers[0].Image).To(HaveSuffix(":next"), p.Name)
		}
	}
	var done job
	s.api.do(t, "GET", fmt.Sprintf("/jobs/%d", s.first.short), nil, &done)
	want.Expect(done.Status).To(Equal("succeeded"))
}

// load calls the API four times a second, each time on a new connection, until stop is called. One call ends before
// load returns, and one begins after stop is called. So the calls span everything in between, even if it is short.
func (s *story) load(t *testing.T) (stop func() (calls int, failed []string)) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	var calls int
	var failed []string
	first := make(chan struct{})
	wg.Go(func() {
		tick := time.NewTicker(250 * time.Millisecond)
		defer tick.Stop()
		for last := false; !last; {
			select {
			case <-ctx.Done():
				last = true
			case <-tick.C:
			}
			// A call that has begun completes even after the test is cancelled.
			if err := s.api.call(context.WithoutCancel(ctx), "GET", "/account", nil, nil); err != nil {
				failed = append(failed, time.Now().Format(time.TimeOnly)+" "+err.Error())
			}
			if calls++; calls == 1 {
				close(first)
			}
			s.http.CloseIdleConnections()
		}
	})
	select {
	case <-first:
	case <-t.Context().Done():
		t.Fatal("the API did not respond before the test was cancelled")
	}
	return func() (int, []string) {
		cancel()
		wg.Wait()
		return calls, failed
	}
}
