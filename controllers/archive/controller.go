// SPDX-License-Identifier: Apache-2.0

package archive

import (
	"context"
	"errors"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/events"
	"k8s.io/utils/clock"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/metrics"
	"sigs.k8s.io/controller-runtime/pkg/predicate"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/kube/status"
	"github.com/reelops/reelops/internal/process/metric"
	"github.com/reelops/reelops/internal/process/outcome"
	"github.com/reelops/reelops/internal/store/archive"
	"github.com/reelops/reelops/internal/store/pinned"
)

const (
	// defaultGrace is the default of Reconciler.Grace.
	defaultGrace = 5 * time.Second
	// maxUnits is the number of units that one pass archives in a namespace, so that a restore need not wait long.
	maxUnits = 100
	// maxLeaving is the number of segments of a namespace that leave at the same time.
	maxLeaving = 10
	// Passes over a namespace: at least minInterval and at most maxInterval apart.
	minInterval, maxInterval = time.Second, time.Hour
	// passTime is the time after which a pass leaves the rest to the next one, which first restores what was requested
	// meanwhile.
	passTime = 2 * time.Second
	// maxPass is the time after which a pass writes no status any more: its process was suspended, and a sweep may have
	// deleted the files of new segments meanwhile, which takes an hour.
	maxPass = 30 * time.Minute
	// maxConflicts is the number of conflicts after which a write of the status fails.
	maxConflicts = 5
)

// Reconciler archives and restores the shorts of accounts. A request names the Archive of a namespace, which need not
// exist.
type Reconciler struct {
	Client client.Client
	// Live reads the API server, not the cache.
	Live  client.Reader
	Store *archive.Store
	// Files is the blob store with the files of all objects. *blob.Store implements it.
	Files pinned.Store
	// After is the time without a change after which a settled unit is archived, unless the plan sets another one; 0
	// means never.
	After time.Duration
	// Grace is the time between the listing of a segment, the hiding of its shorts and batches, and that of what
	// belongs to them; 0 selects the default, 5 s. After the first one, all front ends know the segment. After the
	// second one, a request that had read a short before it was hidden has ended, or has created an object, which puts
	// the unit back.
	Grace time.Duration
	// Library is the namespace whose media, packs and music all accounts share. Nothing there is archived.
	Library string
	// Record records the events of an object before it leaves; nil if there are no webhooks.
	Record func(context.Context, client.Object) error
	Events events.EventRecorder
	Clock  clock.Clock

	units      *prometheus.CounterVec
	departures departures
}

// +kubebuilder:rbac:groups=reelops.dev,resources=archives,verbs=get;list;watch;create;patch
// +kubebuilder:rbac:groups=reelops.dev,resources=archives/status,verbs=patch
// +kubebuilder:rbac:groups=reelops.dev,resources=accounts;socialaccounts,verbs=get;list;watch
// +kubebuilder:rbac:groups=reelops.dev,resources=automations;automationruns,verbs=get;list;watch
// +kubebuilder:rbac:groups=reelops.dev,resources=slideshows;videos;renderjobs,verbs=get;list;watch;create;delete;patch
// +kubebuilder:rbac:groups=reelops.dev,resources=mediaassets;postbatches;posts,verbs=get;list;watch;create;delete;patch
// +kubebuilder:rbac:groups=reelops.dev,resources=slideshows/status;videos/status;renderjobs/status,verbs=patch
// +kubebuilder:rbac:groups=reelops.dev,resources=mediaassets/status;postbatches/status;posts/status,verbs=patch
// +kubebuilder:rbac:groups=events.k8s.io,resources=events,verbs=create;patch

// SetupWithManager registers the controller and the hourly deletion of files.
func (r *Reconciler) SetupWithManager(mgr ctrl.Manager) error {
	r.units = metric.ArchivedUnits.New()
	if err := errors.Join(metric.Register(metrics.Registry, r.units), mgr.Add(&sweeper{r})); err != nil {
		return err
	}
	return ctrl.NewControllerManagedBy(mgr).Named("archive").
		For(&v1beta1.Archive{}, builder.WithPredicates(predicate.GenerationChangedPredicate{})).
		Watches(&v1beta1.Account{}, handler.EnqueueRequestsFromMapFunc(archiveOf),
			builder.WithPredicates(predicate.GenerationChangedPredicate{})).
		WithOptions(controller.Options{MaxConcurrentReconciles: 4}).
		Complete(r)
}

