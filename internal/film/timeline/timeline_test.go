// SPDX-License-Identifier: Apache-2.0

package timeline

import (
	"encoding/json"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// film returns three clips, with a cut, a cross-fade, a zoom and music.
func film() *Timeline {
	return &Timeline{
		Version: Version, Canvas: Canvas{1080, 1920}, FPS: 30,
		Clips: []Clip{
			{Background: Background{Input: "a"}, Layer: &Layer{Input: "t1"}, Frames: 90, Motion: Motion{Kind: Still}, Transition: Transition{Kind: Cut}},
			{
				Background: Background{Input: "b.jpg", Focus: &Point{0.2, 1}}, Frames: 100,
				Motion:     Motion{Kind: SlowZoom, From: 1, To: 1.15, Focus: &Point{0.5, 0.3}},
				Transition: Transition{Kind: Crossfade, Frames: 9},
			},
			{Background: Background{Input: "a"}, Frames: 110},
		},
		Audio: Audio{Kind: Music, Input: "song", Loop: true, FadeOutFrames: 45},
	}
}

// withFootage sets footage for a timeline's first clip, with texts that appear over it.
func withFootage(f *Timeline) *Clip {
	c := &f.Clips[0]
	c.Background = Background{}
	c.Footage = &Footage{Input: "clip", ContentType: "video/mp4", Frames: 40, Sound: true}
	word := func(key string, from, to int) Spot { return Spot{Layer{Input: key, X: 100, Y: 300}, from, to} }
	c.Spots = []Spot{word("one", 5, 20), word("two", 20, 30), word("one", 30, 40), word("last", 60, 90)}
	f.Audio.Voices = []Voice{{Input: "voice", At: 5}}
	return c
}

// withInset sets trimmed footage for a timeline's first clip, shown uncropped, with a speaker in an inset.
func withInset(f *Timeline) *Clip {
	c := withFootage(f)
	c.Footage.Start, c.Footage.Fit, c.Footage.Sound = 25, FitAuto, false
	c.Inset = &Inset{
		Footage: Footage{Input: "talk", ContentType: "video/webm", Start: 7, Frames: 50, Focus: &Point{0.5, 0.3}},
		X:       60, Y: 1200, Width: 400, Height: 500, Radius: 40, Shown: 70,
	}
	f.Audio.Voices = append(f.Audio.Voices, Voice{Input: "talk", ContentType: "video/webm", At: 0})
	return c
}

func TestValidate(t *testing.T) {
	if err := film().Validate(); err != nil {
		t.Fatal(err)
	}
	f := film()
	withFootage(f)
	if err := f.Validate(); err != nil {
		t.Fatal(err)
	}
	f = film()
	withInset(f)
	if err := f.Validate(); err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct {
		spoil func(*Timeline)
		field string
		says  string
	}{
		"another version":          {func(f *Timeline) { f.Version = 2 }, "version", "version 1, not 2"},
		"odd width":                {func(f *Timeline) { f.Canvas.Width = 1081 }, "canvas.width", "even number"},
		"huge height":              {func(f *Timeline) { f.Canvas.Height = 4098 }, "canvas.height", "16 to 4096"},
		"no frame rate":            {func(f *Timeline) { f.FPS = 0 }, "fps", "1 to 60"},
		"no clips":                 {func(f *Timeline) { f.Clips = nil; f.Audio = Audio{} }, "clips", "at least one"},
		"too many clips":           {func(f *Timeline) { f.Clips = make([]Clip, 61); f.Audio.FadeOutFrames = 0 }, "clips", "at most 60"},
		"an empty clip":            {func(f *Timeline) { f.Clips[0].Frames = 0 }, "clips[0].frames", "1 to 36000"},
		"too long in total":        {func(f *Timeline) { f.Clips[0].Frames = 18000 }, "clips", "18000 frames"},
		"no background":            {func(f *Timeline) { f.Clips[1].Background.Input = "" }, "clips[1].background.input", "named by"},
		"a path as an input":       {func(f *Timeline) { f.Clips[1].Background.Input = "../etc/passwd" }, "clips[1].background.input", "named by"},
		"an option as an input":    {func(f *Timeline) { f.Audio.Input = "-i" }, "audio.input", "named by"},
		"focus outside":            {func(f *Timeline) { f.Clips[1].Background.Focus.X = 1.1 }, "clips[1].background.focus.x", "0 to 1"},
		"layer outside":            {func(f *Timeline) { f.Clips[0].Layer.X = 1080 }, "clips[0].layer", "inside the canvas"},
		"unknown motion":           {func(f *Timeline) { f.Clips[1].Motion.Kind = "spin" }, "clips[1].motion.kind", `not "spin"`},
		"zoom out of the frame":    {func(f *Timeline) { f.Clips[1].Motion.From = 0.9 }, "clips[1].motion.from", "1 to 4"},
		"zoom to no number":        {func(f *Timeline) { f.Clips[1].Motion.To = math.NaN() }, "clips[1].motion.to", "1 to 4"},
		"a cut with frames":        {func(f *Timeline) { f.Clips[0].Transition.Frames = 3 }, "clips[0].transition.frames", "has no frames"},
		"a fade without frames":    {func(f *Timeline) { f.Clips[1].Transition.Frames = 0 }, "clips[1].transition.frames", "1 to 150"},
		"a fade into nothing":      {func(f *Timeline) { f.Clips[2].Transition = Transition{Crossfade, 9} }, "clips[2].transition.kind", "no next clip"},
		"unknown transition":       {func(f *Timeline) { f.Clips[1].Transition.Kind = "wipe" }, "clips[1].transition.kind", `not "wipe"`},
		"fades eat a clip":         {func(f *Timeline) { f.Clips[0].Transition = Transition{Crossfade, 100}; f.Clips[1].Frames = 55 }, "clips[1].transition.frames", "55 of its 55"},
		"music without a file":     {func(f *Timeline) { f.Audio.Input = "" }, "audio.input", "named by"},
		"silence with a file":      {func(f *Timeline) { f.Audio.Kind = NoAudio }, "audio.input", "has no music"},
		"fade-out too long":        {func(f *Timeline) { f.Audio.FadeOutFrames = 301 }, "audio.fade_out_frames", "300 frames"},
		"a voice without a file":   {func(f *Timeline) { f.Audio.Voices = []Voice{{At: 3}} }, "audio.voices[0].input", "named by"},
		"a voice after the end":    {func(f *Timeline) { f.Audio.Voices = []Voice{{Input: "v", At: 300}} }, "audio.voices[0].at", "300 frames"},
		"too many voices":          {func(f *Timeline) { f.Audio.Voices = make([]Voice, 61) }, "audio.voices", "at most 60"},
		"footage without a file":   {func(f *Timeline) { withFootage(f).Footage.Input = "" }, "clips[0].footage.input", "named by"},
		"footage of another type":  {func(f *Timeline) { withFootage(f).Footage.ContentType = "application/x-mpegurl" }, "clips[0].footage.content_type", "video/mp4, video/webm, video/quicktime"},
		"footage of no frames":     {func(f *Timeline) { withFootage(f).Footage.Frames = 0 }, "clips[0].footage.frames", "1 to 108000"},
		"footage beside a picture": {func(f *Timeline) { withFootage(f).Background.Input = "a" }, "clips[0].background", "either"},
		"footage that zooms":       {func(f *Timeline) { withFootage(f).Motion = Motion{Kind: SlowZoom, From: 1, To: 1.1} }, "clips[0].motion.kind", "moves by itself"},
		"footage seen from afar":   {func(f *Timeline) { withFootage(f).Footage.Focus = &Point{0, -1} }, "clips[0].footage.focus.y", "0 to 1"},
		"footage before its file":  {func(f *Timeline) { withInset(f).Footage.Start = -1 }, "clips[0].footage.start", "0 to 107960 frames into its file, not -1"},
		"footage after all files":  {func(f *Timeline) { withInset(f).Footage.Start = 107961 }, "clips[0].footage.start", "not 107961"},
		"footage that fits oddly":  {func(f *Timeline) { withInset(f).Footage.Fit = "stretch" }, "clips[0].footage.fit", `cover, contain or auto, not "stretch"`},
		"a voice of a playlist":    {func(f *Timeline) { withInset(f); f.Audio.Voices[1].ContentType = "text/plain" }, "audio.voices[1].content_type", "not \"text/plain\""},
		"an inset without a file":  {func(f *Timeline) { withInset(f).Inset.Input = "" }, "clips[0].inset.input", "named by"},
		"an inset of a type":       {func(f *Timeline) { withInset(f).Inset.ContentType = "image/png" }, "clips[0].inset.content_type", "video/mp4"},
		"an inset of no frames":    {func(f *Timeline) { withInset(f).Inset.Frames = 0 }, "clips[0].inset.frames", "1 to 108000"},
		"an inset before its file": {func(f *Timeline) { withInset(f).Inset.Start = -7 }, "clips[0].inset.start", "not -7"},
		"an inset's focus":         {func(f *Timeline) { withInset(f).Inset.Focus.X = 7 }, "clips[0].inset.focus.x", "0 to 1"},
		"an inset that is whole":   {func(f *Timeline) { withInset(f).Inset.Fit = FitAuto }, "clips[0].inset.fit", `cover, not "auto"`},
		"an inset that is heard":   {func(f *Timeline) { withInset(f).Inset.Sound = true }, "clips[0].inset.sound", "add a voice"},
		"an inset of odd width":    {func(f *Timeline) { withInset(f).Inset.Width = 401 }, "clips[0].inset", "even numbers of at least 16 pixels, not 401 by 500"},
		"an inset of no height":    {func(f *Timeline) { withInset(f).Inset.Height = 0 }, "clips[0].inset", "not 400 by 0"},
		"an inset at an odd place": {func(f *Timeline) { withInset(f).Inset.Y = 1201 }, "clips[0].inset", "at 60, 1201"},
		"an inset to the left":     {func(f *Timeline) { withInset(f).Inset.X = -2 }, "clips[0].inset", "inside the canvas"},
		"an inset to the right":    {func(f *Timeline) { withInset(f).Inset.X = 682 }, "clips[0].inset", "at 682, 1200"},
		"an inset that is too low": {func(f *Timeline) { withInset(f).Inset.Y = 1422 }, "clips[0].inset", "at 60, 1422"},
		"an inset that is a ball":  {func(f *Timeline) { withInset(f).Inset.Radius = 201 }, "clips[0].inset.radius", "0 to 200 pixels"},
		"a hollow inset":           {func(f *Timeline) { withInset(f).Inset.Radius = -1 }, "clips[0].inset.radius", "not -1"},
		"an inset that is unseen":  {func(f *Timeline) { withInset(f).Inset.Shown = 0 }, "clips[0].inset.shown", "1 to the 90 frames"},
		"an inset for too long":    {func(f *Timeline) { withInset(f).Inset.Shown = 91 }, "clips[0].inset.shown", "not 91"},
		"a spot without a file":    {func(f *Timeline) { withFootage(f).Spots[1].Input = "" }, "clips[0].spots[1].input", "named by"},
		"a spot outside":           {func(f *Timeline) { withFootage(f).Spots[1].Y = 1920 }, "clips[0].spots[1]", "inside the canvas"},
		"a spot of no time":        {func(f *Timeline) { withFootage(f).Spots[1].To = 20 }, "clips[0].spots[1].from", "from 20 to 20"},
		"a spot before its clip":   {func(f *Timeline) { withFootage(f).Spots[0].From = -1 }, "clips[0].spots[0].from", "within the 90 frames"},
		"a spot after its clip":    {func(f *Timeline) { withFootage(f).Spots[0].To = 91 }, "clips[0].spots[0].from", "from 5 to 91"},
		"too many spots":           {func(f *Timeline) { f.Clips[2].Spots = make([]Spot, 401) }, "clips[2].spots", "at most 400"},
	} {
		t.Run(name, func(t *testing.T) {
			f := film()
			tc.spoil(f)
			errs := FieldErrors(f.Validate())
			for _, e := range errs {
				if e.Field == tc.field && strings.Contains(e.Message, tc.says) {
					return
				}
			}
			t.Errorf("got %v, want field %s with %q", errs, tc.field, tc.says)
		})
	}
}

func TestValidate_ReportsAllErrors(t *testing.T) {
	f := film()
	f.FPS, f.Clips[0].Frames, f.Audio.Kind = 0, -1, "noise"
	if got := len(FieldErrors(f.Validate())); got != 3 {
		t.Errorf("got %d errors, want 3: %v", got, f.Validate())
	}
}

func TestParse(t *testing.T) {
	f := film()
	withInset(f)
	doc, err := json.Marshal(f)
	if err != nil {
		t.Fatal(err)
	}
	got, err := Parse(doc)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(f, got); d != "" {
		t.Error(d)
	}
	for name, bad := range map[string]string{
		"an unknown field":     strings.Replace(string(doc), `"fps"`, `"speed":2,"fps"`, 1),
		"two documents":        string(doc) + string(doc),
		"a truncated document": string(doc[:len(doc)/2]),
		"an invalid timeline":  strings.Replace(string(doc), `"fps":30`, `"fps":300`, 1),
		"a large document":     string(doc) + strings.Repeat(" ", MaxDocumentBytes),
	} {
		if _, err := Parse([]byte(bad)); err == nil {
			t.Errorf("%s is accepted", name)
		}
	}
}

func TestInputs(t *testing.T) {
	list := func(f *Timeline) (got []string) {
		for field, key := range f.Inputs() {
			got = append(got, field+"="+key)
		}
		return got
	}
	want := []string{
		"clips[0].background.input=a", "clips[0].layer.input=t1", "clips[1].background.input=b.jpg",
		"clips[2].background.input=a", "audio.input=song",
	}
	if d := cmp.Diff(want, list(film())); d != "" {
		t.Error(d)
	}
	f := film()
	withFootage(f)
	want = []string{
		"clips[0].footage.input=clip", "clips[0].layer.input=t1", "clips[0].spots[0].input=one", "clips[0].spots[1].input=two",
		"clips[0].spots[2].input=one", "clips[0].spots[3].input=last", "clips[1].background.input=b.jpg", "clips[2].background.input=a",
		"audio.input=song", "audio.voices[0].input=voice",
	}
	if d := cmp.Diff(want, list(f)); d != "" {
		t.Error(d)
	}
	withInset(f)
	want = slices.Insert(want, 1, "clips[0].inset.input=talk")
	want = append(want, "audio.voices[1].input=talk")
	if d := cmp.Diff(want, list(f)); d != "" {
		t.Error(d)
	}
	for n := range want { // yield is not called again after an early stop
		for field := range f.Inputs() {
			if n--; n < 0 {
				break
			}
			_ = field
		}
	}
}

func TestShots(t *testing.T) {
	f := film()
	shots := f.Shots()
	if len(shots) != 300 || f.Frames() != 300 || f.Duration() != 10*time.Second {
		t.Fatalf("got %d shots, %d frames, %s: fades must not change the total", len(shots), f.Frames(), f.Duration())
	}
	var keys []int
	for n, s := range shots {
		if s.Key {
			keys = append(keys, n)
		}
		inFade := n >= 185 && n < 194 // 5 frames of the second clip's time, 4 of the third's
		if inFade != (s.Mix > 0) || s.Mix < 0 || s.Mix >= 1 {
			t.Errorf("frame %d is mixed by %v", n, s.Mix)
		}
		if inFade && (s.A.Clip != 1 || s.B.Clip != 2 || math.Abs(s.Mix-float64(n-184)/10) > 1e-12) {
			t.Errorf("frame %d: got %+v", n, s)
		}
	}
	if want := []int{0, 90, 194}; !cmp.Equal(keys, want) {
		t.Errorf("got key frames %v, want %v", keys, want)
	}
	if !shots[0].Same(shots[89]) || shots[90].Same(shots[91]) || !shots[194].Same(shots[299]) {
		t.Error("stills must repeat and zooms must not")
	}
	if first, last := shots[90].A.Progress, shots[193].A.Progress; first != 0 || last != 1 {
		t.Errorf("the zoom runs from %v to %v, want 0 to 1 over all its visible frames", first, last)
	}
	step := shots[101].A.Progress - shots[100].A.Progress
	for n := 91; n < 194; n++ {
		if d := shots[n].A.Progress - shots[n-1].A.Progress; math.Abs(d-step) > 1e-9 {
			t.Fatalf("the zoom jumps by %v at frame %d, want %v", d, n, step)
		}
	}
}
