// SPDX-License-Identifier: Apache-2.0

package intake

import (
	"context"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	logf "sigs.k8s.io/controller-runtime/pkg/log"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/catalog"
)

// An object that was declared by itself waits for its file as long as it takes: a manifest may be applied before the file is
// there. The conditions report the wait. A file that Reelops itself requested for a slideshow or a video is not waited for: the
// caller waits for the outcome.

const (
	// minWait and maxWait bound the wait between looks for a file that is not there, once the usual attempts are used up. Each
	// wait is as long as all waits before it.
	minWait, maxWait = 4 * time.Minute, 15 * time.Minute
)

// patient reports whether the object waits until its source is there: it is declared by itself, and its source is a URL or a
// file that was imported. An upload is there when it is declared, and is removed when the object takes it in.
func (f *File) patient() bool {
	return len(f.Object.GetOwnerReferences()) == 0 && f.Source.Starter == nil && SourceUpload(f.Object.GetNamespace(), f.Source) == ""
}

// mayCome reports whether an error means that the source is not there, or cannot be reached, and may be there later.
func mayCome(e *v1beta1.WorkError) bool {
	if e == nil || e.Code == string(catalog.InternalError) { // a stored file that is gone
		return false
	}
	switch e.Details["reason"] {
	case ReasonMissing, ReasonUnavailable, ReasonUnknownHost:
		return true
	}
	return false
}

// reopened reports whether settled work has failed for want of a file that the object waits for. Older releases gave up.
func (f *File) reopened() bool {
	return (*f.Work).State == v1beta1.WorkFailed && *f.BlobKey == "" && f.patient() && mayCome(*f.Error)
}

// await records that the source is not there and returns when to look again. The first attempts follow the usual backoff.
func (b *Intake) await(ctx context.Context, f *File, refused *Refusal, now time.Time) (time.Duration, error) {
	w := *f.Work
	first := w.Error == nil
	logf.FromContext(ctx).Info("the file is not there yet", "attempt", w.Attempt, "error", refused.Message)
	w.Error = refused.DeepCopy()
	w.Error.Retryable = true
	again := max(minWait, min(now.Sub(w.StartedAt.Time), maxWait))
	if round(w) < catalog.MaxAttempts-1 {
		w.Attempt++
		again = max(time.Millisecond, backoff[round(w)]-now.Sub(w.StartedAt.Time))
	}
	if err := f.Persist(ctx); err != nil {
		return 0, err
	}
	if first && b.Events != nil {
		b.Events.Eventf(f.Object, nil, corev1.EventTypeWarning, string(waitReason(w.Error)), "TakeIn", "%s; the file is looked for again", w.Error.Message)
	}
	return again, nil
}

// arrived starts the count of attempts and the time of the work again when the usual attempts went by before the file was there:
// the wait is not part of the work, and the work has all its attempts.
func (f *File) arrived(now time.Time) {
	w := *f.Work
	if w.Error != nil && f.patient() && round(w) == catalog.MaxAttempts-1 {
		w.Attempt, w.StartedAt = nextTry(w), &metav1.Time{Time: now}
	}
}

// nextTry returns the number of the first attempt of the next try.
func nextTry(w *v1beta1.Work) int32 {
	return ((w.Attempt-1)/catalog.MaxAttempts+1)*catalog.MaxAttempts + 1
}

// waitReason is the condition's reason of an object whose source is not there.
func waitReason(e *v1beta1.WorkError) v1beta1.Reason {
	if e.Details["reason"] == ReasonMissing {
		return v1beta1.ReasonFileNotFound
	}
	return v1beta1.ReasonSourceUnavailable
}
