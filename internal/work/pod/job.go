// SPDX-License-Identifier: Apache-2.0

package pod

import (
	"crypto/x509"
	"fmt"
	"maps"
	"os"
	"strconv"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/process/tracing"
)

// Options are the settings of all pods of a kind of work.
type Options struct {
	// Image of the renderer.
	Image string
	// CPU and Memory are requested and are the limit as well.
	CPU, Memory resource.Quantity
	// Scratch is the size limit of the scratch volume.
	Scratch resource.Quantity
	// Medium of the scratch volume. Default: Memory.
	Medium Medium
	// User is the user and group ID of the pod. If 0, the cluster or the image chooses one, which must not be root.
	User int64
	// TTLSeconds is how long a finished Job and its log are kept.
	TTLSeconds int32
	// Queue is the Kueue LocalQueue of the Jobs; empty without Kueue.
	Queue string
	// CAFiles are PEM files with authorities that the renderer trusts in addition to those of its image. They are read
	// for each Job, so a new authority needs no restart. Together they have at most MaxCABytes.
	CAFiles []string
	// RequireConfinement makes the renderer refuse work on a node whose kernel cannot confine the programs that open
	// files of users. It is part of the order, because the environment of a pod may have one signed URL only.
	RequireConfinement bool
	// Template is added to Jobs and pods.
	Template Template
}

// Medium is the storage medium of a scratch volume.
type Medium string

const (
	// Memory is the default. Files of users are never written to a disk of a node, and no pod fills or waits for a disk.
	// The size of the volume is requested as memory, in addition to the memory of the work.
	Memory Medium = "memory"
	// Disk is the ephemeral storage of the node.
	Disk Medium = "disk"
)

// ParseMedium parses a Medium.
func ParseMedium(s string) (Medium, error) {
	if m := Medium(s); m == Memory || m == Disk {
		return m, nil
	}
	return "", fmt.Errorf("%q is neither %s nor %s", s, Memory, Disk)
}

// securityContext returns the security context of the pod.
func (o Options) securityContext() *corev1.PodSecurityContext {
	s := &corev1.PodSecurityContext{
		RunAsNonRoot: ptr.To(true), SeccompProfile: &corev1.SeccompProfile{Type: corev1.SeccompProfileTypeRuntimeDefault},
	}
	if o.User != 0 {
		s.RunAsUser, s.RunAsGroup, s.FSGroup = new(o.User), new(o.User), new(o.User)
	}
	return s
}

// Threads returns the number of threads of an encoder. By default, x264 would use all processors of the node.
func (o Options) Threads() int {
	return int(max(1, o.CPU.MilliValue()/1000))
}

// User is the user and group ID of the images.
const User = 65532

// Component is the value of LabelComponent on every pod, Job and Secret of a worker. NetworkPolicies and the cache
// select by this label.
const Component = "renderer"

// MaxCABytes is the size limit of the authorities of a pod. They are one environment variable, which Linux limits to
// 128 KiB.
const MaxCABytes = 64 << 10

const (
	orderKey    = "order-url"
	caKey       = "ca.crt"
	scratchPath = "/scratch"
	// queueLabel is the label with the Kueue LocalQueue of a Job.
	queueLabel = "kueue.x-k8s.io/queue-name"
)

// logStorage is the ephemeral storage of a pod for its log and its termination message.
var logStorage = resource.MustParse("64Mi")

// ownLabels are on every Job, pod and Secret.
var ownLabels = map[string]string{
	v1beta1.LabelComponent:        Component,
	"app.kubernetes.io/name":      "reelops",
	"app.kubernetes.io/component": Component,
	"app.kubernetes.io/part-of":   "reelops",
}

// Work is the specification of a Job.
type Work struct {
	// Namespace and Name of the Job and of its Secret.
	Namespace, Name string
	// Labels of the Job, the pod and the Secret, in addition to those of every worker.
	Labels map[string]string
	// MemoryBytes is the memory request and limit, without a scratch volume in memory.
	MemoryBytes int64
	// Queue is the longest time that the pod may wait for a node. Run is the longest time that it may then run.
	Queue, Run time.Duration
	// Attempt is the value of the Job's label; 0 for no label.
	Attempt int32
	// ScratchBytes are added to the size limit of the scratch volume.
	ScratchBytes int64
	// TraceParent is the W3C trace context of the work; empty for none.
	TraceParent string
}

// labels returns the labels of the Job, the pod and the Secret.
func (w Work) labels() map[string]string {
	l := maps.Clone(w.Labels)
	if l == nil {
		l = map[string]string{}
	}
	maps.Copy(l, ownLabels)
	return l
}

