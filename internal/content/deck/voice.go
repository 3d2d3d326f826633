// SPDX-License-Identifier: Apache-2.0

package deck

import (
	v1beta1 "github.com/reelops/reelops/api/v1beta1"
)

// Spoken reports whether a slideshow should have a voice-over.
func Spoken(s *v1beta1.Slideshow) bool {
	return inForce(s.Spec.Voice).Mode == v1beta1.VoiceOverSpeak
}

// Voiced reports whether the voice-over of the current revision exists or none is requested.
func Voiced(s *v1beta1.Slideshow) bool {
	v := s.Status.Voice
	return !Spoken(s) || v != nil && v.Revision == s.Status.Revision
}

// VoiceOf returns the voice-over of the current revision, or nil if there is none.
func VoiceOf(s *v1beta1.Slideshow) *v1beta1.VoiceOverStatus {
	if v := s.Status.Voice; v != nil && v.Revision == s.Status.Revision {
		return v
	}
	return nil
}

// inForce returns a voice-over with defaults applied. Every voice-over that is off has the same result.
func inForce(v *v1beta1.VoiceOver) v1beta1.VoiceOver {
	if v == nil || v.Mode == v1beta1.VoiceOverNone {
		return v1beta1.VoiceOver{Mode: v1beta1.VoiceOverNone}
	}
	return v1beta1.VoiceOver{Mode: v1beta1.VoiceOverSpeak, Name: v.Name}
}
