// SPDX-License-Identifier: Apache-2.0

package renderjob

import (
	"context"
	"errors"
	"fmt"
	"strings"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/account/tenancy"
	"github.com/reelops/reelops/internal/film/filmwords"
	"github.com/reelops/reelops/internal/store/blob"
	"github.com/reelops/reelops/internal/work/outcome"
	"github.com/reelops/reelops/internal/work/pod"
)

// observed is the observed state of a RenderJob.
type observed struct {
	// before is the state of the work before this reconcile.
	before v1beta1.WorkState
	// source is the rendered slideshow; nil if it does not exist or a video is rendered.
	source *v1beta1.Slideshow
	// video is the rendered video; nil if it does not exist or a slideshow is rendered.
	video *v1beta1.Video
	// words are the texts on a video; nil for none. They are read only before the timeline is stored.
	words *filmwords.Document
	// track is the music of the source; nil if the source has none or the track does not exist. It is read only before
	// the timeline is stored.
	track *v1beta1.MusicTrack
	// memory of a first attempt in bytes.
	memory int64
	// running reports whether a Job or a pod of any attempt has not ended. It is read only during deletion.
	running bool
	// job of the current attempt; nil if it does not exist.
	job *batchv1.Job
	// closed is the reason why the namespace is not served; nil if it is served. It is read only while the current attempt
	// has no Job.
	closed *tenancy.Closed
	// foreign reports whether an object that this RenderJob does not control has the name of the Job.
	foreign bool
	// pod of the job; nil if it does not exist.
	pod *corev1.Pod
	// outcome of the current attempt; nil while there is none.
	outcome *outcome.Outcome
	// unconfined are the missing parts of the confinement of the current attempt's node, from its outcome.
	unconfined []string
	// stored is the size of the attempt's video in the store; -1 if it is missing. It is read only if the attempt reported
	// a video.
	stored int64
	// poster reports whether the attempt's poster is in the store. It is read together with stored.
	poster bool
}

// short returns the rendered object; nil if it does not exist.
func (o *observed) short() client.Object {
	switch {
	case o.source != nil:
		return o.source
	case o.video != nil:
		return o.video
	}
	return nil
}

// brand returns the name of the brand of the source.
func (o *observed) brand() string {
	if o.video != nil {
		return o.video.Spec.BrandRef.Name
	}
	return o.source.Spec.BrandRef.Name
}

// music returns the music of the source; nil for none.
func (o *observed) music() *v1beta1.MusicSource {
	switch {
	case o.source != nil:
		return o.source.Spec.Music
	case o.video != nil:
		return o.video.Spec.Music
	}
	return nil
}

// revision returns the revision of the source that is rendered.
func (o *observed) revision() int64 {
	if o.video != nil {
		return o.video.Status.Revision
	}
	return o.source.Status.Revision
}

// observe reads the state of a RenderJob and its objects.
func (r *Reconciler) observe(ctx context.Context, j *v1beta1.RenderJob) (*observed, error) {
	o := &observed{stored: -1, memory: r.Pod.Memory.Value()}
	if j.Status.Work != nil {
		o.before = j.Status.Work.State
	}
	if !j.DeletionTimestamp.IsZero() {
		return o, r.observeEnd(ctx, j, o)
	}
	if o.before.Settled() {
		return o, nil
	}
	if err := r.observeSource(ctx, j, o); err != nil {
		return nil, err
	}
	if j.Status.JobName == "" {
		var err error
		if o.closed, err = r.Gate.Check(ctx, j.Namespace); err != nil || o.closed != nil {
			return o, err
		}
		if o.closed, err = r.Gate.Room(ctx, j.Namespace); err != nil || o.closed != nil {
			return o, err
		}
		if err := r.observeWords(ctx, o); err != nil {
			return nil, err
		}
		return o, r.observeTrack(ctx, o)
	}
	attempt, err := r.runner().Observe(ctx, attemptOf(j))
	if err != nil {
		return nil, err
	}
	o.job, o.foreign, o.pod, o.outcome = attempt.Job, attempt.Foreign, attempt.Pod, attempt.Outcome
	if o.job == nil && !o.foreign {
		if o.closed, err = r.Gate.Check(ctx, j.Namespace); err != nil {
			return nil, err
		}
	}
	o.unconfined = unconfined(j, o)
	if output(j, o) != nil {
		if o.stored, err = r.size(ctx, j, filmFile); err != nil {
			return nil, err
		}
		if kindOf(j) == v1beta1.KindVideo {
			n, err := r.size(ctx, j, posterFile)
			if err != nil {
				return nil, err
			}
			o.poster = n >= 0
		}
	}
	return o, nil
}

