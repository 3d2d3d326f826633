// SPDX-License-Identifier: Apache-2.0

package v1beta1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// ClipSource is a reference to a video clip.
// +kubebuilder:validation:XValidation:rule="(has(self.mediaRef) ? 1 : 0) + (has(self.libraryRef) ? 1 : 0) + (has(self.url) ? 1 : 0) == 1",message="give exactly one of mediaRef (a MediaAsset in the namespace), libraryRef (a MediaAsset in the library) and url (downloaded once over https)"
type ClipSource struct {
	// MediaRef is a MediaAsset in the same namespace.
	// +optional
	MediaRef *LocalRef `json:"mediaRef,omitempty"`
	// LibraryRef is a MediaAsset in the library's namespace, such as an avatar of the starter set.
	// +optional
	LibraryRef *LocalRef `json:"libraryRef,omitempty"`
	// URL of a clip, which is downloaded once over https.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=2000
	// +kubebuilder:validation:XValidation:rule="isURL(self)",message="url must be a URL such as https://example.com/clip.mp4"
	URL *string `json:"url,omitempty"`
}

// DemoClip is a clip that shows the product.
// +kubebuilder:validation:XValidation:rule="!has(self.endMilliseconds) || self.endMilliseconds - (has(self.startMilliseconds) ? self.startMilliseconds : 0) >= 500",message="endMilliseconds must be at least 500 after startMilliseconds"
type DemoClip struct {
	ClipSource `json:",inline"`
	// Fit selects how a clip of another aspect ratio fills the frame. cover crops the clip. contain shows the whole clip
	// over a blurred copy. auto uses contain for screen recordings and cover for all other clips. Default auto.
	// +optional
	// +kubebuilder:validation:Enum=auto;cover;contain
	Fit string `json:"fit,omitempty"`
	// StartMilliseconds is the time in the clip at which it starts, in milliseconds. Default 0.
	// +optional
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=600000
	StartMilliseconds int64 `json:"startMilliseconds,omitempty"`
	// EndMilliseconds is the time in the clip at which it ends, in milliseconds. Default and maximum: the end of the
	// clip.
	// +optional
	// +kubebuilder:validation:Minimum=500
	// +kubebuilder:validation:Maximum=600000
	EndMilliseconds *int64 `json:"endMilliseconds,omitempty"`
	// Text over the clip, at the upper end of the platforms' safe zone. A long text wraps, and its font size is reduced.
	// +optional
	// +kubebuilder:validation:MaxLength=200
	Text string `json:"text,omitempty"`
	// CallToAction is the text of a button that is shown during the last 3 seconds of the clip, or during all of a clip
	// shorter than 4 seconds.
	// +optional
	// +kubebuilder:validation:MaxLength=60
	CallToAction string `json:"callToAction,omitempty"`
}

// Detailed reports whether the demo has fields beside its source. In the REST API such demos are clips, which always
// have a fit. product_demo_media_ids and product_demo_urls never do.
func (d *DemoClip) Detailed() bool {
	return d.Fit != "" || d.StartMilliseconds != 0 || d.EndMilliseconds != nil || d.Text != "" || d.CallToAction != ""
}

// Layouts of the avatar.
const (
	AvatarFullScreen       = "full_screen"
	AvatarPictureInPicture = "picture_in_picture"
)

