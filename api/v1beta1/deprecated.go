// SPDX-License-Identifier: Apache-2.0

package v1beta1

import (
	"math"
	"strings"
)

// Use the methods below for fields that have a deprecated spelling. Readers accept both spellings. Setters keep the
// spelling of the object, so that a manifest of an earlier release still applies without a difference. New objects get
// the deprecated spelling as well, or only that one, so that a program of the earlier release can read them.

// TagText returns the hashtags separated by commas, or nil if the spec sets none.
func (s *SlideshowSpec) TagText() *string { return tagText(s.Hashtags, s.Tags) }

// SetTagText replaces the hashtags by a comma-separated list; nil removes them.
func (s *SlideshowSpec) SetTagText(text *string) { setTagText(&s.Hashtags, &s.Tags, text) }

// TagText returns the hashtags separated by commas, or nil if the spec sets none.
func (s *VideoSpec) TagText() *string { return tagText(s.Hashtags, s.Tags) }

func tagText(hashtags *[]string, tags *string) *string {
	if hashtags == nil {
		return tags
	}
	text := strings.Join(*hashtags, ",")
	return &text
}

func setTagText(hashtags **[]string, tags **string, text *string) {
	switch {
	case *hashtags == nil:
		*tags = text
	case text == nil:
		*hashtags, *tags = nil, nil
	default:
		list := append([]string{}, SplitTags(*text)...)
		*hashtags, *tags = &list, nil
	}
}

// SplitTags returns the tags of a comma-separated list without blanks, nil for none.
func SplitTags(text string) []string {
	var out []string
	for t := range strings.SplitSeq(text, ",") {
		if t = strings.TrimSpace(t); t != "" {
			out = append(out, t)
		}
	}
	return out
}

// Seconds returns the duration of the slide in seconds, or 0 for the reading time of its text.
func (s *SlideSpec) Seconds() float64 {
	if s.DurationMilliseconds != 0 {
		return float64(s.DurationMilliseconds) / 1000
	}
	return s.DurationSeconds
}

// UseMilliseconds moves the duration to durationMilliseconds, rounded to the nearest millisecond.
func (s *SlideSpec) UseMilliseconds() {
	s.DurationMilliseconds, s.DurationSeconds = int64(math.Round(s.Seconds()*1000)), 0
}

// Offset returns the time of the video frame that becomes the cover, in milliseconds. It returns nil if the cover is a
// slide or an image.
func (c *PostCover) Offset() *int64 { return either(c.OffsetMilliseconds, c.OffsetMillis) }

// CoverOffset returns the time of the reel's frame that becomes its cover, in milliseconds. It returns nil if the
// settings choose none.
func (s *InstagramSettings) CoverOffset() *int64 {
	return either(s.CoverOffsetMilliseconds, s.CoverOffsetMillis)
}

// SetCoverOffsetOf copies the cover offset of other settings, with its spelling.
func (s *InstagramSettings) SetCoverOffsetOf(from *InstagramSettings) {
	s.CoverOffsetMilliseconds, s.CoverOffsetMillis = from.CoverOffsetMilliseconds, from.CoverOffsetMillis
}

// VideoCoverAt returns the cover that is the frame at a time of the video in milliseconds, in both spellings.
func VideoCoverAt(milliseconds int64) *PostMediaCover {
	again := milliseconds
	return &PostMediaCover{OffsetMilliseconds: &milliseconds, OffsetMillis: &again}
}

// Offset returns the time of the video frame that becomes the cover, in milliseconds. It returns nil if the cover is a
// photo or an image.
func (c *PostMediaCover) Offset() *int64 { return either(c.OffsetMilliseconds, c.OffsetMillis) }

// Milliseconds returns the duration of the video in milliseconds, or 0 for photos.
func (m *PostMedia) Milliseconds() int64 {
	if m.DurationMilliseconds != 0 {
		return m.DurationMilliseconds
	}
	return m.DurationMillis
}

// SetMilliseconds sets the duration of the video in milliseconds, in both spellings.
func (m *PostMedia) SetMilliseconds(n int64) { m.DurationMilliseconds, m.DurationMillis = n, n }

// SlideTimes returns the times at which the slides are fully shown, in milliseconds, or nil if they are unknown.
func (s *RenderJobStatus) SlideTimes() []int64 {
	if s.SlideMilliseconds != nil {
		return s.SlideMilliseconds
	}
	return s.SlideMillis
}

// SetSlideTimes sets the times at which the slides are fully shown, in milliseconds, in both spellings.
func (s *RenderJobStatus) SetSlideTimes(times []int64) {
	s.SlideMilliseconds, s.SlideMillis = times, times
}

func either(now, deprecated *int64) *int64 {
	if now != nil {
		return now
	}
	return deprecated
}
