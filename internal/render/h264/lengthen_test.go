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
	"strings"
	"testing"
)

const (
	frameW, frameH = 64, 96
	frameBytes     = frameW * frameH * 3 / 2
)

// known are the encoder settings of the one shape this package knows.
const known = "bframes=0:ref=1:weightp=0:scenecut=0:keyint=60:slices=1"

// encode makes a stream of n moving pictures, with key frames where they are asked for.
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

// decode gives the raw pictures of a stream; any flaw a decoder notices is an error.
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

func TestLengthen(t *testing.T) {
	for name, tc := range map[string]struct {
		pictures int
		keys     string
		repeat   []int
		keyEvery int
		wantKeys string
	}{
		"nothing to repeat":        {5, "expr:eq(n,0)", nil, 0, "K____"},
		"one still":                {1, "expr:eq(n,0)", []int{3}, 0, "K___"},
		"stills with cuts":         {3, "expr:1", []int{2, 0, 4}, 0, "K__KK____"},
		"frame numbers move up":    {40, "expr:eq(n,0)", []int{7, 0, 0, 1, 20}, 0, "K" + strings.Repeat("_", 67)},
		"they wrap more than once": {3, "expr:eq(n,0)", []int{45, 33}, 0, "K" + strings.Repeat("_", 80)},
		"long stills get keys":     {2, "expr:eq(n,0)", []int{11}, 4, "K___K___K____"},
		"a moving picture cannot":  {2, "expr:eq(n,0)", []int{0, 9}, 4, "K__________"},
		"a dropped key":            {5, "expr:eq(n,0)+eq(n,3)+eq(n,4)", []int{0, 0, 0, Drop, 2}, 0, "K__K__"},
		"a key beside the next":    {3, "expr:1", []int{4, 8, 0}, 4, "K___KK___K___KK"},
	} {
		t.Run(name, func(t *testing.T) {
			in := encode(t, tc.pictures, tc.keys, known)
			times := func(n int) int {
				if n < len(tc.repeat) {
					return tc.repeat[n]
				}
				return 0
			}
			var out bytes.Buffer
			read, written, err := Lengthen(&out, bytes.NewReader(in), Plan{Repeat: times, KeyEvery: tc.keyEvery})
			if err != nil {
				t.Fatal(err)
			}
			if got := keys(t, out.Bytes()); got != tc.wantKeys {
				t.Errorf("key frames %s, want %s", got, tc.wantKeys)
			}
			before, after := decode(t, in), decode(t, out.Bytes())
			if read != tc.pictures || written != len(tc.wantKeys) || len(after) != written {
				t.Fatalf("read %d, written %d, decoded %d", read, written, len(after))
			}
			at := 0
			for n, picture := range before {
				for k := range times(n) + 1 {
					if !bytes.Equal(after[at], picture) {
						t.Fatalf("repetition %d of picture %d is another picture", k, n)
					}
					at++
				}
			}
		})
	}
}

// keys draws a stream: K for a key frame, _ for another picture.
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

func TestDroppingAReference(t *testing.T) {
	in := encode(t, 3, "expr:eq(n,0)", known)
	_, _, err := Lengthen(io.Discard, bytes.NewReader(in), Plan{Repeat: func(n int) int { return -(n % 2) }})
	if !errors.Is(err, ErrShape) {
		t.Errorf("got %v, want ErrShape: the third picture refers to the dropped second", err)
	}
}

func TestRepetitionsAreSmall(t *testing.T) {
	in := encode(t, 1, "expr:eq(n,0)", known)
	var out bytes.Buffer
	if _, _, err := Lengthen(&out, bytes.NewReader(in), Plan{Repeat: func(int) int { return 1000 }}); err != nil {
		t.Fatal(err)
	}
	if each := (out.Len() - len(in)) / 1000; each > 20 {
		t.Errorf("a repeated picture takes %d bytes", each)
	}
}

// TestUnknownShapes holds that a stream is refused rather than spoiled.
func TestUnknownShapes(t *testing.T) {
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
			_, _, err := Lengthen(io.Discard, bytes.NewReader(in), Plan{Repeat: func(int) int { return 1 }})
			if !errors.Is(err, ErrShape) {
				t.Errorf("got %v, want ErrShape", err)
			}
		})
	}
}

func FuzzLengthen(f *testing.F) {
	f.Add([]byte{0, 0, 1, 0x67, 0x64, 0, 10, 0xac, 0xd9, 0, 0, 1, 0x68, 0xeb, 0, 0, 1, 0x65, 0x88, 0x84})
	f.Fuzz(func(_ *testing.T, stream []byte) {
		Lengthen(io.Discard, bytes.NewReader(stream), Plan{Repeat: func(int) int { return 2 }, KeyEvery: 2})
	})
}
