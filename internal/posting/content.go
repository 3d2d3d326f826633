// SPDX-License-Identifier: Apache-2.0

package posting

import (
	"fmt"
	"strings"

	"github.com/reelops/reelops/api/v1alpha1"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/deck"
)

// Content is what a short has to publish, at one revision.
type Content struct {
	ShortID  int64
	Revision int64
	// Title, Caption and Tags of the short itself.
	Title, Caption string
	Tags           []string
	// Video is the film of the revision, Photos are its slides; a short may have both, or neither yet.
	Video  *v1alpha1.RenderOutput
	Photos []Photo
	// SlideMillis are the moments of Video at which the slides are fully shown; nil where they are unknown.
	SlideMillis []int64
	// Drawing says that slides are being made, or made anew after an edit. Rendering says that a film is, or is about to be.
	Drawing, Rendering bool
}

// Photo is a slide's picture in the blob store.
type Photo struct{ Key, AltText string }

// ContentOf is what a slideshow with its renders has. The slideshow must be whole: a cache that drops slides has none to publish.
func ContentOf(id int64, s *v1alpha1.Slideshow, renders []v1alpha1.RenderJob) *Content {
	st := &s.Status
	c := &Content{ShortID: id, Revision: st.Revision}
	if t := st.Text; t != nil {
		c.Title, c.Caption, c.Tags = t.Title, t.Caption, t.Tags
	}
	c.words(s.Spec.Title, s.Spec.Caption, s.Spec.Tags)
	c.Drawing = !s.Spec.Suspend && (st.Work == nil || !st.Work.State.Settled() || deck.Outdated(s))
	for _, sl := range st.Slides {
		if sl.PictureKey != "" {
			c.Photos = append(c.Photos, Photo{Key: sl.PictureKey, AltText: sl.AltText})
		}
	}
	asked := false
	for i := range renders {
		r := &renders[i]
		revision := r.Status.Revision
		if r.Spec.Revision != nil {
			revision = *r.Spec.Revision
		}
		work := r.Status.Work
		asked = asked || revision == st.Revision
		switch {
		case work == nil || !work.State.Settled():
			c.Rendering = true
		case work.State == v1alpha1.WorkSucceeded && r.Status.Output != nil && revision == st.Revision && c.Video == nil:
			c.Video, c.SlideMillis = r.Status.Output, r.Status.SlideMillis
		}
	}
	if s.Spec.AutoRender && !s.Spec.Suspend && !c.Drawing && !asked && st.Work.State == v1alpha1.WorkSucceeded {
		c.Rendering = true // the slideshow asks for it in a moment
	}
	return c
}

// words are the texts beside a short: what was written, unless the spec says otherwise.
func (c *Content) words(title, caption, tags *string) {
	if title != nil {
		c.Title = *title
	}
	if caption != nil {
		c.Caption = *caption
	}
	if tags != nil {
		c.Tags = nil
		for _, t := range strings.Split(*tags, ",") {
			if t = strings.TrimSpace(t); t != "" {
				c.Tags = append(c.Tags, t)
			}
		}
	}
}

// Postable says that there is anything to publish, on some platform.
func (c *Content) Postable() bool { return c.Video != nil || len(c.Photos) > 0 }

// Settled says that what is published would not change by waiting: nothing is being made.
func (c *Content) Settled() bool { return !c.Drawing && !c.Rendering }

// Problems are what keeps the content from being published anywhere, or what a caller should know of it.
func (c *Content) Problems() []Issue {
	switch {
	case !c.Postable():
		why := "The short has no video and no slides."
		switch {
		case c.Drawing:
			why = "The short has no slides yet: they are being made."
		case c.Rendering:
			why = "The short has no video yet: it is being made."
		}
		return []Issue{issue(catalog.ShortNotPostable, why, nil)}
	case c.Drawing:
		// What is there shows what it was before the edit: nobody asked for that to be published.
		return []Issue{issue(catalog.JobInProgress, "The slides are being made anew.", Details{"short_id": c.ShortID, "kind": catalog.JobSlideshow})}
	case c.Rendering && c.Video == nil:
		i := issue(catalog.JobInProgress, "The video is still being made; until it is there the slides are published as photos.", Details{"short_id": c.ShortID, "kind": catalog.JobRender})
		i.Warning = true
		return []Issue{i}
	}
	return nil
}

// Media is what a platform is sent: the film where there is one, else the slides as photos.
func (c *Content) Media(rule catalog.PlatformRule) (v1alpha1.PostMedia, *Issue) {
	name := Name(v1alpha1.Platform(rule.Platform))
	refuse := func(retryable bool, why string) (v1alpha1.PostMedia, *Issue) {
		i := issue(catalog.ShortNotPostable, why, Details{"platform": rule.Platform})
		i.Retryable = retryable
		return v1alpha1.PostMedia{}, &i
	}
	switch v := c.Video; {
	case v != nil:
		m := v1alpha1.PostMedia{
			Kind: catalog.MediaVideo, VideoKey: v.BlobKey, Bytes: v.Bytes, SHA256: v.SHA256,
			DurationMillis: v.DurationMilliseconds, Width: v.Width, Height: v.Height,
		}
		if v.DurationMilliseconds > int64(rule.MaxVideoSeconds)*1000 {
			return refuse(false, fmt.Sprintf("The video has %d seconds; %s takes %d.", (v.DurationMilliseconds+999)/1000, name, rule.MaxVideoSeconds))
		}
		if v.Bytes > rule.MaxVideoBytes {
			return refuse(false, fmt.Sprintf("The video has %d bytes; %s takes %d.", v.Bytes, name, rule.MaxVideoBytes))
		}
		return m, nil
	case len(c.Photos) == 0:
		return refuse(true, "The short has no video and no slides.")
	case rule.MaxPhotos == 0:
		return refuse(true, name+" takes videos only, and the short has none: render it first.")
	case len(c.Photos) > rule.MaxPhotos:
		return refuse(true, fmt.Sprintf("The short has no video, and %d slides; %s takes %d photos. Render it first.", len(c.Photos), name, rule.MaxPhotos))
	}
	m := v1alpha1.PostMedia{Kind: catalog.MediaPhotoSet}
	for _, p := range c.Photos {
		m.PhotoKeys = append(m.PhotoKeys, p.Key)
		m.AltTexts = append(m.AltTexts, p.AltText)
	}
	return m, nil
}

// Name of a platform for people.
func Name(p v1alpha1.Platform) string {
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
