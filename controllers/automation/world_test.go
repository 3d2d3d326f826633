// SPDX-License-Identifier: Apache-2.0

package automation_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/events"
	clocktesting "k8s.io/utils/clock/testing"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/controllers/automation"
	"github.com/reelops/reelops/internal/automation/feed"
	"github.com/reelops/reelops/internal/automation/source"
	"github.com/reelops/reelops/internal/testkit"
)

// cluster serves all tests of the package.
var cluster testkit.Shared

func TestMain(m *testing.M) { cluster.Main(m) }

var namespaces, ids atomic.Int64

// feeds is a server of one feed.
type feeds struct {
	items []feed.Item
	err   error
	reads int
}

func (f *feeds) Read(context.Context, string, feed.State) (feed.Feed, error) {
	f.reads++
	return feed.Feed{Items: f.items}, f.err
}

// world is one account with an automation named daily that has one slot an hour and a lead time of half an hour.
type world struct {
	t     *testing.T
	ns    string
	clock *clocktesting.FakeClock
	rec   *testkit.Recorder
	r     *automation.Reconciler
	feeds *feeds
	// slot is the first slot after the creation of the automation, hourly its schedule.
	slot   time.Time
	hourly string
	// publish is the outcome that platforms give to posts; empty leaves posts waiting.
	publish v1beta1.PostState
	// held leaves posts as drafts.
	held bool
	// short is the error with which the work on shorts fails; nil lets it succeed. undrawn leaves it in progress.
	short   *v1beta1.WorkError
	undrawn bool
}

func newWorld(t *testing.T, change ...func(*v1beta1.Automation)) *world {
	t.Helper()
	cluster.Start(t)
	w := &world{t: t, ns: fmt.Sprintf("auto-%d", namespaces.Add(1)), feeds: &feeds{}, publish: v1beta1.PostSuccess}
	w.create(testkit.Namespace(w.ns))
	account := testkit.Account(w.ns)
	account.Spec.Plan.AutomationLimit = ptr.To[int32](5)
	w.create(account)
	w.create(testkit.Brand(w.ns, "acme"))
	w.create(&v1beta1.SocialAccount{
		ObjectMeta: metav1.ObjectMeta{Namespace: w.ns, Name: "tiktok-1"},
		Spec: v1beta1.SocialAccountSpec{
			BrandRef: v1beta1.LocalRef{Name: "acme"}, Platform: "tiktok", PlatformAccountID: "1",
			TokenSecretRef: v1beta1.LocalRef{Name: "tiktok-1"},
		},
	})
	first := time.Now().Truncate(time.Minute).Add(40 * time.Minute) // more than the lead ahead
	a := daily(w.ns)
	w.hourly = fmt.Sprintf("%d * * * *", first.UTC().Minute())
	a.Spec.Schedules = []string{w.hourly}
	for _, c := range change {
		c(a)
	}
	w.create(a)
	w.clock = clocktesting.NewFakeClock(a.CreationTimestamp.Time)
	w.slot = first
	w.r, w.rec = w.leader()
	return w
}

// leader returns a reconciler, as in another process.
func (w *world) leader() (*automation.Reconciler, *testkit.Recorder) {
	w.t.Helper()
	rec, err := cluster.Recorder(map[string]client.IndexerFunc{automation.IndexRuns: automation.RunsIndex})
	w.must(err)
	return &automation.Reconciler{
		Client: rec, Live: rec, Clock: w.clock, Events: events.NewFakeRecorder(1000),
		NextID: func(context.Context) (int64, error) { return ids.Add(1), nil },
		Items:  &source.Chooser{Client: rec, Feeds: w.feeds, Clock: w.clock},
	}, rec
}

