// SPDX-License-Identifier: Apache-2.0

package catalog

import "time"

// Platforms that content can be published to.
const (
	TikTok    = "tiktok"
	YouTube   = "youtube"
	Instagram = "instagram"
	LinkedIn  = "linkedin"
)

// How a post reaches a platform.
const (
	// PostDirect publishes at once.
	PostDirect = "direct"
	// PostDraft leaves it where a person can still change it: an inbox of drafts, or a private upload.
	PostDraft = "draft"
)

// What a post can consist of.
const (
	MediaVideo    = "video"
	MediaPhotoSet = "photo_set"
)

// Units in which platforms measure texts.
const (
	UnitUTF16      = "utf16" // UTF-16 code units: most emoji count as two
	UnitCharacters = "characters"
	UnitBytes      = "bytes" // of UTF-8
)

// PlatformRule is what a platform accepts. The numbers are the platforms' own and change with them.
type PlatformRule struct {
	Platform string
	// TitleMax is 0 where posts have no title: one that is sent is ignored.
	TitleMax   int
	CaptionMax int
	// CaptionUnit measures titles and captions.
	CaptionUnit              string
	PostingModes, MediaKinds []string
	// PhotoCaptionMax and MaxPhotos are 0 where photo sets are not accepted.
	PhotoCaptionMax, MaxPhotos int
	MaxVideoSeconds            int
	MaxVideoBytes              int64
	// Cap is how many posts it takes where it does not tell itself.
	Cap PostCap
}

// PostCap is how many posts a platform takes within a moving window. 0 posts means that none is known.
type PostCap struct {
	Max    int
	Window time.Duration
	// AppWide says that all accounts of the installation share it; else it is one account's.
	AppWide bool
}

// postWindow is the window of all caps that are known.
const postWindow = 24 * time.Hour

// PlatformRules lists the platforms in published order.
var PlatformRules = []PlatformRule{
	{
		Platform: TikTok, TitleMax: 90, CaptionMax: 2200, CaptionUnit: UnitUTF16, PostingModes: []string{PostDraft, PostDirect},
		MediaKinds: []string{MediaVideo, MediaPhotoSet}, PhotoCaptionMax: 4000, MaxPhotos: 35, MaxVideoSeconds: 600, MaxVideoBytes: 4 << 30,
		Cap: PostCap{Max: 15, Window: postWindow},
	},
	{
		// Longer and larger films need a channel that was verified; a quarter of an hour every channel may upload.
		Platform: YouTube, TitleMax: 100, CaptionMax: 5000, CaptionUnit: UnitBytes, PostingModes: []string{PostDirect, PostDraft},
		MediaKinds: []string{MediaVideo}, MaxVideoSeconds: 900, MaxVideoBytes: 256 << 30,
		Cap: PostCap{Max: 100, Window: postWindow, AppWide: true},
	},
	{
		Platform: Instagram, CaptionMax: 2200, CaptionUnit: UnitCharacters, PostingModes: []string{PostDirect},
		MediaKinds: []string{MediaVideo, MediaPhotoSet}, PhotoCaptionMax: 2200, MaxPhotos: 10, MaxVideoSeconds: 900, MaxVideoBytes: 300 << 20,
		Cap: PostCap{Max: 50, Window: postWindow},
	},
	{
		Platform: LinkedIn, TitleMax: 200, CaptionMax: 3000, CaptionUnit: UnitCharacters, PostingModes: []string{PostDirect},
		MediaKinds: []string{MediaVideo, MediaPhotoSet}, PhotoCaptionMax: 3000, MaxPhotos: 20, MaxVideoSeconds: 1800, MaxVideoBytes: 500 << 20,
		Cap: PostCap{Max: 150, Window: postWindow},
	},
}

// Platforms lists the names in published order.
func Platforms() []string {
	out := make([]string, len(PlatformRules))
	for i, r := range PlatformRules {
		out[i] = r.Platform
	}
	return out
}

// RuleOf is the rule of a platform, and whether there is one.
func RuleOf(platform string) (PlatformRule, bool) {
	for _, r := range PlatformRules {
		if r.Platform == platform {
			return r, true
		}
	}
	return PlatformRule{}, false
}

// When a post may be scheduled, counted from the time of asking.
const (
	MinScheduleLead  = 5 * time.Minute
	MaxScheduleAhead = 365 * 24 * time.Hour
)
