// SPDX-License-Identifier: Apache-2.0

// Package upload passes the declaration of an upload from one part of the service to another. An upload has no record
// before it is stored. The client keeps the signed declaration and sends it back with the claim.
//
// Package blob stores the bytes and signs the URLs.
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

// PurgeAfter returns the age at which an unclaimed upload may be removed. It is longer than the time to claim the
// upload, because a claim may be in flight.
func PurgeAfter(ttl time.Duration) time.Duration { return ttl + ttl/24 }

// Prefix is the key prefix of uploads in the store.
const Prefix = "uploads/"

// Key returns the store key of the upload of a media item of the namespace.
func Key(namespace string, media int64) string {
	return Prefix + namespace + "/" + strconv.FormatInt(media, 10)
}

// ParseKey returns the namespace and the media id in the key of an upload. ok is false for any other key.
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

// Name returns the name of the MediaAsset that an upload becomes.
func Name(media int64) string { return "media-" + strconv.FormatInt(media, 10) }

// Claim is the declaration of an upload, and whom the upload is for.
type Claim struct {
	// Namespace and Brand (its id) are the future owners of the item; Media is the id that was reserved for it.
	Namespace string `json:"n"`
	Brand     int64  `json:"b"`
	Media     int64  `json:"m"`
	// Title is the title of the item unless the claim sets another.
	Title string `json:"t,omitempty"`
	// ContentType, Bytes and one of MD5 and SHA256, as declared.
	ContentType string `json:"c"`
	Bytes       int64  `json:"s"`
	MD5         []byte `json:"5,omitempty"`
	SHA256      []byte `json:"2,omitempty"`
	// Expires is when the claim expires, in Unix seconds.
	Expires int64 `json:"e"`
}

// Key returns the store key of the upload.
func (c *Claim) Key() string { return Key(c.Namespace, c.Media) }

// Declared returns the upload as the store enforces it, for a URL of the given validity.
func (c *Claim) Declared(valid time.Duration) blob.Upload {
	return blob.Upload{ContentType: c.ContentType, Bytes: c.Bytes, MD5: c.MD5, SHA256: c.SHA256, Valid: valid}
}

// Errors of Sealer.Open.
var (
	ErrUnknown = errors.New("no such upload was declared here")
	ErrExpired = errors.New("the upload has expired")
)

// MaxToken is the longest token, in bytes.
const MaxToken = 4096

// Sealer creates and reads the tokens of claims. All replicas with the same key read each other's tokens.
type Sealer struct {
	key   []byte
	ttl   time.Duration
	clock clock.PassiveClock
}

// NewSealer derives its key from the installation's signing key, so that no other text signed with that key is a token.
// The key has at least blob.MinSigningKey bytes. ttl is how long uploads can be claimed; 0 means DefaultTTL.
func NewSealer(key []byte, ttl time.Duration, c clock.PassiveClock) (*Sealer, error) {
	if len(key) < blob.MinSigningKey {
		return nil, fmt.Errorf("the signing key has fewer than %d bytes", blob.MinSigningKey)
	}
	if ttl <= 0 {
		ttl = DefaultTTL
	}
	return &Sealer{key: mac(key, []byte("reelops upload claims v1")), ttl: ttl, clock: c}, nil
}

// Seal returns the token of a claim. The token expires after the ttl, from now.
func (s *Sealer) Seal(c Claim) (string, error) {
	c.Expires = s.clock.Now().Add(s.ttl).Unix()
	doc, err := json.Marshal(c)
	if err != nil {
		return "", fmt.Errorf("sealing a claim: %w", err)
	}
	return base64.RawURLEncoding.EncodeToString(append(mac(s.key, doc), doc...)), nil
}

// Open returns the claim in a token. The error is ErrUnknown for a token of another signer, namespace or brand, and
// ErrExpired for an expired one.
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
