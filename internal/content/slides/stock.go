// SPDX-License-Identifier: Apache-2.0

package slides

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"
	"sigs.k8s.io/controller-runtime/pkg/log"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/content/deck"
	"github.com/reelops/reelops/internal/content/imagery"
	"github.com/reelops/reelops/internal/content/stock"
	"github.com/reelops/reelops/internal/store/blob"
)

// Stock finds images of stock providers. *stock.Library implements it.
type Stock interface {
	// Providers reports whether any provider is configured.
	Providers() bool
	// ByRef returns the image with the reference that a slide uses.
	ByRef(ctx context.Context, ref string) (stock.Item, bool, error)
	// Offer returns up to n images of each provider that fit a text, the best first.
	Offer(ctx context.Context, text string, n int) []stock.Item
	// Used reports to the provider that an image is used.
	Used(ctx context.Context, item stock.Item)
}

// Fetcher opens URLs. *fetch.Client implements it.
type Fetcher interface {
	Get(ctx context.Context, address string, limit int64) (io.ReadCloser, error)
}

const (
	// offers is how many images of each provider are requested for a slide.
	offers = 6
	// offerTime limits the provider requests for all slides, pictureTime the fetch of one image, and picturesTime the
	// fetch of all chosen images.
	offerTime, pictureTime, picturesTime = 8 * time.Second, 20 * time.Second, 45 * time.Second
	// maxTries is how many of the offered images are tried for a slide before a drawn background is used.
	maxTries = 3
	// maxFact limits a stored document about an image or a choice, in bytes.
	maxFact = 64 << 10
)

// found is a provider's image in the store, complete and readable.
type found struct {
	stock.Item
	key string
}

// Provided reports whether a stock id names an image that has to be fetched.
func Provided(id string) bool {
	p, _, ok := stock.ParseRef(id)
	return ok && p != stock.ProviderStarter && p != stock.ProviderLibrary
}

// Images gets the images that no other object has: from stock providers and from an image model. It stores each image
// once.
type Images struct {
	Store *blob.Store
	// Stock finds images of stock providers; nil for none. Fetch opens their URLs.
	Stock Stock
	Fetch Fetcher
	// Model creates AI images; nil if none are offered.
	Model PictureMaker
}

// Gathered has the images of stock providers that a drawing uses.
type Gathered struct {
	// found has the images that are in the store, by stock id.
	found map[string]*found
	// chosen has the stock ids that were chosen for open slides, by slide id.
	chosen map[int64]string
}

// Gather fetches the provider images that a drawing needs into the store: those that slides name or had. If providers
// are configured and no image world is requested, it also chooses one for every slide whose background is open. An
// image that a slide names and that cannot be fetched is a *FailedError.
//
// The choice is stored before it is used, in a blob whose name depends on the input of the choice. A pass after a crash
// uses the same images and calls no provider.
func (x Images) Gather(ctx context.Context, s *v1beta1.Slideshow, o *Inputs, d v1beta1.Design) (Gathered, error) {
	g := Gathered{found: map[string]*found{}}
	wanted := deck.Slides(s)
	had := hadPictures(s, d, len(wanted))
	var open []deck.Slide
	for i, sl := range wanted {
		switch {
		case sl.Image != nil && sl.Image.Stock != nil && Provided(*sl.Image.Stock):
			f, err := x.named(ctx, s, i, *sl.Image.Stock)
			if err != nil {
				return g, err
			}
			g.found[f.Ref()] = f
		case sl.Image != nil || d.ImageSource.Type != v1beta1.ImageSourceStock:
		case Provided(had[sl.ID]):
			// The image was stored when it was first drawn. If it is lost, another is chosen.
			if f, err := x.bring(ctx, s, had[sl.ID]); err == nil {
				g.found[f.Ref()] = f
			} else {
				log.FromContext(ctx).Info("stock image lost; choosing another one",
					"picture", had[sl.ID], "error", err.Error())
				open = append(open, sl)
			}
		case had[sl.ID] == "":
			open = append(open, sl)
		}
	}
	if len(open) == 0 || d.ImageWorld != "" || x.Stock == nil || !x.Stock.Providers() {
		return g, nil
	}
	return g, x.choose(ctx, s, o, &g, d, open)
}

