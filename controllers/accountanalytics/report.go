// SPDX-License-Identifier: Apache-2.0

package accountanalytics

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	ctrl "sigs.k8s.io/controller-runtime"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/kube/status"
)

const action = "Refresh"

// report sets the status from the decision. The result of a refresh is already in it.
func report(a *v1beta1.AccountAnalytics, d decision) {
	st := &a.Status
	if !d.stopped {
		if !st.Refreshing {
			st.NextRefreshAt = stamp(d.next)
		}
		setConditions(a)
		return
	}
	st.Refreshing, st.NextRefreshAt = false, nil
	c := conditions(a)
	c.Set(v1beta1.ConditionReady, false, d.reason, d.message)
	if d.needsUser {
		c.Set(v1beta1.ConditionStalled, true, d.reason, d.message)
	} else {
		c.Remove(v1beta1.ConditionStalled)
	}
}

func conditions(a *v1beta1.AccountAnalytics) status.Conditions {
	return status.Conditions{List: &a.Status.Conditions, Generation: a.Generation}
}

// setConditions sets the conditions of analytics that can be refreshed.
func setConditions(a *v1beta1.AccountAnalytics) {
	st, c := &a.Status, conditions(a)
	c.Remove(v1beta1.ConditionStalled)
	was := meta.FindStatusCondition(st.Conditions, string(v1beta1.ConditionReady))
	switch {
	case st.Error != nil:
		reason := v1beta1.ReasonRefreshFailed
		switch st.Error.Code {
		case string(catalog.PlatformRateLimited):
			reason = v1beta1.ReasonRateLimited
		case string(catalog.PlatformNotConfigured):
			reason = v1beta1.ReasonNotConfigured
		case string(catalog.TokenExpired):
			reason, _ = tokenProblem(v1beta1.TokenStatus(st.Error.Details[detailTokenStatus]))
		}
		c.Set(v1beta1.ConditionReady, false, reason, st.Error.Message)
	case st.RefreshedAt == nil:
		message := "The first refresh starts 20 to 30 minutes after the account was connected, or on request"
		if st.Refreshing {
			message = "The first refresh is in progress"
		}
		c.Set(v1beta1.ConditionReady, false, v1beta1.ReasonProgressing, message)
	case was != nil && was.Reason == string(v1beta1.ReasonRefreshed):
		c.Set(v1beta1.ConditionReady, true, v1beta1.ReasonRefreshed, was.Message) // for this generation
	default: // it was stopped and continues
		c.Set(v1beta1.ConditionReady, true, v1beta1.ReasonRefreshed, "The analytics are those of the last refresh")
	}
}

// announce emits events for the first refresh, requested refreshes, failures and recoveries. Other scheduled refreshes
// emit none.
func (r *Reconciler) announce(ctx context.Context, a, before *v1beta1.AccountAnalytics, d decision, o *result) {
	log := ctrl.LoggerFrom(ctx).WithValues("requested", d.requested)
	if o.failed != nil {
		e := a.Status.Error
		if before.Status.Error == nil || before.Status.Error.Code != e.Code || d.requested {
			r.Events.Eventf(a, nil, corev1.EventTypeWarning, string(v1beta1.ReasonRefreshFailed), action, "%s: %s", e.Code, e.Message)
		}
		return
	}
	if d.requested || before.Status.RefreshedAt == nil || before.Status.Error != nil {
		r.Events.Eventf(a, nil, corev1.EventTypeNormal, string(v1beta1.ReasonRefreshed), action, "%s", summary(o.document))
	}
	log.Info("refreshed analytics", "posts", a.Status.KnownPosts)
}
