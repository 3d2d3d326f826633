// SPDX-License-Identifier: Apache-2.0

package ops

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/catalog"
)

func FuzzTags(f *testing.F) {
	for _, s := range []string{"", "a", "a,b", " a , ,b,", strings.Repeat("x", 100), strings.Repeat("x", 101), strings.Repeat("x,", 30), strings.Repeat("x,", 31), "ä,眠", "a\nb", "a,\u00a0"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got, err := cleanTags(s)
		if err != nil {
			return
		}
		again, err := cleanTags(got)
		if err != nil || again != got {
			t.Errorf("%q is cleaned to %q and that to %q, %v", s, got, again, err)
		}
		if got == "" {
			return
		}
		tags := strings.Split(got, ",")
		if len(tags) > catalog.MaxTags {
			t.Errorf("%d tags", len(tags))
		}
		for _, tag := range tags {
			if strings.TrimSpace(tag) != tag || tag == "" || utf8.RuneCountInString(tag) > catalog.MaxTagCharacters {
				t.Errorf("tag %q", tag)
			}
		}
	})
}

// FuzzTextSettings checks that requested text settings fit the Kubernetes API.
func FuzzTextSettings(f *testing.F) {
	for _, doc := range []string{
		`{}`, `{"position":{"x":0.5,"y":0.5}}`, `{"position":{"x":0.2}}`, `{"position":{"y":1e300}}`, `{"position":{}}`, `{"font_size":-1e308,"align":"left"}`,
		`{"color":"#abc","stroke_color":" red ","background_color":"","font_family":"` + strings.Repeat("ä", 100) + `"}`,
	} {
		f.Add([]byte(doc))
	}
	f.Fuzz(func(t *testing.T, doc []byte) {
		var in TextSettingsRequest
		if json.Unmarshal(doc, &in) != nil {
			return
		}
		got := in.settings()
		numbers := []float64{got.FontSize}
		if got.Position != nil {
			numbers = append(numbers, got.Position.X, got.Position.Y)
		}
		for _, n := range numbers {
			if n != n || n > v1beta1.MaxOverlayNumber || n < -v1beta1.MaxOverlayNumber {
				t.Errorf("%v in %+v", n, got)
			}
		}
		for _, w := range []string{got.FontFamily, got.Color, got.StrokeColor, got.BackgroundColor} {
			if utf8.RuneCountInString(w) > v1beta1.MaxOverlayWord {
				t.Errorf("got a text of %d characters", utf8.RuneCountInString(w))
			}
		}
	})
}

// FuzzOverlay checks that a requested overlay fits the Kubernetes API.
func FuzzOverlay(f *testing.F) {
	for _, doc := range []string{
		`{"text":"x"}`, `{"position":{"x":0.5,"y":0.5}}`, `{"position":{"x":1,"y":50}}`, `{"position":{"x":-1}}`, `{"position":{"y":1e300}}`, `{"position":{}}`,
		`{"fontSize":-1e308,"fontWeight":9007199254740991,"maxWidth":1e-300,"lineHeight":5,"strokeWidth":-0.0}`, `{"color":"#abc","strokeColor":"red","backgroundColor":""}`,
	} {
		f.Add([]byte(doc))
	}
	f.Fuzz(func(t *testing.T, doc []byte) {
		var o OverlayChange
		if json.Unmarshal(doc, &o) != nil {
			return
		}
		got := o.OverlayWords.edit().Overlay()
		numbers := []float64{got.FontSize, got.MaxWidth, got.LineHeight, float64(got.FontWeight)}
		if got.StrokeWidth != nil {
			numbers = append(numbers, *got.StrokeWidth)
		}
		if got.Position != nil {
			numbers = append(numbers, got.Position.X, got.Position.Y)
		}
		for _, n := range numbers {
			if n != n || n > v1beta1.MaxOverlayNumber || n < -v1beta1.MaxOverlayNumber {
				t.Errorf("%v in %+v", n, got)
			}
		}
		plate := ""
		if got.BackgroundColor != nil {
			plate = *got.BackgroundColor
		}
		for _, w := range []string{got.FontFamily, got.Color, got.StrokeColor, plate} {
			if utf8.RuneCountInString(w) > v1beta1.MaxOverlayWord {
				t.Errorf("got a text of %d characters", utf8.RuneCountInString(w))
			}
		}
	})
}
