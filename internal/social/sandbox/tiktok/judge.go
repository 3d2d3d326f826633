// SPDX-License-Identifier: Apache-2.0

package tiktok

import (
	"context"
	"slices"
	"strings"

	"github.com/reelops/reelops/internal/social/sandbox"
)

// Limits on videos.
const (
	minSide, maxSide           = 360, 4096 // pixels
	minFrameRate, maxFrameRate = 23, 60    // frames per second
)

// judge returns the reason why TikTok rejects the video of a publication, or an empty string. Photos were checked when
// they were fetched.
func (p *Platform) judge(b *publication) string {
	if b.kind == photos {
		return ""
	}
	f, err := b.file.Probe(context.Background())
	if err != nil {
		return "file_format_check_failed"
	}
	p.mu.Lock()
	shortest, longest := p.limits.MinDuration, p.limits.MaxDuration
	p.mu.Unlock()
	wide, high := float64(max(f.Width, f.Height)), float64(min(f.Width, f.Height))
	const rounding = 0.01 // for encoders that write timestamps in whole milliseconds
	switch {
	case !slices.ContainsFunc([]string{"mp4", "mov", "webm"}, func(s string) bool { return strings.Contains(f.Format, s) }),
		!slices.Contains([]string{"h264", "hevc", "vp8", "vp9"}, f.VideoCodec):
		return "file_format_check_failed"
	case f.Duration < shortest || f.Duration > longest:
		return "duration_check_failed"
	case f.FrameRate < minFrameRate-rounding || f.FrameRate > maxFrameRate+rounding:
		return "frame_rate_check_failed"
	case high < minSide || wide > maxSide || wide/high > 16.0/9+rounding:
		return "picture_size_check_failed"
	}
	return ""
}

// measure fills in the properties of a post's video. They stay 0 when the file cannot be read.
func (p *Platform) measure(l *sandbox.Landing, into map[string]any) {
	if f, err := l.File.Probe(context.Background()); err == nil {
		into["duration"], into["width"], into["height"] = seconds(f.Duration), f.Width, f.Height
	}
}
