// SPDX-License-Identifier: Apache-2.0

package kill

import (
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/testkit/slots"
)

// look is a time at which a leader decided about slots. settled reports whether it had decided about all of them when
// it was killed or the time moved on, and sent whether all posts that were due had been sent by then.
type look struct {
	at            time.Time
	settled, sent bool
}

// tooLate is a little less than how late a post may be sent.
const tooLate = 5 * time.Hour

// counts are the totals of a check.
type counts struct {
	slots, started, missed, unclear     int
	skipped                             int
	runs, posts                         int
	slotsTwice, slotsLost, postsTwice   int
	postsLost, itemsTwice, others, late int
}

// check compares what was seen with the slots.
func (w *world) check(looks []look) (n counts) {
	w.t.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	var all, settled, sent []time.Time
	for _, l := range looks {
		all = append(all, l.at)
		if l.settled {
			settled = append(settled, l.at)
		}
		if l.sent {
			sent = append(sent, l.at)
		}
	}
	expected := map[slotKey]bool{}
	captions := map[string]int{}
	for caption, count := range w.platform.published {
		captions[strings.Join(strings.SplitN(caption, " ", 4)[:3], " ")+" "] += count
		n.posts += count
	}
	for _, runs := range w.runs {
		n.runs += len(runs)
	}
	for _, s := range w.subjects {
		numbers, items := map[int64]bool{}, map[string]bool{}
		for i, slot := range s.slots[:len(s.slots)-1] {
			n.slots++
			expected[slotKey{s.ObjectKey, slot.Unix()}] = true
			w.checkSlot(s, slot, s.slots[i+1], all, settled, sent, captions, &n)
			for _, k := range w.runs[slotKey{s.ObjectKey, slot.Unix()}] {
				if k.number > 0 && (numbers[k.number] || items[k.item]) {
					n.itemsTwice++
					w.t.Errorf("%s %v: the number %d or the item %s was used before", s.Name, slot, k.number, k.item)
				}
				numbers[k.number], items[k.item] = true, k.number > 0
			}
			delete(captions, s.caption(slot))
		}
		delete(numbers, 0)
		a := &v1beta1.Automation{}
		w.must(w.kube.Get(w.t.Context(), s.ObjectKey, a))
		if int(a.Status.Runs) != len(numbers) || int(a.Status.Cursor) != len(numbers) {
			n.others++
			w.t.Errorf("%s: got %d runs and the cursor %d, want %d", s.Name, a.Status.Runs, a.Status.Cursor, len(numbers))
		}
	}
	for key := range w.runs {
		if !expected[key] {
			n.others++
			w.t.Errorf("a run of %s at %v, which is no slot", key.automation, time.Unix(key.at, 0).UTC())
		}
	}
	for caption, count := range captions {
		n.others += count
		w.t.Errorf("%d posts for %q, which is no slot", count, caption)
	}
	for key, count := range w.platform.drafts {
		if count > 1 {
			n.postsTwice++
			w.t.Errorf("the post %s was published %d times", key, count)
		}
	}
	for key, uids := range w.batches {
		if len(uids) > 1 || len(w.posts[key]) > 1 {
			n.others++
			w.t.Errorf("%s: got %d batches with %d posts, want one", key, len(uids), len(w.posts[key]))
		}
	}
	return n
}

