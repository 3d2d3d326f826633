// SPDX-License-Identifier: Apache-2.0

package post

import (
	corev1 "k8s.io/api/core/v1"

	v1alpha1 "github.com/reelops/reelops/api/v1alpha1"
)

const action = "Publish"

// announce tells of what was written, once: that a post is out, that it failed, that nobody knows. before is the state that stood
// before the write.
func (r *Reconciler) announce(p *v1alpha1.Post, before v1alpha1.PostState) {
	s := &p.Status
	if s.State != before {
		switch s.State {
		case v1alpha1.PostSuccess:
			r.Events.Eventf(p, nil, corev1.EventTypeNormal, string(v1alpha1.ReasonPublished), action, "%s", whereItIs(p))
		case v1alpha1.PostFailed:
			r.Events.Eventf(p, nil, corev1.EventTypeWarning, string(v1alpha1.ReasonFailed), action, "%s: %s", s.Error.Code, s.Error.Message)
		case v1alpha1.PostCancelled:
			r.Events.Eventf(p, nil, corev1.EventTypeNormal, string(v1alpha1.ReasonCancelled), action, "cancelled before it went out")
		}
		r.figures.ended(p)
	}
	a := last(p)
	switch {
	case a == nil:
	case a.State == v1alpha1.AttemptUnknown && !s.State.Final():
		if r.unknown.add(p.UID, r.figures) {
			r.Events.Eventf(p, nil, corev1.EventTypeWarning, string(v1alpha1.ReasonOutcomeUnknown), action,
				"nobody knows whether the platform took attempt %d: looking for it there", a.Number)
		}
	default:
		r.unknown.remove(p.UID, r.figures)
	}
}
