// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/utils/ptr"
)

// The tests in this file check the kinds against the Kubernetes API conventions, with the exceptions of
// hack/decisions/2026-11-24-v1beta1.md.

// schemaAt is a schema and its path, such as posts.spec.media.
type schemaAt struct {
	path string
	apiextensionsv1.JSONSchemaProps
}

// schemas returns all schemas below one, itself included.
func schemas(path string, s apiextensionsv1.JSONSchemaProps) (out []schemaAt) {
	out = append(out, schemaAt{path, s})
	for name, p := range s.Properties {
		out = append(out, schemas(path+"."+name, p)...)
	}
	if s.Items != nil {
		out = append(out, schemas(path+"[]", *s.Items.Schema)...)
	}
	return out
}

func kinds(t *testing.T) (out []apiextensionsv1.CustomResourceDefinition) {
	t.Helper()
	files, err := filepath.Glob("../../config/crd/bases/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatal("got no CustomResourceDefinitions", err)
	}
	for _, file := range files {
		out = append(out, definition(t, file))
	}
	return out
}

func TestNames(t *testing.T) {
	owner := map[string]string{}
	for _, crd := range kinds(t) {
		names := crd.Spec.Names
		if !slices.Equal(names.Categories, []string{"reelops"}) {
			t.Errorf("%s: got categories %v", names.Kind, names.Categories)
		}
		if !slices.ContainsFunc(names.ShortNames, func(s string) bool { return strings.HasPrefix(s, "rl") }) {
			t.Errorf("%s: no short name with the prefix rl in %v", names.Kind, names.ShortNames)
		}
		for _, name := range append([]string{names.Plural, names.Singular}, names.ShortNames...) {
			if other := owner[name]; other != "" && other != names.Kind {
				t.Errorf("%s is a name of %s and of %s", name, other, names.Kind)
			}
			owner[name] = names.Kind
		}
	}
}

// TestColumns checks that a kind with conditions begins with the column Ready, and ends with the message of Ready and
// the age. Past times are ages. Future times are RFC 3339, because kubectl prints <invalid> for a negative age.
func TestColumns(t *testing.T) {
	for _, crd := range kinds(t) {
		var names []string
		for _, c := range crd.Spec.Versions[0].AdditionalPrinterColumns {
			names = append(names, c.Name)
			past := c.Name == "Age" || c.Name == "Refreshed"
			if (c.Type == "date") != past {
				t.Errorf("%s: the column %s has the type %s", crd.Name, c.Name, c.Type)
			}
		}
		n := len(names)
		conditions := crd.Spec.Versions[0].Schema.OpenAPIV3Schema.Properties["status"].Properties["conditions"].Type != ""
		if names[n-1] != "Age" || conditions && (names[0] != "Ready" || names[n-2] != "Message") {
			t.Errorf("%s: got columns %v", crd.Name, names)
		}
		if len(crd.Spec.Versions[0].SelectableFields) == 0 {
			t.Errorf("%s: no selectable field", crd.Name)
		}
	}
}

// floats matches positions, sizes and shares on a canvas, and measurements. All other numbers are integers or
// quantities.
var floats = regexp.MustCompile(`\.(x|y|opacity|coverage|fontSize|strokeWidth|maxWidth|lineHeight|frameRate|integratedLUFS|truePeakDBTP|rangeLU|thresholdLUFS)$`)

// camel matches a constant in the format of the conventions.
var camel = regexp.MustCompile(`^[A-Z][A-Za-z0-9]*$`)

// booleans are the names that YAML 1.1 reads as booleans unless they are in quotes.
var booleans = regexp.MustCompile(`^(?i:y|n|yes|no|on|off|true|false)$`)

func TestFields(t *testing.T) {
	for _, crd := range kinds(t) {
		for _, s := range schemas(crd.Spec.Names.Plural, *crd.Spec.Versions[0].Schema.OpenAPIV3Schema) {
			deprecated := strings.Contains(s.Description, "Deprecated: ")
			if s.Type == "array" && ptr.Deref(s.XListType, "") == "" {
				t.Errorf("%s: no list type", s.path)
			}
			if s.Type == "number" && !floats.MatchString(s.path) && !deprecated {
				t.Errorf("%s is a floating-point number", s.path)
			}
			if strings.HasSuffix(s.path, "Millis") && !deprecated {
				t.Errorf("%s: durations end in Milliseconds or Seconds", s.path)
			}
			if deprecated {
				replaced(t, crd, s)
			}
			if name := s.path[strings.LastIndex(s.path, ".")+1:]; booleans.MatchString(name) && !strings.Contains(s.Description, "in quotes") {
				t.Errorf("%s: the description does not mention that YAML 1.1 reads a bare %s as a boolean", s.path, name)
			}
			uniform(t, s)
		}
	}
}

// replaced checks that a deprecated field names the field that replaces it.
func replaced(t *testing.T, crd apiextensionsv1.CustomResourceDefinition, s schemaAt) {
	t.Helper()
	m := regexp.MustCompile(`Deprecated: use (\w+)\.`).FindStringSubmatch(s.Description)
	if m == nil {
		t.Errorf("%s: the description names no other field: %s", s.path, s.Description)
		return
	}
	by := s.path[:strings.LastIndex(s.path, ".")+1] + m[1]
	for _, o := range schemas(crd.Spec.Names.Plural, *crd.Spec.Versions[0].Schema.OpenAPIV3Schema) {
		if o.path == by {
			return
		}
	}
	t.Errorf("%s: no field %s", s.path, by)
}

// uniform checks that all values of an enum use one style: CamelCase, or the spelling of the REST interface and the
// platforms.
func uniform(t *testing.T, s schemaAt) {
	t.Helper()
	upper := 0
	for _, v := range s.Enum {
		var word string
		if json.Unmarshal(v.Raw, &word) == nil && camel.MatchString(word) && word != strings.ToUpper(word) {
			upper++
		}
	}
	if upper > 0 && upper < len(s.Enum) {
		t.Errorf("%s mixes CamelCase with other values: %s", s.path, s.Enum)
	}
}
