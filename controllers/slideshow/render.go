// SPDX-License-Identifier: Apache-2.0

package slideshow

import (
	"context"
	"fmt"

	"sigs.k8s.io/controller-runtime/pkg/client"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/film/renders"
	"github.com/reelops/reelops/internal/film/shortwork"
	"github.com/reelops/reelops/internal/kube/status"
)

// decideRender decides about the video that autoRender requests, after the slides are drawn. Nothing is rendered before
// the music can be played: a RenderJob waits for half an hour and then fails permanently, whereas the slideshow waits
// without a limit.
func decideRender(s *v1beta1.Slideshow, o *observed) *decision {
	last := renders.Latest(o.renders, s.Status.Revision)
	retried := s.Spec.AutoRender && last != nil && failedRender(last) && s.Annotations[v1beta1.AnnotationRetry] != s.Status.RetriedFor
	if !retried && !renders.Owed(s, o.renders) {
		return &decision{}
	}
	if silent := shortwork.Audible(s.Spec.Music, o.track, s.Spec.BrandRef.Name); silent != nil {
		return &decision{kind: actionAwaitTrack, reason: silent.Reason, message: silent.Message}
	}
	return &decision{kind: actionRender}
}

func failedRender(j *v1beta1.RenderJob) bool { return renders.State(j) == v1beta1.WorkFailed }

// render creates the RenderJob that autoRender requests. Its name depends on the revision and the earlier renders, so
// it is created once.
func (r *Reconciler) render(ctx context.Context, s *v1beta1.Slideshow, o *observed) error {
	j, err := renders.New(s, renders.Name(s, o.renders), s.Status.Revision, r.Client.Scheme())
	if err != nil {
		return err
	}
	return client.IgnoreAlreadyExists(r.Client.Create(ctx, j))
}

// reportRender sets the conditions of a slideshow whose slides are ready and whose video is not. It returns false if
// there is no video to wait for.
func reportRender(c status.Conditions, s *v1beta1.Slideshow, o *observed, d decision) bool {
	if !s.Spec.AutoRender {
		return false
	}
	slides := fmt.Sprintf("%d slides are ready in revision %d", len(s.Status.Slides), s.Status.Revision)
	last := renders.Latest(o.renders, s.Status.Revision)
	switch {
	case d.kind == actionAwaitTrack:
		c.Set(v1beta1.ConditionReady, false, d.reason, slides+"; the video waits: "+d.message)
	case last == nil || d.kind == actionRender:
		c.Set(v1beta1.ConditionReady, false, v1beta1.ReasonProgressing, slides+"; the video follows")
	case failedRender(last):
		c.Set(v1beta1.ConditionReady, false, v1beta1.ReasonRenderFailed, fmt.Sprintf("%s; the RenderJob %q failed: %s", slides, last.Name, last.Status.Work.Error.Message))
		c.Set(v1beta1.ConditionStalled, true, v1beta1.ReasonRenderFailed,
			"Set the annotation "+v1beta1.AnnotationRetry+" to a new value to render the video again, or spec.autoRender to false")
		return true
	case renders.State(last) == v1beta1.WorkSucceeded:
		return false
	default:
		reason := v1beta1.ReasonProgressing
		if ready := readyOf(last.Status.Conditions); ready != nil {
			reason = v1beta1.Reason(ready.Reason)
		}
		c.Set(v1beta1.ConditionReady, false, reason, fmt.Sprintf("%s; the RenderJob %q: %s", slides, last.Name, status.Why(last.Status.Conditions)))
	}
	c.Remove(v1beta1.ConditionStalled)
	return true
}
