// SPDX-License-Identifier: Apache-2.0

package oauth

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/zitadel/oidc/v3/pkg/oidc"
	"github.com/zitadel/oidc/v3/pkg/op"

	"github.com/reelops/reelops/internal/process/fetch"
)

const (
	// registeredPrefix begins the id of a registered client.
	registeredPrefix = "client_"
	// maxClientID is the maximum length of a client id, as in the kind APIKey.
	maxClientID = 2048 - len(registeredPrefix)
	// maxRedirects, maxRedirect and maxClientName limit the redirect URIs of a client, each URI and its name, in bytes
	// and characters.
	maxRedirects, maxRedirect, maxClientName = 10, 512, 100
	// maxDocument is the maximum size of a metadata document in bytes, and documentTime the time for which it is cached.
	maxDocument  = 16 << 10
	documentTime = 5 * time.Minute
	// maxDocuments limits the number of cached documents.
	maxDocuments = 1000
)

// methodNone is the authentication of a public client: none.
const methodNone = "none"

// Client is an OAuth client.
type Client struct {
	// ID is the URL of the client's metadata document, or the id from its registration.
	ID string
	// Name that the client gave itself. It is not verified.
	Name string
	// Redirects are the URIs that responses may go to.
	Redirects []string
}

// HostOf returns the host of the metadata document of a client with an id, which proves who published it. It is empty
// for a registered client, which can have any name.
func HostOf(id string) string {
	if strings.HasPrefix(id, registeredPrefix) {
		return ""
	}
	u, err := url.Parse(id)
	if err != nil {
		return ""
	}
	return u.Host
}

// checkRedirect returns an error unless responses may go to the URI: it is one of the client's. The port of a loopback
// address may differ (RFC 8252, section 7.3).
func (c *Client) checkRedirect(uri string) error {
	return op.ValidateAuthReqRedirectURI(native{redirects: c.Redirects}, uri, oidc.ResponseTypeCode)
}

// native is a client as the library sees it, with the rules for redirect URIs of native applications.
type native struct {
	op.Client // the other methods are not called
	redirects []string
}

func (n native) RedirectURIs() []string              { return n.redirects }
func (n native) ApplicationType() op.ApplicationType { return op.ApplicationTypeNative }
func (n native) DevMode() bool                       { return false }

// client returns the client with an id. Its error is invalid_client, or that of a fetch.
func (s *Server) client(ctx context.Context, id string) (*Client, error) {
	if sealed, ok := strings.CutPrefix(id, registeredPrefix); ok {
		r := registration{}
		if s.registrations.Open(sealed, &r) != nil {
			return nil, oidc.ErrInvalidClient().WithDescription("There is no such client. Register it again.")
		}
		return &Client{ID: id, Name: r.Name, Redirects: r.Redirects}, nil
	}
	if err := checkDocumentURL(id); err != nil {
		return nil, err
	}
	return s.document(ctx, id)
}

// registration is the content of the id of a registered client.
type registration struct {
	Name      string   `json:"n"`
	Redirects []string `json:"r"`
}

// clientMetadata are the fields of client metadata (RFC 7591, section 2) that the server uses. It ignores others.
type clientMetadata struct {
	ClientID      string   `json:"client_id"`
	ClientName    string   `json:"client_name"`
	RedirectURIs  []string `json:"redirect_uris"`
	GrantTypes    []string `json:"grant_types"`
	ResponseTypes []string `json:"response_types"`
	AuthMethod    string   `json:"token_endpoint_auth_method"`
}

// check returns the problem of metadata as an error of RFC 7591, section 3.2.2.
func (m *clientMetadata) check() error {
	if n := len(m.RedirectURIs); n == 0 || n > maxRedirects {
		return badRedirect("redirect_uris must have 1 to %d entries.", maxRedirects)
	}
	for _, uri := range m.RedirectURIs {
		if err := checkRedirectURI(uri); err != nil {
			return err
		}
	}
	if len(m.ResponseTypes) > 0 && !slices.Contains(m.ResponseTypes, responseCode) ||
		len(m.GrantTypes) > 0 && !slices.Contains(m.GrantTypes, grantCode) {
		return badMetadata("The server has the response type code and the grant type authorization_code only.")
	}
	m.ClientName = strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return -1
	}, m.ClientName)
	m.ClientName = strings.TrimSpace(m.ClientName)
	if utf8.RuneCountInString(m.ClientName) > maxClientName {
		return badMetadata("client_name must have at most %d characters.", maxClientName)
	}
	return nil
}

func badRedirect(text string, args ...any) error {
	e := oidc.ErrInvalidRequest().WithDescription(text, args...)
	e.ErrorType = "invalid_redirect_uri"
	return e
}

func badMetadata(text string, args ...any) error {
	e := oidc.ErrInvalidRequest().WithDescription(text, args...)
	e.ErrorType = "invalid_client_metadata"
	return e
}

// privateScheme is the form of a scheme that an application registers for itself (RFC 8252, section 7.1). Some
// applications have a scheme without a dot, such as cursor.
var privateScheme = regexp.MustCompile(`^[a-z][a-z0-9+.-]*$`)

