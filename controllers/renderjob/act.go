// SPDX-License-Identifier: Apache-2.0

package renderjob

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/film/renderwork"
	"github.com/reelops/reelops/internal/film/timeline"
	"github.com/reelops/reelops/internal/kube/finalize"
	"github.com/reelops/reelops/internal/kube/naming"
	"github.com/reelops/reelops/internal/store/blob"
	"github.com/reelops/reelops/internal/store/pinned"
	"github.com/reelops/reelops/internal/work/callback"
	"github.com/reelops/reelops/internal/work/renderpod"
)

// orderValid is how long an attempt's addresses work: as long as it may wait and run, and a little for clocks.
func orderValid(j *v1beta1.RenderJob) time.Duration {
	return catalog.QueueDeadline + runTime(j) + 5*time.Minute
}

// Files of an attempt, and of the render once they are kept: the video, and the first picture of a Video's.
const (
	filmFile   = "film.mp4"
	posterFile = "poster.jpg"
)

// act makes the outside agree with the status that was just written. Everything here may be done again.
func (r *Reconciler) act(ctx context.Context, j *v1beta1.RenderJob, o *seen, st step) error {
	switch st.kind {
	case stepStart:
		return r.launch(ctx, j, o.job)
	case stepEnsure:
		return r.launch(ctx, j, o.previous)
	case stepFail:
		// The verdict no longer needs it. Missed in a crash, it ends by its own deadline.
		return r.stop(ctx, o.job)
	}
	return nil
}

// fix stores the timeline of the source's current revision, and the music it plays. It happens before the status names it.
func (r *Reconciler) fix(ctx context.Context, j *v1beta1.RenderJob, o *seen) error {
	f, err := r.filmOf(ctx, o)
	if err != nil {
		return err
	}
	if o.track != nil {
		if err := r.pinMusic(ctx, j, o.track); err != nil {
			return err
		}
		f.withMusic(musicKey(j))
	}
	j.Status.SetSlideTimes(nil)
	if o.video == nil {
		j.Status.SetSlideTimes(slideMillis(&f.Timeline))
	}
	doc, err := json.Marshal(f)
	if err != nil {
		return err
	}
	return r.Store.Put(ctx, timelineKey(j), "application/json", bytes.NewReader(doc))
}

// launch ends the attempt before, then makes this one's order, Secret and Job, whichever of them are missing. The Job
// comes last: once it is there, all of this has been done.
func (r *Reconciler) launch(ctx context.Context, j *v1beta1.RenderJob, previous *batchv1.Job) error {
	if n := j.Status.Work.Attempt; n > 1 {
		if previous != nil && metav1.IsControlledBy(previous, j) {
			if err := r.stop(ctx, previous); err != nil {
				return err
			}
		}
		if err := r.dropSecret(ctx, j.Namespace, jobName(j, n-1)); err != nil {
			return err
		}
	}
	film, err := r.film(ctx, j)
	if err != nil {
		return err
	}
	orderURL, err := r.order(ctx, j, film)
	if err != nil {
		return err
	}
	job := buildJob(j, r.Pod, film.ClipBytes)
	secret, err := work(j).Secret(orderURL, r.Pod)
	if err != nil {
		return err
	}
	if err := r.create(ctx, j, secret, notCached); err != nil {
		return fmt.Errorf("making the attempt's Secret: %w", err)
	}
	if err := r.create(ctx, j, job); err != nil {
		return fmt.Errorf("making the attempt's Job: %w", err)
	}
	return nil
}

// notCached marks writes of Secrets. The client would otherwise watch every Secret of the cluster to wait for its own.
const notCached = client.DisableReadYourWritesConsistency

func (r *Reconciler) create(ctx context.Context, j *v1beta1.RenderJob, o client.Object, opts ...client.CreateOption) error {
	if err := controllerutil.SetControllerReference(j, o, r.Client.Scheme()); err != nil {
		return err
	}
	return client.IgnoreAlreadyExists(r.Client.Create(ctx, o, opts...))
}

