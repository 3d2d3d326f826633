// SPDX-License-Identifier: Apache-2.0

package v1beta1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// MediaSource is the origin of a file.
// +kubebuilder:validation:XValidation:rule="(has(self.url) ? 1 : 0) + (has(self.blobKey) ? 1 : 0) + (has(self.starter) ? 1 : 0) == 1",message="give exactly one of url (downloaded once over https), blobKey (an object in the blob store) and starter (an item that Reelops generates)"
type MediaSource struct {
	// URL of the file, which is downloaded once over https.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=2000
	// +kubebuilder:validation:XValidation:rule="isURL(self)",message="url must be a URL such as https://example.com/picture.jpg"
	URL *string `json:"url,omitempty"`
	// BlobKey is the key of an object in the blob store: imports/NAMESPACE/..., imports/shared/..., or an upload of the
	// namespace. The file is copied. An upload is deleted after it is copied.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=512
	BlobKey *string `json:"blobKey,omitempty"`
	// Starter is the name of an item of the starter set. Reelops generates the item; nothing is downloaded.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=100
	Starter *string `json:"starter,omitempty"`
}

// MediaAssetSpec is the desired state of the MediaAsset.
// +kubebuilder:validation:XValidation:rule="self.source == oldSelf.source",message="source cannot be changed: create a new MediaAsset for another file"
type MediaAssetSpec struct {
	// BrandRef is the brand that the asset belongs to. Absent: the asset is shared by all brands of the account.
	// +optional
	BrandRef *LocalRef `json:"brandRef,omitempty"`
	// MediaType is the purpose of the asset. Default user_upload.
	// +optional
	// +kubebuilder:default=user_upload
	// +kubebuilder:validation:Enum=user_upload;product_demo;avatar_video;pack_image
	MediaType string `json:"mediaType,omitempty"`
	// Title is the human-readable name of the asset.
	// +optional
	// +kubebuilder:validation:MaxLength=200
	Title string `json:"title,omitempty"`
	// Description of what the asset shows, used to search for assets and to choose one for a slide.
	// +optional
	// +kubebuilder:validation:MaxLength=1000
	Description string `json:"description,omitempty"`
	// Tags are used to search for assets and to choose one for a slide.
	// +optional
	// +kubebuilder:validation:MaxItems=30
	// +kubebuilder:validation:items:MaxLength=50
	// +listType=atomic
	Tags []string `json:"tags,omitempty"`
	// PackRef is the MediaPack that the asset belongs to.
	// +optional
	PackRef *LocalRef `json:"packRef,omitempty"`
	// ContentType is the declared content type of the file. A file of another type fails. Absent: any supported type.
	// +optional
	// +kubebuilder:validation:Enum=image/jpeg;image/png;image/webp;image/gif;image/heic;image/heif;video/mp4;video/webm;video/quicktime
	ContentType string `json:"contentType,omitempty"`
	// Attribution of the author, if the licence requires one.
	// +optional
	Attribution *Attribution `json:"attribution,omitempty"`
	// Source of the file. The source cannot be changed.
	Source MediaSource `json:"source"`
}

// MediaProbe is the result of inspecting the file.
type MediaProbe struct {
	// Kind of the file.
	// +kubebuilder:validation:Enum=image;video
	Kind string `json:"kind"`
	// ContentType detected from the bytes of the file.
	// +kubebuilder:validation:MaxLength=100
	ContentType string `json:"contentType"`
	// Bytes is the size of the file.
	Bytes int64 `json:"bytes"`
	// Width in pixels, as displayed (rotation applied).
	Width int32 `json:"width"`
	// Height in pixels, as displayed (rotation applied).
	Height int32 `json:"height"`
	// DurationMilliseconds of a clip, or 0 for an image.
	// +optional
	DurationMilliseconds int64 `json:"durationMilliseconds,omitempty"`
	// FrameRate of a clip in frames per second, or 0 for an image.
	// +optional
	FrameRate float64 `json:"frameRate,omitempty"`
	// VideoCodec of a clip, as ffmpeg names it, such as h264.
	// +optional
	// +kubebuilder:validation:MaxLength=64
	VideoCodec string `json:"videoCodec,omitempty"`
	// AudioCodec of a clip with sound, as ffmpeg names it, such as aac.
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
	// Work is the record of ingesting the file.
	// +optional
	Work *Work `json:"work,omitempty"`
	// RetriedFor is the last handled value of the annotation reelops.dev/retry.
	// +optional
	// +kubebuilder:validation:MaxLength=256
	RetriedFor string `json:"retriedFor,omitempty"`
	// JobName is the batch/v1 Job of the running or last attempt, for files that a Job inspects or generates.
	// +optional
	// +kubebuilder:validation:MaxLength=63
	JobName string `json:"jobName,omitempty"`
	// BlobKey of the stored file.
	// +optional
	// +kubebuilder:validation:MaxLength=512
	BlobKey string `json:"blobKey,omitempty"`
	// ThumbnailKey is the blob store key of a small JPEG.
	// +optional
	// +kubebuilder:validation:MaxLength=512
	ThumbnailKey string `json:"thumbnailKey,omitempty"`
	// Probe is the result of inspecting the file.
	// +optional
	Probe *MediaProbe `json:"probe,omitempty"`
	// Error is the reason why the file cannot be used.
	// +optional
	Error *WorkError `json:"error,omitempty"`
	// Conditions of the asset.
	// +optional
	// +listType=map
	// +listMapKey=type
	// +kubebuilder:validation:MaxItems=16
	Conditions []metav1.Condition `json:"conditions,omitempty"`
}

// MediaAsset is an image or video clip of the account.
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

// ReadyPicture reports whether the asset is an image that can be used as a background: ingested and not being deleted.
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

// MediaPackSpec is the desired state of the MediaPack.
type MediaPackSpec struct {
	// DisplayName is the human-readable name of the pack. Absent: the name of the object.
	// +optional
	// +kubebuilder:validation:MaxLength=200
	DisplayName string `json:"displayName,omitempty"`
	// Description of the pack.
	// +optional
	// +kubebuilder:validation:MaxLength=1000
	Description string `json:"description,omitempty"`
	// BrandRef is the brand that the pack belongs to. Absent: the pack is shared by all brands of the account.
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
	// ImageCount is the number of ready images in the pack.
	// +optional
	ImageCount int32 `json:"imageCount"`
	// Previews are the names of up to four ready images of the pack.
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

// MediaPack is a set of images that belong together. A MediaAsset joins the pack with spec.packRef.
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
