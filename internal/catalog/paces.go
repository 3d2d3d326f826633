// SPDX-License-Identifier: Apache-2.0

package catalog

import "time"

// Bounds of the time that a slide is shown.
const (
	// MinSlideTime is the least that a pace gives a slide, however few its words.
	MinSlideTime = 2 * time.Second
	// MaxReadingTime is the most that a pace gives a slide; slides that need more name their duration.
	MaxReadingTime = 12 * time.Second
	// MinSlideshowTime is the least that the video of a slideshow lasts: Instagram and LinkedIn refuse shorter ones.
	MinSlideshowTime = 3 * time.Second
	// MinSlideSeconds and MaxSlideSeconds bound a duration that is set by hand, in seconds.
	MinSlideSeconds = 1
	MaxSlideSeconds = 30
)

// Pace is how fast the slides of a video follow one another: Start for every slide, and Word for each word on it.
type Pace struct {
	ID, Name, Description string
	Start, Word           time.Duration
	Default               bool
}

// Paces that requests may name.
var Paces = []Pace{
	{
		ID: "slow", Name: "Slow", Description: "For dense text and readers in a second language.",
		Start: 1600 * time.Millisecond, Word: 400 * time.Millisecond,
	},
	{
		ID: "normal", Name: "Normal", Description: "Comfortable reading on a phone.",
		Start: 1200 * time.Millisecond, Word: 300 * time.Millisecond, Default: true,
	},
	{
		ID: "fast", Name: "Fast", Description: "For short lines and lively music.",
		Start: 900 * time.Millisecond, Word: 220 * time.Millisecond,
	},
}

// PaceByID returns the pace with an id, the default one for an id that is empty or unknown.
func PaceByID(id string) Pace {
	var usual Pace
	for _, p := range Paces {
		if p.ID == id {
			return p
		}
		if p.Default {
			usual = p
		}
	}
	return usual
}
