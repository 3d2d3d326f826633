// SPDX-License-Identifier: Apache-2.0

package render

import (
	"testing"

	"github.com/reelops/reelops/internal/film/timeline"
)

// benchFilm returns a zooming clip and a still one at the size of a real video.
func benchFilm(b *testing.B) *scene {
	tl := &timeline.Timeline{Version: 1, Canvas: timeline.Canvas{Width: 1080, Height: 1920}, FPS: 30, Clips: []timeline.Clip{
		{
			Background: timeline.Background{Input: "a"}, Layer: &timeline.Layer{Input: "text"}, Frames: 90,
			Motion:     timeline.Motion{Kind: timeline.SlowZoom, From: 1, To: 1.12},
			Transition: timeline.Transition{Kind: timeline.Crossfade, Frames: 9},
		},
		{Background: timeline.Background{Input: "b"}, Frames: 90, Motion: timeline.Motion{Kind: timeline.SlowZoom, From: 1.1, To: 1}},
	}}
	paths := map[string]string{"a": writePNG(b, photo(1080, 1920, 1)), "b": writePNG(b, photo(1200, 1600, 2)), "text": writePNG(b, text(1080, 1920))}
	return newScene(tl, tl.Shots(), paths, Options{})
}

func BenchmarkZoomFrame(b *testing.B) { benchShot(b, 40) }
func BenchmarkFadeFrame(b *testing.B) { benchShot(b, 90) }

func benchShot(b *testing.B, n int) {
	s := benchFilm(b)
	f, br := newFrame(1080, 1920), &brush{}
	if err := s.draw(f, n, br); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if err := s.draw(f, n, br); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkPrepareStill(b *testing.B) {
	src := photo(1440, 2560, 1)
	for b.Loop() {
		fit(sourcePlanes(src), cover(1440, 2560, 1080, 1920, .5, .5), 1080, 1920)
	}
}

// BenchmarkMovedFrame writes the images after an anchor of a zoom, and reports the time and the size of one.
func BenchmarkMovedFrame(b *testing.B) {
	s := benchFilm(b)
	shots := s.shots[40 : 40+1+maxMoved]
	after := make([]written, len(s.shots))
	after[40].moved = shots[1:]
	s.follow(after, int(DefaultCRF)+movedQP)
	f, br := newFrame(1080, 1920), &brush{}
	if err := s.draw(f, 40, br); err != nil {
		b.Fatal(err)
	}
	bytes, n := 0, 0
	b.ReportAllocs()
	for b.Loop() {
		units, err := s.write(40, f, br)
		if err != nil {
			b.Fatal(err)
		}
		for _, u := range units {
			bytes += len(u)
		}
		n += len(units)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(n), "ns/image")
	b.ReportMetric(float64(bytes)/float64(n), "B/image")
}
