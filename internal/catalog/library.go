// SPDX-License-Identifier: Apache-2.0

package catalog

import "time"

// What a media item is, beyond what users bring.
const (
	MediaAIImage    = "ai_image"
	MediaStockImage = "stock_image"
	MediaStockVideo = "stock_video"
)

// ListedMediaTypes are all types that a media item can have, and that a list can be narrowed to.
var ListedMediaTypes = []string{
	MediaUserUpload, MediaProductDemo, MediaAvatarVideo, MediaStockImage, MediaStockVideo, MediaPackImage, MediaAIImage,
}

// Where media are listed from.
const (
	LibraryOwn   = "own"
	LibraryPacks = "packs"
	LibraryStock = "stock"
)

// LibrarySources are the places that media can be listed from.
var LibrarySources = []string{LibraryOwn, LibraryPacks, LibraryStock}

const (
	// MaxQueryCharacters bounds what is searched for.
	MaxQueryCharacters = 500
	// MaxListedPacks bounds the list of packs, which has no pages.
	MaxListedPacks = 500
	// MaxListedTracks bounds the list of background music, which has no pages.
	MaxListedTracks = 500
	// MaxPackPreviews bounds the pictures that a pack is shown by.
	MaxPackPreviews = 4
)

// UploadURLValidity is how long the address works to which a declared file is uploaded.
const UploadURLValidity = 15 * time.Minute

// LibraryURLValidity is how long signed addresses of media, previews and music work.
const LibraryURLValidity = 24 * time.Hour
