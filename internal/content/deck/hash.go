// SPDX-License-Identifier: Apache-2.0

package deck

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/catalog"
)

// Version is part of what a drawing follows from: raise it when the same input shall be drawn anew.
const Version = 1

// SourceHash tells what a text is written from. The brand's profile is not part of it: changing a brand does not rewrite
// what was made.
func SourceHash(s *v1beta1.Slideshow) string {
	return Hash(s.Spec.Context, s.Spec.SlideCount, s.Spec.Language)
}

// Written says that a slideshow's texts are there: by hand, or by the writer from the context as it is.
func Written(s *v1beta1.Slideshow) bool {
	return len(s.Spec.Slides) > 0 || s.Status.Text != nil && s.Status.Text.SourceHash == SourceHash(s)
}

// VisualHash tells what is to be seen and for how long, and what is heard with it: a film with other music or
// another voice is another film. A background that was chosen counts like one that the spec names, and a text that was written like one
// that the spec holds: writing down what was made changes nothing. Nor does an alternative text.
func VisualHash(s *v1beta1.Slideshow, d v1beta1.Design) string {
	type look struct {
		ID                           int64
		Role, Heading, Body, Picture string
		Overlays                     *[]v1beta1.TextOverlay
		DurationSeconds              float64 `json:",omitempty"`
	}
	var looks []look
	for _, sl := range Slides(s) {
		l := look{ID: sl.ID, Picture: picture(s, sl), Overlays: sl.Overlays, DurationSeconds: sl.DurationSeconds}
		if sl.Overlays == nil {
			l.Role, l.Heading, l.Body = sl.Role, sl.Heading, sl.Body
		}
		looks = append(looks, l)
	}
	of := []any{Version, d, s.Spec.Gradient, s.Spec.Film, looks}
	if s.Spec.Music != nil {
		of = append(of, s.Spec.Music)
	}
	if Spoken(s) {
		of = append(of, struct{ Voice string }{s.Spec.Voice.Name})
	}
	return Hash(of...)
}

// WorkHash tells what the spec asks the generator for. What only stands beside the slides is not part of it: to change a
// title is no reason to try again what has failed.
func WorkHash(s *v1beta1.Slideshow) string {
	spec := s.Spec.DeepCopy()
	spec.Title, spec.Caption, spec.Hashtags, spec.Tags, spec.AutoRender, spec.Suspend = nil, nil, nil, nil, false, false
	for i := range spec.Slides {
		sl := &spec.Slides[i]
		sl.AltText, sl.DurationSeconds, sl.DurationMilliseconds = "", sl.Seconds(), 0
	}
	return Hash(spec)
}

// Hash is short and the same for the same values.
func Hash(of ...any) string {
	doc, err := json.Marshal(of)
	if err != nil {
		panic(err) // API types always marshal
	}
	sum := sha256.Sum256(doc)
	return hex.EncodeToString(sum[:16])
}

// DesignOf settles what the spec leaves open: the spec first, then what was chosen before, so that an edit does not turn
// everything else over, then what the caller offers (of a brand or the house), which may be empty.
func DesignOf(s *v1beta1.Slideshow, open v1beta1.Design) v1beta1.Design {
	chosen := v1beta1.Design{}
	source := open.ImageSource
	if s.Status.Design != nil {
		chosen = *s.Status.Design
		source = chosen.ImageSource
	}
	if s.Spec.ImageSource != nil {
		source = *s.Spec.ImageSource
	}
	if source.Type == "" {
		source.Type = v1beta1.ImageSourceStock
	}
	return v1beta1.Design{
		AspectRatio: first(s.Spec.AspectRatio, chosen.AspectRatio, open.AspectRatio),
		Style:       first(s.Spec.DesignStyle, chosen.Style, open.Style),
		ImageWorld:  first(s.Spec.ImageWorld, chosen.ImageWorld, open.ImageWorld),
		ImageSource: source,
	}
}

// OfBrand is the design that a brand's defaults and the house offer; the style may be empty.
func OfBrand(b *v1beta1.Brand) v1beta1.Design {
	out := v1beta1.Design{AspectRatio: catalog.DefaultAspectRatio().Value}
	if b == nil {
		return out
	}
	d := b.Spec.SlideshowDefaults
	out.AspectRatio, out.Style, out.ImageWorld = first(d.AspectRatio, out.AspectRatio), d.DesignStyle, d.ImageWorld
	if d.ImageSource != nil {
		out.ImageSource = *d.ImageSource
	}
	return out
}

func first(of ...string) string {
	for _, s := range of {
		if s != "" {
			return s
		}
	}
	return ""
}
