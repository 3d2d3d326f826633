// SPDX-License-Identifier: Apache-2.0

package v1beta1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// MediaSource says where the bytes are.
// +kubebuilder:validation:XValidation:rule="(has(self.url) ? 1 : 0) + (has(self.blobKey) ? 1 : 0) + (has(self.starter) ? 1 : 0) == 1",message="give exactly one of url (fetched once over https), blobKey (already in the blob store) and starter (drawn or composed here)"
type MediaSource struct {
	// URL is fetched once, over https.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=2000
	// +kubebuilder:validation:XValidation:rule="isURL(self)",message="url must be a URL such as https://example.com/picture.jpg"
	URL *string `json:"url,omitempty"`
	// BlobKey names an object of the blob store: imports/NAMESPACE/..., imports/shared/..., or an upload of the namespace. The
	// file is copied; one that was uploaded is then removed from where it was.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=512
	BlobKey *string `json:"blobKey,omitempty"`
	// Starter names an item of the starter set, which Reelops makes itself: nothing is fetched.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=100
	Starter *string `json:"starter,omitempty"`
}

// MediaAssetSpec is a picture or clip that somebody brings.
// +kubebuilder:validation:XValidation:rule="self.source == oldSelf.source",message="source cannot be changed: make a new MediaAsset for another file"
type MediaAssetSpec struct {
	// BrandRef is the brand it belongs to; absent shares it with every brand of the account.
	// +optional
	BrandRef *LocalRef `json:"brandRef,omitempty"`
	// MediaType says what it is for. Default user_upload.
	// +optional
	// +kubebuilder:default=user_upload
	// +kubebuilder:validation:Enum=user_upload;product_demo;avatar_video;pack_image
	MediaType string `json:"mediaType,omitempty"`
	// Title for people.
	// +optional
	// +kubebuilder:validation:MaxLength=200
	Title string `json:"title,omitempty"`
	// Description of what it shows; helps finding it and choosing it for a slide.
	// +optional
	// +kubebuilder:validation:MaxLength=1000
	Description string `json:"description,omitempty"`
	// Tags help finding it and choosing it for a slide.
	// +optional
	// +kubebuilder:validation:MaxItems=30
	// +kubebuilder:validation:items:MaxLength=50
	// +listType=atomic
	Tags []string `json:"tags,omitempty"`
	// PackRef puts it in a MediaPack.
	// +optional
	PackRef *LocalRef `json:"packRef,omitempty"`
	// ContentType that the file was declared with; a file that is something else fails. Absent: any that is taken.
	// +optional
	// +kubebuilder:validation:Enum=image/jpeg;image/png;image/webp;image/gif;image/heic;image/heif;video/mp4;video/webm;video/quicktime
	ContentType string `json:"contentType,omitempty"`
	// Attribution of the maker, where the licence asks for one.
	// +optional
	Attribution *Attribution `json:"attribution,omitempty"`
	// Source of the bytes.
	Source MediaSource `json:"source"`
}

// MediaProbe is what the file really is.
type MediaProbe struct {
	// Kind of the file.
	// +kubebuilder:validation:Enum=image;video
	Kind string `json:"kind"`
	// ContentType found by looking at the bytes.
	// +kubebuilder:validation:MaxLength=100
	ContentType string `json:"contentType"`
	// Bytes of the file.
	Bytes int64 `json:"bytes"`
	// Width in pixels, as shown (rotation applied).
	Width int32 `json:"width"`
	// Height in pixels, as shown (rotation applied).
	Height int32 `json:"height"`
	// DurationMilliseconds of a clip; 0 for a picture.
	// +optional
	DurationMilliseconds int64 `json:"durationMilliseconds,omitempty"`
	// FrameRate of a clip in frames a second; 0 for a picture.
	// +optional
	FrameRate float64 `json:"frameRate,omitempty"`
	// VideoCodec of a clip, in ffmpeg's words, such as h264.
	// +optional
	// +kubebuilder:validation:MaxLength=64
	VideoCodec string `json:"videoCodec,omitempty"`
	// AudioCodec of a clip with sound, in ffmpeg's words, such as aac.
	// +optional
	// +kubebuilder:validation:MaxLength=64
	AudioCodec string `json:"audioCodec,omitempty"`
}

