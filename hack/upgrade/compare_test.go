// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/utils/ptr"
)

func root() string {
	_, file, _, _ := runtime.Caller(0)
	return filepath.Dir(filepath.Dir(filepath.Dir(file)))
}

// TestKinds_AcceptObjectsOfReleases compares the current kinds with every release.
func TestKinds_AcceptObjectsOfReleases(t *testing.T) {
	if err := check(root()); err != nil {
		t.Errorf("objects of a release may be rejected; docs/operations/upgrade.md describes the permitted changes:\n%v", err)
	}
}

func TestFreeze_OnceAndComplete(t *testing.T) {
	dir := t.TempDir()
	if err := os.CopyFS(filepath.Join(dir, bases), os.DirFS(filepath.Join(root(), bases))); err != nil {
		t.Fatal(err)
	}
	if err := freeze(dir, "v1.0.0"); err != nil {
		t.Fatal(err)
	}
	if err := freeze(dir, "v1.0.0"); err == nil {
		t.Error("a release is frozen again")
	}
	if err := check(dir); err != nil {
		t.Error(err)
	}
	left, err := os.ReadDir(filepath.Join(dir, releases))
	if err != nil || len(left) != 1 || left[0].Name() != "v1.0.0" {
		t.Errorf("got %v, %v", left, err)
	}
}