// TextSettings are the style of the captions of the hook, which appear as the words are spoken. Defaults are chosen
// for fields that are absent. The texts and calls to action of demos use the font and the colors.
type TextSettings struct {
	// Position of the center of the captions. Default: 50, 30.
	// +optional
	Position *Position `json:"position,omitempty"`
	// Align is the alignment of the lines. Default center.
	// +optional
	// +kubebuilder:validation:Enum=left;center;right
	Align string `json:"align,omitempty"`
	// FontFamily is one of the published overlay fonts. Another font is replaced by one that has all the glyphs.
	// +optional
	// +kubebuilder:validation:MaxLength=64
	FontFamily string `json:"fontFamily,omitempty"`
	// FontSize in pixels on a canvas that is 1080 pixels wide.
	// +optional
	// +kubebuilder:validation:Minimum=-100000
	// +kubebuilder:validation:Maximum=100000
	FontSize float64 `json:"fontSize,omitempty"`
	// Color of the text: #RGB, #RRGGBB or #RRGGBBAA.
	// +optional
	// +kubebuilder:validation:MaxLength=64
	Color string `json:"color,omitempty"`
	// StrokeColor is the color of the outline.
	// +optional
	// +kubebuilder:validation:MaxLength=64
	StrokeColor string `json:"strokeColor,omitempty"`
	// BackgroundColor of a box behind the text. Absent: no box.
	// +optional
	// +kubebuilder:validation:MaxLength=64
	BackgroundColor string `json:"backgroundColor,omitempty"`
}

// VoiceSpec selects the speech of the hook.
type VoiceSpec struct {
	// Mode is auto (the hook is spoken, unless the avatar's clip has sound, which is then kept), speak (always spoken;
	// the clip's sound is replaced) or none (never spoken). Default auto.
	// +optional
	// +kubebuilder:default=auto
	// +kubebuilder:validation:Enum=auto;speak;none
	Mode string `json:"mode,omitempty"`
	// Name of the voice in the speech service or package. Default: a voice that suits the language.
	// +optional
	// +kubebuilder:validation:MaxLength=64
	// +kubebuilder:validation:Pattern=`^[A-Za-z0-9][A-Za-z0-9_.:+-]*$`
	Name string `json:"name,omitempty"`
}

// VideoSpec is the desired state of the Video: an avatar speaks the hook, and clips show the product.
// +kubebuilder:validation:XValidation:rule="!has(self.avatarLayout) || self.avatarLayout != 'picture_in_picture' || (has(self.demos) && size(self.demos) > 0)",message="avatarLayout picture_in_picture needs at least one demo"
// +kubebuilder:validation:XValidation:rule="self.brandRef == oldSelf.brandRef",message="brandRef cannot be changed: create a new Video for the other brand"
// +kubebuilder:validation:XValidation:rule="(has(oldSelf.suspend) && oldSelf.suspend) || (self.avatar == oldSelf.avatar && has(self.hookText) == has(oldSelf.hookText) && (!has(self.hookText) || self.hookText == oldSelf.hookText) && has(self.demos) == has(oldSelf.demos) && (!has(self.demos) || self.demos == oldSelf.demos) && has(self.avatarLayout) == has(oldSelf.avatarLayout) && (!has(self.avatarLayout) || self.avatarLayout == oldSelf.avatarLayout) && has(self.music) == has(oldSelf.music) && (!has(self.music) || self.music == oldSelf.music) && self.loopCount == oldSelf.loopCount && self.textSettings == oldSelf.textSettings && self.voice == oldSelf.voice && self.aspectRatio == oldSelf.aspectRatio && has(self.language) == has(oldSelf.language) && (!has(self.language) || self.language == oldSelf.language))",message="a Video that is not suspended can change only title, caption, hashtags (tags) and suspend: create a new Video for other content"
// +kubebuilder:validation:XValidation:rule="!has(self.hashtags) || !has(self.tags) || self.hashtags.join(',') == self.tags.replace(', ', ',')",message="hashtags and tags differ: give hashtags alone, tags is deprecated"
type VideoSpec struct {
	// BrandRef is the brand of the video. The brand cannot be changed.
	BrandRef LocalRef `json:"brandRef"`
	// HookText is the text that the avatar speaks. Default: generated from the brand's profile.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=300
	HookText *string `json:"hookText,omitempty"`
	// Avatar is the clip of the speaker.
	Avatar ClipSource `json:"avatar"`
	// Demos are the clips that show the product, in order. At most 10.
	// +optional
	// +kubebuilder:validation:MaxItems=10
	// +listType=atomic
	Demos []DemoClip `json:"demos,omitempty"`
	// AvatarLayout is full_screen (the avatar speaks first, then the demos follow) or picture_in_picture (the avatar
	// speaks in a corner over the demos, from the start of the video; the demos repeat until the avatar has finished).
	// Default full_screen.
	// +optional
	// +kubebuilder:validation:Enum=full_screen;picture_in_picture
	AvatarLayout string `json:"avatarLayout,omitempty"`
	// LoopCount is the number of times that the demos are played, from 1 to 5. Default 1.
	// +optional
	// +kubebuilder:default=1
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=5
	LoopCount int32 `json:"loopCount,omitempty"`
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
	// Title of the video. Empty: none. Default: generated.
	// +optional
	// +kubebuilder:validation:MaxLength=200
	Title *string `json:"title,omitempty"`
	// Caption of the video. Empty: none. Default: generated.
	// +optional
	// +kubebuilder:validation:MaxLength=5000
	Caption *string `json:"caption,omitempty"`
	// Hashtags to post with, without #. An empty list means none. Default: generated.
	// +optional
	// +kubebuilder:validation:MaxItems=30
	// +kubebuilder:validation:items:MinLength=1
	// +kubebuilder:validation:items:MaxLength=100
	// +kubebuilder:validation:items:Pattern=`^[^,]+$`
	// +listType=atomic
	Hashtags *[]string `json:"hashtags,omitempty"`
	// Tags are the hashtags, separated by commas. Empty: none.
	//
	// Deprecated: use hashtags. Tags works for as long as this version is served.
	// +optional
	// +kubebuilder:validation:MaxLength=3060
	Tags *string `json:"tags,omitempty"`
	// Suspend keeps the video as a draft: nothing is generated until it is false. Default false.
	// +optional
	Suspend bool `json:"suspend,omitempty"`
}

