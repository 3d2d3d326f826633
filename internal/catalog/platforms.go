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

// Posting modes.
const (
	// PostDirect publishes at once.
	PostDirect = "direct"
	// PostDraft stores the post where the user can still change it: in an inbox of drafts, or as a private upload.
	PostDraft = "draft"
)

// Media types of a post.
const (
	MediaVideo    = "video"
	MediaPhotoSet = "photo_set"
	// MediaAuto lets the service choose: the current video, or the slides of a short that was never rendered.
	MediaAuto = "auto"
)

// Units in which platforms measure texts.
const (
	UnitUTF16      = "utf16" // UTF-16 code units: most emoji count as two
	UnitCharacters = "characters"
	UnitBytes      = "bytes" // of UTF-8
)

// PlatformRule holds the limits of a platform. The platforms define the numbers and may change them.
type PlatformRule struct {
	Platform string
	// TitleMax is 0 if posts have no title: a title that is sent is ignored.
	TitleMax   int
	CaptionMax int
	// TitleUnit and CaptionUnit are the units of TitleMax and CaptionMax.
	TitleUnit, CaptionUnit   string
	PostingModes, MediaKinds []string
	// PhotoTitleOnly reports whether only photo sets have a title: one that is sent with a video is ignored.
	PhotoTitleOnly bool
	// TagsMax is the maximum length of the platform's list of tags, in characters including separators. It is 0 if
	// there is no such list, and tags become hashtags of the caption. MaxHashtags is the maximum number of hashtags; 0
	// for no limit.
	TagsMax, MaxHashtags int
	// StandIns are characters that the platform refuses in titles and captions, each followed by its replacement.
	StandIns []string
	// Escapes are characters that the platform counts as two characters of the caption, because they are sent escaped.
	Escapes string
	// PhotoCaptionMax and MaxPhotos are 0 if photo sets are not accepted.
	PhotoCaptionMax, MaxPhotos int
	MaxVideoSeconds            int
	MaxVideoBytes              int64
	// Cap is the posting limit of an account for which the platform does not report one.
	Cap PostCap
	// Settings that an author may choose for one post, in published order.
	Settings []PlatformSetting
	// Cover describes which covers the platform accepts.
	Cover CoverRule
	// CommentMax is the maximum length of a first comment, in CommentUnit; 0 if the platform has no API for comments.
	// None of the platforms documents a number for its current API. YouTube documents only the error
	// commentTextTooLong; its website accepts 10,000 characters. Instagram accepts 2,200 in its app; the 300
	// characters, 4 hashtags and 1 link that are still reported were rules of an API that it has shut down. LinkedIn
	// accepts 1,250 on its website; some tools report 3,000. If the reported numbers for the current API differ, the
	// stricter one is used. A platform with a lower limit refuses the comment, which never changes the state of the
	// post.
	CommentMax  int
	CommentUnit string
}

// PostCap is the number of posts that a platform accepts within a sliding window. 0 posts means that the limit is
// unknown.
type PostCap struct {
	Max    int
	Window time.Duration
	// AppWide reports whether all accounts of the installation share the limit; otherwise it applies per account.
	AppWide bool
}

// postWindow is the window of all known limits.
const postWindow = 24 * time.Hour

