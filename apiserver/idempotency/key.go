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

// MaxKeyCharacters is the maximum length of a key, in characters.
const MaxKeyCharacters = 255

// CheckKey returns the key in the header's values and whether there is one. A key that is empty, too long, not UTF-8 or
// holds control characters is a 400, and so are two keys.
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
		wrong = "The Idempotency-Key contains a control character."
	default:
		return key, true, nil
	}
	return "", true, problem.New(catalog.BadRequest, problem.Details{"parameter": Header}).Saying(wrong)
}

// Scope identifies a request: the same idempotency key means the same request only within one scope.
type Scope struct {
	// Namespace of the account.
	Namespace string
	// KeyUID is the uid of the API key.
	KeyUID string
	// Method and Path of the request; the path as sent, without the query.
	Method, Path string
	// Key in the request's header.
	Key string
	// Brand is stored in the record for information. It is not part of the scope.
	Brand string
}

// Endpoint returns the operation as it appears in error details.
func (s Scope) Endpoint() string { return s.Method + " " + s.Path }

// hash returns the hexadecimal SHA-256 of the scope. Each part is prefixed by its length, so that different scopes
// never encode alike.
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

// recordName returns the name of the record for a scope hash.
func recordName(hash string) string { return "idem-" + hash[:20] }
