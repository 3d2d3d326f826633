// SPDX-License-Identifier: Apache-2.0

package render

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/reelops/reelops/internal/film/timeline"
)

func TestFacts(t *testing.T) {
	plain := colour{matrix: "709"}
	for name, tc := range map[string]struct {
		speechLike string
		want       facts
	}{
		"no metadata, small":   {`"width":640,"height":480,"pix_fmt":"yuv420p"`, facts{width: 640, height: 480, colour: colour{matrix: "170m"}}},
		"no metadata, large":   {`"width":720,"height":1280,"pix_fmt":"yuv420p","color_space":"unknown"`, facts{width: 720, height: 1280, colour: plain}},
		"unknown values":       {`"width":1920,"height":1080,"color_space":"ictcp","color_transfer":"log100","color_primaries":"film"`, facts{width: 1920, height: 1080, colour: plain}},
		"red, green, blue":     {`"width":1920,"height":1080,"pix_fmt":"gbrp","color_space":"gbr"`, facts{width: 1920, height: 1080, colour: colour{matrix: "gbr", full: true}}},
		"not red, green, blue": {`"width":1920,"height":1080,"pix_fmt":"yuv444p","color_space":"gbr"`, facts{width: 1920, height: 1080, colour: plain}},
		"HDR of a phone": {
			`"width":1920,"height":1080,"pix_fmt":"yuv420p10le","color_range":"tv","color_space":"bt2020nc","color_transfer":"arib-std-b67","color_primaries":"bt2020","side_data_list":[{"rotation":-90},{"dv_profile":8}]`,
			facts{width: 1080, height: 1920, colour: colour{light: hybrid, gamut: wide, matrix: "2020_ncl", deep: true}},
		},
		"HDR with little metadata": {`"width":3840,"height":2160,"pix_fmt":"yuv420p10le","color_transfer":"smpte2084"`, facts{width: 3840, height: 2160, colour: colour{light: perceptual, gamut: wide, matrix: "2020_ncl", deep: true}}},
		"wide pixels, turned":      {`"width":720,"height":576,"sample_aspect_ratio":"64:45","field_order":"tb","side_data_list":[{"rotation":90}]`, facts{width: 576, height: 1024, interlaced: true, colour: colour{matrix: "170m"}}},
		"impossible pixels":        {`"width":720,"height":576,"sample_aspect_ratio":"1:4000","field_order":"progressive"`, facts{width: 720, height: 576, colour: colour{matrix: "170m"}}},
		"no pixels":                {`"width":720,"height":576,"sample_aspect_ratio":"0:0"`, facts{width: 720, height: 576, colour: colour{matrix: "170m"}}},
		"transparent":              {`"width":64,"height":64,"codec_name":"vp9","pix_fmt":"yuv420p","tags":{"alpha_mode":"1"}`, facts{width: 64, height: 64, codec: "vp9", transparent: true, colour: colour{matrix: "170m"}}},
		"tiny":                     {`"width":64,"height":8,"pix_fmt":"yuvj420p"`, facts{width: 64, height: 8, small: true, colour: colour{matrix: "170m", full: true}}},
	} {
		var s stream
		if err := json.Unmarshal([]byte("{"+tc.speechLike+"}"), &s); err != nil {
			t.Fatal(err)
		}
		got, sentence := s.facts()
		if sentence != "" || *got != tc.want {
			t.Errorf("%s: got %+v %s, want %+v", name, *got, sentence, tc.want)
		}
	}
	for speechLike, want := range map[string]string{
		`{"width":0,"height":5}`: "no size",
		`{"width":1920,"height":1080,"side_data_list":[{"dv_profile":5}]}`: "Dolby Vision",
	} {
		var s stream
		if err := json.Unmarshal([]byte(speechLike), &s); err != nil {
			t.Fatal(err)
		}
		if _, sentence := s.facts(); !strings.Contains(sentence, want) {
			t.Errorf("%s: got %q, want %q", speechLike, sentence, want)
		}
	}
}

