// SPDX-License-Identifier: Apache-2.0

package v1beta1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// BrandProfile describes the brand, its audience and its tone. Text generation uses it.
type BrandProfile struct {
	// Audience that the brand addresses.
	// +optional
	// +kubebuilder:validation:MaxLength=500
	Audience string `json:"audience,omitempty"`
	// Tone of voice of the brand's texts.
	// +optional
	// +kubebuilder:validation:MaxLength=200
	Tone string `json:"tone,omitempty"`
	// Niche is the market that the brand works in.
	// +optional
	// +kubebuilder:validation:MaxLength=200
	Niche string `json:"niche,omitempty"`
	// Offer is the product or service that the brand sells or gives away.
	// +optional
	// +kubebuilder:validation:MaxLength=500
	Offer string `json:"offer,omitempty"`
	// ValuePoints are the reasons to choose the brand.
	// +optional
	// +kubebuilder:validation:MaxItems=20
	// +kubebuilder:validation:items:MaxLength=300
	// +listType=atomic
	ValuePoints []string `json:"valuePoints,omitempty"`
	// BannedWords never appear in texts that are generated for the brand.
	// +optional
	// +kubebuilder:validation:MaxItems=100
	// +kubebuilder:validation:items:MaxLength=100
	// +listType=atomic
	BannedWords []string `json:"bannedWords,omitempty"`
	// CallToAction is the text that ends a slideshow.
	// +optional
	// +kubebuilder:validation:MaxLength=200
	CallToAction string `json:"callToAction,omitempty"`
}

// SlideshowDefaults are the values for fields that a slideshow leaves unset.
type SlideshowDefaults struct {
	// SlideCount is the number of slides: 0 (automatic) or from 3 to 12. Default 0.
	// +optional
	// +kubebuilder:validation:XValidation:rule="self == 0 || (self >= 3 && self <= 12)",message="slideCount must be 0 (automatic) or from 3 to 12"
	SlideCount int32 `json:"slideCount,omitempty"`
	// AspectRatio of new slideshows. Default 9:16.
	// +optional
	// +kubebuilder:validation:Enum="9:16";"4:5"
	AspectRatio string `json:"aspectRatio,omitempty"`
	// DesignStyle of new slideshows. Absent: the styles are used in rotation.
	// +optional
	// +kubebuilder:validation:MaxLength=64
	DesignStyle string `json:"designStyle,omitempty"`
	// ImageWorld is the visual mood of the background images. Absent: chosen from the texts.
	// +optional
	// +kubebuilder:validation:MaxLength=64
	ImageWorld string `json:"imageWorld,omitempty"`
	// ImageSource of the backgrounds of new slideshows.
	// +optional
	ImageSource *ImageSource `json:"imageSource,omitempty"`
	// Gradient over the backgrounds of new slideshows.
	// +optional
	Gradient *Gradient `json:"gradient,omitempty"`
	// OverlayFontFamily is the font of text overlays. It replaces the font of the design style.
	// +optional
	// +kubebuilder:validation:MaxLength=64
	OverlayFontFamily string `json:"overlayFontFamily,omitempty"`
}

// BrandSpec is the desired state of the Brand.
type BrandSpec struct {
	// DisplayName is the human-readable name of the brand. Absent: the name of the object.
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
	// Language of the brand's texts, as a BCP 47 tag. Absent: the language of each text.
	// +optional
	// +kubebuilder:validation:MaxLength=35
	Language string `json:"language,omitempty"`
	// Timezone of the brand, as an IANA name. Default UTC.
	// +optional
	// +kubebuilder:default=UTC
	// +kubebuilder:validation:MaxLength=64
	Timezone string `json:"timezone,omitempty"`
	// Profile describes the brand, its audience and its tone. Text generation uses it.
	// +optional
	Profile BrandProfile `json:"profile,omitempty"`
	// SlideshowDefaults are the values for fields that a slideshow leaves unset.
	// +optional
	SlideshowDefaults SlideshowDefaults `json:"slideshowDefaults,omitempty"`
	// PostingDefaults are the platform settings of posts that do not set their own.
	// +optional
	PostingDefaults *PostSettings `json:"postingDefaults,omitempty"`
	// PostingSuspended stops the publication of posts: while it is true, no post of the brand starts. A post that is due
	// meanwhile is late. When posting is resumed, the post is published, or fails if it is more than six hours late. A post
	// whose publication has begun is finished. Default false.
	// +optional
	PostingSuspended bool `json:"postingSuspended,omitempty"`
	// Approval is the approval policy for posts. hold and deny keep posts as drafts until a user with the verb approve on
	// postbatches sets spec.approved of the PostBatch. deny also rejects posts that are created with the REST API.
	// Default none.
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

// Brand is one voice of an account, with its profile, its defaults and its API keys.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:categories=reelops,shortName=rlbrand
// +kubebuilder:validation:XValidation:rule="size(self.metadata.name) <= 63",message="the name of a Brand must have at most 63 characters: it is a label on the objects of the brand"
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

// Title returns the human-readable name of the brand.
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
