// SPDX-License-Identifier: Apache-2.0

package v1beta1

// FinalizerSlideshow blocks the deletion of a Slideshow until its blobs are deleted and its quota is settled. A client
// that creates a Slideshow for a reservation sets the finalizer on creation. Otherwise the reservation of a Slideshow
// that is deleted before its controller sees it would be released.
const FinalizerSlideshow = "reelops.dev/slideshow-blobs"

// CreditUse is the number of credits that a slideshow's AI images have cost its account.
type CreditUse struct {
	// PerPicture is the price of an image, in credits, at the start of the newest work.
	PerPicture int32 `json:"perPicture"`
	// Held is the number of credits reserved for work in progress.
	// +optional
	Held int32 `json:"held,omitempty"`
	// Used is the total number of credits charged.
	// +optional
	Used int32 `json:"used,omitempty"`
	// Settlements is the number of times that reserved credits were settled.
	// +optional
	Settlements int32 `json:"settlements,omitempty"`
	// Paid lists the images that were charged. Using one of them again costs nothing.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MaxItems=240
	// +kubebuilder:validation:items:MaxLength=64
	Paid []string `json:"paid,omitempty"`
}
