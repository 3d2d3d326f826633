// SPDX-License-Identifier: Apache-2.0

package slideshow

import (
	"fmt"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/content/imagery/starter"
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
		o.pack = &pack{name: "summer"}
		for i := range n {
			p := picture{asset: &v1beta1.MediaAsset{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("picture-%d", i)}}}
			if shared {
				p.shared = "library:" + p.asset.Name
			}
			o.pack.pictures = append(o.pack.pictures, p)
		}
	}
}

func TestAPackIsWaitedFor(t *testing.T) {
	for why, c := range map[string]struct {
		s      *v1beta1.Slideshow
		o      *observed
		kind   action
		reason v1beta1.Reason
		says   string
	}{
		"it may be applied later":            {show(packed("summer", "")), objects(), actionWait, v1beta1.ReasonPackNotFound, `There is no MediaPack "summer" in the namespace`},
		"its pictures may be applied later":  {show(packed("summer", "")), objects(holding(0, false)), actionWait, v1beta1.ReasonMediaNotReady, `The MediaPack "summer" has no ready pictures`},
		"a picture is enough":                {show(packed("summer", "")), objects(holding(1, false)), actionStart, "", ""},
		"the library may get it later":       {show(packed("", "summer")), objects(), actionWait, v1beta1.ReasonPackNotFound, `There is no pack "summer" that every account has`},
		"the library's pictures are as good": {show(packed("", "summer")), objects(holding(1, true)), actionStart, "", ""},
		"a brand may name a pack as its usual": {show(), objects(func(o *observed) {
			o.brand.Spec.SlideshowDefaults.ImageSource = show(packed("", "summer")).Spec.ImageSource
		}), actionWait, v1beta1.ReasonPackNotFound, "every account has"},
		"a pack is nothing to other sources": {show(func(s *v1beta1.Slideshow) {
			s.Spec.ImageSource = &v1beta1.ImageSource{Type: v1beta1.ImageSourceStock}
		}), objects(), actionStart, "", ""},
	} {
		d := decide(c.s, c.o, start)
		if d.kind != c.kind || d.reason != c.reason || !strings.Contains(d.message, c.says) {
			t.Errorf("%s: action %d, %s: %s", why, d.kind, d.reason, d.message)
		}
	}
}

func TestEveryBackgroundComesFromThePack(t *testing.T) {
	drawnPack := starterPack("starter-ocean-waves")
	if drawnPack == nil || len(drawnPack.pictures) < 3 {
		t.Fatal("there is no such pack in the starter set")
	}
	if starterPack("summer") != nil {
		t.Error("the starter set has a pack that nobody made")
	}
	for why, c := range map[string]struct {
		o    *observed
		most int // maximum number of times that an image is shown
	}{
		"more pictures than slides":      {objects(holding(9, false)), 1},
		"as many pictures as slides":     {objects(holding(6, false)), 1},
		"fewer pictures than slides":     {objects(holding(4, false)), 2},
		"one picture":                    {objects(holding(1, false)), 6},
		"two pictures":                   {objects(holding(2, false)), 3},
		"fewer pictures in the library":  {objects(holding(4, true)), 2},
		"pictures of the starter's pack": {objects(func(o *observed) { o.pack = drawnPack }), (6 + len(drawnPack.pictures) - 1) / len(drawnPack.pictures)},
	} {
		s := show(packed("summer", ""), func(s *v1beta1.Slideshow) {
			for i := range 6 {
				s.Spec.Slides = append(s.Spec.Slides, v1beta1.SlideSpec{Heading: fmt.Sprintf("Thing %d", i)})
			}
		})
		of := map[string]bool{}
		for _, p := range c.o.pack.pictures {
			of[p.id()] = true
		}
		shown := map[string]int{}
		last := ""
		for _, sl := range drawing(s, c.o, designFor(s, c.o), 1).slides {
			id := sl.picture.id()
			if !of[id] {
				t.Errorf("%s: the picture %s is not of the pack", why, id)
			}
			if id == last && len(of) > 1 {
				t.Errorf("%s: %s is shown twice in a row", why, id)
			}
			if shown[id]++; shown[id] > c.most {
				t.Errorf("%s: %s is shown %d times", why, id, shown[id])
			}
			last = id
		}
		if want := min(6, len(of)); len(shown) != want {
			t.Errorf("%s: %d pictures are shown, want %d before any is shown again", why, len(shown), want)
		}
	}
}

func TestAReusedPictureIsToldOf(t *testing.T) {
	s := show(packed("summer", ""), byHand(), done)
	if got := reused(s); got != 2 {
		t.Errorf("%d pictures are told to be shown again, want 2 of 3 slides with one picture", got)
	}
	for i, p := range starter.All()[:3] {
		s.Status.Slides[i].Background.ID = p.ID
	}
	if got := reused(s); got != 0 {
		t.Errorf("%d pictures are told to be shown again, want none", got)
	}
}
