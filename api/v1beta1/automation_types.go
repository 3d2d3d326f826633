// SPDX-License-Identifier: Apache-2.0

package v1beta1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// CatchUpPolicy is the rule for slots that passed their starting deadline, for example during an outage.
// +kubebuilder:validation:Enum=Skip;LatestOnce
type CatchUpPolicy string

// Catch-up policies.
const (
	// CatchUpSkip starts none of them.
	CatchUpSkip CatchUpPolicy = "Skip"
	// CatchUpLatestOnce starts the latest of them, once.
	CatchUpLatestOnce CatchUpPolicy = "LatestOnce"
)

// ConcurrencyPolicy is the rule for a slot that starts while an earlier run of the automation creates its short or waits
// for an approval.
// +kubebuilder:validation:Enum=Forbid;Allow
type ConcurrencyPolicy string

// Concurrency policies.
const (
	// ConcurrencyForbid starts the slot later, and skips it if its time comes first.
	ConcurrencyForbid ConcurrencyPolicy = "Forbid"
	// ConcurrencyAllow starts the slot.
	ConcurrencyAllow ConcurrencyPolicy = "Allow"
)

// Approval rules of an automation.
const (
	// AutomationApprovalInherit holds posts if the brand requires an approval.
	AutomationApprovalInherit = "Inherit"
	// AutomationApprovalAlways holds the posts of every run.
	AutomationApprovalAlways = "Always"
)

// Rules for posts that are not approved at their time.
const (
	// ApprovalTimeoutSkip cancels the posts.
	ApprovalTimeoutSkip = "Skip"
	// ApprovalTimeoutHold leaves the posts as drafts.
	ApprovalTimeoutHold = "Hold"
)

// Prompt is one item of a list of prompts.
type Prompt struct {
	// Text of the prompt: the value of {{item.title}} in the template.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=2000
	Text string `json:"text"`
}

// PromptsSource takes the items from a list in the spec.
type PromptsSource struct {
	// Items of the list. At most 500.
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=500
	// +listType=atomic
	Items []Prompt `json:"items"`
	// Order is Sequential (as listed) or Shuffled (all items once in a random order, then again in another). Default
	// Sequential.
	// +optional
	// +kubebuilder:default=Sequential
	// +kubebuilder:validation:Enum=Sequential;Shuffled
	Order string `json:"order,omitempty"`
	// OnExhausted is Repeat (start again after the last item) or Stop (start no more runs). Default Repeat.
	// +optional
	// +kubebuilder:default=Repeat
	// +kubebuilder:validation:Enum=Repeat;Stop
	OnExhausted string `json:"onExhausted,omitempty"`
}

// FeedSource takes the newest unused item of an RSS, Atom or JSON feed.
type FeedSource struct {
	// URL of the feed: https, or http where the installation allows it.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=2000
	// +kubebuilder:validation:XValidation:rule="isURL(self) && (self.startsWith('https://') || self.startsWith('http://'))",message="url must be a URL such as https://example.com/feed.xml"
	URL string `json:"url"`
	// Include are words, phrases or /patterns/ (RE2). Only items whose title or summary matches one of them are used.
	// Absent: all items.
	// +optional
	// +kubebuilder:validation:MaxItems=50
	// +kubebuilder:validation:items:MinLength=1
	// +kubebuilder:validation:items:MaxLength=200
	// +listType=atomic
	Include []string `json:"include,omitempty"`
	// Exclude are words, phrases or /patterns/ (RE2). Items whose title or summary matches one of them are not used.
	// +optional
	// +kubebuilder:validation:MaxItems=50
	// +kubebuilder:validation:items:MinLength=1
	// +kubebuilder:validation:items:MaxLength=200
	// +listType=atomic
	Exclude []string `json:"exclude,omitempty"`
	// MaxAgeHours is the maximum age of an item in hours, at most a year. With a maximum, items without a date are not
	// used. Absent: any age.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=8784
	MaxAgeHours *int32 `json:"maxAgeHours,omitempty"`
}

// QueueSource takes shorts that exist: Slideshows and Videos of the brand with matching labels, the oldest first. Each is
// used once. A used short has the label reelops.dev/automation-run.
type QueueSource struct {
	// Selector of the shorts by their labels. It must not be empty.
	// +kubebuilder:validation:XValidation:rule="(has(self.matchLabels) && size(self.matchLabels) > 0) || (has(self.matchExpressions) && size(self.matchExpressions) > 0)",message="selector needs matchLabels or matchExpressions"
	Selector metav1.LabelSelector `json:"selector"`
}

// EvergreenSource publishes shorts of the brand again that were published before.
type EvergreenSource struct {
	// Selector of the shorts by their labels. Absent: all shorts of the brand that were published.
	// +optional
	Selector *metav1.LabelSelector `json:"selector,omitempty"`
	// CooldownHours is the minimum time between two publications of a short, in hours. Default 720 (30 days).
	// +optional
	// +kubebuilder:default=720
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=87840
	CooldownHours int32 `json:"cooldownHours,omitempty"`
	// MaxRepeats is the number of times that a short is published after the first time. Absent: no limit.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=1000
	MaxRepeats *int32 `json:"maxRepeats,omitempty"`
	// Order is Oldest (the short whose last publication is longest ago) or Views (the short with the most views).
	// Default Oldest.
	// +optional
	// +kubebuilder:default=Oldest
	// +kubebuilder:validation:Enum=Oldest;Views
	Order string `json:"order,omitempty"`
}

