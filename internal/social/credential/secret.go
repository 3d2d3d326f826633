// SPDX-License-Identifier: Apache-2.0

package credential

import (
	"context"
	"encoding/json"
	"errors"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/social/publish"
	"github.com/reelops/reelops/internal/store/envelope"
)

// The shape of token Secrets. The package reads and writes no other Secrets.
const (
	// SecretType is the type of token Secrets.
	SecretType corev1.SecretType = "reelops.dev/tokens"
	// Component is the value of their label v1beta1.LabelComponent.
	Component = "tokens"
	// sealedKey is the only key in their data.
	sealedKey = "sealed"
)

// SecretName returns the name of the Secret of a grant, from the name of its first account.
func SecretName(account string) string { return account + "-tokens" }

// ErrForeign means that a Secret of that name exists and is not a token Secret of Reelops.
var ErrForeign = errors.New("a Secret of that name exists that holds no tokens of Reelops")

func ours(s *corev1.Secret) bool {
	return s.Type == SecretType && s.Labels[v1beta1.LabelComponent] == Component
}

// aad returns the additional authenticated data that binds a sealed grant to its Secret's namespace and name.
func aad(key types.NamespacedName) []byte { return []byte("reelops tokens v1/" + key.String()) }

func (k *Keeper) seal(key types.NamespacedName, g *Grant) ([]byte, error) {
	doc, err := json.Marshal(g)
	if err != nil {
		return nil, err
	}
	return k.sealer.Seal(doc, aad(key))
}

// read opens the grant of a Secret, uncached. Its errors are *publish.Error.
func (k *Keeper) read(ctx context.Context, key types.NamespacedName) (*corev1.Secret, *Grant, error) {
	s := &corev1.Secret{}
	switch err := k.client.Get(ctx, key, s); {
	case apierrors.IsNotFound(err):
		return nil, nil, again("no_tokens", "The account's tokens do not exist", err)
	case err != nil:
		return nil, nil, &publish.Error{Kind: publish.Transient, Code: "tokens_unreadable", Safe: "The account's tokens could not be read at the moment", Err: err}
	case !ours(s):
		return nil, nil, again("no_tokens", "The Secret of the account contains no tokens of Reelops", nil)
	}
	doc, err := k.sealer.Open(s.Data[sealedKey], aad(key))
	switch {
	case errors.Is(err, envelope.ErrUnknownKey):
		return nil, nil, &publish.Error{
			Kind: publish.Misconfigured, Code: "unknown_token_key", Safe: "The tokens were encrypted with a key that this installation does not have", Err: err,
		}
	case err != nil:
		return nil, nil, again("tokens_unreadable", "The account's tokens can no longer be read", err)
	}
	g := &Grant{}
	if err := json.Unmarshal(doc, g); err != nil {
		// The decoder's error may quote the tokens that it read.
		return nil, nil, again("tokens_unreadable", "The account's tokens can no longer be read", nil)
	}
	return s, g, nil
}

// again returns an error that requires a person to connect the account again.
func again(code, safe string, err error) *publish.Error {
	return &publish.Error{Kind: publish.Auth, Code: code, Safe: safe, Err: err}
}
