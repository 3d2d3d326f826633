// SPDX-License-Identifier: Apache-2.0

package docs

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// piece is a part of a type's text. Schema is the name of the schema that it links to.
type piece struct{ Text, Schema string }

// member is one line of an object.
type member struct {
	Name        string
	Type        []piece
	Description string
	// Rules are the constraints of a value, in words. Values are the accepted values.
	Rules, Values []string
	Pattern       string
	// Needed means that a request must have the member, or that a response always has it.
	Needed, Deprecated bool
}

// members returns the members of an object: required ones first, in the order of their declaration, then the others.
func members(s *schema) []member {
	var out []member
	add := func(name string) {
		m := memberOf(name, s.Properties[name])
		m.Needed = slices.Contains(s.Required, name)
		out = append(out, m)
	}
	for _, name := range s.Required {
		if s.Properties[name] != nil {
			add(name)
		}
	}
	for _, name := range sortedKeys(s.Properties) {
		if !slices.Contains(s.Required, name) {
			add(name)
		}
	}
	return out
}

func memberOf(name string, s *schema) member {
	return member{Name: name, Type: typeOf(s), Description: s.Description, Rules: rules(s), Values: values(s), Pattern: s.Pattern, Deprecated: s.Deprecated}
}

// typeOf describes a type in words: "array of Slide", "string or null".
func typeOf(s *schema) []piece {
	switch {
	case s == nil:
		return []piece{{Text: "anything"}}
	case s.Ref != "":
		return []piece{{Text: nameOf(s.Ref), Schema: nameOf(s.Ref)}}
	case len(s.OneOf)+len(s.AnyOf) > 0:
		var out []piece
		for i, one := range append(slices.Clone(s.OneOf), s.AnyOf...) {
			if i > 0 {
				out = append(out, piece{Text: " or "})
			}
			out = append(out, typeOf(one)...)
		}
		return out
	case slices.Contains(s.Type, "array"):
		return append([]piece{{Text: "array of "}}, typeOf(s.Items)...)
	case len(s.Properties) == 0 && s.AdditionalProperties != nil && len(typeOf(s.AdditionalProperties)) > 0 && s.AdditionalProperties.Ref != "":
		return append([]piece{{Text: "object of "}}, typeOf(s.AdditionalProperties)...)
	case len(s.Type) == 0:
		return []piece{{Text: "anything"}}
	}
	text := strings.Join(s.Type, " or ")
	switch s.Format {
	case "date-time":
		text = strings.Replace(text, "string", "time", 1)
	case "uri":
		text = strings.Replace(text, "string", "URL", 1)
	}
	return []piece{{Text: text}}
}

// anyID is the largest id.
const anyID = 1<<53 - 1

// rules describes the limits of a value in words.
func rules(s *schema) []string {
	var out []string
	between := func(least, most, unit string) {
		if unit != "" {
			unit = " " + unit
		}
		switch {
		case least != "" && most != "":
			out = append(out, least+" to "+most+unit)
		case least != "":
			out = append(out, "at least "+least+unit)
		case most != "":
			out = append(out, "at most "+most+unit)
		}
	}
	if s.Maximum == nil || *s.Maximum < anyID { // omit the limits of ids, which are the same for every id
		between(number(s.Minimum), number(s.Maximum), "")
	}
	between(count(s.MinLength), count(s.MaxLength), "characters")
	between(count(s.MinItems), count(s.MaxItems), "entries")
	if len(s.Default) > 0 {
		out = append(out, "default "+plain(s.Default))
	}
	return out
}

func values(s *schema) []string {
	if s.Items != nil && len(s.Enum) == 0 {
		s = s.Items
	}
	var out []string
	for _, e := range s.Enum {
		out = append(out, plain(e))
	}
	return out
}

// plain returns a string without its quotes.
func plain(v json.RawMessage) string {
	var text string
	if json.Unmarshal(v, &text) == nil {
		return text
	}
	return string(v)
}

func number(f *float64) string {
	if f == nil {
		return ""
	}
	return strconv.FormatFloat(*f, 'f', -1, 64)
}

func count(n *int) string {
	if n == nil {
		return ""
	}
	return fmt.Sprint(*n)
}

func sortedKeys[V any](m map[string]V) []string {
	out := make([]string, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}
