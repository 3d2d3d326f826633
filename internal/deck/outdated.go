// SPDX-License-Identifier: Apache-2.0

package deck

import (
	"strconv"

	v1alpha1 "github.com/reelops/reelops/api/v1alpha1"
)

// noted is an annotation that only a process's own cache has: what Outdated said of the whole object.
const noted = "internal.reelops.dev/outdated"

// Outdated says that work has ended and the spec now asks for something else than came of it: an edit that is not drawn
// yet, or a failed slideshow that was told to be another.
func Outdated(s *v1alpha1.Slideshow) bool {
	w := s.Status.Work
	// Work that has ended was started for the first generation at least.
	if w == nil || !w.State.Settled() || max(s.Status.WorkedOn, 1) == s.Generation {
		return false
	}
	if note, ok := s.Annotations[noted]; ok {
		return note == strconv.FormatBool(true)
	}
	if w.State == v1alpha1.WorkFailed {
		return s.Status.WorkedFor != WorkHash(s)
	}
	if s.Status.VisualHash == "" {
		return false // nothing is known of what was drawn
	}
	return !Written(s) || s.Status.VisualHash != VisualHash(s, DesignOf(s, v1alpha1.Design{}))
}

// Note keeps what Outdated says on the object itself, for a cache that drops what is on the slides. An object that was
// noted must never be written back.
func Note(s *v1alpha1.Slideshow) {
	if s.Status.Work == nil || !s.Status.Work.State.Settled() || max(s.Status.WorkedOn, 1) == s.Generation {
		return
	}
	note := strconv.FormatBool(Outdated(s))
	if s.Annotations == nil {
		s.Annotations = map[string]string{}
	}
	s.Annotations[noted] = note
}

// Edited says that work tells of an edit of slides that were there before, not of making them.
func Edited(s *v1alpha1.Slideshow) bool { return s.Status.Generated != nil }

// Generation is the record of the work that made the slides, or is to make them; nil before it was taken up. Drawing an
// edit is no generation.
func Generation(s *v1alpha1.Slideshow) *v1alpha1.Work {
	if s.Status.Generated != nil {
		return s.Status.Generated
	}
	return s.Status.Work
}
