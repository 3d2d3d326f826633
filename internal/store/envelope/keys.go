// SPDX-License-Identifier: Apache-2.0

package envelope

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"os"
	"strings"
)

// KeyBytes is the length of a key.
const KeyBytes = 32

// idBytes is how many bytes of a key's SHA-256 identify the key.
const idBytes = 8

type keyID [idBytes]byte

// Sealer seals and opens values. It is safe for concurrent use.
type Sealer struct {
	first keyID
	keys  map[keyID]cipher.AEAD
}

// OpenFile reads a key file.
func OpenFile(path string) (*Sealer, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("reading the token keys: %w", err)
	}
	s, err := Parse(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return s, nil
}

// Parse parses the text of a key file. Errors name lines and never their content.
func Parse(text []byte) (*Sealer, error) {
	var keys [][]byte
	n := 0
	for line := range bytes.Lines(text) {
		n++
		word := strings.TrimSpace(string(line))
		if word == "" || strings.HasPrefix(word, "#") {
			continue
		}
		key, err := base64.StdEncoding.DecodeString(word)
		if err != nil || len(key) != KeyBytes {
			return nil, fmt.Errorf("line %d is not a key: each line must be %d random bytes in base64, as printed by `openssl rand -base64 %d`", n, KeyBytes, KeyBytes)
		}
		keys = append(keys, key)
	}
	return New(keys...)
}

// New returns a Sealer that seals with the first key and opens with all of them. At least one key is required, each of
// KeyBytes bytes.
func New(keys ...[]byte) (*Sealer, error) {
	if len(keys) == 0 {
		return nil, fmt.Errorf("there is no key: create one with `openssl rand -base64 %d`", KeyBytes)
	}
	s := &Sealer{keys: make(map[keyID]cipher.AEAD, len(keys))}
	for i, key := range keys {
		if len(key) != KeyBytes {
			return nil, fmt.Errorf("key %d has %d bytes, not %d", i+1, len(key), KeyBytes)
		}
		a, err := aead(key)
		if err != nil {
			return nil, err
		}
		sum := sha256.Sum256(append([]byte("reelops key id v1\x00"), key...))
		id := keyID(sum[:idBytes])
		if i == 0 {
			s.first = id
		}
		s.keys[id] = a
	}
	return s, nil
}

func aead(key []byte) (cipher.AEAD, error) {
	b, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	return cipher.NewGCM(b)
}
