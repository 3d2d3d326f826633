// SPDX-License-Identifier: Apache-2.0

package overlay_test

import (
	"image"
	"image/color"
	"testing"

	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/content/overlay"
)

func TestDrawLabel(t *testing.T) {
	e := engine(t)
	ratio := catalog.DefaultAspectRatio()
	o := overlay.Overlay{Text: "Try it\nfree of charge", FontSize: 54, FontWeight: 800, Color: "#111111", BackgroundColor: "#FFD60A", Position: overlay.DefaultPosition}
	yellow := color.NRGBA{0xFF, 0xD6, 0x0A, 0xFF}
	plate := func(img *image.NRGBA) (area image.Rectangle) {
		for y := img.Rect.Min.Y; y < img.Rect.Max.Y; y++ {
			for x := img.Rect.Min.X; x < img.Rect.Max.X; x++ {
				if img.NRGBAAt(x, y) == yellow {
					area = area.Union(image.Rect(x, y, x+1, y+1))
				}
			}
		}
		return area
	}
	text, button := e.DrawLabel(ratio, o, false), e.DrawLabel(ratio, o, true)
	if a, b := plate(text), plate(button); !a.In(b) || a == b {
		t.Errorf("the plate of a text is %v and that of a button %v", a, b)
	}
	for name, img := range map[string]*image.NRGBA{"text": text, "button": button} {
		below := img.NRGBAAt((img.Rect.Min.X+img.Rect.Max.X)/2, plate(img).Max.Y+5)
		if below.A == 0 || below.A == 255 || below.R != 0 {
			t.Errorf("below the plate of the %s: got %v instead of a shadow", name, below)
		}
	}
	// The first line is short: the plate of a text follows its lines, that of a button does not.
	at := func(img *image.NRGBA) color.NRGBA {
		area := plate(img)
		return img.NRGBAAt(area.Min.X+area.Dx()/8, area.Min.Y+area.Dy()/4)
	}
	if at(text) == yellow || at(button) != yellow {
		t.Errorf("beside the first line: got %v and %v", at(text), at(button))
	}
	if o.Text = " "; !e.DrawLabel(ratio, o, true).Rect.Empty() {
		t.Error("a button without letters is drawn")
	}
}
