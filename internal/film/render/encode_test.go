// SPDX-License-Identifier: Apache-2.0

package render

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/reelops/reelops/internal/film/timeline"
)

// TestEncoder_KilledBeforeTheFrames kills the encoder before it reads anything, while frames are written.
func TestEncoder_KilledBeforeTheFrames(t *testing.T) {
	enc := scripted(t, "kill -9 $$")
	var err error
	for err == nil {
		err = enc.write(make([]byte, 1<<20))
	}
	wantKilled(t, enc.finish(err))
}

// TestEncoder_KilledAfterTheLastFrame kills the encoder after all frames are written.
func TestEncoder_KilledAfterTheLastFrame(t *testing.T) {
	enc := scripted(t, "cat >/dev/null; kill -9 $$")
	if err := enc.write(make([]byte, 1000)); err != nil {
		t.Fatal(err)
	}
	wantKilled(t, enc.finish(nil))
}

// TestEncoder_StopsEarly has the encoder exit without an error before it has all frames.
func TestEncoder_StopsEarly(t *testing.T) {
	enc := scripted(t, "exit 0")
	var err error
	for err == nil {
		err = enc.write(make([]byte, 1<<20))
	}
	var made *Error
	if err := enc.finish(err); !errors.As(err, &made) || made.Kind != EncoderFailed {
		t.Errorf("got %v, want that the encoder stopped early", err)
	}
}

// TestEncoder_FeedingFails expects the error of the writing side, and the end of an encoder that would wait forever.
func TestEncoder_FeedingFails(t *testing.T) {
	reason := errors.New("no picture")
	if err := scripted(t, "cat >/dev/null").finish(reason); !errors.Is(err, reason) {
		t.Errorf("got %v, want the error of the writer", err)
	}
}

// scripted returns an encoder that is a script.
func scripted(t *testing.T, script string) *encoder {
	path := filepath.Join(t.TempDir(), "encoder")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+script+"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	e := encoding{ffmpeg: path, canvas: timeline.Canvas{Width: 16, Height: 16}, fps: 30, preset: Veryfast}
	enc, err := e.start(t.Context(), []stretch{{frames: 1, threads: 1, out: filepath.Join(t.TempDir(), "out")}})
	if err != nil {
		t.Fatal(err)
	}
	return enc
}

func wantKilled(t *testing.T, err error) {
	t.Helper()
	var made *Error
	if !errors.As(err, &made) || made.Kind != EncoderKilled {
		t.Fatalf("got %v, want that the encoder was killed", err)
	}
}

// TestEncoder_StretchesAreIndependent checks that a stretch has the same bytes regardless of the stretches encoded in
// the same process.
func TestEncoder_StretchesAreIndependent(t *testing.T) {
	needFFmpeg(t)
	e := encoding{ffmpeg: "ffmpeg", canvas: timeline.Canvas{Width: 64, Height: 96}, fps: 30, preset: Superfast, crf: 24}
	frames := make([][]byte, 30)
	for n := range frames {
		f := newFrame(64, 96)
		for i := range f.pix {
			f.pix[i] = byte(40 + (i*7+n*n*3+i*i/(n+9))%150)
		}
		frames[n] = f.pix
	}
	run := func(lengths ...int) [][]byte {
		dir := t.TempDir()
		var all []stretch
		total := 0
		for i, n := range lengths {
			all = append(all, stretch{frames: n, threads: 1, first: 2, out: filepath.Join(dir, fmt.Sprint(i))})
			total += n
		}
		enc, err := e.start(t.Context(), all)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range frames[30-total:] {
			if err = enc.write(f); err != nil {
				break
			}
		}
		if err := enc.finish(err); err != nil {
			t.Fatal(err)
		}
		var out [][]byte
		for _, s := range all {
			b, err := os.ReadFile(s.out)
			if err != nil || len(b) == 0 {
				t.Fatalf("got %d bytes, %v", len(b), err)
			}
			out = append(out, b)
		}
		return out
	}
	together, alone := run(11, 1, 18), run(18)
	if !bytes.Equal(together[2], alone[0]) {
		t.Error("the last stretch depends on the previous ones")
	}
	if two := run(1, 18); !bytes.Equal(two[0], together[1]) {
		t.Error("the middle stretch depends on its neighbours")
	}
}
