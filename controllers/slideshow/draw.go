// SPDX-License-Identifier: Apache-2.0

package slideshow

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"image"
	"image/jpeg"
	"image/png"
	"io"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"

	v1alpha1 "github.com/reelops/reelops/api/v1alpha1"
	"github.com/reelops/reelops/internal/blob"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/imagery"
	"github.com/reelops/reelops/internal/imagery/starter"
	"github.com/reelops/reelops/internal/overlay"
	"github.com/reelops/reelops/internal/timeline"
)

const (
	// jpegQuality of backgrounds and previews.
	jpegQuality = 92
)

// UnfitError says that a slide's own content cannot be drawn.
type UnfitError struct{ Field, Message string }

func (e *UnfitError) Error() string { return e.Field + ": " + e.Message }

// Drawer turns slides into stored pictures.
type Drawer struct {
	Store    *blob.Store
	Engine   *overlay.Engine
	Parallel int // slides drawn at once, over all slideshows

	once  sync.Once
	slots chan struct{}
}

// slideInput is one slide to draw: either text for the style to lay out, or overlays placed by hand.
type slideInput struct {
	id       int64
	text     *overlay.SlideText
	overlays []v1alpha1.TextOverlay
	altText  string
	picture  picture
}

// picture names a background.
type picture struct {
	stock *starter.Picture
	asset *v1alpha1.MediaAsset
}

func (p picture) id() string {
	if p.stock != nil {
		return p.stock.ID
	}
	return p.asset.Name
}

// Drawing is everything a set of slides is drawn from.
type Drawing struct {
	prefix   string // of the revision's blobs
	ratio    catalog.AspectRatio
	style    catalog.DesignStyle
	family   string // replaces the style's own
	gradient *v1alpha1.Gradient
	language string
	slides   []slideInput
}

// Drawn is what came of it. Kept says that the pictures of the current revision serve as they are.
type Drawn struct {
	Slides                   []v1alpha1.Slide
	Normalizations           []v1alpha1.Normalization
	PreviewKey, ThumbnailKey string
	Revision                 int64
	Hash                     string
	Design                   v1alpha1.Design
	Kept                     bool
}

// drawing gathers the slides with their texts and chooses their backgrounds.
func drawing(s *v1alpha1.Slideshow, o *seen, d v1alpha1.Design, revision int64) Drawing {
	ratio, _ := catalog.AspectRatioByValue(d.AspectRatio)
	style, _ := catalog.DesignStyleByID(d.Style)
	out := Drawing{
		ratio: ratio, style: style,
		family: o.brand.Spec.SlideshowDefaults.OverlayFontFamily, gradient: s.Spec.Gradient,
		language: first(s.Spec.Language, o.brand.Spec.Language),
	}
	if out.gradient == nil {
		out.gradient = o.brand.Spec.SlideshowDefaults.Gradient
	}
	var queries []imagery.Query
	if len(s.Spec.Slides) > 0 {
		for i, sl := range s.Spec.Slides {
			in := slideInput{id: int64(i + 1), altText: sl.AltText}
			q := imagery.Query{Heading: sl.Heading, Body: sl.Body}
			if sl.TextOverlays != nil {
				in.overlays = *sl.TextOverlays
				for _, t := range in.overlays {
					q.Body += " " + t.Text
				}
			} else if sl.Heading != "" {
				in.text = &overlay.SlideText{Role: role(i, len(s.Spec.Slides)), Heading: sl.Heading, Body: sl.Body, Index: i, Count: len(s.Spec.Slides)}
			}
			out.slides, queries = append(out.slides, in), append(queries, q)
		}
	} else {
		t := s.Status.Text
		out.language = t.Language
		for i, sl := range t.Slides {
			out.slides = append(out.slides, slideInput{
				id: int64(i + 1), altText: sl.AltText,
				text: &overlay.SlideText{Role: sl.Role, Heading: sl.Heading, Body: sl.Body, Index: i, Count: len(t.Slides)},
			})
			queries = append(queries, imagery.Query{Keywords: sl.Keywords, Heading: sl.Heading, Body: sl.Body})
		}
	}
	choosePictures(s, o, d, out.slides, queries)
	// The name tells everything that the pictures are drawn from, the chosen backgrounds as well: a pass that saw something
	// else never writes over the pictures that a status names.
	ids := make([]string, len(out.slides))
	for i := range out.slides {
		ids[i] = out.slides[i].picture.id()
	}
	out.prefix = fmt.Sprintf("%sr%d-%s/", Prefix(s), revision, hash(visualHash(s, d), out.gradient, out.family, out.language, ids)[:8])
	return out
}

