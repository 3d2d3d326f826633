// SPDX-License-Identifier: Apache-2.0

package mcp

import (
	"maps"
	"slices"
	"strings"

	"github.com/reelops/reelops/apiserver/idempotency"
)

// input is the schema of a tool's arguments: its own, those of the paths, queries and bodies of its operations, and those that
// all operations of a sort share.
func (d *document) input(t *tool) object {
	properties, required := object{}, []string{}
	branded, once := false, false
	for _, v := range t.variants {
		o := d.operations[v.operation]
		branded, once = branded || o.branded, once || o.once
		if o.param != nil {
			properties[v.id] = d.argument(o.param.schema)
			if len(t.variants) == 1 {
				required = append(required, v.id)
			}
		}
		for _, q := range o.query {
			properties[q.name] = d.argument(q.schema)
		}
		if o.body == nil {
			continue
		}
		body := d.argument(o.body)
		members, _ := body["properties"].(object)
		for name, s := range members {
			properties[v.argument(name)] = s
		}
		if needed, _ := body["required"].([]any); len(t.variants) == 1 {
			for _, name := range needed {
				required = append(required, v.argument(name.(string)))
			}
		}
	}
	if branded {
		properties["brand_id"] = object{
			"type": "integer", "minimum": 1,
			"description": "Act on this brand of the account instead of the key's own; another one than that needs the scope brands:all. Ids: get_account.",
		}
	}
	if once {
		properties["idempotency_key"] = object{
			"type": "string", "minLength": 1, "maxLength": idempotency.MaxKeyCharacters,
			"description": "A name of your choice for this one request, new for every new request. Always pass one: after a timeout or an internal_error repeat the call with the same key and the same arguments, and nothing is made twice.",
		}
	}
	for name, s := range t.own {
		if _, there := properties[name]; there && s["type"] == nil {
			s = merged(properties[name].(object), s)
		}
		properties[name] = s
	}
	slices.Sort(required)
	out := object{"type": "object", "properties": properties}
	if len(required) > 0 {
		out["required"] = required
	}
	return out
}

func merged(a, b object) object {
	out := maps.Clone(a)
	maps.Copy(out, b)
	return out
}

// argument writes a schema for people who fill it in: in one piece, ids as the numbers they are.
func (d *document) argument(s object) object {
	if name, _ := s["$ref"].(string); name != "" {
		target, _ := d.schemas[nameOf(name)].(object)
		return d.argument(target)
	}
	out := clean(s)
	if ways, ok := out["anyOf"].([]any); ok && isID(ways) {
		delete(out, "anyOf")
		out["type"], out["minimum"] = "integer", 1
		if slices.ContainsFunc(ways, func(w any) bool { return w.(object)["type"] == "null" }) {
			out["type"] = []any{"integer", "null"}
		}
		if out["description"] == "A positive integer; a string of digits is accepted as well." {
			delete(out, "description")
		}
	}
	if out["maximum"] == largestID {
		delete(out, "maximum")
	}
	return walk(out, d.argument)
}

// largestID bounds every id; it says nothing to who has one.
const largestID = float64(1<<53 - 1)

// isID says that the ways to write a value are those of an id.
func isID(ways []any) bool {
	return slices.ContainsFunc(ways, func(w any) bool { return w.(object)["maximum"] == largestID })
}

// clean drops what is not JSON Schema, or means something to Go alone, and speaks of tools instead of paths.
func clean(s object) object {
	out := object{}
	for name, v := range s {
		if strings.HasPrefix(name, "x-") || name == "format" && (v == "int64" || v == "int32" || v == "double" || v == "float") {
			continue
		}
		if text, ok := v.(string); ok && name == "description" {
			if v = spoken(text); v == "" {
				continue
			}
		}
		out[name] = v
	}
	return out
}

// walk changes the schemas inside a schema.
func walk(s object, change func(object) object) object {
	for _, name := range []string{"items", "additionalProperties"} {
		if in, ok := s[name].(object); ok {
			s[name] = change(in)
		}
	}
	for _, name := range []string{"anyOf", "oneOf", "allOf"} {
		if in, ok := s[name].([]any); ok {
			list := make([]any, len(in))
			for i, one := range in {
				list[i] = change(one.(object))
			}
			s[name] = list
		}
	}
	if in, ok := s["properties"].(object); ok {
		members := object{}
		for name, one := range in {
			members[name] = change(one.(object))
		}
		s["properties"] = members
	}
	return s
}

// output is the schema of what a tool gives: the envelope of a success of one of its operations, or of a failure.
func (d *document) output(t *tool) object {
	defs := object{}
	var data []any
	for _, v := range t.variants {
		data = append(data, d.result(d.operations[v.operation].data, defs))
	}
	one := data[0]
	if len(data) > 1 {
		one = object{"anyOf": data}
	}
	success := object{
		"type": "object", "required": []string{"success", "data", "meta"},
		"properties": object{
			"success": object{"type": "boolean", "const": true}, "data": one,
			"meta": d.result(object{"$ref": "#/components/schemas/Meta"}, defs),
		},
	}
	failure := object{
		"type": "object", "required": []string{"success", "errors"},
		"properties": object{
			"success": object{"type": "boolean", "const": false},
			"errors": object{
				"type": "array", "minItems": 1, "items": d.result(object{"$ref": "#/components/schemas/APIError"}, defs),
			},
		},
	}
	return object{
		"type": "object", "required": []string{"success"},
		"properties": object{"success": object{"type": "boolean", "description": "Whether the call did what it was asked for."}},
		"oneOf":      []any{success, failure}, "$defs": defs,
	}
}

// result writes a schema with the ones it refers to among the definitions.
func (d *document) result(s, defs object) object {
	if ref, _ := s["$ref"].(string); ref != "" {
		name := nameOf(ref)
		if _, there := defs[name]; !there {
			defs[name] = nil // it may refer to itself
			target, _ := d.schemas[name].(object)
			defs[name] = d.result(target, defs)
		}
		return object{"$ref": "#/$defs/" + name}
	}
	return walk(clean(s), func(in object) object { return d.result(in, defs) })
}
