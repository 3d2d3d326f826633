// SPDX-License-Identifier: Apache-2.0

package deb

import (
	"archive/tar"
	"bytes"
	"context"
	"debug/elf"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// File is one entry of a package.
type File struct {
	// Path is absolute and slash separated. /lib, /bin, /sbin and /lib64 are under /usr, as in Debian since bookworm.
	Path    string
	Mode    fs.FileMode // permissions only
	Link    string      // target of a symbolic link as written, or empty
	Package string
	Size    int64

	unpacked string // regular file with the content, or empty for a link
	object   *object
}

// Open reads a regular file.
func (f *File) Open() (io.ReadCloser, error) { return os.Open(f.unpacked) }

// Tree holds the unpacked files of packages by path. It has no directories.
type Tree struct {
	Packages []Package

	files    map[string]*File
	bySoname map[string][]*File // by base name
	libDir   string             // of the architecture, such as /usr/lib/x86_64-linux-gnu
}

// Unpack unpacks packages into a folder. The caller removes the folder when the tree is no longer used.
func Unpack(ctx context.Context, packages []Package, architecture, dir string) (*Tree, error) {
	t := &Tree{Packages: packages, files: map[string]*File{}, bySoname: map[string][]*File{}, libDir: "/usr/lib/" + Triplet(architecture)}
	for i, p := range packages {
		if err := t.add(ctx, p, filepath.Join(dir, fmt.Sprint(i))); err != nil {
			return nil, fmt.Errorf("unpacking %s: %w", p.File, err)
		}
	}
	return t, nil
}

// Triplet returns the name of the folder of an architecture's libraries.
func Triplet(architecture string) string {
	if architecture == "arm64" {
		return "aarch64-linux-gnu"
	}
	return "x86_64-linux-gnu"
}

func (t *Tree) add(ctx context.Context, p Package, dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, "dpkg-deb", "--fsys-tarfile", p.File)
	var complaint bytes.Buffer
	cmd.Stderr = &complaint
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	err = t.readTar(tar.NewReader(out), p.Name, dir)
	_, _ = io.Copy(io.Discard, out)
	if waited := cmd.Wait(); waited != nil {
		err = errors.Join(err, waited, errors.New(complaint.String()))
	}
	return err
}

func (t *Tree) readTar(r *tar.Reader, name, dir string) error {
	for n := 0; ; n++ {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		f := &File{Path: merged(path.Clean("/" + h.Name)), Mode: fs.FileMode(h.Mode).Perm(), Package: name}
		switch h.Typeflag {
		case tar.TypeReg:
			f.Size = h.Size
			f.unpacked = filepath.Join(dir, fmt.Sprint(n))
			if err := write(f.unpacked, r); err != nil {
				return err
			}
			if f.object, err = readObject(f.unpacked); err != nil {
				return fmt.Errorf("%s: %w", f.Path, err)
			}
		case tar.TypeSymlink:
			f.Link = h.Linkname
		case tar.TypeLink:
			target := t.files[merged(path.Clean("/"+h.Linkname))]
			if target == nil {
				return fmt.Errorf("%s is a hard link to %s, which does not exist", f.Path, h.Linkname)
			}
			f.unpacked, f.object, f.Link, f.Size = target.unpacked, target.object, target.Link, target.Size
		default:
			continue
		}
		t.files[f.Path] = f
		base := path.Base(f.Path)
		t.bySoname[base] = append(t.bySoname[base], f)
	}
}

func write(name string, r io.Reader) error {
	out, err := os.Create(name)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, r)
	return errors.Join(err, out.Close())
}

// merged returns a path with the folders that Debian has merged into /usr below /usr.
func merged(p string) string {
	for _, d := range []string{"/lib/", "/lib64/", "/bin/", "/sbin/"} {
		if strings.HasPrefix(p, d) {
			return "/usr" + p
		}
	}
	return p
}

// Glob returns the files whose paths match one of the patterns, sorted. A pattern that ends in "/" matches all files
// below it; other patterns follow path.Match. $LIB is the library folder of the architecture. A pattern without a match
// is an error, because the package has changed.
func (t *Tree) Glob(patterns ...string) ([]*File, error) {
	var out []*File
	for _, pattern := range patterns {
		pattern = strings.Replace(pattern, "$LIB", t.libDir, 1)
		found := false
		for _, f := range t.files {
			ok := strings.HasSuffix(pattern, "/") && strings.HasPrefix(f.Path, pattern)
			if !ok {
				var err error
				if ok, err = path.Match(pattern, f.Path); err != nil {
					return nil, err
				}
			}
			if ok {
				found = true
				out = append(out, f)
			}
		}
		if !found {
			return nil, fmt.Errorf("no package has a file %s", pattern)
		}
	}
	return sorted(out), nil
}

func sorted(files []*File) []*File {
	slices.SortFunc(files, func(a, b *File) int { return strings.Compare(a.Path, b.Path) })
	return slices.Compact(files)
}

// Follow returns a file and the files that its symbolic links lead to.
func (t *Tree) Follow(f *File) ([]*File, error) {
	out := []*File{f}
	for n := 0; f.Link != ""; n++ {
		to := f.Link
		if !path.IsAbs(to) {
			to = path.Join(path.Dir(f.Path), to)
		}
		next := t.files[merged(path.Clean(to))]
		if next == nil || n > 8 {
			return nil, fmt.Errorf("%s of %s is a link to %s, which no package has", f.Path, f.Package, to)
		}
		f = next
		out = append(out, f)
	}
	return out, nil
}

// Copyright returns the licence file of a package, or nil. Packages of one source often share one.
func (t *Tree) Copyright(name string) *File {
	f := t.files["/usr/share/doc/"+name+"/copyright"]
	if f == nil {
		// The whole folder may be a link to the folder of another package.
		if dir := t.files["/usr/share/doc/"+name]; dir != nil && dir.Link != "" {
			f = t.files[path.Join("/usr/share/doc", path.Base(dir.Link), "copyright")]
		}
	}
	if f == nil {
		return nil
	}
	chain, err := t.Follow(f)
	if err != nil {
		return nil
	}
	return chain[len(chain)-1]
}

// object holds the run-time dependencies of an ELF file.
type object struct {
	needed      []string
	runpath     []string
	interpreter string
}

// readObject returns nil if the file is not an ELF program or shared library.
func readObject(name string) (*object, error) {
	in, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = in.Close() }()
	magic := make([]byte, 4)
	if n, _ := io.ReadFull(in, magic); n < 4 || string(magic) != elf.ELFMAG {
		return nil, nil
	}
	e, err := elf.NewFile(in)
	if err != nil {
		return nil, err
	}
	o := &object{}
	if e.Type != elf.ET_EXEC && e.Type != elf.ET_DYN {
		return nil, nil
	}
	if o.needed, err = e.ImportedLibraries(); err != nil {
		return nil, err
	}
	for _, tag := range []elf.DynTag{elf.DT_RPATH, elf.DT_RUNPATH} {
		values, _ := e.DynString(tag)
		for _, v := range values {
			o.runpath = append(o.runpath, strings.Split(v, ":")...)
		}
	}
	for _, p := range e.Progs {
		if p.Type == elf.PT_INTERP {
			b, err := io.ReadAll(p.Open())
			if err != nil {
				return nil, err
			}
			o.interpreter = strings.TrimRight(string(b), "\x00")
		}
	}
	return o, nil
}
