// SPDX-License-Identifier: Apache-2.0

package slides

import (
	"cmp"
	"slices"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/content/imagery/starter"
	"github.com/reelops/reelops/internal/content/stock"
)

// longestRef is the maximum length of a reference to an image of the library namespace, as validated by the API.
const longestRef = 200

// Pack is a set of images that provides every background of a slideshow.
type Pack struct {
	Name string
	// pictures are the ready images, by name. A pack may have none yet.
	pictures []picture
}

// NewPack returns a pack of the ready images among its assets, sorted by name. library reports whether the assets are
// in the library namespace.
func NewPack(name string, assets []v1beta1.MediaAsset, library bool) *Pack {
	out := &Pack{Name: name}
	for i := range assets {
		p := picture{asset: &assets[i]}
		if library {
			p.shared = stock.ProviderLibrary + ":" + p.asset.Name
		}
		if p.asset.ReadyPicture() && len(p.id()) <= longestRef {
			out.pictures = append(out.pictures, p)
		}
	}
	slices.SortFunc(out.pictures, func(a, b picture) int { return cmp.Compare(a.asset.Name, b.asset.Name) })
	return out
}

// Len returns the number of images.
func (p *Pack) Len() int { return len(p.pictures) }

// StarterPack returns the pack of the starter set with a name; nil if there is none.
func StarterPack(name string) *Pack {
	of, ok := starter.PackByName(name)
	if !ok {
		return nil
	}
	out := &Pack{Name: name}
	for i := range of.Pictures {
		out.pictures = append(out.pictures, picture{stock: &of.Pictures[i]})
	}
	return out
}
