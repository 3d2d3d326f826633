// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"
)

const (
	repository = ".." // relative to the folder hack, where the command runs

	bases    = "config/crd/bases"
	releases = "config/crd/releases"
)

var version = regexp.MustCompile(`^v\d+\.\d+\.\d+$`)

func main() {
	err := errors.New("say `freeze VERSION` or `check`")
	switch args := os.Args[1:]; {
	case len(args) == 2 && args[0] == "freeze":
		err = freeze(repository, args[1])
	case len(args) == 1 && args[0] == "check":
		err = check(repository)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "upgrade:", err)
		os.Exit(1)
	}
}

// freeze stores the current kinds as those of a release.
func freeze(root, release string) error {
	if !version.MatchString(release) {
		return fmt.Errorf("%q is no version such as v0.1.0", release)
	}
	all := filepath.Join(root, releases)
	if err := os.MkdirAll(all, 0o755); err != nil {
		return err
	}
	// Copy to a temporary folder first: a partial release would look like one with fewer kinds.
	part, err := os.MkdirTemp(all, ".freeze-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(part) }()
	kinds := filepath.Join(part, release)
	if err := os.CopyFS(kinds, os.DirFS(filepath.Join(root, bases))); err != nil {
		return err
	}
	if err := os.Rename(kinds, filepath.Join(all, release)); err != nil {
		return fmt.Errorf("a release is frozen once: %w", err)
	}
	return nil
}

// check compares the kinds of every release with the current ones.
func check(root string) error {
	now, err := readKinds(filepath.Join(root, bases))
	if err != nil {
		return err
	}
	all, err := frozen(root)
	if err != nil {
		return err
	}
	var errs []error
	for _, release := range all {
		was, err := readKinds(filepath.Join(root, releases, release))
		if err != nil {
			return err
		}
		for _, why := range narrower(was, now) {
			errs = append(errs, fmt.Errorf("%s: %s", release, why))
		}
	}
	return errors.Join(errs...)
}

// frozen returns the releases.
func frozen(root string) ([]string, error) {
	entries, err := os.ReadDir(filepath.Join(root, releases))
	if err != nil {
		return nil, err
	}
	var out []string
	for _, e := range entries {
		if e.IsDir() && version.MatchString(e.Name()) {
			out = append(out, e.Name())
		}
	}
	return out, nil
}

// readKinds returns the definitions in a folder, by name.
func readKinds(dir string) (kinds, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.yaml"))
	if err != nil {
		return nil, err
	}
	out := kinds{}
	for _, f := range files {
		doc, err := os.ReadFile(f)
		if err != nil {
			return nil, err
		}
		c := &apiextensionsv1.CustomResourceDefinition{}
		if err := yaml.UnmarshalStrict(doc, c); err != nil {
			return nil, fmt.Errorf("%s: %w", f, err)
		}
		out[c.Name] = c
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("there is no kind in %s", dir)
	}
	return out, nil
}
