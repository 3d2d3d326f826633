// SPDX-License-Identifier: Apache-2.0

package ops

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/apiserver/audit"
	"github.com/reelops/reelops/apiserver/operation"
	"github.com/reelops/reelops/apiserver/problem"
	"github.com/reelops/reelops/apiserver/read"
	"github.com/reelops/reelops/apiserver/view"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/content/deck"
	"github.com/reelops/reelops/internal/film/renders"
)

var editSpec = operation.Spec{
	Name: "update_slideshow", Method: http.MethodPatch, Path: "/api/v1/slideshows/{id}", Tag: "Content",
	Summary: "Update a slideshow",
	Description: "Members that the body omits stay unchanged, and slides that it does not name stay identical to the pixel. " +
		"Changes of title, caption and tags keep the video. " +
		"Any visual change increases `revision`, sets `video_url` to null and makes a video `stale`. " +
		"An overlay with an `id` keeps the omitted values; one without an `id` takes them from the design style. " +
		"An unknown font is a 422 with the fonts in `details.allowed`. " +
		"The response waits until the slides are rendered. " +
		"`meta.normalizations` lists the corrections of the slides that this edit rendered. " +
		"If rendering takes longer than usual, the response has the requested values and the warning `layout_pending`, and `status` is `processing` until the slides are ready. " +
		"If rendering fails, the warning is `layout_failed` and the previous slides stay. " +
		"Another edit may follow, or the same one if it did not cause the failure. " +
		"An image of `image_url` is fetched before anything changes. " +
		"If that takes longer than 5 seconds, the request is rejected (422, `retryable`, `details.reason` = `not_fetched_yet`); repeat it later. " +
		"After an edit the video of `auto_render` is not rendered automatically: request the render. " +
		"While a generation, a render or an earlier edit runs, the response is 409 `job_in_progress`. " +
		"If a short failed before it had slides, only title, caption and tags can be changed. " +
		"A slideshow that Argo CD, Flux, Helm or `kubectl apply` manages is a 409 `conflict` with `details.reason` `declared_elsewhere` and the tool in `details.managed_by`: change the manifest. " +
		"A request that changes nothing returns 200.",
	Scope: v1beta1.ScopeContentWrite, ForBrand: true, Bucket: operation.Global,
	Errors:      []catalog.Code{catalog.JobInProgress, catalog.Conflict, catalog.MediaTooLarge, catalog.UnsupportedMediaType, catalog.QuotaExceeded},
	BodyExample: editExample, DataExample: exampleRecord,
}

// putSpec declares the same operation under PUT.
var putSpec = func() operation.Spec {
	s := editSpec
	s.Name, s.Method, s.Summary = "put_slideshow", http.MethodPut, "Update a slideshow (the same as PATCH)"
	return s
}()

type editInput struct {
	ID   operation.ID `path:"id" doc:"The short id."`
	Body EditSlideshow
}

const (
	// editTries limits how often an edit is applied again after a conflicting write.
	editTries = 8
	// usualEditWait is how long the response to an edit waits for the slides.
	usualEditWait = 10 * time.Second
)

func (s *Service) editSlideshow(ctx context.Context, c *operation.Call, in editInput) (*operation.Reply[view.ShortRecord], error) {
	edit, grounds, err := s.editOf(ctx, c, &in.Body)
	if err != nil {
		return nil, err
	}
	return s.change(ctx, c, in.ID, edit, grounds, nil)
}

// editOf returns the edit of a body, with its music, and the backgrounds that are still to be set in the edit.
func (s *Service) editOf(ctx context.Context, c *operation.Call, body *EditSlideshow) (*deck.Edit, []ground, error) {
	edit, err := body.edit()
	if err != nil {
		return nil, nil, err
	}
	if edit.SetMusic = body.BackgroundMusicID.Given; edit.SetMusic {
		if edit.Music, err = s.music(ctx, c, body.BackgroundMusicID); err != nil {
			return nil, nil, err
		}
	}
	var grounds []ground
	for i := range body.Slides {
		change := &body.Slides[i]
		grounds = append(grounds, ground{
			slide: int64(change.ID), mediaID: change.MediaID, url: change.ImageURL, field: fmt.Sprintf("slides[%d].", i), to: &edit.Slides[i].Image,
		})
	}
	return &edit, grounds, nil
}