// AutomationSource is where the content of a run comes from.
// +kubebuilder:validation:XValidation:rule="(has(self.prompts) ? 1 : 0) + (has(self.feed) ? 1 : 0) + (has(self.queue) ? 1 : 0) + (has(self.evergreen) ? 1 : 0) == 1",message="give exactly one of prompts, feed, queue and evergreen"
type AutomationSource struct {
	// Prompts is a list of texts. Each run creates a short from the next one.
	// +optional
	Prompts *PromptsSource `json:"prompts,omitempty"`
	// Feed is an RSS, Atom or JSON feed. Each run creates a short from the newest item that was not used.
	// +optional
	Feed *FeedSource `json:"feed,omitempty"`
	// Queue selects shorts that exist. Each run publishes the oldest one that was not used.
	// +optional
	Queue *QueueSource `json:"queue,omitempty"`
	// Evergreen selects shorts that were published. Each run publishes one of them again.
	// +optional
	Evergreen *EvergreenSource `json:"evergreen,omitempty"`
}

// SlideshowTemplate is the spec of the Slideshows that runs create. Texts may contain placeholders: {{item.title}},
// {{item.summary}}, {{item.link}}, {{item.published}}, {{slot.date}}, {{slot.time}}, {{brand.name}} and {{run.number}}.
// The fields have the meaning of those of a Slideshow.
type SlideshowTemplate struct {
	// Context is the input for text generation. May contain placeholders.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=5000
	// +kubebuilder:validation:XValidation:rule=`self.matches(r'^(\{?(\}\{)*\}?([^{}]|\{\{\s*(brand\.name|item\.link|item\.published|item\.summary|item\.title|run\.number|slot\.date|slot\.time)\s*\}\}))*\{?(\}\{)*\}?$')`,message="write placeholders as {{item.title}}, {{item.summary}}, {{item.link}}, {{item.published}}, {{slot.date}}, {{slot.time}}, {{brand.name}} or {{run.number}}, and no other doubled braces"
	Context string `json:"context"`
	// SlideCount is the number of slides: 0 or from 3 to 12. Default 0: the brand's slideCount, else automatic.
	// +optional
	// +kubebuilder:validation:XValidation:rule="self == 0 || (self >= 3 && self <= 12)",message="slideCount must be 0 (automatic) or from 3 to 12"
	SlideCount int32 `json:"slideCount,omitempty"`
	// AspectRatio of the slideshow. Default: the brand's, else 9:16.
	// +optional
	// +kubebuilder:validation:Enum="9:16";"4:5"
	AspectRatio string `json:"aspectRatio,omitempty"`
	// DesignStyle of the slideshow. Default: a style that the brand has not used recently.
	// +optional
	// +kubebuilder:validation:MaxLength=64
	DesignStyle string `json:"designStyle,omitempty"`
	// ImageWorld is the visual mood of the background images. Default: the brand's, else chosen from the texts.
	// +optional
	// +kubebuilder:validation:MaxLength=64
	ImageWorld string `json:"imageWorld,omitempty"`
	// ImageSource of the backgrounds. Default: the brand's, else stock.
	// +optional
	ImageSource *ImageSource `json:"imageSource,omitempty"`
	// Music of the video. Absent: the video has no music.
	// +optional
	Music *MusicSource `json:"music,omitempty"`
	// Voice is the voice-over of the video. Absent: no voice-over.
	// +optional
	Voice *VoiceOver `json:"voice,omitempty"`
	// Title of the slideshow. May contain placeholders. Empty: none. Default: generated from the context.
	// +optional
	// +kubebuilder:validation:MaxLength=200
	// +kubebuilder:validation:XValidation:rule=`self.matches(r'^(\{?(\}\{)*\}?([^{}]|\{\{\s*(brand\.name|item\.link|item\.published|item\.summary|item\.title|run\.number|slot\.date|slot\.time)\s*\}\}))*\{?(\}\{)*\}?$')`,message="write placeholders as {{item.title}}, {{item.summary}}, {{item.link}}, {{item.published}}, {{slot.date}}, {{slot.time}}, {{brand.name}} or {{run.number}}, and no other doubled braces"
	Title *string `json:"title,omitempty"`
	// Caption of the slideshow. May contain placeholders. Empty: none. Default: generated from the context.
	// +optional
	// +kubebuilder:validation:MaxLength=5000
	// +kubebuilder:validation:XValidation:rule=`self.matches(r'^(\{?(\}\{)*\}?([^{}]|\{\{\s*(brand\.name|item\.link|item\.published|item\.summary|item\.title|run\.number|slot\.date|slot\.time)\s*\}\}))*\{?(\}\{)*\}?$')`,message="write placeholders as {{item.title}}, {{item.summary}}, {{item.link}}, {{item.published}}, {{slot.date}}, {{slot.time}}, {{brand.name}} or {{run.number}}, and no other doubled braces"
	Caption *string `json:"caption,omitempty"`
	// Hashtags to post with, without #. An empty list means none. Default: generated from the context.
	// +optional
	// +kubebuilder:validation:MaxItems=30
	// +kubebuilder:validation:items:MinLength=1
	// +kubebuilder:validation:items:MaxLength=100
	// +kubebuilder:validation:items:Pattern=`^[^,]+$`
	// +listType=atomic
	Hashtags *[]string `json:"hashtags,omitempty"`
	// Language of the texts, as a BCP 47 tag. Default: the brand's, else the language of the context.
	// +optional
	// +kubebuilder:validation:MaxLength=35
	Language string `json:"language,omitempty"`
	// Film contains the settings of the video that is rendered from the slides.
	// +optional
	// +kubebuilder:default={}
	Film FilmSpec `json:"film,omitempty"`
}

