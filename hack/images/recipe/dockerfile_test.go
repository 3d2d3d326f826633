// SPDX-License-Identifier: Apache-2.0

package recipe

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// stage is one stage of a Dockerfile.
type stage struct {
	from       []string // other stages that it takes from
	packages   []string
	user       string
	entrypoint string
	copied     []string // programs
}

var (
	fromLine = regexp.MustCompile(`^FROM (?:--platform=\S+ )?(\S+) AS (\S+)$`)
	copyFrom = regexp.MustCompile(`^COPY --from=(\S+) (\S+)`)
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
			if m[1] == "build" {
				s.copied = append(s.copied, m[2])
			}
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
	}
	return stages
}

// all packages of a stage and of those that it takes from.
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

func TestTheDockerfileHasTheSameImagesOfTheSamePackages(t *testing.T) {
	t.Parallel()
	stages := readDockerfile(t, "../../../config/images/Dockerfile")
	for _, r := range Images {
		if r.Test {
			continue
		}
		s := stages[r.Name]
		if s == nil {
			t.Errorf("there is no target %s", r.Name)
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
		program := strings.TrimPrefix(r.Program.Package, "./cmd/")
		if s.user != "65532:65532" || s.entrypoint != fmt.Sprintf("[%q]", "/usr/bin/"+program) || !slices.Equal(s.copied, []string{"/out/" + program}) {
			t.Errorf("%s is %+v", r.Name, *s)
		}
	}
}

func TestTheMakefileInstallsWhatTheImagesHave(t *testing.T) {
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
