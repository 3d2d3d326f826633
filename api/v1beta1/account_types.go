// SPDX-License-Identifier: Apache-2.0

package v1beta1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Defaults of a plan's limits on what an account stores. They are meant to stop a runaway client, not to meter: an operator sets MaxBytes
// below what the store holds.
const (
	// DefaultMaxObjects is the default of Plan.MaxObjects.
	DefaultMaxObjects int32 = 250_000
	// DefaultMaxBytes is the default of Plan.MaxBytes: 100 GiB.
	DefaultMaxBytes int64 = 100 << 30
	// DefaultMaxUnclaimedBytes is the default of Plan.MaxUnclaimedBytes: 5 GiB, some 25 of the largest clips.
	DefaultMaxUnclaimedBytes int64 = 5 << 30
	// DefaultMaxPendingURLs is the default of Plan.MaxPendingURLs. An account fetches a few files at a time.
	DefaultMaxPendingURLs int32 = 200
)

// Plan says what an account may use.
type Plan struct {
	// Name of the plan as the account's owner sees it. Default self-hosted.
	// +optional
	// +kubebuilder:default=self-hosted
	// +kubebuilder:validation:MaxLength=64
	Name string `json:"name,omitempty"`
	// SlideshowLimit is how many slideshows may be made in a period; absent means no limit.
	// +optional
	// +kubebuilder:validation:Minimum=0
	SlideshowLimit *int32 `json:"slideshowLimit,omitempty"`
	// AutomationLimit is how many automations the plan allows. Default 0.
	// +optional
	// +kubebuilder:validation:Minimum=0
	AutomationLimit int32 `json:"automationLimit,omitempty"`
	// Period of the limits. Default month: a calendar month in UTC.
	// +optional
	// +kubebuilder:default=month
	// +kubebuilder:validation:Enum=month
	Period string `json:"period,omitempty"`
	// MaxObjects is how many media items, tracks, slideshows, videos and renders the account may have; absent means 250,000. The
	// front end rejects requests that would create more, and media of manifests waits.
	// +optional
	// +kubebuilder:validation:Minimum=0
	MaxObjects *int32 `json:"maxObjects,omitempty"`
	// MaxBytes is how many bytes of media, tracks and rendered films the account may have in the store; absent means 100 GiB.
	// The front end rejects uploads that would be more. Media and renders of manifests wait until there is room. Pictures of slides
	// do not count.
	// +optional
	// +kubebuilder:validation:Minimum=0
	MaxBytes *int64 `json:"maxBytes,omitempty"`
	// MaxUnclaimedBytes is how many bytes of uploads may be declared or uploaded that are not claimed yet; absent means 5 GiB. The
	// front end rejects declarations beyond it. Unclaimed uploads are removed after a day.
	// +optional
	// +kubebuilder:validation:Minimum=0
	MaxUnclaimedBytes *int64 `json:"maxUnclaimedBytes,omitempty"`
	// MaxPendingURLs is how many media items and tracks with a URL may wait to be fetched or be fetched; absent means 200. The front
	// end rejects edits and videos whose URLs would be more. Those of manifests count, and wait for their turns with the reason Queued.
	// +optional
	// +kubebuilder:validation:Minimum=0
	MaxPendingURLs *int32 `json:"maxPendingURLs,omitempty"`
	// Credits granted for AI pictures in a period; absent means that the plan shows no credits and AI pictures cost none.
	// +optional
	// +kubebuilder:validation:Minimum=0
	Credits *int32 `json:"credits,omitempty"`
}

// AccountSpec is who the tenant is and what it may use.
type AccountSpec struct {
	// Email of the account's owner.
	// +kubebuilder:validation:MaxLength=254
	// +kubebuilder:validation:XValidation:rule="self.matches('^[^@ ]+@[^@ ]+$')",message="email must look like name@domain"
	Email string `json:"email"`
	// Plan of the account.
	// +optional
	// +kubebuilder:default={}
	Plan Plan `json:"plan,omitempty"`
}

