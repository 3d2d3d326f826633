// SPDX-License-Identifier: Apache-2.0

package automation

import (
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/automation/build"
	"github.com/reelops/reelops/internal/kube/status"
	"github.com/reelops/reelops/internal/process/metric"
)

const (
	nextTimes = 3
	maxActive = 20
)

// report writes the status of the automation. Nothing else sets its conditions.
func (p *pass) report(b *blocked) {
	a, st := p.a, &p.a.Status
	st.Active, st.NextTimes = nil, nil
	var last *v1beta1.AutomationRun
	held := ""
	for _, run := range p.o.runs {
		s := run.Status.State
		switch {
		case !s.Final() && len(st.Active) < maxActive:
			st.Active = append(st.Active, run.Name)
		case s == v1beta1.RunSucceeded &&
			(st.LastSuccessfulTime == nil || st.LastSuccessfulTime.Before(run.Status.FinishedAt)):
			st.LastSuccessfulTime = run.Status.FinishedAt
		}
		if s == v1beta1.RunAwaitingApproval && held == "" {
			held = run.Status.Batch
		}
		if (s == v1beta1.RunSucceeded || s == v1beta1.RunFailed) &&
			(last == nil || last.Status.FinishedAt.Before(run.Status.FinishedAt)) {
			last = run
		}
	}
	if st.LastSuccessfulTime != nil && (st.FailuresSince == nil || st.FailuresSince.Before(st.LastSuccessfulTime)) {
		st.FailuresSince = st.LastSuccessfulTime
	}
	if b == nil {
		after := later(p.now, st.HandledUntil.Time)
		for _, t := range p.o.schedule.Next(after, nextTimes) {
			if s := a.Spec.Stop; s == nil || s.At == nil || t.Before(s.At.Time) {
				st.NextTimes = append(st.NextTimes, metav1.NewTime(t.UTC()))
			}
		}
	}
	c := status.Conditions{List: &st.Conditions, Generation: a.Generation}
	p.conditions(c, last, held)
	p.summary(c, b, last)
}

// conditions sets all conditions except Ready.
func (p *pass) conditions(c status.Conditions, last *v1beta1.AutomationRun, held string) {
	a := p.a
	read := meta.FindStatusCondition(a.Status.Conditions, string(v1beta1.ConditionSourceReachable)) // the last one
	switch {
	case p.unreachable != "":
		c.Set(v1beta1.ConditionSourceReachable, false, v1beta1.ReasonSourceUnavailable, p.unreachable)
	case a.Spec.Source.Feed == nil || p.sourceRead || read == nil:
		c.Set(v1beta1.ConditionSourceReachable, true, v1beta1.ReasonSourceRead, "The source can be read")
	default: // its result stays
		reachable := read.Status == metav1.ConditionTrue
		c.Set(v1beta1.ConditionSourceReachable, reachable, v1beta1.Reason(read.Reason), read.Message)
	}
	if why := p.disconnected(); why != "" {
		c.Set(v1beta1.ConditionAccountsConnected, false, v1beta1.ReasonSocialAccountNotFound, why)
	} else {
		c.Set(v1beta1.ConditionAccountsConnected, true, v1beta1.ReasonConnected, "Every target has a connected account")
	}
	if p.o.account == nil {
		c.Set(v1beta1.ConditionWithinPlan, false, v1beta1.ReasonAccountNotFound, "The namespace has no Account: create it")
	} else if b := beyondPlan(a, p.o, p.now); b != nil {
		c.Set(v1beta1.ConditionWithinPlan, false, b.reason, b.message)
	} else {
		c.Set(v1beta1.ConditionWithinPlan, true, v1beta1.ReasonWithinLimit, "The plan allows this automation")
	}
	if why := overBudget(a, p.o.runs, p.now); why != "" {
		c.Set(v1beta1.ConditionWithinBudget, false, v1beta1.ReasonBudgetUsedUp, why)
		p.wakeAt(monthOf(p.now).AddDate(0, 1, 0))
	} else {
		c.Set(v1beta1.ConditionWithinBudget, true, v1beta1.ReasonWithinLimit, "The budget of this month is not used up")
	}
	if held != "" {
		c.Set(v1beta1.ConditionAwaitingApproval, true, v1beta1.ReasonAwaitingApproval,
			"Posts are held: approve them with kubectl reelops approve "+held+" --account "+a.Namespace)
	} else {
		c.Set(v1beta1.ConditionAwaitingApproval, false, v1beta1.ReasonNothingHeld, "No post waits for an approval")
	}
	if n := failures(a, p.o.runs); n > 0 && last != nil && last.Status.State == v1beta1.RunFailed {
		c.Set(v1beta1.ConditionFailing, true, v1beta1.ReasonFailed,
			fmt.Sprintf("Consecutive failures: %d. The last one, %s: %s", n, last.Name, why(last)))
	} else {
		c.Set(v1beta1.ConditionFailing, false, v1beta1.ReasonSucceeded, "The last run did not fail")
	}
}

