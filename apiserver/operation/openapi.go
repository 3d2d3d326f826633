// SPDX-License-Identifier: Apache-2.0

package operation

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/reelops/reelops/apiserver/problem"
	"github.com/reelops/reelops/apiserver/view"
	"github.com/reelops/reelops/internal/catalog"
)

// Version of the description.
const Version = "1.0.0"

const about = `Makes short-form content for one brand at a time: slideshows written from a text, and their videos.

Every answer is an envelope: ` + "`{success: true, data, meta}`" + ` or ` + "`{success: false, errors}`" + `. Branch on ` + "`errors[].code`" + `, never on a message.
Generation and rendering answer 202 with a job; poll ` + "`GET /api/v1/jobs/{id}`" + ` no faster than ` + "`poll_after_seconds`" + ` until its status is ` + "`succeeded` or `failed`" + `.
When the service cannot do its work just now (it is starting, or its cluster does not answer) it says 503 with code ` + "`internal_error`" + `, ` + "`retryable` true and `Retry-After`" + `.
Members of a body that are not known are ignored and named in ` + "`meta.ignored_fields`" + `. Ignore members of answers that you do not know.`

// always are the errors every operation with a key can answer with.
var always = []catalog.Code{catalog.MissingToken, catalog.InvalidToken, catalog.KeyRevoked, catalog.KeyExpired, catalog.InternalError}

// describe writes the OpenAPI 3.1 document.
func describe(r schemas, ops []*Operation, base string) ([]byte, error) {
	doc := &huma.OpenAPI{
		OpenAPI: "3.1.0",
		Info: &huma.Info{
			Title: "Reelops", Version: Version, Description: about,
			License: &huma.License{Name: "Apache-2.0", Identifier: "Apache-2.0"},
		},
		Servers:    []*huma.Server{{URL: strings.TrimSuffix(base, "/")}},
		Components: &huma.Components{Schemas: r.Registry, SecuritySchemes: map[string]*huma.SecurityScheme{"apiKey": {Type: "http", Scheme: "bearer"}}},
		Security:   []map[string][]string{{"apiKey": {}}},
		Paths:      map[string]*huma.PathItem{},
	}
	failures := r.of(reflect.TypeFor[ErrorEnvelope]())
	for _, o := range ops {
		doc.AddOperation(r.operation(o, failures))
	}
	for _, s := range r.Map() {
		open(s)
	}
	raw, err := json.Marshal(doc)
	if err != nil {
		return nil, fmt.Errorf("writing the OpenAPI description: %w", err)
	}
	var out bytes.Buffer
	if err := json.Indent(&out, raw, "", "  "); err != nil {
		return nil, fmt.Errorf("writing the OpenAPI description: %w", err)
	}
	out.WriteByte('\n')
	return out.Bytes(), nil
}

// ErrorEnvelope is every refusal.
type ErrorEnvelope struct {
	Success bool       `json:"success" enum:"false"`
	Errors  []APIError `json:"errors" minItems:"1"`
}

