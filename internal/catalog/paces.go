// SPDX-License-Identifier: Apache-2.0

package catalog

import "time"

// Limits on the time that a slide is shown.
const (
	// MinSlideTime is the minimum time of a slide under any pace, however few its words.
	MinSlideTime = 2 * time.Second
	// MaxReadingTime is the maximum time of a slide under any pace. Slides that need more must set their duration.
	MaxReadingTime = 12 * time.Second
	// MinSlideshowTime is the minimum length of the video of a slideshow: Instagram and LinkedIn refuse shorter ones.
	MinSlideshowTime = 3 * time.Second
	// MinSlideSeconds and MaxSlideSeconds are the limits on an explicit duration, in seconds.
	MinSlideSeconds = 1
	MaxSlideSeconds = 30
)

// Pace is the reading speed of a video: Start is the time for every slide, and Word the time for each word on it.
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

// PaceByID returns the pace with an ID, or the default one if the ID is empty or unknown.
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
