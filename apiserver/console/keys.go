// SPDX-License-Identifier: Apache-2.0

package console

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/apiserver/audit"
	"github.com/reelops/reelops/apiserver/limit"
	"github.com/reelops/reelops/apiserver/oauth"
	"github.com/reelops/reelops/apiserver/operation"
	"github.com/reelops/reelops/apiserver/problem"
	"github.com/reelops/reelops/apiserver/read"
	"github.com/reelops/reelops/internal/account/apikey"
	"github.com/reelops/reelops/internal/catalog"
)

// maxDisplayName is the maximum length of a key's name, in characters, as in the kind APIKey.
const maxDisplayName = 200

// shownKey is an API key in a response.
type shownKey struct {
	Name        string          `json:"name"`
	DisplayName string          `json:"display_name"`
	Scopes      []v1beta1.Scope `json:"scopes"`
	// BrandID is the id of the key's brand; 0 if the brand does not exist.
	BrandID      int64      `json:"brand_id"`
	CreatedAt    time.Time  `json:"created_at"`
	ExpiresAt    *time.Time `json:"expires_at"`
	LastUsedAt   *time.Time `json:"last_used_at"`
	RequestCount int64      `json:"request_count"`
	Revoked      bool       `json:"revoked"`
	// Client is the OAuth client of a grant; nil for other keys.
	Client *keyClient `json:"client"`
	// Secret is set once, in the response that creates the key.
	Secret string `json:"secret,omitempty"`
}

// keyClient is the OAuth client of a grant.
type keyClient struct {
	Name string `json:"name"`
	// Host that published the client's metadata document; empty for a registered client.
	Host string `json:"host"`
	// User who approved the client.
	User string `json:"user"`
}

func showKey(k *v1beta1.APIKey, brands []v1beta1.Brand) shownKey {
	out := shownKey{
		Name: k.Name, DisplayName: k.Spec.DisplayName, Scopes: apikey.Expand(k.Spec.Scopes),
		CreatedAt: k.CreationTimestamp.UTC(), ExpiresAt: at(k.Spec.ExpiresAt), LastUsedAt: at(k.Status.LastUsedAt),
		RequestCount: k.Status.RequestCount, Revoked: k.Spec.Revoked,
	}
	if g := k.Spec.OAuth; g != nil {
		out.Client = &keyClient{Name: g.ClientName, Host: oauth.HostOf(g.ClientID), User: g.User}
	}
	for i := range brands {
		if brands[i].Name == k.Spec.BrandRef.Name {
			out.BrandID = read.ID(&brands[i])
		}
	}
	return out
}

func at(t *metav1.Time) *time.Time {
	if t == nil {
		return nil
	}
	utc := t.UTC()
	return &utc
}

// mayManageKeys returns a problem unless the user has a permission on the API keys of the session's account.
func (h *Handler) mayManageKeys(ctx context.Context, s *session, a access) error {
	if s.Account == "" {
		return errNoAccount()
	}
	allowed, err := h.reviews.allowed(ctx, s.subject(), s.Account, a)
	if err != nil || allowed {
		return err
	}
	return problem.New(catalog.MissingScope, nil).Saying(
		"You may not " + a.verb + " API keys in this account. Ask an administrator of the cluster.")
}

// listKeys lists the keys of the account, the newest first.
func (h *Handler) listKeys(w http.ResponseWriter, r *http.Request, s *session) error {
	if err := h.mayManageKeys(r.Context(), s, readKeys); err != nil {
		return err
	}
	var list v1beta1.APIKeyList
	if err := h.Reader.Cached.List(r.Context(), &list, client.InNamespace(s.Account)); err != nil {
		return err
	}
	brands, err := h.Reader.Brands(r.Context(), s.Account)
	if err != nil {
		return err
	}
	slices.SortFunc(list.Items, func(a, b v1beta1.APIKey) int {
		return cmp.Or(
			b.CreationTimestamp.Compare(a.CreationTimestamp.Time), cmp.Compare(read.ID(&b), read.ID(&a)),
			cmp.Compare(a.Name, b.Name),
		)
	})
	out := make([]shownKey, 0, len(list.Items))
	for i := range list.Items {
		out = append(out, showKey(&list.Items[i], brands))
	}
	return writeJSON(w, http.StatusOK, map[string]any{"data": out})
}

// newKey is the body of a request for a key.
type newKey struct {
	DisplayName string          `json:"display_name"`
	Scopes      []v1beta1.Scope `json:"scopes"`
	// BrandID is the id of the brand; 0 for the first brand of the account.
	BrandID   int64      `json:"brand_id"`
	ExpiresAt *time.Time `json:"expires_at"`
}

