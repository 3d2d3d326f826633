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
	"github.com/reelops/reelops/internal/film/shortwork"
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

// Short holds the data for the views of a short.
type Short struct {
	// ID is the short id.
	ID int64
	// Show is a slideshow. Video is a video of an avatar and demos. Exactly one is set.
	Show  *v1beta1.Slideshow
	Video *v1beta1.Video
	// Renders of the short, newest first.
	Renders []v1beta1.RenderJob
	// Brand of the short, and its id.
	Brand   *v1beta1.Brand
	BrandID int64
	// PackID is the id of the media pack for its images; 0 for none.
	PackID int64
	// MusicID is the id of the background track of the video; 0 for none.
	MusicID int64
	// AvatarID is the id of the avatar's media item in a video. DemoIDs are the ids of the demos, in the order of the
	// spec. An id is 0 for a clip that was given by URL or has been deleted.
	AvatarID int64
	DemoIDs  []int64
	// Edited means that the slides were just changed and have not been laid out yet. If false, deck.Outdated decides
	// from Show, which may be an outdated copy from a cache.
	Edited bool
	// Posts are the newest posts of the short, newest first, as shown in its detail. PostCounts counts all posts.
	Posts      []Post
	PostCounts PostCounts
	// ArchivedAt is when the short was archived; nil if it is in the cluster.
	ArchivedAt *time.Time
	// Sign returns signed URLs of blobs.
	Sign Signer
	// Usual returns the usual duration of a kind of job; 0 if unknown. If nil, it is unknown for all kinds.
	Usual func(kind string) time.Duration
}

// ShortSummary is a short in a list.
type ShortSummary struct {
	ID              int64       `json:"id" example:"123" doc:"The short id; its job has the same id."`
	ShortType       ShortType   `json:"short_type" doc:"SLIDESHOW for a slideshow, UGC for a hook-and-demo video."`
	Status          ShortStatus `json:"status" doc:"Status of the short."`
	Title           *string     `json:"title" doc:"null until it is provided or generated."`
	Caption         *string     `json:"caption" doc:"null until it is provided or generated."`
	Tags            string      `json:"tags" doc:"Comma separated, possibly empty."`
	AspectRatio     string      `json:"aspect_ratio" example:"9:16" doc:"Aspect ratio of the canvas."`
	SlideCount      int         `json:"slide_count" doc:"Number of slides that exist, else the planned number. 0 while it is undecided, and for a hook-and-demo video."`
	DurationSeconds *float64    `json:"duration_seconds" doc:"Length of the MP4."`
	ThumbnailURL    *string     `json:"thumbnail_url" format:"uri" doc:"A thumbnail of the first slide, or of the beginning of the video."`
	PreviewURL      *string     `json:"preview_url" format:"uri" doc:"An image of all slides, or of the beginning of the video."`
	VideoURL        *string     `json:"video_url" format:"uri" doc:"URL of the MP4. For a slideshow, the video of its current slides."`
	RenderStatus    string      `json:"render_status" enum:"none,queued,processing,succeeded,failed,stale" doc:"State of the video. stale: the slides changed after the last render."`
	PostCounts      PostCounts  `json:"post_counts" doc:"Number of posts of the short, by status."`
	BrandID         int64       `json:"brand_id" doc:"The brand of the short."`
	CreatedAt       Time        `json:"created_at" doc:"When the short was requested."`
	UpdatedAt       Time        `json:"updated_at" doc:"When the short, or work on it, last changed."`
	ArchivedAt      *Time       `json:"archived_at" nullable:"true" doc:"When the short was archived, because it did not change for a long time; null if it is not archived. Reads return the same as before. A change restores the short first, which can take some seconds."`
}

// LogShort returns the id of the short in the response, for the log.
func (s ShortSummary) LogShort() int64 { return s.ID }

// PostCounts counts the posts of a short.
type PostCounts struct {
	Total     int `json:"total" doc:"Number of posts of any status."`
	Scheduled int `json:"scheduled" doc:"Number of scheduled posts."`
	Success   int `json:"success" doc:"Number of published posts."`
	Failed    int `json:"failed" doc:"Number of failed posts."`
}

// Picture is the URL of an image with its size in pixels.
type Picture struct {
	URL    string `json:"url" format:"uri" doc:"The URL needs no key and is valid for 7 days."`
	Width  int    `json:"width" doc:"Pixels."`
	Height int    `json:"height" doc:"Pixels."`
}

// ShortCore holds the fields of a short of any type: those in lists, and those of a single short.
type ShortCore struct {
	ShortSummary
	Thumbnail Nullable[Picture] `json:"thumbnail" doc:"The thumbnail, with its size."`
	Revision  int64             `json:"revision" doc:"Number that increases with every visual change; 0 before the slides, or the parts of the video, exist."`
}

// ShortRecord is one slideshow with its content, without job and posts.
type ShortRecord struct {
	ShortCore
	TypeData SlideshowData `json:"type_data"`
}

// ShortDetail is one short in full.
type ShortDetail struct {
	ShortCore
	TypeData TypeData       `json:"type_data"`
	Text     Nullable[Text] `json:"text" doc:"The writer of the text; null until a text exists."`
	Posts    []Post         `json:"posts" doc:"Posts of the short, newest first, at most 100."`
	Job      Nullable[Job]  `json:"job" doc:"The latest job of the short; null for a draft."`
}

