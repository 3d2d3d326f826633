// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/backup"
	"github.com/reelops/reelops/internal/e2e/manifest"
)

const (
	tenant = "acme"
	text   = "Sourdough for beginners: feed the starter twice a day, give the dough a night in the fridge, and bake in a pot that is very hot. Why the first loaves are flat and what helps."
)

// everywhere is where a batch for TikTok and LinkedIn lands, by the accounts that one approval brings: a person's, and LinkedIn's page of hers.
var everywhere = map[string]int{"tiktok": 1, "linkedin": 2}

// story is what one step leaves for the next.
type story struct {
	*node
	api *api
	// short was made over REST, film is the SHA-256 of its film.
	short int64
	film  string
	// out are its posts.
	out []post
	// caption is the manifest's, due when it goes out.
	caption string
	due     time.Time
}

// TestCluster is the life of an installation, from `helm install` to `helm uninstall`.
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
		{"upgrade", s.upgrade},
		{"uninstall keeps data", s.uninstallKeeps},
		{"restore into an empty cluster", s.restore},
		{"uninstall", s.uninstall},
	} {
		began := time.Now()
		if !t.Run(step.name, step.run) {
			t.FailNow()
		}
		t.Logf("%s: %s", step.name, time.Since(began).Round(time.Second))
	}
}

// helmInstall installs or upgrades; it answers when everything is ready.
func (n *node) helmInstall(t *testing.T, verb string, set ...string) {
	t.Helper()
	args := []string{
		verb, "reelops", filepath.Join(n.root, "config/chart/reelops"), "--namespace", system, "--wait", "--timeout", "6m",
		"--set", "platforms.sandbox=" + sandbox, "--set", "starterSet=false", "--set", "baseURL=" + n.base,
		"--set", "image.pullPolicy=IfNotPresent", // the images are in the node's store and nowhere else
		"--set", "tls.enabled=true", "--set", "tls.existingSecret=" + certificate,
	}
	for _, v := range set {
		args = append(args, "--set", v)
	}
	n.must(t, "", n.helm, args...)
}

// restricted makes a namespace in which Kubernetes itself refuses what is not restricted.
func (n *node) restricted(t *testing.T, name string) {
	t.Helper()
	n.kubectl(t, fmt.Sprintf("apiVersion: v1\nkind: Namespace\nmetadata: {name: %s, labels: {pod-security.kubernetes.io/enforce: restricted}}\n", name), "apply", "-f", "-")
}

func (s *story) install(t *testing.T) {
	s.restricted(t, system)
	s.restricted(t, world)
	s.kubectl(t, "", "apply", "--server-side", "-k", filepath.Join(s.root, "config/sandbox"))
	s.issue(t)
	s.helmInstall(t, "install")
	s.kubectl(t, "", "rollout", "status", "-n", sandboxes, "deployment/reelops-sandbox", "--timeout=3m")
	s.reelops(t, "account", "create", tenant, "--email", "owner@example.com")
	s.reelops(t, "brand", "create", tenant, "--account", tenant, "--display-name", "Acme")
	s.api = s.newAPI(t, tenant, "first")
}

// mainJob makes a slideshow over REST, renders it in a pod, and publishes it. Instagram's stand-in fetches from its own machine alone, and there
// is no film in its pod.
func (s *story) mainJob(t *testing.T) {
	want := NewWithT(t)
	var made job
	s.api.do(t, "POST", "/slideshows", map[string]any{"context": text, "slide_count": 3}, &made)
	s.short = made.ID
	want.Expect(s.api.done(t, made.ID).Result.Slides.Count).To(Equal(3))
	s.api.do(t, "POST", fmt.Sprintf("/slideshows/%d/render", made.ID), nil, nil)
	s.renderPod(t)
	done := s.api.done(t, made.ID)
	doc, err := s.get(t.Context(), done.Result.VideoURL)
	want.Expect(err).NotTo(HaveOccurred())
	want.Expect(string(doc[4:8])).To(Equal("ftyp"), "not an MP4")
	sum := sha256.Sum256(doc)
	s.film = hex.EncodeToString(sum[:])

	var ids []int64
	for _, p := range []string{"tiktok", "youtube", "linkedin"} {
		ids = append(ids, s.api.connect(t, p).ID)
	}
	var b batch
	s.api.do(t, "POST", "/posts", map[string]any{"short_id": s.short, "social_data_ids": ids, "posting_mode": "direct"}, &b)
	s.out = s.api.published(t, s.short, b.ID, len(ids))
	s.landedOnce(t)
}

