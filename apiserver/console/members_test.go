// SPDX-License-Identifier: Apache-2.0

package console_test

import (
	"net/http"
	"strings"
	"testing"

	authorizationv1 "k8s.io/api/authorization/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/reelops/reelops/internal/testkit"
)

// mayBind reports whether the cluster allows a user a verb on role bindings, and binding a role, in a namespace.
func mayBind(t *testing.T, user, account, verb, role string) bool {
	t.Helper()
	for _, a := range []authorizationv1.ResourceAttributes{
		{Verb: verb, Resource: "rolebindings"}, {Verb: "bind", Resource: "clusterroles", Name: role},
	} {
		a.Group, a.Namespace = rbacv1.GroupName, account
		if a.Verb == "bind" && role == "" {
			continue
		}
		r := &authorizationv1.SubjectAccessReview{Spec: authorizationv1.SubjectAccessReviewSpec{
			User: user, Groups: []string{"system:authenticated"}, ResourceAttributes: &a,
		}}
		must(t, cluster.Client.Create(t.Context(), r))
		if !r.Status.Allowed {
			return false
		}
	}
	return true
}

// newOwner returns the name of a viewer who may also use the verbs on role bindings and bind the roles, and that right.
func newOwner(t *testing.T, account string, verbs, roles []string) (string, *rbacv1.RoleBinding) {
	t.Helper()
	user := newUser(t, account, "reelops-viewer")
	meta := metav1.ObjectMeta{Namespace: account, Name: "members-" + user}
	rules := []rbacv1.PolicyRule{{
		APIGroups: []string{rbacv1.GroupName}, Resources: []string{"rolebindings"}, Verbs: verbs,
	}}
	last := ""
	if len(roles) > 0 {
		rules = append(rules, rbacv1.PolicyRule{
			APIGroups: []string{rbacv1.GroupName}, Resources: []string{"clusterroles"}, Verbs: []string{"bind"},
			ResourceNames: roles,
		})
		last = roles[len(roles)-1]
	}
	must(t, cluster.Client.Create(t.Context(), &rbacv1.Role{ObjectMeta: meta, Rules: rules}))
	b := &rbacv1.RoleBinding{
		ObjectMeta: meta, RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: meta.Name},
		Subjects: []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind, Name: user}},
	}
	must(t, cluster.Client.Create(t.Context(), b))
	eventually(t, "the role", func() (bool, error) {
		return mayBind(t, user, account, verbs[len(verbs)-1], last), nil
	})
	return user, b
}

var (
	allVerbs = []string{"get", "list", "create", "delete"}
	allRoles = []string{"reelops-viewer", "reelops-editor", "reelops-publisher"}
)

func TestMembers_AreAddedAndRemoved(t *testing.T) {
	r := newReplica(t, nil)
	account := newAccount(t, "acme")
	owner, _ := newOwner(t, account, allVerbs, allRoles)
	b := signedIn(t, r, owner, account)
	if can, _ := b.session().body["can"].(map[string]any); can["members"] != true {
		t.Errorf("can.members is %v", can["members"])
	}
	anna := newUser(t, account)
	body := map[string]string{"role": "reelops-publisher", "kind": "User", "name": " " + anna + " "}
	made := b.call("POST", "/console/members", body)
	made.want(t, "add", http.StatusCreated, "")
	name, _ := made.data()["name"].(string)
	eventually(t, "the role of the member", func() (bool, error) {
		return may(t, anna, account, "create", "postbatches"), nil
	})
	b.call("POST", "/console/members", body).want(t, "add again", http.StatusConflict, "conflict")
	b.call("POST", "/console/members", map[string]string{"role": "reelops-viewer", "kind": "Group", "name": "crew"}).
		want(t, "add a group", http.StatusCreated, "")

	list := b.get("/console/members")
	list.want(t, "list", http.StatusOK, "")
	for _, part := range []string{
		`"name":"` + anna + `"`, `"kind":"Group","name":"crew"`, `"role":"reelops-publisher"`, `"remove":true`,
		`"roles":["reelops-viewer","reelops-editor","reelops-publisher"]`,
	} {
		if !strings.Contains(list.raw, part) {
			t.Errorf("the list has no %s: %s", part, list.raw)
		}
	}
	if strings.Contains(list.raw, "members-"+owner) {
		t.Errorf("the list has a binding of another role: %s", list.raw)
	}

	b.call("DELETE", "/console/members/"+name, nil).want(t, "remove", http.StatusNoContent, "")
	eventually(t, "the end of the role", func() (bool, error) {
		return !may(t, anna, account, "create", "postbatches"), nil
	})
	b.call("DELETE", "/console/members/"+name, nil).want(t, "remove again", http.StatusNotFound, "not_found")
	log := r.audit.String()
	for _, part := range []string{
		`"operation":"add_member"`, `"operation":"remove_member"`, `"kind":"RoleBinding"`, `"user":"` + owner + `"`,
		`"roleRef.name":"reelops-publisher"`, `"subjects[0].name":"` + anna + `"`,
	} {
		if !strings.Contains(log, part) {
			t.Errorf("the audit log has no %s: %s", part, log)
		}
	}
}

