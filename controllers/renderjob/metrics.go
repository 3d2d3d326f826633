// SPDX-License-Identifier: Apache-2.0

package renderjob

import (
	"strings"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/process/metric"
)

// count updates the metrics of attempts and the time from the creation of the first Job to its running container. The
// durations of whole renders are counted where their record is written.
func count(j *v1beta1.RenderJob, o *observed, d decision) {
	source := strings.ToLower(kindOf(j))
	if d.kind == actionStart || d.kind == actionSucceed || d.kind == actionFail {
		for _, part := range o.unconfined {
			metric.Unconfined.WithLabelValues("render", part).Inc()
		}
	}
	if d.kind == actionStart {
		why := "first"
		switch {
		case d.memory:
			why = "memory"
		case d.attempt > 1:
			why = "lost"
		}
		metric.RenderAttempts.WithLabelValues(source, why).Inc()
	}
	w := j.Status.Work
	if w == nil || w.State != v1beta1.WorkProcessing || o.before == v1beta1.WorkProcessing || o.job == nil || w.StartedAt == nil || w.Attempt != 1 {
		return
	}
	metric.RenderStart.WithLabelValues(source).Observe(max(0, w.StartedAt.Sub(o.job.CreationTimestamp.Time).Seconds()))
}
