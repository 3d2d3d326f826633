// SPDX-License-Identifier: Apache-2.0

package privilege

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const repository = "../../.."

// line returns a line of an audit log.
func line(user, agent, verb, group, resource, subresource, namespace, name string, code int) string {
	return fmt.Sprintf(`{"stage":"ResponseComplete","verb":%q,"requestURI":"/x","userAgent":"%s/v0 (linux/amd64)","user":{"username":"system:serviceaccount:reelops-system:%s"},`+
		`"objectRef":{"apiGroup":%q,"resource":%q,"subresource":%q,"namespace":%q,"name":%q},"responseStatus":{"code":%d,"message":"said"}}`+"\n",
		verb, agent, user, group, resource, subresource, namespace, name, code)
}

func logOf(t *testing.T, lines ...string) *Log {
	t.Helper()
	l := &Log{}
	if err := l.Read(strings.NewReader(strings.Join(lines, ""))); err != nil {
		t.Fatal(err)
	}
	return l
}

const rolesOfTest = `
kind: ClusterRole
metadata: {name: reelops-manager}
rules:
- {apiGroups: [reelops.dev], resources: [posts, posts/status], verbs: [patch]}
- {apiGroups: [""], resources: [secrets], resourceNames: [one, two], verbs: [get]}
---
kind: Role
metadata: {name: reelops-manager, namespace: reelops-system}
rules:
- {apiGroups: [""], resources: [configmaps], verbs: [get]}
- {apiGroups: [reelops.dev], resources: [posts], verbs: [patch]}
`

func TestUnused(t *testing.T) {
	grants, err := Grants(strings.NewReader(rolesOfTest))
	if err != nil {
		t.Fatal(err)
	}
	all := []string{
		line("reelops-manager", "manager", "patch", "reelops.dev", "posts", "", "demo", "p", 200),
		line("reelops-manager", "manager", "patch", "reelops.dev", "posts", "", "reelops-system", "p", 200),
		line("reelops-manager", "manager", "patch", "reelops.dev", "posts", "status", "demo", "p", 409),
		line("reelops-manager", "manager", "get", "", "secrets", "", "demo", "one", 404),
		line("reelops-manager", "manager", "get", "", "secrets", "", "demo", "two", 200),
		line("reelops-manager", "manager", "get", "", "configmaps", "", "reelops-system", "ids", 200),
	}
	for name, c := range map[string]struct {
		lines  []string
		except []Exception
		want   []string
	}{
		"reports nothing if all grants are used":              {lines: all},
		"distinguishes a subresource from its resource":       {lines: slices.Delete(slices.Clone(all), 2, 3), want: []string{"reelops-manager: patch posts/status.reelops.dev"}},
		"distinguishes objects by name":                       {lines: all[:4], want: []string{"reelops-manager: get secrets two", "reelops-manager: get configmaps in reelops-system"}},
		"distinguishes namespaces":                            {lines: append(slices.Clone(all[:5]), line("reelops-manager", "manager", "get", "", "configmaps", "", "demo", "ids", 200)), want: []string{"reelops-manager: get configmaps in reelops-system"}},
		"ignores another client with the name of the program": {lines: append(slices.Clone(all[:5]), line("reelops-manager", "kubectl", "get", "", "configmaps", "", "reelops-system", "ids", 200)), want: []string{"reelops-manager: get configmaps in reelops-system"}},
		"ignores another program":                             {lines: append(slices.Clone(all[:5]), line("reelops-apiserver", "apiserver", "get", "", "configmaps", "", "reelops-system", "ids", 200)), want: []string{"reelops-manager: get configmaps in reelops-system"}},
		"ignores denied requests":                             {lines: append(slices.Clone(all[:5]), line("reelops-manager", "manager", "get", "", "configmaps", "", "reelops-system", "ids", 403)), want: []string{"reelops-manager: get configmaps in reelops-system"}},
		"omits an exception":                                  {lines: all[:5], except: []Exception{{Role: "reelops-manager", Resource: "configmaps", Verbs: []string{"get"}}}},
		"limits an exception to its verbs":                    {lines: all[:5], except: []Exception{{Role: "reelops-manager", Resource: "configmaps", Verbs: []string{"list"}}}, want: []string{"reelops-manager: get configmaps in reelops-system"}},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, g := range Unused("manager", grants, logOf(t, c.lines...), c.except) {
				got = append(got, g.String())
			}
			if d := cmp.Diff(c.want, got); d != "" {
				t.Error(d)
			}
		})
	}
	if d := cmp.Diff([]Grant{{"reelops-manager", "reelops-system", "reelops.dev", "posts", "patch", ""}}, Doubled(grants)); d != "" {
		t.Error(d)
	}
}

