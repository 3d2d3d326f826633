// SPDX-License-Identifier: Apache-2.0

package v1beta1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// BrandProfile tells a writer who speaks to whom.
type BrandProfile struct {
	// Audience the brand speaks to.
	// +optional
	// +kubebuilder:validation:MaxLength=500
	Audience string `json:"audience,omitempty"`
	// Tone of voice.
	// +optional
	// +kubebuilder:validation:MaxLength=200
	Tone string `json:"tone,omitempty"`
	// Niche the brand works in.
	// +optional
	// +kubebuilder:validation:MaxLength=200
	Niche string `json:"niche,omitempty"`
	// Offer is what the brand sells or gives.
	// +optional
	// +kubebuilder:validation:MaxLength=500
	Offer string `json:"offer,omitempty"`
	// ValuePoints are the reasons to choose the brand.
	// +optional
	// +kubebuilder:validation:MaxItems=20
	// +kubebuilder:validation:items:MaxLength=300
	// +listType=atomic
	ValuePoints []string `json:"valuePoints,omitempty"`
	// BannedWords never appear in texts that are written for the brand.
	// +optional
	// +kubebuilder:validation:MaxItems=100
	// +kubebuilder:validation:items:MaxLength=100
	// +listType=atomic
	BannedWords []string `json:"bannedWords,omitempty"`
	// CallToAction closes a slideshow.
	// +optional
	// +kubebuilder:validation:MaxLength=200
	CallToAction string `json:"callToAction,omitempty"`
}

// SlideshowDefaults fill what a slideshow leaves out.
type SlideshowDefaults struct {
	// SlideCount, 0 for automatic.
	// +optional
	// +kubebuilder:validation:XValidation:rule="self == 0 || (self >= 3 && self <= 12)",message="slideCount must be 0 (automatic) or from 3 to 12"
	SlideCount int32 `json:"slideCount,omitempty"`
	// AspectRatio of new slideshows. Default 9:16.
	// +optional
	// +kubebuilder:validation:Enum="9:16";"4:5"
	AspectRatio string `json:"aspectRatio,omitempty"`
	// DesignStyle of new slideshows; absent rotates among the styles.
	// +optional
	// +kubebuilder:validation:MaxLength=64
	DesignStyle string `json:"designStyle,omitempty"`
	// ImageWorld that backgrounds come from; absent lets the texts decide.
	// +optional
	// +kubebuilder:validation:MaxLength=64
	ImageWorld string `json:"imageWorld,omitempty"`
	// ImageSource of new slideshows.
	// +optional
	ImageSource *ImageSource `json:"imageSource,omitempty"`
	// Gradient of new slideshows.
	// +optional
	Gradient *Gradient `json:"gradient,omitempty"`
	// OverlayFontFamily replaces the style's font.
	// +optional
	// +kubebuilder:validation:MaxLength=64
	OverlayFontFamily string `json:"overlayFontFamily,omitempty"`
}

// BrandSpec is what a brand is.
type BrandSpec struct {
	// DisplayName is the brand's name for people; the object's name when absent.
	// +optional
	// +kubebuilder:validation:MaxLength=200
	DisplayName string `json:"displayName,omitempty"`
	// Description of the brand.
	// +optional
	// +kubebuilder:validation:MaxLength=2000
	Description string `json:"description,omitempty"`
	// Website of the brand.
	// +optional
	// +kubebuilder:validation:MaxLength=2000
	// +kubebuilder:validation:XValidation:rule="self == '' || isURL(self)",message="website must be a URL such as https://example.com"
	Website string `json:"website,omitempty"`
	// Language of the brand's texts, BCP 47; absent follows each text.
	// +optional
	// +kubebuilder:validation:MaxLength=35
	Language string `json:"language,omitempty"`
	// Timezone, an IANA name. Default UTC.
	// +optional
	// +kubebuilder:default=UTC
	// +kubebuilder:validation:MaxLength=64
	Timezone string `json:"timezone,omitempty"`
	// Profile tells a writer who speaks to whom.
	// +optional
	Profile BrandProfile `json:"profile,omitempty"`
	// SlideshowDefaults fill what a slideshow leaves out.
	// +optional
	SlideshowDefaults SlideshowDefaults `json:"slideshowDefaults,omitempty"`
	// PostingDefaults are the platform settings of posts that choose none themselves.
	// +optional
	PostingDefaults *PostSettings `json:"postingDefaults,omitempty"`
	// Approval policy for posts. Default none.
	// +optional
	// +kubebuilder:default=none
	// +kubebuilder:validation:Enum=none;hold;deny
	Approval string `json:"approval,omitempty"`
}

// BrandStatus is the observed state of the Brand.
type BrandStatus struct {
	// ObservedGeneration is the generation of the spec that the status describes. It is -1 until the first reconcile, so that a new
	// object never counts as current.
	// +optional
	// +kubebuilder:default=-1
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`
	// Conditions of the brand.
	// +optional
	// +listType=map
	// +listMapKey=type
	// +kubebuilder:validation:MaxItems=16
	Conditions []metav1.Condition `json:"conditions,omitempty"`
}

// Brand is one voice of an account: its profile, its defaults and its keys.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:categories=reelops,shortName=rlbrand
// +kubebuilder:validation:XValidation:rule="size(self.metadata.name) <= 63",message="the name of a Brand has at most 63 characters: it is a label on everything made for the brand"
// +kubebuilder:selectablefield:JSONPath=`.spec.approval`
// +kubebuilder:printcolumn:name="Ready",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="ID",type=string,JSONPath=`.metadata.labels.reelops\.dev/id`
// +kubebuilder:printcolumn:name="Name",type=string,JSONPath=`.spec.displayName`
// +kubebuilder:printcolumn:name="Message",type=string,priority=1,JSONPath=`.status.conditions[?(@.type=="Ready")].message`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
type Brand struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec BrandSpec `json:"spec,omitempty"`
	// +kubebuilder:default={}
	Status BrandStatus `json:"status,omitempty"`
}

// Title is the brand's name for people.
func (b *Brand) Title() string {
	if b.Spec.DisplayName != "" {
		return b.Spec.DisplayName
	}
	return b.Name
}

// BrandList is a list of Brand.
//
// +kubebuilder:object:root=true
type BrandList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Brand `json:"items"`
}
