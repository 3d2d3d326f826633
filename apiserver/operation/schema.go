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

// maxRefusals bounds the problems that are reported of one body: a body of a mebibyte may hold a hundred thousand of
// them.
const maxRefusals = 20

// refusals are the problems of a body, in the order in which they are found.
type refusals []*problem.Problem

// checker holds a body against its schema.
type checker struct {
	schemas
	// ignored collects the members that no schema knows, by their path; unknown has a refusal for each.
	ignored []string
	unknown refusals
}

// object checks an object and returns what is known of it, and its problems. A member that is null counts as absent.
// Required members that are missing come first, then the members in alphabetical order, so that one body always gets
// one answer.
func (c *checker) object(s *huma.Schema, path string, in map[string]any) (map[string]any, refusals) {
	s = c.resolve(s)
	var refused refusals
	for _, name := range s.Required {
		if v, ok := in[name]; !ok || v == nil {
			at := join(path, name)
			p := problem.Field(at, at+" is required.")
			if s.Properties[name].Extensions[BadRequest] == true {
				p = problem.New(catalog.BadRequest, problem.Details{"parameter": at}).Saying(at + " is required.")
			}
			refused = append(refused, p)
		}
	}
	out := map[string]any{}
	for _, name := range slices.Sorted(maps.Keys(in)) {
		at := join(path, name)
		member, known := s.Properties[name]
		if !known {
			c.ignore(at, slices.Sorted(maps.Keys(s.Properties)))
			continue
		}
		if in[name] == nil {
			if member.Extensions[NullCounts] == true {
				out[name] = nil
			}
			continue
		}
		if len(refused) >= maxRefusals {
			continue
		}
		v, r := c.value(member, at, in[name])
		out[name], refused = v, append(refused, r...)
	}
	return out, refused
}

// Bounds of the names of ignored members in an answer: a body of a mebibyte may hold a hundred thousand of them.
const (
	maxIgnored           = 100
	maxIgnoredCharacters = 200
)

func (c *checker) ignore(at string, known []string) {
	if len(c.ignored) == maxIgnored {
		return
	}
	if utf8.RuneCountInString(at) > maxIgnoredCharacters {
		at = string([]rune(at)[:maxIgnoredCharacters-1]) + "…"
	}
	c.ignored = append(c.ignored, at)
	if len(c.unknown) < maxRefusals {
		c.unknown = append(c.unknown, UnknownMember(at, known...))
	}
}

func (c *checker) value(s *huma.Schema, path string, v any) (any, refusals) {
	s = c.resolve(s)
	if len(s.AnyOf) > 0 {
		return c.anyOf(s, path, v)
	}
	switch s.Type {
	case huma.TypeObject:
		in, ok := v.(map[string]any)
		if !ok {
			return nil, wrongType(path, s, v)
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
			return nil, wrongType(path, s, v)
		}
		return checkString(s, path, in)
	case huma.TypeInteger, huma.TypeNumber:
		in, ok := v.(json.Number)
		if !ok {
			return nil, wrongType(path, s, v)
		}
		return checkNumber(s, path, in)
	case huma.TypeBoolean:
		if _, ok := v.(bool); !ok {
			return nil, wrongType(path, s, v)
		}
		return v, nil
	case typeNull:
		return nil, wrongType(path, s, v)
	}
	return v, nil
}

// anyOf checks a value that may have one of several shapes. The problems are those of the shape with the value's own
// type, if there is one.
func (c *checker) anyOf(s *huma.Schema, path string, v any) (any, refusals) {
	var nearest refusals
	for _, alternative := range s.AnyOf {
		out, refused := c.value(alternative, path, v)
		if refused == nil {
			return out, nil
		}
		if ofType(c.resolve(alternative), v) {
			nearest = refused
		}
	}
	if nearest != nil {
		return nil, nearest
	}
	return nil, wrongType(path, s, v)
}

// each checks an object whose members are named by the caller. A member that is null counts as absent.
func (c *checker) each(s *huma.Schema, path string, in map[string]any) (any, refusals) {
	out := map[string]any{}
	var refused refusals
	for _, name := range slices.Sorted(maps.Keys(in)) {
		if in[name] == nil || len(refused) >= maxRefusals {
			continue
		}
		v, r := c.value(s, join(path, name), in[name])
		out[name], refused = v, append(refused, r...)
	}
	return out, refused
}

func (c *checker) array(s *huma.Schema, path string, v any) (any, refusals) {
	in, ok := v.([]any)
	if !ok {
		return nil, wrongType(path, s, v)
	}
	if s.MaxItems != nil && len(in) > *s.MaxItems {
		return nil, refuse(path, "%s may have %d entries at most, not %d.", path, *s.MaxItems, len(in))
	}
	out := make([]any, len(in))
	var refused refusals
	for i, e := range in {
		if len(refused) >= maxRefusals {
			break
		}
		x, r := c.value(s.Items, fmt.Sprintf("%s[%d]", path, i), e)
		out[i], refused = x, append(refused, r...)
	}
	return out, refused
}

func checkString(s *huma.Schema, path, v string) (any, refusals) {
	if s.Extensions[Trimmed] == true {
		v = strings.TrimSpace(v)
	}
	v = anyCase(s, v)
	n := utf8.RuneCountInString(v)
	switch {
	case len(s.Enum) > 0 && !slices.Contains(s.Enum, any(v)):
		return nil, notListed(path, s.Enum, v)
	case s.MinLength != nil && n == 0 && n < *s.MinLength:
		return nil, refuse(path, "%s must not be empty.", path)
	case s.MinLength != nil && n < *s.MinLength:
		return nil, refuse(path, "%s needs %d characters at least, not %d.", path, *s.MinLength, n)
	case s.MaxLength != nil && n > *s.MaxLength:
		return nil, refuse(path, "%s may have %d characters at most, not %d.", path, *s.MaxLength, n)
	case s.Pattern == idPattern && !isID(v):
		return nil, refuse(path, "%s must be an id, a positive integer such as 123, not %s.", path, quoted(v))
	case s.Pattern != "" && !pattern(s.Pattern).MatchString(v):
		return nil, refuse(path, "%s must match %s, and %s does not. %s", path, s.Pattern, quoted(v), s.Description)
	case s.Format == "date-time" && !isTime(v):
		return nil, refuse(path, "%s must be a time with its offset, such as 2026-11-21T12:00:00Z, not %s.", path, quoted(v))
	case strings.ContainsRune(v, 0):
		return nil, refuse(path, "%s must not hold the character NUL.", path)
	}
	return v, nil
}

func isID(v string) bool {
	_, err := ParseID(v)
	return err == nil
}

func checkNumber(s *huma.Schema, path string, v json.Number) (any, refusals) {
	f, err := v.Float64()
	if err != nil || math.IsInf(f, 0) {
		return nil, refuse(path, "%s is too large a number.", path)
	}
	if s.Type == huma.TypeInteger {
		if f != math.Trunc(f) {
			return nil, refuse(path, "%s must be an integer, without a fraction.", path)
		}
		if math.Abs(f) > MaxID {
			return nil, refuse(path, "%s is too large a number.", path)
		}
		v = json.Number(strconv.FormatInt(int64(f), 10))
	}
	switch {
	case len(s.Enum) > 0 && !slices.ContainsFunc(s.Enum, func(e any) bool { n, ok := e.(int); return ok && float64(n) == f }):
		return nil, notListed(path, s.Enum, v)
	case s.Minimum != nil && f < *s.Minimum, s.Maximum != nil && f > *s.Maximum:
		return nil, refuse(path, "%s must be %s, not %s.", path, bounds(s), plain(f))
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

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}
