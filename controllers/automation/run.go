// SPDX-License-Identifier: Apache-2.0

package automation

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/automation/build"
	"github.com/reelops/reelops/internal/automation/source"
	"github.com/reelops/reelops/internal/automation/template"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/film/shortwork"
	"github.com/reelops/reelops/internal/kube/identity"
	"github.com/reelops/reelops/internal/kube/status"
)

// maxMessage is the maximum length of the message of a WorkError in characters.
const maxMessage = 1024

// retryBusy is the delay of a read while too many feeds are being read.
const retryBusy = 5 * time.Second

// step moves an active run on as far as possible, and writes its status.
func (p *pass) step(ctx context.Context, run *v1beta1.AutomationRun, b *blocked) error {
	if run.Status.State.Final() || !run.Spec.Manual && run.Spec.ScheduledAt.After(p.a.Status.HandledUntil.Time) {
		return nil
	}
	if metav1.GetControllerOf(run) == nil || run.Labels[v1beta1.LabelAutomation] != p.a.Name {
		if err := p.adopt(ctx, run); err != nil {
			return err
		}
	}
	w := status.Begin(p.Client, run)
	p.recall(run)
	var err error
	switch {
	case run.Status.Batch != "":
		err = p.follow(ctx, run)
	case !p.ready(run, b):
	case run.Status.Number == 0:
		if err = p.choose(ctx, run, w); err == nil && run.Status.Number > 0 {
			err = p.create(ctx, run)
		}
	default:
		err = p.create(ctx, run)
	}
	if refused, ok := errors.AsType[*refusedError](err); ok { // it must not keep the other runs from moving on
		fail(run, refused.code, refused.message, p.now)
		err = nil
	}
	if err != nil {
		return err
	}
	final := run.Status.State.Final()
	if final {
		if err := p.release(ctx, run); err != nil {
			return err
		}
	}
	if err := w.Persist(ctx); err != nil {
		return err
	}
	if final {
		p.announce(run)
	}
	return nil
}

// adopt makes the automation the controller of a run that a user created.
func (p *pass) adopt(ctx context.Context, run *v1beta1.AutomationRun) error {
	before := run.DeepCopy()
	if run.Labels == nil {
		run.Labels = map[string]string{}
	}
	for k, v := range build.Labels(p.a) {
		run.Labels[k] = v
	}
	if metav1.GetControllerOf(run) == nil {
		run.OwnerReferences = append(run.OwnerReferences, build.OwnerOf(p.a))
	}
	return p.Client.Patch(ctx, run, client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{}))
}

// ready reports whether a run without posts may go on. A run whose deadline has passed ends.
func (p *pass) ready(run *v1beta1.AutomationRun, b *blocked) bool {
	deadline := readyBy(p.a, run)
	p.wakeAt(deadline)
	paused := b != nil && (b.paused || run.Status.Number == 0 && !run.Spec.Manual)
	switch late := p.now.After(deadline); {
	case late && run.Status.Number == 0 && unread(run):
		fail(run, catalog.GenerationFailed, why(run), p.now)
	case late && run.Status.Number == 0:
		end(run, v1beta1.RunMissed, v1beta1.ReasonMissedSchedule, "The slot passed while it could not start", p.now)
	case late:
		fail(run, catalog.GenerationFailed, "The short was not ready in time: "+why(run)+". Raise spec.leadTimeSeconds or "+
			"spec.startingDeadlineSeconds", p.now)
	case paused:
		wait(run, b.reason, b.message)
	default:
		return true
	}
	return false
}

// unread reports whether a run waits for a source that cannot be read.
func unread(run *v1beta1.AutomationRun) bool {
	c := meta.FindStatusCondition(run.Status.Conditions, string(v1beta1.ConditionReady))
	return c != nil && c.Reason == string(v1beta1.ReasonSourceUnavailable)
}

func why(run *v1beta1.AutomationRun) string { return status.Why(run.Status.Conditions) }

