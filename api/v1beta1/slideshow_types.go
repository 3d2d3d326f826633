// SPDX-License-Identifier: Apache-2.0

package v1beta1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// MaxOverlayNumber bounds what numbers of an overlay may be asked for. It is far beyond what can be drawn: numbers that
// the renderer cannot use are brought into its range and reported, not refused.
const MaxOverlayNumber = 100000

// MaxOverlayWord bounds the name of a font or colour on an overlay, in characters.
const MaxOverlayWord = 64

// TextOverlay is one block of text on a slide. Members that are absent are those of the design style for the slide's role,
// its place included. What the renderer cannot draw is brought to the nearest that it can, and reported in
// status.normalizations.
type TextOverlay struct {
	// ID by which edits name the overlay. Where an overlay of the slide has none, or two have the same, all are known by their
	// place in the list, counted from 1.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=9007199254740991
	ID int64 `json:"id,omitempty"`
	// Text of the block; line breaks are kept.
	// +kubebuilder:validation:MaxLength=500
	Text string `json:"text"`
	// FontFamily, one of the published overlay fonts; another is replaced by one that has all the glyphs.
	// +optional
	// +kubebuilder:validation:MaxLength=64
	FontFamily string `json:"fontFamily,omitempty"`
	// FontWeight, 100 to 900. Default: the design style's, or the nearest that the font has.
	// +optional
	// +kubebuilder:validation:Minimum=-100000
	// +kubebuilder:validation:Maximum=100000
	FontWeight int32 `json:"fontWeight,omitempty"`
	// FontSize in pixels on a canvas 1080 pixels wide.
	// +optional
	// +kubebuilder:validation:Minimum=-100000
	// +kubebuilder:validation:Maximum=100000
	FontSize float64 `json:"fontSize,omitempty"`
	// Color, #RGB, #RRGGBB, #RRGGBBAA or a CSS colour name.
	// +optional
	// +kubebuilder:validation:MaxLength=64
	Color string `json:"color,omitempty"`
	// StrokeColor of the outline.
	// +optional
	// +kubebuilder:validation:MaxLength=64
	StrokeColor string `json:"strokeColor,omitempty"`
	// StrokeWidth of the outline in pixels on a canvas 1080 pixels wide; 0 is none. Default: the design style's, or one that
	// suits the size where a strokeColor is given and the style has none.
	// +optional
	// +kubebuilder:validation:Minimum=-100000
	// +kubebuilder:validation:Maximum=100000
	StrokeWidth *float64 `json:"strokeWidth,omitempty"`
	// BackgroundColor of a plate behind the text; empty means none. Default: the design style's, but none on an overlay that
	// names its font, weight and colours.
	// +optional
	// +kubebuilder:validation:MaxLength=64
	BackgroundColor *string `json:"backgroundColor,omitempty"`
	// Position of the middle of the block. Default: where the design style puts it, or below the blocks that have a place.
	// +optional
	Position *Position `json:"position,omitempty"`
	// Align of the lines within the block. Default: the design style's.
	// +optional
	// +kubebuilder:validation:Enum=left;center;right
	Align string `json:"align,omitempty"`
	// MaxWidth of the block in percent of the canvas's width, 20 to 90. Default: the design style's.
	// +optional
	// +kubebuilder:validation:Minimum=-100000
	// +kubebuilder:validation:Maximum=100000
	MaxWidth float64 `json:"maxWidth,omitempty"`
	// LineHeight as a multiple of the font's size. Default: the design style's.
	// +optional
	// +kubebuilder:validation:Minimum=-100000
	// +kubebuilder:validation:Maximum=100000
	LineHeight float64 `json:"lineHeight,omitempty"`
}

// SlideImage names a slide's background.
// +kubebuilder:validation:XValidation:rule="has(self.stock) != has(self.mediaRef)",message="give exactly one of stock (the id of a stock picture) and mediaRef (the name of a MediaAsset)"
type SlideImage struct {
	// Stock is the id of a stock picture: one of the starter set such as starter-night_sky-03, PROVIDER:ID for one that a stock
	// provider has, such as pexels:2014422, or library:NAME for a MediaAsset of the library's namespace.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=200
	Stock *string `json:"stock,omitempty"`
	// MediaRef names a MediaAsset.
	// +optional
	MediaRef *LocalRef `json:"mediaRef,omitempty"`
}