// landedOnce holds every post of the short against what the platforms have.
func (s *story) landedOnce(t *testing.T) {
	t.Helper()
	landed := s.ledger(t)
	for _, p := range s.out {
		n := 0
		for _, l := range landed {
			if l.URL == p.URL {
				n++
				NewWithT(t).Expect(l.SHA256).To(Equal(s.film), "what landed on %s is not the film", p.Platform)
			}
		}
		NewWithT(t).Expect(n).To(Equal(1), "the post on %s landed %d times", p.Platform, n)
	}
}

// renderPod waits for the pod of a render and looks at how the kubelet runs it.
func (s *story) renderPod(t *testing.T) {
	t.Helper()
	want := NewWithT(t)
	var pod corev1.Pod
	want.Eventually(func(g Gomega) {
		var pods corev1.PodList
		g.Expect(s.kube.List(t.Context(), &pods, client.InNamespace(tenant), client.MatchingLabels{"reelops.dev/component": "renderer"})).To(Succeed())
		g.Expect(pods.Items).NotTo(BeEmpty())
		pod = pods.Items[0]
		g.Expect(pod.Status.PodIP).NotTo(BeEmpty())
	}).WithTimeout(patience).WithPolling(nowAndThen).Should(Succeed(), "there is never a pod of a render")
	want.Expect(pod.Spec.AutomountServiceAccountToken).To(HaveValue(BeFalse()))
	want.Expect(pod.Spec.SecurityContext.RunAsNonRoot).To(HaveValue(BeTrue()))
	want.Expect(pod.Spec.SecurityContext.SeccompProfile.Type).To(Equal(corev1.SeccompProfileTypeRuntimeDefault))
	c := pod.Spec.Containers[0].SecurityContext
	want.Expect(c.ReadOnlyRootFilesystem).To(HaveValue(BeTrue()))
	want.Expect(c.AllowPrivilegeEscalation).To(HaveValue(BeFalse()))
	want.Expect(c.Capabilities.Drop).To(ContainElement(corev1.Capability("ALL")))
	// A namespace that takes nothing else has taken it.
	var ns corev1.Namespace
	want.Expect(s.kube.Get(t.Context(), client.ObjectKey{Name: tenant}, &ns)).To(Succeed())
	want.Expect(ns.Labels).To(HaveKeyWithValue("pod-security.kubernetes.io/enforce", "restricted"))
}

// manifests applies a short with its batch as a repository would hold them, twice.
func (s *story) manifests(t *testing.T) {
	want := NewWithT(t)
	doc := manifest.Launch(tenant, "launch", "From a repository", time.Now().Add(30*time.Second))
	s.kubectl(t, doc, "apply", "-f", "-")
	s.healthy(t, "launch", string(v1beta1.ReasonPublished))
	again := s.kubectl(t, doc, "apply", "-f", "-")
	want.Expect(strings.Count(again, " unchanged")).To(Equal(2), again)
	want.Expect(saying(s.ledger(t), "From a repository")).To(Equal(everywhere))
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

// network asks from inside of pods what the policies allow.
func (s *story) network(t *testing.T) {
	front := "reelops-apiserver." + system + ".svc"
	for _, c := range []struct {
		name, namespace, labels, to string
		reaches                     bool
	}{
		{"a stranger reaches the interface", world, "app: stranger", front + ":443", true},
		{"a stranger does not reach the callback", world, "app: stranger", "reelops-apiserver-internal." + system + ".svc:8081", false},
		{"a render reaches the callback", tenant, "reelops.dev/component: renderer", "reelops-apiserver-internal." + system + ".svc:8081", true},
		{"a render reaches signed addresses", tenant, "reelops.dev/component: renderer", front + ":443", true},
		{"a render does not reach the platforms", tenant, "reelops.dev/component: renderer", strings.TrimPrefix(sandbox, "http://"), false},
		{"a render does not reach the cluster's API", tenant, "reelops.dev/component: renderer", "kubernetes.default.svc:443", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			err := s.reach(t, c.namespace, c.labels, c.to)
			if (err == nil) != c.reaches {
				t.Errorf("%s: %v", c.to, err)
			}
		})
	}
}

