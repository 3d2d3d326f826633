// SPDX-License-Identifier: Apache-2.0

package render

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/reelops/reelops/internal/timeline"
)

// Preset is how much work x264 puts into a frame.
type Preset string

// The presets in use, from quick to thorough. The quickest one of x264 is missing: it cannot make High profile.
const (
	Superfast Preset = "superfast"
	Veryfast  Preset = "veryfast"
	Faster    Preset = "faster"
	Fast      Preset = "fast"
	Medium    Preset = "medium"
)

// zone gives some frames a share of the usual bits: 2 means about twice as many.
type zone struct {
	from, to int
	bits     float64
}

// encoding describes one run of the encoder.
type encoding struct {
	ffmpeg  string
	canvas  timeline.Canvas
	fps     int
	preset  Preset
	crf     float64
	threads int
	// keys are the frames that start a closed group of pictures; the first frame always does.
	keys []int
	// zones must not overlap.
	zones []zone
}

// keyInterval is the longest group of pictures in seconds: how far a player has to decode when it jumps into the middle.
const keyInterval = 5

// args are the whole command line: raw frames in, a bare H.264 stream out.
//
// No B-frames: a stream whose frames are shown in the order they are coded needs no edit list in the MP4, which some
// platforms refuse, and repeated pictures can be written into it anywhere.
func (e encoding) args() []string {
	size := strconv.Itoa(e.canvas.Width) + "x" + strconv.Itoa(e.canvas.Height)
	fps := strconv.Itoa(e.fps)
	var keys strings.Builder
	keys.WriteString("expr:eq(n,0)")
	for _, k := range e.keys {
		if k > 0 {
			fmt.Fprintf(&keys, "+eq(n,%d)", k)
		}
	}
	params := []string{
		"bframes=0", "ref=1", "weightp=0", "open-gop=0", "scenecut=0", "sliced-threads=0", "slices=1",
		"keyint=" + strconv.Itoa(keyInterval*e.fps), "min-keyint=1",
		"colorprim=bt709", "transfer=bt709", "colormatrix=bt709", "fullrange=off",
	}
	if len(e.zones) > 0 {
		var z []string
		for _, one := range e.zones {
			z = append(z, fmt.Sprintf("%d,%d,b=%.2f", one.from, one.to, one.bits))
		}
		params = append(params, "zones="+strings.Join(z, "/"))
	}
	return []string{
		"-hide_banner", "-nostdin", "-loglevel", "error", "-protocol_whitelist", "pipe",
		"-f", "rawvideo", "-pixel_format", "yuv420p", "-video_size", size, "-framerate", fps,
		"-i", "pipe:0",
		"-map", "0:v:0", "-an", "-sn", "-dn", "-map_metadata", "-1",
		"-c:v", "libx264", "-profile:v", "high", "-pix_fmt", "yuv420p", "-preset", string(e.preset),
		"-crf", strconv.FormatFloat(e.crf, 'f', 2, 64), "-threads", strconv.Itoa(e.threads),
		"-color_range", "tv", "-colorspace", "bt709", "-color_primaries", "bt709", "-color_trc", "bt709",
		"-force_key_frames", keys.String(), "-x264-params", strings.Join(params, ":"),
		"-bsf:v", "filter_units=remove_types=6", // x264's note about itself, which names its build
		"-flags:v", "+bitexact", "-fflags", "+bitexact",
		"-f", "h264", "pipe:1",
	}
}

// run encodes. feed writes the raw frames; the coded stream goes to read, which must read it to its end.
func (e encoding) run(ctx context.Context, feed func(io.Writer) error, read func(io.Reader) error) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	p := command(ctx, e.ffmpeg, e.args()...)
	in, err := p.cmd.StdinPipe()
	if err != nil {
		return err
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := p.cmd.Start(); err != nil {
		return p.failed(err)
	}
	fed := make(chan error, 1)
	go func() {
		err := feed(in)
		if cerr := in.Close(); err == nil {
			err = cerr
		}
		if err != nil && !isClosedPipe(err) {
			stop(err) // end the encoder at once, it would wait for frames that never come
		}
		fed <- err
	}()
	readErr := read(out)
	// A stream that breaks off ends in the middle of anything; why it did is what the encoder says, not the reader.
	cut := readErr != nil && atEnd(out)
	if readErr != nil && !cut {
		stop(readErr)
	}
	ended := p.cmd.Wait()
	feedErr := <-fed
	switch {
	case readErr != nil && !cut:
		return context.Cause(ctx)
	case feedErr != nil && !isClosedPipe(feedErr):
		return feedErr
	case ended != nil:
		return p.failed(ended)
	case readErr != nil:
		return readErr
	case feedErr != nil:
		return &Error{Kind: EncoderFailed, Message: "The video encoder stopped before it had all frames.", Err: feedErr}
	}
	return nil
}

// atEnd says whether nothing more comes.
func atEnd(r io.Reader) bool {
	n, err := r.Read(make([]byte, 1))
	return n == 0 && err != nil
}
