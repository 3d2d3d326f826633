// SPDX-License-Identifier: Apache-2.0

package music

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"strconv"
	"time"

	"github.com/reelops/reelops/internal/starter/music/synth"
	"github.com/reelops/reelops/internal/work/child"
)

// ContentType and Extension are the media type and the file name extension of the output of Render. FLAC keeps the
// exact number of samples. AAC and similar formats fill their last block with silence, which is audible at every
// repetition of a loop.
const (
	ContentType = "audio/flac"
	Extension   = ".flac"
)

// encodeTime is the timeout of the encoding, which usually takes a second.
const encodeTime = 2 * time.Minute

// Render composes a piece and writes it to the file out as FLAC with the given ffmpeg: 48 kHz, stereo, 16 bits. It
// takes some seconds on one processor and less than 300 MB of memory.
func Render(ctx context.Context, ffmpeg, name, out string) error {
	t, ok := ByName(name)
	if !ok {
		return fmt.Errorf("there is no piece of music %q", name)
	}
	s, err := Compose(name)
	if err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, encodeTime)
	defer cancel()
	args := []string{
		"-hide_banner", "-nostdin", "-loglevel", "error", "-protocol_whitelist", "pipe,file",
		"-f", "f32le", "-ar", strconv.Itoa(synth.Rate), "-ac", "2", "-i", "pipe:0",
		"-map_metadata", "-1", "-metadata", "title=" + t.Title, "-metadata", "artist=" + t.Artist,
		"-c:a", "flac", "-sample_fmt", "s16", "-compression_level", "8",
		"-flags:a", "+bitexact", "-fflags", "+bitexact", "-f", "flac", "-y", "file:" + out,
	}
	if _, err := (child.Child{Name: ffmpeg, Args: args, Stdin: &floats{s: s}, May: child.Files{Write: []string{out}}}).Run(ctx); err != nil {
		return fmt.Errorf("encoding %s: %w", name, err)
	}
	return nil
}

// floats is a reader of a loop as interleaved little-endian 32-bit floats.
type floats struct {
	s  *synth.Stereo
	at int
}

const frameBytes = 8

func (f *floats) Read(p []byte) (int, error) {
	if f.at == f.s.Len() {
		return 0, io.EOF
	}
	n := min(len(p)/frameBytes, f.s.Len()-f.at)
	if n == 0 {
		return 0, io.ErrShortBuffer
	}
	for i := range n {
		binary.LittleEndian.PutUint32(p[i*frameBytes:], math.Float32bits(f.s.L[f.at+i]))
		binary.LittleEndian.PutUint32(p[i*frameBytes+4:], math.Float32bits(f.s.R[f.at+i]))
	}
	f.at += n
	return n * frameBytes, nil
}
