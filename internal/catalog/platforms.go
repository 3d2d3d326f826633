// SPDX-License-Identifier: Apache-2.0

package catalog

import (
	"strings"
	"time"
)

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
	// MediaAuto leaves the choice to the service: the current video, or the slides of a short that was never rendered.
	MediaAuto = "auto"
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
	// TitleUnit and CaptionUnit measure them.
	TitleUnit, CaptionUnit   string
	PostingModes, MediaKinds []string
	// PhotoTitleOnly says that a video has no title: one that is sent with it is ignored.
	PhotoTitleOnly bool
	// TagsMax bounds the platform's own list of tags, in characters with what separates them; 0 where it has none, and tags become
	// hashtags of the caption. MaxHashtags bounds those; 0 for no bound.
	TagsMax, MaxHashtags int
	// StandIns are characters that the platform refuses in titles and captions, each followed by the one that takes its place.
	StandIns []string
	// Escapes are characters that take two characters of the caption as the platform counts it, because they are sent escaped.
	Escapes string
	// PhotoCaptionMax and MaxPhotos are 0 where photo sets are not accepted.
	PhotoCaptionMax, MaxPhotos int
	MaxVideoSeconds            int
	MaxVideoBytes              int64
	// Cap is how many posts it takes where it does not tell itself.
	Cap PostCap
	// Settings that an author may choose for one post, in published order.
	Settings []PlatformSetting
	// Cover is how it takes a cover.
	Cover CoverRule
	// CommentMax bounds a first comment, in CommentUnit; 0 where the platform has no API for comments. None of the platforms documents
	// a number for its current API. YouTube documents the error commentTextTooLong alone; its site takes 10,000 characters. Instagram
	// takes 2,200 in its app; the 300 characters, 4 hashtags and 1 link that are still reported were rules of an API that it has shut
	// down. LinkedIn takes 1,250 in its site; some tools report 3,000. Where the reported numbers for the current API differ, the
	// stricter one holds. A platform that takes less refuses the comment, which never changes the state of the post.
	CommentMax  int
	CommentUnit string
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
		Platform: TikTok, TitleMax: 90, PhotoTitleOnly: true, CaptionMax: 2200, TitleUnit: UnitUTF16, CaptionUnit: UnitUTF16, PostingModes: []string{PostDraft, PostDirect},
		MediaKinds: []string{MediaVideo, MediaPhotoSet}, PhotoCaptionMax: 4000, MaxPhotos: 35, MaxVideoSeconds: 600, MaxVideoBytes: 4 << 30,
		Cap: PostCap{Max: 15, Window: postWindow}, Settings: tiktokSettings, Cover: CoverRule{Offset: true, Photo: true}, CommentUnit: UnitCharacters,
	},
	{
		// Longer and larger films need a channel that was verified; a quarter of an hour every channel may upload.
		// Whether its title is counted in characters or in UTF-16 units is not documented: the stricter one holds.
		Platform: YouTube, TitleMax: 100, CaptionMax: 5000, TitleUnit: UnitUTF16, CaptionUnit: UnitBytes, TagsMax: 500, PostingModes: []string{PostDirect, PostDraft},
		MediaKinds: []string{MediaVideo}, MaxVideoSeconds: 900, MaxVideoBytes: 256 << 30, StandIns: []string{"<", "‹", ">", "›"},
		Cap: PostCap{Max: 100, Window: postWindow, AppWide: true}, Settings: youtubeSettings,
		// Fifty megabytes since September 2026, two before: an image within the older limit is taken either way.
		Cover: CoverRule{Image: true, MaxBytes: 2_000_000}, CommentMax: 10000, CommentUnit: UnitCharacters,
	},
	{
		Platform: Instagram, CaptionMax: 2200, TitleUnit: UnitCharacters, CaptionUnit: UnitCharacters, MaxHashtags: 30, PostingModes: []string{PostDirect},
		MediaKinds: []string{MediaVideo, MediaPhotoSet}, PhotoCaptionMax: 2200, MaxPhotos: 10, MaxVideoSeconds: 900, MaxVideoBytes: 300 << 20,
		Cap: PostCap{Max: 50, Window: postWindow}, Settings: instagramSettings, Cover: CoverRule{Offset: true, Image: true, MaxBytes: 8_000_000},
		CommentMax: 2200, CommentUnit: UnitCharacters,
	},
	{
		// A # that begins a hashtag is not escaped, so none is counted.
		Platform: LinkedIn, Escapes: "|{}@[]()<>\\*_~", TitleMax: 200, CaptionMax: 3000, TitleUnit: UnitCharacters,
		CaptionUnit: UnitCharacters, PostingModes: []string{PostDirect},
		MediaKinds: []string{MediaVideo, MediaPhotoSet}, PhotoCaptionMax: 3000, MaxPhotos: 20, MaxVideoSeconds: 1800, MaxVideoBytes: 500 << 20,
		Cap: PostCap{Max: 150, Window: postWindow}, Settings: linkedinSettings, Cover: CoverRule{Image: true, MaxBytes: 8_000_000},
		CommentMax: 1250, CommentUnit: UnitCharacters,
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

// AnalyticsPlatforms lists those that tell numbers of accounts and posts, in published order. LinkedIn does so to apps that were
// given the product for it alone.
func AnalyticsPlatforms(linkedIn bool) []string {
	out := []string{TikTok, YouTube, Instagram}
	if linkedIn {
		out = append(out, LinkedIn)
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

// Spell is a text as the platform takes it: with stand-ins for the characters that it refuses, or without those where the text fits
// only so. A text that has none of them is left as it is.
func (r PlatformRule) Spell(text string, fits func(string) bool) string {
	out := strings.NewReplacer(r.StandIns...).Replace(text)
	if out == text || fits(out) {
		return out
	}
	var none []string
	for i := 0; i < len(r.StandIns); i += 2 {
		none = append(none, r.StandIns[i], "")
	}
	return strings.NewReplacer(none...).Replace(text)
}

// TitleMaxFor is the cap on titles of posts of a media kind; 0 where they have none.
func (r PlatformRule) TitleMaxFor(kind string) int {
	if r.PhotoTitleOnly && kind != MediaPhotoSet {
		return 0
	}
	return r.TitleMax
}

// CaptionMaxFor is the cap on captions of posts of a media kind.
func (r PlatformRule) CaptionMaxFor(kind string) int {
	if kind == MediaPhotoSet {
		return r.PhotoCaptionMax
	}
	return r.CaptionMax
}

// MaxTargets bounds the accounts that one request or manifest posts to.
const MaxTargets = 50

// When a post may be scheduled, counted from the time of asking.
const (
	MinScheduleLead  = 5 * time.Minute
	MaxScheduleAhead = 365 * 24 * time.Hour
	// MadeLate is how long after its time a batch may be made and still go out: the time that a request for posting at once
	// takes. One that is made later is a restored backup or an old manifest.
	MadeLate = 2 * time.Minute
)
