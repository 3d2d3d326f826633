// SPDX-License-Identifier: Apache-2.0

package v1beta1

import (
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const (
	// ArchiveName is the name of the only Archive in a namespace.
	ArchiveName = "archive"
	// MaxArchiveRestores is the maximum number of shorts in ArchiveSpec.Restore.
	MaxArchiveRestores = 1000
	// MaxArchiveSegments is the maximum number of segments of an archive. Compaction keeps their number far below it.
	MaxArchiveSegments = 2000

	// LabelArchived marks an object that the archive of its namespace holds and that is about to be deleted from the
	// cluster. Neither the manager nor the REST API sees such an object. The value is the random part of the name of its
	// segment, a dot, and the id of its short.
	LabelArchived = "reelops.dev/archived"
	// AnnotationKept marks an object that was put back from a segment. Its value is that of the label. Writing it changes
	// the resourceVersion: a manager that runs late cannot hide the object for this segment any more.
	AnnotationKept = "reelops.dev/kept"
	// AnnotationRecalled identifies the object of an archive that an object was created from again. Its value is the id
	// of the short, the uid and the creation time of the original in RFC 3339, separated by spaces. It is replaced by
	// AnnotationOrigin when the object becomes visible.
	AnnotationRecalled = "reelops.dev/recalled"
	// AnnotationCheckArchive on an Archive requests that shorts of which the cluster has an object are restored as a
	// whole. A restore from a backup sets it, because shorts may have been archived while the backup was written. The
	// manager removes it.
	AnnotationCheckArchive = "reelops.dev/check-archive"
)

// ArchiveSpec requests changes of the archive.
type ArchiveSpec struct {
	// Restore are the ids of shorts to create in the cluster again, with their renders, batches and posts. The manager
	// removes an id when the objects exist. An id that is not in the archive is removed too.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MaxItems=1000
	Restore []int64 `json:"restore,omitempty"`
}

// ArchivePhase is the phase of the move of a segment out of the cluster.
// +kubebuilder:validation:Enum=Hiding;Deleting
type ArchivePhase string

// Phases of a segment.
const (
	ArchiveHiding   ArchivePhase = "Hiding"
	ArchiveDeleting ArchivePhase = "Deleting"
)

// ArchiveSegment is a set of shorts that were archived together. Its files in the blob store never change.
type ArchiveSegment struct {
	// Name of the segment: the month in which its shorts were created in UTC, and a random part. Its files are in the
	// folder archive/NAMESPACE/NAME of the blob store.
	// +kubebuilder:validation:Pattern=`^[0-9]{4}-[0-9]{2}/[0-9a-z]{8,32}$`
	Name string `json:"name"`
	// Shorts and Posts are the numbers of rows in the files.
	Shorts int32 `json:"shorts"`
	Posts  int32 `json:"posts"`
	// Bytes is the size of the files.
	Bytes int64 `json:"bytes"`
	// FilmBytes is the size of the rendered videos of the shorts and of the media items that belong to them. It counts
	// towards the storage of the account.
	FilmBytes int64 `json:"filmBytes"`
	// From and To are the times of creation of the oldest and the newest short.
	From metav1.Time `json:"from"`
	To   metav1.Time `json:"to"`
	// FirstID and LastID are the lowest and the highest id of the shorts. Absent if unknown.
	// +optional
	FirstID int64 `json:"firstID,omitempty"`
	// +optional
	LastID int64 `json:"lastID,omitempty"`
	// ArchivedFrom is the time at which the first of the shorts was archived. Absent if unknown.
	// +optional
	ArchivedFrom *metav1.Time `json:"archivedFrom,omitempty"`
	// Phase is Hiding while the objects of the segment are removed from view, and Deleting while they are deleted. Objects
	// in view take precedence over the segment. Absent when no object of the segment is in the cluster.
	// +optional
	Phase ArchivePhase `json:"phase,omitempty"`
	// Expired are the ids of the shorts that are not in the archive any more because their retention has ended, and whose
	// files are being deleted. When the files are deleted, the ids move to removed.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MaxItems=10000
	Expired []int64 `json:"expired,omitempty"`
	// Removed are the ids of the shorts that are not in the archive any more: they were restored, changed before they
	// could leave the cluster, or deleted. Compaction deletes their rows.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MaxItems=10000
	Removed []int64 `json:"removed,omitempty"`
}

// ArchiveStatus lists what the archive holds.
type ArchiveStatus struct {
	// Segments in the order of their names.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=2000
	Segments []ArchiveSegment `json:"segments,omitempty"`
	// Shorts is the number of shorts in the archive, without removed and expired ones. Posts and Bytes include those of
	// removed and expired shorts until compaction.
	// +optional
	Shorts int64 `json:"shorts,omitempty"`
	// +optional
	Posts int64 `json:"posts,omitempty"`
	// +optional
	Bytes int64 `json:"bytes,omitempty"`
	// +optional
	// +listType=map
	// +listMapKey=type
	Conditions []metav1.Condition `json:"conditions,omitempty"`
	// +optional
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`
}

// Archive lists the segments in the blob store that hold the settled shorts of an account, with their renders, batches
// and posts. There is at most one in a namespace, named archive. The manager creates it with the first segment. Deleting
// it loses the records in the archive.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:categories=reelops,shortName=rlarchive
// +kubebuilder:selectablefield:JSONPath=`.status.shorts`
// +kubebuilder:printcolumn:name="Ready",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="Reason",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].reason`
// +kubebuilder:printcolumn:name="Shorts",type=integer,JSONPath=`.status.shorts`
// +kubebuilder:printcolumn:name="Posts",type=integer,JSONPath=`.status.posts`
// +kubebuilder:printcolumn:name="Bytes",type=integer,JSONPath=`.status.bytes`
// +kubebuilder:printcolumn:name="Message",type=string,priority=1,JSONPath=`.status.conditions[?(@.type=="Ready")].message`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
// +kubebuilder:validation:XValidation:rule="self.metadata.name == 'archive'",message="an Archive is named archive"
type Archive struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec   ArchiveSpec   `json:"spec,omitempty"`
	Status ArchiveStatus `json:"status,omitempty"`
}

// ArchiveList is a list of Archive.
//
// +kubebuilder:object:root=true
type ArchiveList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Archive `json:"items"`
}

// Holds reports whether the row of a short in a segment is valid: it was not removed, or its restore is not complete.
// The row of an expired short is not. For an id that no row of the segment has, the result has no meaning.
func (a *Archive) Holds(s *ArchiveSegment, short int64) bool {
	if s.LastID > 0 && (short < s.FirstID || short > s.LastID) || slices.Contains(s.Expired, short) {
		return false
	}
	return !slices.Contains(s.Removed, short) || slices.Contains(a.Spec.Restore, short)
}