func TestDenied(t *testing.T) {
	terminating := strings.Replace(line("reelops-manager", "manager", "create", "batch", "jobs", "", "gone", "j", 403), "said",
		"unable to create new content in namespace gone because it is being terminated", 1)
	l := logOf(t,
		line("reelops-manager", "manager", "get", "", "secrets", "", "demo", "s", 200),
		line("reelops-manager", "manager", "get", "", "secrets", "", "other", "s", 403),
		// a user tries the permissions of the program
		line("reelops-apiserver", "kubectl", "get", "", "secrets", "", "demo", "s", 403),
		line("somebody", "manager", "get", "", "secrets", "", "demo", "s", 403),
		terminating,
		`{"stage":"ResponseComplete","verb":"ge`, // truncated
	)
	if d := cmp.Diff([]string{"manager: get /x: said"}, l.Denied(nil)); d != "" {
		t.Error(d)
	}
	booting := logOf(t,
		strings.Replace(line("reelops-manager", "manager", "patch", "reelops.dev", "posts", "", "demo", "p", 403), "said", `User \"m\" cannot patch resource`, 1),
		line("reelops-manager", "manager", "patch", "reelops.dev", "posts", "", "demo", "p", 403), // denied by a policy
	)
	grants, err := Grants(strings.NewReader(rolesOfTest))
	if d := cmp.Diff([]string{"manager: patch /x: said"}, booting.Denied(grants)); d != "" || err != nil {
		t.Error("grants that kube-apiserver has not read yet:", d, err)
	}
	if n := len(booting.Denied(nil)); n != 2 {
		t.Errorf("got %d denials without grants, want 2", n)
	}
	refused := strings.Replace(line("reelops-manager", "manager", "get", "", "secrets", "", "demo", "t", 403), "said", `User \"m\" cannot get resource`, 1)
	restarted := logOf(t, line("reelops-manager", "manager", "get", "", "secrets", "", "demo", "s", 200), refused)
	if denied := restarted.Denied(nil); len(denied) > 0 {
		t.Errorf("bindings that kube-apiserver has not read yet: got denials %v", denied)
	}
	for name, earlier := range map[string]string{
		"another namespace": line("reelops-manager", "manager", "get", "", "secrets", "", "other", "s", 200),
		"another verb":      line("reelops-manager", "manager", "update", "", "secrets", "", "demo", "s", 200),
	} {
		if n := len(logOf(t, earlier, refused).Denied(nil)); n != 1 {
			t.Errorf("after a request for %s was allowed: got %d denials, want 1", name, n)
		}
	}
	expecting := &Log{}
	expecting.Expect("/x")
	if err := expecting.Read(strings.NewReader(line("reelops-manager", "manager", "get", "", "secrets", "", "other", "s", 403))); err != nil || len(expecting.Denied(nil)) > 0 {
		t.Errorf("an expected denial: got %v %v", expecting.Denied(nil), err)
	}
	said, err := Judge(repository, l, false)
	if d := cmp.Diff([]string{"denied: manager: get /x: said"}, said); d != "" || err != nil {
		t.Error(d, err)
	}
	if whole, err := Judge(repository, l, true); err != nil || len(whole) < 10 {
		t.Errorf("a run without requests: got %v %v, want unused grants", whole, err)
	}
}