// PlatformRules lists the platforms in published order.
var PlatformRules = []PlatformRule{
	{
		Platform: TikTok, TitleMax: 90, PhotoTitleOnly: true, CaptionMax: 2200, TitleUnit: UnitUTF16, CaptionUnit: UnitUTF16, PostingModes: []string{PostDraft, PostDirect},
		MediaKinds: []string{MediaVideo, MediaPhotoSet}, PhotoCaptionMax: 4000, MaxPhotos: 35, MaxVideoSeconds: 600, MaxVideoBytes: 4 << 30,
		Cap: PostCap{Max: 15, Window: postWindow}, Settings: tiktokSettings, Cover: CoverRule{Offset: true, Photo: true}, CommentUnit: UnitCharacters,
	},
	{
		// Longer and larger videos need a verified channel; every channel may upload 15 minutes. YouTube does not
		// document whether titles are measured in characters or in UTF-16 units, so the stricter unit is used.
		Platform: YouTube, TitleMax: 100, CaptionMax: 5000, TitleUnit: UnitUTF16, CaptionUnit: UnitBytes, TagsMax: 500, PostingModes: []string{PostDirect, PostDraft},
		MediaKinds: []string{MediaVideo}, MaxVideoSeconds: 900, MaxVideoBytes: 256 << 30, StandIns: []string{"<", "‹", ">", "›"},
		Cap: PostCap{Max: 100, Window: postWindow, AppWide: true}, Settings: youtubeSettings,
		// 50 MB since September 2026, 2 MB before: an image within the older limit is always accepted.
		Cover: CoverRule{Image: true, MaxBytes: 2_000_000}, CommentMax: 10000, CommentUnit: UnitCharacters,
	},
	{
		Platform: Instagram, CaptionMax: 2200, TitleUnit: UnitCharacters, CaptionUnit: UnitCharacters, MaxHashtags: 30, PostingModes: []string{PostDirect},
		MediaKinds: []string{MediaVideo, MediaPhotoSet}, PhotoCaptionMax: 2200, MaxPhotos: 10, MaxVideoSeconds: 900, MaxVideoBytes: 300 << 20,
		Cap: PostCap{Max: 50, Window: postWindow}, Settings: instagramSettings, Cover: CoverRule{Offset: true, Image: true, MaxBytes: 8_000_000},
		CommentMax: 2200, CommentUnit: UnitCharacters,
	},
	{
		// A # at the start of a hashtag is not escaped, so it is not counted.
		Platform: LinkedIn, Escapes: "|{}@[]()<>\\*_~", TitleMax: 200, CaptionMax: 3000, TitleUnit: UnitCharacters,
		CaptionUnit: UnitCharacters, PostingModes: []string{PostDirect},
		MediaKinds: []string{MediaVideo, MediaPhotoSet}, PhotoCaptionMax: 3000, MaxPhotos: 20, MaxVideoSeconds: 1800, MaxVideoBytes: 500 << 20,
		Cap: PostCap{Max: 150, Window: postWindow}, Settings: linkedinSettings, Cover: CoverRule{Image: true, MaxBytes: 8_000_000},
		CommentMax: 1250, CommentUnit: UnitCharacters,
	},
}

// Platforms returns the names in published order.
func Platforms() []string {
	out := make([]string, len(PlatformRules))
	for i, r := range PlatformRules {
		out[i] = r.Platform
	}
	return out
}

// AnalyticsPlatforms returns the platforms that provide analytics of accounts and posts, in published order. LinkedIn
// provides them only to apps that were granted the corresponding product.
func AnalyticsPlatforms(linkedIn bool) []string {
	out := []string{TikTok, YouTube, Instagram}
	if linkedIn {
		out = append(out, LinkedIn)
	}
	return out
}

// RuleOf returns the rule of a platform, and reports whether there is one.
func RuleOf(platform string) (PlatformRule, bool) {
	for _, r := range PlatformRules {
		if r.Platform == platform {
			return r, true
		}
	}
	return PlatformRule{}, false
}

// Spell returns a text with the characters that the platform refuses replaced by their stand-ins, or removed if the
// text fits only without them. A text without such characters is returned unchanged.
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

// TitleMaxFor returns the maximum length of titles of posts of a media type; 0 if they have none.
func (r PlatformRule) TitleMaxFor(kind string) int {
	if r.PhotoTitleOnly && kind != MediaPhotoSet {
		return 0
	}
	return r.TitleMax
}

// CaptionMaxFor returns the maximum length of captions of posts of a media type.
func (r PlatformRule) CaptionMaxFor(kind string) int {
	if kind == MediaPhotoSet {
		return r.PhotoCaptionMax
	}
	return r.CaptionMax
}

// MaxTargets is the maximum number of accounts that one request or manifest posts to.
const MaxTargets = 50

// Limits on the scheduled time, relative to the time of the request.
const (
	MinScheduleLead  = 5 * time.Minute
	MaxScheduleAhead = 365 * 24 * time.Hour
	// MadeLate is the maximum delay between a batch's scheduled time and its creation. It covers the time of a request
	// for immediate posting. A batch created later is a restored backup or an old manifest, and is not published.
	MadeLate = 2 * time.Minute
)