// archiveOf returns the request for the Archive of an account.
func archiveOf(_ context.Context, account client.Object) []ctrl.Request {
	key := client.ObjectKey{Namespace: account.GetNamespace(), Name: v1beta1.ArchiveName}
	return []ctrl.Request{{NamespacedName: key}}
}

// Reconcile continues what earlier passes began, restores what is requested, archives what has settled, and deletes
// what has expired.
func (r *Reconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	if req.Name != v1beta1.ArchiveName || req.Namespace == r.Library {
		return ctrl.Result{}, nil
	}
	p, err := r.begin(ctx, req.Namespace)
	if err != nil || p == nil {
		return outcome.Result(err)
	}
	wait, err := p.run(ctx)
	if err != nil {
		err = errors.Join(err, p.report(ctx, err))
		if apierrors.IsNotFound(err) {
			return ctrl.Result{RequeueAfter: minInterval}, nil // an object of a short was deleted: others wait
		}
		return outcome.Result(err)
	}
	return ctrl.Result{RequeueAfter: wait}, nil
}

// count counts units that moved.
func (r *Reconciler) count(result string, n int) {
	if r.units != nil {
		r.units.WithLabelValues(result).Add(float64(n))
	}
}

// pass is one pass over a namespace.
type pass struct {
	*Reconciler
	account *v1beta1.Account
	// archive has no uid until it is created with the first segment. w writes its status.
	archive *v1beta1.Archive
	w       *status.Writer[*v1beta1.Archive]
	// began is when the pass began, and later when it had restored what is requested.
	began time.Time
}

// late reports whether the pass should end.
func (p *pass) late() bool { return p.Clock.Since(p.began) > passTime }

// begin reads the account and its archive. It returns nil if the account does not exist or is being deleted.
func (r *Reconciler) begin(ctx context.Context, namespace string) (*pass, error) {
	p := &pass{Reconciler: r, account: &v1beta1.Account{}, archive: &v1beta1.Archive{}, began: r.Clock.Now()}
	err := r.Client.Get(ctx, client.ObjectKey{Namespace: namespace, Name: v1beta1.AccountName}, p.account)
	if err != nil || !p.account.DeletionTimestamp.IsZero() {
		return nil, client.IgnoreNotFound(err)
	}
	err = r.Client.Get(ctx, client.ObjectKey{Namespace: namespace, Name: v1beta1.ArchiveName}, p.archive)
	if client.IgnoreNotFound(err) != nil || !p.archive.DeletionTimestamp.IsZero() {
		return nil, err
	}
	if err != nil {
		p.archive = &v1beta1.Archive{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: v1beta1.ArchiveName}}
	}
	p.w = status.Begin(r.Client, p.archive)
	return p, nil
}

// run returns when the next pass is due; 0 if none is.
func (p *pass) run(ctx context.Context) (time.Duration, error) {
	wait, err := p.move(ctx)
	if err != nil {
		return 0, err
	}
	more, err := p.expire(ctx)
	if err == nil && more { // the next pass compacts, or deletes more
		wait = minInterval / 10
	}
	return wait, err
}

// move moves units between the cluster and the archive. It returns when the next pass is due; 0 if none is.
func (p *pass) move(ctx context.Context) (time.Duration, error) {
	// Requests wait for a restore, so it comes first. It also puts a unit back that is leaving, before it is hidden.
	if err := p.restore(ctx); err != nil {
		return 0, err
	}
	p.began = p.Clock.Now()
	wait, err := p.hide(ctx)
	if err != nil {
		return 0, err // the phase may not be stored: nothing may be deleted for it
	}
	if err := p.delete(ctx); err != nil {
		return 0, err
	}
	if p.late() {
		return minInterval / 10, nil
	}
	if err := p.check(ctx); err != nil {
		return 0, err
	}
	// Merges come before new segments: units may leave all the time, and each one makes a segment.
	merged, err := p.compact(ctx)
	if err != nil {
		return 0, err
	}
	if merged {
		return minInterval / 10, nil
	}
	after := p.after()
	if after == 0 && p.retention() == 0 {
		return wait, nil
	}
	if after > 0 && len(p.segments(v1beta1.ArchiveHiding)) < maxLeaving {
		n, err := p.store(ctx, after)
		if err != nil {
			return 0, err
		}
		if n > 0 {
			return minInterval / 10, nil
		}
	}
	if wait > 0 {
		return wait, nil
	}
	if after == 0 {
		return maxInterval, nil
	}
	return min(max(after/30, minInterval), maxInterval), nil
}

