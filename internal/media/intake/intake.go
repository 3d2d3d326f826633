// SPDX-License-Identifier: Apache-2.0

package intake

import (
	"context"
	"errors"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/events"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"
	logf "sigs.k8s.io/controller-runtime/pkg/log"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/account/tenancy"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/kube/status"
	"github.com/reelops/reelops/internal/process/fairqueue"
	"github.com/reelops/reelops/internal/process/fetch"
	"github.com/reelops/reelops/internal/store/blob"
	"github.com/reelops/reelops/internal/store/pinned"
	"github.com/reelops/reelops/internal/work/order"
	"github.com/reelops/reelops/internal/work/outcome"
	"github.com/reelops/reelops/internal/work/runner"
)

// Intake ingests files: it fetches or copies, validates and stores them.
type Intake struct {
	Clock clock.PassiveClock
	// Live reads the API server, not the cache.
	Live  client.Reader
	Store *blob.Store
	Fetch *fetch.Client
	// Fetches limits the number of URLs that are fetched at a time, over all kinds; nil for no limit. A file without a
	// slot is requeued.
	Fetches *fairqueue.Slots
	Jobs    *runner.Runner
	// Gate decides in which namespaces files are ingested; nil for all.
	Gate *tenancy.Gate
	// Events records how the work on a file ended; nil for no events.
	Events events.EventRecorder
}

// File is an object during a reconcile. The pointers refer to its status.
type File struct {
	Object client.Object
	Source v1beta1.MediaSource

	Work       **v1beta1.Work
	Error      **v1beta1.WorkError
	RetriedFor *string
	Conditions status.Conditions
	// Kind is the kind of the work in metrics.
	Kind    string
	JobName *string
	BlobKey *string

	// Judge returns the type of the source from its first bytes.
	Judge Judge
	// Look inspects a stored file in this process and sets the status. It returns false if the file needs a Job. An error
	// is a *Refusal, or retryable.
	Look func(ctx context.Context, key string) (done bool, err error)
	// Order returns the order of a Job for the file at the key. The Runner sets the remaining fields.
	Order func(ctx context.Context, key string) (*order.Order, error)
	// Made is the name of the file that a Job creates, below the owner's prefix. Only for starter items.
	Made string
	// Take validates the result of a Job and sets the status. Its errors are those of Look.
	Take func(ctx context.Context, key string, r *outcome.Media) error
	// Closed is the reason why the namespace is not served; nil if it is served. Pass sets it before Persist.
	Closed *tenancy.Closed
	// Persist writes the status with its conditions if it changed.
	Persist func(ctx context.Context) error
}

const (
	// Workers is the number of reconciles of a kind that run at a time.
	Workers = 32
	// WorkersEach is the number of these reconciles for one account.
	WorkersEach = 4
	// MaxFetches is the number of URLs that are fetched at a time. It is below the number of workers, so that uploads,
	// imports and deletions never wait for slow servers.
	MaxFetches = Workers - 8
	// MaxFetchesEach is the number of these fetches for one account. It is below WorkersEach for the same reason.
	MaxFetchesEach = WorkersEach - 1
)

const (
	// slotWait is the time between attempts to acquire a slot.
	slotWait = time.Second
	// stopTime is how long a deleted object waits for the end of its pod. A pod on a lost node never ends.
	stopTime = time.Minute
)

// backoff has the shortest time from the first attempt to each attempt.
var backoff = [catalog.MaxAttempts]time.Duration{0, 20 * time.Second, 2 * time.Minute}

