// SPDX-License-Identifier: Apache-2.0

package starter

import (
	"bytes"
	"math"
	"testing"

	"github.com/reelops/reelops/internal/catalog"
)

func TestBackdrops_ExistForEveryStyle(t *testing.T) {
	numbers := map[int64]string{}
	for _, p := range All() {
		numbers[p.Number] = p.ID
	}
	for _, s := range catalog.DesignStyles {
		of := Backdrops(s.ID)
		if len(of) == 0 || len(of)%BackdropsEach != 0 {
			t.Fatalf("style %s has %d backdrops, want %d of each pattern", s.ID, len(of), BackdropsEach)
		}
		for _, b := range of {
			if o, ok := numbers[b.Number]; ok {
				t.Errorf("%s and %s share a number", b.ID, o)
			}
			numbers[b.Number] = b.ID
			byID, ok := ByID(b.ID)
			byNumber, too := ByNumber(b.Number)
			if !ok || !too || byID.ID != b.ID || byNumber.ID != b.ID || BackdropStyle(byID) != s.ID {
				t.Errorf("%s is not found by its ID and number", b.ID)
			}
			if _, ok := catalog.WorldByID(b.World); ok {
				t.Errorf("%s is in the world %s of the catalog", b.ID, b.World)
			}
		}
	}
	if len(Backdrops("no_such_style")) > 0 {
		t.Error("a style that is not in the catalog has backdrops")
	}
	if p, ok := ByNumber(publishedNightSky03); !ok || BackdropStyle(p) != "" {
		t.Errorf("the number of an image of the library is resolved to %q", p.ID)
	}
}

// The backdrops of a slideshow use one pattern and differ from slide to slide; the same one looks the same every
// time.
func TestBackdrops_DifferWithinAPattern(t *testing.T) {
	const least = 3.0 // mean difference of a mosaic, in steps of 255
	of := Backdrops(catalog.DesignStyles[0].ID)
	for first := 0; first < len(of); first += BackdropsEach {
		var seen [][]byte
		for _, b := range of[first : first+BackdropsEach] {
			m := mosaic(draw1(t, b, 108, 192), 9, 16)
			for _, o := range seen {
				sum := 0.0
				for k := range m {
					sum += math.Abs(float64(m[k]) - float64(o[k]))
				}
				if d := sum / float64(len(m)); d < least {
					t.Errorf("%s differs from another of its pattern by %.1f, want %.1f", b.ID, d, least)
				}
			}
			seen = append(seen, m)
		}
		if !bytes.Equal(draw1(t, of[first], 108, 192).Pix, draw1(t, of[first], 108, 192).Pix) {
			t.Errorf("%s differs between runs", of[first].ID)
		}
	}
}

// A backdrop uses only the colours of its style.
func TestBackdrops_HaveTheColoursOfTheirStyle(t *testing.T) {
	for _, s := range catalog.DesignStyles {
		var lo, hi [3]float64
		for k := range 3 {
			lo[k], hi[k] = 255, 0
			for _, rgb := range append([]uint32{palettes[s.ID].accent}, palettes[s.ID].ramp...) {
				v := float64(rgb >> (16 - 8*k) & 0xff)
				lo[k], hi[k] = min(lo[k], v), max(hi[k], v)
			}
		}
		for i := 0; i < len(patterns); i++ {
			b := Backdrops(s.ID)[i*BackdropsEach]
			for k, v := range mosaic(draw1(t, b, 108, 192), 1, 1) {
				if float64(v) < lo[k]-10 || float64(v) > hi[k]+10 {
					t.Errorf("%s: mean of channel %d is %d, the palette has %.0f to %.0f", b.ID, k, v, lo[k], hi[k])
				}
			}
		}
	}
}
