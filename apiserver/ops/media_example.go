// SPDX-License-Identifier: Apache-2.0

package ops

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/apiserver/view"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/content/imagery/starter"
	"github.com/reelops/reelops/internal/content/stock"
)

const exampleBase = "https://reelops.example"

func exampleSign(key string, _ time.Duration) (string, error) {
	return exampleBase + "/blobs/" + key + "?signature=...", nil
}

var exampleAsset = &v1beta1.MediaAsset{
	ObjectMeta: metav1.ObjectMeta{Name: "media-42", CreationTimestamp: metav1.NewTime(exampleTime.Time)},
	Spec: v1beta1.MediaAssetSpec{
		MediaType: catalog.MediaProductDemo, Title: "Unboxing", Tags: []string{"desk", "product"}, ContentType: "video/mp4",
	},
	Status: v1beta1.MediaAssetStatus{
		BlobKey: "media/acme/42/file.mp4", ThumbnailKey: "media/acme/42/thumbnail.jpg",
		Probe: &v1beta1.MediaProbe{Kind: view.KindVideo, ContentType: "video/mp4", Bytes: 8_388_608, Width: 1080, Height: 1920, DurationMilliseconds: 12_400, FrameRate: 30},
	},
}

// exampleMediaItem is an ingested clip.
func exampleMediaItem() any {
	item, err := view.MediaOf(42, exampleAsset, catalog.LibraryOwn, 0, exampleSign)
	if err != nil {
		panic(err) // signing an example does not fail
	}
	return item
}

func exampleMedia() any { return []any{exampleMediaItem()} }

// exampleOwnPack is a pack of the brand with one image.
func exampleOwnPack() *view.Pack {
	description := "Light and mist."
	return &view.Pack{
		ID: 9, Name: "Calm mornings", Description: &description, ImageCount: 1, Tags: []string{"calm"},
		PreviewImageURLs: []string{exampleBase + "/blobs/media/acme/41/thumbnail.jpg?signature=..."}, CreatedAt: exampleTime, UpdatedAt: exampleTime,
	}
}

func examplePacks() any { return []any{examplePack()} }

func examplePack() *view.Pack {
	pack := starter.Packs()[0]
	var previews []string
	for _, p := range pack.Pictures[:catalog.MaxPackPreviews] {
		previews = append(previews, stock.StarterURL(exampleBase, p, true))
	}
	return view.StarterPackOf(&pack, previews)
}
