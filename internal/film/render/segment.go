// SPDX-License-Identifier: Apache-2.0

package render

import "github.com/reelops/reelops/internal/film/timeline"

// keyInterval is the longest group of pictures in seconds: how far a player has to decode when it jumps into the middle.
const keyInterval = 5

// segment is a part of a film that is coded apart from all others: it begins with a key frame, and its bytes follow from its own
// pictures alone. It is what is kept from one render to the next.
type segment struct {
	// key names its content; see keyer.
	key string
	// first is the film's frame it begins with.
	first int
	// shots are its pictures, each once, and repeat says how often each is shown again.
	shots  []timeline.Shot
	repeat []int
}

// frames is how long the segment is shown.
func (s *segment) frames() int {
	n := len(s.shots)
	for _, r := range s.repeat {
		n += r
	}
	return n
}

// cut takes the repetitions out of a film and cuts it into segments: where a clip first stands alone, where a cross-fade begins,
// where words change over moving pictures that have been seen for a second, and where anything changes after keyInterval. So an
// edit touches few of them, and a player finds a key frame nearby.
func cut(shots []timeline.Shot, fps int) []*segment {
	var all []*segment
	var now *segment
	length := 0 // of the segment so far, in frames
	for i, s := range shots {
		changed := i == 0 || !s.Same(shots[i-1])
		if now == nil || length > 1 && begins(shots, i, now, changed, length, fps) {
			now = &segment{first: i}
			all = append(all, now)
			length, changed = 0, true
		}
		length++
		if !changed {
			now.repeat[len(now.repeat)-1]++
			continue
		}
		now.shots, now.repeat = append(now.shots, s), append(now.repeat, 0)
	}
	return all
}

// begins tells whether frame i begins a segment. One of a single frame would put two key frames side by side.
func begins(shots []timeline.Shot, i int, now *segment, changed bool, length, fps int) bool {
	s, before := shots[i], shots[i-1]
	switch {
	case s.Key, s.Mix > 0 && before.Mix <= 0:
		return true
	case !changed:
		return false
	case length >= keyInterval*fps:
		return true
	}
	moves := now.repeat[len(now.repeat)-1] == 0
	return moves && s.A.Spots != before.A.Spots && length >= fps
}

// lane is a run of segments that one scene draws in their order, one encoder after the other.
type lane []*segment

// spread spreads segments over at most n lanes of about the same work. Footage is played from its beginning, so a clip with footage or
// with an inset stays in one lane.
func spread(segments []*segment, tl *timeline.Timeline, n int) []lane {
	total := 0
	for _, s := range segments {
		total += s.work()
	}
	var all []lane
	var now lane
	done := 0
	for i, s := range segments {
		if len(now) > 0 && len(all) < n-1 && 2*done+s.work() > 2*total*(len(all)+1)/n && !together(segments[i-1], s, tl) {
			all, now = append(all, now), nil
		}
		now = append(now, s)
		done += s.work()
	}
	if len(now) > 0 {
		all = append(all, now)
	}
	return all
}

// work is about how much there is to do for a segment, in pictures: its clip has to be prepared as well.
func (s *segment) work() int { return len(s.shots) + 3 }

func together(a, b *segment, tl *timeline.Timeline) bool {
	before, after := a.shots[len(a.shots)-1], b.shots[0]
	c := &tl.Clips[after.A.Clip]
	return before.A.Clip == after.A.Clip && (c.Footage != nil || c.Inset != nil)
}

// Bounds of what one encoder process does. Each of its segments has an encoder of its own there, which keeps its memory until
// the process ends, and one of a single picture needs less; starting a process costs as much as some pictures.
const (
	batchWeight   = 6
	batchPictures = 64
)

// weight is the share of memory that a segment's encoder has.
func (s *segment) weight() int { return min(len(s.shots), 2) }

// batches cuts a lane into what one encoder process does.
func (l lane) batches() [][]*segment {
	var all [][]*segment
	pictures, weight := 0, 0
	for _, s := range l {
		pictures, weight = pictures+len(s.shots), weight+s.weight()
		if len(all) == 0 || weight > batchWeight || pictures > batchPictures {
			all = append(all, nil)
			pictures, weight = len(s.shots), s.weight()
		}
		all[len(all)-1] = append(all[len(all)-1], s)
	}
	return all
}
