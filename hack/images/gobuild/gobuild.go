// SPDX-License-Identifier: Apache-2.0

// Package gobuild builds Go programs for images: statically linked, and byte-for-byte reproducible regardless of the
// source folder.
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

// VersionPackage is the package with the version of a program.
const VersionPackage = "github.com/reelops/reelops/internal/process/version"

// Target describes a build.
type Target struct {
	// Dir is the module's folder. Package is the import path or ./path of a main package in it.
	Dir, Package string
	// Arch is the architecture in Go's notation.
	Arch string
	Tags string
	// Script builds the package in place of go build, and writes it to the path of its only argument.
	Script string
	// Version is the version that the program reports.
	Version string
	// Output is the file of the program.
	Output string
}

// Build builds the program. Go leaves an output that is up to date unchanged.
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
	cmd.Env = environment(t.Arch)
	if t.Script != "" {
		cmd = exec.CommandContext(ctx, t.Script, output)
		cmd.Env = append(environment(t.Arch), "GOFLAGS=-mod=readonly -trimpath -buildvcs=false")
	}
	cmd.Dir = t.Dir
	var complaint bytes.Buffer
	cmd.Stdout, cmd.Stderr = &complaint, &complaint
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("building %s: %w\n%s", t.Package, err, complaint.String())
	}
	return nil
}

// BuildShared builds the program for this machine and with its C library, as tests build it. It does nothing if the
// file exists.
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

// environment returns the environment without the caller's variables that change the output of the compiler.
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
