// SPDX-License-Identifier: Apache-2.0

package credential

import (
	"context"
	"errors"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/social/publish"
)

// Keep stores a grant in the Secret, over the grant that the Secret held before. A new Secret is owned by owner, so
// that it is deleted with owner unless accounts become its owners. Keep returns ErrForeign if the name is taken by
// another Secret.
func (k *Keeper) Keep(ctx context.Context, key types.NamespacedName, g *Grant, owner metav1.OwnerReference) error {
	c, err := k.hold(ctx, key)
	if err != nil {
		return err
	}
	defer k.release(key, c)
	sealed, err := k.seal(key, g)
	if err != nil {
		return err
	}
	data := map[string][]byte{sealedKey: sealed}
	s := &corev1.Secret{}
	switch err := k.client.Get(ctx, key, s); {
	case apierrors.IsNotFound(err):
		s = &corev1.Secret{
			ObjectMeta: metav1.ObjectMeta{
				Namespace: key.Namespace, Name: key.Name, Labels: map[string]string{v1beta1.LabelComponent: Component},
				OwnerReferences: []metav1.OwnerReference{owner},
			},
			Type: SecretType, Data: data,
		}
		if err := k.client.Create(ctx, s); err != nil {
			return fmt.Errorf("storing tokens: %w", err)
		}
	case err != nil:
		return fmt.Errorf("storing tokens: %w", err)
	case !ours(s):
		return ErrForeign
	default:
		s.Data = data
		if err := k.client.Update(ctx, s); err != nil {
			return fmt.Errorf("storing tokens: %w", err)
		}
	}
	k.setUnstored(c, nil) // tokens renewed for the earlier grant are no longer of use
	k.changed(s)
	return nil
}

// Stored returns the grant in the Secret without its tokens if the request created the grant; otherwise nil.
func (k *Keeper) Stored(ctx context.Context, key types.NamespacedName, request string) (*Grant, error) {
	_, g, err := k.read(ctx, key)
	var e *publish.Error
	switch {
	case errors.As(err, &e) && e.Kind != publish.Transient:
		return nil, nil
	case err != nil:
		return nil, err
	case g.Request != request:
		return nil, nil
	}
	g.Tokens = publish.Tokens{}
	return g, nil
}

// Own sets the accounts as the owners of the Secret. The Secret is deleted together with the last of them.
func (k *Keeper) Own(ctx context.Context, key types.NamespacedName, accounts []*v1beta1.SocialAccount) error {
	owners := make([]metav1.OwnerReference, len(accounts))
	for i, a := range accounts {
		owners[i] = OwnerReference("SocialAccount", a)
	}
	return k.owners(ctx, key, func([]metav1.OwnerReference) []metav1.OwnerReference { return owners })
}

// Leave removes an account that now uses another Secret from the owners of its former Secret. A Secret without owners
// is deleted.
func (k *Keeper) Leave(ctx context.Context, key types.NamespacedName, account types.UID) error {
	return k.owners(ctx, key, func(old []metav1.OwnerReference) []metav1.OwnerReference {
		return slices.DeleteFunc(slices.Clone(old), func(o metav1.OwnerReference) bool { return o.UID == account })
	})
}

// OwnerReference returns an owner reference that does not block the deletion of the owner.
func OwnerReference(kind string, o client.Object) metav1.OwnerReference {
	return metav1.OwnerReference{APIVersion: v1beta1.GroupVersion.String(), Kind: kind, Name: o.GetName(), UID: o.GetUID()}
}

func (k *Keeper) owners(ctx context.Context, key types.NamespacedName, change func([]metav1.OwnerReference) []metav1.OwnerReference) error {
	s := &corev1.Secret{}
	switch err := k.client.Get(ctx, key, s); {
	case apierrors.IsNotFound(err):
		return nil
	case err != nil:
		return err
	case !ours(s):
		return nil
	}
	before := s.DeepCopy()
	s.OwnerReferences = change(s.OwnerReferences)
	if slices.EqualFunc(before.OwnerReferences, s.OwnerReferences, func(a, b metav1.OwnerReference) bool { return a.UID == b.UID }) {
		return nil
	}
	if len(s.OwnerReferences) == 0 {
		return client.IgnoreNotFound(k.client.Delete(ctx, s, client.Preconditions{UID: &s.UID, ResourceVersion: &before.ResourceVersion}))
	}
	return k.client.Patch(ctx, s, client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{}))
}

// Describe updates the identity of an account from the platform. Empty fields and the id keep their old value.
func (k *Keeper) Describe(ctx context.Context, a *v1beta1.SocialAccount, who publish.Identity) error {
	key := secretOf(a)
	c, err := k.hold(ctx, key)
	if err != nil {
		return err
	}
	defer k.release(key, c)
	s, g, err := k.current(ctx, key, c)
	if err != nil {
		return err
	}
	if !g.Covers(a) {
		return nil
	}
	known := g.identity(a)
	next := *known
	for to, from := range map[*string]string{
		&next.Name: who.Name, &next.Username: who.Username, &next.ProfileURL: who.ProfileURL, &next.AvatarURL: who.AvatarURL, &next.Type: who.Type,
	} {
		if from != "" {
			*to = from
		}
	}
	if next == *known {
		return nil
	}
	*known = next
	return k.write(ctx, key, s, g)
}
