// SPDX-License-Identifier: Apache-2.0

package ops

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/utils/ptr"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/apiserver/problem"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/content/deck"
)

func TestEditBody(t *testing.T) {
	overlay := func(body string) deck.Edit {
		return bodyOf(t, `{"slides":[{"id":"7","textOverlays":[`+body+`]}]}`)
	}
	one := func(e deck.OverlayEdit) deck.Edit {
		return deck.Edit{Slides: []deck.SlideEdit{{ID: 7, Overlays: &[]deck.OverlayEdit{e}}}}
	}
	set := func(o v1beta1.TextOverlay) deck.Edit { return one(deck.OverlayEdit{Text: ptr.To("x"), Set: o}) }
	at := func(x, y *float64) deck.Edit { return one(deck.OverlayEdit{Text: ptr.To("x"), X: x, Y: y}) }
	for why, c := range map[string]struct{ got, want deck.Edit }{
		"omitted fields are kept": {bodyOf(t, `{}`), deck.Edit{}},
		"null clears":             {bodyOf(t, `{"title":null,"caption":null}`), deck.Edit{Title: ptr.To(""), Caption: ptr.To("")}},
		"tags in one string":      {bodyOf(t, `{"tags":" a ,b,,"}`), deck.Edit{Tags: ptr.To("a,b")}},
		"tags in an array":        {bodyOf(t, `{"tags":["a"," b ",""]}`), deck.Edit{Tags: ptr.To("a,b")}},
		"no tags":                 {bodyOf(t, `{"tags":[]}`), deck.Edit{Tags: ptr.To("")}},
		"an opacity in percent":   {bodyOf(t, `{"gradient_opacity":40}`), deck.Edit{Gradient: v1beta1.Gradient{Opacity: ptr.To(0.4)}}},
		"an order of slides":      {bodyOf(t, `{"slide_order":[3,"1"]}`), deck.Edit{Order: []int64{3, 1}}},
		"slides to move":          {bodyOf(t, `{"order":[3,"1"]}`), deck.Edit{Move: []int64{3, 1}}},
		"an overlay to change":    {overlay(`{"id":"2","color":"red"}`), one(deck.OverlayEdit{ID: 2, Set: v1beta1.TextOverlay{Color: "red"}})},
		"an overlay to remove":    {overlay(`{"id":2,"remove":true}`), one(deck.OverlayEdit{ID: 2, Remove: true})},
		"an empty order":          {bodyOf(t, `{"slide_order":[]}`), deck.Edit{Order: []int64{}}},
		"no text on a slide":      {overlay(""), deck.Edit{Slides: []deck.SlideEdit{{ID: 7, Overlays: &[]deck.OverlayEdit{}}}}},
		"a stroke of width 0 differs from an omitted one": {overlay(`{"text":"x","strokeWidth":0}`), set(v1beta1.TextOverlay{StrokeWidth: ptr.To(0.0)})},
		"no plate":                               {overlay(`{"text":"x","backgroundColor":null}`), set(v1beta1.TextOverlay{BackgroundColor: ptr.To("")})},
		"a position in percent":                  {overlay(`{"text":"x","position":{"x":45,"y":40}}`), at(ptr.To(45.0), ptr.To(40.0))},
		"half of a position in percent":          {overlay(`{"text":"x","position":{"x":45}}`), at(ptr.To(45.0), nil)},
		"half of a position as a fraction":       {overlay(`{"text":"x","position":{"y":0.25}}`), at(nil, ptr.To(0.25))},
		"no position":                            {overlay(`{"text":"x","position":{}}`), set(v1beta1.TextOverlay{})},
		"numbers out of range stay out of range": {overlay(`{"text":"x","fontSize":1e300,"maxWidth":-1e300,"fontWeight":9007199254740991}`), set(v1beta1.TextOverlay{FontSize: 1e5, MaxWidth: -1e5, FontWeight: 1e5})},
		"names that are too long are unknown":    {overlay(`{"text":"x","color":"` + strings.Repeat("é", 70) + `"}`), set(v1beta1.TextOverlay{Color: strings.Repeat("é", 64)})},
	} {
		if diff := cmp.Diff(c.want, c.got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", why, diff)
		}
	}
}

func TestEditBody_UnknownFonts(t *testing.T) {
	var b EditSlideshow
	doc := `{"slides":[{"id":1,"textOverlays":[{"text":"x","fontFamily":"Arial"},{"text":"y","fontFamily":"inter"},{"id":1,"fontFamily":"Comic Sans MS"}]}]}`
	if err := json.Unmarshal([]byte(doc), &b); err != nil {
		t.Fatal(err)
	}
	_, err := b.edit()
	var p *problem.Problem
	if !errors.As(err, &p) || p.Details["field"] != "slides[0].textOverlays[0].fontFamily" || len(p.Also) != 1 ||
		p.Also[0].Details["field"] != "slides[0].textOverlays[2].fontFamily" {
		t.Fatalf("%+v", err)
	}
	if fonts, _ := p.Details["allowed"].([]string); len(fonts) != len(catalog.OverlayFonts) || fonts[0] != "Inter" {
		t.Errorf("%v", p.Details)
	}
}

