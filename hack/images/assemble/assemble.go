// SPDX-License-Identifier: Apache-2.0

// Package assemble builds images from recipes: layers of Debian files, then a layer that is the same in all images,
// then the programs.
package assemble

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
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
	// Programs are the files of the Go programs on this machine, in the order of the recipe.
	Programs []string
	// Modules are the Go modules in the programs, without duplicates.
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
	for _, p := range r.Programs {
		file, err := b.program(ctx, r.Name, arch, p)
		if err != nil {
			return nil, err
		}
		out.Programs = append(out.Programs, file)
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
	if len(r.Folders) > 0 {
		l, size, err := b.foldersLayer(r)
		if err != nil {
			return nil, err
		}
		out.Unpacked += size
		add = append(add, addition{l, "manifests"})
	}
	for _, file := range out.Programs {
		modules, err := gobuild.Modules(ctx, file)
		if err != nil {
			return nil, err
		}
		out.Modules = merge(out.Modules, modules)
	}
	if len(out.Programs) > 0 {
		notices, size, err := b.noticesLayer(out)
		if err != nil {
			return nil, err
		}
		out.Unpacked += size
		add = append(add, addition{notices, "licences of the programs"})
	}
	for i, file := range out.Programs {
		l, size, err := b.programLayer(r.Programs[i], file)
		if err != nil {
			return nil, err
		}
		out.Unpacked += size
		add = append(add, addition{l, ProgramPath(r.Programs[i])})
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
		User: fmt.Sprintf("%d:%d", User, User), WorkingDir: "/", ExposedPorts: ports(out.Recipe), Volumes: volumes(out.Recipe),
		Entrypoint: out.Recipe.Entrypoint,
		Env:        append([]string{"PATH=/usr/bin", "HOME=/tmp"}, out.Recipe.Env...),
		Labels:     b.labels(out.Recipe),
	}
	if len(config.Config.Entrypoint) == 0 {
		config.Config.Entrypoint = []string{ProgramPath(out.Recipe.Programs[0])}
	}
	if out.Recipe.Root {
		config.Config.User = "0:0"
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

// ports and volumes return the settings of an image in the form of its configuration; nil if there are none.
func ports(r recipe.Image) map[string]struct{} {
	var out map[string]struct{}
	for _, p := range r.Ports {
		if out == nil {
			out = map[string]struct{}{}
		}
		out[strconv.Itoa(p)+"/tcp"] = struct{}{}
	}
	return out
}

func volumes(r recipe.Image) map[string]struct{} {
	if r.Volume == "" {
		return nil
	}
	return map[string]struct{}{r.Volume: {}}
}

// ProgramPath returns the path of a program in an image.
func ProgramPath(p recipe.Program) string { return "/usr/bin/" + path.Base(p.Package) }

// merge adds the modules that are not in the list.
func merge(all, further []gobuild.Module) []gobuild.Module {
	for _, m := range further {
		if !slices.ContainsFunc(all, func(have gobuild.Module) bool { return have.Path == m.Path && have.Version == m.Version }) {
			all = append(all, m)
		}
	}
	return all
}

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

// program builds a program and returns its file.
func (b *Builder) program(ctx context.Context, image, arch string, p recipe.Program) (string, error) {
	t := gobuild.Target{
		Dir: filepath.Join(b.Root, p.Module), Package: p.Package, Arch: arch, Tags: p.Tags,
		Output: filepath.Join(b.Cache, "programs", arch, path.Base(p.Package)),
	}
	if p.Module == "." {
		t.Version = b.Version
	}
	if p.Script != "" {
		t.Script = filepath.Join(b.Root, p.Script)
	}
	if p.Shared != "" {
		t.Output = filepath.Join(b.Root, p.Shared)
		return t.Output, gobuild.BuildShared(ctx, t)
	}
	b.Report("%s: building %s for %s", image, p.Package, arch)
	return t.Output, gobuild.Build(ctx, t)
}

func (b *Builder) programLayer(p recipe.Program, file string) (*layer.Layer, int64, error) {
	sum, err := hashFile(file)
	if err != nil {
		return nil, 0, err
	}
	info, err := os.Stat(file)
	if err != nil {
		return nil, 0, err
	}
	at := ProgramPath(p)
	key, err := layer.Key("program", at, sum, p.Links)
	if err != nil {
		return nil, 0, err
	}
	l, err := b.layers().Get(key, nil, func() ([]layer.Entry, any, error) {
		entries := []layer.Entry{{Path: at, Mode: 0o755, Open: opener(file)}}
		for _, name := range p.Links {
			entries = append(entries, layer.Entry{Path: path.Join(path.Dir(at), name), Link: path.Base(at)})
		}
		return entries, nil, nil
	})
	return l, info.Size(), err
}

// foldersLayer returns a layer with the folders of the repository, and the size of their files in bytes.
func (b *Builder) foldersLayer(r recipe.Image) (*layer.Layer, int64, error) {
	var entries []layer.Entry
	var size int64
	texts := map[string][]byte{}
	for _, folder := range r.Folders {
		err := filepath.WalkDir(filepath.Join(b.Root, folder), func(file string, e fs.DirEntry, err error) error {
			if err != nil || e.IsDir() {
				return err
			}
			data, err := os.ReadFile(file)
			if err != nil {
				return err
			}
			name, err := filepath.Rel(b.Root, file)
			if err != nil {
				return err
			}
			at := path.Join(recipe.Shared, filepath.ToSlash(name))
			texts[at] = data
			size += int64(len(data))
			entries = append(entries, layer.Entry{Path: at, Mode: 0o644, Data: data})
			return nil
		})
		if err != nil {
			return nil, 0, err
		}
	}
	key, err := layer.Key("folders", texts)
	if err != nil {
		return nil, 0, err
	}
	l, err := b.layers().Get(key, nil, func() ([]layer.Entry, any, error) { return entries, nil, nil })
	return l, size, err
}
