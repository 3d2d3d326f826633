// SPDX-License-Identifier: Apache-2.0

package youtube

import (
	"hash/fnv"
	"net/http"
	"time"

	"github.com/reelops/reelops/internal/social/sandbox"
)

// catchUp applies the queued events: it adds videos created in other ways and removes deleted ones. The caller holds
// the lock.
func (p *Platform) catchUp() {
	for _, n := range p.News() {
		switch {
		case n.Landed == nil:
			if v := p.videos[n.Gone]; v != nil {
				p.drop(v)
			}
		case p.videos[n.Landed.ID] == nil:
			p.remember(*n.Landed)
		}
	}
}

// watch redirects to the public page of a video. A Short has another address.
func (p *Platform) watch(w http.ResponseWriter, r *http.Request) {
	if l, ok := p.core.LandedByID(name, r.URL.Query().Get("v")); ok && l.Visibility == sandbox.Public {
		http.Redirect(w, r, l.URL, http.StatusFound)
		return
	}
	http.NotFound(w, r)
}

// length returns a fixed duration for a video without a file, within the length of a Short.
func (v *video) length() time.Duration {
	h := fnv.New32a()
	_, _ = h.Write([]byte(v.id))
	return time.Duration(10+h.Sum32()%50) * time.Second
}
