// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
)

const documentsDir = "../../docs"

// yamlBlock matches a fenced yaml block of a document.
var yamlBlock = regexp.MustCompile("(?ms)^```yaml\n(.*?)^```$")

// documents returns the yaml blocks of the pages for operators, by page.
func documents(t *testing.T) map[string][]string {
	t.Helper()
	pages, err := filepath.Glob(documentsDir + "/operations/*.md")
	if err != nil {
		t.Fatal(err)
	}
	out := map[string][]string{}
	pages = append(pages, documentsDir+"/reference/chart.md", documentsDir+"/reference/platform-settings.md")
	for _, page := range pages {
		doc, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range yamlBlock.FindAllStringSubmatch(string(doc), -1) {
			out[filepath.Base(page)] = append(out[filepath.Base(page)], m[1])
		}
	}
	return out
}

// TestDocuments_ManifestsAndValuesAreAccepted applies every manifest in the documents as a dry run. A block without
// apiVersion is rendered as values of the chart.
func TestDocuments_ManifestsAndValuesAreAccepted(t *testing.T) {
	if _, err := envtest.InstallCRDs(server.config, envtest.CRDInstallOptions{Paths: []string{"testdata/crds"}}); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"demo", "argocd"} {
		n := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}
		if err := server.client.Create(t.Context(), n); client.IgnoreAlreadyExists(err) != nil {
			t.Fatal(err)
		}
	}
	manifests, values := 0, 0
	for page, blocks := range documents(t) {
		for _, block := range blocks {
			if !strings.Contains("\n"+block, "\napiVersion:") {
				values++
				if _, err := template(system, block); err != nil {
					t.Errorf("%s: these values are rejected: %v\n%s", page, err, block)
				}
				continue
			}
			objects, err := decode([]byte(block))
			if err != nil {
				t.Errorf("%s: %v\n%s", page, err, block)
			}
			for name, o := range objects {
				manifests++
				if err := dryRun(t.Context(), o); err != nil {
					t.Errorf("%s: %s: %v", page, name, err)
				}
			}
		}
	}
	if manifests < 5 || values < 5 {
		t.Errorf("found %d manifests and %d blocks of values: the documents are not read", manifests, values)
	}
}

// TestDocuments_InvalidManifestIsRejected checks that the CRDs of other operators are validated strictly.
func TestDocuments_InvalidManifestIsRejected(t *testing.T) {
	if _, err := envtest.InstallCRDs(server.config, envtest.CRDInstallOptions{Paths: []string{"testdata/crds"}}); err != nil {
		t.Fatal(err)
	}
	for _, o := range []object{
		{"apiVersion": "external-secrets.io/v1", "kind": "ExternalSecret", "spec": object{"refresh": "1h"}},
		{"apiVersion": "monitoring.coreos.com/v1", "kind": "PrometheusRule", "spec": object{"groups": []any{object{"rules": []any{}}}}},
	} {
		o["metadata"] = object{"name": "wrong", "namespace": system}
		if err := dryRun(t.Context(), o); err == nil {
			t.Errorf("an invalid %s is accepted", text(o, "kind"))
		}
	}
}
