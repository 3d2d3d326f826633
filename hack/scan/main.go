// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// modules lists the scanned modules: the product, and the tools that build, test and measure it.
var modules = []string{".", "hack"}

// finding is one finding of a scanner.
type finding struct {
	// Rule is the scanner's name of the rule, such as G304 or GO-2026-1234.
	Rule string
	// File is relative to the root of the repository. For a vulnerability, File is the module that contains it, and
	// Line its version.
	File, Line string
	Text       string
}

func main() {
	root := flag.String("root", "../..", "top folder of the repository")
	accepted := flag.String("accepted", "accepted.yaml", "what is argued away")
	vulndb := flag.String("vulndb", "https://vuln.go.dev", "database of govulncheck; none leaves it out")
	flag.Parse()
	if err := run(context.Background(), os.Stdout, *root, *accepted, *vulndb); err != nil {
		fmt.Fprintln(os.Stderr, "scan:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, out io.Writer, root, accepted, vulndb string) error {
	root, err := filepath.Abs(root)
	if err != nil {
		return err
	}
	list, err := readAccepted(accepted)
	if err != nil {
		return err
	}
	var found []finding
	ran := true
	for _, module := range modules {
		code, err := lookAtCode(ctx, root, module)
		if err != nil {
			return fmt.Errorf("gosec: %w", err)
		}
		fmt.Fprintf(out, "gosec: %d findings in %s\n", len(code), module)
		known, could, err := lookForVulnerabilities(ctx, out, filepath.Join(root, module), vulndb)
		if err != nil {
			return fmt.Errorf("govulncheck: %w", err)
		}
		found, ran = append(append(found, code...), known...), ran && could
	}
	left, unused := judge(found, list, ran)
	for _, f := range left {
		fmt.Fprintf(out, "%s:%s: %s: %s\n", f.File, f.Line, f.Rule, f.Text)
	}
	for _, a := range unused {
		fmt.Fprintf(out, "%s: nothing is found any more that fits rule %s at %s: remove the place\n", accepted, a.Rule, a.Place)
	}
	if len(left)+len(unused) > 0 {
		return fmt.Errorf("%d findings that nobody argued for, %d entries that fit nothing", len(left), len(unused))
	}
	fmt.Fprintf(out, "%d findings, each argued for in %s\n", len(found), accepted)
	return nil
}
