// SPDX-License-Identifier: Apache-2.0

package catalog

import "time"

// Times of a video made of an avatar clip and product demos; MinFilmClip is the shortest clip.
const (
	// MaxVideoDuration bounds the whole film; what would come after it is left out.
	MaxVideoDuration = 180 * time.Second
	// MaxDemoDuration is for how long a demo is shown at a time; a longer one is cut.
	MaxDemoDuration = 60 * time.Second
	// SpeechLead is when the hook begins to be spoken, SpeechTail how long the speaker is seen after it.
	SpeechLead = 100 * time.Millisecond
	SpeechTail = 400 * time.Millisecond
)
