// SPDX-License-Identifier: Apache-2.0

package operation

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/reelops/reelops/apiserver/idempotency"
)

// Version of the description, in semantic versioning: an addition increments the minor version.
const Version = "1.0.0"

// tags group operations, in display order.
var tags = []*huma.Tag{
	{Name: "Discovery", Description: "Who the key is, what may be asked for, what errors mean."},
	{Name: "Media", Description: "Pictures, clips and music: your own, and what is there for everybody."},
	{Name: "Generation", Description: "Slideshows and their films, and hook-and-demo videos. Making takes time: these calls answer with a job."},
	{Name: "Jobs", Description: "How far work has come."},
	{Name: "Content", Description: "What was made."},
	{Name: "Connections", Description: "The accounts on social platforms that a person connected. Tokens are never told."},
	{Name: "Posting", Description: "What goes out, when and where. One account failing never stops the others, and nothing is sent twice."},
	{Name: "Analytics", Description: "What became of it: followers, views and what people did, by account and by post. Numbers come from the platforms, some hours late; null is what a platform does not tell, never 0."},
}

// describer writes the OpenAPI 3.1 document of operations.
type describer struct {
	schemas
	components *huma.Components
	failures   *huma.Schema
}

func describe(r schemas, ops []*Operation, base string) ([]byte, error) {
	base = strings.TrimSuffix(base, "/")
	about, err := guide(base)
	if err != nil {
		return nil, err
	}
	d := &describer{schemas: r, components: &huma.Components{
		Schemas: r.Registry, Headers: answerHeaders(), Responses: map[string]*huma.Response{}, Parameters: map[string]*huma.Param{},
		SecuritySchemes: map[string]*huma.SecurityScheme{"apiKey": {
			Type: "http", Scheme: "bearer", BearerFormat: "rlo_ and 49 characters",
			Description: "An API key: `Authorization: Bearer <API_KEY>`. Its scopes say what it may do; `x-required-scope` of an operation is the one it needs, and null means any valid key.",
		}},
	}}
	d.failures = r.of(reflect.TypeFor[ErrorEnvelope]())
	doc := &huma.OpenAPI{
		OpenAPI: "3.1.0",
		Info: &huma.Info{
			Title: "Reelops", Version: Version, Description: about,
			Contact: &huma.Contact{Name: "The Reelops project", URL: "https://github.com/reelops/reelops"},
			License: &huma.License{Name: "Apache-2.0", Identifier: "Apache-2.0"},
		},
		Servers:    []*huma.Server{{URL: base, Description: "This installation."}},
		Components: d.components,
		Security:   []map[string][]string{{"apiKey": {}}},
		Paths:      map[string]*huma.PathItem{},
	}
	for _, o := range ops {
		doc.AddOperation(d.operation(o))
	}
	for _, t := range tags {
		if slices.ContainsFunc(ops, func(o *Operation) bool { return o.Tag == t.Name }) {
			doc.Tags = append(doc.Tags, t)
		}
	}
	for name, s := range r.Map() {
		open(s)
		s.Description = schemaDocs[name]
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

func (d *describer) operation(o *Operation) *huma.Operation {
	out := &huma.Operation{
		OperationID: o.Name, Method: o.Method, Path: o.Path, Summary: o.Summary, Description: o.Description, Tags: []string{o.Tag},
		Parameters: d.parameters(o), Responses: d.responses(o),
		Extensions: map[string]any{"x-required-scope": nil, "x-rate-limit-bucket": string(o.Bucket)},
	}
	if o.Scope != "" {
		out.Extensions["x-required-scope"] = string(o.Scope)
	}
	if o.body != nil {
		body := d.of(o.body)
		out.RequestBody = &huma.RequestBody{
			Required: len(d.resolve(body).Required) > 0,
			Content:  map[string]*huma.MediaType{"application/json": {Schema: body, Example: o.BodyExample}},
		}
	}
	return out
}

func (d *describer) parameters(o *Operation) []*huma.Param {
	var out []*huma.Param
	for _, p := range o.params {
		s := &huma.Schema{Type: huma.TypeString}
		what := o.in.Field(p.index).Tag.Get("doc")
		if p.isID {
			s = idSchema()
		}
		if what == "" {
			what = "The " + p.name + "."
		}
		out = append(out, &huma.Param{Name: p.name, In: "path", Required: true, Description: what, Schema: s})
	}
	for _, q := range o.query {
		s := *q.schema
		s.Description, s.Nullable = "", false // an absent parameter is not sent at all, and cannot be null
		out = append(out, &huma.Param{Name: q.name, In: "query", Description: q.schema.Description, AllowEmptyValue: true, Schema: &s})
	}
	if o.ForBrand {
		out = append(out,
			d.parameter("BrandID", &huma.Param{
				Name: "brand_id", In: "query", AllowEmptyValue: true, Schema: idSchema(),
				Description: "Act on this brand of the account instead of the key's own; another one than that needs the scope `brands:all`.",
			}),
			d.parameter("XBrandID", &huma.Param{
				Name: "X-Brand-Id", In: "header", Schema: idSchema(), Description: "The same as `brand_id`; the query parameter wins.",
			}))
	}
	if o.Idempotent {
		least, most := 1, idempotency.MaxKeyCharacters
		out = append(out, d.parameter("IdempotencyKey", &huma.Param{
			Name: idempotency.Header, In: "header", Schema: &huma.Schema{Type: huma.TypeString, MinLength: &least, MaxLength: &most},
			Example:     "2f1c9c1e-7f0e-4f5e-9c39-6a7d4b6c1a55",
			Description: "Makes it safe to send the request again: the first answer comes back and nothing is made twice.",
		}))
	}
	if o.Tagged {
		out = append(out, d.parameter("IfNoneMatch", &huma.Param{
			Name: "If-None-Match", In: "header", Schema: &huma.Schema{Type: huma.TypeString},
			Description: "The `ETag` of an answer that you have; while that is current you get 304 and no body.",
		}))
	}
	return append(out, d.parameter("XRequestID", &huma.Param{
		Name: requestIDHeader, In: "header", Schema: &huma.Schema{Type: huma.TypeString},
		Description: "A name of yours for this request, echoed when it is made of letters, digits, `.`, `_` and `-`, at most 128.",
	}))
}

// parameter adds a shared parameter to the components and returns a reference to it.
func (d *describer) parameter(name string, p *huma.Param) *huma.Param {
	d.components.Parameters[name] = p
	return &huma.Param{Ref: "#/components/parameters/" + name}
}

func idSchema() *huma.Schema {
	least, most := 1.0, float64(MaxID)
	return &huma.Schema{Type: huma.TypeInteger, Format: "int64", Minimum: &least, Maximum: &most}
}

func (d *describer) envelope(data reflect.Type) *huma.Schema {
	return &huma.Schema{
		Type: huma.TypeObject, Required: []string{"success", "data", "meta"},
		Properties: map[string]*huma.Schema{
			"success": {Type: huma.TypeBoolean, Enum: []any{true}},
			"data":    open(d.of(data)),
			"meta":    d.of(reflect.TypeFor[Meta]()),
		},
	}
}

// open removes the restriction on additional members: responses may grow, and unknown members of bodies are ignored. It
// also makes arrays not nullable.
func open(s *huma.Schema) *huma.Schema {
	if s == nil {
		return nil
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
	return s
}