// Usage is what was used in one period.
type Usage struct {
	// PeriodStart is when the period began.
	PeriodStart metav1.Time `json:"periodStart"`
	// PeriodEnd is when the next one begins.
	PeriodEnd metav1.Time `json:"periodEnd"`
	// SlideshowsUsed counts the slideshows charged in the period, less those that failed and may be tried again. What is
	// only held comes on top of it.
	SlideshowsUsed int32 `json:"slideshowsUsed"`
	// CreditsUsed counts the credits that AI pictures of the period have cost.
	// +optional
	CreditsUsed int32 `json:"creditsUsed,omitempty"`
	// Unsettled names what was counted above and its slideshow may not know of yet, as name/uid/operation/month. A
	// controller that died between the two writes finds here that it must not count twice.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MaxItems=512
	// +kubebuilder:validation:items:MaxLength=400
	Unsettled []string `json:"unsettled,omitempty"`
}

// MaxHolds is how many reservations an account may have at a time.
const MaxHolds = 2000

// Hold reserves a part of the plan for a slideshow.
type Hold struct {
	// Slideshow is the name of the one that it is for.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	Slideshow string `json:"slideshow"`
	// UID of the slideshow once its controller has counted it; absent while it is only about to be created.
	// +optional
	// +kubebuilder:validation:MaxLength=64
	UID string `json:"uid,omitempty"`
	// Since is when it was made.
	Since metav1.Time `json:"since"`
	// PeriodStart is the period whose plan it takes from.
	PeriodStart metav1.Time `json:"periodStart"`
	// Slideshows held: 1 for one that is about to be created.
	// +optional
	// +kubebuilder:validation:Minimum=0
	Slideshows int32 `json:"slideshows,omitempty"`
	// Credits held for AI pictures that may be made.
	// +optional
	// +kubebuilder:validation:Minimum=0
	Credits int32 `json:"credits,omitempty"`
}

// AccountStatus is the observed state of the Account.
type AccountStatus struct {
	// ObservedGeneration is the generation of the spec that the status describes. It is -1 until the first reconcile, so that a new
	// object never counts as current.
	// +optional
	// +kubebuilder:default=-1
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`
	// SlideshowsUsed counts the slideshows and videos that were accepted in the current period, less those given back: what
	// usage counts and what holds reserve. GET /account shows the same number.
	// +optional
	// +kubebuilder:validation:Minimum=0
	SlideshowsUsed int32 `json:"slideshowsUsed,omitempty"`
	// Usage of the current period.
	// +optional
	Usage *Usage `json:"usage,omitempty"`
	// Holds reserve what was accepted and is not counted yet.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=2000
	Holds []Hold `json:"holds,omitempty"`
	// Conditions of the account.
	// +optional
	// +listType=map
	// +listMapKey=type
	// +kubebuilder:validation:MaxItems=16
	Conditions []metav1.Condition `json:"conditions,omitempty"`
}

// Account is the tenant: one in each namespace, named "account". An administrator labels the namespace with reelops.dev/account:
// without the label files are not opened, videos not rendered and social accounts not connected.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:categories=reelops,shortName={acct,rlacct}
// +kubebuilder:validation:XValidation:rule="self.metadata.name == 'account'",message="an Account must be named \"account\": a namespace is one account"
// +kubebuilder:selectablefield:JSONPath=`.spec.plan.name`
// +kubebuilder:printcolumn:name="Ready",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="Plan",type=string,JSONPath=`.spec.plan.name`
// +kubebuilder:printcolumn:name="Limit",type=integer,JSONPath=`.spec.plan.slideshowLimit`
// +kubebuilder:printcolumn:name="Used",type=integer,JSONPath=`.status.slideshowsUsed`
// +kubebuilder:printcolumn:name="Message",type=string,priority=1,JSONPath=`.status.conditions[?(@.type=="Ready")].message`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
type Account struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec AccountSpec `json:"spec"`
	// +kubebuilder:default={}
	Status AccountStatus `json:"status,omitempty"`
}

// AccountList is a list of Account.
//
// +kubebuilder:object:root=true
type AccountList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Account `json:"items"`
}