// SlideSpec is one slide written by hand.
// +kubebuilder:validation:XValidation:rule="(has(self.heading) && size(self.heading) > 0) || has(self.textOverlays) || has(self.image)",message="a slide needs a heading, textOverlays or an image"
// +kubebuilder:validation:XValidation:rule="!has(self.textOverlays) || (!has(self.heading) && !has(self.body))",message="give heading and body (laid out by the design style) or textOverlays (placed by you), not both"
// +kubebuilder:validation:XValidation:rule="!has(self.durationMilliseconds) || !has(self.durationSeconds) || double(self.durationMilliseconds) / 1000.0 == double(self.durationSeconds)",message="durationMilliseconds and durationSeconds differ: give durationMilliseconds alone, durationSeconds is deprecated"
type SlideSpec struct {
	// ID by which the slide is known, whatever its place. Default: its place in the list, counted from 1.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=9007199254740991
	ID int64 `json:"id,omitempty"`
	// Role in the story, which the design style lays out accordingly. Default: the first slide is the hook, the last the call
	// to action.
	// +optional
	// +kubebuilder:validation:Enum=hook;point;call_to_action
	Role string `json:"role,omitempty"`
	// Heading is what a reader sees first; laid out by the design style.
	// +optional
	// +kubebuilder:validation:MaxLength=500
	Heading string `json:"heading,omitempty"`
	// Body is the smaller text below the heading.
	// +optional
	// +kubebuilder:validation:MaxLength=500
	Body string `json:"body,omitempty"`
	// TextOverlays placed by hand instead of heading and body; an empty list means no text.
	// +optional
	// +kubebuilder:validation:MaxItems=8
	// +listType=atomic
	TextOverlays *[]TextOverlay `json:"textOverlays,omitempty"`
	// Image is the background; absent: one is chosen to fit the words.
	// +optional
	Image *SlideImage `json:"image,omitempty"`
	// AltText says what the slide shows, for people who cannot see it. Default: the words on it.
	// +optional
	// +kubebuilder:validation:MaxLength=1000
	AltText string `json:"altText,omitempty"`
	// DurationMilliseconds for which the video shows the slide, 1000 to 30000. Default: the reading time of its words at the pace of the
	// film.
	// +optional
	// +kubebuilder:validation:Minimum=1000
	// +kubebuilder:validation:Maximum=30000
	DurationMilliseconds int64 `json:"durationMilliseconds,omitempty"`
	// DurationSeconds for which the video shows the slide, 1 to 30.
	//
	// Deprecated: use durationMilliseconds. DurationSeconds works for as long as this version is served.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=30
	DurationSeconds float64 `json:"durationSeconds,omitempty"`
}

// FilmSpec says how slides become a film.
type FilmSpec struct {
	// Motion of a slide's background. Default: the design style's.
	// +optional
	// +kubebuilder:validation:Enum=still;slow_zoom
	Motion string `json:"motion,omitempty"`
	// Transition between slides. Default: the design style's.
	// +optional
	// +kubebuilder:validation:Enum=cut;crossfade
	Transition string `json:"transition,omitempty"`
	// Pace at which slides follow one another, by the words on them. Default: normal, 1.2 seconds and 0.3 seconds a word, 2 seconds
	// at least and 12 at most.
	// +optional
	// +kubebuilder:validation:Enum=slow;normal;fast
	Pace string `json:"pace,omitempty"`
}

// Modes of a voice-over.
const (
	VoiceOverSpeak = "speak"
	VoiceOverNone  = "none"
)

// VoiceOver says whether the video of a slideshow speaks the words of its slides. Photo sets have no sound.
type VoiceOver struct {
	// Mode is speak (the words of each slide are spoken) or none.
	// +optional
	// +kubebuilder:default=speak
	// +kubebuilder:validation:Enum=speak;none
	Mode string `json:"mode,omitempty"`
	// Name of the voice, as the speech service or package knows it. Default: one that suits the language.
	// +optional
	// +kubebuilder:validation:MaxLength=64
	// +kubebuilder:validation:Pattern=`^[A-Za-z0-9][A-Za-z0-9_.:+-]*$`
	Name string `json:"name,omitempty"`
}

