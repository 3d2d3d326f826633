// SPDX-License-Identifier: Apache-2.0

package console

import (
	"bytes"
	"compress/flate"
	"crypto/cipher"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/reelops/reelops/internal/store/envelope"
)

// maxCookie is the maximum length of the value of a cookie, in bytes. Browsers store at least 4096 bytes together with
// the name and the attributes.
const maxCookie = 3900

var (
	// errSealed means that a value was not sealed with this key, or was cut.
	errSealed = errors.New("the value was not sealed by this installation")
	// errTooLarge means that a value does not fit into a cookie.
	errTooLarge = fmt.Errorf("the value is larger than %d bytes", maxCookie)
)

// sealer encrypts values of cookies. All replicas have the same key, and one sealer cannot open the values of another.
type sealer struct{ aead cipher.AEAD }

// newSealer derives the key for a purpose from the signing key of the installation.
func newSealer(key []byte, purpose string) (*sealer, error) {
	aead, err := envelope.Derive(key, "reelops console "+purpose+" v1")
	return &sealer{aead}, err
}

// seal returns v, compressed and encrypted, as the value of a cookie. The error is errTooLarge if it does not fit.
func (s *sealer) seal(v any) (string, error) {
	var packed bytes.Buffer
	z, err := flate.NewWriter(&packed, flate.BestCompression)
	if err != nil {
		return "", err
	}
	if err := errors.Join(json.NewEncoder(z).Encode(v), z.Close()); err != nil {
		return "", fmt.Errorf("sealing a cookie: %w", err)
	}
	value := base64.RawURLEncoding.EncodeToString(s.aead.Seal(nil, nil, packed.Bytes(), nil))
	if len(value) > maxCookie {
		return "", errTooLarge
	}
	return value, nil
}

// open decrypts the value of a cookie. Its error is errSealed.
func (s *sealer) open(value string, into any) error {
	if len(value) > maxCookie {
		return errSealed
	}
	raw, err := base64.RawURLEncoding.Strict().DecodeString(value)
	if err != nil {
		return errSealed
	}
	packed, err := s.aead.Open(nil, nil, raw, nil)
	if err != nil {
		return errSealed
	}
	if err := json.NewDecoder(flate.NewReader(bytes.NewReader(packed))).Decode(into); err != nil {
		return errSealed
	}
	return nil
}
