// SPDX-License-Identifier: Apache-2.0

package mediawork_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/reelops/reelops/internal/work/mediawork"
)

func limits() mediawork.Limits {
	return mediawork.Limits{
		Deadline: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), MemoryBytes: 1 << 30, Threads: 2, DurationMilliseconds: 60_000, Tracks: 8,
		Pixels: 1 << 24, Side: 8192, Frames: 1000, FrameRate: 240, ThumbnailWidth: 360,
	}
}

func video() *mediawork.Order {
	return &mediawork.Order{
		Version: 1, Kind: mediawork.ProbeVideo, ID: "x",
		Input:     &mediawork.Input{URL: "http://store/in", ContentType: "video/mp4", MaxBytes: 10},
		Thumbnail: &mediawork.Target{URL: "http://store/out"}, Limits: limits(),
	}
}

func track() *mediawork.Order {
	return &mediawork.Order{
		Version: 1, Kind: mediawork.StarterTrack, Starter: "calm", File: &mediawork.Target{URL: "http://store/out"},
		Limits: mediawork.Limits{Deadline: time.Unix(1, 0).UTC(), MemoryBytes: 1, Threads: 1, DurationMilliseconds: 1, Tracks: 1},
	}
}

func spoken(kind mediawork.Kind) *mediawork.Order {
	o := track()
	o.Kind, o.Starter, o.Speech = kind, "", &mediawork.Speech{Text: "Olá, <b>-f</b> 👋🏽", Language: "pt-BR", Voice: "en-us+f3"}
	if kind == mediawork.Listen {
		o.File, o.Input, o.Speech.Voice = nil, video().Input, ""
	}
	return o
}

func TestOrdersAreReadBackAsWritten(t *testing.T) {
	for _, o := range []*mediawork.Order{video(), track(), spoken(mediawork.Speak), spoken(mediawork.Listen)} {
		doc, err := o.Encode()
		if err != nil {
			t.Fatal(err)
		}
		got, err := mediawork.ParseOrder(doc)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(o, got); d != "" {
			t.Error(d)
		}
		if k := mediawork.KindOf(doc); k != o.Kind {
			t.Errorf("kind %q", k)
		}
	}
	if k := mediawork.KindOf([]byte(`{"version": 1, "timeline": {}}`)); k != "" {
		t.Errorf("the order of a render has the kind %q", k)
	}
}

func TestOrdersThatSayTooMuchOrTooLittle(t *testing.T) {
	for name, c := range map[string]struct {
		spoil func(*mediawork.Order)
		field string
	}{
		"another version":             {func(o *mediawork.Order) { o.Version = 2 }, "version"},
		"no kind":                     {func(o *mediawork.Order) { o.Kind = "" }, "kind"},
		"nothing to look at":          {func(o *mediawork.Order) { o.Input = nil }, "input"},
		"an item as well":             {func(o *mediawork.Order) { o.Starter = "calm" }, "starter"},
		"a file as well":              {func(o *mediawork.Order) { o.File = o.Thumbnail }, "file"},
		"a text as well":              {func(o *mediawork.Order) { o.Speech = &mediawork.Speech{Text: "x"} }, "speech"},
		"no thumbnail of a clip":      {func(o *mediawork.Order) { o.Thumbnail = nil }, "thumbnail"},
		"a thumbnail of a track":      {func(o *mediawork.Order) { o.Kind = mediawork.ProbeAudio }, "thumbnail"},
		"an input from a file":        {func(o *mediawork.Order) { o.Input.URL = "file:///etc/passwd" }, "input.url"},
		"an untyped input":            {func(o *mediawork.Order) { o.Input.ContentType = "" }, "input.content_type"},
		"an input without a limit":    {func(o *mediawork.Order) { o.Input.MaxBytes = 0 }, "input.max_bytes"},
		"a thumbnail to nowhere":      {func(o *mediawork.Order) { o.Thumbnail.URL = "nowhere" }, "thumbnail.url"},
		"no end":                      {func(o *mediawork.Order) { o.Limits.Deadline = time.Time{} }, "limits"},
		"a clip of any number frames": {func(o *mediawork.Order) { o.Limits.Frames = 0 }, "limits"},
	} {
		t.Run(name, func(t *testing.T) {
			o := video()
			c.spoil(o)
			doc, err := json.Marshal(o)
			if err != nil {
				t.Fatal(err)
			}
			_, err = mediawork.ParseOrder(doc)
			if err == nil || !strings.HasPrefix(err.Error(), c.field+": ") {
				t.Errorf("got %v, want a sentence about %s", err, c.field)
			}
			if _, again := o.Encode(); again == nil {
				t.Error("it can be written")
			}
		})
	}
}

