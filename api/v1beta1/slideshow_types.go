// SPDX-License-Identifier: Apache-2.0

package v1beta1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// MaxOverlayNumber is the maximum of the numeric fields of an overlay. The maximum is far beyond what can be rendered.
// Numbers that the renderer cannot use are moved into its range and reported, not rejected.
const MaxOverlayNumber = 100000

// MaxOverlayWord is the maximum length of the name of a font or color of an overlay, in characters.
const MaxOverlayWord = 64

// TextOverlay is one block of text on a slide. Absent fields, including the position, are taken from the design style
// for the role of the slide. Values that cannot be rendered are replaced by the nearest possible value and reported in
// status.normalizations.
type TextOverlay struct {
	// ID by which edits reference the overlay. If an overlay of the slide has no id, or two have the same id, all are
	// referenced by their position in the list, from 1.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=9007199254740991
	ID int64 `json:"id,omitempty"`
	// Text of the block. Line breaks are kept.
	// +kubebuilder:validation:MaxLength=500
	Text string `json:"text"`
	// FontFamily is one of the published overlay fonts. Another font is replaced by one that has all the glyphs. Default:
	// the brand's overlayFontFamily, else the design style's.
	// +optional
	// +kubebuilder:validation:MaxLength=64
	FontFamily string `json:"fontFamily,omitempty"`
	// FontWeight, from 100 to 900. Default: the design style's, or the nearest weight of the font.
	// +optional
	// +kubebuilder:validation:Minimum=-100000
	// +kubebuilder:validation:Maximum=100000
	FontWeight int32 `json:"fontWeight,omitempty"`
	// FontSize in pixels on a canvas that is 1080 pixels wide. Default: the design style's.
	// +optional
	// +kubebuilder:validation:Minimum=-100000
	// +kubebuilder:validation:Maximum=100000
	FontSize float64 `json:"fontSize,omitempty"`
	// Color of the text: #RGB, #RRGGBB, #RRGGBBAA or a CSS color name. Default: the design style's.
	// +optional
	// +kubebuilder:validation:MaxLength=64
	Color string `json:"color,omitempty"`
	// StrokeColor is the color of the outline. Default: the design style's.
	// +optional
	// +kubebuilder:validation:MaxLength=64
	StrokeColor string `json:"strokeColor,omitempty"`
	// StrokeWidth is the width of the outline in pixels on a canvas that is 1080 pixels wide. 0 means no outline.
	// Default: the design style's. If a strokeColor is given and the style has no outline, the default is a width that
	// suits the font size.
	// +optional
	// +kubebuilder:validation:Minimum=-100000
	// +kubebuilder:validation:Maximum=100000
	StrokeWidth *float64 `json:"strokeWidth,omitempty"`
	// BackgroundColor of a box behind the text. Empty: no box. Default: the design style's, but no box on an overlay that
	// sets its font, weight and colors.
	// +optional
	// +kubebuilder:validation:MaxLength=64
	BackgroundColor *string `json:"backgroundColor,omitempty"`
	// Position of the center of the block. Default: the position of the design style, or below the blocks that have a
	// position.
	// +optional
	Position *Position `json:"position,omitempty"`
	// Align is the alignment of the lines within the block. Default: the design style's.
	// +optional
	// +kubebuilder:validation:Enum=left;center;right
	Align string `json:"align,omitempty"`
	// MaxWidth of the block in percent of the width of the canvas, from 20 to 90. Default: the design style's.
	// +optional
	// +kubebuilder:validation:Minimum=-100000
	// +kubebuilder:validation:Maximum=100000
	MaxWidth float64 `json:"maxWidth,omitempty"`
	// LineHeight as a multiple of the font size. Default: the design style's.
	// +optional
	// +kubebuilder:validation:Minimum=-100000
	// +kubebuilder:validation:Maximum=100000
	LineHeight float64 `json:"lineHeight,omitempty"`
}

