// SPDX-License-Identifier: Apache-2.0

package render

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/reelops/reelops/internal/film/timeline"
)

// Levels of the sounds in a mix, before the whole mix is normalized.
const (
	// voiceLUFS is the loudness to which every voice and every clip's own sound is normalized, so that all are equally
	// loud.
	voiceLUFS = -16.0
	// musicLUFS is the loudness of music that is not ducked.
	musicLUFS = -18.0
	// mostGainDB is the largest gain of a quiet sound: more would amplify room noise. A sound below faintLUFS is only
	// such noise and stays as it is.
	mostGainDB = 30.0
	faintLUFS  = -60.0
	// edge is how many samples the fade at the beginning and the end of a sound takes, to avoid clicks: 5 ms.
	edge = sampleRate / 200
)

// encode writes the track to the file out. Every sound is normalized to its own loudness. Music is ducked while another
// sound is audible, and a clip's own sound while a voice in an inset over the clip is audible. The mix is normalized to
// the target without exceeding the peak limit.
func (s soundtrack) encode(ctx context.Context, out string) error {
	n := s.samples(s.frames)
	dir, err := os.MkdirTemp(filepath.Dir(out), "mix-")
	if err != nil {
		return localError("creating a directory for the mix", err)
	}
	defer os.RemoveAll(dir)
	all, err := s.all(ctx, dir, n)
	defer func() {
		for _, src := range all {
			src.pcm.close()
		}
	}()
	if err != nil {
		return err
	}
	listened, spoken := newActivity(n), newActivity(n)
	for _, src := range all {
		levels, err := src.measure(ctx)
		if err != nil {
			return localError("measuring a sound", err)
		}
		if !src.music && src.loudness > faintLUFS {
			listened.add(src, levels)
		}
		if src.voice && src.loudness > faintLUFS {
			spoken.add(src, levels)
		}
	}
	for _, src := range all {
		switch {
		case src.music:
			src.duck = listened.duck()
		case src.behind:
			src.duck = spoken.duck()
		}
	}
	mixed := filepath.Join(dir, "mix.f32")
	loudness, err := s.blend(ctx, all, n, mixed)
	if err != nil {
		return localError("mixing the sound", err)
	}
	return s.master(ctx, mixed, loudness, n, out)
}

// all decodes every sound of the video.
func (s soundtrack) all(ctx context.Context, dir string, n int) ([]*source, error) {
	all := append([]*source{}, s.heard...)
	for i, src := range all {
		if err := src.decode(ctx, s.ffmpeg, s.ffprobe, filepath.Join(dir, fmt.Sprintf("%03d.s16", i))); err != nil {
			return all, err
		}
	}
	if s.audio.Kind != timeline.Music {
		return all, nil
	}
	m := &source{input: s.audio.Input, path: s.path, music: true, to: n}
	return append(all, m), m.decodeMusic(ctx, s.ffmpeg, s.audio.Loop, n, filepath.Join(dir, "music.s16"))
}

// measure sets the loudness and the gain of a sound, and returns the mean squares of its blocks.
func (s *source) measure(ctx context.Context) ([]float64, error) {
	m := newMeter()
	var levels []float64
	sum := 0.0
	for i := 0; s.pcm != nil && i < s.pcm.frames; i++ {
		if i%sampleRate == 0 && ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		l, r, err := s.pcm.at(i)
		if err != nil {
			return nil, err
		}
		m.add(l, r)
		if sum += l*l + r*r; (i+1)%duckBlock == 0 {
			levels, sum = append(levels, sum/duckBlock), 0
		}
	}
	s.loudness, s.gain = m.integrated(), 1
	target := voiceLUFS
	if s.music {
		target = musicLUFS
	}
	if s.loudness > faintLUFS {
		s.gain = fromDB(min(target-s.loudness, mostGainDB))
	}
	return levels, nil
}

