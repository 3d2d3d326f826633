// SPDX-License-Identifier: Apache-2.0

package h264

import (
	"bytes"
	"errors"
	"io"
	"testing"
	"testing/iotest"
)

func TestExpGolomb(t *testing.T) {
	for v, bits := range map[uint32]string{0: "1", 1: "010", 2: "011", 3: "00100", 7: "0001000", 8159: "0000000000001111111100000"} {
		w := &bitWriter{}
		w.ue(v)
		if got := asBits(w); got != bits {
			t.Errorf("%d is written as %s, want %s", v, got, bits)
		}
	}
	w := &bitWriter{}
	numbers := []int32{0, 1, -1, 2, -2, 100, -100, 70000, -70000}
	for _, v := range numbers {
		w.se(v)
	}
	r := &bitReader{b: w.end()}
	for _, v := range numbers {
		if got := r.se(); got != v || r.err != nil {
			t.Errorf("read %d (%v), want %d", got, r.err, v)
		}
	}
}

// asBits returns the written bits.
func asBits(w *bitWriter) string {
	var s []byte
	for i := range 8*len(w.b) - w.free {
		s = append(s, '0'+w.b[i/8]>>(7-i%8)&1)
	}
	return string(s)
}

func TestRead_BeyondTheEnd(t *testing.T) {
	for name, b := range map[string][]byte{"no stop bit": {0, 0}, "too long": {0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 0xff}, "empty": nil} {
		if r := (&bitReader{b: b}); r.ue() != 0 || r.err == nil {
			t.Errorf("%s: got no error", name)
		}
	}
}

func TestEmulationPrevention(t *testing.T) {
	for name, tc := range map[string]struct{ raw, escaped []byte }{
		"plain":             {[]byte{1, 2, 3}, []byte{1, 2, 3}},
		"a start code":      {[]byte{0, 0, 1}, []byte{0, 0, 3, 1}},
		"zeros only":        {[]byte{9, 0, 0, 0, 0, 0}, []byte{9, 0, 0, 3, 0, 0, 3, 0}},
		"an escape byte":    {[]byte{0, 0, 3, 0, 0, 3}, []byte{0, 0, 3, 3, 0, 0, 3, 3}},
		"harmless four":     {[]byte{0, 0, 4}, []byte{0, 0, 4}},
		"one zero in front": {[]byte{0, 1, 0, 0, 2}, []byte{0, 1, 0, 0, 3, 2}},
		"zeros at the end":  {[]byte{7, 0, 0}, []byte{7, 0, 0}},
	} {
		if got := escape(tc.raw); !bytes.Equal(got, tc.escaped) {
			t.Errorf("%s: escaped to %v, want %v", name, got, tc.escaped)
		}
		if got := unescape(tc.escaped); !bytes.Equal(got, tc.raw) {
			t.Errorf("%s: unescaped to %v, want %v", name, got, tc.raw)
		}
	}
}

func FuzzEscape(f *testing.F) {
	f.Add([]byte{0, 0, 0, 1, 0, 0, 3, 0, 0, 2, 5})
	f.Fuzz(func(t *testing.T, raw []byte) {
		e := escape(raw)
		if bytes.Contains(e, []byte{0, 0, 1}) || bytes.Contains(e, []byte{0, 0, 0}) || bytes.Contains(e, []byte{0, 0, 2}) {
			t.Errorf("%v contains a start code", e)
		}
		if !bytes.Equal(unescape(e), raw) {
			t.Errorf("%v does not round-trip", raw)
		}
	})
}

func TestSplitter(t *testing.T) {
	stream := []byte{0, 0, 0, 1, 0x67, 5, 6, 0, 0, 1, 0x68, 7, 0, 0, 0, 1, 0x65, 0, 8, 0, 0, 0}
	want := [][]byte{{0x67, 5, 6}, {0x68, 7}, {0x65, 0, 8}}
	for name, r := range map[string]io.Reader{
		"at once":      bytes.NewReader(stream),
		"byte by byte": iotest.OneByteReader(bytes.NewReader(stream)),
		"with its end": iotest.DataErrReader(bytes.NewReader(stream)),
	} {
		s := &splitter{r: r}
		var got [][]byte
		for {
			u, err := s.next()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, u)
		}
		if len(got) != 3 || !bytes.Equal(got[0], want[0]) || !bytes.Equal(got[1], want[1]) || !bytes.Equal(got[2], want[2]) {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
	broken := errors.New("line cut")
	s := &splitter{r: iotest.ErrReader(broken)}
	if _, err := s.next(); !errors.Is(err, broken) {
		t.Errorf("got %v, want the reader's error", err)
	}
}

func TestSetBits(t *testing.T) {
	b := []byte{0xff, 0x00, 0xff}
	setBits(b, 6, 6, 0b010101)
	if want := []byte{0b11111101, 0b01010000, 0xff}; !bytes.Equal(b, want) {
		t.Errorf("%08b, want %08b", b, want)
	}
}
