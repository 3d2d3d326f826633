// SPDX-License-Identifier: Apache-2.0

package render

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/reelops/reelops/internal/film/timeline"
)

// showing is how the images of a file become frames of an area of the video.
type showing struct {
	*facts
	area timeline.Canvas
	fps  int
	// start is the offset of the shown part from the file's first frame, in frames of the video.
	start int
	// first is the timestamp of the file's first frame in seconds. It is set only if the decoder seeks.
	first float64
	// whole shows the whole image over a blurred copy. Otherwise the image covers the area, cropped around focus, which
	// is in fractions of the displayed image.
	whole bool
	focus timeline.Point
}

const (
	// seekFrom is the offset of footage in its file, in seconds, above which the decoder seeks. Frames before a smaller
	// offset are decoded and dropped.
	seekFrom = 3.0
	// seekEarly is how many seconds before the offset the decoder seeks to. The frames between are decoded and dropped,
	// so that the frame rate is converted as if the file had been read from its first frame.
	seekEarly = 1.0
)

// seeks reports whether the decoder seeks to the beginning of the footage.
func (s *showing) seeks() bool { return float64(s.start)/float64(s.fps) > seekFrom }

// seek returns the options before the file that seek to the key frame before the start.
func (s *showing) seek() []string {
	if !s.seeks() {
		return nil
	}
	at := s.first + float64(s.start)/float64(s.fps) - seekEarly
	return []string{"-copyts", "-noaccurate_seek", "-seek_timestamp", "1", "-ss", decimal(at)}
}

func decimal(v float64) string { return strconv.FormatFloat(v, 'f', 6, 64) }

// Pixels with an aspect ratio outside of these limits count as square.
const (
	minPixelAspect = 0.1
	maxPixelAspect = 10
)

// pixelShape is the filter expression for the aspect ratio of a pixel: its width divided by its height.
var pixelShape = fmt.Sprintf("if(between(sar,%g,%d),sar,1)", minPixelAspect, maxPixelAspect)

// filters returns the filter graph from a decoded image, which ffmpeg has already rotated upright, to a frame of the
// area. table is the file of the colour table, if one is needed.
func (s *showing) filters(table string) string {
	chain := s.timing()
	if s.small {
		chain = append(chain, "format=yuv444p")
	}
	if s.transparent { // over black
		chain = append(chain, "premultiply=inplace=1")
	}
	if s.whole {
		return s.contain(chain, table)
	}
	aspect := decimal(float64(s.area.Width) / float64(s.area.Height))
	chain = append(chain, "crop=w='max(min(iw,ih*"+aspect+"/"+pixelShape+"),1)':h='max(min(ih,iw*"+pixelShape+"/"+aspect+"),1)'"+
		":x='clip("+decimal(s.focus.X)+"*iw-ow/2,0,iw-ow)':y='clip("+decimal(s.focus.Y)+"*ih-oh/2,0,ih-oh)'")
	return strings.Join(append(chain, s.colour.convert(strconv.Itoa(s.area.Width), strconv.Itoa(s.area.Height), table)...), ",")
}

// timing returns the filters that convert to the video's frame rate and drop the frames before the start. They precede
// every filter that costs time per frame.
func (s *showing) timing() []string {
	from := "PTS-STARTPTS"
	if s.seeks() {
		// A file that cannot be seeked returns its first frames late: they are shown from the start on.
		from = "PTS-round(" + decimal(s.first) + "/TB)"
		from = fmt.Sprintf("'if(eq(N,0),min(%s,%d/%d/TB),%s)'", from, s.start, s.fps, from)
	}
	chain := []string{"setpts=" + from}
	if s.interlaced && !s.small {
		chain = append(chain, "bwdif=mode=send_frame:parity=auto:deint=interlaced")
	}
	chain = append(chain, "fps=fps="+strconv.Itoa(s.fps)+":round=near")
	if s.start > 0 {
		chain = append(chain, "trim=start_pts="+strconv.Itoa(s.start))
	}
	return chain
}

// The background of a whole image.
const (
	// groundScale is the scale-down factor of the background before the blur.
	groundScale = 20
	// groundBlur is the standard deviation of the blur in pixels of the scaled-down background. One thread blurs,
	// because the number of threads changes the result.
	groundBlur = 4.0
	// groundLight is the share of the image's brightness that the background keeps.
	groundLight = 0.6
)

// contain returns the graph that shows the whole image over a blurred, darker copy that covers the area. chain contains
// the filters before it. The copy is scaled from the scaled image and blurred at a small size, which is cheap.
func (s *showing) contain(chain []string, table string) string {
	w, h := s.area.Width, s.area.Height
	shape := "iw*" + pixelShape + "/ih"
	side := func(size int, other string) string {
		return fmt.Sprintf("'2*max(1,round(min(%d,%s)/2))'", size, other)
	}
	chain = append(chain, s.colour.convert(side(w, fmt.Sprintf("%d*%s", h, shape)), side(h, fmt.Sprintf("%d/(%s)", w, shape)), table)...)
	aspect := decimal(float64(w) / float64(h))
	even := func(n int) int { return 2 * max(4, int(math.Round(float64(n)/(2*groundScale)))) }
	return strings.Join(chain, ",") + ",setsar=1,split[whole][copy];" +
		"[copy]crop=w='max(min(iw,ih*" + aspect + "),2)':h='max(min(ih,iw/" + aspect + "),2)'" +
		fmt.Sprintf(",scale=%d:%d:flags=area,gblur=sigma=%g:steps=2:threads=1", even(w), even(h), groundBlur) +
		fmt.Sprintf(",lutyuv=y=16+(val-16)*%g", groundLight) +
		fmt.Sprintf(",scale=%d:%d:flags=bicubic,setsar=1[ground];", w, h) +
		"[ground][whole]overlay=x='2*trunc((W-w)/4)':y='2*trunc((H-h)/4)':eval=init:format=yuv420"
}
