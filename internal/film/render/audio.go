// SPDX-License-Identifier: Apache-2.0

package render

import (
	"strconv"

	"github.com/reelops/reelops/internal/film/timeline"
)

// The format and the levels of the sound of every video.
const (
	sampleRate     = 48000
	audioBitrate   = "128k"
	targetLUFS     = -14.0
	targetPeakDBTP = -1.0
	// encoderDelay is the number of samples of an AAC stream before the first real sample. The same number is cut from
	// the front of the sound, so that video and sound stay in sync without an edit list in the MP4.
	encoderDelay = 1024
)

// soundtrack encodes the AAC track of a video.
type soundtrack struct {
	ffmpeg, ffprobe string
	audio           timeline.Audio
	path            string // the music file
	fps             int
	frames          int
	heard           []*source // the sounds other than the music
}

// newSoundtrack returns the soundtrack of a video. paths are the files of the inputs by key.
func newSoundtrack(ffmpeg, ffprobe string, tl *timeline.Timeline, paths map[string]string) soundtrack {
	return soundtrack{
		ffmpeg: ffmpeg, ffprobe: ffprobe, audio: tl.Audio, path: paths[tl.Audio.Input], fps: tl.FPS, frames: tl.Frames(), heard: sources(tl, paths),
	}
}

// samples returns how many samples n frames last.
func (s soundtrack) samples(n int) int { return samplesOf(n, s.fps) }

// aac returns the options of the encoder and its output.
func (s soundtrack) aac(out string) []string {
	return []string{
		"-c:a", "aac", "-profile:a", "aac_low", "-b:a", audioBitrate, "-ar", strconv.Itoa(sampleRate), "-ac", "2",
		"-flags:a", "+bitexact", "-fflags", "+bitexact", "-f", "adts", "-y", "file:" + out,
	}
}
