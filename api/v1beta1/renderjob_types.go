// SPDX-License-Identifier: Apache-2.0

package v1beta1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Kinds of what is rendered.
const (
	KindSlideshow = "Slideshow"
	KindVideo     = "Video"
)

// RenderSource names what is rendered.
type RenderSource struct {
	// Kind of the source.
	// +optional
	// +kubebuilder:default=Slideshow
	// +kubebuilder:validation:Enum=Slideshow;Video
	Kind string `json:"kind,omitempty"`
	// Name of the source.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	Name string `json:"name"`
}

// RenderJobSpec is the desired state of the RenderJob. It cannot be changed.
// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="a RenderJob cannot be changed: make a new one"
type RenderJobSpec struct {
	// Source to render.
	Source RenderSource `json:"source"`
	// Revision to render; absent means the one that is current when the work starts.
	// +optional
	// +kubebuilder:validation:Minimum=1
	Revision *int64 `json:"revision,omitempty"`
	// Format of the output. Default video.
	// +optional
	// +kubebuilder:default=video
	// +kubebuilder:validation:Enum=video
	Format string `json:"format,omitempty"`
}

// RenderProgress is how far the running attempt has come. The front end writes it when the renderer reports.
type RenderProgress struct {
	// Attempt that reported.
	Attempt int32 `json:"attempt"`
	// Percent done.
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=100
	Percent int32 `json:"percent"`
	// Frame that was written last.
	Frame int64 `json:"frame"`
	// FPS is the speed in frames a second.
	FPS int32 `json:"fps"`
}

// RenderOutput is the finished film.
type RenderOutput struct {
	// BlobKey of the film.
	// +kubebuilder:validation:MaxLength=512
	BlobKey string `json:"blobKey"`
	// Bytes of the film.
	Bytes int64 `json:"bytes"`
	// SHA256 of the film, 64 hexadecimal digits.
	// +kubebuilder:validation:MaxLength=64
	SHA256 string `json:"sha256"`
	// DurationMilliseconds of the film.
	DurationMilliseconds int64 `json:"durationMilliseconds"`
	// Width in pixels.
	Width int32 `json:"width"`
	// Height in pixels.
	Height int32 `json:"height"`
	// Frames in the film.
	Frames int64 `json:"frames"`
	// PosterKey is the blob of a JPEG of the film's first picture; only films of videos have one.
	// +optional
	// +kubebuilder:validation:MaxLength=512
	PosterKey string `json:"posterKey,omitempty"`
}

// RenderReport is the outcome of an attempt as a front end of an earlier release wrote it. It is read for attempts that were running
// during an upgrade, and not written any more.
type RenderReport struct {
	// Attempt that reported.
	Attempt int32 `json:"attempt"`
	// Output when the attempt succeeded.
	// +optional
	Output *RenderOutput `json:"output,omitempty"`
	// Error when the attempt failed.
	// +optional
	Error *WorkError `json:"error,omitempty"`
	// Unconfined are the parts of the confinement of programs that the attempt's node does not have: landlock, seccomp.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MaxItems=2
	Unconfined []string `json:"unconfined,omitempty"`
}

// RenderJobStatus is the observed state of the RenderJob.
type RenderJobStatus struct {
	// ObservedGeneration is the generation of the spec that the status describes. It is -1 until the first reconcile, so that a new
	// object never counts as current.
	// +optional
	// +kubebuilder:default=-1
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`
	// Work is the record of the render.
	// +optional
	Work *Work `json:"work,omitempty"`
	// Revision that is rendered.
	// +optional
	Revision int64 `json:"revision,omitempty"`
	// TimelineKey is the blob of the timeline, fixed at the first attempt.
	// +optional
	// +kubebuilder:validation:MaxLength=512
	TimelineKey string `json:"timelineKey,omitempty"`
	// SlideMilliseconds are the moments at which the slides of a slideshow are fully shown, from the start of the video. They are fixed
	// with the timeline; absent for renders of Videos.
	// +optional
	// +kubebuilder:validation:MaxItems=35
	// +listType=atomic
	SlideMilliseconds []int64 `json:"slideMilliseconds,omitempty"`
	// SlideMillis are the slideMilliseconds.
	//
	// Deprecated: use slideMilliseconds. SlideMillis is written for as long as this version is served.
	// +optional
	// +kubebuilder:validation:MaxItems=35
	// +listType=atomic
	SlideMillis []int64 `json:"slideMillis,omitempty"`
	// JobName is the batch/v1 Job of the running or last attempt.
	// +optional
	// +kubebuilder:validation:MaxLength=63
	JobName string `json:"jobName,omitempty"`
	// MemoryBytes given to the attempt; raised once after an attempt ran out of it.
	// +optional
	MemoryBytes int64 `json:"memoryBytes,omitempty"`
	// Progress of the running attempt.
	// +optional
	Progress *RenderProgress `json:"progress,omitempty"`
	// Report that an earlier release wrote.
	// +optional
	Report *RenderReport `json:"report,omitempty"`
	// Output is the finished film.
	// +optional
	Output *RenderOutput `json:"output,omitempty"`
	// Conditions of the render.
	// +optional
	// +listType=map
	// +listMapKey=type
	// +kubebuilder:validation:MaxItems=16
	Conditions []metav1.Condition `json:"conditions,omitempty"`
}

// RenderJob turns one revision of a short into a film.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:categories=reelops,shortName={render,rlrender}
// +kubebuilder:validation:XValidation:rule="size(self.metadata.name) <= 63",message="the name of a RenderJob has at most 63 characters: it is a label on its Job"
// +kubebuilder:selectablefield:JSONPath=`.spec.source.kind`
// +kubebuilder:selectablefield:JSONPath=`.spec.source.name`
// +kubebuilder:selectablefield:JSONPath=`.status.work.state`
// +kubebuilder:printcolumn:name="Ready",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="Source",type=string,JSONPath=`.spec.source.name`
// +kubebuilder:printcolumn:name="Revision",type=integer,JSONPath=`.status.revision`
// +kubebuilder:printcolumn:name="Work",type=string,JSONPath=`.status.work.state`
// +kubebuilder:printcolumn:name="Attempt",type=integer,JSONPath=`.status.work.attempt`
// +kubebuilder:printcolumn:name="Percent",type=integer,JSONPath=`.status.progress.percent`
// +kubebuilder:printcolumn:name="Message",type=string,priority=1,JSONPath=`.status.conditions[?(@.type=="Ready")].message`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
type RenderJob struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec RenderJobSpec `json:"spec"`
	// +kubebuilder:default={}
	Status RenderJobStatus `json:"status,omitempty"`
}

// RenderJobList is a list of RenderJob.
//
// +kubebuilder:object:root=true
type RenderJobList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []RenderJob `json:"items"`
}
