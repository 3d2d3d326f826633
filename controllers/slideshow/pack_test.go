// SPDX-License-Identifier: Apache-2.0

package slideshow

import (
	"fmt"
	"strings"
	"testing"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/content/imagery/starter"
	"github.com/reelops/reelops/internal/content/slides"
)

// packed sets a pack as the source of images.
func packed(own, shared string) change {
	return func(s *v1beta1.Slideshow) {
		s.Spec.ImageSource = &v1beta1.ImageSource{Type: v1beta1.ImageSourcePack}
		if own != "" {
			s.Spec.ImageSource.PackRef = &v1beta1.LocalRef{Name: own}
		}
		if shared != "" {
			s.Spec.ImageSource.LibraryPackRef = &v1beta1.LocalRef{Name: shared}
		}
	}
}

// holding returns a pack with n images, of the namespace or of the library namespace.
func holding(n int, shared bool) observedChange {
	return func(o *observed) {
		assets := make([]v1beta1.MediaAsset, n)
		for i := range assets {
			assets[i].Name = fmt.Sprintf("picture-%d", i)
			assets[i].Status = v1beta1.MediaAssetStatus{BlobKey: "k", Probe: &v1beta1.MediaProbe{Kind: "image"}}
		}
		o.Pack = slides.NewPack("summer", assets, shared)
	}
}

func TestPack_IsWaitedFor(t *testing.T) {
	for why, c := range map[string]struct {
		s      *v1beta1.Slideshow
		o      *observed
		kind   action
		reason v1beta1.Reason
		says   string
	}{
		"it may be applied later":         {show(packed("summer", "")), objects(), actionWait, v1beta1.ReasonPackNotFound, `There is no MediaPack "summer" in the namespace`},
		"its images may be applied later": {show(packed("summer", "")), objects(holding(0, false)), actionWait, v1beta1.ReasonMediaNotReady, `The MediaPack "summer" has no ready images`},
		"one image is enough":             {show(packed("summer", "")), objects(holding(1, false)), actionStart, "", ""},
		"the library may get it later":    {show(packed("", "summer")), objects(), actionWait, v1beta1.ReasonPackNotFound, `There is no pack "summer" in the library`},
		"images of the library are valid": {show(packed("", "summer")), objects(holding(1, true)), actionStart, "", ""},
		"a brand may set a pack as default": {show(), objects(func(o *observed) {
			o.Brand.Spec.SlideshowDefaults.ImageSource = show(packed("", "summer")).Spec.ImageSource
		}), actionWait, v1beta1.ReasonPackNotFound, "in the library"},
		"other sources ignore the pack": {show(func(s *v1beta1.Slideshow) {
			s.Spec.ImageSource = &v1beta1.ImageSource{Type: v1beta1.ImageSourceStock}
		}), objects(), actionStart, "", ""},
	} {
		d := decide(c.s, c.o, start)
		if d.kind != c.kind || d.reason != c.reason || !strings.Contains(d.message, c.says) {
			t.Errorf("%s: got action %d, %s: %s", why, d.kind, d.reason, d.message)
		}
	}
}

func TestReport_RepeatedImages(t *testing.T) {
	s := show(packed("summer", ""), byHand(), done)
	if got := reused(s); got != 2 {
		t.Errorf("reported %d repeated images, want 2 of 3 slides with one image", got)
	}
	for i, p := range starter.All()[:3] {
		s.Status.Slides[i].Background.ID = p.ID
	}
	if got := reused(s); got != 0 {
		t.Errorf("reported %d repeated images, want none", got)
	}
}
