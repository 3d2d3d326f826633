// SPDX-License-Identifier: Apache-2.0

package stock

import (
	"fmt"

	"github.com/reelops/reelops/internal/content/deck"
	"github.com/reelops/reelops/internal/content/imagery/starter"
)

// Size is the size of a rendered background in pixels.
type Size struct{ Width, Height int }

// The sizes of rendered backgrounds that are served without a key.
var (
	StarterFull      = Size{1080, 1920}
	StarterThumbnail = Size{360, 640}
)

// StarterPath is the path under which the front end serves rendered backgrounds.
const StarterPath = "/stock/starter/"

// starterType is the content type of stored backgrounds.
const starterType = "image/jpeg"

// StarterFile returns the last path segment of a background's address.
func StarterFile(id string, s Size) string { return fmt.Sprintf("%s-%dx%d.jpg", id, s.Width, s.Height) }

// StarterURL returns the public address of a rendered background. base is the front end's public address.
func StarterURL(base string, p starter.Picture, thumbnail bool) string {
	size := StarterFull
	if thumbnail {
		size = StarterThumbnail
	}
	return base + StarterPath + StarterFile(p.ID, size)
}

// StarterKey returns the blob key of a rendered background at a size. Slideshows and listings share the blob. The key
// contains the version of the rendering code.
func StarterKey(id string, s Size) string {
	return fmt.Sprintf("stock/starter/v%d/%s", deck.Version, StarterFile(id, s))
}

// StarterItem returns a rendered background as an item. base is the front end's public address.
func StarterItem(base string, p starter.Picture) Item {
	return Item{
		ID: p.Number, Provider: ProviderStarter, ExternalID: p.ID, Kind: KindImage, MediaType: TypeImage,
		Title: p.Title, Description: p.Description, Tags: p.Tags, World: p.World,
		Width: StarterFull.Width, Height: StarterFull.Height, ContentType: starterType,
		URL: StarterURL(base, p, false), ThumbnailURL: StarterURL(base, p, true), Status: StatusReady,
	}
}
