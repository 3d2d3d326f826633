// SPDX-License-Identifier: Apache-2.0

package catalog

import "time"

// Types of media items, in addition to those of user uploads.
const (
	MediaAIImage    = "ai_image"
	MediaStockImage = "stock_image"
	MediaStockVideo = "stock_video"
)

// ListedMediaTypes are all types that a media item can have, and by which a list can be filtered.
var ListedMediaTypes = []string{
	MediaUserUpload, MediaProductDemo, MediaAvatarVideo, MediaStockImage, MediaStockVideo, MediaPackImage, MediaAIImage,
}

// Sources of media lists.
const (
	LibraryOwn   = "own"
	LibraryPacks = "packs"
	LibraryStock = "stock"
)

// LibrarySources are the sources from which media can be listed.
var LibrarySources = []string{LibraryOwn, LibraryPacks, LibraryStock}

const (
	// MaxQueryCharacters is the maximum length of a search query.
	MaxQueryCharacters = 500
	// MaxListedPacks is the maximum length of the list of packs, which has no pages.
	MaxListedPacks = 500
	// MaxListedTracks is the maximum length of the list of background music, which has no pages.
	MaxListedTracks = 500
	// MaxPackPreviews is the maximum number of preview images of a pack.
	MaxPackPreviews = 4
)

// UploadURLValidity is the lifetime of the upload URL of a declared file.
const UploadURLValidity = 15 * time.Minute

// LibraryURLValidity is the lifetime of signed URLs of media, previews and music.
const LibraryURLValidity = 24 * time.Hour