// SlideImage is a reference to the background image of a slide.
// +kubebuilder:validation:XValidation:rule="has(self.stock) != has(self.mediaRef)",message="give exactly one of stock (the id of a stock image) and mediaRef (the name of a MediaAsset)"
type SlideImage struct {
	// Stock is the id of a stock image: an image of the starter set, such as starter-night_sky-03, or PROVIDER:ID for an
	// image of a stock provider, such as pexels:2014422. library:NAME is a MediaAsset in the library's namespace.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=200
	Stock *string `json:"stock,omitempty"`
	// MediaRef is a MediaAsset in the same namespace.
	// +optional
	MediaRef *LocalRef `json:"mediaRef,omitempty"`
}

// SlideSpec is one slide that is written in the spec.
// +kubebuilder:validation:XValidation:rule="(has(self.heading) && size(self.heading) > 0) || has(self.textOverlays) || has(self.image)",message="a slide needs a heading, textOverlays or an image"
// +kubebuilder:validation:XValidation:rule="!has(self.textOverlays) || (!has(self.heading) && !has(self.body))",message="give heading and body (laid out by the design style) or textOverlays (placed by you), not both"
// +kubebuilder:validation:XValidation:rule="!has(self.durationMilliseconds) || !has(self.durationSeconds) || double(self.durationMilliseconds) / 1000.0 == double(self.durationSeconds)",message="durationMilliseconds and durationSeconds differ: give durationMilliseconds alone, durationSeconds is deprecated"
type SlideSpec struct {
	// ID of the slide, independent of its position. Default: its position in the list, from 1.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=9007199254740991
	ID int64 `json:"id,omitempty"`
	// Role of the slide in the story. The design style has a layout for each role. Default: the first slide is the hook,
	// the last the call to action.
	// +optional
	// +kubebuilder:validation:Enum=hook;point;call_to_action
	Role string `json:"role,omitempty"`
	// Heading is the most prominent text of the slide. The design style determines its layout.
	// +optional
	// +kubebuilder:validation:MaxLength=500
	Heading string `json:"heading,omitempty"`
	// Body is the smaller text below the heading.
	// +optional
	// +kubebuilder:validation:MaxLength=500
	Body string `json:"body,omitempty"`
	// TextOverlays are positioned texts that replace heading and body. An empty list means no text. At most 8.
	// +optional
	// +kubebuilder:validation:MaxItems=8
	// +listType=atomic
	TextOverlays *[]TextOverlay `json:"textOverlays,omitempty"`
	// Image is the background. Absent: an image that matches the text is chosen.
	// +optional
	Image *SlideImage `json:"image,omitempty"`
	// AltText describes the slide for users of screen readers. Default: the text on the slide.
	// +optional
	// +kubebuilder:validation:MaxLength=1000
	AltText string `json:"altText,omitempty"`
	// DurationMilliseconds is the time for which the video shows the slide, from 1000 to 30000. Default: the reading time
	// of its text at the pace of the video.
	// +optional
	// +kubebuilder:validation:Minimum=1000
	// +kubebuilder:validation:Maximum=30000
	DurationMilliseconds int64 `json:"durationMilliseconds,omitempty"`
	// DurationSeconds is the time for which the video shows the slide, from 1 to 30.
	//
	// Deprecated: use durationMilliseconds. DurationSeconds works for as long as this version is served.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=30
	DurationSeconds float64 `json:"durationSeconds,omitempty"`
}

// FilmSpec contains the settings of the video that is rendered from the slides.
type FilmSpec struct {
	// Motion of a slide's background. Default: the design style's.
	// +optional
	// +kubebuilder:validation:Enum=still;slow_zoom
	Motion string `json:"motion,omitempty"`
	// Transition between slides. Default: the design style's.
	// +optional
	// +kubebuilder:validation:Enum=cut;crossfade
	Transition string `json:"transition,omitempty"`
	// Pace is the time for which slides are shown, depending on their text. Default: normal, which is 1.2 seconds plus
	// 0.3 seconds per word, at least 2 and at most 12 seconds.
	// +optional
	// +kubebuilder:validation:Enum=slow;normal;fast
	Pace string `json:"pace,omitempty"`
}

// Modes of a voice-over.
const (
	VoiceOverSpeak = "speak"
	VoiceOverNone  = "none"
)

