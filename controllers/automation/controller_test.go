// SPDX-License-Identifier: Apache-2.0

package automation_test

import (
	"context"
	"fmt"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/automation/build"
	"github.com/reelops/reelops/internal/automation/feed"
	"github.com/reelops/reelops/internal/testkit"
)

func TestSlot_CreatesAndPublishesAShort(t *testing.T) {
	w := newWorld(t)
	w.at(-0.51)
	w.expect("")
	if next := w.automation().Status.NextTimes; len(next) != 3 || !next[0].Time.Equal(w.slot) {
		t.Errorf("got the next times %v, want %s first", next, w.slot)
	}
	w.at(-0.5) // the lead time
	w.expect("+0 Scheduled")
	run := w.runs()[0]
	if want := fmt.Sprintf("daily-%d", w.slot.Unix()/60); run.Name != want {
		t.Errorf("got the name %s, want %s", run.Name, want)
	}
	shows, batches := w.shows(), w.batches()
	if len(shows) != 1 || shows[0].Name != run.Name || shows[0].Spec.Context != "All about Tea" ||
		!shows[0].Spec.AutoRender {
		t.Fatalf("got the slideshows %v", shows)
	}
	if len(batches) != 1 || !batches[0].Spec.ScheduledAt.Time.Equal(w.slot) ||
		batches[0].Spec.ShortRef.Name != shows[0].Name || batches[0].Spec.Immediate {
		t.Fatalf("got the batches %v", batches)
	}
	if !metav1.IsControlledBy(&shows[0], &run) || !metav1.IsControlledBy(&batches[0], &run) {
		t.Error("the active run does not own its short and its batch")
	}
	if d := cmp.Diff([]string{run.Name}, w.automation().Status.Active); d != "" {
		t.Errorf("active (-want +got): %s", d)
	}

	w.at(0)
	if got := w.runs()[0].Status; got.State != v1beta1.RunSucceeded || got.Number != 1 ||
		got.Posts[0].State != v1beta1.PostSuccess {
		t.Errorf("got %+v", got)
	}
	for _, o := range w.shows()[:1] {
		if len(o.OwnerReferences) != 0 {
			t.Error("the ended run owns its short: deleting it from the history would delete the short")
		}
	}
	st := w.automation().Status
	if st.LastSuccessfulTime == nil || w.condition(v1beta1.ConditionReady, true) != "Scheduled" {
		t.Errorf("got %+v", st)
	}
}

func TestPrompts_AreUsedInOrderAndOnce(t *testing.T) {
	w := newWorld(t, func(a *v1beta1.Automation) { a.Spec.Source.Prompts.OnExhausted = "Stop" })
	for hour := range 5 {
		w.at(float64(hour))
	}
	var got []string
	for _, run := range w.runs() {
		got = append(got, run.Status.Item.Title)
	}
	if d := cmp.Diff([]string{"Tea", "Coffee", "Cocoa"}, got); d != "" {
		t.Errorf("items (-want +got):\n%s", d)
	}
	if w.condition(v1beta1.ConditionReady, false) != "SourceExhausted" {
		t.Errorf("got %v", w.automation().Status.Conditions)
	}
}

func TestOutage_MissedSlotsAreVisible(t *testing.T) {
	for _, c := range []struct {
		policy v1beta1.CatchUpPolicy
		late   float64 // hours after the first slot
		want   string
	}{
		{v1beta1.CatchUpSkip, 3.5, "+0 Missed, +1 Missed, +2 Missed, +3 Succeeded, +4 Scheduled"},
		{v1beta1.CatchUpLatestOnce, 3.5, "+0 Missed, +1 Missed, +2 Missed, +3 Succeeded, +4 Scheduled"},
	} {
		t.Run(string(c.policy), func(t *testing.T) {
			w := newWorld(t, func(a *v1beta1.Automation) { a.Spec.CatchUp = c.policy })
			w.settle()
			w.at(c.late)
			w.expect(c.want)
		})
	}
	t.Run("past the deadline", func(t *testing.T) {
		short := func(policy v1beta1.CatchUpPolicy) *world {
			w := newWorld(t, func(a *v1beta1.Automation) {
				a.Spec.CatchUp, a.Spec.StartingDeadlineSeconds, a.Spec.LeadTimeSeconds = policy, 600, ptr.To[int32](60)
			})
			w.settle()
			w.at(1.5)
			return w
		}
		short(v1beta1.CatchUpSkip).expect("+0 Missed, +1 Missed")
		w := short(v1beta1.CatchUpLatestOnce)
		w.expect("+0 Missed, +1 Succeeded")
		if at := w.batches()[0].Spec; !at.Immediate || !at.ScheduledAt.Time.Equal(w.clock.Now().Truncate(time.Second)) {
			t.Errorf("the late posts are scheduled at %v", at.ScheduledAt)
		}
	})
}

