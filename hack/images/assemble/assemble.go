// SPDX-License-Identifier: Apache-2.0

// Package assemble builds images from recipes: layers of Debian files, then a layer that is the same in all images,
// then the program.
package assemble

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/types"

	"github.com/reelops/reelops/hack/images/deb"
	"github.com/reelops/reelops/hack/images/gobuild"
	"github.com/reelops/reelops/hack/images/layer"
	"github.com/reelops/reelops/hack/images/recipe"
)

// User is the user and group ID under which programs run in the images.
const User = 65532

// Source is the URL of the source repository.
const Source = "https://github.com/reelops/reelops"

// Builder builds images.
type Builder struct {
	// Root is the root of the repository.
	Root string
	// Cache is a folder for downloaded packages and built layers.
	Cache string
	// Small is the folder of the small ffmpeg build; empty means Debian's ffmpeg.
	Small string
	// Version is the version that the programs report.
	Version string
	// Revision and Time are the hash and the time of the commit.
	Revision string
	Time     time.Time
	// Debian provides packages; it is a deb.Apt.
	Debian Archive
	// Report receives progress messages.
	Report func(format string, args ...any)

	temporary []string
}

// Image is a built image.
type Image struct {
	v1.Image
	Recipe recipe.Image
	Arch   string
	// Program is the file of the Go program on this machine; empty if the image has none.
	Program string
	// Modules are the Go modules in the program.
	Modules []gobuild.Module
	// Packages are the Debian packages with files in the image.
	Packages []Content
	// Unpacked is the size of all files in bytes.
	Unpacked int64
}

// Content is a package and the list of its files in an image.
type Content struct {
	deb.Package
	Files []string
	// Copyright is the path of the licence file in the image.
	Copyright string
	// BuiltIn reports that the package has no files of its own in the image, but programs in it were built from the
	// package's source.
	BuiltIn bool
}

// Archive provides packages by name: with all their dependencies, or alone.
type Archive interface {
	Packages(ctx context.Context, architecture string, names ...string) ([]deb.Package, error)
	Only(ctx context.Context, architecture string, names ...string) ([]deb.Package, error)
}

// Close removes temporary files.
func (b *Builder) Close() error {
	var errs []error
	for _, d := range b.temporary {
		errs = append(errs, os.RemoveAll(d))
	}
	return errors.Join(errs...)
}

// Build builds an image for an architecture, in Go's notation.
func (b *Builder) Build(ctx context.Context, r recipe.Image, arch string) (*Image, error) {
	out := &Image{Recipe: r, Arch: arch}
	if err := b.program(ctx, out); err != nil {
		return nil, err
	}
	base, err := baseLayer(b.layers())
	if err != nil {
		return nil, err
	}
	add := []addition{{base, "user, folder for temporary files"}}
	for _, p := range r.Parts {
		l, content, err := b.part(ctx, p, out)
		if err != nil {
			return nil, fmt.Errorf("layer %s of %s: %w", p.Name, r.Name, err)
		}
		out.Packages = append(out.Packages, content.Packages...)
		out.Unpacked += content.Bytes
		add = append(add, addition{l, p.Name + " of Debian " + deb.Suite})
	}
	if out.Program != "" {
		if out.Modules, err = gobuild.Modules(ctx, out.Program); err != nil {
			return nil, err
		}
		notices, size, err := b.noticesLayer(out)
		if err != nil {
			return nil, err
		}
		out.Unpacked += size
		add = append(add, addition{notices, "licences of the program"})
		l, size, err := b.programLayer(out)
		if err != nil {
			return nil, err
		}
		out.Unpacked += size
		add = append(add, addition{l, ProgramPath(out.Recipe)})
	}
	out.Image, err = b.compose(out, add)
	return out, err
}

func (b *Builder) layers() layer.Cache { return layer.Cache{Dir: filepath.Join(b.Cache, "layers")} }

type addition struct {
	layer *layer.Layer
	about string
}

