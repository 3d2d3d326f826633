// SPDX-License-Identifier: Apache-2.0

package v1beta1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Scope is a permission of an API key. The legacy scopes (read, write, admin) stand for sets of the other scopes.
// +kubebuilder:validation:MaxLength=64
type Scope string

// Scopes of the REST API, in the order in which they are listed.
const (
	ScopeBrandRead     Scope = "brand:read"
	ScopeMediaRead     Scope = "media:read"
	ScopeMediaWrite    Scope = "media:write"
	ScopeContentWrite  Scope = "content:write"
	ScopePostsRead     Scope = "posts:read"
	ScopePostsWrite    Scope = "posts:write"
	ScopeAnalyticsRead Scope = "analytics:read"
	ScopeBrandsAll     Scope = "brands:all"
	ScopeBrandWrite    Scope = "brand:write"
	ScopeWebhooksWrite Scope = "webhooks:write"
)

// MaxKeysPerBrand is the maximum number of usable API keys of a brand, and MaxGrantsPerBrand that of grants of OAuth
// clients, which do not count as keys.
const (
	MaxKeysPerBrand   = 10
	MaxGrantsPerBrand = 100
)

// APIKeySpec is the desired state of the APIKey. The secret itself is not stored.
// +kubebuilder:validation:XValidation:rule="self.brandRef == oldSelf.brandRef",message="brandRef cannot be changed: create a new key for the other brand"
// +kubebuilder:validation:XValidation:rule="self.secretSHA256 == oldSelf.secretSHA256",message="secretSHA256 cannot be changed: create a new key"
// +kubebuilder:validation:XValidation:rule="has(self.oauth) == has(oldSelf.oauth) && (!has(self.oauth) || self.oauth == oldSelf.oauth)",message="oauth cannot be changed: let the client sign in again"
// +kubebuilder:validation:XValidation:rule="!oldSelf.revoked || self.revoked",message="a revoked key stays revoked: create a new key"
type APIKeySpec struct {
	// BrandRef is the brand that the key belongs to and acts on.
	BrandRef LocalRef `json:"brandRef"`
	// DisplayName is the human-readable name of the key.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=200
	DisplayName string `json:"displayName"`
	// Scopes of the key. A key without scopes has the legacy scope "read".
	// +optional
	// +kubebuilder:validation:MaxItems=32
	// +listType=set
	Scopes []Scope `json:"scopes,omitempty"`
	// ExpiresAt is the time at which the key expires. Absent: never.
	// +optional
	ExpiresAt *metav1.Time `json:"expiresAt,omitempty"`
	// Approve permits the key to approve and return posts that the brand's approval policy holds, if it has the scope
	// posts:write. Only users with the verb approve on postbatches can set it. Default false.
	// +optional
	Approve bool `json:"approve,omitempty"`
	// Revoked disables the key immediately. A revoked key stays revoked. Default false.
	// +optional
	// +kubebuilder:default=false
	Revoked bool `json:"revoked"`
	// SecretSHA256 is the SHA-256 of the secret: 64 lower-case hexadecimal digits.
	// +kubebuilder:validation:Pattern=`^[0-9a-f]{64}$`
	SecretSHA256 string `json:"secretSHA256"`
	// Hint is the end of the secret, by which a user recognizes the key.
	// +optional
	// +kubebuilder:validation:MaxLength=32
	Hint string `json:"hint,omitempty"`
	// OAuth is set for the grant of an OAuth client, such as an agent that a user signed in. The secret of a grant is
	// unknown: its client has tokens, which are valid as long as the grant is neither revoked nor expired.
	// +optional
	OAuth *OAuthGrant `json:"oauth,omitempty"`
}

// OAuthGrant is what a user granted to an OAuth client.
type OAuthGrant struct {
	// ClientID is the id of the client: the URL of its metadata document, or the id from its registration.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=2048
	ClientID string `json:"clientID"`
	// ClientName is the name that the client gave itself. It is not verified.
	// +optional
	// +kubebuilder:validation:MaxLength=200
	ClientName string `json:"clientName,omitempty"`
	// User is the name of the user who approved the client.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=1024
	User string `json:"user"`
}

// OAuthStatus is the state of a grant's refresh tokens. Each use replaces the refresh token.
type OAuthStatus struct {
	// Refreshes is the number of times that the refresh token was replaced.
	Refreshes int64 `json:"refreshes"`
	// RefreshedAt is the time of the last replacement.
	// +optional
	RefreshedAt *metav1.Time `json:"refreshedAt,omitempty"`
}

// APIKeyStatus is the observed state of the APIKey.
type APIKeyStatus struct {
	// ObservedGeneration is the generation of the spec that the status describes. It is -1 until the first reconcile, so that a new
	// object never counts as current.
	// +optional
	// +kubebuilder:default=-1
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`
	// LastUsedAt is the time of the last known use. The status is written in batches, so the value may lag.
	// +optional
	LastUsedAt *metav1.Time `json:"lastUsedAt,omitempty"`
	// RequestCount is the number of requests with the key. The status is written in batches, so the value may lag.
	// +optional
	RequestCount int64 `json:"requestCount,omitempty"`
	// OAuth is the state of the refresh tokens of a grant.
	// +optional
	OAuth *OAuthStatus `json:"oauth,omitempty"`
	// Conditions of the key.
	// +optional
	// +listType=map
	// +listMapKey=type
	// +kubebuilder:validation:MaxItems=16
	Conditions []metav1.Condition `json:"conditions,omitempty"`
}

// APIKey grants access to the REST API and the MCP server for one brand.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:categories=reelops,shortName=rlkey
// +kubebuilder:selectablefield:JSONPath=`.spec.secretSHA256`
// +kubebuilder:selectablefield:JSONPath=`.spec.brandRef.name`
// +kubebuilder:selectablefield:JSONPath=`.spec.revoked`
// +kubebuilder:printcolumn:name="Ready",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="ID",type=string,JSONPath=`.metadata.labels.reelops\.dev/id`
// +kubebuilder:printcolumn:name="Brand",type=string,JSONPath=`.spec.brandRef.name`
// +kubebuilder:printcolumn:name="Hint",type=string,JSONPath=`.spec.hint`
// +kubebuilder:printcolumn:name="Expires",type=string,JSONPath=`.spec.expiresAt`
// +kubebuilder:printcolumn:name="Revoked",type=boolean,JSONPath=`.spec.revoked`
// +kubebuilder:printcolumn:name="Client",type=string,priority=1,JSONPath=`.spec.oauth.clientName`
// +kubebuilder:printcolumn:name="Message",type=string,priority=1,JSONPath=`.status.conditions[?(@.type=="Ready")].message`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
type APIKey struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec APIKeySpec `json:"spec"`
	// +kubebuilder:default={}
	Status APIKeyStatus `json:"status,omitempty"`
}

// APIKeyList is a list of APIKey.
//
// +kubebuilder:object:root=true
type APIKeyList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []APIKey `json:"items"`
}
