// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"os"
	"strings"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/e2e/manifest"
)

// fromRepository is the caption of the short from a manifest.
const fromRepository = "From a repository 🗂"

// gitops applies a batch with its short repeatedly, as GitOps tools do.
func (s *stack) gitops(t *testing.T) {
	want := NewWithT(t)
	const name, caption = "gitops", fromRepository
	at := time.Now().Add(50 * time.Second).Truncate(time.Second)
	manifests := manifest.Launch(tenant, name, caption, at)
	s.apply(t, manifests)
	becomes := func(health string) {
		t.Helper()
		want.Eventually(func(g Gomega) { g.Expect(healthOf(s.batch(g, name))).To(Equal(health)) }).
			WithTimeout(2 * waitTimeout).WithPolling(poll).Should(Succeed())
	}
	becomes("InProgress: " + string(v1beta1.ReasonShortNotReady))
	// a scheduled batch is healthy, so a release does not wait for it
	becomes("Current: " + string(v1beta1.ReasonScheduled))
	unchanged := func() {
		t.Helper()
		out := s.apply(t, manifests)
		want.Expect(strings.Count(out, " unchanged")).To(Equal(2), "output of applying again: %s", out)
	}
	unchanged()
	want.Expect(withCaption(s.ledger(want), caption)).To(BeEmpty(), "posts before they are due")
	becomes("Current: " + string(v1beta1.ReasonPublished))
	checkOnce := func() {
		t.Helper()
		var where []string
		for _, l := range withCaption(s.ledger(want), caption) {
			where = append(where, l.Platform+" "+l.Account)
			want.Expect(l.Kind).To(Equal(catalog.MediaVideo))
			want.Expect(l.Time).NotTo(BeTemporally("<", at), "publication before the due time")
		}
		want.Expect(where).To(ConsistOf("tiktok maya", "linkedin maya", "linkedin acme"))
	}
	checkOnce()
	unchanged()

	// Delete and apply the batch again while its due time is still accepted: it adopts the posts of the first batch.
	first := s.batch(want, name)
	if out, err := s.program(manifests, "kubectl", "delete", "-f", "-"); err != nil {
		t.Fatal(err, out)
	}
	s.apply(t, manifests)
	want.Expect(s.batch(want, name).UID).NotTo(Equal(first.UID))
	becomes("Current: " + string(v1beta1.ReasonPublished))
	want.Expect(time.Now()).To(BeTemporally("<", at.Add(catalog.MadeLate)), "the due time is no longer accepted")
	want.Expect(s.batch(want, name).Status.Published).To(BeEquivalentTo(3))
	checkOnce()
}

// exportManifests returns the tenant's batches that are past their due times, as a backup or a repository contains
// them. Status and metadata that only one cluster uses are removed.
func (s *stack) exportManifests(t *testing.T) (manifests string, batches, posts []string) {
	t.Helper()
	late := map[string]bool{}
	var out []string
	for _, kind := range []string{"PostBatch", "Post", "Slideshow"} {
		list := &unstructured.UnstructuredList{}
		list.SetGroupVersionKind(v1beta1.GroupVersion.WithKind(kind + "List"))
		if err := s.kube.List(t.Context(), list, client.InNamespace(tenant)); err != nil {
			t.Fatal(err)
		}
		for _, o := range list.Items {
			switch kind {
			case "PostBatch":
				at, _, _ := unstructured.NestedString(o.Object, "spec", "scheduledAt")
				when, err := time.Parse(time.RFC3339, at)
				if err != nil {
					t.Fatal(err)
				}
				if late[o.GetName()] = time.Since(when) > catalog.MadeLate; !late[o.GetName()] {
					continue
				}
				batches = append(batches, o.GetName())
			case "Post":
				of, _, _ := unstructured.NestedString(o.Object, "spec", "batch")
				if !late[of] || o.GetDeletionTimestamp() != nil {
					continue
				}
				posts = append(posts, o.GetName())
			}
			bare := &unstructured.Unstructured{Object: map[string]any{"spec": o.Object["spec"]}}
			bare.SetGroupVersionKind(o.GroupVersionKind())
			bare.SetNamespace(o.GetNamespace())
			bare.SetName(o.GetName())
			bare.SetLabels(o.GetLabels())
			doc, err := bare.MarshalJSON()
			if err != nil {
				t.Fatal(err)
			}
			out = append(out, string(doc))
		}
	}
	return strings.Join(out, "\n---\n"), batches, posts
}

// restoredElsewhere applies published batches to an empty cluster that could publish them: it has the accounts, the
// shorts and the videos. Only a new batch is published.
func (s *stack) restoredElsewhere(t *testing.T) {
	want := NewWithT(t)
	gitops := s.batch(want, "gitops").Spec.ScheduledAt
	empty := newStack(t, withEnv(s.env...))
	a := &api{empty.url, empty.newKey(t)}
	for _, p := range allPlatforms {
		a.connect(t, p, "maya")
	}
	a.connections(t, allPlatforms...)
	if err := os.CopyFS(empty.path("blobs", "shorts"), os.DirFS(s.path("blobs", "shorts"))); err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(empty.path("blobs", "renders"), os.DirFS(s.path("blobs", "renders"))); err != nil {
		t.Fatal(err)
	}
	<-time.After(time.Until(gitops.Add(catalog.MadeLate + 3*time.Second)))
	manifests, batches, posts := s.exportManifests(t)
	want.Expect(batches).To(ContainElement("gitops"))
	want.Expect(len(posts)).To(BeNumerically(">=", 5))

	empty.apply(t, manifests)
	want.Eventually(func(g Gomega) {
		for _, name := range batches {
			b := empty.batch(g, name)
			g.Expect(healthOf(b)).To(HavePrefix("Failed: "), "%s: %+v", name, b.Status.Targets)
			g.Expect(b.Status.Open).To(BeZero())
			g.Expect(b.Status.Published).To(BeZero())
		}
		for _, name := range posts {
			p := &v1beta1.Post{}
			g.Expect(empty.kube.Get(t.Context(), client.ObjectKey{Namespace: tenant, Name: name}, p)).To(Succeed())
			g.Expect(p.Status.State).To(Equal(v1beta1.PostFailed), name)
			g.Expect(p.Status.Error.Details).To(HaveKeyWithValue("reason", "missed_schedule"))
			g.Expect(p.Status.Attempts).To(BeEmpty())
		}
	}).WithTimeout(2 * waitTimeout).WithPolling(slowPoll).Should(Succeed())
	// A new batch is published, so the others could have been.
	want.Eventually(func(g Gomega) {
		show := &v1beta1.Slideshow{}
		g.Expect(empty.kube.Get(t.Context(), client.ObjectKey{Namespace: tenant, Name: "gitops"}, show)).To(Succeed())
		g.Expect(show.Status.Render).To(HaveValue(HaveField("State", v1beta1.WorkSucceeded)))
	}).WithTimeout(3 * waitTimeout).WithPolling(slowPoll).Should(Succeed())
	empty.apply(t, manifest.Batch(tenant, "anew", "gitops", time.Now().Add(3*time.Second)))
	want.Eventually(func(g Gomega) {
		g.Expect(healthOf(empty.batch(g, "anew"))).To(Equal("Current: " + string(v1beta1.ReasonPublished)))
	}).WithTimeout(2 * waitTimeout).WithPolling(slowPoll).Should(Succeed())
	landed := empty.ledger(want)
	want.Expect(landed).To(HaveLen(3))
	want.Expect(withCaption(landed, fromRepository)).To(HaveLen(3))
}