// Pass executes the next steps and returns the time until the next reconcile; 0 to wait for an event. An error is one
// of the cluster or the store. The reconcile must then be repeated.
func (b *Intake) Pass(ctx context.Context, f *File) (again time.Duration, err error) {
	work := *f.Work
	if work != nil && work.State.Settled() && !f.retryAsked() && !f.reopened() {
		b.Jobs.Slots.Free(f.Object.GetUID())
		return 0, f.Persist(ctx)
	}
	// Nothing is fetched and no Job is created until the namespace is one of an account and its pods are confined.
	if f.Closed, err = b.Gate.Check(ctx, f.Object.GetNamespace()); err != nil {
		return 0, err
	}
	if f.Closed == nil && *f.BlobKey == "" && f.Source.Starter == nil {
		if f.Closed, err = b.Gate.Room(ctx, f.Object.GetNamespace()); err != nil {
			return 0, err
		}
	}
	if f.Closed != nil {
		return tenancy.Retry, f.Persist(ctx)
	}
	if work == nil {
		work = &v1beta1.Work{State: v1beta1.WorkQueued, Attempt: 1}
		*f.Work = work
	} else if work.State.Settled() || f.retryAsked() {
		f.begin(work)
	}
	if *f.Error == nil && *f.BlobKey == "" && f.Source.Starter == nil {
		if again, err := b.brought(ctx, f); again > 0 || err != nil {
			return again, err
		}
	}
	if *f.Error == nil {
		if again, err := b.looked(ctx, f); again > 0 || err != nil {
			return again, err
		}
	}
	if *f.Error == nil {
		return 0, b.end(ctx, f, v1beta1.WorkSucceeded)
	}
	return 0, b.failed(ctx, f)
}

// retryAsked reports whether the retry annotation requests another try. It can retry a retryable failure and a wait for
// the file, and any failure if the file may have been replaced.
func (f *File) retryAsked() bool {
	asked := retryValue(f.Object)
	if asked == "" || asked == *f.RetriedFor {
		return false
	}
	switch w := *f.Work; w.State {
	case v1beta1.WorkFailed:
		return *f.Error != nil && ((*f.Error).Retryable || f.patient())
	case v1beta1.WorkQueued:
		return w.Error != nil && f.patient()
	}
	return false
}

func retryValue(o client.Object) string {
	v := o.GetAnnotations()[v1beta1.AnnotationRetry]
	if len(v) > 200 { // the limit of the status field
		v = v[:200]
	}
	return v
}

// begin restarts the work. The numbers of attempts continue, so that no name is used twice.
func (f *File) begin(w *v1beta1.Work) {
	*w = v1beta1.Work{State: v1beta1.WorkQueued, Attempt: nextTry(w)}
	*f.Error, *f.JobName, *f.RetriedFor = nil, "", retryValue(f.Object)
}

// brought copies the source to the key of the object in the store.
func (b *Intake) brought(ctx context.Context, f *File) (again time.Duration, err error) {
	w := *f.Work
	now := b.Clock.Now()
	if w.StartedAt != nil {
		if left := backoff[round(w)] - now.Sub(w.StartedAt.Time); left > 0 {
			return left, f.Persist(ctx)
		}
	}
	if f.Source.URL != nil && b.Fetches != nil {
		release, ok := b.Fetches.TryAcquire(f.Object.GetNamespace())
		if !ok {
			return slotWait, f.Persist(ctx)
		}
		defer release()
	}
	if w.StartedAt == nil {
		w.StartedAt = &metav1.Time{Time: now}
	}
	key, err := b.bring(ctx, f, runner.MediaPrefix(f.Object))
	var refused *Refusal
	switch {
	case err == nil:
		f.arrived(b.Clock.Now())
		*f.BlobKey, w.State, w.Error = key, v1beta1.WorkProcessing, nil
		if err = f.Persist(ctx); apierrors.IsNotFound(err) {
			// The object was deleted before it had the finalizer. Nothing refers to the copy, and the source still exists, so
			// the copy can be removed even if the response was wrong.
			if left := b.Store.DeletePrefix(ctx, runner.MediaPrefix(f.Object)); left != nil {
				err = left
			}
		}
		return 0, err
	case !errors.As(err, &refused):
		return 0, err
	case f.patient() && mayCome(&refused.WorkError):
		return b.await(ctx, f, refused, now)
	case refused.Retryable && round(w) < catalog.MaxAttempts-1:
		logf.FromContext(ctx).Info("ingesting file failed; retrying", "attempt", w.Attempt, "error", refused.Message, "cause", fmt.Sprint(refused.Cause))
		w.Attempt++
		w.Error = refused.DeepCopy()
		return max(time.Millisecond, backoff[round(w)]-now.Sub(w.StartedAt.Time)), f.Persist(ctx)
	}
	refused.Retryable = refused.Retryable && !refused.Lasts
	return 0, f.refuse(ctx, &refused.WorkError)
}

