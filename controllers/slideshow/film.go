// SPDX-License-Identifier: Apache-2.0

package slideshow

import (
	"context"
	"fmt"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/naming"
	"github.com/reelops/reelops/internal/shortwork"
	"github.com/reelops/reelops/internal/status"
)

// planFilm decides on the video that autoRender asks for, once the slides are there. Nothing is rendered before the music can be
// played: a RenderJob waits for half an hour and then fails for good, and the slideshow waits as long as it takes.
func (st step) planFilm(s *v1beta1.Slideshow, o *seen) step {
	if s.Status.Work.State != v1beta1.WorkSucceeded || !s.Spec.AutoRender {
		return st
	}
	if last := film(s, o); last != nil && (!failedRender(last) || s.Annotations[v1beta1.AnnotationRetry] == s.Status.RetriedFor) {
		return st
	}
	if silent := shortwork.Audible(s.Spec.Music, o.track, s.Spec.BrandRef.Name); silent != nil {
		st.kind, st.reason, st.say = stepAwaitTrack, silent.Reason, silent.Message
		return st
	}
	st.kind = stepRender
	return st
}

// film returns the render of the current revision that counts: one that succeeded, else the newest. It returns nil when there is
// none.
func film(s *v1beta1.Slideshow, o *seen) *v1beta1.RenderJob {
	var last *v1beta1.RenderJob
	for _, j := range o.renders {
		if !rendersRevision(j, s.Status.Revision) {
			continue
		}
		if last = j; j.Status.Work != nil && j.Status.Work.State == v1beta1.WorkSucceeded {
			break
		}
	}
	return last
}

func rendersRevision(j *v1beta1.RenderJob, revision int64) bool {
	return (j.Spec.Revision != nil && *j.Spec.Revision == revision) || j.Status.Revision == revision
}

func failedRender(j *v1beta1.RenderJob) bool {
	return j.Status.Work != nil && j.Status.Work.State == v1beta1.WorkFailed
}

// filmName returns the name of the next RenderJob of the current revision.
func filmName(s *v1beta1.Slideshow, o *seen) string {
	return naming.Render(s.Name, s.Status.Revision, func(name string) bool {
		return slices.ContainsFunc(o.renders, func(j *v1beta1.RenderJob) bool { return j.Name == name })
	})
}

// render makes the RenderJob that autoRender asks for; its name follows from the revision and the renders before, so it is made
// once.
func (r *Reconciler) render(ctx context.Context, s *v1beta1.Slideshow, o *seen) error {
	revision := s.Status.Revision
	j := &v1beta1.RenderJob{
		ObjectMeta: metav1.ObjectMeta{
			Namespace:  s.Namespace,
			Name:       filmName(s, o),
			Finalizers: []string{v1beta1.FinalizerRenderJob},
			Labels: map[string]string{
				v1beta1.LabelShort: s.Labels[v1beta1.LabelID],
				v1beta1.LabelBrand: s.Labels[v1beta1.LabelBrand],
			},
		},
		Spec: v1beta1.RenderJobSpec{Source: v1beta1.RenderSource{Kind: v1beta1.KindSlideshow, Name: s.Name}, Revision: &revision, Format: "video"},
	}
	if err := controllerutil.SetControllerReference(s, j, r.Client.Scheme()); err != nil {
		return err
	}
	return client.IgnoreAlreadyExists(r.Client.Create(ctx, j))
}

// reportFilm sets the conditions of a slideshow whose slides are there and whose video is not. It returns false when there is
// nothing to wait for.
func reportFilm(c status.Conditions, s *v1beta1.Slideshow, o *seen, st step) bool {
	if !s.Spec.AutoRender {
		return false
	}
	slides := fmt.Sprintf("%d slides are ready in revision %d", len(s.Status.Slides), s.Status.Revision)
	last := film(s, o)
	switch {
	case st.kind == stepAwaitTrack:
		c.Set(v1beta1.ConditionReady, false, st.reason, slides+"; the video waits: "+st.say)
	case last == nil || st.kind == stepRender:
		c.Set(v1beta1.ConditionReady, false, v1beta1.ReasonProgressing, slides+"; the video follows")
	case failedRender(last):
		c.Set(v1beta1.ConditionReady, false, v1beta1.ReasonRenderFailed, fmt.Sprintf("%s; the RenderJob %q failed: %s", slides, last.Name, last.Status.Work.Error.Message))
		c.Set(v1beta1.ConditionStalled, true, v1beta1.ReasonRenderFailed,
			"Set the annotation "+v1beta1.AnnotationRetry+" to a new value to render the video again, or spec.autoRender to false")
		return true
	case last.Status.Work != nil && last.Status.Work.State == v1beta1.WorkSucceeded:
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
