// SPDX-License-Identifier: Apache-2.0

package slideshow

import (
	"context"
	"fmt"

	"sigs.k8s.io/controller-runtime/pkg/client"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/account/ledger"
	"github.com/reelops/reelops/internal/account/tenancy"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/content/deck"
	"github.com/reelops/reelops/internal/film/renders"
	"github.com/reelops/reelops/internal/film/shortwork"
	"github.com/reelops/reelops/internal/kube/finalize"
	"github.com/reelops/reelops/internal/kube/identity"
)

// seen is everything a pass reads. A nil pointer means that there is no such object.
type observed struct {
	account *v1beta1.Account
	// ai is what the installation offers in AI pictures.
	ai    catalog.AIImages
	brand *v1beta1.Brand
	// pack is what the image source names; nil when it names none or there is no such pack.
	pack *pack
	// media holds the assets that slides name; a name without an asset is absent.
	media map[string]*v1beta1.MediaAsset
	// shared holds the library's assets that slides name, by stock id; a name without an asset is absent.
	shared map[string]*v1beta1.MediaAsset
	// providers reports whether stock pictures of providers can be found, and configured whether any is set up to be searched.
	providers, configured bool
	// found holds the providers' pictures that are in the store, by stock id, and chosen those chosen for open slides. Both
	// are set just before drawing.
	found  map[string]*found
	chosen map[int64]string
	// renders of this slideshow, newest first.
	renders []v1beta1.RenderJob
	// track is the music of the video; nil when there is none. Read only where autoRender asks for a video.
	track *v1beta1.MusicTrack
	// recent is what the brand used lately, newest first, this slideshow left out.
	recent []use
	// closed is why the namespace is not served with Jobs; nil where it is. Read only while a voice-over is to be made.
	closed *tenancy.Closed
	// freshStyle is the style for a slideshow that neither spec nor brand gives one; empty when none is needed.
	freshStyle string
}

// IndexRenderSource is the cache index of RenderJobs by the slideshow they render; IndexPack of MediaAssets by pack.
const (
	IndexRenderSource = "reelops.source"
	IndexPack         = "reelops.pack"
)

// RenderSourceIndex fills IndexRenderSource. Renders of videos are not in it.
func RenderSourceIndex(o client.Object) []string {
	s := o.(*v1beta1.RenderJob).Spec.Source
	if s.Kind == v1beta1.KindVideo {
		return nil
	}
	return []string{s.Name}
}

// PackIndex fills IndexPack.
func PackIndex(o client.Object) []string {
	if ref := o.(*v1beta1.MediaAsset).Spec.PackRef; ref != nil {
		return []string{ref.Name}
	}
	return nil
}

// adopt gives a slideshow what every one has: the finalizer, an id in its number space and its brand's label. These are
// writes of metadata, before and apart from the status.
func (r *Reconciler) adopt(ctx context.Context, s *v1beta1.Slideshow) error {
	if !s.DeletionTimestamp.IsZero() {
		return nil
	}
	if err := identity.Ensure(ctx, r.Client, s, r.NextID, &s.Spec.BrandRef); err != nil {
		return err
	}
	return finalize.Ensure(ctx, r.Client, s, Finalizer)
}

func (r *Reconciler) observe(ctx context.Context, s *v1beta1.Slideshow) (*observed, error) {
	o := &observed{media: map[string]*v1beta1.MediaAsset{}, recent: r.Recent.Of(s), ai: r.AIImages}
	var err error
	if o.brand, err = shortwork.Get(ctx, r.Client, s.Namespace, s.Spec.BrandRef.Name, &v1beta1.Brand{}); err != nil {
		return nil, err
	}
	if d := deck.DesignOf(s, deck.OfBrand(o.brand)); o.brand != nil && d.Style == "" {
		o.freshStyle = r.Recent.Style(s)
	}
	// A verdict on the plan is final, so it rests on the account itself: the cache may not have what was held for it yet.
	var accounts client.Reader = r.Client
	if !ledger.IsCommitted(s) || imageSource(s, o.brand).Type == v1beta1.ImageSourceAI {
		accounts = r.Live
	}
	if o.account, err = shortwork.Get(ctx, accounts, s.Namespace, v1beta1.AccountName, &v1beta1.Account{}); err != nil {
		return nil, err
	}
	if o.pack, err = r.observePack(ctx, s.Namespace, imageSource(s, o.brand)); err != nil {
		return nil, err
	}
	for i := range s.Spec.Slides {
		img := s.Spec.Slides[i].Image
		if img == nil || img.MediaRef == nil {
			continue
		}
		a, err := shortwork.Get(ctx, r.Client, s.Namespace, img.MediaRef.Name, &v1beta1.MediaAsset{})
		if err != nil {
			return nil, err
		}
		if a != nil {
			o.media[a.Name] = a
		}
	}
	if err := r.observeShared(ctx, s, o); err != nil {
		return nil, err
	}
	if w := s.Status.Work; o.account != nil && deck.Spoken(s) && w != nil && !w.State.Settled() {
		if o.closed, err = r.Gate.Check(ctx, s.Namespace); err != nil {
			return nil, err
		}
	}
	if s.Spec.AutoRender {
		if o.track, err = shortwork.Track(ctx, r.Client, s.Namespace, r.Library, s.Spec.Music); err != nil {
			return nil, err
		}
	}
	var list v1beta1.RenderJobList
	if err := r.Client.List(ctx, &list, client.InNamespace(s.Namespace), client.MatchingFields{IndexRenderSource: s.Name}); err != nil {
		return nil, fmt.Errorf("listing the renders: %w", err)
	}
	renders.Sort(list.Items)
	o.renders = list.Items
	return o, nil
}