// SlideshowSpec is the desired state of the Slideshow.
// +kubebuilder:validation:XValidation:rule="(has(self.context) && size(self.context.trim()) > 0) || (has(self.slides) && size(self.slides) > 0)",message="a slideshow needs context (what it should say) or slides (written by hand)"
// +kubebuilder:validation:XValidation:rule="self.brandRef == oldSelf.brandRef",message="brandRef cannot be changed: make a new Slideshow for the other brand"
// +kubebuilder:validation:XValidation:rule="!has(self.hashtags) || !has(self.tags) || self.hashtags.join(',') == self.tags.replace(', ', ',')",message="hashtags and tags differ: give hashtags alone, tags is deprecated"
type SlideshowSpec struct {
	// BrandRef is the brand that speaks.
	BrandRef LocalRef `json:"brandRef"`
	// Context says who the slideshow is for and what it should say.
	// +optional
	// +kubebuilder:validation:MaxLength=5000
	Context string `json:"context,omitempty"`
	// SlideCount, 0 for automatic.
	// +optional
	// +kubebuilder:validation:XValidation:rule="self == 0 || (self >= 3 && self <= 12)",message="slideCount must be 0 (automatic) or from 3 to 12"
	SlideCount int32 `json:"slideCount,omitempty"`
	// AspectRatio. Default: the brand's, else 9:16.
	// +optional
	// +kubebuilder:validation:Enum="9:16";"4:5"
	AspectRatio string `json:"aspectRatio,omitempty"`
	// DesignStyle. Default: one the brand has not used lately.
	// +optional
	// +kubebuilder:validation:MaxLength=64
	DesignStyle string `json:"designStyle,omitempty"`
	// ImageWorld that backgrounds come from. Default: the brand's, else the texts decide.
	// +optional
	// +kubebuilder:validation:MaxLength=64
	ImageWorld string `json:"imageWorld,omitempty"`
	// ImageSource of the backgrounds. Default: the brand's, else stock.
	// +optional
	ImageSource *ImageSource `json:"imageSource,omitempty"`
	// Music under the film; absent means a silent one. Renders that have begun keep what they began with.
	// +optional
	Music *MusicSource `json:"music,omitempty"`
	// Voice speaks the slides in the video; absent means that nothing is spoken. Each slide is shown for as long as its words take.
	// +optional
	Voice *VoiceOver `json:"voice,omitempty"`
	// Title; empty means none. Default: written from the context.
	// +optional
	// +kubebuilder:validation:MaxLength=200
	Title *string `json:"title,omitempty"`
	// Caption; empty means none. Default: written from the context.
	// +optional
	// +kubebuilder:validation:MaxLength=5000
	Caption *string `json:"caption,omitempty"`
	// Hashtags to post with, without #; an empty list means none. Default: written from the context.
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
	// Language of the texts, BCP 47. Default: the brand's, else the context's.
	// +optional
	// +kubebuilder:validation:MaxLength=35
	Language string `json:"language,omitempty"`
	// Gradient over the backgrounds. Default: the brand's, else the design style's.
	// +optional
	Gradient *Gradient `json:"gradient,omitempty"`
	// Slides written by hand, or generated and then edited; then no text is generated. From 1, because a context with little text
	// gives fewer slides than requested, and an edit stores them here.
	// +optional
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=12
	// +kubebuilder:validation:XValidation:rule="self.all(s, has(s.id)) || !self.exists(s, has(s.id))",message="give every slide an id, or none: without ids a slide is known by its place"
	// +kubebuilder:validation:XValidation:rule="self.all(s, !has(s.id) || self.exists_one(o, has(o.id) && o.id == s.id))",message="every slide needs an id of its own"
	// +listType=atomic
	Slides []SlideSpec `json:"slides,omitempty"`
	// Film says how the slides become a film.
	// +optional
	// +kubebuilder:default={}
	Film FilmSpec `json:"film,omitempty"`
	// AutoRender makes a RenderJob as soon as the slides are there.
	// +optional
	AutoRender bool `json:"autoRender,omitempty"`
	// Suspend keeps the slideshow a draft: nothing is made until it is false.
	// +optional
	Suspend bool `json:"suspend,omitempty"`
}

// SlideText is the text of one slide as the writer made it.
type SlideText struct {
	// Role of the slide in the story.
	// +kubebuilder:validation:Enum=hook;point;call_to_action
	Role string `json:"role"`
	// Heading is what a reader sees first.
	// +kubebuilder:validation:MaxLength=500
	Heading string `json:"heading"`
	// Body is the smaller text below the heading.
	// +optional
	// +kubebuilder:validation:MaxLength=1000
	Body string `json:"body,omitempty"`
	// AltText says what the slide shows.
	// +optional
	// +kubebuilder:validation:MaxLength=1000
	AltText string `json:"altText,omitempty"`
	// Keywords for choosing a picture.
	// +optional
	// +kubebuilder:validation:MaxItems=32
	// +kubebuilder:validation:items:MaxLength=100
	// +listType=atomic
	Keywords []string `json:"keywords,omitempty"`
}

