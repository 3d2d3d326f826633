// SPDX-License-Identifier: Apache-2.0

package operation

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/danielgtaylor/huma/v2"

	"github.com/reelops/reelops/apiserver/problem"
)

// typeNull is the schema type of null.
const typeNull = "null"

// maxListed limits the accepted values in a message; details.allowed always holds all of them.
const maxListed = 30

// maxQuoted limits the characters of a value that a message repeats.
const maxQuoted = 60

// refuse returns one problem of the field at path.
func refuse(path, format string, args ...any) refusals {
	return refusals{problem.Field(path, strings.TrimSpace(fmt.Sprintf(format, args...)))}
}

// UnknownMember returns the problem of an unknown member at path, with the known members.
func UnknownMember(path string, known ...string) *problem.Problem {
	why := path + " is not known"
	if len(known) > 0 {
		why += ": use " + strings.Join(known, ", ")
	}
	p := problem.Field(path, why+".")
	p.Details["reason"] = "unknown_member"
	return p
}

// wrongType returns the problem of a value that has none of the types of the schema.
func wrongType(path string, s *huma.Schema, v any) refusals {
	return refuse(path, "%s must be %s, not %s.", path, typesOf(s), typeOf(v))
}

// notListed returns the problem of a value that is not in an enumeration.
func notListed(path string, allowed []any, v any) refusals {
	var words []string
	for _, a := range allowed {
		if a != nil {
			words = append(words, fmt.Sprint(a))
		}
	}
	one := "one of the values in details.allowed"
	if len(words) <= maxListed {
		one = "one of " + strings.Join(words, ", ")
	}
	why := fmt.Sprintf("%s must be %s, not %s.", path, one, quoted(fmt.Sprint(v)))
	return refusals{problem.NotAllowed(path, allowed, why)}
}

// typesOf returns the types that a schema accepts, in words.
func typesOf(s *huma.Schema) string {
	if len(s.AnyOf) == 0 {
		if s.Pattern == idPattern {
			return "a string of digits"
		}
		return typeNames[s.Type]
	}
	var names []string
	for _, a := range s.AnyOf {
		if n := typesOf(a); !slices.Contains(names, n) {
			names = append(names, n)
		}
	}
	if last := len(names) - 1; last > 0 {
		return strings.Join(names[:last], ", ") + " or " + names[last]
	}
	return names[0]
}

var typeNames = map[string]string{
	huma.TypeObject: "an object", huma.TypeArray: "an array", huma.TypeString: "a string", huma.TypeInteger: "an integer",
	huma.TypeNumber: "a number", huma.TypeBoolean: "true or false", typeNull: "null",
}

// typeOf returns the type of a decoded value, in words.
func typeOf(v any) string {
	switch v := v.(type) {
	case map[string]any:
		return "an object"
	case []any:
		return "an array"
	case string:
		return "a string"
	case json.Number:
		return "a number"
	case bool:
		return strconv.FormatBool(v)
	}
	return "null"
}

// ofType reports whether a value has the type of a schema. It checks no other rule of the schema.
func ofType(s *huma.Schema, v any) bool {
	switch s.Type {
	case huma.TypeInteger, huma.TypeNumber:
		_, ok := v.(json.Number)
		return ok
	case huma.TypeBoolean:
		_, ok := v.(bool)
		return ok
	}
	return typeNames[s.Type] == typeOf(v)
}

// bounds returns the accepted range of a number, in words.
func bounds(s *huma.Schema) string {
	switch {
	case s.Minimum == nil:
		return "at most " + plain(*s.Maximum)
	case s.Maximum == nil || *s.Maximum >= MaxID:
		return "at least " + plain(*s.Minimum)
	}
	return "from " + plain(*s.Minimum) + " to " + plain(*s.Maximum)
}

func plain(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }

// quoted returns a quoted value, cut after maxQuoted characters.
func quoted(v string) string {
	if utf8.RuneCountInString(v) > maxQuoted {
		v = string([]rune(v)[:maxQuoted-1]) + "…"
	}
	return strconv.Quote(v)
}