// choose gives a run its item. The item is proposed in the run, then recorded as used in the automation, and only then
// used: a crash between the writes neither uses an item twice nor loses one.
func (p *pass) choose(ctx context.Context, run *v1beta1.AutomationRun, w *status.Writer[*v1beta1.AutomationRun]) error {
	st := &p.a.Status
	if budget := overBudget(p.a, p.o.runs, p.now); budget != "" {
		end(run, v1beta1.RunSkipped, v1beta1.ReasonBudgetUsedUp, budget, p.now)
		return nil
	}
	choice, err := p.Items.Next(ctx, p.a, source.Used{Cursor: st.Cursor, Items: st.UsedItems}, run.Spec.ScheduledAt.Time)
	if unreadable, ok := errors.AsType[*source.UnreadableError](err); ok {
		p.unreachable = unreadable.Error()
		wait(run, v1beta1.ReasonSourceUnavailable, p.unreachable)
		p.wakeAt(unreadable.Again)
		return nil
	}
	if errors.Is(err, source.ErrBusy) {
		wait(run, v1beta1.ReasonProgressing, "The feed is read after other feeds")
		p.wakeAt(p.now.Add(retryBusy))
		return nil
	}
	if err != nil {
		return err
	}
	p.sourceRead = true
	if choice.Item == nil {
		end(run, v1beta1.RunSkipped, v1beta1.ReasonNoItem, choice.Why, p.now)
		return nil
	}
	run.Status.Item = choice.Item
	wait(run, v1beta1.ReasonProgressing, "The item is chosen")
	if err := w.Persist(ctx); err != nil {
		return err
	}
	p.record(run, choice.Text)
	if err := p.status.Persist(ctx); err != nil {
		return err
	}
	p.recall(run)
	return w.Persist(ctx)
}

// recall gives a run the number of its item, if the automation has recorded the item as used. A leader that was killed
// after it had recorded the item did not write the number.
func (p *pass) recall(run *v1beta1.AutomationRun) {
	used := p.a.Status.UsedItems
	i := slices.IndexFunc(used, func(u v1beta1.UsedItem) bool { return u.Run == run.Name })
	if run.Status.Number > 0 || i < 0 || run.Status.Item == nil || run.Status.Item.ID != used[i].ID {
		return
	}
	run.Status.Number, run.Status.State, run.Status.StartedAt = used[i].Number, v1beta1.RunCreating, ptr.To(used[i].At)
}

// record records in the status of the automation that a run uses its item.
func (p *pass) record(run *v1beta1.AutomationRun, text string) {
	st, month := &p.a.Status, monthOf(p.now)
	st.Month = &v1beta1.AutomationMonth{Start: metav1.NewTime(month), Runs: runsIn(p.a, month) + 1}
	st.Runs++
	if p.a.Spec.Source.Prompts != nil {
		st.Cursor++
	}
	st.UsedItems = append(slices.Clone(st.UsedItems), v1beta1.UsedItem{
		Run: run.Name, Number: st.Runs, ID: run.Status.Item.ID, Text: text, At: metav1.NewTime(p.now.Truncate(time.Second)),
	})
	st.UsedItems = st.UsedItems[max(0, len(st.UsedItems)-v1beta1.MaxUsedItems):]
}

// create creates the short and, when it is ready, the batch.
func (p *pass) create(ctx context.Context, run *v1beta1.AutomationRun) error {
	short, err := p.short(ctx, run)
	if err != nil || short == nil {
		return err
	}
	run.Status.ShortID, _ = identity.Of(short)
	state := stateOf(short)
	run.Status.Credits = state.credits
	switch {
	case state.failed != nil:
		failWith(run, state.failed, p.now)
		return nil
	case !state.ready:
		wait(run, v1beta1.ReasonShortNotReady, state.why)
		return nil
	}
	batch, err := p.batch(ctx, run)
	if err != nil {
		return err
	}
	run.Status.Batch = batch.Name
	return p.follow(ctx, run)
}

