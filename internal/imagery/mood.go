// SPDX-License-Identifier: Apache-2.0

package imagery

import (
	"cmp"
	"slices"
	"sort"
)

// kin says which worlds look at home beside one another, best first. Lookups
// only; it is never iterated.
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
	kinBonus   = 0.12 // for going together with the worlds already taken
	staleCost  = 0.15 // for a world whose pictures were all shown lately
	smallCost  = 0.05 // for a world that cannot carry the slideshow alone
	moodStep   = 0.03 // closer than this, the seed decides
	kinPerRank = 0.02
	depth      = 0.6 // how much all of a world's pictures count beside the best ones
)

// moods orders the candidates into tiers: the worlds the slideshow keeps to
// first, then every other picture, nearest in mood first.
func moods(all []Candidate, cands []int, m *matches, rank []int, opts Options, slides int) [][]int {
	ws := group(all, cands, m, rank, slides)
	var taken []*world
	room := 0
	for len(ws) > 0 {
		best := 0
		for i := range ws {
			if prefer(ws[i], ws[best], taken, opts, slides-room) {
				best = i
			}
		}
		w := ws[best]
		taken = append(taken, w)
		room += len(w.members)
		ws = append(ws[:best], ws[best+1:]...)
	}
	// The worlds that are needed to give each slide its own picture form one tier,
	// except that a world asked for stands alone.
	var tiers [][]int
	need, first := slides, []int{}
	for i, w := range taken {
		if i == 0 && opts.World == w.id || need <= 0 {
			tiers = append(tiers, w.members)
			need -= len(w.members)
			continue
		}
		first = append(first, w.members...)
		need -= len(w.members)
		if need <= 0 {
			tiers = append(tiers, first)
			first = nil
		}
	}
	if len(first) > 0 {
		tiers = append(tiers, first)
	}
	return tiers
}

type world struct {
	id      string
	members []int   // places in cands
	fit     float64 // how well it suits the slideshow, 0 to 1
	stale   float64 // share of pictures used lately
}

func group(all []Candidate, cands []int, m *matches, rank []int, slides int) []*world {
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
	for _, w := range ws {
		for s := range slides {
			best := 0.0
			for _, k := range w.members {
				best = max(best, m.score[s][k])
			}
			w.fit += (1 - depth) * best / float64(slides)
		}
		// One perfect picture does not make a world: as many as will be shown count.
		themes := make([]float64, 0, len(w.members))
		for _, k := range w.members {
			themes = append(themes, m.theme[k])
		}
		slices.SortFunc(themes, func(a, b float64) int { return cmp.Compare(b, a) })
		n := min(slides, len(themes))
		for _, v := range themes[:n] {
			w.fit += depth * v / float64(n)
		}
		for _, k := range w.members {
			if rank[k] > 0 {
				w.stale += 1 / float64(len(w.members))
			}
		}
	}
	return ws
}

func prefer(a, b *world, taken []*world, opts Options, need int) bool {
	if (a.id == opts.World) != (b.id == opts.World) && opts.World != "" {
		return a.id == opts.World
	}
	x, y := a.value(taken, need), b.value(taken, need)
	if i, j := int(x/moodStep+100), int(y/moodStep+100); i != j {
		return i > j
	}
	return throw(opts.Seed, a.id) < throw(opts.Seed, b.id)
}

func (w *world) value(taken []*world, need int) float64 {
	v := w.fit - staleCost*w.stale
	if len(w.members) < need {
		v -= smallCost
	}
	for i, t := range taken {
		for rank, id := range kin[t.id] {
			if id == w.id && i < 2 {
				v += kinBonus - kinPerRank*float64(rank)
			}
		}
	}
	return v
}