func TestShort_ThatFailsOrIsLateFailsTheRun(t *testing.T) {
	w := newWorld(t)
	w.short = &v1beta1.WorkError{Code: "quota_exceeded", Message: "The plan's slideshows are used up."}
	w.at(-0.5)
	w.expect("+0 Failed")
	if e := w.runs()[0].Status.Error; e == nil || e.Code != "quota_exceeded" {
		t.Errorf("got %+v", e)
	}
	if w.condition(v1beta1.ConditionFailing, true) != "Failed" || len(w.batches()) != 0 {
		t.Errorf("got %v", w.automation().Status.Conditions)
	}

	w = newWorld(t, func(a *v1beta1.Automation) { a.Spec.Schedules = []string{"0 0 1 1 *"} })
	w.undrawn = true
	w.settle()
	next := w.automation().Status.NextTimes[0].Time
	w.clock.SetTime(next)
	w.settle()
	w.clock.SetTime(next.Add(61 * time.Minute))
	w.settle()
	if got := w.runs()[0].Status; got.State != v1beta1.RunFailed || len(w.batches()) != 0 {
		t.Errorf("got %+v", got)
	}
}

func TestSuspend_StartsNothingAndMakesUpForNothing(t *testing.T) {
	w := newWorld(t)
	w.undrawn = true
	w.at(-0.5)
	w.expect("+0 Creating")
	w.edit(func(a *v1beta1.Automation) { a.Spec.Suspend = true })
	w.undrawn = false
	w.at(-0.25)
	if len(w.batches()) != 0 {
		t.Error("a suspended automation created posts")
	}
	w.at(4)
	w.expect("+0 Failed")
	w.edit(func(a *v1beta1.Automation) { a.Spec.Suspend = false })
	w.at(4.5)
	w.expect("+0 Failed, +5 Scheduled")
}

func TestSchedule_ChangeDoesNotMissEarlierSlots(t *testing.T) {
	w := newWorld(t, func(a *v1beta1.Automation) { a.Spec.Schedules = []string{"0 0 1 1 *"} })
	w.at(10)
	w.edit(func(a *v1beta1.Automation) { a.Spec.Schedules = []string{w.hourly} })
	w.at(10.5)
	w.expect("+11 Scheduled")
}

func TestSchedule_ChangeWithinTheLeadTimeIsExplained(t *testing.T) {
	w := newWorld(t)
	w.at(-0.5)
	earlier := w.slot.Add(-10 * time.Minute).UTC()
	w.edit(func(a *v1beta1.Automation) { a.Spec.Schedules = []string{fmt.Sprintf("%d * * * *", earlier.Minute())} })
	w.at(-0.4)
	w.expect("+0 Scheduled")
	ready := meta.FindStatusCondition(w.automation().Status.Conditions, string(v1beta1.ConditionReady))
	if want := w.slot.UTC().Format("2006-01-02T15:04:05Z") + " were begun"; !strings.Contains(ready.Message, want) {
		t.Errorf("got the message %q, want it to contain %q", ready.Message, want)
	}
	w = newWorld(t)
	w.at(-0.4)
	ready = meta.FindStatusCondition(w.automation().Status.Conditions, string(v1beta1.ConditionReady))
	if strings.Contains(ready.Message, "begun") {
		t.Errorf("got the message %q without a change of the schedule", ready.Message)
	}
}

