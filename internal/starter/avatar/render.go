// SPDX-License-Identifier: Apache-2.0

package avatar

import (
	"context"
	"fmt"
	"image"
	"io"
	"os"
	"runtime"
	"strconv"

	"golang.org/x/sync/errgroup"

	"github.com/reelops/reelops/internal/work/child"
)

// ContentType and Extension are the media type and the file name extension of the output of Render.
const (
	ContentType = "video/mp4"
	Extension   = ".mp4"
)

// quality is x264's constant rate factor. Artifacts are more visible in flat colours and soft edges than in a filmed
// face.
const quality = 18

// mostAtOnce is the maximum number of frames that are drawn in parallel. Each takes 12 MB.
const mostAtOnce = 4

// Draw returns one frame of a clip. The clip is a loop: frame numbers beyond its end start again at frame 0.
func Draw(ctx context.Context, name string, frame int) (*image.RGBA, error) {
	m, ok := find(name)
	if !ok {
		return nil, fmt.Errorf("there is no avatar clip %q", name)
	}
	f := newFigure(ctx, m.look(), Width, Height)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	e := f.easel()
	n := len(f.moves)
	f.draw(e, (frame%n+n)%n)
	return e.img, nil
}

// Render draws a clip and writes it to the file out as MP4 with the given ffmpeg: H.264 High, yuv420p, BT.709,
// 1080x1920, 30 frames per second, fast start. The clip has no audio track: the voice is added later, and a silent
// track would have to be distinguished from a voice.
//
// Render uses at most four processors, and about 300 MB of memory. ffmpeg takes as much.
func Render(ctx context.Context, ffmpeg, name, out string) error {
	m, ok := find(name)
	if !ok {
		return fmt.Errorf("there is no avatar clip %q", name)
	}
	f := newFigure(ctx, m.look(), Width, Height)
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := f.encode(ctx, ffmpeg, out); err != nil {
		return fmt.Errorf("encoding %s: %w", name, err)
	}
	return nil
}

// encode draws all frames, and writes them to the file out with ffmpeg.
func (f *figure) encode(ctx context.Context, ffmpeg, out string) error {
	workers := min(runtime.GOMAXPROCS(0), mostAtOnce)
	from, in, err := os.Pipe()
	if err != nil {
		return err
	}
	args := []string{
		"-hide_banner", "-nostdin", "-loglevel", "error", "-protocol_whitelist", "pipe,file",
		"-f", "rawvideo", "-pixel_format", "yuv420p", "-video_size", strconv.Itoa(Width) + "x" + strconv.Itoa(Height),
		"-framerate", strconv.Itoa(FPS), "-color_range", "tv", "-colorspace", "bt709", "-color_primaries", "bt709", "-color_trc", "bt709",
		"-i", "pipe:0", "-an", "-map_metadata", "-1",
		"-c:v", "libx264", "-profile:v", "high", "-pix_fmt", "yuv420p", "-preset", "faster", "-crf", strconv.Itoa(quality),
		"-threads", strconv.Itoa(workers), "-bf", "0", "-g", strconv.Itoa(2 * FPS), "-x264-params", "aq-mode=3",
		"-color_range", "tv", "-colorspace", "bt709", "-color_primaries", "bt709", "-color_trc", "bt709",
		"-bsf:v", "filter_units=remove_types=6", "-flags:v", "+bitexact", "-fflags", "+bitexact",
		"-movflags", "+faststart", "-f", "mp4", "-y", "file:" + out,
	}
	encoder, err := child.Child{Name: ffmpeg, Args: args, Stdin: from, May: child.Files{Write: []string{out}}}.Start(ctx)
	_ = from.Close()
	if err != nil {
		_ = in.Close()
		return err
	}
	ferr := f.film(ctx, in, workers)
	if cerr := in.Close(); ferr == nil {
		ferr = cerr
	}
	if _, err := encoder.Wait(); err != nil {
		return err
	}
	return ferr
}

// film writes all frames in their order. Each worker draws every workers-th frame, and writes it when the frames before
// it are written. So there are never more frames in memory than workers.
func (f *figure) film(ctx context.Context, to io.Writer, workers int) error {
	g, ctx := errgroup.WithContext(ctx)
	turn := make([]chan struct{}, workers)
	for i := range turn {
		turn[i] = make(chan struct{}, 1)
	}
	turn[0] <- struct{}{}
	for w := range workers {
		g.Go(func() error {
			e := f.easel()
			planes := make([]byte, f.w*f.h*3/2)
			for n := w; n < len(f.moves); n += workers {
				if ctx.Err() != nil {
					return ctx.Err()
				}
				f.draw(e, n)
				toYUV(planes, e.img)
				select {
				case <-turn[w]:
				case <-ctx.Done():
					return ctx.Err()
				}
				if _, err := to.Write(planes); err != nil {
					return err
				}
				turn[(w+1)%workers] <- struct{}{}
			}
			return nil
		})
	}
	return g.Wait()
}

// The coefficients of BT.709 limited range as 16-bit fixed point. The luma row sums to the range of white, and each
// chroma row sums to 0, so that greys stay grey.
const (
	yR, yG, yB    = 11966, 40254, 4064
	cbR, cbG, cbB = -6596, -22188, 28784
	crR, crG, crB = 28784, -26145, -2639
)

// toYUV converts an image of even size to the three planes of yuv420p, one after the other.
func toYUV(planes []byte, img *image.RGBA) {
	w, h := img.Rect.Dx(), img.Rect.Dy()
	cb, cr := planes[w*h:], planes[w*h+w*h/4:]
	for y := 0; y < h; y += 2 {
		a, b := img.Pix[y*img.Stride:][:4*w], img.Pix[(y+1)*img.Stride:][:4*w]
		ya, yb := planes[y*w:][:w], planes[(y+1)*w:][:w]
		c := y / 2 * (w / 2)
		for x := 0; x < w; x += 2 {
			p, q := a[4*x:4*x+8:4*x+8], b[4*x:4*x+8:4*x+8]
			ya[x], ya[x+1] = luma(p[0], p[1], p[2]), luma(p[4], p[5], p[6])
			yb[x], yb[x+1] = luma(q[0], q[1], q[2]), luma(q[4], q[5], q[6])
			r := int32(p[0]) + int32(p[4]) + int32(q[0]) + int32(q[4])
			g := int32(p[1]) + int32(p[5]) + int32(q[1]) + int32(q[5])
			u := int32(p[2]) + int32(p[6]) + int32(q[2]) + int32(q[6])
			cb[c+x/2] = byte((cbR*r + cbG*g + cbB*u + 128<<18 + 1<<17) >> 18)
			cr[c+x/2] = byte((crR*r + crG*g + crB*u + 128<<18 + 1<<17) >> 18)
		}
	}
}

func luma(r, g, b uint8) byte {
	return byte((yR*int32(r) + yG*int32(g) + yB*int32(b) + 16<<16 + 1<<15) >> 16)
}