// VideoTemplate is the spec of the Videos that runs create. Texts may contain placeholders, as in a SlideshowTemplate.
// The fields have the meaning of those of a Video.
// +kubebuilder:validation:XValidation:rule="!has(self.avatarLayout) || self.avatarLayout != 'picture_in_picture' || (has(self.demos) && size(self.demos) > 0)",message="avatarLayout picture_in_picture needs at least one demo"
type VideoTemplate struct {
	// HookText is the text that the avatar speaks. May contain placeholders. A longer result is cut at 300 characters.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=300
	// +kubebuilder:validation:XValidation:rule=`self.matches(r'^(\{?(\}\{)*\}?([^{}]|\{\{\s*(brand\.name|item\.link|item\.published|item\.summary|item\.title|run\.number|slot\.date|slot\.time)\s*\}\}))*\{?(\}\{)*\}?$')`,message="write placeholders as {{item.title}}, {{item.summary}}, {{item.link}}, {{item.published}}, {{slot.date}}, {{slot.time}}, {{brand.name}} or {{run.number}}, and no other doubled braces"
	HookText string `json:"hookText"`
	// Avatar is the clip of the speaker.
	Avatar ClipSource `json:"avatar"`
	// Demos are the clips that show the product, in order. At most 10.
	// +optional
	// +kubebuilder:validation:MaxItems=10
	// +listType=atomic
	Demos []DemoClip `json:"demos,omitempty"`
	// AvatarLayout is full_screen or picture_in_picture. Default full_screen.
	// +optional
	// +kubebuilder:validation:Enum=full_screen;picture_in_picture
	AvatarLayout string `json:"avatarLayout,omitempty"`
	// Music of the video. Absent: none.
	// +optional
	Music *MusicSource `json:"music,omitempty"`
	// TextSettings are the style of the captions of the hook.
	// +optional
	// +kubebuilder:default={}
	TextSettings TextSettings `json:"textSettings,omitempty"`
	// Voice selects the speech of the hook.
	// +optional
	// +kubebuilder:default={}
	Voice VoiceSpec `json:"voice,omitempty"`
	// AspectRatio of the video. Default 9:16.
	// +optional
	// +kubebuilder:default="9:16"
	// +kubebuilder:validation:Enum="9:16";"4:5"
	AspectRatio string `json:"aspectRatio,omitempty"`
	// Language of the texts, as a BCP 47 tag. Default: the language of the hook, else the brand's.
	// +optional
	// +kubebuilder:validation:MaxLength=35
	Language string `json:"language,omitempty"`
	// Title of the video. May contain placeholders. Empty: none. Default: generated.
	// +optional
	// +kubebuilder:validation:MaxLength=200
	// +kubebuilder:validation:XValidation:rule=`self.matches(r'^(\{?(\}\{)*\}?([^{}]|\{\{\s*(brand\.name|item\.link|item\.published|item\.summary|item\.title|run\.number|slot\.date|slot\.time)\s*\}\}))*\{?(\}\{)*\}?$')`,message="write placeholders as {{item.title}}, {{item.summary}}, {{item.link}}, {{item.published}}, {{slot.date}}, {{slot.time}}, {{brand.name}} or {{run.number}}, and no other doubled braces"
	Title *string `json:"title,omitempty"`
	// Caption of the video. May contain placeholders. Empty: none. Default: generated.
	// +optional
	// +kubebuilder:validation:MaxLength=5000
	// +kubebuilder:validation:XValidation:rule=`self.matches(r'^(\{?(\}\{)*\}?([^{}]|\{\{\s*(brand\.name|item\.link|item\.published|item\.summary|item\.title|run\.number|slot\.date|slot\.time)\s*\}\}))*\{?(\}\{)*\}?$')`,message="write placeholders as {{item.title}}, {{item.summary}}, {{item.link}}, {{item.published}}, {{slot.date}}, {{slot.time}}, {{brand.name}} or {{run.number}}, and no other doubled braces"
	Caption *string `json:"caption,omitempty"`
	// Hashtags to post with, without #. An empty list means none. Default: generated.
	// +optional
	// +kubebuilder:validation:MaxItems=30
	// +kubebuilder:validation:items:MinLength=1
	// +kubebuilder:validation:items:MaxLength=100
	// +kubebuilder:validation:items:Pattern=`^[^,]+$`
	// +listType=atomic
	Hashtags *[]string `json:"hashtags,omitempty"`
}

// AutomationTemplate is the short that a run creates from an item.
// +kubebuilder:validation:XValidation:rule="has(self.slideshow) != has(self.video)",message="give exactly one of slideshow and video"
type AutomationTemplate struct {
	// Slideshow is the template of Slideshows. The video is rendered unless publish.media is photo_set.
	// +optional
	Slideshow *SlideshowTemplate `json:"slideshow,omitempty"`
	// Video is the template of Videos.
	// +optional
	Video *VideoTemplate `json:"video,omitempty"`
}

