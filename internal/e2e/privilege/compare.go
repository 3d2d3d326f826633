// SPDX-License-Identifier: Apache-2.0

package privilege

import (
	"bytes"
	_ "embed"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"sigs.k8s.io/yaml"
)

// Exception is a grant that a run need not use.
type Exception struct {
	Role, Group, Resource string
	// Verbs that the exception covers.
	Verbs []string
	// Reason for the grant, and Code that needs it: a file in the repository.
	Reason, Code string
}

//go:embed exceptions.yaml
var exceptions []byte

// Exceptions returns the exceptions of exceptions.yaml.
func Exceptions() ([]Exception, error) {
	var out []Exception
	if err := yaml.UnmarshalStrict(exceptions, &out); err != nil {
		return nil, fmt.Errorf("exceptions.yaml: %w", err)
	}
	return out, nil
}

func (e Exception) covers(g Grant) bool {
	return e.Role == g.Role && e.Group == g.Group && e.Resource == g.Resource && slices.Contains(e.Verbs, g.Verb)
}

// roles are the files with a program's roles.
var roles = map[string]string{"manager": "config/rbac/manager/role.yaml", "apiserver": "config/rbac/apiserver/role.yaml"}

// Granted returns the grants of a program, read from the repository's directory.
func Granted(repository, program string) ([]Grant, error) {
	doc, err := os.ReadFile(filepath.Join(repository, roles[program]))
	if err != nil {
		return nil, err
	}
	return Grants(bytes.NewReader(doc))
}

// Unused returns the grants of a program that are neither used in the log nor covered by an exception. A used watch
// also counts as a use of list: clusters that do not stream lists, such as Kubernetes before 1.35 or behind some
// proxies, need both.
func Unused(program string, grants []Grant, log *Log, except []Exception) (out []Grant) {
	uses := log.Uses()
	for _, g := range grants {
		used := slices.ContainsFunc(uses, func(u Use) bool {
			return u.Program == program && (g.covers(u) || g.Verb == "list" && u.Verb == "watch" && g.of("watch").covers(u))
		})
		if !used && !slices.ContainsFunc(except, func(e Exception) bool { return e.covers(g) }) {
			out = append(out, g)
		}
	}
	return out
}

// Judge compares grants and uses, and returns a line for each problem. Unused grants are reported only for a whole run.
func Judge(repository string, log *Log, whole bool) ([]string, error) {
	var out []string
	granted := map[string][]Grant{}
	var all []Grant
	for program := range roles {
		grants, err := Granted(repository, program)
		if err != nil {
			return nil, err
		}
		granted[program], all = grants, append(all, grants...)
	}
	for _, d := range log.Denied(all) {
		out = append(out, "denied: "+d)
	}
	slices.Sort(out)
	out = slices.Compact(out)
	except, err := Exceptions()
	if err != nil || !whole {
		return out, err
	}
	for _, program := range []string{"manager", "apiserver"} {
		for _, g := range Unused(program, granted[program], log, except) {
			out = append(out, "granted and not used: "+g.String()+" (take it out of the +kubebuilder:rbac markers, or argue it in internal/e2e/privilege/exceptions.yaml)")
		}
	}
	return out, nil
}
