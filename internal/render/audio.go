// SPDX-License-Identifier: Apache-2.0

package render

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"

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
	mixed           bool      // even if nothing is
}

// newSoundtrack is the sound of a film whose inputs are the files of paths.
func newSoundtrack(ffmpeg, ffprobe string, tl *timeline.Timeline, paths map[string]string) soundtrack {
	s := soundtrack{
		ffmpeg: ffmpeg, ffprobe: ffprobe, audio: tl.Audio, path: paths[tl.Audio.Input], fps: tl.FPS, frames: tl.Frames(), heard: sources(tl, paths),
	}
	for i := range tl.Clips { // music under pictures is levelled by ffmpeg's filter, which lets a peak pass now and then
		s.mixed = s.mixed || tl.Clips[i].Footage != nil
	}
	s.mixed = len(s.heard) > 0 || s.mixed && s.audio.Kind == timeline.Music
	return s
}

// samples is how many samples n frames last.
func (s soundtrack) samples(n int) int { return samplesOf(n, s.fps) }

// beforeInput are the options of every run of ffmpeg here.
var beforeInput = []string{"-hide_banner", "-nostdin", "-loglevel", "error", "-protocol_whitelist", "file"}

// silence writes a track of n samples in which nothing is heard.
func (s soundtrack) silence(ctx context.Context, n int, out string) error {
	source := append(slices.Clone(beforeInput), "-f", "lavfi", "-i", "anullsrc=r="+strconv.Itoa(sampleRate)+":cl=stereo")
	return s.run(ctx, out, source, "atrim=end_sample="+strconv.Itoa(max(n-encoderDelay, 1)))
}

// encode writes the track to the file out.
func (s soundtrack) encode(ctx context.Context, out string) error {
	n := s.samples(s.frames)
	if s.mixed {
		return s.mix(ctx, out)
	}
	if s.audio.Kind != timeline.Music {
		return s.silence(ctx, n, out)
	}
	head := slices.Clone(beforeInput)
	source, err := s.source()
	if err != nil {
		return err
	}
	loudness := s.audio.Loudness
	if loudness == nil {
		if loudness, err = s.measure(ctx, source, n); err != nil {
			return err
		}
	}
	filters := s.played(n)
	if loudness != nil {
		filters = append(filters, normalise(*loudness), "aresample="+strconv.Itoa(sampleRate))
	}
	filters = append(filters, fmt.Sprintf("apad=whole_len=%d", n), fmt.Sprintf("atrim=end_sample=%d", n))
	if f := s.samples(s.audio.FadeOutFrames); f > 0 {
		filters = append(filters, fmt.Sprintf("afade=t=out:start_sample=%d:nb_samples=%d:curve=tri", max(n-f, 0), f))
	}
	if n > 2*encoderDelay {
		filters = append(filters, fmt.Sprintf("atrim=start_sample=%d", encoderDelay), "asetpts=N/SR/TB")
	}
	return s.unusable(s.run(ctx, out, append(head, source...), strings.Join(filters, ",")))
}

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

// normalise is the second pass of the loudness filter. With a target range at least as large as the measured one it changes
// nothing but the gain, unless the peaks leave no room for that. A range of exactly zero would count as not measured.
func normalise(l timeline.Loudness) string {
	f := func(v float64) string { return strconv.FormatFloat(v, 'f', 2, 64) }
	l.RangeLU = max(l.RangeLU, 0.1)
	return "loudnorm=linear=true:I=" + f(targetLUFS) + ":TP=" + f(targetPeakDBTP) +
		":LRA=" + f(min(max(l.RangeLU, 11), 50)) + ":measured_I=" + f(l.IntegratedLUFS) +
		":measured_TP=" + f(l.TruePeakDBTP) + ":measured_LRA=" + f(l.RangeLU) + ":measured_thresh=" + f(l.ThresholdLUFS)
}

// measure is the first pass. Music that is silent throughout gives nil: there is nothing to raise.
func (s soundtrack) measure(ctx context.Context, source []string, n int) (*timeline.Loudness, error) {
	filters := append(s.played(n), fmt.Sprintf("loudnorm=I=%g:TP=%g:LRA=11:print_format=json", targetLUFS, targetPeakDBTP))
	args := append([]string{"-hide_banner", "-nostdin", "-nostats", "-loglevel", "info", "-protocol_whitelist", "file"}, source...)
	args = append(args, "-map", "0:a:0", "-vn", "-sn", "-dn", "-af", strings.Join(filters, ","), "-f", "null", "-")
	p := command(ctx, s.ffmpeg, args...)
	if _, err := p.output(); err != nil {
		return nil, s.unusable(err)
	}
	return s.readLoudness(p.stderr.String())
}

func (s soundtrack) readLoudness(said string) (*timeline.Loudness, error) {
	from, to := strings.LastIndexByte(said, '{'), strings.LastIndexByte(said, '}')
	var m struct {
		I      string `json:"input_i"`
		Peak   string `json:"input_tp"`
		Range  string `json:"input_lra"`
		Thresh string `json:"input_thresh"`
	}
	if from < 0 || to < from || json.Unmarshal([]byte(said[from:to+1]), &m) != nil {
		return nil, badInput(s.audio.Input, fmt.Errorf("no measurement in: %s", said), "The music holds no sound that could be decoded.")
	}
	l := &timeline.Loudness{}
	for _, v := range []struct {
		dst *float64
		s   string
	}{{&l.IntegratedLUFS, m.I}, {&l.TruePeakDBTP, m.Peak}, {&l.RangeLU, m.Range}, {&l.ThresholdLUFS, m.Thresh}} {
		n, err := strconv.ParseFloat(v.s, 64)
		if err != nil || math.IsInf(n, 0) || math.IsNaN(n) {
			return nil, nil //nolint:nilerr // silence measures as "-inf": music that cannot be measured is played as it is
		}
		*v.dst = n
	}
	if l.IntegratedLUFS < -70 {
		return nil, nil
	}
	l.IntegratedLUFS, l.ThresholdLUFS = min(l.IntegratedLUFS, 0), min(l.ThresholdLUFS, 0)
	return l, nil
}

// run encodes filtered sound to a bare AAC stream.
func (s soundtrack) run(ctx context.Context, out string, source []string, filters string) error {
	args := append(source, "-map", "0:a:0", "-vn", "-sn", "-dn", "-map_metadata", "-1", "-af", filters)
	_, err := command(ctx, s.ffmpeg, append(args, s.aac(out)...)...).output()
	return err
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
