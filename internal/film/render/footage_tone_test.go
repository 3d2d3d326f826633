// SPDX-License-Identifier: Apache-2.0

package render

import (
	"bufio"
	"fmt"
	"math"
	"strings"
	"testing"
)

func grey(v float64) rgb { return rgb{v, v, v} }

// pqOf returns the PQ value of a luminance in candela per square metre.
func pqOf(light float64) float64 {
	low, high := 0.0, 1.0
	for range 60 {
		if mid := (low + high) / 2; pq(mid) < light {
			low = mid
		} else {
			high = mid
		}
	}
	return low
}

func TestTone_Curves(t *testing.T) {
	// Pairs from the standards.
	for v, want := range map[float64]float64{0: 0, 0.508078: 100, 0.580689: 203, 0.751827: 1000, 1: 10000} {
		if got := pq(v); math.Abs(got-want) > 0.002*want+1e-9 {
			t.Errorf("PQ %v: got %v cd/m², want %v", v, got, want)
		}
	}
	for v, want := range map[float64]float64{0: 0, 0.5: 1.0 / 12, 0.75: 0.26496, 1: 1} {
		if got := sceneLight(v); math.Abs(got-want) > 0.001 {
			t.Errorf("HLG %v: got a luminance of %v, want %v", v, got, want)
		}
	}
}

func TestTone_BrightImages(t *testing.T) {
	wide, hlg := colour{light: perceptual, gamut: wide}, colour{light: hybrid, gamut: wide}
	for light, want := range map[float64]float64{0: 0, 20: 20, 50: 50, 100: 100} { // white at 203
		got := 203 * math.Pow(wide.translate(grey(pqOf(light)))[0], screenGamma)
		if math.Abs(got-want) > 0.5 {
			t.Errorf("%v cd/m²: got %v, want %v", light, got, want)
		}
	}
	page := wide.translate(grey(pqOf(203)))[1]
	if page < 0.84 || page > 0.92 {
		t.Errorf("a white page becomes %v, want a bright value with headroom", page)
	}
	if v := hlg.translate(grey(0.75))[1]; math.Abs(v-page) > 0.01 { // both are a white page
		t.Errorf("a white page is %v in HLG and %v in PQ", v, page)
	}
	if v := wide.translate(grey(pqOf(peak)))[2]; math.Abs(v-1) > 0.001 {
		t.Errorf("the peak becomes %v, want white", v)
	}
	for _, c := range []colour{wide, hlg} {
		before := -1.0
		for i := range 1001 {
			v := c.translate(grey(float64(i) / 1000))
			if v[0] < before-1e-9 || math.Abs(v[0]-v[1]) > 1e-6 || math.Abs(v[1]-v[2]) > 1e-6 || v[0] < 0 || v[0] > 1 {
				t.Fatalf("grey %v becomes %v after %v", float64(i)/1000, v, before)
			}
			before = v[0]
		}
	}
}

func TestTone_WideGamut(t *testing.T) {
	for name, g := range map[string]gamut{"wide": wide, "cinema": cinema, "usual": usual} {
		c := colour{gamut: g}
		for _, v := range []float64{0, 0.3, 1} {
			if got := c.translate(grey(v)); far(got, grey(v)) > 1e-4 {
				t.Errorf("%s: grey %v becomes %v", name, v, got)
			}
		}
		// The most saturated colours are outside of the video's gamut: they become saturated colours of the same primary.
		for i := range 3 {
			var v rgb
			v[i] = 1
			got := c.translate(v)
			for k := range 3 {
				if k != i && got[k] > got[i]-0.3 {
					t.Errorf("%s: the most saturated colour %d becomes %v", name, i, got)
				}
			}
		}
	}
	// A BT.709 colour that is coded as BT.2020 is restored.
	want := rgb{0.8, 0.3, 0.2}
	m := [3]rgb{{0.6274039, 0.3292830, 0.0433131}, {0.0690973, 0.9195404, 0.0113623}, {0.0163914, 0.0880133, 0.8955953}}
	var coded rgb
	for i := range m {
		for k := range m[i] {
			coded[i] += m[i][k] * math.Pow(want[k], screenGamma)
		}
		coded[i] = math.Pow(coded[i], 1/screenGamma)
	}
	if got := (colour{gamut: wide}).translate(coded); far(got, want) > 0.001 {
		t.Errorf("got %v for %v", want, got)
	}
}

func TestTone_Table(t *testing.T) {
	var b strings.Builder
	c := colour{light: perceptual, gamut: wide}
	if err := c.writeTable(&b); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(strings.NewReader(b.String()))
	lines.Scan()
	if lines.Text() != "LUT_3D_SIZE 41" {
		t.Errorf("got header %q", lines.Text())
	}
	n := 0
	for ; lines.Scan(); n++ {
		if n != 1 && n != tableSide && n != tableSide*tableSide {
			continue
		}
		var got, at rgb
		if _, err := fmt.Sscan(lines.Text(), &got[0], &got[1], &got[2]); err != nil {
			t.Fatal(err)
		}
		axis := map[int]int{1: 0, tableSide: 1, tableSide * tableSide: 2}[n] // red first, blue last
		at[axis] = 1.0 / (tableSide - 1)
		if want := c.translate(at); far(got, want) > 1e-5 {
			t.Errorf("line %d: got %v, want %v", n, got, want)
		}
	}
	if n != tableSide*tableSide*tableSide {
		t.Errorf("got %d lines", n)
	}
}
