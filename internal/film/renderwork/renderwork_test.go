// SPDX-License-Identifier: Apache-2.0

package renderwork

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/reelops/reelops/internal/film/timeline"
)

func order() *Order {
	return &Order{
		Version: Version, ID: "render-7-1",
		Timeline: timeline.Timeline{
			Version: timeline.Version, Canvas: timeline.Canvas{Width: 1080, Height: 1920}, FPS: 30,
			Clips: []timeline.Clip{{
				Background: timeline.Background{Input: "bg"}, Frames: 90, Motion: timeline.Motion{Kind: timeline.Still},
				Transition: timeline.Transition{Kind: timeline.Cut},
			}},
			Audio: timeline.Audio{Kind: timeline.NoAudio},
		},
		Inputs:   map[string]Input{"bg": {URL: "https://store/bg?sig=x", SHA256: strings.Repeat("0a", 32), MaxBytes: 1 << 20}},
		Outputs:  Outputs{Video: Target{URL: "http://store/out?sig=y", Headers: map[string]string{"x-a": "b"}}, Poster: &Target{URL: "http://store/p"}},
		Callback: Callback{ProgressURL: "http://front/p?sig=z", OutcomeURL: "http://front/o?sig=z"},
		Limits:   Limits{Deadline: time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC), MemoryBytes: 1 << 30, Threads: 2},
	}
}

func TestOrder(t *testing.T) {
	doc, err := order().Encode()
	if err != nil {
		t.Fatal(err)
	}
	got, err := ParseOrder(doc)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(order(), got); d != "" {
		t.Error(d)
	}
}

func TestOrderRefuses(t *testing.T) {
	set := func(change func(*Input)) func(*Order) {
		return func(o *Order) { in := o.Inputs["bg"]; change(&in); o.Inputs["bg"] = in }
	}
	for name, tc := range map[string]struct {
		spoil func(*Order)
		field string
	}{
		"another version": {func(o *Order) { o.Version = 3 }, "version"},
		"a file URL":      {set(func(i *Input) { i.URL = "file:///etc/passwd" }), "inputs.bg.url"},
		"no host":         {set(func(i *Input) { i.URL = "http:///x" }), "inputs.bg.url"},
		"a short digest":  {set(func(i *Input) { i.SHA256 = "abc" }), "inputs.bg.sha256"},
		"an upper digest": {set(func(i *Input) { i.SHA256 = strings.Repeat("0A", 32) }), "inputs.bg.sha256"},
		"no size limit":   {set(func(i *Input) { i.MaxBytes = 0 }), "inputs.bg.max_bytes"},
		"a huge input":    {set(func(i *Input) { i.MaxBytes = MaxInputBytes + 1 }), "inputs.bg.max_bytes"},
		"too many inputs": {func(o *Order) {
			for n := range MaxInputs {
				o.Inputs[fmt.Sprint(n)] = o.Inputs["bg"]
			}
		}, "inputs"},
		"no video target":  {func(o *Order) { o.Outputs.Video.URL = "" }, "outputs.video.url"},
		"a bad poster":     {func(o *Order) { o.Outputs.Poster.URL = "ftp://store/p" }, "outputs.poster.url"},
		"a bad callback":   {func(o *Order) { o.Callback.OutcomeURL = "here" }, "callback.outcome_url"},
		"negative memory":  {func(o *Order) { o.Limits.MemoryBytes = -1 }, "limits.memory_bytes"},
		"too many threads": {func(o *Order) { o.Limits.Threads = 65 }, "limits.threads"},
	} {
		o := order()
		tc.spoil(o)
		_, err := o.Encode()
		var e *Error
		if !errors.As(err, &e) || e.Field != tc.field {
			t.Errorf("%s: got %v, want a fault of %s", name, err, tc.field)
		} else if strings.Contains(e.Message, "etc") {
			t.Errorf("%s: the message repeats the address", name)
		}
	}
	for name, doc := range map[string]string{
		"unknown field": `{"version":1,"colour":"red"}`, "trailing data": `{"version":1} {}`, "no object": `[]`,
		"too large": strings.Repeat(" ", MaxOrderBytes+1),
	} {
		if _, err := ParseOrder([]byte(doc)); err == nil {
			t.Errorf("%s was accepted", name)
		}
	}
}

