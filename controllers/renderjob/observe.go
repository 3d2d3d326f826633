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

// observed is everything that a pass reads.
type observed struct {
	// before is the state of the work as it was.
	before v1beta1.WorkState
	// source is nil when there is no such slideshow, or a video is rendered; video likewise.
	source *v1beta1.Slideshow
	video  *v1beta1.Video
	// words on a video's film; nil when it has none. Read only before the film is fixed.
	words *filmwords.Document
	// track is the music that the short asks for; nil when it asks for none or there is no such track. Read only before
	// the film is fixed.
	track *v1beta1.MusicTrack
	// memory is what a first attempt gets.
	memory int64
	// working says that a Job or a pod of any attempt is not over. Read only while the RenderJob is being deleted.
	working bool
	// job of the current attempt; nil when there is none (yet, or any more).
	job *batchv1.Job
	// closed is why the namespace is not served; nil where it is. Read only while there is no Job of the current attempt.
	closed *tenancy.Closed
	// foreign reports whether the name of the Job is taken by an object that this RenderJob does not control.
	foreign bool
	// pod of the job, nil before there is one.
	pod *corev1.Pod
	// said is the outcome of the current attempt; nil while there is none.
	said *outcome.Outcome
	// unconfined are the parts of the confinement that the current attempt's node did not have, as its outcome reports.
	unconfined []string
	// stored is the length of the attempt's film in the store; -1 when it is not there. Read only when a report says it is.
	stored int64
	// poster says that the attempt's poster is in the store. Read with stored.
	poster bool
}

// short is what is rendered; nil when it is not there.
func (o *observed) short() client.Object {
	switch {
	case o.source != nil:
		return o.source
	case o.video != nil:
		return o.video
	}
	return nil
}

// brand that the short belongs to.
func (o *observed) brand() string {
	if o.video != nil {
		return o.video.Spec.BrandRef.Name
	}
	return o.source.Spec.BrandRef.Name
}

// music that the short asks for; nil for none.
func (o *observed) music() *v1beta1.MusicSource {
	switch {
	case o.source != nil:
		return o.source.Spec.Music
	case o.video != nil:
		return o.video.Spec.Music
	}
	return nil
}

// revision of the short that a film is made of.
func (o *observed) revision() int64 {
	if o.video != nil {
		return o.video.Status.Revision
	}
	return o.source.Status.Revision
}

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
	seen, err := r.runner().Observe(ctx, attemptOf(j))
	if err != nil {
		return nil, err
	}
	o.job, o.foreign, o.pod, o.said = seen.Job, seen.Foreign, seen.Pod, seen.Outcome
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

// size returns the length in bytes of a file that the current attempt wrote, or of the copy that an earlier pass kept of it; -1 if there
// is neither.
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

// observeSource reads what is rendered.
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

// observeEnd reads whether anything still runs for a RenderJob that is being deleted.
func (r *Reconciler) observeEnd(ctx context.Context, j *v1beta1.RenderJob, o *observed) error {
	if !controllerutil.ContainsFinalizer(j, Finalizer) {
		return nil
	}
	if j.Status.JobName != "" {
		seen, err := r.runner().Observe(ctx, attemptOf(j))
		if err != nil {
			return err
		}
		if o.job = seen.Job; o.job != nil {
			_, over := pod.Ended(o.job)
			o.working = !over
		}
	}
	running, err := r.runner().Running(ctx, j.Namespace, client.MatchingLabels{v1beta1.LabelRenderJob: j.Name})
	o.working = o.working || running
	return err
}

// adopt gives a RenderJob what every one has: the finalizer, its source's labels, and the source as its owner, so that
// it goes when the slideshow or video goes.
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
		if metav1.GetControllerOf(j) == nil { // what somebody else made lives as long as they say
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