func TestNewSlides(t *testing.T) {
	for doc, want := range map[string]struct {
		slide deck.Slide
		field string
	}{
		`{"heading":"Tea","body":"Green.","role":"hook","duration_seconds":4,"alt_text":"A cup"}`: {
			slide: deck.Slide{Role: "hook", Heading: "Tea", Body: "Green.", AltText: "A cup", DurationSeconds: 4},
		},
		`{"textOverlays":[{"text":"Tea","color":"red"}]}`:  {slide: deck.Slide{Overlays: &[]v1beta1.TextOverlay{{Text: "Tea", Color: "red"}}}},
		`{"textOverlays":[]}`:                              {slide: deck.Slide{Overlays: &[]v1beta1.TextOverlay{}}},
		`{"media_id":5}`:                                   {},
		`{"heading":"Tea","textOverlays":[]}`:              {field: "textOverlays"},
		`{"body":"Green."}`:                                {field: "heading"},
		`{"role":"hook"}`:                                  {field: "heading"},
		`{"textOverlays":[{"text":"x","fontFamily":"y"}]}`: {field: "textOverlays[0].fontFamily"},
		`{"copy_of":2,"heading":"Tea"}`:                    {field: "copy_of"},
		`{"copy_of":2,"media_id":5}`:                       {field: "copy_of"},
	} {
		var a AddSlide
		if err := json.Unmarshal([]byte(doc), &a); err != nil {
			t.Fatal(err)
		}
		got, err := a.slide()
		var p *problem.Problem
		switch {
		case want.field != "" && (!errors.As(err, &p) || p.Details["field"] != want.field):
			t.Errorf("%s: got %v, want an error about %s", doc, err, want.field)
		case want.field == "" && err != nil:
			t.Errorf("%s: %v", doc, err)
		case want.field == "":
			if diff := cmp.Diff(want.slide, got.Slide); diff != "" {
				t.Errorf("%s (-want +got):\n%s", doc, diff)
			}
		}
	}
}

func bodyOf(t *testing.T, body string) deck.Edit {
	t.Helper()
	var b EditSlideshow
	if err := json.Unmarshal([]byte(body), &b); err != nil {
		t.Fatal(err)
	}
	e, err := b.edit()
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func TestSameFile(t *testing.T) {
	const a = "https://reelops.example/blobs/shorts/a/slide-1.png?expires=1&signature=x"
	for b, want := range map[string]bool{
		"https://reelops.example/blobs/shorts/a/slide-1.png?expires=2&signature=y": true,
		"https://reelops.example/blobs/shorts/a/slide-1.png":                       true,
		"https://reelops.example/blobs/shorts/a/slide-2.png?expires=1&signature=x": false,
		"http://reelops.example/blobs/shorts/a/slide-1.png":                        false,
		"https://other.example/blobs/shorts/a/slide-1.png":                         false,
		"://": false,
	} {
		if sameFile(a, b) != want {
			t.Errorf("%s: %v", b, !want)
		}
	}
}

func TestOneImage(t *testing.T) {
	pic := func(id string) *v1beta1.SlideImage { return &v1beta1.SlideImage{Stock: &id} }
	for why, c := range map[string]struct {
		own, byID, byURL, want *v1beta1.SlideImage
		ok                     bool
	}{
		"neither is given":            {pic("own"), nil, nil, nil, true},
		"one by its id":               {pic("own"), pic("a"), nil, pic("a"), true},
		"one by its URL":              {pic("own"), nil, pic("a"), pic("a"), true},
		"its own, twice":              {pic("own"), pic("own"), pic("own"), pic("own"), true},
		"another id besides its own":  {pic("own"), pic("a"), pic("own"), pic("a"), true},
		"another URL besides its own": {pic("own"), pic("own"), pic("a"), pic("a"), true},
		"the same by both":            {pic("own"), pic("a"), pic("a"), pic("a"), true},
		"two others":                  {pic("own"), pic("a"), pic("b"), nil, false},
		"two on a slide without one":  {nil, pic("a"), pic("b"), nil, false},
	} {
		got, ok := oneImage(c.own, c.byID, c.byURL)
		if ok != c.ok || ok && cmp.Diff(c.want, got) != "" {
			t.Errorf("%s: %v, %v", why, got, ok)
		}
	}
}