// checkSlot checks the run and the post of one slot.
func (w *world) checkSlot(
	s *subject, slot, next time.Time, all, settled, sent []time.Time, captions map[string]int, n *counts,
) {
	w.t.Helper()
	outcome, at := slots.Promised(slot, next, all, s.policy)
	other, otherAt := slots.Promised(slot, next, settled, s.policy)
	posts := captions[s.caption(slot)]
	if posts > 1 {
		n.postsTwice++
		w.t.Errorf("%s %v was published %d times", s.Name, slot, posts)
	}
	runs := w.runs[slotKey{s.ObjectKey, slot.Unix()}]
	switch {
	case len(runs) == 0:
		n.slotsLost++
		w.t.Errorf("%s %v (%s) has no run", s.Name, slot, outcome)
		return
	case len(runs) > 1:
		n.slotsTwice++
		w.t.Errorf("%s %v has %d runs", s.Name, slot, len(runs))
		return
	}
	k := only(runs)
	due := slot
	if at.After(due) {
		due = at
	}
	switch {
	case outcome != other || !at.Equal(otherAt):
		// The leader was killed while it decided, and an outage followed: the decision may have been made before or after.
		n.unclear++
		if !k.state.Final() || k.state == v1beta1.RunSucceeded && posts != 1 {
			n.slotsLost++
			w.t.Errorf("%s %v (%s or %s) is %q with %d posts", s.Name, slot, outcome, other, k.state, posts)
		}
	case outcome == slots.Missed:
		n.missed++
		if k.state != v1beta1.RunMissed || posts > 0 {
			n.others++
			w.t.Errorf("%s %v is %q with %d posts, want it missed", s.Name, slot, k.state, posts)
		}
	case first(sent, due).Sub(due) > tooLate:
		// The run had started, and its post was due in a long outage, or the leader was killed while it sent the post and
		// such an outage followed.
		n.started++
		n.late++
		if !k.state.Final() || k.state == v1beta1.RunSucceeded != (posts == 1) {
			n.others++
			w.t.Errorf("%s %v (%s, sent late) is %q with %d posts: %s", s.Name, slot, outcome, k.state, posts, k.why)
		}
	case k.state == v1beta1.RunSkipped && s.forbid && w.active(s, slot, at):
		n.skipped++
		if posts > 0 {
			n.others++
			w.t.Errorf("%s %v was skipped and published", s.Name, slot)
		}
	default:
		n.started++
		if k.state != v1beta1.RunSucceeded {
			n.slotsLost++
			w.t.Errorf("%s %v (%s) is %q: %s", s.Name, slot, outcome, k.state, k.why)
		}
		if posts == 0 {
			n.postsLost++
			w.t.Errorf("%s %v (%s) was not published", s.Name, slot, outcome)
		}
	}
}

// active reports whether a run of an earlier slot had not ended at a time.
func (w *world) active(s *subject, slot, at time.Time) bool {
	for _, earlier := range s.slots {
		if !earlier.Before(slot) {
			break
		}
		for _, k := range w.runs[slotKey{s.ObjectKey, earlier.Unix()}] {
			if k.ended.IsZero() || !k.ended.Before(at) {
				return true
			}
		}
	}
	return false
}

// first returns the first of times that is not before t; t if there is none.
func first(times []time.Time, t time.Time) time.Time {
	for _, at := range times {
		if !at.Before(t) {
			return at
		}
	}
	return t
}

func only(runs map[types.UID]*known) *known {
	for _, k := range runs {
		return k
	}
	return nil
}

// opened reports whether every slot that may start at a time has a run that created its posts, or has ended.
func (w *world) opened(now time.Time) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	all := true
	for _, s := range w.subjects {
		for s.open < len(s.slots)-1 && !s.slots[s.open].Add(-s.policy.Lead).After(now) &&
			w.decided(s.ObjectKey, s.slots[s.open]) {
			s.open++
		}
		all = all && (s.open == len(s.slots)-1 || s.slots[s.open].Add(-s.policy.Lead).After(now))
	}
	return all
}

func (w *world) decided(automation client.ObjectKey, slot time.Time) bool {
	for _, k := range w.runs[slotKey{automation, slot.Unix()}] {
		if k.batch || k.state.Final() {
			return true
		}
	}
	return false
}

// tried reports whether leaders have begun to send all posts that are due at a time.
func (w *world) tried(now time.Time) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	for key, runs := range w.runs {
		for _, k := range runs {
			if !k.batch || k.state.Final() || time.Unix(key.at, 0).After(now) {
				continue
			}
			posts := w.posts[client.ObjectKey{Namespace: key.automation.Namespace, Name: k.name}]
			if len(posts) == 0 {
				return false
			}
			for _, p := range posts {
				if !p.tried && !p.due.After(now) {
					return false
				}
			}
		}
	}
	return true
}

// waiting returns the slots before a time whose run has not ended, and the earliest of them.
func (w *world) waiting(now time.Time) (n int, earliest time.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for key, runs := range w.runs {
		for _, k := range runs {
			if at := time.Unix(key.at, 0); !k.state.Final() && at.Before(now) {
				if n++; earliest.IsZero() || at.Before(earliest) {
					earliest = at
				}
			}
		}
	}
	return n, earliest
}
