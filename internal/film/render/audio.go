// SPDX-License-Identifier: Apache-2.0

package render

import (
	"strconv"

	"github.com/reelops/reelops/internal/film/timeline"
)

// The sound of every film.
const (
	sampleRate     = 48000
	audioBitrate   = "128k"
	targetLUFS     = -14.0
	targetPeakDBTP = -1.0
	// encoderDelay is the number of samples an AAC stream starts with before the first real one. As many are cut from the
	// front of the sound, so that picture and sound stay level without an edit list in the MP4.
	encoderDelay = 1024
)

// soundtrack makes the AAC track of a film in one file.
type soundtrack struct {
	ffmpeg, ffprobe string
	audio           timeline.Audio
	path            string // the music file
	fps             int
	frames          int
	heard           []*source // beside the music
}

// newSoundtrack is the sound of a film whose inputs are the files of paths.
func newSoundtrack(ffmpeg, ffprobe string, tl *timeline.Timeline, paths map[string]string) soundtrack {
	return soundtrack{
		ffmpeg: ffmpeg, ffprobe: ffprobe, audio: tl.Audio, path: paths[tl.Audio.Input], fps: tl.FPS, frames: tl.Frames(), heard: sources(tl, paths),
	}
}

// samples is how many samples n frames last.
func (s soundtrack) samples(n int) int { return samplesOf(n, s.fps) }

// aac are the options of the encoder and its output.
func (s soundtrack) aac(out string) []string {
	return []string{
		"-c:a", "aac", "-profile:a", "aac_low", "-b:a", audioBitrate, "-ar", strconv.Itoa(sampleRate), "-ac", "2",
		"-flags:a", "+bitexact", "-fflags", "+bitexact", "-f", "adts", "-y", "file:" + out,
	}
}
