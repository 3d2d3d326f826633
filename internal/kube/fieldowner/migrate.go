// SPDX-License-Identifier: Apache-2.0

package fieldowner

import (
	"context"
	"encoding/json"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
)

// page is how many objects one list request of a migration returns.
const page = 500

// kinds are the kinds that users declare in manifests. Posts, ConnectionRequests and IdempotencyRecords are not
// declared, so the names of their field managers appear in no conflict.
var kinds = []string{
	"Account", "AccountAnalytics", "APIKey", "Brand", "MediaAsset", "MediaPack", "MusicTrack", "PostBatch", "RenderJob",
	v1beta1.KindSlideshow, "SocialAccount", v1beta1.KindVideo,
}

// Migration renames the field managers of objects that an older release wrote. It is a Runnable of the leader: it reads
// the metadata of every object once and patches the objects that have an old name. Cluster reads from the API server,
// because caches drop managedFields.
type Migration struct {
	Cluster client.Client
}

// Start runs the migration. It returns no error: old names only make conflicts harder to read, so a failure is logged
// and the next leader migrates what is left.
func (m *Migration) Start(ctx context.Context) error {
	for _, kind := range kinds {
		n, err := m.migrate(ctx, kind)
		if n > 0 {
			log.FromContext(ctx).Info("field managers renamed", "kind", kind, "objects", n)
		}
		if err != nil && ctx.Err() == nil {
			log.FromContext(ctx).Error(err, "renaming field managers failed", "kind", kind)
		}
	}
	return nil
}

// migrate returns how many objects of a kind it patched.
func (m *Migration) migrate(ctx context.Context, kind string) (n int, err error) {
	list := &metav1.PartialObjectMetadataList{}
	list.SetGroupVersionKind(v1beta1.GroupVersion.WithKind(kind + "List"))
	for next := ""; ; next = list.Continue {
		if err := m.Cluster.List(ctx, list, client.Limit(page), client.Continue(next)); err != nil {
			return n, fmt.Errorf("listing %s objects: %w", kind, err)
		}
		for i := range list.Items {
			o := &list.Items[i]
			o.SetGroupVersionKind(v1beta1.GroupVersion.WithKind(kind))
			entries, changed, err := Rename(o.ManagedFields)
			if err != nil {
				return n, fmt.Errorf("%s %s/%s: %w", kind, o.Namespace, o.Name, err)
			}
			if !changed {
				continue
			}
			// An object that was written or deleted since the list is left to the next leader.
			switch err := m.replace(ctx, o, entries); {
			case err == nil:
				n++
			case !apierrors.IsConflict(err) && !apierrors.IsNotFound(err):
				return n, fmt.Errorf("patching %s %s/%s: %w", kind, o.Namespace, o.Name, err)
			}
		}
		if list.Continue == "" {
			return n, nil
		}
	}
}

// replace sets managedFields of an object that has not changed since it was read.
func (m *Migration) replace(ctx context.Context, o client.Object, entries []metav1.ManagedFieldsEntry) error {
	patch, err := json.Marshal(map[string]any{"metadata": map[string]any{"resourceVersion": o.GetResourceVersion(), "managedFields": entries}})
	if err != nil {
		return err
	}
	return m.Cluster.Patch(ctx, o, client.RawPatch(types.MergePatchType, patch))
}
