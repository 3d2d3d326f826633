// SPDX-License-Identifier: Apache-2.0

// Command images builds the project's container images without a container engine.
package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	spdxjson "github.com/spdx/tools-golang/json"

	"github.com/reelops/reelops/hack/images/archive"
	"github.com/reelops/reelops/hack/images/assemble"
	"github.com/reelops/reelops/hack/images/deb"
	"github.com/reelops/reelops/hack/images/recipe"
	"github.com/reelops/reelops/hack/images/sbom"
)

// fresh is how long the index of Debian's archive is used without fetching it again.
const fresh = 24 * time.Hour

type options struct {
	root, out, cache, name, tag, only, small, push, snapshot string
	archs                                                    []string
	test, refresh                                            bool
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	o, err := parse(os.Args[1:])
	if err == nil {
		err = run(ctx, o)
	}
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "images:", err)
		os.Exit(1)
	}
}

func parse(args []string) (*options, error) {
	o := &options{}
	f := flag.NewFlagSet("images", flag.ContinueOnError)
	f.StringVar(&o.root, "root", ".", "root of the repository")
	f.StringVar(&o.out, "out", "bin/images", "folder for the archives")
	f.StringVar(&o.cache, "cache", "", "cache folder for downloads and builds (default: .cache in the folder of the archives)")
	f.StringVar(&o.name, "name", "reelops.dev", "prefix of the names of images")
	f.StringVar(&o.tag, "tag", "", "tag of the images and version of the programs (default: the commit's version tag, or dev)")
	f.StringVar(&o.only, "only", "", "comma-separated names of images; default: all")
	f.StringVar(&o.small, "ffmpeg", "auto", "folder with ffmpeg and ffprobe that replace Debian's; auto: bin/ffmpeg-small if it exists; none: Debian's")
	f.StringVar(&o.push, "push", "", "registry and path to push the images to, such as registry.example/reelops, with the credentials of docker login")
	f.StringVar(&o.snapshot, "snapshot", "", "snapshot time of Debian's archive for the packages, as YYYYMMDDTHHMMSSZ, "+
		"which https://snapshot.debian.org/ has; required for releases")
	archs := f.String("arch", "amd64", "comma-separated architectures (amd64, arm64)")
	f.BoolVar(&o.test, "test", false, "build the additional images that tests need")
	f.BoolVar(&o.refresh, "refresh", false, "check Debian's archive for newer packages")
	if err := f.Parse(args); err != nil {
		return nil, err
	}
	o.archs = strings.Split(*archs, ",")
	if o.cache == "" {
		o.cache = filepath.Join(o.out, ".cache")
	}
	// Apt interprets relative paths relative to its own folder.
	for _, p := range []*string{&o.root, &o.out, &o.cache} {
		full, err := filepath.Abs(*p)
		if err != nil {
			return nil, err
		}
		*p = full
	}
	return o, nil
}

func run(ctx context.Context, o *options) (err error) {
	images, err := wanted(o)
	if err != nil {
		return err
	}
	b, err := builder(ctx, o)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.Close()) }()
	unlock, err := lock(o.cache)
	if err != nil {
		return err
	}
	defer unlock()
	var all []*made
	for _, r := range images {
		for _, arch := range o.archs {
			m, err := one(ctx, o, b, r, arch)
			if err != nil {
				return fmt.Errorf("%s for %s: %w", r.Name, arch, err)
			}
			all = append(all, m)
			// Write the digests after each image, so that the file is correct even if a later image fails.
			if err := writeDigests(o, all); err != nil {
				return err
			}
		}
	}
	if o.push != "" {
		return push(ctx, o.push, all)
	}
	return nil
}

// wanted returns the recipes of the requested images.
func wanted(o *options) ([]recipe.Image, error) {
	names := strings.Split(o.only, ",")
	var out []recipe.Image
	for _, r := range recipe.Images {
		if r.Test == o.test && (o.only == "" || slices.Contains(names, r.Name)) {
			out = append(out, r)
		}
	}
	if o.only != "" && len(out) != len(names) {
		return nil, fmt.Errorf("unknown image name in %q (images for tests require -test)", o.only)
	}
	return out, nil
}

