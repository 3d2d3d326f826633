// SPDX-License-Identifier: Apache-2.0

package oauth

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/zitadel/oidc/v3/pkg/oidc"
	"github.com/zitadel/oidc/v3/pkg/op"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/account/apikey"
)

// Values of the protocol.
const (
	responseCode, modeQuery = "code", "query"
	grantCode, grantRefresh = "authorization_code", "refresh_token"
	challengeS256           = "S256"
)

const (
	// codeTime is how long an authorization code is valid.
	codeTime = time.Minute
	// maxCode is the maximum length of an authorization code, in bytes, and maxState that of the state of a request.
	maxCode, maxState = 2048, 1024
)

// usualScopes are the scopes of a request that names none: what an agent needs to create, publish and measure.
var usualScopes = []v1beta1.Scope{
	v1beta1.ScopeBrandRead, v1beta1.ScopeMediaRead, v1beta1.ScopeMediaWrite, v1beta1.ScopeContentWrite,
	v1beta1.ScopePostsRead, v1beta1.ScopePostsWrite, v1beta1.ScopeAnalyticsRead,
}

// Request is a valid request of a client for access.
type Request struct {
	Client *Client
	// Scopes that the client requests.
	Scopes []v1beta1.Scope

	redirect, state, challenge string
}

// RedirectHost returns where the response is sent: the host of the redirect URI, or its scheme for an application.
func (r *Request) RedirectHost() string {
	u, err := url.Parse(r.redirect)
	if err != nil {
		return ""
	}
	if u.Scheme == "https" || u.Scheme == "http" {
		return u.Hostname()
	}
	return u.Scheme + ":"
}

// ToThisComputer reports whether a program on the user's computer receives the response. Any program there can pretend
// to be the client.
func (r *Request) ToThisComputer() bool {
	_, loopback := op.HTTPLoopbackOrLocalhost(r.redirect)
	return loopback || !strings.HasPrefix(r.redirect, "https://")
}

// RefusedError is the refusal of a request that the client learns: the user's browser opens Redirect.
type RefusedError struct {
	Redirect string
	cause    *oidc.Error
}

func (e *RefusedError) Error() string { return e.cause.Error() }

// Parse returns the request in a query. The error is a RefusedError, or an oidc.Error that the user must see, because
// the query names no client that responses may go to.
func (s *Server) Parse(ctx context.Context, query url.Values) (*Request, error) {
	id, err := only(query, "client_id")
	if err != nil {
		return nil, err
	}
	r := &Request{}
	if r.redirect, err = only(query, "redirect_uri"); err != nil {
		return nil, err
	}
	if r.Client, err = s.client(ctx, id); err != nil {
		return nil, err
	}
	if r.redirect == "" && len(r.Client.Redirects) == 1 {
		r.redirect = r.Client.Redirects[0]
	}
	if err := r.Client.checkRedirect(r.redirect); err != nil {
		return nil, err
	}
	state, err := only(query, "state")
	if err == nil && len(state) > maxState {
		state, err = "", oidc.ErrInvalidRequest().WithDescription("state must have at most %d bytes.", maxState)
	}
	r.state = state
	if err == nil {
		err = s.complete(r, query)
	}
	if e := (*oidc.Error)(nil); errors.As(err, &e) {
		redirect := s.response(r, answer{Error: string(e.ErrorType), Description: e.Description})
		return nil, &RefusedError{Redirect: redirect, cause: e}
	}
	return r, err
}

