// SPDX-License-Identifier: Apache-2.0

package deck

import (
	v1beta1 "github.com/reelops/reelops/api/v1beta1"
)

// AnnotationOutdated holds what Outdated said of the whole object, "true" or "false", for a cache that drops what is on the
// slides. It is in memory only.
const AnnotationOutdated = "internal.reelops.dev/outdated"

// Outdated says that work has ended and the spec now asks for something else than came of it: an edit that is not drawn
// yet, or a failed slideshow that was told to be another.
func Outdated(s *v1beta1.Slideshow) bool {
	w := s.Status.Work
	// Work that has ended was started for the first generation at least.
	if w == nil || !w.State.Settled() || max(s.Status.WorkedOn, 1) == s.Generation {
		return false
	}
	if said, ok := s.Annotations[AnnotationOutdated]; ok {
		return said == "true"
	}
	if w.State == v1beta1.WorkFailed {
		return s.Status.WorkedFor != WorkHash(s)
	}
	if s.Status.VisualHash == "" {
		return false // nothing is known of what was drawn
	}
	return !Written(s) || s.Status.VisualHash != VisualHash(s, DesignOf(s, v1beta1.Design{}))
}

// Edited says that work tells of an edit of slides that were there before, not of making them.
func Edited(s *v1beta1.Slideshow) bool { return s.Status.Generated != nil }

// Generation is the record of the work that made the slides, or is to make them; nil before it was taken up. Drawing an
// edit is no generation.
func Generation(s *v1beta1.Slideshow) *v1beta1.Work {
	if s.Status.Generated != nil {
		return s.Status.Generated
	}
	return s.Status.Work
}
