// SPDX-License-Identifier: Apache-2.0

package renderjob

import (
	"strconv"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	v1alpha1 "github.com/reelops/reelops/api/v1alpha1"
	"github.com/reelops/reelops/internal/catalog"
)

// PodOptions say what a render pod gets.
type PodOptions struct {
	// Image of the renderer.
	Image string
	// CPU and Memory are requested and are the limit as well.
	CPU, Memory resource.Quantity
	// Scratch bounds the pod's working folder.
	Scratch resource.Quantity
	// TTL is how long a finished Job stays to be looked at.
	TTLSeconds int32
}

// threads is how many processors the encoder may use: x264 would otherwise count those of the node.
func (p PodOptions) threads() int {
	return int(max(1, p.CPU.MilliValue()/1000))
}

const (
	orderKey    = "order-url"
	scratchPath = "/scratch"
	renderUser  = 65532
)

func labels(j *v1alpha1.RenderJob) map[string]string {
	return map[string]string{
		v1alpha1.LabelRenderJob: j.Name,
		v1alpha1.LabelShort:     j.Labels[v1alpha1.LabelShort],
		v1alpha1.LabelBrand:     j.Labels[v1alpha1.LabelBrand],
		v1alpha1.LabelComponent: "renderer",
	}
}

// buildJob is the batch/v1 Job of the current attempt. The pod gets no Kubernetes token and no credential of the store:
// all it holds is one signed address in a Secret of its own. It meets the restricted Pod Security Standard.
func buildJob(j *v1alpha1.RenderJob, p PodOptions) *batchv1.Job {
	memory := *resource.NewQuantity(j.Status.MemoryBytes, resource.BinarySI)
	resources := corev1.ResourceList{corev1.ResourceCPU: p.CPU, corev1.ResourceMemory: memory, corev1.ResourceEphemeralStorage: p.Scratch}
	job := labels(j)
	job[v1alpha1.LabelAttempt] = strconv.FormatInt(int64(j.Status.Work.Attempt), 10)
	return &batchv1.Job{
		ObjectMeta: metav1.ObjectMeta{Namespace: j.Namespace, Name: j.Status.JobName, Labels: job},
		Spec: batchv1.JobSpec{
			BackoffLimit:            ptr.To[int32](0),                                                          // the controller decides on retries
			ActiveDeadlineSeconds:   ptr.To(int64((catalog.QueueDeadline + catalog.RenderDeadline).Seconds())), // waiting for a node included
			TTLSecondsAfterFinished: ptr.To(p.TTLSeconds),
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: labels(j)},
				Spec: corev1.PodSpec{
					RestartPolicy:                 corev1.RestartPolicyNever,
					ActiveDeadlineSeconds:         ptr.To(int64(catalog.RenderDeadline.Seconds())), // from when a node has taken it
					AutomountServiceAccountToken:  ptr.To(false),
					EnableServiceLinks:            ptr.To(false),
					TerminationGracePeriodSeconds: ptr.To[int64](10),
					SecurityContext: &corev1.PodSecurityContext{
						RunAsNonRoot: ptr.To(true), RunAsUser: ptr.To[int64](renderUser), RunAsGroup: ptr.To[int64](renderUser), FSGroup: ptr.To[int64](renderUser),
						SeccompProfile: &corev1.SeccompProfile{Type: corev1.SeccompProfileTypeRuntimeDefault},
					},
					Containers: []corev1.Container{{
						Name:  "renderer",
						Image: p.Image,
						Env: []corev1.EnvVar{{Name: "REELOPS_ORDER_URL", ValueFrom: &corev1.EnvVarSource{SecretKeyRef: &corev1.SecretKeySelector{
							LocalObjectReference: corev1.LocalObjectReference{Name: j.Status.JobName}, Key: orderKey,
						}}}},
						Resources: corev1.ResourceRequirements{Requests: resources, Limits: resources},
						SecurityContext: &corev1.SecurityContext{
							AllowPrivilegeEscalation: ptr.To(false), ReadOnlyRootFilesystem: ptr.To(true),
							Capabilities: &corev1.Capabilities{Drop: []corev1.Capability{"ALL"}},
						},
						TerminationMessagePolicy: corev1.TerminationMessageReadFile,
						VolumeMounts:             []corev1.VolumeMount{{Name: "scratch", MountPath: scratchPath}},
					}},
					Volumes: []corev1.Volume{{Name: "scratch", VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{SizeLimit: &p.Scratch}}}},
				},
			},
		},
	}
}
