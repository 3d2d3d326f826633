// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"
)

// TestUsers checks pods that are isolated by users, without mounts.
func TestUsers(t *testing.T) {
	i := newInstance(t, "--isolation", "users",
		"--path-variable", "/dev/termination-log=MESSAGE", "--path-variable", "/work=WORK")
	ctx := context.Background()
	work := func(j *batchv1.Job) {
		spec := &j.Spec.Template.Spec
		memory := &corev1.EmptyDirVolumeSource{Medium: corev1.StorageMediumMemory}
		spec.Volumes = []corev1.Volume{{Name: "work", VolumeSource: corev1.VolumeSource{EmptyDir: memory}}}
		spec.Containers[0].VolumeMounts = []corev1.VolumeMount{{Name: "work", MountPath: "/work"}}
	}

	t.Run("a job has its volume and message, a user of its own, and no access to the data folder", func(t *testing.T) {
		i.create(shell("good", `id -u; echo kept >$WORK/f; cat $WORK/f; cat `+i.dir+`/kubeconfig 2>/dev/null || echo refused
			echo fine >$MESSAGE`, work))
		end, pod := i.finished("good")
		if end.Type != batchv1.JobComplete || ended(t, pod).Message != "fine\n" {
			t.Fatalf("got job %+v, container %+v", end, ended(t, pod))
		}
		text, err := i.log(ctx, pod, &corev1.PodLogOptions{})
		if err != nil || text != "61184\nkept\nrefused\n" {
			t.Errorf("got log %q, %v", text, err)
		}
	})

	t.Run("the message cannot be replaced by a link to a file of the node", func(t *testing.T) {
		i.create(shell("link", `rm -f $MESSAGE || echo kept; ln -sf `+i.dir+`/kubeconfig $MESSAGE || echo no link
			echo mine >$MESSAGE`, work))
		_, pod := i.finished("link")
		if got := ended(t, pod).Message; got != "mine\n" {
			t.Errorf("got message %q", got)
		}
	})

	t.Run("a mount without a variable, and a container that runs as root, wait with the reason", func(t *testing.T) {
		i.create(shell("elsewhere", `true`, func(j *batchv1.Job) {
			work(j)
			j.Spec.Template.Spec.Containers[0].VolumeMounts[0].MountPath = "/elsewhere"
		}))
		i.create(shell("root", `true`, work, func(j *batchv1.Job) {
			j.Spec.Template.Spec.SecurityContext = &corev1.PodSecurityContext{RunAsUser: ptr.To[int64](0)}
			j.Spec.Template.Spec.Containers[0].SecurityContext = nil
		}))
		i.waits("elsewhere", "--path-variable /elsewhere=NAME")
		i.waits("root", "runs as root")
	})

	t.Run("processes of a killed localkube end at its next start", func(t *testing.T) {
		i.create(shell("long", `setsid sh -c 'echo $$ >$WORK/pid; exec sleep 1000' & wait`, work))
		var pid string
		i.eventually("the descendant runs, and the status shows the container", func(context.Context) error {
			if pod := i.pod("long"); pod == nil || pod.Status.Phase != corev1.PodRunning {
				return errors.New("the pod is not running")
			}
			files, err := filepath.Glob(filepath.Join(os.TempDir(), "localkube-*", "*", "volumes", "work", "pid"))
			if err != nil || len(files) == 0 {
				return os.ErrNotExist
			}
			raw, err := os.ReadFile(files[0])
			pid = strings.TrimSpace(string(raw))
			if err == nil && pid == "" {
				return os.ErrNotExist
			}
			return err
		})
		i.signal(syscall.SIGKILL)
		i.start()
		if _, err := os.Stat("/proc/" + pid); !os.IsNotExist(err) {
			t.Errorf("process %s is left: %v", pid, err)
		}
		if end, _ := i.finished("long"); end.Type != batchv1.JobFailed {
			t.Errorf("got job %+v", end)
		}
	})
}

// waits waits until the container of a job waits with a message.
func (i *instance) waits(job, message string) {
	i.t.Helper()
	i.eventually(job+" waits", func(context.Context) error {
		pod := i.pod(job)
		if pod == nil || len(pod.Status.ContainerStatuses) == 0 {
			return errors.New("the pod has no status")
		}
		if w := pod.Status.ContainerStatuses[0].State.Waiting; w == nil || !strings.Contains(w.Message, message) {
			return fmt.Errorf("got %+v", w)
		}
		return nil
	})
}