// URLs returns the number of clips that are downloaded from URLs.
func (s *VideoSpec) URLs() (n int64) {
	if s.Avatar.URL != nil {
		n++
	}
	for i := range s.Demos {
		if s.Demos[i].URL != nil {
			n++
		}
	}
	return n
}

// VideoText is the text of a video. The text is stored, so that a paid text model is called only once.
type VideoText struct {
	// Language of the text, as a BCP 47 tag.
	// +kubebuilder:validation:MaxLength=35
	Language string `json:"language"`
	// Hook is the text that is spoken.
	// +kubebuilder:validation:MaxLength=300
	Hook string `json:"hook"`
	// Title of the video.
	// +optional
	// +kubebuilder:validation:MaxLength=500
	Title string `json:"title,omitempty"`
	// Caption for posts.
	// +optional
	// +kubebuilder:validation:MaxLength=5000
	Caption string `json:"caption,omitempty"`
	// Tags for posts.
	// +optional
	// +kubebuilder:validation:MaxItems=60
	// +kubebuilder:validation:items:MaxLength=200
	// +listType=atomic
	Tags []string `json:"tags,omitempty"`
	// Source of the texts that the spec does not set: model or offline. Empty for texts that were generated before this
	// field existed.
	// +optional
	// +kubebuilder:validation:Enum=model;offline
	Source TextSource `json:"source,omitempty"`
	// Model that generated the text. Empty for the offline writer.
	// +optional
	// +kubebuilder:validation:MaxLength=200
	Model string `json:"model,omitempty"`
}

// SpokenWord is a word of the hook and the time at which it is spoken.
type SpokenWord struct {
	// Text of the word, including punctuation.
	// +kubebuilder:validation:MaxLength=300
	Text string `json:"text"`
	// StartMilliseconds and EndMilliseconds are the times of the word, from the start of the speech.
	StartMilliseconds int64 `json:"startMilliseconds"`
	EndMilliseconds   int64 `json:"endMilliseconds"`
}

