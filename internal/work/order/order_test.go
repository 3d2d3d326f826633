// SPDX-License-Identifier: Apache-2.0

package order_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/reelops/reelops/internal/work/order"
)

func limits() order.Limits {
	return order.Limits{
		Deadline: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), MemoryBytes: 1 << 30, Threads: 2,
		DurationMilliseconds: 60_000, Tracks: 8,
		Pixels: 1 << 24, Side: 8192, Frames: 1000, FrameRate: 240, ThumbnailWidth: 360,
	}
}

func video() *order.Order {
	return &order.Order{
		Version: order.Version, Kind: order.ProbeVideo, ID: "x", Outcome: order.Target{URL: "http://store/outcome"},
		Input:     &order.Input{URL: "http://store/in", ContentType: "video/mp4", MaxBytes: 10},
		Thumbnail: &order.Target{URL: "http://store/out"}, Limits: limits(),
	}
}

func track() *order.Order {
	return &order.Order{
		Version: order.Version, Kind: order.StarterTrack, ID: "x", Outcome: order.Target{URL: "http://store/outcome"},
		Starter: "calm", File: &order.Target{URL: "http://store/out"},
		Limits: order.Limits{Deadline: time.Unix(1, 0).UTC(), MemoryBytes: 1, Threads: 1, DurationMilliseconds: 1, Tracks: 1},
	}
}

func spoken(kind order.Kind) *order.Order {
	o := track()
	o.Kind, o.Starter, o.Speech = kind, "", &order.Speech{Text: "Olá, <b>-f</b> 👋🏽", Language: "pt-BR", Voice: "en-us+f3"}
	if kind == order.Listen {
		o.File, o.Input, o.Speech.Voice = nil, video().Input, ""
	}
	return o
}

func TestParse_ReturnsEncodedOrder(t *testing.T) {
	for _, o := range []*order.Order{film(), video(), track(), spoken(order.Speak), spoken(order.Listen)} {
		doc, err := o.Encode()
		if err != nil {
			t.Fatal(err)
		}
		got, err := order.Parse(doc)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(o, got); d != "" {
			t.Error(d)
		}
	}
}

func TestParse_RejectsInvalidMedia(t *testing.T) {
	for name, c := range map[string]struct {
		spoil func(*order.Order)
		field string
	}{
		"no id":                        {func(o *order.Order) { o.ID = "" }, "id"},
		"no outcome target":            {func(o *order.Order) { o.Outcome.URL = "" }, "outcome.url"},
		"progress of a probe":          {func(o *order.Order) { o.ProgressURL = "http://front/p" }, "progress_url"},
		"rendering of a video as well": {func(o *order.Order) { o.Render = &order.Render{} }, "render"},
		"too many threads":             {func(o *order.Order) { o.Limits.Threads = order.MaxThreads + 1 }, "limits"},
		"no kind":                      {func(o *order.Order) { o.Kind = "" }, "kind"},
		"no input":                     {func(o *order.Order) { o.Input = nil }, "input"},
		"a starter item as well":       {func(o *order.Order) { o.Starter = "calm" }, "starter"},
		"a file as well":               {func(o *order.Order) { o.File = o.Thumbnail }, "file"},
		"a text as well":               {func(o *order.Order) { o.Speech = &order.Speech{Text: "x"} }, "speech"},
		"no thumbnail of a clip":       {func(o *order.Order) { o.Thumbnail = nil }, "thumbnail"},
		"a thumbnail of a track":       {func(o *order.Order) { o.Kind = order.ProbeAudio }, "thumbnail"},
		"an input from a file":         {func(o *order.Order) { o.Input.URL = "file:///etc/passwd" }, "input.url"},
		"an untyped input":             {func(o *order.Order) { o.Input.ContentType = "" }, "input.content_type"},
		"an input without a limit":     {func(o *order.Order) { o.Input.MaxBytes = 0 }, "input.max_bytes"},
		"an invalid thumbnail target":  {func(o *order.Order) { o.Thumbnail.URL = "nowhere" }, "thumbnail.url"},
		"no deadline":                  {func(o *order.Order) { o.Limits.Deadline = time.Time{} }, "limits"},
		"no limit of frames":           {func(o *order.Order) { o.Limits.Frames = 0 }, "limits"},
	} {
		t.Run(name, func(t *testing.T) {
			o := video()
			c.spoil(o)
			doc, err := json.Marshal(o)
			if err != nil {
				t.Fatal(err)
			}
			_, err = order.Parse(doc)
			if err == nil || !strings.HasPrefix(err.Error(), c.field+": ") {
				t.Errorf("got %v, want an error of %s", err, c.field)
			}
			if _, again := o.Encode(); again == nil {
				t.Error("Encode accepts the order")
			}
		})
	}
}

