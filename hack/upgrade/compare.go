// SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/utils/ptr"
)

type kinds = map[string]*apiextensionsv1.CustomResourceDefinition

// narrower returns the values and fields of the kinds in was that the kinds in now no longer accept or keep.
func narrower(was, now kinds) (out []string) {
	report := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	for _, name := range slices.Sorted(maps.Keys(was)) {
		a, b := was[name], now[name]
		if b == nil {
			report("%s is gone", name)
			continue
		}
		if a.Spec.Names.Kind != b.Spec.Names.Kind || a.Spec.Scope != b.Spec.Scope || a.Spec.Group != b.Spec.Group {
			report("%s: the kind, its group or its scope is another", name)
		}
		for _, short := range a.Spec.Names.ShortNames {
			if !slices.Contains(b.Spec.Names.ShortNames, short) {
				report("%s: the short name %s is gone", name, short)
			}
		}
		for i := range a.Spec.Versions {
			v := &a.Spec.Versions[i]
			w := versionOf(b, v.Name)
			switch {
			case w == nil:
				report("%s: the version %s is gone, and objects may be stored in it", name, v.Name)
				continue
			case v.Served && !w.Served:
				report("%s: the version %s is not served any more", name, v.Name)
			case v.Storage && !w.Storage && b.Spec.Conversion == nil && !reflect.DeepEqual(w.Schema, storedVersion(b).Schema):
				report("%s: %s is not stored any more, the stored version has another schema, and nothing converts it", name, v.Name)
			}
			if v.Subresources != nil && v.Subresources.Status != nil && (w.Subresources == nil || w.Subresources.Status == nil) {
				report("%s: the status is no subresource any more", name)
			}
			c := comparing{path: name + " " + v.Name, report: report}
			c.schema(v.Schema.OpenAPIV3Schema, w.Schema.OpenAPIV3Schema)
		}
	}
	return out
}

// storedVersion returns the version in which new objects are stored, or nil.
func storedVersion(c *apiextensionsv1.CustomResourceDefinition) *apiextensionsv1.CustomResourceDefinitionVersion {
	i := slices.IndexFunc(c.Spec.Versions, func(v apiextensionsv1.CustomResourceDefinitionVersion) bool { return v.Storage })
	if i < 0 {
		return nil
	}
	return &c.Spec.Versions[i]
}

func versionOf(c *apiextensionsv1.CustomResourceDefinition, name string) *apiextensionsv1.CustomResourceDefinitionVersion {
	for i := range c.Spec.Versions {
		if c.Spec.Versions[i].Name == name {
			return &c.Spec.Versions[i]
		}
	}
	return nil
}

// comparing is the comparison at one path of a schema.
type comparing struct {
	path   string
	report func(string, ...any)
}

func (c comparing) at(part string) comparing { return comparing{c.path + part, c.report} }

func (c comparing) schema(a, b *apiextensionsv1.JSONSchemaProps) {
	if a.Type != b.Type || a.XIntOrString != b.XIntOrString {
		c.report("%s: the type is %q and was %q", c.path, b.Type, a.Type)
		return
	}
	if b.Format != "" && a.Format != b.Format {
		c.report("%s: the format is %q and was %q", c.path, b.Format, a.Format)
	}
	if b.Pattern != "" && a.Pattern != b.Pattern {
		c.report("%s: the pattern is %q and was %q", c.path, b.Pattern, a.Pattern)
	}
	if a.Nullable && !b.Nullable {
		c.report("%s: null is not taken any more", c.path)
	}
	if ptr.Deref(a.XPreserveUnknownFields, false) && !ptr.Deref(b.XPreserveUnknownFields, false) {
		c.report("%s: unknown fields are not kept any more", c.path)
	}
	if !reflect.DeepEqual(a.Default, b.Default) {
		c.report("%s: the default is another", c.path)
	}
	if (ptr.Deref(a.XListType, "atomic") != ptr.Deref(b.XListType, "atomic") || !slices.Equal(a.XListMapKeys, b.XListMapKeys)) && !c.keyed(a, b) {
		c.report("%s: the list is merged another way", c.path)
	}
	if ptr.Deref(a.XMapType, "granular") != ptr.Deref(b.XMapType, "granular") && !c.whole(b) {
		c.report("%s: the object is merged another way", c.path)
	}
	c.values(a, b)
	c.bounds(a, b)
	for _, r := range b.XValidations {
		kept := func(o apiextensionsv1.ValidationRule) bool { return o.Rule == r.Rule || extends(a, o.Rule, r.Rule) }
		if !slices.ContainsFunc(a.XValidations, kept) && !ofNewField(a, r.Rule) && !respelled(a, r.Rule) && !loosened(r.Rule) {
			c.report("%s: there is a new rule: %s", c.path, r.Rule)
		}
	}
	for _, pair := range [][2]any{{a.AllOf, b.AllOf}, {a.AnyOf, b.AnyOf}, {a.OneOf, b.OneOf}, {a.Not, b.Not}} {
		if !reflect.DeepEqual(pair[0], pair[1]) {
			c.report("%s: allOf, anyOf, oneOf or not is another", c.path)
		}
	}
	c.below(a, b)
}

