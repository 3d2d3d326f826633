// SPDX-License-Identifier: Apache-2.0

package posting

import (
	"fmt"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/content/deck"
	"github.com/reelops/reelops/internal/film/renders"
)

// Content is the publishable content of a short, at one revision.
type Content struct {
	ShortID  int64
	Revision int64
	// Title, Caption and Tags of the short itself.
	Title, Caption string
	Tags           []string
	// Video is the video of the revision, Photos are its slides. A short may have both, or neither yet.
	Video  *v1beta1.RenderOutput
	Photos []Photo
	// SlideMillis are the times in Video, in milliseconds, at which the slides are fully shown; nil when unknown.
	SlideMillis []int64
	// Stale reports whether the only video is of an earlier revision.
	Stale bool
	// Drawing reports whether slides are being rendered, for the first time or after an edit. Rendering reports whether
	// a video is being rendered, or is about to be.
	Drawing, Rendering bool
	// Wanted is the requested media type: catalog.MediaVideo, catalog.MediaPhotoSet or catalog.MediaAuto. Empty means
	// auto.
	Wanted string
}

// Photo is the image of a slide in the blob store.
type Photo struct{ Key, AltText string }

// ContentOf returns the content of a slideshow and its renders, the newest first. The slideshow must be complete: with
// a cache that drops slides, there is nothing to publish.
func ContentOf(id int64, s *v1beta1.Slideshow, all []v1beta1.RenderJob) *Content {
	st := &s.Status
	c := &Content{ShortID: id, Revision: st.Revision}
	if t := st.Text; t != nil {
		c.Title, c.Caption, c.Tags = t.Title, t.Caption, t.Tags
	}
	c.words(s.Spec.Title, s.Spec.Caption, s.Spec.TagText())
	c.Drawing = !s.Spec.Suspend && (st.Work == nil || !st.Work.State.Settled() || deck.Outdated(s))
	for _, sl := range st.Slides {
		if sl.PictureKey != "" {
			c.Photos = append(c.Photos, Photo{Key: sl.PictureKey, AltText: sl.AltText})
		}
	}
	if v := renders.Video(s, all); v != nil {
		c.Stale = v.Stale
		if !v.Stale {
			c.Video, c.SlideMillis = &v.RenderOutput, v.SlideMilliseconds
		}
	}
	c.Rendering = renders.Running(all) != nil || renders.Owed(s, all)
	return c
}

// words sets the texts of a short: the generated ones, unless the spec overrides them.
func (c *Content) words(title, caption, tags *string) {
	if title != nil {
		c.Title = *title
	}
	if caption != nil {
		c.Caption = *caption
	}
	if tags != nil {
		c.Tags = v1beta1.SplitTags(*tags)
	}
}

// Postable reports whether there is anything to publish, on any platform.
func (c *Content) Postable() bool { return c.Video != nil || len(c.Photos) > 0 }

// Settled reports whether waiting would not change what is published, because nothing is being rendered.
func (c *Content) Settled() bool { return !c.Drawing && !c.Rendering }

// ReasonVideoStale is in the details of a conflict: the video shows slides that were edited later.
const ReasonVideoStale = "video_stale"

// Kind returns the media type as which the content is published: catalog.MediaVideo, catalog.MediaPhotoSet, or an empty
// string.
func (c *Content) Kind() string {
	switch {
	case c.Video != nil && c.Wanted != catalog.MediaPhotoSet:
		return catalog.MediaVideo
	case len(c.Photos) == 0, c.Wanted == catalog.MediaVideo, c.Stale && c.Wanted != catalog.MediaPhotoSet:
		return ""
	}
	return catalog.MediaPhotoSet
}

