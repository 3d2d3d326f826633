// SPDX-License-Identifier: Apache-2.0

package renderjob

import (
	"strings"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/process/metric"
)

// count records metrics: the attempts with their cause, and the time from the creation of the Job to the start of the
// first attempt. The total waiting and running times of renders are recorded where the status of the work is written.
func count(j *v1beta1.RenderJob, o *seen, st step) {
	source := strings.ToLower(kindOf(j))
	if st.kind == stepStart || st.kind == stepSucceed || st.kind == stepFail {
		for _, part := range o.unconfined {
			metric.Unconfined.WithLabelValues("render", part).Inc()
		}
	}
	if st.kind == stepStart {
		why := "first"
		switch {
		case st.memory:
			why = "memory"
		case st.attempt > 1:
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
