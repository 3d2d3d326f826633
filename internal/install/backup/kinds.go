// SPDX-License-Identifier: Apache-2.0

package backup

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/social/credential"
	"github.com/reelops/reelops/internal/starter/starterset"
)

// kind is one kind of object of an installation.
type kind struct {
	gvk schema.GroupVersionKind
	// labels that an object has to have to be one of ours; nil for our own kinds.
	labels map[string]string
}

func own(name string) kind { return kind{gvk: v1beta1.GroupVersion.WithKind(name)} }

// kinds in the order in which they are read, and restored; doc.go says why. Namespaces stand before and counters after them.
var kinds = []kind{
	own("Brand"), own("APIKey"), own("MediaPack"), own("SocialAccount"),
	{gvk: corev1.SchemeGroupVersion.WithKind("Secret"), labels: map[string]string{v1beta1.LabelComponent: credential.Component}},
	own("Slideshow"), own("Video"), own("MediaAsset"), own("MusicTrack"), own("RenderJob"), own("PostBatch"), own("Post"),
	own("AccountAnalytics"), own("IdempotencyRecord"), own("Account"),
}

// releases is the order in which restored objects are shown to manager and front end: what others need first, and the keys of
// callers last.
var releases = []string{
	"Account", "Brand", "MediaPack", "MediaAsset", "MusicTrack", "RenderJob", "Slideshow", "Video", "SocialAccount", "Post", "PostBatch",
	"AccountAnalytics", "IdempotencyRecord", "APIKey",
}

// names are the kinds whose uids stand in other objects, because they own them or are counted in an account's books.
var names = map[string]bool{
	"SocialAccount": true, "Slideshow": true, "Video": true, "MediaAsset": true, "MusicTrack": true, "RenderJob": true, "PostBatch": true,
}

var (
	namespaces = corev1.SchemeGroupVersion.WithKind("Namespace")
	counters   = corev1.SchemeGroupVersion.WithKind("ConfigMap")
)

const kindSecret = "Secret"

// bare is an empty object of a kind.
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

// starter says that Reelops made an object by itself, as it does in every empty installation.
func starter(o client.Object) bool {
	return o.GetLabels()[v1beta1.LabelComponent] == starterset.Component
}
