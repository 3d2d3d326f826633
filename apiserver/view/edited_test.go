// SPDX-License-Identifier: Apache-2.0

package view_test

import (
	"reflect"
	"testing"

	"k8s.io/utils/ptr"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/apiserver/view"
	"github.com/reelops/reelops/internal/content/deck"
)

// laidOut returns a short of two slides in its first revision, with a video of it.
func laidOut(changes ...func(*v1beta1.Slideshow)) *view.Short {
	out := short(work(v1beta1.WorkSucceeded, at(1), at(2)), 1, render(1, at(3), work(v1beta1.WorkSucceeded, at(3), at(4))))
	s := out.Show
	s.Generation, s.Status.WorkedOn = 1, 1
	s.Spec.Slides = []v1beta1.SlideSpec{{ID: 4, Heading: "One"}, {ID: 2, Heading: "Two"}}
	s.Status.Design = &v1beta1.Design{AspectRatio: "4:5", Style: "bold_center"}
	for _, id := range []int64{4, 2} {
		s.Status.Slides = append(s.Status.Slides, v1beta1.Slide{ID: id, PictureKey: "slide.png", AltText: "words", TextOverlays: []v1beta1.TextOverlay{{Text: "words"}}})
	}
	s.Status.VisualHash = deck.VisualHash(s, deck.DesignOf(s, v1beta1.Design{}))
	for _, c := range changes {
		c(s)
	}
	return out
}

func TestAShortAfterAnEdit(t *testing.T) {
	edited := func(c func(*v1beta1.Slideshow)) func(*v1beta1.Slideshow) {
		return func(s *v1beta1.Slideshow) { s.Generation++; c(s) }
	}
	overlays := edited(func(s *v1beta1.Slideshow) {
		s.Spec.Slides[1] = v1beta1.SlideSpec{ID: 2, TextOverlays: &[]v1beta1.TextOverlay{{Text: "New", Color: "#fff"}}}
	})
	redrawing := func(s *v1beta1.Slideshow) {
		s.Status.Generated = s.Status.Work
		s.Status.Work, s.Status.WorkedOn = work(v1beta1.WorkProcessing, at(9), nil), s.Generation
	}
	for name, c := range map[string]struct {
		why                  string
		short                *view.Short
		status, renderStatus string
		revision             int64
		video                bool
		text                 string // of the second slide
	}{
		"drawn":          {"no edit", laidOut(), "success_slideshow", "succeeded", 1, true, "words"},
		"another title":  {"the video is kept", laidOut(edited(func(s *v1beta1.Slideshow) { s.Spec.Title = ptr.To("x") })), "success_slideshow", "succeeded", 1, true, "words"},
		"other text":     {"the drawn slides differ from the spec", laidOut(overlays), "processing", "stale", 2, false, "New"},
		"in progress":    {"being drawn", laidOut(overlays, redrawing), "processing", "stale", 2, false, "New"},
		"on hold":        {"a draft is not drawn", laidOut(overlays, func(s *v1beta1.Slideshow) { s.Spec.Suspend = true }), "draft", "stale", 2, false, "New"},
		"just requested": {"the edit says so itself", func() *view.Short { s := laidOut(); s.Edited = true; return s }(), "processing", "stale", 2, false, "words"},
	} {
		t.Run(name, func(t *testing.T) {
			r, err := c.short.Record()
			if err != nil {
				t.Fatal(err)
			}
			if string(r.Status) != c.status || r.RenderStatus != c.renderStatus || r.Revision != c.revision || (r.VideoURL != nil) != c.video {
				t.Errorf("%s: %s, render %s, revision %d, video %v", c.why, r.Status, r.RenderStatus, r.Revision, r.VideoURL)
			}
			if got := r.TypeData.Slides[1].TextOverlays[0].Text; got != c.text || r.TypeData.Slides[1].ID != 2 {
				t.Errorf("%s: slide %d has text %q", c.why, r.TypeData.Slides[1].ID, got)
			}
			if (r.TypeData.Slides[1].RenderedImageURL == nil) == c.video {
				t.Errorf("%s: rendered image %v", c.why, r.TypeData.Slides[1].RenderedImageURL)
			}
			if c.short.HasJob() {
				j, err := c.short.Job(at(10).Time)
				if err != nil {
					t.Fatal(err)
				}
				// The job is the finished render, with the video that it created.
				if j.Kind != "render" || j.Status != "succeeded" || j.Result.VideoURL == nil {
					t.Errorf("the job changed: %s %s %+v", j.Kind, j.Status, j.Result)
				}
			}
		})
	}
}

func TestShort_TextNotYetDrawnIsNormalized(t *testing.T) {
	for _, c := range []struct {
		why             string
		requested, want *v1beta1.Position
	}{
		{"beyond the edges it is at them", &v1beta1.Position{X: 166.1, Y: -3}, &v1beta1.Position{X: 100, Y: 0}},
		{"fractions are percent", &v1beta1.Position{X: 0.5, Y: 0.25}, &v1beta1.Position{X: 50, Y: 25}},
		{"no place is the middle", nil, &v1beta1.Position{X: 50, Y: 50}},
	} {
		requested := []v1beta1.TextOverlay{{Text: "New", Position: c.requested.DeepCopy()}}
		s := laidOut(func(s *v1beta1.Slideshow) {
			s.Generation++
			s.Spec.Slides[1] = v1beta1.SlideSpec{ID: 2, TextOverlays: &requested}
		})
		r, err := s.Record()
		if err != nil {
			t.Fatal(err)
		}
		if got := r.TypeData.Slides[1].TextOverlays[0].Position; got != view.Position(*c.want) {
			t.Errorf("%s: %+v", c.why, got)
		}
		if !reflect.DeepEqual(requested[0].Position, c.requested) {
			t.Errorf("%s: the requested text was changed to %+v", c.why, requested[0].Position)
		}
	}
}
