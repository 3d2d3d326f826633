// SPDX-License-Identifier: Apache-2.0

package starter

import (
	"context"
	"fmt"
	"image"
	"strings"

	"github.com/reelops/reelops/internal/content/imagery"
	"github.com/reelops/reelops/internal/content/imagery/paint"
)

// Provider is the name of this library among the providers of pictures.
const Provider = "starter"

// MaxSide is the maximum width and height for Draw in pixels.
const MaxSide = 4096

// Picture is one background of the library.
type Picture struct {
	ID          string   // "starter-<world>-<nn>", stable
	Number      int64    // imagery.StableID(Provider, ID)
	World       string   // ID of a catalog.ImageWorld
	Title       string   // a few words
	Description string   // one sentence
	Tags        []string // 8 to 15, lower case: subject, mood, colours, season, use
	Seed        uint64   // seed of every random choice in the picture

	entry *entry
}

// worlds holds each world's pictures, in the catalog's order.
var worlds = []struct {
	id      string
	entries []entry
}{
	{"gradient_glow", gradientGlow},
	{"bokeh_lights", bokehLights},
	{"night_sky", nightSky},
	{"mountain_mist", mountainMist},
	{"desert_dunes", desertDunes},
	{"ocean_waves", oceanWaves},
	{"soft_clouds", softClouds},
	{"city_dusk", cityDusk},
	{"cozy_interiors", cozyInteriors},
	{"botanical", botanical},
	{"paper_craft", paperCraft},
	{"geometric", geometric},
	{"marble_ink", marbleInk},
	{"tech_grid", techGrid},
	{"kitchen_table", kitchenTable},
	{"money_charts", moneyCharts},
	{"desk_devices", deskDevices},
	{"home_life", homeLife},
	{"people", people},
	{"products_shops", productsShops},
	{"journeys", journeys},
	{"sport_play", sportPlay},
}

var pictures, byID = index()

func index() ([]Picture, map[string]int) {
	var list []Picture
	ids := map[string]int{}
	for _, w := range worlds {
		for i := range w.entries {
			e := &w.entries[i]
			id := fmt.Sprintf("%s-%s-%02d", Provider, w.id, i+1)
			n := imagery.StableID(Provider, id)
			ids[id] = len(list)
			list = append(list, Picture{
				ID: id, Number: n, World: w.id, Title: e.title, Description: e.description,
				Tags: strings.Fields(e.tags), Seed: uint64(n), entry: e,
			})
		}
	}
	return list, ids
}

// All returns the library, world by world, in stable order. The caller owns the slice; the tags are shared and must not
// be changed.
func All() []Picture { return append([]Picture(nil), pictures...) }

// ByID returns a picture of the library or a backdrop by its ID.
func ByID(id string) (Picture, bool) {
	i, ok := byID[id]
	if !ok {
		return backdropByID(id)
	}
	return pictures[i], true
}

// ByNumber returns a picture of the library or a backdrop by its number.
func ByNumber(number int64) (Picture, bool) {
	id, ok := byNumber[number]
	if !ok {
		return Picture{}, false
	}
	return ByID(id)
}

var byNumber = func() map[int64]string {
	ids := map[int64]string{}
	for _, p := range pictures {
		ids[p.Number] = p.ID
	}
	for _, of := range backdrops {
		for _, p := range of {
			ids[p.Number] = p.ID
		}
	}
	return ids
}()

// Draw returns the picture at w x h pixels, composed for that ratio. It uses all processors. It returns an error if a
// side is not within 1 and MaxSide, if the picture is not from this package, or if ctx ends first.
func Draw(ctx context.Context, p Picture, w, h int) (*image.RGBA, error) {
	if w < 1 || h < 1 || w > MaxSide || h > MaxSide {
		return nil, fmt.Errorf("starter picture size %dx%d: each side must be 1 to %d pixels", w, h, MaxSide)
	}
	if p.entry == nil {
		return nil, fmt.Errorf("starter picture %q is not in the library", p.ID)
	}
	c := paint.New(ctx, w, h)
	r := paint.NewRand(p.Seed)
	p.entry.draw(c, r.Fork())
	look := p.entry.look
	look.Seed = r.Seed32()
	img := c.Finish(look)
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("drawing %s: %w", p.ID, err)
	}
	return img, nil
}
