// SPDX-License-Identifier: Apache-2.0

package status

import (
	"context"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
)

// logged writes one line when an object came into another state: the manager's part of what the front end writes of changes that
// callers made. A state's reason and message are those of the condition, which hold no secrets.
func logged(ctx context.Context, c client.Client, before, after client.Object) {
	was, _ := stateOf(before)
	is, conditions := stateOf(after)
	if was == is {
		return
	}
	state := map[string]string{"state": is}
	if ready := meta.FindStatusCondition(conditions, string(v1beta1.ConditionReady)); ready != nil {
		state["reason"], state["message"] = ready.Reason, ready.Message
	}
	gvk, _ := c.GroupVersionKindFor(after) // it was written, so it has one
	object := map[string]string{"kind": gvk.Kind, "namespace": after.GetNamespace(), "name": after.GetName(), "uid": string(after.GetUID())}
	if id := after.GetLabels()[v1beta1.LabelID]; id != "" {
		object["id"] = id
	}
	actor := map[string]string{"kind": "manager"}
	if brand := after.GetLabels()[v1beta1.LabelBrand]; brand != "" {
		actor["brand"] = brand
	}
	ctrl.LoggerFrom(ctx).WithName("audit").Info("audit", "outcome", "changed", "verb", "transition", "actor", actor, "object", object,
		"before", map[string]string{"state": was}, "after", state)
}

// stateOf tells in a word how far an object has come; empty before anybody looked at it.
func stateOf(o client.Object) (state string, conditions []metav1.Condition) {
	switch o := o.(type) {
	case *v1beta1.Slideshow:
		return worked(o.Status.Work), o.Status.Conditions
	case *v1beta1.Video:
		return worked(o.Status.Work), o.Status.Conditions
	case *v1beta1.RenderJob:
		return worked(o.Status.Work), o.Status.Conditions
	case *v1beta1.MediaAsset:
		return worked(o.Status.Work), o.Status.Conditions
	case *v1beta1.MusicTrack:
		return worked(o.Status.Work), o.Status.Conditions
	case *v1beta1.Post:
		return string(o.Status.State), o.Status.Conditions
	case *v1beta1.PostBatch:
		return reasonOf(o.Status.Conditions), o.Status.Conditions
	case *v1beta1.SocialAccount:
		return string(o.Status.TokenStatus), o.Status.Conditions
	case *v1beta1.ConnectionRequest:
		return string(o.Status.State), o.Status.Conditions
	case *v1beta1.AccountAnalytics:
		if o.Status.Refreshing {
			return "refreshing", o.Status.Conditions
		}
		return reasonOf(o.Status.Conditions), o.Status.Conditions
	case *v1beta1.Account:
		return reasonOf(o.Status.Conditions), o.Status.Conditions
	case *v1beta1.Brand:
		return reasonOf(o.Status.Conditions), o.Status.Conditions
	case *v1beta1.APIKey:
		return reasonOf(o.Status.Conditions), o.Status.Conditions
	case *v1beta1.MediaPack:
		return reasonOf(o.Status.Conditions), o.Status.Conditions
	}
	return "", nil
}

func worked(w *v1beta1.Work) string {
	if w == nil {
		return ""
	}
	return string(w.State)
}

func reasonOf(conditions []metav1.Condition) string {
	if ready := meta.FindStatusCondition(conditions, string(v1beta1.ConditionReady)); ready != nil {
		return ready.Reason
	}
	return ""
}
