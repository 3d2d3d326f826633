// SPDX-License-Identifier: Apache-2.0

package operation_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/reelops/reelops/apiserver/operation"
	"github.com/reelops/reelops/apiserver/ops"
	"github.com/reelops/reelops/apiserver/problem"
)

type order struct {
	ID     operation.ID   `json:"id" doc:"Of the order."`
	Kind   string         `json:"kind,omitempty" enum:"small,large"`
	Count  int            `json:"count,omitempty" minimum:"1" maximum:"12"`
	Colour string         `json:"colour,omitempty" pattern:"^#[0-9a-f]{6}$" doc:"#rrggbb."`
	At     *time.Time     `json:"at,omitempty"`
	Name   string         `json:"name,omitempty" minLength:"1" maxLength:"5"`
	Extra  bool           `json:"extra,omitempty"`
	Lines  []operation.ID `json:"lines,omitempty" maxItems:"30"`
}

// refusals returns the field and the message of every problem of a body.
func refusals(t *testing.T, doc string) [][2]string {
	t.Helper()
	_, _, err := operation.Reading[struct{ Body order }]()("", []byte(doc))
	if err == nil {
		return nil
	}
	var p *problem.Problem
	if !errors.As(err, &p) {
		t.Fatal(err)
	}
	var out [][2]string
	for _, one := range append([]*problem.Problem{p}, p.Also...) {
		out = append(out, [2]string{fmt.Sprint(one.Details["field"]), one.Message})
	}
	return out
}

func TestRefusal_NamesWhatIsAccepted(t *testing.T) {
	for doc, want := range map[string]string{
		`{"id":"12"}`:               "",
		`{}`:                        "id is required.",
		`{"id":"twelve"}`:           `id must be an id, a positive integer such as 123, not "twelve".`,
		`{"id":true}`:               "id must be an integer or a string of digits, not true.",
		`{"id":0}`:                  "id must be at least 1, not 0.",
		`{"id":1.5}`:                "id must be an integer, without a fraction.",
		`{"id":1,"kind":"huge"}`:    `kind must be one of small, large, not "huge".`,
		`{"id":1,"count":13}`:       "count must be from 1 to 12, not 13.",
		`{"id":1,"count":"3"}`:      "count must be an integer, not a string.",
		`{"id":1,"colour":"red"}`:   `colour must match ^#[0-9a-f]{6}$, and "red" does not. #rrggbb.`,
		`{"id":1,"at":"tomorrow"}`:  `at must be a time with its offset, such as 2026-11-21T12:00:00Z, not "tomorrow".`,
		`{"id":1,"name":""}`:        "name must not be empty.",
		`{"id":1,"name":"Gabriel"}`: "name may have 5 characters at most, not 7.",
		`{"id":1,"extra":"yes"}`:    "extra must be true or false, not a string.",
		`{"id":1,"lines":[1,"x"]}`:  `lines[1] must be an id, a positive integer such as 123, not "x".`,
		`{"id":1,"lines":{}}`:       "lines must be an array, not an object.",
		`{"id":1,"kind":"` + strings.Repeat("x", 99) + `"}`: `kind must be one of small, large, not "` + strings.Repeat("x", 59) + `…".`,
	} {
		got := refusals(t, doc)
		switch {
		case want == "" && got != nil:
			t.Errorf("%s: got error %v", doc, got)
		case want != "" && (len(got) != 1 || got[0][1] != want):
			t.Errorf("%s\n got %v\nwant %s", doc, got, want)
		}
	}
}

func TestRefusal_ReportsAllProblemsOfABody(t *testing.T) {
	got := refusals(t, `{"extra":1,"count":0,"kind":"huge","lines":[0,1,"x"]}`)
	var fields []string
	for _, r := range got {
		fields = append(fields, r[0])
	}
	if d := cmp.Diff([]string{"id", "count", "extra", "kind", "lines[0]", "lines[2]"}, fields); d != "" {
		t.Error(d)
	}
	if got := refusals(t, `{"id":1,"lines":[`+strings.Repeat("0,", 29)+`0]}`); len(got) != 20 {
		t.Errorf("got %d of 30 problems, want 20", len(got))
	}
}

