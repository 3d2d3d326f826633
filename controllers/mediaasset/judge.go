// SPDX-License-Identifier: Apache-2.0

package mediaasset

import (
	"slices"
	"strings"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/media/intake"
	"github.com/reelops/reelops/internal/media/sniff"
)

// Kinds of media.
const (
	kindImage = "image"
	kindVideo = "video"
)

// judge determines the type of a file from its first bytes. It returns a Refusal if the type is not the declared one or
// does not suit the media type.
func judge(m *v1beta1.MediaAsset, head []byte) (intake.Kept, *intake.Refusal) {
	found := sniff.ContentType(head)
	kept := intake.Kept{ContentType: found, Kind: kindImage, Limit: catalog.MaxImageBytes, FetchTime: intake.ImageFetchTime}
	if slices.Contains(catalog.VideoContentTypes, found) {
		kept.Kind, kept.Limit, kept.FetchTime = kindVideo, catalog.MaxVideoBytes, intake.DefaultFetchTime
	}
	declared := m.Spec.ContentType
	switch {
	case found == "" && declared != "":
		return kept, mismatch("The file was declared as %s, but its type is not supported", declared)
	case found == "":
		return kept, intake.Refuse(catalog.UnsupportedMediaType, intake.ReasonUnreadable, "The type of the file is not one of the supported types: %s",
			strings.Join(slices.Concat(catalog.ImageContentTypes, catalog.VideoContentTypes), ", "))
	case declared != "" && !sniff.Agree(declared, found):
		return kept, mismatch("The file was declared as %s, but it is %s", declared, found)
	case m.Spec.MediaType == catalog.MediaAvatarVideo && kept.Kind != kindVideo:
		return kept, mismatch("The file is %s, but an %s must be a video", found, catalog.MediaAvatarVideo)
	case m.Spec.MediaType == catalog.MediaPackImage && kept.Kind != kindImage:
		return kept, mismatch("The file is %s, but a %s must be an image", found, catalog.MediaPackImage)
	}
	return kept, nil
}

func mismatch(format string, args ...any) *intake.Refusal {
	return intake.Refuse(catalog.ValidationFailed, intake.ReasonTypeMismatch, format, args...)
}
