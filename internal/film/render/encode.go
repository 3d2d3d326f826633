// SPDX-License-Identifier: Apache-2.0

package render

import (
	"context"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"sync"

	"github.com/reelops/reelops/internal/film/timeline"
)

// Preset is the effort of x264 per frame.
type Preset string

// The presets in use, from fast to thorough. The fastest one of x264 is missing: it does not support High profile.
// Presets more thorough than Faster have other stream parameters than the faster ones; no video mixes presets.
const (
	Superfast Preset = "superfast"
	Veryfast  Preset = "veryfast"
	Faster    Preset = "faster"
	Fast      Preset = "fast"
	Medium    Preset = "medium"
)

// zone scales the bits of some frames: 2 means about twice as many.
type zone struct {
	from, to int
	bits     float64
}

// encoding holds the settings that all encoders of a video share.
type encoding struct {
	ffmpeg string
	canvas timeline.Canvas
	fps    int
	preset Preset
	crf    float64
}

// stretch is a run of frames with an encoder of its own, independent of the frames before and after.
type stretch struct {
	frames  int
	threads int
	// keys are the frames other than the first that start a closed group of pictures.
	keys []int
	// zones must not overlap.
	zones []zone
	// first is the quality of the first frame relative to the others, as x264's ipratio. 0 means x264's default, for a
	// key frame of a moving image.
	first float64
	// anchors means that other images are displacements of the frames. Dark parts then get more bits: the noise of coding
	// would move with them and jump back at the next frame.
	anchors bool
	out     string // the file for its stream
}

// options returns the encoder's options for a stretch.
//
// There are no B-frames, so frames are shown in coding order and images can be inserted anywhere.
func (e encoding) options(s stretch) []string {
	params := []string{
		"bframes=0", "ref=1", "weightp=0", "open-gop=0", "scenecut=0", "sliced-threads=0", "slices=1",
		"keyint=" + strconv.Itoa(keyInterval*e.fps), "min-keyint=1",
		"colorprim=bt709", "transfer=bt709", "colormatrix=bt709", "fullrange=off",
	}
	if s.first > 0 {
		params = append(params, fmt.Sprintf("ipratio=%.2f", s.first))
	}
	if s.anchors {
		params = append(params, "aq-mode=3")
	}
	if len(s.zones) > 0 {
		var z []string
		for _, one := range s.zones {
			z = append(z, fmt.Sprintf("%d,%d,b=%.2f", one.from, one.to, one.bits))
		}
		params = append(params, "zones="+strings.Join(z, "/"))
	}
	var keys strings.Builder
	keys.WriteString("expr:eq(n,0)")
	for _, k := range s.keys {
		fmt.Fprintf(&keys, "+eq(n,%d)", k)
	}
	return []string{
		"-map_metadata", "-1", "-c:v", "libx264", "-profile:v", "high", "-pix_fmt", "yuv420p", "-preset", string(e.preset),
		"-crf", strconv.FormatFloat(e.crf, 'f', 2, 64), "-threads", strconv.Itoa(s.threads),
		"-color_range", "tv", "-colorspace", "bt709", "-color_primaries", "bt709", "-color_trc", "bt709",
		"-force_key_frames", keys.String(), "-x264-params", strings.Join(params, ":"),
		"-flags:v", "+bitexact", "-fflags", "+bitexact", "-f", "h264",
	}
}

