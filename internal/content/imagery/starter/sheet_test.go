// SPDX-License-Identifier: Apache-2.0

package starter

import (
	"context"
	"flag"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/image/draw"
)

var (
	sheetDir  = flag.String("sheet", "", "write a contact sheet of each world to this folder")
	sheetOnly = flag.String("sheet-only", "", "only worlds whose ID contains one of these comma separated words")
	sheetSize = flag.String("sheet-size", "9:16", "9:16, 4:5 or 16:9")
)

// TestContactSheet writes sheets for designers to look at, if requested.
func TestContactSheet(t *testing.T) {
	if *sheetDir == "" {
		t.Skip("set -sheet to a folder to write contact sheets")
	}
	w, h := 1080, 1920
	switch *sheetSize {
	case "4:5":
		h = 1350
	case "16:9":
		w, h = 1920, 1080
	}
	const scale, gap = 3, 8
	for _, world := range worlds {
		if !wanted(world.id) {
			continue
		}
		tw, th := w/scale, h/scale
		cols := min(len(world.entries), 6)
		rows := (len(world.entries) + cols - 1) / cols
		sheet := image.NewRGBA(image.Rect(0, 0, cols*(tw+gap)+gap, rows*(th+gap)+gap))
		i := 0
		for _, p := range All() {
			if p.World != world.id {
				continue
			}
			img, err := Draw(context.Background(), p, w, h)
			if err != nil {
				t.Fatal(err)
			}
			x, y := gap+(i%cols)*(tw+gap), gap+(i/cols)*(th+gap)
			draw.ApproxBiLinear.Scale(sheet, image.Rect(x, y, x+tw, y+th), img, img.Bounds(), draw.Src, nil)
			i++
		}
		f, err := os.Create(filepath.Join(*sheetDir, world.id+".png"))
		if err != nil {
			t.Fatal(err)
		}
		if err := png.Encode(f, sheet); err != nil {
			t.Fatal(err)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

func wanted(id string) bool {
	if *sheetOnly == "" {
		return true
	}
	for _, w := range strings.Split(*sheetOnly, ",") {
		if strings.Contains(id, w) {
			return true
		}
	}
	return false
}
