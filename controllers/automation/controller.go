// SPDX-License-Identifier: Apache-2.0

package automation

import (
	"context"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/tools/events"
	"k8s.io/utils/clock"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/automation/source"
	"github.com/reelops/reelops/internal/kube/identity"
	"github.com/reelops/reelops/internal/kube/status"
	"github.com/reelops/reelops/internal/process/clockskew"
	"github.com/reelops/reelops/internal/process/fairqueue"
	"github.com/reelops/reelops/internal/process/outcome"
	"github.com/reelops/reelops/internal/process/tracing"
)

// passes is the number of concurrent reconciles. They may wait for the servers of feeds.
const passes = 8

// Reconciler reconciles Automations and their runs.
type Reconciler struct {
	Client client.Client
	// Live reads the API server, not the cache.
	Live  client.Reader
	Clock clock.Clock
	// Ahead returns by how much Clock is ahead of the API server's; nil if that is not measured.
	Ahead  func() time.Duration
	Events events.EventRecorder
	// Record records the webhook events of a run that is about to be deleted; nil to record none.
	Record func(ctx context.Context, o client.Object) error
	// NextID reserves ids of automations.
	NextID func(context.Context) (int64, error)
	// Items chooses the items of runs.
	Items *source.Chooser
}

// +kubebuilder:rbac:groups=reelops.dev,resources=automations,verbs=get;list;watch;patch
// +kubebuilder:rbac:groups=reelops.dev,resources=automations/status,verbs=patch
// +kubebuilder:rbac:groups=reelops.dev,resources=automations/finalizers,verbs=update
// +kubebuilder:rbac:groups=reelops.dev,resources=automationruns,verbs=get;list;watch;create;patch;delete
// +kubebuilder:rbac:groups=reelops.dev,resources=automationruns/status,verbs=patch
// +kubebuilder:rbac:groups=reelops.dev,resources=automationruns/finalizers,verbs=update
// +kubebuilder:rbac:groups=reelops.dev,resources=slideshows;videos;postbatches,verbs=get;list;watch;create;patch
// +kubebuilder:rbac:groups=reelops.dev,resources=postbatches,verbs=delete
// +kubebuilder:rbac:groups=reelops.dev,resources=posts;socialaccounts;brands;accounts,verbs=get;list;watch
// +kubebuilder:rbac:groups=events.k8s.io,resources=events,verbs=create;patch

// IndexRuns indexes AutomationRuns by the name of their automation.
const IndexRuns = "reelops.automation-runs"

// RunsIndex fills IndexRuns.
func RunsIndex(o client.Object) []string {
	return []string{o.(*v1beta1.AutomationRun).Spec.AutomationRef.Name}
}

// SetupWithManager registers the controller: it watches automations, their runs, and what these create or depend on.
func (r *Reconciler) SetupWithManager(mgr ctrl.Manager) error {
	labelled := handler.EnqueueRequestsFromMapFunc(func(_ context.Context, o client.Object) []ctrl.Request {
		name := o.GetLabels()[v1beta1.LabelAutomation]
		if name == "" {
			return nil
		}
		return []ctrl.Request{{NamespacedName: client.ObjectKey{Namespace: o.GetNamespace(), Name: name}}}
	})
	all := handler.EnqueueRequestsFromMapFunc(r.inNamespace)
	changed := builder.WithPredicates(predicate.GenerationChangedPredicate{})
	return ctrl.NewControllerManagedBy(mgr).Named("automation").
		For(&v1beta1.Automation{}).
		// The end of one automation makes room for another within the plan.
		Watches(&v1beta1.Automation{}, all, builder.WithPredicates(predicate.Funcs{
			CreateFunc: func(event.CreateEvent) bool { return false },
			UpdateFunc: func(event.UpdateEvent) bool { return false },
		})).
		Watches(&v1beta1.AutomationRun{}, handler.EnqueueRequestsFromMapFunc(automationOf)).
		Watches(&v1beta1.Slideshow{}, labelled).
		Watches(&v1beta1.Video{}, labelled).
		Watches(&v1beta1.PostBatch{}, labelled).
		Watches(&v1beta1.Account{}, all, changed).
		Watches(&v1beta1.Brand{}, all, changed).
		Watches(&v1beta1.SocialAccount{}, all).
		WithOptions(controller.Options{MaxConcurrentReconciles: passes, NewQueue: fairqueue.New(passes / 2)}).
		Complete(reconcile.AsReconciler(mgr.GetClient(), tracing.Passes(r)))
}