// role is a hand-written slide's place in the story.
func role(i, n int) string {
	switch i {
	case 0:
		return "hook"
	case n - 1:
		return "call_to_action"
	}
	return "point"
}

// choosePictures gives every slide its background: the one its spec names, else the one it had under the same choice of
// source and world, else one that fits its words and that no other slide shows.
func choosePictures(s *v1alpha1.Slideshow, o *seen, d v1alpha1.Design, slides []slideInput, queries []imagery.Query) {
	all := candidates(o, d)
	byID := map[string]picture{}
	for _, p := range all {
		byID[p.id()] = p
	}
	taken := map[string]bool{}
	had := map[int64]string{}
	if old := s.Status.Design; old != nil && old.ImageWorld == d.ImageWorld && old.ImageSource.Type == d.ImageSource.Type {
		for i := range s.Status.Slides {
			had[s.Status.Slides[i].ID] = s.Status.Slides[i].Background.ID
		}
	}
	var open []int
	for i := range slides {
		if len(s.Spec.Slides) > 0 {
			if img := s.Spec.Slides[i].Image; img != nil {
				if img.Stock != nil {
					p, _ := starter.ByID(*img.Stock)
					slides[i].picture = picture{stock: &p}
				} else {
					slides[i].picture = picture{asset: o.media[img.MediaRef.Name]}
				}
				taken[slides[i].picture.id()] = true
				continue
			}
		}
		if p, ok := byID[had[slides[i].id]]; ok && len(s.Status.Slides) == len(slides) && !taken[p.id()] {
			slides[i].picture = p
			taken[p.id()] = true
			continue
		}
		open = append(open, i)
	}
	if len(open) == 0 {
		return
	}
	var cands []imagery.Candidate
	var from []picture
	add := func(free bool) {
		for _, p := range all {
			if free == !taken[p.id()] {
				cands, from = append(cands, candidate(p)), append(from, p)
			}
		}
	}
	add(true)
	if len(cands) == 0 {
		add(false)
	}
	var recent []string
	for _, u := range o.recent {
		recent = append(recent, u.pictures...)
	}
	ask := make([]imagery.Query, len(open))
	for k, i := range open {
		ask[k] = queries[i]
	}
	h := fnv.New64a()
	_, _ = h.Write([]byte(s.UID))
	for k, c := range imagery.Choose(ask, cands, imagery.Options{World: d.ImageWorld, RecentlyUsed: recent, Seed: h.Sum64()}) {
		slides[open[k]].picture = from[c.Index]
	}
}

func candidates(o *seen, d v1alpha1.Design) []picture {
	var out []picture
	if d.ImageSource.Type == v1alpha1.ImageSourcePack {
		for _, a := range o.packImages {
			out = append(out, picture{asset: a})
		}
		return out
	}
	for _, p := range starter.All() {
		out = append(out, picture{stock: &p})
	}
	return out
}

func candidate(p picture) imagery.Candidate {
	if p.stock != nil {
		return imagery.Candidate{ID: p.stock.ID, World: p.stock.World, Title: p.stock.Title, Description: p.stock.Description, Tags: p.stock.Tags}
	}
	return imagery.Candidate{ID: p.asset.Name, Title: p.asset.Spec.Title, Description: p.asset.Spec.Description, Tags: p.asset.Spec.Tags}
}

