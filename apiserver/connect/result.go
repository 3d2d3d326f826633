// SPDX-License-Identifier: Apache-2.0

package connect

import (
	"context"
	"fmt"
	"net/http"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/catalog"
)

// namesTime is how long after the connection finished the page waits for the accounts' names.
const namesTime = 10 * time.Second

// result shows the outcome of an approval.
func (h *Handler) result(ctx context.Context, w http.ResponseWriter, platform v1beta1.Platform, token string) {
	link, err := h.Consent.OpenResult(token)
	if err != nil || link.Platform != platform {
		h.show(w, http.StatusBadRequest, page{Title: "This page has expired", Bad: true, Lines: []string{"Request a new link if the account is not connected."}})
		return
	}
	name := catalog.PlatformName(string(platform))
	q := &v1beta1.ConnectionRequest{}
	switch err := h.Live.Get(ctx, client.ObjectKey{Namespace: link.Namespace, Name: link.RequestName()}, q); {
	case apierrors.IsNotFound(err):
		h.show(w, http.StatusBadRequest, page{Title: "This page has expired", Bad: true, Lines: []string{"Request a new link if the account is not connected."}})
	case err != nil:
		h.Log.Warn("reading ConnectionRequest failed", "platform", name, "account", link.Namespace, "error", err.Error())
		h.show(w, http.StatusOK, page{Title: "Connecting " + name, Busy: true, Lines: []string{waiting}, Again: 5})
	case q.Status.State == v1beta1.WorkFailed:
		p := page{Title: "Nothing was connected", Bad: true, Lines: []string{fresh}}
		if e := q.Status.Error; e != nil {
			p.Lines = []string{e.Message}
			if !e.Retryable {
				p.Lines = append(p.Lines, "A new link does not help before that.")
			}
		}
		h.show(w, http.StatusOK, p)
	case q.Status.State == v1beta1.WorkSucceeded:
		h.show(w, http.StatusOK, h.connected(ctx, q))
	default:
		h.show(w, http.StatusOK, page{Title: "Connecting " + name, Busy: true, Lines: []string{waiting}, Again: 2})
	}
}

// connected returns the page that lists the accounts. Right after the connection finished their names may be missing:
// then the page reloads.
func (h *Handler) connected(ctx context.Context, q *v1beta1.ConnectionRequest) page {
	name := catalog.PlatformName(string(q.Spec.Platform))
	p := page{Title: name + " is connected"}
	lacking := false
	for _, account := range q.Status.Accounts {
		a := &v1beta1.SocialAccount{}
		err := h.Client.Get(ctx, client.ObjectKey{Namespace: q.Namespace, Name: account}, a)
		if err != nil || a.Status.TokenStatus == "" {
			if q.Status.FinishedAt != nil && h.Clock.Now().Before(q.Status.FinishedAt.Add(namesTime)) {
				p.Again = 1
			}
			continue
		}
		lacking = lacking || a.Status.TokenStatus == v1beta1.TokenInsufficientScope
		p.Accounts = append(p.Accounts, shown{Name: a.Status.AccountName, Username: a.Status.Username})
	}
	if lacking {
		p.Bad, p.Title = true, "Permissions are missing"
		p.Lines = []string{fmt.Sprintf("%s is connected, but cannot be used for posting: a required permission was not granted.", name), fresh + " Then grant every requested permission."}
		return p
	}
	p.Lines = []string{"You can close this page."}
	return p
}
