// SPDX-License-Identifier: Apache-2.0

package automation

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"time"

	"k8s.io/utils/ptr"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/automation/build"
	"github.com/reelops/reelops/internal/automation/source"
)

// blocked is why no slot starts.
type blocked struct {
	reason  v1beta1.Reason
	message string
	// paused reports whether runs that have started must not create anything either.
	paused bool
	// ended reports whether spec.stop.at has passed.
	ended bool
}

// rules in order: the first that applies wins. A rule reads nothing but its arguments.
var rules = []func(a *v1beta1.Automation, o *observed, now time.Time) *blocked{
	suspended, withoutBrand, withoutAccount, invalid, beyondPlan, stopped, exhausted,
}

// block returns why no slot of an automation starts; nil if slots start.
func block(a *v1beta1.Automation, o *observed, now time.Time) *blocked {
	for _, r := range rules {
		if b := r(a, o, now); b != nil {
			return b
		}
	}
	return nil
}

func suspended(a *v1beta1.Automation, _ *observed, _ time.Time) *blocked {
	if !a.Spec.Suspend {
		return nil
	}
	return &blocked{reason: v1beta1.ReasonSuspended, message: "The automation is paused: set spec.suspend to false to " +
		"resume it", paused: true}
}

func withoutBrand(a *v1beta1.Automation, o *observed, _ time.Time) *blocked {
	if o.brand != nil {
		return nil
	}
	return &blocked{reason: v1beta1.ReasonBrandNotFound, message: "There is no Brand " + a.Spec.BrandRef.Name +
		": create it", paused: true}
}

func withoutAccount(a *v1beta1.Automation, o *observed, _ time.Time) *blocked {
	if o.account != nil {
		return nil
	}
	return &blocked{reason: v1beta1.ReasonAccountNotFound, message: "The namespace " + a.Namespace +
		" has no Account: create it", paused: true}
}

func invalid(_ *v1beta1.Automation, o *observed, _ time.Time) *blocked {
	var e *build.SpecError
	if !errors.As(o.invalid, &e) {
		return nil
	}
	return &blocked{reason: e.Reason, message: e.Error() + ": correct the field", paused: true}
}

// beyondPlan blocks the newest automations of an account that has more than its plan allows.
func beyondPlan(_ *v1beta1.Automation, o *observed, _ time.Time) *blocked {
	limit := ptr.Deref(o.account.Spec.Plan.AutomationLimit, v1beta1.DefaultAutomationLimit)
	if o.rank < int(limit) {
		return nil
	}
	return &blocked{reason: v1beta1.ReasonPlanLimit, message: fmt.Sprintf("The plan allows %d automations, and the "+
		"account has %d older ones: delete one of them, "+
		"or raise spec.plan.automationLimit of the Account", limit, o.rank), paused: true}
}

func stopped(a *v1beta1.Automation, o *observed, now time.Time) *blocked {
	s := a.Spec.Stop
	if s == nil {
		return nil
	}
	stop := func(format string, args ...any) *blocked {
		return &blocked{reason: v1beta1.ReasonStopped, message: fmt.Sprintf(format, args...)}
	}
	switch failed := failures(a, o.runs); {
	case s.At != nil && !now.Before(s.At.Time):
		b := stop("The automation ended at %s: change spec.stop.at to resume it", s.At.UTC().Format(time.RFC3339))
		b.ended = true
		return b
	case s.AfterRuns != nil && a.Status.Runs >= *s.AfterRuns:
		return stop("The automation ended after %d runs: change spec.stop.afterRuns to resume it", a.Status.Runs)
	case s.AfterFailures != nil && failed >= int(*s.AfterFailures):
		return stop("The automation stopped after %d consecutive failures: remove the cause, then set spec.suspend to true "+
			"and to false", failed)
	}
	return nil
}

func exhausted(a *v1beta1.Automation, _ *observed, _ time.Time) *blocked {
	if !source.Exhausted(a) {
		return nil
	}
	return &blocked{reason: v1beta1.ReasonSourceExhausted, message: "Every prompt was used: add prompts, or set " +
		"spec.source.prompts.onExhausted to Repeat"}
}

// failures returns the number of runs that failed since the last success or resumption.
func failures(a *v1beta1.Automation, runs []*v1beta1.AutomationRun) (n int) {
	for _, run := range runs {
		if counts(a, run) {
			n++
		}
	}
	return n
}

// counts reports whether a run is one of the consecutive failures.
func counts(a *v1beta1.Automation, run *v1beta1.AutomationRun) bool {
	since := a.Status.FailuresSince
	return run.Status.State == v1beta1.RunFailed && (since == nil || run.Status.FinishedAt.After(since.Time))
}

// scheduleHash identifies the schedules and the time zone of an automation.
func scheduleHash(a *v1beta1.Automation, brand *v1beta1.Brand) string {
	sum := sha256.Sum256([]byte(strings.Join(a.Spec.Schedules, "\n") + "\n" + build.Zone(a, brand)))
	return hex.EncodeToString(sum[:])[:32]
}

// monthOf returns the start of a calendar month in UTC.
func monthOf(t time.Time) time.Time {
	y, m, _ := t.UTC().Date()
	return time.Date(y, m, 1, 0, 0, 0, 0, time.UTC)
}

// overBudget returns why no run starts in this month; empty if one may.
func overBudget(a *v1beta1.Automation, runs []*v1beta1.AutomationRun, now time.Time) string {
	b := a.Spec.Budget
	if b == nil {
		return ""
	}
	month := monthOf(now)
	next := month.AddDate(0, 1, 0).Format(time.DateOnly)
	if b.RunsPerMonth != nil && runsIn(a, month) >= *b.RunsPerMonth {
		return fmt.Sprintf("The budget of %d runs per month is used up until %s: raise spec.budget.runsPerMonth",
			*b.RunsPerMonth, next)
	}
	if b.CreditsPerMonth == nil {
		return ""
	}
	var used int32
	for _, run := range runs {
		if at := run.Status.StartedAt; at != nil && monthOf(at.Time).Equal(month) {
			used += run.Status.Credits
		}
	}
	if used >= *b.CreditsPerMonth {
		return fmt.Sprintf("%d of %d credits per month are used until %s: raise spec.budget.creditsPerMonth", used,
			*b.CreditsPerMonth, next)
	}
	return ""
}

// runsIn returns the number of runs that started in a month.
func runsIn(a *v1beta1.Automation, month time.Time) int32 {
	if m := a.Status.Month; m != nil && m.Start.Time.Equal(month) {
		return m.Runs
	}
	return 0
}

// readyBy returns the time by which the short of a run must be ready.
func readyBy(a *v1beta1.Automation, run *v1beta1.AutomationRun) time.Time {
	if run.Spec.Deadline != nil {
		return run.Spec.Deadline.Time
	}
	return build.Deadline(a, v1beta1.CreatedAt(run).Time)
}