// TestExceptions checks that exceptions cover existing grants and name existing code.
func TestExceptions(t *testing.T) {
	except, err := Exceptions()
	if err != nil {
		t.Fatal(err)
	}
	var grants []Grant
	for program := range roles {
		more, err := Granted(repository, program)
		if err != nil {
			t.Fatal(err)
		}
		grants = append(grants, more...)
	}
	for _, e := range except {
		for _, verb := range e.Verbs {
			one := e
			one.Verbs = []string{verb}
			if !slices.ContainsFunc(grants, one.covers) {
				t.Errorf("%s is not granted %s on %s: the exception has no effect", e.Role, verb, e.Resource)
			}
		}
		if len(e.Reason) < 20 {
			t.Errorf("%s %s %v: the reason is missing or too short", e.Role, e.Resource, e.Verbs)
		}
		if _, err := os.Stat(filepath.Join(repository, e.Code)); e.Code == "" || err != nil {
			t.Errorf("%s %s: the code: %v", e.Role, e.Resource, err)
		}
	}
}

// consoleMembers reports whether a grant is one of those for the members page of the console. The admission policy
// reelops-console-members limits them to bindings of the same three roles. The role
// reelops-approver is not one of them.
func consoleMembers(g Grant) bool {
	if g.Role != "reelops-apiserver" || g.Group != "rbac.authorization.k8s.io" {
		return false
	}
	roles := []string{"reelops-viewer", "reelops-editor", "reelops-publisher"}
	return g.Resource == "rolebindings" && slices.Contains([]string{"list", "create", "delete"}, g.Verb) ||
		g.Resource == "clusterroles" && g.Verb == "bind" && slices.Contains(roles, g.Name)
}

// postApproval reports whether a grant is the one by which the front end records approvals of single posts. The admission
// policy reelops-post-content limits what it may write with it.
func postApproval(g Grant) bool {
	return g.Role == "reelops-apiserver" && g.Group == "reelops.dev" && g.Resource == "posts" && g.Verb == "approve"
}

// TestNeverGranted checks permissions that the roles of the two programs must not have.
func TestNeverGranted(t *testing.T) {
	for program, never := range map[string][]string{
		"apiserver": {"secrets", "pods", "pods/exec", "jobs", "serviceaccounts/token", "rolebindings", "roles", "clusterroles", "clusterrolebindings", "leases", "namespaces", "nodes"},
		"manager":   {"pods/exec", "pods/log", "serviceaccounts/token", "roles", "clusterrolebindings", "nodes", "deployments", "users", "groups"},
	} {
		grants, err := Granted(repository, program)
		if err != nil {
			t.Fatal(err)
		}
		for _, g := range grants {
			if consoleMembers(g) || postApproval(g) {
				continue
			}
			if slices.Contains(never, g.Resource) || slices.Contains([]string{"impersonate", "escalate", "approve", "sign"}, g.Verb) {
				t.Errorf("forbidden grant %s", g)
			}
			if reads := g.Verb == "get" || g.Verb == "list" || g.Verb == "watch" || g.Verb == "update" || g.Verb == "patch"; g.Resource == "secrets" && reads &&
				g.Role != "reelops-manager-account" && g.Name == "" {
				t.Errorf("%s: reads Secrets outside the namespaces of accounts", g)
			}
			if g.Resource == "namespaces" && g.Verb != "list" && g.Verb != "watch" {
				t.Errorf("%s: the manager may only list and watch namespaces", g)
			}
			if g.Resource == "secrets" && (g.Verb == "list" || g.Verb == "watch" || g.Verb == "deletecollection") {
				t.Errorf("%s: not limited to one Secret by name", g)
			}
		}
		for _, g := range Doubled(grants) {
			t.Errorf("%s: the same role grants it cluster-wide", g)
		}
	}
}
