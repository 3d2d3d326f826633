// SPDX-License-Identifier: Apache-2.0

package stock

import (
	"fmt"

	"github.com/reelops/reelops/internal/content/deck"
	"github.com/reelops/reelops/internal/content/imagery/starter"
)

// Size of a drawn background in pixels.
type Size struct{ Width, Height int }

// The sizes at which drawn backgrounds can be looked at, without a key, by their address.
var (
	StarterFull      = Size{1080, 1920}
	StarterThumbnail = Size{360, 640}
)

// StarterPath is where the front end serves drawn backgrounds.
const StarterPath = "/stock/starter/"

// starterType is the content type of stored backgrounds.
const starterType = "image/jpeg"

// StarterFile is the last part of a background's address.
func StarterFile(id string, s Size) string { return fmt.Sprintf("%s-%dx%d.jpg", id, s.Width, s.Height) }

// StarterURL is the public address of a drawn background under the front end's own, base.
func StarterURL(base string, p starter.Picture, thumbnail bool) string {
	size := StarterFull
	if thumbnail {
		size = StarterThumbnail
	}
	return base + StarterPath + StarterFile(p.ID, size)
}

// StarterKey is the blob of a drawn background at a size. It is made once and shared by all slideshows and listings; the
// version of the drawing code is in it.
func StarterKey(id string, s Size) string {
	return fmt.Sprintf("stock/starter/v%d/%s", deck.Version, StarterFile(id, s))
}

// StarterItem is a drawn background as an item; base is the front end's public address.
func StarterItem(base string, p starter.Picture) Item {
	return Item{
		ID: p.Number, Provider: ProviderStarter, ExternalID: p.ID, Kind: KindImage, MediaType: TypeImage,
		Title: p.Title, Description: p.Description, Tags: p.Tags, World: p.World,
		Width: StarterFull.Width, Height: StarterFull.Height, ContentType: starterType,
		URL: StarterURL(base, p, false), ThumbnailURL: StarterURL(base, p, true), Status: StatusReady,
	}
}
