// SPDX-License-Identifier: Apache-2.0

package v1beta1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Defaults of the limits of a plan. They stop a runaway client and are not meant for metering. An
// operator sets MaxBytes below the capacity of the blob store.
const (
	// DefaultAutomationLimit is the default of Plan.AutomationLimit.
	DefaultAutomationLimit int32 = 100
	// DefaultMaxObjects is the default of Plan.MaxObjects.
	DefaultMaxObjects int32 = 250_000
	// DefaultMaxBytes is the default of Plan.MaxBytes: 100 GiB.
	DefaultMaxBytes int64 = 100 << 30
	// DefaultMaxUnclaimedBytes is the default of Plan.MaxUnclaimedBytes: 5 GiB, some 25 of the largest clips.
	DefaultMaxUnclaimedBytes int64 = 5 << 30
	// DefaultMaxPendingURLs is the default of Plan.MaxPendingURLs. An account fetches a few files at a time.
	DefaultMaxPendingURLs int32 = 200
)

// Plan is the subscription plan of an account: its quotas and limits.
//
// +kubebuilder:validation:XValidation:rule="!has(self.deleteArchivedAfterDays) || !has(self.archiveAfterDays) || self.archiveAfterDays > 0",message="archiveAfterDays 0 switches archiving off: set it to at least 1, or remove deleteArchivedAfterDays"
type Plan struct {
	// Name of the plan that the account's owner sees. Default self-hosted.
	// +optional
	// +kubebuilder:default=self-hosted
	// +kubebuilder:validation:MaxLength=64
	Name string `json:"name,omitempty"`
	// SlideshowLimit is the number of slideshows and videos that the account may create in a period. Absent: no limit.
	// +optional
	// +kubebuilder:validation:Minimum=0
	SlideshowLimit *int32 `json:"slideshowLimit,omitempty"`
	// AutomationLimit is the number of automations that the plan allows. 0: none. Absent: 100.
	// +optional
	// +kubebuilder:validation:Minimum=0
	AutomationLimit *int32 `json:"automationLimit,omitempty"`
	// Period to which the limits apply. Default month: a calendar month in UTC.
	// +optional
	// +kubebuilder:default=month
	// +kubebuilder:validation:Enum=month
	Period string `json:"period,omitempty"`
	// MaxObjects is the number of media items, tracks, slideshows, videos and renders that the account may have. Absent:
	// 250,000. At the limit, the REST API rejects requests that create more, and media from manifests waits.
	// +optional
	// +kubebuilder:validation:Minimum=0
	MaxObjects *int32 `json:"maxObjects,omitempty"`
	// MaxBytes is the number of bytes of media, tracks and rendered videos that the account may store. Absent: 100 GiB.
	// At the limit, the REST API rejects uploads. Media and renders from manifests wait until there is room. Images of
	// slides do not count.
	// +optional
	// +kubebuilder:validation:Minimum=0
	MaxBytes *int64 `json:"maxBytes,omitempty"`
	// MaxUnclaimedBytes is the number of bytes of uploads that may be declared or uploaded without being claimed. Absent:
	// 5 GiB. At the limit, the REST API rejects declarations. Unclaimed uploads are deleted after a day.
	// +optional
	// +kubebuilder:validation:Minimum=0
	MaxUnclaimedBytes *int64 `json:"maxUnclaimedBytes,omitempty"`
	// MaxPendingURLs is the number of media items and tracks with a URL that may be waiting for or in download. Absent:
	// 200. At the limit, the REST API rejects edits and videos that add URLs. Items from manifests count too, and wait in
	// the queue with the reason Queued.
	// +optional
	// +kubebuilder:validation:Minimum=0
	MaxPendingURLs *int32 `json:"maxPendingURLs,omitempty"`
	// ArchiveAfterDays is the number of days without a change after which a settled short leaves the cluster for the
	// archive. 0: never. Absent: the setting of the installation, which is 30 days unless the operator changes it.
	// +optional
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=36500
	ArchiveAfterDays *int32 `json:"archiveAfterDays,omitempty"`
	// DeleteArchivedAfterDays is the number of days after its archiving on which an archived short is deleted with its
	// files and the records of its posts. Posts stay on their platforms. After a restore the days count from the next
	// archiving. Absent: never.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=36500
	DeleteArchivedAfterDays *int32 `json:"deleteArchivedAfterDays,omitempty"`
	// Credits granted for AI images in a period. Absent: the plan shows no credits, and AI images cost none.
	// +optional
	// +kubebuilder:validation:Minimum=0
	Credits *int32 `json:"credits,omitempty"`
}

// AccountSpec is the owner of the tenant and its plan.
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

// Usage is the consumption of quota in one period.
type Usage struct {
	// PeriodStart is the start of the period.
	PeriodStart metav1.Time `json:"periodStart"`
	// PeriodEnd is the start of the next period.
	PeriodEnd metav1.Time `json:"periodEnd"`
	// SlideshowsUsed is the number of slideshows charged in the period, minus those that failed and may be retried.
	// Reservations in status.holds are not included.
	SlideshowsUsed int32 `json:"slideshowsUsed"`
	// CreditsUsed is the number of credits that AI images have cost in the period.
	// +optional
	CreditsUsed int32 `json:"creditsUsed,omitempty"`
	// Unsettled lists the operations counted above that the status of their slideshow may not record yet, as
	// name/uid/operation/month. A controller that restarts between the two writes reads this list and does not count an
	// operation twice.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MaxItems=512
	// +kubebuilder:validation:items:MaxLength=400
	Unsettled []string `json:"unsettled,omitempty"`
}

// MaxHolds is the maximum number of reservations that an account may have at the same time.
const MaxHolds = 2000

// Hold is a reservation of a part of the plan for a slideshow.
type Hold struct {
	// Slideshow is the name of the slideshow that the reservation is for.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	Slideshow string `json:"slideshow"`
	// UID of the slideshow once its controller has counted it. Absent while the slideshow is about to be created.
	// +optional
	// +kubebuilder:validation:MaxLength=64
	UID string `json:"uid,omitempty"`
	// Since is the time of the reservation.
	Since metav1.Time `json:"since"`
	// PeriodStart is the start of the period whose quota is reserved.
	PeriodStart metav1.Time `json:"periodStart"`
	// Slideshows is the number of reserved slideshows: 1 for a slideshow that is about to be created.
	// +optional
	// +kubebuilder:validation:Minimum=0
	Slideshows int32 `json:"slideshows,omitempty"`
	// Credits is the number of credits reserved for AI images that may be generated.
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
	// SlideshowsUsed is the number of slideshows and videos accepted in the current period, minus those that were
	// released: status.usage plus the reservations in status.holds. GET /account returns the same number.
	// +optional
	// +kubebuilder:validation:Minimum=0
	SlideshowsUsed int32 `json:"slideshowsUsed,omitempty"`
	// Usage of the current period.
	// +optional
	Usage *Usage `json:"usage,omitempty"`
	// Holds are reservations for accepted slideshows that are not counted in status.usage yet.
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
	// Transitions are the last changes of state that webhook endpoints receive as events, oldest first. At most 16.
	// +optional
	// +kubebuilder:validation:MaxItems=16
	// +listType=atomic
	Transitions []Transition `json:"transitions,omitempty"`
}

// Account is the tenant. Each namespace has one, named "account". An administrator enables it with the label
// reelops.dev/account on the namespace. Without the label, files are not opened, videos are not rendered, and social
// accounts are not connected.
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