// PublishTarget is one account that an automation posts to.
// +kubebuilder:validation:XValidation:rule=`!has(self.title) || self.title.matches(r'^(\{?(\}\{)*\}?([^{}]|\{\{\s*(brand\.name|item\.link|item\.published|item\.summary|item\.title|run\.number|slot\.date|slot\.time)\s*\}\}))*\{?(\}\{)*\}?$')`,message="write placeholders as {{item.title}}, {{item.summary}}, {{item.link}}, {{item.published}}, {{slot.date}}, {{slot.time}}, {{brand.name}} or {{run.number}}, and no other doubled braces",fieldPath=.title
// +kubebuilder:validation:XValidation:rule=`!has(self.caption) || self.caption.matches(r'^(\{?(\}\{)*\}?([^{}]|\{\{\s*(brand\.name|item\.link|item\.published|item\.summary|item\.title|run\.number|slot\.date|slot\.time)\s*\}\}))*\{?(\}\{)*\}?$')`,message="write placeholders as {{item.title}}, {{item.summary}}, {{item.link}}, {{item.published}}, {{slot.date}}, {{slot.time}}, {{brand.name}} or {{run.number}}, and no other doubled braces",fieldPath=.caption
// +kubebuilder:validation:XValidation:rule=`!has(self.firstComment) || self.firstComment.matches(r'^(\{?(\}\{)*\}?([^{}]|\{\{\s*(brand\.name|item\.link|item\.published|item\.summary|item\.title|run\.number|slot\.date|slot\.time)\s*\}\}))*\{?(\}\{)*\}?$')`,message="write placeholders as {{item.title}}, {{item.summary}}, {{item.link}}, {{item.published}}, {{slot.date}}, {{slot.time}}, {{brand.name}} or {{run.number}}, and no other doubled braces",fieldPath=.firstComment
type PublishTarget struct {
	// Name of the SocialAccount.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	Name string `json:"name"`
	// PostText replaces the texts of the post for this account. May contain placeholders.
	PostText `json:",inline"`
	// PostSettings replace the brand's posting defaults for this account. FirstComment may contain placeholders.
	PostSettings `json:",inline"`
}

// AutomationPublish is where and how runs post. The fields have the meaning of those of a PostBatch.
// +kubebuilder:validation:XValidation:rule="(has(self.accounts) && size(self.accounts) > 0) || (has(self.platforms) && size(self.platforms) > 0)",message="publish needs accounts (names of SocialAccounts) or platforms (all accounts of the brand on them)"
// +kubebuilder:validation:XValidation:rule=`!has(self.title) || self.title.matches(r'^(\{?(\}\{)*\}?([^{}]|\{\{\s*(brand\.name|item\.link|item\.published|item\.summary|item\.title|run\.number|slot\.date|slot\.time)\s*\}\}))*\{?(\}\{)*\}?$')`,message="write placeholders as {{item.title}}, {{item.summary}}, {{item.link}}, {{item.published}}, {{slot.date}}, {{slot.time}}, {{brand.name}} or {{run.number}}, and no other doubled braces",fieldPath=.title
// +kubebuilder:validation:XValidation:rule=`!has(self.caption) || self.caption.matches(r'^(\{?(\}\{)*\}?([^{}]|\{\{\s*(brand\.name|item\.link|item\.published|item\.summary|item\.title|run\.number|slot\.date|slot\.time)\s*\}\}))*\{?(\}\{)*\}?$')`,message="write placeholders as {{item.title}}, {{item.summary}}, {{item.link}}, {{item.published}}, {{slot.date}}, {{slot.time}}, {{brand.name}} or {{run.number}}, and no other doubled braces",fieldPath=.caption
type AutomationPublish struct {
	// Accounts to post to, in order. At most 50.
	// +optional
	// +kubebuilder:validation:MaxItems=50
	// +listType=map
	// +listMapKey=name
	Accounts []PublishTarget `json:"accounts,omitempty"`
	// Platforms to post to: every account of the brand on these platforms when the posts of a run are created.
	// +optional
	// +kubebuilder:validation:MaxItems=4
	// +listType=set
	Platforms []Platform `json:"platforms,omitempty"`
	// PostingMode is direct (published) or draft (left as a draft on the platform that the user finishes). Default
	// direct.
	// +optional
	// +kubebuilder:default=direct
	// +kubebuilder:validation:Enum=direct;draft
	PostingMode string `json:"postingMode,omitempty"`
	// Media is the published format: video, photo_set (the slides as photos) or auto. Default auto.
	// +optional
	// +kubebuilder:validation:Enum=auto;video;photo_set
	Media string `json:"media,omitempty"`
	// PostText applies to all accounts that do not set their own texts. May contain placeholders.
	PostText `json:",inline"`
	// AutoAddMusic permits TikTok to add music to a photo set. Default false.
	// +optional
	AutoAddMusic bool `json:"autoAddMusic,omitempty"`
}

