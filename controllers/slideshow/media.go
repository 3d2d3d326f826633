// SPDX-License-Identifier: Apache-2.0

package slideshow

import (
	"context"
	"fmt"

	"sigs.k8s.io/controller-runtime/pkg/client"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/content/imagery/starter"
	"github.com/reelops/reelops/internal/content/slides"
	"github.com/reelops/reelops/internal/content/stock"
	"github.com/reelops/reelops/internal/film/shortwork"
)

// observePack returns the pack that an image source names: one of the namespace, of the library namespace, or of the
// starter set. It returns nil if the source names none, or the pack does not exist.
func (r *Reconciler) observePack(ctx context.Context, namespace string, src v1beta1.ImageSource) (*slides.Pack, error) {
	shared, ref := false, src.PackRef
	if ref == nil {
		shared, ref = true, src.LibraryPackRef
	}
	if src.Type != v1beta1.ImageSourcePack || ref == nil {
		return nil, nil
	}
	if shared && r.Library == "" {
		return slides.StarterPack(ref.Name), nil
	}
	if shared {
		namespace = r.Library
	}
	of, err := shortwork.Get(ctx, r.Client, namespace, ref.Name, &v1beta1.MediaPack{})
	if err != nil {
		return nil, err
	}
	if shared && (of == nil || of.Spec.BrandRef != nil) { // a brand's own pack is not shared with every account
		return slides.StarterPack(ref.Name), nil
	}
	if of == nil {
		return nil, nil
	}
	var list v1beta1.MediaAssetList
	if err := r.Client.List(ctx, &list, client.InNamespace(namespace), client.MatchingFields{IndexPack: ref.Name}); err != nil {
		return nil, fmt.Errorf("listing the images of the pack: %w", err)
	}
	return slides.NewPack(ref.Name, list.Items, shared), nil
}

// sharedName returns the name of the MediaAsset in the library namespace for a stock id. It returns false for other
// ids.
func sharedName(id string) (string, bool) {
	p, name, ok := stock.ParseRef(id)
	return name, ok && p == stock.ProviderLibrary
}

// observeShared reads the media of the library namespace that slides name. Media that do not exist are left out.
func (r *Reconciler) observeShared(ctx context.Context, s *v1beta1.Slideshow, o *observed) error {
	o.providers = r.Stock != nil
	o.configured = o.providers && r.Stock.Providers()
	o.Shared = map[string]*v1beta1.MediaAsset{}
	for _, sl := range s.Spec.Slides {
		if sl.Image == nil || sl.Image.Stock == nil {
			continue
		}
		name, ok := sharedName(*sl.Image.Stock)
		if !ok {
			continue
		}
		a, err := shortwork.Get(ctx, r.Client, r.Library, name, &v1beta1.MediaAsset{})
		if err != nil {
			return err
		}
		if a != nil {
			o.Shared[*sl.Image.Stock] = a
		}
	}
	return nil
}

// missingShared returns the reason and a message for the first library image that a slide needs and that does not exist
// or is not ready.
func missingShared(s *v1beta1.Slideshow, o *observed) (v1beta1.Reason, string) {
	for _, sl := range s.Spec.Slides {
		if sl.Image == nil || sl.Image.Stock == nil {
			continue
		}
		name, ok := sharedName(*sl.Image.Stock)
		if !ok {
			continue
		}
		switch a := o.Shared[*sl.Image.Stock]; {
		case a == nil:
			return v1beta1.ReasonMediaNotFound, fmt.Sprintf("There is no MediaAsset %q in the library", name)
		case a.Status.Probe == nil && a.Status.Error == nil:
			return v1beta1.ReasonMediaNotReady, fmt.Sprintf("The library's MediaAsset %q is not ready yet", name)
		}
	}
	return "", ""
}

// unusableStock returns why a stock id can never be used as an image, or "".
func unusableStock(o *observed, id string) string {
	if a := o.Shared[id]; a != nil {
		switch {
		case a.Status.Error != nil:
			return fmt.Sprintf("The library's MediaAsset %q cannot be used: %s", a.Name, a.Status.Error.Message)
		case a.Status.Probe.Kind != "image":
			return fmt.Sprintf("The library's MediaAsset %q is not an image", a.Name)
		}
		return ""
	}
	if _, known := starter.ByID(id); !known && !(o.providers && slides.Provided(id)) {
		return fmt.Sprintf("There is no stock image %q", id)
	}
	return ""
}
