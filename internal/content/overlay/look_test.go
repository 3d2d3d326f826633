// SPDX-License-Identifier: Apache-2.0

package overlay_test

import (
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/content/overlay"
)

// TestLook writes sheets of every style to the folder of OVERLAY_SHEETS, for review.
func TestLook(t *testing.T) {
	dir := os.Getenv("OVERLAY_SHEETS")
	if dir == "" {
		t.Skip("OVERLAY_SHEETS is not set")
	}
	e := engine(t)
	texts := []struct {
		lang string
		st   overlay.SlideText
	}{
		{"en", overlay.SlideText{Role: "hook", Heading: "5 morning habits that changed my life", Count: 7}},
		{"en", overlay.SlideText{Role: "point", Heading: "Drink water first ☕️💧", Body: "Before coffee, before your phone. A full glass wakes the body in about ten minutes and costs nothing.", Index: 1, Count: 7}},
		{"en", overlay.SlideText{Role: "point", Heading: "Measure the thing you want to change before you try to change it, every single week", Body: "People who wrote down what they ate for two weeks lost twice as much as those who did not (n=1,685). Write it on paper, in a note, anywhere: the act of noticing does half of the work for you.", Index: 2, Count: 7}},
		{"en", overlay.SlideText{Role: "call_to_action", Heading: "Save this for Monday 🔖", Body: "Follow @reelops for more", Index: 6, Count: 7}},
		{"ar", overlay.SlideText{Role: "point", Heading: "خمس نصائح لنوم أفضل 😴", Body: "أطفئ الشاشة قبل 30 دقيقة من النوم، واقرأ كتابًا ورقيًا بدل iPhone.", Index: 1, Count: 7}},
		{"he", overlay.SlideText{Role: "point", Heading: "שלום עולם: 5 טיפים", Body: "כתבו 3 משימות בכל בוקר (לא יותר) וסיימו אותן לפני 12:00.", Index: 1, Count: 7}},
		{"hi", overlay.SlideText{Role: "point", Heading: "सुबह की पाँच आदतें", Body: "हर दिन दस मिनट ध्यान करें और मोबाइल को दूर रखें। क्षमता और स्वास्थ्य दोनों बढ़ेंगे।", Index: 1, Count: 7}},
		{"th", overlay.SlideText{Role: "point", Heading: "เคล็ดลับการนอนหลับให้ดีขึ้น", Body: "ดื่มน้ำอุ่นก่อนนอนและปิดโทรศัพท์มือถือก่อนเข้านอนอย่างน้อยสามสิบนาที", Index: 1, Count: 7}},
		{"ja", overlay.SlideText{Role: "point", Heading: "毎朝の習慣を変える5つの方法", Body: "コーヒーを飲む前に、まずコップ一杯の水を飲みましょう。体がゆっくりと目を覚まします。", Index: 1, Count: 7}},
		{"zh", overlay.SlideText{Role: "hook", Heading: "改变人生的七个早晨习惯", Count: 7}},
		{"ko", overlay.SlideText{Role: "point", Heading: "아침 습관 5가지", Body: "커피를 마시기 전에 물 한 잔을 먼저 마셔 보세요.", Index: 1, Count: 7}},
		{"en", overlay.SlideText{Role: "point", Heading: "👨‍👩‍👧‍👦 Family 🇯🇵🇧🇷 trip 👍🏽🔥", Body: "✅ Pack light ❤️ stay long 🏝️ 1️⃣2️⃣3️⃣", Index: 3, Count: 7}},
	}
	for _, ratio := range catalog.AspectRatios {
		for _, style := range catalog.DesignStyles {
			for kind, bg := range map[string]image.Image{"dark": night(ratio), "bright": sand(ratio)} {
				var slides []image.Image
				for _, tx := range texts {
					in := e.Layout(style, ratio, tx.st, tx.lang)
					s, err := e.Normalise(bg, ratio, overlay.GradientOf(style), in, overlay.Generated)
					if err != nil {
						t.Fatal(err)
					}
					for _, c := range s.Changes {
						t.Logf("%s %s %s %.20q: %+v", ratio.Value, style.ID, kind, tx.st.Heading, c)
					}
					slides = append(slides, e.Compose(bg, e.Draw(ratio, s.Gradient, s.Overlays)))
				}
				name := fmt.Sprintf("%dx%d-%s-%s.png", ratio.Width, ratio.Height, style.ID, kind)
				f, err := os.Create(filepath.Join(dir, name))
				if err != nil {
					t.Fatal(err)
				}
				if err := png.Encode(f, overlay.ContactSheet(slides)); err != nil {
					t.Fatal(err)
				}
				f.Close()
			}
		}
	}
}

func engine(t testing.TB) *overlay.Engine {
	t.Helper()
	e, err := overlay.New()
	if err != nil {
		t.Fatalf("The tests need the fonts: %v", err)
	}
	return e
}

// night is a dark image without details.
func night(r catalog.AspectRatio) *image.RGBA {
	return paintBack(r, func(x, y float64) (float64, float64, float64) {
		s := math.Pow(math.Abs(math.Sin(x*37)*math.Sin(y*51)), 40)
		return 0.04 + 0.2*y*y + s, 0.05 + 0.1*y + s, 0.14 + 0.2*y + s
	})
}

// sand is a bright image with dark stripes.
func sand(r catalog.AspectRatio) *image.RGBA {
	return paintBack(r, func(x, y float64) (float64, float64, float64) {
		v := 0.75 + 0.2*math.Sin(y*9+math.Sin(x*5)*1.4)
		return v + 0.05, v - 0.03, v - 0.18
	})
}

func paintBack(r catalog.AspectRatio, f func(x, y float64) (float64, float64, float64)) *image.RGBA {
	img := image.NewRGBA(image.Rect(0, 0, r.Width, r.Height))
	to := func(v float64) uint8 { return uint8(min(max(v, 0), 1) * 255) }
	for y := range r.Height {
		for x := range r.Width {
			a, b, c := f(float64(x)/float64(r.Width), float64(y)/float64(r.Height))
			img.SetRGBA(x, y, color.RGBA{to(a), to(b), to(c), 255})
		}
	}
	return img
}
