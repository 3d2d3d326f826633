// SPDX-License-Identifier: Apache-2.0

package v1beta1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// ClipSource names a clip.
// +kubebuilder:validation:XValidation:rule="(has(self.mediaRef) ? 1 : 0) + (has(self.libraryRef) ? 1 : 0) + (has(self.url) ? 1 : 0) == 1",message="give exactly one of mediaRef (a MediaAsset of the namespace), libraryRef (one that every account has) and url (fetched once over https)"
type ClipSource struct {
	// MediaRef names a MediaAsset of the namespace.
	// +optional
	MediaRef *LocalRef `json:"mediaRef,omitempty"`
	// LibraryRef names a MediaAsset of the library's namespace, such as one of the starter set's avatars.
	// +optional
	LibraryRef *LocalRef `json:"libraryRef,omitempty"`
	// URL of a clip; it is fetched once, over https.
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
	// Fit says how a clip of another shape fills the frame: cover cuts off what does not fit, contain shows all of it over a blurred copy,
	// auto contains screen recordings and covers with everything else. Default auto.
	// +optional
	// +kubebuilder:validation:Enum=auto;cover;contain
	Fit string `json:"fit,omitempty"`
	// StartMilliseconds is where in the clip it begins. Default 0.
	// +optional
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=600000
	StartMilliseconds int64 `json:"startMilliseconds,omitempty"`
	// EndMilliseconds is where in the clip it ends. Default, and most: the clip's end.
	// +optional
	// +kubebuilder:validation:Minimum=500
	// +kubebuilder:validation:Maximum=600000
	EndMilliseconds *int64 `json:"endMilliseconds,omitempty"`
	// Text that is shown over the clip, at the upper end of the platforms' safe zone. A long text wraps and gets smaller.
	// +optional
	// +kubebuilder:validation:MaxLength=200
	Text string `json:"text,omitempty"`
	// CallToAction that is shown as a button during the clip's last 3 seconds, or all of a clip shorter than 4.
	// +optional
	// +kubebuilder:validation:MaxLength=60
	CallToAction string `json:"callToAction,omitempty"`
}

// Detailed reports whether the demo has more than its source. Over the API such demos are clips: those always have a fit, and
// product_demo_media_ids and product_demo_urls never.
func (d *DemoClip) Detailed() bool {
	return d.Fit != "" || d.StartMilliseconds != 0 || d.EndMilliseconds != nil || d.Text != "" || d.CallToAction != ""
}

// Layouts of the avatar.
const (
	AvatarFullScreen       = "full_screen"
	AvatarPictureInPicture = "picture_in_picture"
)

// TextSettings say how the words of the hook look that appear as they are spoken. What is left out is chosen. The texts and calls to
// action of demos have their font and colours.
type TextSettings struct {
	// Position of the middle of the words. Default: 50, 30.
	// +optional
	Position *Position `json:"position,omitempty"`
	// Align of the lines. Default center.
	// +optional
	// +kubebuilder:validation:Enum=left;center;right
	Align string `json:"align,omitempty"`
	// FontFamily, one of the published overlay fonts; another is replaced by one that has all the glyphs.
	// +optional
	// +kubebuilder:validation:MaxLength=64
	FontFamily string `json:"fontFamily,omitempty"`
	// FontSize in pixels on a canvas 1080 pixels wide.
	// +optional
	// +kubebuilder:validation:Minimum=-100000
	// +kubebuilder:validation:Maximum=100000
	FontSize float64 `json:"fontSize,omitempty"`
	// Color of the words, #RGB, #RRGGBB or #RRGGBBAA.
	// +optional
	// +kubebuilder:validation:MaxLength=64
	Color string `json:"color,omitempty"`
	// StrokeColor of the outline.
	// +optional
	// +kubebuilder:validation:MaxLength=64
	StrokeColor string `json:"strokeColor,omitempty"`
	// BackgroundColor of a plate behind the words; absent means none.
	// +optional
	// +kubebuilder:validation:MaxLength=64
	BackgroundColor string `json:"backgroundColor,omitempty"`
}

