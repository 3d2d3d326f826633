// SPDX-License-Identifier: Apache-2.0

package operation

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/go-cmp/cmp"

	"github.com/reelops/reelops/apiserver/problem"
)

type kind string

func (kind) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeString, Enum: []any{"SLIDESHOW", "all"}, Extensions: map[string]any{AnyCase: true}}
}

type listing struct {
	Paging
	Kind  kind       `query:"kind"`
	After *time.Time `query:"after"`
	Deep  bool       `query:"deep"`
}

func TestQuery(t *testing.T) {
	at := time.Date(2026, 11, 21, 10, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		why, query string
		want       listing
		field      string
	}{
		{"nothing given", "", listing{Paging: Paging{1, 25}}, ""},
		{"empty values count as missing", "page=&kind=", listing{Paging: Paging{1, 25}}, ""},
		{"all given", "page=3&per_page=10&kind=all&deep=true&after=2026-11-21T10:00:00Z", listing{Paging{3, 10}, "all", &at, true}, ""},
		{"a large page size is limited", "per_page=51", listing{Paging: Paging{1, 50}}, ""},
		{"listed values are case-insensitive", "kind=slideshow", listing{Paging: Paging{1, 25}, Kind: "SLIDESHOW"}, ""},
		{"an unescaped plus sign", "after=2026-11-21T12:00:00+02:00", listing{Paging: Paging{1, 25}, After: &at}, ""},
		{"fractions of a second", "after=2026-11-21T10:00:00.000Z", listing{Paging: Paging{1, 25}, After: &at}, ""},
		{"page 0", "page=0", listing{}, "page"},
		{"page -1", "page=-1", listing{}, "page"},
		{"a fractional page", "page=1.5", listing{}, "page"},
		{"a text as a number", "per_page=many", listing{}, "per_page"},
		{"a number that is too large", "page=99999999999999999999", listing{}, "page"},
		{"an unlisted value", "kind=film", listing{}, "kind"},
		{"a time without offset", "after=2026-11-21T10:00:00", listing{}, "after"},
		{"a date", "after=2026-11-21", listing{}, "after"},
		{"not true or false", "deep=yes", listing{}, "deep"},
	} {
		op := Define(Spec{Name: "list"}, func(context.Context, *Call, listing) (*Reply[struct{}], error) { return nil, nil })
		h := &Handler{schemas: newSchemas()}
		h.prepare(op)
		values, err := parseQuery(c.query)
		if err != nil {
			t.Fatal(err)
		}
		var got listing
		err = op.decodeQuery(h.schemas, values, &got)
		var p *problem.Problem
		if errors.As(err, &p) || c.field != "" {
			if p == nil || p.Details["field"] != c.field {
				t.Errorf("%s: got %v, want an error about %q", c.why, err, c.field)
			}
			continue
		}
		if err != nil {
			t.Fatalf("%s: %v", c.why, err)
		}
		if d := cmp.Diff(c.want, got); d != "" {
			t.Errorf("%s: %s", c.why, d)
		}
	}
	if _, err := parseQuery("brand_id=%zz"); err == nil {
		t.Error("an invalid query was accepted")
	}
}

func TestPaging(t *testing.T) {
	for _, c := range []struct {
		why             string
		page, per, of   int
		from, to, pages int
	}{
		{"an empty list", 1, 25, 0, 0, 0, 0},
		{"the first of two", 1, 25, 26, 0, 25, 2},
		{"the last, not full", 2, 25, 26, 25, 26, 2},
		{"past the end", 3, 25, 26, 26, 26, 2},
		{"exactly full", 1, 25, 25, 0, 25, 1},
		{"far past the end", MaxID, 50, 10, 10, 10, 1},
	} {
		from, to, p := Paging{c.page, c.per}.Of(c.of)
		if from != c.from || to != c.to || p.TotalPages != c.pages || p.TotalCount != c.of || p.Page != c.page || p.PerPage != c.per {
			t.Errorf("%s: %d to %d, %+v", c.why, from, to, p)
		}
	}
}