// browserSchemes are schemes with a meaning for browsers or other programs.
var browserSchemes = []string{
	"about", "blob", "chrome", "content", "data", "file", "filesystem", "ftp", "intent", "javascript", "mailto",
	"resource", "sms", "tel", "vbscript", "view-source", "ws", "wss",
}

// checkRedirectURI returns an error for a URI to which no response may go. Allowed are https, http to this machine, and
// the scheme of an application.
func checkRedirectURI(uri string) error {
	u, err := url.Parse(uri)
	switch {
	case err != nil || len(uri) > maxRedirect || strings.ContainsAny(uri, " \t\r\n\\*"):
		return badRedirect("A redirect URI is not a URI of at most %d characters.", maxRedirect)
	case u.Fragment != "" || strings.Contains(uri, "#") || u.User != nil:
		return badRedirect("A redirect URI must have no fragment and no user.")
	case u.Scheme == "https" && u.Host != "":
		return nil
	case u.Scheme == "http":
		if _, loopback := op.HTTPLoopbackOrLocalhost(uri); loopback {
			return nil
		}
		return badRedirect("A redirect URI with http must be of the host localhost, 127.0.0.1 or [::1].")
	case privateScheme.MatchString(u.Scheme) && !slices.Contains(browserSchemes, u.Scheme) && u.Scheme != "https":
		return nil
	}
	return badRedirect("A redirect URI must be https, http to localhost, or of the scheme of an application.")
}

// register registers a client (RFC 7591). Nothing is stored: the id holds the registration.
func (s *Server) register(r *http.Request) (int, any, error) {
	in := clientMetadata{}
	if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
		return 0, nil, badMetadata("The body must be a JSON object with client metadata.")
	}
	if err := in.check(); err != nil {
		return 0, nil, err
	}
	sealed, err := s.registrations.Seal(registration{Name: in.ClientName, Redirects: in.RedirectURIs})
	if err != nil {
		return 0, nil, badRedirect("The redirect URIs are too long.")
	}
	return http.StatusCreated, map[string]any{
		"client_id": registeredPrefix + sealed, "client_id_issued_at": s.Clock.Now().Unix(), "client_name": in.ClientName,
		"redirect_uris": in.RedirectURIs, "grant_types": []string{grantCode, grantRefresh},
		"response_types": []string{responseCode}, "token_endpoint_auth_method": methodNone,
	}, nil
}

// checkDocumentURL returns an error for a client id that cannot be the URL of a metadata document
// (draft-ietf-oauth-client-id-metadata-document, section 3).
func checkDocumentURL(id string) error {
	u, err := url.Parse(id)
	if err != nil || len(id) > maxClientID || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" ||
		u.Path == "" || u.Path == "/" || u.User != nil || strings.Contains(id, "#") ||
		slices.ContainsFunc(strings.Split(u.Path, "/"), func(part string) bool { return part == "." || part == ".." }) {
		return oidc.ErrInvalidClient().
			WithDescription("client_id is neither from a registration nor the URL of a metadata document.")
	}
	return nil
}

// cachedClient is a client whose document was fetched.
type cachedClient struct {
	client *Client
	until  time.Time
}

// document returns the client that a metadata document describes. The fetch rejects plain http and private addresses.
func (s *Server) document(ctx context.Context, id string) (*Client, error) {
	now := s.Clock.Now()
	s.mu.Lock()
	known, ok := s.clients[id]
	s.mu.Unlock()
	if ok && now.Before(known.until) {
		return known.client, nil
	}
	c, err := s.fetch(ctx, id)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.clients) >= maxDocuments {
		clear(s.clients)
	}
	s.clients[id] = cachedClient{client: c, until: now.Add(documentTime)}
	return c, nil
}

func (s *Server) fetch(ctx context.Context, id string) (*Client, error) {
	unusable := func(why string) error {
		return oidc.ErrInvalidClient().WithDescription("The metadata document of the client cannot be used: %s.", why)
	}
	d, err := s.Documents.GetIfModified(ctx, id, maxDocument, fetch.Validators{})
	if err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, unusable("it could not be fetched, " + err.Error())
	}
	defer func() { _ = d.Body.Close() }()
	if d.Validators.URL != id { // section 4: no redirects
		return nil, unusable("its URL redirects")
	}
	doc, err := io.ReadAll(d.Body)
	m := clientMetadata{}
	if err := errors.Join(err, json.Unmarshal(doc, &m)); err != nil {
		return nil, unusable("it is not a JSON object with client metadata")
	}
	switch err := m.check(); {
	case m.ClientID != id:
		return nil, unusable("its client_id is not its URL")
	case m.AuthMethod != "" && m.AuthMethod != methodNone:
		return nil, unusable("the server has the authentication method none only")
	case err != nil:
		e := (*oidc.Error)(nil)
		errors.As(err, &e)
		return nil, unusable(strings.TrimSuffix(e.Description, "."))
	}
	return &Client{ID: id, Name: m.ClientName, Redirects: m.RedirectURIs}, nil
}