// reach runs a pod that tries to make a connection; nil says that it could.
func (n *node) reach(t *testing.T, namespace, labels, to string) error {
	t.Helper()
	sum := sha256.Sum256([]byte(labels + to))
	name := "dial-" + hex.EncodeToString(sum[:6])
	n.kubectl(t, fmt.Sprintf(`apiVersion: v1
kind: Pod
metadata:
  name: %s
  namespace: %s
  labels: {%s}
spec:
  restartPolicy: Never
  automountServiceAccountToken: false
  securityContext: {runAsNonRoot: true, runAsUser: 65532, seccompProfile: {type: RuntimeDefault}}
  containers:
  - name: dial
    image: reelops.dev/test/toolbox:dev
    imagePullPolicy: Never
    args: [dial, %q]
    env: [{name: TOOLBOX_TIMEOUT, value: 5s}]
    securityContext: {allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: {drop: [ALL]}}
`, name, namespace, labels, to), "apply", "-f", "-")
	var pod corev1.Pod
	NewWithT(t).Eventually(func(g Gomega) {
		g.Expect(n.kube.Get(t.Context(), client.ObjectKey{Namespace: namespace, Name: name}, &pod)).To(Succeed())
		g.Expect(string(pod.Status.Phase)).To(BeElementOf("Succeeded", "Failed"))
	}).WithTimeout(patience).WithPolling(nowAndThen).Should(Succeed())
	out, _ := n.run(context.WithoutCancel(t.Context()), "", n.program, "kubectl", "logs", "-n", namespace, name)
	n.kubectl(t, "", "delete", "pod", "-n", namespace, name, "--wait=false")
	if pod.Status.Phase == corev1.PodFailed {
		return errors.New(strings.TrimSpace(out))
	}
	return nil
}

// upgrade replaces every pod by a newer version while callers go on: none of them hears of it.
func (s *story) upgrade(t *testing.T) {
	for _, name := range []string{"manager", "apiserver", "renderer"} {
		s.must(t, "", "ctr", "--address", filepath.Join(s.dir, "containerd.sock"), "--namespace", "k8s.io", "images", "tag", "--force",
			"reelops.dev/"+name+":dev", "reelops.dev/"+name+":next")
	}
	stop := s.load(t)
	s.helmInstall(t, "upgrade", "image.tag=next")
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
	s.api.do(t, "GET", fmt.Sprintf("/jobs/%d", s.short), nil, &done)
	want.Expect(done.Status).To(Equal("succeeded"))
}

// load calls the interface four times a second, each time on a connection of its own, until it is stopped. One call has ended before it
// returns and one begins after stop was called, so that the calls span what happens in between, however quick it is.
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
			// What was begun is ended, whatever the test wants meanwhile.
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
		t.Fatal("the interface did not answer before the test had to end")
	}
	return func() (int, []string) {
		cancel()
		wg.Wait()
		return calls, failed
	}
}

// uninstallKeeps uninstalls and installs again: everything is as it was.
func (s *story) uninstallKeeps(t *testing.T) {
	want := NewWithT(t)
	s.must(t, "", s.helm, "uninstall", "reelops", "--namespace", system, "--wait", "--timeout", "3m")
	want.Expect(s.kube.Get(t.Context(), client.ObjectKey{Namespace: tenant, Name: "launch"}, &v1beta1.Slideshow{})).To(Succeed())
	want.Expect(s.kube.Get(t.Context(), client.ObjectKey{Namespace: system, Name: "reelops-blobs"}, &corev1.PersistentVolumeClaim{})).To(Succeed())
	s.helmInstall(t, "install")
	s.filmIsThere(t)
	s.landedOnce(t)
}

