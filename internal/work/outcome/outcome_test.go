// SPDX-License-Identifier: Apache-2.0

package outcome_test

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/reelops/reelops/internal/work/order"
	"github.com/reelops/reelops/internal/work/outcome"
)

// TestEncodeMessage_OmitsWordTimesOfPassages encodes word times that do not fit in a termination message.
func TestEncodeMessage_OmitsWordTimesOfPassages(t *testing.T) {
	o := &outcome.Outcome{Version: outcome.Version, State: outcome.Succeeded, Media: &outcome.Media{}}
	for i := range int64(order.MaxPassages) {
		p := outcome.Sound{ID: "speech-0123456789abcdef", Bytes: 20 << 20, DurationMilliseconds: 180_000}
		for w := range 20 + 30*i {
			p.Words = append(p.Words, w*400, w*400+399)
		}
		o.Media.Passages = append(o.Media.Passages, p)
	}
	whole, err := o.Encode()
	if err != nil {
		t.Fatal(err)
	}
	if all, err := outcome.Parse(whole); err != nil || !cmp.Equal(all, o) {
		t.Errorf("the stored outcome differs: %v", err)
	}
	doc, err := o.EncodeMessage()
	if err != nil || len(doc) > outcome.MaxMessageBytes {
		t.Fatalf("got %d bytes, %v", len(doc), err)
	}
	if again, _ := o.Encode(); string(again) != string(whole) {
		t.Error("the termination message changed the outcome")
	}
	got, err := outcome.Parse(doc)
	if err != nil {
		t.Fatal(err)
	}
	for i, p := range got.Media.Passages {
		if all := 2 * (20 + 30*i); p.DurationMilliseconds != 180_000 || len(p.Words) != 0 && len(p.Words) != all {
			t.Errorf("passage %d has %d times of %d words", i, len(p.Words), all)
		}
	}
	if len(got.Media.Passages[0].Words) == 0 || len(got.Media.Passages[order.MaxPassages-1].Words) != 0 {
		t.Error("the omitted word times are not those of the longest passages")
	}
}

func TestEncode_RejectsInvalidPassages(t *testing.T) {
	for name, r := range map[string]*outcome.Media{
		"sound of a failed passage": {Passages: []outcome.Sound{{ID: "a", Refused: outcome.OtherLanguage, Bytes: 1}}},
		"no sound":                  {Passages: []outcome.Sound{{ID: "a"}}},
		"a sound next to passages": {
			Passages: []outcome.Sound{{ID: "a", Refused: outcome.OtherLanguage}}, Bytes: 1,
			DurationMilliseconds: 1,
		},
		"times beyond the end": {Passages: []outcome.Sound{{
			ID: "a", Bytes: 1, DurationMilliseconds: 10,
			Words: outcome.Times{0, 20},
		}}},
		"no id":    {Passages: []outcome.Sound{{Bytes: 1, DurationMilliseconds: 1}}},
		"too many": {Passages: make([]outcome.Sound, order.MaxPassages+1)},
	} {
		if _, err := (&outcome.Outcome{Version: outcome.Version, State: outcome.Succeeded, Media: r}).Encode(); err == nil {
			t.Errorf("%s is accepted", name)
		}
	}
}

// TestEncodeMessage_FitsTheLongestText encodes the word times of the longest text in the longest sound.
func TestEncodeMessage_FitsTheLongestText(t *testing.T) {
	r := outcome.Media{
		ContentType: "video/quicktime", Bytes: 1 << 39, DurationMilliseconds: 600_000,
		AudioCodec: "pcm_s16le",
	}
	for i := range int64(order.MaxSpeechCharacters) {
		r.Words = append(r.Words, i*2000, i*2000+1999)
	}
	o := &outcome.Outcome{
		Version: outcome.Version, State: outcome.Succeeded, Media: &r,
		Unconfined: []string{"landlock", "seccomp"},
	}
	doc, err := o.EncodeMessage()
	if err != nil {
		t.Fatal(err)
	}
	got, err := outcome.Parse(doc)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(o, got); d != "" {
		t.Error(d)
	}
}

// TestEncodeMessage_OmitsWordTimesOfALongText encodes word times of a single text that do not fit.
func TestEncodeMessage_OmitsWordTimesOfALongText(t *testing.T) {
	m := result()
	m.DurationMilliseconds = 1 << 40
	for i := range int64(order.MaxPassageCharacters) {
		m.Words = append(m.Words, i<<30, i<<30)
	}
	o := &outcome.Outcome{Version: outcome.Version, Order: "tea-m1", State: outcome.Succeeded, Media: m}
	doc, err := o.EncodeMessage()
	if err != nil || len(doc) > outcome.MaxMessageBytes {
		t.Fatalf("got %d bytes, %v", len(doc), err)
	}
	got, err := outcome.Parse(doc)
	if err != nil || len(got.Media.Words) != 0 || got.Media.Bytes != m.Bytes {
		t.Errorf("got %+v, %v", got, err)
	}
	if len(m.Words) == 0 {
		t.Error("the termination message changed the outcome")
	}
}