func (r schemas) operation(o *Operation, failures *huma.Schema) *huma.Operation {
	out := &huma.Operation{
		OperationID: o.Name, Method: o.Method, Path: o.Path, Summary: o.Summary, Description: o.Description, Tags: []string{o.Tag},
		Responses:  map[string]*huma.Response{},
		Extensions: map[string]any{"x-required-scope": nil},
	}
	if o.Scope != "" {
		out.Extensions["x-required-scope"] = string(o.Scope)
	}
	out.Parameters = r.parameters(o)
	if o.body != nil {
		body := r.of(o.body)
		out.RequestBody = &huma.RequestBody{
			Required: len(r.resolve(body).Required) > 0,
			Content:  map[string]*huma.MediaType{"application/json": {Schema: body, Example: o.BodyExample}},
		}
	}
	headers := map[string]*huma.Param{"X-Request-Id": {Description: "Names this request; quote it when asking for help.", Schema: &huma.Schema{Type: huma.TypeString}}}
	good := map[string]*huma.Param{"X-Request-Id": headers["X-Request-Id"]}
	if o.Polls {
		good["Retry-After"] = retryAfter("Seconds to wait before the next poll; equals poll_after_seconds.")
	}
	out.Responses[statusText(status(o))] = &huma.Response{
		Description: http.StatusText(status(o)), Headers: good,
		Content: map[string]*huma.MediaType{"application/json": {Schema: r.envelope(o.out), Example: successExample(o.DataExample)}},
	}
	byStatus := map[int][]string{}
	codes := append(append([]catalog.Code{}, always...), o.Errors...)
	if o.Scope != "" {
		codes = append(codes, catalog.MissingScope)
	}
	if o.ForBrand {
		codes = append(codes, catalog.NotFound)
	}
	if o.body != nil {
		codes = append(codes, catalog.BadRequest, catalog.ValidationFailed)
	}
	for _, code := range codes {
		if e, ok := catalog.LookupError(code); ok && !slices.Contains(byStatus[e.HTTPStatus], string(code)) {
			byStatus[e.HTTPStatus] = append(byStatus[e.HTTPStatus], string(code))
		}
	}
	byStatus[http.StatusServiceUnavailable] = []string{string(catalog.InternalError)}
	for n, names := range byStatus {
		slices.Sort(names)
		resp := &huma.Response{
			Description: "One of: " + strings.Join(names, ", ") + ".", Headers: map[string]*huma.Param{"X-Request-Id": headers["X-Request-Id"]},
			Content: map[string]*huma.MediaType{"application/json": {Schema: failures, Example: failureExample(catalog.Code(names[0]))}},
		}
		switch n {
		case http.StatusUnauthorized:
			resp.Headers["WWW-Authenticate"] = &huma.Param{Schema: &huma.Schema{Type: huma.TypeString}}
		case http.StatusServiceUnavailable:
			resp.Headers["Retry-After"] = retryAfter("Seconds to wait before the next try.")
		}
		out.Responses[statusText(n)] = resp
	}
	return out
}

func (r schemas) parameters(o *Operation) []*huma.Param {
	var out []*huma.Param
	for _, p := range o.params {
		s := &huma.Schema{Type: huma.TypeString}
		if p.isID {
			least, most := 1.0, float64(MaxID)
			s = &huma.Schema{Type: huma.TypeInteger, Format: "int64", Minimum: &least, Maximum: &most}
		}
		out = append(out, &huma.Param{Name: p.name, In: "path", Required: true, Schema: s})
	}
	for _, q := range o.query {
		out = append(out, &huma.Param{Name: q.name, In: "query", Description: q.schema.Description, Schema: q.schema})
	}
	if o.ForBrand {
		out = append(out,
			&huma.Param{Name: "brand_id", In: "query", Description: "Act on this brand of the account instead of the key's own; needs brands:all.", Schema: &huma.Schema{Type: huma.TypeString}},
			&huma.Param{Name: "X-Brand-Id", In: "header", Description: "The same; the query parameter wins.", Schema: &huma.Schema{Type: huma.TypeString}})
	}
	return out
}

func (r schemas) envelope(data reflect.Type) *huma.Schema {
	return &huma.Schema{
		Type: huma.TypeObject, Required: []string{"success", "data", "meta"},
		Properties: map[string]*huma.Schema{
			"success": {Type: huma.TypeBoolean, Enum: []any{true}},
			"data":    r.of(data),
			"meta":    r.of(reflect.TypeFor[Meta]()),
		},
	}
}

func retryAfter(what string) *huma.Param {
	least := 1.0
	return &huma.Param{Description: what, Schema: &huma.Schema{Type: huma.TypeInteger, Minimum: &least}}
}

func successExample(data any) any {
	if data == nil {
		return nil
	}
	return success{Success: true, Data: data}
}

func failureExample(code catalog.Code) any {
	p := problem.New(code, nil)
	return failure{Errors: []APIError{{Code: view.ErrorCode(code), Message: p.Message, Retryable: p.Retryable}}}
}

// open lets objects have members that are not described: answers may grow, and unknown members of bodies are ignored.
// Arrays are never null here.
func open(s *huma.Schema) {
	if s == nil {
		return
	}
	if s.AdditionalProperties == false {
		s.AdditionalProperties = nil
	}
	if s.Type == huma.TypeArray {
		s.Nullable = false
	}
	for _, p := range s.Properties {
		open(p)
	}
	open(s.Items)
}