func TestPlan_TheOldestAutomationsRun(t *testing.T) {
	w := newWorld(t)
	first := daily(w.ns)
	account := &v1beta1.Account{}
	w.must(cluster.Client.Get(t.Context(), w.key(v1beta1.AccountName), account))
	account.Spec.Plan.AutomationLimit = ptr.To[int32](1)
	w.must(cluster.Client.Update(t.Context(), account))
	first.Name = "aaa" // as old as daily, and before it by name
	first.CreationTimestamp = metav1.Time{}
	w.create(first)
	a := w.automation()
	w.must(cluster.Client.Get(t.Context(), w.key("aaa"), first))
	if first.CreationTimestamp.After(a.CreationTimestamp.Time) {
		t.Skip("the two automations were created in different seconds")
	}
	w.at(0)
	w.expect("")
	if w.condition(v1beta1.ConditionWithinPlan, false) != "PlanLimit" ||
		w.condition(v1beta1.ConditionReady, false) != "PlanLimit" {
		t.Errorf("got %v", a.Status.Conditions)
	}
	w.must(cluster.Client.Delete(t.Context(), first))
	w.at(0.5)
	w.expect("+1 Scheduled")
}

func TestBudget_SkipsSlots(t *testing.T) {
	w := newWorld(t,
		func(a *v1beta1.Automation) { a.Spec.Budget = &v1beta1.AutomationBudget{RunsPerMonth: ptr.To[int32](1)} })
	w.at(0)
	w.at(1)
	if w.slot.Add(time.Hour).UTC().Month() != w.slot.UTC().Month() {
		t.Skip("the month ends")
	}
	w.expect("+0 Succeeded, +1 Skipped")
	if w.condition(v1beta1.ConditionWithinBudget, false) != "BudgetUsedUp" {
		t.Errorf("got %v", w.automation().Status.Conditions)
	}
}

// The controller of batches records targets before it creates and counts their posts.
func TestRun_WaitsForTargetsThatAreNotCountedYet(t *testing.T) {
	w := newWorld(t)
	w.at(-0.5)
	w.expect("+0 Scheduled")
	b := w.batches()[0]
	b.Status.Open = 0
	w.must(cluster.Client.Status().Update(t.Context(), &b))
	w.settle()
	w.expect("+0 Scheduled")
	w.at(0)
	w.expect("+0 Succeeded")
}

func TestApproval_TimeoutCancelsOrHolds(t *testing.T) {
	once := func(a *v1beta1.Automation) {
		a.Spec.Approval, a.Spec.ConcurrencyPolicy = v1beta1.AutomationApprovalAlways, v1beta1.ConcurrencyForbid
	}
	w := newWorld(t, once)
	w.at(-0.5)
	w.expect("+0 AwaitingApproval")
	if b := w.batches(); len(b) != 1 || !b[0].Spec.RequireApproval ||
		w.condition(v1beta1.ConditionAwaitingApproval, true) == "" {
		t.Fatalf("got %v", b)
	}
	w.at(0)
	if got := w.runs()[0].Status; got.State != v1beta1.RunSkipped || got.Posts[0].State != v1beta1.PostCancelled ||
		len(w.batches()) > 1 {
		t.Errorf("got %+v", got)
	}

	w = newWorld(t, once, func(a *v1beta1.Automation) { a.Spec.OnApprovalTimeout = v1beta1.ApprovalTimeoutHold })
	w.at(-0.5)
	w.at(0.5)
	w.expect("+0 AwaitingApproval")
	w.at(1)
	w.expect("+0 AwaitingApproval, +1 Skipped")

	w = newWorld(t, once)
	w.at(-0.5)
	b := w.batches()[0]
	b.Spec.Approved = true
	w.must(cluster.Client.Update(t.Context(), &b))
	w.at(0)
	if got := w.runs()[0].Status.State; got != v1beta1.RunSucceeded {
		t.Errorf("got %s", got)
	}
}