// absent matches a condition that holds for objects without the captured field: the field stays absent, or it may be
// absent.
var absent = regexp.MustCompile(`^(?:has\(self\.(\w+)\) == has\(oldSelf\.\w+\)|\(!has\(self\.(\w+)\) \|\| [^()]*\))$`)

// fixedByAttempt is a rule for Posts that rejects less than the rule of the spec in v0.1.0. With the old rule the content
// and the time of every Post are immutable. With this rule the same fields are immutable once an attempt is recorded.
const fixedByAttempt = "!has(self.status) || !has(self.status.attempts) || size(self.status.attempts) == 0 || (" +
	"self.spec.media == oldSelf.spec.media && self.spec.title == oldSelf.spec.title && self.spec.caption == oldSelf.spec.caption && " +
	"self.spec.shortID == oldSelf.spec.shortID && " +
	"has(self.spec.revision) == has(oldSelf.spec.revision) && (!has(self.spec.revision) || self.spec.revision == oldSelf.spec.revision) && " +
	"has(self.spec.tags) == has(oldSelf.spec.tags) && (!has(self.spec.tags) || self.spec.tags == oldSelf.spec.tags) && " +
	"has(self.spec.settings) == has(oldSelf.spec.settings) && (!has(self.spec.settings) || self.spec.settings == oldSelf.spec.settings) && " +
	"self.spec.scheduledAt == oldSelf.spec.scheduledAt && " +
	"has(self.spec.immediate) == has(oldSelf.spec.immediate) && (!has(self.spec.immediate) || self.spec.immediate == oldSelf.spec.immediate))"

// loosened reports whether a rule replaces a stricter rule of another part of the object. These rules were compared by
// hand, because their text does not show which one is stricter. A rule that differs in one condition is another rule.
func loosened(rule string) bool { return rule == fixedByAttempt }

// extends reports whether rule is old with more conditions, each of which holds for objects without a field that the
// released schema does not have. No object of the release has such a field. Both rules are conjunctions.
func extends(schema *apiextensionsv1.JSONSchemaProps, old, rule string) bool {
	const and = " && "
	before, after := strings.Split(old, and), strings.Split(rule, and)
	for _, condition := range after {
		if slices.Contains(before, condition) {
			continue
		}
		m := absent.FindStringSubmatch(condition)
		if m == nil {
			return false
		}
		if _, known := schema.Properties[m[1]+m[2]]; known {
			return false
		}
	}
	return true
}

// without matches a rule that holds for objects without the captured field, or for changes of such objects.
var without = regexp.MustCompile(`^!has\((?:self|oldSelf)\.(\w+)\) \|\| `)

// ofNewField reports whether a rule only restricts objects with a field that the released schema does not have.
func ofNewField(schema *apiextensionsv1.JSONSchemaProps, rule string) bool {
	m := without.FindStringSubmatch(rule)
	if m == nil {
		return false
	}
	depth := 0
	for _, r := range rule {
		switch {
		case r == '(':
			depth++
		case r == ')':
			depth--
		case r == '?' && depth == 0: // the disjunction would be its condition
			return false
		}
	}
	_, known := schema.Properties[m[1]]
	return !known
}

// orNew matches an alternative that holds only for objects with the captured field. The following text binds no tighter
// than ||.
var orNew = regexp.MustCompile(` \|\| has\(self\.(\w+)\)( \?|\)|$)`)

// respelled reports whether a rule is a released rule that also accepts another spelling of a field: without the
// alternatives for fields that the released schema does not have, it equals the released rule.
func respelled(schema *apiextensionsv1.JSONSchemaProps, rule string) bool {
	before := orNew.ReplaceAllStringFunc(rule, func(part string) string {
		m := orNew.FindStringSubmatch(part)
		if _, known := schema.Properties[m[1]]; known {
			return part
		}
		return m[2]
	})
	return before != rule && slices.ContainsFunc(schema.XValidations, func(o apiextensionsv1.ValidationRule) bool { return o.Rule == before })
}

