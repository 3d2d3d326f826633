// SPDX-License-Identifier: Apache-2.0

package keysecret

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"fmt"
	"io"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/account/tenancy"
	"github.com/reelops/reelops/internal/store/envelope"
	"github.com/reelops/reelops/internal/work/callback"
)

// Names of the Secrets, and the key in the data of each.
const (
	SigningSecret = "reelops-signing-key"
	SigningKey    = "signing.key"
	TokenSecret   = "reelops-token-key"
	TokenKey      = "token.key"
)

// Component is the value of their label v1beta1.LabelComponent.
const Component = "keys"

// signingBytes is the number of random bytes in a generated signing key.
const signingBytes = 48

// page is the number of accounts per list request.
const page = 500

// Keys of an installation, in the format of the files of the same name.
type Keys struct {
	Signing []byte
	Token   []byte
}

// Open reads the keys in the namespace of the manager's ServiceAccount, and creates those that are missing. The client
// must read from the API server, not from a cache. Concurrent calls return the same keys.
func Open(ctx context.Context, c client.Client, manager types.NamespacedName) (Keys, error) {
	return open(ctx, c, manager, rand.Reader)
}

func open(ctx context.Context, c client.Client, manager types.NamespacedName, chance io.Reader) (Keys, error) {
	namespace := manager.Namespace
	signing, err := one(ctx, c, types.NamespacedName{Namespace: namespace, Name: SigningSecret}, SigningKey, func() ([]byte, error) {
		return text(chance, signingBytes)
	})
	if err != nil {
		return Keys{}, err
	}
	if _, err := callback.NewSigner(signing); err != nil {
		return Keys{}, fmt.Errorf("the Secret %s/%s: %w", namespace, SigningSecret, err)
	}
	token, err := one(ctx, c, types.NamespacedName{Namespace: namespace, Name: TokenSecret}, TokenKey, func() ([]byte, error) {
		if err := nothingSealed(ctx, c, manager); err != nil {
			return nil, err
		}
		return text(chance, envelope.KeyBytes)
	})
	if err != nil {
		return Keys{}, err
	}
	if _, err := envelope.Parse(token); err != nil {
		return Keys{}, fmt.Errorf("the Secret %s/%s: %w", namespace, TokenSecret, err)
	}
	return Keys{Signing: signing, Token: token}, nil
}

// one returns a key. It creates the Secret if there is none.
func one(ctx context.Context, c client.Client, at types.NamespacedName, key string, create func() ([]byte, error)) ([]byte, error) {
	s := &corev1.Secret{}
	err := c.Get(ctx, at, s)
	if apierrors.IsNotFound(err) {
		var made []byte
		if made, err = create(); err != nil {
			return nil, err
		}
		s = &corev1.Secret{
			ObjectMeta: metav1.ObjectMeta{Namespace: at.Namespace, Name: at.Name, Labels: map[string]string{
				v1beta1.LabelComponent: Component, "app.kubernetes.io/part-of": "reelops",
			}},
			Type: corev1.SecretTypeOpaque, Data: map[string][]byte{key: made},
		}
		if err = c.Create(ctx, s); apierrors.IsAlreadyExists(err) {
			s = &corev1.Secret{}
			err = c.Get(ctx, at, s)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("the Secret %s: %w", at, err)
	}
	value, ok := s.Data[key]
	if !ok {
		return nil, fmt.Errorf("the Secret %s has no key %s", at, key)
	}
	return value, nil
}

// nothingSealed returns an error if there are tokens that an earlier key encrypted. It finds them through the accounts
// that reference them, because the manager may not list Secrets.
func nothingSealed(ctx context.Context, c client.Client, manager types.NamespacedName) error {
	accounts := &v1beta1.SocialAccountList{}
	binder := tenancy.New(c, manager, clock.RealClock{})
	for {
		if err := c.List(ctx, accounts, client.Limit(page), client.Continue(accounts.Continue)); err != nil {
			return fmt.Errorf("looking for encrypted tokens: %w", err)
		}
		for i := range accounts.Items {
			a := &accounts.Items[i]
			at := types.NamespacedName{Namespace: a.Namespace, Name: a.Spec.TokenSecretRef.Name}
			if err := binder.Bind(ctx, a.Namespace); err != nil { // after a restore the controller has not run yet
				return fmt.Errorf("looking for encrypted tokens: %w", err)
			}
			switch err := c.Get(ctx, at, &corev1.Secret{}); {
			case apierrors.IsNotFound(err):
			case err != nil:
				return fmt.Errorf("looking for encrypted tokens: the Secret %s: %w", at, err)
			default:
				return fmt.Errorf("the Secret %s/%s is missing, and the tokens in the Secret %s are encrypted with its key: "+
					"restore it from a backup; only if it is lost, delete the Secrets of tokens, after which users must reconnect their accounts",
					manager.Namespace, TokenSecret, at)
			}
		}
		if accounts.Continue == "" {
			return nil
		}
	}
}

// text returns random bytes as one line of base64, which every secret store can hold.
func text(chance io.Reader, bytes int) ([]byte, error) {
	b := make([]byte, bytes)
	if _, err := io.ReadFull(chance, b); err != nil {
		return nil, fmt.Errorf("generating a key: %w", err)
	}
	return append(base64.StdEncoding.AppendEncode(nil, b), '\n'), nil
}
