// SPDX-License-Identifier: Apache-2.0

package envelope

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/sha256"
	"errors"
)

// Derive returns the AEAD for values of one purpose that travel through browsers. Its key is derived from the signing
// key of the installation, which must have at least 32 bytes. All processes with the same signing key open the values;
// the AEAD of another purpose does not. The AEAD chooses its nonces itself.
func Derive(signingKey []byte, purpose string) (cipher.AEAD, error) {
	if len(signingKey) < KeyBytes {
		return nil, errors.New("the signing key has fewer than 32 bytes")
	}
	key, err := hkdf.Key(sha256.New, signingKey, nil, purpose, KeyBytes)
	if err != nil {
		return nil, err
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	return cipher.NewGCMWithRandomNonce(block)
}
