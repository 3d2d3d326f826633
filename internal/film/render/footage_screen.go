// SPDX-License-Identifier: Apache-2.0

package render

import (
	"fmt"
	"math"
	"slices"

	"github.com/reelops/reelops/internal/film/timeline"
)

// How a recording of a screen is told from what a camera has taken: much of it is text, which is strokes on a ground of one brightness,
// and little of it has no such ground. The numbers lie between those of the clips in the tests.
const (
	// screenMatters is the share of a side that covering has to cut away before a recording of a screen is shown whole.
	screenMatters = 0.15
	// screenLooks is how many places of a file are looked at, spread evenly over the file.
	screenLooks = 3
	// screenPixels is the most pixels of a picture that is looked at; larger ones are scaled down. The two pictures of a place are
	// less than maxAnswer.
	screenPixels = 500_000
	// screenPace is how many pictures a second are looked at in one place.
	screenPace = 4
	// leastText is the share of tiles with text from which on a picture may be that of a screen.
	leastText = 0.035
	// leastInMotion and leastAtRest are the shares of tiles with text, of those with text or without a ground, from which on it is one.
	// Pictures in which hardly anything moves need less: photographs on a page are natural, but stay where they are.
	leastInMotion = 0.2
	leastAtRest   = 0.06
	// atRest is the share of tiles, of those that are not flat, that stay the same while hardly anything moves.
	atRest = 0.95
)

// Tiles are the squares in which a picture is judged.
const (
	tileSide   = 16 // pixels
	tilePixels = tileSide * tileSide
	// flatRange is the largest range of brightness in a flat tile, and strokeRange the smallest in one with text.
	flatRange, strokeRange = 4, 40
	// groundShare is the share of a tile's pixels that have the same brightness, or one beside it, where it has a ground.
	groundShare = 0.4
	// strokeStep is the change of brightness over two pixels at the side of a stroke.
	strokeStep = 24
	// leastStrokes is how often in a tile with text one side of a stroke is followed by the other.
	leastStrokes = 6
	// stillChange is how much a pixel may change on average in a tile that stays the same.
	stillChange = 1
)

// tiles count the tiles of a picture by what is in them. Those that have a ground and no text are in no count but all.
type tiles struct{ all, flat, text, natural, still float64 }

// screen reports whether a file is the recording of a screen, judged by a few of its pictures. What part of the file is played makes
// no difference. A file that cannot be looked at is none.
func (p *projector) screen(f timeline.Footage, known *facts) bool {
	return p.screenScore(f, known) >= 1
}

// screenScore is the middle one of the scores of the places that are looked at; 0 if there is none.
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

// screenTiles counts the tiles of a picture in each place, and compares it with the next one.
func (p *projector) screenTiles(f timeline.Footage, known *facts) []tiles {
	scale := min(1, math.Sqrt(screenPixels/(float64(known.width)*float64(known.height))))
	w, h := max(tileSide, int(float64(known.width)*scale)), max(tileSide, int(float64(known.height)*scale))
	seconds := known.seconds
	if seconds <= 0 {
		seconds = float64(f.Start+f.Frames) / float64(p.tl.FPS)
	}
	var all []tiles
	for n := range screenLooks {
		pix := p.glance(f, known, seconds*(float64(n)+0.5)/screenLooks, 2,
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

// score is 1 for what is just the picture of a screen, and more or less by how far the picture is from that.
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

// add counts the tile whose top left corner lies at x, y.
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

// strokesIn counts how often the brightness of a row steps up after it has stepped down, or down after up.
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
