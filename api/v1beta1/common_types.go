// SPDX-License-Identifier: Apache-2.0

package v1beta1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// LocalRef is a reference to an object in the same namespace.
type LocalRef struct {
	// Name of the object.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	Name string `json:"name"`
}

// WorkState is the state of a unit of work.
// +kubebuilder:validation:Enum=queued;processing;succeeded;failed
type WorkState string

// States of work.
const (
	WorkQueued     WorkState = "queued"
	WorkProcessing WorkState = "processing"
	WorkSucceeded  WorkState = "succeeded"
	WorkFailed     WorkState = "failed"
)

// Settled reports whether the work has ended.
func (s WorkState) Settled() bool { return s == WorkSucceeded || s == WorkFailed }

// WorkError is the reason why work failed. Its code is from the error catalog.
type WorkError struct {
	// Code is a machine-readable code of the error catalog.
	// +kubebuilder:validation:MaxLength=64
	Code string `json:"code"`
	// Message is one human-readable sentence.
	// +kubebuilder:validation:MaxLength=1024
	Message string `json:"message"`
	// Retryable reports whether the same request can succeed later.
	Retryable bool `json:"retryable"`
	// Details are machine-readable values that belong to the error.
	// +optional
	// +kubebuilder:validation:MaxProperties=16
	Details map[string]string `json:"details,omitempty"`
}

// Work is the record of one unit of work: generating a slideshow, rendering it, or ingesting a file.
type Work struct {
	// State of the work.
	State WorkState `json:"state"`
	// StartedAt is the time at which a worker started the work.
	// +optional
	StartedAt *metav1.Time `json:"startedAt,omitempty"`
	// FinishedAt is the time at which the work succeeded or failed.
	// +optional
	FinishedAt *metav1.Time `json:"finishedAt,omitempty"`
	// EstimatedCompletionAt is the estimated end of the work. Present only while the work is in flight.
	// +optional
	EstimatedCompletionAt *metav1.Time `json:"estimatedCompletionAt,omitempty"`
	// Attempt is the number of the current or last attempt, from 1.
	// +kubebuilder:validation:Minimum=1
	Attempt int32 `json:"attempt"`
	// Error is the reason why the work failed. While a retry is pending, Error is the reason why the last attempt failed,
	// if known.
	// +optional
	Error *WorkError `json:"error,omitempty"`
}

// Gradient darkens or tints a part of a slide's background so that text on it is readable.
type Gradient struct {
	// Enabled turns the gradient on. Default true.
	// +optional
	Enabled *bool `json:"enabled,omitempty"`
	// Color of the gradient: #RGB, #RRGGBB or #RRGGBBAA. Default #000000.
	// +optional
	// +kubebuilder:validation:MaxLength=9
	// +kubebuilder:validation:Pattern=`^#([0-9A-Fa-f]{3}|[0-9A-Fa-f]{6}|[0-9A-Fa-f]{8})$`
	Color string `json:"color,omitempty"`
	// Opacity at the darkest point, from 0 to 1. Default 0.55.
	// +optional
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=1
	Opacity *float64 `json:"opacity,omitempty"`
	// Direction is the side on which the gradient is darkest. Default bottom.
	// +optional
	// +kubebuilder:validation:Enum=top;bottom;left;right;full;radial
	Direction string `json:"direction,omitempty"`
	// Coverage is the share of the canvas that the gradient covers, from 0 to 1. Ignored for direction full. Default 0.5.
	// +optional
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=1
	Coverage *float64 `json:"coverage,omitempty"`
}

// Position is a point on the canvas in percent of its width and height. If both values are from 0 to 1, they are read
// as fractions. A point outside of the canvas is moved to its edge.
type Position struct {
	// X in percent of the width. 50 is the middle.
	// +kubebuilder:validation:Minimum=-100000
	// +kubebuilder:validation:Maximum=100000
	X float64 `json:"x"`
	// Y in percent of the height. 50 is the middle. Write "y" in quotes: many YAML parsers read a bare y as the boolean
	// true.
	// +kubebuilder:validation:Minimum=-100000
	// +kubebuilder:validation:Maximum=100000
	Y float64 `json:"y"`
}

// ImageSourceType is the type of source of background images.
// +kubebuilder:validation:Enum=stock;pack;ai
type ImageSourceType string

// Image sources.
const (
	ImageSourceStock ImageSourceType = "stock"
	ImageSourcePack  ImageSourceType = "pack"
	ImageSourceAI    ImageSourceType = "ai"
)

// ImageSource is the source of a slideshow's background images.
// +kubebuilder:validation:XValidation:rule="self.type == 'pack' ? has(self.packRef) != has(self.libraryPackRef) : true",message="image source 'pack' needs packRef (a MediaPack in the namespace) or libraryPackRef (a pack of the library), not both"
type ImageSource struct {
	// Type of source. Default stock.
	// +optional
	// +kubebuilder:default=stock
	Type ImageSourceType `json:"type,omitempty"`
	// PackRef is the MediaPack in the same namespace that every background is chosen from.
	// +optional
	PackRef *LocalRef `json:"packRef,omitempty"`
	// LibraryPackRef is a pack that is available to every account, instead of packRef: a MediaPack in the library's
	// namespace, or a pack of the starter set, such as starter-ocean-waves.
	// +optional
	LibraryPackRef *LocalRef `json:"libraryPackRef,omitempty"`
}

// MusicSource is a reference to background music.
// +kubebuilder:validation:XValidation:rule="has(self.trackRef) != has(self.libraryTrackRef)",message="give exactly one of trackRef (a MusicTrack in the namespace) and libraryTrackRef (a MusicTrack in the library)"
type MusicSource struct {
	// TrackRef is a MusicTrack in the same namespace.
	// +optional
	TrackRef *LocalRef `json:"trackRef,omitempty"`
	// LibraryTrackRef is a MusicTrack in the library's namespace.
	// +optional
	LibraryTrackRef *LocalRef `json:"libraryTrackRef,omitempty"`
}
