// SPDX-License-Identifier: Apache-2.0

package v1beta1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// MusicLicense is the licence of a track.
type MusicLicense struct {
	// Name of the licence, such as CC BY 4.0.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=200
	Name string `json:"name"`
	// URL of the text of the licence.
	// +optional
	// +kubebuilder:validation:MaxLength=2000
	URL string `json:"url,omitempty"`
	// AttributionRequired reports whether the artist must be named where the track is used.
	// +optional
	AttributionRequired bool `json:"attributionRequired,omitempty"`
}

// MusicTrackSpec is the desired state of the MusicTrack.
// +kubebuilder:validation:XValidation:rule="self.source == oldSelf.source",message="source cannot be changed: create a new MusicTrack for another file"
type MusicTrackSpec struct {
	// BrandRef is the brand that the track belongs to. Absent: the track is shared by all brands of the account.
	// +optional
	BrandRef *LocalRef `json:"brandRef,omitempty"`
	// Title is the human-readable name of the track.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=200
	Title string `json:"title"`
	// Artist of the track.
	// +optional
	// +kubebuilder:validation:MaxLength=200
	Artist string `json:"artist,omitempty"`
	// Genre of the track, in one or two words.
	// +optional
	// +kubebuilder:validation:MaxLength=100
	Genre string `json:"genre,omitempty"`
	// Moods that the track suits.
	// +optional
	// +kubebuilder:validation:MaxItems=30
	// +kubebuilder:validation:items:MaxLength=50
	// +listType=atomic
	Moods []string `json:"moods,omitempty"`
	// BPM is the tempo in beats per minute, from 1 to 400.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=400
	BPM *int32 `json:"bpm,omitempty"`
	// License of the track.
	// +optional
	License *MusicLicense `json:"license,omitempty"`
	// Source of the file: MP3, AAC, M4A, WAV, FLAC or Ogg. The source cannot be changed.
	Source MediaSource `json:"source"`
}

// Loudness is the measured loudness of a track, as defined by EBU R 128.
type Loudness struct {
	// IntegratedLUFS is the integrated loudness of the whole track in LUFS.
	IntegratedLUFS float64 `json:"integratedLUFS"`
	// TruePeakDBTP is the true peak, the highest level between samples, in dBTP.
	TruePeakDBTP float64 `json:"truePeakDBTP"`
	// RangeLU is the loudness range in LU.
	RangeLU float64 `json:"rangeLU"`
	// ThresholdLUFS is the gating threshold in LUFS. Parts below it are not measured.
	ThresholdLUFS float64 `json:"thresholdLUFS"`
}

// TrackProbe is the result of inspecting the file.
type TrackProbe struct {
	// ContentType detected from the bytes of the file.
	// +kubebuilder:validation:MaxLength=100
	ContentType string `json:"contentType"`
	// Bytes is the size of the file.
	Bytes int64 `json:"bytes"`
	// DurationMilliseconds of the track.
	DurationMilliseconds int64 `json:"durationMilliseconds"`
	// AudioCodec of the track, as ffmpeg names it, such as mp3.
	// +kubebuilder:validation:MaxLength=64
	AudioCodec string `json:"audioCodec"`
	// Loudness of the track, measured once. Absent for a silent track.
	// +optional
	Loudness *Loudness `json:"loudness,omitempty"`
}

// MusicTrackStatus is the observed state of the MusicTrack.
type MusicTrackStatus struct {
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
	// JobName is the batch/v1 Job of the running or last attempt.
	// +optional
	// +kubebuilder:validation:MaxLength=63
	JobName string `json:"jobName,omitempty"`
	// BlobKey of the stored file.
	// +optional
	// +kubebuilder:validation:MaxLength=512
	BlobKey string `json:"blobKey,omitempty"`
	// Probe is the result of inspecting the file.
	// +optional
	Probe *TrackProbe `json:"probe,omitempty"`
	// Error is the reason why the file cannot be used.
	// +optional
	Error *WorkError `json:"error,omitempty"`
	// Conditions of the track.
	// +optional
	// +listType=map
	// +listMapKey=type
	// +kubebuilder:validation:MaxItems=16
	Conditions []metav1.Condition `json:"conditions,omitempty"`
}

// MusicTrack is a track of background music of the account.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:categories=reelops,shortName={track,tracks,rltrack}
// +kubebuilder:selectablefield:JSONPath=`.spec.brandRef.name`
// +kubebuilder:selectablefield:JSONPath=`.status.work.state`
// +kubebuilder:printcolumn:name="Ready",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="ID",type=string,JSONPath=`.metadata.labels.reelops\.dev/id`
// +kubebuilder:printcolumn:name="Title",type=string,JSONPath=`.spec.title`
// +kubebuilder:printcolumn:name="Milliseconds",type=integer,JSONPath=`.status.probe.durationMilliseconds`
// +kubebuilder:printcolumn:name="LUFS",type=number,JSONPath=`.status.probe.loudness.integratedLUFS`
// +kubebuilder:printcolumn:name="Brand",type=string,JSONPath=`.spec.brandRef.name`,priority=1
// +kubebuilder:printcolumn:name="Message",type=string,priority=1,JSONPath=`.status.conditions[?(@.type=="Ready")].message`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
type MusicTrack struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec MusicTrackSpec `json:"spec"`
	// +kubebuilder:default={}
	Status MusicTrackStatus `json:"status,omitempty"`
}

// MusicTrackList is a list of MusicTrack.
//
// +kubebuilder:object:root=true
type MusicTrackList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []MusicTrack `json:"items"`
}
