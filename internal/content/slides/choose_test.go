// SPDX-License-Identifier: Apache-2.0

package slides

import (
	"fmt"
	"testing"

	"k8s.io/apimachinery/pkg/types"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/content/deck"
	"github.com/reelops/reelops/internal/content/imagery/starter"
)

// saying returns a slideshow with these headings.
func saying(uid string, headings ...string) *v1beta1.Slideshow {
	return show(func(s *v1beta1.Slideshow) {
		s.UID = types.UID(uid)
		for i, h := range headings {
			s.Spec.Slides = append(s.Spec.Slides, v1beta1.SlideSpec{ID: int64(i + 1), Heading: h})
		}
	})
}

// shownBy returns the images of a drawing, and the styles of those that are backdrops.
func shownBy(in Drawing) (ids []string, styles []string) {
	for _, sl := range in.slides {
		ids = append(ids, sl.picture.id())
		b, _ := starter.ByID(sl.picture.id())
		styles = append(styles, starter.BackdropStyle(b))
	}
	return ids, styles
}

// drawnAs sets the status of a slideshow to the result of a drawing.
func drawnAs(s *v1beta1.Slideshow, in Drawing, d v1beta1.Design) {
	s.Status.Slides, s.Status.Design = nil, &d
	for _, sl := range in.slides {
		b := v1beta1.SlideBackground{Source: deck.SourceStock, ID: sl.picture.id()}
		s.Status.Slides = append(s.Status.Slides, v1beta1.Slide{ID: sl.id, Background: b})
	}
}

var nothingFits = []string{
	"What is a metaphor?", "Sign the petition", "Democracy needs a vote", "Plumbers hate that", "How elevators stay up",
}

func TestBackdrop_ShownIfNoImageFits(t *testing.T) {
	patterns := map[string]bool{}
	for n := range 12 {
		s, o := saying(fmt.Sprint("uid-", n), nothingFits...), inputs()
		s.Name = fmt.Sprint("tea-", n)
		ids, styles := shownBy(NewDrawing(s, o, Gathered{}, designOf(s, o), 1))
		seen := map[string]bool{}
		for i := range ids {
			if styles[i] != "bold_center" {
				t.Fatalf("slide %q shows %s, want a backdrop of bold_center", nothingFits[i], ids[i])
			}
			if seen[ids[i]] {
				t.Errorf("%s is shown twice", ids[i])
			}
			seen[ids[i]] = true
			p, _ := starter.ByID(ids[i])
			first, _ := starter.ByID(ids[0])
			if p.Description != first.Description {
				t.Errorf("%s and %s are of two patterns", ids[i], ids[0])
			}
			patterns[p.Description] = true
		}
	}
	if len(patterns) < 3 {
		t.Errorf("12 slideshows have %d patterns, want at least 3", len(patterns))
	}
}

func TestBackdrop_FittingImagesComeFirst(t *testing.T) {
	headings := append([]string{"Camping under the stars", "Surf lessons at the ocean"}, nothingFits[0])
	s, o := saying("uid", headings...), inputs()
	ids, styles := shownBy(NewDrawing(s, o, Gathered{}, designOf(s, o), 1))
	if styles[0] != "" || styles[1] != "" || styles[2] == "" {
		t.Errorf("the slides show %v, want two images and a backdrop", ids)
	}
}

// TestBackdrop_FollowsItsStyle checks that an edit of the text keeps the backdrops, another style has its own
// backdrops, and added slides use the same pattern.
func TestBackdrop_FollowsItsStyle(t *testing.T) {
	s, o := saying("uid", nothingFits...), inputs()
	d := designOf(s, o)
	in := NewDrawing(s, o, Gathered{}, d, 1)
	before, _ := shownBy(in)
	drawnAs(s, in, d)
	s.Spec.Slides[0].Heading = "What is a simile?"
	after, _ := shownBy(NewDrawing(s, o, Gathered{}, d, 2))
	if fmt.Sprint(before) != fmt.Sprint(after) {
		t.Errorf("after an edit of the text: got %v, before %v", after, before)
	}
	s.Spec.Slides = append(s.Spec.Slides, v1beta1.SlideSpec{ID: 9, Heading: "A sixth one"})
	more, styles := shownBy(NewDrawing(s, o, Gathered{}, d, 2))
	p, _ := starter.ByID(before[0])
	last, _ := starter.ByID(more[5])
	if styles[5] != "bold_center" || last.Description != p.Description {
		t.Errorf("the new slide shows %s next to %s", more[5], before[0])
	}
	d.Style = "soft_card"
	if _, styles := shownBy(NewDrawing(s, o, Gathered{}, d, 2)); styles[0] != "soft_card" || styles[4] != "soft_card" {
		t.Errorf("after a change of the style: got the backdrops %v", styles)
	}
}

func TestBackdrop_NotForARequestedWorld(t *testing.T) {
	s, o := saying("uid", nothingFits...), inputs()
	d := designOf(s, o)
	d.ImageWorld = "night_sky"
	ids, _ := shownBy(NewDrawing(s, o, Gathered{}, d, 1))
	for i, id := range ids {
		if p, _ := starter.ByID(id); p.World != "night_sky" {
			t.Errorf("slide %d shows %s", i, id)
		}
	}
}

