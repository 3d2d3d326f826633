// SPDX-License-Identifier: Apache-2.0

package slides

import (
	"cmp"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/content/deck"
	"github.com/reelops/reelops/internal/content/imagery/starter"
	"github.com/reelops/reelops/internal/content/meaning"
	"github.com/reelops/reelops/internal/content/overlay"
)

// slideInput is one slide to draw: either a text for the style to lay out, or overlays placed by hand.
type slideInput struct {
	id       int64
	role     string
	text     *overlay.SlideText
	overlays []v1beta1.TextOverlay
	altText  string
	picture  picture
	seconds  float64 // display time; 0 for the reading time
}

// picture identifies a background.
type picture struct {
	stock *starter.Picture
	asset *v1beta1.MediaAsset
	// shared is the stock id of an asset of the library namespace; empty for an asset of the slideshow's namespace.
	shared string
	ai     *aiPicture
	found  *found
}

func (p picture) id() string {
	if p.stock != nil {
		return p.stock.ID
	}
	if p.ai != nil {
		return p.ai.id
	}
	if p.found != nil {
		return p.found.Ref()
	}
	if p.shared != "" {
		return p.shared
	}
	return p.asset.Name
}

// ground returns the status entry of a picture, without the key of its file.
func (p picture) ground() v1beta1.SlideBackground {
	switch {
	case p.stock != nil:
		return v1beta1.SlideBackground{Source: deck.SourceStock, ID: p.stock.ID, MediaID: p.stock.Number}
	case p.ai != nil:
		return v1beta1.SlideBackground{Source: deck.SourceAI, ID: p.ai.id}
	case p.found != nil:
		return p.found.ground()
	}
	return groundOf(p.asset, p.shared)
}

// Drawing is the complete input of a set of slides.
type Drawing struct {
	prefix   string // of the revision's blobs
	ratio    catalog.AspectRatio
	style    catalog.DesignStyle
	family   string // replaces the style's own
	gradient *v1beta1.Gradient
	shade    overlay.Gradient // resolved from style and gradient
	language string
	pace     catalog.Pace
	spoken   bool // a voice-over follows
	unstored bool // a preview: no file is written
	slides   []slideInput
	// before are the slides of the current revision, changes the normalizations of them.
	before  []v1beta1.Slide
	changes []v1beta1.Normalization
}

// looks returns the style with the brand's own font.
func (in Drawing) looks() catalog.DesignStyle {
	style := in.style
	if in.family != "" {
		style.DefaultFontFamily = in.family
		style.Hook.Family, style.Heading.Family, style.Body.Family = in.family, in.family, in.family
	}
	return style
}

// backgroundKey returns the key of the stored background of a slide.
func (in Drawing) backgroundKey(i int) string {
	return fmt.Sprintf("%sbackground-%d.jpg", in.prefix, in.slides[i].id)
}

// drawnFrom returns a hash of all inputs of a slide's images. The slide's position counts only if the style numbers
// slides.
func (in Drawing) drawnFrom(i int) string {
	sl := in.slides[i]
	of := []any{deck.Version, in.ratio, in.shade, sl.picture.id()}
	if a := sl.picture.asset; a != nil {
		of = append(of, v1beta1.Origin(a), a.Status.BlobKey)
	}
	if sl.text == nil {
		of = append(of, sl.overlays)
		for _, t := range sl.overlays {
			if deck.Styled(t) {
				of = append(of, in.looks(), in.language, sl.role)
				break
			}
		}
		return deck.Hash(of...)
	}
	text := *sl.text
	text.Count = 0
	if !in.style.Numbers(text.Role, text.Index) {
		text.Index = 0
	}
	return deck.Hash(append(of, in.looks(), in.language, text)...)
}

// duration returns how long the video shows a slide: the configured time, else the reading time of its words. The
// number that a style puts on a slide is not counted.
func (in Drawing) duration(i int, overlays []v1beta1.TextOverlay) time.Duration {
	sl := in.slides[i]
	if sl.seconds > 0 {
		return time.Duration(sl.seconds * float64(time.Second))
	}
	if sl.text != nil && len(overlays) > 0 {
		if number, _ := sl.text.Numbered(in.style); number > 0 {
			overlays = overlays[1:]
		}
	}
	texts := make([]string, len(overlays))
	for k, o := range overlays {
		texts[k] = o.Text
	}
	return readingTime(in.pace, texts...)
}

