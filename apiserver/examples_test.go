// SPDX-License-Identifier: Apache-2.0

package apiserver_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// example is the example of a request or a response in the description.
type example = map[string]any

// exampleOf returns the example of the body of an operation; nil for none.
func exampleOf(o describedOperation) example {
	if o.RequestBody == nil {
		return nil
	}
	body, _ := o.RequestBody.Content["application/json"].Example.(example)
	return body
}

// answersOf returns the data of the examples of a success.
func answersOf(answers map[string]describedResponse) (out []any) {
	data := func(v any) {
		if answer, ok := v.(example); ok {
			out = append(out, answer["data"])
		}
	}
	for status, r := range answers {
		if status >= "300" {
			continue
		}
		body := r.Content["application/json"]
		data(body.Example)
		for _, e := range body.Examples {
			if named, ok := e.(example); ok {
				data(named["value"])
			}
		}
	}
	return out
}

// walk visits the members of a document with their names; entries of arrays have the name of the array.
func walk(name string, v any, visit func(name string, v any)) {
	switch v := v.(type) {
	case example:
		for member, one := range v {
			walk(member, one, visit)
		}
	case []any:
		for _, one := range v {
			walk(name, one, visit)
		}
	default:
		visit(name, v)
	}
}

var idNames = regexp.MustCompile(`(^|_)ids?$`)

// idsIn returns the ids in a document: those of members that are named so, of an order, and those that name a member.
func idsIn(v any) map[string]bool {
	out := map[string]bool{}
	walk("", v, func(name string, v any) {
		if n, ok := v.(float64); ok && (idNames.MatchString(name) || name == "slide_order") {
			out[fmt.Sprint(n)] = true
		}
	})
	if body, ok := v.(example); ok {
		custom, _ := body["platform_customizations"].(example)
		for key := range custom {
			out[key] = true
		}
	}
	return out
}

func TestRequestExamples_NameWhatTheirAnswersHave(t *testing.T) {
	doc := readDescription(t)
	everywhere := map[string]bool{}
	doc.each(func(_ string, _ describedOperation, answers map[string]describedResponse) {
		for _, data := range answersOf(answers) {
			maps.Copy(everywhere, idsIn(data))
		}
	})
	doc.each(func(name string, o describedOperation, answers map[string]describedResponse) {
		body := exampleOf(o)
		if body == nil {
			return
		}
		shown, values := map[string]bool{}, map[string][]any{}
		for _, data := range answersOf(answers) {
			maps.Copy(shown, idsIn(data))
			walk("", data, func(name string, v any) { values[name] = append(values[name], v) })
		}
		if values["job_id"] != nil || values["image_count"] != nil {
			shown = everywhere // the record comes later, or the response is a pack without its images
		}
		for id := range idsIn(body) {
			if !shown[id] {
				t.Errorf("%s: its example has the id %s, which is in no response", name, id)
			}
		}
		for member, v := range body {
			if given, ok := v.(string); ok && len(values[member]) > 0 && !slices.Contains(values[member], any(given)) {
				t.Errorf("%s: its example has %s %q, the response %v", name, member, given, values[member])
			}
		}
	})
}

func TestRequestExamples_HaveKnownMembersAlone(t *testing.T) {
	var doc struct {
		Paths map[string]map[string]struct {
			RequestBody *struct {
				Content map[string]struct{ Schema, Example any }
			}
		}
		Components struct{ Schemas map[string]any }
	}
	if err := json.Unmarshal(description(t), &doc); err != nil {
		t.Fatal(err)
	}
	var check func(at string, schema, v any)
	check = func(at string, schema, v any) {
		s, _ := schema.(example)
		if ref, _ := s["$ref"].(string); ref != "" {
			check(at, doc.Components.Schemas[strings.TrimPrefix(ref, "#/components/schemas/")], v)
			return
		}
		switch v := v.(type) {
		case []any:
			for _, one := range v {
				check(at, s["items"], one)
			}
		case example:
			each, members := s["additionalProperties"], s["properties"]
			for name, one := range v {
				properties, _ := members.(example)
				known, ok := properties[name]
				switch {
				case ok:
					check(at+"."+name, known, one)
				case each != nil:
					check(at+"."+name, each, one)
				default:
					t.Errorf("%s has no member %s", at, name)
				}
			}
		}
	}
	for path, methods := range doc.Paths {
		for method, o := range methods {
			if o.RequestBody != nil {
				body := o.RequestBody.Content["application/json"]
				check(strings.ToUpper(method)+" "+path, body.Schema, body.Example)
			}
		}
	}
}
