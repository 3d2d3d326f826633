// SPDX-License-Identifier: Apache-2.0

package auth

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/apiserver/problem"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/store/envelope"
)

// accessTokenPrefix begins access tokens, so that scanners for leaked secrets can find them.
const accessTokenPrefix = "reelops_at_" //nolint:gosec // not a secret

// maxAccessToken is the maximum length of an access token after the prefix, in bytes.
const maxAccessToken = 2048

// AccessToken is the content of an access token: a part of the rights of a grant, for a limited time.
type AccessToken struct {
	// Namespace, Name and UID of the grant.
	Namespace string    `json:"n"`
	Name      string    `json:"k"`
	UID       types.UID `json:"u"`
	// Scopes of the token. The token has those of them that the grant has.
	Scopes []v1beta1.Scope `json:"s"`
	// Expires in Unix seconds.
	Expires int64 `json:"e"`
}

// AccessTokens creates and reads the access tokens of OAuth clients. They are valid for one transport.
type AccessTokens struct {
	// Transport of the calls for which the tokens are valid.
	Transport string
	// Metadata is the URL of the metadata of the protected resource (RFC 9728). Refusals name it, so that clients can
	// find where users sign in.
	Metadata string

	sealed *envelope.Tokens
}

// NewAccessTokens derives the key of the tokens from the signing key of the installation.
func NewAccessTokens(signingKey []byte, transport, metadata string) (*AccessTokens, error) {
	sealed, err := envelope.NewTokens(signingKey, "reelops oauth access token v1", maxAccessToken)
	return &AccessTokens{Transport: transport, Metadata: metadata, sealed: sealed}, err
}

// Seal returns a token.
func (t *AccessTokens) Seal(a AccessToken) (string, error) {
	sealed, err := t.sealed.Seal(a)
	return accessTokenPrefix + sealed, err
}

// Open reads a token. It returns false for a text that is not a token. The token may have expired.
func (t *AccessTokens) Open(text string) (*AccessToken, bool) {
	sealed, ok := strings.CutPrefix(text, accessTokenPrefix)
	a := &AccessToken{}
	if !ok || t.sealed.Open(sealed, a) != nil {
		return nil, false
	}
	return a, true
}

// grant returns the cached grant of an access token. Its error is a 401, or that of a read.
func (a *Authenticator) grant(ctx context.Context, text, transport string) (*AccessToken, *v1beta1.APIKey, error) {
	token, ok := a.Tokens.Open(text)
	switch {
	case !ok:
		return nil, nil, unauthorized(catalog.InvalidToken)
	case transport != a.Tokens.Transport:
		return nil, nil, unauthorizedAs(catalog.InvalidToken, "The access token is for the MCP server only.")
	case a.Clock.Now().Unix() >= token.Expires:
		return nil, nil, unauthorizedAs(catalog.InvalidToken, "The access token has expired: refresh it.")
	}
	key, name := &v1beta1.APIKey{}, client.ObjectKey{Namespace: token.Namespace, Name: token.Name}
	err := a.Reader.Cached.Get(ctx, name, key)
	if apierrors.IsNotFound(err) { // the cache may not have a new grant yet; the token proves that there was one
		err = a.Reader.Live.Get(ctx, name, key)
	}
	if apierrors.IsNotFound(err) {
		return nil, nil, unauthorized(catalog.InvalidToken)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("reading a grant: %w", err)
	}
	return token, key, nil
}

// challenge adds to a 401 where clients learn how to get a token.
func (a *Authenticator) challenge(err error, transport string) error {
	p := (*problem.Problem)(nil)
	if a.Tokens != nil && transport == a.Tokens.Transport && errors.As(err, &p) && p.Header.Get(challengeHeader) != "" {
		p.Header.Set(challengeHeader, p.Header.Get(challengeHeader)+`, resource_metadata="`+a.Tokens.Metadata+`"`)
	}
	return err
}

// both returns the scopes that are in both lists, in the order of the first.
func both(a, b []v1beta1.Scope) []v1beta1.Scope {
	return slices.DeleteFunc(slices.Clone(a), func(s v1beta1.Scope) bool { return !slices.Contains(b, s) })
}
