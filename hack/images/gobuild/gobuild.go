// SPDX-License-Identifier: Apache-2.0

// Package gobuild builds Go programs for images: static, and with the same bytes wherever the source lies.
package gobuild

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// VersionPackage holds what a program says of its version.
const VersionPackage = "github.com/reelops/reelops/internal/process/version"

// Target is what to build.
type Target struct {
	// Dir is the module's folder, and Package the import path or ./path of a main package in it.
	Dir, Package string
	// Arch as Go calls it.
	Arch string
	Tags string
	// Version is what the program shall say of itself.
	Version string
	// Output is the program's file.
	Output string
}

// Build writes the program. One that is up to date is left as it is.
func Build(ctx context.Context, t Target) error {
	if err := os.MkdirAll(filepath.Dir(t.Output), 0o755); err != nil {
		return err
	}
	ldflags := "-s -w"
	if t.Version != "" {
		ldflags += " -X " + VersionPackage + ".Version=" + t.Version
	}
	output, err := filepath.Abs(t.Output)
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-buildvcs=false", "-tags="+t.Tags, "-ldflags="+ldflags, "-o", output, t.Package)
	cmd.Dir = t.Dir
	cmd.Env = environment(t.Arch)
	var complaint bytes.Buffer
	cmd.Stdout, cmd.Stderr = &complaint, &complaint
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("building %s: %w\n%s", t.Package, err, complaint.String())
	}
	return nil
}

// BuildShared writes the program as tests build it, for this machine and with its C library, unless it is there.
func BuildShared(ctx context.Context, t Target) error {
	if _, err := os.Stat(t.Output); err == nil {
		return nil
	}
	output, err := filepath.Abs(t.Output)
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, "go", "build", "-o", output, t.Package)
	cmd.Dir = t.Dir
	cmd.Env = append(os.Environ(), "GOFLAGS=-mod=readonly")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("building %s: %w\n%s", t.Package, err, out)
	}
	return nil
}

// environment has nothing of the caller's that changes what the compiler writes.
func environment(arch string) []string {
	var env []string
	for _, e := range os.Environ() {
		name, _, _ := strings.Cut(e, "=")
		switch {
		case name == "GOFLAGS", name == "GOEXPERIMENT", name == "GOOS", strings.HasPrefix(name, "CGO_"), strings.HasPrefix(name, "GOARM"), strings.HasPrefix(name, "GOAMD"), name == "GOARCH":
		default:
			env = append(env, e)
		}
	}
	return append(env, "CGO_ENABLED=0", "GOOS=linux", "GOARCH="+arch, "GOFLAGS=-mod=readonly", "GOWORK=off")
}
