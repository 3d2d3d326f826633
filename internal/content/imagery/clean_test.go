// SPDX-License-Identifier: Apache-2.0

package imagery

import (
	"bytes"
	"errors"
	"image"
	"strings"
	"testing"

	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/content/imagery/heic"
	"github.com/reelops/reelops/internal/media/sniff"
	"github.com/reelops/reelops/internal/testkit/hostile"
)

// hidden are the signatures of other formats.
var hidden = []string{"PK\x03\x04", "PK\x05\x06", "<html", "<script", "<?php", "ftypisom"}

func TestClean_KeepsTheImageOnly(t *testing.T) {
	for _, f := range hostile.NewSeeds(t).Pictures(hostile.NewBait(t)) {
		if testing.Short() && f.Name == "JPEG of 49 megapixels in 64 scans" {
			continue // each of several decodings takes more than a second
		}
		img, _, err := DecodeLimited(bytes.NewReader(f.Data), catalog.MaxImagePixels)
		if err != nil || !strings.HasPrefix(f.Type, "image/") {
			continue
		}
		t.Run(f.Name, func(t *testing.T) {
			clean, err := Clean(sniff.ContentType(f.Data), f.Data)
			if errors.Is(err, ErrArchive) {
				return
			}
			if err != nil {
				if f.Want == hostile.Taken {
					t.Error(err)
				}
				return
			}
			for _, h := range hidden {
				if bytes.Contains(clean, []byte(h)) {
					t.Errorf("the result contains %q", h)
				}
			}
			again, _, err := DecodeLimited(bytes.NewReader(clean), catalog.MaxImagePixels)
			for i := 0; i < 10 && errors.Is(err, heic.ErrSlow); i++ { // the machine is busy
				again, _, err = DecodeLimited(bytes.NewReader(clean), catalog.MaxImagePixels)
			}
			if err != nil {
				t.Fatal(err)
			}
			if !samePixels(img, again) {
				t.Error("the pixels differ")
			}
			if twice, err := Clean(sniff.ContentType(clean), clean); err != nil || !bytes.Equal(twice, clean) {
				t.Errorf("cleaning again changes the result: %v", err)
			}
		})
	}
}

func TestClean_RejectsAnArchiveThatIsAnImage(t *testing.T) {
	refused := 0
	for _, f := range hostile.NewSeeds(t).Pictures(hostile.NewBait(t)) {
		if f.Name != "JPEG with a ZIP before its end" {
			continue
		}
		refused++
		if _, err := Clean(sniff.JPEG, f.Data); !errors.Is(err, ErrArchive) {
			t.Errorf("%s: got %v", f.Name, err)
		}
	}
	if refused == 0 {
		t.Error("missing file")
	}
}

func samePixels(a, b image.Image) bool {
	if a.Bounds() != b.Bounds() {
		return false
	}
	step := max(1, a.Bounds().Dx()/64)
	for y := a.Bounds().Min.Y; y < a.Bounds().Max.Y; y += step {
		for x := a.Bounds().Min.X; x < a.Bounds().Max.X; x += step {
			r, g, bl, al := a.At(x, y).RGBA()
			r2, g2, b2, al2 := b.At(x, y).RGBA()
			if r != r2 || g != g2 || bl != b2 || al != al2 {
				return false
			}
		}
	}
	return true
}

func FuzzClean(f *testing.F) {
	for _, p := range hostile.NewSeeds(f).Pictures(hostile.NewBait(f)) {
		if len(p.Data) < 64<<10 {
			f.Add(p.Data)
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, kind := range []string{sniff.JPEG, sniff.PNG, sniff.GIF, sniff.WebP, sniff.HEIC} {
			if clean, err := Clean(kind, data); err == nil && len(clean) > len(data) {
				t.Errorf("%s: %d bytes became %d", kind, len(data), len(clean))
			}
		}
	})
}