func result() *outcome.Media {
	return &outcome.Media{
		ContentType: "video/mp4", Bytes: 1, DurationMilliseconds: 1, Width: 1, Height: 1,
		FrameRate: 30, VideoCodec: "h264", Thumbnail: true,
	}
}

func TestParse_ReturnsEncodedOutcome(t *testing.T) {
	for name, o := range map[string]*outcome.Outcome{
		"clip": {Version: outcome.Version, State: outcome.Succeeded, Media: result()},
		"track": {Version: outcome.Version, State: outcome.Succeeded, Media: &outcome.Media{
			ContentType: "audio/mpeg", Bytes: 1, DurationMilliseconds: 1, AudioCodec: "mp3",
			Loudness: &outcome.Loudness{IntegratedLUFS: -14.25},
		}},
		"failure": {
			Version: outcome.Version, State: outcome.Failed,
			Error: &outcome.Failure{Code: outcome.ValidationFailed, Reason: outcome.TooLong, Message: strings.Repeat("\x01",
				500)},
		},
	} {
		t.Run(name, func(t *testing.T) {
			doc, err := o.EncodeMessage()
			if err != nil {
				t.Fatal(err)
			}
			if len(doc) > outcome.MaxMessageBytes {
				t.Errorf("got %d bytes", len(doc))
			}
			got, err := outcome.Parse(doc)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(o, got); d != "" {
				t.Error(d)
			}
		})
	}
}

// TestEncode_RejectsInvalidOutcomes encodes outcomes that only a malicious renderer would report.
func TestEncode_RejectsInvalidOutcomes(t *testing.T) {
	ok := func(change func(*outcome.Media)) *outcome.Outcome {
		r := result()
		change(r)
		return &outcome.Outcome{Version: outcome.Version, State: outcome.Succeeded, Media: r}
	}
	no := func(f outcome.Failure) *outcome.Outcome {
		return &outcome.Outcome{Version: outcome.Version, State: outcome.Failed, Error: &f}
	}
	for name, o := range map[string]*outcome.Outcome{
		"neither": {Version: outcome.Version, State: outcome.Succeeded},
		"an unknown part of the confinement": {
			Version: outcome.Version, State: outcome.Succeeded, Media: result(),
			Unconfined: []string{"<b>"},
		},
		"a part of the confinement twice": {
			Version: outcome.Version, State: outcome.Succeeded, Media: result(),
			Unconfined: []string{"seccomp", "seccomp"},
		},
		"both": {
			Version: outcome.Version, State: outcome.Failed, Media: result(),
			Error: &outcome.Failure{Code: outcome.InternalError, Message: "x"},
		},
		"another state":               {Version: outcome.Version, State: "well", Media: result()},
		"no bytes":                    ok(func(r *outcome.Media) { r.Bytes = 0 }),
		"overflowing bytes":           ok(func(r *outcome.Media) { r.Bytes = 1 << 62 }),
		"no height":                   ok(func(r *outcome.Media) { r.Height = 0 }),
		"a frame rate of a track":     ok(func(r *outcome.Media) { r.Width, r.Height = 0, 0 }),
		"a word with markup":          ok(func(r *outcome.Media) { r.VideoCodec = "<b>" }),
		"a word too long":             ok(func(r *outcome.Media) { r.AudioCodec = strings.Repeat("x", 65) }),
		"a begin time without an end": ok(func(r *outcome.Media) { r.Words = []int64{0} }),
		"descending times":            ok(func(r *outcome.Media) { r.Words = []int64{1, 0} }),
		"times after the end":         ok(func(r *outcome.Media) { r.Words = []int64{0, 2} }),
		"an impossible level":         ok(func(r *outcome.Media) { r.Loudness = &outcome.Loudness{IntegratedLUFS: -1e9} }),
		"an unknown code":             no(outcome.Failure{Code: "quota_exceeded", Message: "x"}),
		"no message":                  no(outcome.Failure{Code: outcome.InternalError}),
		"a long message":              no(outcome.Failure{Code: outcome.InternalError, Message: strings.Repeat("x", 1001)}),
		"invalid UTF-8":               no(outcome.Failure{Code: outcome.InternalError, Message: "\xff"}),
		"a reason with spaces":        no(outcome.Failure{Code: outcome.InternalError, Message: "x", Reason: "a b"}),
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := o.Encode(); err == nil {
				t.Error("accepted")
			}
		})
	}
}

func film() *outcome.Film {
	return &outcome.Film{
		Bytes: 5, SHA256: strings.Repeat("0", 64), DurationSeconds: 3, Width: 2, Height: 2, Frames: 90,
		Probe: "h264",
	}
}

