// SPDX-License-Identifier: Apache-2.0

package starter

import (
	"context"
	"errors"
	"regexp"
	"strings"
	"testing"

	"github.com/reelops/reelops/internal/catalog"
)

func TestLibrary_EveryWorldHasImages(t *testing.T) {
	count := map[string]int{}
	for _, p := range All() {
		if _, ok := catalog.WorldByID(p.World); !ok {
			t.Errorf("%s is in world %q, which the catalog does not list", p.ID, p.World)
		}
		count[p.World]++
	}
	for _, w := range catalog.ImageWorlds {
		if count[w.ID] < 5 {
			t.Errorf("world %s has %d images, want at least 5", w.ID, count[w.ID])
		}
	}
	if len(catalog.ImageWorlds) < 22 || len(All()) < 160 {
		t.Errorf("got %d images in %d worlds, want at least 160 in 22", len(All()), len(catalog.ImageWorlds))
	}
}

func TestLibrary_IDs(t *testing.T) {
	numbers, titles := map[int64]string{}, map[string]string{}
	shape := regexp.MustCompile(`^starter-[a-z_]+-\d\d$`)
	for _, p := range All() {
		if !shape.MatchString(p.ID) {
			t.Errorf("ID %q does not have the form starter-<world>-<nn>", p.ID)
		}
		if p.Number <= 0 || p.Number >= 1<<53 {
			t.Errorf("%s: number %d is not within 1 and 2^53-1", p.ID, p.Number)
		}
		if o, ok := numbers[p.Number]; ok {
			t.Errorf("%s and %s share a number", p.ID, o)
		}
		if o, ok := titles[p.Title]; ok {
			t.Errorf("%s and %s share the title %q", p.ID, o, p.Title)
		}
		numbers[p.Number], titles[p.Title] = p.ID, p.ID
		got, ok := ByID(p.ID)
		if !ok || got.Number != p.Number {
			t.Errorf("ByID(%q) does not find the image", p.ID)
		}
	}
	if _, ok := ByID("starter-nowhere-01"); ok {
		t.Error("ByID finds an image that does not exist")
	}
}

// A changed number would break every slide that refers to it.
func TestLibrary_NumbersAreStable(t *testing.T) {
	p, ok := ByID("starter-night_sky-03")
	if !ok || p.Number != publishedNightSky03 {
		t.Errorf("got number %d, published as %d", p.Number, publishedNightSky03)
	}
}

func TestLibrary_Tags(t *testing.T) {
	word := regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)
	for _, p := range All() {
		if len(p.Tags) < 8 || len(p.Tags) > 15 {
			t.Errorf("%s has %d tags, want 8 to 15", p.ID, len(p.Tags))
		}
		seen := map[string]bool{}
		for _, tag := range p.Tags {
			if !word.MatchString(tag) {
				t.Errorf("%s: tag %q is not lower-case words joined by hyphens", p.ID, tag)
			}
			if seen[tag] {
				t.Errorf("%s has the tag %q twice", p.ID, tag)
			}
			seen[tag] = true
		}
		if !strings.HasSuffix(p.Description, ".") || strings.Count(p.Description, ".") != 1 || len(p.Description) > 140 {
			t.Errorf("%s: the description is not one short sentence: %q", p.ID, p.Description)
		}
	}
}

func TestDraw_Errors(t *testing.T) {
	p := All()[0]
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Draw(ended, p, 90, 160); !errors.Is(err, context.Canceled) {
		t.Errorf("drawing with a canceled context: got %v, want context.Canceled", err)
	}
	for _, s := range [][2]int{{0, 10}, {10, -1}, {MaxSide + 1, 10}, {10, MaxSide + 1}} {
		if _, err := Draw(context.Background(), p, s[0], s[1]); err == nil {
			t.Errorf("size %v is accepted", s)
		}
	}
	if _, err := Draw(context.Background(), Picture{ID: "other"}, 10, 10); err == nil {
		t.Error("a foreign image is accepted")
	}
}

func TestAll_ReturnsACopy(t *testing.T) {
	All()[0].ID = "changed"
	if All()[0].ID == "changed" {
		t.Error("changing the slice of All changes the library")
	}
}

const publishedNightSky03 int64 = 6752560765019308
