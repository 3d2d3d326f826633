// SPDX-License-Identifier: Apache-2.0

package apikey

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"hash/crc32"
	"regexp"
	"strings"
)

// DefaultPrefix is the prefix of secrets unless the installation configures another.
const DefaultPrefix = "rlo_"

const (
	randomBytes    = 32
	encodedLength  = 43 // base64url of randomBytes, without padding
	checksumLength = 6  // base62 of 32 bits
	hintLength     = 4
)

const base62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

// ErrShape means that a text is not a secret of this installation: it is truncated, mistyped or from elsewhere.
var ErrShape = errors.New("this is not the shape of an API key")

var prefixShape = regexp.MustCompile(`^[a-z][a-z0-9]{0,15}_$`)

// encoding rejects a last character with spare bits set: one key has one spelling.
var encoding = base64.RawURLEncoding.Strict()

// CheckPrefix returns an error unless an installation may use the prefix: a lower-case letter, then letters or digits,
// then an underscore, at most 17 characters.
func CheckPrefix(prefix string) error {
	if !prefixShape.MatchString(prefix) {
		return errors.New("a key prefix is a lower-case letter, up to 15 letters or digits and an underscore, such as " + DefaultPrefix)
	}
	return nil
}

// New creates a secret. It returns the secret, to be shown once, its hash, to be stored, and a hint by which users
// recognize the key.
func New(prefix string) (secret, hash, hint string) {
	random := make([]byte, randomBytes)
	_, _ = rand.Read(random) // never fails: the program ends when the system has no randomness
	secret = prefix + encoding.EncodeToString(random) + checksum(random)
	return secret, Hash(secret), prefix + "...." + secret[len(secret)-hintLength:]
}

// CheckShape returns ErrShape for a text that cannot be a secret, without a look-up.
func CheckShape(prefix, secret string) error {
	rest, ok := strings.CutPrefix(secret, prefix)
	if !ok || len(rest) != encodedLength+checksumLength {
		return ErrShape
	}
	random, err := encoding.DecodeString(rest[:encodedLength])
	if err != nil || checksum(random) != rest[encodedLength:] {
		return ErrShape
	}
	return nil
}

// Hash returns the stored form of a secret: its SHA-256 as 64 lower-case hexadecimal digits.
func Hash(secret string) string {
	sum := sha256.Sum256([]byte(secret))
	return hex.EncodeToString(sum[:])
}

func checksum(random []byte) string {
	n := crc32.ChecksumIEEE(random)
	out := make([]byte, checksumLength)
	for i := checksumLength - 1; i >= 0; i-- {
		out[i] = base62[n%62]
		n /= 62
	}
	return string(out)
}
