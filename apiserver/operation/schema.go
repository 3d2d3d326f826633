// SPDX-License-Identifier: Apache-2.0

package operation

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/danielgtaylor/huma/v2"

	"github.com/reelops/reelops/apiserver/problem"
	"github.com/reelops/reelops/internal/catalog"
)

// Trimmed marks a string whose surrounding white space does not count.
const Trimmed = "x-trimmed"

// NullCounts marks a member for which null is a value, not the same as absent.
const NullCounts = "x-null-counts"

// BadRequest marks a required member whose absence is a bad_request.
const BadRequest = "x-absence-is-bad-request"

// schemas makes the schema of each type once.
type schemas struct{ huma.Registry }

func newSchemas() schemas {
	return schemas{huma.NewMapRegistry("#/components/schemas/", huma.DefaultSchemaNamer)}
}

func (r schemas) of(t reflect.Type) *huma.Schema { return r.Schema(t, true, "") }

// resolve follows a reference.
func (r schemas) resolve(s *huma.Schema) *huma.Schema {
	for s.Ref != "" {
		s = r.SchemaFromRef(s.Ref)
	}
	return s
}

// checker holds a body against its schema.
type checker struct {
	schemas
	// ignored collects the members that no schema knows, by their path.
	ignored []string
}

// object checks an object and returns what is known of it. A member that is null counts as absent. The members are
// checked in alphabetical order, required ones that are missing first, so that one body always gets one answer.
func (c *checker) object(s *huma.Schema, path string, in map[string]any) (map[string]any, *problem.Problem) {
	s = c.resolve(s)
	for _, name := range s.Required {
		if v, ok := in[name]; !ok || v == nil {
			if s.Properties[name].Extensions[BadRequest] == true {
				return nil, problem.New(catalog.BadRequest, problem.Details{"parameter": join(path, name)}).Saying(join(path, name) + " is required.")
			}
			return nil, problem.Field(join(path, name), fmt.Sprintf("%s is required.", join(path, name)))
		}
	}
	out := map[string]any{}
	names := make([]string, 0, len(in))
	for name := range in {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		at := join(path, name)
		member, known := s.Properties[name]
		if !known {
			c.ignore(at)
			continue
		}
		if in[name] == nil {
			if member.Extensions[NullCounts] == true {
				out[name] = nil
			}
			continue
		}
		v, p := c.value(member, at, in[name])
		if p != nil {
			return nil, p
		}
		out[name] = v
	}
	return out, nil
}

// What is said of ignored members is bounded: a body of a mebibyte may hold a hundred thousand of them.
const (
	maxIgnored           = 100
	maxIgnoredCharacters = 200
)

func (c *checker) ignore(at string) {
	if len(c.ignored) == maxIgnored {
		return
	}
	if utf8.RuneCountInString(at) > maxIgnoredCharacters {
		at = string([]rune(at)[:maxIgnoredCharacters-1]) + "…"
	}
	c.ignored = append(c.ignored, at)
}

func (c *checker) value(s *huma.Schema, path string, v any) (any, *problem.Problem) {
	s = c.resolve(s)
	if len(s.AnyOf) > 0 {
		for _, alternative := range s.AnyOf {
			if out, p := c.value(alternative, path, v); p == nil {
				return out, nil
			}
		}
		return nil, problem.Field(path, fmt.Sprintf("%s is not accepted. %s", path, s.Description))
	}
	switch s.Type {
	case huma.TypeObject:
		in, ok := v.(map[string]any)
		if !ok {
			return nil, wrongType(path, "an object")
		}
		if each, ok := s.AdditionalProperties.(*huma.Schema); ok {
			return c.each(each, path, in)
		}
		return c.object(s, path, in)
	case huma.TypeArray:
		return c.array(s, path, v)
	case huma.TypeString:
		in, ok := v.(string)
		if !ok {
			return nil, wrongType(path, "a string")
		}
		return checkString(s, path, in)
	case huma.TypeInteger, huma.TypeNumber:
		in, ok := v.(json.Number)
		if !ok {
			return nil, wrongType(path, map[string]string{huma.TypeInteger: "an integer", huma.TypeNumber: "a number"}[s.Type])
		}
		return checkNumber(s, path, in)
	case huma.TypeBoolean:
		if _, ok := v.(bool); !ok {
			return nil, wrongType(path, "true or false")
		}
		return v, nil
	case "null":
		return nil, problem.Field(path, fmt.Sprintf("%s must be null. %s", path, s.Description))
	}
	return v, nil
}