func TestSpeechThatNobodyCanSay(t *testing.T) {
	for name, c := range map[string]struct {
		spoil func(*mediawork.Order)
		field string
	}{
		"no text":              {func(o *mediawork.Order) { o.Speech = nil }, "speech"},
		"an empty text":        {func(o *mediawork.Order) { o.Speech.Text = "" }, "speech.text"},
		"a text too long":      {func(o *mediawork.Order) { o.Speech.Text = strings.Repeat("é", mediawork.MaxSpeechCharacters+1) }, "speech.text"},
		"no language":          {func(o *mediawork.Order) { o.Speech.Language = "--path=/" }, "speech.language"},
		"a voice from a file":  {func(o *mediawork.Order) { o.Speech.Voice = "../../etc/passwd" }, "speech.voice"},
		"a voice as an option": {func(o *mediawork.Order) { o.Speech.Voice = "-w" }, "speech.voice"},
		"nowhere to put it":    {func(o *mediawork.Order) { o.File = nil }, "file"},
		"an item as well":      {func(o *mediawork.Order) { o.Starter = "calm" }, "starter"},
		"a thumbnail of sound": {func(o *mediawork.Order) { o.Thumbnail = o.File }, "thumbnail"},
	} {
		t.Run(name, func(t *testing.T) {
			o := spoken(mediawork.Speak)
			c.spoil(o)
			if _, err := o.Encode(); err == nil || !strings.HasPrefix(err.Error(), c.field+": ") {
				t.Errorf("got %v, want a sentence about %s", err, c.field)
			}
		})
	}
	o := spoken(mediawork.Listen)
	o.Speech.Voice = "slt"
	if _, err := o.Encode(); err == nil {
		t.Error("a voice listens")
	}
}

func passages(kind mediawork.Kind) *mediawork.Order {
	o := spoken(kind)
	for _, text := range []string{"One.", "Two."} {
		p := mediawork.Passage{ID: "speech-" + text, Speech: *o.Speech, Input: o.Input, File: o.File}
		p.Text = text
		o.Passages = append(o.Passages, p)
	}
	o.Speech, o.Input, o.File = nil, nil, nil
	return o
}

func TestPassages(t *testing.T) {
	for _, kind := range []mediawork.Kind{mediawork.Speak, mediawork.Listen} {
		doc, err := passages(kind).Encode()
		if err != nil {
			t.Fatal(err)
		}
		got, err := mediawork.ParseOrder(doc)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(passages(kind), got); d != "" {
			t.Error(d)
		}
	}
	for name, c := range map[string]struct {
		spoil func(*mediawork.Order)
		field string
	}{
		"a text as well":     {func(o *mediawork.Order) { o.Speech = &mediawork.Speech{Text: "x"} }, "passages"},
		"of a clip":          {func(o *mediawork.Order) { o.Kind = mediawork.ProbeVideo }, "passages"},
		"more than slides":   {func(o *mediawork.Order) { o.Passages = make([]mediawork.Passage, mediawork.MaxPassages+1) }, "passages"},
		"nowhere to put one": {func(o *mediawork.Order) { o.Passages[1].File = nil }, "passages[1].file"},
		"a sound to speak":   {func(o *mediawork.Order) { o.Passages[0].Input = &mediawork.Input{} }, "passages[0].input"},
		"an id twice":        {func(o *mediawork.Order) { o.Passages[1].ID = o.Passages[0].ID }, "passages[1].id"},
		"an empty text":      {func(o *mediawork.Order) { o.Passages[1].Text = "" }, "passages[1].text"},
		"a text too long": {func(o *mediawork.Order) {
			o.Passages[0].Text = strings.Repeat("é", mediawork.MaxPassageCharacters+1)
		}, "passages[0].text"},
		"a voice as an option": {func(o *mediawork.Order) { o.Passages[0].Voice = "-w" }, "passages[0].voice"},
	} {
		o := passages(mediawork.Speak)
		c.spoil(o)
		if _, err := o.Encode(); err == nil || !strings.HasPrefix(err.Error(), c.field+": ") {
			t.Errorf("%s: got %v, want a sentence about %s", name, err, c.field)
		}
	}
}

