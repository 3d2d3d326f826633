// SPDX-License-Identifier: Apache-2.0

package render

import (
	"fmt"
	"math"
	"slices"

	"github.com/reelops/reelops/internal/film/timeline"
)

// Detection of screen recordings. Much of a screen recording is text, which is strokes on a background of one
// brightness, and little of it has no such background. The thresholds are between the values of the clips in the tests.
const (
	// screenMatters is the share of a side above which a screen recording is shown whole instead of cropped.
	screenMatters = 0.15
	// screenLooks is how many positions of a file are analysed, spread evenly over the file.
	screenLooks = 3
	// screenPixels is the maximum number of pixels of an analysed frame; larger frames are scaled down. The two frames
	// of a position are smaller than maxAnswer.
	screenPixels = 500_000
	// screenPace is how many frames per second are analysed at one position.
	screenPace = 4
	// leastText is the share of tiles with text from which a frame may be of a screen recording.
	leastText = 0.035
	// leastInMotion and leastAtRest are the required shares of tiles with text among those with text or without a
	// background. Frames with hardly any motion need less: photographs on a page count as natural but do not move.
	leastInMotion = 0.2
	leastAtRest   = 0.06
	// atRest is the share of unchanged tiles, among those that are not flat, from which a frame counts as at rest.
	atRest = 0.95
)

// Tiles are the squares in which a frame is analysed.
const (
	tileSide   = 16 // pixels
	tilePixels = tileSide * tileSide
	// flatRange is the largest range of brightness in a flat tile, and strokeRange the smallest range in a tile with
	// text.
	flatRange, strokeRange = 4, 40
	// groundShare is the share of a tile's pixels that have one brightness, or one next to it, if the tile has a
	// background.
	groundShare = 0.4
	// strokeStep is the change of brightness over two pixels at the side of a stroke.
	strokeStep = 24
	// leastStrokes is how often one side of a stroke is followed by the other in a tile with text.
	leastStrokes = 6
	// stillChange is how much a pixel may change on average in an unchanged tile.
	stillChange = 1
)

// tiles are counts of the tiles of a frame by content. Tiles with a background and no text count only in all.
type tiles struct{ all, flat, text, natural, still float64 }

// screen reports whether a file is a screen recording, judged by a few of its frames. The result does not depend on the
// played part. It is false for a file that cannot be analysed.
func (p *projector) screen(f timeline.Footage, known *facts) bool {
	return p.screenScore(f, known) >= 1
}

// screenScore returns the median score of the analysed positions; 0 if there is none.
func (p *projector) screenScore(f timeline.Footage, known *facts) float64 {
	var scores []float64
	for _, t := range p.screenTiles(f, known) {
		scores = append(scores, t.score())
	}
	if len(scores) == 0 {
		return 0
	}
	slices.Sort(scores)
	return scores[len(scores)/2]
}

// screenTiles counts the tiles of a frame at each position, compared with the next frame.
func (p *projector) screenTiles(f timeline.Footage, known *facts) []tiles {
	scale := min(1, math.Sqrt(screenPixels/(float64(known.width)*float64(known.height))))
	w, h := max(tileSide, int(float64(known.width)*scale)), max(tileSide, int(float64(known.height)*scale))
	seconds := known.seconds
	if seconds <= 0 {
		seconds = float64(f.Start+f.Frames) / float64(p.tl.FPS)
	}
	var all []tiles
	for n := range screenLooks {
		pix := p.decodeFrames(f, known, seconds*(float64(n)+0.5)/screenLooks, 2,
			fmt.Sprintf("fps=%d,scale=%d:%d:flags=area,format=gray", screenPace, w, h))
		if len(pix) < w*h {
			break
		}
		now, next := plane{w, h, pix[:w*h]}, plane{w, h, pix[:w*h]}
		if len(pix) >= 2*w*h {
			next.pix = pix[w*h : 2*w*h]
		}
		all = append(all, countTiles(now, next))
	}
	return all
}

// score returns the ratio of a frame's values to the thresholds: 1 or more for a screen recording.
func (t tiles) score() float64 {
	if t.text == 0 {
		return 0
	}
	least := leastInMotion
	if t.still >= atRest*(t.all-t.flat) {
		least = leastAtRest
	}
	return min(t.text/t.all/leastText, t.text/(t.text+t.natural)/least)
}

func countTiles(now, next plane) tiles {
	var t tiles
	for y := 0; y+tileSide <= now.h; y += tileSide {
		for x := 0; x+tileSide <= now.w; x += tileSide {
			t.add(now, next, x, y)
		}
	}
	return t
}

// add counts the tile whose top left corner is at x, y.
func (t *tiles) add(now, next plane, x, y int) {
	var count [256]int
	low, high, change, strokes := 255, 0, 0, 0
	for k := range tileSide {
		row, then := now.row(y + k)[x:x+tileSide], next.row(y + k)[x:x+tileSide]
		for i, v := range row {
			count[v]++
			low, high = min(low, int(v)), max(high, int(v))
			d := int(v) - int(then[i])
			change += max(d, -d)
		}
		strokes += strokesIn(row)
	}
	t.all++
	if high-low <= flatRange {
		t.flat++
		return
	}
	if change <= stillChange*tilePixels {
		t.still++
	}
	ground := 0
	for v := 1; v < len(count)-1; v++ {
		ground = max(ground, count[v-1]+count[v]+count[v+1])
	}
	switch {
	case float64(ground) < groundShare*tilePixels:
		t.natural++
	case high-low >= strokeRange && strokes >= leastStrokes:
		t.text++
	}
}

// strokesIn returns how often the brightness of a row steps up after a step down, or down after a step up.
func strokesIn(row []byte) int {
	n, last := 0, 0
	for i := 2; i < len(row); i++ {
		var way int
		switch step := int(row[i]) - int(row[i-2]); {
		case step >= strokeStep:
			way = 1
		case step <= -strokeStep:
			way = -1
		default:
			continue
		}
		if way == -last {
			n++
		}
		last = way
	}
	return n
}
