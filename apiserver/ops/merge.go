// SPDX-License-Identifier: Apache-2.0

package ops

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"

	"github.com/danielgtaylor/huma/v2"

	"github.com/reelops/reelops/apiserver/operation"
)

// Merge is a JSON merge patch (RFC 7396) of a record T. Members that the patch omits stay, members that are null are
// cleared, objects are merged member by member, and arrays are replaced. The patch null clears the whole record.
type Merge[T any] struct {
	given bool
	patch any
}

// UnmarshalJSON keeps the patch.
func (m *Merge[T]) UnmarshalJSON(b []byte) error {
	m.given = true
	return json.Unmarshal(b, &m.patch)
}

// Schema returns the schema of T with optional members, in which null is a value everywhere.
func (Merge[T]) Schema(r huma.Registry) *huma.Schema {
	return patchSchema(r, huma.SchemaFromType(r, reflect.TypeFor[T]()))
}

// patchSchema returns a copy of a schema for patches.
func patchSchema(r huma.Registry, s *huma.Schema) *huma.Schema {
	for s.Ref != "" {
		described := s.Description
		s = r.SchemaFromRef(s.Ref)
		if described != "" {
			s = withDescription(s, described)
		}
	}
	out := *s
	out.Extensions = maps.Clone(s.Extensions)
	if out.Extensions == nil {
		out.Extensions = map[string]any{}
	}
	out.Extensions[operation.NullCounts] = true
	switch {
	case len(s.AnyOf) > 0:
		out.AnyOf = append(append([]*huma.Schema{}, s.AnyOf...), &huma.Schema{Type: "null"})
	case len(s.Enum) > 0 || s.Type == huma.TypeArray:
		value := *s
		value.Description, value.Nullable = "", false
		out = huma.Schema{
			Description: s.Description, Extensions: out.Extensions, AnyOf: []*huma.Schema{&value, {Type: "null"}},
		}
	default:
		out.Nullable, out.Required = true, nil
	}
	if s.Properties != nil {
		out.Properties = map[string]*huma.Schema{}
		for name, p := range s.Properties {
			out.Properties[name] = patchSchema(r, p)
		}
	}
	return &out
}

func withDescription(s *huma.Schema, text string) *huma.Schema {
	out := *s
	out.Description = text
	return &out
}

// names reports whether the patch names a member of the record.
func (m *Merge[T]) names(member string) bool {
	o, _ := m.patch.(map[string]any)
	_, ok := o[member]
	return m.given && (ok || m.patch == nil)
}

// apply returns the record with the patch applied.
func (m *Merge[T]) apply(to T) (T, error) {
	if !m.given {
		return to, nil
	}
	var out T
	doc, err := json.Marshal(to)
	if err != nil {
		return out, fmt.Errorf("merging a patch: %w", err)
	}
	var record any
	if err := json.Unmarshal(doc, &record); err != nil {
		return out, fmt.Errorf("merging a patch: %w", err)
	}
	if doc, err = json.Marshal(merged(record, m.patch)); err != nil {
		return out, fmt.Errorf("merging a patch: %w", err)
	}
	if err := json.Unmarshal(doc, &out); err != nil {
		return out, fmt.Errorf("merging a patch: %w", err)
	}
	return out, nil
}

// merged applies a patch to a value as RFC 7396 defines.
func merged(to, patch any) any {
	changes, ok := patch.(map[string]any)
	if !ok {
		return patch
	}
	out, _ := to.(map[string]any)
	out = maps.Clone(out)
	if out == nil {
		out = map[string]any{}
	}
	for name, v := range changes {
		if v == nil {
			delete(out, name)
			continue
		}
		out[name] = merged(out[name], v)
	}
	return out
}