func TestEncode_RejectsInvalidSpeech(t *testing.T) {
	for name, c := range map[string]struct {
		spoil func(*order.Order)
		field string
	}{
		"no text":       {func(o *order.Order) { o.Speech = nil }, "speech"},
		"an empty text": {func(o *order.Order) { o.Speech.Text = "" }, "speech.text"},
		"a text too long": {
			func(o *order.Order) { o.Speech.Text = strings.Repeat("é", order.MaxSpeechCharacters+1) },
			"speech.text",
		},
		"an invalid language":    {func(o *order.Order) { o.Speech.Language = "--path=/" }, "speech.language"},
		"a voice from a file":    {func(o *order.Order) { o.Speech.Voice = "../../etc/passwd" }, "speech.voice"},
		"a voice as an option":   {func(o *order.Order) { o.Speech.Voice = "-w" }, "speech.voice"},
		"no target":              {func(o *order.Order) { o.File = nil }, "file"},
		"a starter item as well": {func(o *order.Order) { o.Starter = "calm" }, "starter"},
		"a thumbnail of sound":   {func(o *order.Order) { o.Thumbnail = o.File }, "thumbnail"},
	} {
		t.Run(name, func(t *testing.T) {
			o := spoken(order.Speak)
			c.spoil(o)
			if _, err := o.Encode(); err == nil || !strings.HasPrefix(err.Error(), c.field+": ") {
				t.Errorf("got %v, want an error of %s", err, c.field)
			}
		})
	}
	o := spoken(order.Listen)
	o.Speech.Voice = "slt"
	if _, err := o.Encode(); err == nil {
		t.Error("a voice for listen is accepted")
	}
}

func passages(kind order.Kind) *order.Order {
	o := spoken(kind)
	for _, text := range []string{"One.", "Two."} {
		p := order.Passage{ID: "speech-" + text, Speech: *o.Speech, Input: o.Input, File: o.File}
		p.Text = text
		o.Passages = append(o.Passages, p)
	}
	o.Speech, o.Input, o.File = nil, nil, nil
	return o
}

func TestEncode_ChecksPassages(t *testing.T) {
	for _, kind := range []order.Kind{order.Speak, order.Listen} {
		doc, err := passages(kind).Encode()
		if err != nil {
			t.Fatal(err)
		}
		got, err := order.Parse(doc)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(passages(kind), got); d != "" {
			t.Error(d)
		}
	}
	for name, c := range map[string]struct {
		spoil func(*order.Order)
		field string
	}{
		"a text as well":    {func(o *order.Order) { o.Speech = &order.Speech{Text: "x"} }, "passages"},
		"of a clip":         {func(o *order.Order) { o.Kind = order.ProbeVideo }, "passages"},
		"more than slides":  {func(o *order.Order) { o.Passages = make([]order.Passage, order.MaxPassages+1) }, "passages"},
		"no target":         {func(o *order.Order) { o.Passages[1].File = nil }, "passages[1].file"},
		"an input of speak": {func(o *order.Order) { o.Passages[0].Input = &order.Input{} }, "passages[0].input"},
		"an id twice":       {func(o *order.Order) { o.Passages[1].ID = o.Passages[0].ID }, "passages[1].id"},
		"an empty text":     {func(o *order.Order) { o.Passages[1].Text = "" }, "passages[1].text"},
		"a text too long": {func(o *order.Order) {
			o.Passages[0].Text = strings.Repeat("é", order.MaxPassageCharacters+1)
		}, "passages[0].text"},
		"a voice as an option": {func(o *order.Order) { o.Passages[0].Voice = "-w" }, "passages[0].voice"},
	} {
		o := passages(order.Speak)
		c.spoil(o)
		if _, err := o.Encode(); err == nil || !strings.HasPrefix(err.Error(), c.field+": ") {
			t.Errorf("%s: got %v, want an error of %s", name, err, c.field)
		}
	}
}

func TestParse_IsStrict(t *testing.T) {
	doc, err := video().Encode()
	if err != nil {
		t.Fatal(err)
	}
	for name, s := range map[string]string{
		"an unknown field":  strings.Replace(string(doc), `"id"`, `"name"`, 1),
		"a second document": string(doc) + "{}",
		"truncated":         string(doc[:len(doc)-1]),
		"too long":          string(doc[:len(doc)-1]) + strings.Repeat(" ", order.MaxBytes) + "}",
	} {
		if _, err := order.Parse([]byte(s)); err == nil {
			t.Errorf("%s is accepted", name)
		}
	}
}

