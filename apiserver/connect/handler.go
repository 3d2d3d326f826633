// SPDX-License-Identifier: Apache-2.0

package connect

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/apiserver/audit"
	"github.com/reelops/reelops/apiserver/limit"
	"github.com/reelops/reelops/apiserver/operation"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/process/outcome"
	"github.com/reelops/reelops/internal/social/consent"
)

// Prefix is the path prefix of the pages.
const Prefix = "/oauth/"

// callTime is the timeout of the cluster requests for a page. maxCode is the maximum length of a code, in bytes.
const (
	callTime = 10 * time.Second
	maxCode  = 4096
)

// +kubebuilder:rbac:groups=reelops.dev,resources=connectionrequests,verbs=get;create

// Handler serves the pages.
type Handler struct {
	Consent *consent.Sealer
	// Client reads cached accounts. Live reads from and writes to the cluster.
	Client client.Reader
	Live   client.Client
	// TrustedProxies are the networks whose forwarding headers are trusted.
	TrustedProxies []netip.Prefix
	// BaseURL is the public address.
	BaseURL string
	Clock   clock.PassiveClock
	Log     *slog.Logger
}

// ServeHTTP serves paths below Prefix.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	name, what, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, Prefix), "/")
	if !slices.Contains(catalog.Platforms(), name) || (what != "callback" && what != "result") {
		h.show(w, http.StatusNotFound, page{Title: "Page not found", Lines: []string{"Request a link to connect an account, and open it."}})
		return
	}
	if r.Method != http.MethodGet {
		w.Header().Set("Allow", http.MethodGet)
		h.show(w, http.StatusMethodNotAllowed, page{Title: "Method not allowed", Lines: []string{"Open the link in a browser."}})
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), callTime)
	defer cancel()
	by := audit.Actor{Kind: audit.ByLink, Address: limit.ClientAddress(r, h.TrustedProxies), RequestID: operation.RequestID(r)}
	w.Header().Set("X-Request-Id", by.RequestID)
	platform := v1beta1.Platform(name)
	if what == "callback" {
		by.Operation = "connect_account"
		h.callback(audit.With(ctx, by), w, platform, r.URL.Query())
		return
	}
	h.result(ctx, w, platform, r.URL.Query().Get("link"))
}

// callback handles the redirect from a platform: an approval with a code, or a refusal.
func (h *Handler) callback(ctx context.Context, w http.ResponseWriter, platform v1beta1.Platform, q url.Values) {
	name := catalog.PlatformName(string(platform))
	link, err := h.Consent.OpenLink(q.Get("state"))
	switch {
	case errors.Is(err, consent.ErrExpired):
		h.show(w, http.StatusBadRequest, page{
			Title: "This link has expired", Bad: true, Lines: []string{"Links are valid for ten minutes. Nothing was connected.", fresh},
		})
		return
	case err != nil || link.Platform != platform:
		h.show(w, http.StatusBadRequest, page{
			Title: "This link is not valid", Bad: true,
			Lines: []string{"The link was not created by this service, or it is incomplete. Nothing was connected.", fresh},
		})
		return
	}
	if refusal := q.Get("error"); refusal != "" {
		p := page{Title: "Nothing was connected", Bad: true, Lines: []string{"You did not grant the permission on " + name + ". Nothing was changed.", fresh}}
		if refusal != "access_denied" && refusal != "user_cancelled_login" && refusal != "user_cancelled_authorize" {
			p.Lines[0] = name + " rejected the request: " + word(refusal) + "."
		}
		h.show(w, http.StatusOK, p)
		return
	}
	code := q.Get("code")
	if code == "" || len(code) > maxCode {
		h.show(w, http.StatusBadRequest, page{Title: "The approval is missing", Bad: true, Lines: []string{name + " returned no approval. Nothing was connected.", fresh}})
		return
	}
	next, err := h.resultURL(*link)
	if err == nil {
		err = h.request(ctx, link, code)
	}
	switch {
	case err == nil:
		h.show(w, http.StatusOK, page{Title: "Connecting " + name, Busy: true, Lines: []string{waiting}, Next: next})
	case apierrors.IsAlreadyExists(err):
		h.show(w, http.StatusBadRequest, page{
			Title: "This link was already used", Bad: true, Lines: []string{"A link works once.", fresh}, Link: next, LinkText: "Show the result",
		})
	case apierrors.IsNotFound(err), outcome.Terminating(err):
		h.show(w, http.StatusBadRequest, page{Title: "The brand does not exist", Bad: true, Lines: []string{"The brand or its account was deleted. Nothing was connected."}})
	default:
		h.Log.Error("creating ConnectionRequest failed", "request_id", audit.From(ctx).RequestID, "platform", name, "account", link.Namespace, "brand", link.Brand, "error", err.Error())
		w.Header().Set("Retry-After", "5")
		h.show(w, http.StatusServiceUnavailable, page{Title: "Temporarily unavailable", Bad: true, Lines: []string{"The approval could not be stored. Reload this page in a moment."}})
	}
}

// request creates the ConnectionRequest that passes the sealed code to the manager. The name is derived from the link,
// so a second request for the same link fails with AlreadyExists.
func (h *Handler) request(ctx context.Context, link *consent.Link, code string) error {
	name := link.RequestName()
	sealed, err := h.Consent.SealCode(consent.Code{Code: code, RedirectURI: consent.CallbackURL(h.BaseURL, link.Platform)}, link.Namespace, name)
	if err != nil {
		return err
	}
	by := audit.From(ctx)
	by.Account, by.Brand, by.User = link.Namespace, link.Brand, link.User
	if link.Key != 0 {
		by.KeyID = strconv.FormatInt(link.Key, 10)
	}
	return h.Live.Create(audit.With(ctx, by), &v1beta1.ConnectionRequest{
		ObjectMeta: metav1.ObjectMeta{Namespace: link.Namespace, Name: name, Labels: map[string]string{v1beta1.LabelBrand: link.Brand}},
		Spec: v1beta1.ConnectionRequestSpec{
			BrandRef: v1beta1.LocalRef{Name: link.Brand}, Platform: link.Platform, SealedCode: sealed, Nonce: link.Nonce,
		},
	})
}

func (h *Handler) resultURL(link consent.Link) (string, error) {
	token, err := h.Consent.Result(link)
	if err != nil {
		return "", err
	}
	return strings.TrimRight(h.BaseURL, "/") + Prefix + string(link.Platform) + "/result?" + url.Values{"link": {token}}.Encode(), nil
}
