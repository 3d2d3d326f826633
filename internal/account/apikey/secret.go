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

// DefaultPrefix stands before every secret unless the installation chose another.
const DefaultPrefix = "rlo_"

const (
	randomBytes    = 32
	encodedLength  = 43 // base64url of randomBytes, without padding
	checksumLength = 6  // base62 of 32 bits
	hintLength     = 4
)

const base62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

// ErrShape says that a text is not a secret of this installation: cut, mistyped or made elsewhere.
var ErrShape = errors.New("this is not the shape of an API key")

var prefixShape = regexp.MustCompile(`^[a-z][a-z0-9]{0,15}_$`)

// encoding refuses a last character with spare bits set: one key has one spelling.
var encoding = base64.RawURLEncoding.Strict()

// CheckPrefix says whether an installation may use the prefix: a lower-case letter, then letters or digits, then an
// underscore, 17 characters at most.
func CheckPrefix(prefix string) error {
	if !prefixShape.MatchString(prefix) {
		return errors.New("a key prefix is a lower-case letter, up to 15 letters or digits and an underscore, such as " + DefaultPrefix)
	}
	return nil
}

// New makes a secret. It returns the secret, to be shown once, its hash, to be stored, and a hint that shows a person
// which key it is.
func New(prefix string) (secret, hash, hint string) {
	random := make([]byte, randomBytes)
	_, _ = rand.Read(random) // never fails: the program ends when the system has no randomness
	secret = prefix + encoding.EncodeToString(random) + checksum(random)
	return secret, Hash(secret), prefix + "...." + secret[len(secret)-hintLength:]
}

// CheckShape tells a secret from a text that cannot be one, without any look-up. The error is ErrShape.
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

// Hash is what is stored of a secret: its SHA-256 as 64 lower-case hexadecimal digits.
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
