// SPDX-License-Identifier: Apache-2.0

package catalog

import "time"

// Content types of files that a user may upload.
var (
	ImageContentTypes = []string{"image/jpeg", "image/png", "image/webp", "image/gif", "image/heic", "image/heif"}
	VideoContentTypes = []string{"video/mp4", "video/webm", "video/quicktime"}
)

// Purposes of uploaded files.
const (
	MediaUserUpload  = "user_upload"
	MediaProductDemo = "product_demo"
	MediaAvatarVideo = "avatar_video"
	// MediaPackImage is set by manifests, and for uploads that join a pack.
	MediaPackImage = "pack_image"
)

// MediaTypes that can be assigned to a file.
var MediaTypes = []string{MediaUserUpload, MediaProductDemo, MediaAvatarVideo}

// Limits of a video with an avatar clip and product demos.
const (
	// MinLoops is the smallest number of times that the sequence of demos is played.
	MinLoops = 1
	// MaxLoops is the largest number of times that the sequence of demos is played.
	MaxLoops = 5
	// UsualLoops is the default number of times that the sequence of demos is played.
	UsualLoops = 1
	// MaxProductDemos is the maximum number of demos of each kind, by ID and by URL.
	MaxProductDemos = 5
	// MaxDemos is the maximum number of demos of all kinds together.
	MaxDemos = 10
	// MaxClipSecond is the last second of a clip at which a demo can begin or end.
	MaxClipSecond = 600
	// MaxClipTextCharacters is the maximum length of the text over a demo.
	MaxClipTextCharacters = 200
	// MaxCallToActionCharacters is the maximum length of the text on the button of a demo.
	MaxCallToActionCharacters = 60
	// MaxHookCharacters is the maximum length of the avatar's text.
	MaxHookCharacters = 300
	// MinFilmClip is the minimum length of a clip in such a video.
	MinFilmClip = 500 * time.Millisecond
	// SpokenTextX is the default horizontal center of the subtitles, in percent of the width.
	SpokenTextX = 50.0
	// SpokenTextY is the default vertical center of the subtitles, in percent of the height.
	SpokenTextY = 30.0
)

// FitAuto lets the service choose how a clip fills the frame.
const FitAuto = "auto"

// ClipFits are the ways in which a clip fills the frame.
var ClipFits = []string{FitAuto, "cover", "contain"}

// AvatarLayouts are the layouts of the avatar.
var AvatarLayouts = []string{"full_screen", "picture_in_picture"}

// Limits of uploaded clips and tracks, in addition to their size.
const (
	// MaxClipDuration is the maximum length of a clip.
	MaxClipDuration = 30 * time.Minute
	// MaxClipPixels and MaxClipSide are the maximum frame size: 4096 x 4096, or another shape with the same area.
	MaxClipPixels = 4096 * 4096
	MaxClipSide   = 8192
	// MaxClipFrameRate is the maximum number of frames per second, MaxClipFrames the maximum number of frames in total.
	MaxClipFrameRate = 240
	MaxClipFrames    = 250_000
	// MaxMediaTracks is the maximum number of streams of a file: video, audio, subtitles and data.
	MaxMediaTracks = 8
	// MaxTrackDuration is the maximum length of a piece of music.
	MaxTrackDuration = 15 * time.Minute
	// MaxTrackBytes is the maximum size of a piece of music: a quarter of an hour of uncompressed audio.
	MaxTrackBytes = MaxVideoBytes
	// MediaDeadline is the maximum time of the probing of one file, or of the creation of one item of the starter set.
	MediaDeadline = 5 * time.Minute
)
