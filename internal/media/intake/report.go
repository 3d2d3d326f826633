// SPDX-License-Identifier: Apache-2.0

package intake

import (
	"fmt"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/catalog"
)

// Report sets the conditions of an object with a source file. what is a short description of the file, and empty before
// the inspection. kind is the kind of the object.
func Report(f *File, what, kind string) {
	c, w, e, closed := f.Conditions, *f.Work, *f.Error, f.Closed
	unbrought := *f.BlobKey == ""
	if e == nil || closed != nil { // a condition that is removed and set again would have the time of this reconcile
		c.Remove(v1beta1.ConditionStalled)
	}
	switch {
	case closed != nil:
		c.Set(v1beta1.ConditionReady, false, closed.Reason, closed.Message)
	case e != nil:
		c.Set(v1beta1.ConditionReady, false, v1beta1.ReasonFailed, e.Message)
		say := fmt.Sprintf("Create a new %s for another file", kind)
		switch {
		case e.Retryable:
			say = fmt.Sprintf("Set the annotation %s to a new value to retry", v1beta1.AnnotationRetry)
		case f.patient():
			say = fmt.Sprintf("Replace the file and set the annotation %s to a new value, or create a new %s for another file", v1beta1.AnnotationRetry, kind)
		}
		c.Set(v1beta1.ConditionStalled, true, v1beta1.ReasonFailed, say)
	case what != "":
		c.Set(v1beta1.ConditionReady, true, v1beta1.ReasonReady, what)
	case w != nil && w.State == v1beta1.WorkProcessing:
		c.Set(v1beta1.ConditionReady, false, v1beta1.ReasonProgressing, "Inspecting the file")
	case unbrought && w != nil && f.patient() && mayCome(w.Error):
		c.Set(v1beta1.ConditionReady, false, waitReason(w.Error), w.Error.Message+
			"; the next lookup is within 15 minutes, or as soon as the annotation "+v1beta1.AnnotationRetry+" is set to a new value")
	case unbrought && w != nil && w.Error != nil:
		c.Set(v1beta1.ConditionReady, false, v1beta1.ReasonProgressing,
			fmt.Sprintf("%s; attempt %d of %d follows", w.Error.Message, round(w)+1, catalog.MaxAttempts))
	case unbrought && w != nil && w.Attempt > 1:
		c.Set(v1beta1.ConditionReady, false, v1beta1.ReasonProgressing, "The file could not be downloaded; retrying")
	case unbrought && f.Source.URL != nil && w != nil && w.StartedAt == nil:
		c.Set(v1beta1.ConditionReady, false, v1beta1.ReasonQueued,
			fmt.Sprintf("Waiting to be downloaded: at most %d files of an account are downloaded at a time", MaxFetchesEach))
	default:
		c.Set(v1beta1.ConditionReady, false, v1beta1.ReasonQueued, "Waiting for a free worker")
	}
}