// inNamespace returns requests for all automations in the namespace of an object.
func (r *Reconciler) inNamespace(ctx context.Context, o client.Object) []ctrl.Request {
	var list v1beta1.AutomationList
	if err := r.Client.List(ctx, &list, client.InNamespace(o.GetNamespace()), client.UnsafeDisableDeepCopy); err != nil {
		return nil // the automations are reconciled at their next slots
	}
	var out []ctrl.Request
	for i := range list.Items {
		out = append(out, ctrl.Request{NamespacedName: client.ObjectKeyFromObject(&list.Items[i])})
	}
	return out
}

// pass is one reconcile of an automation.
type pass struct {
	*Reconciler
	a   *v1beta1.Automation
	o   *observed
	now time.Time
	// status writes the status of the automation.
	status *status.Writer[*v1beta1.Automation]
	// wake is when to reconcile again at the latest; zero if only events matter.
	wake time.Time
	// sourceRead reports whether the pass read the source. unreachable is why it could not.
	sourceRead  bool
	unreachable string
}

// Reconcile starts slots that are due, moves the active runs on, deletes old runs and reports.
func (r *Reconciler) Reconcile(ctx context.Context, a *v1beta1.Automation) (ctrl.Result, error) {
	if !a.DeletionTimestamp.IsZero() {
		return ctrl.Result{}, nil // the runs are deleted with their owner, and what they own with them
	}
	if err := identity.Ensure(ctx, r.Client, a, r.NextID, &a.Spec.BrandRef); err != nil {
		return outcome.Result(err)
	}
	o, err := r.observe(ctx, a)
	if err != nil {
		return outcome.Result(err)
	}
	p := &pass{Reconciler: r, a: a, o: o, now: r.Clock.Now(), status: status.Begin(r.Client, a)}
	if r.Ahead != nil { // a clock that was set must not start a slot early
		p.now = p.now.Add(-clockskew.Beyond(r.Ahead()))
	}
	return p.run(ctx)
}

func (p *pass) run(ctx context.Context) (ctrl.Result, error) {
	b := block(p.a, p.o, p.now)
	if err := p.recordMissedBeforeStop(ctx, b); err != nil {
		return outcome.Result(err)
	}
	p.resume(b)
	if err := p.steps(ctx, b, func(run *v1beta1.AutomationRun) bool { return run.Status.State != "" }); err != nil {
		return outcome.Result(err)
	}
	if b = block(p.a, p.o, p.now); b == nil { // after the end of a run, a rule may stop the automation
		if err := p.startSlots(ctx); err != nil {
			return outcome.Result(err)
		}
	}
	if err := p.steps(ctx, b, func(run *v1beta1.AutomationRun) bool { return run.Status.State == "" }); err != nil {
		return outcome.Result(err)
	}
	p.report(block(p.a, p.o, p.now))
	if err := p.status.Persist(ctx); err != nil {
		return outcome.Result(err)
	}
	if err := p.prune(ctx); err != nil {
		return outcome.Result(err)
	}
	if p.wake.IsZero() {
		return ctrl.Result{}, nil
	}
	return ctrl.Result{RequeueAfter: max(p.wake.Sub(p.now), time.Second)}, nil
}

// steps moves the runs on that a filter selects.
func (p *pass) steps(ctx context.Context, b *blocked, selected func(*v1beta1.AutomationRun) bool) error {
	for _, run := range p.o.runs {
		if !selected(run) {
			continue
		}
		if err := p.step(ctx, run, b); err != nil {
			return fmt.Errorf("run %s: %w", run.Name, err)
		}
	}
	return nil
}

// wakeAt makes the next pass begin at a time or earlier.
func (p *pass) wakeAt(t time.Time) {
	if !t.IsZero() && (p.wake.IsZero() || t.Before(p.wake)) {
		p.wake = t
	}
}

// current returns a conflict if the automation was changed since it was read.
func (p *pass) current(ctx context.Context) error {
	live := &v1beta1.Automation{}
	if err := p.Live.Get(ctx, client.ObjectKeyFromObject(p.a), live); err != nil {
		return err
	}
	if live.UID != p.a.UID || live.ResourceVersion != p.a.ResourceVersion || !live.DeletionTimestamp.IsZero() {
		return apierrors.NewConflict(v1beta1.GroupVersion.WithResource("automations").GroupResource(), p.a.Name, nil)
	}
	return nil
}

// automationOf returns the request for the automation of a run.
func automationOf(_ context.Context, run client.Object) []ctrl.Request {
	name := run.(*v1beta1.AutomationRun).Spec.AutomationRef.Name
	return []ctrl.Request{{NamespacedName: client.ObjectKey{Namespace: run.GetNamespace(), Name: name}}}
}
