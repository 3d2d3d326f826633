// SPDX-License-Identifier: Apache-2.0

package renderjob

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/film/timeline"
	"github.com/reelops/reelops/internal/kube/finalize"
	"github.com/reelops/reelops/internal/store/blob"
	"github.com/reelops/reelops/internal/store/pinned"
	"github.com/reelops/reelops/internal/work/callback"
	"github.com/reelops/reelops/internal/work/order"
	"github.com/reelops/reelops/internal/work/pod"
	"github.com/reelops/reelops/internal/work/runner"
)

// Names of the files of an attempt and of their copies.
const (
	filmFile = "film.mp4"
	// posterFile is the first frame of the video of a Video.
	posterFile = "poster.jpg"
)

// runner returns the runner of the attempts.
func (r *Reconciler) runner() *runner.Runner {
	return &runner.Runner{Client: r.Client, Clock: r.Clock, Store: r.Store, Pod: r.Pod}
}

// attemptOf returns the current attempt. Its number is 0 before the first attempt.
func attemptOf(j *v1beta1.RenderJob) runner.Attempt {
	if j.Status.Work == nil {
		return runner.Film(j, 0)
	}
	return runner.Film(j, j.Status.Work.Attempt)
}

// act executes a decision that the status has. All its steps are idempotent.
func (r *Reconciler) act(ctx context.Context, j *v1beta1.RenderJob, d decision) error {
	switch d.kind {
	case actionStart, actionEnsure:
		return r.launch(ctx, j)
	case actionFail:
		if j.Status.JobName == "" {
			return nil
		}
		// The failure is recorded, so the Job is not needed. If a crash prevents this, the deadline of the Job ends it.
		return r.runner().Stop(ctx, attemptOf(j))
	}
	return nil
}

