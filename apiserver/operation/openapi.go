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
	{Name: "Discovery", Description: "The account of the key, accepted values, and error codes."},
	{Name: "Media", Description: "Images, clips and music: your own, packs and stock."},
	{Name: "Generation", Description: "Slideshows and their videos, and hook-and-demo videos. Creating them takes time, so these operations return a job."},
	{Name: "Jobs", Description: "Progress and results of work."},
	{Name: "Content", Description: "Created slideshows and videos."},
	{Name: "Connections", Description: "Connected accounts on social platforms. Responses never contain tokens."},
	{Name: "Posting", Description: "Publishing, scheduling and cancelling. A failing account does not affect the others, and nothing is posted twice."},
	{Name: "Automations", Description: "Shorts that are created and published at the times of a schedule."},
	{Name: "Analytics", Description: "Followers, views and interactions by account and by post. Platforms report them up to hours late. null means that the platform does not report a number; it never means 0."},
	{Name: "Webhooks", Description: "URLs that receive events about posts, jobs, connections and automations. Requests are signed by the rules of Standard Webhooks."},
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
			Description: "An API key: `Authorization: Bearer <API_KEY>`. Its scopes define which operations it may call. `x-required-scope` of an operation is the scope that the operation requires; null means any valid key.",
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
		body := d.named(o.body)
		out.RequestBody = &huma.RequestBody{
			Required: len(d.resolve(body).Required) > 0,
			Content:  map[string]*huma.MediaType{"application/json": {Schema: body, Example: o.BodyExample}},
		}
	}
	return out
}

// named returns a reference to the schema of a type, also if the type writes its own schema.
func (d *describer) named(t reflect.Type) *huma.Schema {
	s := d.of(t)
	if s.Ref != "" {
		return s
	}
	d.Map()[t.Name()] = s
	return &huma.Schema{Ref: "#/components/schemas/" + t.Name()}
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
				Description: "Brand of the account to act on, instead of the key's own. Any other brand than the key's requires the scope `brands:all`.",
			}),
			d.parameter("XBrandID", &huma.Param{
				Name: "X-Brand-Id", In: "header", Schema: idSchema(), Description: "The same as `brand_id`; the query parameter takes precedence.",
			}))
	}
	if o.Idempotent {
		least, most := 1, idempotency.MaxKeyCharacters
		out = append(out, d.parameter("IdempotencyKey", &huma.Param{
			Name: idempotency.Header, In: "header", Schema: &huma.Schema{Type: huma.TypeString, MinLength: &least, MaxLength: &most},
			Example:     "2f1c9c1e-7f0e-4f5e-9c39-6a7d4b6c1a55",
			Description: "Key for safe retries: a repeated request returns the first response and creates nothing again.",
		}))
	}
	if o.Tagged {
		out = append(out, d.parameter("IfNoneMatch", &huma.Param{
			Name: "If-None-Match", In: "header", Schema: &huma.Schema{Type: huma.TypeString},
			Description: "The `ETag` of an earlier response. While it is current, the response is 304 without a body.",
		}))
	}
	return append(out, d.parameter("XRequestID", &huma.Param{
		Name: requestIDHeader, In: "header", Schema: &huma.Schema{Type: huma.TypeString},
		Description: "Your id for this request. The response echoes it if it has at most 128 characters, all letters, digits, `.`, `_` or `-`.",
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
