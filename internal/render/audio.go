// SPDX-License-Identifier: Apache-2.0

package render

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"

	"github.com/reelops/reelops/internal/timeline"
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

// beforeInput are the options of every run of ffmpeg here.
var beforeInput = []string{"-hide_banner", "-nostdin", "-loglevel", "error", "-protocol_whitelist", "file"}

// source are the input options of the music file, with its format pinned.
func (s soundtrack) source() ([]string, error) {
	f, err := os.Open(s.path)
	if err != nil {
		return nil, fmt.Errorf("opening the music: %w", err)
	}
	defer f.Close()
	head := make([]byte, 16)
	n, err := io.ReadFull(f, head)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("reading the music: %w", err)
	}
	format := sniffMusic(head[:n])
	if format == "" {
		return nil, badInput(s.audio.Input, nil, "The file is not music in a known format: MP3, AAC, M4A, WAV, FLAC or Ogg.")
	}
	var args []string
	if s.audio.Loop {
		args = append(args, "-stream_loop", "-1")
	}
	return append(args, "-f", format, "-i", "file:"+s.path), nil
}

// played are the filters that give the part of the music that the film plays.
func (s soundtrack) played(n int) []string {
	return []string{
		"aresample=" + strconv.Itoa(sampleRate), "aformat=sample_fmts=fltp:channel_layouts=stereo",
		fmt.Sprintf("atrim=end_sample=%d", n), "asetpts=N/SR/TB",
	}
}

// aac are the options of the encoder and its output.
func (s soundtrack) aac(out string) []string {
	return []string{
		"-c:a", "aac", "-profile:a", "aac_low", "-b:a", audioBitrate, "-ar", strconv.Itoa(sampleRate), "-ac", "2",
		"-flags:a", "+bitexact", "-fflags", "+bitexact", "-f", "adts", "-y", "file:" + out,
	}
}

// unusable blames the music file when ffmpeg gave up by itself while reading it.
func (s soundtrack) unusable(err error) error {
	var e *Error
	if errors.As(err, &e) && e.Kind == EncoderFailed {
		return badInput(s.audio.Input, e.Err, "The music is damaged: it could not be decoded.")
	}
	return err
}
