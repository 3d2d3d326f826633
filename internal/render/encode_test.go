// SPDX-License-Identifier: Apache-2.0

package render

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/reelops/reelops/internal/timeline"
)

// TestKilledEncoderIsNamed breaks the stream off in the middle of what is read: the encoder's end is the reason.
func TestKilledEncoderIsNamed(t *testing.T) {
	broken := errors.New("half a unit")
	err := killed(t).run(t.Context(), func(w io.Writer) error {
		_, err := w.Write(make([]byte, 1<<20))
		return err
	}, func(r io.Reader) error {
		_, _ = io.Copy(io.Discard, r)
		return broken
	})
	wantKilled(t, err)
}

// TestKilledBetweenFrames has the encoder end, and be waited for, before the next frame is written.
func TestKilledBetweenFrames(t *testing.T) {
	err := killed(t).run(t.Context(), func(w io.Writer) error {
		for { // a write of nothing succeeds until our own end of the pipe is closed, which is after the wait
			if _, err := w.Write(nil); err != nil {
				return err
			}
		}
	}, func(r io.Reader) error {
		_, err := io.Copy(io.Discard, r)
		return err
	})
	wantKilled(t, err)
}

// killed is an encoder that ends from outside before it read anything.
func killed(t *testing.T) encoding {
	encoder := filepath.Join(t.TempDir(), "encoder")
	if err := os.WriteFile(encoder, []byte("#!/bin/sh\nkill -9 $$\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	return encoding{ffmpeg: encoder, canvas: timeline.Canvas{Width: 16, Height: 16}, fps: 30, preset: Veryfast, threads: 1}
}

func wantKilled(t *testing.T, err error) {
	t.Helper()
	var made *Error
	if !errors.As(err, &made) || made.Kind != EncoderKilled {
		t.Fatalf("%v, want that the encoder was ended from outside", err)
	}
}
