// SPDX-License-Identifier: Apache-2.0

package catalog

// Content types of files that a user may bring.
var (
	ImageContentTypes = []string{"image/jpeg", "image/png", "image/webp", "image/gif", "image/heic", "image/heif"}
	VideoContentTypes = []string{"video/mp4", "video/webm", "video/quicktime"}
)

// What a file that a user brings is for.
const (
	MediaUserUpload  = "user_upload"
	MediaProductDemo = "product_demo"
	MediaAvatarVideo = "avatar_video"
)

// MediaTypes that can be given to a file.
var MediaTypes = []string{MediaUserUpload, MediaProductDemo, MediaAvatarVideo}

// Limits of a video made of an avatar clip and product demos.
const (
	// MinLoops, MaxLoops and UsualLoops say how often the sequence of demos is played.
	MinLoops, MaxLoops, UsualLoops = 1, 5, 1
	// MaxProductDemos bounds the demos of each kind, by id and by address.
	MaxProductDemos = 5
)
