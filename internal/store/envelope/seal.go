// SPDX-License-Identifier: Apache-2.0

package envelope

import (
	"crypto/cipher"
	"crypto/rand"
	"errors"
)

// Errors of Open.
var (
	// ErrUnknownKey means that the key that sealed the value is not in the key file.
	ErrUnknownKey = errors.New("sealed with a key that this installation does not have")
	// ErrUnreadable means that the value was changed, truncated, or sealed for another purpose.
	ErrUnreadable = errors.New("the sealed value cannot be read: it was changed, or belongs to something else")
)

// A sealed value is
//
//	version (1) | id of the installation's key (8) | nonce (12) | wrapped value key (32 + 16) | nonce (12) | text + 16
//
// The head up to the first nonce and the aad are authenticated with the wrapped key, the aad once more with the text.
const (
	version    = 1
	nonceBytes = 12
	tagBytes   = 16
	headBytes  = 1 + idBytes
	wrapBytes  = nonceBytes + KeyBytes + tagBytes
	// Overhead is how much longer a sealed value is, in bytes.
	Overhead = headBytes + wrapBytes + nonceBytes + tagBytes
)

// Seal returns a value sealed for the purpose in aad. Sealing the same value twice gives different bytes.
func (s *Sealer) Seal(plain, aad []byte) ([]byte, error) {
	key := make([]byte, KeyBytes)
	_, _ = rand.Read(key) // never fails
	inner, err := aead(key)
	if err != nil {
		return nil, err
	}
	out := make([]byte, 0, len(plain)+Overhead)
	out = append(out, version)
	out = append(out, s.first[:]...)
	out = box(s.keys[s.first], out, key, bound(out, aad))
	return box(inner, out, plain, aad), nil
}

// Open returns a value that was sealed for the same aad. The error is ErrUnknownKey or ErrUnreadable.
func (s *Sealer) Open(sealed, aad []byte) ([]byte, error) {
	if len(sealed) < Overhead || sealed[0] != version {
		return nil, ErrUnreadable
	}
	head, rest := sealed[:headBytes:headBytes], sealed[headBytes:]
	outer, ok := s.keys[keyID(head[1:])]
	if !ok {
		return nil, ErrUnknownKey
	}
	key, err := unbox(outer, rest[:wrapBytes], bound(head, aad))
	if err != nil {
		return nil, ErrUnreadable
	}
	inner, err := aead(key)
	if err != nil {
		return nil, ErrUnreadable
	}
	plain, err := unbox(inner, rest[wrapBytes:], aad)
	if err != nil {
		return nil, ErrUnreadable
	}
	return plain, nil
}

// Stale reports whether a value is sealed with another key than the first.
func (s *Sealer) Stale(sealed []byte) bool {
	return len(sealed) < headBytes || sealed[0] != version || keyID(sealed[1:headBytes]) != s.first
}

func bound(head, aad []byte) []byte {
	return append(append(make([]byte, 0, len(head)+len(aad)), head...), aad...)
}

// box appends a nonce and the sealed text.
func box(a cipher.AEAD, to, text, aad []byte) []byte {
	nonce := make([]byte, nonceBytes)
	_, _ = rand.Read(nonce) // never fails
	return a.Seal(append(to, nonce...), nonce, text, aad)
}

func unbox(a cipher.AEAD, b, aad []byte) ([]byte, error) {
	return a.Open(nil, b[:nonceBytes], b[nonceBytes:], aad)
}
