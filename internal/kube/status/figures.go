// SPDX-License-Identifier: Apache-2.0

package status

import (
	"context"

	"go.opentelemetry.io/otel/attribute"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/process/metric"
	"github.com/reelops/reelops/internal/process/tracing"
)

// recordMetrics records how long work waited and took, computed from the times that were just written. Render pods
// cannot reach a trace receiver, so the spans of their work are recorded here.
func recordMetrics(ctx context.Context, before, after client.Object) {
	kind, was := WorkOf(before)
	_, is := WorkOf(after)
	if is == nil {
		return
	}
	if is.StartedAt != nil && (was == nil || was.StartedAt == nil) && !Again(is) {
		created := after.GetCreationTimestamp().Time
		tracing.Past(ctx, kind+" wait", created, is.StartedAt.Time)
		metric.WorkWait.WithLabelValues(kind).Observe(max(0, is.StartedAt.Sub(created).Seconds()))
	}
	if !is.State.Settled() || was != nil && was.State.Settled() {
		return
	}
	code := ""
	if is.Error != nil {
		code = is.Error.Code
	}
	metric.WorkEnded.WithLabelValues(kind, string(is.State), code).Inc()
	if is.StartedAt != nil && is.FinishedAt != nil {
		tracing.Past(ctx, kind+" work", is.StartedAt.Time, is.FinishedAt.Time, attribute.String("reelops.outcome", string(is.State)),
			attribute.String("reelops.code", code), attribute.Int("reelops.attempt", int(is.Attempt)))
		metric.WorkRun.WithLabelValues(kind, string(is.State)).Observe(max(0, is.FinishedAt.Sub(is.StartedAt.Time).Seconds()))
	}
}

// Again reports whether the work was restarted manually after it had failed. The record does not keep the time of that
// request.
func Again(w *v1beta1.Work) bool { return w.Attempt > catalog.MaxAttempts }

// WorkOf returns the record of the work on an object, nil before there is one, and the name of its kind in metrics. The
// name is empty for kinds that have no work.
func WorkOf(o client.Object) (kind string, w *v1beta1.Work) {
	switch o := o.(type) {
	case *v1beta1.Slideshow:
		return "slideshow", o.Status.Work
	case *v1beta1.Video:
		return "video", o.Status.Work
	case *v1beta1.RenderJob:
		return "render", o.Status.Work
	case *v1beta1.MediaAsset:
		return "media", o.Status.Work
	case *v1beta1.MusicTrack:
		return "track", o.Status.Work
	}
	return "", nil
}
