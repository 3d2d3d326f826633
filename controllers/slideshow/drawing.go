// SPDX-License-Identifier: Apache-2.0

package slideshow

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"slices"
	"strings"
	"time"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/content/deck"
	"github.com/reelops/reelops/internal/content/imagery"
	"github.com/reelops/reelops/internal/content/imagery/starter"
	"github.com/reelops/reelops/internal/content/meaning"
	"github.com/reelops/reelops/internal/content/overlay"
	"github.com/reelops/reelops/internal/film/timeline"
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
	return timeline.SlideTime(in.pace, texts...)
}

// holdLast extends the last slide until the video reaches the minimum length that platforms require.
func holdLast(slides []v1beta1.Slide) {
	total := int64(0)
	for i := range slides {
		total += slides[i].DurationMilliseconds
	}
	if missing := catalog.MinSlideshowTime.Milliseconds() - total; missing > 0 && len(slides) > 0 {
		slides[len(slides)-1].DurationMilliseconds += missing
	}
}

// drawing collects the slides with their texts and chooses their backgrounds.
func drawing(s *v1beta1.Slideshow, o *observed, d v1beta1.Design, revision int64) Drawing {
	ratio, _ := catalog.AspectRatioByValue(d.AspectRatio)
	style, _ := catalog.DesignStyleByID(d.Style)
	out := Drawing{
		ratio: ratio, style: style, pace: catalog.PaceByID(s.Spec.Film.Pace), spoken: deck.Spoken(s),
		family: o.brand.Spec.SlideshowDefaults.OverlayFontFamily, gradient: s.Spec.Gradient,
		language: cmp.Or(s.Spec.Language, o.brand.Spec.Language),
		before:   s.Status.Slides, changes: s.Status.Normalizations,
	}
	if out.gradient == nil {
		out.gradient = o.brand.Spec.SlideshowDefaults.Gradient
	}
	if len(s.Spec.Slides) == 0 {
		out.language = s.Status.Text.Language
	}
	out.shade = shadeOf(deck.GradientOf(s, o.brand, d.Style))
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
	choosePictures(s, o, d, wanted, out.slides, texts)
	// The prefix depends on every input of the images, including the chosen backgrounds. A pass that saw other inputs
	// therefore never overwrites images that a status names.
	ids := make([]string, len(out.slides))
	for i := range out.slides {
		ids[i] = out.slides[i].picture.id()
	}
	out.prefix = fmt.Sprintf("%sr%d-%s/", Prefix(s), revision, deck.Hash(deck.VisualHash(s, d), out.gradient, out.family, out.language, ids)[:8])
	return out
}

// choosePictures sets the background of every slide. It uses the image that the spec names, else the slide's earlier
// image under the same source and world, else a fitting image that no other slide shows, else a backdrop in the colors
// of the style. A backdrop is not kept when the style changes.
func choosePictures(s *v1beta1.Slideshow, o *observed, d v1beta1.Design, wanted []deck.Slide, slides []slideInput, texts []meaning.Text) {
	all := candidates(o, d)
	byID := map[string]picture{}
	for _, p := range all {
		byID[p.id()] = p
	}
	if d.ImageSource.Type == v1beta1.ImageSourceStock {
		for _, b := range starter.Backdrops(d.Style) {
			byID[b.ID] = picture{stock: &b}
		}
	}
	taken := map[string]bool{}
	had := hadPictures(s, d, len(slides))
	var open []int
	for i := range slides {
		if img := wanted[i].Image; img != nil {
			slides[i].picture = named(o, img)
			taken[slides[i].picture.id()] = true
			continue
		}
		if d.ImageSource.Type == v1beta1.ImageSourceAI {
			slides[i].picture = picture{ai: imagined(s, o, d, wanted[i], had[slides[i].id])}
			continue
		}
		if f := o.found[had[slides[i].id]]; f != nil && !taken[f.Ref()] {
			slides[i].picture = picture{found: f}
			taken[f.Ref()] = true
			continue
		}
		if f := o.found[o.chosen[slides[i].id]]; f != nil && !taken[f.Ref()] {
			slides[i].picture = picture{found: f}
			taken[f.Ref()] = true
			continue
		}
		if p, ok := byID[had[slides[i].id]]; ok && !taken[p.id()] {
			slides[i].picture = p
			taken[p.id()] = true
			continue
		}
		open = append(open, i)
	}
	if len(open) == 0 {
		return
	}
	var from []picture
	add := func(free bool) {
		for _, p := range all {
			if free == !taken[p.id()] {
				from = append(from, p)
			}
		}
	}
	add(true)
	if len(from) == 0 {
		add(false)
	}
	cands, docs := make([]imagery.Candidate, len(from)), make([]meaning.Doc, len(from))
	for i, p := range from {
		cands[i], docs[i] = candidate(p)
	}
	index := meaning.NewIndex(nil, docs)
	fit := make([][]float64, len(open))
	for k, i := range open {
		fit[k] = index.Fit(texts[i])
	}
	h := fnv.New64a()
	_, _ = h.Write([]byte(s.Namespace + "/" + s.Name)) // a slideshow that is deleted and applied again looks the same
	opts := imagery.Options{World: d.ImageWorld, Seed: h.Sum64()}
	for _, u := range o.recent {
		opts.RecentlyUsed = append(opts.RecentlyUsed, u.pictures...)
	}
	// Images of a requested pack or image world are used even if they fit badly.
	if d.ImageSource.Type == v1beta1.ImageSourceStock && d.ImageWorld == "" {
		opts.Least, opts.Strong = meaning.Least, meaning.Strong
	}
	var none []int
	for k, c := range imagery.Choose(fit, cands, opts) {
		if c.Index < 0 {
			none = append(none, open[k])
			continue
		}
		slides[open[k]].picture = from[c.Index]
	}
	hang(slides, none, d.Style, opts.Seed)
}

