// SPDX-License-Identifier: Apache-2.0

package slideshow

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"sigs.k8s.io/controller-runtime/pkg/client"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/content/imagery/starter"
	"github.com/reelops/reelops/internal/content/stock"
	"github.com/reelops/reelops/internal/film/shortwork"
)

// longestRef is the maximum length of a reference to an image of the library namespace, as validated by the API.
const longestRef = 200

// pack is a set of images that provides every background of a slideshow.
type pack struct {
	name string
	// pictures are the ready images, by name. A pack may have none yet.
	pictures []picture
}

// observePack returns the pack that an image source names: one of the namespace, of the library namespace, or of the
// starter set. It returns nil if the source names none, or the pack does not exist.
func (r *Reconciler) observePack(ctx context.Context, namespace string, src v1beta1.ImageSource) (*pack, error) {
	shared, ref := false, src.PackRef
	if ref == nil {
		shared, ref = true, src.LibraryPackRef
	}
	if src.Type != v1beta1.ImageSourcePack || ref == nil {
		return nil, nil
	}
	if shared && r.Library == "" {
		return starterPack(ref.Name), nil
	}
	if shared {
		namespace = r.Library
	}
	of, err := shortwork.Get(ctx, r.Client, namespace, ref.Name, &v1beta1.MediaPack{})
	if err != nil {
		return nil, err
	}
	if shared && (of == nil || of.Spec.BrandRef != nil) { // a brand's own pack is not shared with every account
		return starterPack(ref.Name), nil
	}
	if of == nil {
		return nil, nil
	}
	var list v1beta1.MediaAssetList
	if err := r.Client.List(ctx, &list, client.InNamespace(namespace), client.MatchingFields{IndexPack: ref.Name}); err != nil {
		return nil, fmt.Errorf("listing the pack's pictures: %w", err)
	}
	out := &pack{name: ref.Name}
	for i := range list.Items {
		p := picture{asset: &list.Items[i]}
		if shared {
			p.shared = stock.ProviderLibrary + ":" + p.asset.Name
		}
		if p.asset.ReadyPicture() && len(p.id()) <= longestRef {
			out.pictures = append(out.pictures, p)
		}
	}
	slices.SortFunc(out.pictures, func(a, b picture) int { return cmp.Compare(a.asset.Name, b.asset.Name) })
	return out, nil
}

func starterPack(name string) *pack {
	of, ok := starter.PackByName(name)
	if !ok {
		return nil
	}
	out := &pack{name: name}
	for i := range of.Pictures {
		out.pictures = append(out.pictures, picture{stock: &of.Pictures[i]})
	}
	return out
}
