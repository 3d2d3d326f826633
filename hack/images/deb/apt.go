// SPDX-License-Identifier: Apache-2.0

package deb

import (
	"bytes"
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// Suite is the Debian release of the packages.
const Suite = "bookworm"

// archive is a script that prints the package sources of Debian.
//
//go:embed archive.sh
var archive string

// Package is one binary package of Debian.
type Package struct {
	Name, Version, Architecture string
	// Source is the source package it was built from, and SourceVersion the version of that source package.
	Source, SourceVersion string
	Maintainer, Homepage  string
	// Control is the package's control file as the archive has it.
	Control string
	// SHA256 is the hash of the .deb file, in hex.
	SHA256 string
	// File is the path of the .deb file on this machine.
	File string `json:"-"`
}

// Apt runs apt with its own state.
type Apt struct {
	// Dir is the folder of the index and the packages. Several architectures may share it.
	Dir string
	// Snapshot is the time of the Debian archive to use, as YYYYMMDDTHHMMSSZ; empty means the archive configured in the
	// machine's own apt. Each Snapshot needs its own Dir.
	Snapshot string
	// Since is the earliest acceptable time of the index: an older index or result is fetched again.
	Since time.Time
}

// Packages returns the named packages and all their dependencies, sorted by name. architecture is Debian's name, such
// as amd64 or arm64. Recommended packages are left out.
func (a Apt) Packages(ctx context.Context, architecture string, names ...string) ([]Package, error) {
	return a.get(ctx, architecture, "install", names)
}

// Only returns the named packages without dependencies.
func (a Apt) Only(ctx context.Context, architecture string, names ...string) ([]Package, error) {
	return a.get(ctx, architecture, "download", names)
}

// get returns the packages that an apt command downloads.
func (a Apt) get(ctx context.Context, architecture, command string, names []string) ([]Package, error) {
	names = slices.Compact(slices.Sorted(slices.Values(names)))
	if len(names) == 0 {
		return nil, nil
	}
	known := a.listFile(append([]string{architecture, command}, names...))
	if list, err := a.read(known); err == nil {
		return list, nil
	}
	options, err := a.state(ctx, architecture)
	if err != nil {
		return nil, err
	}
	// apt does not list packages that it has downloaded already, so the list is created in an empty folder. install
	// uses apt's cache folder and download uses the working folder, so both are set.
	in := func(dir string, more ...string) (string, error) {
		args := append(slices.Clone(options), "-o", "Dir::Cache::archives="+dir, command, "-qq")
		return output(ctx, dir, "apt-get", slices.Concat(args, more, names)...)
	}
	out, err := in(a.empty(), "--print-uris")
	if err != nil {
		return nil, err
	}
	if _, err := in(a.archives()); err != nil {
		return nil, err
	}
	list, err := a.inspectAll(ctx, out)
	if err != nil {
		return nil, err
	}
	return list, a.write(known, list)
}

// inspectAll reads the packages in a list of URLs printed by apt.
func (a Apt) inspectAll(ctx context.Context, uris string) ([]Package, error) {
	files := uriFile.FindAllStringSubmatch(uris, -1)
	if len(files) == 0 {
		return nil, errors.New("apt lists no files to download")
	}
	var list []Package
	for _, f := range files {
		p, err := inspect(ctx, filepath.Join(a.archives(), f[1]))
		if err != nil {
			return nil, err
		}
		list = append(list, p)
	}
	slices.SortFunc(list, func(x, y Package) int { return strings.Compare(x.Name, y.Name) })
	return list, nil
}

// uriFile matches a line of --print-uris. Its group is the second word: the file name that apt uses.
var uriFile = regexp.MustCompile(`(?m)^'[^']+' (\S+\.deb) \d+ `)

func (a Apt) archives() string { return filepath.Join(a.Dir, "cache", "archives") }

func (a Apt) empty() string { return filepath.Join(a.Dir, "empty") }

// listFile returns the file that caches the result of a request with these words.
func (a Apt) listFile(words []string) string {
	sum := sha256.Sum256([]byte(Suite + " " + strings.Join(words, " ")))
	return filepath.Join(a.Dir, "lists-resolved", hex.EncodeToString(sum[:8])+".json")
}

// read returns a cached result if it is new enough and all its files exist.
func (a Apt) read(path string) ([]Package, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if info.ModTime().Before(a.Since) {
		return nil, os.ErrNotExist
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var kept []keptPackage
	if err := json.Unmarshal(data, &kept); err != nil {
		return nil, err
	}
	var list []Package
	for _, k := range kept {
		k.Package.File = filepath.Join(a.archives(), k.Base)
		if _, err := os.Stat(k.Package.File); err != nil {
			return nil, err
		}
		list = append(list, k.Package)
	}
	return list, nil
}

type keptPackage struct {
	Package
	Base string
}

func (a Apt) write(path string, list []Package) error {
	var kept []keptPackage
	for _, p := range list {
		kept = append(kept, keptPackage{p, filepath.Base(p.File)})
	}
	data, err := json.MarshalIndent(kept, "", " ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, data, 0o644)
}

// snapshotTime matches a time in the format of snapshot.debian.org.
var snapshotTime = regexp.MustCompile(`^[0-9]{8}T[0-9]{6}Z$`)

// CheckSnapshot returns an error if s is not a time in the format of the Debian snapshot archive.
func CheckSnapshot(s string) error {
	if !snapshotTime.MatchString(s) {
		return fmt.Errorf("%q is not a time such as 20261122T000000Z", s)
	}
	return nil
}

// snapshotSources returns the sources.list of Debian's archive, its updates and its security fixes at a time. Release
// files of that time have expired, so their expiry is not checked. Their signatures are.
func snapshotSources(at string) string {
	var b strings.Builder
	for _, s := range [][2]string{{"debian", Suite}, {"debian", Suite + "-updates"}, {"debian-security", Suite + "-security"}} {
		fmt.Fprintf(&b, "deb [check-valid-until=no signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] "+
			"http://snapshot.debian.org/archive/%s/%s/ %s main\n",
			s[0], at, s[1])
	}
	return b.String()
}

// state creates the folders, writes the sources and fetches the index. It returns the apt options for them.
func (a Apt) state(ctx context.Context, architecture string) (options []string, err error) {
	dir := filepath.Join(a.Dir, architecture)
	for _, d := range []string{dir + "/lists/partial", dir + "/parts", a.archives() + "/partial", a.empty() + "/partial"} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			return nil, err
		}
	}
	sources := snapshotSources(a.Snapshot)
	if a.Snapshot == "" {
		if sources, err = output(ctx, "", "sh", "-c", archive, "archive.sh", Suite); err != nil {
			return nil, err
		}
	}
	for name, content := range map[string]string{"status": "", "sources.list": sources} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644); err != nil {
			return nil, err
		}
	}
	for _, o := range []string{
		"Dir::State=" + dir, "Dir::State::status=" + dir + "/status", "Dir::Cache=" + filepath.Join(a.Dir, "cache"),
		"Dir::Cache::pkgcache=", "Dir::Cache::srcpkgcache=", "Dir::Etc::sourcelist=" + dir + "/sources.list", "Dir::Etc::sourceparts=" + dir + "/parts",
		"APT::Architecture=" + architecture, "APT::Architectures=" + architecture, "Acquire::Languages=none", "Acquire::Retries=3",
		"APT::Sandbox::User=root", "Debug::NoLocking=1", "APT::Install-Recommends=false", "APT::Get::Download-Only=true", "APT::Get::Assume-Yes=true",
	} {
		options = append(options, "-o", o)
	}
	mark := filepath.Join(dir, "updated")
	if info, err := os.Stat(mark); err == nil && !info.ModTime().Before(a.Since) {
		return options, nil
	}
	if _, err := output(ctx, "", "apt-get", append(slices.Clone(options), "-qq", "update")...); err != nil {
		return nil, err
	}
	return options, os.WriteFile(mark, nil, 0o644)
}

