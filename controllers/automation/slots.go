// SPDX-License-Identifier: Apache-2.0

package automation

import (
	"context"
	"fmt"
	"slices"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/automation/build"
	"github.com/reelops/reelops/internal/automation/schedule"
	"github.com/reelops/reelops/internal/kube/status"
)

// maxStarts is the number of slots that one pass starts. More than one is due only with a long lead time.
const maxStarts = 10

// resume determines the time from which slots count: the creation of the automation, the end of a block, or a change of
// its schedule. Slots that pass while no slot may start are neither run nor missed.
func (p *pass) resume(b *blocked) {
	st := &p.a.Status
	if st.HandledUntil == nil {
		// The creationTimestamp is new after a restore: slots before the restore do not count.
		st.HandledUntil = ptr.To(p.a.CreationTimestamp)
		if b == nil {
			st.ObservedSchedule = scheduleHash(p.a, p.o.brand)
		}
		return
	}
	hash := ""
	if b == nil {
		hash = scheduleHash(p.a, p.o.brand)
	}
	now := metav1.NewTime(p.now.Truncate(time.Second))
	if b == nil && hash != st.ObservedSchedule && now.After(st.HandledUntil.Time) {
		st.HandledUntil = &now
	}
	if p.a.Spec.Suspend && failures(p.a, p.o.runs) > 0 {
		st.FailuresSince = &now
	}
	st.ObservedSchedule = hash
}

// startSlots creates the runs of the slots that are due, and records that these slots are decided.
func (p *pass) startSlots(ctx context.Context) error {
	for range maxStarts {
		d := p.o.schedule.Decide(p.a.Status.HandledUntil.Time, p.now, build.Policy(p.a))
		p.wakeAt(d.Wake)
		if d.Start.IsZero() && len(d.Missed) == 0 {
			return nil
		}
		if p.postponed(d.Start) {
			d.Start = time.Time{}
			if len(d.Missed) == 0 {
				return nil
			}
			d.Handled, d.Wake = d.Missed[len(d.Missed)-1], time.Time{}
		}
		if err := p.current(ctx); err != nil {
			return err
		}
		if err := p.recordMissed(ctx, d); err != nil {
			return err
		}
		if !d.Start.IsZero() {
			if err := p.start(ctx, d.Start); err != nil {
				return err
			}
			p.a.Status.LastScheduleTime = ptr.To(metav1.NewTime(d.Start))
		}
		p.a.Status.HandledUntil = ptr.To(metav1.NewTime(d.Handled))
		if err := p.status.Persist(ctx); err != nil {
			return err
		}
		if d.Wake.IsZero() || d.Wake.After(p.now) {
			return nil
		}
	}
	return nil
}

// recordMissed creates the runs of missed slots.
func (p *pass) recordMissed(ctx context.Context, d schedule.Decision) error {
	for i, slot := range d.Missed {
		message := "The slot passed while it could not start"
		if omitted := d.MissedCount - len(d.Missed); i == 0 && omitted > 0 {
			message += fmt.Sprintf("; so did %d earlier ones, which have no run", omitted)
		}
		if err := p.refuse(ctx, slot, v1beta1.RunMissed, v1beta1.ReasonMissedSchedule, message); err != nil {
			return err
		}
	}
	return nil
}

// recordMissedBeforeStop records the slots as missed that passed before spec.stop.at during an outage that lasted
// beyond it. It does nothing if slots could not start before the outage either.
func (p *pass) recordMissedBeforeStop(ctx context.Context, b *blocked) error {
	st := &p.a.Status
	if b == nil || !b.ended || st.HandledUntil == nil || st.ObservedSchedule != scheduleHash(p.a, p.o.brand) {
		return nil
	}
	d := p.o.schedule.Decide(st.HandledUntil.Time, p.a.Spec.Stop.At.Add(-1), schedule.Policy{})
	if len(d.Missed) == 0 {
		return nil
	}
	if err := p.current(ctx); err != nil {
		return err
	}
	if err := p.recordMissed(ctx, d); err != nil {
		return err
	}
	st.HandledUntil = ptr.To(metav1.NewTime(d.Handled))
	return p.status.Persist(ctx)
}

