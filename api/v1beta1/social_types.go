// SPDX-License-Identifier: Apache-2.0

package v1beta1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Platform is one of the social platforms content is published to.
// +kubebuilder:validation:Enum=tiktok;youtube;instagram;linkedin
type Platform string

// TokenStatus says whether the platform still accepts the permission that a person gave.
// +kubebuilder:validation:Enum=active;expiring_soon;expired;revoked;insufficient_scope
type TokenStatus string

// Token states.
const (
	// TokenActive can be used, and is renewed without anybody's help where the platform allows that.
	TokenActive TokenStatus = "active"
	// TokenExpiringSoon can be used, and ends within three days unless a person connects again.
	TokenExpiringSoon TokenStatus = "expiring_soon"
	// TokenExpired has ended.
	TokenExpired TokenStatus = "expired"
	// TokenRevoked was taken back on the platform.
	TokenRevoked TokenStatus = "revoked"
	// TokenInsufficientScope lacks a permission that publishing needs.
	TokenInsufficientScope TokenStatus = "insufficient_scope"
)

// Usable says whether calls can be made with it.
func (s TokenStatus) Usable() bool { return s == TokenActive || s == TokenExpiringSoon }

// SocialAccountSpec is which account on a platform it is.
// +kubebuilder:validation:XValidation:rule="self.platform == oldSelf.platform && self.platformAccountID == oldSelf.platformAccountID && self.brandRef == oldSelf.brandRef",message="a SocialAccount stands for one account on one platform for one brand: connect another account instead"
type SocialAccountSpec struct {
	// BrandRef is the brand that publishes there.
	BrandRef LocalRef `json:"brandRef"`
	// Platform of the account.
	Platform Platform `json:"platform"`
	// PlatformAccountID is the platform's own id of the account.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=256
	PlatformAccountID string `json:"platformAccountID"`
	// TokenSecretRef names the Secret with the sealed tokens. Reelops makes and writes it.
	TokenSecretRef LocalRef `json:"tokenSecretRef"`
}

// Headroom is how much an account may still post, as the platform told.
type Headroom struct {
	// Used of Max within the window.
	Used int32 `json:"used"`
	// Max posts within the window; 0 where the platform tells none.
	Max int32 `json:"max"`
	// WindowSeconds is the length of the moving window.
	WindowSeconds int32 `json:"windowSeconds"`
	// ObservedAt is when the platform was asked.
	ObservedAt metav1.Time `json:"observedAt"`
}

