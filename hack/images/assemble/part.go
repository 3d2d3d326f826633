// SPDX-License-Identifier: Apache-2.0

package assemble

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/reelops/reelops/hack/images/deb"
	"github.com/reelops/reelops/hack/images/layer"
	"github.com/reelops/reelops/hack/images/recipe"
)

// contents describes a layer, apart from its bytes.
type contents struct {
	Packages []Content
	Bytes    int64
}

// part builds a layer of Debian files.
func (b *Builder) part(ctx context.Context, p recipe.Part, out *Image) (*layer.Layer, contents, error) {
	outside := map[string]string{} // path in the image to file on this machine
	var from []deb.Package
	if b.Small != "" && len(p.Small) > 0 && out.Arch == runtime.GOARCH {
		var err error
		if from, err = b.Debian.Only(ctx, out.Arch, p.SmallFrom...); err != nil {
			return nil, contents{}, err
		}
		if err := builtFrom(filepath.Join(b.Small, "ffprobe"), from); err != nil {
			return nil, contents{}, err
		}
		p.Packages, p.Programs = p.SmallPackages, nil
		for _, name := range p.Small {
			outside["/usr/bin/"+name] = filepath.Join(b.Small, name)
		}
	}
	sums := []string{}
	for _, at := range slices.Sorted(maps.Keys(outside)) {
		sum, err := hashFile(outside[at])
		if err != nil {
			return nil, contents{}, err
		}
		sums = append(sums, at, sum)
	}
	if p.Linked {
		sum, err := hashFile(out.Programs[0])
		if err != nil {
			return nil, contents{}, err
		}
		sums = append(sums, sum)
	}
	packages, err := b.Debian.Packages(ctx, out.Arch, p.Packages...)
	if err != nil {
		return nil, contents{}, err
	}
	for _, d := range slices.Concat(packages, from) {
		sums = append(sums, d.SHA256)
	}
	key, err := layer.Key("part", p, out.Arch, sums)
	if err != nil {
		return nil, contents{}, err
	}
	var c contents
	l, err := b.layers().Get(key, &c, func() ([]layer.Entry, any, error) {
		b.Report("%s: unpacking %d packages for %s", out.Recipe.Name, len(packages), p.Name)
		dir, err := os.MkdirTemp(b.Cache, "unpack-")
		if err != nil {
			return nil, nil, err
		}
		// The files are read when the layer is written. They are deleted with the builder's other temporary files.
		b.temporary = append(b.temporary, dir)
		tree, err := deb.Unpack(ctx, packages, out.Arch, dir)
		if err != nil {
			return nil, nil, err
		}
		if p.Linked {
			outside[""] = out.Programs[0]
		}
		origins, err := deb.Unpack(ctx, from, out.Arch, filepath.Join(dir, "from"))
		if err != nil {
			return nil, nil, err
		}
		return choose(tree, origins, p, outside)
	})
	return l, c, err
}

// builtFrom checks that a small program reports the version of the Debian package that represents it in the SBOM. A
// scanner that reads a newer version there would miss vulnerabilities.
func builtFrom(program string, from []deb.Package) error {
	data, err := os.ReadFile(program)
	if err != nil {
		return err
	}
	for _, p := range from {
		version := p.Version[strings.Index(p.Version, ":")+1:]
		if p.Name == "ffmpeg" && !bytes.Contains(data, []byte(version)) {
			return fmt.Errorf("%s was not built from Debian's ffmpeg %s: rebuild it with hack/ffmpeg/build.sh", program, version)
		}
	}
	return nil
}

