// SPDX-License-Identifier: Apache-2.0

package deb

import (
	"fmt"
	"path"
	"slices"
	"strings"
)

// Needed returns the shared libraries that programs are linked with, recursively, the program loader, and the symbolic
// links that lead to them. programs are files of the tree. libraries are names of additional libraries. outside are
// paths of other programs on this machine. A library that no package has is an error that names the file which needs
// it.
func (t *Tree) Needed(programs []*File, libraries []string, outside ...string) ([]*File, error) {
	s := search{tree: t, seen: map[string]bool{}}
	for _, f := range programs {
		chain, err := t.Follow(f)
		if err != nil {
			return nil, err
		}
		if err := s.visit(chain[len(chain)-1].object, f.Path); err != nil {
			return nil, err
		}
	}
	if err := s.visit(&object{needed: libraries}, "the image"); err != nil {
		return nil, err
	}
	for _, name := range outside {
		o, err := readObject(name)
		if err != nil {
			return nil, err
		}
		if err := s.visit(o, name); err != nil {
			return nil, err
		}
	}
	return sorted(s.found), nil
}

type search struct {
	tree  *Tree
	seen  map[string]bool
	found []*File
}

func (s *search) visit(o *object, from string) error {
	if o == nil {
		return nil
	}
	if o.interpreter != "" {
		f := s.tree.files[merged(o.interpreter)]
		if f == nil {
			return fmt.Errorf("%s requires the loader %s, which no package has", from, o.interpreter)
		}
		if err := s.take(f); err != nil {
			return err
		}
	}
	for _, name := range o.needed {
		f := s.library(name, o.runpath, from)
		if f == nil {
			return fmt.Errorf("%s requires %s, which no package has", from, name)
		}
		if err := s.take(f); err != nil {
			return err
		}
	}
	return nil
}

// library finds a library as the loader does: in the object's run path, then in the default folders. A library in
// another folder is one of several alternatives (for example one of several BLAS) and gets a link in the default
// folder.
func (s *search) library(name string, runpath []string, from string) *File {
	var dirs []string
	for _, d := range runpath {
		dirs = append(dirs, merged(path.Clean(strings.ReplaceAll(d, "$ORIGIN", path.Dir(from)))))
	}
	for _, d := range append(dirs, s.tree.libDir, "/usr/lib") {
		if f := s.tree.files[path.Join(d, name)]; f != nil {
			return f
		}
	}
	others := slices.Clone(s.tree.bySoname[name])
	if len(others) == 0 {
		return nil
	}
	f := sorted(others)[0]
	link := &File{Path: path.Join(s.tree.libDir, name), Mode: 0o777, Link: f.Path, Package: f.Package}
	s.tree.files[link.Path] = link
	return link
}

func (s *search) take(f *File) error {
	if s.seen[f.Path] {
		return nil
	}
	s.seen[f.Path] = true
	chain, err := s.tree.Follow(f)
	if err != nil {
		return err
	}
	s.found = append(s.found, chain...)
	last := chain[len(chain)-1]
	return s.visit(last.object, last.Path)
}
