// SPDX-License-Identifier: Apache-2.0

package video

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image/jpeg"
	"io"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/log"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/account/ledger"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/content/imagery"
	"github.com/reelops/reelops/internal/content/textgen"
	"github.com/reelops/reelops/internal/film/renders"
	"github.com/reelops/reelops/internal/film/shortwork"
	"github.com/reelops/reelops/internal/kube/finalize"
	"github.com/reelops/reelops/internal/store/blob"
	"github.com/reelops/reelops/internal/store/pinned"
)

// result is the result of act.
type result struct {
	err      error              // the pass could not be completed and is retried
	failed   *v1beta1.WorkError // the attempt, or the work, has failed
	final    bool               // of failed: no attempt is left
	text     *v1beta1.VideoText // was written
	attempt  int32              // of speaking that begins; recorded before its Job is created
	speech   *v1beta1.Speech    // is complete
	composed *composed          // the parts of the video are stored
	finished *finished          // the video is rendered
	wait     time.Duration      // time until the next look at a Job; events come sooner
	unready  string             // message of a text model that takes no requests yet
}

// finished is a rendered video.
type finished struct {
	output       *v1beta1.RenderOutput
	thumbnailKey string
}

// soon is the requeue interval while another action may follow.
const soon = time.Millisecond

// requeue returns the time until the next reconcile; 0 for the next event.
func (res result) requeue(d decision, v *v1beta1.Video) time.Duration {
	switch {
	case d.kind == actionWait:
		return d.requeue
	case d.kind == actionNothing || d.kind == actionRender || d.kind == actionDrop: // events follow
		return 0
	case res.wait > 0:
		return res.wait
	case res.unready != "":
		return shortwork.ModelWait
	case res.failed != nil && !v.Status.Work.State.Settled():
		// Another attempt, with exponential backoff.
		return time.Second << v.Status.Work.Attempt
	case res.finished != nil:
		return 0
	}
	// Another action may follow, also after the work has ended: a refund. No event starts that pass.
	return soon
}

// act executes a decision. It writes the status only where the ledger does: the charge. Everything else that the status
// records is in the result.
func (r *Reconciler) act(ctx context.Context, v *v1beta1.Video, o *observed, d decision) result {
	if d.kind == actionClean {
		return r.clean(ctx, v, o)
	}
	if d.kind != actionStart && ledger.StateOf(o.account, v, r.Clock.Now()) == ledger.Reserved {
		// An accepted video is charged, also if it fails.
		if _, err := r.Ledger.Reservations(r.Client).Commit(ctx, o.account, v, 0); err != nil {
			return result{err: err}
		}
	}
	switch d.kind {
	case actionStart:
		return r.begin(ctx, v, o)
	case actionRefund:
		return result{err: r.Ledger.Reservations(r.Client).Release(ctx, v)}
	case actionDrop:
		return result{err: r.drop(ctx, o)}
	case actionFail:
		if v.Status.Speech == nil && v.Status.SpeechAttempt > 0 { // the result of its Job is not needed
			if err := r.tidy(ctx, v); err != nil {
				return result{err: err}
			}
		}
		return result{failed: d.err, final: true}
	case actionFetch:
		return result{err: r.fetch(ctx, v, o)}
	case actionWrite:
		return r.write(ctx, v, o)
	case actionSpeak:
		return r.speak(ctx, v, o)
	case actionCompose:
		return r.compose(ctx, v, o)
	case actionRender:
		return result{err: r.render(ctx, v)}
	case actionFinish:
		return r.finish(ctx, v, d.output)
	}
	return result{}
}

// begin commits what the work takes from the plan.
func (r *Reconciler) begin(ctx context.Context, v *v1beta1.Video, o *observed) result {
	_, err := r.Ledger.Reservations(r.Client).Commit(ctx, o.account, v, 0)
	if f := unaffordable(err); f != nil {
		return result{failed: f.err, final: true}
	}
	return result{err: err}
}

// drop deletes the objects of earlier work.
func (r *Reconciler) drop(ctx context.Context, o *observed) error {
	for _, old := range leftovers(o) {
		if !old.GetDeletionTimestamp().IsZero() {
			continue
		}
		err := r.Client.Delete(ctx, old, client.Preconditions{UID: ptr.To(old.GetUID())}, client.PropagationPolicy(metav1.DeletePropagationBackground))
		if client.IgnoreNotFound(err) != nil {
			return err
		}
	}
	return nil
}

// fetch creates the missing MediaAssets of URLs. Their controller fetches the files.
func (r *Reconciler) fetch(ctx context.Context, v *v1beta1.Video, o *observed) error {
	for _, c := range o.clips {
		if !c.own || c.asset != nil {
			continue
		}
		m := c.media(v)
		if err := controllerutil.SetControllerReference(v, m, r.Client.Scheme()); err != nil {
			return err
		}
		if err := client.IgnoreAlreadyExists(r.Client.Create(ctx, m)); err != nil {
			return err
		}
	}
	return nil
}

