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

// report writes what a pass saw into the status. What a refresh brought is in it by then.
func report(a *v1beta1.AccountAnalytics, s step) {
	st := &a.Status
	if !s.stopped {
		if !st.Refreshing {
			st.NextRefreshAt = stamp(s.next)
		}
		judge(a)
		return
	}
	st.Refreshing, st.NextRefreshAt = false, nil
	c := conditions(a)
	c.Set(v1beta1.ConditionReady, false, s.reason, s.say)
	if s.person {
		c.Set(v1beta1.ConditionStalled, true, s.reason, s.say)
	} else {
		c.Remove(v1beta1.ConditionStalled)
	}
}

func conditions(a *v1beta1.AccountAnalytics) status.Conditions {
	return status.Conditions{List: &a.Status.Conditions, Generation: a.Generation}
}

// judge sets the conditions of numbers that nothing keeps from being read.
func judge(a *v1beta1.AccountAnalytics) {
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
			reason, _ = tokenWords(v1beta1.TokenStatus(st.Error.Details[detailTokenStatus]))
		}
		c.Set(v1beta1.ConditionReady, false, reason, st.Error.Message)
	case st.RefreshedAt == nil:
		say := "The numbers are read for the first time soon after the account was connected, or when somebody asks for them"
		if st.Refreshing {
			say = "Reading the numbers for the first time"
		}
		c.Set(v1beta1.ConditionReady, false, v1beta1.ReasonProgressing, say)
	case was != nil && was.Reason == string(v1beta1.ReasonRefreshed):
		c.Set(v1beta1.ConditionReady, true, v1beta1.ReasonRefreshed, was.Message) // of this generation
	default: // it was stopped, and goes on
		c.Set(v1beta1.ConditionReady, true, v1beta1.ReasonRefreshed, "The numbers are as they were told last")
	}
}

// announce tells of what somebody waits for, and of what turned: the first numbers, those that were asked for, a failure, the end of
// one. Refreshes by themselves tell nothing.
func (r *Reconciler) announce(ctx context.Context, a, before *v1beta1.AccountAnalytics, s step, o *end) {
	log := ctrl.LoggerFrom(ctx).WithValues("requested", s.requested)
	if o.failed != nil {
		e := a.Status.Error
		if before.Status.Error == nil || before.Status.Error.Code != e.Code || s.requested {
			r.Events.Eventf(a, nil, corev1.EventTypeWarning, string(v1beta1.ReasonRefreshFailed), action, "%s: %s", e.Code, e.Message)
		}
		return
	}
	if s.requested || before.Status.RefreshedAt == nil || before.Status.Error != nil {
		r.Events.Eventf(a, nil, corev1.EventTypeNormal, string(v1beta1.ReasonRefreshed), action, "%s", told(o.document))
	}
	log.Info("the numbers of an account were read", "posts", a.Status.KnownPosts)
}
