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

// How token Secrets look. Nothing else is read or written.
const (
	// SecretType of token Secrets.
	SecretType corev1.SecretType = "reelops.dev/tokens"
	// Component is the value of their label v1beta1.LabelComponent.
	Component = "tokens"
	// sealedKey is the one key in their data.
	sealedKey = "sealed"
)

// SecretName is the name of the Secret of a grant whose first account has the name.
func SecretName(account string) string { return account + "-tokens" }

// ErrForeign says that a Secret of the name exists and was not made here.
var ErrForeign = errors.New("a Secret of that name exists that holds no tokens of Reelops")

func ours(s *corev1.Secret) bool {
	return s.Type == SecretType && s.Labels[v1beta1.LabelComponent] == Component
}

// aad binds a sealed grant to its place.
func aad(key types.NamespacedName) []byte { return []byte("reelops tokens v1/" + key.String()) }

func (k *Keeper) seal(key types.NamespacedName, g *Grant) ([]byte, error) {
	doc, err := json.Marshal(g)
	if err != nil {
		return nil, err
	}
	return k.sealer.Seal(doc, aad(key))
}

// read opens the grant of a Secret, live. Errors are for publishers.
func (k *Keeper) read(ctx context.Context, key types.NamespacedName) (*corev1.Secret, *Grant, error) {
	s := &corev1.Secret{}
	switch err := k.client.Get(ctx, key, s); {
	case apierrors.IsNotFound(err):
		return nil, nil, again("no_tokens", "The account's tokens are gone", err)
	case err != nil:
		return nil, nil, &publish.Error{Kind: publish.Transient, Code: "tokens_unreadable", Safe: "The account's tokens could not be read just now", Err: err}
	case !ours(s):
		return nil, nil, again("no_tokens", "The Secret that the account names holds no tokens of Reelops", nil)
	}
	doc, err := k.sealer.Open(s.Data[sealedKey], aad(key))
	switch {
	case errors.Is(err, envelope.ErrUnknownKey):
		return nil, nil, &publish.Error{
			Kind: publish.Misconfigured, Code: "unknown_token_key", Safe: "The tokens were sealed with a key that this installation does not have", Err: err,
		}
	case err != nil:
		return nil, nil, again("tokens_unreadable", "The account's tokens cannot be read any more", err)
	}
	g := &Grant{}
	if err := json.Unmarshal(doc, g); err != nil {
		// The error of a decoder can quote what it read.
		return nil, nil, again("tokens_unreadable", "The account's tokens cannot be read any more", nil)
	}
	return s, g, nil
}

// again is the error that a person has to connect again.
func again(code, safe string, err error) *publish.Error {
	return &publish.Error{Kind: publish.Auth, Code: code, Safe: safe, Err: err}
}