// ExtendLast extends the last slide until the video reaches the minimum length that platforms require.
func ExtendLast(slides []v1beta1.Slide) {
	total := int64(0)
	for i := range slides {
		total += slides[i].DurationMilliseconds
	}
	if missing := catalog.MinSlideshowTime.Milliseconds() - total; missing > 0 && len(slides) > 0 {
		slides[len(slides)-1].DurationMilliseconds += missing
	}
}

// Files is the prefix of the blob keys of all slideshows.
const Files = "shorts/"

// drawing matches the key of a file of a drawn revision.
var drawing = regexp.MustCompile(`^` + Files + `[^/]+/[^/]+/r(\d+)-[^/]+/`)

// RevisionOf returns the revision that a file was drawn for, and false for a file that is no drawing. Later drawings
// never write it again: each has a higher revision. A later revision may still name it, for a slide that did not
// change.
func RevisionOf(key string) (int64, bool) {
	m := drawing.FindStringSubmatch(key)
	if m == nil {
		return 0, false
	}
	n, err := strconv.ParseInt(m[1], 10, 64)
	return n, err == nil
}

// Prefix returns the prefix of the blob keys of a slideshow. It contains the uid, so that a slideshow that is created
// again under the same name does not find the files of the earlier one.
func Prefix(s *v1beta1.Slideshow) string {
	return fmt.Sprintf("%s%s/%s/", Files, s.Namespace, v1beta1.Origin(s))
}

// NewDrawing collects the slides of a revision with their texts and chooses their backgrounds. All objects that the
// spec names must exist and be ready; g is the result of Gather.
func NewDrawing(s *v1beta1.Slideshow, o *Inputs, g Gathered, d v1beta1.Design, revision int64) Drawing {
	ratio, _ := catalog.AspectRatioByValue(d.AspectRatio)
	style, _ := catalog.DesignStyleByID(d.Style)
	out := Drawing{
		ratio: ratio, style: style, pace: catalog.PaceByID(s.Spec.Film.Pace), spoken: deck.Spoken(s),
		family: o.Brand.Spec.SlideshowDefaults.OverlayFontFamily, gradient: s.Spec.Gradient,
		language: cmp.Or(s.Spec.Language, o.Brand.Spec.Language),
		before:   s.Status.Slides, changes: s.Status.Normalizations,
	}
	if out.gradient == nil {
		out.gradient = o.Brand.Spec.SlideshowDefaults.Gradient
	}
	if len(s.Spec.Slides) == 0 {
		out.language = s.Status.Text.Language
	}
	out.shade = shadeOf(deck.GradientOf(s, o.Brand, d.Style))
	wanted := deck.Slides(s)
	var texts []meaning.Text
	for i, sl := range wanted {
		in := slideInput{id: sl.ID, role: sl.Role, altText: sl.AltText, seconds: sl.DurationSeconds}
		q := meaning.Text{Keywords: sl.Keywords, Heading: sl.Heading, Body: sl.Body, Language: out.language}
		if sl.Overlays != nil {
			in.overlays = *sl.Overlays
			for _, t := range in.overlays {
				q.Body += " " + t.Text
			}
		} else if sl.Heading != "" {
			in.text = &overlay.SlideText{Role: sl.Role, Heading: sl.Heading, Body: sl.Body, Index: i, Count: len(wanted)}
		}
		out.slides, texts = append(out.slides, in), append(texts, q)
	}
	around := make([]string, 0, 2*len(texts))
	for _, q := range texts {
		around = append(around, q.Heading, q.Body)
	}
	for i := range texts {
		texts[i].Around = strings.Join(around, "\n")
	}
	choosePictures(s, o, g, d, wanted, out.slides, texts)
	// The prefix depends on every input of the images, including the chosen backgrounds. A pass that saw other inputs
	// therefore never overwrites images that a status names.
	ids := make([]string, len(out.slides))
	for i := range out.slides {
		ids[i] = out.slides[i].picture.id()
	}
	hash := deck.Hash(deck.VisualHash(s, d), out.gradient, out.family, out.language, ids)
	out.prefix = fmt.Sprintf("%sr%d-%s/", Prefix(s), revision, hash[:8])
	return out
}
