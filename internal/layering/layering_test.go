// SPDX-License-Identifier: Apache-2.0

// Package layering holds the rule of the house: imports point one way, cmd -> controllers | apiserver -> internal -> api.
package layering

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"strings"
	"testing"
)

const module = "github.com/reelops/reelops/"

// may says what each top-level folder may import of the others.
var may = map[string][]string{
	"api":         {},
	"internal":    {"api", "internal"},
	"controllers": {"api", "internal", "controllers"},
	"apiserver":   {"api", "internal", "apiserver"},
	"cmd":         {"api", "internal", "controllers", "apiserver", "cmd"},
	"hack":        {"api", "internal", "hack"},
}

type pkg struct {
	ImportPath                         string
	Imports, TestImports, XTestImports []string
}

func TestImportsPointOneWay(t *testing.T) {
	seen := map[string]int{}
	for _, p := range append(packages(t, ".", module+"..."), packages(t, "../../hack", "./...")...) {
		from := top(p.ImportPath)
		seen[from]++
		allowed, known := may[from]
		if !known {
			t.Errorf("%s stands in a top-level folder that the house does not have", p.ImportPath)
			continue
		}
		for _, to := range p.Imports {
			if kit := module + "internal/testkit"; strings.HasPrefix(to, kit) && !strings.HasPrefix(p.ImportPath, kit) {
				t.Errorf("%s is not a test and imports %s", p.ImportPath, to)
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
			t.Errorf("no package of %s was looked at", folder)
		}
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

func top(path string) string {
	folder, _, _ := strings.Cut(strings.TrimPrefix(path, module), "/")
	return folder
}
