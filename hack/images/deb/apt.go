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

// Suite is the Debian release that packages are taken from.
const Suite = "bookworm"

// archive says where Debian's packages come from.
//
//go:embed archive.sh
var archive string

// Package is one binary package of Debian.
type Package struct {
	Name, Version, Architecture string
	// Source is the package it was built from, and SourceVersion that package's version.
	Source, SourceVersion string
	Maintainer, Homepage  string
	// Control is the package's control file as the archive has it.
	Control string
	// SHA256 of the .deb file, in hex.
	SHA256 string
	// File is the .deb on this machine.
	File string `json:"-"`
}

// Apt is an apt with a state of its own.
type Apt struct {
	// Dir is where it keeps index and packages. Several architectures may share it.
	Dir string
	// Snapshot is the time of Debian's archive that packages are taken from, as YYYYMMDDTHHMMSSZ; empty for the archive that the
	// machine's own apt knows. Each Snapshot needs a Dir of its own.
	Snapshot string
	// Since is when the archive has to have been asked at the earliest: what is known from before is asked again.
	Since time.Time
}

// Packages gives the packages of those names and all that they depend on, by name. Architecture is Debian's word for it:
// amd64, arm64. Recommended packages are left out.
func (a Apt) Packages(ctx context.Context, architecture string, names ...string) ([]Package, error) {
	return a.get(ctx, architecture, "install", names)
}

// Only gives the packages of those names alone.
func (a Apt) Only(ctx context.Context, architecture string, names ...string) ([]Package, error) {
	return a.get(ctx, architecture, "download", names)
}

// get gives the packages that a command of apt downloads.
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
	// What was downloaded before is not fetched again, but neither is it listed: so the list is made where there is nothing. Of the two commands
	// install looks into apt's cache and download into the folder that it runs in.
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

// inspectAll reads the packages of a list of addresses that apt has printed.
func (a Apt) inspectAll(ctx context.Context, uris string) ([]Package, error) {
	files := uriFile.FindAllStringSubmatch(uris, -1)
	if len(files) == 0 {
		return nil, errors.New("apt knows nothing to download")
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

// uriFile is the second word of a line of --print-uris: the name of the file that apt keeps.
var uriFile = regexp.MustCompile(`(?m)^'[^']+' (\S+\.deb) \d+ `)

func (a Apt) archives() string { return filepath.Join(a.Dir, "cache", "archives") }

func (a Apt) empty() string { return filepath.Join(a.Dir, "empty") }

// listFile is where it is kept what was asked for in these words.
func (a Apt) listFile(words []string) string {
	sum := sha256.Sum256([]byte(Suite + " " + strings.Join(words, " ")))
	return filepath.Join(a.Dir, "lists-resolved", hex.EncodeToString(sum[:8])+".json")
}

// read gives what was resolved before, when it is new enough and all its files are there.
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

// snapshotTime is a time as snapshot.debian.org names it.
var snapshotTime = regexp.MustCompile(`^[0-9]{8}T[0-9]{6}Z$`)

// CheckSnapshot returns an error for what is no time of Debian's archive.
func CheckSnapshot(s string) error {
	if !snapshotTime.MatchString(s) {
		return fmt.Errorf("%q is no time such as 20261122T000000Z", s)
	}
	return nil
}

// snapshotSources is the sources.list of Debian's archive, its updates and security fixes, at a time. Release files of that time have expired;
// their signatures are checked as ever.
func snapshotSources(at string) string {
	var b strings.Builder
	for _, s := range [][2]string{{"debian", Suite}, {"debian", Suite + "-updates"}, {"debian-security", Suite + "-security"}} {
		fmt.Fprintf(&b, "deb [check-valid-until=no signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] "+
			"http://snapshot.debian.org/archive/%s/%s/ %s main\n",
			s[0], at, s[1])
	}
	return b.String()
}

// state makes the folders, writes the sources and fetches the index, and gives the options by which apt knows of them.
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
