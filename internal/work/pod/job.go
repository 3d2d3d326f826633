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

// Options say what a pod gets.
type Options struct {
	// Image of the renderer.
	Image string
	// CPU and Memory are requested and are the limit as well.
	CPU, Memory resource.Quantity
	// Scratch bounds the pod's working folder, Medium is what holds it; "" is memory.
	Scratch resource.Quantity
	Medium  Medium
	// User and group of the pod; 0 names none. The cluster or the image then chooses one, which must not be root.
	User int64
	// TTLSeconds is how long a finished Job stays to be looked at.
	TTLSeconds int32
	// Queue is the Kueue queue that Jobs wait in; "" where there is no Kueue.
	Queue string
	// CAFiles are PEM files with authorities that the renderer trusts in addition to those of its image. They are read
	// for each Job, so a new authority needs no restart. Together they have at most MaxCABytes.
	CAFiles []string
	// RequireConfinement makes the renderer refuse work on a node whose kernel cannot confine the programs that open
	// files of users. The order carries it: the environment of a pod is bound to one signed address.
	RequireConfinement bool
	// Template is what the installation adds.
	Template Template
}

// Medium is what holds the working folder of a pod.
type Medium string

// Media. Memory is the usual one: what somebody brought then touches no disk of a node, goes with the pod whatever
// becomes of the node, and no pod fills a disk that others need or waits for one. It costs memory, which is
// requested: the folder's size on top of the work's.
const (
	Memory Medium = "memory"
	Disk   Medium = "disk"
)

// ParseMedium reads a Medium.
func ParseMedium(s string) (Medium, error) {
	if m := Medium(s); m == Memory || m == Disk {
		return m, nil
	}
	return "", fmt.Errorf("%q is neither %s nor %s", s, Memory, Disk)
}

// securityContext returns that of the pod.
func (o Options) securityContext() *corev1.PodSecurityContext {
	s := &corev1.PodSecurityContext{
		RunAsNonRoot: ptr.To(true), SeccompProfile: &corev1.SeccompProfile{Type: corev1.SeccompProfileTypeRuntimeDefault},
	}
	if o.User != 0 {
		s.RunAsUser, s.RunAsGroup, s.FSGroup = new(o.User), new(o.User), new(o.User)
	}
	return s
}

// Threads is how many processors an encoder may use: x264 would otherwise count those of the node.
func (o Options) Threads() int {
	return int(max(1, o.CPU.MilliValue()/1000))
}

// User is the user and group of the images.
const User = 65532

// Component is the value of LabelComponent on every pod, Job and Secret here, by which they are selected.
const Component = "renderer"

// MaxCABytes bounds the authorities of a pod: they are one environment variable, and Linux limits one to 128 KiB.
const MaxCABytes = 64 << 10

const (
	orderKey    = "order-url"
	caKey       = "ca.crt"
	scratchPath = "/scratch"
	// queueLabel names the queue of a Job to Kueue.
	queueLabel = "kueue.x-k8s.io/queue-name"
)

// aside is the disk that a pod may use beside its working folder: for its log and its last words.
var aside = resource.MustParse("64Mi")

// ownLabels are on everything here.
var ownLabels = map[string]string{
	v1beta1.LabelComponent:        Component,
	"app.kubernetes.io/name":      "reelops",
	"app.kubernetes.io/component": Component,
	"app.kubernetes.io/part-of":   "reelops",
}

// Work is one Job to make.
type Work struct {
	// Namespace and Name of the Job and of the Secret with its address.
	Namespace, Name string
	// Labels of Job, pod and Secret, beside Component.
	Labels map[string]string
	// MemoryBytes is requested and is the limit, beside a working folder in memory.
	MemoryBytes int64
	// Queue is how long the pod may wait for a node, Run how long it may then work.
	Queue, Run time.Duration
	// Attempt is its number on the Job's label; 0 for no label.
	Attempt int32
	// ScratchBytes are added to the size of the working folder, for the files of the work.
	ScratchBytes int64
	// TraceParent is the W3C trace context of the work; empty for none.
	TraceParent string
}

func (w Work) labels() map[string]string {
	l := maps.Clone(w.Labels)
	if l == nil {
		l = map[string]string{}
	}
	maps.Copy(l, ownLabels)
	return l
}

// Authorities returns the content of CAFiles. It fails if a file cannot be read, has no certificate, or all are over
// MaxCABytes.
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

// Secret holds the signed address of the work's order and the authorities that the pod trusts.
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

// env returns the environment of the container: keys of the work's own Secret.
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

// Job is the work's batch/v1 Job.
func (w Work) Job(o Options) *batchv1.Job {
	memory, disk := *resource.NewQuantity(w.MemoryBytes, resource.BinarySI), aside.DeepCopy()
	size := o.Scratch.DeepCopy()
	size.Add(*resource.NewQuantity(w.ScratchBytes, resource.BinarySI))
	scratch := &corev1.EmptyDirVolumeSource{SizeLimit: &size}
	if o.Medium == Disk {
		disk.Add(size)
	} else { // the kernel counts its files as the container's memory
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
			BackoffLimit:            ptr.To[int32](0),                           // the controller decides on retries
			ActiveDeadlineSeconds:   ptr.To(int64((w.Queue + w.Run).Seconds())), // waiting for a node included
			TTLSecondsAfterFinished: ptr.To(o.TTLSeconds),
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: w.labels()},
				Spec: corev1.PodSpec{
					RestartPolicy:                 corev1.RestartPolicyNever,
					ActiveDeadlineSeconds:         ptr.To(int64(w.Run.Seconds())), // from when a node has taken it
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
		job.Spec.Suspend = ptr.To(true) // until Kueue lets it go
	}
	return job
}
