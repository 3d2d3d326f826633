// SPDX-License-Identifier: Apache-2.0

package render

import (
	"path/filepath"
	"testing"

	"github.com/reelops/reelops/internal/timeline"
)

// Benchmarks of footage of a wide recording at the size of a real film. They decode a second; what one reports for a frame is the time
// of a second by its frames.
func BenchmarkCoverFootage(b *testing.B)   { benchFootage(b, timeline.Cover) }
func BenchmarkContainFootage(b *testing.B) { benchFootage(b, timeline.Contain) }

func benchFootage(b *testing.B, fit timeline.Fit) {
	needFFmpeg(b)
	p := projectorOf(b, wideRecording(b), timeline.Canvas{Width: 1080, Height: 1920})
	f := timeline.Footage{Input: "c", ContentType: "video/mp4", Frames: 30, Fit: fit, Focus: &timeline.Centre}
	frames := 0
	for b.Loop() {
		frames += len(p.frames(b, f))
	}
	b.ReportMetric(float64(b.Elapsed().Milliseconds())/float64(frames), "ms/frame")
}

// Benchmarks of whole films of the same footage: what is blurred is coded faster than what covers.
func BenchmarkCoverFilm(b *testing.B)   { benchFootageFilm(b, timeline.Cover) }
func BenchmarkContainFilm(b *testing.B) { benchFootageFilm(b, timeline.Contain) }

func benchFootageFilm(b *testing.B, fit timeline.Fit) {
	needFFmpeg(b)
	f := &timeline.Footage{Input: "c", ContentType: "video/mp4", Frames: 30, Fit: fit, Focus: &timeline.Centre}
	tl := &timeline.Timeline{Version: 1, Canvas: timeline.Canvas{Width: 1080, Height: 1920}, FPS: 30, Clips: []timeline.Clip{{Footage: f, Frames: 30}}}
	paths := map[string]string{"c": wideRecording(b)}
	for b.Loop() {
		if _, err := Film(b.Context(), tl, paths, filepath.Join(b.TempDir(), "film.mp4"), Options{}); err != nil {
			b.Fatal(err)
		}
	}
}

// wideRecording is a second of full HD.
func wideRecording(b *testing.B) string {
	return pattern{w: 1920, h: 1080, rate: "30", pictures: 30, codec: options(h264Options, bt709Tags), file: "mp4"}.make(b)
}

// BenchmarkInset draws one picture of an inset, with its shadow, over a frame.
func BenchmarkInset(b *testing.B) {
	place := &timeline.Inset{X: 620, Y: 1260, Width: 400, Height: 540, Radius: 48}
	n := &inset{reel: &reel{now: newFrame(400, 540), spare: newFrame(400, 540)}}
	n.prepare(place, timeline.Canvas{Width: 1080, Height: 1920})
	dst := newFrame(1080, 1920)
	for b.Loop() {
		n.reel.begun, n.reel.turns = true, []int{0}
		n.reel.ended = true
		if err := n.over(dst, 0, 0); err != nil {
			b.Fatal(err)
		}
	}
}