// MediaAssetStatus is the observed state of the MediaAsset.
type MediaAssetStatus struct {
	// ObservedGeneration is the generation of the spec that the status describes. It is -1 until the first reconcile, so that a new
	// object never counts as current.
	// +optional
	// +kubebuilder:default=-1
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`
	// Work is the record of taking the file in.
	// +optional
	Work *Work `json:"work,omitempty"`
	// RetriedFor is the value of the annotation reelops.dev/retry that was acted upon last.
	// +optional
	// +kubebuilder:validation:MaxLength=256
	RetriedFor string `json:"retriedFor,omitempty"`
	// JobName is the batch/v1 Job of the running or last attempt, for files that are looked at or made by one.
	// +optional
	// +kubebuilder:validation:MaxLength=63
	JobName string `json:"jobName,omitempty"`
	// BlobKey of the stored file.
	// +optional
	// +kubebuilder:validation:MaxLength=512
	BlobKey string `json:"blobKey,omitempty"`
	// ThumbnailKey is the blob of a small JPEG.
	// +optional
	// +kubebuilder:validation:MaxLength=512
	ThumbnailKey string `json:"thumbnailKey,omitempty"`
	// Probe is what the file really is.
	// +optional
	Probe *MediaProbe `json:"probe,omitempty"`
	// Error is set when the file cannot be used.
	// +optional
	Error *WorkError `json:"error,omitempty"`
	// Conditions of the asset.
	// +optional
	// +listType=map
	// +listMapKey=type
	// +kubebuilder:validation:MaxItems=16
	Conditions []metav1.Condition `json:"conditions,omitempty"`
}

// MediaAsset is a picture or clip of the account.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:categories=reelops,shortName={media,rlmedia}
// +kubebuilder:selectablefield:JSONPath=`.spec.brandRef.name`
// +kubebuilder:selectablefield:JSONPath=`.spec.packRef.name`
// +kubebuilder:selectablefield:JSONPath=`.spec.mediaType`
// +kubebuilder:selectablefield:JSONPath=`.status.work.state`
// +kubebuilder:printcolumn:name="Ready",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="ID",type=string,JSONPath=`.metadata.labels.reelops\.dev/id`
// +kubebuilder:printcolumn:name="Type",type=string,JSONPath=`.spec.mediaType`
// +kubebuilder:printcolumn:name="Kind",type=string,JSONPath=`.status.probe.kind`
// +kubebuilder:printcolumn:name="Width",type=integer,JSONPath=`.status.probe.width`
// +kubebuilder:printcolumn:name="Height",type=integer,JSONPath=`.status.probe.height`
// +kubebuilder:printcolumn:name="Brand",type=string,JSONPath=`.spec.brandRef.name`,priority=1
// +kubebuilder:printcolumn:name="Message",type=string,priority=1,JSONPath=`.status.conditions[?(@.type=="Ready")].message`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
type MediaAsset struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec MediaAssetSpec `json:"spec"`
	// +kubebuilder:default={}
	Status MediaAssetStatus `json:"status,omitempty"`
}

// ReadyPicture says whether it is a picture that can be drawn upon: taken in, and not on its way out.
func (m *MediaAsset) ReadyPicture() bool {
	s := &m.Status
	return m.DeletionTimestamp.IsZero() && s.Error == nil && s.BlobKey != "" && s.Probe != nil && s.Probe.Kind == "image"
}

// MediaAssetList is a list of MediaAsset.
//
// +kubebuilder:object:root=true
type MediaAssetList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []MediaAsset `json:"items"`
}

// MediaPackSpec is a set of pictures that belong together.
type MediaPackSpec struct {
	// DisplayName for people; the object's name when absent.
	// +optional
	// +kubebuilder:validation:MaxLength=200
	DisplayName string `json:"displayName,omitempty"`
	// Description of the pack.
	// +optional
	// +kubebuilder:validation:MaxLength=1000
	Description string `json:"description,omitempty"`
	// BrandRef is the brand it belongs to; absent shares it with every brand of the account.
	// +optional
	BrandRef *LocalRef `json:"brandRef,omitempty"`
	// Tags of the pack.
	// +optional
	// +kubebuilder:validation:MaxItems=30
	// +kubebuilder:validation:items:MaxLength=50
	// +listType=atomic
	Tags []string `json:"tags,omitempty"`
}

// MediaPackStatus is the observed state of the MediaPack.
type MediaPackStatus struct {
	// ObservedGeneration is the generation of the spec that the status describes. It is -1 until the first reconcile, so that a new
	// object never counts as current.
	// +optional
	// +kubebuilder:default=-1
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`
	// ImageCount is how many ready pictures the pack has.
	// +optional
	ImageCount int32 `json:"imageCount"`
	// Previews are the names of up to four of its ready pictures.
	// +optional
	// +kubebuilder:validation:MaxItems=4
	// +kubebuilder:validation:items:MaxLength=253
	// +listType=atomic
	Previews []string `json:"previews,omitempty"`
	// Conditions of the pack.
	// +optional
	// +listType=map
	// +listMapKey=type
	// +kubebuilder:validation:MaxItems=16
	Conditions []metav1.Condition `json:"conditions,omitempty"`
}

// MediaPack is a set of pictures; a MediaAsset joins it by spec.packRef.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:categories=reelops,shortName={pack,packs,rlpack}
// +kubebuilder:selectablefield:JSONPath=`.spec.brandRef.name`
// +kubebuilder:printcolumn:name="Ready",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="ID",type=string,JSONPath=`.metadata.labels.reelops\.dev/id`
// +kubebuilder:printcolumn:name="Images",type=integer,JSONPath=`.status.imageCount`
// +kubebuilder:printcolumn:name="Brand",type=string,JSONPath=`.spec.brandRef.name`,priority=1
// +kubebuilder:printcolumn:name="Message",type=string,priority=1,JSONPath=`.status.conditions[?(@.type=="Ready")].message`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
type MediaPack struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec MediaPackSpec `json:"spec,omitempty"`
	// +kubebuilder:default={}
	Status MediaPackStatus `json:"status,omitempty"`
}

// MediaPackList is a list of MediaPack.
//
// +kubebuilder:object:root=true
type MediaPackList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []MediaPack `json:"items"`
}