// blend mixes all sounds, writes the sum and returns its loudness.
func (s soundtrack) blend(ctx context.Context, all []*source, n int, out string) (float64, error) {
	m := newMeter()
	fade := s.samples(s.audio.FadeOutFrames)
	err := toFile(out, func(w io.Writer) error {
		var b [8]byte
		for i := range n {
			if i%sampleRate == 0 && ctx.Err() != nil {
				return context.Cause(ctx)
			}
			left, right := 0.0, 0.0
			for _, src := range all {
				g, at := src.heardAt(i)
				if g == 0 {
					continue
				}
				if src.duck != nil {
					d, k := i/duckBlock, float64(i%duckBlock)/duckBlock
					if db := src.duck[d] + (src.duck[d+1]-src.duck[d])*k; db < 0 {
						g *= fromDB(db)
					}
				}
				if src.music && fade > 0 && i > n-fade {
					g *= float64(n-i) / float64(fade)
				}
				l, r, err := src.pcm.at(at)
				if err != nil {
					return err
				}
				left, right = left+g*l, right+g*r
			}
			left, right = float64(float32(left)), float64(float32(right))
			m.add(left, right)
			binary.LittleEndian.PutUint32(b[:], math.Float32bits(float32(left)))
			binary.LittleEndian.PutUint32(b[4:], math.Float32bits(float32(right)))
			if _, err := w.Write(b[:]); err != nil {
				return err
			}
		}
		return nil
	})
	return m.integrated(), err
}

// heardAt returns the gain of a sound at a sample of the video, and the index of the sound's own sample at that time.
func (s *source) heardAt(i int) (gain float64, at int) {
	if s.pcm == nil || i < s.from || i >= s.to {
		return 0, 0
	}
	at = i - s.from
	if s.period > 0 {
		at %= s.period
	}
	if at -= s.late; at < 0 || at >= s.pcm.frames {
		return 0, 0
	}
	gain = s.gain
	if near := min(i-s.from, s.to-1-i, at, s.pcm.frames-1-at); near < edge && !s.music {
		gain *= float64(near+1) / (edge + 1)
	}
	return gain, at
}

// samplesIn reads the samples of a mix.
type samplesIn struct {
	r   *bufio.Reader
	buf [8]byte
}

func (s *samplesIn) next() (l, r float64, err error) {
	if _, err := io.ReadFull(s.r, s.buf[:]); err != nil {
		return 0, 0, err
	}
	return float64(math.Float32frombits(binary.LittleEndian.Uint32(s.buf[:]))), float64(math.Float32frombits(binary.LittleEndian.Uint32(s.buf[4:]))), nil
}

// finished passes the samples of a mix to take, with the gain applied and limited to the ceiling.
func finished(ctx context.Context, path string, n int, gainDB, ceilingDB float64, take func(l, r float64) error) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	in := samplesIn{r: bufio.NewReaderSize(f, 1<<18)}
	lim, gain := newLimiter(ceilingDB), fromDB(gainDB)
	for i := range n + limitDelay {
		if i%sampleRate == 0 && ctx.Err() != nil {
			return context.Cause(ctx)
		}
		l, r := 0.0, 0.0
		if i < n {
			if l, r, err = in.next(); err != nil {
				return err
			}
		}
		l, r = lim.next(l*gain, r*gain)
		if i >= limitDelay {
			if err := take(l, r); err != nil {
				return err
			}
		}
	}
	return nil
}

const (
	// passes is how often a mix is tried with another gain, or a track encoded with another ceiling.
	passes = 4
	// closeLU is the accepted deviation from the target.
	closeLU = 0.2
	// headroomDB is the reserve for higher peaks after encoding.
	headroomDB = 0.7
	// mostPushDB is the largest extra gain that compensates the limiter.
	mostPushDB = 15.0
)