// AutomationBudget limits what runs may use in a calendar month in UTC. At a limit, slots are skipped until the next
// month.
type AutomationBudget struct {
	// RunsPerMonth is the maximum number of runs that start in a month. Absent: no limit.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=100000
	RunsPerMonth *int32 `json:"runsPerMonth,omitempty"`
	// CreditsPerMonth is the number of credits for AI images after which no run starts in a month. The last run may
	// exceed it. Absent: no limit.
	// +optional
	// +kubebuilder:validation:Minimum=1
	CreditsPerMonth *int32 `json:"creditsPerMonth,omitempty"`
}

// AutomationDeduplication selects how an item of a feed is recognized that a run used.
type AutomationDeduplication struct {
	// By is Item (the same id) or Text (also similar words in title and summary). Default Item.
	// +optional
	// +kubebuilder:default=Item
	// +kubebuilder:validation:Enum=Item;Text
	By string `json:"by,omitempty"`
	// WindowDays is the number of days for which a used item is not used again, from 1 to 365. At most the last 200 items
	// are compared. Default 90.
	// +optional
	// +kubebuilder:default=90
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=365
	WindowDays int32 `json:"windowDays,omitempty"`
}

// AutomationStop are rules that end an automation. A stopped automation starts no slots until its spec changes so that
// no rule applies.
type AutomationStop struct {
	// AfterFailures is the number of consecutive failed runs after which no more runs start. Setting suspend to true and
	// then to false starts the count again. Absent: no limit.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=100
	AfterFailures *int32 `json:"afterFailures,omitempty"`
	// At is a time. Slots at and after this time do not start.
	// +optional
	At *metav1.Time `json:"at,omitempty"`
	// AfterRuns is the total number of runs after which no more runs start. Absent: no limit.
	// +optional
	// +kubebuilder:validation:Minimum=1
	AfterRuns *int64 `json:"afterRuns,omitempty"`
}