// Creator is what a platform lets an account choose for a post. TikTok requires that an author sees it before a direct post.
type Creator struct {
	// Nickname as the platform shows it.
	// +optional
	// +kubebuilder:validation:MaxLength=300
	Nickname string `json:"nickname,omitempty"`
	// AvatarURL of the account's picture on the platform. It expires.
	// +optional
	// +kubebuilder:validation:MaxLength=2000
	AvatarURL string `json:"avatarURL,omitempty"`
	// PrivacyLevels are the audiences that the account may choose, in the platform's order.
	// +optional
	// +kubebuilder:validation:MaxItems=16
	// +kubebuilder:validation:items:MaxLength=64
	// +listType=atomic
	PrivacyLevels []string `json:"privacyLevels,omitempty"`
	// CommentDisabled, DuetDisabled and StitchDisabled report interactions that the account disabled for all its posts.
	// +optional
	CommentDisabled bool `json:"commentDisabled,omitempty"`
	// +optional
	DuetDisabled bool `json:"duetDisabled,omitempty"`
	// +optional
	StitchDisabled bool `json:"stitchDisabled,omitempty"`
	// MaxVideoSeconds of a post; 0 if the platform does not report it.
	// +optional
	MaxVideoSeconds int32 `json:"maxVideoSeconds,omitempty"`
	// ObservedAt is when the platform reported these values. Equal values are confirmed in writing once a day.
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
	// TokenStatus says whether the platform accepts the permission.
	// +optional
	TokenStatus TokenStatus `json:"tokenStatus,omitempty"`
	// TokenExpiresAt is when the longest-lived credential ends; absent where the platform gives no end.
	// +optional
	TokenExpiresAt *metav1.Time `json:"tokenExpiresAt,omitempty"`
	// RefreshAt is when the access token is renewed next.
	// +optional
	RefreshAt *metav1.Time `json:"refreshAt,omitempty"`
	// Scopes that were granted.
	// +optional
	// +kubebuilder:validation:MaxItems=64
	// +kubebuilder:validation:items:MaxLength=256
	// +listType=atomic
	Scopes []string `json:"scopes,omitempty"`
	// MissingScopes are those that publishing needs and that were not granted.
	// +optional
	// +kubebuilder:validation:MaxItems=64
	// +kubebuilder:validation:items:MaxLength=256
	// +listType=atomic
	MissingScopes []string `json:"missingScopes,omitempty"`
	// MissingCommentScopes are those that a first comment needs and that were not granted. Publishing works without them.
	// +optional
	// +kubebuilder:validation:MaxItems=64
	// +kubebuilder:validation:items:MaxLength=256
	// +listType=atomic
	MissingCommentScopes []string `json:"missingCommentScopes,omitempty"`
	// Creator is what the platform lets the account choose, where it reports it. It is read at most once an hour.
	// +optional
	Creator *Creator `json:"creator,omitempty"`
	// AccountName for people.
	// +optional
	// +kubebuilder:validation:MaxLength=300
	AccountName string `json:"accountName,omitempty"`
	// Username is the handle, without @.
	// +optional
	// +kubebuilder:validation:MaxLength=300
	Username string `json:"username,omitempty"`
	// ProfileURL of the account on the platform.
	// +optional
	// +kubebuilder:validation:MaxLength=2000
	ProfileURL string `json:"profileURL,omitempty"`
	// AvatarURL of its picture on the platform; platforms let them expire.
	// +optional
	// +kubebuilder:validation:MaxLength=2000
	AvatarURL string `json:"avatarURL,omitempty"`
	// AccountType such as personal, business or page.
	// +optional
	// +kubebuilder:validation:MaxLength=64
	AccountType string `json:"accountType,omitempty"`
	// ConnectedAt is when a person last gave the permission.
	// +optional
	ConnectedAt *metav1.Time `json:"connectedAt,omitempty"`
	// LastPublishedAt is when a post last went out through Reelops.
	// +optional
	LastPublishedAt *metav1.Time `json:"lastPublishedAt,omitempty"`
	// Headroom as the platform told it, where it does.
	// +optional
	Headroom *Headroom `json:"headroom,omitempty"`
	// LimitedUntil is until when the platform refuses more posts, when it said so.
	// +optional
	LimitedUntil *metav1.Time `json:"limitedUntil,omitempty"`
}

// SocialAccount is an account on a social platform that a brand publishes to. A person connects it in a browser; its tokens
// lie sealed in a Secret.
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

// ConnectionRequestSpec is what came back from a platform's page.
// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="a ConnectionRequest is used once: ask for a new link"
type ConnectionRequestSpec struct {
	// BrandRef is the brand the account is connected for.
	BrandRef LocalRef `json:"brandRef"`
	// Platform that the person approved on.
	Platform Platform `json:"platform"`
	// SealedCode is the authorization code, readable by the manager alone; it is good for one exchange, for minutes. It is base64 as
	// text: rules on a spec cannot read every field of bytes.
	// +kubebuilder:validation:MaxLength=16384
	SealedCode string `json:"sealedCode"`
	// Nonce of the link, from which the proof key of the code exchange follows.
	// +kubebuilder:validation:MaxLength=128
	Nonce string `json:"nonce"`
}

// ConnectionRequestStatus is what became of it.
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
	// State of the exchange. processing is written before the code is sent: a code that was sent is never sent again.
	// +optional
	State WorkState `json:"state,omitempty"`
	// Accounts that were connected, by the names of their SocialAccounts.
	// +optional
	// +kubebuilder:validation:MaxItems=50
	// +kubebuilder:validation:items:MaxLength=253
	// +listType=atomic
	Accounts []string `json:"accounts,omitempty"`
	// Error tells why nothing was connected.
	// +optional
	Error *WorkError `json:"error,omitempty"`
	// FinishedAt is when it ended; an hour later it is removed.
	// +optional
	FinishedAt *metav1.Time `json:"finishedAt,omitempty"`
}

// ConnectionRequest is a person's approval on a platform's page, on its way to becoming a SocialAccount. The front end makes it
// when the browser comes back; its name follows from the link, so a link works once.
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
