// SPDX-License-Identifier: Apache-2.0

package catalog

import "time"

// Limits of content.
const (
	// MinSlides and MaxSlides bound a slideshow; a slide count of 0 means automatic.
	MinSlides = 3
	MaxSlides = 12
	// DefaultSlideEstimate is assumed where an automatic count has to be priced or timed.
	DefaultSlideEstimate = 7
	// CreditsPerAIImage is what one AI picture costs where the installation sets no other price.
	CreditsPerAIImage = 2
	// MaxCreditsPerAIImage bounds the price that an installation may set.
	MaxCreditsPerAIImage = 10000
	// MaxContextCharacters bounds the context of a slideshow.
	MaxContextCharacters = 5000
	// MaxTitleCharacters bounds a title.
	MaxTitleCharacters = 200
	// MaxCaptionCharacters bounds a caption.
	MaxCaptionCharacters = 5000
	// MaxTags and MaxTagCharacters bound the tags of a short.
	MaxTags          = 30
	MaxTagCharacters = 100
	// MaxMediaTags and MaxMediaTagCharacters bound the tags of a media item.
	MaxMediaTags          = 30
	MaxMediaTagCharacters = 50
	// MaxImageBytes and MaxVideoBytes bound what a user brings.
	MaxImageBytes = 10 << 20
	MaxVideoBytes = 200 << 20
	// MaxImagePixels bounds a picture that is brought: 50 megapixels, what phones make today.
	MaxImagePixels = 50_000_000
	// ThumbnailWidth is how wide thumbnails are made, in pixels; the height follows from the aspect ratio.
	ThumbnailWidth = 360
	// MaxBodyBytes bounds the body of a request.
	MaxBodyBytes = 1 << 20
	// MaxPerPage bounds a page of a list; more is read as this.
	MaxPerPage = 50
	// UnlimitedSlideshows stands for a plan without a limit, so that a client's arithmetic still works.
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

// PollAfter is how long a client should wait between polls of a job of the kind.
func PollAfter(kind string) time.Duration {
	if kind == JobSlideshow {
		return 15 * time.Second
	}
	return 30 * time.Second
}

// RenderFormats that can be asked for.
var RenderFormats = []string{"video"}

// ShortTypes that exist.
var ShortTypes = []string{ShortSlideshow, ShortUGC}

// ImageSources that can be asked for.
var ImageSources = []string{"stock", "pack", "ai"}

// How long work may take.
const (
	// QueueDeadline ends work that found no worker.
	QueueDeadline = 30 * time.Minute
	// GenerationDeadline ends the generation of a slideshow.
	GenerationDeadline = 10 * time.Minute
	// VoiceOverDeadline ends the generation of a slideshow with a voice-over, which waits for a worker as well.
	VoiceOverDeadline = 20 * time.Minute
	// RenderDeadline ends a render.
	RenderDeadline = 15 * time.Minute
	// VideoDeadline ends the making of a video, and each attempt of its render.
	VideoDeadline = 20 * time.Minute
	// MaxAttempts of a piece of work: the first and two more.
	MaxAttempts = 3
)

// PictureURLValidity is how long signed picture and film addresses work.
const PictureURLValidity = 7 * 24 * time.Hour
