// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// BenchmarkJobStart measures the time from the creation of a Job to the first output of its process, and from the end
// of the process to the completion of the Job.
func BenchmarkJobStart(b *testing.B) {
	i := newInstance(b)
	ctx := context.Background()
	var start, end float64
	n := 0
	for b.Loop() {
		name := "bench-" + strconv.Itoa(n)
		n++
		begin := now()
		i.create(shell(name, "date +%s.%N", memoryLimit("64Mi")))
		i.eventually("complete", func(ctx context.Context) error {
			job, err := i.client.BatchV1().Jobs("default").Get(ctx, name, metav1.GetOptions{})
			if err == nil && job.Status.Succeeded == 0 {
				err = errors.New("not yet")
			}
			return err
		})
		done := now()
		text, err := i.log(ctx, i.pod(name), &corev1.PodLogOptions{})
		if err != nil {
			b.Fatal(err)
		}
		at, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
		if err != nil {
			b.Fatal(err)
		}
		start += at - begin
		end += done - at
	}
	b.ReportMetric(start/float64(n)*1000, "ms-to-process")
	b.ReportMetric(end/float64(n)*1000, "ms-to-complete")
}

func now() float64 { return float64(time.Now().UnixNano()) / 1e9 }