// hang gives a backdrop in the colors of the style to the slides that no image fits. All backdrops have one pattern:
// the one that the slideshow already shows, else one chosen by the seed.
func hang(slides []slideInput, none []int, style string, seed uint64) {
	all := starter.Backdrops(style)
	if len(none) == 0 || len(all) == 0 {
		return
	}
	taken := map[string]bool{}
	first := int(seed%uint64(len(all)/starter.BackdropsEach)) * starter.BackdropsEach
	for _, sl := range slides {
		if i := slices.IndexFunc(all, func(b starter.Picture) bool { return sl.picture.stock != nil && sl.picture.stock.ID == b.ID }); i >= 0 {
			taken[all[i].ID] = true
			first = i - i%starter.BackdropsEach
		}
	}
	at := int(seed / uint64(len(all)) % starter.BackdropsEach)
	for _, i := range none {
		for range starter.BackdropsEach {
			at = (at + 1) % starter.BackdropsEach
			if !taken[all[first+at].ID] {
				break
			}
		}
		taken[all[first+at].ID] = true
		slides[i].picture = picture{stock: &all[first+at]}
	}
}

// named returns the picture that a slide's spec names. An earlier step has checked that it exists.
func named(o *observed, img *v1beta1.SlideImage) picture {
	if img.Stock == nil {
		return picture{asset: o.media[img.MediaRef.Name]}
	}
	if f := o.found[*img.Stock]; f != nil {
		return picture{found: f}
	}
	if a := o.shared[*img.Stock]; a != nil {
		return picture{asset: a, shared: *img.Stock}
	}
	p, _ := starter.ByID(*img.Stock)
	return picture{stock: &p}
}

// hadPictures returns the slides' earlier background ids by slide id, if the source and the world are unchanged.
func hadPictures(s *v1beta1.Slideshow, d v1beta1.Design, slides int) map[int64]string {
	had := map[int64]string{}
	// Slides without ids are identified by their position, which is not reliable after slides were added or removed.
	sameSlides := len(s.Status.Slides) == slides || len(s.Spec.Slides) > 0 && s.Spec.Slides[0].ID != 0
	if old := s.Status.Design; sameSlides && old != nil && old.ImageWorld == d.ImageWorld && old.ImageSource.Type == d.ImageSource.Type {
		for i := range s.Status.Slides {
			had[s.Status.Slides[i].ID] = s.Status.Slides[i].Background.ID
		}
	}
	return had
}

func candidates(o *observed, d v1beta1.Design) []picture {
	if d.ImageSource.Type == v1beta1.ImageSourcePack {
		return o.pack.pictures
	}
	var out []picture
	for _, p := range starter.All() {
		out = append(out, picture{stock: &p})
	}
	return out
}

func candidate(p picture) (imagery.Candidate, meaning.Doc) {
	if p.stock != nil {
		return imagery.Candidate{ID: p.stock.ID, World: p.stock.World},
			meaning.Doc{Title: p.stock.Title, Description: p.stock.Description, World: p.stock.World, Tags: p.stock.Tags}
	}
	a := p.asset.Spec
	return imagery.Candidate{ID: p.id()}, meaning.Doc{Title: a.Title, Description: a.Description, Tags: a.Tags}
}
