// SPDX-License-Identifier: Apache-2.0

package v1beta1

import (
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/selection"
	"k8s.io/apimachinery/pkg/types"
)

const (
	// LabelRestoring marks an object that is being restored and has not got all that it had. The manager does not see such objects.
	LabelRestoring = "reelops.dev/restoring"
	// LabelSuspendedBy names what suspended a PostBatch, if no person did: restore, for one that was scheduled when it was restored.
	LabelSuspendedBy = "reelops.dev/suspended-by"
	// AnnotationOrigin says of a restored object which one it was: that one's uid, its own uid, and when that one was made, in RFC 3339,
	// with blanks between them. It holds for the object with the second uid alone: what is copied from it is something else.
	AnnotationOrigin = "reelops.dev/origin"
)

// Whole selects what is not being restored at this moment: all that controllers and the front end may see.
func Whole() labels.Selector {
	r, err := labels.NewRequirement(LabelRestoring, selection.DoesNotExist, nil)
	if err != nil {
		panic(err) // of a constant
	}
	return labels.NewSelector().Add(*r)
}

// Origin is the uid that an object had when it was first made: its own, unless it was restored from a backup. What is kept
// elsewhere under an object's uid (its files, what a platform knows a post by) is found by this one.
func Origin(o metav1.Object) types.UID {
	if uid, _, ok := origin(o); ok {
		return uid
	}
	return o.GetUID()
}

// CreatedAt is when an object was first made. Whether a batch is too late is no question for it: that one is answered by the
// creationTimestamp, which is new after a restore.
func CreatedAt(o metav1.Object) metav1.Time {
	if _, at, ok := origin(o); ok {
		return metav1.NewTime(at)
	}
	return o.GetCreationTimestamp()
}

// SetOrigin says of an object which one it was. Its uid has to be known.
func SetOrigin(o metav1.Object, uid types.UID, created metav1.Time) {
	a := o.GetAnnotations()
	if a == nil {
		a = map[string]string{}
	}
	a[AnnotationOrigin] = string(uid) + " " + string(o.GetUID()) + " " + created.UTC().Format(time.RFC3339)
	o.SetAnnotations(a)
}

func origin(o metav1.Object) (uid types.UID, at time.Time, ok bool) {
	value := o.GetAnnotations()[AnnotationOrigin]
	if value == "" {
		return "", time.Time{}, false
	}
	parts := strings.Split(value, " ")
	if len(parts) != 3 || !isUID(parts[0]) || parts[1] != string(o.GetUID()) {
		return "", time.Time{}, false
	}
	at, err := time.Parse(time.RFC3339, parts[2])
	return types.UID(parts[0]), at, err == nil
}

// isUID keeps anything out that could mean more than one object where it becomes part of a path.
func isUID(s string) bool {
	if len(s) != 36 {
		return false
	}
	for i, c := range []byte(s) {
		if dash := i == 8 || i == 13 || i == 18 || i == 23; dash != (c == '-') || !dash && !strings.ContainsRune("0123456789abcdef", rune(c)) {
			return false
		}
	}
	return true
}