// film reads the film as it was fixed.
func (r *Reconciler) film(ctx context.Context, j *v1beta1.RenderJob) (*film, error) {
	b, err := r.Store.Get(ctx, j.Status.TimelineKey)
	if err != nil {
		return nil, err
	}
	defer func() { _ = b.Close() }()
	f := &film{}
	if err := json.NewDecoder(b).Decode(f); err != nil {
		return nil, fmt.Errorf("reading the timeline: %w", err)
	}
	return f, nil
}

// order writes what the renderer shall do into the store and signs the address of it.
func (r *Reconciler) order(ctx context.Context, j *v1beta1.RenderJob, film *film) (string, error) {
	var err error
	valid := orderValid(j)
	until := r.Clock.Now().Add(valid)
	a := callback.Attempt{Namespace: j.Namespace, Name: j.Name, UID: string(j.UID), Number: j.Status.Work.Attempt}
	o := &renderwork.Order{
		Version: renderwork.Version, ID: j.Status.JobName, Timeline: film.Timeline, Inputs: map[string]renderwork.Input{},
		Callback: renderwork.Callback{
			ProgressURL: r.Signer.URL(r.CallbackURL, callback.Progress, a, until),
			OutcomeURL:  r.Signer.URL(r.CallbackURL, callback.Outcome, a, until),
		},
		Limits: renderwork.Limits{Deadline: until, MemoryBytes: j.Status.MemoryBytes, Threads: r.Pod.Threads()},

		RequireConfinement: r.Pod.RequireConfinement,
	}
	for key, blobKey := range film.Inputs {
		u, err := r.Store.SignedGet(ctx, blobKey, valid)
		if err != nil {
			return "", err
		}
		o.Inputs[key] = renderwork.Input{URL: u, MaxBytes: maxBytes(key)}
	}
	if o.Outputs.Video, err = r.target(ctx, filmKey(j), "video/mp4", valid); err != nil {
		return "", err
	}
	if kindOf(j) == v1beta1.KindVideo {
		poster, err := r.target(ctx, attemptKey(j, posterFile), "image/jpeg", valid)
		if err != nil {
			return "", err
		}
		o.Outputs.Poster = &poster
	}
	if o.Pack, err = r.pack(ctx, j, valid); err != nil {
		return "", err
	}
	doc, err := o.Encode()
	if err != nil {
		return "", fmt.Errorf("writing the order: %w", err)
	}
	if err := r.Store.Put(ctx, attemptKey(j, "order.json"), "application/json", bytes.NewReader(doc)); err != nil {
		return "", err
	}
	return r.Store.SignedGet(ctx, attemptKey(j, "order.json"), valid)
}

// target is a place in the store that the renderer may write to.
func (r *Reconciler) target(ctx context.Context, key, contentType string, valid time.Duration) (renderwork.Target, error) {
	url, err := r.Store.SignedPut(ctx, key, contentType, valid)
	return renderwork.Target{URL: url, Headers: map[string]string{"Content-Type": contentType}}, err
}

// stop ends a Job that may still run. A finished one stays until its time to live is over, to be looked at.
func (r *Reconciler) stop(ctx context.Context, job *batchv1.Job) error {
	if job == nil || !job.DeletionTimestamp.IsZero() {
		return nil
	}
	if _, over := renderpod.Ended(job); over {
		return nil
	}
	return client.IgnoreNotFound(r.Client.Delete(ctx, job, client.PropagationPolicy(metav1.DeletePropagationBackground)))
}

func (r *Reconciler) dropSecret(ctx context.Context, namespace, name string) error {
	return client.IgnoreNotFound(r.Client.Delete(ctx, &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}}, notCached))
}

