// SPDX-License-Identifier: Apache-2.0

package music

import (
	"fmt"
	"slices"
	"time"

	"github.com/reelops/reelops/internal/starter/music/synth"
)

// License is the license of a piece.
type License struct {
	Name, URL           string
	AttributionRequired bool
}

// Track describes one piece.
type Track struct {
	// Name is the identifier of the piece: lower-case words with dashes.
	Name   string
	Title  string
	Artist string
	Genre  string
	Moods  []string
	// BPM is the tempo in beats per minute.
	BPM     int
	License License

	bars  int
	swing swing
	write func(*score) *synth.Stereo
}

// Duration returns the length of the loop.
func (t Track) Duration() time.Duration {
	return time.Duration(t.samples()) * time.Second / synth.Rate
}

func (t Track) samples() int { return (t.bars*beatsInBar*60*synth.Rate + t.BPM/2) / t.BPM }

// artist and cc0 are the artist and the license of all pieces.
const artist = "Reelops"

var cc0 = License{Name: "CC0 1.0", URL: "https://creativecommons.org/publicdomain/zero/1.0/"}

// tracks are all pieces in the order of listing.
var tracks = []Track{
	{Name: "morning-light", Title: "Morning Light", Genre: "acoustic", Moods: []string{"uplifting", "warm", "hopeful"}, BPM: 96, bars: 16, write: morningLight},
	{Name: "clear-steps", Title: "Clear Steps", Genre: "corporate", Moods: []string{"motivating", "confident", "positive"}, BPM: 112, bars: 16, write: clearSteps},
	{Name: "late-study", Title: "Late Study", Genre: "lo-fi", Moods: []string{"relaxed", "cozy", "thoughtful"}, BPM: 78, bars: 16, swing: swing{0.25, 0.6}, write: lateStudy},
	{Name: "still-water", Title: "Still Water", Genre: "ambient", Moods: []string{"calm", "peaceful", "meditative"}, BPM: 60, bars: 12, write: stillWater},
	{Name: "wide-horizon", Title: "Wide Horizon", Genre: "cinematic", Moods: []string{"epic", "dramatic", "inspiring"}, BPM: 84, bars: 16, write: wideHorizon},
	{Name: "full-speed", Title: "Full Speed", Genre: "electronic", Moods: []string{"energetic", "driving", "sporty"}, BPM: 126, bars: 24, write: fullSpeed},
	{Name: "paper-planes", Title: "Paper Planes", Genre: "comedy", Moods: []string{"playful", "happy", "light"}, BPM: 116, bars: 16, swing: swing{0.5, 0.58}, write: paperPlanes},
	{Name: "night-drive", Title: "Night Drive", Genre: "synthwave", Moods: []string{"dark", "moody", "mysterious"}, BPM: 100, bars: 16, write: nightDrive},
	{Name: "quiet-room", Title: "Quiet Room", Genre: "piano", Moods: []string{"gentle", "emotional", "sincere"}, BPM: 66, bars: 12, write: quietRoom},
	{Name: "sunday-coffee", Title: "Sunday Coffee", Genre: "bossa nova", Moods: []string{"easy", "charming", "sunny"}, BPM: 124, bars: 16, write: sundayCoffee},
	{Name: "bright-side", Title: "Bright Side", Genre: "pop", Moods: []string{"upbeat", "cheerful", "fun"}, BPM: 108, bars: 16, write: brightSide},
	{Name: "deep-focus", Title: "Deep Focus", Genre: "minimal electronic", Moods: []string{"focused", "modern", "cool"}, BPM: 118, bars: 16, write: deepFocus},
}

// Tracks returns all pieces.
func Tracks() []Track {
	out := slices.Clone(tracks)
	for i := range out {
		out[i] = out[i].complete()
	}
	return out
}

// ByName returns the piece with a name; false if there is none.
func ByName(name string) (Track, bool) {
	for _, t := range tracks {
		if t.Name == name {
			return t.complete(), true
		}
	}
	return Track{}, false
}

func (t Track) complete() Track {
	t.Artist, t.License, t.Moods = artist, cc0, slices.Clone(t.Moods)
	return t
}

// Compose renders a piece: 48,000 samples per second on two channels, from -1 to 1.
func Compose(name string) (*synth.Stereo, error) {
	t, ok := ByName(name)
	if !ok {
		return nil, fmt.Errorf("there is no piece of music %q", name)
	}
	s := t.score()
	out := t.write(s)
	if s.err != nil {
		return nil, fmt.Errorf("playing %s: %w", name, s.err)
	}
	return out, nil
}

// score returns an empty score for the piece.
func (t Track) score() *score {
	return &score{bpm: float64(t.BPM), bars: t.bars, n: t.samples(), swing: t.swing, seed: seed(t.Name)}
}

// seed returns the random seed of a piece: the FNV-1a hash of its name.
func seed(name string) uint64 {
	h := uint64(14695981039346656037)
	for _, c := range []byte(name) {
		h = (h ^ uint64(c)) * 1099511628211
	}
	return h
}
