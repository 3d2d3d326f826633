// SPDX-License-Identifier: Apache-2.0

// Package shortwork holds what the controllers of slideshows and of videos do alike: when they look again, how they read what a
// short is made of, and how they speak with the writer. It writes nothing.
package shortwork

import (
	"context"
	"errors"
	"fmt"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/predicate"

	v1alpha1 "github.com/reelops/reelops/api/v1alpha1"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/status"
	"github.com/reelops/reelops/internal/textgen"
)

// Changed lets through what asks something of a short's controller: another spec, the retry annotation, the deletion.
func Changed() predicate.Predicate {
	return predicate.Or(predicate.GenerationChangedPredicate{}, predicate.Funcs{UpdateFunc: func(e event.UpdateEvent) bool {
		return e.ObjectOld.GetAnnotations()[v1alpha1.AnnotationRetry] != e.ObjectNew.GetAnnotations()[v1alpha1.AnnotationRetry] ||
			e.ObjectOld.GetDeletionTimestamp().IsZero() != e.ObjectNew.GetDeletionTimestamp().IsZero()
	}})
}

// Get reads an object into the one given; nil when there is none of the name.
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

// Speaker is what the writer is told of a brand.
func Speaker(b *v1alpha1.Brand) textgen.Brand {
	p := b.Spec.Profile
	return textgen.Brand{
		Name: b.Title(), Description: b.Spec.Description, Audience: p.Audience, Tone: p.Tone, Niche: p.Niche,
		Offer: p.Offer, ValuePoints: p.ValuePoints, BannedWords: p.BannedWords, CallToAction: p.CallToAction,
	}
}

// SplitTags reads tags as they stand in a spec: comma separated, blanks around them and empty ones dropped.
func SplitTags(s string) []string {
	var out []string
	for t := range strings.SplitSeq(s, ",") {
		if t = strings.TrimSpace(t); t != "" {
			out = append(out, t)
		}
	}
	return out
}

// Unwritten is a writer's failure in the words of a work record.
func Unwritten(err error) *v1alpha1.WorkError {
	e := &v1alpha1.WorkError{Code: string(catalog.GenerationFailed), Message: "The text could not be written", Retryable: true}
	var known *textgen.Error
	if errors.As(err, &known) {
		e.Code, e.Message, e.Retryable = known.Code, status.Sentence(known.Message), known.Retryable
	}
	return e
}
