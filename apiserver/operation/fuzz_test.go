// SPDX-License-Identifier: Apache-2.0

package operation_test

import (
	"encoding/json"
	"errors"
	"math/big"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/reelops/reelops/apiserver/operation"
	"github.com/reelops/reelops/apiserver/ops"
	"github.com/reelops/reelops/apiserver/problem"
)

// refusal fails a test unless the error is one that callers get.
func refusal(t *testing.T, err error, of ...string) {
	t.Helper()
	var p *problem.Problem
	if !errors.As(err, &p) {
		t.Fatalf("the caller would get an internal error: %v", err)
	}
	for _, code := range of {
		if string(p.Code) == code {
			return
		}
	}
	t.Fatalf("got error %s, want one of %v: %v", p.Code, of, p)
}

func FuzzReadBody(f *testing.F) {
	for _, doc := range []string{
		``, ` `, `{}`, `null`, `[]`, `{"a":1}`, `{"a":{"a":[1,2.5,-0,1e5,null,true,"x"]}} `, `{} {}`, `{"a":`, "{\"a\":\"\xff\"}", `{"a":"\ud800"}`, `{"a":1,"a":2}`,
		strings.Repeat(`{"a":`, 10001) + "1" + strings.Repeat("}", 10001), "\ufeff{}", `{"a":1e999}`, `{"":{"":0}}`,
	} {
		f.Add([]byte(doc), "application/json")
	}
	f.Add([]byte(`{}`), "application/json; charset=UTF-8")
	f.Add([]byte(`{}`), "application/json; charset")
	f.Add([]byte(`{}`), "text/plain;;")
	f.Fuzz(func(t *testing.T, doc []byte, kind string) {
		got, err := operation.ReadBody(doc, kind)
		if err != nil {
			refusal(t, err, "bad_request")
			return
		}
		if got == nil {
			t.Fatal("neither a body nor an error")
		}
		again, err := json.Marshal(got)
		if err != nil {
			t.Fatalf("encoding the result: %v", err)
		}
		back, err := operation.ReadBody(again, "application/json")
		if err != nil {
			t.Fatalf("decoding the encoded result: %v", err)
		}
		if d := cmp.Diff(got, back); d != "" {
			t.Error(d)
		}
	})
}

func FuzzParseID(f *testing.F) {
	for _, s := range []string{"1", "0", "-1", "007", "9007199254740991", "9007199254740992", "18446744073709551617", "1.0", "1e3", " 1", "+1", "0x1", "1_000", "٣", ""} {
		f.Add(s)
	}
	most := big.NewInt(operation.MaxID)
	f.Fuzz(func(t *testing.T, s string) {
		if len(s) > 200 {
			return // the model is slow with very large numbers
		}
		got, err := operation.ParseID(s)
		digits := s != "" && strings.Trim(s, "0123456789") == ""
		n, _ := new(big.Int).SetString("0"+s, 10)
		if want := digits && n.Sign() > 0 && n.Cmp(most) <= 0; want != (err == nil) {
			t.Fatalf("%q: %d, %v", s, got, err)
		}
		if err == nil && n.Int64() != int64(got) {
			t.Fatalf("%q: %d", s, got)
		}
		var id operation.ID
		if quoted, _ := json.Marshal(s); digits && (json.Unmarshal(quoted, &id) == nil) != (err == nil) {
			t.Fatalf("%q is parsed differently in a path and in a body", s)
		}
	})
}

// filters are query parameters of every kind that operations have.
type filters struct {
	operation.Paging
	Status string     `query:"status" enum:"draft,failed"`
	After  *time.Time `query:"after"`
	Flag   *bool      `query:"flag"`
	Share  *float64   `query:"share" minimum:"0" maximum:"1"`
}

