// SPDX-License-Identifier: Apache-2.0

// Package layering tests the import rules: cmd -> controllers | apiserver -> internal -> api, and within internal from
// one wing to those before it.
package layering

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/reelops/reelops/"

// may says what each top-level folder may import of the others.
var may = map[string][]string{
	"api":         {},
	"config":      {},
	"internal":    {"api", "config", "internal"},
	"controllers": {"api", "internal", "controllers"},
	"apiserver":   {"api", "internal", "apiserver"},
	"cmd":         {"api", "internal", "controllers", "apiserver", "cmd"},
	"hack":        {"api", "internal", "hack"},
}

// wings are the folders of internal, in their order: the packages of one may import those of its own and of the wings
// before it. Test helpers (testkit) and end-to-end tests (e2e) may import all of them.
var wings = []string{
	"catalog", "process", "kube", "store", "work", "account", "media", "content", "film", "social", "automation",
	"starter", "install",
}

var tests = []string{"testkit", "e2e"}

var listing = regexp.MustCompile(`(?m)^//   - (\w+): `)

type pkg struct {
	ImportPath                         string
	Imports, TestImports, XTestImports []string
}

func TestImports_FollowTheLayers(t *testing.T) {
	seen := map[string]int{}
	for _, p := range append(packages(t, ".", module+"..."), packages(t, "../../../hack", "./...")...) {
		from := top(p.ImportPath)
		seen[from]++
		allowed, known := may[from]
		if !known {
			t.Errorf("%s is in an unknown top-level folder", p.ImportPath)
			continue
		}
		for _, to := range p.Imports {
			if kit := module + "internal/testkit"; strings.HasPrefix(to, kit) && !strings.HasPrefix(p.ImportPath, kit) {
				t.Errorf("%s is not a test, but imports %s", p.ImportPath, to)
			}
			if p.ImportPath == module+"hack/benchapi" && top(to) == "apiserver" {
				continue // it is a front end whose index holds what no cluster does
			}
			checkImport(t, p.ImportPath, from, to, allowed)
		}
		for _, to := range append(p.TestImports, p.XTestImports...) {
			if from == "api" && to == module+"internal/testkit" {
				continue // the rules of the kinds are tried against a real API server, which testkit starts
			}
			if p.ImportPath == module+"apiserver/contract" && top(to) == "controllers" {
				continue // the contract is tried on the whole service, front end and controllers together
			}
			checkImport(t, p.ImportPath, from, to, allowed)
		}
	}
	for folder := range may {
		if seen[folder] == 0 {
			t.Errorf("no package of %s was checked", folder)
		}
	}
}

func TestWings_ImportOnlyThoseBeforeThem(t *testing.T) {
	seen := map[string]int{}
	for _, p := range packages(t, ".", module+"internal/...") {
		from := wing(p.ImportPath)
		seen[from]++
		if slices.Contains(tests, from) {
			continue
		}
		if !slices.Contains(wings, from) {
			t.Errorf("%s is in no group of internal: groups are %v", p.ImportPath, wings)
		}
		for _, to := range p.Imports {
			if strings.HasPrefix(to, module+"internal/") && slices.Index(wings, wing(to)) > slices.Index(wings, from) {
				t.Errorf("%s imports %s: the group %s precedes %s", p.ImportPath, to, from, wing(to))
			}
		}
	}
	for _, w := range append(wings, tests...) {
		if seen[w] == 0 {
			t.Errorf("the group %s has no package", w)
		}
	}
}

// TestWings_AreDescribed compares the doc.go of each wing with its folders.
func TestWings_AreDescribed(t *testing.T) {
	for _, w := range wings[1:] { // catalog is one package
		doc, err := os.ReadFile(filepath.Join("..", "..", w, "doc.go"))
		if err != nil {
			t.Fatal(err)
		}
		var listed, present []string
		for _, m := range listing.FindAllSubmatch(doc, -1) {
			listed = append(listed, string(m[1]))
		}
		folders, err := os.ReadDir(filepath.Join("..", "..", w))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range folders {
			if f.IsDir() {
				present = append(present, f.Name())
			}
		}
		if !slices.Equal(listed, present) {
			t.Errorf("internal/%s/doc.go lists %v; the folder has %v", w, listed, present)
		}
	}
}

// TestPlugin_ImportsNothingOfLinux checks the kubectl plugin, which is released for macOS and Windows as well: it must
// not depend on packages that use calls of Linux.
func TestPlugin_ImportsNothingOfLinux(t *testing.T) {
	out, err := exec.CommandContext(t.Context(), "go", "list", "-deps", module+"cmd/reelops").Output()
	if err != nil {
		t.Fatal(err)
	}
	all := strings.Fields(string(out))
	if !slices.Contains(all, module+"internal/install/backup") {
		t.Fatalf("the plugin depends on %d packages without that of backups", len(all))
	}
	if confined := module + "internal/work/child"; slices.Contains(all, confined) {
		t.Errorf("cmd/reelops depends on %s. See: go list -deps -f '{{.ImportPath}} {{.Imports}}' ./cmd/reelops", confined)
	}
}

// packages lists those of a pattern in the module of a folder. The programs in hack are a module of their own.
func packages(t *testing.T, folder, pattern string) (all []pkg) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", "list", "-json=ImportPath,Imports,TestImports,XTestImports", pattern)
	cmd.Dir = folder
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p pkg
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return all
		} else if err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
}

func checkImport(t *testing.T, path, from, to string, allowed []string) {
	t.Helper()
	if !strings.HasPrefix(to, module) || to == path {
		return
	}
	target := top(to)
	for _, a := range allowed {
		if a == target {
			return
		}
	}
	if from == target && from == "api" {
		return
	}
	t.Errorf("%s imports %s: %s may import %v", path, to, from, allowed)
}

// wing is the folder of internal that a package is in.
func wing(path string) string {
	w, _, _ := strings.Cut(strings.TrimPrefix(path, module+"internal/"), "/")
	return w
}

func top(path string) string {
	folder, _, _ := strings.Cut(strings.TrimPrefix(path, module), "/")
	return folder
}