// named returns the provider image that a slide of the spec names.
func (x Images) named(ctx context.Context, s *v1beta1.Slideshow, slide int, ref string) (*found, error) {
	f, err := x.bring(ctx, s, ref)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	field := fmt.Sprintf("slides[%d].image.stock", slide)
	switch {
	case err == nil:
		return f, nil
	case errors.Is(err, errNoPicture):
		return nil, invalid(field, fmt.Sprintf("There is no stock image %q", ref))
	}
	log.FromContext(ctx).Error(err, "downloading stock image failed", "picture", ref)
	return nil, &FailedError{v1beta1.WorkError{
		Code: string(catalog.GenerationFailed), Message: fmt.Sprintf("The stock image %q could not be downloaded", ref),
		Retryable: true, Details: map[string]string{"field": field},
	}}
}

// errNoPicture means that a provider has no such image.
var errNoPicture = errors.New("there is no such stock image")

func stockKey(s *v1beta1.Slideshow, ref, ending string) string {
	return Prefix(s) + "stock/" + strings.ReplaceAll(ref, ":", "-") + ending
}

// bring returns a provider's image, fetched and stored once per slideshow. Its metadata is stored after the image: if
// the metadata exists, the image does too.
func (x Images) bring(ctx context.Context, s *v1beta1.Slideshow, ref string) (*found, error) {
	var f found
	switch err := x.recall(ctx, stockKey(s, ref, ".json"), &f.Item); {
	case err == nil && f.Ref() == ref:
		f.key = stockKey(s, ref, ".jpg")
		return &f, nil
	case err != nil && !errors.Is(err, blob.ErrNotFound):
		return nil, err
	}
	if x.Stock == nil {
		return nil, errNoPicture
	}
	item, ok, err := x.Stock.ByRef(ctx, ref)
	if err != nil {
		return nil, err
	}
	if !ok || item.Kind != stock.KindImage {
		return nil, errNoPicture
	}
	return x.fetchStock(ctx, s, item)
}

// fetchStock fetches an image and stores it, scaled down to the size that is needed.
func (x Images) fetchStock(ctx context.Context, s *v1beta1.Slideshow, item stock.Item) (*found, error) {
	limited, cancel := context.WithTimeout(ctx, pictureTime)
	defer cancel()
	body, err := x.Fetch.Get(limited, item.URL, catalog.MaxImageBytes)
	if err != nil {
		return nil, fmt.Errorf("fetching %s: %w", item.Ref(), err)
	}
	img, _, err := imagery.DecodeLimited(body, catalog.MaxImagePixels)
	if err := errors.Join(err, body.Close()); err != nil {
		return nil, fmt.Errorf("reading %s: %w", item.Ref(), err)
	}
	key := stockKey(s, item.Ref(), ".jpg")
	if err := putJPEG(ctx, x.Store, key, bounded(img)); err != nil {
		return nil, err
	}
	if err := x.note(ctx, stockKey(s, item.Ref(), ".json"), item); err != nil {
		return nil, err
	}
	x.Stock.Used(ctx, item)
	return &found{item, key}, nil
}

// choose chooses provider images for open slides, each of them an image that no other slide shows. Slides
// without a readable offer in time keep drawn backgrounds. Only a failing store is an error.
func (x Images) choose(
	ctx context.Context, s *v1beta1.Slideshow, o *Inputs, g *Gathered, d v1beta1.Design, open []deck.Slide,
) error {
	var of []any
	for _, sl := range open {
		of = append(of, sl.ID, wordsOf(sl))
	}
	fact := Prefix(s) + "stock/choice-" + deck.Hash(append(of, d.AspectRatio)...) + ".json"
	g.chosen = map[int64]string{}
	switch err := x.recall(ctx, fact, &g.chosen); {
	case err == nil:
		for slide, ref := range g.chosen {
			f, err := x.bring(ctx, s, ref)
			if err != nil { // it was stored before the choice was recorded, so it was removed since
				delete(g.chosen, slide)
				continue
			}
			g.found[ref] = f
		}
		return nil
	case !errors.Is(err, blob.ErrNotFound):
		return err
	}
	c := &choosing{x: x, s: s, taken: map[string]bool{}, recent: map[string]bool{}, tall: d.AspectRatio != "16:9"}
	for ref := range g.found {
		c.taken[ref] = true
	}
	for _, u := range o.Recent {
		for _, p := range u.pictures {
			c.recent[p] = true
		}
	}
	results := make([]*found, len(open))
	offered := c.offered(ctx, open)
	limited, cancel := context.WithTimeout(ctx, picturesTime)
	defer cancel()
	var group errgroup.Group
	group.SetLimit(parallelPictures)
	for i := range open {
		group.Go(func() error {
			results[i] = c.first(limited, offered[i])
			return nil
		})
	}
	_ = group.Wait()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	for i, f := range results {
		if f != nil {
			g.chosen[open[i].ID], g.found[f.Ref()] = f.Ref(), f
		}
	}
	return x.note(ctx, fact, g.chosen)
}