func FuzzQuery(f *testing.F) {
	for _, q := range []string{
		"", "page=1&per_page=50", "page=0", "page=9007199254740991", "page=9007199254740992", "page=1e3", "page=-0", "page=01", "per_page=99999999999999999999", "page=1&page=2",
		"status=draft", "status=Draft", "after=2026-11-21T12:00:00Z", "after=2026-11-21T12:00:00+01:00", "after=2026-11-21T12:00:00%2B14:00", "after=2026-11-21T24:00:00Z",
		"after=2016-12-31T23:59:60Z", "after=2026-02-30T00:00:00Z", "after=0000-01-01T00:00:00Z", "after=9999-12-31T23:59:59.999999999Z", "after=2026-11-21T12:00:00.Z",
		"after=2026-11-21T12:00:00,5Z", "after=2026-11-21t12:00:00z", "after=2026-11-21T12:00:00+99:99", "after=2026-11-21T12:00:00-24:00", "after=2026-11-21T1:00:00Z",
		"flag=true", "flag=1", "share=0.5", "share=.5", "share=1e-400", "share=0.00000000000000000001", "%zz", "a;b", "=", "&&", "page=%00", "status=%ff",
	} {
		f.Add(q)
	}
	read := operation.Reading[filters]()
	f.Fuzz(func(t *testing.T, q string) {
		in, _, err := read(q, nil)
		if err != nil {
			refusal(t, err, "validation_failed", "bad_request")
			return
		}
		if in.Page < 1 || in.PerPage < 1 || in.PerPage > 50 {
			t.Errorf("page %d of %d", in.Page, in.PerPage)
		}
		for _, total := range []int{0, 1, 50, 51, 1_000_000} {
			if from, to, _ := in.Of(total); from < 0 || from > to || to > total || to-from > in.PerPage {
				t.Errorf("entries %d to %d of %d", from, to, total)
			}
		}
		if in.After != nil && in.After.IsZero() && !strings.Contains(q, "0001") {
			t.Error("a time was parsed as no time")
		}
	})
}

func FuzzCreate(f *testing.F) {
	for _, doc := range []string{
		`{"context":"x"}`, `{"context":" ","slide_count":0}`, `{"context":"x","slide_count":3.0,"image_source":{"type":"pack","media_pack_id":"7"}}`,
		`{"context":"x","image_source":{"media_pack_id":7e0}}`, `{"context":"x","image_source":{"media_pack_id":"007"}}`, `{"context":"x","image_source":{"media_pack_id":9007199254740991}}`,
		`{"context":"x","image_source":{"media_pack_id":"9999999999999999"}}`, `{"context":"x","gradient_opacity":1e2,"gradient_coverage":1e-320}`, `{"context":"x","background_music_id":null,"title":null}`,
		`{"context":"x","slide_count":1e1,"gradient_color":"#ABC","tags":",,a"}`, `{"context":"\u0000"}`, `{"context":"x","auto_render":true,"unknown":{"a":[1]}}`,
	} {
		f.Add([]byte(doc))
	}
	read := operation.Reading[struct{ Body ops.CreateSlideshow }]()
	f.Fuzz(func(t *testing.T, doc []byte) {
		in, ignored, err := read("", doc)
		if err != nil {
			refusal(t, err, "validation_failed", "bad_request")
			return
		}
		if strings.TrimSpace(in.Body.Context) != in.Body.Context || in.Body.Context == "" || len(ignored) > 100 {
			t.Errorf("context %q, %d ignored", in.Body.Context, len(ignored))
		}
	})
}

func FuzzEdit(f *testing.F) {
	for _, doc := range []string{
		`{}`, `{"title":null,"caption":null}`, `{"tags":["a","b"]}`, `{"tags":"a,b"}`, `{"slides":[{"id":"1","textOverlays":[]}],"slide_order":[3,"2",1]}`,
		`{"slides":[{"id":1,"textOverlays":[{"text":"x","fontSize":1e300,"position":{"x":0.5,"y":1},"color":"red","align":"left","maxWidth":-1,"fontWeight":1e15,"strokeWidth":null}]}]}`,
		`{"slides":[{"id":1,"image_url":"https://a.example/x.jpg","media_id":"12","alt_text":""}]}`, `{"slides":[{"id":1,"textOverlays":[{"text":"x","position":null}]},{}]}`,
		`{"slides":[{"id":9999999999999999}]}`, `{"slides":[{"id":"9999999999999999"}]}`, `{"slide_order":[]}`, `{"gradient_opacity":1e-5}`,
	} {
		f.Add([]byte(doc))
	}
	read := operation.Reading[struct{ Body ops.EditSlideshow }]()
	f.Fuzz(func(t *testing.T, doc []byte) {
		if _, _, err := read("", doc); err != nil {
			refusal(t, err, "validation_failed", "bad_request")
		}
	})
}