// change applies an edit to a slideshow and returns the slideshow once its slides are laid out. accept, unless nil, is
// called before each attempt to write. An archived slideshow is restored first, unless the edit is refused or changes
// nothing.
func (s *Service) change(ctx context.Context, c *operation.Call, id operation.ID, edit *deck.Edit, grounds []ground, accept func(*view.Short) error) (*operation.Reply[view.ShortRecord], error) {
	for range restoreTries {
		reply, err := s.changeLive(ctx, c, id, edit, grounds, accept)
		var archived *archivedError
		if !errors.As(err, &archived) {
			return reply, err
		}
		if err := s.restoreShort(ctx, c.Namespace(), int64(id), archived.renders); err != nil {
			return nil, err
		}
	}
	return nil, notRestored(int64(id), errLeaving)
}

// changeLive is like change, except that the error is an *archivedError if the slideshow must be restored first.
func (s *Service) changeLive(ctx context.Context, c *operation.Call, id operation.ID, edit *deck.Edit, grounds []ground, accept func(*view.Short) error) (*operation.Reply[view.ShortRecord], error) {
	wait, stop := context.WithTimeout(ctx, s.editWait())
	defer stop()
	tried := deck.Result{}
	var last error
	for range editTries {
		short, err := s.slideshow(ctx, c, id)
		if err != nil {
			return nil, err
		}
		// After a lost reply the outcome of a write is visible only in the slideshow: if nothing is left to change, the
		// write succeeded.
		if tried.Changed || edit.Retried {
			if again, err := deck.Apply(short.Show, c.Brand, *edit); err == nil && !again.Changed {
				return s.edited(ctx, wait, short, short.Show.Status.Slides, tried.Visual)
			}
		}
		next, res, err := s.changed(ctx, wait, c, short, edit, grounds, accept)
		if err != nil {
			return nil, err
		}
		before := short.Show.Status.Slides
		if next == nil {
			return s.edited(ctx, wait, short, before, false)
		}
		if res.Changed {
			tried = *res
		}
		err = s.Client.Patch(ctx, next, audit.Guarded(short.Show))
		switch {
		case err == nil:
			short.Show = next
			return s.edited(ctx, wait, short, before, res.Visual)
		case apierrors.IsInvalid(err):
			return nil, notTaken(err)
		case problem.Away(err):
			edit.Retried = true
		case !apierrors.IsConflict(err) && !apierrors.IsNotFound(err): // it may have left for the archive
			return nil, fmt.Errorf("changing a slideshow: %w", err)
		}
		if last = err; pause(wait, firstLook) != nil {
			break
		}
	}
	if !apierrors.IsConflict(last) {
		return nil, fmt.Errorf("changing a slideshow: %w", last)
	}
	return nil, problem.New(catalog.JobInProgress, problem.Details{"short_id": int64(id), "kind": catalog.JobSlideshow}).
		Saying("Other requests are changing this slideshow at the same time; retry the request.")
}

// changed returns a slideshow with an edit applied, or nil if the edit changes nothing. It fetches new backgrounds and
// waits for them, but does not write the slideshow. A result without a change means that the slides are laid out again.
// The error is an *archivedError if the slideshow must be restored first.
func (s *Service) changed(
	ctx, wait context.Context, c *operation.Call, short *view.Short, edit *deck.Edit, grounds []ground, accept func(*view.Short) error,
) (*v1beta1.Slideshow, *deck.Result, error) {
	if err := undeclared(short); err != nil {
		return nil, nil, err
	}
	if err := s.editable(ctx, short); err != nil {
		return nil, nil, err
	}
	// Apply the edit without new backgrounds first, so that nothing is fetched or restored for an edit that is refused.
	res, err := apply(short, c, *edit)
	if err != nil {
		return nil, nil, err
	}
	if short.ArchivedAt != nil && (res.Changed || len(grounds) > 0 || drawable(short)) {
		return nil, nil, &archivedError{renders: len(short.Renders)}
	}
	imported := map[string]*v1beta1.MediaAsset{} // by field name
	if err := s.backgrounds(ctx, c, short, grounds, func(address, field string) (asset *v1beta1.MediaAsset, err error) {
		asset, err = s.importMedia(ctx, c, short.Show, address, field)
		imported[field] = asset
		return asset, err
	}); err != nil {
		return nil, nil, err
	}
	if err := s.awaitImports(ctx, wait, imported); err != nil {
		return nil, nil, err
	}
	if accept != nil {
		if err := accept(short); err != nil {
			return nil, nil, err
		}
	}
	if res, err = apply(short, c, *edit); err != nil {
		return nil, nil, err
	}
	if p := s.slideshowVoice(c, short.Show, edit.Voice); p != nil {
		return nil, nil, p
	}
	if !res.Changed && !drawable(short) {
		return nil, res, nil
	}
	next := short.Show.DeepCopy()
	next.Spec = *res.Spec
	if !res.Changed {
		res.Visual = true
		metav1.SetMetaDataAnnotation(&next.ObjectMeta, v1beta1.AnnotationRetry, rand.Text())
	}
	return next, res, nil
}

