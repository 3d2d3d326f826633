// SPDX-License-Identifier: Apache-2.0

package sbom

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-containerregistry/pkg/v1/empty"
	spdxjson "github.com/spdx/tools-golang/json"
	"github.com/spdx/tools-golang/spdx/v2/common"
	spdx "github.com/spdx/tools-golang/spdx/v2/v2_3"

	"github.com/reelops/reelops/hack/images/assemble"
	"github.com/reelops/reelops/hack/images/deb"
	"github.com/reelops/reelops/hack/images/gobuild"
	"github.com/reelops/reelops/hack/images/recipe"
)

// program builds the image builder itself, which has modules with many licences.
var program = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "sbom-")
	if err != nil {
		return "", err
	}
	file := filepath.Join(dir, "images")
	return file, gobuild.Build(context.Background(), gobuild.Target{Dir: "..", Package: ".", Arch: runtime.GOARCH, Output: file})
})

func TestMain(m *testing.M) {
	code := m.Run()
	if file, err := program(); err == nil {
		_ = os.RemoveAll(filepath.Dir(file))
	}
	os.Exit(code)
}

// described returns the SBOM of an image with the program, after writing and parsing it.
func described(t *testing.T, packages ...assemble.Content) *spdx.Document {
	t.Helper()
	program, err := program()
	if err != nil {
		t.Fatal(err)
	}
	modules, err := gobuild.Modules(t.Context(), program)
	if err != nil {
		t.Fatal(err)
	}
	image := &assemble.Image{Image: empty.Image, Recipe: recipe.Image{Name: "x", Licenses: "Apache-2.0"}, Modules: modules, Packages: packages}
	d, err := Of(image, "registry.example:5000/reelops/x:v1", time.Unix(1750000000, 0))
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := spdxjson.Write(d, &b); err != nil {
		t.Fatal(err)
	}
	again := &spdx.Document{}
	if err := spdxjson.ReadInto(&b, again); err != nil {
		t.Fatal(err)
	}
	return again
}

func TestSBOM_ListsEveryModule(t *testing.T) {
	t.Parallel()
	d := described(t)
	byName := map[string]*spdx.Package{}
	for _, p := range d.Packages {
		byName[p.PackageName] = p
	}
	file, err := program()
	if err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command("go", "version", "-m", file).Output()
	if err != nil {
		t.Fatal(err)
	}
	modules := regexp.MustCompile(`(?m)^\tdep\t(\S+)\t(\S+)`).FindAllStringSubmatch(string(out), -1)
	if len(modules) < 5 {
		t.Fatalf("the program has too few modules:\n%s", out)
	}
	for _, m := range modules {
		path, version := m[1], m[2]
		p := byName[path]
		if p == nil || p.PackageVersion != version || p.PackageExternalReferences[0].Locator != "pkg:golang/"+path+"@"+version {
			t.Errorf("%s %s: got %+v", path, version, p)
			continue
		}
		if p.PackageLicenseDeclared == unknown {
			t.Errorf("the licence of %s is unknown", path)
		}
	}
	if p := byName[gobuild.Standard]; p == nil || p.PackageLicenseDeclared != "BSD-3-Clause" {
		t.Errorf("Go's library: got %+v", p)
	}
	if p := byName["registry.example:5000/reelops/x"]; p == nil || p.PackageVersion != "v1" {
		t.Errorf("the image: got %+v", p)
	}
}

func TestSBOM_ListsEveryPackageOnce(t *testing.T) {
	t.Parallel()
	c := assemble.Content{Package: deb.Package{
		Name: "libc6", Version: "2.36-9+deb12u14", Source: "glibc", SourceVersion: "2.36-9+deb12u14", Architecture: "amd64", SHA256: "00", Maintainer: "GNU Libc Maintainers <debian-glibc@lists.debian.org>",
	}, Copyright: "/usr/share/doc/libc6/copyright"}
	d := described(t, c, c)
	found := 0
	for _, p := range d.Packages {
		if p.PackageName != "libc6" {
			continue
		}
		found++
		if want := "pkg:deb/debian/libc6@2.36-9%2Bdeb12u14?arch=amd64&distro=bookworm&upstream=glibc"; p.PackageExternalReferences[0].Locator != want {
			t.Errorf("got %s, want %s", p.PackageExternalReferences[0].Locator, want)
		}
		if p.PackageSourceInfo != "built from Debian's source package glibc 2.36-9+deb12u14" || p.PackageLicenseComments != "see /usr/share/doc/libc6/copyright in the image" {
			t.Errorf("got %+v", p)
		}
	}
	if found != 1 {
		t.Errorf("listed %d times", found)
	}
}

func TestSBOM_ElementsAreRelated(t *testing.T) {
	t.Parallel()
	d := described(t)
	names := map[common.ElementID]int{"DOCUMENT": 1}
	for _, p := range d.Packages {
		names[p.PackageSPDXIdentifier]++
	}
	for name, n := range names {
		if n != 1 {
			t.Errorf("%s is the ID of %d elements", name, n)
		}
	}
	related := map[common.ElementID]bool{}
	for _, r := range d.Relationships {
		related[r.RefB.ElementRefID] = true
		if names[r.RefA.ElementRefID] == 0 || names[r.RefB.ElementRefID] == 0 {
			t.Errorf("%+v refers to a missing element", r)
		}
	}
	for _, p := range d.Packages {
		if !related[p.PackageSPDXIdentifier] {
			t.Errorf("%s has no relation to the image", p.PackageName)
		}
	}
}

func TestSBOM_ModuleInTwoVersions(t *testing.T) {
	t.Parallel()
	modules := []gobuild.Module{
		{Path: "example.org/a", Main: true},
		{Path: "example.org/x", Version: "v1.0.0", Sum: "h1:a"},
		{Path: "example.org/b", Main: true},
		{Path: "example.org/x", Version: "v1.1.0", Sum: "h1:b"},
	}
	image := &assemble.Image{Image: empty.Image, Recipe: recipe.Image{Name: "x", Licenses: "Apache-2.0"}, Modules: modules}
	d, err := Of(image, "registry.example/x:v1", time.Unix(1750000000, 0))
	if err != nil {
		t.Fatal(err)
	}
	ids := map[common.ElementID]string{}
	for _, p := range d.Packages {
		if other, ok := ids[p.PackageSPDXIdentifier]; ok {
			t.Errorf("%s and %s have one identifier", other, p.PackageVersion)
		}
		ids[p.PackageSPDXIdentifier] = p.PackageVersion
	}
	var got []string
	for _, r := range d.Relationships {
		if r.Relationship == common.TypeRelationshipDependsOn {
			got = append(got, string(r.RefA.ElementRefID)+" "+string(r.RefB.ElementRefID))
		}
	}
	if want := []string{"Go-example.org-a Go-example.org-x", "Go-example.org-b Go-example.org-x-v1.1.0"}; !slices.Equal(got, want) {
		t.Errorf("got dependencies %q, want %q", got, want)
	}
}
