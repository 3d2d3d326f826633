// SPDX-License-Identifier: Apache-2.0

package idempotency

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/reelops/reelops/apiserver/problem"
	"github.com/reelops/reelops/internal/catalog"
)

// Header is the name of the request header.
const Header = "Idempotency-Key"

// MaxKeyCharacters bounds a key.
const MaxKeyCharacters = 255

// CheckKey reads the values of the header. It gives the key and whether there is one; a key that is empty, too long, not
// UTF-8, or holds control characters is a 400, and so are two keys.
func CheckKey(values []string) (string, bool, *problem.Problem) {
	if len(values) == 0 {
		return "", false, nil
	}
	key := values[0]
	var wrong string
	switch {
	case len(values) > 1:
		wrong = "There is more than one Idempotency-Key."
	case key == "":
		wrong = "The Idempotency-Key is empty."
	case !utf8.ValidString(key):
		wrong = "The Idempotency-Key is not valid UTF-8."
	case utf8.RuneCountInString(key) > MaxKeyCharacters:
		wrong = "The Idempotency-Key has more than " + strconv.Itoa(MaxKeyCharacters) + " characters."
	case strings.ContainsFunc(key, unicode.IsControl):
		wrong = "The Idempotency-Key holds a control character."
	default:
		return key, true, nil
	}
	return "", true, problem.New(catalog.BadRequest, problem.Details{"parameter": Header}).Saying(wrong)
}

// Scope is within what an idempotency key means one request.
type Scope struct {
	// Namespace of the account.
	Namespace string
	// KeyUID is the uid of the API key.
	KeyUID string
	// Method and Path of the request, the path as it was sent, without query.
	Method, Path string
	// Key that was sent.
	Key string
	// Brand is kept with the record for people who look at it; it is no part of the scope.
	Brand string
}

// Endpoint is the operation as callers are told of it.
func (s Scope) Endpoint() string { return s.Method + " " + s.Path }

// hash is the SHA-256 over the scope, in hexadecimal. Lengths stand before the parts, so that no two scopes read the same.
func (s Scope) hash() string {
	h := sha256.New()
	var b []byte
	for _, part := range []string{s.KeyUID, s.Method, s.Path, s.Key} {
		b = strconv.AppendInt(b, int64(len(part)), 10)
		b = append(b, ':')
		b = append(b, part...)
	}
	h.Write(b)
	return hex.EncodeToString(h.Sum(nil))
}

// recordName is the name of the record of a scope with the hash.
func recordName(hash string) string { return "idem-" + hash[:20] }