// short returns the short of a run and creates it if the run has not recorded it. It returns nil if the run has ended.
func (p *pass) short(ctx context.Context, run *v1beta1.AutomationRun) (client.Object, error) {
	st := &run.Status
	ref, exists := build.ShortRefOf(st.Item.ID)
	exists = exists && p.a.Spec.Template == nil
	if st.Short == nil && !exists {
		o := build.Short(p.a, run, p.values(run))
		if err := p.ensure(ctx, run, o); err != nil {
			return nil, err
		}
		st.Short = ptr.To(refOf(o))
		return o, nil
	}
	if st.Short != nil {
		ref = *st.Short
	}
	o, err := p.find(ctx, run.Namespace, ref)
	if err != nil {
		return nil, err
	}
	if o == nil || !o.GetDeletionTimestamp().IsZero() {
		fail(run, catalog.NotFound, "The short was deleted", p.now)
		return nil, nil
	}
	st.Short = &ref
	if p.a.Spec.Source.Queue != nil {
		return o, p.mark(ctx, run, o)
	}
	return o, nil
}

// mark labels a short from a queue, so that it is not taken again.
func (p *pass) mark(ctx context.Context, run *v1beta1.AutomationRun, short client.Object) error {
	if short.GetLabels()[v1beta1.LabelAutomationRun] == run.Name {
		return nil
	}
	before := short.DeepCopyObject().(client.Object)
	labels := short.GetLabels()
	labels[v1beta1.LabelAutomation], labels[v1beta1.LabelAutomationRun] = p.a.Name, run.Name
	short.SetLabels(labels)
	return p.Client.Patch(ctx, short, client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{}))
}

// batch returns the batch of a run and creates it if it does not exist.
func (p *pass) batch(ctx context.Context, run *v1beta1.AutomationRun) (*v1beta1.PostBatch, error) {
	at := run.Spec.ScheduledAt.Time
	late := run.Spec.Manual || p.now.After(at)
	if late {
		at = p.now.Truncate(time.Second)
	}
	b := build.Batch(p.a, run, p.values(run), at, late)
	return b, p.ensure(ctx, run, b)
}

func (p *pass) values(run *v1beta1.AutomationRun) template.Values {
	return build.Values(p.o.brand, run.Status.Item, run.Spec.ScheduledAt.Time, run.Status.Number, p.o.schedule.Zone())
}

// follow reports the posts of a run, and ends the run with them.
func (p *pass) follow(ctx context.Context, run *v1beta1.AutomationRun) error {
	st := &run.Status
	b, err := shortwork.Get(ctx, p.Client, run.Namespace, st.Batch, &v1beta1.PostBatch{})
	if err != nil {
		return err
	}
	if b == nil {
		p.gone(run)
		return nil
	}
	st.Posts = b.Status.Targets
	if id := b.Status.ShortID; id > 0 {
		st.ShortID = id
	}
	if ended(st.Posts) && b.Status.Open == 0 && b.DeletionTimestamp.IsZero() {
		p.finish(run, b)
		return nil
	}
	held := slices.ContainsFunc(st.Posts, func(t v1beta1.TargetStatus) bool { return t.State == v1beta1.PostHeld })
	at := later(run.Spec.ScheduledAt.Time, b.Spec.ScheduledAt.Time)
	if held && p.a.Spec.OnApprovalTimeout != v1beta1.ApprovalTimeoutHold {
		// The posts would be due at once: leave time to approve them.
		if run.Spec.Manual || at.After(run.Spec.ScheduledAt.Time) {
			at = at.Add(max(build.Lead(p.a), time.Hour))
		}
		switch {
		case p.now.Before(at):
			p.wakeAt(at)
		// After a change of the batch, such as an approval, its status may be old. The end of the deletion wakes the run.
		case b.DeletionTimestamp.IsZero() && b.Status.ObservedGeneration == b.Generation:
			err := p.Client.Delete(ctx, b, client.Preconditions{UID: &b.UID, ResourceVersion: &b.ResourceVersion})
			if client.IgnoreNotFound(err) != nil {
				return fmt.Errorf("deleting the batch: %w", err)
			}
		}
	}
	if held {
		st.State = v1beta1.RunAwaitingApproval
		setReady(run, false, v1beta1.ReasonAwaitingApproval,
			"The posts are held: approve them with kubectl reelops approve "+b.Name+" --account "+b.Namespace)
		return nil
	}
	st.State = v1beta1.RunScheduled
	setReady(run, false, v1beta1.ReasonScheduled, status.Why(b.Status.Conditions))
	return nil
}

