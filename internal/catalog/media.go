// SPDX-License-Identifier: Apache-2.0

package catalog

import "time"

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
	// MediaPackImage is given by manifests, and to uploads that join a pack.
	MediaPackImage = "pack_image"
)

// MediaTypes that can be given to a file.
var MediaTypes = []string{MediaUserUpload, MediaProductDemo, MediaAvatarVideo}

// Limits of a video made of an avatar clip and product demos.
const (
	// MinLoops is the smallest number of times that the sequence of demos is played.
	MinLoops = 1
	// MaxLoops is the largest number of times that the sequence of demos is played.
	MaxLoops = 5
	// UsualLoops is the default number of times that the sequence of demos is played.
	UsualLoops = 1
	// MaxProductDemos bounds the demos of each kind, by id and by address.
	MaxProductDemos = 5
	// MaxDemos bounds the demos of every kind together.
	MaxDemos = 10
	// MaxClipSecond is the last second of a clip at which a demo can begin or end.
	MaxClipSecond = 600
	// MaxClipTextCharacters is the maximum length of the text over a demo.
	MaxClipTextCharacters = 200
	// MaxCallToActionCharacters is the maximum length of the text on the button of a demo.
	MaxCallToActionCharacters = 60
	// MaxHookCharacters bounds what the avatar says.
	MaxHookCharacters = 300
	// MinFilmClip is the shortest clip that can be part of it.
	MinFilmClip = 500 * time.Millisecond
	// SpokenTextX is the default horizontal center of the spoken words, in percent of the width.
	SpokenTextX = 50.0
	// SpokenTextY is the default vertical center of the spoken words, in percent of the height.
	SpokenTextY = 30.0
)

// FitAuto leaves it to the service how a clip fills the frame.
const FitAuto = "auto"

// ClipFits are the ways in which a clip fills the frame.
var ClipFits = []string{FitAuto, "cover", "contain"}

// AvatarLayouts are the places of the avatar.
var AvatarLayouts = []string{"full_screen", "picture_in_picture"}

// Limits of clips and tracks that a user brings, beside their size.
const (
	// MaxClipDuration bounds the length of a clip.
	MaxClipDuration = 30 * time.Minute
	// MaxClipPixels and MaxClipSide bound its picture: 4096 x 4096, and what is as large but longer.
	MaxClipPixels = 4096 * 4096
	MaxClipSide   = 8192
	// MaxClipFrameRate bounds its pictures in a second, MaxClipFrames all of them.
	MaxClipFrameRate = 240
	MaxClipFrames    = 250_000
	// MaxMediaTracks bounds the streams of a file: pictures, sound, subtitles and data.
	MaxMediaTracks = 8
	// MaxTrackDuration bounds the length of a piece of music.
	MaxTrackDuration = 15 * time.Minute
	// MaxTrackBytes bounds the size of a piece of music: a quarter of an hour of uncompressed sound.
	MaxTrackBytes = MaxVideoBytes
	// MediaDeadline ends the looking at one file, or the making of one item of the starter set.
	MediaDeadline = 5 * time.Minute
)