func TestRefusal_LocatesWhatIsNotJSON(t *testing.T) {
	for doc, want := range map[string][2]int{
		"{\n  \"id\": 1,\n  \"kind\": small\n}": {3, 11},
		`{"ü":"ü",}`:                            {1, 10},
		"{\"id\": 1":                            {1, 9},
		"{\"id\": 1}\n {}":                      {2, 2},
		"%":                                     {1, 1},
	} {
		_, err := operation.ReadBody([]byte(doc), "application/json")
		var p *problem.Problem
		if !errors.As(err, &p) {
			t.Errorf("%q was accepted: %v", doc, err)
			continue
		}
		where := fmt.Sprintf("at line %d, column %d.", want[0], want[1])
		if p.Details["parameter"] != "body" || p.Details["line"] != want[0] || p.Details["column"] != want[1] || !strings.HasSuffix(p.Message, where) {
			t.Errorf("%q: got %s %v, want %s", doc, p.Message, p.Details, where)
		}
	}
}

func TestRefusal_NamesTheContentTypeOfALargeForm(t *testing.T) {
	_, err := operation.ReadBody(make([]byte, 2<<20), "multipart/form-data; boundary=x")
	var p *problem.Problem
	if !errors.As(err, &p) || !strings.Contains(p.Message, "Content-Type must be application/json") || !strings.Contains(p.Message, "direct_uploads") {
		t.Error(err)
	}
	_, err = operation.ReadBody(make([]byte, 2<<20), "application/json")
	if !errors.As(err, &p) || !strings.Contains(p.Message, "1 MiB") {
		t.Error(err)
	}
}

func TestRefusal_NamesTheMethodsOfAPath(t *testing.T) {
	w, _, _ := serve(t, func() error { return nil }, httptest.NewRequest(http.MethodDelete, "/api/v1/words", nil))
	e := first(t, w)
	if w.Code != http.StatusMethodNotAllowed || !strings.Contains(e.Message, "GET, HEAD") || !cmp.Equal(e.Details["allowed"], any([]any{"GET", "HEAD"})) {
		t.Errorf("%d %+v", w.Code, e)
	}
}

// What passes its schema unchanged is decoded as encoding/json decodes it.
func TestDecode_EqualsUnmarshal(t *testing.T) {
	equal[ops.CreateSlideshow](t,
		`{"context":"x"}`,
		`{"context":"x","title":null,"tags":"a,b","slide_count":5,"image_source":{"type":"pack","media_pack_id":"7"}}`,
		`{"context":"x","gradient_opacity":40.5,"gradient_enabled":true,"background_music_id":3,"slides":[{"heading":"a"},{"body":"b","textOverlays":[{"text":"c","position":{"x":50,"y":1e1}}]}]}`,
	)
	equal[ops.EditSlideshow](t,
		`{}`, `{"title":null,"caption":"x","background_music_id":null}`, `{"tags":["a","b"],"slide_order":[3,"2",1]}`, `{"slides":[]}`,
		`{"slides":[{"id":1,"textOverlays":[],"duration_seconds":null},{"id":"2","duration_seconds":3.5,"textOverlays":[{"text":"x","fontSize":84,"align":"left"}]}]}`,
	)
	equal[ops.PostRequest](t,
		`{"short_id":1,"social_data_ids":[2,"3"],"scheduled_at":"2026-11-21T12:00:00+02:00"}`,
		`{"short_id":"1","platforms":["tiktok"],"platform_customizations":{"2":{"caption":"x"},"3":{"title":"y","cover":{"offset_ms":1200}}}}`,
	)
	equal[ops.CreateVideo](t,
		`{"avatar_media_id":1,"clips":[{"media_id":2,"fit":"cover"}]}`, `{"avatar_media_id":1,"product_demo_media_ids":[2,3],"text_settings":{"position":{"x":0.5}}}`,
	)
}

// equal decodes documents in both ways.
func equal[T any](t *testing.T, docs ...string) {
	t.Helper()
	read := operation.Reading[struct{ Body T }]()
	for _, doc := range docs {
		got, ignored, err := read("", []byte(doc))
		if err != nil || len(ignored) > 0 {
			t.Errorf("%s: %v, ignored %v", doc, err, ignored)
			continue
		}
		var want T
		if err := json.Unmarshal([]byte(doc), &want); err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(want, got.Body) {
			t.Errorf("%s: %s", doc, cmp.Diff(fmt.Sprintf("%+v", want), fmt.Sprintf("%+v", got.Body)))
		}
	}
}