func film() *order.Order {
	return &order.Order{
		Version: order.Version, ID: "tea-a1", Kind: order.Film, Outcome: order.Target{URL: "http://store/outcome"},
		ProgressURL: "http://front/p?sig=z",
		Render: &order.Render{
			Timeline: json.RawMessage(`{"version":1}`),
			Inputs: map[string]order.File{"bg": {
				URL: "https://store/bg?sig=x", SHA256: strings.Repeat("0a", 32),
				MaxBytes: 1 << 20,
			}},
			Video:  order.Target{URL: "http://store/out?sig=y", Headers: map[string]string{"x-a": "b"}},
			Poster: &order.Target{URL: "http://store/p"},
			Pack:   &order.Pack{URL: "http://store/pack", Keep: &order.Target{URL: "http://store/pack"}},
		},
		Limits: order.Limits{Deadline: time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC), MemoryBytes: 1 << 30, Threads: 2},
	}
}

func TestEncode_RejectsInvalidFilms(t *testing.T) {
	set := func(change func(*order.File)) func(*order.Order) {
		return func(o *order.Order) { in := o.Render.Inputs["bg"]; change(&in); o.Render.Inputs["bg"] = in }
	}
	for name, tc := range map[string]struct {
		spoil func(*order.Order)
		field string
	}{
		"another version": {func(o *order.Order) { o.Version = 3 }, "version"},
		"a file URL":      {set(func(i *order.File) { i.URL = "file:///etc/passwd" }), "inputs.bg.url"},
		"no host":         {set(func(i *order.File) { i.URL = "http:///x" }), "inputs.bg.url"},
		"a short digest":  {set(func(i *order.File) { i.SHA256 = "abc" }), "inputs.bg.sha256"},
		"an upper digest": {set(func(i *order.File) { i.SHA256 = strings.Repeat("0A", 32) }), "inputs.bg.sha256"},
		"no size limit":   {set(func(i *order.File) { i.MaxBytes = 0 }), "inputs.bg.max_bytes"},
		"a huge input":    {set(func(i *order.File) { i.MaxBytes = order.MaxFileBytes + 1 }), "inputs.bg.max_bytes"},
		"too many inputs": {func(o *order.Order) {
			for n := range order.MaxFiles {
				o.Render.Inputs[fmt.Sprint(n)] = o.Render.Inputs["bg"]
			}
		}, "inputs"},
		"no timeline":              {func(o *order.Order) { o.Render.Timeline = nil }, "timeline"},
		"no video target":          {func(o *order.Order) { o.Render.Video.URL = "" }, "video.url"},
		"an invalid poster target": {func(o *order.Order) { o.Render.Poster.URL = "ftp://store/p" }, "poster.url"},
		"an invalid pack target":   {func(o *order.Order) { o.Render.Pack.Keep.URL = "here" }, "pack.keep.url"},
		"an invalid progress URL":  {func(o *order.Order) { o.ProgressURL = "here" }, "progress_url"},
		"no outcome target":        {func(o *order.Order) { o.Outcome.URL = "" }, "outcome.url"},
		"no memory":                {func(o *order.Order) { o.Limits.MemoryBytes = -1 }, "limits"},
		"too many threads":         {func(o *order.Order) { o.Limits.Threads = 65 }, "limits"},
		"media work as well":       {func(o *order.Order) { o.Starter = "calm" }, "render"},
	} {
		o := film()
		tc.spoil(o)
		_, err := o.Encode()
		var e *order.Error
		if !errors.As(err, &e) || e.Field != tc.field {
			t.Errorf("%s: got %v, want an error of %s", name, err, tc.field)
		} else if strings.Contains(e.Message, "etc") {
			t.Errorf("%s: the message contains the URL", name)
		}
	}
}

// TestParse_RejectsOtherVersions parses an order of the previous release and one of a later release.
func TestParse_RejectsOtherVersions(t *testing.T) {
	for _, doc := range []string{
		`{"version":1,"timeline":{},"inputs":{},"outputs":{}}`,
		`{"version":3,"kind":"film","more":1}`,
	} {
		if _, err := order.Parse([]byte(doc)); !errors.Is(err, order.ErrVersion) {
			t.Errorf("%s: got %v", doc, err)
		}
	}
}

func TestRedact(t *testing.T) {
	for in, want := range map[string]string{
		"https://user:pw@store.example:9000/secret/path?X-Signature=abc#f": "https://store.example:9000",
		"http://[::1]:80/p?s=1": "http://[::1]:80",
		"\x7f":                  "(unreadable address)",
	} {
		if got := order.Redact(in); got != want {
			t.Errorf("%q is redacted as %q, want %q", in, got, want)
		}
	}
}