// Authorities returns the content of CAFiles. It fails if a file cannot be read or has no certificate, or if the files
// together have more than MaxCABytes.
func (o Options) Authorities() (string, error) {
	var all []byte
	for _, file := range o.CAFiles {
		doc, err := os.ReadFile(file)
		if err != nil {
			return "", fmt.Errorf("reading the authorities of render pods: %w", err)
		}
		if !x509.NewCertPool().AppendCertsFromPEM(doc) {
			return "", fmt.Errorf("reading the authorities of render pods: %s has no certificate in PEM", file)
		}
		all = append(append(all, doc...), '\n')
	}
	if len(all) > MaxCABytes {
		return "", fmt.Errorf("reading the authorities of render pods: they have %d bytes, the limit is %d", len(all),
			MaxCABytes)
	}
	return string(all), nil
}

// Secret returns the Secret with the signed URL of the order and the authorities that the pod trusts.
func (w Work) Secret(orderURL string, o Options) (*corev1.Secret, error) {
	s := &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Namespace: w.Namespace, Name: w.Name, Labels: w.labels()},
		StringData: map[string]string{orderKey: orderURL},
	}
	if len(o.CAFiles) > 0 {
		ca, err := o.Authorities()
		if err != nil {
			return nil, err
		}
		s.StringData[caKey] = ca
	}
	return s, nil
}

// env returns the environment of the container, from the keys of the Secret.
func (w Work) env(o Options) []corev1.EnvVar {
	key := func(variable, key string) corev1.EnvVar {
		return corev1.EnvVar{Name: variable, ValueFrom: &corev1.EnvVarSource{SecretKeyRef: &corev1.SecretKeySelector{
			LocalObjectReference: corev1.LocalObjectReference{Name: w.Name}, Key: key,
		}}}
	}
	env := []corev1.EnvVar{key("REELOPS_ORDER_URL", orderKey)}
	if len(o.CAFiles) > 0 {
		env = append(env, key("REELOPS_CA", caKey))
	}
	if w.TraceParent != "" {
		env = append(env, corev1.EnvVar{Name: tracing.Variable, Value: w.TraceParent})
	}
	return env
}

// Job returns the batch/v1 Job of the work.
func (w Work) Job(o Options) *batchv1.Job {
	memory, disk := *resource.NewQuantity(w.MemoryBytes, resource.BinarySI), logStorage.DeepCopy()
	size := o.Scratch.DeepCopy()
	size.Add(*resource.NewQuantity(w.ScratchBytes, resource.BinarySI))
	scratch := &corev1.EmptyDirVolumeSource{SizeLimit: &size}
	if o.Medium == Disk {
		disk.Add(size)
	} else { // the kernel counts files in memory as memory of the container
		memory.Add(size)
		scratch.Medium = corev1.StorageMediumMemory
	}
	resources := corev1.ResourceList{
		corev1.ResourceCPU: o.CPU, corev1.ResourceMemory: memory,
		corev1.ResourceEphemeralStorage: disk,
	}
	job := &batchv1.Job{
		ObjectMeta: metav1.ObjectMeta{Namespace: w.Namespace, Name: w.Name, Labels: w.labels()},
		Spec: batchv1.JobSpec{
			BackoffLimit:            ptr.To[int32](0),                           // the owner decides on retries
			ActiveDeadlineSeconds:   ptr.To(int64((w.Queue + w.Run).Seconds())), // includes the wait for a node
			TTLSecondsAfterFinished: ptr.To(o.TTLSeconds),
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: w.labels()},
				Spec: corev1.PodSpec{
					RestartPolicy:                 corev1.RestartPolicyNever,
					ActiveDeadlineSeconds:         ptr.To(int64(w.Run.Seconds())), // from when the pod is on a node
					AutomountServiceAccountToken:  ptr.To(false),
					EnableServiceLinks:            ptr.To(false),
					TerminationGracePeriodSeconds: ptr.To[int64](10),
					SecurityContext:               o.securityContext(),
					Containers: []corev1.Container{{
						Name:      Component,
						Image:     o.Image,
						Env:       w.env(o),
						Resources: corev1.ResourceRequirements{Requests: resources, Limits: resources},
						SecurityContext: &corev1.SecurityContext{
							AllowPrivilegeEscalation: ptr.To(false), ReadOnlyRootFilesystem: ptr.To(true),
							Capabilities: &corev1.Capabilities{Drop: []corev1.Capability{"ALL"}},
						},
						TerminationMessagePolicy: corev1.TerminationMessageReadFile,
						VolumeMounts:             []corev1.VolumeMount{{Name: "scratch", MountPath: scratchPath}},
					}},
					Volumes: []corev1.Volume{{Name: "scratch", VolumeSource: corev1.VolumeSource{EmptyDir: scratch}}},
				},
			},
		},
	}
	if w.Attempt > 0 {
		job.Labels[v1beta1.LabelAttempt] = strconv.FormatInt(int64(w.Attempt), 10)
	}
	o.Template.put(job)
	if o.Queue != "" {
		job.Labels[queueLabel] = o.Queue
		job.Spec.Suspend = ptr.To(true) // until Kueue admits the Job
	}
	return job
}
