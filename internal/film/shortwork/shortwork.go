// SPDX-License-Identifier: Apache-2.0

// Package shortwork contains what the controllers of slideshows and of videos have in common. It has the metadata and
// the work record of a short, the event filter, the reads of the inputs of a short, and the requests to the text
// generator.
package shortwork

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/predicate"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/content/deck"
	"github.com/reelops/reelops/internal/content/textgen"
	"github.com/reelops/reelops/internal/kube/status"
)

// Changed returns a predicate that accepts changes that a short's controller must handle: a new spec, the retry
// annotation, a deletion.
func Changed() predicate.Predicate {
	return predicate.Or(predicate.GenerationChangedPredicate{}, predicate.Funcs{UpdateFunc: func(e event.UpdateEvent) bool {
		return e.ObjectOld.GetAnnotations()[v1beta1.AnnotationRetry] != e.ObjectNew.GetAnnotations()[v1beta1.AnnotationRetry] ||
			e.ObjectOld.GetDeletionTimestamp().IsZero() != e.ObjectNew.GetDeletionTimestamp().IsZero()
	}})
}

// Get reads an object into the one given. It returns nil if there is no object of the name.
func Get[T client.Object](ctx context.Context, c client.Reader, namespace, name string, into T) (T, error) {
	var none T
	err := c.Get(ctx, client.ObjectKey{Namespace: namespace, Name: name}, into)
	if apierrors.IsNotFound(err) {
		return none, nil
	}
	if err != nil {
		return none, fmt.Errorf("reading %s: %w", name, err)
	}
	return into, nil
}

// Speaker returns the description of a brand for the text generator.
func Speaker(b *v1beta1.Brand) textgen.Brand {
	p := b.Spec.Profile
	return textgen.Brand{
		Name: b.Title(), Description: b.Spec.Description, Audience: p.Audience, Tone: p.Tone, Niche: p.Niche,
		Offer: p.Offer, ValuePoints: p.ValuePoints, BannedWords: p.BannedWords, CallToAction: p.CallToAction,
	}
}

// WriteRequest returns the text generator's request for a slideshow. The controller sends it, and the front end uses it
// to warn of a text that is too short.
func WriteRequest(s *v1beta1.Slideshow, b *v1beta1.Brand) textgen.Request {
	req := textgen.Request{
		Context:    s.Spec.Context,
		SlideCount: int(cmp.Or(s.Spec.SlideCount, b.Spec.SlideshowDefaults.SlideCount)),
		Language:   cmp.Or(s.Spec.Language, b.Spec.Language),
		Brand:      Speaker(b),
	}
	if deck.DesignOf(s, deck.OfBrand(b)).ImageSource.Type == v1beta1.ImageSourceAI {
		req.SlideCount = catalog.AISlides(req.SlideCount, 0)
	}
	if s.Spec.Title != nil {
		req.Title = *s.Spec.Title
	}
	if s.Spec.Caption != nil {
		req.Caption = *s.Spec.Caption
	}
	if tags := s.Spec.TagText(); tags != nil {
		req.KeepTags, req.Tags = true, v1beta1.SplitTags(*tags)
	}
	return req
}

// SourceOf returns the source of a text by the name of the model, empty for none, and that name as stored in a status.
func SourceOf(model string) (v1beta1.TextSource, string) {
	if model == "" {
		return v1beta1.TextSourceOffline, ""
	}
	if r := []rune(model); len(r) > maxModelName {
		model = string(r[:maxModelName])
	}
	return v1beta1.TextSourceModel, model
}

// maxModelName is how many characters of a model's name a status stores.
const maxModelName = 200

// ModelWait is the wait before a text model that was not ready is called again.
const ModelWait = 15 * time.Second

// TextError returns the work error for an error of the text generator. If the generator cannot take requests yet, it
// returns a message about the wait instead. attempt is the number of the attempt, for the log.
func TextError(ctx context.Context, err error, attempt int32) (failed *v1beta1.WorkError, unready string) {
	logger := log.FromContext(ctx)
	var known *textgen.Error
	if errors.As(err, &known) && known.NotReady {
		logger.Info("text model not ready", "error", err.Error())
		return nil, status.Sentence(known.Message) + "; the text is generated when the model is ready"
	}
	logger.Error(err, "writing text failed", "attempt", attempt)
	e := &v1beta1.WorkError{
		Code: string(catalog.GenerationFailed), Message: "The text could not be written", Retryable: true,
	}
	if known != nil {
		e.Code, e.Message, e.Retryable = known.Code, status.Sentence(known.Message), known.Retryable
	}
	return e, ""
}

// AwaitModel puts work back into the queue until the text model is ready. The wait counts as time in the queue, not as
// an attempt.
func AwaitModel(w *v1beta1.Work) {
	w.State, w.StartedAt, w.EstimatedCompletionAt = v1beta1.WorkQueued, nil, nil
}

// Overdue returns the message of work on a kind of short that is past its deadline: in the queue for the text model, or
// in progress.
func Overdue(w *v1beta1.Work, kind string) string {
	if w.State == v1beta1.WorkQueued {
		return fmt.Sprintf("The text model was not ready within %d minutes", int(catalog.QueueDeadline.Minutes()))
	}
	return "Generating the " + kind + " took too long"
}

// TakeUp starts work that waited for the text model, at a time and with an estimate of its end.
func TakeUp(w *v1beta1.Work, at, eta metav1.Time) {
	if w.State == v1beta1.WorkQueued {
		w.State, w.StartedAt, w.EstimatedCompletionAt = v1beta1.WorkProcessing, &at, &eta
	}
}
