// SPDX-License-Identifier: Apache-2.0

package heic

import (
	"bytes"
	"context"
	"errors"
	"image"
	"image/color"
	"testing"
	"testing/synctest"
	"time"

	"github.com/reelops/reelops/internal/testkit/hostile"
)

func anySize(int, int) error { return nil }

func TestDecode(t *testing.T) {
	data := hostile.NewSeeds(t).HEIC
	const w, h = hostile.Side, hostile.Side
	img, err := Decode(t.Context(), "", data, anySize)
	if err != nil {
		t.Fatal(err)
	}
	if img.Bounds() != image.Rect(0, 0, w, h) {
		t.Fatalf("got the bounds %v", img.Bounds())
	}
	// Red increases to the right and green downwards.
	for _, p := range []image.Point{{5, 5}, {w - 5, 5}, {5, h - 5}, {w - 5, h - 5}} {
		c := color.RGBAModel.Convert(img.At(p.X, p.Y)).(color.RGBA)
		if near := func(got uint8, want int) bool {
			return int(got) > want*255/hostile.Side-60 && int(got) < want*255/hostile.Side+60
		}; !near(c.R, p.X) || !near(c.G, p.Y) {
			t.Errorf("at %v: got the colour %v", p, c)
		}
	}
}

func TestDecode_ChecksTheSizeFirst(t *testing.T) {
	no := errors.New("not this one")
	_, err := Decode(t.Context(), "", hostile.NewSeeds(t).HEIC, func(w, h int) error {
		if w != hostile.Side || h != hostile.Side {
			t.Errorf("got the size %d x %d", w, h)
		}
		return no
	})
	if !errors.Is(err, no) {
		t.Errorf("got %v", err)
	}
}

func TestDecode_InvalidFiles(t *testing.T) {
	whole := hostile.NewSeeds(t).HEIC
	for name, data := range map[string][]byte{
		"nothing": {}, "one byte": {0}, "zeros": make([]byte, 1000), "only the header": whole[:100], "half": whole[:len(whole)/2],
		"random contents": append(bytes.Clone(whole[:len(whole)/2]), make([]byte, 500)...),
	} {
		if _, err := Decode(t.Context(), "", data, anySize); !errors.Is(err, ErrUndecodable) {
			t.Errorf("%s: got %v", name, err)
		}
	}
	if _, err := Decode(t.Context(), "", whole, anySize); err != nil {
		t.Errorf("a valid file afterwards: got %v", err)
	}
}

func TestDecode_Closed(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Decode(ctx, "", hostile.NewSeeds(t).HEIC, anySize); !errors.Is(err, context.Canceled) {
		t.Errorf("with a canceled context: got %v", err)
	}
	head, million := headTime, millionTime
	defer func() { headTime, millionTime = head, million }()
	headTime, millionTime = time.Nanosecond, 0
	if _, err := Decode(t.Context(), "", hostile.NewSeeds(t).HEIC, anySize); !errors.Is(err, ErrSlow) {
		t.Errorf("with an expired deadline: got %v", err)
	}
}

// TestDecode_MemoryLimit decodes a file that does not fit into the decoder's memory.
func TestDecode_MemoryLimit(t *testing.T) {
	if _, err := Decode(t.Context(), "", make([]byte, MaxMemory), anySize); !errors.Is(err, ErrUndecodable) {
		t.Errorf("got %v", err)
	}
}

func TestDecode_AlternatesAccounts(t *testing.T) {
	m, err := machine()
	if err != nil {
		t.Fatal(err)
	}
	data := hostile.NewSeeds(t).HEIC
	synctest.Test(t, func(t *testing.T) {
		release, err := m.turn.Acquire(t.Context(), "another")
		if err != nil {
			t.Fatal(err)
		}
		order := ""
		for _, account := range []string{"a", "a", "a", "b"} {
			go func() {
				if _, err := Decode(t.Context(), account, data, func(int, int) error {
					order += account
					return nil
				}); err != nil {
					t.Error(err)
				}
			}()
			synctest.Wait()
		}
		release()
		synctest.Wait()
		if order != "abaa" {
			t.Errorf("got the order %s", order)
		}
	})
}

// TestDecode_Concurrently decodes many files at once, with one invalid file among valid ones.
func TestDecode_Concurrently(t *testing.T) {
	good := hostile.NewSeeds(t).HEIC
	want, err := Decode(t.Context(), "", good, anySize)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 6 {
		t.Run("", func(t *testing.T) {
			t.Parallel()
			if i%2 == 1 {
				_, _ = Decode(t.Context(), "", good[:len(good)-20], anySize)
				return
			}
			got, err := Decode(t.Context(), "", good, anySize)
			if err != nil || !bytes.Equal(got.(*image.YCbCr).Y, want.(*image.YCbCr).Y) {
				t.Errorf("got another image, %v", err)
			}
		})
	}
}
