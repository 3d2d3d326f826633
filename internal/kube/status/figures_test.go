// SPDX-License-Identifier: Apache-2.0

package status

import (
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/process/metric"
)

func TestMetrics_CountWorkOnce(t *testing.T) {
	made := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	at := func(s int) *metav1.Time { x := metav1.NewTime(made.Add(time.Duration(s) * time.Second)); return &x }
	video := func(w *v1beta1.Work) *v1beta1.Video {
		return &v1beta1.Video{ObjectMeta: metav1.ObjectMeta{CreationTimestamp: metav1.NewTime(made)}, Status: v1beta1.VideoStatus{Work: w}}
	}
	ended := metric.WorkEnded.WithLabelValues("video", "failed", "generation_failed")
	before := testutil.ToFloat64(ended)
	waits, runs := testutil.CollectAndCount(metric.WorkWait), testutil.CollectAndCount(metric.WorkRun)
	states := []*v1beta1.Video{
		video(nil),
		video(&v1beta1.Work{State: v1beta1.WorkQueued}),
		video(&v1beta1.Work{State: v1beta1.WorkProcessing, StartedAt: at(7)}),
		video(&v1beta1.Work{State: v1beta1.WorkFailed, StartedAt: at(7), FinishedAt: at(30), Error: &v1beta1.WorkError{Code: "generation_failed"}}),
		video(&v1beta1.Work{State: v1beta1.WorkFailed, StartedAt: at(7), FinishedAt: at(30), Error: &v1beta1.WorkError{Code: "generation_failed"}, Attempt: 2}),
	}
	for i := 1; i < len(states); i++ {
		recordMetrics(t.Context(), states[i-1], states[i])
	}
	if got := testutil.ToFloat64(ended) - before; got != 1 {
		t.Errorf("one end is counted %v times", got)
	}
	if w, r := testutil.CollectAndCount(metric.WorkWait)-waits, testutil.CollectAndCount(metric.WorkRun)-runs; w != 1 || r != 1 {
		t.Errorf("waiting has %d new samples, running %d", w, r)
	}
	asset := func(w v1beta1.Work) *v1beta1.MediaAsset {
		return &v1beta1.MediaAsset{ObjectMeta: metav1.ObjectMeta{CreationTimestamp: metav1.NewTime(made)}, Status: v1beta1.MediaAssetStatus{Work: &w}}
	}
	waits = testutil.CollectAndCount(metric.WorkWait)
	recordMetrics(t.Context(), asset(v1beta1.Work{State: v1beta1.WorkQueued, Attempt: catalog.MaxAttempts + 1}),
		asset(v1beta1.Work{State: v1beta1.WorkProcessing, Attempt: catalog.MaxAttempts + 1, StartedAt: at(86400)}))
	if n := testutil.CollectAndCount(metric.WorkWait) - waits; n != 0 {
		t.Error("the wait of repeated work counts from its creation")
	}
	recordMetrics(t.Context(), &v1beta1.Post{}, &v1beta1.Post{}) // posts have their own metrics
}
