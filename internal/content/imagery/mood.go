// SPDX-License-Identifier: Apache-2.0

package imagery

import (
	"cmp"
	"slices"
	"sort"
)

// kin lists the worlds that match a world visually, the best first.
var kin = map[string][]string{
	"gradient_glow":  {"bokeh_lights", "marble_ink", "soft_clouds", "geometric"},
	"bokeh_lights":   {"city_dusk", "gradient_glow", "cozy_interiors", "night_sky"},
	"night_sky":      {"mountain_mist", "desert_dunes", "city_dusk", "bokeh_lights"},
	"mountain_mist":  {"soft_clouds", "desert_dunes", "ocean_waves", "night_sky"},
	"desert_dunes":   {"mountain_mist", "soft_clouds", "ocean_waves", "night_sky"},
	"ocean_waves":    {"soft_clouds", "mountain_mist", "desert_dunes"},
	"soft_clouds":    {"mountain_mist", "ocean_waves", "gradient_glow", "desert_dunes"},
	"city_dusk":      {"bokeh_lights", "night_sky", "tech_grid"},
	"cozy_interiors": {"botanical", "bokeh_lights", "paper_craft"},
	"botanical":      {"cozy_interiors", "paper_craft", "soft_clouds"},
	"paper_craft":    {"geometric", "botanical", "cozy_interiors"},
	"geometric":      {"paper_craft", "gradient_glow", "tech_grid"},
	"marble_ink":     {"gradient_glow", "geometric", "cozy_interiors"},
	"tech_grid":      {"gradient_glow", "geometric", "city_dusk"},
	"kitchen_table":  {"cozy_interiors", "home_life", "botanical"},
	"money_charts":   {"desk_devices", "tech_grid", "marble_ink"},
	"desk_devices":   {"money_charts", "cozy_interiors", "tech_grid"},
	"people":         {"desk_devices", "city_dusk", "home_life"},
	"products_shops": {"money_charts", "geometric", "marble_ink"},
	"journeys":       {"ocean_waves", "mountain_mist", "desert_dunes"},
	"sport_play":     {"people", "city_dusk", "mountain_mist"},
	"home_life":      {"cozy_interiors", "kitchen_table", "botanical"},
}

const (
	worldBonus = 0.12 // for belonging to the world that suits the slideshow best
	kinBonus   = 0.06 // for belonging to one of the two worlds that match it best
	staleCost  = 0.15 // for a world whose images were all used recently
	smallCost  = 0.05 // for a world with too few images for the slideshow
	moodStep   = 0.03 // the seed decides between smaller differences
	depth      = 0.6  // weight of all images of a world relative to the best ones
)

// moods returns the bonus of each candidate for its world. The requested world leads, else the one that suits all
// slides together best.
func moods(all []Candidate, cands []int, m *matches, rank []int, opts Options) []float64 {
	lead := opts.World
	if lead == "" {
		ws := group(all, cands, m, rank)
		best := ws[0]
		for _, w := range ws[1:] {
			if i, j := int(w.value/moodStep+100), int(best.value/moodStep+100); i > j || i == j && throw(opts.Seed, w.id) < throw(opts.Seed, best.id) {
				best = w
			}
		}
		lead = best.id
	}
	out := make([]float64, len(cands))
	for k, i := range cands {
		switch at := slices.Index(kin[lead], all[i].World); {
		case all[i].World == "":
		case all[i].World == lead:
			out[k] = worldBonus
		case at == 0 || at == 1:
			out[k] = kinBonus
		}
	}
	return out
}

type world struct {
	id      string
	members []int   // indexes in cands
	value   float64 // how well it suits the slideshow
}

func group(all []Candidate, cands []int, m *matches, rank []int) []*world {
	var ws []*world
	at := map[string]*world{}
	for k, i := range cands {
		w := at[all[i].World]
		if w == nil {
			w = &world{id: all[i].World}
			at[w.id] = w
			ws = append(ws, w)
		}
		w.members = append(w.members, k)
	}
	sort.Slice(ws, func(i, j int) bool { return ws[i].id < ws[j].id })
	slides := len(m.fit)
	for _, w := range ws {
		for s := range slides {
			best := 0.0
			for _, k := range w.members {
				best = max(best, m.fit[s][k])
			}
			w.value += (1 - depth) * best / float64(slides)
		}
		// A single perfect image is not enough: as many images count as will be shown.
		themes := make([]float64, 0, len(w.members))
		for _, k := range w.members {
			themes = append(themes, m.theme[k])
		}
		slices.SortFunc(themes, func(a, b float64) int { return cmp.Compare(b, a) })
		n := min(slides, len(themes))
		for _, v := range themes[:n] {
			w.value += depth * v / float64(n)
		}
		for _, k := range w.members {
			if rank[k] > 0 {
				w.value -= staleCost / float64(len(w.members))
			}
		}
		if len(w.members) < slides {
			w.value -= smallCost
		}
	}
	return ws
}