// Problems returns the issues that prevent publishing the content as requested on any platform, and warnings about it.
func (c *Content) Problems() []Issue {
	one := func(code catalog.Code, why string, details Details) []Issue {
		return []Issue{issue(code, why, details)}
	}
	switch {
	case !c.Postable():
		why := "The short has no video and no slides."
		switch {
		case c.Drawing:
			why = "The short has no slides yet: they are being generated."
		case c.Rendering:
			why = "The short has no video yet: it is being rendered."
		}
		return one(catalog.ShortNotPostable, why, nil)
	case c.Drawing:
		// The existing slides are those before the edit, which the caller did not choose to publish.
		return one(catalog.JobInProgress, "The slides are being generated again.",
			Details{"short_id": c.ShortID, "kind": catalog.JobSlideshow})
	case c.Wanted == catalog.MediaPhotoSet && len(c.Photos) == 0:
		i := one(catalog.ShortNotPostable,
			"The short has no slides, which a photo set needs: leave media out to publish its video.", nil)
		i[0].Retryable = false
		return i
	case c.Wanted == catalog.MediaPhotoSet, c.Video != nil:
		return nil
	case c.Rendering && (c.Stale || c.Wanted == catalog.MediaVideo):
		return one(catalog.JobInProgress,
			"The video of the current slides is being rendered: wait for it, or set media to photo_set to publish the slides.",
			Details{"short_id": c.ShortID, "kind": catalog.JobRender})
	case c.Stale:
		return one(catalog.Conflict,
			"The slides were edited after the video was rendered: render it again, or set media to photo_set to publish the slides.",
			Details{"short_id": c.ShortID, "reason": ReasonVideoStale})
	case c.Wanted == catalog.MediaVideo:
		return one(catalog.ShortNotPostable,
			"The short has no video: render it first, or set media to photo_set to publish the slides.", nil)
	case c.Rendering:
		i := one(catalog.JobInProgress,
			"The video is still being rendered; until it is ready, the slides are published as photos.",
			Details{"short_id": c.ShortID, "kind": catalog.JobRender})
		i[0].Warning = true
		return i
	}
	return nil
}

// Media returns the media that a platform is sent. kind must be one that the content has.
func (c *Content) Media(rule catalog.PlatformRule, kind string) (v1beta1.PostMedia, *Issue) {
	name := Name(v1beta1.Platform(rule.Platform))
	refuse := func(retryable bool, why string) (v1beta1.PostMedia, *Issue) {
		i := issue(catalog.ShortNotPostable, why, Details{"platform": rule.Platform})
		i.Retryable = retryable
		return v1beta1.PostMedia{}, &i
	}
	if v := c.Video; kind == catalog.MediaVideo {
		m := v1beta1.PostMedia{
			Kind: catalog.MediaVideo, VideoKey: v.BlobKey, Bytes: v.Bytes, SHA256: v.SHA256,
			Width: v.Width, Height: v.Height,
		}
		m.SetMilliseconds(v.DurationMilliseconds)
		if v.DurationMilliseconds > int64(rule.MaxVideoSeconds)*1000 {
			return refuse(false, fmt.Sprintf("The video has %d seconds; %s accepts %d.", (v.DurationMilliseconds+999)/1000, name, rule.MaxVideoSeconds))
		}
		if v.Bytes > rule.MaxVideoBytes {
			return refuse(false, fmt.Sprintf("The video has %d bytes; %s accepts %d.", v.Bytes, name, rule.MaxVideoBytes))
		}
		return m, nil
	}
	instead := "render it first"
	if c.Video != nil {
		instead = "set media to video"
	}
	switch {
	case rule.MaxPhotos == 0:
		return refuse(true, fmt.Sprintf("%s accepts only videos, not slides as photos: %s.", name, instead))
	case len(c.Photos) > rule.MaxPhotos:
		return refuse(true,
			fmt.Sprintf("The short has %d slides; %s accepts %d photos: %s.", len(c.Photos), name, rule.MaxPhotos, instead))
	}
	m := v1beta1.PostMedia{Kind: catalog.MediaPhotoSet}
	for _, p := range c.Photos {
		m.PhotoKeys = append(m.PhotoKeys, p.Key)
		m.AltTexts = append(m.AltTexts, p.AltText)
	}
	return m, nil
}

// Name returns the display name of a platform.
func Name(p v1beta1.Platform) string {
	switch string(p) {
	case catalog.TikTok:
		return "TikTok"
	case catalog.YouTube:
		return "YouTube"
	case catalog.Instagram:
		return "Instagram"
	case catalog.LinkedIn:
		return "LinkedIn"
	}
	return string(p)
}
