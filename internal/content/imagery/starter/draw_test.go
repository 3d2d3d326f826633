// SPDX-License-Identifier: Apache-2.0

package starter

import (
	"bytes"
	"context"
	enc "encoding/hex"
	"flag"
	"fmt"
	"image"
	"math"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"
)

var update = flag.Bool("update", false, "write testdata/golden.txt anew")

func draw1(tb testing.TB, p Picture, w, h int) *image.RGBA {
	tb.Helper()
	img, err := Draw(context.Background(), p, w, h)
	if err != nil {
		tb.Fatal(err)
	}
	return img
}

// mosaic averages an image into cols x rows colours of three bytes.
func mosaic(img *image.RGBA, cols, rows int) []byte {
	out := make([]byte, 0, cols*rows*3)
	w, h := img.Rect.Dx(), img.Rect.Dy()
	for j := range rows {
		for i := range cols {
			var sum [3]int
			n := 0
			for y := j * h / rows; y < (j+1)*h/rows; y++ {
				for x := i * w / cols; x < (i+1)*w/cols; x++ {
					for k := range sum {
						sum[k] += int(img.Pix[y*img.Stride+x*4+k])
					}
					n++
				}
			}
			for k := range sum {
				out = append(out, byte(sum[k]/n))
			}
		}
	}
	return out
}

func TestDraw_IsDeterministic(t *testing.T) {
	for _, p := range All() {
		a := draw1(t, p, 108, 192)
		old := runtime.GOMAXPROCS(1)
		b := draw1(t, p, 108, 192)
		runtime.GOMAXPROCS(old)
		if !bytes.Equal(a.Pix, b.Pix) {
			t.Errorf("%s differs between runs or with the number of processors", p.ID)
		}
	}
}

// The look of an image is part of its identity. Processors may round the last bit differently, hence mosaics with a
// tolerance and not hashes.
func TestDraw_MatchesTheGoldenFile(t *testing.T) {
	const file, cols, rows, room = "testdata/golden.txt", 4, 6, 4
	var now strings.Builder
	for _, p := range All() {
		fmt.Fprintf(&now, "%s %x\n", p.ID, mosaic(draw1(t, p, 108, 192), cols, rows))
	}
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(now.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	golden, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	want := strings.Split(strings.TrimSpace(string(golden)), "\n")
	got := strings.Split(strings.TrimSpace(now.String()), "\n")
	if len(want) != len(got) {
		t.Fatalf("got %d images, the golden file has %d; run with -update", len(got), len(want))
	}
	for i := range want {
		wid, wm, _ := strings.Cut(want[i], " ")
		gid, gm, _ := strings.Cut(got[i], " ")
		wb, err := enc.DecodeString(wm)
		gb, _ := enc.DecodeString(gm)
		if err != nil || wid != gid || len(wb) != len(gb) {
			t.Fatalf("line %d is for %s, want %s; run with -update", i+1, wid, gid)
		}
		for k := range wb {
			if d := int(wb[k]) - int(gb[k]); d > room || d < -room {
				t.Errorf("%s differs from the golden file", gid)
				break
			}
		}
	}
}

func TestDraw_ImagesDiffer(t *testing.T) {
	const least = 8.0 // mean difference of a mosaic, in steps of 255
	all := All()
	var m [][]byte
	for _, p := range all {
		m = append(m, mosaic(draw1(t, p, 108, 192), 9, 16))
	}
	closest, pair := math.Inf(1), ""
	for i := range all {
		for j := range i {
			sum := 0.0
			for k := range m[i] {
				sum += math.Abs(float64(m[i][k]) - float64(m[j][k]))
			}
			if d := sum / float64(len(m[i])); d < closest {
				closest, pair = d, all[i].ID+" and "+all[j].ID
			}
		}
	}
	t.Logf("closest: %s, %.1f", pair, closest)
	if closest < least {
		t.Errorf("%s look alike: difference %.1f, want at least %.1f", pair, closest, least)
	}
}

// Text needs one block of the canvas, 70% wide and a quarter high, where light and dark do not alternate.
func TestDraw_LeavesRoomForText(t *testing.T) {
	const cols, rows, most = 20, 36, 0.17
	for _, p := range All() {
		for _, s := range [][2]int{{180, 320}, {180, 225}} {
			m := mosaic(draw1(t, p, s[0], s[1]), cols, rows)
			best := math.Inf(1)
			for top := 4; top+9 <= 28; top++ {
				sum, sq, n := 0.0, 0.0, 0.0
				for y := top; y < top+9; y++ {
					for x := 3; x < 17; x++ {
						i := (y*cols + x) * 3
						l := (0.2126*float64(m[i]) + 0.7152*float64(m[i+1]) + 0.0722*float64(m[i+2])) / 255
						sum, sq, n = sum+l, sq+l*l, n+1
					}
				}
				best = min(best, math.Sqrt(max(0, sq/n-sum/n*sum/n)))
			}
			if best > most {
				t.Errorf("%s at %v: the calmest block deviates by %.3f, want at most %.2f", p.ID, s, best, most)
			}
		}
	}
}

// A smooth sky rounded to 8 bits shows bands: long runs of one value. Grain and
// dither must break them up.
func TestDraw_SmoothGradients(t *testing.T) {
	for _, id := range []string{"starter-gradient_glow-01", "starter-gradient_glow-02", "starter-night_sky-04", "starter-ocean_waves-04"} {
		p, ok := ByID(id)
		if !ok {
			t.Fatalf("%s is missing", id)
		}
		img := draw1(t, p, 270, 480)
		longest := 0
		for x := 0; x < 270; x += 9 {
			run := 1
			for y := 1; y < 480; y++ {
				a, b := img.PixOffset(x, y-1), img.PixOffset(x, y)
				if img.Pix[a] == img.Pix[b] && img.Pix[a+1] == img.Pix[b+1] && img.Pix[a+2] == img.Pix[b+2] && img.Pix[b+1] > 0 {
					run++
					longest = max(longest, run)
				} else {
					run = 1
				}
			}
		}
		if longest > 8 {
			t.Errorf("%s: %d equal pixels in a row", id, longest)
		}
	}
}

// Every scene must be complete on every ratio and on odd, tiny canvases.
func TestDraw_EverySize(t *testing.T) {
	for _, p := range All() {
		for _, s := range [][2]int{{1, 1}, {7, 3}, {108, 135}, {192, 108}, {100, 100}} {
			img := draw1(t, p, s[0], s[1])
			if img.Rect.Dx() != s[0] || img.Rect.Dy() != s[1] {
				t.Errorf("%s: got size %v, want %v", p.ID, img.Rect, s)
			}
			for i := 3; i < len(img.Pix); i += 4 {
				if img.Pix[i] != 255 {
					t.Fatalf("%s at %v is not opaque", p.ID, s)
				}
			}
		}
	}
}

// BenchmarkDraw draws the whole library at 1080x1920 on one processor.
func BenchmarkDraw(b *testing.B) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	all := All()
	var worst time.Duration
	slow := ""
	for b.Loop() {
		for _, p := range all {
			from := time.Now()
			draw1(b, p, 1080, 1920)
			if d := time.Since(from); d > worst {
				worst, slow = d, p.ID
			}
			if testing.Verbose() {
				fmt.Printf("%6.0f ms %s\n", float64(time.Since(from).Microseconds())/1000, p.ID)
			}
		}
	}
	b.ReportMetric(float64(b.Elapsed().Milliseconds())/float64(b.N*len(all)), "ms/picture")
	b.ReportMetric(float64(worst.Milliseconds()), "ms-worst")
	b.Logf("slowest: %s", slow)
}
