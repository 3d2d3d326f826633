// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/yaml"
)

// TestStatuses_AreAtomic checks all versions, because managedFields can be written in any of them.
func TestStatuses_AreAtomic(t *testing.T) {
	for _, crd := range kinds(t) {
		for _, v := range crd.Spec.Versions {
			status, has := v.Schema.OpenAPIV3Schema.Properties["status"]
			if has && ptr.Deref(status.XMapType, "") != "atomic" {
				t.Errorf("%s %s: the status is not atomic", crd.Spec.Names.Kind, v.Name)
			}
		}
	}
}

// TestVersions_HaveTheStoredSchema checks that all versions have one schema. With the conversion strategy None, a
// field that one version lacks would be lost.
func TestVersions_HaveTheStoredSchema(t *testing.T) {
	files, err := filepath.Glob("../../config/crd/bases/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatal("got no CustomResourceDefinitions", err)
	}
	for _, file := range files {
		crd := definition(t, file)
		if crd.Spec.Conversion != nil {
			t.Errorf("%s: its own conversion", file)
		}
		if newer[crd.Spec.Names.Kind] {
			if n := len(crd.Spec.Versions); n != 1 || crd.Spec.Versions[0].Name != "v1beta1" {
				t.Errorf("%s: want v1beta1 alone", file)
			}
			continue
		}
		if n := len(crd.Spec.Versions); n != 2 {
			t.Fatalf("%s: got %d versions, want 2", file, n)
		}
		stored, old := crd.Spec.Versions[0], crd.Spec.Versions[1]
		if stored.Name != "v1beta1" || !stored.Storage || old.Name != "v1alpha1" || old.Storage || !old.Served || !old.Deprecated {
			t.Errorf("%s: want v1beta1 stored and v1alpha1 served and deprecated", file)
		}
		names := cmpopts.IgnoreFields(apiextensionsv1.CustomResourceDefinitionVersion{}, "Name", "Storage", "Deprecated", "DeprecationWarning")
		if d := cmp.Diff(stored, old, names); d != "" {
			t.Errorf("%s: the versions differ: %s", file, d)
		}
	}
}

func definition(t *testing.T, file string) (crd apiextensionsv1.CustomResourceDefinition) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := yaml.UnmarshalStrict(text, &crd); err != nil {
		t.Fatal(err)
	}
	return crd
}

func TestComplete_RejectsOtherFiles(t *testing.T) {
	crd := &apiextensionsv1.CustomResourceDefinition{}
	crd.Spec.Versions = []apiextensionsv1.CustomResourceDefinitionVersion{{Name: "v1beta1", Storage: true}, {Name: "v1alpha1"}}
	if err := complete(crd); err == nil {
		t.Error("a second v1alpha1 was added")
	}
}
