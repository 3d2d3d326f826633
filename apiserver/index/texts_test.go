// SPDX-License-Identifier: Apache-2.0

package index

import (
	"testing"

	"k8s.io/utils/ptr"

	"github.com/reelops/reelops/api/v1beta1"
)

func TestKeepTexts(t *testing.T) {
	written := &v1beta1.Text{Slides: []v1beta1.SlideText{{Heading: "One", Body: "first"}, {Heading: "Two", AltText: "not shown", Keywords: []string{"not shown"}}}}
	for name, c := range map[string]struct {
		show v1beta1.Slideshow
		want string
	}{
		"before there are texts": {v1beta1.Slideshow{Spec: v1beta1.SlideshowSpec{Context: "not shown"}}, ""},
		"generated":              {v1beta1.Slideshow{Spec: v1beta1.SlideshowSpec{Context: "not shown"}, Status: v1beta1.SlideshowStatus{Text: written}}, "One\nfirst\nTwo"},
		"given or edited": {v1beta1.Slideshow{
			Spec: v1beta1.SlideshowSpec{Slides: []v1beta1.SlideSpec{
				{Heading: "Three", Body: "third"},
				{TextOverlays: &[]v1beta1.TextOverlay{{Text: "Four"}, {Text: "Five"}}},
				{TextOverlays: &[]v1beta1.TextOverlay{}},
			}},
			Status: v1beta1.SlideshowStatus{Text: written},
		}, "Three\nthird\nFour\nFive"},
	} {
		KeepTexts(&c.show)
		if got := c.show.Spec.Context; got != c.want {
			t.Errorf("%s: got %q", name, got)
		}
	}
	demos := []v1beta1.DemoClip{{}, {Text: "Folds flat", CallToAction: "Try it"}}
	hooked := v1beta1.VideoStatus{Text: &v1beta1.VideoText{Hook: "Generated"}}
	for name, c := range map[string]struct {
		video v1beta1.Video
		want  *string
	}{
		"before there are texts": {v1beta1.Video{}, nil},
		"generated":              {v1beta1.Video{Status: hooked}, ptr.To("Generated")},
		"given": {
			v1beta1.Video{Spec: v1beta1.VideoSpec{HookText: ptr.To("Given"), Demos: demos}, Status: hooked}, ptr.To("Given\nFolds flat\nTry it"),
		},
	} {
		KeepTexts(&c.video)
		if got := c.video.Spec.HookText; ptr.Deref(got, "") != ptr.Deref(c.want, "") || (got == nil) != (c.want == nil) {
			t.Errorf("%s: got %v", name, got)
		}
	}
}