func TestMembers_InvalidRequestsAreRefused(t *testing.T) {
	r := newReplica(t, nil)
	account := newAccount(t, "acme")
	// A user who may do everything in the cluster may still bind only the three roles here.
	owner, _ := newOwner(t, account, allVerbs, append([]string{"admin", "cluster-admin", "reelops-approver"}, allRoles...))
	b := signedIn(t, r, owner, account)
	for why, c := range map[string]struct{ field, role, kind, name string }{
		"a role outside the three": {"role", "cluster-admin", "User", "eve"},
		"the role of approvers":    {"role", "reelops-approver", "User", "eve"},
		"the role of a program":    {"role", "reelops-manager", "User", "eve"},
		"no role":                  {"role", "", "User", "eve"},
		"a service account":        {"kind", "reelops-viewer", "ServiceAccount", "a"},
		"no name":                  {"name", "reelops-viewer", "User", " "},
		"a long name":              {"name", "reelops-viewer", "User", strings.Repeat("a", 254)},
		"a group of the cluster":   {"name", "reelops-viewer", "Group", "system:authenticated"},
		"an account as a user":     {"name", "reelops-viewer", "User", "system:anonymous"},
		"a name behind whitespace": {"name", "reelops-viewer", "Group", " system:masters"},
	} {
		got := b.call("POST", "/console/members", map[string]string{"role": c.role, "kind": c.kind, "name": c.name})
		got.want(t, why, http.StatusUnprocessableEntity, "validation_failed")
		if !strings.Contains(got.raw, `"field":"`+c.field+`"`) {
			t.Errorf("%s: got %s", why, got.raw)
		}
	}
	b.call("POST", "/console/members", map[string]string{"namespace": "kube-system"}).
		want(t, "an unknown member of the body", http.StatusBadRequest, "bad_request")

	// The binding of another role keeps its subjects, whatever its name.
	foreign := &rbacv1.RoleBinding{
		ObjectMeta: metav1.ObjectMeta{Namespace: account, Name: "foreign"},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: "view"},
		Subjects:   []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind, Name: "someone"}},
	}
	must(t, cluster.Client.Create(t.Context(), foreign))
	b.call("DELETE", "/console/members/foreign", nil).want(t, "another role", http.StatusNotFound, "not_found")
	b.call("DELETE", "/console/members/members-"+owner, nil).want(t, "a Role", http.StatusNotFound, "not_found")
	must(t, cluster.Client.Get(t.Context(), client.ObjectKeyFromObject(foreign), foreign))
}

func TestMembers_NeedTheRightsOfKubernetes(t *testing.T) {
	r := newReplica(t, nil)
	account, other := newAccount(t, "acme"), newAccount(t, "acme")
	body := map[string]string{"role": "reelops-publisher", "kind": "User", "name": "eve"}
	b := signedIn(t, r, newUser(t, account, "reelops-publisher", "reelops-approver"), account)
	b.get("/console/members").want(t, "list", http.StatusForbidden, "missing_scope")
	b.call("POST", "/console/members", body).want(t, "add", http.StatusForbidden, "missing_scope")
	b.call("DELETE", "/console/members/any", nil).want(t, "remove", http.StatusForbidden, "missing_scope")

	// Role bindings without the verb bind, and with it for another role only.
	for why, roles := range map[string][]string{"no bind": nil, "bind of a viewer": {"reelops-viewer"}} {
		user, _ := newOwner(t, account, allVerbs, roles)
		b := signedIn(t, r, user, account)
		b.call("POST", "/console/members", body).want(t, why, http.StatusForbidden, "missing_scope")
		eventually(t, "the roles that the user may bind", func() (bool, error) {
			list := b.get("/console/members")
			can, _ := list.body["can"].(map[string]any)
			got, _ := can["roles"].([]any)
			return list.status == http.StatusOK && len(got) == len(roles), nil
		})
	}
	reader, _ := newOwner(t, account, []string{"list"}, nil)
	b = signedIn(t, r, reader, account)
	b.get("/console/members").want(t, "list as a reader", http.StatusOK, "")
	b.call("DELETE", "/console/members/any", nil).want(t, "remove as a reader", http.StatusForbidden, "missing_scope")

	// The rights in one account are none in another.
	owner, _ := newOwner(t, other, allVerbs, allRoles)
	bind(t, account, "reelops-viewer", owner)
	b = signedIn(t, r, owner, account)
	b.call("POST", "/console/members", body).want(t, "another account", http.StatusForbidden, "missing_scope")

	var list rbacv1.RoleBindingList
	must(t, cluster.Client.List(t.Context(), &list, client.InNamespace(account)))
	for _, have := range list.Items {
		if len(have.Subjects) == 1 && have.Subjects[0].Name == "eve" {
			t.Errorf("eve got a binding: %v", have)
		}
	}
}

