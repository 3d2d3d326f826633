// SPDX-License-Identifier: Apache-2.0

package render

import (
	"fmt"
	"math"
	"strconv"

	"github.com/reelops/reelops/internal/film/timeline"
)

// Detection of the focus for cropping, if none is given.
const (
	// cropMatters is the share of a side above which cropping needs a detected focus.
	cropMatters = 0.05
	// focusSamples is how many frames of a clip are analysed, spread evenly.
	focusSamples = 3
	// sampleSide is the longer side of an analysed frame, in pixels.
	sampleSide = 128
	// upward is the default vertical focus: faces are seldom in the middle of a tall image, and captions are usually
	// below their subject.
	upward = 0.42
	// pull is how much of its weight the position farthest from the default loses.
	pull = 0.3
	// worth is how much better than the default another position must be.
	worth = 1.08
)

// focus returns the point that cropping keeps visible. It analyses a few key frames, which costs a fraction of a
// second, and only if something is cropped. Edges and skin colours count, weighed against a pull to the default
// position. Without a decodable frame it returns the default position.
func (p *projector) focus(f timeline.Footage, known *facts, area timeline.Canvas) timeline.Point {
	focus := timeline.Point{X: 0.5, Y: upward}
	part := cover(known.width, known.height, area.Width, area.Height, 0.5, 0.5)
	across, down := part.w/float64(known.width), part.h/float64(known.height)
	if min(across, down) > 1-cropMatters {
		return focus
	}
	scale := sampleSide / float64(max(known.width, known.height))
	w, h := max(8, int(math.Round(float64(known.width)*scale))), max(8, int(math.Round(float64(known.height)*scale)))
	columns, rows := make([]float64, w), make([]float64, h)
	// The part before the start counts too, so that footage that continues in the next clip keeps its focus.
	seconds := float64(f.Start+f.Frames) / float64(p.tl.FPS)
	for n := range focusSamples {
		pix := p.decodeFrames(f, known, seconds*(float64(n)+0.5)/focusSamples, 1, fmt.Sprintf("scale=%d:%d:flags=area,format=yuv444p", w, h))
		if len(pix) < 3*w*h {
			break
		}
		weigh(pix[:3*w*h], w, h, columns, rows)
	}
	focus.X = bestPlace(columns, across, 0.5)
	focus.Y = bestPlace(rows, down, upward)
	return focus
}

// decodeFrames decodes frames from the key frame before a time on, in seconds, and returns the raw planes that the
// filters produce. For one frame, only key frames are decoded. It returns less if the file has fewer frames.
func (p *projector) decodeFrames(f timeline.Footage, known *facts, at float64, pictures int, filters string) []byte {
	before := []string{"-noaccurate_seek", "-ss", strconv.FormatFloat(at, 'f', 3, 64)}
	if pictures == 1 {
		before = append(before, "-skip_frame", "nokey")
	}
	args, path, err := p.reading(f, known, before...)
	if err != nil {
		return nil
	}
	args = append(args, "-frames:v", strconv.Itoa(pictures), "-filter_threads", "1", "-vf", filters,
		"-fps_mode", "passthrough", "-c:v", "rawvideo", "-f", "rawvideo", "pipe:1")
	pix, err := command(p.ctx, p.o.FFmpeg, args...).may([]string{path}).boundedFor(f.ContentType).confined()
	if err != nil {
		return nil
	}
	return pix
}

// weigh adds the visual weight of each pixel to its column and row.
func weigh(pix []byte, w, h int, columns, rows []float64) {
	luma, blue, red := pix[:w*h], pix[w*h:2*w*h], pix[2*w*h:]
	const (
		edge = 48 // a stronger edge counts no more: text is not worth more than a face
		skin = 20
	)
	for y := range h - 1 {
		for x := range w - 1 {
			i := y*w + x
			dx, dy := int(luma[i+1])-int(luma[i]), int(luma[i+w])-int(luma[i])
			v := float64(min(max(dx, -dx)+max(dy, -dy), edge))
			if l, b, r := luma[i], blue[i], red[i]; l > 50 && l < 235 && b >= 85 && b <= 125 && r >= 136 && r <= 170 {
				v += skin
			}
			columns[x] += v
			rows[y] += v
		}
	}
}

// bestPlace returns the middle, from 0 to 1, of the section of a share of the profile that has the most weight.
func bestPlace(profile []float64, share, usual float64) float64 {
	n := len(profile)
	size := int(math.Round(share * float64(n)))
	if size >= n || size < 1 {
		return usual
	}
	total, sum := 0.0, 0.0
	for i, v := range profile {
		total += v
		if i < size {
			sum += v
		}
	}
	if total == 0 {
		return usual
	}
	middle := func(i int) float64 { return (float64(i) + float64(size)/2) / float64(n) }
	low, high := middle(0), middle(n-size)
	start := min(max(usual, low), high)
	best, place, here := -1.0, usual, 0.0
	for i := 0; ; i++ {
		m := middle(i)
		reach := max(start-low, high-start)
		v := sum / total * (1 - pull*math.Abs(m-start)/reach)
		if v > best {
			best, place = v, m
		}
		if math.Abs(m-start) <= 0.5/float64(n)+1e-9 {
			here = max(here, v)
		}
		if i == n-size {
			break
		}
		sum += profile[i+size] - profile[i]
	}
	if best < here*worth {
		return usual
	}
	return place
}