// check returns the problem of the first field that is not valid.
func (k *newKey) check(now time.Time) error {
	k.DisplayName = strings.TrimSpace(k.DisplayName)
	if n := utf8.RuneCountInString(k.DisplayName); n == 0 || n > maxDisplayName {
		return problem.Field("display_name", "display_name must have 1 to 200 characters.")
	}
	if len(k.Scopes) == 0 { // a key without scopes would have those of reading
		return problem.NotAllowed("scopes", apikey.Scopes, "scopes must name at least one scope.")
	}
	for _, s := range k.Scopes {
		if !slices.Contains(apikey.Scopes, s) {
			return problem.NotAllowed("scopes", apikey.Scopes, "scopes must be of the list in details.allowed.")
		}
	}
	if k.ExpiresAt != nil && !k.ExpiresAt.After(now) {
		return problem.Field("expires_at", "expires_at must be in the future.")
	}
	return nil
}

// mayGrant returns a problem unless the user has all scopes in the session's account. A key would otherwise give users
// rights that their roles do not have.
func (h *Handler) mayGrant(ctx context.Context, s *session, scopes []v1beta1.Scope) error {
	has, err := h.reviews.scopes(ctx, s.subject(), s.Account)
	if err != nil {
		return err
	}
	for _, scope := range scopes {
		if !slices.Contains(has, scope) {
			return problem.New(catalog.MissingScope, problem.Details{"required_scope": scope}).
				Saying("Your role does not have the scope " + string(scope) + ". A key can only have scopes of your role.")
		}
	}
	return nil
}

// createKey creates a key. Its secret is in this response only.
func (h *Handler) createKey(w http.ResponseWriter, r *http.Request, s *session) error {
	if err := h.mayManageKeys(r.Context(), s, createKeys); err != nil {
		return err
	}
	var in newKey
	if err := readJSON(w, r, &in); err != nil {
		return err
	}
	now := h.Clock.Now()
	if err := in.check(now); err != nil {
		return err
	}
	if err := h.mayGrant(r.Context(), s, in.Scopes); err != nil {
		return err
	}
	brand, err := h.brandWith(r.Context(), s, in.BrandID)
	if err != nil {
		return err
	}
	request := apikey.Request{
		Account: s.Account, Brand: brand.Name, DisplayName: in.DisplayName, Scopes: unique(in.Scopes),
		Prefix: h.KeyPrefix,
	}
	if in.ExpiresAt != nil {
		t := metav1.NewTime(in.ExpiresAt.UTC().Truncate(time.Second))
		request.ExpiresAt = &t
	}
	ctx := h.acting(r, s, "create_key")
	k, secret, err := apikey.Create(ctx, h.Live, h.NextKey, now, request)
	if errors.Is(err, apikey.ErrTooMany) {
		return problem.New(catalog.Conflict, problem.Details{"reason": "too_many_keys"}).
			Saying("The brand has 10 usable keys, which is the maximum. Revoke one first.")
	}
	if err != nil {
		return err
	}
	out := showKey(k, []v1beta1.Brand{*brand})
	out.Secret = secret
	return writeJSON(w, http.StatusCreated, map[string]any{"data": out})
}

// findBrand returns the brand of the session's account with an id, or the first brand for 0; nil if there is none.
func (h *Handler) findBrand(ctx context.Context, s *session, id int64) (*v1beta1.Brand, error) {
	brands, err := h.Reader.Brands(ctx, s.Account)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(brands, func(b v1beta1.Brand) bool { return id == 0 || read.ID(&b) == id })
	if i < 0 {
		return nil, nil
	}
	return &brands[i], nil
}

// brandWith is findBrand for the field brand_id of a body.
func (h *Handler) brandWith(ctx context.Context, s *session, id int64) (*v1beta1.Brand, error) {
	brand, err := h.findBrand(ctx, s, id)
	if brand == nil && err == nil {
		err = problem.Field("brand_id", "brand_id must be the id of a brand of the account.")
	}
	return brand, err
}

// revokeKey revokes a key. A key that is already revoked stays so.
func (h *Handler) revokeKey(w http.ResponseWriter, r *http.Request, s *session) error {
	if err := h.mayManageKeys(r.Context(), s, updateKeys); err != nil {
		return err
	}
	k := &v1beta1.APIKey{}
	err := h.Live.Get(r.Context(), client.ObjectKey{Namespace: s.Account, Name: r.PathValue("name")}, k)
	if apierrors.IsNotFound(err) {
		return problem.New(catalog.NotFound, nil).Saying("There is no such API key in this account.")
	}
	if err != nil {
		return err
	}
	if !k.Spec.Revoked {
		before := k.DeepCopy()
		k.Spec.Revoked = true
		if err := h.Live.Patch(h.acting(r, s, "revoke_key"), k, client.MergeFrom(before)); err != nil {
			return err
		}
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// acting returns a context whose changes are attributed to the user. The changes complete even if the client
// disconnects.
func (h *Handler) acting(r *http.Request, s *session, name string) context.Context {
	return audit.With(context.WithoutCancel(r.Context()), audit.Actor{
		Kind: audit.ByUser, User: s.User, Account: s.Account, Address: limit.ClientAddress(r, h.TrustedProxies),
		RequestID: operation.RequestID(r), Operation: name, Door: Transport,
	})
}

// unique returns the scopes, each once.
func unique(in []v1beta1.Scope) []v1beta1.Scope {
	var out []v1beta1.Scope
	for _, s := range in {
		if !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}
