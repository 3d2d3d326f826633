// SPDX-License-Identifier: Apache-2.0

// Command console bundles the web console apiserver/console/web with esbuild and writes apiserver/console/dist. It
// fails if the bundles exceed their size budget. build.sh installs the packages and generates the types before.
package main

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
)

const (
	// firstBudget is the maximum size of the scripts that the first screen loads, compressed with gzip, in bytes.
	firstBudget = 100_000
	// totalBudget is the maximum size of all scripts, compressed with gzip, in bytes.
	totalBudget = 300_000
	// firstScreen is the module of the screen that opens first. Its chunks count toward firstBudget.
	firstScreen = "src/screens/library/Library.tsx"
)

// manifest lists the files that the HTML shell loads, relative to dist.
type manifest struct {
	Scripts []string `json:"scripts"`
	Styles  []string `json:"styles"`
}

func main() {
	source := flag.String("source", "../apiserver/console/web", "the `folder` of the sources")
	out := flag.String("out", "../apiserver/console/dist", "the `folder` to write to")
	flag.Parse()
	if err := run(*source, *out); err != nil {
		fmt.Fprintln(os.Stderr, "console:", err)
		os.Exit(1)
	}
}

func run(source, out string) error {
	source, err := filepath.Abs(source)
	if err != nil {
		return err
	}
	out, err = filepath.Abs(out)
	if err != nil {
		return err
	}
	files, built, err := bundle(source, out)
	if err != nil {
		return err
	}
	if err := write(out, files, built.manifest); err != nil {
		return fmt.Errorf("writing the bundles: %w", err)
	}
	return report(files, built)
}

// result describes a build.
type result struct {
	manifest manifest
	first    []string // scripts that the first screen loads
}

// metafile is the part of esbuild's metafile that this command reads.
type metafile struct {
	Outputs map[string]struct {
		EntryPoint string `json:"entryPoint"`
		CSSBundle  string `json:"cssBundle"`
		Imports    []struct {
			Path string `json:"path"`
			Kind string `json:"kind"`
		} `json:"imports"`
	} `json:"outputs"`
}

// bundle returns the bundled files by their path relative to out.
//
// All style sheets go into the one of the main entry point, because esbuild does not load those of dynamic imports.
// The module console:styles imports them.
func bundle(source, out string) (map[string][]byte, result, error) {
	built := api.Build(api.BuildOptions{
		AbsWorkingDir:     source,
		EntryPoints:       []string{"src/main.tsx"},
		Outdir:            out,
		EntryNames:        "assets/[name]-[hash]",
		ChunkNames:        "assets/[name]-[hash]",
		AssetNames:        "assets/[name]-[hash]",
		PublicPath:        "/console",
		Bundle:            true,
		Splitting:         true,
		Format:            api.FormatESModule,
		Platform:          api.PlatformBrowser,
		JSX:               api.JSXAutomatic,
		MinifyWhitespace:  true,
		MinifyIdentifiers: true,
		MinifySyntax:      true,
		LegalComments:     api.LegalCommentsNone,
		Metafile:          true,
		LogLevel:          api.LogLevelWarning,
		Define:            map[string]string{"process.env.NODE_ENV": `"production"`},
		Loader: map[string]api.Loader{
			".module.css": api.LoaderLocalCSS,
			".css":        api.LoaderCSS,
			".svg":        api.LoaderFile,
		},
		Engines: []api.Engine{
			{Name: api.EngineChrome, Version: "123"},
			{Name: api.EngineFirefox, Version: "128"},
			{Name: api.EngineSafari, Version: "17.5"},
		},
		Plugins: []api.Plugin{styles(source)},
	})
	if len(built.Errors) > 0 {
		return nil, result{}, fmt.Errorf("bundling: %d errors", len(built.Errors))
	}
	var meta metafile
	if err := json.Unmarshal([]byte(built.Metafile), &meta); err != nil {
		return nil, result{}, fmt.Errorf("reading the metafile: %w", err)
	}
	relative := func(name string) string {
		return "assets/" + path.Base(name)
	}
	described := result{}
	mainStyle := ""
	for name, output := range meta.Outputs {
		if output.EntryPoint == "src/main.tsx" {
			mainStyle = path.Base(output.CSSBundle)
			described.manifest.Scripts = []string{relative(name)}
			described.manifest.Styles = []string{relative(output.CSSBundle)}
		}
	}
	if mainStyle == "" {
		return nil, result{}, errors.New("bundling: no style sheet of the main entry point")
	}
	loaded := map[string]bool{}
	var load func(name string)
	load = func(name string) {
		if loaded[name] {
			return
		}
		loaded[name] = true
		for _, imported := range meta.Outputs[name].Imports {
			if imported.Kind == "import-statement" {
				load(imported.Path)
			}
		}
	}
	for name, output := range meta.Outputs {
		if strings.HasSuffix(name, ".js") && (output.EntryPoint == "src/main.tsx" || output.EntryPoint == firstScreen) {
			load(name)
		}
	}
	for name := range loaded {
		described.first = append(described.first, relative(name))
	}
	files := map[string][]byte{}
	for _, file := range built.OutputFiles {
		base := filepath.Base(file.Path)
		if strings.HasSuffix(base, ".css") && base != mainStyle {
			continue
		}
		files["assets/"+base] = file.Contents
	}
	return files, described, nil
}

