// SPDX-License-Identifier: Apache-2.0

package v1beta1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// AccountAnalyticsSpec is whose numbers are read, and when somebody asked for new ones.
// +kubebuilder:validation:XValidation:rule="self.accountRef == oldSelf.accountRef",message="an AccountAnalytics belongs to one SocialAccount: each has its own"
type AccountAnalyticsSpec struct {
	// AccountRef is the SocialAccount whose numbers these are; it has the same name.
	AccountRef LocalRef `json:"accountRef"`
	// RefreshRequestedAt asks for new numbers: whoever wants them sets it to now. What lies in the future counts as now. Within the
	// cooldown after the last refresh it is put off until that is over.
	// +optional
	RefreshRequestedAt *metav1.Time `json:"refreshRequestedAt,omitempty"`
}

// AccountNumbers are those of the account as a whole. What the platform does not report is absent, never 0.
type AccountNumbers struct {
	// Followers of the account now.
	// +optional
	Followers *int64 `json:"followers,omitempty"`
	// Posts on the account now, as the platform counts them.
	// +optional
	Posts *int64 `json:"posts,omitempty"`
	// Views of the whole account since it began, as the platform counts them; where it does not, of the posts that are known.
	// +optional
	Views *int64 `json:"views,omitempty"`
}

// AccountAnalyticsStatus is what is known.
type AccountAnalyticsStatus struct {
	// ObservedGeneration is the generation of the spec that the status describes. It is -1 until the first reconcile, so that a new
	// object never counts as current.
	// +optional
	// +kubebuilder:default=-1
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`
	// Conditions of the numbers.
	// +optional
	// +listType=map
	// +listMapKey=type
	// +kubebuilder:validation:MaxItems=16
	Conditions []metav1.Condition `json:"conditions,omitempty"`
	// Refreshing is true while new numbers are being read.
	// +optional
	Refreshing bool `json:"refreshing,omitempty"`
	// RefreshStartedAt is when the platform was last begun to be asked, whatever came of it: the cooldown counts from here.
	// +optional
	RefreshStartedAt *metav1.Time `json:"refreshStartedAt,omitempty"`
	// RefreshedAt is when the numbers that are kept were complete.
	// +optional
	RefreshedAt *metav1.Time `json:"refreshedAt,omitempty"`
	// AnsweredRequestAt is the spec's refreshRequestedAt that the last refresh answered.
	// +optional
	AnsweredRequestAt *metav1.Time `json:"answeredRequestAt,omitempty"`
	// NextRefreshAt is when they are read again by themselves.
	// +optional
	NextRefreshAt *metav1.Time `json:"nextRefreshAt,omitempty"`
	// AccountNumbers of the account as a whole.
	AccountNumbers `json:",inline"`
	// DocumentKey is where in the blob store the posts' numbers and the history of the account lie. Every refresh writes a new one
	// and removes the one before it.
	// +optional
	// +kubebuilder:validation:MaxLength=512
	DocumentKey string `json:"documentKey,omitempty"`
	// KnownPosts is how many posts it holds.
	// +optional
	KnownPosts int32 `json:"knownPosts,omitempty"`
	// Error tells why the last refresh gave nothing; the numbers before it stay.
	// +optional
	Error *WorkError `json:"error,omitempty"`
	// Failures in a row; they make the waits longer.
	// +optional
	Failures int32 `json:"failures,omitempty"`
}

// AccountAnalytics holds the numbers of one SocialAccount, of the same name. Reelops makes it for every account whose platform
// reports numbers, and reads them now and then; setting refreshRequestedAt asks for them at once.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:categories=reelops,path=accountanalytics,shortName={analytics,rlanalytics}
// +kubebuilder:selectablefield:JSONPath=`.spec.accountRef.name`
// +kubebuilder:printcolumn:name="Ready",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="Followers",type=integer,JSONPath=`.status.followers`
// +kubebuilder:printcolumn:name="Posts",type=integer,JSONPath=`.status.posts`
// +kubebuilder:printcolumn:name="Views",type=integer,JSONPath=`.status.views`
// +kubebuilder:printcolumn:name="Refreshed",type=date,JSONPath=`.status.refreshedAt`
// +kubebuilder:printcolumn:name="Next",type=string,JSONPath=`.status.nextRefreshAt`,priority=1
// +kubebuilder:printcolumn:name="Message",type=string,priority=1,JSONPath=`.status.conditions[?(@.type=="Ready")].message`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
type AccountAnalytics struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec AccountAnalyticsSpec `json:"spec,omitempty"`
	// +kubebuilder:default={}
	Status AccountAnalyticsStatus `json:"status,omitempty"`
}

// Unanswered is when new numbers were asked for that nobody has read yet; nil when there is nothing to do.
func (a *AccountAnalytics) Unanswered() *metav1.Time {
	if asked := a.Spec.RefreshRequestedAt; !asked.Equal(a.Status.AnsweredRequestAt) {
		return asked
	}
	return nil
}

// AccountAnalyticsList is a list of AccountAnalytics.
//
// +kubebuilder:object:root=true
type AccountAnalyticsList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []AccountAnalytics `json:"items"`
}
