// SPDX-License-Identifier: Apache-2.0

package v1beta1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Platform is a social platform that content is published to.
// +kubebuilder:validation:Enum=tiktok;youtube;instagram;linkedin
type Platform string

// TokenStatus is the state of the permission that a user granted for a SocialAccount.
// +kubebuilder:validation:Enum=active;expiring_soon;expired;revoked;insufficient_scope
type TokenStatus string

// Token states.
const (
	// TokenActive means that the permission is valid. The permission is renewed without user action where the platform
	// allows this.
	TokenActive TokenStatus = "active"
	// TokenExpiringSoon means that the permission is valid, and expires within three days unless a user reconnects the
	// account.
	TokenExpiringSoon TokenStatus = "expiring_soon"
	// TokenExpired means that the permission has expired.
	TokenExpired TokenStatus = "expired"
	// TokenRevoked means that the permission was revoked on the platform.
	TokenRevoked TokenStatus = "revoked"
	// TokenInsufficientScope means that the permission lacks a scope that publishing needs.
	TokenInsufficientScope TokenStatus = "insufficient_scope"
)

// Usable reports whether calls to the platform are possible with the permission.
func (s TokenStatus) Usable() bool { return s == TokenActive || s == TokenExpiringSoon }

// Usable reports whether the platform accepts the connection of the account. An account without a status has just been
// connected and counts as usable.
func (a *SocialAccount) Usable() bool {
	return a.Status.TokenStatus == "" || a.Status.TokenStatus.Usable()
}

// SocialAccountSpec identifies the account on the platform.
// +kubebuilder:validation:XValidation:rule="self.platform == oldSelf.platform && self.platformAccountID == oldSelf.platformAccountID && self.brandRef == oldSelf.brandRef",message="brandRef, platform and platformAccountID cannot be changed: connect another account instead"
type SocialAccountSpec struct {
	// BrandRef is the brand that publishes with the account.
	BrandRef LocalRef `json:"brandRef"`
	// Platform of the account.
	Platform Platform `json:"platform"`
	// PlatformAccountID is the platform's id of the account.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=256
	PlatformAccountID string `json:"platformAccountID"`
	// TokenSecretRef is the Secret with the encrypted tokens. Reelops creates and updates it.
	TokenSecretRef LocalRef `json:"tokenSecretRef"`
}

// Headroom is the publishing limit of an account and its use, as reported by the platform.
type Headroom struct {
	// Used is the number of posts that count toward the limit within the window.
	Used int32 `json:"used"`
	// Max is the number of posts that the platform allows within the window, or 0 if the platform reports none.
	Max int32 `json:"max"`
	// WindowSeconds is the length of the sliding window in seconds.
	WindowSeconds int32 `json:"windowSeconds"`
	// ObservedAt is the time at which the platform reported these values.
	ObservedAt metav1.Time `json:"observedAt"`
}

// Creator contains the options that a platform offers an account for a post. TikTok requires that an author sees them
// before a direct post.
type Creator struct {
	// Nickname of the account, as displayed on the platform.
	// +optional
	// +kubebuilder:validation:MaxLength=300
	Nickname string `json:"nickname,omitempty"`
	// AvatarURL is the link to the account's profile picture on the platform. The link expires.
	// +optional
	// +kubebuilder:validation:MaxLength=2000
	AvatarURL string `json:"avatarURL,omitempty"`
	// PrivacyLevels are the audiences that the account may choose, in the order of the platform.
	// +optional
	// +kubebuilder:validation:MaxItems=16
	// +kubebuilder:validation:items:MaxLength=64
	// +listType=atomic
	PrivacyLevels []string `json:"privacyLevels,omitempty"`
	// CommentDisabled is true if the account disabled comments for all its posts.
	// +optional
	CommentDisabled bool `json:"commentDisabled,omitempty"`
	// DuetDisabled is true if the account disabled duets for all its posts.
	// +optional
	DuetDisabled bool `json:"duetDisabled,omitempty"`
	// StitchDisabled is true if the account disabled stitches for all its posts.
	// +optional
	StitchDisabled bool `json:"stitchDisabled,omitempty"`
	// MaxVideoSeconds is the maximum duration of a video in seconds, or 0 if the platform does not report it.
	// +optional
	MaxVideoSeconds int32 `json:"maxVideoSeconds,omitempty"`
	// ObservedAt is the time at which the platform reported these values. Unchanged values are written again once a day.
	ObservedAt metav1.Time `json:"observedAt"`
}

