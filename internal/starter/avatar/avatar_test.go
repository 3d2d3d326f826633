// SPDX-License-Identifier: Apache-2.0

package avatar

import (
	"bytes"
	"context"
	"image"
	"math"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/util/validation"
)

// Tests render small: a quarter of the width of a clip.
const (
	testWidth  = Width / 4
	testHeight = Height / 4
)

func small(t *testing.T, m member) (*figure, *easel) {
	t.Helper()
	f := newFigure(context.Background(), m.look(), testWidth, testHeight)
	return f, f.easel()
}

func frame(f *figure, n int) *image.RGBA {
	e := f.easel()
	f.draw(e, n)
	return e.img
}

// differ returns the mean difference of two images within a region, in steps of 255.
func differ(a, b *image.RGBA, r image.Rectangle) float64 {
	sum, n := 0, 0
	for y := r.Min.Y; y < r.Max.Y; y++ {
		for x := 4 * r.Min.X; x < 4*r.Max.X; x++ {
			d := int(a.Pix[y*a.Stride+x]) - int(b.Pix[y*b.Stride+x])
			sum += max(d, -d)
			n++
		}
	}
	return float64(sum) / float64(n)
}

// around returns the region around a point of a still figure.
func around(lk *look, x, y, w, h float32) image.Rectangle {
	px := func(v, o float32) int { return int(o + v*lk.scale) }
	return image.Rect(px(x-w, lk.x), px(y-h, lk.y), px(x+w, lk.x), px(y+h, lk.y))
}

func TestFigures_AreComplete(t *testing.T) {
	seen := map[string]bool{}
	for _, i := range All() {
		if msgs := validation.IsDNS1123Label(i.Name); len(msgs) > 0 || seen[i.Name] {
			t.Errorf("the name %q: %v", i.Name, msgs)
		}
		seen[i.Name] = true
		if s := float64(i.Frames) / FPS; s < 4 || s > 8 {
			t.Errorf("%s lasts %.1f s", i.Name, s)
		}
		if i.Title == "" || !strings.HasPrefix(i.Description, "Drawn ") || !strings.HasSuffix(i.Description, "talking to the camera.") || !slices.Contains(i.Tags, "avatar") {
			t.Errorf("got %+v", i)
		}
		if got, ok := Find(i.Name); !ok || got.Title != i.Title {
			t.Errorf("%s is not found", i.Name)
		}
	}
	if len(seen) < 6 {
		t.Errorf("got only %d clips", len(seen))
	}
	if _, ok := Find("nobody"); ok {
		t.Error("an unknown name is found")
	}
}

func TestDraw_IsDeterministic(t *testing.T) {
	for _, m := range cast[:2] {
		a, _ := small(t, m)
		b, _ := small(t, m)
		for _, n := range []int{0, 50, 113} {
			if !bytes.Equal(frame(a, n).Pix, frame(b, n).Pix) {
				t.Errorf("%s: frame %d differs", m.info.Name, n)
			}
		}
	}
}

func TestDraw_FramesAreIndependent(t *testing.T) {
	f, e := small(t, cast[0])
	f.draw(e, 30)
	f.draw(e, 31)
	if !bytes.Equal(e.img.Pix, frame(f, 31).Pix) {
		t.Error("the previous frame is still visible")
	}
}

func TestFigures_Differ(t *testing.T) {
	var all []*image.RGBA
	for _, m := range cast {
		f, _ := small(t, m)
		all = append(all, frame(f, 0))
	}
	for i, a := range all {
		for j, b := range all[:i] {
			if d := differ(a, b, a.Rect); d < 15 {
				t.Errorf("%s and %s differ by %.1f", cast[i].info.Name, cast[j].info.Name, d)
			}
		}
	}
}

// still returns a pose that moves only what a test sets.
func still(f *figure, change func(*pose)) *image.RGBA {
	f.moves = []pose{{}}
	if change != nil {
		change(&f.moves[0])
	}
	return frame(f, 0)
}

func TestDraw_FacesMove(t *testing.T) {
	for _, m := range cast {
		t.Run(m.info.Name, func(t *testing.T) {
			f, _ := small(t, m)
			rest := still(f, nil)
			lk := f.lk
			mouth := around(lk, 0, lk.mouth.y, lk.mouth.width, 40)
			left := around(lk, -lk.eyes.apart, -4, lk.eyes.width, 26)
			right := around(lk, lk.eyes.apart, -4, lk.eyes.width, 26)
			brow := around(lk, lk.eyes.apart, lk.brows.y, lk.brows.length/2, 22)
			forms := map[string]speech{"ah": formAh, "ee": formEe, "oo": formOo, "f": formF, "m": formM}
			pictures := map[string]*image.RGBA{}
			for name, form := range forms {
				p := still(f, func(p *pose) { p.mouth = form })
				if d := differ(rest, p, mouth); d < 1.5 {
					t.Errorf("%s moves the mouth by %.1f", name, d)
				}
				if d := differ(rest, p, left); d > 0.3 {
					t.Errorf("%s moves an eye by %.1f", name, d)
				}
				pictures[name] = p
			}
			if d := differ(pictures["ah"], pictures["oo"], mouth); d < 3 {
				t.Errorf("ah and oo differ by %.1f", d)
			}
			shut := still(f, func(p *pose) { p.gaze.shut = 1 })
			if l, r := differ(rest, shut, left), differ(rest, shut, right); l < 8 || r < 8 {
				t.Errorf("shutting moves the eyes by %.1f and %.1f", l, r)
			}
			if d := differ(rest, shut, mouth); d > 0 {
				t.Errorf("shutting the eyes moves the mouth by %.1f", d)
			}
			if d := differ(rest, still(f, func(p *pose) { p.gaze.brow = 8 }), brow); d < 1 {
				t.Errorf("raising the brows moves them by %.1f", d)
			}
		})
	}
}

