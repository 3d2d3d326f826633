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
	"strconv"

	"github.com/reelops/reelops/internal/film/timeline"
	mediaprobe "github.com/reelops/reelops/internal/media/probe"
	"github.com/reelops/reelops/internal/media/sniff"
)

// maxTracks is the maximum number of streams in a file whose sound is used.
const maxTracks = 32

// source is a sound that is audible for a part of the video.
type source struct {
	input       string // key of the file, for errors
	path        string
	contentType string // empty if the type is detected from the file's first bytes
	music       bool
	voice       bool
	// behind means that the sound is a clip's own, and that a voice in an inset over that clip is audible.
	behind bool
	// duck is the gain of the sound while another one is audible, in dB, as returned by activity.duck; nil if the sound
	// is not ducked.
	duck []float64
	// from and to are the samples of the video between which the sound is audible.
	from, to int
	// period is the number of samples after which the sound repeats; 0 means that it is played once.
	period int
	// start is the number of samples between the file's first frame and the used part.
	start int
	// late is the offset of the decoded sound from the first frame of the used part, in samples.
	late int

	pcm      *pcm
	loudness float64
	gain     float64
}

// part returns the length of the used part of the file, in samples.
func (s *source) part() int {
	if s.period > 0 {
		return min(s.period, s.to-s.from)
	}
	return s.to - s.from
}

// sources returns the sounds other than the music: the clips' own sound, and the voices.
func sources(tl *timeline.Timeline, paths map[string]string) []*source {
	var out []*source
	samples := func(frames int) int { return samplesOf(frames, tl.FPS) }
	for i := range tl.Clips {
		f := tl.Clips[i].Footage
		if f == nil || !f.Sound {
			continue
		}
		from, to := tl.Seen(i) // like the images: including the blended frames
		s := &source{input: f.Input, path: paths[f.Input], contentType: f.ContentType, from: samples(from), to: samples(to), start: samples(f.Start)}
		s.behind = tl.Clips[i].Inset != nil
		if f.Loop && f.Frames > 0 && f.Frames < to-from {
			s.period = samples(f.Frames)
		}
		out = append(out, s)
	}
	for _, v := range tl.Audio.Voices {
		out = append(out, &source{input: v.Input, path: paths[v.Input], contentType: v.ContentType, voice: true, from: samples(v.At), to: samples(tl.Frames())})
	}
	return out
}

// samplesOf returns how many samples some frames last. Callers count from the beginning of the video, to avoid drift by
// rounding.
func samplesOf(frames, fps int) int {
	return int(math.Round(float64(frames) * sampleRate / float64(fps)))
}

// decode writes the used part of a source to a file of samples. A clip without sound gets no file.
func (s *source) decode(ctx context.Context, ffmpeg, ffprobe, out string) error {
	if s.contentType == "" {
		if err := s.recognise("The voice is not audio in a known format."); err != nil {
			return err
		}
	}
	guard, ok := mediaprobe.Guard(s.contentType, 1, maxTracks)
	if !ok {
		return badInput(s.input, nil, "The type of the file is not supported.")
	}
	stream, err := s.find(ctx, ffprobe, guard)
	if err != nil || stream < 0 {
		return err
	}
	skip := 0
	if s.start > 0 { // samples before the start are dropped, to exclude them from the loudness
		skip, s.late = max(s.start-s.late, 0), max(s.late-s.start, 0)
	}
	n := max(s.part()-max(s.late, 0), 1)
	if s.late < 0 {
		n = s.part() - s.late
	}
	args := append([]string{"-nostdin"}, guard...)
	args = append(args, "-i", "file:"+s.path, "-map", "0:"+strconv.Itoa(stream), "-vn", "-sn", "-dn", "-map_metadata", "-1", "-af",
		// Gaps in the file's own time stay gaps, for any sample rate and channel count.
		fmt.Sprintf("asetpts=PTS-STARTPTS,aresample=%d:async=1:first_pts=0,aformat=sample_fmts=s16:channel_layouts=stereo,atrim=start_sample=%d:end_sample=%d", sampleRate, skip, skip+n),
		"-f", "s16le", "-bitexact", "-y", "file:"+out)
	if _, err := command(ctx, ffmpeg, args...).may([]string{s.path}, out).boundedFor(s.contentType).output(); err != nil {
		return blame(s.input, err, damagedSound)
	}
	s.pcm, err = openPCM(out)
	return err
}

