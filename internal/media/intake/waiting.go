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

// An object that was declared by itself waits for its file without a limit, because a manifest may be applied before
// the file exists. The conditions report the wait. Reelops does not wait for a file that it requested for a slideshow
// or a video: the caller waits for the outcome.

const (
	// minWait and maxWait bound the interval between checks for a missing file, once the usual attempts are used up.
	// Each interval is as long as the whole time waited before.
	minWait, maxWait = 4 * time.Minute, 15 * time.Minute
)

// patient reports whether the object waits until its source exists: it is declared by itself, and its source is a URL
// or an imported file. An upload exists when it is declared, and is removed when the object ingests it.
func (f *File) patient() bool {
	return len(f.Object.GetOwnerReferences()) == 0 && f.Source.Starter == nil && SourceUpload(f.Object.GetNamespace(), f.Source) == ""
}

// mayCome reports whether an error means that the source is missing or unreachable, and may be available later.
func mayCome(e *v1beta1.WorkError) bool {
	if e == nil || e.Code == string(catalog.InternalError) { // a stored file that was deleted
		return false
	}
	switch e.Details["reason"] {
	case ReasonMissing, ReasonUnavailable, ReasonUnknownHost:
		return true
	}
	return false
}

// reopened reports whether settled work has failed because the file was missing that the object waits for. Older
// releases gave up.
func (f *File) reopened() bool {
	return (*f.Work).State == v1beta1.WorkFailed && *f.BlobKey == "" && f.patient() && mayCome(*f.Error)
}

// await records that the source is missing and returns when to check again. The first attempts follow the usual
// backoff.
func (b *Intake) await(ctx context.Context, f *File, refused *Refusal, now time.Time) (time.Duration, error) {
	w := *f.Work
	first := w.Error == nil
	logf.FromContext(ctx).Info("file not found; retrying", "attempt", w.Attempt, "error", refused.Message)
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
		b.Events.Eventf(f.Object, nil, corev1.EventTypeWarning, string(waitReason(w.Error)), "TakeIn", "%s; the lookup is retried", w.Error.Message)
	}
	return again, nil
}

// arrived resets the attempts and the start time of the work if the usual attempts were used up before the file
// existed: the wait is not part of the work, and the work gets all its attempts.
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