// VoiceOver selects whether the video of a slideshow has a voice-over of the text on its slides. Photo sets have no
// sound.
type VoiceOver struct {
	// Mode is speak (the text of each slide is spoken) or none. Default speak.
	// +optional
	// +kubebuilder:default=speak
	// +kubebuilder:validation:Enum=speak;none
	Mode string `json:"mode,omitempty"`
	// Name of the voice in the speech service or package. Default: a voice that suits the language.
	// +optional
	// +kubebuilder:validation:MaxLength=64
	// +kubebuilder:validation:Pattern=`^[A-Za-z0-9][A-Za-z0-9_.:+-]*$`
	Name string `json:"name,omitempty"`
}

// SlideshowSpec is the desired state of the Slideshow.
// +kubebuilder:validation:XValidation:rule="(has(self.context) && size(self.context.trim()) > 0) || (has(self.slides) && size(self.slides) > 0)",message="a slideshow needs context (the input of text generation) or slides (written by you)"
// +kubebuilder:validation:XValidation:rule="self.brandRef == oldSelf.brandRef",message="brandRef cannot be changed: create a new Slideshow for the other brand"
// +kubebuilder:validation:XValidation:rule="!has(self.hashtags) || !has(self.tags) || self.hashtags.join(',') == self.tags.replace(', ', ',')",message="hashtags and tags differ: give hashtags alone, tags is deprecated"
type SlideshowSpec struct {
	// BrandRef is the brand of the slideshow. The brand cannot be changed.
	BrandRef LocalRef `json:"brandRef"`
	// Context is the input for text generation: the audience and the message of the slideshow.
	// +optional
	// +kubebuilder:validation:MaxLength=5000
	Context string `json:"context,omitempty"`
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
	// Music of the video. Absent: the video has no music. Renders in progress keep the music with which they started.
	// +optional
	Music *MusicSource `json:"music,omitempty"`
	// Voice is the voice-over of the video. Absent: no voice-over. Each slide is shown for as long as its speech lasts.
	// +optional
	Voice *VoiceOver `json:"voice,omitempty"`
	// Title of the slideshow. Empty: none. Default: generated from the context.
	// +optional
	// +kubebuilder:validation:MaxLength=200
	Title *string `json:"title,omitempty"`
	// Caption of the slideshow. Empty: none. Default: generated from the context.
	// +optional
	// +kubebuilder:validation:MaxLength=5000
	Caption *string `json:"caption,omitempty"`
	// Hashtags to post with, without #. An empty list means none. Default: generated from the context.
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
	// Language of the texts, as a BCP 47 tag. Default: the brand's, else the language of the context.
	// +optional
	// +kubebuilder:validation:MaxLength=35
	Language string `json:"language,omitempty"`
	// Gradient over the backgrounds. Default: the brand's, else the design style's.
	// +optional
	Gradient *Gradient `json:"gradient,omitempty"`
	// Slides that are written by hand, or generated and then edited. If set, no text is generated. The minimum is 1,
	// because a context with little text yields fewer slides than requested, and an edit stores them here.
	// +optional
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=12
	// +kubebuilder:validation:XValidation:rule="self.all(s, has(s.id)) || !self.exists(s, has(s.id))",message="give every slide an id, or none: without ids, slides are identified by their position"
	// +kubebuilder:validation:XValidation:rule="self.all(s, !has(s.id) || self.exists_one(o, has(o.id) && o.id == s.id))",message="the id of a slide must be unique"
	// +listType=atomic
	Slides []SlideSpec `json:"slides,omitempty"`
	// Film contains the settings of the video that is rendered from the slides.
	// +optional
	// +kubebuilder:default={}
	Film FilmSpec `json:"film,omitempty"`
	// AutoRender creates a RenderJob as soon as the slides are ready. Default false.
	// +optional
	AutoRender bool `json:"autoRender,omitempty"`
	// Suspend keeps the slideshow as a draft: nothing is generated until it is false. Default false.
	// +optional
	Suspend bool `json:"suspend,omitempty"`
}

