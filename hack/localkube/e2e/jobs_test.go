// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
)

func ended(t *testing.T, pod *corev1.Pod) *corev1.ContainerStateTerminated {
	t.Helper()
	if pod == nil || len(pod.Status.ContainerStatuses) != 1 || pod.Status.ContainerStatuses[0].State.Terminated == nil {
		t.Fatalf("the container has not ended: %+v", pod)
	}
	return pod.Status.ContainerStatuses[0].State.Terminated
}

func TestPods(t *testing.T) {
	i := newInstance(t)
	ctx := context.Background()

	t.Run("a job completes, with its message, log and limits", func(t *testing.T) {
		i.create(shell("good", `echo out; echo err >&2; id -u; grep NoNewPrivs /proc/self/status; ls / ; touch /tmp/mine; echo fine >/dev/termination-log`, memoryLimit("64Mi")))
		end, pod := i.finished("good")
		if end.Type != batchv1.JobComplete || pod.Status.Phase != corev1.PodSucceeded {
			t.Fatalf("got job %+v, pod %s", end, pod.Status.Phase)
		}
		if got := ended(t, pod); got.ExitCode != 0 || got.Reason != "Completed" || got.Message != "fine\n" {
			t.Errorf("got %+v", got)
		}
		text, err := i.log(ctx, pod, &corev1.PodLogOptions{})
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{"out\n", "err\n", "65532\n", "NoNewPrivs:\t1\n"} {
			if !strings.Contains(text, want) {
				t.Errorf("the log lacks %q:\n%s", want, text)
			}
		}
		if strings.Contains(text, "\nboot\n") {
			t.Errorf("the container sees the host's root:\n%s", text)
		}
		if tail, err := i.log(ctx, pod, &corev1.PodLogOptions{TailLines: ptr.To[int64](1)}); err != nil || strings.Count(tail, "\n") != 1 {
			t.Errorf("got last line %q (%v)", tail, err)
		}
		if _, err := os.Stat("/tmp/mine"); err == nil {
			t.Error("the container wrote to the host's /tmp")
		}
	})

	t.Run("a job without retries fails with the exit code", func(t *testing.T) {
		i.create(shell("bad", `echo to the log; exit 7`, func(j *batchv1.Job) {
			j.Spec.Template.Spec.Containers[0].TerminationMessagePolicy = corev1.TerminationMessageFallbackToLogsOnError
		}))
		end, pod := i.finished("bad")
		if end.Type != batchv1.JobFailed || end.Reason != "BackoffLimitExceeded" {
			t.Errorf("got job %+v", end)
		}
		if got := ended(t, pod); got.ExitCode != 7 || got.Reason != "Error" || got.Message != "to the log\n" {
			t.Errorf("got %+v", got)
		}
	})

	t.Run("reports that a program exceeded its memory limit", func(t *testing.T) {
		// The memory of the grandchild grows; the whole container must end.
		i.create(shell("big", `sh -c 'x=aaaaaaaaaaaaaaaa; while :; do x=$x$x; done'; echo survived`, memoryLimit("32Mi")))
		end, pod := i.finished("big")
		if got := ended(t, pod); end.Type != batchv1.JobFailed || got.ExitCode != 137 || got.Reason != "OOMKilled" {
			t.Errorf("got job %+v, container %+v", end, got)
		}
	})

	t.Run("a killed program reports its signal", func(t *testing.T) {
		i.create(shell("killed", `exec sleep 76543`))
		i.eventually("its process is killed", func(context.Context) error { return killInside(t, "sleep 76543", syscall.SIGKILL) })
		_, pod := i.finished("killed")
		if got := ended(t, pod); got.ExitCode != 137 || got.Reason != "Error" {
			t.Errorf("got %+v", got)
		}
	})

	t.Run("a deadline of the job ends the pod", func(t *testing.T) {
		i.create(shell("late", `trap 'exit 3' TERM; echo up; while :; do sleep 0.05; done`, func(j *batchv1.Job) {
			j.Spec.ActiveDeadlineSeconds = ptr.To[int64](1)
		}))
		end, _ := i.finished("late")
		if end.Type != batchv1.JobFailed || end.Reason != "DeadlineExceeded" {
			t.Errorf("got job %+v", end)
		}
	})

	t.Run("a deadline of the pod fails it", func(t *testing.T) {
		i.create(shell("slow", `echo up; exec sleep 1000`, func(j *batchv1.Job) {
			j.Spec.Template.Spec.ActiveDeadlineSeconds = ptr.To[int64](1)
			j.Spec.Template.Spec.TerminationGracePeriodSeconds = ptr.To[int64](1)
		}))
		_, pod := i.finished("slow")
		if pod.Status.Phase != corev1.PodFailed || pod.Status.Reason != "DeadlineExceeded" {
			t.Errorf("got pod %s, %s", pod.Status.Phase, pod.Status.Reason)
		}
		if got := ended(t, pod); got.ExitCode != 137 { // as process 1 of its PID namespace, sleep ignores TERM
			t.Errorf("got %+v", got)
		}
	})

	t.Run("a deleted pod gets its grace period and is removed", func(t *testing.T) {
		shared := worldReadable(t)
		i.create(shell("leaving", `trap 'echo asked >/out/asked; exit 0' TERM; echo up; while :; do sleep 0.05; done`, func(j *batchv1.Job) {
			s := &j.Spec.Template.Spec
			s.Volumes = []corev1.Volume{{Name: "out", VolumeSource: corev1.VolumeSource{HostPath: &corev1.HostPathVolumeSource{Path: shared}}}}
			s.Containers[0].VolumeMounts = []corev1.VolumeMount{{Name: "out", MountPath: "/out"}}
		}))
		pod := i.saying("leaving", "up")
		if err := i.client.BatchV1().Jobs("default").Delete(ctx, "leaving", metav1.DeleteOptions{PropagationPolicy: ptr.To(metav1.DeletePropagationBackground)}); err != nil {
			t.Fatal(err)
		}
		i.eventually("the pod is removed", func(ctx context.Context) error {
			_, err := i.client.CoreV1().Pods("default").Get(ctx, pod.Name, metav1.GetOptions{})
			if apierrors.IsNotFound(err) {
				return nil
			}
			return errors.Join(err, errors.New("the pod exists"))
		})
		if _, err := os.Stat(filepath.Join(shared, "asked")); err != nil {
			t.Errorf("the program got no SIGTERM: %v", err)
		}
		i.eventually("the folder of the pod is removed", func(context.Context) error {
			if _, err := os.Stat(filepath.Join(i.dir, "node", "pods", string(pod.UID))); !os.IsNotExist(err) {
				return fmt.Errorf("the folder exists (%v)", err)
			}
			return nil
		})
	})

	t.Run("volumes, variables and a read-only root", func(t *testing.T) {
		sec := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: "s"}, StringData: map[string]string{"k": "hidden"}}
		if _, err := i.client.CoreV1().Secrets("default").Create(ctx, sec, metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
		i.create(shell("volumes", `set -e
cat /etc/reelops/secret/k; echo
echo "$K in $NS on $(cat /proc/sys/kernel/hostname)"
dd if=/dev/zero of=/mem/x bs=1M count=2 2>/dev/null && echo room for 2 || true
dd if=/dev/zero of=/mem/y bs=1M count=9 2>/dev/null && echo room for 9 || echo full
echo x >/scratch/x && echo scratch
{ echo x >/tmp/x; } 2>/dev/null && echo tmp || echo read-only`, func(j *batchv1.Job) {
			s := &j.Spec.Template.Spec
			c := &s.Containers[0]
			c.SecurityContext.ReadOnlyRootFilesystem = ptr.To(true)
			c.Env = []corev1.EnvVar{
				{Name: "K", ValueFrom: &corev1.EnvVarSource{SecretKeyRef: &corev1.SecretKeySelector{LocalObjectReference: corev1.LocalObjectReference{Name: "s"}, Key: "k"}}},
				{Name: "NS", ValueFrom: &corev1.EnvVarSource{FieldRef: &corev1.ObjectFieldSelector{FieldPath: "metadata.namespace"}}},
			}
			s.Volumes = []corev1.Volume{
				{Name: "secret", VolumeSource: corev1.VolumeSource{Secret: &corev1.SecretVolumeSource{SecretName: "s"}}},
				{Name: "mem", VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{Medium: corev1.StorageMediumMemory, SizeLimit: ptr.To(resource.MustParse("4Mi"))}}},
				{Name: "scratch", VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}}},
			}
			c.VolumeMounts = []corev1.VolumeMount{{Name: "secret", MountPath: "/etc/reelops/secret"}, {Name: "mem", MountPath: "/mem"}, {Name: "scratch", MountPath: "/scratch"}}
		}))
		end, pod := i.finished("volumes")
		text, err := i.log(ctx, pod, &corev1.PodLogOptions{})
		want := "hidden\nhidden in default on " + pod.Name + "\nroom for 2\nfull\nscratch\nread-only\n"
		if end.Type != batchv1.JobComplete || text != want {
			t.Errorf("got job %s, log %q (%v), want %q", end.Type, text, err, want)
		}
		if _, err := os.Stat("/etc/reelops/secret"); err == nil {
			t.Error("the mount is visible outside")
		}
	})

	t.Run("a program that cannot be started fails the job with a reason", func(t *testing.T) {
		i.create(shell("nothing", "", func(j *batchv1.Job) {
			c := &j.Spec.Template.Spec.Containers[0]
			c.Command, c.Args = []string{"no-such-program"}, nil
		}))
		end, pod := i.finished("nothing")
		got := ended(t, pod)
		if end.Type != batchv1.JobFailed || got.ExitCode != 128 || got.Reason != "StartError" || !strings.Contains(got.Message, `"no-such-program" is not in PATH`) {
			t.Errorf("got job %s, container %+v", end.Type, got)
		}
	})

	t.Run("a service-account token is in the path of clients", func(t *testing.T) {
		i.create(shell("token", `cd /var/run/secrets/kubernetes.io/serviceaccount && ls && cat namespace`, func(j *batchv1.Job) {
			j.Spec.Template.Spec.AutomountServiceAccountToken = ptr.To(true)
		}))
		_, pod := i.finished("token")
		if text, err := i.log(ctx, pod, &corev1.PodLogOptions{}); err != nil || text != "ca.crt\nnamespace\ntoken\ndefault" && text != "ca.crt\nnamespace\ntoken\ndefault\n" {
			t.Errorf("got log %q (%v)", text, err)
		}
		if _, err := os.Stat("/run/secrets/kubernetes.io"); err == nil {
			t.Error("the mount left files on the host")
		}
	})

	t.Run("a crash loop backs off", func(t *testing.T) {
		pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "crash"}, Spec: shell("crash", "exit 3").Spec.Template.Spec}
		pod.Spec.RestartPolicy = corev1.RestartPolicyAlways
		if _, err := i.client.CoreV1().Pods("default").Create(ctx, pod, metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
		i.eventually("the container waits after its second exit", func(ctx context.Context) error {
			pod, err := i.client.CoreV1().Pods("default").Get(ctx, "crash", metav1.GetOptions{})
			if err != nil || len(pod.Status.ContainerStatuses) == 0 {
				return errors.Join(err, errors.New("no status"))
			}
			s := pod.Status.ContainerStatuses[0]
			if s.RestartCount != 1 || s.State.Waiting == nil || s.State.Waiting.Reason != "CrashLoopBackOff" || s.LastTerminationState.Terminated == nil || s.LastTerminationState.Terminated.ExitCode != 3 {
				return fmt.Errorf("got %+v", s)
			}
			return nil
		})
	})

	t.Run("a followed log ends with the container", func(t *testing.T) {
		i.create(shell("followed", `echo first; until [ -e /go/on ]; do sleep 0.02; done; echo last`, func(j *batchv1.Job) {
			s := &j.Spec.Template.Spec
			s.Volumes = []corev1.Volume{{Name: "go", VolumeSource: corev1.VolumeSource{HostPath: &corev1.HostPathVolumeSource{Path: worldReadable(t)}}}}
			s.Containers[0].VolumeMounts = []corev1.VolumeMount{{Name: "go", MountPath: "/go"}}
		}))
		pod := i.saying("followed", "first")
		s, err := i.client.CoreV1().Pods("default").GetLogs(pod.Name, &corev1.PodLogOptions{Follow: true}).Stream(ctx)
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		head := make([]byte, len("first\n"))
		if _, err := io.ReadFull(s, head); err != nil || string(head) != "first\n" {
			t.Fatalf("the log starts with %q (%v)", head, err)
		}
		if err := os.WriteFile(filepath.Join(pod.Spec.Volumes[0].HostPath.Path, "on"), nil, 0o644); err != nil {
			t.Fatal(err)
		}
		if rest, err := io.ReadAll(s); err != nil || string(rest) != "last\n" {
			t.Errorf("the log continues with %q (%v)", rest, err)
		}
	})

	t.Run("an unknown image is reported with a remedy", func(t *testing.T) {
		i.create(shell("unknown", `true`, func(j *batchv1.Job) { j.Spec.Template.Spec.Containers[0].Image = "example.org/none:1" }))
		i.eventually("the pod waits", func(context.Context) error {
			pod := i.pod("unknown")
			if pod == nil || len(pod.Status.ContainerStatuses) == 0 || pod.Status.ContainerStatuses[0].State.Waiting == nil {
				return errors.New("no status")
			}
			if w := pod.Status.ContainerStatuses[0].State.Waiting; w.Reason != "ErrImagePull" || !strings.Contains(w.Message, "--image example.org/none:1=") {
				return fmt.Errorf("got the waiting state %+v", w)
			}
			return nil
		})
	})

	t.Run("init containers run in order before the others", func(t *testing.T) {
		i.create(shell("init", `cat /w/order`, func(j *batchv1.Job) {
			s := &j.Spec.Template.Spec
			s.Volumes = []corev1.Volume{{Name: "w", VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}}}}
			s.Containers[0].VolumeMounts = []corev1.VolumeMount{{Name: "w", MountPath: "/w"}}
			for _, n := range []string{"one", "two"} {
				c := *s.Containers[0].DeepCopy()
				c.Name, c.Args = n, []string{"echo " + n + " >>/w/order"}
				s.InitContainers = append(s.InitContainers, c)
			}
		}))
		_, pod := i.finished("init")
		if text, err := i.log(ctx, pod, &corev1.PodLogOptions{Container: "main"}); err != nil || text != "one\ntwo\n" {
			t.Errorf("got order %q (%v)", text, err)
		}
	})

	t.Run("OnFailure restarts and keeps the previous log", func(t *testing.T) {
		i.create(shell("again", `echo run; if [ -e /w/x ]; then exit 0; fi; touch /w/x; exit 1`, func(j *batchv1.Job) {
			s := &j.Spec.Template.Spec
			j.Spec.BackoffLimit = ptr.To[int32](3)
			s.RestartPolicy = corev1.RestartPolicyOnFailure
			s.Volumes = []corev1.Volume{{Name: "w", VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}}}}
			s.Containers[0].VolumeMounts = []corev1.VolumeMount{{Name: "w", MountPath: "/w"}}
		}))
		end, pod := i.finished("again")
		if end.Type != batchv1.JobComplete || pod.Status.ContainerStatuses[0].RestartCount != 1 {
			t.Errorf("got job %s after %d restarts", end.Type, pod.Status.ContainerStatuses[0].RestartCount)
		}
		if text, err := i.log(ctx, pod, &corev1.PodLogOptions{Previous: true}); err != nil || text != "run\n" {
			t.Errorf("got previous log %q (%v)", text, err)
		}
	})
}

// worldReadable returns a folder that a container's user can access.
func worldReadable(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	return dir
}

// killInside sends a signal to the process with this command line, in any container.
func killInside(t *testing.T, line string, s syscall.Signal) error {
	t.Helper()
	for _, pid := range pidsOf(t, line) {
		return syscall.Kill(pid, s)
	}
	return fmt.Errorf("no process runs %q", line)
}
