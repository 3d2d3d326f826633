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
	"github.com/reelops/reelops/internal/content/slides"
	"github.com/reelops/reelops/internal/film/renders"
	"github.com/reelops/reelops/internal/film/shortwork"
)

// observed is the input of a decision. A nil pointer means that the object does not exist.
type observed struct {
	// Inputs are the objects that the slides depend on.
	slides.Inputs
	account *v1beta1.Account
	// ai reports whether AI images are offered, and their price.
	ai catalog.AIImages
	// providers reports whether images of stock providers can be fetched. configured reports whether a provider can be
	// searched.
	providers, configured bool
	// renders of this slideshow, newest first.
	renders []v1beta1.RenderJob
	// track is the music of the video; nil for none. It is read only if autoRender requests a video.
	track *v1beta1.MusicTrack
	// closed is the reason why the namespace is not served with Jobs; nil if it is served. It is read only while a
	// voice-over is missing.
	closed *tenancy.Closed
	// freshStyle is the style of a slideshow for which neither spec nor brand names one; empty otherwise.
	freshStyle string
}

// IndexRenderSource is the cache index of RenderJobs by the slideshow that they render.
const IndexRenderSource = "reelops.source"

// RenderSourceIndex returns the keys of an object in IndexRenderSource. Renders of videos have none.
func RenderSourceIndex(o client.Object) []string {
	s := o.(*v1beta1.RenderJob).Spec.Source
	if s.Kind == v1beta1.KindVideo {
		return nil
	}
	return []string{s.Name}
}

// observe reads the input of a decision. It writes nothing.
func (r *Reconciler) observe(ctx context.Context, s *v1beta1.Slideshow) (*observed, error) {
	o := &observed{ai: r.AIImages, providers: r.Stock != nil}
	o.configured = o.providers && r.Stock.Providers()
	brand, err := shortwork.Get(ctx, r.Client, s.Namespace, s.Spec.BrandRef.Name, &v1beta1.Brand{})
	if err != nil {
		return nil, err
	}
	if o.Inputs, err = slides.ReadInputs(ctx, r.Client, r.Library, s, brand); err != nil {
		return nil, err
	}
	o.Recent = r.Recent.Of(s)
	if d := deck.DesignOf(s, deck.OfBrand(o.Brand)); o.Brand != nil && d.Style == "" {
		o.freshStyle = r.Recent.Style(s)
	}
	// An exhausted plan fails the work permanently. The account is therefore read from the API server: the cache may not
	// have the reservation of this slideshow yet.
	var accounts client.Reader = r.Client
	if !ledger.IsCommitted(s) || slides.ImageSource(s, o.Brand).Type == v1beta1.ImageSourceAI {
		accounts = r.Live
	}
	if o.account, err = shortwork.Get(ctx, accounts, s.Namespace, v1beta1.AccountName, &v1beta1.Account{}); err != nil {
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
