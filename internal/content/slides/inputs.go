// SPDX-License-Identifier: Apache-2.0

package slides

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/content/deck"
	"github.com/reelops/reelops/internal/content/stock"
	"github.com/reelops/reelops/internal/kube/status"
)

// Inputs are the objects that the slides of a slideshow depend on.
type Inputs struct {
	Brand *v1beta1.Brand
	// Pack is the pack that the image source names; nil if it names none or the pack does not exist.
	Pack *Pack
	// Media has the assets that slides name, by name. Assets that do not exist are absent.
	Media map[string]*v1beta1.MediaAsset
	// Shared has the assets of the library namespace that slides name, by stock id. Assets that do not exist are absent.
	Shared map[string]*v1beta1.MediaAsset
	// Recent has the latest uses of styles and images by the brand, newest first, without this slideshow.
	Recent []Use
}

// IndexPack is the cache index of MediaAssets by pack. ReadInputs needs it.
const IndexPack = "reelops.pack"

// PackIndex returns the keys of an object in IndexPack.
func PackIndex(o client.Object) []string {
	if ref := o.(*v1beta1.MediaAsset).Spec.PackRef; ref != nil {
		return []string{ref.Name}
	}
	return nil
}

// ReadInputs reads the pack and the media of a slideshow. brand may be nil. library is the namespace whose media and
// packs every account can use. The caller sets Recent.
func ReadInputs(
	ctx context.Context, c client.Reader, library string, s *v1beta1.Slideshow, brand *v1beta1.Brand,
) (Inputs, error) {
	o := Inputs{Brand: brand, Media: map[string]*v1beta1.MediaAsset{}, Shared: map[string]*v1beta1.MediaAsset{}}
	var err error
	if o.Pack, err = readPack(ctx, c, library, s.Namespace, ImageSource(s, brand)); err != nil {
		return o, err
	}
	for i := range s.Spec.Slides {
		img := s.Spec.Slides[i].Image
		switch {
		case img == nil:
		case img.MediaRef != nil:
			err = readAsset(ctx, c, s.Namespace, img.MediaRef.Name, o.Media, img.MediaRef.Name)
		case img.Stock != nil:
			if name, ok := sharedName(*img.Stock); ok {
				err = readAsset(ctx, c, library, name, o.Shared, *img.Stock)
			}
		}
		if err != nil {
			return o, err
		}
	}
	return o, nil
}

// readAsset reads a MediaAsset into a map. It adds nothing if the asset does not exist.
func readAsset(
	ctx context.Context, c client.Reader, namespace, name string, into map[string]*v1beta1.MediaAsset, key string,
) error {
	a := &v1beta1.MediaAsset{}
	found, err := get(ctx, c, namespace, name, a)
	if found {
		into[key] = a
	}
	return err
}

// get reads an object and reports whether it exists.
func get(ctx context.Context, c client.Reader, namespace, name string, into client.Object) (bool, error) {
	err := c.Get(ctx, client.ObjectKey{Namespace: namespace, Name: name}, into)
	if apierrors.IsNotFound(err) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("reading %s: %w", name, err)
	}
	return true, nil
}

// ImageSource returns the source of the backgrounds.
func ImageSource(s *v1beta1.Slideshow, b *v1beta1.Brand) v1beta1.ImageSource {
	return deck.DesignOf(s, deck.OfBrand(b)).ImageSource
}

// readPack returns the pack that an image source names: one of the namespace, of the library namespace, or of the
// starter set. It returns nil if the source names none, or the pack does not exist.
func readPack(
	ctx context.Context, c client.Reader, library, namespace string, src v1beta1.ImageSource,
) (*Pack, error) {
	shared, ref := false, src.PackRef
	if ref == nil {
		shared, ref = true, src.LibraryPackRef
	}
	if src.Type != v1beta1.ImageSourcePack || ref == nil {
		return nil, nil
	}
	if shared && library == "" {
		return StarterPack(ref.Name), nil
	}
	if shared {
		namespace = library
	}
	of := &v1beta1.MediaPack{}
	found, err := get(ctx, c, namespace, ref.Name, of)
	if err != nil {
		return nil, err
	}
	if shared && (!found || of.Spec.BrandRef != nil) { // a brand's own pack is not shared with every account
		return StarterPack(ref.Name), nil
	}
	if !found {
		return nil, nil
	}
	var list v1beta1.MediaAssetList
	if err := c.List(ctx, &list, client.InNamespace(namespace), client.MatchingFields{IndexPack: ref.Name}); err != nil {
		return nil, fmt.Errorf("listing the images of the pack: %w", err)
	}
	return NewPack(ref.Name, list.Items, shared), nil
}

// sharedName returns the name of the MediaAsset in the library namespace for a stock id. It returns false for other
// ids.
func sharedName(id string) (string, bool) {
	p, name, ok := stock.ParseRef(id)
	return name, ok && p == stock.ProviderLibrary
}

// Missing returns the reason and a message for the first pack or image that the slideshow needs and that does not exist
// or is not ready. NewDrawing needs all of them.
func (o *Inputs) Missing(s *v1beta1.Slideshow) (v1beta1.Reason, string) {
	if src := ImageSource(s, o.Brand); src.Type == v1beta1.ImageSourcePack {
		switch {
		case o.Pack != nil && o.Pack.Len() == 0:
			return v1beta1.ReasonMediaNotReady, fmt.Sprintf("The MediaPack %q has no ready images", o.Pack.Name)
		case o.Pack != nil:
		case src.PackRef != nil:
			return v1beta1.ReasonPackNotFound, fmt.Sprintf("There is no MediaPack %q in the namespace", src.PackRef.Name)
		case src.LibraryPackRef != nil:
			return v1beta1.ReasonPackNotFound, fmt.Sprintf("There is no pack %q in the library", src.LibraryPackRef.Name)
		default:
			return v1beta1.ReasonPackNotFound, "The image source names no pack"
		}
	}
	for i := range s.Spec.Slides {
		img := s.Spec.Slides[i].Image
		if img == nil || img.MediaRef == nil {
			continue
		}
		a := o.Media[img.MediaRef.Name]
		switch {
		case a == nil:
			return v1beta1.ReasonMediaNotFound, fmt.Sprintf("There is no MediaAsset %q in the namespace", img.MediaRef.Name)
		case a.Status.Probe == nil && a.Status.Error == nil:
			return v1beta1.ReasonMediaNotReady,
				fmt.Sprintf("The MediaAsset %q is not ready: %s", a.Name, status.Why(a.Status.Conditions))
		}
	}
	return o.missingShared(s)
}

// missingShared returns the reason and a message for the first library image that a slide needs and that does not exist
// or is not ready.
func (o *Inputs) missingShared(s *v1beta1.Slideshow) (v1beta1.Reason, string) {
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