// notTaken returns the problem for a value that the kind's own validation rejects although the API schema accepts it.
// It names the field of the kind.
func notTaken(err error) error {
	field := "body"
	var status apierrors.APIStatus
	if errors.As(err, &status) && status.Status().Details != nil && len(status.Status().Details.Causes) > 0 {
		field = strings.TrimPrefix(status.Status().Details.Causes[0].Field, "spec.")
	}
	p := problem.Field(field, "The value was rejected.")
	p.Cause = err
	return p
}

// apply applies an edit. It refuses edits that would restart a failed slideshow.
func apply(short *view.Short, c *operation.Call, edit deck.Edit) (*deck.Result, error) {
	res, err := deck.Apply(short.Show, c.Brand, edit)
	var invalid *deck.Invalid
	if errors.As(err, &invalid) {
		return nil, problem.Field(invalid.Field, invalid.Message)
	}
	if errors.Is(err, deck.ErrNoSlide) {
		return nil, noSlide()
	}
	if err != nil {
		return nil, err
	}
	if short.Status() == view.StatusFailed && short.Show.Status.Revision == 0 {
		next := &v1beta1.Slideshow{Spec: *res.Spec}
		if deck.WorkHash(next) != deck.WorkHash(short.Show) {
			return nil, problem.New(catalog.Conflict, problem.Details{"short_id": short.ID, "status": view.StatusFailed}).
				Saying("The short failed before it had slides: only its title, caption and tags can be changed.")
		}
	}
	return res, nil
}

// drawable reports whether the layout of the last edit failed for a retryable reason. Repeating the same edit then
// retries the layout.
func drawable(short *view.Short) bool {
	w := short.Show.Status.Work
	return deck.Edited(short.Show) && w.State == v1beta1.WorkFailed && w.Error != nil && w.Error.Retryable
}

// editable returns an error while work is running.
func (s *Service) editable(ctx context.Context, short *view.Short) error {
	if err := settledSlides(short); err != nil {
		return err
	}
	if r := short.RunningRender(); r != nil {
		return running(short.ID, r)
	}
	if job := short.AwaitsRender(); job != nil && !awaitsTrack(short.Show) {
		return problem.New(catalog.JobInProgress, problem.Details{
			"short_id": short.ID, "kind": catalog.JobRender, "render_requested_at": view.Time{Time: job.RequestedAt.Time},
		}).Saying("A render of this short is about to start.")
	}
	// A render that another replica has just accepted has the next name.
	r := &v1beta1.RenderJob{}
	err := s.Reader.Live.Get(ctx, client.ObjectKey{Namespace: short.Show.Namespace, Name: renders.Name(short.Show, short.Renders)}, r)
	if err == nil {
		if w := r.Status.Work; w == nil || !w.State.Settled() {
			return running(short.ID, r)
		}
	}
	if client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("reading a render: %w", err)
	}
	return nil
}

// settledSlides returns an error while the slides are generated or laid out.
func settledSlides(short *view.Short) error {
	if short.Status() == view.StatusProcessing {
		return problem.New(catalog.JobInProgress, problem.Details{"short_id": short.ID, "kind": catalog.JobSlideshow}).
			Saying("The slides are still being created.")
	}
	return nil
}

// awaitsTrack reports whether the video of a slideshow waits for its music. An edit may choose other music.
func awaitsTrack(show *v1beta1.Slideshow) bool {
	c := meta.FindStatusCondition(show.Status.Conditions, string(v1beta1.ConditionReady))
	return c != nil && (c.Reason == string(v1beta1.ReasonTrackNotFound) || c.Reason == string(v1beta1.ReasonTrackNotReady))
}