// size returns the size in bytes of a file of the current attempt, or of the copy that an earlier reconcile kept; -1 if
// neither exists.
func (r *Reconciler) size(ctx context.Context, j *v1beta1.RenderJob, file string) (int64, error) {
	for _, key := range []string{attemptKey(j, file), keptKey(j, file)} {
		n, err := r.Store.Size(ctx, key)
		if err == nil {
			return n, nil
		}
		if !errors.Is(err, blob.ErrNotFound) {
			return -1, fmt.Errorf("reading the length of %s: %w", file, err)
		}
	}
	return -1, nil
}

// observeSource reads the rendered slideshow or video.
func (r *Reconciler) observeSource(ctx context.Context, j *v1beta1.RenderJob, o *observed) error {
	key := client.ObjectKey{Namespace: j.Namespace, Name: j.Spec.Source.Name}
	source, video := &v1beta1.Slideshow{}, &v1beta1.Video{}
	var short client.Object = source
	if kindOf(j) == v1beta1.KindVideo {
		short = video
	}
	err := r.Client.Get(ctx, key, short)
	switch {
	case apierrors.IsNotFound(err):
		return nil
	case err != nil:
		return fmt.Errorf("reading the %s: %w", strings.ToLower(kindOf(j)), err)
	case short == source:
		o.source = source
	default:
		o.video = video
	}
	return nil
}

// observeEnd reads whether a Job or pod of a RenderJob that is being deleted still runs.
func (r *Reconciler) observeEnd(ctx context.Context, j *v1beta1.RenderJob, o *observed) error {
	if !controllerutil.ContainsFinalizer(j, Finalizer) {
		return nil
	}
	if j.Status.JobName != "" {
		attempt, err := r.runner().Observe(ctx, attemptOf(j))
		if err != nil {
			return err
		}
		if o.job = attempt.Job; o.job != nil {
			_, over := pod.Ended(o.job)
			o.running = !over
		}
	}
	pods, err := r.runner().Running(ctx, j.Namespace, client.MatchingLabels{v1beta1.LabelRenderJob: j.Name})
	o.running = o.running || pods
	return err
}

// adopt adds the finalizer and the labels of the source. It makes the source the owner, so that the RenderJob is
// deleted with the slideshow or video.
func (r *Reconciler) adopt(ctx context.Context, j *v1beta1.RenderJob, o *observed) error {
	if !j.DeletionTimestamp.IsZero() || o.before.Settled() {
		return nil
	}
	before := j.DeepCopy()
	controllerutil.AddFinalizer(j, Finalizer)
	if j.Labels == nil {
		j.Labels = map[string]string{}
	}
	if short := o.short(); short != nil && short.GetLabels()[v1beta1.LabelID] != "" {
		j.Labels[v1beta1.LabelShort] = short.GetLabels()[v1beta1.LabelID]
		j.Labels[v1beta1.LabelBrand] = o.brand()
		if metav1.GetControllerOf(j) == nil { // a RenderJob with another owner keeps it
			if err := controllerutil.SetControllerReference(short, j, r.Client.Scheme()); err != nil {
				return err
			}
		}
	}
	if controllerutil.ContainsFinalizer(before, Finalizer) && len(before.OwnerReferences) == len(j.OwnerReferences) &&
		before.Labels[v1beta1.LabelShort] == j.Labels[v1beta1.LabelShort] && before.Labels[v1beta1.LabelBrand] == j.Labels[v1beta1.LabelBrand] {
		return nil
	}
	return r.Client.Patch(ctx, j, client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{}))
}
