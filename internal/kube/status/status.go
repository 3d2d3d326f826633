// SPDX-License-Identifier: Apache-2.0

// Package status writes the status of an object: once a pass, as a patch of what changed, only if something changed. The
// exception is a fact that must be stored before or after an outside effect; Persist does that. Every change of state is a line in
// the log, by the logger "audit", with the state before and after.
//
// Patches carry the resourceVersion, because conditions are a list and a merge patch replaces lists: a writer that saw an
// older object gets a conflict and comes back.
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

// maxMessage bounds a condition's message.
const maxMessage = 1024

// Writer remembers an object as it was and writes what changed since.
type Writer[T client.Object] struct {
	client client.Client
	object T
	before T
}

// Begin remembers the object as it is now.
func Begin[T client.Object](c client.Client, o T) *Writer[T] {
	return &Writer[T]{client: c, object: o, before: o.DeepCopyObject().(T)}
}

// Before is the object as it was at Begin or after the last write.
func (w *Writer[T]) Before() T { return w.before }

// Persist writes the status now, if it changed, with the observedGeneration of its conditions. A conflict means that the view was stale:
// do nothing and come back.
func (w *Writer[T]) Persist(ctx context.Context) error {
	observe(w.object)
	if equality.Semantic.DeepEqual(w.before, w.object) {
		return nil
	}
	// Patching writes the answer into the object it is given; a copy keeps what the caller holds when the answer is an error.
	patched := w.object.DeepCopyObject().(T)
	if err := w.client.Status().Patch(ctx, patched, client.MergeFromWithOptions(w.before, client.MergeFromWithOptimisticLock{})); err != nil {
		return err
	}
	logged(ctx, w.client, w.before, w.object)
	counted(ctx, w.before, w.object)
	w.object.SetResourceVersion(patched.GetResourceVersion())
	w.before = w.object.DeepCopyObject().(T)
	return nil
}

// Conditions is a kind's list of conditions with the generation they speak of.
type Conditions struct {
	List       *[]metav1.Condition
	Generation int64
}

// Set states a condition. The same statement twice gives the same bytes.
func (c Conditions) Set(t v1beta1.ConditionType, value bool, r v1beta1.Reason, message string) {
	s := metav1.ConditionFalse
	if value {
		s = metav1.ConditionTrue
	}
	meta.SetStatusCondition(c.List, metav1.Condition{
		Type: string(t), Status: s, Reason: string(r), Message: Sentence(message), ObservedGeneration: c.Generation,
	})
}

// Unconfined sets the condition Confined to false when there are parts of the confinement that the node of the work did not have. Once set
// the condition stays: another attempt does not undo what happened in this one.
func (c Conditions) Unconfined(parts []string) {
	if len(parts) > 0 {
		c.Set(v1beta1.ConditionConfined, false, v1beta1.ReasonConfinementMissing,
			"A node does not confine the programs that open files of users by "+strings.Join(parts, " and "))
	}
}

// Remove takes a condition away.
func (c Conditions) Remove(t v1beta1.ConditionType) { meta.RemoveStatusCondition(c.List, string(t)) }

// Why returns the message of the condition Ready of another object, for the message of an object that needs it.
func Why(conditions []metav1.Condition) string {
	if c := meta.FindStatusCondition(conditions, string(v1beta1.ConditionReady)); c != nil {
		return c.Message
	}
	return "no controller has looked at it yet"
}

// Sentence makes a message one line of bounded length without a full stop, as conditions are written.
func Sentence(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if r := []rune(s); len(r) > maxMessage/4 {
		s = string(r[:maxMessage/4-1]) + "…"
	}
	return strings.TrimSuffix(s, ".")
}
