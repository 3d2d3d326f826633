// SPDX-License-Identifier: Apache-2.0

package starter

import (
	"testing"

	"github.com/reelops/reelops/internal/catalog"
)

func TestPacks_OneForEachWorld(t *testing.T) {
	all, numbers, held := Packs(), map[int64]bool{}, 0
	if len(all) != len(catalog.ImageWorlds) {
		t.Fatalf("got %d packs for %d worlds", len(all), len(catalog.ImageWorlds))
	}
	for i, p := range all {
		w := catalog.ImageWorlds[i]
		if p.World != w.ID || p.Title != w.Name || p.Description != w.Description || len(p.Tags) == 0 {
			t.Errorf("pack %d: got %+v, want that of %s", i, p, w.ID)
		}
		if numbers[p.ID] || p.ID < 1<<52 || p.ID >= 1<<53 {
			t.Errorf("%s has the number %d", p.Name, p.ID)
		}
		numbers[p.ID] = true
		held += len(p.Pictures)
		for _, one := range p.Pictures {
			if numbers[one.Number] {
				t.Errorf("an image and a pack, or two of them, have the number %d", one.Number)
			}
			numbers[one.Number] = true
			if of, ok := PackOf(one); !ok || of.ID != p.ID {
				t.Errorf("%s: got pack %q, want %s", one.ID, of.Name, p.Name)
			}
		}
		byID, ok := PackByID(p.ID)
		byName, ok2 := PackByName(p.Name)
		if !ok || !ok2 || byID.Name != p.Name || byName.ID != p.ID {
			t.Errorf("%s is not found", p.Name)
		}
	}
	if held != len(All()) {
		t.Errorf("the packs contain %d of %d images", held, len(All()))
	}
}

// TestPacks_NumbersAreStable checks numbers that existing slideshows refer to.
func TestPacks_NumbersAreStable(t *testing.T) {
	p, ok := PackByName("starter-ocean-waves")
	if !ok || p.ID != 5283999713333124 {
		t.Errorf("got %v %d", ok, p.ID)
	}
	if _, ok := PackByName("starter-none"); ok {
		t.Error("an unknown pack is found")
	}
	if _, ok := PackByID(1); ok {
		t.Error("an unknown pack is found")
	}
}