// FuzzFilters uses arbitrary metadata: the filters contain only constant words and numbers.
func FuzzFilters(f *testing.F) {
	f.Add(`{"width":640,"height":480,"pix_fmt":"yuv420p","color_space":"bt709,movie=/etc/passwd","sample_aspect_ratio":"1:1,x","field_order":"tt"}`, 0.5, 1.0, 0, false)
	f.Add(`{"width":8,"height":8,"pix_fmt":"gbrp","color_transfer":"smpte2084","tags":{"alpha_mode":"1"}}`, -1e300, 1e300, 0, true)
	f.Add(`{"width":1920,"height":1080,"pix_fmt":"yuv420p"}`, 0.5, 0.5, 300, true)
	allowed := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("=:,.'()*/-+_[];", r)
	}
	f.Fuzz(func(t *testing.T, speechLike string, x, y float64, start int, whole bool) {
		var s stream
		if json.Unmarshal([]byte(speechLike), &s) != nil {
			return
		}
		known, sentence := s.facts()
		if sentence != "" {
			return
		}
		table := ""
		if known.colour.needsTable() {
			table = "colour-0.cube"
		}
		shown := showing{facts: known, area: timeline.Canvas{Width: 1080, Height: 1920}, fps: 30, start: start, first: x, whole: whole, focus: timeline.Point{X: x, Y: y}}
		chain := shown.filters(table)
		if i := strings.IndexFunc(chain, func(r rune) bool { return !allowed(r) }); i >= 0 {
			t.Errorf("%q is in %s", chain[i], chain)
		}
		for _, known := range []string{"movie", "passwd", "file=/"} {
			if strings.Contains(chain, known) {
				t.Errorf("%s is in %s", known, chain)
			}
		}
	})
}

func TestBestPlace(t *testing.T) {
	flat := func(n int) []float64 {
		p := make([]float64, n)
		for i := range p {
			p[i] = 10
		}
		return p
	}
	with := func(from, to int, v float64) []float64 {
		p := flat(100)
		for i := from; i < to; i++ {
			p[i] = v
		}
		return p
	}
	for name, tc := range map[string]struct {
		profile      []float64
		share, usual float64
		low, high    float64
	}{
		"no detail":                 {make([]float64, 100), 0.3, 0.5, 0.5, 0.5},
		"uniform detail":            {flat(100), 0.3, 0.5, 0.5, 0.5},
		"uniform detail at the top": {flat(100), 0.5, 0.42, 0.42, 0.42},
		"a subject on the left":     {with(5, 30, 200), 0.3, 0.5, 0.15, 0.22},
		"a subject on the right":    {with(70, 98, 200), 0.3, 0.5, 0.8, 0.86},
		"a subject in the middle":   {with(40, 60, 200), 0.3, 0.5, 0.45, 0.55},
		"some detail on the left":   {with(0, 20, 11), 0.3, 0.5, 0.5, 0.5},
		"almost no crop":            {with(0, 20, 99), 1, 0.5, 0.5, 0.5},
		"a small part remains":      {with(80, 90, 200), 0.001, 0.5, 0.5, 0.5},
	} {
		if got := bestPlace(tc.profile, tc.share, tc.usual); got < tc.low || got > tc.high {
			t.Errorf("%s: got %v, want %v to %v", name, got, tc.low, tc.high)
		}
	}
}

// TestCrop_KeepsTheSubject uses a wide file with a person at one side, and one with a person above the middle.
func TestCrop_KeepsTheSubject(t *testing.T) {
	needFFmpeg(t)
	for name, tc := range map[string]struct {
		size, place string
		w, h        int
		x, y        float64 // the centre of the subject in the file, as a fraction
	}{
		"at the right of a wide image":  {"960x540", "x=700:y=170", 270, 480, 0.83, 0},
		"at the left of a wide image":   {"960x540", "x=60:y=170", 270, 480, 0.166, 0},
		"at the bottom of a tall image": {"270x960", "x=35:y=720", 270, 336, 0, 0.85},
		"at the top of a tall image":    {"270x960", "x=35:y=10", 270, 336, 0, 0.114},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := t.TempDir() + "/clip.mp4"
			ffmpeg(t, "-v", "error", "-f", "lavfi", "-i", "color=c=0x607080:s="+tc.size+":r=30:d=1", "-f", "lavfi", "-i", "testsrc2=s=200x200:r=30:d=1",
				"-filter_complex", "overlay="+tc.place, "-c:v", "libx264", "-preset", "ultrafast", path)
			tl := &timeline.Timeline{Canvas: timeline.Canvas{Width: tc.w, Height: tc.h}, FPS: 30, Clips: []timeline.Clip{{}}}
			p := newProjector(tl, map[string]string{"c": path}, Options{}.withDefaults(path))
			p.begin(t.Context())
			defer p.end()
			shown, err := p.show(timeline.Footage{Input: "c", ContentType: "video/mp4", Frames: 30}, tl.Canvas)
			if err != nil {
				t.Fatal(err)
			}
			part := cover(shown.width, shown.height, tc.w, tc.h, shown.focus.X, shown.focus.Y)
			x, y := tc.x*float64(shown.width), tc.y*float64(shown.height)
			if tc.x > 0 && (part.x > x-95 || part.x+part.w < x+95) || tc.y > 0 && (part.y > y-95 || part.y+part.h < y+95) {
				t.Errorf("%+v of %d by %d is kept, and the subject is at %v, %v", part, shown.width, shown.height, x, y)
			}
		})
	}
}