func (r *Reconciler) write(ctx context.Context, v *v1beta1.Video, o *observed) result {
	req := textgen.HookRequest{
		Hook: ptr.Deref(v.Spec.HookText, ""), Language: v.Spec.Language, Title: ptr.Deref(v.Spec.Title, ""), Caption: ptr.Deref(v.Spec.Caption, ""),
		Seed:  string(v1beta1.Origin(v)),
		Brand: shortwork.Speaker(o.brand),
	}
	if req.Language == "" && !req.Given() {
		req.Language = o.brand.Spec.Language
	}
	if tags := v.Spec.TagText(); tags != nil {
		req.KeepTags, req.Tags = true, v1beta1.SplitTags(*tags)
	}
	began := r.Clock.Now()
	d, err := r.Writer.WriteHook(ctx, req)
	if err != nil {
		if ctx.Err() != nil {
			return result{err: err} // the manager is stopping; its successor writes
		}
		failed, unready := shortwork.TextError(ctx, err, v.Status.Work.Attempt)
		return result{failed: failed, unready: unready}
	}
	if req.Given() && v.Spec.Language != "" {
		d.Language = v.Spec.Language // the language of a given text is not detected
	}
	log.FromContext(ctx).Info("text written", "short_id", v.Labels[v1beta1.LabelID], "text_ms", r.Clock.Since(began).Milliseconds())
	text := &v1beta1.VideoText{Language: d.Language, Hook: d.Hook, Title: d.Title, Caption: d.Caption, Tags: d.Tags}
	text.Source, text.Model = shortwork.SourceOf(d.Model)
	return result{text: text}
}

// render creates the RenderJob. Its name depends on the name of the video only, so it is created once.
func (r *Reconciler) render(ctx context.Context, v *v1beta1.Video) error {
	j, err := renders.New(v, renders.NameOfVideo(v), v.Status.Revision, r.Client.Scheme())
	if err != nil {
		return err
	}
	return client.IgnoreAlreadyExists(r.Client.Create(ctx, j))
}

const (
	// maxPosterBytes is the largest size of a poster, a JPEG of one frame.
	maxPosterBytes   = 8 << 20
	thumbnailQuality = 85
)

// finish returns the output of the render with a thumbnail of its poster. There is no thumbnail if the poster is
// missing or cannot be decoded: files of a render pod are not trusted.
func (r *Reconciler) finish(ctx context.Context, v *v1beta1.Video, out *v1beta1.RenderOutput) result {
	f := &finished{output: out.DeepCopy()}
	if out.PosterKey == "" {
		return result{finished: f}
	}
	small, err := r.thumbnail(ctx, out.PosterKey)
	var damaged *damagedError
	switch {
	case errors.As(err, &damaged):
		log.FromContext(ctx).Info("reading poster failed", "error", err.Error())
		return result{finished: f}
	case err != nil:
		return result{err: err}
	}
	f.thumbnailKey = Prefix(v) + "thumbnail.jpg"
	if err := r.Store.Put(ctx, f.thumbnailKey, "image/jpeg", bytes.NewReader(small)); err != nil {
		return result{err: err}
	}
	return result{finished: f}
}

// damagedError reports that a poster cannot be used.
type damagedError struct{ err error }

func (e *damagedError) Error() string { return e.err.Error() }

func (r *Reconciler) thumbnail(ctx context.Context, posterKey string) ([]byte, error) {
	body, err := r.Store.Get(ctx, posterKey)
	if errors.Is(err, blob.ErrNotFound) {
		return nil, &damagedError{err}
	} else if err != nil {
		return nil, err
	}
	defer func() { _ = body.Close() }()
	data, err := io.ReadAll(io.LimitReader(body, maxPosterBytes))
	if err != nil {
		return nil, err
	}
	img, _, err := imagery.DecodeLimited(bytes.NewReader(data), catalog.MaxImagePixels)
	if err != nil {
		return nil, &damagedError{err}
	}
	b := img.Bounds()
	small, err := imagery.Crop(img, catalog.ThumbnailWidth, max(1, (b.Dy()*catalog.ThumbnailWidth+b.Dx()/2)/b.Dx()))
	if err != nil {
		return nil, &damagedError{err}
	}
	var out bytes.Buffer
	err = jpeg.Encode(&out, small, &jpeg.Options{Quality: thumbnailQuality})
	return out.Bytes(), err
}

// clean removes the stored files of the video, except those that open posts publish, and then the finalizer. It waits
// while a pod of the video may still write files.
func (r *Reconciler) clean(ctx context.Context, v *v1beta1.Video, o *observed) result {
	if !controllerutil.ContainsFinalizer(v, Finalizer) {
		return result{}
	}
	wait, err := r.studio().Halt(ctx, v, v.Status.SpeechAttempt)
	if err != nil || wait > 0 {
		return result{err: err, wait: wait}
	}
	return result{err: finalize.Release(ctx, r.Client, v, Finalizer, func() error {
		if r.Record != nil {
			if err := r.Record(ctx, v); err != nil {
				return err
			}
		}
		if err := r.Ledger.Reservations(r.Client).Close(ctx, o.account, v, false, 0, 0); err != nil {
			return err
		}
		r.Jobs.Slots.Free(v.UID)
		return pinned.RemoveAll(ctx, r.Client, r.Store, v, r.Live)
	})}
}

// Prefix returns the prefix of the blob keys of a video. It contains the uid, so that a video that is created again
// under the same name does not find the files of the earlier one.
func Prefix(v *v1beta1.Video) string {
	return fmt.Sprintf("videos/%s/%s/", v.Namespace, v1beta1.Origin(v))
}
