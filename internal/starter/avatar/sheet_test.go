// SPDX-License-Identifier: Apache-2.0

package avatar

import (
	"context"
	"flag"
	"image"
	"image/draw"
	"image/png"
	"os"
	"path/filepath"
	"testing"

	xdraw "golang.org/x/image/draw"
)

var sheets = flag.String("sheets", "", "folder to write images of the figures to, for review")

func write(t *testing.T, name string, img image.Image) {
	t.Helper()
	f, err := os.Create(filepath.Join(*sheets, name+".png"))
	if err == nil {
		err = png.Encode(f, img)
	}
	if err == nil {
		err = f.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
}

func TestSheets(t *testing.T) {
	if *sheets == "" {
		t.Skip("set -sheets=FOLDER to write the figures")
	}
	for _, m := range cast {
		f := newFigure(context.Background(), m.look(), Width, Height)
		e := f.easel()
		f.draw(e, 0)
		write(t, m.info.Name, e.img)
		sheet := image.NewRGBA(image.Rect(0, 0, 4*480, 3*480))
		for i := range 12 {
			f.draw(e, 6+i*5)
			small := thumbnail(e.img.SubImage(image.Rect(240, 580, 840, 1340)), 380, 480)
			draw.Draw(sheet, image.Rect(i%4*480, i/4*480, i%4*480+380, i/4*480+480), small, image.Point{}, draw.Src)
		}
		write(t, m.info.Name+"-talks", sheet)
	}
}

// thumbnail scales an image down, for contact sheets.
func thumbnail(img image.Image, w, h int) *image.RGBA {
	out := image.NewRGBA(image.Rect(0, 0, w, h))
	xdraw.ApproxBiLinear.Scale(out, out.Rect, img, img.Bounds(), draw.Src, nil)
	return out
}