// filmIsThere fetches the film by the first key and compares it.
func (s *story) filmIsThere(t *testing.T) {
	t.Helper()
	var j job
	NewWithT(t).Eventually(func() error {
		return s.api.call(t.Context(), "GET", fmt.Sprintf("/jobs/%d", s.short), nil, &j)
	}).WithTimeout(patience).WithPolling(nowAndThen).Should(Succeed())
	doc, err := s.get(t.Context(), j.Result.VideoURL)
	if err != nil {
		t.Fatal(err)
	}
	if sum := sha256.Sum256(doc); hex.EncodeToString(sum[:]) != s.film {
		t.Error("the film is another one")
	}
}

// restore backs up, takes away everything that is Reelops', the kinds as well, and restores into what is left.
func (s *story) restore(t *testing.T) {
	want := NewWithT(t)
	s.caption, s.due = "After the move", time.Now().Add(4*time.Minute).Truncate(time.Second)
	s.kubectl(t, manifest.Launch(tenant, "moved", s.caption, s.due), "apply", "-f", "-")
	s.healthy(t, "moved", string(v1beta1.ReasonScheduled))
	keys := map[string]*corev1.Secret{}
	for _, name := range []string{"reelops-signing-key", "reelops-token-key"} {
		key := &corev1.Secret{}
		want.Expect(s.kube.Get(t.Context(), client.ObjectKey{Namespace: system, Name: name}, key)).To(Succeed())
		keys[name] = &corev1.Secret{Data: key.Data, Type: key.Type}
		keys[name].Namespace, keys[name].Name = system, name
	}
	s.archive(t, "backup")

	s.wipe(t)
	before := s.ledger(t)

	s.restricted(t, system)
	for _, key := range keys {
		want.Expect(s.kube.Create(t.Context(), key)).To(Succeed())
	}
	s.issue(t)
	s.helmInstall(t, "install")
	s.archive(t, "restore")
	s.filmIsThere(t)
	s.landedOnce(t)
	want.Expect(s.ledger(t)).To(HaveLen(len(before)), "something was posted again")
	var posts []post
	s.api.do(t, "GET", fmt.Sprintf("/posts?short_id=%d&per_page=50", s.short), nil, &posts)
	ids := map[int64]string{}
	for _, p := range posts {
		ids[p.ID] = p.URL
	}
	for _, p := range s.out {
		want.Expect(ids).To(HaveKeyWithValue(p.ID, p.URL), "an id or an address did not stay")
	}
	// A restore suspends scheduled batches, because the installation that was backed up may still run. Afterwards they are sent once, at their time.
	suspended := strings.Fields(s.kubectl(t, "", "get", "postbatches", "-n", tenant, "-l", v1beta1.LabelSuspendedBy+"="+backup.SuspendedByRestore, "-o", "name"))
	want.Expect(suspended).To(HaveLen(1))
	s.kubectl(t, "", append([]string{"patch", "-n", tenant, "--type=merge", "-p", `{"spec":{"suspend":false}}`}, suspended...)...)
	if time.Now().Before(s.due) {
		want.Expect(saying(s.ledger(t), s.caption)).To(BeEmpty(), "it is not time yet")
	}
	want.Eventually(func() map[string]int { return saying(s.ledger(t), s.caption) }).
		WithTimeout(time.Until(s.due) + patience).WithPolling(time.Second).Should(Equal(everywhere))
	want.Expect(saying(s.ledger(t), "From a repository")).To(Equal(everywhere))
}

