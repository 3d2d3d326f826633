// SPDX-License-Identifier: Apache-2.0

package starterset

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/starter/starterset"
)

// act writes at most one object. Every write is idempotent: names are derived from the items, and patches and deletions
// use the observed object as precondition.
func (r *Reconciler) act(ctx context.Context, d decision, s observed) error {
	name := d.item.Name
	switch d.kind {
	case create:
		o := r.build(d.item)
		if id := r.state.replaced[name]; id != "" {
			o.GetLabels()[v1beta1.LabelID] = id
		}
		err := r.client.Create(ctx, o)
		if err != nil && !apierrors.IsAlreadyExists(err) {
			return fmt.Errorf("creating %s of the starter set: %w", name, err)
		}
		// An existing object is either not in the cache yet, or not part of the set and left alone. The next reconcile
		// continues in both cases.
		r.state.known[name] = true
		delete(r.state.replaced, name)
		if err == nil {
			ctrl.LoggerFrom(ctx).Info("creating an item of the starter set", "item", name)
		}
		return err
	case patch:
		was := s.objects[name].Object
		now := was.DeepCopyObject().(client.Object)
		want := r.build(d.item)
		switch now := now.(type) {
		case *v1beta1.MediaAsset:
			now.Spec = want.(*v1beta1.MediaAsset).Spec
		case *v1beta1.MusicTrack:
			now.Spec = want.(*v1beta1.MusicTrack).Spec
		}
		notes := now.GetAnnotations()
		if notes == nil {
			notes = map[string]string{}
		}
		notes[starterset.AnnotationVersion] = d.item.Version()
		now.SetAnnotations(notes)
		return r.client.Patch(ctx, now, client.MergeFromWithOptions(was, client.MergeFromWithOptimisticLock{}))
	case replace:
		o := s.objects[name].Object
		r.state.replaced[name] = o.GetLabels()[v1beta1.LabelID]
		return client.IgnoreNotFound(r.client.Delete(ctx, o, client.Preconditions{UID: ptr.To(o.GetUID())}))
	}
	return nil
}

// build returns the object of an item.
func (r *Reconciler) build(i starterset.Item) client.Object {
	meta := metav1.ObjectMeta{
		Namespace: r.namespace, Name: i.Name,
		Labels:      map[string]string{v1beta1.LabelComponent: v1beta1.ComponentStarterSet},
		Annotations: map[string]string{starterset.AnnotationVersion: i.Version()},
	}
	if i.Kind == starterset.Track {
		return &v1beta1.MusicTrack{ObjectMeta: meta, Spec: *i.Song.DeepCopy()}
	}
	return &v1beta1.MediaAsset{ObjectMeta: meta, Spec: *i.Asset.DeepCopy()}
}
