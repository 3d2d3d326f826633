// SPDX-License-Identifier: Apache-2.0

package consent

import (
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
	"github.com/reelops/reelops/internal/store/envelope"
)

// LinkTime is how long a link is valid, ResultTime how long the result page after it can be opened.
const (
	LinkTime   = 10 * time.Minute
	ResultTime = time.Hour
)

// maxUser limits the name of a user in a link, in bytes, because platforms limit the length of a state.
const maxUser = 256

// maxToken is the maximum length of a token in bytes. Longer tokens are rejected.
const maxToken = 4096

// Errors of a token.
var (
	ErrUnknown = errors.New("the link is not valid")
	ErrExpired = errors.New("the link has expired")
)

// Link is the purpose of a link.
type Link struct {
	// Nonce identifies the link.
	Nonce string `json:"i"`
	// Namespace and Brand for which an account is connected.
	Namespace string           `json:"n"`
	Brand     string           `json:"b"`
	Platform  v1beta1.Platform `json:"p"`
	// Key is the ID of the API key that requested the link.
	Key int64 `json:"k,omitempty"`
	// User is the name of the user of the console who requested the link, cut after maxUser bytes; empty for a key.
	User string `json:"u,omitempty"`
	// Expires in Unix seconds.
	Expires int64 `json:"e"`
}

// RequestName returns the name of the ConnectionRequest that the link creates.
func (l *Link) RequestName() string { return "connect-" + l.Nonce }

// Code is the result of a platform's consent page.
type Code struct {
	Code string `json:"code"`
	// RedirectURI is the redirect URI of the consent page. The code exchange must repeat it.
	RedirectURI string `json:"redirect_uri"`
}

// Sealer creates and reads the tokens of the consent flow. All processes with the same key can read each other's
// tokens.
type Sealer struct {
	state, result, code cipher.AEAD
	proof               []byte
	clock               clock.PassiveClock
}

// NewSealer derives its keys from the installation's signing key, which must have at least 32 bytes. Other values
// signed with the signing key are not valid tokens here.
func NewSealer(key []byte, c clock.PassiveClock) (*Sealer, error) {
	s := &Sealer{clock: c}
	var err error
	for _, d := range []struct {
		info string
		into *cipher.AEAD
	}{
		{"reelops consent state v1", &s.state}, {"reelops consent result v1", &s.result}, {"reelops consent code v1", &s.code},
	} {
		if *d.into, err = envelope.Derive(key, d.info); err != nil {
			return nil, err
		}
	}
	s.proof, err = hkdf.Key(sha256.New, key, nil, "reelops consent proof v1", 32)
	return s, err
}

// Link returns the state of a new link. It fills in Nonce and Expires, and cuts User.
func (s *Sealer) Link(l Link) (state string, out Link, err error) {
	nonce := make([]byte, 16)
	_, _ = rand.Read(nonce) // never fails
	l.User = strings.ToValidUTF8(l.User[:min(len(l.User), maxUser)], "")
	l.Nonce, l.Expires = hex.EncodeToString(nonce), s.clock.Now().Add(LinkTime).Unix()
	state, err = seal(s.state, l)
	return state, l, err
}

// OpenLink reads a state that a platform returned. The error is ErrUnknown or, together with the link, ErrExpired.
func (s *Sealer) OpenLink(state string) (*Link, error) { return s.open(s.state, state) }

// Result returns the token of the page that shows the outcome of a link.
func (s *Sealer) Result(l Link) (string, error) {
	l.Expires = s.clock.Now().Add(ResultTime).Unix()
	return seal(s.result, l)
}

// OpenResult reads a token of Result. The error is ErrUnknown or ErrExpired.
func (s *Sealer) OpenResult(token string) (*Link, error) { return s.open(s.result, token) }

// Verifier returns the PKCE verifier of a link: 43 characters.
func (s *Sealer) Verifier(nonce string) string {
	m := hmac.New(sha256.New, s.proof)
	_, _ = m.Write([]byte(nonce)) // never fails
	return base64.RawURLEncoding.EncodeToString(m.Sum(nil))
}

// SealCode encrypts a code for the ConnectionRequest with the given name.
func (s *Sealer) SealCode(c Code, namespace, request string) (string, error) {
	doc, err := json.Marshal(c)
	if err != nil {
		return "", fmt.Errorf("sealing a code: %w", err)
	}
	return base64.RawURLEncoding.EncodeToString(s.code.Seal(nil, nil, doc, codeAAD(namespace, request))), nil
}

// OpenCode decrypts a code. The error is ErrUnknown.
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

// CallbackPath returns the redirect path of a platform's consent page, below the public address.
func CallbackPath(p v1beta1.Platform) string { return "/oauth/" + string(p) + "/callback" }

// CallbackURL returns CallbackPath at a public address. The operator registers this URL when creating an app on the
// platform.
func CallbackURL(base string, p v1beta1.Platform) string {
	return strings.TrimRight(base, "/") + CallbackPath(p)
}