// AutomationSpec is the desired state of the Automation: what it posts, where and when.
// +kubebuilder:validation:XValidation:rule="self.brandRef == oldSelf.brandRef",message="brandRef cannot be changed: create a new Automation for the other brand"
// +kubebuilder:validation:XValidation:rule="has(self.template) == (has(self.source.prompts) || has(self.source.feed))",message="the sources prompts and feed need a template; queue and evergreen publish shorts that exist, without a template"
type AutomationSpec struct {
	// DisplayName is the human-readable name of the automation. Absent: the name of the object.
	// +optional
	// +kubebuilder:validation:MaxLength=200
	DisplayName string `json:"displayName,omitempty"`
	// BrandRef is the brand that posts. The brand cannot be changed.
	BrandRef LocalRef `json:"brandRef"`
	// Suspend pauses the automation: no slot starts, and runs that have started create nothing more. Posts that are
	// scheduled are published all the same. No run starts later for slots that pass while it is true. Default false.
	// +optional
	Suspend bool `json:"suspend,omitempty"`
	// Schedules are cron expressions with five fields (minute, hour, day of month, month, day of week). Each time is a
	// slot: the time at which posts go out. A minute that several expressions contain is one slot.
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=20
	// +kubebuilder:validation:items:MinLength=1
	// +kubebuilder:validation:items:MaxLength=200
	// +kubebuilder:validation:items:XValidation:rule="self.matches(r'(?i)^[ \\t]*([*?]|[0-5]?[0-9](-[0-5]?[0-9])?)(/0*[1-9][0-9]*)?(,([*?]|[0-5]?[0-9](-[0-5]?[0-9])?)(/0*[1-9][0-9]*)?)*[ \\t]+([*?]|([01]?[0-9]|2[0-3])(-([01]?[0-9]|2[0-3]))?)(/0*[1-9][0-9]*)?(,([*?]|([01]?[0-9]|2[0-3])(-([01]?[0-9]|2[0-3]))?)(/0*[1-9][0-9]*)?)*[ \\t]+([*?]|(0?[1-9]|[12][0-9]|3[01])(-(0?[1-9]|[12][0-9]|3[01]))?)(/0*[1-9][0-9]*)?(,([*?]|(0?[1-9]|[12][0-9]|3[01])(-(0?[1-9]|[12][0-9]|3[01]))?)(/0*[1-9][0-9]*)?)*[ \\t]+([*?]|(0?[1-9]|1[0-2]|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)(-(0?[1-9]|1[0-2]|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec))?)(/0*[1-9][0-9]*)?(,([*?]|(0?[1-9]|1[0-2]|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)(-(0?[1-9]|1[0-2]|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec))?)(/0*[1-9][0-9]*)?)*[ \\t]+([*?]|(0?[0-6]|sun|mon|tue|wed|thu|fri|sat)(-(0?[0-6]|sun|mon|tue|wed|thu|fri|sat))?)(/0*[1-9][0-9]*)?(,([*?]|(0?[0-6]|sun|mon|tue|wed|thu|fri|sat)(-(0?[0-6]|sun|mon|tue|wed|thu|fri|sat))?)(/0*[1-9][0-9]*)?)*[ \\t]*$')",message="write five fields separated by spaces: minute (0-59), hour (0-23), day of month (1-31), month (1-12 or JAN-DEC) and day of week (0-6 or SUN-SAT, 0 is Sunday), such as 30 9 * * MON-FRI; the time zone is spec.timeZone"
	// +listType=atomic
	Schedules []string `json:"schedules"`
	// TimeZone of the schedules, as an IANA name. A local time that daylight saving skips runs at the next valid minute,
	// and one that repeats runs once. Default: the brand's timezone.
	// +optional
	// +kubebuilder:validation:MaxLength=64
	// +kubebuilder:validation:XValidation:rule="self == '' || self != 'Local' && !self.contains(':') && timestamp('2000-01-01T00:00:00Z').getHours(self) >= 0",message="timeZone must be an IANA name such as Europe/Berlin or UTC"
	TimeZone string `json:"timeZone,omitempty"`
	// LeadTimeSeconds is how long before a slot its content is created, so that it can be generated, rendered and
	// approved. At most seven days. Default 3600.
	// +optional
	// +kubebuilder:default=3600
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=604800
	LeadTimeSeconds *int32 `json:"leadTimeSeconds,omitempty"`
	// StartingDeadlineSeconds is how late a slot may start, and how late its content may be ready, in seconds after its
	// time. At most six hours. Default 3600.
	// +optional
	// +kubebuilder:default=3600
	// +kubebuilder:validation:Minimum=60
	// +kubebuilder:validation:Maximum=21600
	StartingDeadlineSeconds int32 `json:"startingDeadlineSeconds,omitempty"`
	// CatchUp is the rule for slots that passed their starting deadline: Skip (none starts) or LatestOnce (the latest
	// starts once, late). All others get a run with the state Missed. Default Skip.
	// +optional
	// +kubebuilder:default=Skip
	CatchUp CatchUpPolicy `json:"catchUp,omitempty"`
	// ConcurrencyPolicy is the rule for a slot that starts while an earlier run creates its short or waits for an approval:
	// Forbid (the slot starts later, and is skipped if its time comes first) or Allow. Scheduled posts are never replaced.
	// Default Forbid.
	// +optional
	// +kubebuilder:default=Forbid
	ConcurrencyPolicy ConcurrencyPolicy `json:"concurrencyPolicy,omitempty"`
	// Source is where the content comes from.
	Source AutomationSource `json:"source"`
	// Template is the short that a run creates from an item. Required for the sources prompts and feed.
	// +optional
	Template *AutomationTemplate `json:"template,omitempty"`
	// Publish is where and how runs post.
	Publish AutomationPublish `json:"publish"`
	// Approval is Inherit (posts are held if the brand requires an approval) or Always (the posts of every run are held
	// as drafts until a user releases them). Neither makes the brand's policy less strict. Default Inherit.
	// +optional
	// +kubebuilder:default=Inherit
	// +kubebuilder:validation:Enum=Inherit;Always
	Approval string `json:"approval,omitempty"`
	// OnApprovalTimeout is the rule for posts that are still held at their time: Skip (they are cancelled) or Hold (they
	// stay drafts). Default Skip.
	// +optional
	// +kubebuilder:default=Skip
	// +kubebuilder:validation:Enum=Skip;Hold
	OnApprovalTimeout string `json:"onApprovalTimeout,omitempty"`
	// Budget limits what runs may use in a month.
	// +optional
	Budget *AutomationBudget `json:"budget,omitempty"`
	// Deduplication selects how an item of a feed is recognized that a run used.
	// +optional
	// +kubebuilder:default={}
	Deduplication AutomationDeduplication `json:"deduplication,omitempty"`
	// Stop are rules that end the automation.
	// +optional
	Stop *AutomationStop `json:"stop,omitempty"`
	// SuccessfulRunsHistoryLimit is the number of succeeded runs that are kept. Shorts and posts of deleted runs stay.
	// Default 10.
	// +optional
	// +kubebuilder:default=10
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=100
	SuccessfulRunsHistoryLimit *int32 `json:"successfulRunsHistoryLimit,omitempty"`
	// FailedRunsHistoryLimit is the number of failed, missed and skipped runs that are kept. Failures that stop counts are
	// kept in any case. Default 10.
	// +optional
	// +kubebuilder:default=10
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=100
	FailedRunsHistoryLimit *int32 `json:"failedRunsHistoryLimit,omitempty"`
}

// AutomationItem is the item of a source that a run uses.
type AutomationItem struct {
	// ID of the item: its position in the prompts, from 1; the id of a feed's item; or KIND/NAME of a short.
	// +kubebuilder:validation:MaxLength=400
	ID string `json:"id"`
	// Title of the item: the value of {{item.title}}. Of a prompt, its text.
	// +optional
	// +kubebuilder:validation:MaxLength=2000
	Title string `json:"title,omitempty"`
	// Summary of the item: the value of {{item.summary}}.
	// +optional
	// +kubebuilder:validation:MaxLength=2000
	Summary string `json:"summary,omitempty"`
	// Link of the item: the value of {{item.link}}.
	// +optional
	// +kubebuilder:validation:MaxLength=4000
	Link string `json:"link,omitempty"`
	// Published is the date of the item: the value of {{item.published}}.
	// +optional
	Published *metav1.Time `json:"published,omitempty"`
}

// UsedItem is the record that a run uses an item. It is written before the run creates anything.
type UsedItem struct {
	// Run is the name of the AutomationRun.
	// +kubebuilder:validation:MaxLength=253
	Run string `json:"run"`
	// Number of the run, from 1: the value of {{run.number}}.
	Number int64 `json:"number"`
	// ID of the item.
	// +kubebuilder:validation:MaxLength=400
	ID string `json:"id"`
	// Text of the item, to recognize similar items of a feed.
	// +optional
	// +kubebuilder:validation:MaxLength=500
	Text string `json:"text,omitempty"`
	// At is the time of the record.
	At metav1.Time `json:"at"`
}

