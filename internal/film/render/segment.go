// SPDX-License-Identifier: Apache-2.0

package render

import "github.com/reelops/reelops/internal/film/timeline"

// keyInterval is the longest group of pictures in seconds: how far a player must decode after a seek.
const keyInterval = 5

// segment is a part of a video that is encoded separately: it begins with a key frame, and its bytes depend only on its
// own images. Segments are cached from one render to the next.
type segment struct {
	// key identifies the segment's content; see keyer.
	key string
	// first is the video's frame at which the segment begins.
	first int
	// shots are the segment's images, each once, and repeat is how often each is shown again.
	shots  []timeline.Shot
	repeat []int
	// written are the images that follow each of shots.
	written []written
}

// frames returns how long the segment is shown, in frames.
func (s *segment) frames() int {
	n := s.images()
	for _, r := range s.repeat {
		n += r
	}
	return n
}

// images returns the number of different images.
func (s *segment) images() int {
	n := len(s.shots)
	for i := range s.written {
		n += s.written[i].count()
	}
	return n
}

// fades reports whether the segment ends with a cross-fade that the renderer writes.
func (s *segment) fades() bool { return len(s.written[len(s.written)-1].fade) > 0 }

// cut removes the repetitions from a video and divides it into segments. A segment begins where a clip is first shown
// alone and where a cross-fade begins. A cross-fade that the renderer writes itself begins with the image before it. A
// segment also begins where text changes over moving images that have been shown for a
// second, and at the first change after keyInterval. So an edit affects few segments, and a player finds a key frame
// nearby.
func cut(tl *timeline.Timeline, shots []timeline.Shot) []*segment {
	var all []*segment
	var now *segment
	length := 0 // of the current segment, in frames
	for i := 0; i < len(shots); i++ {
		s := shots[i]
		changed := i == 0 || !s.Same(shots[i-1])
		if now == nil || length > 1 && begins(tl, shots, i, now, changed, length) {
			now = &segment{first: i}
			all = append(all, now)
			length, changed = 0, true
		}
		length++
		last := len(now.shots) - 1
		if last >= 0 && s.Mix > 0 {
			if n := fadeAfter(tl, now.shots[last], shots[i:]); n > 0 {
				now.written[last].fade, now.written[last].next = shots[i:i+n], shots[i+n]
				length += n - 1
				i += n - 1
				continue
			}
		}
		switch {
		case !changed && len(now.written[last].moved) == 0:
			now.repeat[last]++
		case last >= 0 && len(now.written[last].moved) < maxMoved && movesAfter(tl, now.shots[last], s):
			now.written[last].moved = append(now.written[last].moved, s)
		default:
			now.shots, now.repeat, now.written = append(now.shots, s), append(now.repeat, 0), append(now.written, written{})
		}
	}
	return all
}

// begins reports whether frame i begins a segment. A segment of a single frame would put two key frames side by side.
func begins(tl *timeline.Timeline, shots []timeline.Shot, i int, now *segment, changed bool, length int) bool {
	s, before := shots[i], shots[i-1]
	switch {
	case s.Key, now.fades(), fadeAfter(tl, s, shots[i+1:]) > 0:
		return true
	case s.Mix > 0 && before.Mix <= 0:
		return fadeAfter(tl, now.shots[len(now.shots)-1], shots[i:]) == 0
	case !changed:
		return false
	case length >= keyInterval*tl.FPS:
		return true
	}
	moves := now.repeat[len(now.repeat)-1] == 0
	return moves && s.A.Spots != before.A.Spots && length >= tl.FPS
}

// lane is a run of segments that one scene draws in order, one encoder after the other.
type lane []*segment

// spread distributes segments over lanes of about the same work. A lane draws several images at a time, but encodes one
// after the other. So there is one lane for each processor if all images are encoded, and fewer if most of them are
// written, which needs less memory. Footage is played from its beginning, so a clip with footage or with an inset stays in
// one lane.
func spread(segments []*segment, tl *timeline.Timeline, processors int) []lane {
	total, encoded, images := 0, 0, 0
	for _, s := range segments {
		total, encoded, images = total+s.work(), encoded+len(s.shots), images+s.images()
	}
	coding := effort(encoded, images)
	n := max((2*processors*encoded+coding)/(2*max(coding, 1)), 1)
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

// work estimates the work for a segment, in images of the encoder, including the preparation of its clip.
func (s *segment) work() int { return effort(len(s.shots), s.images()) + 3 }

// effort estimates the work for a number of images, of which some are encoded and the others are written, in images of
// the encoder.
func effort(encoded, images int) int { return encoded + (images-encoded)/4 }

func together(a, b *segment, tl *timeline.Timeline) bool {
	before, after := a.shots[len(a.shots)-1], b.shots[0]
	c := &tl.Clips[after.A.Clip]
	return before.A.Clip == after.A.Clip && (c.Footage != nil || c.Inset != nil)
}

// Limits of one encoder process. Each segment in the process has an encoder of its own, which keeps its memory until
// the process ends; the encoder of a single image needs less. Starting a process costs as much as encoding some images.
const (
	batchWeight   = 6
	batchPictures = 64
)

// weight returns the share of memory that a segment's encoder uses.
func (s *segment) weight() int { return min(len(s.shots), 2) }

// batches divides a lane into the batches of one encoder process each.
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
