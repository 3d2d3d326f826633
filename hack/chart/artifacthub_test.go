// SPDX-License-Identifier: Apache-2.0

package main

import (
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

// TestArtifactHub checks the annotations by the rules of Artifact Hub
// (https://artifacthub.io/docs/topics/annotations/helm/), which ignores or refuses what breaks them.
func TestArtifactHub(t *testing.T) {
	doc, err := os.ReadFile(filepath.Join(chartDir, "Chart.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var chart struct {
		Annotations map[string]string `json:"annotations"`
	}
	if err := yaml.Unmarshal(doc, &chart); err != nil {
		t.Fatal(err)
	}
	checks := map[string]func(text string) bool{
		"license":  func(text string) bool { return text == "Apache-2.0" },
		"operator": func(text string) bool { _, err := strconv.ParseBool(text); return err == nil },
		"operatorCapabilities": func(text string) bool {
			levels := []string{"Basic Install", "Seamless Upgrades", "Full Lifecycle", "Deep Insights", "Auto Pilot"}
			return slices.Contains(levels, text)
		},
		"links": func(text string) bool {
			var links []struct{ Name, URL string }
			err := yaml.UnmarshalStrict([]byte(text), &links)
			for _, l := range links {
				u, uerr := url.Parse(l.URL)
				if l.Name == "" || uerr != nil || u.Scheme != "https" || u.Host == "" {
					return false
				}
			}
			return err == nil && len(links) > 0
		},
		"crds": func(text string) bool {
			var kinds []listedCRD
			err := yaml.UnmarshalStrict([]byte(text), &kinds)
			for _, k := range kinds {
				if k.Kind == "" || k.Version == "" || k.Name == "" || k.DisplayName == "" || len(k.Description) < 10 {
					return false
				}
			}
			return err == nil && len(kinds) > 15
		},
	}
	for name, check := range checks {
		if !check(chart.Annotations["artifacthub.io/"+name]) {
			t.Errorf("artifacthub.io/%s: %q breaks a rule", name, chart.Annotations["artifacthub.io/"+name])
		}
	}
	for name := range chart.Annotations {
		if short, ok := strings.CutPrefix(name, "artifacthub.io/"); ok && checks[short] == nil {
			t.Errorf("%s has no rule", name)
		}
	}
}
