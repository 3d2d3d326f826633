// SPDX-License-Identifier: Apache-2.0

package oauth

import (
	"net/http"

	"github.com/modelcontextprotocol/go-sdk/oauthex"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/account/apikey"
)

// authorizationServer is the metadata of the authorization server (RFC 8414, section 2).
type authorizationServer struct {
	Issuer                string   `json:"issuer"`
	AuthorizationEndpoint string   `json:"authorization_endpoint"`
	TokenEndpoint         string   `json:"token_endpoint"`
	RegistrationEndpoint  string   `json:"registration_endpoint"`
	RevocationEndpoint    string   `json:"revocation_endpoint"`
	ScopesSupported       []string `json:"scopes_supported"`
	ResponseTypes         []string `json:"response_types_supported"`
	ResponseModes         []string `json:"response_modes_supported"`
	GrantTypes            []string `json:"grant_types_supported"`
	TokenMethods          []string `json:"token_endpoint_auth_methods_supported"`
	RevocationMethods     []string `json:"revocation_endpoint_auth_methods_supported"`
	ChallengeMethods      []string `json:"code_challenge_methods_supported"`
	Documentation         string   `json:"service_documentation"`
	// IssuerInResponses is of RFC 9207, and ClientDocuments of client ID metadata documents.
	IssuerInResponses bool `json:"authorization_response_iss_parameter_supported"`
	ClientDocuments   bool `json:"client_id_metadata_document_supported"`
}

func (s *Server) describeServer(w http.ResponseWriter, _ *http.Request) {
	writeJSON(w, http.StatusOK, authorizationServer{
		Issuer: s.issuer, AuthorizationEndpoint: s.issuer + AuthorizePath, TokenEndpoint: s.issuer + tokenPath,
		RegistrationEndpoint: s.issuer + registerPath, RevocationEndpoint: s.issuer + revokePath,
		ScopesSupported: texts(apikey.Scopes), ResponseTypes: []string{responseCode}, ResponseModes: []string{modeQuery},
		GrantTypes:   []string{grantCode, grantRefresh},
		TokenMethods: []string{methodNone}, RevocationMethods: []string{methodNone},
		ChallengeMethods: []string{challengeS256}, Documentation: s.issuer + "/docs",
		IssuerInResponses: true, ClientDocuments: true,
	})
}

func (s *Server) describeResource(w http.ResponseWriter, _ *http.Request) {
	writeJSON(w, http.StatusOK, oauthex.ProtectedResourceMetadata{
		Resource: s.resource, AuthorizationServers: []string{s.issuer}, ScopesSupported: texts(apikey.Scopes),
		BearerMethodsSupported: []string{"header"}, ResourceName: "Reelops", ResourceDocumentation: s.issuer + "/docs",
	})
}

// texts returns the names of scopes.
func texts(scopes []v1beta1.Scope) []string {
	out := make([]string, 0, len(scopes))
	for _, scope := range scopes {
		out = append(out, string(scope))
	}
	return out
}
