// SPDX-License-Identifier: Apache-2.0

package render

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/reelops/reelops/internal/film/timeline"
)

// captioned returns a video with every feature: stills with timed captions, a zoom, cross-fades and music.
func captioned(t *testing.T) (*timeline.Timeline, map[string]string) {
	tl, paths := sampleFilm(t)
	tl.Audio = timeline.Audio{Kind: timeline.Music, Input: "music", Loop: true}
	paths["music"] = tone(t, "1", "-20")
	paths["one"], paths["two"] = writePNG(t, text(60, 40)), writePNG(t, text(80, 60))
	at := func(input string, from, to int) timeline.Spot {
		return timeline.Spot{Layer: timeline.Layer{Input: input, X: 40, Y: 200}, From: from, To: to}
	}
	tl.Clips[0].Frames = 60
	tl.Clips[0].Spots = []timeline.Spot{at("one", 5, 20), at("two", 20, 60)}
	tl.Clips[1].Frames = 80
	tl.Clips[1].Spots = []timeline.Spot{at("one", 0, 40), at("two", 40, 70)}
	tl.Clips[2].Spots = []timeline.Spot{at("two", 10, 30)}
	return tl, paths
}

// renderWithCache renders a video and returns the result, its bytes and its segment cache.
func renderWithCache(t *testing.T, tl *timeline.Timeline, paths map[string]string, o Options) (*Result, []byte, string) {
	t.Helper()
	dir := t.TempDir()
	out := filepath.Join(dir, "film.mp4")
	o.NewPack = filepath.Join(dir, "pack")
	r, err := Film(t.Context(), tl, paths, out, o)
	if err != nil {
		t.Fatal(err)
	}
	film, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	return r, film, o.NewPack
}

// TestSegmentCache_EditsEncodeChangedSegments edits a video in one place at a time. Only the segments that show the
// place are encoded. The video is bit by bit identical to one that is rendered without a cache.
func TestSegmentCache_EditsEncodeChangedSegments(t *testing.T) {
	needFFmpeg(t)
	tl, paths := captioned(t)
	whole, _, pack := renderWithCache(t, tl, paths, Options{})
	for name, tc := range map[string]struct {
		edit    func(*timeline.Timeline, map[string]string)
		encoded int
		heard   bool // whether the sound is encoded again
	}{
		"nothing":                    {func(*timeline.Timeline, map[string]string) {}, 0, false},
		"renamed files":              {func(tl *timeline.Timeline, p map[string]string) { tl.Clips[0].Background.Input, p["z"] = "z", p["a"] }, 0, false},
		"a caption of a still":       {func(tl *timeline.Timeline, _ map[string]string) { tl.Clips[0].Spots[0].Input = "two" }, 2, false},
		"the time of that caption":   {func(tl *timeline.Timeline, _ map[string]string) { tl.Clips[0].Spots[0].From = 9 }, 0, false},
		"a caption of moving frames": {func(tl *timeline.Timeline, _ map[string]string) { tl.Clips[1].Spots[0].Y = 190 }, 40, false},
		"the duration of a still":    {func(tl *timeline.Timeline, _ map[string]string) { tl.Clips[2].Frames = 52 }, 0, true},
		"the image of a still":       {func(tl *timeline.Timeline, _ map[string]string) { tl.Clips[0].Background.Input = "b" }, 3, false},
		"the image after a fade":     {func(tl *timeline.Timeline, _ map[string]string) { tl.Clips[2].Background.Input = "b" }, 11, false},
		"a cut instead of a fade":    {func(tl *timeline.Timeline, _ map[string]string) { tl.Clips[1].Transition = timeline.Transition{} }, 80, false},
		"the end of the music":       {func(tl *timeline.Timeline, _ map[string]string) { tl.Audio.FadeOutFrames = 9 }, 0, true},
	} {
		t.Run(name, func(t *testing.T) {
			tl, paths := captioned(t)
			tc.edit(tl, paths)
			warm, film, next := renderWithCache(t, tl, paths, Options{OldPack: pack})
			cold, want, fresh := renderWithCache(t, tl, paths, Options{Threads: 1})
			if !bytes.Equal(film, want) || warm.SHA256 != cold.SHA256 {
				t.Error("the video differs from one rendered without a cache")
			}
			if warm.Encoded != tc.encoded {
				t.Errorf("got %d encoded frames, want %d of %d", warm.Encoded, tc.encoded, cold.Encoded)
			}
			if sound := sameSound(t, pack, next); sound == tc.heard {
				t.Errorf("got sound reused: %v", sound)
			}
			a, _ := os.ReadFile(next)
			if b, _ := os.ReadFile(fresh); !bytes.Equal(a, b) {
				t.Error("the stored cache depends on the previous cache")
			}
		})
	}
	if whole.Reused != 0 {
		t.Errorf("got %d parts without an input", whole.Reused)
	}
}

