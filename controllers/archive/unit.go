// SPDX-License-Identifier: Apache-2.0

package archive

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/kube/identity"
)

// unit is what is archived together. The objects belong to the cache until live has read them from the API server.
type unit struct {
	id int64
	// short is a Slideshow or a Video; nil if it was deleted.
	short   client.Object
	media   []*v1beta1.MediaAsset
	renders []*v1beta1.RenderJob
	batches []*v1beta1.PostBatch
	posts   []*v1beta1.Post
	// copies counts further shorts with the id.
	copies int
}

// objects returns all objects, owners first.
func (u *unit) objects() []client.Object { return append(u.kept(), objectsOf(u.posts)...) }

// kept returns the objects in the row of the short, in the order in which they are created again.
func (u *unit) kept() []client.Object {
	var out []client.Object
	if u.short != nil {
		out = append(out, u.short)
	}
	out = append(out, objectsOf(u.media)...)
	out = append(out, objectsOf(u.renders)...)
	return append(out, objectsOf(u.batches)...)
}

func objectsOf[O client.Object](all []O) []client.Object {
	out := make([]client.Object, len(all))
	for i, o := range all {
		out[i] = o
	}
	return out
}

// created returns when the short, or else the oldest batch or post, was first created.
func (u *unit) created() time.Time {
	if u.short != nil {
		return v1beta1.CreatedAt(u.short).UTC()
	}
	all := u.objects()
	first := slices.MinFunc(all, func(a, b client.Object) int {
		at, other := v1beta1.CreatedAt(a), v1beta1.CreatedAt(b)
		return at.Compare(other.Time)
	})
	return v1beta1.CreatedAt(first).UTC()
}

// add adds an object to the unit.
func (u *unit) add(o client.Object) {
	switch o := o.(type) {
	case *v1beta1.Slideshow, *v1beta1.Video:
		if u.short != nil {
			u.copies++
		}
		u.short = o
	case *v1beta1.MediaAsset:
		u.media = append(u.media, o)
	case *v1beta1.RenderJob:
		u.renders = append(u.renders, o)
	case *v1beta1.PostBatch:
		u.batches = append(u.batches, o)
	case *v1beta1.Post:
		u.posts = append(u.posts, o)
	}
}

// shortID returns the id of the short that an object is or belongs to; 0 if it has none yet.
func shortID(o client.Object) int64 {
	switch o := o.(type) {
	case *v1beta1.Slideshow, *v1beta1.Video:
		id, _ := identity.Of(o)
		return id
	case *v1beta1.Post:
		return o.Spec.ShortID
	case *v1beta1.PostBatch:
		return cmp.Or(o.Status.ShortID, o.Spec.ShortRef.ID)
	}
	id, err := strconv.ParseInt(o.GetLabels()[v1beta1.LabelShort], 10, 64)
	if err != nil {
		return 0
	}
	return id
}

// gather returns the units of a namespace by id, from the cache. Objects without an id, and renders of another short
// that bears the id, are in no unit.
func gather(ctx context.Context, c client.Reader, namespace string) (map[int64]*unit, error) {
	out, owners := map[int64]*unit{}, map[types.UID]*unit{}
	put := func(o client.Object) {
		id := shortID(o)
		if id <= 0 {
			return
		}
		if out[id] == nil {
			out[id] = &unit{id: id}
		}
		out[id].add(o)
	}
	err := each(ctx, c, namespace, &v1beta1.SlideshowList{}, put)
	if err == nil {
		err = each(ctx, c, namespace, &v1beta1.VideoList{}, put)
	}
	for _, u := range out {
		owners[u.short.GetUID()] = u
	}
	for _, l := range []client.ObjectList{&v1beta1.RenderJobList{}, &v1beta1.MediaAssetList{}} {
		if err == nil {
			err = each(ctx, c, namespace, l, func(o client.Object) {
				for _, ref := range o.GetOwnerReferences() {
					if u := owners[ref.UID]; u != nil {
						u.add(o)
						return
					}
				}
				if u := out[shortID(o)]; u == nil || u.short == nil { // its short may be hidden
					put(o)
				}
			})
		}
	}
	for _, l := range []client.ObjectList{&v1beta1.PostBatchList{}, &v1beta1.PostList{}} {
		if err == nil {
			err = each(ctx, c, namespace, l, put)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("reading the shorts of %s: %w", namespace, err)
	}
	return out, nil
}

// each calls visit with every object of a kind in a namespace. The objects belong to the cache.
func each(
	ctx context.Context, c client.Reader, namespace string, l client.ObjectList, visit func(client.Object),
) error {
	if err := c.List(ctx, l, client.InNamespace(namespace), client.UnsafeDisableDeepCopy); err != nil {
		return err
	}
	return meta.EachListItem(l, func(o runtime.Object) error {
		visit(o.(client.Object))
		return nil
	})
}

// live returns the unit as the API server has it; nil if an object was deleted or replaced.
func (u *unit) live(ctx context.Context, c client.Reader) (*unit, error) {
	out := &unit{id: u.id}
	for _, o := range u.objects() {
		now := o.DeepCopyObject().(client.Object)
		if err := c.Get(ctx, client.ObjectKeyFromObject(o), now); err != nil {
			if client.IgnoreNotFound(err) == nil {
				return nil, nil
			}
			return nil, fmt.Errorf("reading %T %s: %w", o, o.GetName(), err)
		}
		if now.GetUID() != o.GetUID() || now.GetLabels()[v1beta1.LabelArchived] != "" {
			return nil, nil
		}
		out.add(now)
	}
	return out, nil
}

// returned reports whether the unit was restored after a time.
func (u *unit) returned(after time.Time) bool {
	return slices.ContainsFunc(u.objects(), func(o client.Object) bool {
		return v1beta1.Origin(o) != o.GetUID() && o.GetCreationTimestamp().After(after)
	})
}

// touched returns when the unit last changed: when an object was created or its spec was written, or when its work
// ended. Other writes of a status, such as the daily metrics of a post, do not count.
func (u *unit) touched() time.Time {
	var out time.Time
	note := func(at *metav1.Time) {
		if at != nil && at.After(out) {
			out = at.Time
		}
	}
	ended := func(w *v1beta1.Work) {
		if w != nil {
			note(w.FinishedAt)
		}
	}
	for _, o := range u.objects() {
		created := o.GetCreationTimestamp()
		note(&created)
		for _, e := range o.GetManagedFields() {
			if e.Subresource == "" {
				note(e.Time)
			}
		}
		switch o := o.(type) {
		case *v1beta1.Slideshow:
			ended(o.Status.Work)
		case *v1beta1.Video:
			ended(o.Status.Work)
		case *v1beta1.RenderJob:
			ended(o.Status.Work)
		case *v1beta1.Post:
			note(o.Status.FinishedAt)
		}
	}
	return out
}

// sorted returns units in the order of their ids.
func sorted(units map[int64]*unit) []*unit {
	ids := slices.Sorted(maps.Keys(units))
	out := make([]*unit, len(ids))
	for i, id := range ids {
		out[i] = units[id]
	}
	return out
}