func output(ctx context.Context, dir, program string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "LC_ALL=C.UTF-8", "DEBIAN_FRONTEND=noninteractive")
	var out, complaint bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &complaint
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("%s %s: %w\n%s", program, args[len(args)-1], err, complaint.String())
	}
	return out.String(), nil
}

// inspect reads the control file of a .deb.
func inspect(ctx context.Context, file string) (Package, error) {
	control, err := output(ctx, "", "dpkg-deb", "--field", file)
	if err != nil {
		return Package{}, err
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return Package{}, err
	}
	sum := sha256.Sum256(data)
	p := Package{
		Name: field(control, "Package"), Version: field(control, "Version"), Architecture: field(control, "Architecture"),
		Maintainer: field(control, "Maintainer"), Homepage: field(control, "Homepage"),
		Control: control, SHA256: hex.EncodeToString(sum[:]), File: file,
	}
	p.Source, p.SourceVersion = p.Name, p.Version
	if s := strings.Fields(field(control, "Source")); len(s) > 0 {
		p.Source = s[0]
		if len(s) > 1 {
			p.SourceVersion = strings.Trim(s[1], "()")
		}
	}
	return p, nil
}

func field(control, name string) string {
	for line := range strings.Lines(control) {
		if v, ok := strings.CutPrefix(line, name+":"); ok {
			return strings.TrimSpace(v)
		}
	}
	return ""
}
