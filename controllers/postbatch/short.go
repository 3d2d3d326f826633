// SPDX-License-Identifier: Apache-2.0

package postbatch

import (
	"context"
	"errors"
	"fmt"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/film/renders"
	"github.com/reelops/reelops/internal/kube/identity"
	"github.com/reelops/reelops/internal/kube/recall"
	"github.com/reelops/reelops/internal/social/posting"
)

// short returns the content that the batch publishes, with the media that it wants; nil if the brand has no such short.
// ambiguous reports whether a Slideshow and a Video have its name.
func (r *Reconciler) short(ctx context.Context, b *v1beta1.PostBatch) (content *posting.Content, ambiguous bool, err error) {
	var found []client.Object
	if b.Spec.ShortRef.Name != "" {
		found, err = r.named(ctx, b)
	} else {
		found, err = r.numbered(ctx, b)
	}
	found = slices.DeleteFunc(found, func(o client.Object) bool {
		return brandOf(o) != b.Spec.BrandRef.Name || !o.GetDeletionTimestamp().IsZero()
	})
	if err != nil || len(found) == 0 {
		return nil, false, err
	}
	if len(found) > 1 {
		return nil, true, nil
	}
	id, ok := identity.Of(found[0])
	if !ok {
		return nil, false, nil
	}
	show, ok := found[0].(*v1beta1.Slideshow)
	if !ok {
		content = posting.ContentOfVideo(id, found[0].(*v1beta1.Video))
		content.Wanted = b.Spec.Media
		return content, false, nil
	}
	var list v1beta1.RenderJobList
	if err := r.Client.List(ctx, &list, client.InNamespace(b.Namespace), client.MatchingFields{r.IndexRenders: show.Name}); err != nil {
		return nil, false, fmt.Errorf("listing renders: %w", err)
	}
	renders.Sort(list.Items)
	content = posting.ContentOf(id, show, list.Items)
	content.Wanted = b.Spec.Media
	return content, false, nil
}

// named returns the objects with the name of the short, of the kind in the spec or of either.
func (r *Reconciler) named(ctx context.Context, b *v1beta1.PostBatch) ([]client.Object, error) {
	var out []client.Object
	for kind, o := range map[string]client.Object{v1beta1.KindSlideshow: &v1beta1.Slideshow{}, v1beta1.KindVideo: &v1beta1.Video{}} {
		if said := b.Spec.ShortRef.Kind; said != "" && said != kind {
			continue
		}
		err := r.Client.Get(ctx, client.ObjectKey{Namespace: b.Namespace, Name: b.Spec.ShortRef.Name}, o)
		switch {
		case err == nil:
			out = append(out, o)
		case !apierrors.IsNotFound(err):
			return nil, fmt.Errorf("reading the short: %w", err)
		}
	}
	return out, nil
}

// numbered returns the object with the id of the short: the oldest, if copies of a manifest have the same id.
func (r *Reconciler) numbered(ctx context.Context, b *v1beta1.PostBatch) ([]client.Object, error) {
	var shows v1beta1.SlideshowList
	var videos v1beta1.VideoList
	for _, list := range []client.ObjectList{&shows, &videos} {
		if err := r.Client.List(ctx, list, client.InNamespace(b.Namespace), client.MatchingFields{IndexShortID: digits(b.Spec.ShortRef.ID)}); err != nil {
			return nil, fmt.Errorf("reading the short: %w", err)
		}
	}
	var out []client.Object
	for i := range shows.Items {
		out = append(out, &shows.Items[i])
	}
	for i := range videos.Items {
		out = append(out, &videos.Items[i])
	}
	slices.SortStableFunc(out, func(a, b client.Object) int {
		since := a.GetCreationTimestamp()
		return since.Compare(b.GetCreationTimestamp().Time)
	})
	return out[:min(len(out), 1)], nil
}

// archived reports whether the archive holds the short of the batch. It finds only a short that the batch names by id.
func (r *Reconciler) archived(ctx context.Context, b *v1beta1.PostBatch) (bool, error) {
	if r.Archive == nil || b.Spec.ShortRef.ID == 0 {
		return false, nil
	}
	a := &v1beta1.Archive{}
	err := r.Client.Get(ctx, client.ObjectKey{Namespace: b.Namespace, Name: v1beta1.ArchiveName}, a)
	if err != nil {
		return false, client.IgnoreNotFound(err)
	}
	key, err := r.Archive.Find(ctx, a, b.Spec.ShortRef.ID)
	if err != nil {
		return false, fmt.Errorf("looking for the short in the archive: %w", err)
	}
	return key != nil && key.Kind != "" && key.Brand == b.Spec.BrandRef.Name, nil
}

// restore requests the restore of the short. If too many shorts are being restored, a later pass requests it.
func (r *Reconciler) restore(ctx context.Context, b *v1beta1.PostBatch) error {
	err := recall.Request(ctx, r.Live, r.Client, b.Namespace, nil, b.Spec.ShortRef.ID)
	if errors.Is(err, recall.ErrFull) {
		return nil
	}
	return err
}

func brandOf(short client.Object) string {
	if v, ok := short.(*v1beta1.Video); ok {
		return v.Spec.BrandRef.Name
	}
	return short.(*v1beta1.Slideshow).Spec.BrandRef.Name
}
