// SPDX-License-Identifier: Apache-2.0

package render

import (
	"math"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/reelops/reelops/internal/film/timeline"
)

// soundOf encodes a track of 8 seconds for a piece of music and measures the track.
func soundOf(t *testing.T, a timeline.Audio, music string) (integrated float64, seconds float64, track string) {
	t.Helper()
	needFFmpeg(t)
	track = filepath.Join(t.TempDir(), "track.aac")
	if err := (soundtrack{ffmpeg: "ffmpeg", ffprobe: "ffprobe", audio: a, path: music, fps: 30, frames: 240}).encode(t.Context(), track); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command("ffmpeg", "-hide_banner", "-nostats", "-i", track, "-af", "ebur128", "-f", "null", "-").CombinedOutput()
	if err != nil {
		t.Fatal(err)
	}
	_, summary, _ := strings.Cut(string(out), "Summary:")
	for line := range strings.Lines(summary) {
		if f := strings.Fields(line); len(f) == 3 && f[0] == "I:" {
			integrated, _ = strconv.ParseFloat(f[1], 64)
		}
	}
	raw, err := exec.Command("ffmpeg", "-v", "error", "-i", track, "-f", "s16le", "-ac", "1", "-").Output()
	if err != nil {
		t.Fatal(err)
	}
	return integrated, float64(len(raw)) / 2 / sampleRate, track
}

func TestLoudness(t *testing.T) {
	for name, db := range map[string]string{"quiet music": "-25", "loud music": "-1"} {
		t.Run(name, func(t *testing.T) {
			got, seconds, _ := soundOf(t, timeline.Audio{Kind: timeline.Music, Input: "m"}, tone(t, "9", db))
			if math.Abs(got-targetLUFS) > 1 {
				t.Errorf("got %.1f LUFS, want %.0f", got, targetLUFS)
			}
			if math.Abs(seconds-8) > 0.05 {
				t.Errorf("got %.3f seconds of sound, want 8", seconds)
			}
		})
	}
}

func TestMusic_Short(t *testing.T) {
	level := func(track string, from string) float64 {
		out, err := exec.Command("ffmpeg", "-hide_banner", "-ss", from, "-t", "1", "-i", track, "-af", "volumedetect", "-f", "null", "-").CombinedOutput()
		if err != nil {
			t.Fatal(err)
		}
		_, rest, _ := strings.Cut(string(out), "mean_volume: ")
		v, err := strconv.ParseFloat(strings.Fields(rest)[0], 64)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	music := tone(t, "2", "-12")
	_, _, once := soundOf(t, timeline.Audio{Kind: timeline.Music, Input: "m"}, music)
	if v := level(once, "5"); v > -80 {
		t.Errorf("got sound of %.1f dB after music that is not looped", v)
	}
	_, _, loop := soundOf(t, timeline.Audio{Kind: timeline.Music, Input: "m", Loop: true, FadeOutFrames: 60}, music)
	if v := level(loop, "4.5"); v < -40 {
		t.Errorf("looped music is silent at 5 s: %.1f dB", v)
	}
	if early, late := level(loop, "4"), level(loop, "7"); late > early-6 {
		t.Errorf("the end is not faded out: %.1f dB, then %.1f dB", early, late)
	}
}

func TestMusic_SilentStaysSilent(t *testing.T) {
	needFFmpeg(t)
	quiet := filepath.Join(t.TempDir(), "silence.wav")
	if out, err := exec.Command("ffmpeg", "-v", "error", "-f", "lavfi", "-i", "anullsrc", "-t", "3", quiet).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if _, seconds, _ := soundOf(t, timeline.Audio{Kind: timeline.Music, Input: "m"}, quiet); math.Abs(seconds-8) > 0.05 {
		t.Errorf("got %.3f seconds, want 8", seconds)
	}
}
