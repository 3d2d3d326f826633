// SPDX-License-Identifier: Apache-2.0

// Package recreate creates objects again from copies in a backup or in the archive.
//
// A restore has three steps: Prepare a copy, Create the object, and Release it once all objects of the restore exist.
// Until then the object has the label v1beta1.LabelRestoring, which hides it from the manager and the REST API. A step
// can be repeated after a fault.
//
// The cluster assigns a new uid, creation time and generation. Owner references and the generations in the status are
// changed accordingly. Release records the original uid and creation time in v1beta1.AnnotationOrigin.
package recreate

import (
	"context"
	"fmt"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
)

// Source is what objects are created from: a backup, or a short in the archive.
type Source struct {
	// Annotation has the mark of an object from a source of this kind.
	Annotation string
	// ID of the backup or of the short, without spaces.
	ID string
}

// Mark identifies the copy that an object was created from.
type Mark struct {
	// Source is the ID of the source.
	Source string
	// UID and Created are those of the object when it was first created.
	UID     types.UID
	Created metav1.Time
}

func (m Mark) String() string {
	return m.Source + " " + string(m.UID) + " " + m.Created.UTC().Format(time.RFC3339)
}

// MarkOf parses the mark in an annotation of an object. It returns false if the mark is missing or malformed.
func MarkOf(o metav1.Object, annotation string) (Mark, bool) {
	parts := strings.Split(o.GetAnnotations()[annotation], " ")
	if len(parts) != 3 {
		return Mark{}, false
	}
	at, err := time.Parse(time.RFC3339, parts[2])
	return Mark{Source: parts[0], UID: types.UID(parts[1]), Created: metav1.NewTime(at)}, err == nil
}

// Copy is an object to create, and its status.
type Copy struct {
	Object *unstructured.Unstructured
	// Status is nil if the object has none.
	Status map[string]any
	// UID of the object that was copied. Owner references of other copies have it.
	UID types.UID

	annotation string
}

// Prepare prepares the copy of an object for creation. owners maps the uids of copies to those of the objects created
// from them. Prepare returns false for an object whose owners are all missing, because the cluster would delete it
// immediately. The result shares the spec of u.
func (s Source) Prepare(u *unstructured.Unstructured, owners map[types.UID]types.UID) (Copy, bool) {
	refs := references(u, owners)
	if len(refs) == 0 && len(u.GetOwnerReferences()) > 0 {
		return Copy{}, false
	}
	out := &unstructured.Unstructured{Object: map[string]any{}}
	for k, v := range u.Object {
		if k != "metadata" && k != "status" {
			out.Object[k] = v
		}
	}
	out.SetNamespace(u.GetNamespace())
	out.SetName(u.GetName())
	out.SetFinalizers(u.GetFinalizers())
	out.SetOwnerReferences(refs)

	labels := u.GetLabels()
	if labels == nil {
		labels = map[string]string{}
	}
	delete(labels, v1beta1.LabelArchived)
	if u.GroupVersionKind().Group == v1beta1.GroupVersion.Group {
		labels[v1beta1.LabelRestoring] = "true"
	}
	out.SetLabels(labels)

	notes := u.GetAnnotations()
	if notes == nil {
		notes = map[string]string{}
	}
	for _, stale := range []string{
		v1beta1.AnnotationOrigin, v1beta1.AnnotationRecalled, "kubectl.kubernetes.io/last-applied-configuration",
	} {
		delete(notes, stale)
	}
	notes[s.Annotation] = Mark{Source: s.ID, UID: v1beta1.Origin(u), Created: v1beta1.CreatedAt(u)}.String()
	out.SetAnnotations(notes)

	status, _, _ := unstructured.NestedMap(u.Object, "status")
	if status != nil {
		status = recount(status, u.GetGeneration()).(map[string]any)
	}
	return Copy{Object: out, Status: status, UID: u.GetUID(), annotation: s.Annotation}, true
}

// references returns the references to owners that exist again, with their new uids.
func references(u *unstructured.Unstructured, owners map[types.UID]types.UID) []metav1.OwnerReference {
	var out []metav1.OwnerReference
	for _, o := range u.GetOwnerReferences() {
		if uid, ok := owners[o.UID]; ok {
			o.UID = uid
			out = append(out, o)
		}
	}
	return out
}