// after returns the time without a change after which units of the account are archived; 0 means never.
func (p *pass) after() time.Duration {
	if days := p.account.Spec.Plan.ArchiveAfterDays; days != nil {
		return time.Duration(*days) * 24 * time.Hour
	}
	return p.After
}

// persist writes the status of the archive, and creates the archive before its first segment.
func (p *pass) persist(ctx context.Context) error {
	if p.Clock.Since(p.began) > maxPass {
		return errors.New("the pass took too long: a new one begins")
	}
	if p.archive.UID == "" {
		segments := p.archive.Status
		if err := p.Client.Create(ctx, p.archive); err != nil {
			return err // one that the cache does not show yet: the next pass reads it
		}
		p.w = status.Begin(p.Client, p.archive)
		p.archive.Status = segments
	}
	total(p.archive)
	status.Conditions{List: &p.archive.Status.Conditions, Generation: p.archive.Generation}.
		Set(v1beta1.ConditionReady, true, v1beta1.ReasonReady, "")
	err := p.w.Persist(ctx)
	for attempt := 0; apierrors.IsConflict(err) && attempt < maxConflicts; attempt++ {
		if changed := p.follow(ctx, err); changed != nil {
			return changed
		}
		err = p.w.Persist(ctx)
	}
	return err
}

// follow reads the archive again after a conflict, and keeps the changes of the status. It returns the conflict if the
// status was changed as well. Requests of restores change only the spec: they must not undo what a pass has done, or
// frequent ones would stop archiving.
func (p *pass) follow(ctx context.Context, conflict error) error {
	now := &v1beta1.Archive{}
	if err := p.Live.Get(ctx, client.ObjectKeyFromObject(p.archive), now); err != nil {
		return err
	}
	if now.UID != p.archive.UID || !equality.Semantic.DeepEqual(now.Status, p.w.Before().Status) {
		return conflict
	}
	changed := p.archive.Status // other code has pointers to its segments
	*p.archive = *now
	p.w = status.Begin(p.Client, p.archive)
	p.archive.Status = changed
	return nil
}

// report records in the condition of the archive that a file of it is damaged. Other errors are only logged and
// counted: most end by themselves.
func (p *pass) report(ctx context.Context, failed error) error {
	if !errors.Is(failed, archive.ErrDamaged) || p.archive.UID == "" {
		return nil
	}
	w := status.Begin(p.Client, p.archive)
	status.Conditions{List: &p.archive.Status.Conditions, Generation: p.archive.Generation}.
		Set(v1beta1.ConditionReady, false, v1beta1.ReasonFailed, failed.Error())
	return w.Persist(ctx)
}

// total counts what the archive holds.
func total(a *v1beta1.Archive) {
	st := &a.Status
	st.Shorts, st.Posts, st.Bytes = 0, 0, 0
	for i := range st.Segments {
		s := &st.Segments[i]
		st.Shorts += int64(s.Shorts) - int64(len(s.Removed)) - int64(len(s.Expired))
		st.Posts += int64(s.Posts)
		st.Bytes += s.Bytes
	}
}

// segments returns pointers to the segments in a phase.
func (p *pass) segments(phase v1beta1.ArchivePhase) []*v1beta1.ArchiveSegment {
	var out []*v1beta1.ArchiveSegment
	for i := range p.archive.Status.Segments {
		if s := &p.archive.Status.Segments[i]; s.Phase == phase {
			out = append(out, s)
		}
	}
	return out
}

// remove records that a segment does not hold some shorts any more.
func remove(s *v1beta1.ArchiveSegment, ids ...int64) {
	s.Removed = compactIDs(append(s.Removed, ids...))
}