// The lengths of all passages fit an outcome whatever their texts are; times of words are left out where they do not.
func TestOutcomeOfPassages_LeavesOutWordsThatDoNotFit(t *testing.T) {
	o := &mediawork.Outcome{Version: 1, State: mediawork.Succeeded, Result: &mediawork.Result{}}
	for i := range int64(mediawork.MaxPassages) {
		p := mediawork.Sound{ID: "speech-0123456789abcdef", Bytes: 20 << 20, DurationMilliseconds: 180_000}
		for w := range 20 + 30*i {
			p.Words = append(p.Words, w*400, w*400+399)
		}
		o.Result.Passages = append(o.Result.Passages, p)
	}
	doc, err := o.Encode()
	if err != nil {
		t.Fatal(err)
	}
	got, err := mediawork.ParseOutcome(doc)
	if err != nil {
		t.Fatal(err)
	}
	for i, p := range got.Result.Passages {
		if all := 2 * (20 + 30*i); p.DurationMilliseconds != 180_000 || len(p.Words) != 0 && len(p.Words) != all {
			t.Errorf("passage %d has %d times of %d", i, len(p.Words), all)
		}
	}
	if len(got.Result.Passages[0].Words) == 0 || len(got.Result.Passages[mediawork.MaxPassages-1].Words) != 0 {
		t.Error("other words are left out than those of the longest passages")
	}
}

func TestOutcomesOfPassages_Refused(t *testing.T) {
	for name, r := range map[string]*mediawork.Result{
		"a sound that was refused": {Passages: []mediawork.Sound{{ID: "a", Refused: mediawork.OtherLanguage, Bytes: 1}}},
		"no sound":                 {Passages: []mediawork.Sound{{ID: "a"}}},
		"a sound beside":           {Passages: []mediawork.Sound{{ID: "a", Refused: mediawork.OtherLanguage}}, Bytes: 1, DurationMilliseconds: 1},
		"times beyond the end":     {Passages: []mediawork.Sound{{ID: "a", Bytes: 1, DurationMilliseconds: 10, Words: mediawork.Times{0, 20}}}},
		"no id":                    {Passages: []mediawork.Sound{{Bytes: 1, DurationMilliseconds: 1}}},
		"too many":                 {Passages: make([]mediawork.Sound, mediawork.MaxPassages+1)},
	} {
		if _, err := (&mediawork.Outcome{Version: 1, State: mediawork.Succeeded, Result: r}).Encode(); err == nil {
			t.Errorf("%s is accepted", name)
		}
	}
}

// As many words as a text can have, in a sound as long as a film can be, fit into the room there is.
func TestTheMostWordsFit(t *testing.T) {
	r := mediawork.Result{ContentType: "video/quicktime", Bytes: 1 << 39, DurationMilliseconds: 600_000, AudioCodec: "pcm_s16le"}
	for i := range int64(mediawork.MaxSpeechCharacters) {
		r.Words = append(r.Words, i*2000, i*2000+1999)
	}
	o := &mediawork.Outcome{Version: 1, State: mediawork.Succeeded, Result: &r, Unconfined: []string{"landlock", "seccomp"}}
	doc, err := o.Encode()
	if err != nil {
		t.Fatal(err)
	}
	got, err := mediawork.ParseOutcome(doc)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(o, got); d != "" {
		t.Error(d)
	}
}

func TestStrict(t *testing.T) {
	doc, err := video().Encode()
	if err != nil {
		t.Fatal(err)
	}
	for name, s := range map[string]string{
		"an unknown field":  strings.Replace(string(doc), `"id"`, `"name"`, 1),
		"a second document": string(doc) + "{}",
		"cut off":           string(doc[:len(doc)-1]),
		"too long":          string(doc[:len(doc)-1]) + strings.Repeat(" ", mediawork.MaxOrderBytes) + "}",
	} {
		if _, err := mediawork.ParseOrder([]byte(s)); err == nil {
			t.Errorf("%s is read", name)
		}
	}
}