// Sources of a short's text.
const (
	TextModel   = string(v1beta1.TextSourceModel)
	TextOffline = string(v1beta1.TextSourceOffline)
	TextManual  = "manual"
)

// Text describes the origin of a short's text.
type Text struct {
	Source string  `json:"source" enum:"model,offline,manual" doc:"model: a language model. offline: words of the context and the brand, without a model. manual: texts of the request. Edits do not change the source."`
	Model  *string `json:"model" example:"llama3.2" doc:"Name of the language model; null for other sources."`
	// Omitted is never nil.
	Omitted []string `json:"omitted" doc:"Passages of the context that are neither on a slide nor in the caption, in order. Empty if there are none, and for sources other than offline."`
}

// TypeData holds the fields specific to the short_type. Exactly one is set.
type TypeData struct {
	Slideshow *SlideshowData
	Video     *VideoData
}

// MarshalJSON encodes the field that is set.
func (t TypeData) MarshalJSON() ([]byte, error) {
	if t.Video != nil {
		return json.Marshal(t.Video)
	}
	return json.Marshal(t.Slideshow)
}

// Schema returns the schema of both alternatives.
func (TypeData) Schema(r huma.Registry) *huma.Schema {
	return &huma.Schema{
		Description: "Fields specific to the type: SlideshowData with short_type SLIDESHOW, VideoData with UGC.",
		OneOf:       []*huma.Schema{r.Schema(reflect.TypeFor[SlideshowData](), true, ""), r.Schema(reflect.TypeFor[VideoData](), true, "")},
	}
}

// Type returns the type of the short.
func (s *Short) Type() string {
	if s.Video != nil {
		return catalog.ShortUGC
	}
	return catalog.ShortSlideshow
}

// Summary returns the short as shown in lists.
func (s *Short) Summary() (*ShortSummary, error) {
	if s.Video != nil {
		return s.videoSummary()
	}
	st := &s.Show.Status
	out := &ShortSummary{
		ID: s.ID, ShortType: catalog.ShortSlideshow, Status: ShortStatus(s.rawStatus()),
		Tags:        s.tags(),
		AspectRatio: s.ratio().Value, SlideCount: s.slideCount(), RenderStatus: s.renderStatus(), PostCounts: s.PostCounts,
		BrandID: s.BrandID, CreatedAt: Time{v1beta1.CreatedAt(s.Show).Time}, UpdatedAt: Time{s.updated()}, ArchivedAt: s.archivedAt(),
	}
	title, caption := s.Texts()
	out.Title, out.Caption = nonEmpty(title), nonEmpty(caption)
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

func (s *Short) archivedAt() *Time {
	if s.ArchivedAt == nil {
		return nil
	}
	return &Time{*s.ArchivedAt}
}

// Texts returns the title and the caption of the short: the given ones, else the generated ones. They are empty if
// there are none.
func (s *Short) Texts() (title, caption string) {
	if s.Video != nil {
		return shortwork.TitleAndCaption(s.Video)
	}
	return shortwork.TitleAndCaption(s.Show)
}

// Record returns a slideshow with its content. Until an edit is laid out, the record has the requested slides.
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

// Detail returns the short in full.
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

// text returns the origin of the short's text; nil if there is no text yet, and for texts older than the source field.
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

// Undrawn reports whether the slides changed since the last layout and no layout is in progress.
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

// renderStatus returns the state of a running render, or of a render of the current revision. If there is neither, it
// returns "stale" if a video of earlier slides exists, and "none" otherwise. A Video never becomes stale.
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

// redrawing reports whether the slides of the current revision are about to be replaced.
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

// Current returns the video of a slideshow's current revision. It is nil if there is none, and while the slides are
// about to be replaced.
func (s *Short) Current() *v1beta1.SlideshowOutput {
	if v := renders.Video(s.Show, s.Renders); v != nil && !v.Stale && !s.redrawing() {
		return v
	}
	return nil
}

// RunningRender returns the newest render that has not ended, or nil.
func (s *Short) RunningRender() *v1beta1.RenderJob { return renders.Running(s.Renders) }

// VideoURL returns the URL of the current revision's video, or nil.
func (s *Short) VideoURL() (*string, error) { return s.videoURL() }

// Status returns the raw status.
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

// design returns the design in force. Fields that nothing determines yet are empty.
func (s *Short) design() v1beta1.Design { return deck.DesignOf(s.Show, deck.OfBrand(s.Brand)) }

func (s *Short) ratio() catalog.AspectRatio {
	if r, ok := catalog.AspectRatioByValue(s.design().AspectRatio); ok {
		return r
	}
	return catalog.DefaultAspectRatio()
}

// slideCount returns the number of existing slides, or the expected number; 0 if unknown.
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

// updated returns the time of the latest change: a write of the slideshow except its status, the creation of a render,
// or a new state of work.
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

// newest is the latest of several times.
type newest struct{ time.Time }

func (n *newest) at(t *metav1.Time) {
	if t != nil && t.After(n.Time) {
		n.Time = t.Time
	}
}

// written adds the times at which an object was written, excluding subresources such as the status.
func (n *newest) written(entries []metav1.ManagedFieldsEntry) {
	for _, m := range entries {
		if m.Subresource == "" {
			n.at(m.Time)
		}
	}
}

// worked adds the times at which work changed its state.
func (n *newest) worked(w *v1beta1.Work) {
	if w != nil {
		n.at(w.StartedAt)
		n.at(w.FinishedAt)
	}
}
