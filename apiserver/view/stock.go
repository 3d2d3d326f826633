// SPDX-License-Identifier: Apache-2.0

package view

import (
	"slices"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/content/imagery/starter"
	"github.com/reelops/reelops/internal/content/stock"
)

// StockOf returns the view of a stock item. URLs of stored files are signed; a provider's files are linked.
func StockOf(i stock.Item, sign Signer) (*MediaItem, error) {
	out := &MediaItem{
		ID: i.ID, Title: nonEmpty(i.Title), MediaType: MediaTypeName(i.MediaType), Kind: i.Kind, Source: catalog.LibraryStock,
		ContentType: i.ContentType, URL: nonEmpty(i.URL), ThumbnailURL: nonEmpty(i.ThumbnailURL), Width: pixels(i.Width), Height: pixels(i.Height),
		DurationSeconds: seconds(i.Duration), Tags: append([]string{}, i.Tags...), Description: nonEmpty(i.Description),
		Attribution: AttributionOf(i.Attribution), Status: i.Status,
	}
	if i.Bytes != 0 {
		out.ByteSize = &i.Bytes
	}
	var err error
	if out.URL == nil {
		if out.URL, err = signed(sign, i.BlobKey); err != nil {
			return nil, err
		}
	}
	if out.ThumbnailURL == nil {
		out.ThumbnailURL, err = signed(sign, i.ThumbnailKey)
	}
	return out, err
}

// StarterPictureOf returns the view of a starter image as an item of its pack. base is the public address.
func StarterPictureOf(base string, p starter.Picture, pack int64) *MediaItem {
	out, _ := StockOf(stock.StarterItem(base, p), nil) // the item has URLs, so no signer is needed
	out.MediaType, out.Source, out.MediaPackID = catalog.MediaPackImage, catalog.LibraryPacks, &pack
	return out
}

// StockItem converts an item of the library namespace to a stock item.
func StockItem(id int64, a *v1beta1.MediaAsset) stock.Item {
	out := stock.Item{
		ID: id, Provider: stock.ProviderLibrary, ExternalID: a.Name, Kind: mediaKind(a), MediaType: stock.TypeImage,
		Title: a.Spec.Title, Description: a.Spec.Description, Tags: slices.Clone(a.Spec.Tags),
		BlobKey: a.Status.BlobKey, ThumbnailKey: a.Status.ThumbnailKey, Attribution: a.Spec.Attribution, Status: MediaStatus(a),
	}
	if p := a.Status.Probe; p != nil {
		out.Width, out.Height, out.ContentType, out.Bytes = int(p.Width), int(p.Height), p.ContentType, p.Bytes
		out.Duration = float64(p.DurationMilliseconds) / 1000
	}
	switch {
	case a.Spec.MediaType == catalog.MediaAvatarVideo:
		out.MediaType = stock.TypeAvatar
	case out.Kind == KindVideo:
		out.MediaType = stock.TypeVideo
	}
	return out
}