func TestStop_EndsTheAutomation(t *testing.T) {
	w := newWorld(t, func(a *v1beta1.Automation) { a.Spec.Stop = &v1beta1.AutomationStop{AfterRuns: ptr.To[int64](2)} })
	for hour := range 5 {
		w.at(float64(hour))
	}
	w.expect("+0 Succeeded, +1 Succeeded")

	w = newWorld(t, func(a *v1beta1.Automation) {
		a.Spec.Stop = &v1beta1.AutomationStop{AfterFailures: ptr.To[int32](2)}
		a.Spec.FailedRunsHistoryLimit = ptr.To[int32](0)
	})
	w.publish = v1beta1.PostFailed
	for hour := range 5 {
		w.at(float64(hour))
	}
	w.expect("+0 Failed, +1 Failed")
	if w.condition(v1beta1.ConditionReady, false) != "Stopped" {
		t.Errorf("got %v", w.automation().Status.Conditions)
	}
	w.edit(func(a *v1beta1.Automation) { a.Spec.Suspend = true })
	w.at(5)
	w.edit(func(a *v1beta1.Automation) { a.Spec.Suspend = false })
	w.publish = v1beta1.PostSuccess
	w.at(5.5)
	w.at(6)
	if n := len(w.runs()); n == 0 || w.runs()[0].Status.State != v1beta1.RunSucceeded {
		t.Errorf("the automation did not start again: %s", w.states())
	}

	w = newWorld(t)
	w.edit(func(a *v1beta1.Automation) {
		a.Spec.Stop = &v1beta1.AutomationStop{At: ptr.To(metav1.NewTime(w.slot.Add(time.Minute)))}
	})
	for hour := range 4 {
		w.at(float64(hour))
	}
	w.expect("+0 Succeeded")
}

func TestStop_SlotsBeforeTheEndAreMissedInAnOutage(t *testing.T) {
	w := newWorld(t)
	w.edit(func(a *v1beta1.Automation) {
		// The slot of this hour does not run.
		a.Spec.Stop = &v1beta1.AutomationStop{At: ptr.To(metav1.NewTime(w.slot.Add(2 * time.Hour)))}
	})
	w.at(-0.9)
	w.at(2.1)
	w.expect("+0 Missed, +1 Missed")
	w.at(3)
	w.expect("+0 Missed, +1 Missed")

	w = newWorld(t, func(a *v1beta1.Automation) { a.Spec.Suspend = true })
	w.at(-0.9)
	w.edit(func(a *v1beta1.Automation) {
		a.Spec.Suspend, a.Spec.Stop = false, &v1beta1.AutomationStop{At: ptr.To(metav1.NewTime(w.slot.Add(2 * time.Hour)))}
	})
	w.at(2.1)
	w.expect("") // slots of a suspended automation are not missed
}

func TestHistory_KeepsContentAndStartsNoSlotAgain(t *testing.T) {
	w := newWorld(t, func(a *v1beta1.Automation) {
		a.Spec.SuccessfulRunsHistoryLimit, a.Spec.FailedRunsHistoryLimit = ptr.To[int32](1), ptr.To[int32](0)
	})
	recorded := map[string]v1beta1.WebhookEvent{}
	w.r.Record = func(ctx context.Context, o client.Object) error {
		all := o.(*v1beta1.AutomationRun).Status.Transitions
		recorded[o.GetName()] = all[len(all)-1].Event
		return cluster.Client.Get(ctx, client.ObjectKeyFromObject(o), &v1beta1.AutomationRun{}) // it is not deleted yet
	}
	for hour := range 4 {
		w.at(float64(hour))
	}
	w.expect("+3 Succeeded")
	if want := map[string]v1beta1.WebhookEvent{
		build.RunName("daily", w.slot):                  v1beta1.EventRunSucceeded,
		build.RunName("daily", w.slot.Add(time.Hour)):   v1beta1.EventRunSucceeded,
		build.RunName("daily", w.slot.Add(2*time.Hour)): v1beta1.EventRunSucceeded,
	}; !maps.Equal(recorded, want) {
		t.Errorf("recorded %v before the deletions, want %v", recorded, want)
	}
	if shows, batches := len(w.shows()), len(w.batches()); shows != 4 || batches != 4 {
		t.Errorf("got %d slideshows and %d batches, want 4 of each", shows, batches)
	}
	w.clock.SetTime(w.slot) // a clock that is set back
	w.settle()
	w.expect("+3 Succeeded")
}

