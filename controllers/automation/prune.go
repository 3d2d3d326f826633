// SPDX-License-Identifier: Apache-2.0

package automation

import (
	"context"
	"fmt"

	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
)

// defaultHistory is the number of runs that are kept if the spec does not set it.
const defaultHistory = 10

// prune deletes the oldest runs beyond the history limits. A deleted run must not be missed: its slot is decided, its
// success is recorded, and neither the count of failures nor the budget needs it. Its events are recorded before.
func (p *pass) prune(ctx context.Context) error {
	left := map[bool]int32{
		true:  ptr.Deref(p.a.Spec.SuccessfulRunsHistoryLimit, defaultHistory),
		false: ptr.Deref(p.a.Spec.FailedRunsHistoryLimit, defaultHistory),
	}
	for i := len(p.o.runs) - 1; i >= 0; i-- {
		run := p.o.runs[i]
		if !run.Status.State.Final() {
			continue
		}
		succeeded := run.Status.State == v1beta1.RunSucceeded
		if left[succeeded] > 0 {
			left[succeeded]--
			continue
		}
		if p.needed(run) {
			continue
		}
		if p.Record != nil {
			if err := p.Record(ctx, run); err != nil {
				return fmt.Errorf("recording the events of run %s: %w", run.Name, err)
			}
		}
		err := p.Client.Delete(ctx, run, client.Preconditions{UID: &run.UID, ResourceVersion: &run.ResourceVersion})
		if client.IgnoreNotFound(err) != nil {
			return fmt.Errorf("deleting run %s: %w", run.Name, err)
		}
	}
	return nil
}

// needed reports whether a run that has ended must be kept beyond the history limit.
func (p *pass) needed(run *v1beta1.AutomationRun) bool {
	a := p.a
	switch {
	case !run.Spec.Manual && run.Spec.ScheduledAt.After(a.Status.HandledUntil.Time):
		return true
	case a.Spec.Stop != nil && a.Spec.Stop.AfterFailures != nil && counts(a, run):
		return true
	case a.Spec.Budget != nil && a.Spec.Budget.CreditsPerMonth != nil && run.Status.StartedAt != nil:
		return monthOf(run.Status.StartedAt.Time).Equal(monthOf(p.now))
	}
	return false
}