// round returns the index of an attempt in its try, from 0.
func round(w *v1beta1.Work) int { return int(w.Attempt-1) % catalog.MaxAttempts }

// refuse records an error. The files are removed afterwards.
func (f *File) refuse(ctx context.Context, e *v1beta1.WorkError) error {
	*f.Error = e
	(*f.Work).State = v1beta1.WorkProcessing // its files are not removed yet
	return f.Persist(ctx)
}

// looked inspects the stored file, in this process or by a Job.
func (b *Intake) looked(ctx context.Context, f *File) (again time.Duration, err error) {
	if upload := SourceUpload(f.Object.GetNamespace(), f.Source); upload != "" {
		if err := b.Store.Delete(ctx, upload); err != nil {
			return 0, err
		}
	}
	key := *f.BlobKey
	if f.Source.Starter == nil {
		done, err := f.Look(ctx, key)
		var refused *Refusal
		switch {
		case errors.As(err, &refused):
			return 0, f.refuse(ctx, &refused.WorkError)
		case err != nil || done:
			return 0, err
		}
	} else {
		key = runner.MediaPrefix(f.Object) + f.Made
	}
	return b.byJob(ctx, f, key)
}

// byJob observes the Job of the current attempt, and creates its missing objects.
func (b *Intake) byJob(ctx context.Context, f *File, key string) (again time.Duration, err error) {
	o, w := f.Object, *f.Work
	if *f.JobName == "" {
		if !b.Jobs.Slots.Take(o.GetNamespace(), o.GetUID()) {
			return slotWait, f.Persist(ctx)
		}
		return b.attempt(ctx, f, key)
	}
	b.Jobs.Slots.Hold(o.GetNamespace(), o.GetUID())
	observed, err := b.Jobs.Observe(ctx, runner.Media(o, w.Attempt))
	if err != nil {
		return 0, err
	}
	v := runner.Decide(observed, b.Clock.Now())
	f.Conditions.Unconfined(observed.Unconfined(f.Kind))
	switch v.Next {
	case runner.Create:
		return b.launch(ctx, f, key)
	case runner.Done:
		err := f.Take(ctx, key, v.Result)
		var refused *Refusal
		switch {
		case errors.As(err, &refused) && refused.Retryable:
			return b.lost(ctx, f, key, &refused.WorkError)
		case errors.As(err, &refused):
			return 0, f.refuse(ctx, &refused.WorkError)
		case err == nil:
			*f.BlobKey = key
		}
		return 0, err
	case runner.Lost:
		return b.lost(ctx, f, key, v.Err)
	case runner.Refuse:
		return 0, f.refuse(ctx, v.Err)
	}
	return v.Again, f.Persist(ctx)
}

// lost starts the next attempt, or records the error if no attempt is left.
func (b *Intake) lost(ctx context.Context, f *File, key string, e *v1beta1.WorkError) (time.Duration, error) {
	w := *f.Work
	if round(w) == catalog.MaxAttempts-1 {
		return 0, f.refuse(ctx, e)
	}
	w.Attempt++
	return b.attempt(ctx, f, key)
}

// attempt records the current attempt, and then creates its Job.
func (b *Intake) attempt(ctx context.Context, f *File, key string) (time.Duration, error) {
	w := *f.Work
	*f.JobName, w.State = runner.Media(f.Object, w.Attempt).Name(), v1beta1.WorkProcessing
	if w.StartedAt == nil {
		w.StartedAt = &metav1.Time{Time: b.Clock.Now()}
	}
	if err := f.Persist(ctx); err != nil {
		return 0, err
	}
	return b.launch(ctx, f, key)
}

