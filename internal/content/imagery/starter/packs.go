// SPDX-License-Identifier: Apache-2.0

package starter

import (
	"strings"
	"time"

	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/content/imagery"
)

// packProvider separates the numbers of packs from those of pictures.
const packProvider = "starter-pack"

// Released is the release date of the library, used as the date of its packs.
var Released = time.Date(2026, 11, 21, 0, 0, 0, 0, time.UTC)

// Pack is the set of all pictures of one image world.
type Pack struct {
	ID          int64  // imagery.StableID of the world
	Name        string // "starter-ocean-waves", the reference in a slideshow
	World       string // ID of a catalog.ImageWorld
	Title       string // for display
	Description string // one sentence
	Tags        []string
	Pictures    []Picture // in the order of All
}

var packs, packByName = packList()

func packList() ([]Pack, map[string]int) {
	var list []Pack
	names := map[string]int{}
	for _, w := range catalog.ImageWorlds {
		p := Pack{
			ID: imagery.StableID(packProvider, w.ID), Name: Provider + "-" + strings.ReplaceAll(w.ID, "_", "-"),
			World: w.ID, Title: w.Name, Description: w.Description, Tags: strings.Split(w.ID, "_"),
		}
		for _, one := range pictures {
			if one.World == w.ID {
				p.Pictures = append(p.Pictures, one)
			}
		}
		if len(p.Pictures) == 0 {
			continue
		}
		names[p.Name] = len(list)
		list = append(list, p)
	}
	return list, names
}

// Packs returns the packs of the library, in the catalog's order of worlds. The caller owns the slice; its contents are
// shared and must not be changed.
func Packs() []Pack { return append([]Pack(nil), packs...) }

// PackByID returns a pack by its number.
func PackByID(id int64) (Pack, bool) {
	for _, p := range packs {
		if p.ID == id {
			return p, true
		}
	}
	return Pack{}, false
}

// PackByName returns a pack by the name that slideshows refer to.
func PackByName(name string) (Pack, bool) {
	i, ok := packByName[name]
	if !ok {
		return Pack{}, false
	}
	return packs[i], true
}

// PackOf returns the pack of a picture.
func PackOf(p Picture) (Pack, bool) {
	return PackByName(Provider + "-" + strings.ReplaceAll(p.World, "_", "-"))
}
