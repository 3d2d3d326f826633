// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/e2e/manifest"
	"github.com/reelops/reelops/internal/install/backup"
)

// uninstallKeeps uninstalls and installs again: all data is kept.
func (s *story) uninstallKeeps(t *testing.T) {
	want := NewWithT(t)
	s.must(t, "", s.helm, "uninstall", "reelops", "--namespace", system, "--wait", "--timeout", "3m")
	want.Expect(s.kube.Get(t.Context(), client.ObjectKey{Namespace: tenant, Name: "launch"}, &v1beta1.Slideshow{})).To(Succeed())
	want.Expect(s.kube.Get(t.Context(), client.ObjectKey{Namespace: system, Name: "reelops-blobs"}, &corev1.PersistentVolumeClaim{})).To(Succeed())
	s.helmInstall(t, "install", "https")
	s.filmIsThere(t)
	s.landedOnce(t, s.first)
}

// filmIsThere downloads the first video with the first key and compares it.
func (s *story) filmIsThere(t *testing.T) {
	t.Helper()
	var j job
	NewWithT(t).Eventually(func() error {
		return s.api.call(t.Context(), "GET", fmt.Sprintf("/jobs/%d", s.first.short), nil, &j)
	}).WithTimeout(patience).WithPolling(nowAndThen).Should(Succeed())
	doc, err := s.get(t.Context(), j.Result.VideoURL)
	if err != nil {
		t.Fatal(err)
	}
	if sum := sha256.Sum256(doc); hex.EncodeToString(sum[:]) != s.first.film {
		t.Error("the video has changed")
	}
}

// restore creates a backup, deletes everything of Reelops including its CRDs, and restores into the rest.
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
	s.helmInstall(t, "install", "http")
	s.archive(t, "restore")
	s.filmIsThere(t)
	s.landedOnce(t, s.first)
	want.Expect(s.ledger(t)).To(HaveLen(len(before)), "posts published again")
	var posts []post
	s.api.do(t, "GET", fmt.Sprintf("/posts?short_id=%d&per_page=50", s.first.short), nil, &posts)
	ids := map[int64]string{}
	for _, p := range posts {
		ids[p.ID] = p.URL
	}
	for _, p := range s.first.posts {
		want.Expect(ids).To(HaveKeyWithValue(p.ID, p.URL), "ids or URLs that changed")
	}
	// A restore suspends scheduled batches, because the original installation may still run. After they are resumed,
	// the posts are published once, when they are due.
	suspended := strings.Fields(s.kubectl(t, "", "get", "postbatches", "-n", tenant, "-l", v1beta1.LabelSuspendedBy+"="+backup.SuspendedByRestore, "-o", "name"))
	want.Expect(suspended).To(HaveLen(1))
	s.kubectl(t, "", append([]string{"patch", "-n", tenant, "--type=merge", "-p", `{"spec":{"suspend":false}}`}, suspended...)...)
	if time.Now().Before(s.due) {
		want.Expect(saying(s.ledger(t), s.caption)).To(BeEmpty(), "posts published before they are due")
	}
	want.Eventually(func() map[string]int { return saying(s.ledger(t), s.caption) }).
		WithTimeout(time.Until(s.due) + patience).WithPolling(time.Second).Should(Equal(everywhere))
	want.Expect(saying(s.ledger(t), "From a repository")).To(Equal(everywhere))
}

// archive runs `reelops backup` or `reelops restore` in a pod that mounts the store. The archive is copied out of the
// cluster and back, like one that is kept elsewhere.
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

// wipe deletes everything of Reelops from the cluster.
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
	// No manager runs any more that could remove the finalizers.
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
			t.Errorf("%s still exists", name)
		}
	}
}
