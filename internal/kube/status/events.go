// SPDX-License-Identifier: Apache-2.0

package status

import (
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
)

// derivation derives the events of one kind from the change of its status. Each kind has a file event_KIND.go.
type derivation struct {
	// list returns status.transitions; nil for an object of another kind.
	list func(client.Object) *[]v1beta1.Transition
	// event returns the event of a change, and its time as the status records it; nil if it does not. Without an event,
	// the type is empty.
	event func(before, after client.Object) (v1beta1.WebhookEvent, *metav1.Time)
}

var derivations = []derivation{ofPost, ofSlideshow, ofVideo, ofRenderJob, ofSocialAccount, ofAccount, ofRun}

// of returns the derivation of the kind T.
func of[T client.Object](list func(T) *[]v1beta1.Transition, event func(before, after T) (v1beta1.WebhookEvent, *metav1.Time)) derivation {
	return derivation{
		list: func(o client.Object) *[]v1beta1.Transition {
			if o, ok := o.(T); ok {
				return list(o)
			}
			return nil
		},
		event: func(before, after client.Object) (v1beta1.WebhookEvent, *metav1.Time) {
			return event(before.(T), after.(T))
		},
	}
}

// Transitions returns status.transitions of an object; nil for kinds without events.
func Transitions(o client.Object) []v1beta1.Transition {
	for _, d := range derivations {
		if l := d.list(o); l != nil {
			return *l
		}
	}
	return nil
}

// RecordTransition adds the event of a change to status.transitions of after. Callers store it in the write that stores
// the change, so a crash loses neither or both. Persist calls it; other writers of a status call it before their patch.
// The time is the one that the status records, or else now, as in conditions.
func RecordTransition(before, after client.Object) {
	for _, d := range derivations {
		list := d.list(after)
		if list == nil {
			continue
		}
		event, at := d.event(before, after)
		if event == "" {
			return
		}
		if at == nil {
			now := metav1.Now()
			at = &now
		}
		// The list of before is the base, so that a repetition after a failed write does not count twice.
		stored := *d.list(before)
		t := v1beta1.Transition{Event: event, Sequence: 1, At: *at}
		if n := len(stored); n > 0 {
			t.Sequence = stored[n-1].Sequence + 1
		}
		all := append(slices.Clone(stored), t)
		*list = all[max(0, len(all)-v1beta1.MaxTransitions):]
		return
	}
}