// SocialAccountStatus is the observed state of the SocialAccount.
type SocialAccountStatus struct {
	// ObservedGeneration is the generation of the spec that the status describes. It is -1 until the first reconcile, so that a new
	// object never counts as current.
	// +optional
	// +kubebuilder:default=-1
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`
	// Conditions of the account.
	// +optional
	// +listType=map
	// +listMapKey=type
	// +kubebuilder:validation:MaxItems=16
	Conditions []metav1.Condition `json:"conditions,omitempty"`
	// TokenStatus is the state of the permission that a user granted.
	// +optional
	TokenStatus TokenStatus `json:"tokenStatus,omitempty"`
	// TokenExpiresAt is the expiry of the longest-lived credential. Absent if the platform reports none.
	// +optional
	TokenExpiresAt *metav1.Time `json:"tokenExpiresAt,omitempty"`
	// RefreshAt is the time of the next renewal of the access token.
	// +optional
	RefreshAt *metav1.Time `json:"refreshAt,omitempty"`
	// Scopes that the user granted.
	// +optional
	// +kubebuilder:validation:MaxItems=64
	// +kubebuilder:validation:items:MaxLength=256
	// +listType=atomic
	Scopes []string `json:"scopes,omitempty"`
	// MissingScopes are the scopes that publishing needs and that were not granted.
	// +optional
	// +kubebuilder:validation:MaxItems=64
	// +kubebuilder:validation:items:MaxLength=256
	// +listType=atomic
	MissingScopes []string `json:"missingScopes,omitempty"`
	// MissingCommentScopes are the scopes that a first comment needs and that were not granted. Publishing works without
	// them.
	// +optional
	// +kubebuilder:validation:MaxItems=64
	// +kubebuilder:validation:items:MaxLength=256
	// +listType=atomic
	MissingCommentScopes []string `json:"missingCommentScopes,omitempty"`
	// Creator contains the options that the platform offers the account for a post, if the platform reports them. Creator
	// is read at most once an hour.
	// +optional
	Creator *Creator `json:"creator,omitempty"`
	// AccountName is the human-readable name of the account.
	// +optional
	// +kubebuilder:validation:MaxLength=300
	AccountName string `json:"accountName,omitempty"`
	// Username is the handle of the account, without @.
	// +optional
	// +kubebuilder:validation:MaxLength=300
	Username string `json:"username,omitempty"`
	// ProfileURL of the account on the platform.
	// +optional
	// +kubebuilder:validation:MaxLength=2000
	ProfileURL string `json:"profileURL,omitempty"`
	// AvatarURL is the link to the account's profile picture on the platform. Platforms let these links expire.
	// +optional
	// +kubebuilder:validation:MaxLength=2000
	AvatarURL string `json:"avatarURL,omitempty"`
	// AccountType is the type of the account, such as personal, business or page.
	// +optional
	// +kubebuilder:validation:MaxLength=64
	AccountType string `json:"accountType,omitempty"`
	// ConnectedAt is the time at which a user last granted the permission.
	// +optional
	ConnectedAt *metav1.Time `json:"connectedAt,omitempty"`
	// LastPublishedAt is the time of the last post that Reelops published with the account.
	// +optional
	LastPublishedAt *metav1.Time `json:"lastPublishedAt,omitempty"`
	// Headroom is the publishing limit of the account and its use, if the platform reports them.
	// +optional
	Headroom *Headroom `json:"headroom,omitempty"`
	// LimitedUntil is the time until which the platform rejects further posts. Absent if the platform reported no limit.
	// +optional
	LimitedUntil *metav1.Time `json:"limitedUntil,omitempty"`
	// Transitions are the last changes of state that webhook endpoints receive as events, oldest first. At most 16.
	// +optional
	// +kubebuilder:validation:MaxItems=16
	// +listType=atomic
	Transitions []Transition `json:"transitions,omitempty"`
}

// SocialAccount is an account on a social platform that a brand publishes to. A user connects it in a browser. Its
// tokens are stored encrypted in a Secret.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:categories=reelops,shortName={social,rlsocial}
// +kubebuilder:selectablefield:JSONPath=`.spec.brandRef.name`
// +kubebuilder:selectablefield:JSONPath=`.spec.platform`
// +kubebuilder:selectablefield:JSONPath=`.status.tokenStatus`
// +kubebuilder:printcolumn:name="Ready",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="ID",type=string,JSONPath=`.metadata.labels.reelops\.dev/id`
// +kubebuilder:printcolumn:name="Platform",type=string,JSONPath=`.spec.platform`
// +kubebuilder:printcolumn:name="Account",type=string,JSONPath=`.status.accountName`
// +kubebuilder:printcolumn:name="Token",type=string,JSONPath=`.status.tokenStatus`
// +kubebuilder:printcolumn:name="Brand",type=string,JSONPath=`.spec.brandRef.name`,priority=1
// +kubebuilder:printcolumn:name="Message",type=string,priority=1,JSONPath=`.status.conditions[?(@.type=="Ready")].message`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
type SocialAccount struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec SocialAccountSpec `json:"spec,omitempty"`
	// +kubebuilder:default={}
	Status SocialAccountStatus `json:"status,omitempty"`
}

// SocialAccountList is a list of SocialAccount.
//
// +kubebuilder:object:root=true
type SocialAccountList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []SocialAccount `json:"items"`
}

// ConnectionRequestSpec is the result of the authorization page of a platform.
// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="a ConnectionRequest cannot be changed: request a new connect link"
type ConnectionRequestSpec struct {
	// BrandRef is the brand that the account is connected for.
	BrandRef LocalRef `json:"brandRef"`
	// Platform on which the user granted the permission.
	Platform Platform `json:"platform"`
	// SealedCode is the encrypted OAuth authorization code, readable only by the manager. The code is valid for one
	// exchange, for minutes. The value is a base64 string, because validation rules on a spec cannot read every field of
	// type bytes.
	// +kubebuilder:validation:MaxLength=16384
	SealedCode string `json:"sealedCode"`
	// Nonce of the link. The PKCE verifier of the code exchange is derived from it.
	// +kubebuilder:validation:MaxLength=128
	Nonce string `json:"nonce"`
}

// ConnectionRequestStatus is the observed state of the ConnectionRequest.
type ConnectionRequestStatus struct {
	// ObservedGeneration is the generation of the spec that the status describes. It is -1 until the first reconcile, so that a new
	// object never counts as current.
	// +optional
	// +kubebuilder:default=-1
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`
	// Conditions of the request.
	// +optional
	// +listType=map
	// +listMapKey=type
	// +kubebuilder:validation:MaxItems=16
	Conditions []metav1.Condition `json:"conditions,omitempty"`
	// State of the code exchange. processing is written before the code is sent, so that no code is sent twice.
	// +optional
	State WorkState `json:"state,omitempty"`
	// Accounts are the names of the SocialAccounts that were connected.
	// +optional
	// +kubebuilder:validation:MaxItems=50
	// +kubebuilder:validation:items:MaxLength=253
	// +listType=atomic
	Accounts []string `json:"accounts,omitempty"`
	// Error is the reason why no account was connected.
	// +optional
	Error *WorkError `json:"error,omitempty"`
	// FinishedAt is the time at which the exchange ended. The object is deleted an hour later.
	// +optional
	FinishedAt *metav1.Time `json:"finishedAt,omitempty"`
}