// holding returns a pack with n images, of the namespace or of the library namespace.
func holding(n int, library bool) *Pack {
	assets := make([]v1beta1.MediaAsset, n)
	for i := range assets {
		assets[i].Name = fmt.Sprintf("picture-%d", i)
		assets[i].Status = v1beta1.MediaAssetStatus{BlobKey: "k", Probe: &v1beta1.MediaProbe{Kind: "image"}}
	}
	return NewPack("summer", assets, library)
}

func TestPack_ProvidesEveryBackground(t *testing.T) {
	drawnPack := StarterPack("starter-ocean-waves")
	if drawnPack == nil || len(drawnPack.pictures) < 3 {
		t.Fatal("the pack is not in the starter set")
	}
	if StarterPack("summer") != nil {
		t.Error("the starter set has an unknown pack")
	}
	for why, c := range map[string]struct {
		pack *Pack
		most int // maximum number of times that an image is shown
	}{
		"more images than slides":     {holding(9, false), 1},
		"as many images as slides":    {holding(6, false), 1},
		"fewer images than slides":    {holding(4, false), 2},
		"one image":                   {holding(1, false), 6},
		"two images":                  {holding(2, false), 3},
		"fewer images in the library": {holding(4, true), 2},
		"images of the starter pack":  {drawnPack, (6 + len(drawnPack.pictures) - 1) / len(drawnPack.pictures)},
	} {
		s := show(func(s *v1beta1.Slideshow) {
			s.Spec.ImageSource = &v1beta1.ImageSource{Type: v1beta1.ImageSourcePack, PackRef: &v1beta1.LocalRef{Name: "summer"}}
			for i := range 6 {
				s.Spec.Slides = append(s.Spec.Slides, v1beta1.SlideSpec{Heading: fmt.Sprintf("Thing %d", i)})
			}
		})
		o := inputs()
		o.Pack = c.pack
		of := map[string]bool{}
		for _, p := range c.pack.pictures {
			of[p.id()] = true
		}
		shown := map[string]int{}
		last := ""
		for _, sl := range NewDrawing(s, o, Gathered{}, designOf(s, o), 1).slides {
			id := sl.picture.id()
			if !of[id] {
				t.Errorf("%s: the image %s is not in the pack", why, id)
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
			t.Errorf("%s: %d images are shown, want %d before any is repeated", why, len(shown), want)
		}
	}
}

func TestRevisionOf_OtherFiles(t *testing.T) {
	for _, key := range []string{
		"shorts/acme/tea/speech-0011223344556677", "shorts/acme/tea/ai/ai-1.jpg", "shorts/acme/r1-aaaaaaaa/slide-1.png",
		"shorts/acme/tea/stock/r1-1/pexels-1.jpg", "shorts/acme/tea/r-1/slide-1.png", "shorts/acme/tea/r1-aaaaaaaa",
		"renders/acme/tea/r1-aaaaaaaa/slide-1.png", "shorts/acme/tea/r99999999999999999999-a/slide-1.png",
	} {
		if n, ok := RevisionOf(key); ok {
			t.Errorf("%s has revision %d", key, n)
		}
	}
}

// TestPrefix_DependsOnTheImages checks that the prefix of a set of images depends on their content, so that two
// passes with different choices never mix their images.
func TestPrefix_DependsOnTheImages(t *testing.T) {
	s := show(byHand)
	o := inputs()
	d := designOf(s, o)
	d.ImageWorld = "night_sky" // also has images that were not used recently
	first := NewDrawing(s, o, Gathered{}, d, 1)
	if again := NewDrawing(s, o, Gathered{}, d, 1); again.prefix != first.prefix {
		t.Errorf("the same drawing has two prefixes: %s, %s", first.prefix, again.prefix)
	}
	used := map[string]bool{}
	for _, sl := range first.slides {
		if used[sl.picture.id()] {
			t.Errorf("%s is shown twice", sl.picture.id())
		}
		used[sl.picture.id()] = true
		o.Recent = append(o.Recent, Use{pictures: []string{sl.picture.id()}})
	}
	other := NewDrawing(s, o, Gathered{}, d, 1)
	if other.prefix == first.prefix {
		t.Error("other backgrounds have the same prefix")
	}
	next := NewDrawing(s, o, Gathered{}, d, 2).prefix
	if next == other.prefix {
		t.Error("the next revision has the same prefix")
	}
	if n, ok := RevisionOf(next + "slide-1.png"); n != 2 || !ok {
		t.Errorf("a file of revision 2 has revision %d, %t", n, ok)
	}
}

func TestChoose_FollowsTheText(t *testing.T) {
	o, d := inputs(), v1beta1.Design{ImageWorld: "night_sky"}
	s := show(byHand)
	wanted := func(s *v1beta1.Slideshow, d v1beta1.Design, had string) string {
		t.Helper()
		return aiImageOf(s, o, d, deck.Slides(s)[0], had).id
	}
	first := wanted(s, d, "")
	if again := wanted(s, d, ""); again != first {
		t.Error("the same text has another image")
	}
	s.Spec.Slides[0].Heading = "Other words"
	if wanted(s, d, first) != first {
		t.Error("an edit of the text changes the position of the image")
	}
	if wanted(s, d, "") == first || wanted(s, d, "starter-night_sky-01") == first {
		t.Error("another text without an image shows a former image")
	}
	if d.ImageWorld = "botanical"; wanted(s, d, first) == first {
		t.Error("another world keeps the image of the previous one")
	}
}
