// SPDX-License-Identifier: Apache-2.0

package view

import (
	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/catalog"
)

// DemoClip is a product demo as requested.
type DemoClip struct {
	MediaID *int64   `json:"media_id" doc:"null for a clip that was requested by URL, and for a deleted one."`
	URL     *string  `json:"url" format:"uri" doc:"The URL that the clip was fetched from; null for a clip that was requested by id."`
	Fit     string   `json:"fit" enum:"auto,cover,contain" doc:"How the clip fills the frame."`
	Start   float64  `json:"start" doc:"Seconds into the clip at which it begins."`
	End     *float64 `json:"end" doc:"Seconds into the clip at which it ends; null for the clip's end."`
	ClipTexts
}

// ClipTexts are shown over a demo.
type ClipTexts struct {
	Text         *string `json:"text" doc:"Shown over the clip; null for none."`
	CallToAction *string `json:"call_to_action" doc:"Shown as a button at the clip's end; null for none."`
}

// VideoClip is one clip of a video.
type VideoClip struct {
	Role            string  `json:"role" enum:"avatar,product_demo" doc:"Role of the clip."`
	MediaID         *int64  `json:"media_id" doc:"null for a clip that was requested by URL."`
	URL             string  `json:"url" format:"uri" doc:"URL of the clip. The URL needs no key and is valid for 7 days."`
	StartSeconds    float64 `json:"start_seconds" doc:"Seconds into the video at which it first starts."`
	DurationSeconds float64 `json:"duration_seconds" doc:"Seconds for which the video shows it, each time."`

	Fit              string  `json:"fit" enum:"auto,cover,contain" doc:"How the clip fills the frame."`
	SourceStart      float64 `json:"source_start_seconds" doc:"Start of the used part, in seconds from the clip's start."`
	SourceEnd        float64 `json:"source_end_seconds" doc:"End of the used part, in seconds from the clip's start. A video that shows it for longer repeats it."`
	PictureInPicture bool    `json:"picture_in_picture" doc:"Whether it is shown in a corner, over the clips shown at the same time."`
	ClipTexts
}

// videoClip returns the view of the i-th clip of the video: the avatar is first, then the demos.
func (s *Short) videoClip(i int) (VideoClip, error) {
	c, source := &s.Video.Status.Clips[i], &s.Video.Spec.Avatar
	out := VideoClip{
		Role: c.Role, StartSeconds: inSeconds(c.StartMilliseconds), DurationSeconds: inSeconds(c.DurationMilliseconds), Fit: first(c.Fit, "cover"),
		SourceStart: inSeconds(c.SourceStartMilliseconds), SourceEnd: inSeconds(c.SourceStartMilliseconds + min(c.SourceMilliseconds, c.DurationMilliseconds)),
		PictureInPicture: c.PictureInPicture,
	}
	if i > 0 {
		demo := &s.Video.Spec.Demos[i-1]
		source, out.ClipTexts = &demo.ClipSource, clipTexts(demo)
	}
	if source.URL == nil {
		out.MediaID = positive(c.MediaID)
	}
	var err error
	out.URL, err = s.url(c.BlobKey)
	return out, err
}

// demoClip returns the view of a demo as requested. id is the id of its media item, 0 if it has none.
func demoClip(d *v1beta1.DemoClip, id int64) DemoClip {
	out := DemoClip{URL: d.URL, Fit: first(d.Fit, catalog.FitAuto), Start: inSeconds(d.StartMilliseconds), ClipTexts: clipTexts(d)}
	if d.URL == nil {
		out.MediaID = positive(id)
	}
	if d.EndMilliseconds != nil {
		end := inSeconds(*d.EndMilliseconds)
		out.End = &end
	}
	return out
}

func clipTexts(d *v1beta1.DemoClip) ClipTexts {
	return ClipTexts{Text: nonEmpty(d.Text), CallToAction: nonEmpty(d.CallToAction)}
}

func inSeconds(milliseconds int64) float64 { return float64(milliseconds) / 1000 }