// VoiceSpec says who speaks the hook.
type VoiceSpec struct {
	// Mode is auto (the hook is spoken, unless the avatar's clip has sound of its own, which is kept), speak (always spoken, in place
	// of the clip's own sound) or none (never spoken).
	// +optional
	// +kubebuilder:default=auto
	// +kubebuilder:validation:Enum=auto;speak;none
	Mode string `json:"mode,omitempty"`
	// Name of the voice, as the speech service or package knows it. Default: one that suits the language.
	// +optional
	// +kubebuilder:validation:MaxLength=64
	// +kubebuilder:validation:Pattern=`^[A-Za-z0-9][A-Za-z0-9_.:+-]*$`
	Name string `json:"name,omitempty"`
}

// VideoSpec is the desired state of the Video: an avatar speaks the hook, then clips show the product.
// +kubebuilder:validation:XValidation:rule="!has(self.avatarLayout) || self.avatarLayout != 'picture_in_picture' || (has(self.demos) && size(self.demos) > 0)",message="avatarLayout picture_in_picture needs at least one demo"
// +kubebuilder:validation:XValidation:rule="self.brandRef == oldSelf.brandRef",message="brandRef cannot be changed: make a new Video for the other brand"
// +kubebuilder:validation:XValidation:rule="(has(oldSelf.suspend) && oldSelf.suspend) || (self.avatar == oldSelf.avatar && has(self.hookText) == has(oldSelf.hookText) && (!has(self.hookText) || self.hookText == oldSelf.hookText) && has(self.demos) == has(oldSelf.demos) && (!has(self.demos) || self.demos == oldSelf.demos) && has(self.avatarLayout) == has(oldSelf.avatarLayout) && (!has(self.avatarLayout) || self.avatarLayout == oldSelf.avatarLayout) && has(self.music) == has(oldSelf.music) && (!has(self.music) || self.music == oldSelf.music) && self.loopCount == oldSelf.loopCount && self.textSettings == oldSelf.textSettings && self.voice == oldSelf.voice && self.aspectRatio == oldSelf.aspectRatio && has(self.language) == has(oldSelf.language) && (!has(self.language) || self.language == oldSelf.language))",message="what a film shows and says is fixed once it is made: only title, caption, hashtags (tags) and suspend can be changed; make a new Video for another film"
// +kubebuilder:validation:XValidation:rule="!has(self.hashtags) || !has(self.tags) || self.hashtags.join(',') == self.tags.replace(', ', ',')",message="hashtags and tags differ: give hashtags alone, tags is deprecated"
type VideoSpec struct {
	// BrandRef is the brand that speaks.
	BrandRef LocalRef `json:"brandRef"`
	// HookText that the avatar speaks. Default: written from the brand's profile.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=300
	HookText *string `json:"hookText,omitempty"`
	// Avatar is the clip of who speaks.
	Avatar ClipSource `json:"avatar"`
	// Demos are the clips that follow, in order.
	// +optional
	// +kubebuilder:validation:MaxItems=10
	// +listType=atomic
	Demos []DemoClip `json:"demos,omitempty"`
	// AvatarLayout is full_screen (the avatar speaks first, then the demos follow) or picture_in_picture (the demos are shown from the
	// beginning, and the avatar speaks in a corner over them; they are played again until it has spoken). Default full_screen.
	// +optional
	// +kubebuilder:validation:Enum=full_screen;picture_in_picture
	AvatarLayout string `json:"avatarLayout,omitempty"`
	// LoopCount is how often the demos are played.
	// +optional
	// +kubebuilder:default=1
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=5
	LoopCount int32 `json:"loopCount,omitempty"`
	// Music under the film; absent means none.
	// +optional
	Music *MusicSource `json:"music,omitempty"`
	// TextSettings of the hook's words.
	// +optional
	// +kubebuilder:default={}
	TextSettings TextSettings `json:"textSettings,omitempty"`
	// Voice says who speaks the hook.
	// +optional
	// +kubebuilder:default={}
	Voice VoiceSpec `json:"voice,omitempty"`
	// AspectRatio of the film.
	// +optional
	// +kubebuilder:default="9:16"
	// +kubebuilder:validation:Enum="9:16";"4:5"
	AspectRatio string `json:"aspectRatio,omitempty"`
	// Language of the texts, BCP 47. Default: the hook's, else the brand's.
	// +optional
	// +kubebuilder:validation:MaxLength=35
	Language string `json:"language,omitempty"`
	// Title; empty means none. Default: written.
	// +optional
	// +kubebuilder:validation:MaxLength=200
	Title *string `json:"title,omitempty"`
	// Caption; empty means none. Default: written.
	// +optional
	// +kubebuilder:validation:MaxLength=5000
	Caption *string `json:"caption,omitempty"`
	// Hashtags to post with, without #; an empty list means none. Default: written.
	// +optional
	// +kubebuilder:validation:MaxItems=30
	// +kubebuilder:validation:items:MinLength=1
	// +kubebuilder:validation:items:MaxLength=100
	// +kubebuilder:validation:items:Pattern=`^[^,]+$`
	// +listType=atomic
	Hashtags *[]string `json:"hashtags,omitempty"`
	// Tags are the hashtags, comma separated; empty means none.
	//
	// Deprecated: use hashtags. Tags works for as long as this version is served.
	// +optional
	// +kubebuilder:validation:MaxLength=3060
	Tags *string `json:"tags,omitempty"`
	// Suspend keeps the video a draft: nothing is made until it is false.
	// +optional
	Suspend bool `json:"suspend,omitempty"`
}

