// SPDX-License-Identifier: Apache-2.0

package view

import (
	"strings"
	"time"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/catalog"
)

// VideoData holds the fields that only videos of an avatar and product demos have.
type VideoData struct {
	HookText            *string      `json:"hook_text" doc:"Spoken text of the avatar; null until it is written."`
	Language            string       `json:"language" doc:"BCP 47 tag; empty until known."`
	AvatarMediaID       *int64       `json:"avatar_media_id" doc:"The avatar's clip; null if it was requested by URL, or was deleted."`
	AvatarURL           *string      `json:"avatar_url" format:"uri" doc:"The URL that the avatar's clip was fetched from; null if it was requested by id."`
	ProductDemoMediaIDs []int64      `json:"product_demo_media_ids" doc:"Demo clips that were requested by id, in order."`
	ProductDemoURLs     []string     `json:"product_demo_urls" doc:"URLs that demo clips were fetched from, in order. They are played after those requested by id."`
	ProductDemoClips    []DemoClip   `json:"product_demo_clips" doc:"Demos that were requested in clips, in order. They are played after the others."`
	AvatarLayout        string       `json:"avatar_layout" enum:"full_screen,picture_in_picture" doc:"picture_in_picture shows the avatar in a corner over the demos."`
	MusicID             *int64       `json:"background_music_id" doc:"The background music; null for none."`
	LoopCount           int          `json:"loop_count" doc:"Number of times the demos are played."`
	TextSettings        TextSettings `json:"text_settings"`
	Voice               Voice        `json:"voice"`
	Clips               []VideoClip  `json:"clips" doc:"The clips of the video in order, each once; empty until the parts of the video exist."`
	CaptionsURL         *string      `json:"captions_url" format:"uri" doc:"URL of the captions of the speech as WebVTT; null without speech, and until the video exists."`
}

// TextSettings is the look of the spoken words. The service chooses values that are null.
type TextSettings struct {
	Position        Position `json:"position"`
	Align           string   `json:"align" enum:"left,center,right" doc:"Of lines within the block."`
	FontFamily      *string  `json:"font_family" doc:"The requested family. If it lacks characters of the text, another family that has them is used."`
	FontSize        *float64 `json:"font_size" doc:"Pixels on a canvas 1080 wide."`
	Color           *string  `json:"color" doc:"Text color."`
	StrokeColor     *string  `json:"stroke_color" doc:"Color of the outline."`
	BackgroundColor *string  `json:"background_color" doc:"A box behind the text; null for none."`
}

// Voice describes the voice of a video.
type Voice struct {
	Mode string  `json:"mode" enum:"auto,speak,none" doc:"auto keeps the sound of the avatar's clip if it has sound, else the hook is synthesized."`
	Name *string `json:"name" doc:"null selects a voice by the language."`
}

// usualTextPosition is the default middle of the spoken words, in percent.
var usualTextPosition = Position{X: catalog.SpokenTextX, Y: catalog.SpokenTextY}

func (s *Short) videoStatus() string {
	w := s.Video.Status.Work
	switch {
	case w != nil && w.State == v1beta1.WorkSucceeded && s.Video.Status.Output != nil:
		return StatusSuccess
	case w != nil && w.State == v1beta1.WorkFailed:
		return StatusFailed
	case s.Video.Spec.Suspend:
		return StatusDraft
	}
	return StatusProcessing
}

func (s *Short) videoSummary() (*ShortSummary, error) {
	v := s.Video
	out := &ShortSummary{
		ID: s.ID, ShortType: catalog.ShortUGC, Status: ShortStatus(s.videoStatus()),
		Tags: s.videoTags(), AspectRatio: s.videoRatio().Value,
		RenderStatus: s.renderStatus(), PostCounts: s.PostCounts, BrandID: s.BrandID,
		CreatedAt: Time{v1beta1.CreatedAt(v).Time}, UpdatedAt: Time{s.videoUpdated()}, ArchivedAt: s.archivedAt(),
	}
	title, caption := s.Texts()
	out.Title, out.Caption = nonEmpty(title), nonEmpty(caption)
	var err error
	if out.PreviewURL, err = s.address(v.Status.PosterKey); err != nil {
		return nil, err
	}
	if out.ThumbnailURL, err = s.address(v.Status.ThumbnailKey); err != nil {
		return nil, err
	}
	o := v.Status.Output
	if o == nil {
		return out, nil
	}
	length := float64(o.DurationMilliseconds) / 1000
	out.DurationSeconds = &length
	out.VideoURL, err = s.address(o.BlobKey)
	return out, err
}

