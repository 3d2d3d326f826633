// SPDX-License-Identifier: Apache-2.0

package h264

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// planes returns a raw frame as a picture.
func planes(raw []byte) *Picture {
	const n = frameW * frameH
	return &Picture{Width: frameW, Height: frameH, Y: raw[:n], Cb: raw[n : n+n/4], Cr: raw[n+n/4:]}
}

// put copies a macroblock into a raw frame.
func put(raw []byte, b *Block, x, y int) {
	p := planes(raw)
	for r := range 16 {
		copy(p.Y[(y+r)*frameW+x:], b.Y[16*r:16*r+16])
	}
	for r := range 8 {
		copy(p.Cb[(y/2+r)*frameW/2+x/2:], b.Cb[8*r:8*r+8])
		copy(p.Cr[(y/2+r)*frameW/2+x/2:], b.Cr[8*r:8*r+8])
	}
}

// predict writes the prediction of a macroblock from a picture.
func predict(picture []byte, b *Block, x, y int, v Vector) {
	p := planes(picture)
	p.PredictLuma(b, x, y, v)
	p.PredictChroma(b, x, y, v)
}

// mix writes the prediction of a macroblock of a blend.
func mix(out, before, after *Block, weight int) {
	out.BlendLuma(before, after, weight)
	out.BlendChroma(before, after, weight)
}

// TestMoved_IsTheDisplacedReference writes pictures with random vectors, and compares every decoded sample with
// its prediction. It includes vectors that point outside the picture, runs of equal ones, and pictures after which the encoder's
// pictures still refer to the last one of their own.
func TestMoved_IsTheDisplacedReference(t *testing.T) {
	in := encode(t, 3, "expr:eq(n,0)", known)
	want := decode(t, in)
	r := rand.New(rand.NewPCG(1, 2))
	var units [][][]byte
	var expected [][]byte
	for _, reference := range want {
		expected = append(expected, reference)
		var of [][]byte
		for range 6 {
			m := NewMoved(frameW, frameH)
			m.Begin(26)
			frame := make([]byte, frameBytes)
			for y := 0; y < frameH; y += 16 {
				for x := 0; x < frameW; x += 16 {
					v := Vector{int16(r.IntN(200) - 100), int16(r.IntN(200) - 100)}
					switch skipped, coded := m.Expected(); r.IntN(4) {
					case 0:
						v = skipped
					case 1:
						v = coded
					}
					var b Block
					predict(reference, &b, x, y, v)
					put(frame, &b, x, y)
					m.Add(v, nil)
				}
			}
			of, expected = append(of, m.End()), append(expected, frame)
		}
		units = append(units, of)
	}
	var part bytes.Buffer
	if err := Insert(&part, bytes.NewReader(in), units); err != nil {
		t.Fatal(err)
	}
	out, written, err := lengthen(part.Bytes(), make([]int, 3), 0)
	if err != nil {
		t.Fatal(err)
	}
	if written != len(expected) {
		t.Fatalf("written %d pictures, want %d", written, len(expected))
	}
	samePictures(t, decode(t, out), expected)
}

// squaredError returns the mean squared error of a picture.
func squaredError(got, want []byte) float64 {
	sum := 0.0
	for k, v := range got {
		d := float64(v) - float64(want[k])
		sum += d * d
	}
	return sum / frameBytes
}

// TestMoved_Residual codes the difference to unrelated pictures at several qualities. The decoded pictures come closer
// to them the lower the quantization parameter is.
func TestMoved_Residual(t *testing.T) {
	in := encode(t, 1, "expr:eq(n,0)", known)
	reference := decode(t, in)[0]
	target := decode(t, encode(t, 1, "expr:eq(n,0)", known, "-vf", "hflip,negate"))[0]
	qps := []int{0, 5, 12, 20, 26, 33, 40, 51}
	var units [][]byte
	for _, qp := range qps {
		m := NewMoved(frameW, frameH)
		m.Begin(qp)
		var residual Residual
		for y := 0; y < frameH; y += 16 {
			for x := 0; x < frameW; x += 16 {
				var want, prediction Block
				predict(target, &want, x, y, Vector{})
				predict(reference, &prediction, x, y, Vector{})
				residual.Quantize(&want, &prediction, qp)
				m.Add(Vector{}, &residual)
			}
		}
		units = append(units, m.End())
	}
	var part bytes.Buffer
	if err := Insert(&part, bytes.NewReader(in), [][][]byte{units}); err != nil {
		t.Fatal(err)
	}
	out, _, err := lengthen(part.Bytes(), []int{0}, 0)
	if err != nil {
		t.Fatal(err)
	}
	got := decode(t, out)
	if len(got) != 1+len(qps) {
		t.Fatalf("decoded %d pictures", len(got))
	}
	before := 0.0
	for i, qp := range qps {
		mean := squaredError(got[i+1], target)
		t.Logf("parameter %d: mean squared error %.2f, %d bytes", qp, mean, len(units[i]))
		// A coefficient of step s adds an error of about s*s/12; s doubles every 6 parameters from 0.625.
		if step := 0.625 * float64(int(1)<<(qp/6)); mean > 0.5+step*step/2 || mean < before*0.8 {
			t.Errorf("parameter %d: mean squared error %.2f after %.2f", qp, mean, before)
		}
		before = mean
	}
}

