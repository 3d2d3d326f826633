// SPDX-License-Identifier: Apache-2.0

package view

import (
	"encoding/json"
	"reflect"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/content/deck"
	"github.com/reelops/reelops/internal/film/renders"
)

// Raw statuses of a short.
const (
	StatusDraft            = "draft"
	StatusProcessing       = "processing"
	StatusSuccessSlideshow = "success_slideshow"
	StatusSuccess          = "success"
	StatusFailed           = "failed"
)

// ShortStatus is the raw status of a short.
type ShortStatus string

// Schema lists the statuses.
func (ShortStatus) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeString, Enum: []any{StatusDraft, StatusProcessing, StatusSuccessSlideshow, StatusSuccess, StatusFailed}}
}

// ShortType is the type of a short.
type ShortType string

// Schema lists the types.
func (ShortType) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeString, Enum: []any{catalog.ShortSlideshow, catalog.ShortUGC}}
}

// Short is all that its views are made from.
type Short struct {
	// ID is the short id.
	ID int64
	// Show is a slideshow, Video a film of an avatar and demos: one of the two is there.
	Show  *v1beta1.Slideshow
	Video *v1beta1.Video
	// Renders of it, newest first.
	Renders []v1beta1.RenderJob
	// Brand it belongs to, and that brand's id.
	Brand   *v1beta1.Brand
	BrandID int64
	// PackID of the media pack its pictures come from; 0 for none.
	PackID int64
	// MusicID of the track under its film; 0 for none.
	MusicID int64
	// AvatarID of the media item that speaks in a video, DemoIDs of those that follow, in the order of its spec; 0 for what was
	// given by its address, or is gone.
	AvatarID int64
	DemoIDs  []int64
	// Edited says that the slides were just told to be otherwise and are not drawn yet. Without it the slideshow itself tells,
	// as far as it is known.
	Edited bool
	// Posts made from it, newest first, as a detail shows them; PostCounts counts all of them.
	Posts      []Post
	PostCounts PostCounts
	// Sign makes addresses of blobs.
	Sign Signer
	// Usual returns how long work of a kind of job usually takes; 0 while that is unknown. nil: unknown for all kinds.
	Usual func(kind string) time.Duration
}

// ShortSummary is a short in a list.
type ShortSummary struct {
	ID              int64       `json:"id" example:"123" doc:"The short id; its job has the same."`
	ShortType       ShortType   `json:"short_type" doc:"A slideshow, or a hook-and-demo video."`
	Status          ShortStatus `json:"status" doc:"The raw status."`
	Title           *string     `json:"title" doc:"null until one is given or written."`
	Caption         *string     `json:"caption" doc:"null until one is given or written."`
	Tags            string      `json:"tags" doc:"Comma separated, possibly empty."`
	AspectRatio     string      `json:"aspect_ratio" example:"9:16" doc:"Of the canvas."`
	SlideCount      int         `json:"slide_count" doc:"What is there, else what will be; 0 while that is open, and for a hook-and-demo video."`
	DurationSeconds *float64    `json:"duration_seconds" doc:"Of the MP4."`
	ThumbnailURL    *string     `json:"thumbnail_url" format:"uri" doc:"A small picture of the first slide, or of the film's beginning."`
	PreviewURL      *string     `json:"preview_url" format:"uri" doc:"A picture of all slides, or of the film's beginning."`
	VideoURL        *string     `json:"video_url" format:"uri" doc:"The MP4: of a slideshow, of its current slides."`
	RenderStatus    string      `json:"render_status" enum:"none,queued,processing,succeeded,failed,stale" doc:"stale: the slides were changed after the last video was made."`
	PostCounts      PostCounts  `json:"post_counts" doc:"Posts made from it."`
	BrandID         int64       `json:"brand_id" doc:"The brand it was made for."`
	CreatedAt       Time        `json:"created_at" doc:"When it was asked for."`
	UpdatedAt       Time        `json:"updated_at" doc:"When it was last changed or worked on."`
}

// LogShort tells a log which short an answer speaks of.
func (s ShortSummary) LogShort() int64 { return s.ID }

// PostCounts counts the posts made from a short.
type PostCounts struct {
	Total     int `json:"total" doc:"Whatever their status."`
	Scheduled int `json:"scheduled" doc:"Waiting for their time."`
	Success   int `json:"success" doc:"Published."`
	Failed    int `json:"failed" doc:"Given up."`
}