func (s *Short) videoTags() string {
	if t := s.Video.Spec.TagText(); t != nil {
		return *t
	}
	if t := s.Video.Status.Text; t != nil {
		return strings.Join(t.Tags, ",")
	}
	return ""
}

func (s *Short) videoRatio() catalog.AspectRatio {
	if r, ok := catalog.AspectRatioByValue(s.Video.Spec.AspectRatio); ok {
		return r
	}
	return catalog.DefaultAspectRatio()
}

func (s *Short) videoUpdated() time.Time {
	v := s.Video
	latest := newest{v1beta1.CreatedAt(v).Time}
	latest.written(v.ManagedFields)
	latest.worked(v.Status.Work)
	return latest.Time
}

func (s *Short) videoData() (*VideoData, error) {
	spec, st := &s.Video.Spec, &s.Video.Status
	out := &VideoData{
		Language: spec.Language, AvatarMediaID: positive(s.AvatarID), AvatarURL: spec.Avatar.URL, ProductDemoMediaIDs: []int64{}, ProductDemoURLs: []string{},
		ProductDemoClips: []DemoClip{}, AvatarLayout: first(spec.AvatarLayout, v1beta1.AvatarFullScreen),
		MusicID: positive(s.MusicID), LoopCount: max(int(spec.LoopCount), 1), TextSettings: textSettings(&spec.TextSettings),
		Voice: Voice{Mode: first(spec.Voice.Mode, "auto"), Name: nonEmpty(spec.Voice.Name)}, Clips: []VideoClip{},
	}
	if spec.HookText != nil {
		out.HookText = nonEmpty(*spec.HookText)
	}
	if t := st.Text; t != nil {
		out.HookText, out.Language = nonEmpty(first(t.Hook, deref(out.HookText))), first(t.Language, out.Language)
	}
	for i := range spec.Demos {
		d, id := &spec.Demos[i], int64(0)
		if i < len(s.DemoIDs) {
			id = s.DemoIDs[i]
		}
		switch {
		case d.Detailed():
			out.ProductDemoClips = append(out.ProductDemoClips, demoClip(d, id))
		case d.URL != nil:
			out.ProductDemoURLs = append(out.ProductDemoURLs, *d.URL)
		case id > 0:
			out.ProductDemoMediaIDs = append(out.ProductDemoMediaIDs, id)
		}
	}
	var err error
	if out.CaptionsURL, err = s.address(st.CaptionsKey); err != nil {
		return nil, err
	}
	// Each clip is listed once, although the video plays the demos LoopCount times.
	for i := range st.Clips[:min(len(st.Clips), 1+len(spec.Demos))] {
		clip, err := s.videoClip(i)
		if err != nil {
			return nil, err
		}
		out.Clips = append(out.Clips, clip)
	}
	return out, nil
}

func textSettings(t *v1beta1.TextSettings) TextSettings {
	out := TextSettings{
		Position: usualTextPosition, Align: first(t.Align, "center"), FontFamily: nonEmpty(t.FontFamily), Color: nonEmpty(colour(t.Color)),
		StrokeColor: nonEmpty(colour(t.StrokeColor)), BackgroundColor: nonEmpty(colour(t.BackgroundColor)),
	}
	if t.FontSize != 0 {
		out.FontSize = &t.FontSize
	}
	if p := t.Position; p != nil {
		x, y := p.X, p.Y
		if x <= 1 && y <= 1 { // values up to 1 are fractions
			x, y = x*100, y*100
		}
		out.Position = Position{X: min(max(x, 0), 100), Y: min(max(y, 0), 100)}
	}
	return out
}

// videoPercent returns the progress by the recorded steps: started, written, spoken, composed. During the render it
// depends on the render's progress.
func (s *Short) videoPercent(rendered int) int {
	st := &s.Video.Status
	switch w := st.Work; {
	case w == nil || w.State == v1beta1.WorkQueued && st.Text == nil:
		return 0
	case st.Revision > 0:
		return 50 + rendered/2
	case st.Speech != nil:
		return 40
	case st.Text != nil:
		return 20
	}
	return 10
}

func positive(id int64) *int64 {
	if id <= 0 {
		return nil
	}
	return &id
}

func deref(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}
