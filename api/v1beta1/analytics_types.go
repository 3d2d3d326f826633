// SPDX-License-Identifier: Apache-2.0

package v1beta1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// AccountAnalyticsSpec selects the SocialAccount whose analytics are read, and requests a refresh.
// +kubebuilder:validation:XValidation:rule="self.accountRef == oldSelf.accountRef",message="accountRef cannot be changed: each SocialAccount has its own AccountAnalytics"
type AccountAnalyticsSpec struct {
	// AccountRef is the SocialAccount whose analytics these are. The SocialAccount must have the same name as this
	// object.
	AccountRef LocalRef `json:"accountRef"`
	// RefreshRequestedAt is the time of a request to refresh the analytics. Set it to the current time to request a
	// refresh; a time in the future counts as now. A request within the cooldown after the last refresh waits until the
	// cooldown ends.
	// +optional
	RefreshRequestedAt *metav1.Time `json:"refreshRequestedAt,omitempty"`
}

// AccountNumbers are the metrics of the whole account. A metric that the platform does not report is absent, never 0.
type AccountNumbers struct {
	// Followers is the current number of followers of the account.
	// +optional
	Followers *int64 `json:"followers,omitempty"`
	// Posts is the current number of posts on the account, as counted by the platform.
	// +optional
	Posts *int64 `json:"posts,omitempty"`
	// Views is the number of views of the account since its creation, as counted by the platform. If the platform reports
	// no total, Views is the sum of the views of the known posts.
	// +optional
	Views *int64 `json:"views,omitempty"`
}

// AccountAnalyticsStatus is the observed state of the AccountAnalytics.
type AccountAnalyticsStatus struct {
	// ObservedGeneration is the generation of the spec that the status describes. It is -1 until the first reconcile, so that a new
	// object never counts as current.
	// +optional
	// +kubebuilder:default=-1
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`
	// Conditions of the analytics.
	// +optional
	// +listType=map
	// +listMapKey=type
	// +kubebuilder:validation:MaxItems=16
	Conditions []metav1.Condition `json:"conditions,omitempty"`
	// Refreshing is true while a refresh is in progress.
	// +optional
	Refreshing bool `json:"refreshing,omitempty"`
	// RefreshStartedAt is the start time of the last refresh, successful or not. The cooldown counts from this time.
	// +optional
	RefreshStartedAt *metav1.Time `json:"refreshStartedAt,omitempty"`
	// RefreshedAt is the time at which the stored analytics were complete.
	// +optional
	RefreshedAt *metav1.Time `json:"refreshedAt,omitempty"`
	// AnsweredRequestAt is the spec.refreshRequestedAt that the last refresh handled.
	// +optional
	AnsweredRequestAt *metav1.Time `json:"answeredRequestAt,omitempty"`
	// NextRefreshAt is the time of the next scheduled refresh.
	// +optional
	NextRefreshAt *metav1.Time `json:"nextRefreshAt,omitempty"`
	// AccountNumbers are the metrics of the whole account.
	AccountNumbers `json:",inline"`
	// DocumentKey is the blob store key of the document with the metrics of the posts and the history of the account.
	// Every refresh writes a new document and deletes the previous one.
	// +optional
	// +kubebuilder:validation:MaxLength=512
	DocumentKey string `json:"documentKey,omitempty"`
	// KnownPosts is the number of posts in the document.
	// +optional
	KnownPosts int32 `json:"knownPosts,omitempty"`
	// Error is the reason why the last refresh failed. The previous analytics are kept.
	// +optional
	Error *WorkError `json:"error,omitempty"`
	// Failures is the number of consecutive failed refreshes. The wait before a retry grows with it.
	// +optional
	Failures int32 `json:"failures,omitempty"`
}

// AccountAnalytics contains the analytics of one SocialAccount, of the same name. Reelops creates it for every account
// whose platform reports analytics, and refreshes it periodically. Set spec.refreshRequestedAt to request a refresh at
// once.
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

// Unanswered returns the time of a refresh request that no refresh has handled yet, or nil if there is none.
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
