// SPDX-License-Identifier: Apache-2.0

package h264

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const (
	frameW, frameH = 64, 96
	frameBytes     = frameW * frameH * 3 / 2
)

// known are the encoder settings of the supported shape.
const known = "bframes=0:ref=1:weightp=0:scenecut=0:keyint=60:slices=1"

// encode returns a stream of n moving pictures, with key frames as requested.
func encode(t *testing.T, n int, keys, params string, extra ...string) []byte {
	t.Helper()
	args := append([]string{
		"-v", "error", "-f", "lavfi", "-i", fmt.Sprintf("testsrc2=s=%dx%d:r=30", frameW, frameH),
		"-frames:v", fmt.Sprint(n), "-c:v", "libx264", "-profile:v", "high", "-pix_fmt", "yuv420p", "-threads", "1",
		"-force_key_frames", keys, "-x264-params", params,
	}, extra...)
	out, err := exec.Command("ffmpeg", append(args, "-f", "h264", "-")...).Output()
	if err != nil {
		t.Fatalf("ffmpeg is needed (apt-get install ffmpeg): %v", err)
	}
	return out
}

// decode returns the raw pictures of a stream. Any error that a decoder reports is returned.
func decode(t *testing.T, stream []byte) [][]byte {
	t.Helper()
	path := filepath.Join(t.TempDir(), "stream.h264")
	if err := os.WriteFile(path, stream, 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("ffmpeg", "-v", "warning", "-err_detect", "explode", "-xerror", "-r", "30", "-f", "h264", "-i", path,
		"-fps_mode", "passthrough", "-f", "rawvideo", "-pix_fmt", "yuv420p", "-")
	var said bytes.Buffer
	cmd.Stderr = &said
	raw, err := cmd.Output()
	if err != nil || said.Len() > 0 {
		t.Fatalf("decoding: %v: %s", err, &said)
	}
	var pictures [][]byte
	for ; len(raw) >= frameBytes; raw = raw[frameBytes:] {
		pictures = append(pictures, raw[:frameBytes])
	}
	return pictures
}

// samePictures fails unless all pictures are equal, in number and in every sample.
func samePictures(t *testing.T, got, want [][]byte) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("got %d pictures, want %d", len(got), len(want))
	}
	for n := range want {
		if !bytes.Equal(got[n], want[n]) {
			t.Fatalf("picture %d differs", n)
		}
	}
}

func TestLengthen(t *testing.T) {
	for name, tc := range map[string]struct {
		pictures int
		keys     string
		repeat   []int
		keyEvery int
		wantKeys string
	}{
		"nothing to repeat":                {5, "expr:eq(n,0)", nil, 0, "K____"},
		"one still":                        {1, "expr:eq(n,0)", []int{3}, 0, "K___"},
		"stills with cuts":                 {3, "expr:1", []int{2, 0, 4}, 0, "K__KK____"},
		"frame numbers increase":           {40, "expr:eq(n,0)", []int{7, 0, 0, 1, 20}, 0, "K" + strings.Repeat("_", 67)},
		"they wrap more than once":         {3, "expr:eq(n,0)", []int{45, 33}, 0, "K" + strings.Repeat("_", 80)},
		"long stills get keys":             {2, "expr:eq(n,0)", []int{11}, 4, "K___K___K____"},
		"a moving picture is not repeated": {2, "expr:eq(n,0)", []int{0, 9}, 4, "K__________"},
		"no key at the end":                {3, "expr:1", []int{4, 8, 0}, 4, "K____K___K____K"},
	} {
		t.Run(name, func(t *testing.T) {
			in := encode(t, tc.pictures, tc.keys, known)
			repeat := append(slices.Clone(tc.repeat), make([]int, tc.pictures-len(tc.repeat))...)
			out, written, err := lengthen(in, repeat, tc.keyEvery)
			if err != nil {
				t.Fatal(err)
			}
			if got := keys(t, out); got != tc.wantKeys {
				t.Errorf("got key frames %s, want %s", got, tc.wantKeys)
			}
			before, after := decode(t, in), decode(t, out)
			if written != len(tc.wantKeys) || len(after) != written {
				t.Fatalf("written %d, decoded %d", written, len(after))
			}
			at := 0
			for n, picture := range before {
				for k := range repeat[n] + 1 {
					if !bytes.Equal(after[at], picture) {
						t.Fatalf("repetition %d of picture %d differs", k, n)
					}
					at++
				}
			}
		})
	}
}

// keys returns the picture types of a stream: K for a key frame, _ for another picture.
func keys(t *testing.T, stream []byte) string {
	t.Helper()
	s := &splitter{r: bytes.NewReader(stream)}
	var b strings.Builder
	for {
		u, err := s.next()
		if errors.Is(err, io.EOF) {
			return b.String()
		}
		if err != nil {
			t.Fatal(err)
		}
		switch u[0] & 31 {
		case typeIDR:
			b.WriteByte('K')
		case typeSlice:
			b.WriteByte('_')
		}
	}
}

func TestLengthen_RepetitionsAreSmall(t *testing.T) {
	in := encode(t, 1, "expr:eq(n,0)", known)
	out, _, err := lengthen(in, []int{1000}, 0)
	if err != nil {
		t.Fatal(err)
	}
	if each := (len(out) - len(in)) / 1000; each > 20 {
		t.Errorf("a repeated picture takes %d bytes", each)
	}
}