// Draw draws and stores a set of slides with their contact sheet and thumbnail. Every name follows from what is drawn, so
// doing it again after a crash replaces like by like.
func (d *Drawer) Draw(ctx context.Context, in Drawing) (*Drawn, error) {
	d.once.Do(func() { d.slots = make(chan struct{}, max(1, d.Parallel)) })
	out := &Drawn{Slides: make([]v1alpha1.Slide, len(in.slides))}
	pictures := make([]image.Image, len(in.slides))
	changes := make([][]v1alpha1.Normalization, len(in.slides))
	g, gctx := errgroup.WithContext(ctx)
	for i := range in.slides {
		g.Go(func() error {
			select {
			case d.slots <- struct{}{}:
				defer func() { <-d.slots }()
			case <-gctx.Done():
				return gctx.Err()
			}
			var err error
			out.Slides[i], changes[i], pictures[i], err = d.drawSlide(gctx, in, i)
			return err
		})
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	for _, c := range changes {
		out.Normalizations = append(out.Normalizations, c...)
	}
	if len(out.Normalizations) > 200 {
		out.Normalizations = out.Normalizations[:200]
	}
	out.PreviewKey, out.ThumbnailKey = in.prefix+"preview.jpg", in.prefix+"thumbnail.jpg"
	if err := d.putJPEG(ctx, out.PreviewKey, overlay.ContactSheet(pictures)); err != nil {
		return nil, err
	}
	return out, d.putJPEG(ctx, out.ThumbnailKey, overlay.Thumbnail(pictures[0], catalog.ThumbnailWidth))
}

func (d *Drawer) drawSlide(ctx context.Context, in Drawing, i int) (v1alpha1.Slide, []v1alpha1.Normalization, image.Image, error) {
	sl := in.slides[i]
	fail := func(err error) (v1alpha1.Slide, []v1alpha1.Normalization, image.Image, error) {
		return v1alpha1.Slide{}, nil, nil, err
	}
	bg, ground, err := d.background(ctx, in, i)
	if err != nil {
		return fail(err)
	}
	want, origin := overlaysFrom(sl.overlays), overlay.Submitted
	if sl.text != nil {
		style := in.style
		if in.family != "" {
			style.DefaultFontFamily = in.family
			style.Hook.Family, style.Heading.Family, style.Body.Family = in.family, in.family, in.family
		}
		want, origin = d.Engine.Layout(style, in.ratio, *sl.text, in.language), overlay.Generated
	}
	n, err := d.Engine.Normalise(bg, in.ratio, gradientFor(in), want, origin)
	if err != nil {
		var invalid *overlay.Invalid
		if errors.As(err, &invalid) {
			return fail(&UnfitError{Field: fmt.Sprintf("slides[%d].%s", i, invalid.Field), Message: invalid.Message})
		}
		return fail(err)
	}
	layer := d.Engine.Draw(in.ratio, n.Gradient, n.Overlays)
	whole := d.Engine.Compose(bg, layer)
	slide := v1alpha1.Slide{
		ID: sl.id, Background: ground, TextOverlays: overlaysTo(n.Overlays), Gradient: gradientTo(n.Gradient), AltText: altText(sl, n),
		LayerKey: fmt.Sprintf("%slayer-%d.png", in.prefix, sl.id), PictureKey: fmt.Sprintf("%sslide-%d.png", in.prefix, sl.id),
	}
	var said []string
	for _, t := range n.Overlays {
		said = append(said, t.Text)
	}
	slide.DurationMilliseconds = timeline.SlideTime(said...).Milliseconds()
	if err := d.putPNG(ctx, slide.LayerKey, layer); err != nil {
		return fail(err)
	}
	if err := d.putPNG(ctx, slide.PictureKey, whole); err != nil {
		return fail(err)
	}
	return slide, changesTo(sl.id, n.Changes), whole, nil
}

// background gives a slide's picture at the canvas's size. Drawn stock is kept once for all slideshows.
func (d *Drawer) background(ctx context.Context, in Drawing, i int) (image.Image, v1alpha1.SlideBackground, error) {
	p, w, h := in.slides[i].picture, in.ratio.Width, in.ratio.Height
	if p.stock != nil {
		g := v1alpha1.SlideBackground{
			Source: "stock", ID: p.stock.ID, MediaID: p.stock.Number,
			BlobKey: fmt.Sprintf("stock/starter/v%d/%s-%dx%d.jpg", drawVersion, p.stock.ID, w, h),
		}
		if img, err := d.stored(ctx, g.BlobKey); err == nil {
			return img, g, nil
		} else if !errors.Is(err, blob.ErrNotFound) {
			return nil, g, err
		}
		img, err := starter.Draw(ctx, *p.stock, w, h)
		if err != nil {
			return nil, g, err
		}
		return d.kept(ctx, g, img)
	}
	g := v1alpha1.SlideBackground{Source: "media", ID: p.asset.Name, BlobKey: fmt.Sprintf("%sbackground-%d.jpg", in.prefix, in.slides[i].id)}
	_, _ = fmt.Sscan(p.asset.Labels[v1alpha1.LabelID], &g.MediaID)
	src, err := d.stored(ctx, p.asset.Status.BlobKey)
	var broken *imagery.BrokenError
	var large *imagery.TooLargeError
	switch {
	case errors.As(err, &broken), errors.As(err, &large), errors.Is(err, blob.ErrNotFound):
		return nil, g, &UnfitError{Field: fmt.Sprintf("slides[%d].image", i), Message: fmt.Sprintf("The picture %q cannot be read", p.asset.Name)}
	case err != nil:
		return nil, g, err
	}
	img, err := imagery.Crop(src, w, h)
	if err != nil {
		return nil, g, err
	}
	return d.kept(ctx, g, img)
}

// kept stores a background and gives it back as the store gives it: what is measured and drawn upon now is then the same
// as what a later pass, and the renderer, will see.
func (d *Drawer) kept(ctx context.Context, g v1alpha1.SlideBackground, img image.Image) (image.Image, v1alpha1.SlideBackground, error) {
	if err := d.putJPEG(ctx, g.BlobKey, img); err != nil {
		return nil, g, err
	}
	img, err := d.stored(ctx, g.BlobKey)
	return img, g, err
}

func (d *Drawer) stored(ctx context.Context, key string) (image.Image, error) {
	r, err := d.Store.Get(ctx, key)
	if err != nil {
		return nil, err
	}
	defer func() { _ = r.Close() }()
	img, _, err := imagery.DecodeLimited(io.LimitReader(r, catalog.MaxImageBytes), catalog.MaxImagePixels)
	return img, err
}

func (d *Drawer) putPNG(ctx context.Context, key string, img image.Image) error {
	var b bytes.Buffer
	if err := (&png.Encoder{CompressionLevel: png.BestSpeed}).Encode(&b, img); err != nil {
		return err
	}
	return d.Store.Put(ctx, key, "image/png", &b)
}

func (d *Drawer) putJPEG(ctx context.Context, key string, img image.Image) error {
	var b bytes.Buffer
	if err := jpeg.Encode(&b, img, &jpeg.Options{Quality: jpegQuality}); err != nil {
		return err
	}
	return d.Store.Put(ctx, key, "image/jpeg", &b)
}

// altText is what the spec says, else the words on the slide.
func altText(sl slideInput, n overlay.Slide) string {
	if sl.altText != "" {
		return sl.altText
	}
	var words []string
	for _, o := range n.Overlays {
		words = append(words, strings.Join(strings.Fields(o.Text), " "))
	}
	return strings.Join(words, " ")
}