// keyed reports whether a list of the status became a map whose keys every item of the release has. Only the manager
// writes a status, and it replaces lists as a whole, so no other field manager loses a field. Lists of a spec must not
// change, because the API server cannot determine afterwards who set which item.
func (c comparing) keyed(a, b *apiextensionsv1.JSONSchemaProps) bool {
	if !strings.Contains(c.path, ".status.") || ptr.Deref(a.XListType, "atomic") != "atomic" || ptr.Deref(b.XListType, "") != "map" || a.Items == nil {
		return false
	}
	return !slices.ContainsFunc(b.XListMapKeys, func(key string) bool { return !slices.Contains(a.Items.Schema.Required, key) })
}

// whole reports whether a status became one field. Only the programs of Reelops write it, and none applies it, so no field
// manager loses a field.
func (c comparing) whole(b *apiextensionsv1.JSONSchemaProps) bool {
	return strings.HasSuffix(c.path, ".status") && ptr.Deref(b.XMapType, "granular") == "atomic"
}

func (c comparing) values(a, b *apiextensionsv1.JSONSchemaProps) {
	if len(b.Enum) == 0 {
		return
	}
	if len(a.Enum) == 0 {
		c.report("%s: only some values are taken now", c.path)
	}
	for _, v := range a.Enum {
		if !slices.ContainsFunc(b.Enum, func(o apiextensionsv1.JSON) bool { return string(o.Raw) == string(v.Raw) }) {
			c.report("%s: the value %s is not taken any more", c.path, v.Raw)
		}
	}
}

func (c comparing) bounds(a, b *apiextensionsv1.JSONSchemaProps) {
	most(c, "maxLength", a.MaxLength, b.MaxLength)
	most(c, "maxItems", a.MaxItems, b.MaxItems)
	most(c, "maxProperties", a.MaxProperties, b.MaxProperties)
	most(c, "maximum", a.Maximum, b.Maximum)
	least(c, "minLength", a.MinLength, b.MinLength)
	least(c, "minItems", a.MinItems, b.MinItems)
	least(c, "minProperties", a.MinProperties, b.MinProperties)
	least(c, "minimum", a.Minimum, b.Minimum)
	if !a.ExclusiveMaximum && b.ExclusiveMaximum || !a.ExclusiveMinimum && b.ExclusiveMinimum {
		c.report("%s: the bound itself is not taken any more", c.path)
	}
	if b.MultipleOf != nil && (a.MultipleOf == nil || *a.MultipleOf != *b.MultipleOf) {
		c.report("%s: multipleOf is another", c.path)
	}
	if b.UniqueItems && !a.UniqueItems {
		c.report("%s: items have to be unique now", c.path)
	}
}

func most[T cmp.Ordered](c comparing, name string, was, now *T) {
	if now != nil && (was == nil || *now < *was) {
		c.report("%s: %s is %v and was %s", c.path, name, *now, orNone(was))
	}
}

func least[T cmp.Ordered](c comparing, name string, was, now *T) {
	if now != nil && (was == nil || *now > *was) {
		c.report("%s: %s is %v and was %s", c.path, name, *now, orNone(was))
	}
}

func orNone[T any](v *T) string {
	if v == nil {
		return "not there"
	}
	return fmt.Sprint(*v)
}

// below compares the required fields, properties, items and additional properties.
func (c comparing) below(a, b *apiextensionsv1.JSONSchemaProps) {
	for _, r := range b.Required {
		if !slices.Contains(a.Required, r) {
			c.report("%s: %s is required now", c.path, r)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(a.Properties)) {
		x := a.Properties[name]
		y, ok := b.Properties[name]
		if !ok {
			c.report("%s.%s is gone", c.path, name)
			continue
		}
		c.at("."+name).schema(&x, &y)
	}
	switch {
	case a.Items != nil && a.Items.Schema != nil && (b.Items == nil || b.Items.Schema == nil):
		c.report("%s: the items have no type any more", c.path)
	case a.Items != nil && a.Items.Schema != nil:
		c.at("[]").schema(a.Items.Schema, b.Items.Schema)
	}
	switch {
	case a.AdditionalProperties == nil:
	case b.AdditionalProperties == nil || a.AdditionalProperties.Allows && !b.AdditionalProperties.Allows && b.AdditionalProperties.Schema == nil:
		c.report("%s: other keys are not taken any more", c.path)
	case a.AdditionalProperties.Schema != nil && b.AdditionalProperties.Schema != nil:
		c.at("{}").schema(a.AdditionalProperties.Schema, b.AdditionalProperties.Schema)
	}
}