// SlideText is the generated text of one slide.
type SlideText struct {
	// Role of the slide in the story.
	// +kubebuilder:validation:Enum=hook;point;call_to_action
	Role string `json:"role"`
	// Heading is the most prominent text of the slide.
	// +kubebuilder:validation:MaxLength=500
	Heading string `json:"heading"`
	// Body is the smaller text below the heading.
	// +optional
	// +kubebuilder:validation:MaxLength=1000
	Body string `json:"body,omitempty"`
	// AltText describes the slide for users of screen readers.
	// +optional
	// +kubebuilder:validation:MaxLength=1000
	AltText string `json:"altText,omitempty"`
	// Keywords for choosing an image.
	// +optional
	// +kubebuilder:validation:MaxItems=32
	// +kubebuilder:validation:items:MaxLength=100
	// +listType=atomic
	Keywords []string `json:"keywords,omitempty"`
}

// Text is the generated text of a slideshow. The text is stored, so that a paid text model is called only once for
// each source.
type Text struct {
	// SourceHash is the hash of the input of text generation: context, slide count and language.
	// +kubebuilder:validation:MaxLength=64
	SourceHash string `json:"sourceHash"`
	// Language of the text, as a BCP 47 tag.
	// +kubebuilder:validation:MaxLength=35
	Language string `json:"language"`
	// Title of the slideshow.
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
	// Slides in their order.
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=12
	// +listType=atomic
	Slides []SlideText `json:"slides"`
	// Source of the text: model or offline. Offline slides contain only text of the context and of the brand's profile.
	// Empty for texts that were generated before this field existed.
	// +optional
	// +kubebuilder:validation:Enum=model;offline
	Source TextSource `json:"source,omitempty"`
	// Model that generated the text. Empty for the offline writer.
	// +optional
	// +kubebuilder:validation:MaxLength=200
	Model string `json:"model,omitempty"`
	// Shortfall is set if the context and the brand's profile have too little text for the slides and no text model is
	// configured.
	// +optional
	Shortfall *TextShortfall `json:"shortfall,omitempty"`
	// Omitted lists the passages of the context that are neither on a slide nor in the caption, in their order. The
	// offline writer reports passages that do not fit into the slides. A language model may rephrase and reports none.
	// +optional
	// +kubebuilder:validation:MaxItems=100
	// +kubebuilder:validation:items:MaxLength=5000
	// +listType=atomic
	Omitted []string `json:"omitted,omitempty"`
}

// TextShortfall compares the number of wanted slides with the number of slides that have text.
type TextShortfall struct {
	// Wanted is the number of slides that the slideshow should have: the slide count in effect, or 3 if it is automatic.
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=12
	Wanted int32 `json:"wanted"`
	// FromText is the number of slides with text of the context or of the brand's profile.
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=12
	FromText int32 `json:"fromText"`
}

// TextSource is the type of generator of a text.
type TextSource string

// Sources of a text.
const (
	// TextSourceModel is a language model.
	TextSourceModel TextSource = "model"
	// TextSourceOffline is the offline writer, which uses no language model.
	TextSourceOffline TextSource = "offline"
)

// Design contains the values that were chosen for fields that the spec leaves unset. Edits keep them.
type Design struct {
	// AspectRatio in effect.
	// +kubebuilder:validation:MaxLength=16
	AspectRatio string `json:"aspectRatio"`
	// Style in effect.
	// +kubebuilder:validation:MaxLength=64
	Style string `json:"style"`
	// ImageSource in effect.
	ImageSource ImageSource `json:"imageSource"`
	// ImageWorld in effect, if any.
	// +optional
	// +kubebuilder:validation:MaxLength=64
	ImageWorld string `json:"imageWorld,omitempty"`
}

// Attribution is the credit of the author of an image.
type Attribution struct {
	// Provider of the image.
	// +kubebuilder:validation:MaxLength=100
	Provider string `json:"provider"`
	// Author of the image.
	// +optional
	// +kubebuilder:validation:MaxLength=200
	Author string `json:"author,omitempty"`
	// AuthorURL is the link to the author.
	// +optional
	// +kubebuilder:validation:MaxLength=2000
	AuthorURL string `json:"authorURL,omitempty"`
	// License of the image.
	// +optional
	// +kubebuilder:validation:MaxLength=200
	License string `json:"license,omitempty"`
}