func (b *Builder) compose(out *Image, add []addition) (v1.Image, error) {
	when := v1.Time{Time: b.Time.UTC()}
	image := mutate.ConfigMediaType(mutate.MediaType(empty.Image, types.OCIManifestSchema1), types.OCIConfigJSON)
	var err error
	for _, a := range add {
		image, err = mutate.Append(image, mutate.Addendum{
			Layer: a.layer, MediaType: types.OCILayer, History: v1.History{Created: when, CreatedBy: "hack/images: " + a.about},
		})
		if err != nil {
			return nil, err
		}
	}
	config, err := image.ConfigFile()
	if err != nil {
		return nil, err
	}
	config = config.DeepCopy()
	config.OS, config.Architecture, config.Created = "linux", out.Arch, when
	config.Config = v1.Config{
		User: fmt.Sprintf("%d:%d", User, User), WorkingDir: "/",
		Entrypoint: out.Recipe.Entrypoint,
		Env:        append([]string{"PATH=/usr/bin", "HOME=/tmp"}, out.Recipe.Env...),
		Labels:     b.labels(out.Recipe),
	}
	if len(config.Config.Entrypoint) == 0 {
		config.Config.Entrypoint = []string{ProgramPath(out.Recipe)}
	}
	if image, err = mutate.ConfigFile(image, config); err != nil {
		return nil, err
	}
	annotated, ok := mutate.Annotations(image, b.labels(out.Recipe)).(v1.Image)
	if !ok {
		return nil, fmt.Errorf("%s: adding annotations changed the image type", out.Recipe.Name)
	}
	return annotated, nil
}

func (b *Builder) labels(r recipe.Image) map[string]string {
	return map[string]string{
		"org.opencontainers.image.title":       "reelops " + r.Name,
		"org.opencontainers.image.description": r.About,
		"org.opencontainers.image.source":      Source,
		"org.opencontainers.image.version":     b.Version,
		"org.opencontainers.image.revision":    b.Revision,
		"org.opencontainers.image.created":     b.Time.UTC().Format(time.RFC3339),
		"org.opencontainers.image.licenses":    r.Licenses,
	}
}

// ProgramPath returns the path of the program in the image.
func ProgramPath(r recipe.Image) string { return "/usr/bin/" + path.Base(r.Program.Package) }

func baseLayer(c layer.Cache) (*layer.Layer, error) {
	entries := []layer.Entry{
		{Path: "/etc/passwd", Mode: 0o644, Data: fmt.Appendf(nil, "root:x:0:0:root:/:/nonexistent\nreelops:x:%d:%d:reelops:/tmp:/nonexistent\n", User, User)},
		{Path: "/etc/group", Mode: 0o644, Data: fmt.Appendf(nil, "root:x:0:\nreelops:x:%d:\n", User)},
		{Path: "/tmp", Mode: fs.ModeDir | fs.ModeSticky | 0o777},
	}
	key, err := layer.Key("base", entries[0].Data, entries[1].Data)
	if err != nil {
		return nil, err
	}
	return c.Get(key, nil, func() ([]layer.Entry, any, error) { return entries, nil, nil })
}

func (b *Builder) program(ctx context.Context, out *Image) error {
	p := out.Recipe.Program
	if p.Package == "" {
		return nil
	}
	t := gobuild.Target{
		Dir: filepath.Join(b.Root, p.Module), Package: p.Package, Arch: out.Arch, Tags: p.Tags,
		Output: filepath.Join(b.Cache, "programs", out.Arch, path.Base(p.Package)),
	}
	if p.Module == "." {
		t.Version = b.Version
	}
	out.Program = t.Output
	if p.Shared != "" {
		t.Output = filepath.Join(b.Root, p.Shared)
		out.Program = t.Output
		return gobuild.BuildShared(ctx, t)
	}
	b.Report("%s: building %s for %s", out.Recipe.Name, p.Package, out.Arch)
	return gobuild.Build(ctx, t)
}

func (b *Builder) programLayer(out *Image) (*layer.Layer, int64, error) {
	sum, err := hashFile(out.Program)
	if err != nil {
		return nil, 0, err
	}
	info, err := os.Stat(out.Program)
	if err != nil {
		return nil, 0, err
	}
	at := ProgramPath(out.Recipe)
	key, err := layer.Key("program", at, sum)
	if err != nil {
		return nil, 0, err
	}
	l, err := b.layers().Get(key, nil, func() ([]layer.Entry, any, error) {
		return []layer.Entry{{Path: at, Mode: 0o755, Open: opener(out.Program)}}, nil, nil
	})
	return l, info.Size(), err
}
