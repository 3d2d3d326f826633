// SPDX-License-Identifier: Apache-2.0

// Package status writes the status of an object once per reconcile, as a patch of the changes, only if something
// changed. The exception is a fact that must be stored before or after an external effect; Persist stores it. Every
// change of state is logged by the logger "audit", with the state before and after.
//
// Patches carry the resourceVersion, because conditions are a list and a merge patch replaces lists: a writer that read
// an older object gets a conflict and reconciles again.
package status

import (
	"context"
	"strings"

	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
)

// maxMessage bounds a condition's message, in bytes.
const maxMessage = 1024

// Writer keeps an object as it was read and writes the changes since.
type Writer[T client.Object] struct {
	client client.Client
	object T
	before T
}

// Begin returns a Writer that compares with the present state of the object.
func Begin[T client.Object](c client.Client, o T) *Writer[T] {
	return &Writer[T]{client: c, object: o, before: o.DeepCopyObject().(T)}
}

// Before returns the object as it was at Begin or after the last write.
func (w *Writer[T]) Before() T { return w.before }

// Persist writes the status now, if it changed, with the observedGeneration of its conditions. A conflict means that
// the object was stale: stop and reconcile again.
func (w *Writer[T]) Persist(ctx context.Context) error {
	observe(w.object)
	if equality.Semantic.DeepEqual(w.before, w.object) {
		return nil
	}
	RecordTransition(w.before, w.object)
	// Patch decodes the response into the object it gets. A copy keeps the caller's object unchanged when Patch fails.
	patched := w.object.DeepCopyObject().(T)
	if err := w.client.Status().Patch(ctx, patched, client.MergeFromWithOptions(w.before, client.MergeFromWithOptimisticLock{})); err != nil {
		return err
	}
	logTransition(ctx, w.client, w.before, w.object)
	recordMetrics(ctx, w.before, w.object)
	w.object.SetResourceVersion(patched.GetResourceVersion())
	w.before = w.object.DeepCopyObject().(T)
	return nil
}

// Conditions is the list of conditions of an object with the generation that they are computed for.
type Conditions struct {
	List       *[]metav1.Condition
	Generation int64
}

// Set sets a condition. Setting the same condition again changes no byte.
func (c Conditions) Set(t v1beta1.ConditionType, value bool, r v1beta1.Reason, message string) {
	s := metav1.ConditionFalse
	if value {
		s = metav1.ConditionTrue
	}
	meta.SetStatusCondition(c.List, metav1.Condition{
		Type: string(t), Status: s, Reason: string(r), Message: Sentence(message), ObservedGeneration: c.Generation,
	})
}

// Unconfined sets the condition Confined to false if the node of the work lacked parts of the confinement. Once set the
// condition stays: another attempt does not undo the exposure of this one.
func (c Conditions) Unconfined(parts []string) {
	if len(parts) > 0 {
		c.Set(v1beta1.ConditionConfined, false, v1beta1.ReasonConfinementMissing,
			"A node does not confine the programs that open files of users by "+strings.Join(parts, " and "))
	}
}

// Remove removes a condition.
func (c Conditions) Remove(t v1beta1.ConditionType) { meta.RemoveStatusCondition(c.List, string(t)) }

// Why returns the message of the condition Ready of another object, for the message of an object that needs it.
func Why(conditions []metav1.Condition) string {
	if c := meta.FindStatusCondition(conditions, string(v1beta1.ConditionReady)); c != nil {
		return c.Message
	}
	return "no controller has processed it yet"
}

// Sentence returns a message as one line of bounded length without a full stop, the form of condition messages.
func Sentence(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if r := []rune(s); len(r) > maxMessage/4 {
		s = string(r[:maxMessage/4-1]) + "…"
	}
	return strings.TrimSuffix(s, ".")
}
