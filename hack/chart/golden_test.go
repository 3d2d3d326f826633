// SPDX-License-Identifier: Apache-2.0

package main

import (
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write testdata/default.yaml again")

// TestDefault_RendersGoldenManifest compares the hand-written templates, rendered with default values, with
// testdata/default.yaml. The generated templates are left out: TestTemplates_AreGenerated compares them with config/.
func TestDefault_RendersGoldenManifest(t *testing.T) {
	const golden = "testdata/default.yaml"
	r, err := template(system, "")
	if err != nil {
		t.Fatal(err)
	}
	var kept []string
	for _, doc := range strings.Split(r.Manifest, "\n---\n") {
		if !strings.Contains(doc, "# Source: reelops/templates/generated/") {
			kept = append(kept, strings.TrimSpace(strings.TrimPrefix(doc, "---\n")))
		}
	}
	got := strings.Join(kept, "\n---\n") + "\n"
	if *update {
		if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got, "\n")); d != "" {
		t.Errorf("default rendering (-golden +chart); after an intended change run `go test . -run Golden -update`:\n%s", d)
	}
}
