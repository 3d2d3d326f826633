// SPDX-License-Identifier: Apache-2.0

package slideshow

import (
	"slices"
	"strconv"
	"sync"

	"k8s.io/apimachinery/pkg/types"

	v1alpha1 "github.com/reelops/reelops/api/v1alpha1"
)

// recentShorts is how far back a brand's own shorts count for rotating styles and pictures.
const recentShorts = 10

// use is what one slideshow looks like.
type use struct {
	id       int64
	style    string
	pictures []string
}

// Recent remembers what each brand's newest slideshows look like, so that choosing needs no list of all of them. It is
// fed by the cache's events, whatever their order.
type Recent struct {
	mu     sync.Mutex
	brands map[types.NamespacedName][]use // newest first, at most recentShorts+1
}

// NewRecent returns an empty memory.
func NewRecent() *Recent { return &Recent{brands: map[types.NamespacedName][]use{}} }

// Saw takes note of a slideshow as the cache shows it.
func (r *Recent) Saw(s *v1alpha1.Slideshow) {
	id, err := strconv.ParseInt(s.Labels[v1alpha1.LabelID], 10, 64)
	if err != nil || s.Status.Design == nil {
		return
	}
	u := use{id: id, style: s.Status.Design.Style}
	for i := range s.Status.Slides {
		u.pictures = append(u.pictures, s.Status.Slides[i].Background.ID)
	}
	k := types.NamespacedName{Namespace: s.Namespace, Name: s.Spec.BrandRef.Name}
	r.mu.Lock()
	defer r.mu.Unlock()
	list := slices.DeleteFunc(r.brands[k], func(o use) bool { return o.id == id })
	list = append(list, u)
	slices.SortFunc(list, func(a, b use) int { return int(b.id - a.id) })
	if len(list) > recentShorts+1 {
		list = list[:recentShorts+1]
	}
	r.brands[k] = list
}

// Of tells what the brand of a slideshow used lately, newest first, the slideshow itself left out.
func (r *Recent) Of(s *v1alpha1.Slideshow) []use {
	id, _ := strconv.ParseInt(s.Labels[v1alpha1.LabelID], 10, 64)
	r.mu.Lock()
	defer r.mu.Unlock()
	var out []use
	for _, u := range r.brands[types.NamespacedName{Namespace: s.Namespace, Name: s.Spec.BrandRef.Name}] {
		if u.id != id && len(out) < recentShorts {
			out = append(out, u)
		}
	}
	return out
}
