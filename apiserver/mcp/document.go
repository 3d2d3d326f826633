// SPDX-License-Identifier: Apache-2.0

package mcp

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
)

// object is a JSON object.
type object = map[string]any

// document is the part of the API description from which tools are derived.
type document struct {
	operations map[string]*described
	schemas    object
}

// described is an operation in the description.
type described struct {
	name, method, path string
	// param is the only path parameter; nil if there is none.
	param *parameter
	// query holds the query parameters in the order of the description.
	query []parameter
	// body is the schema of the request body, data that of the envelope's data.
	body, data object
	bodyNeeded bool
	// branded reports whether the operation acts on one brand, once whether it accepts an idempotency key.
	branded, once bool
}

type parameter struct {
	name   string
	schema object
}

// documentOf parses an API description.
func documentOf(doc []byte) (*document, error) {
	var in struct {
		Paths      map[string]map[string]wireOperation
		Components struct {
			Schemas    object
			Parameters map[string]wireParameter
		}
	}
	if err := json.Unmarshal(doc, &in); err != nil {
		return nil, fmt.Errorf("reading the description: %w", err)
	}
	out := &document{operations: map[string]*described{}, schemas: in.Components.Schemas}
	for path, methods := range in.Paths {
		for method, o := range methods {
			d := &described{name: o.OperationID, method: strings.ToUpper(method), path: path, bodyNeeded: o.RequestBody.Required}
			for _, p := range o.Parameters {
				if name := nameOf(p.Ref); name != "" {
					p = in.Components.Parameters[name]
				}
				d.take(p)
			}
			d.body = o.RequestBody.Content.JSON.Schema
			for status, r := range o.Responses {
				if properties, _ := r.Content.JSON.Schema["properties"].(object); strings.HasPrefix(status, "2") && properties != nil {
					d.data, _ = properties["data"].(object)
				}
			}
			if d.data == nil {
				return nil, fmt.Errorf("%s %s has no success in the description", method, path)
			}
			out.operations[d.name] = d
		}
	}
	return out, nil
}

type wireOperation struct {
	OperationID string
	Parameters  []wireParameter
	RequestBody struct {
		Required bool
		Content  wireContent
	}
	Responses map[string]struct{ Content wireContent }
}

type wireContent struct {
	JSON struct{ Schema object } `json:"application/json"`
}

type wireParameter struct {
	Ref                   string `json:"$ref"`
	Name, In, Description string
	Schema                object
}

func (d *described) take(p wireParameter) {
	one := parameter{p.Name, p.Schema}
	if one.schema != nil {
		one.schema["description"] = p.Description
	}
	switch {
	case p.In == "path":
		d.param = &one
	case p.In == "query" && p.Name == "brand_id":
		d.branded = true
	case p.In == "query":
		d.query = append(d.query, one)
	case p.In == "header" && http.CanonicalHeaderKey(p.Name) == "Idempotency-Key":
		d.once = true
	}
}

// nameOf returns the last part of a reference.
func nameOf(ref string) string { return ref[strings.LastIndex(ref, "/")+1:] }