// complete reads and checks what does not concern the client.
func (s *Server) complete(r *Request, query url.Values) error {
	values := map[string]string{}
	for _, name := range []string{"response_type", "response_mode", "code_challenge", "code_challenge_method", "scope"} {
		var err error
		if values[name], err = only(query, name); err != nil {
			return err
		}
	}
	switch {
	case values["response_type"] != responseCode:
		e := oidc.ErrInvalidRequest().WithDescription("response_type must be code.")
		e.ErrorType = "unsupported_response_type"
		return e
	case values["response_mode"] != "" && values["response_mode"] != modeQuery:
		return oidc.ErrInvalidRequest().WithDescription("response_mode must be query.")
	case values["code_challenge_method"] != challengeS256:
		return oidc.ErrInvalidRequest().WithDescription("code_challenge_method must be S256.")
	}
	digest, err := base64.RawURLEncoding.DecodeString(values["code_challenge"])
	if err != nil || len(digest) != sha256.Size {
		return oidc.ErrInvalidRequest().WithDescription("code_challenge must be a SHA-256 in base64url.")
	}
	r.challenge = values["code_challenge"]
	if err := s.checkResource(query["resource"]); err != nil {
		return err
	}
	r.Scopes = usualScopes
	if asked := strings.Fields(values["scope"]); len(asked) > 0 {
		r.Scopes = nil
		for _, known := range apikey.Scopes { // others, such as offline_access, are ignored
			if slices.Contains(asked, string(known)) {
				r.Scopes = append(r.Scopes, known)
			}
		}
		if len(r.Scopes) == 0 {
			return oidc.ErrInvalidScope().WithDescription("None of the requested scopes exists.")
		}
	}
	return nil
}

// checkResource returns an error for a request for tokens of another resource (RFC 8707, section 2). Without a
// resource, the tokens are for the only one.
func (s *Server) checkResource(resources []string) error {
	for _, resource := range resources {
		if resource != s.resource {
			e := oidc.ErrInvalidRequest().WithDescription("resource must be %s.", s.resource)
			e.ErrorType = "invalid_target"
			return e
		}
	}
	return nil
}

// Approval is what a user granted.
type Approval struct {
	// User who approved, and the Account and the Brand that the client may act on.
	User, Account, Brand string
	Scopes               []v1beta1.Scope
	// Expires is when the grant ends.
	Expires time.Time
}

// code is the content of an authorization code.
type code struct {
	// ID determines the name of the grant.
	ID string `json:"i"`
	// Client is the hash of the client's id.
	Client    string          `json:"c"`
	Name      string          `json:"n"`
	Redirect  string          `json:"r"`
	Challenge string          `json:"h"`
	User      string          `json:"u"`
	Account   string          `json:"a"`
	Brand     string          `json:"b"`
	Scopes    []v1beta1.Scope `json:"s"`
	// Until is when the grant ends, and Expires when the code does, in Unix seconds.
	Until   int64 `json:"t"`
	Expires int64 `json:"e"`
}

// Approve returns the URI to which the user's browser takes the authorization code.
func (s *Server) Approve(r *Request, a Approval) (string, error) {
	id := make([]byte, 16)
	_, _ = rand.Read(id) // never fails
	sealed, err := s.codes.Seal(code{
		ID: hex.EncodeToString(id), Client: hashOf(r.Client.ID), Name: r.Client.Name, Redirect: r.redirect,
		Challenge: r.challenge, User: a.User, Account: a.Account, Brand: a.Brand, Scopes: a.Scopes,
		Until: a.Expires.Unix(), Expires: s.in(codeTime),
	})
	if err != nil {
		return "", err
	}
	return s.response(r, answer{Code: sealed}), nil
}

// Deny returns the URI to which the user's browser takes the refusal of the user.
func (s *Server) Deny(r *Request) string {
	return s.response(r, answer{Error: "access_denied", Description: "The user did not approve the client."})
}

// answer is an authorization response (RFC 6749, sections 4.1.2 and 4.1.2.1).
type answer struct {
	Code        string `schema:"code,omitempty"`
	Error       string `schema:"error,omitempty"`
	Description string `schema:"error_description,omitempty"`
	State       string `schema:"state,omitempty"`
	Issuer      string `schema:"iss"` // RFC 9207
}

func (s *Server) response(r *Request, a answer) string {
	a.State, a.Issuer = r.state, s.issuer
	uri, err := op.AuthResponseURL(r.redirect, oidc.ResponseTypeCode, oidc.ResponseModeQuery, a, oidc.NewEncoder())
	if err != nil { // the URI was parsed before
		return s.issuer
	}
	return uri
}

func hashOf(id string) string {
	sum := sha256.Sum256([]byte(id))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}