// Speech is the speech audio of the hook.
type Speech struct {
	// BlobKey is the blob store key of the audio. Absent if the avatar's clip has its own sound, or nothing is spoken.
	// +optional
	// +kubebuilder:validation:MaxLength=512
	BlobKey string `json:"blobKey,omitempty"`
	// Source is service (a speech service), package (synthesized in the renderer's pod), clip (the avatar's own sound) or
	// none.
	// +kubebuilder:validation:Enum=service;package;clip;none
	Source string `json:"source"`
	// DurationMilliseconds of the speech.
	DurationMilliseconds int64 `json:"durationMilliseconds"`
	// Words of the hook in order. Their times are estimated if the speech service does not report them.
	// +optional
	// +kubebuilder:validation:MaxItems=300
	// +listType=atomic
	Words []SpokenWord `json:"words,omitempty"`
}

// Roles of clips.
const (
	ClipAvatar      = "avatar"
	ClipProductDemo = "product_demo"
)

// VideoClip is one clip of the video. A demo that is played several times has one entry for each time.
type VideoClip struct {
	// Role of the clip.
	// +kubebuilder:validation:Enum=avatar;product_demo
	Role string `json:"role"`
	// Asset is the name of the MediaAsset, in the same namespace or, if library is true, in the library's namespace.
	// +kubebuilder:validation:MaxLength=253
	Asset string `json:"asset"`
	// Library reports whether the asset is in the library's namespace, which is available to every account.
	// +optional
	Library bool `json:"library,omitempty"`
	// MediaID is the id of the asset.
	// +optional
	MediaID int64 `json:"mediaID,omitempty"`
	// BlobKey is the blob store key of the clip.
	// +kubebuilder:validation:MaxLength=512
	BlobKey string `json:"blobKey"`
	// StartMilliseconds is the time in the video at which the clip starts.
	StartMilliseconds int64 `json:"startMilliseconds"`
	// DurationMilliseconds is the time for which the video shows the clip.
	DurationMilliseconds int64 `json:"durationMilliseconds"`
	// SourceStartMilliseconds is the time in the source clip at which the used part starts.
	// +optional
	SourceStartMilliseconds int64 `json:"sourceStartMilliseconds,omitempty"`
	// SourceMilliseconds is the duration of the used part of the source clip.
	SourceMilliseconds int64 `json:"sourceMilliseconds"`
	// Fit selects how the clip fills the frame. Empty means cover, the behavior before this field existed.
	// +optional
	// +kubebuilder:validation:Enum=auto;cover;contain
	Fit string `json:"fit,omitempty"`
	// PictureInPicture reports whether the clip is shown in a corner, over the clips that play at the same time.
	// +optional
	PictureInPicture bool `json:"pictureInPicture,omitempty"`
	// Sound reports whether the clip's own sound is played.
	// +optional
	Sound bool `json:"sound,omitempty"`
}

