// SPDX-License-Identifier: Apache-2.0

package v1beta1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Kinds of render sources.
const (
	KindSlideshow = "Slideshow"
	KindVideo     = "Video"
)

// RenderSource is a reference to the Slideshow or Video to render.
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
// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="a RenderJob cannot be changed: create a new one"
type RenderJobSpec struct {
	// Source to render.
	Source RenderSource `json:"source"`
	// Revision to render. Absent: the current revision when the work starts.
	// +optional
	// +kubebuilder:validation:Minimum=1
	Revision *int64 `json:"revision,omitempty"`
	// Format of the output. Default video.
	// +optional
	// +kubebuilder:default=video
	// +kubebuilder:validation:Enum=video
	Format string `json:"format,omitempty"`
}

// RenderProgress is the progress of the running attempt. The reelops-apiserver writes it when the renderer reports.
type RenderProgress struct {
	// Attempt that reported the progress.
	Attempt int32 `json:"attempt"`
	// Percent of the work that is done, from 0 to 100.
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=100
	Percent int32 `json:"percent"`
	// Frame is the number of the last written frame.
	Frame int64 `json:"frame"`
	// FPS is the render speed in frames per second.
	FPS int32 `json:"fps"`
}

// RenderOutput is the rendered video.
type RenderOutput struct {
	// BlobKey is the blob store key of the video.
	// +kubebuilder:validation:MaxLength=512
	BlobKey string `json:"blobKey"`
	// Bytes is the size of the video.
	Bytes int64 `json:"bytes"`
	// SHA256 of the video: 64 hexadecimal digits.
	// +kubebuilder:validation:MaxLength=64
	SHA256 string `json:"sha256"`
	// DurationMilliseconds of the video.
	DurationMilliseconds int64 `json:"durationMilliseconds"`
	// Width in pixels.
	Width int32 `json:"width"`
	// Height in pixels.
	Height int32 `json:"height"`
	// Frames is the number of frames in the video.
	Frames int64 `json:"frames"`
	// PosterKey is the blob store key of a JPEG of the video's first frame. Only renders of Videos have one.
	// +optional
	// +kubebuilder:validation:MaxLength=512
	PosterKey string `json:"posterKey,omitempty"`
}

// RenderReport is the outcome of an attempt, written by the reelops-apiserver of an earlier release. The manager reads it
// for attempts that were running during an upgrade. No component of this release writes it.
type RenderReport struct {
	// Attempt that the report is about.
	Attempt int32 `json:"attempt"`
	// Output of an attempt that succeeded.
	// +optional
	Output *RenderOutput `json:"output,omitempty"`
	// Error of an attempt that failed.
	// +optional
	Error *WorkError `json:"error,omitempty"`
	// Unconfined lists the sandbox features that the node of the attempt lacks: landlock, seccomp.
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
	// TimelineKey is the blob store key of the timeline. The timeline is fixed at the first attempt.
	// +optional
	// +kubebuilder:validation:MaxLength=512
	TimelineKey string `json:"timelineKey,omitempty"`
	// SlideMilliseconds are the times at which the slides of a slideshow are fully shown, in milliseconds from the start
	// of the video. They are fixed with the timeline. Absent for renders of Videos.
	// +optional
	// +kubebuilder:validation:MaxItems=35
	// +listType=atomic
	SlideMilliseconds []int64 `json:"slideMilliseconds,omitempty"`
	// SlideMillis has the same values as slideMilliseconds.
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
	// MemoryBytes is the memory of the attempt in bytes. The value is doubled once after an attempt ran out of memory.
	// +optional
	MemoryBytes int64 `json:"memoryBytes,omitempty"`
	// Progress of the running attempt.
	// +optional
	Progress *RenderProgress `json:"progress,omitempty"`
	// Report that an earlier release wrote.
	// +optional
	Report *RenderReport `json:"report,omitempty"`
	// Output is the rendered video.
	// +optional
	Output *RenderOutput `json:"output,omitempty"`
	// Conditions of the render.
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

// RenderJob renders one revision of a short as a video.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:categories=reelops,shortName={render,rlrender}
// +kubebuilder:validation:XValidation:rule="size(self.metadata.name) <= 63",message="the name of a RenderJob must have at most 63 characters: it is a label on its Job"
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