// Picture is an address with its size in pixels.
type Picture struct {
	URL    string `json:"url" format:"uri" doc:"No key needed; works for 7 days."`
	Width  int    `json:"width" doc:"Pixels."`
	Height int    `json:"height" doc:"Pixels."`
}

// ShortCore is what a short of any type has besides what lists show.
type ShortCore struct {
	ShortSummary
	Thumbnail Nullable[Picture] `json:"thumbnail" doc:"The small picture, with its size."`
	Revision  int64             `json:"revision" doc:"Rises with every visual change; 0 before the slides, or the film's parts, are there."`
}

// ShortRecord is one slideshow with its content, without what was made of it.
type ShortRecord struct {
	ShortCore
	TypeData SlideshowData `json:"type_data"`
}

// ShortDetail is one short with all that is known of it.
type ShortDetail struct {
	ShortCore
	TypeData TypeData       `json:"type_data"`
	Text     Nullable[Text] `json:"text" doc:"Who wrote the text; null until there is one."`
	Posts    []Post         `json:"posts" doc:"Posts of the short, newest first, 100 at most."`
	Job      Nullable[Job]  `json:"job" doc:"The newest work on the short; null for a draft."`
}

// The sources of a short's text.
const (
	TextModel   = string(v1beta1.TextSourceModel)
	TextOffline = string(v1beta1.TextSourceOffline)
	TextManual  = "manual"
)

// Text is who wrote the text of a short.
type Text struct {
	Source string  `json:"source" enum:"model,offline,manual" doc:"model: a language model; offline: the context's and the brand's own words, without a model; manual: given by the caller. Edits do not change the source."`
	Model  *string `json:"model" example:"llama3.2" doc:"Name of the language model; null for other sources."`
	// Omitted is never nil.
	Omitted []string `json:"omitted" doc:"Passages of the context that are neither on a slide nor in the caption, in order; empty when all of it is there, and for other sources than offline."`
}

// TypeData is what a short has beyond any: by its short_type, one of the two.
type TypeData struct {
	Slideshow *SlideshowData
	Video     *VideoData
}

// MarshalJSON writes the one that is there.
func (t TypeData) MarshalJSON() ([]byte, error) {
	if t.Video != nil {
		return json.Marshal(t.Video)
	}
	return json.Marshal(t.Slideshow)
}

// Schema describes both.
func (TypeData) Schema(r huma.Registry) *huma.Schema {
	return &huma.Schema{
		Description: "With short_type SLIDESHOW what a slideshow has beyond any short, with UGC what a hook-and-demo video has.",
		OneOf:       []*huma.Schema{r.Schema(reflect.TypeFor[SlideshowData](), true, ""), r.Schema(reflect.TypeFor[VideoData](), true, "")},
	}
}

// Type of the short.
func (s *Short) Type() string {
	if s.Video != nil {
		return catalog.ShortUGC
	}
	return catalog.ShortSlideshow
}

// Summary views the short as a list shows it.
func (s *Short) Summary() (*ShortSummary, error) {
	if s.Video != nil {
		return s.videoSummary()
	}
	st := &s.Show.Status
	out := &ShortSummary{
		ID: s.ID, ShortType: catalog.ShortSlideshow, Status: ShortStatus(s.rawStatus()),
		Title: words(s.Show.Spec.Title), Caption: words(s.Show.Spec.Caption), Tags: s.tags(),
		AspectRatio: s.ratio().Value, SlideCount: s.slideCount(), RenderStatus: s.renderStatus(), PostCounts: s.PostCounts,
		BrandID: s.BrandID, CreatedAt: Time{v1beta1.CreatedAt(s.Show).Time}, UpdatedAt: Time{s.updated()},
	}
	if st.Text != nil {
		if s.Show.Spec.Title == nil {
			out.Title = nonEmpty(st.Text.Title)
		}
		if s.Show.Spec.Caption == nil {
			out.Caption = nonEmpty(st.Text.Caption)
		}
	}
	for key, to := range map[string]**string{st.ThumbnailKey: &out.ThumbnailURL, st.PreviewKey: &out.PreviewURL} {
		if key == "" {
			continue
		}
		u, err := s.url(key)
		if err != nil {
			return nil, err
		}
		*to = &u
	}
	var err error
	if out.VideoURL, err = s.videoURL(); err != nil {
		return nil, err
	}
	if o := s.film(); o != nil {
		seconds := float64(o.DurationMilliseconds) / 1000
		out.DurationSeconds = &seconds
	}
	return out, nil
}

