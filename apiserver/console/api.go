// SPDX-License-Identifier: Apache-2.0

package console

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"net/http"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/apiserver/auth"
	"github.com/reelops/reelops/apiserver/operation"
	"github.com/reelops/reelops/apiserver/problem"
	"github.com/reelops/reelops/apiserver/read"
	"github.com/reelops/reelops/internal/catalog"
)

// Purposes of calls. Each has its own rate limits, so that live progress and the previews of an editor do not use up
// those of the user's actions.
const (
	forActions  = "actions"
	forEvents   = "events"
	forPreviews = "previews"
)

// previewOperation is the operation with its own rate limits: an editor calls it after each pause in typing.
const previewOperation = "preview_slide"

// call runs the operation at the path below /console, as the user of the session.
func (h *Handler) call(w http.ResponseWriter, r *http.Request, s *session) error {
	http.StripPrefix(Path, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h.API.ServeAs(w, r, Transport, h.identify(s, forActions))
	})).ServeHTTP(w, r)
	return nil
}

// identify returns the function that returns the user of a session as the caller of an operation.
func (h *Handler) identify(
	s *session, purpose string,
) func(context.Context, *operation.Operation) (*auth.Caller, error) {
	return func(ctx context.Context, o *operation.Operation) (*auth.Caller, error) {
		if s.Account == "" {
			return nil, errNoAccount()
		}
		scopes, err := h.reviews.scopes(ctx, s.subject(), s.Account)
		if err != nil {
			return nil, err
		}
		if o != nil {
			if scopes, err = h.scopesFor(ctx, s, o, scopes); err != nil {
				return nil, err
			}
		}
		brands, err := h.Reader.Brands(ctx, s.Account)
		if err != nil {
			return nil, err
		}
		of := purpose
		if o != nil && o.Name == previewOperation {
			of = forPreviews
		}
		id := uid(s.User, of)
		key := &v1beta1.APIKey{
			ObjectMeta: metav1.ObjectMeta{Namespace: s.Account, Name: "console-" + string(id), UID: id},
			Spec:       v1beta1.APIKeySpec{DisplayName: s.User, Scopes: scopes, Approve: approves(o, scopes)},
		}
		if len(brands) > 0 {
			key.Spec.BrandRef.Name = brands[0].Name
		}
		return &auth.Caller{Key: key, User: s.User, Scopes: scopes}, nil
	}
}

// scopesFor returns the scopes for an operation: without the operation's own scope if the operation needs a permission
// that the user does not have, and with it for an approval by an approver.
func (h *Handler) scopesFor(
	ctx context.Context, s *session, o *operation.Operation, scopes []v1beta1.Scope,
) ([]v1beta1.Scope, error) {
	a, ok := operationAccess[o.Name]
	if !ok {
		return scopes, nil
	}
	allowed, err := h.reviews.allowed(ctx, s.subject(), s.Account, a)
	switch {
	case err != nil:
		return scopes, err
	case allowed && a == approvePosts && !slices.Contains(scopes, o.Scope):
		return append(slices.Clone(scopes), o.Scope), nil
	case allowed:
		return scopes, nil
	}
	return slices.DeleteFunc(scopes, func(have v1beta1.Scope) bool { return have == o.Scope }), nil
}

// approves reports whether the operation is an approval for which the user has the permission: otherwise scopesFor has
// removed its scope.
func approves(o *operation.Operation, scopes []v1beta1.Scope) bool {
	return o != nil && operationAccess[o.Name] == approvePosts && slices.Contains(scopes, o.Scope)
}

// errNoAccount returns the problem of a user who may read no account.
func errNoAccount() *problem.Problem {
	return problem.New(catalog.MissingScope, problem.Details{"required_scope": v1beta1.ScopeBrandRead}).Saying(
		"You may read no account. Ask an administrator for a role in the namespace of one, such as reelops-viewer.")
}

// uid returns a UID that identifies a user in rate limits and idempotency records. It is a UUID of version 8.
func uid(user, purpose string) types.UID {
	b := sha256.Sum256([]byte("reelops console\n" + purpose + "\n" + user))
	b[6], b[8] = b[6]&0x0f|0x80, b[8]&0x3f|0x80
	return types.UID(fmt.Sprintf("%x-%x-%x-%x-%x", b[0:4], b[4:6], b[6:8], b[8:10], b[10:16]))
}

// namespaces returns the namespaces of all accounts, by name.
func (h *Handler) namespaces(ctx context.Context) ([]string, error) {
	var list v1beta1.AccountList
	if err := h.Reader.Cached.List(ctx, &list); err != nil {
		return nil, fmt.Errorf("listing accounts: %w", err)
	}
	out := make([]string, 0, len(list.Items))
	for i := range list.Items {
		if list.Items[i].Name == v1beta1.AccountName {
			out = append(out, list.Items[i].Namespace)
		}
	}
	slices.Sort(out)
	return out, nil
}

// hasAccount reports whether the namespace holds an account.
func (h *Handler) hasAccount(ctx context.Context, namespace string) (bool, error) {
	_, err := h.Reader.Account(ctx, namespace)
	if errors.Is(err, read.ErrNotFound) {
		return false, nil
	}
	return err == nil, err
}
