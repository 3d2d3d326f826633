// SPDX-License-Identifier: Apache-2.0

package console

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"slices"
	"strings"
	"time"

	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/reelops/reelops/apiserver/problem"
	"github.com/reelops/reelops/internal/catalog"
)

// memberRoles are the ClusterRoles that the console binds, from the one with the fewest permissions. They are the
// resourceNames of the front end's permission to bind. The role reelops-approver is bound with kubectl only: otherwise
// a program that takes over the front end could make any user an approver.
var memberRoles = []string{"reelops-viewer", "reelops-editor", "reelops-publisher"}

// maxMemberName is the maximum length of the name of a user or group, in bytes. Kubernetes has no limit.
const maxMemberName = 253

// memberKinds are the kinds of members. Service accounts are bound with kubectl.
var memberKinds = []string{rbacv1.UserKind, rbacv1.GroupKind}

var (
	readMembers   = access{verb: "list", resource: "rolebindings", group: rbacv1.GroupName}
	addMembers    = access{verb: "create", resource: "rolebindings", group: rbacv1.GroupName}
	removeMembers = access{verb: "delete", resource: "rolebindings", group: rbacv1.GroupName}
)

// bindRole returns the permission to bind a role, which Kubernetes also requires of those who create a binding.
func bindRole(role string) access {
	return access{verb: "bind", resource: "clusterroles", group: rbacv1.GroupName, object: role}
}

// shownSubject is a user, group or service account in a response.
type shownSubject struct {
	Kind string `json:"kind"`
	Name string `json:"name"`
	// Namespace is that of a service account.
	Namespace string `json:"namespace,omitempty"`
}

// shownMember is a RoleBinding in a response.
type shownMember struct {
	Name      string         `json:"name"`
	Role      string         `json:"role"`
	Subjects  []shownSubject `json:"subjects"`
	CreatedAt time.Time      `json:"created_at"`
}

func showMember(b *rbacv1.RoleBinding) shownMember {
	out := shownMember{
		Name: b.Name, Role: b.RoleRef.Name, Subjects: []shownSubject{}, CreatedAt: b.CreationTimestamp.UTC(),
	}
	for _, s := range b.Subjects {
		out.Subjects = append(out.Subjects, shownSubject{Kind: s.Kind, Name: s.Name, Namespace: s.Namespace})
	}
	return out
}

// shownRights is what the user may change about the members.
type shownRights struct {
	// Roles are those that the user may give.
	Roles  []string `json:"roles"`
	Remove bool     `json:"remove"`
}

// mayManageMembers returns a problem unless the user has the permission in the account of the session.
func (h *Handler) mayManageMembers(ctx context.Context, s *session, a access) error {
	if s.Account == "" {
		return errNoAccount()
	}
	allowed, err := h.reviews.allowed(ctx, s.subject(), s.Account, a)
	if err != nil || allowed {
		return err
	}
	what := a.resource
	if a.object != "" {
		what = "the role " + a.object
	}
	return problem.New(catalog.MissingScope, nil).Saying(
		"You may not " + a.verb + " " + what + " in this account. Ask an administrator of the cluster.")
}

// bindings returns the RoleBindings of memberRoles in a namespace, by role and name.
func (h *Handler) bindings(ctx context.Context, namespace string) ([]rbacv1.RoleBinding, error) {
	var list rbacv1.RoleBindingList
	if err := h.Live.List(ctx, &list, client.InNamespace(namespace)); err != nil {
		return nil, err
	}
	out := slices.DeleteFunc(list.Items, func(b rbacv1.RoleBinding) bool {
		return b.RoleRef.Kind != "ClusterRole" || !slices.Contains(memberRoles, b.RoleRef.Name)
	})
	slices.SortFunc(out, func(a, b rbacv1.RoleBinding) int {
		return cmp.Or(
			cmp.Compare(slices.Index(memberRoles, a.RoleRef.Name), slices.Index(memberRoles, b.RoleRef.Name)),
			cmp.Compare(a.Name, b.Name),
		)
	})
	return out, nil
}

// listMembers lists the bindings of the account, and what the user may change about them.
func (h *Handler) listMembers(w http.ResponseWriter, r *http.Request, s *session) error {
	if err := h.mayManageMembers(r.Context(), s, readMembers); err != nil {
		return err
	}
	list, err := h.bindings(r.Context(), s.Account)
	if err != nil {
		return err
	}
	rights, err := h.memberRights(r.Context(), s)
	if err != nil {
		return err
	}
	out := make([]shownMember, 0, len(list))
	for i := range list {
		out = append(out, showMember(&list[i]))
	}
	return writeJSON(w, http.StatusOK, map[string]any{"data": out, "can": rights})
}

