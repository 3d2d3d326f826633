// SPDX-License-Identifier: Apache-2.0

package console

import (
	"context"
	"fmt"
	"net/http"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/apiserver/audit"
	"github.com/reelops/reelops/apiserver/limit"
	"github.com/reelops/reelops/apiserver/operation"
	"github.com/reelops/reelops/apiserver/problem"
	"github.com/reelops/reelops/internal/account/apikey"
	"github.com/reelops/reelops/internal/account/consolelink"
	"github.com/reelops/reelops/internal/catalog"
)

// errLink returns the problem of a link that cannot be opened. It is the same for a used link and for
// one that never existed.
func errLink() *problem.Problem {
	return problem.New(catalog.InvalidToken, nil).Saying(
		"The link is not valid: it works once, for ten minutes. Run `kubectl reelops console` for a new one.")
}

// openLink signs in the user of a one-time link.
func (h *Handler) openLink(w http.ResponseWriter, r *http.Request) error {
	var in struct {
		Token string `json:"token"`
	}
	if err := readJSON(w, r, &in); err != nil {
		return err
	}
	address := limit.ClientAddress(r, h.TrustedProxies)
	if state := h.Limits.Peek(r.Context(), limit.Unauthenticated, address); state.Refused {
		return limit.Refusal(state)
	}
	by := audit.Actor{
		Kind: audit.ByUser, Address: address, RequestID: operation.RequestID(r), Operation: "open_console_link",
		Door: Transport,
	}
	l, err := h.redeem(r.Context(), in.Token, by)
	if err != nil {
		return err
	}
	if l == nil {
		if state, _ := h.Limits.Take(r.Context(), limit.Unauthenticated, address); state.Refused {
			return limit.Refusal(state)
		}
		return errLink()
	}
	who := subject{user: l.Spec.Username, groups: l.Spec.Groups}
	account := l.Namespace
	if ok, err := h.hasAccount(r.Context(), account); err != nil {
		return err
	} else if !ok {
		account = ""
	}
	if err := h.signIn(w, r, who, account, "link"); err != nil {
		return err
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// redeem deletes the link with a token and returns it; nil if the token is not valid. The deletion decides: of several
// requests with one token, on any replicas, one succeeds.
func (h *Handler) redeem(ctx context.Context, token string, by audit.Actor) (*v1beta1.ConsoleLink, error) {
	if apikey.CheckShape(consolelink.Prefix, token) != nil {
		return nil, nil //nolint:nilerr // a text of another shape is no token
	}
	var list v1beta1.ConsoleLinkList
	if err := h.Live.List(ctx, &list, client.MatchingFields{"spec.tokenSHA256": apikey.Hash(token)}); err != nil {
		return nil, fmt.Errorf("looking up a link: %w", err)
	}
	if len(list.Items) != 1 { // copies of a link are not valid: it would work more than once
		return nil, nil
	}
	l := &list.Items[0]
	by.User, by.Account = l.Spec.Username, l.Namespace
	err := h.Live.Delete(audit.With(context.WithoutCancel(ctx), by), l, client.Preconditions{UID: &l.UID})
	switch {
	case apierrors.IsNotFound(err), apierrors.IsConflict(err): // another request was faster
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("deleting a link: %w", err)
	case l.Expired(h.Clock.Now()), !l.DeletionTimestamp.IsZero():
		return nil, nil
	}
	return l, nil
}