// MaxUsedItems is the maximum number of records of used items that an Automation keeps.
const MaxUsedItems = 200

// AutomationMonth counts what runs use in a calendar month in UTC.
type AutomationMonth struct {
	// Start of the month.
	Start metav1.Time `json:"start"`
	// Runs that started in the month.
	Runs int32 `json:"runs"`
}

// AutomationStatus is the observed state of the Automation.
type AutomationStatus struct {
	// ObservedGeneration is the generation of the spec that the status describes. It is -1 until the first reconcile, so that a new
	// object never counts as current.
	// +optional
	// +kubebuilder:default=-1
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`
	// Conditions of the automation.
	// +optional
	// +listType=map
	// +listMapKey=type
	// +kubebuilder:validation:MaxItems=16
	Conditions []metav1.Condition `json:"conditions,omitempty"`
	// NextTimes are the next three slots. Empty while no slot can start.
	// +optional
	// +kubebuilder:validation:MaxItems=3
	// +listType=atomic
	NextTimes []metav1.Time `json:"nextTimes,omitempty"`
	// HandledUntil is the time up to which slots are decided. No slot at or before it starts. It never decreases. It may be
	// ahead by leadTimeSeconds: after a change of the schedule, new slots before it do not run.
	// +optional
	HandledUntil *metav1.Time `json:"handledUntil,omitempty"`
	// ObservedSchedule is the schedules and the time zone for which handledUntil was determined. After a change, slots of
	// the new schedule before the change do not count as missed.
	// +optional
	// +kubebuilder:validation:MaxLength=64
	ObservedSchedule string `json:"observedSchedule,omitempty"`
	// LastScheduleTime is the slot that started last.
	// +optional
	LastScheduleTime *metav1.Time `json:"lastScheduleTime,omitempty"`
	// LastSuccessfulTime is the time at which a run succeeded last.
	// +optional
	LastSuccessfulTime *metav1.Time `json:"lastSuccessfulTime,omitempty"`
	// FailuresSince is the time from which failed runs count as consecutive: that of the last success, or of the last
	// resumption.
	// +optional
	FailuresSince *metav1.Time `json:"failuresSince,omitempty"`
	// Active are the names of the runs that have not ended, the oldest first. At most 20 are listed.
	// +optional
	// +kubebuilder:validation:MaxItems=20
	// +kubebuilder:validation:items:MaxLength=253
	// +listType=atomic
	Active []string `json:"active,omitempty"`
	// Runs is the total number of runs that started.
	// +optional
	Runs int64 `json:"runs,omitempty"`
	// Month counts the runs of the current month.
	// +optional
	Month *AutomationMonth `json:"month,omitempty"`
	// Cursor is the number of items that were taken from spec.source.prompts.
	// +optional
	Cursor int64 `json:"cursor,omitempty"`
	// UsedItems are the items that runs use or used, the newest last. At most 200.
	// +optional
	// +kubebuilder:validation:MaxItems=200
	// +listType=atomic
	UsedItems []UsedItem `json:"usedItems,omitempty"`
}

// Automation creates and publishes shorts on a schedule. Each time of the schedule is a slot, and each slot has at most
// one AutomationRun.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:categories=reelops,shortName={auto,rlauto}
// +kubebuilder:validation:XValidation:rule="size(self.metadata.name) <= 40",message="the name of an Automation must have at most 40 characters: it is part of the names of its runs and shorts"
// +kubebuilder:selectablefield:JSONPath=`.spec.brandRef.name`
// +kubebuilder:printcolumn:name="Ready",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="ID",type=string,JSONPath=`.metadata.labels.reelops\.dev/id`
// +kubebuilder:printcolumn:name="Reason",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].reason`
// +kubebuilder:printcolumn:name="Suspend",type=boolean,JSONPath=`.spec.suspend`
// +kubebuilder:printcolumn:name="Next",type=string,JSONPath=`.status.nextTimes[0]`
// +kubebuilder:printcolumn:name="Runs",type=integer,JSONPath=`.status.runs`
// +kubebuilder:printcolumn:name="Brand",type=string,JSONPath=`.spec.brandRef.name`,priority=1
// +kubebuilder:printcolumn:name="Message",type=string,priority=1,JSONPath=`.status.conditions[?(@.type=="Ready")].message`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
type Automation struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec AutomationSpec `json:"spec"`
	// +kubebuilder:default={}
	Status AutomationStatus `json:"status,omitempty"`
}

// AutomationList is a list of Automation.
//
// +kubebuilder:object:root=true
type AutomationList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Automation `json:"items"`
}

// RunState is the state of an AutomationRun.
// +kubebuilder:validation:Enum=Pending;Creating;AwaitingApproval;Scheduled;Succeeded;Failed;Missed;Skipped
type RunState string

