// SPDX-License-Identifier: Apache-2.0

package deck

import (
	v1beta1 "github.com/reelops/reelops/api/v1beta1"
)

// AnnotationOutdated holds the result of Outdated for the whole object, "true" or "false". A cache sets it when it
// drops the contents of the slides. It exists only in memory.
const AnnotationOutdated = "internal.reelops.dev/outdated"

// Outdated reports whether the work has ended and the spec no longer matches its outcome: an edit that is not rendered
// yet, or a failed slideshow whose spec changed.
func Outdated(s *v1beta1.Slideshow) bool {
	w := s.Status.Work
	// Settled work started at generation 1 or later.
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
		return false // the hash of the rendered slides is unknown
	}
	return !Written(s) || s.Status.VisualHash != VisualHash(s, DesignOf(s, v1beta1.Design{}))
}

// Edited reports whether the current work is an edit of existing slides, not their generation.
func Edited(s *v1beta1.Slideshow) bool { return s.Status.Generated != nil }

// Generation returns the record of the work that generates the slides, or nil before the work was accepted. Rendering
// an edit is not a generation.
func Generation(s *v1beta1.Slideshow) *v1beta1.Work {
	if s.Status.Generated != nil {
		return s.Status.Generated
	}
	return s.Status.Work
}