// TestNarrower changes a kind in one place, and checks that the change is reported.
func TestNarrower(t *testing.T) {
	type schema = apiextensionsv1.JSONSchemaProps
	for name, c := range map[string]struct {
		change func(k *apiextensionsv1.CustomResourceDefinition, spec, status *schema)
		want   string // empty if the change widens the kind
	}{
		"nothing": {func(_ *apiextensionsv1.CustomResourceDefinition, _, _ *schema) {}, ""},
		"an added field": {func(_ *apiextensionsv1.CustomResourceDefinition, s, _ *schema) {
			s.Properties["anew"] = schema{Type: "string"}
		}, ""},
		"a required field": {func(_ *apiextensionsv1.CustomResourceDefinition, s, _ *schema) {
			s.Required = append(s.Required, "captions")
		}, "captions is required now"},
		"a removed field": {func(_ *apiextensionsv1.CustomResourceDefinition, s, _ *schema) { delete(s.Properties, "caption") }, ".caption is gone"},
		"another type": {func(_ *apiextensionsv1.CustomResourceDefinition, s, _ *schema) {
			alter(s, "caption", func(f *schema) { f.Type = "integer" })
		}, "the type is"},
		"a shorter text": {func(_ *apiextensionsv1.CustomResourceDefinition, s, _ *schema) {
			alter(s, "caption", func(f *schema) { f.MaxLength = ptr.To[int64](5) })
		}, "maxLength is 5 and was"},
		"a longer text": {func(_ *apiextensionsv1.CustomResourceDefinition, s, _ *schema) {
			alter(s, "caption", func(f *schema) { f.MaxLength = ptr.To[int64](1 << 30) })
		}, ""},
		"a removed value": {func(_ *apiextensionsv1.CustomResourceDefinition, s, _ *schema) {
			alter(s, "postingMode", func(f *schema) { f.Enum = f.Enum[:1] })
		}, "is not taken any more"},
		"an added value": {func(_ *apiextensionsv1.CustomResourceDefinition, s, _ *schema) {
			alter(s, "postingMode", func(f *schema) { f.Enum = append(f.Enum, apiextensionsv1.JSON{Raw: []byte(`"later"`)}) })
		}, ""},
		"another default": {func(_ *apiextensionsv1.CustomResourceDefinition, s, _ *schema) {
			alter(s, "hold", func(f *schema) { f.Default = &apiextensionsv1.JSON{Raw: []byte("true")} })
		}, "the default is another"},
		"an added rule": {func(_ *apiextensionsv1.CustomResourceDefinition, s, _ *schema) {
			s.XValidations = append(s.XValidations, apiextensionsv1.ValidationRule{Rule: "false"})
		}, "there is a new rule"},
		"a rule that changes a field of the release": {func(_ *apiextensionsv1.CustomResourceDefinition, s, _ *schema) {
			s.XValidations[0].Rule += " && has(self.caption) == has(oldSelf.caption)"
		}, "there is a new rule"},
		"a rule that requires a new field": {func(_ *apiextensionsv1.CustomResourceDefinition, s, _ *schema) {
			s.XValidations[0].Rule += " && has(self.another)"
		}, "there is a new rule"},
		"a rule that changes a new field": {func(_ *apiextensionsv1.CustomResourceDefinition, s, _ *schema) {
			s.XValidations[0].Rule += " && has(self.another) == has(oldSelf.another) && (!has(self.another) || self.another == oldSelf.another)"
		}, ""},
		"a rule of a new field": {func(_ *apiextensionsv1.CustomResourceDefinition, s, _ *schema) {
			s.XValidations = append(s.XValidations, apiextensionsv1.ValidationRule{Rule: "!has(self.another) || self.another > (has(self.hold) ? 1 : 0)"})
		}, ""},
		"a rule of changes of a new field": {func(_ *apiextensionsv1.CustomResourceDefinition, s, _ *schema) {
			s.XValidations = append(s.XValidations, apiextensionsv1.ValidationRule{Rule: "!has(oldSelf.another) || has(self.another)"})
		}, ""},
		"a rule of changes of a field of the release": {func(_ *apiextensionsv1.CustomResourceDefinition, s, _ *schema) {
			s.XValidations = append(s.XValidations, apiextensionsv1.ValidationRule{Rule: "!has(oldSelf.caption) || has(self.caption)"})
		}, "there is a new rule"},
		"a rule of a field of the release": {func(_ *apiextensionsv1.CustomResourceDefinition, s, _ *schema) {
			s.XValidations = append(s.XValidations, apiextensionsv1.ValidationRule{Rule: "!has(self.caption) || size(self.caption) > 2"})
		}, "there is a new rule"},
		"a rule that depends on a new field": {func(_ *apiextensionsv1.CustomResourceDefinition, s, _ *schema) {
			s.XValidations = append(s.XValidations, apiextensionsv1.ValidationRule{Rule: "!has(self.another) || true ? has(self.caption) : true"})
		}, "there is a new rule"},
		"a list of the spec that becomes a map": {func(_ *apiextensionsv1.CustomResourceDefinition, s, _ *schema) {
			alter(s, "tags", func(f *schema) { f.XListType = ptr.To("set") })
		}, "merged another way"},
		"a list of the status that becomes a map": {func(_ *apiextensionsv1.CustomResourceDefinition, _, s *schema) {
			alter(s, "warnings", func(f *schema) { f.XListType, f.XListMapKeys = ptr.To("map"), []string{"id"} })
		}, "merged another way"},
		"a removed rule":         {func(_ *apiextensionsv1.CustomResourceDefinition, s, _ *schema) { s.XValidations = nil }, ""},
		"a removed status field": {func(_ *apiextensionsv1.CustomResourceDefinition, _, s *schema) { delete(s.Properties, "attempts") }, ".attempts is gone"},
		"the version":            {func(k *apiextensionsv1.CustomResourceDefinition, _, _ *schema) { k.Spec.Versions = k.Spec.Versions[:1] }, "objects may be stored in it"},
		"another version is stored": {func(k *apiextensionsv1.CustomResourceDefinition, _, _ *schema) {
			k.Spec.Versions[0].Storage, k.Spec.Versions[1].Storage = false, true
		}, ""},
		"another version is stored, with another schema": {func(k *apiextensionsv1.CustomResourceDefinition, _, _ *schema) {
			k.Spec.Versions[0].Storage, k.Spec.Versions[1].Storage = false, true
			k.Spec.Versions[1].Schema.OpenAPIV3Schema.Description = "another"
		}, "nothing converts it"},
		"not served":    {func(k *apiextensionsv1.CustomResourceDefinition, _, _ *schema) { k.Spec.Versions[0].Served = false }, "is not served any more"},
		"no status":     {func(k *apiextensionsv1.CustomResourceDefinition, _, _ *schema) { k.Spec.Versions[0].Subresources = nil }, "no subresource"},
		"another scope": {func(k *apiextensionsv1.CustomResourceDefinition, _, _ *schema) { k.Spec.Scope = "Cluster" }, "its scope is another"},
	} {
		t.Run(name, func(t *testing.T) {
			was, err := readKinds(filepath.Join(root(), bases))
			if err != nil {
				t.Fatal(err)
			}
			now := kinds{}
			for n, k := range was {
				now[n] = k.DeepCopy()
			}
			k := now["posts.reelops.dev"]
			top := k.Spec.Versions[0].Schema.OpenAPIV3Schema
			spec, status := top.Properties["spec"], top.Properties["status"]
			c.change(k, &spec, &status)
			top.Properties["spec"], top.Properties["status"] = spec, status
			got := strings.Join(narrower(was, now), "\n")
			if c.want == "" && got != "" || !strings.Contains(got, c.want) {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func alter(s *apiextensionsv1.JSONSchemaProps, field string, f func(*apiextensionsv1.JSONSchemaProps)) {
	p := s.Properties[field]
	f(&p)
	s.Properties[field] = p
}

func TestRespelled(t *testing.T) {
	schema := &apiextensionsv1.JSONSchemaProps{
		Properties:   map[string]apiextensionsv1.JSONSchemaProps{"tags": {}, "caption": {}},
		XValidations: apiextensionsv1.ValidationRules{{Rule: "(has(self.tags) ? 1 : 0) == 1"}},
	}
	for rule, want := range map[string]bool{
		"(has(self.tags) || has(self.hashtags) ? 1 : 0) == 1":                      true,
		"(has(self.tags) || has(self.hashtags) || has(self.words) ? 1 : 0) == 1":   false, // one new spelling of a field, not two
		"(has(self.tags) || has(self.caption) ? 1 : 0) == 1":                       false,
		"(has(self.tags) || has(self.hashtags) && has(self.caption) ? 1 : 0) == 1": false,
		"(has(self.tags) || has(self.hashtags) ? 1 : 0) == 2":                      false,
		"(has(self.tags) ? 1 : 0) == 1":                                            false, // the same rule
	} {
		if got := respelled(schema, rule); got != want {
			t.Errorf("%s: got %t, want %t", rule, got, want)
		}
	}
}

func TestLoosened(t *testing.T) {
	for rule, want := range map[string]bool{
		fixedByAttempt: true,
		fixedByAttempt + " && self.spec.hold == oldSelf.spec.hold":                                     false,
		strings.TrimSuffix(fixedByAttempt, ")") + " && self.spec.hold == oldSelf.spec.hold)":           false,
		strings.Replace(fixedByAttempt, " && self.spec.title == oldSelf.spec.title", "", 1):            false,
		"!has(self.status) || !has(self.status.attempts) || size(self.status.attempts) == 0 || self.a": false,
	} {
		if got := loosened(rule); got != want {
			t.Errorf("%s: got %t, want %t", rule, got, want)
		}
	}
}

func TestKeyed(t *testing.T) {
	list := func(kind string, keys ...string) *apiextensionsv1.JSONSchemaProps {
		return &apiextensionsv1.JSONSchemaProps{XListType: &kind, XListMapKeys: keys, Items: &apiextensionsv1.JSONSchemaPropsOrArray{
			Schema: &apiextensionsv1.JSONSchemaProps{Required: []string{"id"}},
		}}
	}
	for name, c := range map[string]struct {
		path     string
		was, now *apiextensionsv1.JSONSchemaProps
		want     bool
	}{
		"status":               {"x v1.status.slides", list("atomic"), list("map", "id"), true},
		"spec":                 {"x v1.spec.slides", list("atomic"), list("map", "id"), false},
		"an optional key":      {"x v1.status.slides", list("atomic"), list("map", "name"), false},
		"a map of the release": {"x v1.status.slides", list("map", "id"), list("map", "name"), false},
		"a set":                {"x v1.status.slides", list("atomic"), list("set"), false},
	} {
		if got := (comparing{path: c.path}).keyed(c.was, c.now); got != c.want {
			t.Errorf("%s: got %t, want %t", name, got, c.want)
		}
	}
}

func TestWhole(t *testing.T) {
	for name, c := range map[string]struct {
		path, now string
		want      bool
	}{
		"a status":           {"x v1.status", "atomic", true},
		"a part of a status": {"x v1.status.text", "atomic", false},
		"a spec":             {"x v1.spec", "atomic", false},
		"an atomic status":   {"x v1.status", "granular", false},
	} {
		if got := (comparing{path: c.path}).whole(&apiextensionsv1.JSONSchemaProps{XMapType: &c.now}); got != c.want {
			t.Errorf("%s: got %t, want %t", name, got, c.want)
		}
	}
}