// disconnected returns which targets have no connected account; empty if all have one.
func (p *pass) disconnected() string {
	var out []string
	for i := range p.a.Spec.Publish.Accounts {
		name := p.a.Spec.Publish.Accounts[i].Name
		if !slices.ContainsFunc(p.o.social, func(a v1beta1.SocialAccount) bool { return a.Name == name && a.Usable() }) {
			out = append(out, name)
		}
	}
	for _, platform := range p.a.Spec.Publish.Platforms {
		if !slices.ContainsFunc(p.o.social, func(a v1beta1.SocialAccount) bool {
			return a.Spec.Platform == platform && a.Usable()
		}) {
			out = append(out, string(platform))
		}
	}
	if len(out) == 0 {
		return ""
	}
	return "Not connected: " + strings.Join(out, ", ") + ". Connect the accounts, or remove them from spec.publish"
}

// summary sets Ready and Stalled.
func (p *pass) summary(c status.Conditions, b *blocked, last *v1beta1.AutomationRun) {
	c.Remove(v1beta1.ConditionStalled)
	if b != nil {
		c.Set(v1beta1.ConditionReady, b.reason == v1beta1.ReasonSuspended, b.reason, b.message)
		switch b.reason {
		case v1beta1.ReasonInvalidSchedule, v1beta1.ReasonInvalidTemplate, v1beta1.ReasonInvalidSource,
			v1beta1.ReasonPlanLimit:
			c.Set(v1beta1.ConditionStalled, true, b.reason, b.message)
		}
		return
	}
	for _, t := range []v1beta1.ConditionType{
		v1beta1.ConditionSourceReachable, v1beta1.ConditionAccountsConnected, v1beta1.ConditionWithinBudget,
	} {
		if part := meta.FindStatusCondition(p.a.Status.Conditions, string(t)); part.Status == metav1.ConditionFalse {
			c.Set(v1beta1.ConditionReady, false, v1beta1.Reason(part.Reason), part.Message)
			return
		}
	}
	f := meta.FindStatusCondition(p.a.Status.Conditions, string(v1beta1.ConditionFailing))
	if f.Status == metav1.ConditionTrue && last != nil {
		c.Set(v1beta1.ConditionReady, false, v1beta1.Reason(f.Reason), f.Message)
		return
	}
	message := "No slot is ahead"
	if len(p.a.Status.NextTimes) > 0 {
		message = "The next post goes out at " + p.a.Status.NextTimes[0].UTC().Format(time.RFC3339)
	}
	if until := p.a.Status.HandledUntil; p.passedOver() {
		message += ". Earlier times of the schedule do not run: the posts of " + until.UTC().Format(time.RFC3339) +
			" were begun before it changed"
	}
	c.Set(v1beta1.ConditionReady, true, v1beta1.ReasonScheduled, message)
}

// passedOver reports whether a slot is ahead that has no run and does not start, because a later slot has started: the
// schedule was changed within the lead time.
func (p *pass) passedOver() bool {
	next := p.o.schedule.Next(p.now, 1)
	return len(next) > 0 && !next[0].After(p.a.Status.HandledUntil.Time) &&
		!slices.ContainsFunc(p.o.runs, func(run *v1beta1.AutomationRun) bool {
			return run.Name == build.RunName(p.a.Name, next[0])
		})
}

// announce counts the end of a run and records an event about it.
func (p *pass) announce(run *v1beta1.AutomationRun) {
	metric.AutomationRunsEnded.WithLabelValues(string(run.Status.State)).Inc()
	kind, c := corev1.EventTypeNormal, meta.FindStatusCondition(run.Status.Conditions, string(v1beta1.ConditionReady))
	if s := run.Status.State; s == v1beta1.RunFailed || s == v1beta1.RunMissed {
		kind = corev1.EventTypeWarning
	}
	p.Events.Eventf(run, p.a, kind, c.Reason, "Run"+string(run.Status.State), "%s", c.Message)
}
