// SPDX-License-Identifier: Apache-2.0

package connectionrequest

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/kube/status"
	"github.com/reelops/reelops/internal/social/credential"
	"github.com/reelops/reelops/internal/social/publish"
)

// maxAccounts bounds the accounts of one grant. Further accounts are ignored.
const maxAccounts = 50

// exchange makes the one call that the code is valid for.
func (r *Reconciler) exchange(ctx context.Context, q *v1beta1.ConnectionRequest, o *observed) decision {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), exchangeTimeout)
	defer cancel()
	given, err := o.platform.Exchange(ctx, o.code.Code, publish.Authorization{Verifier: r.Consent.Verifier(q.Spec.Nonce), RedirectURI: o.code.RedirectURI})
	var e *publish.Error
	switch {
	case errors.As(err, &e):
		return exchangeFailed(q.Spec.Platform, e)
	case err != nil:
		return exchangeFailed(q.Spec.Platform, &publish.Error{Kind: publish.Transient, Err: err})
	case given == nil || given.Tokens.AccessToken == "" || len(given.Identities) == 0:
		return fail(catalog.InternalError, fmt.Sprintf("%s returned no account that can publish.", catalog.PlatformName(string(q.Spec.Platform))), false)
	}
	g := &credential.Grant{
		Request: string(q.UID), Platform: q.Spec.Platform, Brand: q.Spec.BrandRef.Name, Identities: identities(given.Identities),
		Lacking: given.Lacking, ConnectedAt: r.Clock.Now().UTC(), Tokens: given.Tokens,
	}
	if g.Tokens.IssuedAt.IsZero() {
		g.Tokens.IssuedAt = g.ConnectedAt
	}
	r.hold(q.UID, g)
	return decision{action: actStore, grant: g}
}

// identities returns at most maxAccounts identities with an ID, without duplicates.
func identities(all []publish.Identity) []publish.Identity {
	var out []publish.Identity
	for _, i := range all {
		if i.ID != "" && len(out) < maxAccounts && !slices.ContainsFunc(out, func(o publish.Identity) bool { return o.ID == i.ID }) {
			out = append(out, i)
		}
	}
	return out
}

// store persists the names of the accounts, then stores the grant.
func (r *Reconciler) store(ctx context.Context, q *v1beta1.ConnectionRequest, w *status.Writer[*v1beta1.ConnectionRequest], g *credential.Grant) (decision, error) {
	if len(q.Status.Accounts) == 0 {
		existing, err := r.existing(ctx, q)
		if err != nil {
			return decision{}, err
		}
		for _, i := range g.Identities {
			name := Name(q.Spec.BrandRef.Name, q.Spec.Platform, i.ID)
			if a := existing[i.ID]; a != nil {
				name = a.Name
			}
			q.Status.Accounts = append(q.Status.Accounts, name)
		}
		if err := w.Persist(ctx); err != nil {
			q.Status.Accounts = nil
			return decision{}, err
		}
	}
	switch err := r.Keeper.Keep(ctx, secretOf(q), g, credential.OwnerReference("ConnectionRequest", q)); {
	case errors.Is(err, credential.ErrForeign):
		r.hold(q.UID, nil)
		name := secretOf(q).Name
		q.Status.Accounts = nil
		return fail(catalog.Conflict, fmt.Sprintf("The namespace has a Secret %q that is not Reelops' own: delete it and connect again.", name), true), nil
	case err != nil:
		return decision{}, err
	}
	r.hold(q.UID, nil)
	return decision{action: actConnect, grant: g}, nil
}

// existing returns the brand's accounts on the platform by their IDs there; of duplicates, the older one. Accounts that
// are being deleted are left out.
func (r *Reconciler) existing(ctx context.Context, q *v1beta1.ConnectionRequest) (map[string]*v1beta1.SocialAccount, error) {
	var list v1beta1.SocialAccountList
	if err := r.Live.List(ctx, &list, client.InNamespace(q.Namespace)); err != nil {
		return nil, err
	}
	out := map[string]*v1beta1.SocialAccount{}
	for i := range list.Items {
		a := &list.Items[i]
		if a.Spec.Platform != q.Spec.Platform || a.Spec.BrandRef != q.Spec.BrandRef || !a.DeletionTimestamp.IsZero() {
			continue
		}
		if b := out[a.Spec.PlatformAccountID]; b == nil || a.CreationTimestamp.Before(&b.CreationTimestamp) {
			out[a.Spec.PlatformAccountID] = a
		}
	}
	return out, nil
}

// connect creates the accounts, or points existing ones to the Secret with the grant. It then sets them as the owners
// of the Secret. It is idempotent.
func (r *Reconciler) connect(ctx context.Context, q *v1beta1.ConnectionRequest, g *credential.Grant) error {
	secret := secretOf(q)
	var accounts []*v1beta1.SocialAccount
	for i, name := range q.Status.Accounts {
		if i == len(g.Identities) {
			break
		}
		a, err := r.account(ctx, q, name, g.Identities[i].ID, secret)
		if err != nil {
			return err
		}
		accounts = append(accounts, a)
	}
	return r.Keeper.Own(ctx, secret, accounts)
}

func (r *Reconciler) account(ctx context.Context, q *v1beta1.ConnectionRequest, name, id string, secret types.NamespacedName) (*v1beta1.SocialAccount, error) {
	a := &v1beta1.SocialAccount{}
	err := r.Live.Get(ctx, client.ObjectKey{Namespace: q.Namespace, Name: name}, a)
	if apierrors.IsNotFound(err) {
		a = &v1beta1.SocialAccount{
			ObjectMeta: metav1.ObjectMeta{Namespace: q.Namespace, Name: name, Labels: map[string]string{v1beta1.LabelBrand: q.Spec.BrandRef.Name}},
			Spec: v1beta1.SocialAccountSpec{
				BrandRef: q.Spec.BrandRef, Platform: q.Spec.Platform, PlatformAccountID: id, TokenSecretRef: v1beta1.LocalRef{Name: secret.Name},
			},
		}
		return a, r.Client.Create(ctx, a)
	}
	if err != nil {
		return nil, err
	}
	if !a.DeletionTimestamp.IsZero() {
		return nil, fmt.Errorf("the SocialAccount %s is being deleted", name)
	}
	if a.Spec.BrandRef != q.Spec.BrandRef || a.Spec.Platform != q.Spec.Platform || a.Spec.PlatformAccountID != id {
		return nil, errTaken
	}
	old := a.Spec.TokenSecretRef.Name
	if old == secret.Name {
		return a, nil
	}
	before := a.DeepCopy()
	a.Spec.TokenSecretRef.Name = secret.Name
	if err := r.Client.Patch(ctx, a, client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{})); err != nil {
		return nil, err
	}
	return a, r.Keeper.Leave(ctx, types.NamespacedName{Namespace: a.Namespace, Name: old}, a.UID)
}

// errTaken means that a SocialAccount of the name exists for another account.
var errTaken = errors.New("a SocialAccount with the same name exists for another account")

// Name returns the name of the SocialAccount that is created for an account. The name is the same for every connection
// and in every cluster.
func Name(brand string, platform v1beta1.Platform, id string) string {
	sum := sha256.Sum256([]byte(brand + "\x00" + string(platform) + "\x00" + id))
	return string(platform) + "-" + hex.EncodeToString(sum[:6])
}
