// SPDX-License-Identifier: Apache-2.0

package privilege

import (
	"errors"
	"fmt"
	"io"
	"slices"

	rbacv1 "k8s.io/api/rbac/v1"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
)

// Grant is one verb on one resource.
type Grant struct {
	// Role that contains the grant. Namespace is that of a Role, and empty for a ClusterRole.
	Role, Namespace string
	// Resource includes the subresource, as in posts/status.
	Group, Resource, Verb string
	// Name of the one object that the grant covers; empty for all.
	Name string
}

func (g Grant) String() string {
	out := fmt.Sprintf("%s: %s %s", g.Role, g.Verb, g.Resource)
	if g.Group != "" {
		out += "." + g.Group
	}
	if g.Name != "" {
		out += " " + g.Name
	}
	if g.Namespace != "" {
		out += " in " + g.Namespace
	}
	return out
}

// covers reports whether the grant allows the request.
func (g Grant) covers(u Use) bool {
	return g.Verb == u.Verb && g.Resource == u.Resource && g.Group == u.Group && (g.Namespace == "" || g.Namespace == u.Namespace) &&
		(g.Name == "" || g.Name == u.Name)
}

// of returns the grant with another verb.
func (g Grant) of(verb string) Grant {
	g.Verb = verb
	return g
}

// Grants returns the grants of the roles in a file of YAML documents. Wildcards are an error, because their use cannot
// be checked.
func Grants(file io.Reader) ([]Grant, error) {
	var out []Grant
	for docs := utilyaml.NewYAMLOrJSONDecoder(file, 4096); ; {
		role := &rbacv1.ClusterRole{} // a Role has the same fields
		if err := docs.Decode(role); errors.Is(err, io.EOF) {
			return out, nil
		} else if err != nil {
			return nil, err
		}
		for _, r := range role.Rules {
			names := r.ResourceNames
			if len(names) == 0 {
				names = []string{""}
			}
			for _, group := range r.APIGroups {
				for _, resource := range r.Resources {
					for _, verb := range r.Verbs {
						if slices.Contains([]string{group, resource, verb}, "*") {
							return nil, fmt.Errorf("%s has a wildcard", role.Name)
						}
						for _, name := range names {
							out = append(out, Grant{Role: role.Name, Namespace: role.Namespace, Group: group, Resource: resource, Verb: verb, Name: name})
						}
					}
				}
			}
		}
	}
}

// Doubled returns the namespaced grants that the same role name also has cluster-wide.
func Doubled(grants []Grant) (out []Grant) {
	for _, g := range grants {
		wide := g
		wide.Namespace, wide.Name = "", ""
		if g != wide && slices.Contains(grants, wide) {
			out = append(out, g)
		}
	}
	return out
}