func daily(ns string) *v1beta1.Automation {
	return &v1beta1.Automation{
		ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: "daily"},
		Spec: v1beta1.AutomationSpec{
			BrandRef: v1beta1.LocalRef{Name: "acme"}, Schedules: []string{"0 0 1 1 *"}, LeadTimeSeconds: ptr.To[int32](1800),
			Source: v1beta1.AutomationSource{Prompts: &v1beta1.PromptsSource{Items: []v1beta1.Prompt{
				{Text: "Tea"}, {Text: "Coffee"}, {Text: "Cocoa"},
			}}},
			Template: &v1beta1.AutomationTemplate{Slideshow: &v1beta1.SlideshowTemplate{Context: "All about {{item.title}}"}},
			Publish:  v1beta1.AutomationPublish{Platforms: []v1beta1.Platform{"tiktok"}},
		},
	}
}

func (w *world) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) create(o client.Object) {
	w.t.Helper()
	w.must(cluster.Client.Create(w.t.Context(), o))
}

func (w *world) key(name string) client.ObjectKey {
	return client.ObjectKey{Namespace: w.ns, Name: name}
}

func (w *world) automation() *v1beta1.Automation {
	w.t.Helper()
	a := &v1beta1.Automation{}
	w.must(cluster.Client.Get(w.t.Context(), w.key("daily"), a))
	return a
}

// edit changes the spec of the automation.
func (w *world) edit(change func(*v1beta1.Automation)) {
	w.t.Helper()
	a := w.automation()
	change(a)
	w.must(cluster.Client.Update(w.t.Context(), a))
}

// runs returns the runs in the order of their slots.
func (w *world) runs() []v1beta1.AutomationRun {
	w.t.Helper()
	var list v1beta1.AutomationRunList
	w.must(cluster.Client.List(w.t.Context(), &list, client.InNamespace(w.ns)))
	slices.SortFunc(list.Items, func(a, b v1beta1.AutomationRun) int {
		return a.Spec.ScheduledAt.Compare(b.Spec.ScheduledAt.Time)
	})
	return list.Items
}

// states returns the states of the runs, such as "14:00 Succeeded", with their slots relative to the first.
func (w *world) states() string {
	w.t.Helper()
	var out []string
	for _, run := range w.runs() {
		out = append(out, fmt.Sprintf("%+g %s", run.Spec.ScheduledAt.Sub(w.slot).Hours(), run.Status.State))
	}
	return strings.Join(out, ", ")
}

// expect compares the states of the runs, and checks that kstatus takes a run for final if and only if its state is.
func (w *world) expect(want string) {
	w.t.Helper()
	if got := w.states(); got != want {
		w.t.Errorf("got the runs %q, want %q", got, want)
	}
	for _, run := range w.runs() {
		s := run.Status.State
		done := meta.IsStatusConditionTrue(run.Status.Conditions, string(v1beta1.ConditionReady))
		stalled := meta.IsStatusConditionTrue(run.Status.Conditions, string(v1beta1.ConditionStalled))
		if done != (s == v1beta1.RunSucceeded || s == v1beta1.RunSkipped) ||
			stalled != (s == v1beta1.RunFailed || s == v1beta1.RunMissed) {
			w.t.Errorf("the run %s with the state %q has the conditions %v", run.Name, s, run.Status.Conditions)
		}
	}
}

// condition returns the reason of a condition of the automation if it has the status, else an empty text.
func (w *world) condition(t v1beta1.ConditionType, value bool) string {
	w.t.Helper()
	c := meta.FindStatusCondition(w.automation().Status.Conditions, string(t))
	if c == nil || (c.Status == metav1.ConditionTrue) != value {
		return ""
	}
	return c.Reason
}

func (w *world) batches() []v1beta1.PostBatch {
	w.t.Helper()
	var list v1beta1.PostBatchList
	w.must(cluster.Client.List(w.t.Context(), &list, client.InNamespace(w.ns)))
	return list.Items
}

func (w *world) shows() []v1beta1.Slideshow {
	w.t.Helper()
	var list v1beta1.SlideshowList
	w.must(cluster.Client.List(w.t.Context(), &list, client.InNamespace(w.ns)))
	return list.Items
}

