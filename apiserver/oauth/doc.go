// SPDX-License-Identifier: Apache-2.0

// Package oauth is the authorization server for clients of the MCP server: an agent sends its user to the console, the
// user approves it there, and the agent gets tokens instead of an API key.
//
// It implements what the MCP specification (2026-07-28, basic/authorization) requires of OAuth 2.1:
//
//   - protected resource metadata (RFC 9728) and authorization server metadata (RFC 8414);
//   - the authorization code flow with PKCE (RFC 7636), with the method S256 only;
//   - dynamic client registration (RFC 7591) and client ID metadata documents
//     (draft-ietf-oauth-client-id-metadata-document);
//   - resource indicators (RFC 8707) and the issuer in responses (RFC 9207);
//   - rotation of refresh tokens, and revocation (RFC 7009).
//
// All clients are public: they have no secret.
//
// An approval becomes a grant: an APIKey with spec.oauth. So it has the scopes, the brand, the expiry, the rate limits,
// the audit log and the revocation of a key. All other state is in sealed values that the client holds, so any replica
// serves any request:
//
//   - a client id from a registration holds the registration;
//   - an authorization code holds the approval. Its exchange creates the grant, under a name that the code determines.
//     So a code works once, and a second exchange is detected;
//   - a refresh token holds the number of earlier refreshes, which the status of the grant counts. So a refresh token
//     works once, and the use of an old one revokes the grant (RFC 9700, section 4.14.2);
//   - an access token names its grant, which is read for each request. So a revocation takes effect at once.
package oauth