// postponed reports whether a slot cannot start yet: an earlier run is active, and the slot's time has not come. A slot
// after the end of the automation never starts.
func (p *pass) postponed(slot time.Time) bool {
	if slot.IsZero() {
		return false
	}
	if s := p.a.Spec.Stop; s != nil && s.At != nil && !slot.Before(s.At.Time) {
		p.wakeAt(s.At.Time)
		return true
	}
	if slot.After(p.now) && p.activeBefore(slot) != "" {
		p.wakeAt(slot)
		return true
	}
	return false
}

// start creates the run of a slot, or skips the slot.
func (p *pass) start(ctx context.Context, slot time.Time) error {
	if active := p.activeBefore(slot); active != "" {
		return p.refuse(ctx, slot, v1beta1.RunSkipped, v1beta1.ReasonRunActive,
			"The run "+active+" was active: space the schedules out, "+
				"or set spec.concurrencyPolicy to Allow")
	}
	if why := overBudget(p.a, p.o.runs, p.now); why != "" {
		return p.refuse(ctx, slot, v1beta1.RunSkipped, v1beta1.ReasonBudgetUsedUp, why)
	}
	_, err := p.ensureRun(ctx, slot)
	return err
}

// activeBefore returns the name of a run that keeps a slot from starting: one of another slot that creates its short or
// waits for an approval. It returns an empty text if there is none, or if the automation allows concurrent runs.
func (p *pass) activeBefore(slot time.Time) string {
	if p.a.Spec.ConcurrencyPolicy == v1beta1.ConcurrencyAllow {
		return ""
	}
	for _, run := range p.o.runs {
		s := run.Status.State
		if !s.Final() && s != v1beta1.RunScheduled && !run.Spec.Manual && run.Name != build.RunName(p.a.Name, slot) {
			return run.Name
		}
	}
	return ""
}

// refuse creates a run that has ended before it created anything. A run that has an item is left alone: a former leader
// started it.
func (p *pass) refuse(ctx context.Context, slot time.Time, s v1beta1.RunState, reason v1beta1.Reason,
	message string,
) error {
	run, err := p.ensureRun(ctx, slot)
	if err != nil || run.Status.State.Final() || run.Status.Item != nil {
		return err
	}
	w := status.Begin(p.Client, run)
	end(run, s, reason, message, p.now)
	if err := w.Persist(ctx); err != nil {
		return err
	}
	p.announce(run)
	return nil
}

// ensureRun returns the run of a slot and creates it if it does not exist. It returns a conflict while a run of a
// deleted automation has the name.
func (p *pass) ensureRun(ctx context.Context, slot time.Time) (*v1beta1.AutomationRun, error) {
	run := build.Run(p.a, slot, p.now)
	if i := slices.IndexFunc(p.o.runs, func(r *v1beta1.AutomationRun) bool { return r.Name == run.Name }); i >= 0 {
		return p.o.runs[i], nil
	}
	err := p.Client.Create(ctx, run)
	if apierrors.IsAlreadyExists(err) {
		if err := p.Live.Get(ctx, client.ObjectKeyFromObject(run), run); err != nil {
			return nil, err
		}
		if owner := metav1.GetControllerOf(run); owner != nil && owner.UID != p.a.UID || !run.DeletionTimestamp.IsZero() {
			return nil, apierrors.NewConflict(v1beta1.GroupVersion.WithResource("automationruns").GroupResource(), run.Name, nil)
		}
	} else if err != nil {
		return nil, fmt.Errorf("creating run %s: %w", run.Name, err)
	}
	p.o.runs = append(p.o.runs, run)
	slices.SortFunc(p.o.runs, bySlot)
	return run, nil
}
