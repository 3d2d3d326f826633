// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestValidate_Samples(t *testing.T) {
	c := newCluster(t)
	got := c.do("validate", "-f", "../../config/samples")
	// The namespace of account.yaml, and the objects of gitops/clusters.
	if got["skipped"] != 4.0 || got["valid"].(float64) < 40 {
		t.Errorf("got %v", got)
	}
}

func TestValidate_ReportsEachFault(t *testing.T) {
	folder := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(filepath.Join(folder, name)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	const head = "apiVersion: reelops.dev/v1beta1\nkind: Slideshow\nmetadata:\n  name: "
	write("good.yaml", head+"good\nspec:\n  brandRef: {name: acme}\n  context: Three tips for tidy desks.\n")
	write("deep/spelling.yml", head+"spelling\nspec:\n  brandRef: {name: acme}\n  contxt: Three tips for tidy desks.\n")
	write("kind.json", `{"apiVersion": "reelops.dev/v1beta1", "kind": "Film", "metadata": {"name": "kind"}}`)
	write("kustomization.yaml", "resources: [good.yaml]\n")
	write("values.txt", "no manifest")
	write(".git/config.yaml", "no manifest")

	c := newCluster(t)
	out, errOut, err := c.run("validate", "-f", folder)
	if exitCode(err) != exitFailed || !strings.Contains(err.Error(), "2 of 3 objects would be rejected") {
		t.Errorf("got %v, %q", err, errOut)
	}
	for _, want := range []string{
		filepath.Join(folder, "deep", "spelling.yml") + `: Slideshow/spelling: unknown field "spec.contxt"`,
		filepath.Join(folder, "kind.json") + `: Film/kind: reelops.dev has no kind "Film"`,
	} {
		if !strings.Contains(out, want+"\n") {
			t.Errorf("no line %q in\n%s", want, out)
		}
	}

	// A file that is no manifest is an error, and not a fault of an object.
	write("broken.yaml", "a: [")
	c.refuse("broken.yaml", "validate", "-f", folder)
	c.refuse("no such file", "validate", "-f", filepath.Join(folder, "none"))
	c.refuse("no manifests", "validate", "-f", t.TempDir())
}

func TestValidate_Approver(t *testing.T) {
	file := filepath.Join(t.TempDir(), "batch.yaml")
	text, err := os.ReadFile("../../config/samples/postbatch.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, append(text, "  approved: true\n"...), 0o600); err != nil {
		t.Fatal(err)
	}
	c := newCluster(t)
	if out, err := c.try("validate", "-f", file); err == nil || !strings.Contains(out, "requires the verb approve") {
		t.Errorf("got %q, %v", out, err)
	}
	if got := c.do("validate", "-f", file, "--approver"); got["valid"] != 1.0 {
		t.Errorf("got %v", got)
	}
}
