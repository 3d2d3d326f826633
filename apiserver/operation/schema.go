// SPDX-License-Identifier: Apache-2.0

package operation

import (
	"encoding"
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

// Trimmed marks a string whose surrounding white space is ignored.
const Trimmed = "x-trimmed"

// NullCounts marks a member for which null is a value, not the same as absent.
const NullCounts = "x-null-counts"

// BadRequest marks a required member whose absence is a bad_request.
const BadRequest = "x-absence-is-bad-request"

// schemas creates the schema of each type once.
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

// maxRefusals limits the problems reported for one body: a body of 1 MiB may hold a hundred thousand of them.
const maxRefusals = 20

// refusals are the problems of a body, in the order in which they are found.
type refusals []*problem.Problem

// decoder decodes JSON values into Go values and validates them against their schemas at the same time. The decoded
// values are only meaningful if there are no problems.
type decoder struct {
	schemas
	// ignored lists the paths of members that no schema has; unknown holds a problem for each.
	ignored []string
	unknown refusals
	// err is the first value that passed its schema but does not fit its Go type: a bug in a declaration.
	err error
}

// object decodes an object into a struct or a map and returns its problems. A member that is null counts as absent.
// Missing required members are reported first, then the members in alphabetical order, so that the same body always
// gets the same response.
func (d *decoder) object(s *huma.Schema, path string, in map[string]any, to reflect.Value) refusals {
	s = d.resolve(s)
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
	if to.Kind() == reflect.Map {
		to.Set(reflect.MakeMapWithSize(to.Type(), len(in)))
	}
	for _, name := range slices.Sorted(maps.Keys(in)) {
		at := join(path, name)
		member, known := s.Properties[name]
		if !known {
			d.ignore(at, slices.Sorted(maps.Keys(s.Properties)))
			continue
		}
		null := in[name] == nil
		if null && member.Extensions[NullCounts] != true || !null && len(refused) >= maxRefusals {
			continue
		}
		field := d.member(to, name)
		if null {
			d.unmarshal(nil, field)
		} else {
			refused = append(refused, d.value(member, at, in[name], field)...)
		}
		if to.Kind() == reflect.Map {
			to.SetMapIndex(reflect.ValueOf(name).Convert(to.Type().Key()), field)
		}
	}
	return refused
}

// member returns the field of a struct, or a new value for a map.
func (d *decoder) member(to reflect.Value, name string) reflect.Value {
	if to.Kind() == reflect.Map {
		return reflect.New(to.Type().Elem()).Elem()
	}
	index, ok := fieldsOf(to.Type())[name]
	if !ok {
		d.fail(fmt.Errorf("%s has no member %s", to.Type(), name))
		return reflect.New(reflect.TypeFor[any]()).Elem()
	}
	return to.FieldByIndex(index)
}

var fields sync.Map // maps a struct type to the result of fieldsOf

// fieldsOf returns the index of each field of a struct by its JSON name, including those of embedded structs.
func fieldsOf(t reflect.Type) map[string][]int {
	if known, ok := fields.Load(t); ok {
		return known.(map[string][]int)
	}
	out := map[string][]int{}
	for _, f := range reflect.VisibleFields(t) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "" && !f.Anonymous {
			name = f.Name
		}
		if name != "" && name != "-" && f.IsExported() {
			out[name] = f.Index
		}
	}
	fields.Store(t, out)
	return out
}

// Limits on the names of ignored members in a response: a body of 1 MiB may hold a hundred thousand of them.
const (
	maxIgnored           = 100
	maxIgnoredCharacters = 200
)

func (d *decoder) ignore(at string, known []string) {
	if len(d.ignored) == maxIgnored {
		return
	}
	if utf8.RuneCountInString(at) > maxIgnoredCharacters {
		at = string([]rune(at)[:maxIgnoredCharacters-1]) + "…"
	}
	d.ignored = append(d.ignored, at)
	if len(d.unknown) < maxRefusals {
		d.unknown = append(d.unknown, UnknownMember(at, known...))
	}
}

// value decodes a value and returns its problems.
func (d *decoder) value(s *huma.Schema, path string, v any, to reflect.Value) refusals {
	s = d.resolve(s)
	for to.Kind() == reflect.Pointer {
		to.Set(reflect.New(to.Type().Elem()))
		to = to.Elem()
	}
	if unmarshals(to.Type()) {
		var plain any
		refused := d.value(s, path, v, reflect.ValueOf(&plain).Elem())
		if refused == nil {
			d.unmarshal(plain, to)
		}
		return refused
	}
	if len(s.AnyOf) > 0 {
		return d.anyOf(s, path, v, to)
	}
	var refused refusals
	switch s.Type {
	case huma.TypeObject:
		in, ok := v.(map[string]any)
		if !ok {
			return wrongType(path, s, v)
		}
		decode := d.object
		if each, ok := s.AdditionalProperties.(*huma.Schema); ok {
			s, decode = each, d.each
		}
		return inside(to, anyMap, func(to reflect.Value) refusals { return decode(s, path, in, to) })
	case huma.TypeArray:
		in, ok := v.([]any)
		if !ok {
			return wrongType(path, s, v)
		}
		return inside(to, anySlice, func(to reflect.Value) refusals { return d.array(s, path, in, to) })
	case huma.TypeString:
		in, ok := v.(string)
		if !ok {
			return wrongType(path, s, v)
		}
		v, refused = checkString(s, path, in)
	case huma.TypeInteger, huma.TypeNumber:
		in, ok := v.(json.Number)
		if !ok {
			return wrongType(path, s, v)
		}
		v, refused = checkNumber(s, path, in)
	case huma.TypeBoolean:
		if _, ok := v.(bool); !ok {
			return wrongType(path, s, v)
		}
	case typeNull:
		return wrongType(path, s, v)
	}
	if refused == nil {
		d.set(to, v)
	}
	return refused
}