// tidy removes what only the work needed: the last attempt's Secret, the copy of the music, every order, the files of every
// attempt and the segment cache of the earlier video. The files of a successful attempt have been copied before. tidy runs
// before the status has the end of the work, because a render that has ended is not reconciled again. It removes nothing
// that the verdict depends on.
func (r *Reconciler) tidy(ctx context.Context, j *v1beta1.RenderJob) error {
	if j.Status.JobName == "" {
		return nil
	}
	if err := r.dropSecret(ctx, j.Namespace, j.Status.JobName); err != nil {
		return err
	}
	if err := r.Store.Delete(ctx, musicKey(j)); err != nil {
		return err
	}
	if err := r.dropPack(ctx, j); err != nil {
		return err
	}
	for n := int32(1); n <= j.Status.Work.Attempt; n++ {
		if err := r.Store.Delete(ctx, keyOf(j, n, "order.json")); err != nil {
			return err
		}
		for _, file := range []string{filmFile, posterFile} {
			if err := r.Store.Delete(ctx, keyOf(j, n, file)); err != nil {
				return err
			}
		}
	}
	if j.Status.Output != nil {
		return nil
	}
	for _, file := range []string{filmFile, posterFile} {
		if err := r.Store.Delete(ctx, keptKey(j, file)); err != nil {
			return err
		}
	}
	return nil
}

// keep copies the files of a successful attempt to keys of their own and compares the video with the digest that the renderer reported.
// The renderer's signed URLs stay valid for a while after the render: their holder could replace the files of the attempt, but not
// the copies. If the digest differs, the step is that of a failed attempt. An earlier pass may have copied and removed the files.
func (r *Reconciler) keep(ctx context.Context, j *v1beta1.RenderJob, st step) (step, error) {
	for _, file := range []string{filmFile, posterFile} {
		if file == posterFile && st.output.PosterKey == "" {
			continue
		}
		if err := r.Store.Copy(ctx, keptKey(j, file), attemptKey(j, file)); err != nil && !errors.Is(err, blob.ErrNotFound) {
			return st, fmt.Errorf("keeping %s: %w", file, err)
		}
	}
	_, err := r.Store.Verify(ctx, st.output.BlobKey, st.output.SHA256)
	if errors.Is(err, blob.ErrDigest) {
		return nextOr(j, catalog.GenerationFailed, "The video in the store is not the one that was rendered", nil), nil
	}
	return st, err
}

// clean removes what the render stored, except what open posts publish, then releases it.
func (r *Reconciler) clean(ctx context.Context, j *v1beta1.RenderJob) error {
	return finalize.Release(ctx, r.Client, j, Finalizer, func() error { return pinned.Remove(ctx, r.Client, r.Store, prefix(j)) })
}

// film is a timeline with the blobs its inputs are.
type film struct {
	Timeline timeline.Timeline `json:"timeline"`
	Inputs   map[string]string `json:"inputs"`
	// ClipBytes is what the clips weigh that are inputs.
	ClipBytes int64 `json:"clipBytes,omitempty"`
}

func prefix(j *v1beta1.RenderJob) string {
	return fmt.Sprintf("renders/%s/%s/", j.Namespace, v1beta1.Origin(j))
}

func timelineKey(j *v1beta1.RenderJob) string { return prefix(j) + "timeline.json" }

func keyOf(j *v1beta1.RenderJob, attempt int32, file string) string {
	return fmt.Sprintf("%sa%d/%s", prefix(j), attempt, file)
}

func attemptKey(j *v1beta1.RenderJob, file string) string {
	return keyOf(j, j.Status.Work.Attempt, file)
}

func filmKey(j *v1beta1.RenderJob) string { return attemptKey(j, filmFile) }

// keptKey is the key of a file of the finished render. No URL for writing it is ever signed.
func keptKey(j *v1beta1.RenderJob, file string) string { return prefix(j) + file }

func jobName(j *v1beta1.RenderJob, attempt int32) string {
	return naming.Child(j.Name, string(j.UID), fmt.Sprintf("a%d", attempt))
}
