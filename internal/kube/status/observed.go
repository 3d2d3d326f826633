// SPDX-License-Identifier: Apache-2.0

package status

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
)

// observe sets status.observedGeneration to the oldest generation that a condition of the object was computed for. It
// is the only place that sets the field, so that a status never claims a generation that its conditions do not reflect.
// An object without conditions keeps its value.
//
// Confined records a fact that no change of the spec undoes: it takes the generation of the other conditions.
func observe(o client.Object) {
	observed, list := reported(o)
	if observed == nil {
		return
	}
	oldest, found := int64(0), false
	for _, c := range *list {
		if c.Type != string(v1beta1.ConditionConfined) && (!found || c.ObservedGeneration < oldest) {
			oldest, found = c.ObservedGeneration, true
		}
	}
	if !found {
		return
	}
	*observed = oldest
	for i := range *list {
		if c := &(*list)[i]; c.Type == string(v1beta1.ConditionConfined) {
			c.ObservedGeneration = oldest
		}
	}
}

// reported returns status.observedGeneration and status.conditions of an object; nil for kinds without them.
func reported(o client.Object) (observed *int64, conditions *[]metav1.Condition) {
	switch o := o.(type) {
	case *v1beta1.Account:
		return &o.Status.ObservedGeneration, &o.Status.Conditions
	case *v1beta1.AccountAnalytics:
		return &o.Status.ObservedGeneration, &o.Status.Conditions
	case *v1beta1.APIKey:
		return &o.Status.ObservedGeneration, &o.Status.Conditions
	case *v1beta1.Archive:
		return &o.Status.ObservedGeneration, &o.Status.Conditions
	case *v1beta1.Automation:
		return &o.Status.ObservedGeneration, &o.Status.Conditions
	case *v1beta1.AutomationRun:
		return &o.Status.ObservedGeneration, &o.Status.Conditions
	case *v1beta1.Brand:
		return &o.Status.ObservedGeneration, &o.Status.Conditions
	case *v1beta1.ConnectionRequest:
		return &o.Status.ObservedGeneration, &o.Status.Conditions
	case *v1beta1.MediaAsset:
		return &o.Status.ObservedGeneration, &o.Status.Conditions
	case *v1beta1.MediaPack:
		return &o.Status.ObservedGeneration, &o.Status.Conditions
	case *v1beta1.MusicTrack:
		return &o.Status.ObservedGeneration, &o.Status.Conditions
	case *v1beta1.Post:
		return &o.Status.ObservedGeneration, &o.Status.Conditions
	case *v1beta1.PostBatch:
		return &o.Status.ObservedGeneration, &o.Status.Conditions
	case *v1beta1.RenderJob:
		return &o.Status.ObservedGeneration, &o.Status.Conditions
	case *v1beta1.Slideshow:
		return &o.Status.ObservedGeneration, &o.Status.Conditions
	case *v1beta1.SocialAccount:
		return &o.Status.ObservedGeneration, &o.Status.Conditions
	case *v1beta1.Video:
		return &o.Status.ObservedGeneration, &o.Status.Conditions
	case *v1beta1.WebhookEndpoint:
		return &o.Status.ObservedGeneration, &o.Status.Conditions
	}
	return nil, nil
}
