// SPDX-License-Identifier: Apache-2.0

package slideshow

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"

	v1alpha1 "github.com/reelops/reelops/api/v1alpha1"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/imagery/starter"
)

// drawVersion is part of what a drawing follows from: raise it when the same input shall be drawn anew.
const drawVersion = 1

// designFor settles what the spec leaves open: the spec first, then what was chosen before, then the brand, then the
// house. What was chosen stays, so that an edit does not turn everything else over.
func designFor(s *v1alpha1.Slideshow, o *seen) v1alpha1.Design {
	defaults := o.brand.Spec.SlideshowDefaults
	chosen := v1alpha1.Design{}
	if s.Status.Design != nil {
		chosen = *s.Status.Design
	}
	return v1alpha1.Design{
		AspectRatio: first(s.Spec.AspectRatio, chosen.AspectRatio, defaults.AspectRatio, catalog.DefaultAspectRatio().Value),
		Style:       first(s.Spec.DesignStyle, chosen.Style, defaults.DesignStyle, freshStyle(o.recent)),
		ImageWorld:  first(s.Spec.ImageWorld, chosen.ImageWorld, defaults.ImageWorld),
		ImageSource: imageSource(s, o.brand),
	}
}

// imageSource is where backgrounds come from.
func imageSource(s *v1alpha1.Slideshow, b *v1alpha1.Brand) v1alpha1.ImageSource {
	src := v1alpha1.ImageSource{Type: v1alpha1.ImageSourceStock}
	switch {
	case s.Spec.ImageSource != nil:
		src = *s.Spec.ImageSource
	case s.Status.Design != nil:
		src = s.Status.Design.ImageSource
	case b != nil && b.Spec.SlideshowDefaults.ImageSource != nil:
		src = *b.Spec.SlideshowDefaults.ImageSource
	}
	if src.Type == "" {
		src.Type = v1alpha1.ImageSourceStock
	}
	return src
}

// freshStyle is the style that the brand's recent shorts have not used, or have used longest ago.
func freshStyle(recent []use) string {
	best, bestAge := "", -1
	for _, st := range catalog.DesignStyles {
		age := slices.IndexFunc(recent, func(u use) bool { return u.style == st.ID })
		if age < 0 {
			return st.ID
		}
		if age > bestAge {
			best, bestAge = st.ID, age
		}
	}
	return best
}

// sourceHash tells what a text is written from. The brand's profile is not part of it: changing a brand does not rewrite
// what was made.
func sourceHash(s *v1alpha1.Slideshow) string {
	return hash(s.Spec.Context, s.Spec.SlideCount, s.Spec.Language)
}

// visualHash tells what slides are drawn from.
func visualHash(s *v1alpha1.Slideshow, d v1alpha1.Design) string {
	var texts []v1alpha1.SlideText
	if len(s.Spec.Slides) == 0 && s.Status.Text != nil {
		texts = s.Status.Text.Slides
	}
	return hash(drawVersion, d, s.Spec.Gradient, s.Spec.Film, s.Spec.Slides, texts)
}

func hash(of ...any) string {
	doc, err := json.Marshal(of)
	if err != nil {
		panic(err) // API types always marshal
	}
	sum := sha256.Sum256(doc)
	return hex.EncodeToString(sum[:16])
}

func first(of ...string) string {
	for _, s := range of {
		if s != "" {
			return s
		}
	}
	return ""
}

func knownStock(id string) bool {
	_, ok := starter.ByID(id)
	return ok
}