// Types of objects and arrays inside a value of type any.
var anyMap, anySlice = reflect.TypeFor[map[string]any](), reflect.TypeFor[[]any]()

// inside decodes into a value, or into a new value of type t if the target may have any type.
func inside(to reflect.Value, t reflect.Type, decode func(reflect.Value) refusals) refusals {
	if to.Kind() != reflect.Interface {
		return decode(to)
	}
	plain := reflect.New(t).Elem()
	refused := decode(plain)
	to.Set(plain)
	return refused
}

// anyOf decodes a value that may have one of several shapes. It returns the problems of the shape with the value's own
// type, if there is one.
func (d *decoder) anyOf(s *huma.Schema, path string, v any, to reflect.Value) refusals {
	var nearest refusals
	for _, alternative := range s.AnyOf {
		to.SetZero()
		refused := d.value(alternative, path, v, to)
		if refused == nil {
			return nil
		}
		if ofType(d.resolve(alternative), v) {
			nearest = refused
		}
	}
	if nearest != nil {
		return nearest
	}
	return wrongType(path, s, v)
}

// each decodes an object with arbitrary member names into a map. A member that is null counts as absent.
func (d *decoder) each(s *huma.Schema, path string, in map[string]any, to reflect.Value) refusals {
	to.Set(reflect.MakeMapWithSize(to.Type(), len(in)))
	var refused refusals
	for _, name := range slices.Sorted(maps.Keys(in)) {
		if in[name] == nil || len(refused) >= maxRefusals {
			continue
		}
		element := d.member(to, name)
		refused = append(refused, d.value(s, join(path, name), in[name], element)...)
		to.SetMapIndex(reflect.ValueOf(name).Convert(to.Type().Key()), element)
	}
	return refused
}

func (d *decoder) array(s *huma.Schema, path string, in []any, to reflect.Value) refusals {
	if s.MaxItems != nil && len(in) > *s.MaxItems {
		return refuse(path, "%s may have %d entries at most, not %d.", path, *s.MaxItems, len(in))
	}
	to.Set(reflect.MakeSlice(to.Type(), len(in), len(in)))
	var refused refusals
	for i, e := range in {
		if len(refused) >= maxRefusals {
			break
		}
		refused = append(refused, d.value(s.Items, fmt.Sprintf("%s[%d]", path, i), e, to.Index(i))...)
	}
	return refused
}

// set sets a value that passed its schema.
func (d *decoder) set(to reflect.Value, v any) {
	switch in := v.(type) {
	case string:
		if to.Kind() == reflect.String {
			to.SetString(in)
			return
		}
	case bool:
		if to.Kind() == reflect.Bool {
			to.SetBool(in)
			return
		}
	case json.Number:
		if to.CanInt() {
			if n, err := in.Int64(); err == nil && !to.OverflowInt(n) {
				to.SetInt(n)
				return
			}
		} else if to.CanFloat() {
			if f, err := strconv.ParseFloat(string(in), to.Type().Bits()); err == nil {
				to.SetFloat(f)
				return
			}
		}
	}
	if to.Kind() == reflect.Interface && v != nil {
		to.Set(reflect.ValueOf(v))
		return
	}
	d.unmarshal(v, to)
}

// unmarshals reports whether values of a type decode JSON themselves.
func unmarshals(t reflect.Type) bool {
	if t.PkgPath() == "" {
		return false
	}
	p := reflect.PointerTo(t)
	return p.Implements(reflect.TypeFor[json.Unmarshaler]()) || p.Implements(reflect.TypeFor[encoding.TextUnmarshaler]())
}

// unmarshal sets a value of a type that decodes JSON itself.
func (d *decoder) unmarshal(v any, to reflect.Value) {
	doc, err := json.Marshal(v)
	if err == nil {
		err = json.Unmarshal(doc, to.Addr().Interface())
	}
	if err != nil {
		d.fail(err)
	}
}

func (d *decoder) fail(err error) {
	if d.err == nil {
		d.err = err
	}
}

// failed returns the internal error of arguments that passed their schemas but do not fit their Go types.
func (d *decoder) failed(o *Operation) error {
	if d.err == nil {
		return nil
	}
	return fmt.Errorf("operation %s: an argument passed its schema but does not fit its type: %w", o.Name, d.err)
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