// styles resolves console:styles to a style sheet that imports those of all components, in a stable order.
func styles(source string) api.Plugin {
	return api.Plugin{Name: "styles", Setup: func(build api.PluginBuild) {
		build.OnResolve(api.OnResolveOptions{Filter: `^console:styles$`},
			func(api.OnResolveArgs) (api.OnResolveResult, error) {
				return api.OnResolveResult{Path: "styles", Namespace: "console"}, nil
			})
		build.OnLoad(api.OnLoadOptions{Filter: `.*`, Namespace: "console"},
			func(api.OnLoadArgs) (api.OnLoadResult, error) {
				var imports strings.Builder
				root := filepath.Join(source, "src")
				err := filepath.WalkDir(root, func(name string, _ fs.DirEntry, err error) error {
					if err == nil && strings.HasSuffix(name, ".module.css") {
						fmt.Fprintf(&imports, "@import %q;\n", name)
					}
					return err
				})
				contents := imports.String()
				return api.OnLoadResult{Contents: &contents, Loader: api.LoaderCSS, ResolveDir: source}, err
			})
	}}
}

// write replaces the files of an earlier build. It writes the manifest last, so that a manifest never names a file
// that does not exist.
func write(out string, files map[string][]byte, m manifest) error {
	assets := filepath.Join(out, "assets")
	if err := os.MkdirAll(assets, 0o755); err != nil {
		return err
	}
	for name, contents := range files {
		if err := os.WriteFile(filepath.Join(out, filepath.FromSlash(name)), contents, 0o644); err != nil {
			return err
		}
	}
	contents, err := json.Marshal(m)
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(out, "manifest.json"), append(contents, '\n'), 0o644); err != nil {
		return err
	}
	old, err := os.ReadDir(assets)
	if err != nil {
		return err
	}
	for _, entry := range old {
		if _, kept := files["assets/"+entry.Name()]; !kept {
			if err := os.Remove(filepath.Join(assets, entry.Name())); err != nil {
				return err
			}
		}
	}
	return nil
}

// report prints the compressed sizes, and returns an error if a budget is exceeded.
func report(files map[string][]byte, described result) error {
	type size struct {
		name  string
		bytes int
	}
	var sizes []size
	first, total := 0, 0
	for name, contents := range files {
		compressed := compress(contents)
		sizes = append(sizes, size{name, compressed})
		if strings.HasSuffix(name, ".js") {
			total += compressed
			if slices.Contains(described.first, name) {
				first += compressed
			}
		}
	}
	slices.SortFunc(sizes, func(a, b size) int { return cmp.Compare(b.bytes, a.bytes) })
	for _, s := range sizes {
		fmt.Printf("%8d  %s\n", s.bytes, s.name)
	}
	fmt.Printf("scripts, compressed: first screen %d of %d bytes, all %d of %d bytes\n",
		first, firstBudget, total, totalBudget)
	if first > firstBudget || total > totalBudget {
		return errors.New("the bundles exceed their size budget")
	}
	return nil
}

func compress(contents []byte) int {
	var out bytes.Buffer
	w, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err != nil {
		panic(err)
	}
	if _, err := w.Write(contents); err != nil {
		panic(err)
	}
	if err := w.Close(); err != nil {
		panic(err)
	}
	return out.Len()
}