func TestPoses_Speech(t *testing.T) {
	for _, m := range cast {
		lk := m.look()
		moves := choreograph(&lk)
		if len(moves) != lk.frames {
			t.Fatalf("%s: got %d poses", m.info.Name, len(moves))
		}
		openings, closed, blinks, shut := 0, 0, 0, 0
		for i, p := range moves {
			was := moves[(i+len(moves)-1)%len(moves)]
			if was.mouth.open < 0.3 && p.mouth.open >= 0.3 {
				openings++
			}
			if p.mouth.open < 0.05 {
				closed++
			}
			if was.gaze.shut < 0.5 && p.gaze.shut >= 0.5 {
				blinks++
			}
			if p.gaze.shut > 0.9 {
				shut++
			}
		}
		seconds := float64(lk.frames) / FPS
		if r := float64(openings) / seconds; r < 1.5 || r > 5.5 {
			t.Errorf("%s opens the mouth %.1f times a second", m.info.Name, r)
		}
		if share := float64(closed) / float64(lk.frames); share < 0.1 || share > 0.6 {
			t.Errorf("%s keeps the mouth closed for %.0f%%", m.info.Name, 100*share)
		}
		if blinks < 1 || blinks > 6 || float64(shut)/float64(lk.frames) > 0.12 {
			t.Errorf("%s blinks %d times, eyes shut in %d frames", m.info.Name, blinks, shut)
		}
	}
}

func TestPoses_LoopIsSeamless(t *testing.T) {
	for _, m := range cast {
		lk := m.look()
		moves := choreograph(&lk)
		n := len(moves)
		ends := []pose{moves[n-2], moves[n-1], moves[0], moves[1]}
		for _, p := range ends {
			if p.gaze.shut > 0 || p.mouth.open > 0.02 || math.Abs(float64(p.mouth.smile-lk.habit.smile)) > 0.1 {
				t.Errorf("%s starts in the middle of a motion: %+v", m.info.Name, p)
			}
		}
		// The step over the seam is not larger than steps elsewhere.
		numbers := func(p pose) []float32 {
			return []float32{p.x, p.y, p.shift, p.yaw, p.pitch, p.breath, 200 * p.tilt, 500 * p.lean, p.swing, 50 * p.dangle}
		}
		largest := make([]float32, len(numbers(moves[0])))
		for i := range n - 1 {
			a, b := numbers(moves[i]), numbers(moves[i+1])
			for k := range a {
				largest[k] = max(largest[k], b[k]-a[k], a[k]-b[k])
			}
		}
		a, b := numbers(moves[n-1]), numbers(moves[0])
		for k := range a {
			if d := max(b[k]-a[k], a[k]-b[k]); d > largest[k]*1.05+0.01 {
				t.Errorf("%s jumps by %.2f at the seam in number %d, elsewhere at most %.2f", m.info.Name, d, k, largest[k])
			}
		}
	}
}

func TestDraw_HeadsLeaveRoomForText(t *testing.T) {
	for _, m := range cast {
		f, _ := small(t, m)
		empty := f.room
		for _, n := range []int{0, 40, 80} {
			p := frame(f, n)
			if d := differ(p, empty, image.Rect(0, 0, testWidth, testHeight/4)); d > 0 {
				t.Errorf("%s reaches into the upper quarter", m.info.Name)
			}
		}
		lk := f.lk
		top, chin := lk.y-268*lk.scale, lk.y+lk.face.length*lk.scale
		if top < testHeight*0.30 || chin > testHeight*0.68 {
			t.Errorf("%s: the face is from %.0f%% to %.0f%% of the height", m.info.Name, 100*top/testHeight, 100*chin/testHeight)
		}
	}
}

func TestBend_RoundTrip(t *testing.T) {
	p := place{ox: 540, oy: 930, k: 1.16, sin: 0.04, cos: 0.9992, py: 300, dx: 8, dy: -3, yaw: 16, pitch: 6, depth: 1, jaw: 30, swing: 12, swingFrom: 60, swingSpan: 320}
	for _, q := range []pt{{0, 0}, {-190, 20}, {120, 160}, {0, 270}, {240, 500}, {-60, -260}} {
		got := p.back(p.at(q))
		if d := math.Hypot(float64(got.x-q.x), float64(got.y-q.y)); d > 0.8 {
			t.Errorf("got %v as %v", q, got)
		}
	}
}

func TestGrade_GreyStaysGrey(t *testing.T) {
	img := image.NewRGBA(image.Rect(0, 0, 2, 2))
	for _, c := range []struct{ v, y uint8 }{{0, 16}, {255, 235}, {128, 126}} {
		for i := range img.Pix {
			img.Pix[i] = c.v
		}
		planes := make([]byte, 6)
		toYUV(planes, img)
		if want := []byte{c.y, c.y, c.y, c.y, 128, 128}; !bytes.Equal(planes, want) {
			t.Errorf("%d: got %v, want %v", c.v, planes, want)
		}
	}
}
