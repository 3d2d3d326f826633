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

// ErrTooMany means that the brand already has the maximum number of usable keys.
var ErrTooMany = fmt.Errorf(
	"the brand has %d usable keys, which is the maximum: revoke one first", v1beta1.MaxKeysPerBrand)

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
	var list v1beta1.APIKeyList
	if err := c.List(ctx, &list, client.InNamespace(r.Account)); err != nil {
		return nil, "", fmt.Errorf("counting keys: %w", err)
	}
	if usable(list.Items, r.Brand, now) >= v1beta1.MaxKeysPerBrand {
		return nil, "", ErrTooMany
	}
	id, err := next(ctx)
	if err != nil {
		return nil, "", err
	}
	secret, hash, hint := New(r.Prefix)
	k = &v1beta1.APIKey{
		ObjectMeta: metav1.ObjectMeta{Namespace: r.Account, Name: fmt.Sprintf("key-%d", id), Labels: map[string]string{
			v1beta1.LabelID: strconv.FormatInt(id, 10), v1beta1.LabelBrand: r.Brand,
		}},
		Spec: v1beta1.APIKeySpec{
			BrandRef: v1beta1.LocalRef{Name: r.Brand}, DisplayName: r.DisplayName, Scopes: r.Scopes, ExpiresAt: r.ExpiresAt, Approve: r.Approve,
			SecretSHA256: hash, Hint: hint,
		},
	}
	if err := c.Create(ctx, k); err != nil {
		return nil, "", err
	}
	return k, secret, nil
}

// usable returns the number of the brand's keys that are neither revoked nor expired.
func usable(keys []v1beta1.APIKey, brand string, now time.Time) int {
	n := 0
	for i := range keys {
		k := &keys[i]
		expired := k.Spec.ExpiresAt != nil && !now.Before(k.Spec.ExpiresAt.Time)
		if k.Spec.BrandRef.Name == brand && !k.Spec.Revoked && !expired {
			n++
		}
	}
	return n
}
