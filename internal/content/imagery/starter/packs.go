// SPDX-License-Identifier: Apache-2.0

package starter

import (
	"strings"
	"time"

	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/content/imagery"
)

// packProvider keeps the numbers of packs apart from those of pictures.
const packProvider = "starter-pack"

// Released is when the library was first part of Reelops: its packs have no other date.
var Released = time.Date(2026, 11, 21, 0, 0, 0, 0, time.UTC)

// Pack is all pictures of one image world.
type Pack struct {
	ID          int64  // imagery.StableID of the world
	Name        string // "starter-ocean-waves": how a slideshow refers to it
	World       string // ID of a catalog.ImageWorld
	Title       string // for people
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

// Packs lists the packs of the library, in the catalog's order of worlds. The slice is the caller's; what is in it is shared
// and must not be changed.
func Packs() []Pack { return append([]Pack(nil), packs...) }

// PackByID finds a pack by its number.
func PackByID(id int64) (Pack, bool) {
	for _, p := range packs {
		if p.ID == id {
			return p, true
		}
	}
	return Pack{}, false
}

// PackByName finds a pack by the name that slideshows refer to.
func PackByName(name string) (Pack, bool) {
	i, ok := packByName[name]
	if !ok {
		return Pack{}, false
	}
	return packs[i], true
}

// PackOf is the pack that a picture is in.
func PackOf(p Picture) (Pack, bool) {
	return PackByName(Provider + "-" + strings.ReplaceAll(p.World, "_", "-"))
}
