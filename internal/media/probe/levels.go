// SPDX-License-Identifier: Apache-2.0

package probe

import (
	"context"
	"encoding/binary"
	"math"
	"strconv"
	"time"

	"github.com/reelops/reelops/internal/work/outcome"
)

// LevelStep is the duration of one value of Levels.
const LevelStep = 10 * time.Millisecond

const (
	levelRate    = 16000
	levelSamples = levelRate / 100
)

// Voice has the measured properties of a sound, or of the sound of a clip.
type Voice struct {
	// Duration of the sound. In a clip, it starts at the first frame.
	Duration time.Duration
	// AudioCodec is a name of ffmpeg.
	AudioCodec string
	// Levels are the mean squares of the frequencies of speech, one for each LevelStep. Full scale is 1.
	Levels []float64
}

// Voice inspects a sound or a clip. The error is a *Refusal, also without sound, ErrKilled or the error of the context.
func (t Tools) Voice(ctx context.Context, path, contentType string, l Limits) (*Voice, error) {
	if err := whole(path, contentType); err != nil {
		return nil, err
	}
	streams, err := t.streams(ctx, path, contentType, l)
	if err != nil {
		return nil, err
	}
	a := first(streams, sound)
	if a == nil {
		return nil, refuse(outcome.NoSound, "The file has no sound.")
	}
	if err := checkCodec(a); err != nil {
		return nil, err
	}
	counts, err := t.packets(ctx, path, contentType, l)
	if err != nil {
		return nil, err
	}
	n := counts[a.Index]
	if n == nil {
		return nil, unreadable(nil, "The file has no readable audio stream.")
	}
	late := 0
	if v := first(streams, (*stream).moving); v != nil && counts[v.Index] != nil {
		late = int(math.Round(min(max(n.start-counts[v.Index].start, -60), 60) * levelRate))
	}
	seconds := n.duration() + float64(late)/levelRate
	switch {
	case !(seconds >= 0.001):
		return nil, unreadable(nil, "The audio has no duration.")
	case seconds > l.Duration.Seconds():
		return nil, refuse(outcome.TooLong, "The sound is longer than %s.", words(l.Duration))
	}
	m := &levels{skip: max(0, -late)}
	m.quiet(max(0, late))
	args := append(t.decode(path, contentType, 0, l), "-map", "0:"+strconv.Itoa(a.Index), "-vn", "-af",
		"asetpts=PTS-STARTPTS,aresample="+strconv.Itoa(levelRate)+":async=1:first_pts=0,highpass=f=100,aformat=sample_fmts=s16:channel_layouts=mono,"+
			"atrim=end="+strconv.FormatFloat(l.Duration.Seconds(), 'f', 3, 64), "-f", "s16le", "pipe:1")
	if _, err := t.run(ctx, m, reads(path), t.FFmpeg, args...); err != nil {
		return nil, err
	}
	if m.samples == 0 {
		return nil, unreadable(nil, "The file contains no audio that can be decoded.")
	}
	m.end()
	return &Voice{Duration: time.Duration(m.samples) * time.Second / levelRate, AudioCodec: a.Codec, Levels: m.values}, nil
}

// levels adds up samples of two bytes.
type levels struct {
	skip    int // samples that come before what is listened to
	half    []byte
	sum     float64
	n       int
	samples int
	values  []float64
}

func (m *levels) Write(p []byte) (int, error) {
	n := len(p)
	if len(m.half) == 1 && n > 0 {
		m.add(int16(uint16(m.half[0]) | uint16(p[0])<<8))
		m.half, p = nil, p[1:]
	}
	for ; len(p) >= 2; p = p[2:] {
		m.add(int16(binary.LittleEndian.Uint16(p)))
	}
	if len(p) == 1 {
		m.half = []byte{p[0]}
	}
	return n, nil
}

func (m *levels) add(v int16) {
	if m.skip > 0 {
		m.skip--
		return
	}
	x := float64(v) / 32768
	m.sum += x * x
	m.samples++
	if m.n++; m.n == levelSamples {
		m.end()
	}
}

// end completes the last value, which may have a shorter duration.
func (m *levels) end() {
	if m.n > 0 {
		m.values = append(m.values, m.sum/float64(m.n))
		m.sum, m.n = 0, 0
	}
}

func (m *levels) quiet(samples int) {
	for range samples {
		m.add(0)
	}
}
