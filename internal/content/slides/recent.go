// SPDX-License-Identifier: Apache-2.0

package slides

import (
	"cmp"
	"hash/fnv"
	"math"
	"slices"
	"strconv"
	"sync"

	"k8s.io/apimachinery/pkg/types"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/kube/naming"
)

const (
	// RecentShorts is how many of a brand's newest shorts are considered when images are rotated.
	RecentShorts = 10
	// recentStyles is how many of a brand's newest shorts are considered when styles are rotated.
	recentStyles = 64
)

// Use holds the style and images of one slideshow.
type Use struct {
	id       int64
	style    string
	pictures []string
}

// Recent keeps the styles and images of each brand's newest slideshows in memory, so that a choice does not list all
// slideshows. It is updated by the cache's events, in any order, and by its own choices, which the cache shows only
// later.
type Recent struct {
	mu     sync.Mutex
	brands map[types.NamespacedName][]Use // newest first, at most recentStyles
}

// NewRecent returns an empty Recent.
func NewRecent() *Recent { return &Recent{brands: map[types.NamespacedName][]Use{}} }

// Saw records a slideshow as the cache shows it. A style named in the spec counts before the work begins.
func (r *Recent) Saw(s *v1beta1.Slideshow) {
	u := Use{id: shortID(s), style: s.Spec.DesignStyle}
	if s.Status.Design != nil {
		u.style = s.Status.Design.Style
	}
	if u.id == 0 || u.style == "" {
		return
	}
	for i := range s.Status.Slides {
		u.pictures = append(u.pictures, s.Status.Slides[i].Background.ID)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.record(brandOf(s), u)
}

// record replaces the entry of a slideshow.
func (r *Recent) record(brand types.NamespacedName, u Use) {
	list := slices.DeleteFunc(r.brands[brand], func(o Use) bool { return o.id == u.id })
	list = append(list, u)
	slices.SortFunc(list, func(a, b Use) int { return cmp.Compare(b.id, a.id) })
	r.brands[brand] = list[:min(len(list), recentStyles)]
}

// Of returns the latest uses of a slideshow's brand, newest first, at most RecentShorts, without the slideshow itself.
func (r *Recent) Of(s *v1beta1.Slideshow) []Use {
	id := shortID(s)
	r.mu.Lock()
	defer r.mu.Unlock()
	var out []Use
	for _, u := range r.brands[brandOf(s)] {
		if u.id != id && len(out) < RecentShorts {
			out = append(out, u)
		}
	}
	return out
}

// Forget removes a deleted slideshow: its style and images may be used again, for example by the same manifest.
func (r *Recent) Forget(s *v1beta1.Slideshow) {
	r.mu.Lock()
	defer r.mu.Unlock()
	brand, id := brandOf(s), shortID(s)
	r.brands[brand] = slices.DeleteFunc(r.brands[brand], func(u Use) bool { return u.id == id })
}

// Style returns the style of a slideshow whose spec and brand name none, and reserves it before the cache shows it.
//
// The style of a slideshow named by a user depends on its namespace and name: a manifest that is deleted and applied
// again, or applied to another cluster, looks the same. A slideshow of the front end has no manifest. It gets the style
// whose nearest use among the brand's shorts, in the order of their ids, is farthest away; ties follow the catalog's
// order. Shorts that are created together therefore differ in any processing order: of n styles, the same one is used
// again n/2 shorts later at the earliest.
func (r *Recent) Style(s *v1beta1.Slideshow) string {
	id, brand := shortID(s), brandOf(s)
	r.mu.Lock()
	defer r.mu.Unlock()
	list := r.brands[brand]
	at := 0 // how many are newer
	for i, u := range list {
		if u.id == id {
			return u.style
		}
		if u.id > id {
			at = i + 1
		}
	}
	if !naming.ByFrontEnd(s.Name) {
		best := steady(s)
		if id != 0 {
			r.record(brand, Use{id: id, style: best})
		}
		return best
	}
	best, farthest := "", -1
	for _, st := range catalog.DesignStyles {
		nearest := math.MaxInt
		for i, u := range list {
			if u.style != st.ID {
				continue
			}
			if i < at {
				nearest = min(nearest, at-i)
			} else {
				nearest = min(nearest, i-at+1)
			}
		}
		if nearest > farthest {
			best, farthest = st.ID, nearest
		}
	}
	if id != 0 {
		r.record(brand, Use{id: id, style: best})
	}
	return best
}

// steady returns the style derived from the namespace and the name of a slideshow.
func steady(s *v1beta1.Slideshow) string {
	h := fnv.New32a()
	_, _ = h.Write([]byte(s.Namespace + "/" + s.Name))
	return catalog.DesignStyles[int(h.Sum32()%uint32(len(catalog.DesignStyles)))].ID
}

// shortID returns the slideshow's id, or 0 if it has none yet.
func shortID(s *v1beta1.Slideshow) int64 {
	id, err := strconv.ParseInt(s.Labels[v1beta1.LabelID], 10, 64)
	if err != nil {
		return 0
	}
	return id
}

func brandOf(s *v1beta1.Slideshow) types.NamespacedName {
	return types.NamespacedName{Namespace: s.Namespace, Name: s.Spec.BrandRef.Name}
}