// lock waits for other processes that build with the same folder.
func lock(cache string) (unlock func(), err error) {
	if err := os.MkdirAll(cache, 0o755); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(filepath.Join(cache, "lock"), os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return func() { _ = f.Close() }, nil
}

// made is an image in the output folder, with its SBOM and digest.
type made struct {
	*assemble.Image
	// name is the image name without the common prefix; reference is the full name with the tag.
	name, tag, reference string
	digest               v1.Hash
	bill                 []byte
}

// one builds an image and writes its archive and its SBOM.
func one(ctx context.Context, o *options, b *assemble.Builder, r recipe.Image, arch string) (*made, error) {
	image, err := b.Build(ctx, r, arch)
	if err != nil {
		return nil, err
	}
	m := &made{Image: image, name: r.Name, tag: b.Version}
	if r.Test {
		m.name = "test/" + r.Name
	}
	m.reference = o.name + "/" + m.name + ":" + m.tag
	file := filepath.Join(o.out, m.name)
	if arch != o.archs[0] {
		file += "-" + arch
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return nil, err
	}
	if err := archive.Write(file+".tar", m.reference, image); err != nil {
		return nil, err
	}
	document, err := sbom.Of(image, m.reference, b.Time)
	if err != nil {
		return nil, err
	}
	var bill bytes.Buffer
	if err := spdxjson.Write(document, &bill, spdxjson.Indent(" ")); err != nil {
		return nil, err
	}
	m.bill = bill.Bytes()
	if err := os.WriteFile(file+".spdx.json", m.bill, 0o644); err != nil {
		return nil, err
	}
	if m.digest, err = image.Digest(); err != nil {
		return nil, err
	}
	info, err := os.Stat(file + ".tar")
	if err != nil {
		return nil, err
	}
	fmt.Printf("%-28s %-5s %6.1f MB packed %6.1f MB unpacked %4d packages %4d modules  %s\n", m.reference, arch,
		float64(info.Size())/1e6, float64(image.Unpacked)/1e6, len(image.Packages), len(image.Modules), m.digest)
	return m, nil
}

// writeDigests writes digests.txt. It keeps the digests of images that this run did not build.
func writeDigests(o *options, all []*made) error {
	path := filepath.Join(o.out, "digests.txt")
	lines := map[string]string{}
	if b, err := os.ReadFile(path); err == nil {
		for line := range strings.Lines(string(b)) {
			if f := strings.Fields(line); len(f) == 3 {
				lines[f[0]+" "+f[1]] = f[2]
			}
		}
	}
	for _, m := range all {
		lines[m.reference+" "+m.Arch] = m.digest.String()
	}
	var out strings.Builder
	for _, k := range slices.Sorted(maps.Keys(lines)) {
		fmt.Fprintln(&out, k, lines[k])
	}
	return os.WriteFile(path, []byte(out.String()), 0o644)
}

func builder(ctx context.Context, o *options) (*assemble.Builder, error) {
	revision, seconds, tag := "unknown", int64(0), "dev"
	if out, err := git(ctx, o.root, "log", "-1", "--format=%H %ct"); err == nil {
		if _, err := fmt.Sscan(out, &revision, &seconds); err != nil {
			return nil, err
		}
	}
	if out, err := git(ctx, o.root, "describe", "--tags", "--exact-match", "--dirty", "--match", "v*"); err == nil && !strings.HasSuffix(out, "-dirty") {
		tag = out
	}
	if s := os.Getenv("SOURCE_DATE_EPOCH"); s != "" {
		n, err := strconv.ParseInt(s, 10, 64)
		if err != nil {
			return nil, fmt.Errorf("parsing SOURCE_DATE_EPOCH: %w", err)
		}
		seconds = n
	}
	if o.tag != "" {
		tag = o.tag
	}
	if err := checkRelease(tag, o.snapshot); err != nil {
		return nil, err
	}
	small := o.small
	switch small {
	case "none":
		small = ""
	case "auto":
		small = filepath.Join(o.root, "bin", "ffmpeg-small")
		if _, err := os.Stat(filepath.Join(small, ".built-from")); err != nil {
			small = ""
		}
	}
	since := time.Now()
	if !o.refresh {
		since = since.Add(-fresh)
	}
	return &assemble.Builder{
		Root: o.root, Cache: o.cache, Small: small, Version: tag, Revision: revision, Time: time.Unix(seconds, 0),
		Debian: debian(o, since),
		Report: func(format string, args ...any) { fmt.Fprintf(os.Stderr, format+"\n", args...) },
	}, nil
}

// release matches the tag of a release.
var release = regexp.MustCompile(`^v[0-9]`)

// checkRelease rejects a release without a snapshot: its packages would be those of the build day, so it could not be
// reproduced.
func checkRelease(tag, snapshot string) error {
	if snapshot != "" {
		if err := deb.CheckSnapshot(snapshot); err != nil {
			return fmt.Errorf("-snapshot: %w", err)
		}
		return nil
	}
	if release.MatchString(tag) {
		return fmt.Errorf("%s is a release and requires -snapshot (make: SNAPSHOT=), a time of Debian's archive such as 20261122T000000Z", tag)
	}
	return nil
}

// debian returns the source of packages. A snapshot never changes, so its indexes are read once.
func debian(o *options, since time.Time) deb.Apt {
	if o.snapshot == "" {
		return deb.Apt{Dir: filepath.Join(o.cache, "debian"), Since: since}
	}
	return deb.Apt{Dir: filepath.Join(o.cache, "debian-"+o.snapshot), Snapshot: o.snapshot}
}

func git(ctx context.Context, root string, args ...string) (string, error) {
	out, err := exec.CommandContext(ctx, "git", append([]string{"-C", root}, args...)...).Output()
	return strings.TrimSpace(string(out)), err
}
