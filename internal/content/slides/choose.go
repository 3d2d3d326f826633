// SPDX-License-Identifier: Apache-2.0

package slides

import (
	"hash/fnv"
	"slices"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/content/deck"
	"github.com/reelops/reelops/internal/content/imagery"
	"github.com/reelops/reelops/internal/content/imagery/starter"
	"github.com/reelops/reelops/internal/content/meaning"
)

// choosePictures sets the background of every slide. It uses the image that the spec names, else the slide's earlier
// image under the same source and world, else a fitting image that no other slide shows, else a backdrop in the colors
// of the style. A backdrop is not kept when the style changes.
func choosePictures(
	s *v1beta1.Slideshow, o *Inputs, g Gathered, d v1beta1.Design,
	wanted []deck.Slide, slides []slideInput, texts []meaning.Text,
) {
	all := candidates(o, d)
	taken, open := settledPictures(s, o, g, d, all, wanted, slides)
	if len(open) == 0 {
		return
	}
	from := picturesThat(all, func(p picture) bool { return !taken[p.id()] })
	if len(from) == 0 {
		from = picturesThat(all, func(p picture) bool { return taken[p.id()] })
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
	for _, u := range o.Recent {
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
	addBackdrops(slides, none, d.Style, opts.Seed)
}

// settledPictures sets the backgrounds that need no choice: those that the spec names, AI images, chosen images of
// providers, and the slides' earlier images. It returns the ids of the images and the indexes of the other slides.
func settledPictures(
	s *v1beta1.Slideshow, o *Inputs, g Gathered, d v1beta1.Design, all []picture, wanted []deck.Slide, slides []slideInput,
) (taken map[string]bool, open []int) {
	byID := map[string]picture{}
	for _, p := range all {
		byID[p.id()] = p
	}
	if d.ImageSource.Type == v1beta1.ImageSourceStock {
		for _, b := range starter.Backdrops(d.Style) {
			byID[b.ID] = picture{stock: &b}
		}
	}
	taken = map[string]bool{}
	had := hadPictures(s, d, len(slides))
	for i := range slides {
		sl := &slides[i]
		if img := wanted[i].Image; img != nil {
			sl.picture = named(o, g, img)
			taken[sl.picture.id()] = true
			continue
		}
		if d.ImageSource.Type == v1beta1.ImageSourceAI {
			sl.picture = picture{ai: aiImageOf(s, o, d, wanted[i], had[sl.id])}
			continue
		}
		earlier, known := byID[had[sl.id]]
		switch before, chosen := g.found[had[sl.id]], g.found[g.chosen[sl.id]]; {
		case before != nil && !taken[before.Ref()]:
			sl.picture = picture{found: before}
		case chosen != nil && !taken[chosen.Ref()]:
			sl.picture = picture{found: chosen}
		case known && !taken[earlier.id()]:
			sl.picture = earlier
		default:
			open = append(open, i)
			continue
		}
		taken[sl.picture.id()] = true
	}
	return taken, open
}

// picturesThat returns the pictures that a condition holds for.
func picturesThat(of []picture, holds func(picture) bool) []picture {
	return slices.DeleteFunc(slices.Clone(of), func(p picture) bool { return !holds(p) })
}

// addBackdrops gives a backdrop in the colors of the style to the slides that no image fits. All backdrops have one
// pattern: the one that the slideshow already shows, else one chosen by the seed.
func addBackdrops(slides []slideInput, none []int, style string, seed uint64) {
	all := starter.Backdrops(style)
	if len(none) == 0 || len(all) == 0 {
		return
	}
	taken := map[string]bool{}
	first := int(seed%uint64(len(all)/starter.BackdropsEach)) * starter.BackdropsEach
	for _, sl := range slides {
		shown := func(b starter.Picture) bool { return sl.picture.stock != nil && sl.picture.stock.ID == b.ID }
		if i := slices.IndexFunc(all, shown); i >= 0 {
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
func named(o *Inputs, g Gathered, img *v1beta1.SlideImage) picture {
	if img.Stock == nil {
		return picture{asset: o.Media[img.MediaRef.Name]}
	}
	if f := g.found[*img.Stock]; f != nil {
		return picture{found: f}
	}
	if a := o.Shared[*img.Stock]; a != nil {
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
	old := s.Status.Design
	if sameSlides && old != nil && old.ImageWorld == d.ImageWorld && old.ImageSource.Type == d.ImageSource.Type {
		for i := range s.Status.Slides {
			had[s.Status.Slides[i].ID] = s.Status.Slides[i].Background.ID
		}
	}
	return had
}

func candidates(o *Inputs, d v1beta1.Design) []picture {
	if d.ImageSource.Type == v1beta1.ImageSourcePack {
		return o.Pack.pictures
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