// master normalizes a mix, encodes the mix, and checks the peak of the result.
func (s soundtrack) master(ctx context.Context, mixed string, loudness float64, n int, out string) error {
	if math.IsInf(loudness, -1) {
		return writeSilence(out, n)
	}
	linear := targetLUFS - loudness
	gain, ceiling := linear, targetPeakDBTP-headroomDB
	for range passes {
		var err error
		if gain, err = s.level(ctx, mixed, n, gain, ceiling, linear+mostPushDB); err != nil {
			return localError("levelling the sound", err)
		}
		if err := s.encodeMix(ctx, mixed, n, gain, ceiling, out); err != nil {
			return err
		}
		peak, err := s.peakOf(ctx, out)
		if err != nil {
			return err
		}
		if peak <= targetPeakDBTP {
			return nil
		}
		ceiling -= peak - targetPeakDBTP + 0.1
	}
	return nil
}

// level returns the gain with which a mix has the target loudness below a ceiling.
func (s soundtrack) level(ctx context.Context, mixed string, n int, gain, ceiling, most float64) (float64, error) {
	for range passes {
		m := newMeter()
		if err := finished(ctx, mixed, n, gain, ceiling, func(l, r float64) error { m.add(l, r); return nil }); err != nil {
			return 0, err
		}
		off := targetLUFS - m.integrated()
		if math.Abs(off) < closeLU || math.IsInf(off, 0) || gain >= most && off > 0 {
			break
		}
		gain = min(gain+off, most)
	}
	return gain, nil
}

// encodeMix writes the track. It cuts as many samples from the front as the encoder adds.
func (s soundtrack) encodeMix(ctx context.Context, mixed string, n int, gain, ceiling float64, out string) error {
	skip := 0
	if n > 2*encoderDelay {
		skip = encoderDelay
	}
	from, to := io.Pipe()
	made := make(chan error, 1)
	go func() {
		w := bufio.NewWriterSize(to, 1<<16)
		var b [8]byte
		i := 0
		err := finished(ctx, mixed, n, gain, ceiling, func(l, r float64) error {
			if i++; i <= skip {
				return nil
			}
			binary.LittleEndian.PutUint32(b[:], math.Float32bits(float32(l)))
			binary.LittleEndian.PutUint32(b[4:], math.Float32bits(float32(r)))
			_, err := w.Write(b[:])
			return err
		})
		if err == nil {
			err = w.Flush()
		}
		to.CloseWithError(err)
		made <- err
	}()
	rate := strconv.Itoa(sampleRate)
	args := []string{
		"-hide_banner", "-nostdin", "-loglevel", "error", "-protocol_whitelist", "file,pipe", "-f", "f32le", "-ar", rate, "-ac", "2", "-i", "pipe:0",
		"-map", "0:a:0", "-map_metadata", "-1",
	}
	p := command(ctx, s.ffmpeg, append(args, s.aac(out)...)...).may(nil, out)
	p.child.Stdin = from
	_, err := p.output()
	from.CloseWithError(io.ErrClosedPipe)
	if merr := <-made; merr != nil && !isClosedPipe(merr) {
		return localError("levelling the sound", merr)
	}
	return err
}

// peakOf returns the true peak of a finished track, in dB.
func (s soundtrack) peakOf(ctx context.Context, track string) (float64, error) {
	p := command(ctx, s.ffmpeg, "-hide_banner", "-nostdin", "-nostats", "-loglevel", "info", "-protocol_whitelist", "file", "-f", "aac", "-i", "file:"+track,
		"-af", "ebur128=peak=true:framelog=verbose", "-f", "null", "-").may([]string{track})
	if _, err := p.output(); err != nil {
		return 0, err
	}
	_, summary, _ := strings.Cut(p.stderr(), "True peak:")
	if f := strings.Fields(summary); len(f) > 1 && f[0] == "Peak:" {
		if v, err := strconv.ParseFloat(f[1], 64); err == nil {
			return v, nil
		}
	}
	return 0, errors.New("ffmpeg did not say how high the sound is")
}
