// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// lookAtCode runs all rules of gosec over the packages of a module, except tests. It uses the gosec in golangci-lint,
// which loads the code once and caches results. File names are relative to the root of the repository in every module,
// because the linter's configuration is there.
func lookAtCode(ctx context.Context, root, module string) ([]finding, error) {
	dir, err := os.MkdirTemp("", "scan-")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	report := filepath.Join(dir, "gosec.json")
	cmd := exec.CommandContext(ctx, "go", "tool", "-modfile="+filepath.Join(root, "hack", "tools", "lint", "go.mod"), "golangci-lint", "run", "--enable-only", "gosec", "--tests=false",
		"--max-issues-per-linter", "0", "--max-same-issues", "0", "--uniq-by-line=false", "--allow-parallel-runners", "--issues-exit-code", "0",
		"--output.text.path", filepath.Join(dir, "gosec.txt"), "--output.json.path", report, "./...")
	cmd.Dir = filepath.Join(root, module)
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("%w: %s", err, said.String())
	}
	doc, err := os.ReadFile(report)
	if err != nil {
		return nil, err
	}
	return gosecFindings(doc)
}

// gosecFindings parses a report. An issue of another linter is an error: the code did not compile and was not checked.
func gosecFindings(doc []byte) ([]finding, error) {
	var report struct {
		Issues []struct {
			FromLinter, Text string
			Pos              struct {
				Filename string
				Line     int
			}
		}
	}
	if err := json.Unmarshal(doc, &report); err != nil {
		return nil, err
	}
	var out []finding
	for _, i := range report.Issues {
		rule, text, _ := strings.Cut(i.Text, ": ")
		if i.FromLinter != "gosec" {
			return nil, fmt.Errorf("%s:%d: %s", i.Pos.Filename, i.Pos.Line, i.Text)
		}
		out = append(out, finding{rule, filepath.ToSlash(i.Pos.Filename), strconv.Itoa(i.Pos.Line), text})
	}
	slices.SortFunc(out, func(a, b finding) int {
		return cmp.Or(strings.Compare(a.File, b.File), strings.Compare(a.Line, b.Line))
	})
	return out, nil
}
