// SPDX-License-Identifier: Apache-2.0

package recipe

import (
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// stage is one stage of a Dockerfile.
type stage struct {
	from       []string // other stages that it copies from
	packages   []string
	user       string
	entrypoint string
	copied     []string // programs
	links      []string // as "name -> target"
	folders    []string // of the repository
	env, ports []string
	volume     string
}

var (
	fromLine = regexp.MustCompile(`^FROM (?:--platform=\S+ )?(\S+) AS (\S+)$`)
	copyFrom = regexp.MustCompile(`^COPY --from=(\S+) (.+) \S+$`)
	copyOwn  = regexp.MustCompile(`^COPY (config/\S+) ` + Shared + `/(\S+)$`)
	link     = regexp.MustCompile(`^RUN ln -s (\S+) /usr/bin/(\S+)$`)
	install  = regexp.MustCompile(`apt-get install -y --no-install-recommends ([a-z0-9. +-]+?) &&`)
)

func readDockerfile(t *testing.T, file string) map[string]*stage {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	stages := map[string]*stage{}
	var s *stage
	for line := range strings.Lines(regexp.MustCompile(`\\\n\s*`).ReplaceAllString(string(text), "")) {
		line = strings.TrimSpace(line)
		if m := fromLine.FindStringSubmatch(line); m != nil {
			s = &stage{from: []string{m[1]}}
			if base := stages[m[1]]; base != nil {
				s.user = base.user
			}
			stages[m[2]] = s
			continue
		}
		if m := copyFrom.FindStringSubmatch(line); m != nil {
			s.from = append(s.from, m[1])
			if m[1] == "build" || m[1] == "whole" {
				s.copied = append(s.copied, strings.Fields(m[2])...)
			}
		}
		if m := copyOwn.FindStringSubmatch(line); m != nil && m[1] == m[2] {
			s.folders = append(s.folders, m[1])
		}
		if m := link.FindStringSubmatch(line); m != nil {
			s.links = append(s.links, m[2]+" -> "+m[1])
		}
		for _, m := range install.FindAllStringSubmatch(line, -1) {
			s.packages = append(s.packages, strings.Fields(m[1])...)
		}
		if u, ok := strings.CutPrefix(line, "USER "); ok {
			s.user = u
		}
		if e, ok := strings.CutPrefix(line, "ENTRYPOINT "); ok {
			s.entrypoint = e
		}
		if e, ok := strings.CutPrefix(line, "ENV PATH=/usr/bin HOME=/tmp"); ok {
			s.env = strings.Fields(e)
		}
		if e, ok := strings.CutPrefix(line, "EXPOSE "); ok {
			s.ports = strings.Fields(e)
		}
		if v, ok := strings.CutPrefix(line, "VOLUME "); ok {
			s.volume = v
		}
	}
	return stages
}

// all returns the packages of a stage and of the stages that it copies from.
func all(stages map[string]*stage, name string) []string {
	s := stages[name]
	if s == nil {
		return nil
	}
	out := slices.Clone(s.packages)
	for _, from := range s.from {
		out = append(out, all(stages, from)...)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func TestDockerfile_HasTheImagesOfTheRecipe(t *testing.T) {
	t.Parallel()
	stages := readDockerfile(t, "../../../config/images/Dockerfile")
	for _, r := range Images {
		if r.Test {
			continue
		}
		s := stages[r.Name]
		if s == nil {
			t.Errorf("no target %s", r.Name)
			continue
		}
		var want []string
		for _, p := range r.Parts {
			want = append(want, p.Packages...)
		}
		slices.Sort(want)
		if diff := cmp.Diff(slices.Compact(want), all(stages, r.Name)); diff != "" {
			t.Errorf("packages of %s (- recipe, + Dockerfile):\n%s", r.Name, diff)
		}
		if diff := cmp.Diff(target(r), *s, cmp.AllowUnexported(stage{}), cmpopts.EquateEmpty(), cmpopts.IgnoreFields(stage{}, "from", "packages")); diff != "" {
			t.Errorf("target %s (- recipe, + Dockerfile):\n%s", r.Name, diff)
		}
	}
}

// target returns the stage of an image of the recipe.
func target(r Image) stage {
	s := stage{user: "65532:65532", folders: r.Folders, env: r.Env, volume: r.Volume}
	if r.Root {
		s.user = "0:0"
	}
	for _, p := range r.Programs {
		name := path.Base(p.Package)
		s.copied = append(s.copied, "/out/"+name)
		for _, l := range p.Links {
			s.links = append(s.links, l+" -> "+name)
		}
	}
	s.entrypoint = fmt.Sprintf("[%q]", strings.Replace(s.copied[0], "/out/", "/usr/bin/", 1))
	for _, p := range r.Ports {
		s.ports = append(s.ports, strconv.Itoa(p))
	}
	return s
}

// TestDockerfile_BaseImagesAreArguments checks that base images are build arguments, so that a release can pin them.
func TestDockerfile_BaseImagesAreArguments(t *testing.T) {
	t.Parallel()
	stages := readDockerfile(t, "../../../config/images/Dockerfile")
	for name, s := range stages {
		base := s.from[0]
		if stages[base] == nil && base != "scratch" && base != "${GO_IMAGE}" && base != "${DEBIAN_IMAGE}" {
			t.Errorf("stage %s begins with %s", name, base)
		}
	}
	for _, r := range Images {
		if r.Test {
			continue
		}
		if !through(stages, r.Name, "debian") {
			t.Errorf("target %s is built without the check of the stage debian", r.Name)
		}
	}
}

// through reports whether the stage name is other, or copies from it directly or indirectly.
func through(stages map[string]*stage, name, other string) bool {
	s := stages[name]
	return name == other || s != nil && slices.ContainsFunc(s.from, func(f string) bool { return through(stages, f, other) })
}

func TestRelease_IsPinned(t *testing.T) {
	t.Parallel()
	digest := "@sha256:" + strings.Repeat("0a", 32)
	const at = "20261122T000000Z"
	for name, c := range map[string]struct {
		args []string
		says string // empty if accepted
	}{
		"development":              {[]string{"dev", "golang:1", "debian:12", ""}, ""},
		"development, with a time": {[]string{"dev", "golang:1", "debian:12", at}, ""},
		"a release":                {[]string{"v1.2.0", "golang:1" + digest, "debian:12" + digest, at}, ""},
		"no digest of Go":          {[]string{"v1.2.0", "golang:1", "debian:12" + digest, at}, "GO_IMAGE"},
		"no digest of Debian":      {[]string{"v1.2.0", "golang:1" + digest, "debian:12", at}, "DEBIAN_IMAGE"},
		"a short digest":           {[]string{"v1.2.0", "golang:1" + digest, "debian:12@sha256:0a", at}, "DEBIAN_IMAGE"},
		"no time":                  {[]string{"v1.2.0", "golang:1" + digest, "debian:12" + digest, ""}, "SNAPSHOT"},
		"a day without a time":     {[]string{"v1.2.0", "golang:1" + digest, "debian:12" + digest, "20261122"}, "SNAPSHOT"},
		"no time, with a path":     {[]string{"dev", "golang:1", "debian:12", "../20261122T000000Z"}, "SNAPSHOT"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sources := filepath.Join(t.TempDir(), "debian.sources")
			out, err := exec.CommandContext(t.Context(), "sh", append(append([]string{"../../../config/images/pinned.sh"}, c.args...), sources)...).CombinedOutput()
			if (err == nil) != (c.says == "") || !strings.Contains(string(out), c.says) {
				t.Fatalf("%v: got %s", err, out)
			}
			written, _ := os.ReadFile(sources)
			if want := c.says == "" && c.args[3] != ""; strings.Count(string(written), "/"+at+"/\n") != map[bool]int{true: 2}[want] {
				t.Errorf("got the sources of apt %q", written)
			}
		})
	}
}

func TestMakefile_InstallsThePackagesOfTheImages(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../../Makefile")
	if err != nil {
		t.Fatal(err)
	}
	joined := strings.ReplaceAll(string(text), "\\\n", " ")
	m := regexp.MustCompile(`(?m)^PACKAGES\s*:= (.*)$`).FindStringSubmatch(joined)
	if m == nil {
		t.Fatal("the Makefile has no PACKAGES")
	}
	want := map[string]bool{}
	for _, r := range Images {
		for _, p := range r.Parts {
			for _, name := range p.Packages {
				want[name] = true
			}
		}
	}
	for _, name := range strings.Fields(m[1]) {
		if !want[name] {
			t.Errorf("programs need %s, and no image has it", name)
		}
	}
}
