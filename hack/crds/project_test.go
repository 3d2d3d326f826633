// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/yaml"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
)

// TestProject_ListsEveryKind compares PROJECT with the kinds that api/v1beta1 registers, and with the folders in
// controllers.
func TestProject_ListsEveryKind(t *testing.T) {
	doc, err := os.ReadFile("../../PROJECT")
	if err != nil {
		t.Fatal(err)
	}
	var project struct {
		Resources []struct {
			Kind, Version, Path string
			Controller          bool
		}
	}
	if err := yaml.Unmarshal(doc, &project); err != nil {
		t.Fatal(err)
	}
	var listed []string
	for _, r := range project.Resources {
		listed = append(listed, r.Kind)
		if r.Version != v1beta1.GroupVersion.Version || r.Path != "github.com/reelops/reelops/api/"+r.Version {
			t.Errorf("%s: version %s at %s, want %s", r.Kind, r.Version, r.Path, v1beta1.GroupVersion.Version)
		}
		_, err := os.Stat(filepath.Join("../../controllers", strings.ToLower(r.Kind)))
		if r.Controller != (err == nil) {
			t.Errorf("%s: controller is %t, and the folder in controllers: %v", r.Kind, r.Controller, err)
		}
	}
	slices.Sort(listed)

	scheme := runtime.NewScheme()
	if err := v1beta1.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	var registered []string
	for kind := range scheme.KnownTypes(v1beta1.GroupVersion) {
		if scheme.Recognizes(v1beta1.GroupVersion.WithKind(kind + "List")) {
			registered = append(registered, kind)
		}
	}
	slices.Sort(registered)
	if d := cmp.Diff(registered, listed); d != "" {
		t.Errorf("kinds of api/v1beta1 (-) and PROJECT (+):\n%s", d)
	}
}