// sameSound reports whether two segment caches have the same sound, which is the last part of each.
func sameSound(t *testing.T, a, b string) bool {
	t.Helper()
	var last []string
	for _, path := range []string{a, b} {
		head, _, err := readCacheHead(path)
		if err != nil || len(head.Parts) == 0 {
			t.Fatalf("got %+v, %v", head, err)
		}
		last = append(last, head.Parts[len(head.Parts)-1].Key)
	}
	return last[0] == last[1]
}

// TestSegmentCache_RepeatedClipsAreEncodedOnce shows the same clip three times.
func TestSegmentCache_RepeatedClipsAreEncodedOnce(t *testing.T) {
	needFFmpeg(t)
	tl, paths := sampleFilm(t)
	tl.Clips[1].Transition = timeline.Transition{}
	tl.Clips = []timeline.Clip{tl.Clips[1], tl.Clips[0], tl.Clips[1], tl.Clips[1]}
	r, _, _ := renderWithCache(t, tl, paths, Options{})
	if r.Encoded != 25 || r.Probe.Frames != tl.Frames() {
		t.Errorf("got %d encoded frames of %d, want 25", r.Encoded, r.Probe.Frames)
	}
}

// TestSegmentCache_InvalidCaches checks that an invalid cache is not used.
func TestSegmentCache_InvalidCaches(t *testing.T) {
	needFFmpeg(t)
	tl, paths := sampleFilm(t)
	_, want, pack := renderWithCache(t, tl, paths, Options{})
	good, err := os.ReadFile(pack)
	if err != nil {
		t.Fatal(err)
	}
	head, _, err := readCacheHead(pack)
	if err != nil {
		t.Fatal(err)
	}
	flipped := bytes.Clone(good)
	flipped[len(flipped)-head0(head)-100] ^= 4
	for name, tc := range map[string]struct {
		pack   []byte
		reused int
	}{
		"whole":           {good, 5},
		"a flipped bit":   {flipped, 4},
		"half":            {good[:len(good)/2], -1},
		"empty":           {nil, 0},
		"another format":  {[]byte("PK\x03\x04 no pack at all\n\n"), 0},
		"another build":   {bytes.Replace(good, []byte(head.Build[:9]), []byte("123456789"), 1), 0},
		"no build":        {bytes.Replace(good, []byte(head.Build), nil, 1), 0},
		"an invalid size": {bytes.Replace(good, []byte(`"bytes":`), []byte(`"bytes":99999`), 1), -1},
	} {
		t.Run(name, func(t *testing.T) {
			r, film, _ := renderWithCache(t, tl, paths, Options{OldPack: writeFile(t, tc.pack)})
			if !bytes.Equal(film, want) {
				t.Error("the video differs")
			}
			if tc.reused >= 0 && r.Reused != tc.reused {
				t.Errorf("got %d of %d parts reused, want %d", r.Reused, r.Parts, tc.reused)
			}
		})
	}
}

// head0 returns the size of the last part, the sound.
func head0(h cacheHead) int { return int(h.Parts[len(h.Parts)-1].Bytes) }

// TestSegmentCache_PosterOfACachedFrame expects a poster when the part with the first frame comes from the cache.
func TestSegmentCache_PosterOfACachedFrame(t *testing.T) {
	needFFmpeg(t)
	tl, paths := sampleFilm(t)
	dir := t.TempDir()
	cold, warm := filepath.Join(dir, "cold.jpg"), filepath.Join(dir, "warm.jpg")
	_, _, pack := renderWithCache(t, tl, paths, Options{Poster: cold})
	renderWithCache(t, tl, paths, Options{Poster: warm, OldPack: pack})
	a, err := os.ReadFile(cold)
	if err != nil {
		t.Fatal(err)
	}
	if b, err := os.ReadFile(warm); err != nil || !bytes.Equal(a, b) {
		t.Errorf("the posters differ: %v", err)
	}
}
