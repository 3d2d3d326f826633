// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/yannh/kubeconform/pkg/validator"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/discovery"
	"sigs.k8s.io/yaml"
)

// TestKubeconform validates all objects strictly with kubeconform against the schemas that the API server publishes. It
// needs no network.
func TestKubeconform(t *testing.T) {
	dir := t.TempDir()
	schemas(t, dir)
	v, err := validator.New([]string{dir + "/{{ .ResourceKind }}{{ .KindSuffix }}.json"}, validator.Opts{Strict: true})
	if err != nil {
		t.Fatal(err)
	}
	check := func(what string, objects map[string]object) (wrong []string) {
		for name, o := range objects {
			if fixed[text(o, "kind")] && what != "chart, nothing set" {
				continue
			}
			doc, err := yaml.Marshal(o)
			if err != nil {
				t.Fatal(err)
			}
			for _, r := range v.Validate(name, io.NopCloser(strings.NewReader(string(doc)))) {
				if r.Status == validator.Invalid || r.Status == validator.Error {
					wrong = append(wrong, fmt.Sprintf("%s: %s: %v", what, name, r.Err))
				}
			}
		}
		return wrong
	}
	for what, values := range installations(t) {
		for _, w := range check("chart, "+what, render(t, values)) {
			t.Error(w)
		}
	}
	for _, w := range check("kustomize", kustomized(t, "overlays/trying")) {
		t.Error(w)
	}
	// Check that the validation reports an unknown field.
	broken := render(t, "")
	at(broken["Deployment "+system+"/reelops-manager"], "spec").(map[string]any)["replica"] = 2
	if len(check("broken", broken)) != 1 {
		t.Error("an unknown field is accepted")
	}
}

// schemas writes one schema for each kind: its definition with all definitions that it refers to.
func schemas(t *testing.T, dir string) {
	t.Helper()
	all := definitions(t)
	for _, def := range all {
		strict(def)
	}
	written := 0
	for name, def := range all {
		kinds, _ := def["x-kubernetes-group-version-kind"].([]any)
		if len(kinds) != 1 {
			continue
		}
		referred := map[string]any{}
		collect(all, name, referred)
		doc, err := json.Marshal(map[string]any{"$ref": "#/definitions/" + name, "definitions": referred})
		if err != nil {
			t.Fatal(err)
		}
		group, _, _ := strings.Cut(text(kinds[0], "group"), ".")
		file := strings.ToLower(text(kinds[0], "kind"))
		if group != "" {
			file += "-" + group
		}
		file += "-" + text(kinds[0], "version") + ".json"
		if err := os.WriteFile(filepath.Join(dir, file), doc, 0o600); err != nil {
			t.Fatal(err)
		}
		written++
	}
	if written < 100 {
		t.Fatalf("the server publishes %d kinds", written)
	}
}

// definitions returns the published definitions when they contain the kinds of all CRDs, which the server publishes
// some time after it serves them.
func definitions(t *testing.T) map[string]map[string]any {
	t.Helper()
	d, err := discovery.NewDiscoveryClientForConfig(server.config)
	if err != nil {
		t.Fatal(err)
	}
	var api struct {
		Definitions map[string]map[string]any `json:"definitions"`
	}
	if err := wait.PollUntilContextTimeout(t.Context(), 200*time.Millisecond, time.Minute, true, func(ctx context.Context) (bool, error) {
		doc, err := d.RESTClient().Get().AbsPath("/openapi/v2").Do(ctx).Raw()
		if err != nil {
			return false, err
		}
		if err := json.Unmarshal(doc, &api); err != nil {
			return false, err
		}
		published := map[schema.GroupKind]bool{}
		for _, def := range api.Definitions {
			kinds, _ := def["x-kubernetes-group-version-kind"].([]any)
			for _, k := range kinds {
				published[schema.GroupKind{Group: text(k, "group"), Kind: text(k, "kind")}] = true
			}
		}
		for _, c := range server.crds {
			if !published[schema.GroupKind{Group: c.Spec.Group, Kind: c.Spec.Names.Kind}] {
				return false, nil
			}
		}
		return true, nil
	}); err != nil {
		t.Fatal("reading the server's schemas:", err)
	}
	return api.Definitions
}

// collect adds a definition and all definitions that it refers to.
func collect(all map[string]map[string]any, name string, into map[string]any) {
	if _, seen := into[name]; seen {
		return
	}
	into[name] = all[name]
	var follow func(v any)
	follow = func(v any) {
		switch v := v.(type) {
		case map[string]any:
			if ref, ok := v["$ref"].(string); ok {
				collect(all, strings.TrimPrefix(ref, "#/definitions/"), into)
			}
			for _, c := range v {
				follow(c)
			}
		case []any:
			for _, c := range v {
				follow(c)
			}
		}
	}
	follow(all[name])
}

// strict converts an OpenAPI schema to a strict JSON schema: numbers may be strings if the server accepts both, and
// unknown fields are errors.
func strict(v any) {
	switch v := v.(type) {
	case map[string]any:
		if f := v["format"]; f == "int-or-string" {
			v["type"] = []any{"string", "integer"}
		}
		if d, _ := v["description"].(string); strings.HasPrefix(d, "Quantity is a fixed-point representation") {
			v["type"] = []any{"string", "number"}
		}
		if _, has := v["properties"]; has && v["additionalProperties"] == nil && v["x-kubernetes-preserve-unknown-fields"] == nil {
			v["additionalProperties"] = false
		}
		for k, c := range v {
			if k != "description" {
				strict(c)
			}
		}
	case []any:
		for _, c := range v {
			strict(c)
		}
	}
}
