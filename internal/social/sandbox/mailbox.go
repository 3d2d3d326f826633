// SPDX-License-Identifier: Apache-2.0

package sandbox

import "sync"

// News is a post that was created or changed, or the ID of a post that was deleted.
type News struct {
	Landed *Landing
	Gone   string
}

// Mailbox is a Follower that queues events until News is called. A platform that embeds a Mailbox processes the queue
// before it answers a request. Mailbox is safe for concurrent use.
type Mailbox struct {
	mu   sync.Mutex
	news []News
}

var _ Follower = (*Mailbox)(nil)

// Landed queues a created or changed post, including the platform's own posts.
func (m *Mailbox) Landed(l Landing) { m.put(News{Landed: &l}) }

// Gone queues a deleted post.
func (m *Mailbox) Gone(id string) { m.put(News{Gone: id}) }

func (m *Mailbox) put(n News) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.news = append(m.news, n)
}

// News returns the queued events in order and empties the queue.
func (m *Mailbox) News() []News {
	m.mu.Lock()
	defer m.mu.Unlock()
	out := m.news
	m.news = nil
	return out
}