// memberRights returns what the user may change about the members of the session's account.
func (h *Handler) memberRights(ctx context.Context, s *session) (shownRights, error) {
	list := []access{addMembers, removeMembers}
	for _, role := range memberRoles {
		list = append(list, bindRole(role))
	}
	allowed, err := h.reviews.all(ctx, s.subject(), s.Account, list)
	if err != nil {
		return shownRights{}, err
	}
	out := shownRights{Roles: []string{}, Remove: allowed[1]}
	for i, role := range memberRoles {
		if allowed[0] && allowed[2+i] {
			out.Roles = append(out.Roles, role)
		}
	}
	return out, nil
}

// newMember is the body of a request for a binding.
type newMember struct {
	Role string `json:"role"`
	// Kind is User or Group, and Name its name in Kubernetes.
	Kind string `json:"kind"`
	Name string `json:"name"`
}

// check returns the problem of the first field that is not valid.
func (m *newMember) check() error {
	m.Name = strings.TrimSpace(m.Name)
	if !slices.Contains(memberRoles, m.Role) {
		return problem.NotAllowed("role", memberRoles, "role must be of the list in details.allowed.")
	}
	if !slices.Contains(memberKinds, m.Kind) {
		return problem.NotAllowed("kind", memberKinds, "kind must be of the list in details.allowed.")
	}
	if n := len(m.Name); n == 0 || n > maxMemberName {
		return problem.Field("name", "name must have 1 to 253 bytes.")
	}
	// The group system:authenticated is everybody.
	if strings.HasPrefix(m.Name, "system:") {
		return problem.Field("name", "name must not begin with system:, which is reserved for Kubernetes.")
	}
	return nil
}

// bindingName returns the name of the binding of a member. Equal requests have the same name, so that a repeated
// request creates no second binding.
func (m *newMember) bindingName() string {
	sum := sha256.Sum256([]byte(m.Kind + "\n" + m.Name))
	return m.Role + "-" + hex.EncodeToString(sum[:8])
}

// addMember gives a user or group one of the roles.
func (h *Handler) addMember(w http.ResponseWriter, r *http.Request, s *session) error {
	if err := h.mayManageMembers(r.Context(), s, addMembers); err != nil {
		return err
	}
	var in newMember
	if err := readJSON(w, r, &in); err != nil {
		return err
	}
	if err := in.check(); err != nil {
		return err
	}
	// The front end may bind the roles. The cluster's own check of the verb is therefore repeated for the user.
	if err := h.mayManageMembers(r.Context(), s, bindRole(in.Role)); err != nil {
		return err
	}
	b := &rbacv1.RoleBinding{
		ObjectMeta: metav1.ObjectMeta{Namespace: s.Account, Name: in.bindingName()},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: in.Role},
		Subjects:   []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: in.Kind, Name: in.Name}},
	}
	err := h.Live.Create(h.acting(r, s, "add_member"), b)
	if apierrors.IsAlreadyExists(err) {
		return problem.New(catalog.Conflict, problem.Details{"reason": "already_member"}).
			Saying("The account already has this member with this role.")
	}
	if err != nil {
		return err
	}
	return writeJSON(w, http.StatusCreated, map[string]any{"data": showMember(b)})
}

// removeMember deletes a binding of one of the roles, with all its subjects.
func (h *Handler) removeMember(w http.ResponseWriter, r *http.Request, s *session) error {
	if err := h.mayManageMembers(r.Context(), s, removeMembers); err != nil {
		return err
	}
	// The name alone could be that of any binding. The list has those of memberRoles only.
	list, err := h.bindings(r.Context(), s.Account)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(list, func(b rbacv1.RoleBinding) bool { return b.Name == r.PathValue("name") })
	if i < 0 {
		return errNoMember()
	}
	b := &list[i]
	// Without the preconditions, a binding that was replaced or got other subjects after it was read would be deleted.
	err = h.Live.Delete(h.acting(r, s, "remove_member"), b,
		client.Preconditions{UID: &b.UID, ResourceVersion: &b.ResourceVersion})
	switch {
	case apierrors.IsConflict(err):
		return problem.New(catalog.Conflict, problem.Details{"reason": "changed"}).
			Saying("The binding changed in the meantime. Read the members again.")
	case apierrors.IsNotFound(err):
		return errNoMember()
	case err != nil:
		return err
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}

func errNoMember() *problem.Problem {
	return problem.New(catalog.NotFound, nil).Saying("There is no such member in this account.")
}