// TestJoin joins streams of independent encoders, with repetitions at the seams.
func TestJoin(t *testing.T) {
	parts := [][]byte{
		encode(t, 3, "expr:eq(n,0)", known), encode(t, 1, "expr:eq(n,0)", known, "-vf", "negate"),
		encode(t, 2, "expr:eq(n,0)", known, "-crf", "23", "-vf", "hflip"),
	}
	repeat := [][]int{{0, 5, 0}, {8}, {0, 3}}
	out := &stream{}
	j := &Joiner{Picture: out.picture, KeyEvery: 4}
	var want [][]byte
	for i, p := range parts {
		if err := j.Add(bytes.NewReader(p), repeat[i]); err != nil {
			t.Fatal(err)
		}
		for n, picture := range decode(t, p) {
			for range repeat[i][n] + 1 {
				want = append(want, picture)
			}
		}
	}
	samePictures(t, decode(t, out.bytes(j)), want)
	if w, h := j.Size(); w != frameW || h != frameH {
		t.Errorf("got %d by %d, want %d by %d", w, h, frameW, frameH)
	}
}

func TestJoin_Errors(t *testing.T) {
	first := encode(t, 3, "expr:eq(n,0)", known)
	for name, tc := range map[string]struct {
		next   []byte
		repeat []int
		want   error
	}{
		"other settings":            {encode(t, 3, "expr:eq(n,0)", known, "-crf", "9"), []int{0, 0, 0}, ErrShape},
		"another size":              {encode(t, 3, "expr:eq(n,0)", known, "-s", "80x96"), []int{0, 0, 0}, ErrShape},
		"too many pictures":         {first, []int{0, 0}, ErrCount},
		"too few pictures":          {first, []int{0, 0, 0, 0}, ErrCount},
		"truncated":                 {first[:len(first)/3], []int{0, 0, 0}, ErrCount},
		"nothing":                   {nil, []int{0}, ErrCount},
		"no key frame at the start": {first[bytes.Index(first, []byte{0, 0, 1, 0x41}):], []int{0, 0}, ErrShape},
	} {
		t.Run(name, func(t *testing.T) {
			j := &Joiner{Picture: func([]byte, bool, int) error { return nil }}
			if err := j.Add(bytes.NewReader(first), []int{0, 0, 0}); err != nil {
				t.Fatal(err)
			}
			if err := j.Add(bytes.NewReader(tc.next), tc.repeat); !errors.Is(err, tc.want) {
				t.Errorf("got %v, want %v", err, tc.want)
			}
		})
	}
}

// TestJoin_AdjacentKeyFrames has two segments of one picture each, to which encoders give the same number.
func TestJoin_AdjacentKeyFrames(t *testing.T) {
	one := encode(t, 1, "expr:eq(n,0)", known)
	j := &Joiner{Picture: func([]byte, bool, int) error { return nil }}
	if err := j.Add(bytes.NewReader(one), []int{0}); err != nil {
		t.Fatal(err)
	}
	if err := j.Add(bytes.NewReader(one), []int{0}); !errors.Is(err, ErrShape) {
		t.Errorf("got %v, want ErrShape", err)
	}
}

// stream collects pictures as a byte stream.
type stream struct {
	b       bytes.Buffer
	written int
}

func (s *stream) picture(unit []byte, _ bool, _ int) error {
	s.b.Write([]byte{0, 0, 0, 1})
	s.b.Write(unit)
	s.written++
	return nil
}

// bytes returns the pictures after their parameters.
func (s *stream) bytes(j *Joiner) []byte {
	var out []byte
	sps, pps := j.Parameters()
	for _, u := range append([][]byte{sps}, pps...) {
		out = append(append(out, 0, 0, 0, 1), u...)
	}
	return append(out, s.b.Bytes()...)
}

// lengthen repeats the pictures of one stream.
func lengthen(in []byte, repeat []int, keyEvery int) (out []byte, written int, err error) {
	s := &stream{}
	j := &Joiner{Picture: s.picture, KeyEvery: keyEvery}
	err = j.Add(bytes.NewReader(in), repeat)
	return s.bytes(j), s.written, err
}

// TestLengthen_UnknownShapes checks that a stream is rejected and not damaged.
func TestLengthen_UnknownShapes(t *testing.T) {
	whole := encode(t, 3, "expr:eq(n,0)", known)
	for name, in := range map[string][]byte{
		"B pictures":          encode(t, 8, "expr:eq(n,0)", "bframes=2:ref=1:weightp=0"),
		"several references":  encode(t, 8, "expr:eq(n,0)", "bframes=0:ref=3:weightp=0"),
		"weights":             encode(t, 8, "expr:eq(n,0)", "bframes=0:ref=1:weightp=1"),
		"several slices":      encode(t, 3, "expr:eq(n,0)", strings.Replace(known, "slices=1", "slices=3", 1)),
		"interlaced":          encode(t, 3, "expr:eq(n,0)", known+":interlaced=1"),
		"another profile":     encode(t, 3, "expr:eq(n,0)", known, "-profile:v", "main"),
		"another colour grid": encode(t, 3, "expr:eq(n,0)", known, "-profile:v", "high444", "-pix_fmt", "yuv444p"),
		"no parameters":       whole[bytes.Index(whole, []byte{0, 0, 1, 0x65}):],
		"parameters change":   append(bytes.Clone(whole), encode(t, 1, "expr:eq(n,0)", known, "-s", "80x96")...),
	} {
		t.Run(name, func(t *testing.T) {
			_, _, err := lengthen(in, make([]int, 8), 0)
			if !errors.Is(err, ErrShape) {
				t.Errorf("got %v, want ErrShape", err)
			}
		})
	}
}

func FuzzLengthen(f *testing.F) {
	f.Add([]byte{0, 0, 1, 0x67, 0x64, 0, 10, 0xac, 0xd9, 0, 0, 1, 0x68, 0xeb, 0, 0, 1, 0x65, 0x88, 0x84})
	f.Fuzz(func(_ *testing.T, stream []byte) {
		_, _, _ = lengthen(stream, []int{2, 0, 3, 1}, 2)
	})
}