// args returns the whole command line: it reads the raw frames of all stretches in order and writes one bare H.264
// stream for each.
func (e encoding) args(all []stretch) []string {
	size := strconv.Itoa(e.canvas.Width) + "x" + strconv.Itoa(e.canvas.Height)
	args := []string{
		"-hide_banner", "-nostdin", "-loglevel", "error", "-protocol_whitelist", "pipe",
		"-f", "rawvideo", "-pixel_format", "yuv420p", "-video_size", size, "-framerate", strconv.Itoa(e.fps), "-i", "pipe:0",
	}
	source := func(int) string { return "0:v:0" }
	if len(all) > 1 {
		source = func(i int) string { return fmt.Sprintf("[s%d]", i) }
		var graph strings.Builder
		fmt.Fprintf(&graph, "[0:v:0]split=%d", len(all))
		for i := range all {
			fmt.Fprintf(&graph, "[i%d]", i)
		}
		from := 0
		for i, s := range all {
			fmt.Fprintf(&graph, ";[i%d]trim=start_frame=%d:end_frame=%d,setpts=PTS-STARTPTS[s%d]", i, from, from+s.frames, i)
			from += s.frames
		}
		args = append(args, "-filter_complex", graph.String())
	}
	for i, s := range all {
		args = append(args, "-map", source(i))
		args = append(args, e.options(s)...)
		args = append(args, fmt.Sprintf("pipe:%d", firstPipe+i))
	}
	return args
}

// firstPipe is the file descriptor of the first stream in the encoder; the others follow.
const firstPipe = 3

// encoder is a process that encodes stretches.
type encoder struct {
	ctx   context.Context
	stop  context.CancelCauseFunc
	p     *process
	in    io.WriteCloser
	reads sync.WaitGroup
	mu    sync.Mutex
	read  error // the first error of reading the streams
}

// start starts a process for stretches. The caller then writes their frames in order, and must always call finish.
func (e encoding) start(ctx context.Context, all []stretch) (*encoder, error) {
	ctx, stop := context.WithCancelCause(ctx)
	r := &encoder{ctx: ctx, stop: stop, p: command(ctx, e.ffmpeg, e.args(all)...)}
	var ours, theirs []*os.File
	shut := func(files []*os.File) {
		for _, f := range files {
			f.Close()
		}
	}
	fail := func(err error) (*encoder, error) {
		shut(ours)
		shut(theirs)
		stop(nil)
		return nil, err
	}
	from, to, err := os.Pipe()
	if err != nil {
		return fail(err)
	}
	theirs = append(theirs, from)
	r.p.child.Stdin, r.in = from, to
	widen(to)
	for range all {
		from, to, err := os.Pipe()
		if err != nil {
			r.in.Close()
			return fail(err)
		}
		ours, theirs = append(ours, from), append(theirs, to)
		r.p.child.Files = append(r.p.child.Files, to)
	}
	if err := r.p.start(); err != nil {
		r.in.Close()
		return fail(err)
	}
	shut(theirs)
	for i, s := range all {
		r.reads.Go(func() {
			defer ours[i].Close()
			err := toFile(s.out, func(w io.Writer) error {
				_, err := io.Copy(w, ours[i])
				return err
			})
			if err != nil {
				r.broke(err)
			}
		})
	}
	return r, nil
}

// broke records why the streams cannot be read, and stops the encoder.
func (r *encoder) broke(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.read == nil {
		r.read = err
	}
	r.stop(err)
}

// write passes a frame to the encoder.
func (r *encoder) write(pix []byte) error {
	_, err := r.in.Write(pix)
	return err
}

// finish ends the process after its last frame, or at once if fed is an error, and returns the first error. A pipe that
// was closed by the encoder is no cause: the encoder's own error is returned instead.
func (r *encoder) finish(fed error) error {
	defer r.stop(nil)
	if err := r.in.Close(); fed == nil && err != nil && !isClosedPipe(err) {
		fed = err
	}
	if fed != nil && !isClosedPipe(fed) {
		r.stop(fed)
	}
	r.reads.Wait()
	ended := r.p.wait()
	switch {
	case r.read != nil:
		return r.read
	case fed != nil && !isClosedPipe(fed):
		return fed
	case ended != nil:
		return r.p.failed(ended)
	case fed != nil:
		return &Error{Kind: EncoderFailed, Message: "The video encoder stopped before it had all frames.", Err: fed}
	}
	return nil
}
