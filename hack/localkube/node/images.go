// SPDX-License-Identifier: Apache-2.0

package node

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Images maps the name of a container image to a program on this machine.
type Images map[string]string

// Add parses NAME=/path/to/program and adds it.
func (m Images) Add(arg string) error {
	name, path, ok := strings.Cut(arg, "=")
	if !ok || name == "" || path == "" {
		return fmt.Errorf("%q is not NAME=/path/to/program", arg)
	}
	abs, err := filepath.Abs(path)
	if err != nil {
		return err
	}
	m[canonical(name)] = abs
	return nil
}

// Program returns the host path of an image's program. The error explains to the user how to add one.
func (m Images) Program(image string) (string, error) {
	path, ok := m[canonical(image)]
	if !ok {
		known := "none"
		if len(m) > 0 {
			known = strings.Join(slices.Sorted(maps.Keys(m)), ", ")
		}
		return "", fmt.Errorf("no program stands for image %q on this node; start localkube with --image %s=/path/to/program (images known: %s)", image, image, known)
	}
	fi, err := os.Stat(path)
	switch {
	case err != nil:
		return "", fmt.Errorf("reading the program for image %q: %w", image, err)
	case !fi.Mode().IsRegular() || fi.Mode().Perm()&0o111 == 0:
		return "", fmt.Errorf("the program for image %q, %s, is not an executable file", image, path)
	}
	return path, nil
}

// canonical returns the image name, with the tag latest if it has no tag or digest.
func canonical(image string) string {
	last := image[strings.LastIndexByte(image, '/')+1:]
	if strings.ContainsAny(last, ":@") {
		return image
	}
	return image + ":latest"
}