// decodeMusic writes the first n samples of the music to a file of samples; with loop it repeats the music as needed.
func (s *source) decodeMusic(ctx context.Context, ffmpeg string, loop bool, n int, out string) error {
	if err := s.recognise("The file is not music in a known format: MP3, AAC, M4A, WAV, FLAC or Ogg."); err != nil {
		return err
	}
	guard, ok := mediaprobe.Guard(s.contentType, 1, maxTracks)
	if !ok {
		return badInput(s.input, nil, "The type of the file is not supported.")
	}
	args := append([]string{"-nostdin"}, guard...)
	if loop {
		args = append(args, "-stream_loop", "-1")
	}
	args = append(args, "-i", "file:"+s.path, "-map", "0:a:0", "-vn", "-sn", "-dn", "-map_metadata", "-1", "-af",
		fmt.Sprintf("aresample=%d,aformat=sample_fmts=fltp:channel_layouts=stereo,atrim=end_sample=%d,asetpts=N/SR/TB", sampleRate, n),
		"-f", "s16le", "-bitexact", "-y", "file:"+out)
	if _, err := command(ctx, ffmpeg, args...).may([]string{s.path}, out).boundedFor(s.contentType).output(); err != nil {
		return blame(s.input, err, "The music is damaged: it could not be decoded.")
	}
	var err error
	s.pcm, err = openPCM(out)
	return err
}

// recognise detects the type of a voice or of music from its first bytes. unknown is the message for a file of no
// accepted type.
func (s *source) recognise(unknown string) error {
	f, err := os.Open(s.path)
	if err != nil {
		return fmt.Errorf("opening a sound: %w", err)
	}
	defer f.Close()
	head, err := io.ReadAll(io.LimitReader(f, sniff.Bytes))
	if err != nil {
		return fmt.Errorf("reading a sound: %w", err)
	}
	if s.contentType = sniff.Audio(head); s.contentType == "" {
		return badInput(s.input, nil, "%s", unknown)
	}
	return nil
}

// find returns the index of the audio stream to use, or -1 if there is none, and sets how late the stream begins.
func (s *source) find(ctx context.Context, ffprobe string, guard []string) (int, error) {
	args := append(append([]string{}, guard...), "-show_entries", "stream=index,codec_type,start_time:stream_disposition=attached_pic", "-of", "json", "file:"+s.path)
	out, err := command(ctx, ffprobe, args...).may([]string{s.path}).boundedFor(s.contentType).output()
	if err != nil {
		return 0, blame(s.input, err, damagedSound)
	}
	var doc struct {
		Streams []struct {
			Index       int    `json:"index"`
			Type        string `json:"codec_type"`
			Start       string `json:"start_time"`
			Disposition struct {
				Picture int `json:"attached_pic"`
			} `json:"disposition"`
		} `json:"streams"`
	}
	if err := json.Unmarshal(out, &doc); err != nil {
		return 0, fmt.Errorf("reading ffprobe's answer: %w", err)
	}
	stream := -1
	var start [2]float64 // of sound and video
	seen := false
	for _, d := range doc.Streams {
		at, err := strconv.ParseFloat(d.Start, 64)
		if err != nil || math.Abs(at) > 1e6 {
			at = 0
		}
		switch {
		case d.Type == "audio" && stream < 0:
			stream, start[0] = d.Index, at
		case d.Type == "video" && d.Disposition.Picture == 0 && !seen:
			seen, start[1] = true, at
		}
	}
	if seen && stream >= 0 {
		const longest = 600 * sampleRate
		s.late = min(max(int(math.Round((start[0]-start[1])*sampleRate)), -longest), longest)
	}
	return stream, nil
}

const damagedSound = "The sound is damaged: it could not be decoded."

// pcm is a file of stereo samples, two bytes each, read from front to back.
type pcm struct {
	f      *os.File
	frames int
	window []byte
	first  int // sample at which the window begins
}

const (
	pcmBytes  = 4
	pcmWindow = 16384 // samples
)

func openPCM(path string) (*pcm, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err != nil {
		f.Close()
		return nil, err
	}
	return &pcm{f: f, frames: int(info.Size() / pcmBytes)}, nil
}

// close closes the file of a sound. p may be nil.
func (p *pcm) close() {
	if p != nil {
		p.f.Close()
	}
}

// at returns a sample; samples before the first and after the last are silent.
func (p *pcm) at(i int) (l, r float64, err error) {
	if p == nil || i < 0 || i >= p.frames {
		return 0, 0, nil
	}
	if k := i - p.first; k < 0 || k >= len(p.window)/pcmBytes {
		if p.window == nil {
			p.window = make([]byte, pcmWindow*pcmBytes)
		}
		p.window = p.window[:cap(p.window)]
		n, err := p.f.ReadAt(p.window, int64(i)*pcmBytes)
		if err != nil && !errors.Is(err, io.EOF) {
			return 0, 0, err
		}
		p.window, p.first = p.window[:n/pcmBytes*pcmBytes], i
		if n < pcmBytes {
			return 0, 0, io.ErrUnexpectedEOF
		}
	}
	b := p.window[(i-p.first)*pcmBytes:]
	return float64(int16(uint16(b[0])|uint16(b[1])<<8)) / 32768, float64(int16(uint16(b[2])|uint16(b[3])<<8)) / 32768, nil
}
