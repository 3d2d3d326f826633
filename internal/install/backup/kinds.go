// SPDX-License-Identifier: Apache-2.0

package backup

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/social/credential"
)

// kind is a kind of object that a backup contains.
type kind struct {
	gvk schema.GroupVersionKind
	// labels selects the objects of Reelops among those of a shared kind; nil for the kinds of Reelops.
	labels map[string]string
}

func own(name string) kind { return kind{gvk: v1beta1.GroupVersion.WithKind(name)} }

// kinds are in the order of reading and restoring; the package documentation has the reasons. An archive has the
// namespaces and the ID counters after these kinds; a restore handles both before them.
var kinds = []kind{
	own("Brand"), own("APIKey"), own("MediaPack"), own("SocialAccount"), own("Automation"), own("AutomationRun"),
	{gvk: corev1.SchemeGroupVersion.WithKind("Secret"), labels: map[string]string{v1beta1.LabelComponent: credential.Component}},
	own("Slideshow"), own("Video"), own("MediaAsset"), own("MusicTrack"), own("RenderJob"), own("PostBatch"), own("Post"),
	own("AccountAnalytics"), own("WebhookEndpoint"), own("IdempotencyRecord"), own("Account"), own(kindArchive),
}

// releases is the order in which restored objects become visible to the manager and the front end: dependencies first,
// and API keys last.
var releases = []string{
	"Account", kindArchive, "Brand", "MediaPack", "MediaAsset", "MusicTrack", "RenderJob", "Slideshow", "Video", "SocialAccount", "Post", "PostBatch", "AutomationRun", "Automation",
	"AccountAnalytics", "WebhookEndpoint", "IdempotencyRecord", "APIKey",
}

// names are the kinds whose uids occur in other objects: in owner references or in an account's usage records.
var names = map[string]bool{
	"Automation": true, "AutomationRun": true, "SocialAccount": true, "Slideshow": true, "Video": true, "MediaAsset": true, "MusicTrack": true, "RenderJob": true, "PostBatch": true,
}

var (
	namespaces = corev1.SchemeGroupVersion.WithKind("Namespace")
	counters   = corev1.SchemeGroupVersion.WithKind("ConfigMap")
)

const (
	kindSecret  = "Secret"
	kindArchive = "Archive"
)

// recallable are the kinds of which objects return to the cluster from the archive, owners first.
var recallable = []string{"Slideshow", "Video", "MediaAsset", "RenderJob", "PostBatch", "Post"}

// bare returns an empty object of a kind.
func bare(gvk schema.GroupVersionKind) *unstructured.Unstructured {
	u := &unstructured.Unstructured{}
	u.SetGroupVersionKind(gvk)
	return u
}

func list(gvk schema.GroupVersionKind) *unstructured.UnstructuredList {
	l := &unstructured.UnstructuredList{}
	l.SetGroupVersionKind(gvk.GroupVersion().WithKind(gvk.Kind + "List"))
	return l
}

// starter reports whether an object belongs to the starter set, which Reelops creates in every empty installation.
func starter(o client.Object) bool {
	return o.GetLabels()[v1beta1.LabelComponent] == v1beta1.ComponentStarterSet
}