// Text is a slideshow's written content. It is a fact: a paid writer is asked once for each source.
type Text struct {
	// SourceHash tells what the text was written from.
	// +kubebuilder:validation:MaxLength=64
	SourceHash string `json:"sourceHash"`
	// Language of the text, BCP 47.
	// +kubebuilder:validation:MaxLength=35
	Language string `json:"language"`
	// Title of the slideshow.
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
	// Slides in order.
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=12
	// +listType=atomic
	Slides []SlideText `json:"slides"`
	// Source of the text: model or offline. Offline slides show the words of the context and of the brand's profile only. Empty for
	// texts written before this field existed.
	// +optional
	// +kubebuilder:validation:Enum=model;offline
	Source TextSource `json:"source,omitempty"`
	// Model that wrote the text; empty for the offline writer.
	// +optional
	// +kubebuilder:validation:MaxLength=200
	Model string `json:"model,omitempty"`
	// Shortfall is set when the context and the brand's profile hold too little text for the slides and no text model is configured.
	// +optional
	Shortfall *TextShortfall `json:"shortfall,omitempty"`
	// Omitted are the passages of the context that are neither on a slide nor in the caption, in their order. The offline writer reports
	// what does not fit into the slides; a language model may rephrase and reports none.
	// +optional
	// +kubebuilder:validation:MaxItems=100
	// +kubebuilder:validation:items:MaxLength=5000
	// +listType=atomic
	Omitted []string `json:"omitted,omitempty"`
}

// TextShortfall is how far the text of a slideshow reaches.
type TextShortfall struct {
	// Wanted is how many slides there should be: the slide count in force, or 3 when it is automatic.
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=12
	Wanted int32 `json:"wanted"`
	// FromText is how many slides show words of the context or of the brand's profile.
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=12
	FromText int32 `json:"fromText"`
}

// TextSource is who wrote a text.
type TextSource string

// The sources of a text.
const (
	// TextSourceModel is a language model.
	TextSourceModel TextSource = "model"
	// TextSourceOffline is the writer that has no model.
	TextSourceOffline TextSource = "offline"
)

// Design is what was chosen for a slideshow where the spec leaves the choice open. It is kept over edits.
type Design struct {
	// AspectRatio in force.
	// +kubebuilder:validation:MaxLength=16
	AspectRatio string `json:"aspectRatio"`
	// Style in force.
	// +kubebuilder:validation:MaxLength=64
	Style string `json:"style"`
	// ImageSource in force.
	ImageSource ImageSource `json:"imageSource"`
	// ImageWorld in force, if any.
	// +optional
	// +kubebuilder:validation:MaxLength=64
	ImageWorld string `json:"imageWorld,omitempty"`
}

// Attribution names the maker of a picture.
type Attribution struct {
	// Provider of the picture.
	// +kubebuilder:validation:MaxLength=100
	Provider string `json:"provider"`
	// Author of the picture.
	// +optional
	// +kubebuilder:validation:MaxLength=200
	Author string `json:"author,omitempty"`
	// AuthorURL leads to the author.
	// +optional
	// +kubebuilder:validation:MaxLength=2000
	AuthorURL string `json:"authorURL,omitempty"`
	// License of the picture.
	// +optional
	// +kubebuilder:validation:MaxLength=200
	License string `json:"license,omitempty"`
}

// SlideBackground is the picture behind a slide's text.
type SlideBackground struct {
	// Source is stock, media or ai.
	// +kubebuilder:validation:Enum=stock;media;ai
	Source string `json:"source"`
	// ID of the stock or AI picture, or the name of the MediaAsset.
	// +kubebuilder:validation:MaxLength=253
	ID string `json:"id"`
	// MediaID is the picture's integer id.
	// +optional
	MediaID int64 `json:"mediaID,omitempty"`
	// BlobKey of the picture at the size in which it is used.
	// +kubebuilder:validation:MaxLength=512
	BlobKey string `json:"blobKey"`
	// Attribution, where the licence asks for one.
	// +optional
	Attribution *Attribution `json:"attribution,omitempty"`
}

// SlideSpeech is the spoken text of one slide.
type SlideSpeech struct {
	// BlobKey of the sound.
	// +kubebuilder:validation:MaxLength=512
	BlobKey string `json:"blobKey"`
	// DurationMilliseconds of the sound.
	DurationMilliseconds int64 `json:"durationMilliseconds"`
}