// each checks an object whose members are named by the caller. A member that is null counts as absent.
func (c *checker) each(s *huma.Schema, path string, in map[string]any) (any, *problem.Problem) {
	out := map[string]any{}
	for _, name := range slices.Sorted(maps.Keys(in)) {
		if in[name] == nil {
			continue
		}
		v, p := c.value(s, join(path, name), in[name])
		if p != nil {
			return nil, p
		}
		out[name] = v
	}
	return out, nil
}

func (c *checker) array(s *huma.Schema, path string, v any) (any, *problem.Problem) {
	in, ok := v.([]any)
	if !ok {
		return nil, wrongType(path, "an array")
	}
	if s.MaxItems != nil && len(in) > *s.MaxItems {
		return nil, problem.Field(path, fmt.Sprintf("%s may have %d entries at most, not %d.", path, *s.MaxItems, len(in)))
	}
	out := make([]any, len(in))
	for i, e := range in {
		x, p := c.value(s.Items, fmt.Sprintf("%s[%d]", path, i), e)
		if p != nil {
			return nil, p
		}
		out[i] = x
	}
	return out, nil
}

func checkString(s *huma.Schema, path, v string) (any, *problem.Problem) {
	if s.Extensions[Trimmed] == true {
		v = strings.TrimSpace(v)
	}
	v = anyCase(s, v)
	n := utf8.RuneCountInString(v)
	switch {
	case len(s.Enum) > 0 && !slices.Contains(s.Enum, any(v)):
		return nil, problem.NotAllowed(path, s.Enum, fmt.Sprintf("%s must be one of the accepted values.", path))
	case s.MinLength != nil && n < *s.MinLength:
		return nil, problem.Field(path, fmt.Sprintf("%s must not be empty.", path))
	case s.MaxLength != nil && n > *s.MaxLength:
		return nil, problem.Field(path, fmt.Sprintf("%s may have %d characters at most, not %d.", path, *s.MaxLength, n))
	case s.Pattern != "" && !pattern(s.Pattern).MatchString(v):
		return nil, problem.Field(path, fmt.Sprintf("%s does not have the shape that is asked for. %s", path, s.Description))
	case s.Pattern == idPattern && !isID(v):
		return nil, problem.Field(path, fmt.Sprintf("%s is too large a number.", path))
	case s.Format == "date-time" && !isTime(v):
		return nil, problem.Field(path, fmt.Sprintf("%s must be a time with its offset, such as 2026-11-21T12:00:00Z.", path))
	case strings.ContainsRune(v, 0):
		return nil, problem.Field(path, fmt.Sprintf("%s must not hold the character NUL.", path))
	}
	return v, nil
}

func isID(v string) bool {
	_, err := ParseID(v)
	return err == nil
}

func checkNumber(s *huma.Schema, path string, v json.Number) (any, *problem.Problem) {
	f, err := v.Float64()
	if err != nil || math.IsInf(f, 0) {
		return nil, problem.Field(path, fmt.Sprintf("%s is too large a number.", path))
	}
	if s.Type == huma.TypeInteger {
		if f != math.Trunc(f) || math.Abs(f) > MaxID {
			return nil, wrongType(path, "an integer")
		}
		v = json.Number(strconv.FormatInt(int64(f), 10))
	}
	switch {
	case len(s.Enum) > 0 && !slices.ContainsFunc(s.Enum, func(e any) bool { n, ok := e.(int); return ok && float64(n) == f }):
		return nil, problem.NotAllowed(path, s.Enum, fmt.Sprintf("%s must be one of the accepted values.", path))
	case s.Minimum != nil && f < *s.Minimum, s.Maximum != nil && f > *s.Maximum:
		return nil, problem.Field(path, fmt.Sprintf("%s is outside the accepted range.", path))
	}
	return v, nil
}

func isTime(v string) bool {
	_, err := time.Parse(time.RFC3339, v)
	return err == nil
}

var patterns sync.Map

func pattern(p string) *regexp.Regexp {
	if re, ok := patterns.Load(p); ok {
		return re.(*regexp.Regexp)
	}
	re := regexp.MustCompile(p)
	patterns.Store(p, re)
	return re
}

func wrongType(path, want string) *problem.Problem {
	return problem.Field(path, fmt.Sprintf("%s must be %s.", path, want))
}

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}
