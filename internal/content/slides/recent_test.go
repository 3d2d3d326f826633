// SPDX-License-Identifier: Apache-2.0

package slides

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"sync"
	"testing"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/catalog"
)

// numbered returns the nth short of the brand, without a style.
func numbered(n int) *v1beta1.Slideshow {
	return show(func(s *v1beta1.Slideshow) {
		s.Name, s.Spec.DesignStyle = fmt.Sprint("slideshow-", n), ""
		s.Labels = map[string]string{v1beta1.LabelID: strconv.Itoa(n)}
	})
}

// apart returns the smallest distance between two shorts with the same style.
func apart(styles []string) int {
	least := len(styles)
	last := map[string]int{}
	for i, st := range styles {
		if at, ok := last[st]; ok {
			least = min(least, i-at)
		}
		last[st] = i
	}
	return least
}

// Twelve shorts of a brand that are created at the same time are processed in any order and in parallel, before the
// cache shows the choices for the others. Neighbours get different styles, and each short keeps its first style.
func TestStyle_NeighboursDifferWhenCreatedTogether(t *testing.T) {
	const shorts = 12
	half := len(catalog.DesignStyles) / 2
	for seed := range uint64(200) {
		recent := NewRecent()
		styles := make([]string, shorts)
		var wg sync.WaitGroup
		for _, n := range rand.New(rand.NewPCG(seed, 1)).Perm(shorts) {
			wg.Go(func() { styles[n] = recent.Style(numbered(n + 1)) })
		}
		wg.Wait()
		if d := apart(styles); d < half {
			t.Fatalf("seed %d: a style is repeated after %d shorts, want at least %d: %v", seed, d, half, styles)
		}
		for n := range shorts {
			if again := recent.Style(numbered(n + 1)); again != styles[n] {
				t.Fatalf("short %d has the style %s, then %s", n+1, styles[n], again)
			}
		}
	}
}

func TestStyle_UsesEveryStyleInTurn(t *testing.T) {
	recent := NewRecent()
	var styles []string
	for n := range 100 {
		styles = append(styles, recent.Style(numbered(3*n+1)))
	}
	if d := apart(styles); d != len(catalog.DesignStyles) {
		t.Errorf("a style is repeated after %d shorts, want %d: %v", d, len(catalog.DesignStyles), styles)
	}
}

func TestStyle_AvoidsTheStylesThatNeighboursName(t *testing.T) {
	recent := NewRecent()
	for n := 1; n <= 9; n += 2 {
		s := numbered(n)
		s.Spec.DesignStyle = "bold_center"
		recent.Saw(s)
	}
	for n := 2; n <= 10; n += 2 {
		if got := recent.Style(numbered(n)); got == "bold_center" {
			t.Errorf("short %d has the style of both its neighbours", n)
		}
	}
	other := numbered(2)
	other.Spec.BrandRef.Name = "other"
	if got := recent.Style(other); got != catalog.DesignStyles[0].ID {
		t.Errorf("the first short of another brand has the style %s", got)
	}
}

func TestStyle_OfAManifestFollowsFromItsName(t *testing.T) {
	manifest := func(id int) *v1beta1.Slideshow {
		s := numbered(id)
		s.Name = "launch"
		return s
	}
	recent := NewRecent()
	first := recent.Style(manifest(1))
	for n := 2; n < 20; n++ {
		recent.Style(numbered(n))
	}
	if again := recent.Style(manifest(20)); again != first {
		t.Errorf("after it was deleted and recreated, the slideshow has the style %s instead of %s", again, first)
	}
	styles := map[string]bool{}
	for n := range 40 {
		s := manifest(n + 100)
		s.Name = fmt.Sprint("launch-", n)
		styles[recent.Style(s)] = true
	}
	if len(styles) < len(catalog.DesignStyles)/2 {
		t.Errorf("forty names have %d styles", len(styles))
	}
}

func TestForget_ReleasesTheStyle(t *testing.T) {
	recent := NewRecent()
	s := numbered(1)
	s.Spec.DesignStyle = "bold_center"
	recent.Saw(s)
	recent.Forget(s)
	if got := recent.Of(numbered(2)); len(got) != 0 {
		t.Errorf("a deleted slideshow still counts: %+v", got)
	}
}