// ended reports whether all posts of a batch have ended. The controller of batches records the targets of platforms in
// a write of its own before it creates and counts their posts, so that status.open of the batch alone may be old.
func ended(posts []v1beta1.TargetStatus) bool {
	return len(posts) > 0 &&
		!slices.ContainsFunc(posts, func(t v1beta1.TargetStatus) bool { return !t.State.Final() })
}

// gone ends a run whose batch was deleted: by a user, or because its posts were not approved in time.
func (p *pass) gone(run *v1beta1.AutomationRun) {
	posts, sent := run.Status.Posts, false
	for i := range posts {
		switch t := &posts[i]; {
		case t.State == v1beta1.PostSuccess:
			sent = true
		case !t.State.Final():
			t.State = v1beta1.PostCancelled
		}
	}
	switch {
	case sent:
		end(run, v1beta1.RunSucceeded, v1beta1.ReasonPublished, "The posts were published, and their batch was deleted",
			p.now)
	case run.Status.State == v1beta1.RunAwaitingApproval:
		end(run, v1beta1.RunSkipped, v1beta1.ReasonApprovalTimeout,
			"The posts were not approved in time and were cancelled: approve earlier, raise "+
				"spec.leadTimeSeconds, or set spec.onApprovalTimeout to Hold", p.now)
	default:
		end(run, v1beta1.RunSkipped, v1beta1.ReasonCancelled, "The posts were cancelled", p.now)
	}
}

// finish ends a run whose posts have all ended.
func (p *pass) finish(run *v1beta1.AutomationRun, b *v1beta1.PostBatch) {
	message := status.Why(b.Status.Conditions)
	switch {
	case b.Status.Failed > 0:
		e := &v1beta1.WorkError{Code: string(catalog.Conflict), Message: message}
		for i := range b.Status.Targets {
			if t := &b.Status.Targets[i]; t.State == v1beta1.PostFailed && t.Error != nil {
				e.Code, e.Retryable = t.Error.Code, t.Error.Retryable
				break
			}
		}
		failWith(run, e, p.now)
	case b.Status.Published == 0:
		end(run, v1beta1.RunSkipped, v1beta1.ReasonCancelled, "The posts were cancelled", p.now)
	default:
		end(run, v1beta1.RunSucceeded, v1beta1.ReasonPublished, message, p.now)
	}
}

// wait reports what an active run waits for.
func wait(run *v1beta1.AutomationRun, reason v1beta1.Reason, message string) {
	if run.Status.State == "" {
		run.Status.State = v1beta1.RunPending
	}
	setReady(run, false, reason, message)
}

// end ends a run. A skipped run is ready, like a cancelled post: the automation's own rules ended it, and nothing is
// left to do. A failed or missed run is stalled. Tools that wait for a run therefore see every final state as final.
func end(run *v1beta1.AutomationRun, s v1beta1.RunState, reason v1beta1.Reason, message string, now time.Time) {
	run.Status.State, run.Status.FinishedAt = s, ptr.To(metav1.NewTime(now.Truncate(time.Second)))
	setReady(run, s == v1beta1.RunSucceeded || s == v1beta1.RunSkipped, reason, message)
	if s == v1beta1.RunFailed || s == v1beta1.RunMissed {
		c := status.Conditions{List: &run.Status.Conditions, Generation: run.Generation}
		c.Set(v1beta1.ConditionStalled, true, reason, message)
	}
}

func fail(run *v1beta1.AutomationRun, code catalog.Code, message string, now time.Time) {
	failWith(run, &v1beta1.WorkError{Code: string(code), Message: message}, now)
}

func failWith(run *v1beta1.AutomationRun, e *v1beta1.WorkError, now time.Time) {
	if r := []rune(e.Message); len(r) > maxMessage {
		e = e.DeepCopy() // it may be a part of the cached short
		e.Message = string(r[:maxMessage-1]) + "…"
	}
	run.Status.Error = e
	end(run, v1beta1.RunFailed, v1beta1.ReasonFailed, e.Message, now)
}

func setReady(run *v1beta1.AutomationRun, value bool, reason v1beta1.Reason, message string) {
	status.Conditions{List: &run.Status.Conditions, Generation: run.Generation}.
		Set(v1beta1.ConditionReady, value, reason, message)
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