// SlideBackground is the image behind the text of a slide.
type SlideBackground struct {
	// Source is stock, media or ai.
	// +kubebuilder:validation:Enum=stock;media;ai
	Source string `json:"source"`
	// ID of the stock or AI image, or the name of the MediaAsset.
	// +kubebuilder:validation:MaxLength=253
	ID string `json:"id"`
	// MediaID is the integer id of the image.
	// +optional
	MediaID int64 `json:"mediaID,omitempty"`
	// BlobKey is the blob store key of the image in the size in which it is used.
	// +kubebuilder:validation:MaxLength=512
	BlobKey string `json:"blobKey"`
	// Attribution, if the licence requires one.
	// +optional
	Attribution *Attribution `json:"attribution,omitempty"`
}

// SlideSpeech is the speech audio of one slide.
type SlideSpeech struct {
	// BlobKey is the blob store key of the audio.
	// +kubebuilder:validation:MaxLength=512
	BlobKey string `json:"blobKey"`
	// DurationMilliseconds of the audio.
	DurationMilliseconds int64 `json:"durationMilliseconds"`
}

// VoiceOverStatus is the voice-over of one revision.
type VoiceOverStatus struct {
	// Revision whose slides have the voice-over.
	Revision int64 `json:"revision"`
	// Source is service (a speech service) or package (the speech program of the renderer).
	// +kubebuilder:validation:Enum=service;package
	Source string `json:"source"`
	// CaptionsKey is the blob store key of the captions of the whole video as WebVTT. Absent if nothing is spoken.
	// +optional
	// +kubebuilder:validation:MaxLength=512
	CaptionsKey string `json:"captionsKey,omitempty"`
	// Unspoken is one sentence about the slides whose text could not be spoken, and the reason. Empty if all slides are
	// spoken.
	// +optional
	// +kubebuilder:validation:MaxLength=500
	Unspoken string `json:"unspoken,omitempty"`
}

// Slide is one slide as rendered.
type Slide struct {
	// ID of the slide within the slideshow.
	ID int64 `json:"id"`
	// Background of the slide.
	Background SlideBackground `json:"background"`
	// TextOverlays as rendered, after normalization.
	// +optional
	// +kubebuilder:validation:MaxItems=8
	// +listType=atomic
	TextOverlays []TextOverlay `json:"textOverlays,omitempty"`
	// Gradient as rendered, after normalization.
	// +optional
	Gradient *Gradient `json:"gradient,omitempty"`
	// AltText describes the slide for users of screen readers.
	// +optional
	// +kubebuilder:validation:MaxLength=1000
	AltText string `json:"altText,omitempty"`
	// LayerKey is the blob store key of the transparent text layer.
	// +kubebuilder:validation:MaxLength=512
	LayerKey string `json:"layerKey"`
	// PictureKey is the blob store key of the finished slide image.
	// +kubebuilder:validation:MaxLength=512
	PictureKey string `json:"pictureKey"`
	// DurationMilliseconds is the time for which the video shows the slide.
	DurationMilliseconds int64 `json:"durationMilliseconds"`
	// Speech is the speech audio of the slide. Absent if nothing is spoken on the slide.
	// +optional
	Speech *SlideSpeech `json:"speech,omitempty"`
	// DrawnFrom is the hash of the inputs of the slide's images. An edit that does not change the hash keeps the images.
	// +optional
	// +kubebuilder:validation:MaxLength=64
	DrawnFrom string `json:"drawnFrom,omitempty"`
}

// Normalization is one value that was changed because it could not be rendered as specified, or would not be readable.
type Normalization struct {
	// SlideID is the id of the slide.
	SlideID int64 `json:"slideID"`
	// OverlayIndex is the index of the overlay within the slide, or -1 for the gradient and the duration of the slide.
	OverlayIndex int32 `json:"overlayIndex"`
	// Field is the name of the changed field.
	// +kubebuilder:validation:MaxLength=64
	Field string `json:"field"`
	// From is the value before the change.
	// +optional
	// +kubebuilder:validation:MaxLength=600
	From string `json:"from,omitempty"`
	// To is the value after the change.
	// +optional
	// +kubebuilder:validation:MaxLength=600
	To string `json:"to,omitempty"`
	// Reason for the change.
	// +kubebuilder:validation:MaxLength=64
	Reason string `json:"reason"`
}

