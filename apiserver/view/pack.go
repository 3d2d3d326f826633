// SPDX-License-Identifier: Apache-2.0

package view

import (
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/content/imagery/starter"
)

// Pack is a set of images that belong together.
type Pack struct {
	ID               int64    `json:"id" example:"9" doc:"Value for image_source.media_pack_id."`
	Name             string   `json:"name" doc:"Display name."`
	Description      *string  `json:"description" doc:"Description of the pack."`
	ImageCount       int      `json:"image_count" doc:"Number of usable images."`
	PreviewImageURLs []string `json:"preview_image_urls" doc:"URLs of thumbnails of up to four images; they need no key. Those of files stored by this service are valid for 24 hours."`
	IsGlobal         bool     `json:"is_global" doc:"Whether all accounts share it."`
	Tags             []string `json:"tags" doc:"Tags of the pack."`
	CreatedAt        Time     `json:"created_at" doc:"When the pack was created."`
	UpdatedAt        Time     `json:"updated_at" doc:"When the pack last changed, not counting its images."`
}

// PackDetail is a pack with a page of its media.
type PackDetail struct {
	Pack
	Media []MediaItem `json:"media" doc:"Media of the pack, the newest first, also those that are not ready."`
}

// PackTitle returns the display name of a pack.
func PackTitle(p *v1beta1.MediaPack) string { return first(p.Spec.DisplayName, p.Name) }

// PackOf returns the view of a pack with the URLs of its previews.
func PackOf(id int64, p *v1beta1.MediaPack, global bool, previews []string) *Pack {
	out := &Pack{
		ID: id, Name: PackTitle(p), Description: nonEmpty(p.Spec.Description), ImageCount: int(p.Status.ImageCount), IsGlobal: global,
		PreviewImageURLs: append([]string{}, previews...), Tags: append([]string{}, p.Spec.Tags...),
		CreatedAt: Time{v1beta1.CreatedAt(p).Time}, UpdatedAt: Time{lastWritten(p).Time},
	}
	return out
}

// StarterPackOf returns the view of a pack of the starter set.
func StarterPackOf(p *starter.Pack, previews []string) *Pack {
	return &Pack{
		ID: p.ID, Name: p.Title, Description: nonEmpty(p.Description), ImageCount: len(p.Pictures), IsGlobal: true,
		PreviewImageURLs: append([]string{}, previews...), Tags: slices.Clone(p.Tags), CreatedAt: Time{starter.Released}, UpdatedAt: Time{starter.Released},
	}
}

// lastWritten returns the time of the latest write to an object, excluding subresources such as the status.
func lastWritten(o metav1.Object) metav1.Time {
	latest := v1beta1.CreatedAt(o)
	for _, m := range o.GetManagedFields() {
		if m.Time != nil && m.Subresource == "" && m.Time.After(latest.Time) {
			latest = *m.Time
		}
	}
	return latest
}