func TestMembers_WithdrawnRightAndOtherOrigins(t *testing.T) {
	r := newReplica(t, nil)
	account := newAccount(t, "acme")
	owner, right := newOwner(t, account, allVerbs, allRoles)
	b := signedIn(t, r, owner, account)
	body := map[string]string{"role": "reelops-viewer", "kind": "User", "name": "eve"}
	b.call("POST", "/console/members", body, "Origin", "https://evil.example", "Sec-Fetch-Site", "cross-site").
		want(t, "another origin", http.StatusForbidden, "bad_request")
	newBrowser(t, r).call("POST", "/console/members", body).
		want(t, "no session", http.StatusUnauthorized, "invalid_token")
	made := b.call("POST", "/console/members", body)
	made.want(t, "add", http.StatusCreated, "")
	name, _ := made.data()["name"].(string)

	must(t, cluster.Client.Delete(t.Context(), right))
	// Each permission is reviewed again after its own five seconds. No request changes anything while that lasts.
	for path, body := range map[string]map[string]string{
		"GET /console/members": nil, "POST /console/members": {"role": "none"}, "DELETE /console/members/none": nil,
	} {
		method, at, _ := strings.Cut(path, " ")
		eventually(t, "the end of the right to "+path, func() (bool, error) {
			return b.call(method, at, body).code() == "missing_scope", nil
		})
	}
	b.call("POST", "/console/members", map[string]string{"role": "reelops-viewer", "kind": "User", "name": "mallory"}).
		want(t, "add without the right", http.StatusForbidden, "missing_scope")
	b.call("DELETE", "/console/members/"+name, nil).
		want(t, "remove without the right", http.StatusForbidden, "missing_scope")
	err := cluster.Client.Get(t.Context(), client.ObjectKey{Namespace: account, Name: name}, &rbacv1.RoleBinding{})
	if apierrors.IsNotFound(err) {
		t.Error("the member was removed")
	}
}

// TestMembers_FrontEndBindsNoOtherRole checks the permissions of the front end itself, and the admission policy that
// limits them.
func TestMembers_FrontEndBindsNoOtherRole(t *testing.T) {
	newReplica(t, nil)
	account := newAccount(t, "acme")
	must(t, cluster.Client.Create(t.Context(), testkit.Namespace("bystander")))
	try := func(namespace, role, kind, name string) *rbacv1.RoleBinding {
		s := rbacv1.Subject{APIGroup: rbacv1.GroupName, Kind: kind, Name: name}
		if kind == rbacv1.ServiceAccountKind {
			s.APIGroup, s.Namespace = "", namespace
		}
		return &rbacv1.RoleBinding{
			ObjectMeta: metav1.ObjectMeta{Namespace: namespace, GenerateName: "try-"},
			RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: role},
			Subjects:   []rbacv1.Subject{s},
		}
	}
	eventually(t, "the policy on members", func() (bool, error) {
		err := access.Plain.Create(t.Context(), try(account, "reelops-viewer", rbacv1.GroupKind, "system:authenticated"),
			client.DryRunAll)
		return apierrors.IsForbidden(err) && strings.Contains(err.Error(), "reelops-console-members"), err
	})
	for _, c := range []struct {
		namespace, role, kind, name string
		allowed                     bool
	}{
		{account, "reelops-viewer", rbacv1.UserKind, "eve", true},
		{account, "reelops-publisher", rbacv1.GroupKind, "crew", true},
		{account, "reelops-approver", rbacv1.GroupKind, "crew", false},
		{account, "reelops-librarian", rbacv1.UserKind, "eve", false},
		{account, "reelops-manager", rbacv1.UserKind, "eve", false},
		{account, "cluster-admin", rbacv1.UserKind, "eve", false},
		{account, "reelops-viewer", rbacv1.UserKind, "system:anonymous", false},
		{account, "reelops-viewer", rbacv1.ServiceAccountKind, "default", false},
		{"bystander", "reelops-viewer", rbacv1.UserKind, "eve", false},
	} {
		err := access.Plain.Create(t.Context(), try(c.namespace, c.role, c.kind, c.name))
		if c.allowed != (err == nil) || err != nil && !apierrors.IsForbidden(err) {
			t.Errorf("%v: got %v", c, err)
		}
	}
	for _, role := range []string{"view", "reelops-approver"} {
		foreign := try(account, role, rbacv1.UserKind, "someone")
		must(t, cluster.Client.Create(t.Context(), foreign))
		if err := access.Plain.Delete(t.Context(), foreign); !apierrors.IsForbidden(err) {
			t.Errorf("deleting a binding of %s: got %v", role, err)
		}
	}
}