// Run states. Succeeded, Failed, Missed and Skipped are final.
const (
	// RunPending means that nothing is created yet.
	RunPending RunState = "Pending"
	// RunCreating means that the item is chosen and the short is being created.
	RunCreating RunState = "Creating"
	// RunAwaitingApproval means that posts exist and are held.
	RunAwaitingApproval RunState = "AwaitingApproval"
	// RunScheduled means that posts exist and wait for their time, or are being sent.
	RunScheduled RunState = "Scheduled"
	// RunSucceeded means that no post failed.
	RunSucceeded RunState = "Succeeded"
	// RunFailed means that the short or at least one post failed.
	RunFailed RunState = "Failed"
	// RunMissed means that the slot could not start in time, for example during an outage. Nothing was created.
	RunMissed RunState = "Missed"
	// RunSkipped means that a rule of the automation applied, such as its budget, or that the source had no item. Nothing
	// was published.
	RunSkipped RunState = "Skipped"
)

// Final reports whether the state is final.
func (s RunState) Final() bool {
	return s == RunSucceeded || s == RunFailed || s == RunMissed || s == RunSkipped
}

// AutomationRunSpec is the slot of the run.
// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="the spec of an AutomationRun cannot be changed"
type AutomationRunSpec struct {
	// AutomationRef is the Automation.
	AutomationRef LocalRef `json:"automationRef"`
	// ScheduledAt is the slot: the time at which posts go out. Of a manual run, the time of the request.
	ScheduledAt metav1.Time `json:"scheduledAt"`
	// Deadline is the time by which the short must be ready. A run whose short is not ready by then fails. Default: the
	// creation of the run, plus leadTimeSeconds and startingDeadlineSeconds of the automation.
	// +optional
	Deadline *metav1.Time `json:"deadline,omitempty"`
	// Manual marks a run that was requested by a user. Its posts go out as soon as its short is ready. Schedule,
	// concurrency policy and stop rules do not apply to it.
	// +optional
	Manual bool `json:"manual,omitempty"`
}

// AutomationRunStatus is the observed state of the AutomationRun.
type AutomationRunStatus struct {
	// ObservedGeneration is the generation of the spec that the status describes. It is -1 until the first reconcile, so that a new
	// object never counts as current.
	// +optional
	// +kubebuilder:default=-1
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`
	// Conditions of the run.
	// +optional
	// +listType=map
	// +listMapKey=type
	// +kubebuilder:validation:MaxItems=16
	Conditions []metav1.Condition `json:"conditions,omitempty"`
	// State of the run.
	// +optional
	State RunState `json:"state,omitempty"`
	// Number of the run, from 1. Absent while no item is chosen.
	// +optional
	Number int64 `json:"number,omitempty"`
	// Item that the run uses.
	// +optional
	Item *AutomationItem `json:"item,omitempty"`
	// Short that the run publishes.
	// +optional
	Short *ShortRef `json:"short,omitempty"`
	// ShortID is the id of the short.
	// +optional
	ShortID int64 `json:"shortID,omitempty"`
	// Batch is the name of the PostBatch.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	Batch string `json:"batch,omitempty"`
	// Posts are the targets of the PostBatch.
	// +optional
	// +kubebuilder:validation:MaxItems=250
	// +listType=atomic
	Posts []TargetStatus `json:"posts,omitempty"`
	// Credits that AI images of the short have cost.
	// +optional
	Credits int32 `json:"credits,omitempty"`
	// StartedAt is the time at which the item was chosen.
	// +optional
	StartedAt *metav1.Time `json:"startedAt,omitempty"`
	// FinishedAt is the time at which the run ended.
	// +optional
	FinishedAt *metav1.Time `json:"finishedAt,omitempty"`
	// Error is the reason why the run failed.
	// +optional
	Error *WorkError `json:"error,omitempty"`
	// Transitions are the last changes of state that webhook endpoints receive as events, oldest first. At most 16.
	// +optional
	// +kubebuilder:validation:MaxItems=16
	// +listType=atomic
	Transitions []Transition `json:"transitions,omitempty"`
}

// AutomationRun is one run of an Automation. The name of a scheduled run consists of the name of the automation and the
// minute of the slot since 1970, so that a slot cannot have two. While it is active, a run owns the short that it creates
// and its PostBatch: deleting it cancels posts that are not sent. When it has ended, they belong to the brand alone.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:categories=reelops,shortName={autorun,rlrun}
// +kubebuilder:validation:XValidation:rule="size(self.metadata.name) <= 50",message="the name of an AutomationRun must have at most 50 characters: it is the name of its short"
// +kubebuilder:selectablefield:JSONPath=`.spec.automationRef.name`
// +kubebuilder:selectablefield:JSONPath=`.status.state`
// +kubebuilder:printcolumn:name="Ready",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="State",type=string,JSONPath=`.status.state`
// +kubebuilder:printcolumn:name="When",type=string,JSONPath=`.spec.scheduledAt`
// +kubebuilder:printcolumn:name="Automation",type=string,JSONPath=`.spec.automationRef.name`
// +kubebuilder:printcolumn:name="Item",type=string,JSONPath=`.status.item.title`,priority=1
// +kubebuilder:printcolumn:name="Short",type=integer,JSONPath=`.status.shortID`
// +kubebuilder:printcolumn:name="Message",type=string,priority=1,JSONPath=`.status.conditions[?(@.type=="Ready")].message`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
type AutomationRun struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec AutomationRunSpec `json:"spec"`
	// +kubebuilder:default={}
	Status AutomationRunStatus `json:"status,omitempty"`
}

// AutomationRunList is a list of AutomationRun.
//
// +kubebuilder:object:root=true
type AutomationRunList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []AutomationRun `json:"items"`
}
