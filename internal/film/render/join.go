// SPDX-License-Identifier: Apache-2.0

package render

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"

	"github.com/reelops/reelops/internal/film/render/h264"
	"github.com/reelops/reelops/internal/film/render/mp4"
	"github.com/reelops/reelops/internal/film/timeline"
)

// joined renders the parts of a video that are not in the old segment cache, and joins all parts.
func (o Options) joined(ctx context.Context, tl *timeline.Timeline, paths map[string]string, dir, out string) (*Result, error) {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	shots := tl.Shots()
	if o.EveryFrame {
		return o.plain(ctx, tl, shots, paths, dir, out)
	}
	digests, err := digestAll(tl, paths, o.Digests)
	if err != nil {
		return nil, err
	}
	var build string
	if o.OldPack != "" || o.NewPack != "" {
		if build, err = o.build(); err != nil {
			return nil, command(ctx, o.FFmpeg).failed(err)
		}
	}
	old := openCache(o.OldPack, build)
	k := keyer{o, tl, digests}
	segments := cut(tl, shots)
	for _, s := range segments {
		s.key = k.key(s)
	}
	s := &studio{o: o, tl: tl, paths: paths, dir: dir, total: len(shots)}

	sound, heard := k.sound(), false
	var side sync.WaitGroup
	side.Go(func() {
		if heard = old.take(sound, partPath(dir, sound)); heard {
			return
		}
		if err := o.sound(ctx, tl, paths, partPath(dir, sound)); err != nil {
			stop(err)
		}
	})
	coded, err := s.obtain(ctx, segments, old)
	if err == nil {
		err = s.drawPoster(ctx, shots[0])
	}
	if err != nil {
		stop(err)
	}
	side.Wait()
	if cause := context.Cause(ctx); cause != nil {
		return nil, cause
	}
	r := &Result{Encoded: coded, Parts: len(s.parts) + 1, Reused: s.reused}
	if r.Probe, err = join(tl, segments, dir, sound, out); err != nil {
		return nil, err
	}
	if heard {
		r.Reused++
	}
	if o.NewPack == "" {
		return r, nil
	}
	return r, writeCache(o.NewPack, build, append(s.parts, sound), dir)
}

// sound encodes the video's sound.
func (o Options) sound(ctx context.Context, tl *timeline.Timeline, paths map[string]string, out string) error {
	if soundless(tl) {
		return writeSilence(out, samplesOf(tl.Frames(), tl.FPS))
	}
	return newSoundtrack(o.FFmpeg, o.FFprobe, tl, paths).encode(ctx, out)
}

// join writes the video whose parts are in a directory.
func join(tl *timeline.Timeline, segments []*segment, dir, sound, out string) (Probe, error) {
	v := mp4.Video{FPS: tl.FPS, Early: map[int]int{}}
	pictures := filepath.Join(dir, "pictures")
	var j *h264.Joiner
	err := toFile(pictures, func(w io.Writer) error {
		j = &h264.Joiner{KeyEvery: keyInterval * tl.FPS, Picture: func(unit []byte, key bool, early int) error {
			if key {
				v.Keys = append(v.Keys, len(v.Sizes))
			}
			if early > 0 {
				v.Early[len(v.Sizes)] = early
			}
			v.Sizes = append(v.Sizes, 4+len(unit))
			if _, err := w.Write(binary.BigEndian.AppendUint32(nil, uint32(len(unit)))); err != nil {
				return err
			}
			_, err := w.Write(unit)
			return err
		}}
		for _, s := range segments {
			if err := withFile(partPath(dir, s.key), func(r io.Reader) error { return j.Add(r, s.repeat) }); err != nil {
				return err
			}
		}
		return j.End()
	})
	switch {
	case errors.Is(err, h264.ErrCount):
		return Probe{}, &Error{Kind: BadOutput, Message: "The video encoder did not return every frame.", Err: err}
	case err != nil:
		return Probe{}, err
	}
	v.SPS, v.PPS = j.Parameters()
	v.Width, v.Height = j.Size()
	var a mp4.Audio
	err = withFile(partPath(dir, sound), func(r io.Reader) (err error) {
		a, err = measureSound(r)
		return err
	})
	if err != nil {
		return Probe{}, err
	}
	err = withFile(pictures, func(r io.Reader) error {
		v.Data = r
		return withFile(partPath(dir, sound), func(r io.Reader) error {
			a.Data = mp4.NewADTS(r)
			return toFile(out, func(w io.Writer) error { return mp4.Write(w, v, a) })
		})
	})
	return Probe{
		VideoCodec: "h264", Profile: "High", PixelFormat: "yuv420p", Width: v.Width, Height: v.Height,
		FrameRate: fmt.Sprintf("%d/1", v.FPS), Frames: len(v.Sizes), DurationSeconds: float64(len(v.Sizes)) / float64(v.FPS),
		AudioCodec: "aac", SampleRate: a.Rate, Channels: a.Channels, FastStart: true,
	}, err
}

// measureSound returns the frame sizes and the format of a bare AAC stream.
func measureSound(r io.Reader) (mp4.Audio, error) {
	var a mp4.Audio
	s := mp4.NewADTS(r)
	for {
		n, err := s.Next()
		if errors.Is(err, io.EOF) {
			return a, nil
		}
		if err != nil {
			return a, err
		}
		a.Sizes = append(a.Sizes, n)
		a.Rate, a.Channels = s.Rate, s.Channels
	}
}

func withFile(path string, read func(io.Reader) error) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	return read(bufio.NewReaderSize(f, 256<<10))
}

// plain encodes every frame in one pass. ffmpeg writes the file and ffprobe checks it, because the shape of the stream
// is unknown.
func (o Options) plain(ctx context.Context, tl *timeline.Timeline, shots []timeline.Shot, paths map[string]string, dir, out string) (*Result, error) {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	video, audio := filepath.Join(dir, "plain.h264"), filepath.Join(dir, "plain.aac")
	var side sync.WaitGroup
	side.Go(func() {
		if err := newSoundtrack(o.FFmpeg, o.FFprobe, tl, paths).encode(ctx, audio); err != nil {
			stop(err)
		}
	})
	if err := o.everyFrame(ctx, tl, shots, paths, video); err != nil {
		stop(err)
	}
	side.Wait()
	if cause := context.Cause(ctx); cause != nil {
		return nil, cause
	}
	if err := mux(ctx, o.FFmpeg, tl.FPS, video, audio, out); err != nil {
		return nil, err
	}
	p, err := probe(ctx, o.FFprobe, out)
	return &Result{Probe: p, Encoded: len(shots)}, err
}

func (o Options) everyFrame(ctx context.Context, tl *timeline.Timeline, shots []timeline.Shot, paths map[string]string, video string) error {
	st := stretch{frames: len(shots), threads: o.Threads, out: video}
	for n, s := range shots {
		if s.Key && n > 0 {
			st.keys = append(st.keys, n)
		}
	}
	enc, err := encoding{o.FFmpeg, tl.Canvas, tl.FPS, o.Preset, o.CRF}.start(ctx, []stretch{st})
	if err != nil {
		return err
	}
	return enc.finish(newScene(tl, shots, paths, o).drawAll(ctx, func(n int, f *frame, _ [][]byte) error {
		if n == 0 && o.Poster != "" {
			if err := o.poster(f); err != nil {
				return err
			}
		}
		if err := enc.write(f.pix); err != nil {
			return err
		}
		o.Progress(n+1, len(shots))
		return nil
	}))
}
