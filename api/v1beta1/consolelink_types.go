// SPDX-License-Identifier: Apache-2.0

package v1beta1

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// ConsoleLinkTime is how long a link to the console is valid after its creation.
const ConsoleLinkTime = 10 * time.Minute

// ConsoleLinkSpec is the user that the link signs in, and its expiry.
// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="a ConsoleLink cannot be changed: request a new link"
type ConsoleLinkSpec struct {
	// TokenSHA256 is the SHA-256 of the link's token: 64 lower-case hexadecimal digits. The token itself is not stored.
	// +kubebuilder:validation:Pattern=`^[0-9a-f]{64}$`
	TokenSHA256 string `json:"tokenSHA256"`
	// Username is the Kubernetes user that the link signs in. An admission policy accepts only the user who creates the
	// object.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=1024
	Username string `json:"username"`
	// Groups are the Kubernetes groups of the user, in any order. The admission policy accepts only those of the user
	// who creates the object.
	// +optional
	// +kubebuilder:validation:MaxItems=1000
	// +kubebuilder:validation:items:MaxLength=1024
	// +listType=atomic
	Groups []string `json:"groups,omitempty"`
	// ExpiresAt is the time at which the link expires, at most 10 minutes after the creation of the object.
	ExpiresAt metav1.Time `json:"expiresAt"`
}

// ConsoleLink is a link that signs its creator in to the console, once. The session begins in the account of the
// object's namespace. `kubectl reelops console` creates the object. The reelops-apiserver deletes it when the link is
// opened, and the manager deletes expired ones.
//
// +kubebuilder:object:root=true
// +kubebuilder:resource:categories=reelops,shortName=rllink
// +kubebuilder:selectablefield:JSONPath=`.spec.tokenSHA256`
// +kubebuilder:printcolumn:name="User",type=string,JSONPath=`.spec.username`
// +kubebuilder:printcolumn:name="Expires",type=string,JSONPath=`.spec.expiresAt`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
type ConsoleLink struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec ConsoleLinkSpec `json:"spec"`
}

// Expired reports whether the link is no longer valid. A link with an expiry later than ConsoleLinkTime after its
// creation, which the admission policy rejects, is valid for ConsoleLinkTime.
func (l *ConsoleLink) Expired(now time.Time) bool {
	return !now.Before(l.Spec.ExpiresAt.Time) || !now.Before(l.CreationTimestamp.Add(ConsoleLinkTime))
}

// ConsoleLinkList is a list of ConsoleLink.
//
// +kubebuilder:object:root=true
type ConsoleLinkList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []ConsoleLink `json:"items"`
}
