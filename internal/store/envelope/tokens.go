// SPDX-License-Identifier: Apache-2.0

package envelope

import (
	"bytes"
	"compress/flate"
	"crypto/cipher"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
)

// Errors of tokens.
var (
	// ErrToken means that a text is not a token of this installation and purpose, or was cut.
	ErrToken = errors.New("the value was not sealed by this installation")
	// ErrTokenTooLong means that a value does not fit into a token.
	ErrTokenTooLong = errors.New("the value is too large for a token")
)

// Tokens encrypts values into text for cookies and URLs, and decrypts them. All processes with the same signing key open
// the tokens. The tokens of another purpose are rejected.
type Tokens struct {
	aead cipher.AEAD
	most int
}

// NewTokens derives the key for a purpose from the signing key of the installation. A token has at most most bytes.
func NewTokens(signingKey []byte, purpose string, most int) (*Tokens, error) {
	aead, err := Derive(signingKey, purpose)
	return &Tokens{aead: aead, most: most}, err
}

// Seal returns v as a token: JSON, compressed, encrypted and in base64url. The error is ErrTokenTooLong if it does not
// fit.
func (t *Tokens) Seal(v any) (string, error) {
	var packed bytes.Buffer
	z, err := flate.NewWriter(&packed, flate.BestCompression)
	if err != nil {
		return "", err
	}
	if err := errors.Join(json.NewEncoder(z).Encode(v), z.Close()); err != nil {
		return "", fmt.Errorf("sealing a token: %w", err)
	}
	token := base64.RawURLEncoding.EncodeToString(t.aead.Seal(nil, nil, packed.Bytes(), nil))
	if len(token) > t.most {
		return "", ErrTokenTooLong
	}
	return token, nil
}

// Open decrypts a token. Its error is ErrToken.
func (t *Tokens) Open(token string, into any) error {
	if len(token) > t.most {
		return ErrToken
	}
	raw, err := base64.RawURLEncoding.Strict().DecodeString(token)
	if err != nil {
		return ErrToken
	}
	packed, err := t.aead.Open(nil, nil, raw, nil)
	if err != nil {
		return ErrToken
	}
	if err := json.NewDecoder(flate.NewReader(bytes.NewReader(packed))).Decode(into); err != nil {
		return ErrToken
	}
	return nil
}