// VideoStatus is the observed state of the Video.
type VideoStatus struct {
	// ObservedGeneration is the generation of the spec that the status describes. It is -1 until the first reconcile, so that a new
	// object never counts as current.
	// +optional
	// +kubebuilder:default=-1
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`
	// Work is the record of generating the video, including its render.
	// +optional
	Work *Work `json:"work,omitempty"`
	// Charge is the record of charges to the plan's quota and of refunds.
	// +optional
	Charge *Charge `json:"charge,omitempty"`
	// RetriedFor is the last handled value of the annotation reelops.dev/retry.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	RetriedFor string `json:"retriedFor,omitempty"`
	// Text is the text of the video.
	// +optional
	Text *VideoText `json:"text,omitempty"`
	// SpeechAttempt is the attempt number of the Job that synthesizes the speech of the hook or detects the times of its
	// words.
	// +optional
	SpeechAttempt int32 `json:"speechAttempt,omitempty"`
	// Speech is the speech audio of the hook.
	// +optional
	Speech *Speech `json:"speech,omitempty"`
	// Clips of the video in order.
	// +optional
	// +kubebuilder:validation:MaxItems=60
	// +listType=atomic
	Clips []VideoClip `json:"clips,omitempty"`
	// Revision is 1 once the clips and texts of the video are fixed. Edits of a draft do not increase it.
	// +optional
	Revision int64 `json:"revision,omitempty"`
	// Render is the newest RenderJob.
	// +optional
	Render *RenderSummary `json:"render,omitempty"`
	// Output is the rendered video.
	// +optional
	Output *RenderOutput `json:"output,omitempty"`
	// PosterKey is the blob store key of the video's first frame.
	// +optional
	// +kubebuilder:validation:MaxLength=512
	PosterKey string `json:"posterKey,omitempty"`
	// ThumbnailKey is the blob store key of a small image of the video's first frame.
	// +optional
	// +kubebuilder:validation:MaxLength=512
	ThumbnailKey string `json:"thumbnailKey,omitempty"`
	// WordsKey is the blob store key of a JSON document that lists the images of the captions and texts in the video,
	// with their positions and times.
	// +optional
	// +kubebuilder:validation:MaxLength=512
	WordsKey string `json:"wordsKey,omitempty"`
	// CaptionsKey is the blob store key of the captions as WebVTT.
	// +optional
	// +kubebuilder:validation:MaxLength=512
	CaptionsKey string `json:"captionsKey,omitempty"`
	// Normalizations are the values of the captions and texts that were changed because they could not be rendered as
	// specified.
	// +optional
	// +kubebuilder:validation:MaxItems=50
	// +listType=atomic
	Normalizations []Normalization `json:"normalizations,omitempty"`
	// Conditions of the video.
	// +optional
	// +listType=map
	// +listMapKey=type
	// +kubebuilder:validation:MaxItems=16
	Conditions []metav1.Condition `json:"conditions,omitempty"`
	// Transitions are the last changes of state that webhook endpoints receive as events, oldest first. At most 16.
	// +optional
	// +kubebuilder:validation:MaxItems=16
	// +listType=atomic
	Transitions []Transition `json:"transitions,omitempty"`
}

// Video is a video in which an avatar speaks a hook and clips show a product.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:path=videos,categories=reelops,shortName=rlvideo
// +kubebuilder:validation:XValidation:rule="size(self.metadata.name) <= 50",message="the name of a Video must have at most 50 characters: it is part of the names of its RenderJobs"
// +kubebuilder:selectablefield:JSONPath=`.spec.brandRef.name`
// +kubebuilder:selectablefield:JSONPath=`.status.work.state`
// +kubebuilder:selectablefield:JSONPath=`.status.render.state`
// +kubebuilder:printcolumn:name="Ready",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="ID",type=string,JSONPath=`.metadata.labels.reelops\.dev/id`
// +kubebuilder:printcolumn:name="Work",type=string,JSONPath=`.status.work.state`
// +kubebuilder:printcolumn:name="Render",type=string,JSONPath=`.status.render.state`
// +kubebuilder:printcolumn:name="Milliseconds",type=integer,JSONPath=`.status.output.durationMilliseconds`
// +kubebuilder:printcolumn:name="Hook",type=string,priority=1,JSONPath=`.status.text.hook`
// +kubebuilder:printcolumn:name="Brand",type=string,JSONPath=`.spec.brandRef.name`,priority=1
// +kubebuilder:printcolumn:name="Message",type=string,priority=1,JSONPath=`.status.conditions[?(@.type=="Ready")].message`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
type Video struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec VideoSpec `json:"spec"`
	// +kubebuilder:default={}
	Status VideoStatus `json:"status,omitempty"`
}

// VideoList is a list of Video.
//
// +kubebuilder:object:root=true
type VideoList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Video `json:"items"`
}
