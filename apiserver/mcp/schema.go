// SPDX-License-Identifier: Apache-2.0

package mcp

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/reelops/reelops/apiserver/idempotency"
	"github.com/reelops/reelops/apiserver/operation"
)

// input returns the schema of a tool's arguments. It combines the tool's own arguments, the paths, queries and bodies
// of its operations, and the arguments common to a group of operations.
func (d *document) input(t *tool) object {
	properties, required := object{}, []string{}
	branded, once := false, false
	for _, v := range t.variants {
		o := d.operations[v.operation]
		branded, once = branded || o.branded, once || o.once
		if o.param != nil {
			properties[v.id] = d.argument(o.param.schema, 1)
			if len(t.variants) == 1 {
				required = append(required, v.id)
			}
		}
		for _, q := range o.query {
			properties[q.name] = d.argument(q.schema, 1)
		}
		if o.body == nil {
			continue
		}
		body := d.argument(o.body, 0)
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
			"type":        "integer",
			"description": "Another brand.",
		}
	}
	if once {
		properties["idempotency_key"] = object{
			"type": "string", "minLength": 1, "maxLength": idempotency.MaxKeyCharacters,
			"description": "Pass a new one. After a timeout or internal_error, repeat it: it takes effect once.",
		}
	}
	if t.images != nil {
		const what = "Adds small images of the slides, or of the video."
		properties[includeImages] = object{"type": "boolean", "description": what}
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

// argument returns a schema as agents need it: without references, with ids as integers, and without details that they
// do not need. The operation validates the rest. depth is 0 for a body, 1 for an argument, and more for nested values.
func (d *document) argument(s object, depth int) object {
	s = d.resolve(s)
	out := clean(s)
	if ways, ok := out["anyOf"].([]any); ok && isID(ways) {
		delete(out, "anyOf")
		out["type"] = "integer"
		if slices.ContainsFunc(ways, func(w any) bool { return w.(object)["type"] == "null" }) {
			out["type"] = []any{"integer", "null"}
		}
		if out["description"] == "A positive integer; a string of digits is accepted as well." {
			delete(out, "description")
		}
	}
	if out["maximum"] == largestID {
		delete(out, "maximum")
		delete(out, "minimum")
	}
	kinds, _ := out["type"].([]any)
	if len(kinds) == 2 && kinds[1] == "null" && s[operation.NullCounts] != true {
		out["type"] = kinds[0] // null means the same as an absent argument
	}
	delete(out, "pattern")
	delete(out, "examples")
	delete(out, "minLength")
	if out["format"] == "uri" { // its description calls it a URL
		delete(out, "format")
		delete(out, "maxLength")
	}
	if text, ok := out["description"].(string); ok && depth > 1 {
		out["description"] = brief(text)
		if out["properties"] != nil {
			delete(out, "description") // its members have their own
		}
	}
	return walk(out, func(in object) object { return d.argument(in, depth+1) })
}

// brief returns the first sentence of a description, and those about defaults.
func brief(text string) string {
	var out []string
	for i, sentence := range strings.SplitAfter(text, ". ") {
		if i == 0 || strings.HasPrefix(sentence, "Default") || strings.HasPrefix(sentence, "Absent") {
			out = append(out, strings.TrimSpace(sentence))
		}
	}
	return strings.Join(out, " ")
}

// largestID is the maximum of every id. Agents that have an id do not need it.
const largestID = float64(1<<53 - 1)

// isID reports whether the alternatives of a schema are those of an id.
func isID(ways []any) bool {
	return slices.ContainsFunc(ways, func(w any) bool { return w.(object)["maximum"] == largestID })
}

// clean removes extensions and Go-specific formats from a schema, and replaces API paths by tool names in its
// description.
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

// walk applies change to the schemas inside a schema.
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

// output returns the schema of a tool's results: the envelope, and the main members of its data with their types. It
// also holds for failures. Results may have more members than the schema lists.
func (d *document) output(t *tool) (object, error) {
	members, list, one := object{}, false, false
	for _, v := range t.variants {
		data := d.resolve(d.operations[v.operation].data)
		if items, ok := data["items"].(object); ok {
			data, list = d.resolve(items), true
		} else {
			one = true
		}
		known, _ := data["properties"].(object)
		for _, name := range t.gives {
			if s, ok := known[name].(object); ok {
				members[name] = either(members[name], d.sort(s))
			}
		}
	}
	for _, name := range t.gives {
		if members[name] == nil {
			return nil, fmt.Errorf("tool %s: its results have no %s", t.name, name)
		}
	}
	data := object{"type": "object", "properties": members}
	switch {
	case list && one:
		data["type"], data["items"] = []string{"object", "array"}, object{"type": "object"}
	case list:
		data = object{"type": "array", "items": data}
	}
	return object{
		"type": "object", "required": []string{"success"},
		"properties": object{
			"success": object{"type": "boolean"}, "data": data, "meta": object{"type": "object"},
			"errors": object{"type": "array"},
		},
	}, nil
}

// resolve follows references.
func (d *document) resolve(s object) object {
	for {
		name, _ := s["$ref"].(string)
		if name == "" {
			return s
		}
		s, _ = d.schemas[nameOf(name)].(object)
	}
}

// sort returns the type of a value, and its enum if that is short.
func (d *document) sort(s object) object {
	s = d.resolve(s)
	out := object{}
	if s["type"] != nil {
		out["type"] = s["type"]
	}
	if words, ok := s["enum"].([]any); ok && s["type"] == "string" && len(words) <= mostWords {
		out["enum"] = words
	}
	return out
}

// mostWords is the maximum length of an enum in an output schema.
const mostWords = 8

// either returns the schema of a value that two operations of a tool return; an empty schema if they differ.
func either(known any, s object) object {
	if known == nil || reflect.DeepEqual(known, s) {
		return s
	}
	return object{}
}