// edited returns the current slideshow; after a visual change it first waits for the layout. before are the slides
// before the edit.
func (s *Service) edited(ctx, wait context.Context, short *view.Short, before []v1beta1.Slide, visual bool) (*operation.Reply[view.ShortRecord], error) {
	reply := &operation.Reply[view.ShortRecord]{}
	if visual {
		show, err := s.drawn(ctx, wait, short.Show)
		if err != nil {
			return nil, err
		}
		if show != nil {
			short.Show = show
		} else {
			short.Edited = true
			reply.Meta.Warnings = append(reply.Meta.Warnings, operation.Warning{
				Code: "layout_pending", Message: "The slides are not rendered yet. The response has the requested values; read the short again in a moment.",
			})
		}
		if w := short.Show.Status.Work; show != nil && w != nil && w.State == v1beta1.WorkFailed && w.Error != nil {
			reply.Meta.Warnings = append(reply.Meta.Warnings, operation.Warning{Code: "layout_failed", Message: "The slides could not be rendered: " + w.Error.Message + "."})
		}
	}
	if w := short.VoiceWarning(); w != nil {
		reply.Meta.Warnings = append(reply.Meta.Warnings, operation.Warning{Code: w.Code, Message: w.Message})
	}
	short.MusicID = s.Reader.TrackID(ctx, s.Library, short.Show.Namespace, short.Show.Spec.Music)
	record, err := short.Record()
	if err != nil {
		return nil, err
	}
	reply.Data = *record
	if visual && !short.Undrawn() {
		reply.Meta.Normalizations = normalizations(short.Show, before)
	}
	return reply, nil
}

// normalizations returns the normalizations of the slides that were laid out again.
func normalizations(show *v1beta1.Slideshow, before []v1beta1.Slide) []operation.Normalization {
	var out []operation.Normalization
	for _, n := range show.Status.Normalizations {
		now := deck.Drawn(show, n.SlideID)
		kept := now != nil && now.DrawnFrom != "" && slices.ContainsFunc(before, func(s v1beta1.Slide) bool {
			return s.ID == now.ID && s.DrawnFrom == now.DrawnFrom
		})
		if !kept {
			out = append(out, normalization(n))
		}
	}
	return out
}

func normalization(n v1beta1.Normalization) operation.Normalization {
	return operation.Normalization{
		SlideID: n.SlideID, OverlayIndex: n.OverlayIndex, Field: n.Field, From: n.From, To: n.To, Reason: n.Reason,
	}
}

// Polling intervals: short at first, then increasing.
const (
	firstLook = 40 * time.Millisecond
	lastLook  = 400 * time.Millisecond
)

// drawn waits until the slides match the spec, or their layout failed. It returns nil if the wait times out first.
func (s *Service) drawn(ctx, wait context.Context, show *v1beta1.Slideshow) (*v1beta1.Slideshow, error) {
	if show.Spec.Suspend {
		return nil, nil // no controller lays it out
	}
	for d := firstLook; ; d = min(d*3/2, lastLook) {
		if err := pause(wait, d); err != nil {
			return nil, ctx.Err()
		}
		now := &v1beta1.Slideshow{}
		err := s.Reader.Live.Get(wait, client.ObjectKeyFromObject(show), now)
		switch {
		case apierrors.IsNotFound(err): // it may have left for the archive
			return s.leftDrawn(ctx, show)
		case err != nil && wait.Err() == nil:
			return nil, fmt.Errorf("reading a slideshow: %w", err)
		case err != nil:
			return nil, ctx.Err()
		}
		w := now.Status.Work
		again := w != nil && w.State == v1beta1.WorkFailed && now.Annotations[v1beta1.AnnotationRetry] != now.Status.RetriedFor
		if now.Status.ObservedGeneration >= show.Generation && w != nil && w.State.Settled() && !again && !deck.Outdated(now) {
			s.Reader.Index.Wrote(now) // the next list shows it too
			return now, nil
		}
	}
}

// leftDrawn returns a slideshow that was archived since it was written. Only a slideshow without open work is.
func (s *Service) leftDrawn(ctx context.Context, show *v1beta1.Slideshow) (*v1beta1.Slideshow, error) {
	short, err := s.Reader.WholeShort(ctx, show.Namespace, show.Spec.BrandRef.Name, read.ID(show))
	if errors.Is(err, read.ErrNotFound) || err == nil && short.Show == nil {
		return nil, problem.New(catalog.NotFound, nil)
	}
	return short.Show, err
}

func (s *Service) editWait() time.Duration {
	if s.EditWait == 0 {
		return usualEditWait
	}
	return s.EditWait
}

// pause waits for the given time. It returns the context's error if the context ends first.
func pause(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
