// SPDX-License-Identifier: Apache-2.0

package docs

import (
	"encoding/json"
	"strings"
)

// document is the part of an OpenAPI description that the page shows.
type document struct {
	Info struct{ Title, Version, Description string }
	Tags []struct{ Name, Description string }
	// Paths holds operations by path and method.
	Paths      map[string]map[string]*operation
	Components struct {
		Schemas    map[string]*schema
		Parameters map[string]*parameter
		Responses  map[string]*response
	}
}

type operation struct {
	OperationID, Summary, Description string
	Deprecated                        bool
	Tags                              []string
	Parameters                        []*parameter
	RequestBody                       *struct {
		Required bool
		Content  map[string]*media
	}
	Responses map[string]*response
	Scope     *string `json:"x-required-scope"`
	Bucket    string  `json:"x-rate-limit-bucket"`
}

type parameter struct {
	Ref                   string `json:"$ref"`
	Name, In, Description string
	Required              bool
	Schema                *schema
}

type response struct {
	Ref         string `json:"$ref"`
	Description string
	Headers     map[string]json.RawMessage
	Content     map[string]*media
	Codes       []string `json:"x-error-codes"`
}

type media struct {
	Schema  *schema
	Example json.RawMessage
}

type schema struct {
	Ref                  string `json:"$ref"`
	Type                 types
	Description, Format  string
	Properties           map[string]*schema
	Required             []string
	Items                *schema
	AdditionalProperties *schema
	OneOf, AnyOf         []*schema
	Enum                 []json.RawMessage
	Default              json.RawMessage
	Minimum, Maximum     *float64
	MinLength, MaxLength *int
	MinItems, MaxItems   *int
	Pattern              string
	Examples             []json.RawMessage
	Deprecated           bool
}

// types is one type, or several.
type types []string

func (t *types) UnmarshalJSON(b []byte) error {
	var one string
	if json.Unmarshal(b, &one) == nil {
		*t = types{one}
		return nil
	}
	return json.Unmarshal(b, (*[]string)(t))
}

// nameOf returns the last part of a reference.
func nameOf(ref string) string { return ref[strings.LastIndex(ref, "/")+1:] }

func (d *document) parameter(p *parameter) *parameter {
	if p.Ref != "" {
		return d.Components.Parameters[nameOf(p.Ref)]
	}
	return p
}

func (d *document) response(r *response) *response {
	if r.Ref != "" {
		return d.Components.Responses[nameOf(r.Ref)]
	}
	return r
}

// data returns the schema of an envelope's data.
func (d *document) data(s *schema) *schema {
	if s != nil && s.Properties["data"] != nil {
		return s.Properties["data"]
	}
	return s
}

// inRequests returns the names of the schemas that request bodies use.
func (d *document) inRequests() map[string]bool {
	out := map[string]bool{}
	var visit func(*schema)
	visit = func(s *schema) {
		if s == nil {
			return
		}
		if name := nameOf(s.Ref); s.Ref != "" && !out[name] {
			out[name] = true
			visit(d.Components.Schemas[name])
		}
		for _, p := range s.Properties {
			visit(p)
		}
		for _, one := range append(append([]*schema{s.Items, s.AdditionalProperties}, s.OneOf...), s.AnyOf...) {
			visit(one)
		}
	}
	for _, methods := range d.Paths {
		for _, o := range methods {
			if o.RequestBody == nil {
				continue
			}
			for _, m := range o.RequestBody.Content {
				visit(m.Schema)
			}
		}
	}
	return out
}
