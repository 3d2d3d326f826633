// SPDX-License-Identifier: Apache-2.0

package status

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
)

// The jobs of a slideshow are the generation of its slides, which the Slideshow records, and its renders, which the
// RenderJobs record. The job of a video includes its render.
var (
	ofSlideshow = of(
		func(s *v1beta1.Slideshow) *[]v1beta1.Transition { return &s.Status.Transitions },
		func(before, after *v1beta1.Slideshow) (v1beta1.WebhookEvent, *metav1.Time) {
			return jobEvent(before.Status.Work, after.Status.Work)
		})
	ofVideo = of(
		func(v *v1beta1.Video) *[]v1beta1.Transition { return &v.Status.Transitions },
		func(before, after *v1beta1.Video) (v1beta1.WebhookEvent, *metav1.Time) {
			return jobEvent(before.Status.Work, after.Status.Work)
		})
	ofRenderJob = of(
		func(j *v1beta1.RenderJob) *[]v1beta1.Transition { return &j.Status.Transitions },
		func(before, after *v1beta1.RenderJob) (v1beta1.WebhookEvent, *metav1.Time) {
			if after.Spec.Source.Kind != v1beta1.KindSlideshow {
				return "", nil
			}
			return jobEvent(before.Status.Work, after.Status.Work)
		})
)

// jobEvent returns the event of work that ended, also if it had ended before and was repeated in between.
func jobEvent(before, after *v1beta1.Work) (v1beta1.WebhookEvent, *metav1.Time) {
	if after == nil || !after.State.Settled() {
		return "", nil
	}
	if before != nil && before.State == after.State && before.FinishedAt.Equal(after.FinishedAt) {
		return "", nil
	}
	if after.State == v1beta1.WorkFailed {
		return v1beta1.EventJobFailed, after.FinishedAt
	}
	return v1beta1.EventJobSucceeded, after.FinishedAt
}
