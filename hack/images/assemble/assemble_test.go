// SPDX-License-Identifier: Apache-2.0

package assemble_test

import (
	"archive/tar"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"iter"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-containerregistry/pkg/v1/mutate"

	"github.com/reelops/reelops/hack/images/assemble"
	"github.com/reelops/reelops/hack/images/deb"
	"github.com/reelops/reelops/hack/images/gobuild"
	"github.com/reelops/reelops/hack/images/recipe"
)

// packages are packages created for a test, in place of Debian's archive.
type packages []deb.Package

func (p packages) Packages(context.Context, string, ...string) ([]deb.Package, error) { return p, nil }

func (p packages) Only(context.Context, string, ...string) ([]deb.Package, error) { return nil, nil }

// pack creates a package with the given contents by path. The content of a link is "-> " and its target.
func pack(t *testing.T, name string, files map[string]string) deb.Package {
	t.Helper()
	dir := t.TempDir()
	put := func(path, content string) {
		path = filepath.Join(dir, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if target, ok := strings.CutPrefix(content, "-> "); ok {
			if err := os.Symlink(target, path); err != nil {
				t.Fatal(err)
			}
			return
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	control := "Package: " + name + "\nVersion: 1.0-1\nArchitecture: all\nMaintainer: A Person <person@example.org>\nDescription: for a test\n"
	put("DEBIAN/control", control)
	put("usr/share/doc/"+name+"/copyright", "May be copied, "+name+".\n")
	for path, content := range files {
		put(path, content)
	}
	if err := os.Chmod(filepath.Join(dir, "DEBIAN"), 0o755); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), name+".deb")
	if out, err := exec.Command("dpkg-deb", "-Znone", "--root-owner-group", "--build", dir, file).CombinedOutput(); err != nil {
		t.Fatalf("dpkg-deb: %v\n%s", err, out)
	}
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(data)
	return deb.Package{
		Name: name, Version: "1.0-1", Source: name, SourceVersion: "1.0-1", Architecture: "all", Control: control,
		File: file, SHA256: hex.EncodeToString(sum[:]),
	}
}

var pause = recipe.Image{
	Name: "pause", Programs: []recipe.Program{{Module: "hack/images", Package: "./pause"}}, Licenses: "Apache-2.0",
	Parts: []recipe.Part{{Name: "fonts", Packages: []string{"fonts"}, Files: []string{"/usr/share/fonts/"}, Except: []string{"*Italic*"}}},
}

// copyOfModule copies the module of the program into another folder.
func copyOfModule(t *testing.T, root string) {
	t.Helper()
	for _, f := range []string{"LICENSE", "hack/images/go.mod", "hack/images/go.sum", "hack/images/pause/main.go", "hack/images/toolbox/main.go"} {
		data, err := os.ReadFile(filepath.Join("../../..", f))
		if err != nil {
			t.Fatal(err)
		}
		to := filepath.Join(root, f)
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(to, data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func build(t *testing.T, root string, archive assemble.Archive) *assemble.Image {
	t.Helper()
	return buildOf(t, root, archive, pause)
}

func buildOf(t *testing.T, root string, archive assemble.Archive, r recipe.Image) *assemble.Image {
	t.Helper()
	b := &assemble.Builder{
		Root: root, Cache: filepath.Join(root, "cache"), Version: "v1.2.3", Revision: "abc", Time: time.Unix(1750000000, 0),
		Debian: archive, Report: t.Logf,
	}
	image, err := b.Build(t.Context(), r, "amd64")
	if err != nil {
		t.Fatal(err)
	}
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	if left, _ := filepath.Glob(filepath.Join(b.Cache, "unpack-*")); len(left) > 0 {
		t.Errorf("%v are left", left)
	}
	return image
}

func TestBuild_IsReproducible(t *testing.T) {
	archive := packages{pack(t, "fonts", map[string]string{"usr/share/fonts/b.ttf": "B", "usr/share/fonts/a.ttf": "-> b.ttf", "usr/share/fonts/c-Italic.ttf": "C"})}
	first, second := t.TempDir(), filepath.Join(t.TempDir(), "deeper", "down")
	copyOfModule(t, first)
	copyOfModule(t, second)
	a := build(t, first, archive)
	// Settings that may differ between machines.
	old := syscall.Umask(0o077)
	t.Cleanup(func() { syscall.Umask(old) })
	t.Setenv("TZ", "Asia/Tokyo")
	t.Setenv("GOFLAGS", "-tags=other")
	t.Setenv("CGO_ENABLED", "1")
	b := build(t, second, archive)
	one, err := a.Digest()
	if err != nil {
		t.Fatal(err)
	}
	other, err := b.Digest()
	if err != nil {
		t.Fatal(err)
	}
	if one != other {
		t.Errorf("got %s and %s", one, other)
	}
	// Build again with a full cache.
	if again, err := build(t, second, archive).Digest(); err != nil || again != one {
		t.Errorf("got %s from the cache, %v, want %s", again, err, one)
	}
}

// entries returns the files and folders of an image.
func entries(t *testing.T, image *assemble.Image) iter.Seq[*tar.Header] {
	t.Helper()
	return func(yield func(*tar.Header) bool) {
		r := mutate.Extract(image)
		defer func() { _ = r.Close() }()
		for tr := tar.NewReader(r); ; {
			h, err := tr.Next()
			if errors.Is(err, io.EOF) {
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if !yield(h) {
				return
			}
		}
	}
}

func TestBuild_ContentsOfTheRecipe(t *testing.T) {
	root := t.TempDir()
	copyOfModule(t, root)
	image := build(t, root, packages{
		pack(t, "fonts", map[string]string{"usr/share/fonts/a.ttf": "A", "usr/share/fonts/c-Italic.ttf": "C", "bin/sh": "#!"}),
		pack(t, "unused", map[string]string{"usr/bin/apt": "x"}),
	})
	var got []string
	for h := range entries(t, image) {
		if h.Uid != 0 || h.Gid != 0 || !h.ModTime.Equal(time.Unix(0, 0)) {
			t.Errorf("%s is owned by %d:%d, %s", h.Name, h.Uid, h.Gid, h.ModTime)
		}
		name := strings.TrimSuffix(h.Name, "/")
		if fs.FileMode(h.Mode)&0o022 != 0 && name != "tmp" && h.Typeflag != tar.TypeSymlink {
			t.Errorf("others may write to %s", h.Name)
		}
		if h.Typeflag != tar.TypeDir || name == "tmp" {
			got = append(got, name)
		}
	}
	slices.Sort(got)
	want := []string{
		"etc/group", "etc/passwd", "tmp", "usr/bin/pause", "usr/share/doc/fonts/copyright", "usr/share/doc/reelops/LICENSE",
		"usr/share/doc/reelops/modules/stdlib/LICENSE", "usr/share/doc/reelops/modules/stdlib/PATENTS", "usr/share/fonts/a.ttf",
		"var/lib/dpkg/status.d/fonts",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	config, err := image.ConfigFile()
	if err != nil {
		t.Fatal(err)
	}
	c := config.Config
	if c.User != "65532:65532" || !slices.Equal(c.Entrypoint, []string{"/usr/bin/pause"}) ||
		c.Labels["org.opencontainers.image.version"] != "v1.2.3" || c.Labels["org.opencontainers.image.revision"] != "abc" {
		t.Errorf("got %+v", c)
	}
}

func TestBuild_SeveralPrograms(t *testing.T) {
	root := t.TempDir()
	copyOfModule(t, root)
	for file, text := range map[string]string{"settings/a/b.yaml": "b: 1\n", "settings/c.yaml": "c: 1\n", "other/d.yaml": ""} {
		file = filepath.Join(root, file)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	image := buildOf(t, root, packages{}, recipe.Image{
		Name: "both", Licenses: "Apache-2.0", Folders: []string{"settings"}, Env: []string{"A=b"}, Root: true,
		Ports: []int{80, 443}, Volume: "/data",
		Programs: []recipe.Program{
			{Module: "hack/images", Package: "./toolbox", Links: []string{"box"}}, {Module: "hack/images", Package: "./pause"},
		},
	})
	got := map[string]string{}
	for h := range entries(t, image) {
		if h.Typeflag != tar.TypeDir && !strings.HasPrefix(h.Name, "usr/share/doc/") && !strings.HasPrefix(h.Name, "etc/") {
			got[h.Name] = h.FileInfo().Mode().Perm().String() + h.Linkname
		}
	}
	want := map[string]string{
		"usr/bin/toolbox": "-rwxr-xr-x", "usr/bin/box": "-rwxrwxrwxtoolbox", "usr/bin/pause": "-rwxr-xr-x",
		"usr/share/reelops/settings/a/b.yaml": "-rw-r--r--", "usr/share/reelops/settings/c.yaml": "-rw-r--r--",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	config, err := image.ConfigFile()
	if err != nil {
		t.Fatal(err)
	}
	c := config.Config
	ports := map[string]struct{}{"80/tcp": {}, "443/tcp": {}}
	if c.User != "0:0" || !slices.Equal(c.Entrypoint, []string{"/usr/bin/toolbox"}) || !slices.Contains(c.Env, "A=b") ||
		!cmp.Equal(c.ExposedPorts, ports) || !cmp.Equal(c.Volumes, map[string]struct{}{"/data": {}}) {
		t.Errorf("got %+v", c)
	}
	for i, m := range image.Modules {
		if slices.ContainsFunc(image.Modules[:i], func(o gobuild.Module) bool { return o.Path == m.Path && o.Version == m.Version }) {
			t.Errorf("%s is listed twice", m.Path)
		}
	}
}
