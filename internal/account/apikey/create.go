// SPDX-License-Identifier: Apache-2.0

package apikey

import (
	"context"
	"fmt"
	"strconv"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/reelops/reelops/api/v1beta1"
)

// ErrTooMany means that the brand already has the maximum number of usable keys, and ErrTooManyGrants that of grants.
var (
	ErrTooMany = fmt.Errorf(
		"the brand has %d usable keys, which is the maximum: revoke one first", v1beta1.MaxKeysPerBrand)
	ErrTooManyGrants = fmt.Errorf(
		"the brand has %d connected clients, which is the maximum: revoke one first", v1beta1.MaxGrantsPerBrand)
)

// Request is the content of a new key.
type Request struct {
	// Account is the namespace, and Brand the name of the brand.
	Account, Brand string
	// DisplayName of the key.
	DisplayName string
	Scopes      []v1beta1.Scope
	// ExpiresAt is the time at which the key expires; nil for a key that does not expire.
	ExpiresAt *metav1.Time
	// Approve permits the key to approve posts.
	Approve bool
	// Prefix of the secret.
	Prefix string
}

// Create creates a key with a new secret, and returns both. Only the hash of the secret is stored. next returns the id
// of the key. The error is ErrTooMany if the brand has too many usable keys.
func Create(
	ctx context.Context, c client.Client, next func(context.Context) (int64, error), now time.Time, r Request,
) (k *v1beta1.APIKey, secret string, err error) {
	k, secret, err = prepare(ctx, c, next, now, r, nil)
	if err != nil {
		return nil, "", err
	}
	k.Name = "key-" + k.Labels[v1beta1.LabelID]
	if err := c.Create(ctx, k); err != nil {
		return nil, "", err
	}
	return k, secret, nil
}

// CreateGrant creates the grant of an OAuth client with the given name, and drops its secret. The error is
// ErrTooManyGrants if the brand has too many grants, and that of the cluster if the name exists.
func CreateGrant(
	ctx context.Context, c client.Client, next func(context.Context) (int64, error), now time.Time, name string,
	r Request, g v1beta1.OAuthGrant,
) (*v1beta1.APIKey, error) {
	k, _, err := prepare(ctx, c, next, now, r, &g)
	if err != nil {
		return nil, err
	}
	k.Name, k.Spec.Hint = name, ""
	return k, c.Create(ctx, k)
}

// prepare returns a key, or a grant if g is not nil, that is not stored yet and has no name.
func prepare(
	ctx context.Context, c client.Client, next func(context.Context) (int64, error), now time.Time, r Request,
	g *v1beta1.OAuthGrant,
) (k *v1beta1.APIKey, secret string, err error) {
	var list v1beta1.APIKeyList
	if err := c.List(ctx, &list, client.InNamespace(r.Account)); err != nil {
		return nil, "", fmt.Errorf("counting keys: %w", err)
	}
	k = &v1beta1.APIKey{ObjectMeta: metav1.ObjectMeta{Namespace: r.Account}, Spec: v1beta1.APIKeySpec{
		BrandRef: v1beta1.LocalRef{Name: r.Brand}, DisplayName: r.DisplayName, Scopes: r.Scopes,
		ExpiresAt: r.ExpiresAt, Approve: r.Approve, OAuth: g,
	}}
	n := 0
	for i := range list.Items {
		if CountsWith(&list.Items[i], k, now) {
			n++
		}
	}
	if n >= Most(k) {
		if g != nil {
			return nil, "", ErrTooManyGrants
		}
		return nil, "", ErrTooMany
	}
	id, err := next(ctx)
	if err != nil {
		return nil, "", err
	}
	k.Labels = map[string]string{v1beta1.LabelID: strconv.FormatInt(id, 10), v1beta1.LabelBrand: r.Brand}
	secret, k.Spec.SecretSHA256, k.Spec.Hint = New(r.Prefix)
	return k, secret, nil
}

// Most returns the maximum number of usable keys of a brand: of grants if k is one, else of other keys.
func Most(k *v1beta1.APIKey) int {
	if k.Spec.OAuth != nil {
		return v1beta1.MaxGrantsPerBrand
	}
	return v1beta1.MaxKeysPerBrand
}

// CountsWith reports whether another key counts towards the limit of k: it is usable, for the same brand, and a grant if
// k is one.
func CountsWith(other, k *v1beta1.APIKey, now time.Time) bool {
	expired := other.Spec.ExpiresAt != nil && !now.Before(other.Spec.ExpiresAt.Time)
	return other.Spec.BrandRef.Name == k.Spec.BrandRef.Name && !other.Spec.Revoked && !expired &&
		(other.Spec.OAuth != nil) == (k.Spec.OAuth != nil)
}