func TestFilm(t *testing.T) {
	change := func(f func(*outcome.Film)) *outcome.Outcome {
		o := &outcome.Outcome{Version: outcome.Version, Order: "tea-a1", State: outcome.Succeeded, Film: film()}
		f(o.Film)
		return o
	}
	for name, c := range map[string]struct {
		o  *outcome.Outcome
		ok bool
	}{
		"success":                 {change(func(*outcome.Film) {}), true},
		"an empty video":          {change(func(f *outcome.Film) { f.Bytes = 0 }), false},
		"no digest":               {change(func(f *outcome.Film) { f.SHA256 = "" }), false},
		"an overflowing width":    {change(func(f *outcome.Film) { f.Width = 1 << 32 }), false},
		"too many encoded frames": {change(func(f *outcome.Film) { f.Encoded = math.MaxInt }), false},
		"a negative part":         {change(func(f *outcome.Film) { f.Reused = -1 }), false},
		"an endless render":       {change(func(f *outcome.Film) { f.RenderSeconds = 1e300 }), false},
		"an endless video":        {change(func(f *outcome.Film) { f.DurationSeconds = 1e300 }), false},
		"two results": {&outcome.Outcome{
			Version: outcome.Version, State: outcome.Succeeded, Film: film(),
			Media: result(),
		}, false},
		"another version": {&outcome.Outcome{Version: 3, State: outcome.Succeeded, Film: film()}, false},
		"an invalid order ID": {&outcome.Outcome{
			Version: outcome.Version, Order: "a b", State: outcome.Succeeded,
			Film: film(),
		}, false},
	} {
		doc, err := c.o.Encode()
		if (err == nil) != c.ok {
			t.Errorf("%s: got %v", name, err)
			continue
		}
		if got, err := outcome.Parse(doc); c.ok && (err != nil || !cmp.Equal(got, c.o)) {
			t.Errorf("%s: got %+v, %v", name, got, err)
		}
	}
}

// TestEncodeMessage_FitsTheLargestFailure encodes a failure whose fields have their largest sizes.
func TestEncodeMessage_FitsTheLargestFailure(t *testing.T) {
	o := &outcome.Outcome{
		Version: outcome.Version, Order: strings.Repeat("o", 100), State: outcome.Failed, Unconfined: []string{
			"landlock",
			"seccomp",
		},
		Error: &outcome.Failure{Code: outcome.ValidationFailed, Reason: outcome.TooLong, Message: strings.Repeat("\x01",
			1000), Field: strings.Repeat("\x01", 300)},
	}
	doc, err := o.EncodeMessage()
	if err != nil || len(doc) > outcome.MaxMessageBytes {
		t.Fatalf("got %d bytes, %v", len(doc), err)
	}
	if got, err := outcome.Parse(doc); err != nil || got.Error.Code != o.Error.Code || got.Order != o.Order {
		t.Errorf("got %+v, %v", got, err)
	}
}

// TestParse_ReadsThePreviousRelease parses termination messages and reports of pods of the previous release.
func TestParse_ReadsThePreviousRelease(t *testing.T) {
	for doc, want := range map[string]*outcome.Outcome{
		`{"version":1,"state":"succeeded","result":{"bytes":5,"sha256":"` + strings.Repeat("0",
			64) + `","duration_seconds":3,"width":2,"height":2,"frames":90,"probe":"h264","encoded":0,"render_seconds":0}}`: {
			Version: outcome.Version, State: outcome.Succeeded, Film: film(),
		},
		`{"version":1,"state":"succeeded","result":{"content_type":"video/mp4","bytes":1,"duration_milliseconds":1,` +
			`"width":1,"height":1,"frame_rate":30,"video_codec":"h264","thumbnail":true}}`: {
			Version: outcome.Version, State: outcome.Succeeded, Media: result(),
		},
		`{"version":1,"state":"failed","error":{"code":"generation_failed","message":"No.","retryable":true,` +
			`"details":{"reason":"no_space","field":"inputs.a"}},"unconfined":["seccomp"]}`: {
			Version: outcome.Version, State: outcome.Failed, Unconfined: []string{"seccomp"},
			Error: &outcome.Failure{
				Code: outcome.GenerationFailed, Reason: outcome.NoSpace, Field: "inputs.a",
				Message: "No.", Retryable: true,
			},
		},
		`{"version":1,"state":"failed","error":` +
			`{"code":"validation_failed","reason":"too_long","message":"No.","retryable":false}}`: {
			Version: outcome.Version, State: outcome.Failed, Error: &outcome.Failure{
				Code:   outcome.ValidationFailed,
				Reason: outcome.TooLong, Message: "No.",
			},
		},
	} {
		got, err := outcome.Parse([]byte(doc))
		if err != nil {
			t.Errorf("%s: got %v", doc, err)
		} else if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", doc, diff)
		}
	}
	for _, doc := range []string{
		`{"version":1,"state":"succeeded"}`, `{"version":1,"state":"succeeded","result":{"bytes":5}}`,
		`{"version":1,"state":"failed","error":{"code":"x","message":"y"}}`,
		`{"version":1,"state":"succeeded","result":{"bytes":5,"more":1}}`,
	} {
		if _, err := outcome.Parse([]byte(doc)); err == nil {
			t.Errorf("%s is accepted", doc)
		}
	}
}
