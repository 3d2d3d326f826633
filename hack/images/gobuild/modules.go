// SPDX-License-Identifier: Apache-2.0

package gobuild

import (
	"context"
	"debug/buildinfo"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// Module is a Go module that is linked into a program.
type Module struct {
	Path, Version string
	// Sum is the checksum of go.sum, as "h1:...", and empty for the program's own module.
	Sum string
	// Licences are the module's licence files.
	Licences []string
	// Main reports that this is the program's own module.
	Main bool
}

// Standard is the path used for Go's standard library.
const Standard = "stdlib"

// Modules returns the modules in a program, as recorded in its build information: its own first, then the standard
// library. It finds their licences in Go's module cache.
func Modules(ctx context.Context, program string) ([]Module, error) {
	info, err := buildinfo.ReadFile(program)
	if err != nil {
		return nil, err
	}
	out, err := exec.CommandContext(ctx, "go", "env", "GOROOT", "GOMODCACHE").Output()
	if err != nil {
		return nil, fmt.Errorf("go env: %w", err)
	}
	root, cache, _ := strings.Cut(strings.TrimSpace(string(out)), "\n")
	own := Module{Path: info.Main.Path, Version: info.Main.Version, Main: true}
	standard := Module{Path: Standard, Version: strings.TrimPrefix(info.GoVersion, "go"), Licences: licences(root)}
	if info.Main.Sum != "" { // the program belongs to another module
		own.Sum, own.Licences = info.Main.Sum, licences(moduleDir(cache, info.Main.Path, info.Main.Version))
	}
	all := []Module{own, standard}
	for _, d := range info.Deps {
		if d.Replace != nil {
			d = d.Replace
		}
		if strings.HasPrefix(d.Path, ".") { // another module of this repository
			continue
		}
		all = append(all, Module{Path: d.Path, Version: d.Version, Sum: d.Sum, Licences: licences(moduleDir(cache, d.Path, d.Version))})
	}
	return all, nil
}

// moduleDir returns the folder of a module in the cache. A capital letter is escaped as ! and the small letter.
func moduleDir(cache, path, version string) string {
	escape := func(s string) string {
		var b strings.Builder
		for _, r := range s {
			if 'A' <= r && r <= 'Z' {
				b.WriteByte('!')
				r += 'a' - 'A'
			}
			b.WriteRune(r)
		}
		return b.String()
	}
	return filepath.Join(cache, escape(path)+"@"+escape(version))
}

// licences returns the licence files at the top of a module.
func licences(dir string) []string {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	var out []string
	for _, e := range entries {
		name := strings.ToUpper(e.Name())
		if e.Type().IsRegular() && slices.ContainsFunc([]string{"LICENSE", "LICENCE", "COPYING", "NOTICE", "PATENTS", "UNLICENSE"}, func(p string) bool { return strings.HasPrefix(name, p) }) &&
			!strings.HasSuffix(name, ".GO") {
			out = append(out, filepath.Join(dir, e.Name()))
		}
	}
	return out
}