// URLs returns how many of the clips are fetched from URLs.
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

// VideoText is a video's written content. It is a fact: a paid writer is asked once.
type VideoText struct {
	// Language of the text, BCP 47.
	// +kubebuilder:validation:MaxLength=35
	Language string `json:"language"`
	// Hook that is spoken.
	// +kubebuilder:validation:MaxLength=300
	Hook string `json:"hook"`
	// Title of the video.
	// +optional
	// +kubebuilder:validation:MaxLength=500
	Title string `json:"title,omitempty"`
	// Caption to post it with.
	// +optional
	// +kubebuilder:validation:MaxLength=5000
	Caption string `json:"caption,omitempty"`
	// Tags to post it with.
	// +optional
	// +kubebuilder:validation:MaxItems=60
	// +kubebuilder:validation:items:MaxLength=200
	// +listType=atomic
	Tags []string `json:"tags,omitempty"`
	// Source of what the spec does not give: model or offline. Empty for texts written before this field existed.
	// +optional
	// +kubebuilder:validation:Enum=model;offline
	Source TextSource `json:"source,omitempty"`
	// Model that wrote the text; empty for the offline writer.
	// +optional
	// +kubebuilder:validation:MaxLength=200
	Model string `json:"model,omitempty"`
}

// SpokenWord is when a word of the hook is spoken.
type SpokenWord struct {
	// Text of the word with its punctuation.
	// +kubebuilder:validation:MaxLength=300
	Text string `json:"text"`
	// StartMilliseconds and EndMilliseconds count from the beginning of the speech.
	StartMilliseconds int64 `json:"startMilliseconds"`
	EndMilliseconds   int64 `json:"endMilliseconds"`
}