// choose returns the entries of a part's layer and their description.
func choose(tree, origins *deb.Tree, p recipe.Part, outside map[string]string) ([]layer.Entry, *contents, error) {
	chosen, err := tree.Glob(p.Files...)
	if err != nil {
		return nil, nil, err
	}
	chosen = slices.DeleteFunc(chosen, func(f *deb.File) bool {
		return slices.ContainsFunc(p.Except, func(pattern string) bool {
			ok, err := path.Match(pattern, path.Base(f.Path))
			return ok && err == nil || strings.HasSuffix(pattern, "/") && strings.HasPrefix(f.Path, pattern)
		})
	})
	programs, err := tree.Glob(p.Programs...)
	if err != nil {
		return nil, nil, err
	}
	libraries, err := tree.Needed(programs, p.Libraries, slices.Sorted(maps.Values(outside))...)
	if err != nil {
		return nil, nil, err
	}
	for _, f := range append(programs, chosen...) {
		chain, err := tree.Follow(f)
		if err != nil {
			return nil, nil, err
		}
		libraries = append(libraries, chain...)
	}
	c := &contents{}
	var entries []layer.Entry
	seen := map[string]bool{}
	files := map[string][]string{}
	take := func(f *deb.File) {
		if seen[f.Path] {
			return
		}
		seen[f.Path] = true
		files[f.Package] = append(files[f.Package], f.Path)
		e := layer.Entry{Path: f.Path, Mode: f.Mode, Link: f.Link}
		if f.Link == "" {
			e.Open = f.Open
			c.Bytes += f.Size
		}
		entries = append(entries, e)
	}
	for _, f := range libraries {
		take(f)
	}
	if p.Certificates {
		e, err := certificates(tree)
		if err != nil {
			return nil, nil, err
		}
		entries = append(entries, e)
		files["ca-certificates"] = append(files["ca-certificates"], e.Path)
	}
	for at, file := range outside {
		if at == "" {
			continue
		}
		info, err := os.Stat(file)
		if err != nil {
			return nil, nil, err
		}
		c.Bytes += info.Size()
		entries = append(entries, layer.Entry{Path: at, Mode: 0o755, Open: opener(file)})
	}
	if slices.ContainsFunc(entries, func(e layer.Entry) bool { return strings.HasPrefix(e.Path, "/usr/lib") }) {
		entries = append(entries, layer.Entry{Path: "/lib", Link: "usr/lib"}, layer.Entry{Path: "/lib64", Link: "usr/lib64"})
	}
	for _, t := range []*deb.Tree{tree, origins} {
		for _, d := range t.Packages {
			if t == tree && len(files[d.Name]) == 0 || slices.ContainsFunc(c.Packages, func(p Content) bool { return p.Name == d.Name }) {
				continue
			}
			licence := t.Copyright(d.Name)
			if licence == nil {
				return nil, nil, fmt.Errorf("%s has no copyright file", d.Name)
			}
			c.Packages = append(c.Packages, Content{Package: d, Files: slices.Sorted(slices.Values(files[d.Name])), Copyright: licence.Path, BuiltIn: t == origins})
			entries = append(entries, statusEntry(d))
			if !seen[licence.Path] {
				seen[licence.Path] = true
				entries = append(entries, layer.Entry{Path: licence.Path, Mode: 0o644, Open: licence.Open})
			}
		}
	}
	return entries, c, nil
}

// statusEntry returns the dpkg status file that lets scanners find a package in an image without a package manager.
func statusEntry(p deb.Package) layer.Entry {
	control := strings.TrimRight(p.Control, "\n") + "\nStatus: install ok installed\n"
	return layer.Entry{Path: "/var/lib/dpkg/status.d/" + p.Name, Mode: 0o644, Data: []byte(control)}
}

// certificates returns one file with all certificate authorities, as the installed package would create it.
func certificates(tree *deb.Tree) (layer.Entry, error) {
	all, err := tree.Glob("/usr/share/ca-certificates/mozilla/*.crt")
	if err != nil {
		return layer.Entry{}, err
	}
	var bundle bytes.Buffer
	for _, f := range all {
		data, err := read(f)
		if err != nil {
			return layer.Entry{}, err
		}
		bundle.Write(bytes.TrimSpace(data))
		bundle.WriteByte('\n')
	}
	return layer.Entry{Path: "/etc/ssl/certs/ca-certificates.crt", Mode: 0o644, Data: bundle.Bytes()}, nil
}

func read(f *deb.File) ([]byte, error) {
	in, err := f.Open()
	if err != nil {
		return nil, err
	}
	data, err := io.ReadAll(in)
	return data, errors.Join(err, in.Close())
}

func opener(file string) func() (io.ReadCloser, error) {
	return func() (io.ReadCloser, error) { return os.Open(file) }
}

func hashFile(name string) (string, error) {
	in, err := os.Open(name)
	if err != nil {
		return "", err
	}
	defer func() { _ = in.Close() }()
	h := sha256.New()
	if _, err := io.Copy(h, in); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}
