// SPDX-License-Identifier: Apache-2.0

package deb_test

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/reelops/reelops/hack/images/deb"
)

// unpack returns the tree of a package with these files. A content of "-> " and a target is a link; "= " and a path
// copies a file of this machine.
func unpack(t *testing.T, files map[string]string) *deb.Tree {
	t.Helper()
	dir := t.TempDir()
	files["DEBIAN/control"] = "Package: p\nVersion: 1\nArchitecture: all\nMaintainer: A Person <person@example.org>\nDescription: for a test\n"
	for name, content := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		var err error
		if target, ok := strings.CutPrefix(content, "-> "); ok {
			err = os.Symlink(target, path)
		} else {
			data := []byte(content)
			if from, ok := strings.CutPrefix(content, "= "); ok {
				if data, err = os.ReadFile(from); err != nil {
					t.Fatal(err)
				}
			}
			err = os.WriteFile(path, data, 0o755)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	file := filepath.Join(t.TempDir(), "p.deb")
	if out, err := exec.Command("dpkg-deb", "-Znone", "--root-owner-group", "--build", dir, file).CombinedOutput(); err != nil {
		t.Fatalf("dpkg-deb: %v\n%s", err, out)
	}
	tree, err := deb.Unpack(t.Context(), []deb.Package{{Name: "p", File: file}}, runtime.GOARCH, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

func paths(files []*deb.File) (out []string) {
	for _, f := range files {
		out = append(out, f.Path)
	}
	return out
}

func TestFiles_PatternsAndLinks(t *testing.T) {
	t.Parallel()
	tree := unpack(t, map[string]string{
		"lib/data/a.dat": "A", "lib/data/sub/b.dat": "B", "usr/bin/tool": "-> ../../lib/data/a.dat", "usr/bin/lost": "-> /nowhere",
		"usr/share/doc/p/copyright": "may be copied",
	})
	for pattern, want := range map[string][]string{
		"/usr/lib/data/":      {"/usr/lib/data/a.dat", "/usr/lib/data/sub/b.dat"},
		"/usr/lib/data/*.dat": {"/usr/lib/data/a.dat"},
	} {
		got, err := tree.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, paths(got)); diff != "" {
			t.Errorf("%s: %s", pattern, diff)
		}
	}
	if _, err := tree.Glob("/usr/lib/data/", "/usr/share/gone/"); err == nil || !strings.Contains(err.Error(), "/usr/share/gone/") {
		t.Errorf("got %v, want an error that names the pattern without files", err)
	}
	both, err := tree.Glob("/usr/bin/*")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tree.Follow(both[0]); err == nil || !strings.Contains(err.Error(), "/nowhere") {
		t.Errorf("got %v, want an error that names the target of the link", err)
	}
	chain, err := tree.Follow(both[1])
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"/usr/bin/tool", "/usr/lib/data/a.dat"}, paths(chain)); diff != "" {
		t.Error(diff)
	}
	in, err := tree.Copyright("p").Open()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = in.Close() }()
	if b, err := io.ReadAll(in); err != nil || string(b) != "may be copied" {
		t.Errorf("got %q, %v", b, err)
	}
}

// loaders are the program loaders by architecture, with the paths that programs use.
var loaders = map[string]string{"amd64": "lib64/ld-linux-x86-64.so.2", "arm64": "lib/ld-linux-aarch64.so.1"}

func TestLibraries_OfPrograms(t *testing.T) {
	t.Parallel()
	loader, lib := loaders[runtime.GOARCH], deb.Triplet(runtime.GOARCH)
	files := map[string]string{
		"usr/bin/true": "= /usr/bin/true", loader: "-> /lib/" + lib + "/" + filepath.Base(loader),
		"lib/" + lib + "/" + filepath.Base(loader): "= /" + loader, "usr/lib/" + lib + "/libunused.so.1": "= /usr/bin/true",
	}
	program := func(tree *deb.Tree) []*deb.File {
		out, err := tree.Glob("/usr/bin/true")
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	tree := unpack(t, files)
	if _, err := tree.Needed(program(tree), nil); err == nil || !strings.Contains(err.Error(), "/usr/bin/true requires libc.so.6") {
		t.Errorf("got %v, want an error that names the library and the program", err)
	}
	// The library is in a separate folder, as one of several alternatives.
	files["usr/lib/"+lib+"/own/libc.so.6"] = "= /lib/" + lib + "/libc.so.6"
	tree = unpack(t, files)
	got, err := tree.Needed(program(tree), nil)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]bool{"/usr/" + loader: true, "/usr/lib/" + lib + "/" + filepath.Base(loader): true, "/usr/lib/" + lib + "/libc.so.6": true, "/usr/lib/" + lib + "/own/libc.so.6": true}
	for _, f := range got {
		if !want[f.Path] {
			t.Errorf("%s is not required", f.Path)
		}
		delete(want, f.Path)
		if f.Path == "/usr/lib/"+lib+"/libc.so.6" && f.Link != "/usr/lib/"+lib+"/own/libc.so.6" {
			t.Errorf("the link points to %q", f.Link)
		}
	}
	if len(want) > 0 {
		t.Errorf("missing: %v", want)
	}
}