// TestOrderWithImpossibleFilm holds that such an order can be read: the renderer has to be able to say so to its callback.
func TestOrderWithImpossibleFilm(t *testing.T) {
	o := order()
	o.Timeline.Clips = nil
	doc, err := o.Encode()
	if err != nil {
		t.Fatal(err)
	}
	got, err := ParseOrder(doc)
	if err != nil || got.Callback != o.Callback || got.Timeline.Validate() == nil {
		t.Errorf("got %+v, %v", got, err)
	}
}

func TestOutcome(t *testing.T) {
	good := &Result{Bytes: 5, SHA256: strings.Repeat("0", 64), DurationSeconds: 3, Width: 2, Height: 2, Frames: 90, Probe: "h264"}
	bad := &Failure{Code: GenerationFailed, Message: "No.", Retryable: true, Details: map[string]string{DetailReason: ReasonNoSpace}}
	long := &Failure{Code: InternalError, Message: strings.Repeat("é", 501)}
	for name, tc := range map[string]struct {
		o  Outcome
		ok bool
	}{
		"success":             {Outcome{Version, Succeeded, good, nil, nil}, true},
		"failure":             {Outcome{Version, Failed, nil, bad, nil}, true},
		"success and failure": {Outcome{Version, Succeeded, good, bad, nil}, false},
		"failed without why":  {Outcome{Version, Failed, nil, nil, nil}, false},
		"unknown end":         {Outcome{Version, "lost", good, nil, nil}, false},
		"another version":     {Outcome{2, Succeeded, good, nil, nil}, false},
		"an empty film":       {Outcome{Version, Succeeded, &Result{SHA256: good.SHA256}, nil, nil}, false},
		"missing confinement": {Outcome{Version, Succeeded, good, nil, []string{"landlock", "seccomp"}}, true},
		"an unknown lack":     {Outcome{Version, Succeeded, good, nil, []string{"files"}}, false},
		"an unknown code":     {Outcome{Version, Failed, nil, &Failure{Code: "oops", Message: "x"}, nil}, false},
		"a long message":      {Outcome{Version, Failed, nil, long, nil}, false},
	} {
		doc, err := tc.o.Encode()
		if (err == nil) != tc.ok {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got, err := ParseOutcome(doc); tc.ok && (err != nil || !cmp.Equal(*got, tc.o)) {
			t.Errorf("%s: read back %+v, %v", name, got, err)
		}
	}
}

// TestLargestOutcomeFits holds that what may be said fits into a termination message.
func TestLargestOutcomeFits(t *testing.T) {
	f := &Failure{Code: ValidationFailed, Message: strings.Repeat("m", maxMessage), Details: map[string]string{}}
	for n := range maxDetails {
		f.Details[strings.Repeat("k", 20)+fmt.Sprint(n)] = strings.Repeat("v", maxDetail)
	}
	doc, err := (&Outcome{Version, Failed, nil, f, []string{"landlock", "seccomp"}}).Encode()
	if err != nil || len(doc) > MaxReportBytes {
		t.Errorf("%d bytes, %v", len(doc), err)
	}
}

func TestProgress(t *testing.T) {
	for doc, ok := range map[string]bool{
		`{"version":1,"percent":40,"frame":40,"frames":100,"fps":61.5}`: true,
		`{"version":1,"percent":0,"frame":0,"frames":0,"fps":0}`:        true,
		`{"version":1,"percent":100,"frame":9,"frames":9,"fps":1}`:      false,
		`{"version":1,"percent":5,"frame":10,"frames":9,"fps":1}`:       false,
		`{"version":1,"percent":5,"frame":-1,"frames":9,"fps":1}`:       false,
		`{"version":1,"percent":5,"frame":1,"frames":9,"fps":-1}`:       false,
		`{"version":9,"percent":5,"frame":1,"frames":9,"fps":1}`:        false,
		`{"version":1,"percent":5,"eta":3}`:                             false,
	} {
		if _, err := ParseProgress([]byte(doc)); (err == nil) != ok {
			t.Errorf("%s: %v", doc, err)
		}
	}
}

func TestRedact(t *testing.T) {
	for in, want := range map[string]string{
		"https://user:pw@store.example:9000/secret/path?X-Signature=abc#f": "https://store.example:9000",
		"http://[::1]:80/p?s=1": "http://[::1]:80",
		"\x7f":                  "(unreadable address)",
	} {
		if got := Redact(in); got != want {
			t.Errorf("%q is shown as %q, want %q", in, got, want)
		}
	}
}