// archive runs `reelops backup` or `reelops restore` in a pod beside the store. The archive is carried out of the cluster and back, as one
// is that is kept elsewhere.
func (s *story) archive(t *testing.T, verb string) {
	t.Helper()
	want := NewWithT(t)
	s.kubectl(t, archiveClaim, "apply", "-f", "-")
	var claim corev1.PersistentVolumeClaim
	want.Eventually(func(g Gomega) {
		g.Expect(s.kube.Get(t.Context(), client.ObjectKey{Namespace: system, Name: "archive"}, &claim)).To(Succeed())
		g.Expect(claim.Status.Phase).To(Equal(corev1.ClaimBound))
	}).WithTimeout(patience).WithPolling(nowAndThen).Should(Succeed())
	inside, outside := filepath.Join(s.dir, "volumes", claim.Spec.VolumeName, "reelops.tar.gz"), s.dir+"-reelops.tar.gz"
	if verb == "restore" {
		move(t, outside, inside)
	}
	doc, err := os.ReadFile("testdata/archive-job.yaml")
	if err != nil {
		t.Fatal(err)
	}
	s.kubectl(t, strings.ReplaceAll(string(doc), "VERB", verb), "apply", "-f", "-")
	var done batchv1.Job
	want.Eventually(func(g Gomega) {
		g.Expect(s.kube.Get(t.Context(), client.ObjectKey{Namespace: system, Name: "archive-" + verb}, &done)).To(Succeed())
		g.Expect(done.Status.Succeeded + done.Status.Failed).To(BeEquivalentTo(1))
	}).WithTimeout(patience).WithPolling(nowAndThen).Should(Succeed())
	out := s.kubectl(t, "", "logs", "-n", system, "job/archive-"+verb)
	if done.Status.Failed > 0 {
		t.Fatalf("reelops %s: %s", verb, out)
	}
	t.Log(strings.TrimSpace(out))
	if verb == "backup" {
		move(t, inside, outside)
	}
}

const archiveClaim = "{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: archive, namespace: " + system + "}, " +
	"spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}}"

func move(t *testing.T, from, to string) {
	t.Helper()
	doc, err := os.ReadFile(from)
	if err == nil {
		err = os.WriteFile(to, doc, 0o644)
	}
	if err == nil {
		err = os.Remove(from)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// wipe leaves nothing of Reelops in the cluster.
func (s *story) wipe(t *testing.T) {
	t.Helper()
	s.must(t, "", s.helm, "uninstall", "reelops", "--namespace", system, "--wait", "--timeout", "3m")
	var crds struct {
		Items []struct {
			Metadata struct{ Name string }
			Spec     struct{ Group string }
		}
	}
	if err := yaml.Unmarshal([]byte(s.kubectl(t, "", "get", "crds", "-o", "json")), &crds); err != nil {
		t.Fatal(err)
	}
	// Nobody is there any more to take finalizers away.
	for _, c := range crds.Items {
		if c.Spec.Group != v1beta1.GroupVersion.Group {
			continue
		}
		names := strings.Fields(s.kubectl(t, "", "get", c.Metadata.Name, "-n", tenant, "-o", "name"))
		if len(names) > 0 {
			s.kubectl(t, "", append([]string{"patch", "-n", tenant, "--type=merge", "-p", `{"metadata":{"finalizers":null}}`}, names...)...)
		}
		s.kubectl(t, "", "delete", "crd", c.Metadata.Name, "--timeout=2m")
	}
	s.kubectl(t, "", "delete", "namespace", tenant, system, "--timeout=3m")
	s.kubectl(t, "", "delete", "clusterrolebinding", "archive", "--ignore-not-found")
	var ns corev1.Namespace
	if err := s.kube.Get(t.Context(), client.ObjectKey{Name: tenant}, &ns); !apierrors.IsNotFound(err) {
		t.Fatalf("the account's namespace: %v", err)
	}
}

func (s *story) uninstall(t *testing.T) {
	s.wipe(t)
	left := s.kubectl(t, "", "get", "clusterroles,clusterrolebindings,validatingadmissionpolicies,validatingadmissionpolicybindings,crds,pv", "-o", "name")
	for _, name := range strings.Fields(left) {
		if strings.Contains(name, "reelops") {
			t.Errorf("%s is left", name)
		}
	}
}
