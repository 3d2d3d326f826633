// SPDX-License-Identifier: Apache-2.0

// Package webhooksecret derives the signing secrets of webhook endpoints from the signing key of the installation. The
// front end can therefore show the secret of an endpoint in the response that creates or rotates it, without reading
// Secrets, and a restored endpoint gets the secret that it had, although backups contain no signing secrets.
package webhooksecret

import (
	"crypto/hkdf"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"time"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
)

// Prefix is how a secret starts, as Standard Webhooks requires.
const Prefix = "whsec_"

// secretBytes is the length of a secret, keyBytes the minimum length of the signing key.
const secretBytes, keyBytes = 32, 32

// Deriver derives secrets. All processes with the same signing key derive the same ones.
type Deriver struct{ key []byte }

// New returns a Deriver. The signing key must have at least 32 bytes.
func New(signingKey []byte) (*Deriver, error) {
	if len(signingKey) < keyBytes {
		return nil, errors.New("the signing key has fewer than 32 bytes")
	}
	return &Deriver{key: signingKey}, nil
}

// Secret returns the secret of the last requested rotation of an endpoint, or its first one. The endpoint must exist in
// the cluster: the secret depends on its namespace and origin.
func (d *Deriver) Secret(w *v1beta1.WebhookEndpoint) (string, error) {
	purpose := "reelops webhook secret v1\n" + w.Namespace + "\n" + string(v1beta1.Origin(w)) + "\n" + Rotation(w)
	b, err := hkdf.Key(sha256.New, d.key, nil, purpose, secretBytes)
	if err != nil {
		return "", err
	}
	return Prefix + base64.StdEncoding.EncodeToString(b), nil
}

// Rotation identifies the last requested rotation of an endpoint; empty if there is none.
func Rotation(w *v1beta1.WebhookEndpoint) string {
	if w.Spec.RotateAt == nil {
		return ""
	}
	return w.Spec.RotateAt.UTC().Format(time.RFC3339Nano)
}