// VoiceOverStatus is the voice-over of one revision.
type VoiceOverStatus struct {
	// Revision whose slides are spoken.
	Revision int64 `json:"revision"`
	// Source is service (a speech service) or package (the speech program of the renderer).
	// +kubebuilder:validation:Enum=service;package
	Source string `json:"source"`
	// CaptionsKey is the blob of the spoken words of the whole video as WebVTT; absent when nothing is spoken.
	// +optional
	// +kubebuilder:validation:MaxLength=512
	CaptionsKey string `json:"captionsKey,omitempty"`
	// Unspoken is one sentence on the slides whose words could not be spoken, and the reason; empty when all were.
	// +optional
	// +kubebuilder:validation:MaxLength=500
	Unspoken string `json:"unspoken,omitempty"`
}

// Slide is one slide as it was drawn.
type Slide struct {
	// ID of the slide within the slideshow.
	ID int64 `json:"id"`
	// Background of the slide.
	Background SlideBackground `json:"background"`
	// TextOverlays as they were drawn, after normalising.
	// +optional
	// +kubebuilder:validation:MaxItems=8
	// +listType=atomic
	TextOverlays []TextOverlay `json:"textOverlays,omitempty"`
	// Gradient as it was drawn, after normalising.
	// +optional
	Gradient *Gradient `json:"gradient,omitempty"`
	// AltText says what the slide shows.
	// +optional
	// +kubebuilder:validation:MaxLength=1000
	AltText string `json:"altText,omitempty"`
	// LayerKey is the blob of the transparent text layer.
	// +kubebuilder:validation:MaxLength=512
	LayerKey string `json:"layerKey"`
	// PictureKey is the blob of the finished slide.
	// +kubebuilder:validation:MaxLength=512
	PictureKey string `json:"pictureKey"`
	// DurationMilliseconds for which the film shows it.
	DurationMilliseconds int64 `json:"durationMilliseconds"`
	// Speech is the spoken text of the slide; absent when nothing is spoken on it.
	// +optional
	Speech *SlideSpeech `json:"speech,omitempty"`
	// DrawnFrom tells what the pictures were drawn from: an edit that leaves it as it is keeps them.
	// +optional
	// +kubebuilder:validation:MaxLength=64
	DrawnFrom string `json:"drawnFrom,omitempty"`
}

// Normalization is one change that the normaliser made.
type Normalization struct {
	// SlideID of the slide.
	SlideID int64 `json:"slideID"`
	// OverlayIndex within the slide; -1 for the gradient and for the time of the slide.
	OverlayIndex int32 `json:"overlayIndex"`
	// Field that was changed.
	// +kubebuilder:validation:MaxLength=64
	Field string `json:"field"`
	// From is the value before.
	// +optional
	// +kubebuilder:validation:MaxLength=600
	From string `json:"from,omitempty"`
	// To is the value after.
	// +optional
	// +kubebuilder:validation:MaxLength=600
	To string `json:"to,omitempty"`
	// Reason of the change.
	// +kubebuilder:validation:MaxLength=64
	Reason string `json:"reason"`
}

// ShortJob is the newest piece of work on a short, as GET /jobs/{id} returns it. The percentage is in the status of the RenderJob: copying
// it would cost a write of the short for each report of a renderer.
type ShortJob struct {
	// Kind of the work.
	// +kubebuilder:validation:Enum=slideshow_generation;render;video_generation
	Kind string `json:"kind"`
	// Render is the name of the RenderJob of the work; absent until it exists.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	Render string `json:"render,omitempty"`
	// RequestedAt is when the work was requested.
	RequestedAt metav1.Time `json:"requestedAt"`
	Work        `json:",inline"`
}

// SlideshowOutput is the newest video of a Slideshow.
type SlideshowOutput struct {
	RenderOutput `json:",inline"`
	// Render is the name of the RenderJob that made the video.
	// +kubebuilder:validation:MaxLength=253
	Render string `json:"render"`
	// Revision of the slides in the video.
	Revision int64 `json:"revision"`
	// Stale is true when the video shows an earlier revision than status.revision.
	Stale bool `json:"stale"`
	// FinishedAt is when the render succeeded.
	// +optional
	FinishedAt *metav1.Time `json:"finishedAt,omitempty"`
	// SlideMilliseconds are the moments at which the slides are fully shown, from the start of the video.
	// +optional
	// +kubebuilder:validation:MaxItems=35
	// +listType=atomic
	SlideMilliseconds []int64 `json:"slideMilliseconds,omitempty"`
}

