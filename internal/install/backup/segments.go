// SPDX-License-Identifier: Apache-2.0

package backup

import (
	"context"
	"fmt"
	"slices"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/store/archive"
	"github.com/reelops/reelops/internal/store/blob"
)

// clockSkew is the maximum difference between the clock of this program and that of the API server.
const clockSkew = 5 * time.Minute

// archiveVersions returns the resourceVersions of the Archives by namespace.
func (t *taking) archiveVersions(ctx context.Context) (map[string]string, error) {
	out := map[string]string{}
	err := pages(ctx, t.Client, v1beta1.GroupVersion.WithKind(kindArchive), func(some []unstructured.Unstructured) error {
		for i := range some {
			out[some[i].GetNamespace()] = some[i].GetResourceVersion()
		}
		return nil
	})
	return out, err
}

// archives writes the Archives, each after the files of its segments. Then it writes the objects that returned from an
// archive after their kind was read: the Archive does not list them any more.
func (t *taking) archives(ctx context.Context) error {
	err := pages(ctx, t.Client, v1beta1.GroupVersion.WithKind(kindArchive), func(some []unstructured.Unstructured) error {
		for i := range some {
			u, err := t.archive(ctx, &some[i])
			if err != nil {
				return err
			}
			if u == nil || !t.keep(u) {
				continue
			}
			if err := t.page(kindArchive, []unstructured.Unstructured{*u}); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	t.say("%s: %d", kindArchive, t.end.Objects[kindArchive])
	now, err := t.archiveVersions(ctx)
	if err != nil {
		return err
	}
	for namespace, version := range now {
		if version != t.versions[namespace] {
			if err := t.returned(ctx, namespace); err != nil {
				return err
			}
		}
	}
	return nil
}

// archive writes the files of the segments of an Archive. If a file is missing, because its segment was merged with
// others meanwhile, it reads the Archive again. It returns the Archive whose files were written; nil if there is none.
func (t *taking) archive(ctx context.Context, u *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	for t.Files != nil {
		missing, err := t.segmentFiles(ctx, u)
		if err != nil {
			return nil, fmt.Errorf("reading the files of the archive of %s: %w", u.GetNamespace(), err)
		}
		if missing == "" {
			break
		}
		now := bare(u.GroupVersionKind())
		if err := t.Client.Get(ctx, client.ObjectKeyFromObject(u), now); apierrors.IsNotFound(err) {
			return nil, nil
		} else if err != nil {
			return nil, fmt.Errorf("reading the Archive of %s: %w", u.GetNamespace(), err)
		}
		if now.GetResourceVersion() == u.GetResourceVersion() {
			t.say("the files of the segment %s of %s are missing: `kubectl reelops archive verify` shows what is damaged", missing, u.GetNamespace())
			break
		}
		u = now
	}
	return u, nil
}

// segmentFiles writes the files of the segments of an Archive that are not written yet. It returns the name of a
// segment without files; empty if there is none.
func (t *taking) segmentFiles(ctx context.Context, u *unstructured.Unstructured) (missing string, err error) {
	segments, _, _ := unstructured.NestedSlice(u.Object, "status", "segments")
	for _, s := range segments {
		s, _ := s.(map[string]any)
		name, _ := s["name"].(string)
		found := false
		err := t.Files.Walk(ctx, archive.Root+u.GetNamespace()+"/"+name+"/", func(o blob.Object) error {
			if t.segments[o.Key] {
				found = true
				return nil
			}
			written, err := t.file(ctx, o.Key)
			t.segments[o.Key] = written
			found = found || written
			return err
		})
		if err != nil {
			return "", err
		}
		if !found {
			missing = name
		}
	}
	return missing, nil
}

// isRecalled reports whether an object may have returned from the archive since the start of the backup.
func (t *taking) isRecalled(u *unstructured.Unstructured) bool {
	return slices.Contains(recallable, u.GetKind()) && u.GetCreationTimestamp().After(t.start.Add(-clockSkew)) &&
		(v1beta1.Origin(u) != u.GetUID() || u.GetAnnotations()[v1beta1.AnnotationRecalled] != "")
}

// returned writes the objects of a namespace that returned from its archive after their kind was read.
func (t *taking) returned(ctx context.Context, namespace string) error {
	for _, kind := range recallable {
		err := pages(ctx, t.Client, v1beta1.GroupVersion.WithKind(kind), func(some []unstructured.Unstructured) error {
			return t.page(kind, slices.DeleteFunc(some, func(u unstructured.Unstructured) bool {
				return !t.isRecalled(&u) || t.recalled[u.GetUID()] || !t.keep(&u)
			}))
		}, client.InNamespace(namespace))
		if err != nil {
			return err
		}
	}
	return nil
}
