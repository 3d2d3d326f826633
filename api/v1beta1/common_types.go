// SPDX-License-Identifier: Apache-2.0

package v1beta1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// LocalRef names an object in the same namespace.
type LocalRef struct {
	// Name of the object.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	Name string `json:"name"`
}

// WorkState is how far a piece of work has come.
// +kubebuilder:validation:Enum=queued;processing;succeeded;failed
type WorkState string

// States of work.
const (
	WorkQueued     WorkState = "queued"
	WorkProcessing WorkState = "processing"
	WorkSucceeded  WorkState = "succeeded"
	WorkFailed     WorkState = "failed"
)

// Settled says whether the work has ended.
func (s WorkState) Settled() bool { return s == WorkSucceeded || s == WorkFailed }

// WorkError tells why work failed, in the words of the error catalog.
type WorkError struct {
	// Code is a code of the error catalog, for programs.
	// +kubebuilder:validation:MaxLength=64
	Code string `json:"code"`
	// Message is one sentence for people.
	// +kubebuilder:validation:MaxLength=1024
	Message string `json:"message"`
	// Retryable reports whether the same request can succeed later.
	Retryable bool `json:"retryable"`
	// Details are machine-readable specifics.
	// +optional
	// +kubebuilder:validation:MaxProperties=16
	Details map[string]string `json:"details,omitempty"`
}

// Work is the record of one piece of work: generating a slideshow or rendering it.
type Work struct {
	// State of the work.
	State WorkState `json:"state"`
	// StartedAt is when a worker took it up.
	// +optional
	StartedAt *metav1.Time `json:"startedAt,omitempty"`
	// FinishedAt is when it succeeded or failed.
	// +optional
	FinishedAt *metav1.Time `json:"finishedAt,omitempty"`
	// EstimatedCompletionAt is present while the work is in flight.
	// +optional
	EstimatedCompletionAt *metav1.Time `json:"estimatedCompletionAt,omitempty"`
	// Attempt counts from 1.
	// +kubebuilder:validation:Minimum=1
	Attempt int32 `json:"attempt"`
	// Error is why the work failed. While another attempt follows it is why the last one failed, where that is known.
	// +optional
	Error *WorkError `json:"error,omitempty"`
}

// Gradient darkens (or tints) part of a slide's background so that text on it is readable.
type Gradient struct {
	// Enabled turns the gradient on. Default true.
	// +optional
	Enabled *bool `json:"enabled,omitempty"`
	// Color, #RGB, #RRGGBB or #RRGGBBAA. Default #000000.
	// +optional
	// +kubebuilder:validation:MaxLength=9
	// +kubebuilder:validation:Pattern=`^#([0-9A-Fa-f]{3}|[0-9A-Fa-f]{6}|[0-9A-Fa-f]{8})$`
	Color string `json:"color,omitempty"`
	// Opacity where it is darkest, 0 to 1. Default 0.55.
	// +optional
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=1
	Opacity *float64 `json:"opacity,omitempty"`
	// Direction is where it is darkest. Default bottom.
	// +optional
	// +kubebuilder:validation:Enum=top;bottom;left;right;full;radial
	Direction string `json:"direction,omitempty"`
	// Coverage is the share of the canvas it spans, 0 to 1; ignored for full. Default 0.5.
	// +optional
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=1
	Coverage *float64 `json:"coverage,omitempty"`
}

// Position is a point on the canvas in percent of its width and height. When both numbers are from 0 to 1 they are read as
// fractions; what lies outside of the canvas is moved to its edge.
type Position struct {
	// X in percent of the width: 50 is the middle.
	// +kubebuilder:validation:Minimum=-100000
	// +kubebuilder:validation:Maximum=100000
	X float64 `json:"x"`
	// Y in percent of the height: 50 is the middle. Write "y" in quotes: to many YAML parsers a bare y is the boolean true.
	// +kubebuilder:validation:Minimum=-100000
	// +kubebuilder:validation:Maximum=100000
	Y float64 `json:"y"`
}

// ImageSourceType says where pictures come from.
// +kubebuilder:validation:Enum=stock;pack;ai
type ImageSourceType string

// Image sources.
const (
	ImageSourceStock ImageSourceType = "stock"
	ImageSourcePack  ImageSourceType = "pack"
	ImageSourceAI    ImageSourceType = "ai"
)

// ImageSource says where a slideshow's backgrounds come from.
// +kubebuilder:validation:XValidation:rule="self.type == 'pack' ? has(self.packRef) != has(self.libraryPackRef) : true",message="image source 'pack' needs packRef (a MediaPack of the namespace) or libraryPackRef (one that every account has), not both: its pictures are used"
type ImageSource struct {
	// Type of source. Default stock.
	// +optional
	// +kubebuilder:default=stock
	Type ImageSourceType `json:"type,omitempty"`
	// PackRef names the MediaPack every background comes from.
	// +optional
	PackRef *LocalRef `json:"packRef,omitempty"`
	// LibraryPackRef names a pack that every account has instead: a MediaPack of the library's namespace, or one of the
	// starter set, such as starter-ocean-waves.
	// +optional
	LibraryPackRef *LocalRef `json:"libraryPackRef,omitempty"`
}

// MusicSource names background music.
// +kubebuilder:validation:XValidation:rule="has(self.trackRef) != has(self.libraryTrackRef)",message="give exactly one of trackRef (a MusicTrack of the namespace) and libraryTrackRef (one that every account has)"
type MusicSource struct {
	// TrackRef names a MusicTrack of the namespace.
	// +optional
	TrackRef *LocalRef `json:"trackRef,omitempty"`
	// LibraryTrackRef names a MusicTrack of the library's namespace.
	// +optional
	LibraryTrackRef *LocalRef `json:"libraryTrackRef,omitempty"`
}