// choosing is the state of one choice.
type choosing struct {
	x      Images
	s      *v1beta1.Slideshow
	recent map[string]bool // recently shown by the brand
	tall   bool            // the canvas is portrait or square

	mu    sync.Mutex
	taken map[string]bool
}

// offered requests offers for all slides in parallel. Slides whose requests exceed offerTime get none.
func (c *choosing) offered(ctx context.Context, open []deck.Slide) [][]stock.Item {
	ctx, cancel := context.WithTimeout(ctx, offerTime)
	defer cancel()
	out := make([][]stock.Item, len(open))
	var group errgroup.Group
	group.SetLimit(parallelPictures)
	for i, sl := range open {
		group.Go(func() error {
			if words := wordsOf(sl); words != "" && ctx.Err() == nil {
				out[i] = c.x.Stock.Offer(ctx, words, offers)
			}
			return nil
		})
	}
	_ = group.Wait()
	for _, items := range out {
		// Images that the brand has not shown recently come first, then those with the orientation of the canvas. The
		// provider's order decides the rest.
		slices.SortStableFunc(items, func(a, b stock.Item) int { return c.rank(a) - c.rank(b) })
	}
	return out
}

func (c *choosing) rank(i stock.Item) int {
	n := 0
	if c.recent[i.Ref()] {
		n += 2
	}
	if (i.Height >= i.Width) != c.tall {
		n++
	}
	return n
}

// first returns the first offered image that no other slide has and that can be fetched; nil if there is none.
func (c *choosing) first(ctx context.Context, items []stock.Item) *found {
	tries := 0
	for _, item := range items {
		if tries == maxTries || ctx.Err() != nil {
			break
		}
		if !c.take(item.Ref()) {
			continue
		}
		tries++
		f, err := c.x.fetchStock(ctx, c.s, item)
		if err == nil {
			return f
		}
		log.FromContext(ctx).Info("skipping unusable stock image",
			"picture", item.Ref(), "error", err.Error())
	}
	return nil
}

func (c *choosing) take(ref string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.taken[ref] {
		return false
	}
	c.taken[ref] = true
	return true
}

// wordsOf returns the search words for a slide: its keywords, which are English regardless of the slide's language,
// else words of its own text.
func wordsOf(sl deck.Slide) string {
	const words = 4
	if len(sl.Keywords) > 0 {
		return strings.Join(sl.Keywords[:min(3, len(sl.Keywords))], " ")
	}
	text := strings.TrimSpace(sl.Heading + " " + sl.Body)
	if sl.Overlays != nil {
		for _, t := range *sl.Overlays {
			text += " " + t.Text
		}
	}
	found := strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" \n\t,.;:!?\"()", r) })
	return strings.Join(found[:min(words, len(found))], " ")
}

// note stores a document, recall reads it. A document that cannot be parsed counts as missing.
func (x Images) note(ctx context.Context, key string, fact any) error {
	text, err := json.Marshal(fact)
	if err != nil {
		return err
	}
	return x.Store.Put(ctx, key, "application/json", bytes.NewReader(text))
}

func (x Images) recall(ctx context.Context, key string, into any) error {
	body, err := x.Store.Get(ctx, key)
	if err != nil {
		return err
	}
	defer func() { _ = body.Close() }()
	text, err := io.ReadAll(io.LimitReader(body, maxFact))
	if err != nil {
		return err
	}
	if err := json.Unmarshal(text, into); err != nil {
		return fmt.Errorf("%s cannot be read: %w", key, blob.ErrNotFound)
	}
	return nil
}

// ground returns the status entry of a provider's image.
func (f *found) ground() v1beta1.SlideBackground {
	return v1beta1.SlideBackground{Source: deck.SourceStock, ID: f.Ref(), MediaID: f.ID, Attribution: f.Attribution}
}

// groundOf returns the status entry of a MediaAsset: of the namespace, or of the library under the given stock id.
func groundOf(a *v1beta1.MediaAsset, stockID string) v1beta1.SlideBackground {
	g := v1beta1.SlideBackground{Source: deck.SourceMedia, ID: a.Name, Attribution: a.Spec.Attribution}
	if stockID != "" {
		g.Source, g.ID = deck.SourceStock, stockID
	}
	g.MediaID, _ = strconv.ParseInt(a.Labels[v1beta1.LabelID], 10, 64)
	return g
}
