// SPDX-License-Identifier: Apache-2.0

package catalog

import "time"

// Times of a video with an avatar clip and product demos. MinFilmClip is the minimum length of a clip.
const (
	// MaxVideoDuration is the maximum length of the whole video; anything after it is cut.
	MaxVideoDuration = 180 * time.Second
	// MaxDemoDuration is the maximum length of one showing of a demo; a longer one is cut.
	MaxDemoDuration = 60 * time.Second
	// SpeechLead is the time before the speech of the hook begins. SpeechTail is how long the speaker is shown after
	// it.
	SpeechLead = 100 * time.Millisecond
	SpeechTail = 400 * time.Millisecond
)

// Times of the voice-over of a slideshow. Both are longer than the part of a cross-fade within a slide, so that the
// speech of a slide never starts before the slide is visible.
const (
	// SlideSpeechLead is the time from the beginning of a slide to its first word.
	SlideSpeechLead = 300 * time.Millisecond
	// SlideSpeechTail is the minimum time from the end of the speech to the end of the slide.
	SlideSpeechTail = 500 * time.Millisecond
	// MaxSpeechCharacters is the maximum length in Unicode code points of the spoken text of one slide. A slide with a
	// longer text has no speech.
	MaxSpeechCharacters = 1000
	// MaxSpeechDuration is the maximum length of the speech of one text.
	MaxSpeechDuration = MaxVideoDuration
	// MaxSlideshowDuration is the maximum length of the video of a slideshow with a voice-over.
	MaxSlideshowDuration = 10 * time.Minute
)