// launch creates the missing objects of the current attempt.
func (b *Intake) launch(ctx context.Context, f *File, key string) (time.Duration, error) {
	o, err := f.Order(ctx, key)
	var refused *Refusal
	if errors.As(err, &refused) {
		if err := f.refuse(ctx, &refused.WorkError); err != nil {
			return 0, err
		}
		return 0, b.failed(ctx, f)
	} else if err != nil {
		return 0, err
	}
	if err := b.Jobs.LaunchMedia(ctx, runner.Media(f.Object, (*f.Work).Attempt), o); err != nil {
		return 0, err
	}
	return catalog.QueueDeadline + catalog.MediaDeadline, nil // events of the Job trigger a reconcile sooner
}

// failed removes the files of a failure that is not retryable, and the upload. After a retryable failure, the copy is
// kept for another try.
func (b *Intake) failed(ctx context.Context, f *File) error {
	o := f.Object
	if !(*f.Error).Retryable {
		if upload := SourceUpload(o.GetNamespace(), f.Source); upload != "" {
			if err := b.Store.Delete(ctx, upload); err != nil {
				return err
			}
		}
		if err := b.Store.DeletePrefix(ctx, runner.MediaPrefix(o)); err != nil {
			return err
		}
		*f.BlobKey = ""
	}
	return b.end(ctx, f, v1beta1.WorkFailed)
}

// end removes what only the work needed, and then records the end of the work.
func (b *Intake) end(ctx context.Context, f *File, state v1beta1.WorkState) error {
	w := *f.Work
	if *f.JobName != "" {
		if err := b.Jobs.FinishMedia(ctx, runner.Media(f.Object, w.Attempt)); err != nil {
			return err
		}
	}
	now := metav1.NewTime(b.Clock.Now())
	if w.StartedAt == nil {
		w.StartedAt = &now
	}
	w.State, w.FinishedAt, w.Error = state, &now, nil
	if state == v1beta1.WorkFailed {
		w.Error = (*f.Error).DeepCopy()
	}
	if err := f.Persist(ctx); err != nil {
		return err
	}
	b.Jobs.Slots.Free(f.Object.GetUID())
	b.announce(f)
	return nil
}

// announce emits an event about the end of the work.
func (b *Intake) announce(f *File) {
	const action = "TakeIn"
	switch e := (*f.Work).Error; {
	case b.Events == nil:
	case e != nil:
		b.Events.Eventf(f.Object, nil, corev1.EventTypeWarning, string(v1beta1.ReasonFailed), action, "%s: %s", e.Code, e.Message)
	default:
		b.Events.Eventf(f.Object, nil, corev1.EventTypeNormal, string(v1beta1.ReasonReady), action, "file ingested in attempt %d", (*f.Work).Attempt)
	}
}

// Remove stops the Job of a deleted object and removes its stored files and its upload, except files that open posts
// publish. While a pod of the object may still write, it removes nothing and returns the time until the next reconcile.
func (b *Intake) Remove(ctx context.Context, c client.Reader, o client.Object, source v1beta1.MediaSource, work *v1beta1.Work, jobName string) (again time.Duration, err error) {
	if jobName != "" && work != nil {
		working, err := b.Jobs.HaltMedia(ctx, runner.Media(o, work.Attempt))
		if err != nil {
			return 0, err
		}
		if left := stopTime - b.Clock.Now().Sub(o.GetDeletionTimestamp().Time); working && left > 0 {
			return min(left, slotWait), nil
		}
	}
	if upload := SourceUpload(o.GetNamespace(), source); upload != "" {
		if err := b.Store.Delete(ctx, upload); err != nil {
			return 0, err
		}
	}
	if err := pinned.RemoveAll(ctx, c, b.Store, o, b.Live); err != nil {
		return 0, err
	}
	b.Jobs.Slots.Free(o.GetUID())
	return 0, nil
}