// Speech is the spoken hook.
type Speech struct {
	// BlobKey of the sound; absent when the avatar's clip speaks for itself, or nobody does.
	// +optional
	// +kubebuilder:validation:MaxLength=512
	BlobKey string `json:"blobKey,omitempty"`
	// Source is service (a speech service), package (made in the renderer's pod), clip (the avatar's own sound) or none.
	// +kubebuilder:validation:Enum=service;package;clip;none
	Source string `json:"source"`
	// DurationMilliseconds of the speech.
	DurationMilliseconds int64 `json:"durationMilliseconds"`
	// Words in order. Their times are estimated where nobody tells them.
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

// VideoClip is one clip of the film. A demo that is played several times stands here as often.
type VideoClip struct {
	// Role of the clip.
	// +kubebuilder:validation:Enum=avatar;product_demo
	Role string `json:"role"`
	// Asset is the name of the MediaAsset, of the namespace or, with Library, of the library's.
	// +kubebuilder:validation:MaxLength=253
	Asset string `json:"asset"`
	// Library says that the asset is one that every account has.
	// +optional
	Library bool `json:"library,omitempty"`
	// MediaID of the asset.
	// +optional
	MediaID int64 `json:"mediaID,omitempty"`
	// BlobKey of the clip.
	// +kubebuilder:validation:MaxLength=512
	BlobKey string `json:"blobKey"`
	// StartMilliseconds is where it begins in the film.
	StartMilliseconds int64 `json:"startMilliseconds"`
	// DurationMilliseconds for which the film shows it.
	DurationMilliseconds int64 `json:"durationMilliseconds"`
	// SourceStartMilliseconds is where in the clip it begins.
	// +optional
	SourceStartMilliseconds int64 `json:"sourceStartMilliseconds,omitempty"`
	// SourceMilliseconds is how long the clip itself is, from there to where it ends.
	SourceMilliseconds int64 `json:"sourceMilliseconds"`
	// Fit is how the clip fills the frame; empty means cover, as it was before this field existed.
	// +optional
	// +kubebuilder:validation:Enum=auto;cover;contain
	Fit string `json:"fit,omitempty"`
	// PictureInPicture says that the clip is shown in a corner, over those of its time.
	// +optional
	PictureInPicture bool `json:"pictureInPicture,omitempty"`
	// Sound says that the clip's own sound is heard.
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
	// Work is the record of making the video, its render included.
	// +optional
	Work *Work `json:"work,omitempty"`
	// Charge to the plan's quota.
	// +optional
	Charge *Charge `json:"charge,omitempty"`
	// RetriedFor is the value of the retry annotation that was acted upon.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	RetriedFor string `json:"retriedFor,omitempty"`
	// Text is the written content.
	// +optional
	Text *VideoText `json:"text,omitempty"`
	// SpeechAttempt counts the Jobs that spoke the hook or looked for its words.
	// +optional
	SpeechAttempt int32 `json:"speechAttempt,omitempty"`
	// Speech is the spoken hook.
	// +optional
	Speech *Speech `json:"speech,omitempty"`
	// Clips of the film in order.
	// +optional
	// +kubebuilder:validation:MaxItems=60
	// +listType=atomic
	Clips []VideoClip `json:"clips,omitempty"`
	// Revision is 1 once the film's parts are fixed; a draft that was edited before has no other.
	// +optional
	Revision int64 `json:"revision,omitempty"`
	// Render tells of the newest RenderJob.
	// +optional
	Render *RenderSummary `json:"render,omitempty"`
	// Output is the finished film.
	// +optional
	Output *RenderOutput `json:"output,omitempty"`
	// PosterKey is the blob of the film's first picture, ThumbnailKey of a small one.
	// +optional
	// +kubebuilder:validation:MaxLength=512
	PosterKey string `json:"posterKey,omitempty"`
	// +optional
	// +kubebuilder:validation:MaxLength=512
	ThumbnailKey string `json:"thumbnailKey,omitempty"`
	// WordsKey is the blob that lists the pictures of the words and texts on the film, with their places and times, as JSON.
	// +optional
	// +kubebuilder:validation:MaxLength=512
	WordsKey string `json:"wordsKey,omitempty"`
	// CaptionsKey is the blob of the spoken words as WebVTT.
	// +optional
	// +kubebuilder:validation:MaxLength=512
	CaptionsKey string `json:"captionsKey,omitempty"`
	// Normalizations that were made to the words and texts on the film.
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
}

// Video is a film in which an avatar speaks a hook and clips show a product.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:path=videos,categories=reelops,shortName=rlvideo
// +kubebuilder:validation:XValidation:rule="size(self.metadata.name) <= 50",message="the name of a Video has at most 50 characters: its renders are named after it"
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