// TestBlend_IsTheMixture writes blends between two segments, with random vectors and weights, and compares every decoded
// sample with its prediction. The second segment continues with pictures of the encoder, repetitions and displaced
// pictures, and a third one follows it in the same way.
func TestBlend_IsTheMixture(t *testing.T) {
	parts := [][]byte{
		encode(t, 2, "expr:eq(n,0)", known), encode(t, 3, "expr:eq(n,0)", known, "-vf", "hflip,negate"), encode(t, 2, "expr:eq(n,0)", known),
	}
	r := rand.New(rand.NewPCG(3, 4))
	vector := func(expected Vector) Vector {
		if r.IntN(2) == 0 {
			return expected
		}
		return Vector{int16(r.IntN(200) - 100), int16(r.IntN(200) - 100)}
	}
	m := NewMoved(frameW, frameH)
	blended := func(before, after []byte, weight int) (unit, frame []byte) {
		m.BeginBlend(30, weight)
		frame = make([]byte, frameBytes)
		for y := 0; y < frameH; y += 16 {
			for x := 0; x < frameW; x += 16 {
				v0, v1 := m.ExpectedBlend()
				v0, v1 = vector(v0), vector(v1)
				var a, b, out Block
				predict(before, &a, x, y, v0)
				predict(after, &b, x, y, v1)
				mix(&out, &a, &b, weight)
				put(frame, &out, x, y)
				m.AddBlend(v0, v1, nil)
			}
		}
		return m.End(), frame
	}
	out := &stream{}
	var early []int
	j := &Joiner{KeyEvery: 4, Picture: func(unit []byte, key bool, n int) error {
		early = append(early, n)
		return out.picture(unit, key, n)
	}}
	var expected [][]byte
	for i, part := range parts {
		pictures := decode(t, part)
		repeat := make([]int, len(pictures))
		repeat[0] = []int{0, 9, 0}[i]
		units := make([][][]byte, len(pictures))
		for n, picture := range pictures {
			for range repeat[n] + 1 {
				expected = append(expected, picture)
			}
		}
		if i+1 < len(parts) {
			last, next := len(pictures)-1, decode(t, parts[i+1])[0]
			for _, weight := range []int{1, 20, 64, 100, WeightUnit - 1} {
				unit, frame := blended(pictures[last], next, weight)
				units[last], expected = append(units[last], unit), append(expected, frame)
			}
		}
		var with bytes.Buffer
		if err := Insert(&with, bytes.NewReader(part), units); err != nil {
			t.Fatal(err)
		}
		if err := j.Add(&with, repeat); err != nil {
			t.Fatal(err)
		}
	}
	if err := j.End(); err != nil {
		t.Fatal(err)
	}
	if got, want := strings.Trim(fmt.Sprint(early), "[]"), strings.TrimSpace("0 0 5"+strings.Repeat(" 0", 16)+" 5"+strings.Repeat(" 0", 6)); got != want {
		t.Errorf("got early pictures %s, want %s", got, want)
	}
	samePictures(t, decode(t, out.bytes(j)), expected)
}

// TestBlend_Residual codes the difference between a blend and an unrelated picture.
func TestBlend_Residual(t *testing.T) {
	parts := [][]byte{encode(t, 1, "expr:eq(n,0)", known), encode(t, 2, "expr:eq(n,0)", known, "-vf", "negate")}
	target := decode(t, encode(t, 1, "expr:eq(n,0)", known, "-vf", "hflip,negate"))[0]
	before, after := decode(t, parts[0])[0], decode(t, parts[1])[0]
	m := NewMoved(frameW, frameH)
	m.BeginBlend(12, 40)
	var residual Residual
	r := rand.New(rand.NewPCG(5, 6))
	for y := 0; y < frameH; y += 16 {
		for x := 0; x < frameW; x += 16 {
			v0, v1 := m.ExpectedBlend()
			if r.IntN(2) == 0 { // otherwise a direct macroblock
				v0.X += 3
			}
			var a, b, prediction, want Block
			predict(before, &a, x, y, v0)
			predict(after, &b, x, y, v1)
			mix(&prediction, &a, &b, 40)
			predict(target, &want, x, y, Vector{})
			residual.Quantize(&want, &prediction, 12)
			m.AddBlend(v0, v1, &residual)
		}
	}
	var first bytes.Buffer
	if err := Insert(&first, bytes.NewReader(parts[0]), [][][]byte{{m.End()}}); err != nil {
		t.Fatal(err)
	}
	out := &stream{}
	j := &Joiner{Picture: out.picture}
	if err := j.Add(&first, []int{0}); err != nil {
		t.Fatal(err)
	}
	if err := j.End(); !errors.Is(err, ErrShape) {
		t.Errorf("a stream that ends with a blend: got %v, want ErrShape", err)
	}
	if err := j.Add(bytes.NewReader(parts[1]), []int{0, 0}); err != nil {
		t.Fatal(err)
	}
	got := decode(t, out.bytes(j))
	if len(got) != 4 {
		t.Fatalf("decoded %d pictures", len(got))
	}
	if mean := squaredError(got[1], target); mean > 4 {
		t.Errorf("mean squared error %.2f", mean)
	}
}