// reconcile runs one pass of a leader, and retries as the manager does.
func (w *world) reconcile(r *automation.Reconciler) {
	w.t.Helper()
	for range 40 {
		a := &v1beta1.Automation{}
		if err := cluster.Client.Get(w.t.Context(), w.key("daily"), a); apierrors.IsNotFound(err) {
			return
		} else if err != nil {
			w.t.Fatal(err)
		}
		res, err := r.Reconcile(w.t.Context(), a)
		if errors.Is(err, testkit.ErrFault) {
			continue
		}
		w.must(err)
		if res.RequeueAfter == 0 || res.RequeueAfter > time.Second {
			return
		}
	}
	w.t.Fatal("the automation does not settle")
}

// settle reconciles and does the work of the other controllers until nothing changes.
func (w *world) settle() {
	w.t.Helper()
	for range 20 {
		w.reconcile(w.r)
		if !w.others() {
			return
		}
	}
	w.t.Fatal("the automation does not settle")
}

// at sets the clock to hours after the first slot, and settles.
func (w *world) at(hours float64) {
	w.t.Helper()
	w.clock.SetTime(w.slot.Add(time.Duration(hours * float64(time.Hour))))
	w.settle()
}

// others does the work of the controllers of slideshows and batches, and reports whether anything changed.
func (w *world) others() (changed bool) {
	w.t.Helper()
	ctx := w.t.Context()
	for _, s := range w.shows() {
		if s.Status.Work != nil || w.undrawn {
			continue
		}
		if s.Labels[v1beta1.LabelID] == "" {
			if s.Labels == nil {
				s.Labels = map[string]string{}
			}
			s.Labels[v1beta1.LabelID] = strconv.FormatInt(ids.Add(1), 10)
			w.must(cluster.Client.Update(ctx, &s))
		}
		s.Status = v1beta1.SlideshowStatus{
			Revision: 1, WorkedOn: s.Generation, Work: &v1beta1.Work{State: v1beta1.WorkSucceeded, Attempt: 1},
			Render: &v1beta1.RenderSummary{Name: s.Name + "-r1", Revision: 1, State: v1beta1.WorkSucceeded},
		}
		if w.short != nil {
			s.Status.Work.State, s.Status.Work.Error = v1beta1.WorkFailed, w.short
		}
		w.must(cluster.Client.Status().Update(ctx, &s))
		changed = true
	}
	for _, b := range w.batches() {
		if !b.DeletionTimestamp.IsZero() {
			b.Finalizers = nil
			w.must(cluster.Client.Update(ctx, &b))
			changed = true
			continue
		}
		state := v1beta1.PostScheduled
		switch {
		case w.held || b.Spec.RequireApproval && !b.Spec.Approved:
			state = v1beta1.PostHeld
		case w.publish != "" && !b.Spec.ScheduledAt.After(w.clock.Now()):
			state = w.publish
		}
		if len(b.Status.Targets) > 0 && b.Status.Targets[0].State == state && b.Status.ObservedGeneration == b.Generation {
			continue
		}
		b.Status.ObservedGeneration = b.Generation
		b.Status.Targets = []v1beta1.TargetStatus{{
			Platform: "tiktok", Account: "tiktok-1", Post: b.Name + "-post", State: state,
		}}
		b.Status.Open, b.Status.Published, b.Status.Failed = 1, 0, 0
		switch state {
		case v1beta1.PostSuccess:
			b.Status.Open, b.Status.Published = 0, 1
		case v1beta1.PostFailed:
			b.Status.Open, b.Status.Failed = 0, 1
			b.Status.Targets[0].Error = &v1beta1.WorkError{Code: "token_expired", Message: "The connection has ended."}
		}
		w.must(cluster.Client.Status().Update(ctx, &b))
		changed = true
	}
	return changed
}