// ConnectionRequest is a user's permission, granted on a platform's page, from which SocialAccounts are created. The
// reelops-apiserver creates it when the browser is redirected back. Its name is derived from the link, so a link works
// once.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:categories=reelops,shortName=rlconn
// +kubebuilder:selectablefield:JSONPath=`.spec.brandRef.name`
// +kubebuilder:selectablefield:JSONPath=`.spec.platform`
// +kubebuilder:selectablefield:JSONPath=`.status.state`
// +kubebuilder:printcolumn:name="Ready",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="State",type=string,JSONPath=`.status.state`
// +kubebuilder:printcolumn:name="Platform",type=string,JSONPath=`.spec.platform`
// +kubebuilder:printcolumn:name="Accounts",type=string,JSONPath=`.status.accounts`
// +kubebuilder:printcolumn:name="Error",type=string,JSONPath=`.status.error.code`
// +kubebuilder:printcolumn:name="Brand",type=string,JSONPath=`.spec.brandRef.name`,priority=1
// +kubebuilder:printcolumn:name="Message",type=string,priority=1,JSONPath=`.status.conditions[?(@.type=="Ready")].message`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
type ConnectionRequest struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec ConnectionRequestSpec `json:"spec,omitempty"`
	// +kubebuilder:default={}
	Status ConnectionRequestStatus `json:"status,omitempty"`
}

// ConnectionRequestList is a list of ConnectionRequest.
//
// +kubebuilder:object:root=true
type ConnectionRequestList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []ConnectionRequest `json:"items"`
}
