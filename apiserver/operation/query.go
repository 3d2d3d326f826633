// SPDX-License-Identifier: Apache-2.0

package operation

import (
	"encoding/json"
	"net/url"
	"reflect"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/reelops/reelops/apiserver/problem"
	"github.com/reelops/reelops/internal/catalog"
)

// AnyCase marks an enumerated string that is accepted in any case. The handler gets the listed spelling.
const AnyCase = "x-any-case"

// Paging holds the query parameters of a list. Page counts from 1.
type Paging struct {
	Page    int `query:"page" minimum:"1" default:"1" doc:"From 1."`
	PerPage int `query:"per_page" minimum:"1" default:"25" doc:"Above 50 is read as 50."`
}

// Of returns the half-open range of a page's entries in a list with total entries, and the pagination of the response.
// A page past the end is empty.
func (p Paging) Of(total int) (from, to int, out *Pagination) {
	out = &Pagination{Page: p.Page, PerPage: p.PerPage, TotalPages: (total + p.PerPage - 1) / p.PerPage, TotalCount: total}
	if p.Page > out.TotalPages {
		return total, total, out
	}
	from = (p.Page - 1) * p.PerPage
	return from, min(from+p.PerPage, total), out
}

// Pagination describes the part of a list in a response.
type Pagination struct {
	Page       int `json:"page" doc:"From 1."`
	PerPage    int `json:"per_page" doc:"Number of entries per page."`
	TotalPages int `json:"total_pages" doc:"0 when the list is empty."`
	TotalCount int `json:"total_count" doc:"Number of entries on all pages."`
}

// queryParam is a query parameter of an operation.
type queryParam struct {
	name   string
	field  reflect.StructField
	index  []int
	schema *huma.Schema
}

// queryParams returns the fields tagged query:"name", including those of embedded structs.
func queryParams(t reflect.Type) []queryParam {
	var out []queryParam
	for _, f := range reflect.VisibleFields(t) {
		if name := f.Tag.Get("query"); name != "" {
			out = append(out, queryParam{name: name, field: f, index: f.Index})
		}
	}
	return out
}

// decodeQuery sets the query parameters of an input. An empty value counts as none.
func (o *Operation) decodeQuery(r schemas, values url.Values, input any) error {
	if len(o.query) == 0 {
		return nil
	}
	d := decoder{schemas: r}
	to := reflect.ValueOf(input).Elem()
	var refused refusals
	for _, q := range o.query {
		text, field := values.Get(q.name), to.FieldByIndex(q.index)
		if text != "" {
			refused = append(refused, d.value(q.schema, q.name, fromText(r.resolve(q.schema), text), field)...)
		} else if q.schema.Default != nil {
			d.unmarshal(q.schema.Default, field)
		}
	}
	if p := problem.All(refused); p != nil {
		return p
	}
	if p, ok := input.(interface{ paging() *Paging }); ok {
		p.paging().PerPage = min(p.paging().PerPage, catalog.MaxPerPage)
	}
	return d.failed(o)
}

// fromText returns the JSON value of a parameter's text, if its schema is unambiguous. A text that does not fit stays a
// string, which validation rejects.
func fromText(s *huma.Schema, text string) any {
	switch {
	case s.Type == huma.TypeInteger || s.Type == huma.TypeNumber:
		if pattern(`^-?(0|[1-9][0-9]{0,19})(\.[0-9]{1,20})?$`).MatchString(text) {
			return json.Number(text)
		}
	case s.Type == huma.TypeBoolean && (text == "true" || text == "false"):
		return text == "true"
	case s.Format == "date-time":
		// An unescaped plus sign arrives as a blank, and no time contains a blank.
		return strings.ReplaceAll(text, " ", "+")
	}
	return text
}

func (p *Paging) paging() *Paging { return p }

// parseQuery parses a query. It rejects a malformed query, because a dropped part might have named the brand.
func parseQuery(raw string) (url.Values, error) {
	values, err := url.ParseQuery(raw)
	if err != nil {
		return nil, problem.New(catalog.BadRequest, problem.Details{"parameter": "query"}).Saying("The query string is not readable.")
	}
	return values, nil
}

// anyCase returns the listed spelling of a value.
func anyCase(s *huma.Schema, v string) string {
	if s.Extensions[AnyCase] != true {
		return v
	}
	if i := slices.IndexFunc(s.Enum, func(e any) bool { t, ok := e.(string); return ok && strings.EqualFold(t, v) }); i >= 0 {
		return s.Enum[i].(string)
	}
	return v
}
