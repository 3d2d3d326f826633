// SPDX-License-Identifier: Apache-2.0

package catalog

import "time"

// Limits of content.
const (
	// MinSlides and MaxSlides are the limits on the slides of a slideshow; a slide count of 0 means automatic.
	MinSlides = 3
	MaxSlides = 12
	// DefaultSlideEstimate is the number of slides assumed when an automatic count must be priced or timed.
	DefaultSlideEstimate = 7
	// CreditsPerAIImage is the default price of one AI image.
	CreditsPerAIImage = 2
	// MaxCreditsPerAIImage is the maximum price that an installation may set.
	MaxCreditsPerAIImage = 10000
	// MaxContextCharacters is the maximum length of the context of a slideshow.
	MaxContextCharacters = 5000
	// MaxTitleCharacters is the maximum length of a title.
	MaxTitleCharacters = 200
	// MaxCaptionCharacters is the maximum length of a caption.
	MaxCaptionCharacters = 5000
	// MaxTags and MaxTagCharacters are the limits on the tags of a short.
	MaxTags          = 30
	MaxTagCharacters = 100
	// MaxMediaTags and MaxMediaTagCharacters are the limits on the tags of a media item.
	MaxMediaTags          = 30
	MaxMediaTagCharacters = 50
	// MaxImageBytes and MaxVideoBytes are the maximum sizes of user uploads.
	MaxImageBytes = 10 << 20
	MaxVideoBytes = 200 << 20
	// MaxImagePixels is the maximum size of an uploaded image: 50 megapixels, the resolution of current phones.
	MaxImagePixels = 50_000_000
	// ThumbnailWidth is the width of thumbnails in pixels; the height follows from the aspect ratio.
	ThumbnailWidth = 360
	// MaxBodyBytes is the maximum size of a request body.
	MaxBodyBytes = 1 << 20
	// MaxPerPage is the maximum page size of a list; a larger value is reduced to it.
	MaxPerPage = 50
	// UnlimitedSlideshows represents a plan without a limit, so that a client's arithmetic still works.
	UnlimitedSlideshows = 2147483647
)

// Kinds of jobs.
const (
	JobSlideshow = "slideshow_generation"
	JobRender    = "render"
	JobVideo     = "video_generation"
)

// Types of shorts.
const (
	ShortSlideshow = "SLIDESHOW"
	ShortUGC       = "UGC"
)

// PollAfter returns how long a client should wait between polls of a job of the kind.
func PollAfter(kind string) time.Duration {
	if kind == JobSlideshow {
		return 15 * time.Second
	}
	return 30 * time.Second
}

// RenderFormats that can be requested.
var RenderFormats = []string{"video"}

// ShortTypes that exist.
var ShortTypes = []string{ShortSlideshow, ShortUGC}

// ImageSources that can be requested.
var ImageSources = []string{"stock", "pack", "ai"}

// Deadlines of work.
const (
	// QueueDeadline is the maximum time without a worker.
	QueueDeadline = 30 * time.Minute
	// GenerationDeadline is the maximum time of the generation of a slideshow.
	GenerationDeadline = 10 * time.Minute
	// VoiceOverDeadline is the maximum time of the generation of a slideshow with a voice-over, which also waits for a
	// worker.
	VoiceOverDeadline = 20 * time.Minute
	// RenderDeadline is the maximum time of a render.
	RenderDeadline = 15 * time.Minute
	// VideoDeadline is the maximum time of the generation of a video, and of each attempt of its render.
	VideoDeadline = 20 * time.Minute
	// MaxAttempts is the maximum number of attempts: the first and two retries.
	MaxAttempts = 3
)

// PictureURLValidity is the lifetime of signed URLs of images and videos.
const PictureURLValidity = 7 * 24 * time.Hour
