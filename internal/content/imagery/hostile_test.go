// SPDX-License-Identifier: Apache-2.0

package imagery

import (
	"bytes"
	"errors"
	"image"
	"os"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/testkit/hostile"
)

// resident returns the current or maximum resident size of the process, in megabytes.
func resident(t *testing.T, kind string) int {
	t.Helper()
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Skip("this system does not report the used memory")
	}
	for line := range strings.Lines(string(status)) {
		if fields := strings.Fields(line); fields[0] == kind {
			n, err := strconv.Atoi(fields[1])
			if err != nil {
				t.Fatal(err)
			}
			return n >> 10
		}
	}
	t.Skip("this system does not report " + kind)
	return 0
}

func TestDecode_HostileImages(t *testing.T) {
	for _, f := range hostile.NewSeeds(t).Pictures(hostile.NewBait(t)) {
		if !strings.HasPrefix(f.Type, "image/") {
			continue
		}
		t.Run(f.Name, func(t *testing.T) {
			img, format, err := DecodeLimited(bytes.NewReader(f.Data), catalog.MaxImagePixels)
			t.Logf("%d bytes: got %s, %v", len(f.Data), format, err)
			if f.Want == hostile.Refused && err == nil {
				t.Errorf("got a %s of %v", format, img.Bounds())
			}
			if f.Want == hostile.Taken && err != nil {
				t.Errorf("got the error %v", err)
			}
			var broken *BrokenError
			var large *TooLargeError
			var many *TooManyError
			switch {
			case err == nil:
				touch(img)
			case errors.Is(err, ErrUnknownFormat), errors.As(err, &broken), errors.As(err, &large), errors.As(err, &many):
			default:
				t.Errorf("got an undocumented error: %v", err)
			}
		})
	}
	bounded(t, 600)
}

// TestDecode_LargestImages decodes the accepted files that use most memory, several at a time.
func TestDecode_LargestImages(t *testing.T) {
	debug.FreeOSMemory()
	var all sync.WaitGroup
	for _, f := range hostile.LargestPictures(catalog.MaxImagePixels) {
		for range 3 {
			all.Go(func() {
				if _, _, err := DecodeLimited(bytes.NewReader(f.Data), catalog.MaxImagePixels); err != nil && f.Want == hostile.Taken {
					t.Errorf("%s: got %v", f.Name, err)
				}
			})
		}
	}
	all.Wait()
	bounded(t, 1500)
}

// bounded checks the maximum resident size of the process.
func bounded(t *testing.T, megabytes int) {
	t.Helper()
	most := resident(t, "VmHWM:")
	t.Logf("the maximum is %d MB", most)
	if most > megabytes {
		t.Errorf("the maximum exceeds %d MB", megabytes)
	}
}

// touch reads the corners: an image with planes that are too short would panic.
func touch(img image.Image) {
	b := img.Bounds()
	for _, p := range []image.Point{b.Min, {b.Max.X - 1, b.Min.Y}, {b.Min.X, b.Max.Y - 1}, b.Max.Sub(image.Pt(1, 1))} {
		img.At(p.X, p.Y)
	}
}
