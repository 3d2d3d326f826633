// SPDX-License-Identifier: Apache-2.0

package gitops

import (
	"context"
	"testing"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/install/migrate"
	"github.com/reelops/reelops/internal/social/posting"
	"github.com/reelops/reelops/internal/testkit"
)

// release is the release before the upgrade, and releaseVersion the version of its objects.
const release, releaseVersion = "v0.1.0", "v1alpha1"

// TestUpgrade fills a cluster of the release, replaces the CRDs, starts the controllers, and migrates the stored
// objects while posts are due. Every post is published exactly once, including one that the release created. The
// manifests of the release still apply.
func TestUpgrade(t *testing.T) {
	if testing.Short() {
		t.Skip("waits until posts are due")
	}
	cluster, err := testkit.StartRelease(release)
	must(t, err)
	s := newStage(t, cluster, 1)
	h := newHistory(s, 1, 0, &states{seen: map[string]state{}})
	t.Cleanup(func() { t.Log(h.story()) })
	h.engine.change = asInRelease
	h.world.shows["launch"] = show{}
	due := time.Now().Add(30 * time.Second).Truncate(time.Second)
	h.world.batches["monday"] = batch{show: "launch", due: due, platforms: platformNames}
	h.world.batches["tuesday"] = batch{show: "launch", due: due.Add(5 * time.Second), platforms: platformNames}
	h.world.batches["friday"] = batch{show: "launch", due: due.Add(72 * time.Hour), platforms: platformNames}

	must(t, s.kube.Create(t.Context(), testkit.Namespace(h.namespace)))
	must(t, s.kube.Create(t.Context(), inRelease(t, testkit.Account(h.namespace))))
	must(t, h.sync(t.Context()))
	released := h.postOfRelease(t, "monday", catalog.TikTok)
	must(t, s.kube.Create(t.Context(), released))

	must(t, cluster.UpgradeKinds())
	must(t, h.until(t.Context(), func(ctx context.Context) error { return s.kube.List(ctx, &v1beta1.PostList{}) }))
	s.start(t)
	label := []byte(`{"metadata":{"labels":{"` + v1beta1.LabelAccount + `":"` + h.namespace + `"}}}`)
	must(t, s.kube.Patch(t.Context(), testkit.Namespace(h.namespace), client.RawPatch(types.MergePatchType, label)))
	for _, p := range platformNames {
		must(t, h.connect(t.Context(), p))
	}
	withKinds := testkit.Scheme()
	must(t, apiextensionsv1.AddToScheme(withKinds))
	migrator, err := client.New(cluster.Config, client.Options{Scheme: withKinds})
	must(t, err)
	_, err = (&migrate.Migration{Client: migrator, Progress: func(migrate.Kind) {}}).Run(t.Context())
	must(t, err)
	must(t, h.restPastAllDue(t.Context()))
	must(t, h.allGood(t.Context()))
	for _, name := range []string{"monday", "tuesday"} {
		if got := s.ledger.published(h.caption(name, h.world.batches[name])); len(got) != len(platformNames) {
			t.Errorf("PostBatch %s was published as %+v, want once on each of %v", name, got, platformNames)
		}
	}
	post := &v1beta1.Post{}
	must(t, s.kube.Get(t.Context(), client.ObjectKeyFromObject(released), post))
	if post.Labels[v1beta1.LabelID] != released.GetLabels()[v1beta1.LabelID] || post.Status.State != v1beta1.PostSuccess {
		t.Errorf("the Post of the release has the labels %v and is %s", post.Labels, post.Status.State)
	}
	must(t, h.sync(t.Context()))
	must(t, h.rest(t.Context()))
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// inRelease returns an object as a client of the release sends it.
func inRelease(t *testing.T, o client.Object) *unstructured.Unstructured {
	t.Helper()
	u, err := bare(o)
	must(t, err)
	must(t, asInRelease(u))
	return u
}

// asInRelease changes an object to the fields of the release: at least three slides, no caption and media of a batch,
// and no digest of a video.
func asInRelease(u *unstructured.Unstructured) error {
	u.SetGroupVersionKind(u.GroupVersionKind().GroupKind().WithVersion(releaseVersion))
	switch u.GetKind() {
	case "Slideshow":
		slides, _, _ := unstructured.NestedSlice(u.Object, "spec", "slides")
		return unstructured.SetNestedSlice(u.Object, append(slides, map[string]any{"heading": "Two"}, map[string]any{"heading": "Three"}), "spec", "slides")
	case "PostBatch":
		caption, _, _ := unstructured.NestedString(u.Object, "spec", "caption")
		for _, later := range []string{"caption", "media"} {
			unstructured.RemoveNestedField(u.Object, "spec", later)
		}
		accounts, _, _ := unstructured.NestedSlice(u.Object, "spec", "accounts")
		for _, a := range accounts {
			a.(map[string]any)["caption"] = caption
		}
		return unstructured.SetNestedSlice(u.Object, accounts, "spec", "accounts")
	case "Post":
		unstructured.RemoveNestedField(u.Object, "spec", "media", "sha256")
	}
	return nil
}

// postOfRelease returns the post of a batch on a platform as the manager of the release created it, with a video of its own.
func (h *history) postOfRelease(t *testing.T, name, platform string) client.Object {
	t.Helper()
	b := inRelease(t, &v1beta1.PostBatch{ObjectMeta: metav1.ObjectMeta{Namespace: h.namespace, Name: name}})
	must(t, h.stage.kube.Get(t.Context(), client.ObjectKeyFromObject(b), b))
	want := h.world.batches[name]
	account, key := h.socialAccount(platform), "renders/"+h.namespace+"/release.mp4"
	film, err := h.stage.films.put(t.Context(), key, videoSource{show: h.namespace + "/" + want.show, uid: "release", revision: 1})
	must(t, err)
	typed := h.batchManifest(name, want)
	return inRelease(t, &v1beta1.Post{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: h.namespace, Name: posting.PostName(typed, v1beta1.Platform(platform), account, 0),
			Labels: map[string]string{v1beta1.LabelID: "900001"}, Finalizers: []string{v1beta1.FinalizerPost},
			OwnerReferences: []metav1.OwnerReference{{APIVersion: b.GetAPIVersion(), Kind: b.GetKind(), Name: name, UID: b.GetUID(), Controller: ptr.To(true)}},
		},
		Spec: v1beta1.PostSpec{
			BrandRef: typed.Spec.BrandRef, Batch: name, Account: account, Platform: v1beta1.Platform(platform), ShortID: 900000, Revision: 1,
			Media: v1beta1.PostMedia{
				Kind: catalog.MediaVideo, VideoKey: key, Bytes: film.Bytes, SHA256: film.SHA256, DurationMillis: film.DurationMilliseconds,
				Width: film.Width, Height: film.Height,
			},
			Caption: h.caption(name, want), PostingMode: catalog.PostDirect, ScheduledAt: metav1.NewMicroTime(want.due),
		},
	})
}