// RenderSummary is the RenderJob of a short that runs, else the newest of the current revision, else the newest.
type RenderSummary struct {
	// Name of the RenderJob.
	// +kubebuilder:validation:MaxLength=253
	Name string `json:"name"`
	// Revision it renders.
	Revision int64 `json:"revision"`
	// State of the render.
	State WorkState `json:"state"`
}

// Charge says how often the slideshow was charged to the plan's quota and given back.
type Charge struct {
	// PeriodStart is the period of the last charge.
	PeriodStart metav1.Time `json:"periodStart"`
	// Charges made.
	Charges int32 `json:"charges"`
	// Refunds made.
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
	// Work is the record of the newest generation, or of the newest edit that had to be drawn.
	// +optional
	Work *Work `json:"work,omitempty"`
	// WorkedOn is the newest generation of the spec that the newest work answers: what came after the work was started and
	// asked for nothing more counts as answered.
	// +optional
	WorkedOn int64 `json:"workedOn,omitempty"`
	// WorkedFor tells what the newest work was asked for.
	// +optional
	// +kubebuilder:validation:MaxLength=64
	WorkedFor string `json:"workedFor,omitempty"`
	// Generated is the record of the generation that made the slideshow. It is present once an edit was drawn: work then
	// tells of that edit.
	// +optional
	Generated *Work `json:"generated,omitempty"`
	// Charge to the plan's quota.
	// +optional
	Charge *Charge `json:"charge,omitempty"`
	// Credits that AI pictures have cost.
	// +optional
	Credits *CreditUse `json:"credits,omitempty"`
	// RetriedFor is the value of the retry annotation that was acted upon.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	RetriedFor string `json:"retriedFor,omitempty"`
	// Design is what was chosen where the spec leaves the choice open.
	// +optional
	Design *Design `json:"design,omitempty"`
	// Text is the written content; absent when slides are written by hand.
	// +optional
	Text *Text `json:"text,omitempty"`
	// Revision rises with every visual change.
	// +optional
	Revision int64 `json:"revision,omitempty"`
	// VisualHash tells what the current revision was drawn from.
	// +optional
	// +kubebuilder:validation:MaxLength=64
	VisualHash string `json:"visualHash,omitempty"`
	// Slides of the current revision.
	// +optional
	// +kubebuilder:validation:MaxItems=12
	// +listType=map
	// +listMapKey=id
	Slides []Slide `json:"slides,omitempty"`
	// Normalizations that the normaliser made in the current revision.
	// +optional
	// +kubebuilder:validation:MaxItems=200
	// +listType=atomic
	Normalizations []Normalization `json:"normalizations,omitempty"`
	// PreviewKey is the blob of the contact sheet.
	// +optional
	// +kubebuilder:validation:MaxLength=512
	PreviewKey string `json:"previewKey,omitempty"`
	// ThumbnailKey is the blob of the thumbnail.
	// +optional
	// +kubebuilder:validation:MaxLength=512
	ThumbnailKey string `json:"thumbnailKey,omitempty"`
	// SpeechAttempt counts the Jobs that spoke slides or looked for their words.
	// +optional
	SpeechAttempt int32 `json:"speechAttempt,omitempty"`
	// Voice is the voice-over of the newest revision that has one.
	// +optional
	Voice *VoiceOverStatus `json:"voice,omitempty"`
	// Render is the RenderJob that runs, else the newest of the current revision, else the newest.
	// +optional
	Render *RenderSummary `json:"render,omitempty"`
	// Job is the newest piece of work on the slideshow; absent for a draft.
	// +optional
	Job *ShortJob `json:"job,omitempty"`
	// Output is the newest video of the current revision, else the newest video, which is stale.
	// +optional
	Output *SlideshowOutput `json:"output,omitempty"`
	// Conditions of the slideshow.
	// +optional
	// +listType=map
	// +listMapKey=type
	// +kubebuilder:validation:MaxItems=16
	Conditions []metav1.Condition `json:"conditions,omitempty"`
}

// Slideshow is a set of slides that become pictures and a film.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:categories=reelops,shortName={show,rlshow}
// +kubebuilder:validation:XValidation:rule="size(self.metadata.name) <= 50",message="the name of a Slideshow has at most 50 characters: its renders are named after it"
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
