// SPDX-License-Identifier: Apache-2.0

package consent

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"k8s.io/utils/clock"

	"github.com/reelops/reelops/api/v1beta1"
)

// LinkTime is how long a link is good, ResultTime how long the page after it can be looked at.
const (
	LinkTime   = 10 * time.Minute
	ResultTime = time.Hour
)

// maxToken is the longest token that is looked at, in bytes.
const maxToken = 4096

// Why a token is refused.
var (
	ErrUnknown = errors.New("no such link was made here")
	ErrExpired = errors.New("the time of the link has passed")
)

// Link is what a link was made for.
type Link struct {
	// Nonce names the link.
	Nonce string `json:"i"`
	// Namespace and Brand for which an account is connected.
	Namespace string           `json:"n"`
	Brand     string           `json:"b"`
	Platform  v1beta1.Platform `json:"p"`
	// Key is the id of the API key that asked for it.
	Key int64 `json:"k,omitempty"`
	// Expires in Unix seconds.
	Expires int64 `json:"e"`
}

// RequestName is the name of the ConnectionRequest that the link becomes.
func (l *Link) RequestName() string { return "connect-" + l.Nonce }

// Code is what came back from a platform's page.
type Code struct {
	Code string `json:"code"`
	// RedirectURI is where the page led back to; the exchange has to name it again.
	RedirectURI string `json:"redirect_uri"`
}

// Sealer makes and reads what goes round. All processes with the same key read what the others made.
type Sealer struct {
	state, result, code cipher.AEAD
	proof               []byte
	clock               clock.PassiveClock
}

// NewSealer derives its keys from the installation's signing key, which has at least 32 bytes; nothing else that is signed with that is
// a token here.
func NewSealer(key []byte, c clock.PassiveClock) (*Sealer, error) {
	if len(key) < 32 {
		return nil, errors.New("the signing key has fewer than 32 bytes")
	}
	s := &Sealer{clock: c}
	for _, d := range []struct {
		info string
		into *cipher.AEAD
	}{
		{"reelops consent state v1", &s.state}, {"reelops consent result v1", &s.result}, {"reelops consent code v1", &s.code},
	} {
		k, err := hkdf.Key(sha256.New, key, nil, d.info, 32)
		if err != nil {
			return nil, err
		}
		b, err := aes.NewCipher(k)
		if err != nil {
			return nil, err
		}
		if *d.into, err = cipher.NewGCMWithRandomNonce(b); err != nil {
			return nil, err
		}
	}
	var err error
	s.proof, err = hkdf.Key(sha256.New, key, nil, "reelops consent proof v1", 32)
	return s, err
}

// Link makes a link's state; the nonce and the end are filled in.
func (s *Sealer) Link(l Link) (state string, out Link, err error) {
	nonce := make([]byte, 16)
	_, _ = rand.Read(nonce) // never fails
	l.Nonce, l.Expires = hex.EncodeToString(nonce), s.clock.Now().Add(LinkTime).Unix()
	state, err = seal(s.state, l)
	return state, l, err
}

// OpenLink reads a state that came back. The error is ErrUnknown or, with the link, ErrExpired.
func (s *Sealer) OpenLink(state string) (*Link, error) { return s.open(s.state, state) }

// Result makes the token of the page that tells what became of a link.
func (s *Sealer) Result(l Link) (string, error) {
	l.Expires = s.clock.Now().Add(ResultTime).Unix()
	return seal(s.result, l)
}

// OpenResult reads such a token. The error is ErrUnknown or ErrExpired.
func (s *Sealer) OpenResult(token string) (*Link, error) { return s.open(s.result, token) }

// Verifier is the proof of a link: 43 characters.
func (s *Sealer) Verifier(nonce string) string {
	m := hmac.New(sha256.New, s.proof)
	_, _ = m.Write([]byte(nonce)) // never fails
	return base64.RawURLEncoding.EncodeToString(m.Sum(nil))
}

// SealCode hides a code for the ConnectionRequest of the name.
func (s *Sealer) SealCode(c Code, namespace, request string) (string, error) {
	doc, err := json.Marshal(c)
	if err != nil {
		return "", fmt.Errorf("sealing a code: %w", err)
	}
	return base64.RawURLEncoding.EncodeToString(s.code.Seal(nil, nil, doc, codeAAD(namespace, request))), nil
}

// OpenCode reads it. The error is ErrUnknown.
func (s *Sealer) OpenCode(sealed, namespace, request string) (*Code, error) {
	raw, err := base64.RawURLEncoding.DecodeString(sealed)
	if err != nil {
		return nil, ErrUnknown
	}
	doc, err := s.code.Open(nil, nil, raw, codeAAD(namespace, request))
	if err != nil {
		return nil, ErrUnknown
	}
	var c Code
	if err := json.Unmarshal(doc, &c); err != nil {
		return nil, ErrUnknown
	}
	return &c, nil
}

func codeAAD(namespace, request string) []byte { return []byte(namespace + "/" + request) }

func seal(a cipher.AEAD, l Link) (string, error) {
	doc, err := json.Marshal(l)
	if err != nil {
		return "", fmt.Errorf("sealing a link: %w", err)
	}
	return base64.RawURLEncoding.EncodeToString(a.Seal(nil, nil, doc, nil)), nil
}

func (s *Sealer) open(a cipher.AEAD, token string) (*Link, error) {
	if len(token) > maxToken {
		return nil, ErrUnknown
	}
	raw, err := base64.RawURLEncoding.Strict().DecodeString(token)
	if err != nil {
		return nil, ErrUnknown
	}
	doc, err := a.Open(nil, nil, raw, nil)
	if err != nil {
		return nil, ErrUnknown
	}
	l := &Link{}
	if err := json.Unmarshal(doc, l); err != nil {
		return nil, ErrUnknown
	}
	if s.clock.Now().Unix() >= l.Expires {
		return l, ErrExpired
	}
	return l, nil
}

// CallbackPath is where a platform's page leads back to, below the public address.
func CallbackPath(p v1beta1.Platform) string { return "/oauth/" + string(p) + "/callback" }

// CallbackURL is CallbackPath at a public address. Whoever sets up an app on a platform enters it there.
func CallbackURL(base string, p v1beta1.Platform) string {
	return strings.TrimRight(base, "/") + CallbackPath(p)
}
