// SPDX-License-Identifier: Apache-2.0

package slides

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/content/deck"
)

type change = func(*v1beta1.Slideshow)

// show returns a new slideshow of a style.
func show(changes ...change) *v1beta1.Slideshow {
	s := &v1beta1.Slideshow{ObjectMeta: metav1.ObjectMeta{Namespace: "tenant", Name: "tea", UID: "u", Generation: 1}}
	s.Spec = v1beta1.SlideshowSpec{BrandRef: v1beta1.LocalRef{Name: "acme"}, Context: "tea", DesignStyle: "bold_center"}
	for _, c := range changes {
		c(s)
	}
	return s
}

func byHand(s *v1beta1.Slideshow) {
	s.Spec.Slides = []v1beta1.SlideSpec{{Heading: "One"}, {Heading: "Two"}, {Heading: "Three"}}
}

// inputs returns a brand without settings.
func inputs() *Inputs {
	return &Inputs{Brand: &v1beta1.Brand{ObjectMeta: metav1.ObjectMeta{Name: "acme"}}}
}

func designOf(s *v1beta1.Slideshow, o *Inputs) v1beta1.Design {
	return deck.DesignOf(s, deck.OfBrand(o.Brand))
}