// recount renumbers the observedGeneration and workedOn fields: a new object has generation 1. A value that equals
// generation becomes 1; any other becomes 0, which is older than the object.
func recount(v any, generation int64) any {
	switch v := v.(type) {
	case map[string]any:
		for k, x := range v {
			n, number := x.(int64)
			switch {
			case !number || k != "observedGeneration" && k != "workedOn":
				v[k] = recount(x, generation)
			case n == generation:
				v[k] = int64(1)
			default:
				v[k] = int64(0)
			}
		}
	case []any:
		for i := range v {
			v[i] = recount(v[i], generation)
		}
	}
	return v
}

// TakenError means that an object with the name of a copy exists, which was not created from the copy.
type TakenError struct {
	Existing *unstructured.Unstructured
	// Same reports whether Existing is the object that was copied, or was created from another copy of it. It is false
	// if Existing is being deleted.
	Same bool
}

func (e *TakenError) Error() string {
	u := e.Existing
	return fmt.Sprintf("another %s %s exists in the namespace %s", u.GetKind(), u.GetName(), u.GetNamespace())
}

// unseen is the option of writes that no cache shows before the object is released: later reads must not wait for them.
const unseen = client.DisableReadYourWritesConsistency

// Create creates the object of a copy and writes its status. It returns the existing object if an earlier call created
// it, and completes its status unless it was released. If another object has the name, the error is a TakenError.
func Create(ctx context.Context, c client.Client, what Copy) (*unstructured.Unstructured, error) {
	u := what.Object.DeepCopy()
	err := c.Create(ctx, u, unseen)
	if apierrors.IsAlreadyExists(err) {
		u, err = existing(ctx, c, what)
	}
	if err != nil {
		return nil, err
	}
	if what.Status == nil || u.GetLabels()[v1beta1.LabelRestoring] == "" {
		return u, nil
	}
	return u, writeStatus(ctx, c, u, what.Status)
}

// existing returns the object that an earlier call created from a copy, or a TakenError.
func existing(ctx context.Context, c client.Reader, what Copy) (*unstructured.Unstructured, error) {
	u := &unstructured.Unstructured{}
	u.SetGroupVersionKind(what.Object.GroupVersionKind())
	if err := c.Get(ctx, client.ObjectKeyFromObject(what.Object), u); err != nil {
		return nil, err
	}
	if u.GetAnnotations()[what.annotation] == what.Object.GetAnnotations()[what.annotation] {
		return u, nil
	}
	mark, ok := MarkOf(what.Object, what.annotation)
	return nil, &TakenError{Existing: u, Same: ok && v1beta1.Origin(u) == mark.UID && u.GetDeletionTimestamp() == nil}
}

func writeStatus(ctx context.Context, c client.Client, u *unstructured.Unstructured, status map[string]any) error {
	before := u.DeepCopy()
	u.Object["status"] = status
	return c.Status().Patch(ctx, u, client.MergeFrom(before), unseen)
}

// Release makes an object visible to the manager and the REST API and records its origin. A mark of the archive is
// removed; that of a backup stays, because a repeated restore recognizes its objects by it. An object that was released
// before is not written. The error is NotFound if the object was deleted.
func Release(ctx context.Context, c client.Client, u *unstructured.Unstructured, annotation string) error {
	labels := u.GetLabels()
	if labels[v1beta1.LabelRestoring] == "" {
		return nil
	}
	mark, ok := MarkOf(u, annotation)
	if !ok {
		return fmt.Errorf("the %s %s has no annotation %s", u.GetKind(), u.GetName(), annotation)
	}
	before := u.DeepCopy()
	delete(labels, v1beta1.LabelRestoring)
	u.SetLabels(labels)
	notes := u.GetAnnotations()
	delete(notes, v1beta1.AnnotationRecalled)
	u.SetAnnotations(notes)
	v1beta1.SetOrigin(u, mark.UID, mark.Created)
	return c.Patch(ctx, u, client.MergeFrom(before))
}
