// SPDX-License-Identifier: Apache-2.0

package v1beta1

// FinalizerSlideshow holds a Slideshow until its blobs are gone and its account is settled. Whoever creates one for a hold
// sets it at once: a slideshow deleted before its controller saw it would else be given back.
const FinalizerSlideshow = "reelops.dev/slideshow-blobs"

// CreditUse is what a slideshow's AI pictures have cost its account.
type CreditUse struct {
	// PerPicture is the price of a picture, in credits, that the newest work was started with.
	PerPicture int32 `json:"perPicture"`
	// Held is what the account holds for work that is going on.
	// +optional
	Held int32 `json:"held,omitempty"`
	// Used is what was paid in all.
	// +optional
	Used int32 `json:"used,omitempty"`
	// Settlements counts the times that held credits were settled.
	// +optional
	Settlements int32 `json:"settlements,omitempty"`
	// Paid names the pictures that were paid for: one that is shown again costs nothing.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MaxItems=240
	// +kubebuilder:validation:items:MaxLength=64
	Paid []string `json:"paid,omitempty"`
}