// ShortJob is the newest unit of work on a short, as returned by GET /jobs/{id}. The progress in percent is in the
// status of the RenderJob: a copy would cost a write of the short for each report of a renderer.
type ShortJob struct {
	// Kind of the work.
	// +kubebuilder:validation:Enum=slideshow_generation;render;video_generation
	Kind string `json:"kind"`
	// Render is the name of the RenderJob of the work; absent until it exists.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	Render string `json:"render,omitempty"`
	// RequestedAt is the time at which the work was requested.
	RequestedAt metav1.Time `json:"requestedAt"`
	Work        `json:",inline"`
}

// SlideshowOutput is the newest video of a Slideshow.
type SlideshowOutput struct {
	RenderOutput `json:",inline"`
	// Render is the name of the RenderJob that rendered the video.
	// +kubebuilder:validation:MaxLength=253
	Render string `json:"render"`
	// Revision of the slides in the video.
	Revision int64 `json:"revision"`
	// Stale is true when the video shows an earlier revision than status.revision.
	Stale bool `json:"stale"`
	// FinishedAt is the time at which the render succeeded.
	// +optional
	FinishedAt *metav1.Time `json:"finishedAt,omitempty"`
	// SlideMilliseconds are the times at which the slides are fully shown, in milliseconds from the start of the video.
	// +optional
	// +kubebuilder:validation:MaxItems=35
	// +listType=atomic
	SlideMilliseconds []int64 `json:"slideMilliseconds,omitempty"`
}

// RenderSummary is the running RenderJob of a short, else the newest of the current revision, else the newest.
type RenderSummary struct {
	// Name of the RenderJob.
	// +kubebuilder:validation:MaxLength=253
	Name string `json:"name"`
	// Revision that the RenderJob renders.
	Revision int64 `json:"revision"`
	// State of the render.
	State WorkState `json:"state"`
}

// Charge is the record of charges to the plan's quota and of refunds.
type Charge struct {
	// PeriodStart is the start of the period of the last charge.
	PeriodStart metav1.Time `json:"periodStart"`
	// Charges is the number of charges.
	Charges int32 `json:"charges"`
	// Refunds is the number of refunds.
	// +optional
	Refunds int32 `json:"refunds,omitempty"`
}

