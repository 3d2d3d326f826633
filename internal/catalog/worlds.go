// SPDX-License-Identifier: Apache-2.0

package catalog

// ImageWorld is a visual theme for the backgrounds of a slideshow.
type ImageWorld struct {
	ID          string   // snake_case, as in requests
	Name        string   // display name
	Description string   // one sentence
	Sources     []string // image sources that have images of this world
}

// ImageWorlds lists the worlds in display order.
var ImageWorlds = []ImageWorld{
	{"gradient_glow", "Gradient glow", "Silky colour gradients, auras and soft light without any subject.", []string{"stock", "ai"}},
	{"bokeh_lights", "Bokeh lights", "Out-of-focus lamps and sparkles: evenings, celebrations, city nights.", []string{"stock", "ai"}},
	{"night_sky", "Night sky", "Stars, moons, the Milky Way and northern lights.", []string{"stock", "ai"}},
	{"mountain_mist", "Mountain mist", "Ridge behind ridge in morning or evening haze.", []string{"stock", "ai"}},
	{"desert_dunes", "Desert dunes", "Sweeping sand, long shadows and wide warm skies.", []string{"stock", "ai"}},
	{"ocean_waves", "Ocean waves", "Sea horizons, glittering water and beaches from above.", []string{"stock", "ai"}},
	{"soft_clouds", "Soft clouds", "Big soft clouds and skies from dawn to dusk.", []string{"stock", "ai"}},
	{"city_dusk", "City at dusk", "Skylines, lit windows and reflections at the blue and golden hour.", []string{"stock", "ai"}},
	{"cozy_interiors", "Cozy interiors", "Quiet rooms with window light, lamps, plants and shelves.", []string{"stock", "ai"}},
	{"botanical", "Botanical", "Leaves, branches and flowers, and their shadows on a wall.", []string{"stock", "ai"}},
	{"paper_craft", "Paper craft", "Layers of cut paper with real depth and soft shadows.", []string{"stock", "ai"}},
	{"geometric", "Geometric", "Arches, circles, grids and bold shapes in balanced colours.", []string{"stock", "ai"}},
	{"marble_ink", "Marble and ink", "Polished stone with gold veins, and ink drifting in water.", []string{"stock", "ai"}},
	{"tech_grid", "Tech grid", "Glowing networks, grids and contour lines for data and technology.", []string{"stock", "ai"}},
	{"kitchen_table", "Kitchen table", "Food and drink: breakfast, baking, cooking, fruit and full plates.", []string{"stock", "ai"}},
	{"money_charts", "Money and charts", "Coins, notes, bills and cards, and charts that rise.", []string{"stock", "ai"}},
	{"desk_devices", "Desk and devices", "Phones, laptops, cameras, clocks, lists and letters on tidy desks.", []string{"stock", "ai"}},
	{"home_life", "Home and pets", "Pets, household, light and heating, tools and a good bed.", []string{"stock", "ai"}},
	{"people", "People", "Figures without faces: runners, readers, friends, teams and audiences.", []string{"stock", "ai"}},
	{"products_shops", "Products and shops", "Bottles, bags, parcels, sneakers and shelves, and the shops that sell them.", []string{"stock", "ai"}},
	{"journeys", "Journeys", "Planes, trains, suitcases, maps, beaches and roads.", []string{"stock", "ai"}},
	{"sport_play", "Sport and play", "Balls, bikes, tracks, pools and boards.", []string{"stock", "ai"}},
}

// WorldByID returns the world with an ID.
func WorldByID(id string) (ImageWorld, bool) {
	for _, w := range ImageWorlds {
		if w.ID == id {
			return w, true
		}
	}
	return ImageWorld{}, false
}