func TestManualRun_PublishesAtOnce(t *testing.T) {
	w := newWorld(t)
	w.settle()
	w.create(build.ManualRun(w.automation(), "m1234abcd", w.clock.Now()))
	w.settle()
	if run := w.runs()[0]; run.Status.State != v1beta1.RunSucceeded || run.Status.Number != 1 ||
		metav1.GetControllerOf(&run) == nil {
		t.Errorf("got %+v", run)
	}
	w.at(0)
	if got := w.automation().Status; got.Runs != 2 || got.Cursor != 2 {
		t.Errorf("got %d runs and the cursor %d", got.Runs, got.Cursor)
	}
}

func TestShort_ThatTheClusterRefusesFailsOnlyItsRun(t *testing.T) {
	w := newWorld(t, fromFeed, func(a *v1beta1.Automation) { a.Spec.Template.Slideshow.Context = "{{item.summary}}" })
	w.feeds.items = []feed.Item{
		{ID: "a", Title: "Tea", Summary: "About tea", Published: w.slot.Add(-2 * time.Hour)},
		{ID: "b", Title: "Coffee", Published: w.slot.Add(-time.Hour)}, // without a summary the context is empty
	}
	w.at(-0.5)
	w.expect("+0 Failed")
	if e := w.runs()[0].Status.Error; e == nil || e.Code != "validation_failed" ||
		!strings.Contains(e.Message, "needs context") {
		t.Errorf("got %+v", e)
	}
	if w.condition(v1beta1.ConditionFailing, true) != "Failed" {
		t.Errorf("got %v", w.automation().Status.Conditions)
	}
	w.at(1)
	w.used("b", "a")
	if got := w.runs()[1].Status.State; got != v1beta1.RunSucceeded {
		t.Errorf("the next run is %s", got)
	}
}

func TestShort_WhoseNameIsTakenFailsTheRun(t *testing.T) {
	w := newWorld(t)
	w.create(testkit.HandWritten(w.ns, build.RunName("daily", w.slot), "acme", "One"))
	w.at(-0.5)
	w.expect("+0 Failed")
	if e := w.runs()[0].Status.Error; e == nil || e.Code != "conflict" ||
		!strings.Contains(e.Message, "exists that the run did not create") {
		t.Errorf("got %+v", e)
	}
	if shows := w.shows(); len(shows) != 1 || len(shows[0].OwnerReferences) > 0 {
		t.Errorf("the run took a slideshow that it did not create: %v", shows)
	}
}

func TestFirstComment_IsRenderedForEachAccount(t *testing.T) {
	w := newWorld(t, func(a *v1beta1.Automation) {
		a.Spec.Publish = v1beta1.AutomationPublish{Accounts: []v1beta1.PublishTarget{{
			Name: "tiktok-1", PostSettings: v1beta1.PostSettings{FirstComment: ptr.To("More about {{item.title}}")},
		}}}
	})
	w.at(-0.5)
	b := w.batches()
	if len(b) != 1 || ptr.Deref(b[0].Spec.Accounts[0].FirstComment, "") != "More about Tea" {
		t.Errorf("got the batches %+v", b)
	}
	if got := *w.automation().Spec.Publish.Accounts[0].FirstComment; got != "More about {{item.title}}" {
		t.Errorf("the first comment of the automation changed to %q", got)
	}
}

func TestInvalidSchedule_IsReportedIfAdmissionCannotCheckIt(t *testing.T) {
	w := newWorld(t, func(a *v1beta1.Automation) { a.Spec.Schedules = []string{"0 9 30 2 *"} })
	w.at(0)
	if w.condition(v1beta1.ConditionReady, false) != "InvalidSchedule" ||
		w.condition(v1beta1.ConditionStalled, true) != "InvalidSchedule" {
		t.Errorf("got %v", w.automation().Status.Conditions)
	}
}