// fix stores the timeline and the music of the source's current revision. It runs before the status has the key.
func (r *Reconciler) fix(ctx context.Context, j *v1beta1.RenderJob, o *observed) error {
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

// launch creates the missing objects of the current attempt, after it has stopped the previous attempt.
func (r *Reconciler) launch(ctx context.Context, j *v1beta1.RenderJob) error {
	film, err := r.film(ctx, j)
	if err != nil {
		return err
	}
	o, err := r.order(ctx, j, film)
	if err != nil {
		return err
	}
	return r.runner().Launch(ctx, attemptOf(j), work(j, film.ClipBytes), o)
}

// work returns the specification of the Job of the current attempt. clipBytes is the size of its clips, which are in
// the scratch volume.
func work(j *v1beta1.RenderJob, clipBytes int64) pod.Work {
	return pod.Work{
		Labels: map[string]string{
			v1beta1.LabelRenderJob: j.Name,
			v1beta1.LabelShort:     j.Labels[v1beta1.LabelShort],
			v1beta1.LabelBrand:     j.Labels[v1beta1.LabelBrand],
		},
		MemoryBytes: j.Status.MemoryBytes, Run: runTime(j), Attempt: j.Status.Work.Attempt, ScratchBytes: clipBytes,
		TraceParent: j.Annotations[v1beta1.AnnotationTraceParent],
	}
}

// film returns the stored timeline and its inputs.
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

// order returns the order of the current attempt. The runner sets the remaining fields.
func (r *Reconciler) order(ctx context.Context, j *v1beta1.RenderJob, film *film) (*order.Order, error) {
	valid := runner.Valid(runTime(j))
	a := callback.Attempt{Namespace: j.Namespace, Name: j.Name, UID: string(j.UID), Number: j.Status.Work.Attempt}
	timeline, err := json.Marshal(film.Timeline)
	if err != nil {
		return nil, fmt.Errorf("writing the order: %w", err)
	}
	w := &order.Render{Timeline: timeline, Inputs: map[string]order.File{}}
	for key, blobKey := range film.Inputs {
		u, err := r.Store.SignedGet(ctx, blobKey, valid)
		if err != nil {
			return nil, err
		}
		w.Inputs[key] = order.File{URL: u, MaxBytes: maxBytes(key)}
	}
	video, err := runner.Target(ctx, r.Store, filmKey(j), "video/mp4", valid)
	if err != nil {
		return nil, err
	}
	w.Video = *video
	if kindOf(j) == v1beta1.KindVideo {
		if w.Poster, err = runner.Target(ctx, r.Store, attemptKey(j, posterFile), "image/jpeg", valid); err != nil {
			return nil, err
		}
	}
	if w.Pack, err = r.pack(ctx, j, valid); err != nil {
		return nil, err
	}
	return &order.Order{
		Kind: order.Film, Render: w, ProgressURL: r.Signer.URL(r.CallbackURL, callback.KindProgress, a, r.Clock.Now().Add(valid)),
	}, nil
}

// tidy removes what only the work needed: the last attempt's Secret, the orders, the files of all attempts, the copy of
// the music and the segment cache of the earlier video. The files of a successful attempt have been copied before. tidy
// runs before the status has the end of the work, because a settled render is not reconciled again. It keeps everything
// that the decision depends on.
func (r *Reconciler) tidy(ctx context.Context, j *v1beta1.RenderJob) error {
	if j.Status.JobName == "" {
		return nil
	}
	if err := r.runner().Tidy(ctx, attemptOf(j)); err != nil {
		return err
	}
	if err := r.Store.Delete(ctx, musicKey(j)); err != nil {
		return err
	}
	if err := r.dropPack(ctx, j); err != nil {
		return err
	}
	for _, file := range []string{filmFile, posterFile} {
		for n := int32(1); n <= j.Status.Work.Attempt; n++ {
			if err := r.Store.Delete(ctx, runner.Film(j, n).FilmKey(file)); err != nil {
				return err
			}
		}
		if j.Status.Output != nil {
			continue
		}
		if err := r.Store.Delete(ctx, keptKey(j, file)); err != nil {
			return err
		}
	}
	return nil
}

// keep copies the files of a successful attempt to other keys. It reports whether the copied video has the digest that
// the renderer reported. The renderer's signed URLs are still valid after the render. Their holder could replace the
// files of the attempt, but not the copies. An earlier reconcile may have copied and removed the files.
func (r *Reconciler) keep(ctx context.Context, j *v1beta1.RenderJob, d decision) (bool, error) {
	for _, file := range []string{filmFile, posterFile} {
		if file == posterFile && d.output.PosterKey == "" {
			continue
		}
		if err := r.Store.Copy(ctx, keptKey(j, file), attemptKey(j, file)); err != nil && !errors.Is(err, blob.ErrNotFound) {
			return false, fmt.Errorf("storing %s: %w", file, err)
		}
	}
	_, err := r.Store.Verify(ctx, d.output.BlobKey, d.output.SHA256)
	if errors.Is(err, blob.ErrDigest) {
		return false, nil
	}
	return err == nil, err
}

// clean removes the stored files of the render, except those that open posts publish, and then the finalizer.
func (r *Reconciler) clean(ctx context.Context, j *v1beta1.RenderJob) error {
	return finalize.Release(ctx, r.Client, j, Finalizer, func() error {
		if r.Record != nil {
			if err := r.Record(ctx, j); err != nil {
				return err
			}
		}
		return pinned.RemoveAll(ctx, r.Client, r.Store, j, r.Live)
	})
}

// film is a timeline and its inputs.
type film struct {
	Timeline timeline.Timeline `json:"timeline"`
	// Inputs are the blob keys by the name of the input.
	Inputs map[string]string `json:"inputs"`
	// ClipBytes is the total size of the clips among the inputs.
	ClipBytes int64 `json:"clipBytes,omitempty"`
}

func prefix(j *v1beta1.RenderJob) string { return runner.FilmPrefix(j) }

func timelineKey(j *v1beta1.RenderJob) string { return prefix(j) + "timeline.json" }

func attemptKey(j *v1beta1.RenderJob, file string) string { return attemptOf(j).FilmKey(file) }

func filmKey(j *v1beta1.RenderJob) string { return attemptKey(j, filmFile) }

// keptKey returns the key of the copy of a file of a finished render. No signed URL can write to this key.
func keptKey(j *v1beta1.RenderJob, file string) string { return prefix(j) + file }

func jobName(j *v1beta1.RenderJob, attempt int32) string { return runner.Film(j, attempt).Name() }
