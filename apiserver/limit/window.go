// SPDX-License-Identifier: Apache-2.0

package limit

import (
	"hash/maphash"
	"strings"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// shards is the number of shards of a window, each with its own lock. A power of two.
const shards = 32

// window counts the requests of all subjects of one bucket in process.
type window struct {
	Ceiling
	bucket Bucket
	// most is the maximum number of subjects in a shard; 0 means no limit. Beyond it the least recently used subject is
	// evicted.
	most int
	now  func() int64
	// prefix of the keys in Redis.
	prefix   string
	refusals prometheus.Counter
	seed     maphash.Seed
	shards   [shards]shard
}

// shard holds some of the subjects.
type shard struct {
	mu      sync.Mutex
	records map[string]*record
	// list is the ring of the records in the order of their last use. Its own links point to the two ends.
	list record
}

func newWindow(b Bucket, c Ceiling, most int, now func() int64) *window {
	w := &window{Ceiling: c, bucket: b, now: now, prefix: keyPrefix + string(b) + ":", refusals: newRefusals(b), seed: maphash.MakeSeed()}
	if most > 0 {
		w.most = max(most/shards, 1)
	}
	for i := range w.shards {
		s := &w.shards[i]
		s.records = map[string]*record{}
		s.list.prev, s.list.next = &s.list, &s.list
	}
	return w
}

func (w *window) shard(subject string) *shard {
	return &w.shards[maphash.String(w.seed, subject)%shards]
}

// decide calls take and returns the ticket that undoes it.
func (w *window) decide(subject string, at int64) (State, Ticket) {
	s, at := w.take(subject, at)
	if s.Refused {
		w.refusals.Inc()
		return s, Ticket{}
	}
	return s, Ticket{window: w, subject: subject, at: at}
}

// present means the time at which the lock is acquired, so that entries are added in order.
const present int64 = -1

// take counts one request as of a time, not later than now, if there is room now. It returns that time.
func (w *window) take(subject string, at int64) (State, int64) {
	s := w.shard(subject)
	s.mu.Lock()
	defer s.mu.Unlock()
	now := w.now()
	if at == present {
		at = now
	}
	s.tidy(w, now)
	r := s.records[subject]
	if r == nil {
		r = &record{subject: strings.Clone(subject)}
		s.records[r.subject] = r
		s.append(r)
		if w.most > 0 && len(s.records) > w.most {
			s.forget(s.list.next)
		}
	}
	r.drop(now - int64(w.Window))
	if st := w.state(r, now); st.Refused {
		return st, at
	}
	r.add(at, w.Limit)
	r.touched = now
	r.unlink()
	s.append(r)
	return State{Bucket: w.bucket, Limit: w.Limit, Remaining: w.Limit - r.n, Window: w.Window}, at
}

// peek returns the state of the subject and counts nothing.
func (w *window) peek(subject string) State {
	s := w.shard(subject)
	s.mu.Lock()
	defer s.mu.Unlock()
	at := w.now()
	s.tidy(w, at)
	r := s.records[subject]
	if r == nil {
		return State{Bucket: w.bucket, Limit: w.Limit, Remaining: w.Limit, Window: w.Window}
	}
	r.drop(at - int64(w.Window))
	return w.state(r, at)
}

// release removes the request that take counted at that time.
func (w *window) release(subject string, at int64) {
	s := w.shard(subject)
	s.mu.Lock()
	defer s.mu.Unlock()
	if r := s.records[subject]; r != nil {
		r.remove(at)
	}
}

// subjects returns the number of remembered subjects.
func (w *window) subjects() (n int) {
	for i := range w.shards {
		s := &w.shards[i]
		s.mu.Lock()
		n += len(s.records)
		s.mu.Unlock()
	}
	return n
}

// state returns the state of a record whose expired entries have been removed.
func (w *window) state(r *record, now int64) State {
	st := State{Bucket: w.bucket, Limit: w.Limit, Remaining: w.Limit - r.n, Window: w.Window}
	if st.Remaining == 0 {
		st.Refused = true
		st.RetryAfter = time.Duration(*r.slot(0) + int64(w.Window) - now)
	}
	return st
}

// tidy evicts up to two subjects that have counted nothing for a whole window. Each call adds at most one subject. So
// the number of subjects is limited by recent use, and no call has to evict many.
func (s *shard) tidy(w *window, now int64) {
	for range 2 {
		oldest := s.list.next
		if oldest == &s.list || oldest.touched > now-int64(w.Window) {
			return
		}
		s.forget(oldest)
	}
}

func (s *shard) forget(r *record) {
	r.unlink()
	delete(s.records, r.subject)
}

func (s *shard) append(r *record) {
	last := s.list.prev
	r.prev, r.next = last, &s.list
	last.next, s.list.prev = r, r
}

func (r *record) unlink() { r.prev.next, r.next.prev = r.next, r.prev }
