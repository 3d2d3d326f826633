// SPDX-License-Identifier: Apache-2.0

package catalog

// TikTokPrivacyLevels are all audiences of TikTok. The creator's account determines which of them it may choose (see
// creator in the list of connections).
var TikTokPrivacyLevels = []string{"PUBLIC_TO_EVERYONE", "FOLLOWER_OF_CREATOR", "MUTUAL_FOLLOW_FRIENDS", TikTokSelfOnly}

// TikTokSelfOnly shows a post only to its author.
const TikTokSelfOnly = "SELF_ONLY"

// YouTubePrivacies are the audiences of a video on YouTube.
var YouTubePrivacies = []string{"public", "unlisted", YouTubePrivate}

// YouTubePrivate shows a video only to its channel.
const YouTubePrivate = "private"

// LinkedInVisibilities are the audiences of a post on LinkedIn.
var LinkedInVisibilities = []string{"public", LinkedInConnections}

// LinkedInConnections shows a post only to the member's connections. Pages have none.
const LinkedInConnections = "connections"

// LinkedInPage is the account type of a page on LinkedIn.
const LinkedInPage = "page"

// MaxCoverOffsetMillis is the maximum offset of the frame that becomes the cover of a video.
const MaxCoverOffsetMillis = 3_600_000

// Types of platform settings.
const (
	SettingEnum    = "enum"
	SettingBoolean = "boolean"
	SettingInteger = "integer"
	SettingText    = "text"
)

// PlatformSetting is a setting that an author may choose for one post on a platform, besides its texts.
type PlatformSetting struct {
	// Name of the field below the platform's own in platform_customizations, with dots between levels.
	Name string
	Type string
	// Values that an enum accepts.
	Values []string
	// Max of an integer; 0 for no limit.
	Max int
	// Default as text; empty if the platform or the account decides.
	Default string
}

// CoverRule describes which covers a platform accepts. If none, the platform chooses the cover itself.
type CoverRule struct {
	// Offset reports whether a frame of the video can be chosen, Image whether an image can, and Photo whether a photo
	// of a set can.
	Offset, Image, Photo bool
	// MaxBytes of an image, as JPEG.
	MaxBytes int64
}

var (
	tiktokSettings = []PlatformSetting{
		{Name: "privacy_level", Type: SettingEnum, Values: TikTokPrivacyLevels},
		{Name: "allow_comment", Type: SettingBoolean, Default: "true"},
		{Name: "allow_duet", Type: SettingBoolean, Default: "true"},
		{Name: "allow_stitch", Type: SettingBoolean, Default: "true"},
		{Name: "commercial.your_brand", Type: SettingBoolean, Default: "false"},
		{Name: "commercial.branded_content", Type: SettingBoolean, Default: "false"},
		{Name: "ai_generated", Type: SettingBoolean, Default: "false"},
	}
	youtubeSettings = []PlatformSetting{
		{Name: "privacy", Type: SettingEnum, Values: YouTubePrivacies, Default: "public"},
		{Name: "notify_subscribers", Type: SettingBoolean, Default: "true"},
		{Name: "made_for_kids", Type: SettingBoolean, Default: "false"},
		{Name: "synthetic_media", Type: SettingBoolean},
		{Name: "category", Type: SettingText},
	}
	instagramSettings = []PlatformSetting{
		{Name: "share_to_feed", Type: SettingBoolean, Default: "true"},
		{Name: "cover_offset_ms", Type: SettingInteger, Max: MaxCoverOffsetMillis},
	}
	linkedinSettings = []PlatformSetting{
		{Name: "visibility", Type: SettingEnum, Values: LinkedInVisibilities, Default: "public"},
	}
)
