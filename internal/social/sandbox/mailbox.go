// SPDX-License-Identifier: Apache-2.0

package sandbox

import "sync"

// News is that a post landed or changed, or the id of one that was taken away.
type News struct {
	Landed *Landing
	Gone   string
}

// Mailbox is a Follower that notes what it is told until somebody has the time. A platform that has one in it looks into it before it
// answers. It is safe for use by many goroutines.
type Mailbox struct {
	mu   sync.Mutex
	news []News
}

var _ Follower = (*Mailbox)(nil)

// Landed notes what landed, the platform's own posts among it.
func (m *Mailbox) Landed(l Landing) { m.put(News{Landed: &l}) }

// Gone notes what was taken away.
func (m *Mailbox) Gone(id string) { m.put(News{Gone: id}) }

func (m *Mailbox) put(n News) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.news = append(m.news, n)
}

// News takes out what has come, in its order.
func (m *Mailbox) News() []News {
	m.mu.Lock()
	defer m.mu.Unlock()
	out := m.news
	m.news = nil
	return out
}
