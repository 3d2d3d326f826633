// SPDX-License-Identifier: Apache-2.0

package starterset

import (
	"context"

	"sigs.k8s.io/controller-runtime/pkg/client"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/starter/starterset"
)

// observed holds the inputs of a decision.
type observed struct {
	// objects are the objects of the set, by the name of their item.
	objects map[string]object
	// busy reports whether a slideshow or video is being created or rendered, in any namespace.
	busy bool
}

// object is an object of the set.
type object struct {
	client.Object
	// version is the version of the item that the object was created from.
	version string
	// settled reports whether the object's file has been probed or has failed.
	settled bool
}

func (o object) deleting() bool { return o.GetDeletionTimestamp() != nil }

// IndexBusy is the cache index of Slideshows, Videos and RenderJobs that use compute resources, or are about to.
const IndexBusy = "reelops.busy"

// BusyIndex returns the values of IndexBusy for an object: "true" if the object is busy, else none. A RenderJob is busy
// from the moment its timeline is stored. Work that waits for a pack or an image is not busy: it may wait forever.
func BusyIndex(o client.Object) []string {
	switch o := o.(type) {
	case *v1beta1.Slideshow:
		if w := o.Status.Work; w != nil && w.State == v1beta1.WorkProcessing {
			return []string{"true"}
		}
	case *v1beta1.Video:
		// Its RenderJob counts separately, and may wait for music of the set.
		if w := o.Status.Work; w != nil && w.State == v1beta1.WorkProcessing && o.Status.Render == nil {
			return []string{"true"}
		}
	case *v1beta1.RenderJob:
		if w := o.Status.Work; w != nil && !w.State.Settled() && o.Status.TimelineKey != "" {
			return []string{"true"}
		}
	}
	return nil
}

func (r *Reconciler) observe(ctx context.Context) (observed, error) {
	s := observed{objects: map[string]object{}}
	ours := []client.ListOption{client.InNamespace(r.namespace), client.MatchingLabels{v1beta1.LabelComponent: v1beta1.ComponentStarterSet}}
	var assets v1beta1.MediaAssetList
	if err := r.client.List(ctx, &assets, ours...); err != nil {
		return s, err
	}
	for i := range assets.Items {
		a := &assets.Items[i]
		s.objects[a.Name] = object{a, a.Annotations[starterset.AnnotationVersion], a.Status.Probe != nil || a.Status.Error != nil}
	}
	var tracks v1beta1.MusicTrackList
	if err := r.client.List(ctx, &tracks, ours...); err != nil {
		return s, err
	}
	for i := range tracks.Items {
		t := &tracks.Items[i]
		s.objects[t.Name] = object{t, t.Annotations[starterset.AnnotationVersion], t.Status.Probe != nil || t.Status.Error != nil}
	}
	busy := []client.ListOption{client.MatchingFields{IndexBusy: "true"}, client.Limit(1)}
	var shows v1beta1.SlideshowList
	if err := r.client.List(ctx, &shows, busy...); err != nil {
		return s, err
	}
	var renders v1beta1.RenderJobList
	if err := r.client.List(ctx, &renders, busy...); err != nil {
		return s, err
	}
	var videos v1beta1.VideoList
	if err := r.client.List(ctx, &videos, busy...); err != nil {
		return s, err
	}
	s.busy = len(shows.Items)+len(renders.Items)+len(videos.Items) > 0
	return s, nil
}
