// SPDX-License-Identifier: Apache-2.0

package renderjob

import (
	"strconv"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/process/tracing"
	"github.com/reelops/reelops/internal/work/renderpod"
)

// PodOptions say what a render pod gets.
type PodOptions = renderpod.Options

// work is the current attempt as a confined Job.
func work(j *v1beta1.RenderJob) renderpod.Work {
	return renderpod.Work{
		Namespace: j.Namespace, Name: j.Status.JobName,
		Labels: map[string]string{
			v1beta1.LabelRenderJob: j.Name,
			v1beta1.LabelShort:     j.Labels[v1beta1.LabelShort],
			v1beta1.LabelBrand:     j.Labels[v1beta1.LabelBrand],
		},
		MemoryBytes: j.Status.MemoryBytes,
		Queue:       catalog.QueueDeadline, Run: runTime(j),
	}
}

// buildJob is the batch/v1 Job of the current attempt, for a film whose clips weigh so much: they lie in its working folder.
func buildJob(j *v1beta1.RenderJob, p PodOptions, clipBytes int64) *batchv1.Job {
	p.Scratch = p.Scratch.DeepCopy()
	p.Scratch.Add(*resource.NewQuantity(clipBytes, resource.BinarySI))
	b := work(j).Job(p)
	if parent := j.Annotations[v1beta1.AnnotationTraceParent]; parent != "" {
		c := &b.Spec.Template.Spec.Containers[0]
		c.Env = append(c.Env, corev1.EnvVar{Name: tracing.Variable, Value: parent})
	}
	b.Labels[v1beta1.LabelAttempt] = strconv.FormatInt(int64(j.Status.Work.Attempt), 10)
	return b
}