// SlideshowStatus is the observed state of the Slideshow.
type SlideshowStatus struct {
	// ObservedGeneration is the generation of the spec that the status describes. It is -1 until the first reconcile, so that a new
	// object never counts as current.
	// +optional
	// +kubebuilder:default=-1
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`
	// Work is the record of the newest generation, or of the newest edit that required rendering slides.
	// +optional
	Work *Work `json:"work,omitempty"`
	// WorkedOn is the newest generation of the spec that the newest work covers. A later generation that requires no
	// further work counts as covered.
	// +optional
	WorkedOn int64 `json:"workedOn,omitempty"`
	// WorkedFor is the hash of the fields of the spec that the newest work depends on.
	// +optional
	// +kubebuilder:validation:MaxLength=64
	WorkedFor string `json:"workedFor,omitempty"`
	// Generated is the record of the generation that created the slideshow. Present once an edit was rendered: work is
	// then the record of that edit.
	// +optional
	Generated *Work `json:"generated,omitempty"`
	// Charge is the record of charges to the plan's quota and of refunds.
	// +optional
	Charge *Charge `json:"charge,omitempty"`
	// Credits that the AI images of the slideshow have cost.
	// +optional
	Credits *CreditUse `json:"credits,omitempty"`
	// RetriedFor is the last handled value of the annotation reelops.dev/retry.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	RetriedFor string `json:"retriedFor,omitempty"`
	// Design contains the values that were chosen for fields that the spec leaves unset.
	// +optional
	Design *Design `json:"design,omitempty"`
	// Text is the generated text. Absent if the slides are written in the spec.
	// +optional
	Text *Text `json:"text,omitempty"`
	// Revision of the slides. The revision increases with every visual change.
	// +optional
	Revision int64 `json:"revision,omitempty"`
	// VisualHash is the hash of everything that the current revision shows and plays.
	// +optional
	// +kubebuilder:validation:MaxLength=64
	VisualHash string `json:"visualHash,omitempty"`
	// Slides of the current revision.
	// +optional
	// +kubebuilder:validation:MaxItems=12
	// +listType=atomic
	Slides []Slide `json:"slides,omitempty"`
	// Normalizations are the values that were changed in the current revision because they could not be rendered as
	// specified.
	// +optional
	// +kubebuilder:validation:MaxItems=200
	// +listType=atomic
	Normalizations []Normalization `json:"normalizations,omitempty"`
	// PreviewKey is the blob store key of the contact sheet.
	// +optional
	// +kubebuilder:validation:MaxLength=512
	PreviewKey string `json:"previewKey,omitempty"`
	// ThumbnailKey is the blob store key of the thumbnail.
	// +optional
	// +kubebuilder:validation:MaxLength=512
	ThumbnailKey string `json:"thumbnailKey,omitempty"`
	// SpeechAttempt is the attempt number of the Job that synthesizes the speech of the slides or detects the times of
	// its words.
	// +optional
	SpeechAttempt int32 `json:"speechAttempt,omitempty"`
	// Voice is the voice-over of the newest revision that has one.
	// +optional
	Voice *VoiceOverStatus `json:"voice,omitempty"`
	// Render is the running RenderJob, else the newest of the current revision, else the newest.
	// +optional
	Render *RenderSummary `json:"render,omitempty"`
	// Job is the newest unit of work on the slideshow. Absent for a draft.
	// +optional
	Job *ShortJob `json:"job,omitempty"`
	// Output is the newest video of the current revision. If there is none, Output is the newest video, which is stale.
	// +optional
	Output *SlideshowOutput `json:"output,omitempty"`
	// Conditions of the slideshow.
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

// Slideshow is a set of slides that are rendered as images and as a video.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:categories=reelops,shortName={show,rlshow}
// +kubebuilder:validation:XValidation:rule="size(self.metadata.name) <= 50",message="the name of a Slideshow must have at most 50 characters: it is part of the names of its RenderJobs"
// +kubebuilder:selectablefield:JSONPath=`.spec.brandRef.name`
// +kubebuilder:selectablefield:JSONPath=`.status.work.state`
// +kubebuilder:selectablefield:JSONPath=`.status.render.state`
// +kubebuilder:printcolumn:name="Ready",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="ID",type=string,JSONPath=`.metadata.labels.reelops\.dev/id`
// +kubebuilder:printcolumn:name="Work",type=string,JSONPath=`.status.work.state`
// +kubebuilder:printcolumn:name="Style",type=string,JSONPath=`.status.design.style`
// +kubebuilder:printcolumn:name="Revision",type=integer,JSONPath=`.status.revision`
// +kubebuilder:printcolumn:name="Render",type=string,JSONPath=`.status.render.state`
// +kubebuilder:printcolumn:name="Stale",type=boolean,JSONPath=`.status.output.stale`
// +kubebuilder:printcolumn:name="Job",type=string,priority=1,JSONPath=`.status.job.kind`
// +kubebuilder:printcolumn:name="State",type=string,priority=1,JSONPath=`.status.job.state`
// +kubebuilder:printcolumn:name="Brand",type=string,JSONPath=`.spec.brandRef.name`,priority=1
// +kubebuilder:printcolumn:name="Message",type=string,priority=1,JSONPath=`.status.conditions[?(@.type=="Ready")].message`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
type Slideshow struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec SlideshowSpec `json:"spec"`
	// +kubebuilder:default={}
	Status SlideshowStatus `json:"status,omitempty"`
}

// SlideshowList is a list of Slideshow.
//
// +kubebuilder:object:root=true
type SlideshowList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Slideshow `json:"items"`
}
