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

// Times of the voice-over of a slideshow. Both are longer than the part of a cross-fade that lies in a slide, so that no slide speaks
// before it is seen.
const (
	// SlideSpeechLead is the time from the beginning of a slide to its first word.
	SlideSpeechLead = 300 * time.Millisecond
	// SlideSpeechTail is the least time from the end of the speech to the end of the slide.
	SlideSpeechTail = 500 * time.Millisecond
	// MaxSpeechCharacters bounds one spoken text in Unicode code points: the words of one slide. A slide with more is shown without
	// a voice.
	MaxSpeechCharacters = 1000
	// MaxSpeechDuration bounds the speech of one text.
	MaxSpeechDuration = MaxVideoDuration
	// MaxSlideshowDuration bounds the video of a slideshow with a voice-over.
	MaxSlideshowDuration = 10 * time.Minute
)
