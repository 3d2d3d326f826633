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

// logTransition logs the change of an object to another state. The front end logs changes that callers request in the
// same form. The state's reason and message are those of the condition, which contain no secrets.
func logTransition(ctx context.Context, c client.Client, before, after client.Object) {
	was, _ := stateOf(before)
	is, conditions := stateOf(after)
	if was == is {
		return
	}
	state := map[string]string{"state": is}
	if ready := meta.FindStatusCondition(conditions, string(v1beta1.ConditionReady)); ready != nil {
		state["reason"], state["message"] = ready.Reason, ready.Message
	}
	gvk, _ := c.GroupVersionKindFor(after) // stored objects have a kind
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

// stateOf returns the state of an object as one word, and its conditions. The word is empty before the first reconcile.
func stateOf(o client.Object) (state string, conditions []metav1.Condition) {
	if _, list := reported(o); list != nil {
		conditions = *list
	}
	if kind, w := WorkOf(o); kind != "" {
		return workState(w), conditions
	}
	switch o := o.(type) {
	case *v1beta1.Post:
		return string(o.Status.State), conditions
	case *v1beta1.SocialAccount:
		return string(o.Status.TokenStatus), conditions
	case *v1beta1.ConnectionRequest:
		return string(o.Status.State), conditions
	case *v1beta1.AccountAnalytics:
		if o.Status.Refreshing {
			return "refreshing", conditions
		}
	}
	return reasonOf(conditions), conditions
}

func workState(w *v1beta1.Work) string {
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
