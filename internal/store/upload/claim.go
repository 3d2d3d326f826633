// SPDX-License-Identifier: Apache-2.0

// Package upload is what one part of the service tells another of a file that is being uploaded. No record is made of an
// upload before it is kept: all that was declared travels with the caller, sealed, and comes back with the claim.
//
// It neither stores nor signs addresses; package blob does.
package upload

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"k8s.io/utils/clock"

	"github.com/reelops/reelops/internal/store/blob"
)

// DefaultTTL is how long an upload can be claimed.
const DefaultTTL = 24 * time.Hour

// PurgeAfter is the age at which an upload that was not claimed may be removed: a little more than the time to claim it,
// because a claim may be on its way.
func PurgeAfter(ttl time.Duration) time.Duration { return ttl + ttl/24 }

// Prefix is where uploads lie in the store.
const Prefix = "uploads/"

// Key is where the upload of a media item of the namespace lies in the store.
func Key(namespace string, media int64) string {
	return Prefix + namespace + "/" + strconv.FormatInt(media, 10)
}

// ParseKey tells whose upload lies at a key. Keys that no upload has are not ok.
func ParseKey(key string) (namespace string, media int64, ok bool) {
	rest, ok := strings.CutPrefix(key, Prefix)
	if !ok {
		return "", 0, false
	}
	namespace, id, _ := strings.Cut(rest, "/")
	media, err := strconv.ParseInt(id, 10, 64)
	if err != nil || media <= 0 || Key(namespace, media) != key {
		return "", 0, false
	}
	return namespace, media, true
}

// Name is the name of the MediaAsset that an upload becomes.
func Name(media int64) string { return "media-" + strconv.FormatInt(media, 10) }

// Claim is what was declared of an upload, and for whom.
type Claim struct {
	// Namespace and Brand (its id) to which the item will belong; Media is the id that was reserved for it.
	Namespace string `json:"n"`
	Brand     int64  `json:"b"`
	Media     int64  `json:"m"`
	// Title that the item gets unless it is given another.
	Title string `json:"t,omitempty"`
	// ContentType, Bytes and one of MD5 and SHA256, as declared.
	ContentType string `json:"c"`
	Bytes       int64  `json:"s"`
	MD5         []byte `json:"5,omitempty"`
	SHA256      []byte `json:"2,omitempty"`
	// Expires is when it can be claimed no more, in Unix seconds.
	Expires int64 `json:"e"`
}

// Key is where the upload lies in the store.
func (c *Claim) Key() string { return Key(c.Namespace, c.Media) }

// Declared is the upload as the store enforces it, at an address that is good for so long.
func (c *Claim) Declared(valid time.Duration) blob.Upload {
	return blob.Upload{ContentType: c.ContentType, Bytes: c.Bytes, MD5: c.MD5, SHA256: c.SHA256, Valid: valid}
}

// Why a claim is refused.
var (
	ErrUnknown = errors.New("no such upload was declared here")
	ErrExpired = errors.New("the time to claim the upload has passed")
)

// MaxToken is the longest token, in bytes.
const MaxToken = 4096

// Sealer makes tokens of claims and reads them. Every replica with the same key reads what the others made.
type Sealer struct {
	key   []byte
	ttl   time.Duration
	clock clock.PassiveClock
}

// NewSealer derives its key from the installation's signing key, so that nothing else that is signed with that is a token. The key
// has at least blob.MinSigningKey bytes; ttl is how long uploads can be claimed, 0 for DefaultTTL.
func NewSealer(key []byte, ttl time.Duration, c clock.PassiveClock) (*Sealer, error) {
	if len(key) < blob.MinSigningKey {
		return nil, fmt.Errorf("the signing key has fewer than %d bytes", blob.MinSigningKey)
	}
	if ttl <= 0 {
		ttl = DefaultTTL
	}
	return &Sealer{key: mac(key, []byte("reelops upload claims v1")), ttl: ttl, clock: c}, nil
}

// Seal makes the token of a claim, which ends from now after the time to claim.
func (s *Sealer) Seal(c Claim) (string, error) {
	c.Expires = s.clock.Now().Add(s.ttl).Unix()
	doc, err := json.Marshal(c)
	if err != nil {
		return "", fmt.Errorf("sealing a claim: %w", err)
	}
	return base64.RawURLEncoding.EncodeToString(append(mac(s.key, doc), doc...)), nil
}

// Open reads a token. One that was not made here, or for another brand, is ErrUnknown; one whose time has passed ErrExpired.
func (s *Sealer) Open(token, namespace string, brand int64) (*Claim, error) {
	if len(token) > MaxToken {
		return nil, ErrUnknown
	}
	raw, err := base64.RawURLEncoding.Strict().DecodeString(token)
	if err != nil || len(raw) < sha256.Size {
		return nil, ErrUnknown
	}
	sum, doc := raw[:sha256.Size], raw[sha256.Size:]
	if !hmac.Equal(sum, mac(s.key, doc)) {
		return nil, ErrUnknown
	}
	var c Claim
	if err := json.Unmarshal(doc, &c); err != nil || c.Namespace != namespace || c.Brand != brand {
		return nil, ErrUnknown
	}
	if s.clock.Now().Unix() >= c.Expires {
		return nil, ErrExpired
	}
	return &c, nil
}

func mac(key, text []byte) []byte {
	m := hmac.New(sha256.New, key)
	_, _ = m.Write(text) // never fails
	return m.Sum(nil)
}