// words are a text beside the slides; an empty one is none.
func words(of *string) *string {
	if of == nil {
		return nil
	}
	return nonEmpty(*of)
}

// Record views a slideshow with its content. While an edit is not drawn yet it is the record as it was asked for.
func (s *Short) Record() (*ShortRecord, error) {
	core, err := s.core()
	if err != nil {
		return nil, err
	}
	out := &ShortRecord{ShortCore: *core}
	out.TypeData, err = s.slideshowData()
	return out, err
}

func (s *Short) core() (*ShortCore, error) {
	summary, err := s.Summary()
	if err != nil {
		return nil, err
	}
	out := &ShortCore{ShortSummary: *summary}
	var r catalog.AspectRatio
	if s.Video != nil {
		out.Revision, r = s.Video.Status.Revision, s.videoRatio()
	} else {
		out.Revision, r = s.Show.Status.Revision, s.ratio()
		if s.redrawing() && out.Revision > 0 {
			out.Revision++
		}
	}
	if summary.ThumbnailURL != nil {
		out.Thumbnail.Value = &Picture{URL: *summary.ThumbnailURL, Width: catalog.ThumbnailWidth, Height: catalog.ThumbnailWidth * r.Height / r.Width}
	}
	return out, nil
}

// Detail views everything.
func (s *Short) Detail(now time.Time) (*ShortDetail, error) {
	core, err := s.core()
	if err != nil {
		return nil, err
	}
	out := &ShortDetail{ShortCore: *core, Posts: append([]Post{}, s.Posts...)}
	if s.Video != nil {
		out.TypeData.Video, err = s.videoData()
	} else {
		var data SlideshowData
		data, err = s.slideshowData()
		out.TypeData.Slideshow = &data
	}
	if err != nil {
		return nil, err
	}
	out.Text.Value = s.text()
	if s.HasJob() {
		if out.Job.Value, err = s.Job(now); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// text returns who wrote the short's text; nil until there is one, and for a text from before its source was kept.
func (s *Short) text() *Text {
	var source v1beta1.TextSource
	var model string
	var given, written bool
	omitted := []string{}
	if s.Video != nil {
		given = s.Video.Spec.HookText != nil
		if t := s.Video.Status.Text; t != nil {
			source, model, written = t.Source, t.Model, true
		}
		written = written && !given
	} else {
		given = len(s.Show.Spec.Slides) > 0
		if t := s.Show.Status.Text; t != nil {
			source, model, written = t.Source, t.Model, true
			omitted = append(omitted, t.Omitted...)
		}
	}
	switch {
	case written && source != "":
		return &Text{Source: string(source), Model: nonEmpty(model), Omitted: omitted}
	case given && !written:
		return &Text{Source: TextManual, Omitted: []string{}}
	}
	return nil
}

// Undrawn says that the slides were told to be otherwise and nobody has drawn them, or begun to.
func (s *Short) Undrawn() bool { return s.Edited || deck.Outdated(s.Show) }

func (s *Short) rawStatus() string {
	if s.Video != nil {
		return s.videoStatus()
	}
	w := s.Show.Status.Work
	making := w == nil || !w.State.Settled() || s.Undrawn()
	switch {
	case making && s.Show.Spec.Suspend:
		return StatusDraft
	case making:
		return StatusProcessing
	case w.State == v1beta1.WorkFailed:
		return StatusFailed
	}
	return StatusSuccessSlideshow
}

// renderStatus returns the state of the render that runs or of the current revision, else stale for a video of an earlier revision. The
// revision of a Video does not change.
func (s *Short) renderStatus() string {
	if s.Video != nil {
		switch st := &s.Video.Status; {
		case st.Output != nil:
			return string(v1beta1.WorkSucceeded)
		case st.Render != nil:
			return string(st.Render.State)
		}
		return "none"
	}
	revision := s.Show.Status.Revision
	r := renders.Shown(s.Renders, revision)
	switch {
	case r != nil && (!renders.State(r).Settled() || renders.Revision(r) == revision && !s.redrawing()):
		return string(renders.State(r))
	case renders.Video(s.Show, s.Renders) != nil:
		return "stale"
	}
	return "none"
}

// redrawing says that the slides of the current revision are about to be replaced.
func (s *Short) redrawing() bool {
	w := s.Show.Status.Work
	return s.Undrawn() || deck.Edited(s.Show) && w != nil && !w.State.Settled()
}

// film returns the video of the current revision; nil if there is none.
func (s *Short) film() *v1beta1.RenderOutput {
	if s.Video != nil {
		return s.Video.Status.Output
	}
	if v := s.Current(); v != nil {
		return &v.RenderOutput
	}
	return nil
}

// Current returns the video of a slideshow's current revision; nil if there is none, and while the slides are about to be replaced.
func (s *Short) Current() *v1beta1.SlideshowOutput {
	if v := renders.Video(s.Show, s.Renders); v != nil && !v.Stale && !s.redrawing() {
		return v
	}
	return nil
}

// RunningRender is the newest render that has not ended, or nil.
func (s *Short) RunningRender() *v1beta1.RenderJob { return renders.Running(s.Renders) }

// VideoURL of the current revision's film, or nil.
func (s *Short) VideoURL() (*string, error) { return s.videoURL() }

// Status is the raw status.
func (s *Short) Status() string { return s.rawStatus() }

func (s *Short) videoURL() (*string, error) {
	o := s.film()
	if o == nil {
		return nil, nil
	}
	return s.address(o.BlobKey)
}

// address returns the URL of a blob; nil if the key is empty.
func (s *Short) address(key string) (*string, error) {
	u, err := s.url(key)
	return nonEmpty(u), err
}

func (s *Short) url(key string) (string, error) {
	if key == "" {
		return "", nil
	}
	return s.Sign(key, catalog.PictureURLValidity)
}

func (s *Short) tags() string {
	if tags := s.Show.Spec.TagText(); tags != nil {
		return *tags
	}
	if s.Show.Status.Text != nil {
		return strings.Join(s.Show.Status.Text.Tags, ",")
	}
	return ""
}

// design in force, as far as it is chosen.
func (s *Short) design() v1beta1.Design { return deck.DesignOf(s.Show, deck.OfBrand(s.Brand)) }

func (s *Short) ratio() catalog.AspectRatio {
	if r, ok := catalog.AspectRatioByValue(s.design().AspectRatio); ok {
		return r
	}
	return catalog.DefaultAspectRatio()
}

// slideCount is what is there, else what will be there; 0 while that is open.
func (s *Short) slideCount() int {
	switch st := &s.Show.Status; {
	case len(st.Slides) > 0 && (len(s.Show.Spec.Slides) == 0 || !s.redrawing()):
		return len(st.Slides)
	case len(s.Show.Spec.Slides) > 0:
		return len(s.Show.Spec.Slides)
	case st.Text != nil:
		return len(st.Text.Slides)
	}
	return int(s.Show.Spec.SlideCount)
}

// updated is the latest time at which somebody changed the spec or a piece of work came to a new state.
func (s *Short) updated() time.Time {
	latest := newest{v1beta1.CreatedAt(s.Show).Time}
	latest.written(s.Show.ManagedFields)
	latest.worked(s.Show.Status.Work)
	latest.worked(s.Show.Status.Generated)
	for i := range s.Renders {
		latest.at(&s.Renders[i].CreationTimestamp)
		latest.worked(s.Renders[i].Status.Work)
	}
	return latest.Time
}

// newest is the latest of times.
type newest struct{ time.Time }

func (n *newest) at(t *metav1.Time) {
	if t != nil && t.After(n.Time) {
		n.Time = t.Time
	}
}

// written takes in when somebody wrote an object, but for its status.
func (n *newest) written(entries []metav1.ManagedFieldsEntry) {
	for _, m := range entries {
		if m.Subresource == "" {
			n.at(m.Time)
		}
	}
}

// worked takes in when work came to a new state.
func (n *newest) worked(w *v1beta1.Work) {
	if w != nil {
		n.at(w.StartedAt)
		n.at(w.FinishedAt)
	}
}