func result() *mediawork.Result {
	return &mediawork.Result{ContentType: "video/mp4", Bytes: 1, DurationMilliseconds: 1, Width: 1, Height: 1, FrameRate: 30, VideoCodec: "h264", Thumbnail: true}
}

func TestOutcomesAreReadBackAsWritten(t *testing.T) {
	for name, o := range map[string]*mediawork.Outcome{
		"clip": {Version: 1, State: mediawork.Succeeded, Result: result()},
		"track": {Version: 1, State: mediawork.Succeeded, Result: &mediawork.Result{
			ContentType: "audio/mpeg", Bytes: 1, DurationMilliseconds: 1, AudioCodec: "mp3", Loudness: &mediawork.Loudness{IntegratedLUFS: -14.25},
		}},
		"failure": {Version: 1, State: mediawork.Failed, Error: &mediawork.Failure{Code: mediawork.ValidationFailed, Reason: mediawork.TooLong, Message: strings.Repeat("\x01", 500)}},
	} {
		t.Run(name, func(t *testing.T) {
			doc, err := o.Encode()
			if err != nil {
				t.Fatal(err)
			}
			if len(doc) > mediawork.MaxOutcomeBytes {
				t.Errorf("%d bytes", len(doc))
			}
			got, err := mediawork.ParseOutcome(doc)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(o, got); d != "" {
				t.Error(d)
			}
		})
	}
}

// What a renderer says is not believed: a file may have taken it over.
func TestOutcomesThatNobodyWouldSay(t *testing.T) {
	ok := func(change func(*mediawork.Result)) *mediawork.Outcome {
		r := result()
		change(r)
		return &mediawork.Outcome{Version: 1, State: mediawork.Succeeded, Result: r}
	}
	no := func(f mediawork.Failure) *mediawork.Outcome {
		return &mediawork.Outcome{Version: 1, State: mediawork.Failed, Error: &f}
	}
	for name, o := range map[string]*mediawork.Outcome{
		"neither":              {Version: 1, State: mediawork.Succeeded},
		"an unknown lack":      {Version: 1, State: mediawork.Succeeded, Result: result(), Unconfined: []string{"<b>"}},
		"a lack twice":         {Version: 1, State: mediawork.Succeeded, Result: result(), Unconfined: []string{"seccomp", "seccomp"}},
		"both":                 {Version: 1, State: mediawork.Failed, Result: result(), Error: &mediawork.Failure{Code: mediawork.InternalError, Message: "x"}},
		"another state":        {Version: 1, State: "well", Result: result()},
		"no bytes":             ok(func(r *mediawork.Result) { r.Bytes = 0 }),
		"overflowing bytes":    ok(func(r *mediawork.Result) { r.Bytes = 1 << 62 }),
		"half a picture":       ok(func(r *mediawork.Result) { r.Height = 0 }),
		"a rate of a track":    ok(func(r *mediawork.Result) { r.Width, r.Height = 0, 0 }),
		"a word with markup":   ok(func(r *mediawork.Result) { r.VideoCodec = "<b>" }),
		"a word too long":      ok(func(r *mediawork.Result) { r.AudioCodec = strings.Repeat("x", 65) }),
		"half a word":          ok(func(r *mediawork.Result) { r.Words = []int64{0} }),
		"words that go back":   ok(func(r *mediawork.Result) { r.Words = []int64{1, 0} }),
		"words after the end":  ok(func(r *mediawork.Result) { r.Words = []int64{0, 2} }),
		"an impossible level":  ok(func(r *mediawork.Result) { r.Loudness = &mediawork.Loudness{IntegratedLUFS: -1e9} }),
		"an unknown code":      no(mediawork.Failure{Code: "quota_exceeded", Message: "x"}),
		"nothing said":         no(mediawork.Failure{Code: mediawork.InternalError}),
		"too much said":        no(mediawork.Failure{Code: mediawork.InternalError, Message: strings.Repeat("x", 501)}),
		"no text":              no(mediawork.Failure{Code: mediawork.InternalError, Message: "\xff"}),
		"a reason with spaces": no(mediawork.Failure{Code: mediawork.InternalError, Message: "x", Reason: "a b"}),
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := o.Encode(); err == nil {
				t.Error("it can be written")
			}
		})
	}
}
