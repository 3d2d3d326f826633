// SPDX-License-Identifier: Apache-2.0

package deck

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/catalog"
)

// Version is the version of the rendering code and part of every VisualHash. Raise it to render unchanged input again.
const Version = 1

// SourceHash returns the hash of the input that a text is written from. The brand's profile is not included, so that a
// changed brand does not rewrite existing slideshows.
func SourceHash(s *v1beta1.Slideshow) string {
	return Hash(s.Spec.Context, s.Spec.SlideCount, s.Spec.Language)
}

// Written reports whether a slideshow has its texts: set in the spec, or written from the current context.
func Written(s *v1beta1.Slideshow) bool {
	return len(s.Spec.Slides) > 0 || s.Status.Text != nil && s.Status.Text.SourceHash == SourceHash(s)
}

// VisualHash returns the hash of everything visible or audible, and of its duration. Different music or another voice
// results in another video. A background chosen automatically counts like one named in the spec, and a written text
// like a text of the spec. Copying generated values into the spec therefore does not change the hash. Nor does an
// alternative text.
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

// WorkHash returns the hash of the part of the spec that the generator uses. Metadata such as the title is excluded, so
// that changing the metadata does not retry failed work.
func WorkHash(s *v1beta1.Slideshow) string {
	spec := s.Spec.DeepCopy()
	spec.Title, spec.Caption, spec.Hashtags, spec.Tags, spec.AutoRender, spec.Suspend = nil, nil, nil, nil, false, false
	for i := range spec.Slides {
		sl := &spec.Slides[i]
		sl.AltText, sl.DurationSeconds, sl.DurationMilliseconds = "", sl.Seconds(), 0
	}
	return Hash(spec)
}

// Hash returns a short hash. Equal values have equal hashes.
func Hash(of ...any) string {
	doc, err := json.Marshal(of)
	if err != nil {
		panic(err) // API types always marshal
	}
	sum := sha256.Sum256(doc)
	return hex.EncodeToString(sum[:16])
}

// DesignOf returns the design with the fields that the spec leaves open filled in. The spec takes precedence, then the
// design chosen before, so that an edit does not change the rest. The last fallback is open, from a brand or the
// built-in defaults, which may have empty fields.
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

// OfBrand returns the design of a brand's defaults and the built-in defaults. The style may be empty.
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
