// SPDX-License-Identifier: Apache-2.0

package youtube

import (
	"hash/fnv"
	"net/http"
	"time"

	"github.com/reelops/reelops/internal/social/sandbox"
)

// catchUp takes up videos that came by other ways, and drops those that went. The lock is held.
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

// watch leads on to the page of a video that people see under another address: that of a Short.
func (p *Platform) watch(w http.ResponseWriter, r *http.Request) {
	if l, ok := p.core.LandedByID(name, r.URL.Query().Get("v")); ok && l.Visibility == sandbox.Public {
		http.Redirect(w, r, l.URL, http.StatusFound)
		return
	}
	http.NotFound(w, r)
}

// length is how long a film is that nobody has: that of a Short, always the same for a video.
func (v *video) length() time.Duration {
	h := fnv.New32a()
	_, _ = h.Write([]byte(v.id))
	return time.Duration(10+h.Sum32()%50) * time.Second
}
