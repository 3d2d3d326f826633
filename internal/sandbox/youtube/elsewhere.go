// SPDX-License-Identifier: Apache-2.0

package youtube

import (
	"hash/fnv"
	"net/http"
	"sync"
	"time"

	"github.com/reelops/reelops/internal/sandbox"
)

// mail is what the sandbox told and what was not looked at yet.
type mail struct {
	mu   sync.Mutex
	news []news
}

// news is a post that landed, or the id of one that was taken away.
type news struct {
	landed *sandbox.Landing
	gone   string
}

func (m *mail) put(n news) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.news = append(m.news, n)
}

func (m *mail) take() []news {
	m.mu.Lock()
	defer m.mu.Unlock()
	out := m.news
	m.news = nil
	return out
}

// Landed notes what landed, the stand-in's own posts among it.
func (p *Platform) Landed(l sandbox.Landing) { p.mail.put(news{landed: &l}) }

// Gone notes what was taken away.
func (p *Platform) Gone(id string) { p.mail.put(news{gone: id}) }

// catchUp takes up videos that came by other ways, and drops those that went. The lock is held.
func (p *Platform) catchUp() {
	for _, n := range p.mail.take() {
		switch {
		case n.landed == nil:
			if v := p.videos[n.gone]; v != nil {
				p.drop(v)
			}
		case p.videos[n.landed.ID] == nil:
			p.remember(*n.landed)
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
