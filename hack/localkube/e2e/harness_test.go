// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/utils/ptr"
)

// patience is the timeout of every wait. It is far longer than a wait normally takes.
const patience = 60 * time.Second

func binary(t testing.TB) string {
	t.Helper()
	path := os.Getenv("LOCALKUBE_BINARY")
	if path == "" {
		t.Skip("LOCALKUBE_BINARY is not set: build one with hack/localkube/build.sh and set the variable")
	}
	return path
}

// instance is one localkube with one data folder.
type instance struct {
	t      testing.TB
	dir    string
	args   []string
	cmd    *exec.Cmd
	out    bytes.Buffer
	ended  chan struct{}
	client *kubernetes.Clientset
}

func newInstance(t testing.TB, args ...string) *instance {
	t.Helper()
	binary(t)
	if os.Getuid() != 0 {
		t.Skip("running pods needs root")
	}
	i := &instance{t: t, dir: t.TempDir(), args: args}
	t.Cleanup(func() {
		if i.cmd != nil {
			i.signal(syscall.SIGTERM)
		}
		if t.Failed() {
			t.Logf("output of localkube:\n%s", i.out.String())
		}
	})
	i.start()
	return i
}

func (i *instance) command() *exec.Cmd {
	args := append([]string{"--data-dir", i.dir, "--unsafe-no-fsync", "--ready-file", filepath.Join(i.dir, "ready"), "--image", "sh=/bin/sh"}, i.args...)
	return exec.Command(binary(i.t), args...)
}

func (i *instance) start() {
	i.t.Helper()
	i.cmd = i.command()
	i.cmd.Stdout, i.cmd.Stderr = &i.out, &i.out
	i.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := os.Remove(filepath.Join(i.dir, "ready")); err != nil && !os.IsNotExist(err) {
		i.t.Fatal(err)
	}
	if err := i.cmd.Start(); err != nil {
		i.t.Fatal(err)
	}
	i.ended = make(chan struct{})
	go func(cmd *exec.Cmd, ended chan struct{}) { _ = cmd.Wait(); close(ended) }(i.cmd, i.ended)
	i.eventually("localkube is ready", func(context.Context) error {
		select {
		case <-i.ended:
			i.t.Fatalf("localkube ended: %s", i.out.String())
		default:
		}
		_, err := os.Stat(filepath.Join(i.dir, "ready"))
		return err
	})
	i.client = i.clientOf(filepath.Join(i.dir, "kubeconfig"))
}

func (i *instance) clientOf(kubeconfig string) *kubernetes.Clientset {
	i.t.Helper()
	cfg, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		i.t.Fatal(err)
	}
	cfg.QPS = -1
	c, err := kubernetes.NewForConfig(cfg)
	if err != nil {
		i.t.Fatal(err)
	}
	return c
}

// signal sends a signal to the process and waits for its end.
func (i *instance) signal(s syscall.Signal) {
	i.t.Helper()
	_ = i.cmd.Process.Signal(s)
	select {
	case <-i.ended:
	case <-time.After(patience):
		i.t.Fatalf("localkube did not end after %s: %s", s, i.out.String())
	}
	i.cmd = nil
}

// eventually calls f repeatedly until it returns nil.
func (i *instance) eventually(what string, f func(ctx context.Context) error) {
	i.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		err := f(ctx)
		if err == nil {
			return
		}
		select {
		case <-ctx.Done():
			i.t.Fatalf("waiting until %s: %v", what, err)
		case <-tick.C:
		}
	}
}

// shell returns a Job of one pod with one container that runs a script under the restricted rules.
func shell(name, script string, edit ...func(*batchv1.Job)) *batchv1.Job {
	job := &batchv1.Job{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "default"},
		Spec: batchv1.JobSpec{
			BackoffLimit: ptr.To[int32](0),
			Template: corev1.PodTemplateSpec{Spec: corev1.PodSpec{
				RestartPolicy: corev1.RestartPolicyNever, AutomountServiceAccountToken: ptr.To(false),
				TerminationGracePeriodSeconds: ptr.To[int64](5),
				SecurityContext:               &corev1.PodSecurityContext{RunAsNonRoot: ptr.To(true)},
				Containers: []corev1.Container{{
					Name: "main", Image: "sh", Command: []string{"sh", "-c"}, Args: []string{script},
					SecurityContext: &corev1.SecurityContext{
						AllowPrivilegeEscalation: ptr.To(false), Capabilities: &corev1.Capabilities{Drop: []corev1.Capability{"ALL"}},
					},
				}},
			}},
		},
	}
	for _, f := range edit {
		f(job)
	}
	return job
}

func memoryLimit(q string) func(*batchv1.Job) {
	return func(j *batchv1.Job) {
		j.Spec.Template.Spec.Containers[0].Resources.Limits = corev1.ResourceList{corev1.ResourceMemory: resource.MustParse(q)}
	}
}

func (i *instance) create(job *batchv1.Job) {
	i.t.Helper()
	if _, err := i.client.BatchV1().Jobs(job.Namespace).Create(context.Background(), job, metav1.CreateOptions{}); err != nil {
		i.t.Fatal(err)
	}
}

// finished waits until the Job has ended. It returns the Job's condition, and its pod if that still exists.
func (i *instance) finished(name string) (batchv1.JobCondition, *corev1.Pod) {
	i.t.Helper()
	var end batchv1.JobCondition
	i.eventually("job "+name+" is over", func(ctx context.Context) error {
		job, err := i.client.BatchV1().Jobs("default").Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		for _, c := range job.Status.Conditions {
			if c.Status == corev1.ConditionTrue && (c.Type == batchv1.JobComplete || c.Type == batchv1.JobFailed) {
				end = c
				return nil
			}
		}
		return fmt.Errorf("got status %+v, pod %s", job.Status, i.describe(ctx, name))
	})
	return end, i.pod(name)
}

func (i *instance) describe(ctx context.Context, job string) string {
	pods, err := i.client.CoreV1().Pods("default").List(ctx, metav1.ListOptions{LabelSelector: "job-name=" + job})
	if err != nil || len(pods.Items) == 0 {
		return fmt.Sprintf("missing (%v)", err)
	}
	return fmt.Sprintf("%+v", pods.Items[0].Status)
}

func (i *instance) pod(job string) *corev1.Pod {
	i.t.Helper()
	pods, err := i.client.CoreV1().Pods("default").List(context.Background(), metav1.ListOptions{LabelSelector: "job-name=" + job})
	if err != nil {
		i.t.Fatal(err)
	}
	if len(pods.Items) == 0 {
		return nil
	}
	return &pods.Items[0]
}

// saying waits until the pod of a Job has printed a word, and returns the pod.
func (i *instance) saying(job, word string) *corev1.Pod {
	i.t.Helper()
	var pod *corev1.Pod
	i.eventually("the pod of "+job+" says "+word, func(ctx context.Context) error {
		if pod = i.pod(job); pod == nil {
			return fmt.Errorf("no pod")
		}
		text, err := i.log(ctx, pod, &corev1.PodLogOptions{})
		if err != nil {
			return err
		}
		if !bytes.Contains([]byte(text), []byte(word)) {
			return fmt.Errorf("got log %q", text)
		}
		return nil
	})
	return pod
}

func (i *instance) log(ctx context.Context, pod *corev1.Pod, o *corev1.PodLogOptions) (string, error) {
	s, err := i.client.CoreV1().Pods(pod.Namespace).GetLogs(pod.Name, o).Stream(ctx)
	if err != nil {
		return "", err
	}
	defer s.Close()
	raw, err := io.ReadAll(s)
	return string(raw), err
}
