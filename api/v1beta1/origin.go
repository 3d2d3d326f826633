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
	// LabelRestoring marks an object whose restore from a backup or from the archive is not complete. Neither the manager
	// nor the REST API sees such objects.
	LabelRestoring = "reelops.dev/restoring"
	// LabelSuspendedBy is the process that suspended a PostBatch or a WebhookEndpoint, if no user did. The value is restore for a batch that
	// was scheduled when it was restored.
	LabelSuspendedBy = "reelops.dev/suspended-by"
	// AnnotationOrigin identifies the original of a restored object. Its value is the uid of the original, the uid of
	// this object, and the creation time of the original in RFC 3339, separated by spaces. The annotation applies only to
	// the object with the second uid: a copy of the object is a different object.
	AnnotationOrigin = "reelops.dev/origin"
)

// Whole returns the selector of objects that are neither being restored nor leaving for the archive. Controllers and the
// REST API may see only these.
func Whole() labels.Selector {
	out := labels.NewSelector()
	for _, label := range []string{LabelRestoring, LabelArchived} {
		r, err := labels.NewRequirement(label, selection.DoesNotExist, nil)
		if err != nil {
			panic(err) // of a constant
		}
		out = out.Add(*r)
	}
	return out
}

// Origin returns the uid that an object had when it was first created. The origin differs from the object's uid only
// after a restore from a backup. Data stored under an object's uid, such as its files or a platform's reference to a
// post, is looked up by the origin.
func Origin(o metav1.Object) types.UID {
	if uid, _, ok := origin(o); ok {
		return uid
	}
	return o.GetUID()
}

// CreatedAt returns the time at which an object was first created. To decide whether a batch is too late, use the
// creationTimestamp instead, which is new after a restore.
func CreatedAt(o metav1.Object) metav1.Time {
	if _, at, ok := origin(o); ok {
		return metav1.NewTime(at)
	}
	return o.GetCreationTimestamp()
}

// SetOrigin records the original of a restored object in AnnotationOrigin. The uid of the object must be set.
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

// isUID reports whether s is a UUID in lower case. Other strings could match more than one object as a part of a path.
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
