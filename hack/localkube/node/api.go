// SPDX-License-Identifier: Apache-2.0

package node

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
	"k8s.io/component-base/version"
	"k8s.io/klog/v2"
	"k8s.io/utils/ptr"
)

const (
	leaseEvery   = 10 * time.Second
	leaseSeconds = 40
	maxPods      = 110
)

// register creates the Node or updates it. It writes nothing if the status is unchanged.
func (n *Node) register(ctx context.Context, logsPort int32) error {
	nodes := n.client.CoreV1().Nodes()
	node, err := nodes.Get(ctx, Name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		node, err = nodes.Create(ctx, &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: Name, Labels: map[string]string{
			corev1.LabelHostname: Name, corev1.LabelOSStable: runtime.GOOS, corev1.LabelArchStable: runtime.GOARCH,
		}}}, metav1.CreateOptions{})
	}
	if err != nil {
		return err
	}
	want := node.DeepCopy()
	if err := n.describe(&want.Status, logsPort); err != nil {
		return err
	}
	if equality.Semantic.DeepEqual(node.Status, want.Status) {
		return nil
	}
	_, err = nodes.UpdateStatus(ctx, want, metav1.UpdateOptions{})
	return err
}

func (n *Node) describe(s *corev1.NodeStatus, logsPort int32) error {
	var disk unix.Statfs_t
	if err := unix.Statfs(n.podsDir, &disk); err != nil {
		return err
	}
	memory, err := totalMemory()
	if err != nil {
		return err
	}
	s.Capacity = corev1.ResourceList{
		corev1.ResourceCPU:              *resource.NewQuantity(int64(runtime.NumCPU()), resource.DecimalSI),
		corev1.ResourceMemory:           *resource.NewQuantity(memory, resource.BinarySI),
		corev1.ResourcePods:             *resource.NewQuantity(maxPods, resource.DecimalSI),
		corev1.ResourceEphemeralStorage: *resource.NewQuantity(int64(disk.Blocks)*disk.Bsize, resource.BinarySI),
	}
	s.Allocatable = s.Capacity.DeepCopy()
	s.Addresses = []corev1.NodeAddress{{Type: corev1.NodeInternalIP, Address: hostIP}, {Type: corev1.NodeHostName, Address: Name}}
	s.DaemonEndpoints.KubeletEndpoint.Port = logsPort
	kernel := unix.Utsname{}
	_ = unix.Uname(&kernel)
	s.NodeInfo = corev1.NodeSystemInfo{
		OperatingSystem: runtime.GOOS, Architecture: runtime.GOARCH, OSImage: osName(),
		KernelVersion: unix.ByteSliceToString(kernel.Release[:]), KubeletVersion: version.Get().GitVersion, ContainerRuntimeVersion: "localkube://1",
	}
	now := metav1.NewTime(n.clock.Now())
	condition := func(t corev1.NodeConditionType, v corev1.ConditionStatus, reason, message string) {
		for i, c := range s.Conditions {
			if c.Type == t {
				if c.Status != v {
					s.Conditions[i].LastTransitionTime = now
				}
				s.Conditions[i].Status, s.Conditions[i].Reason, s.Conditions[i].Message = v, reason, message
				return
			}
		}
		s.Conditions = append(s.Conditions, corev1.NodeCondition{
			Type: t, Status: v, Reason: reason, Message: message, LastHeartbeatTime: now, LastTransitionTime: now,
		})
	}
	condition(corev1.NodeReady, corev1.ConditionTrue, "KubeletReady", "the local node runs pods as processes; "+n.Describe())
	return nil
}

// keepLease renews the node's lease every ten seconds.
func (n *Node) keepLease(ctx context.Context) {
	leases := n.client.CoordinationV1().Leases(corev1.NamespaceNodeLease)
	tick := n.clock.NewTimer(0)
	defer tick.Stop()
	var lease *coordinationv1.Lease
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C():
		}
		err := func() (err error) {
			if lease == nil {
				lease, err = leases.Get(ctx, Name, metav1.GetOptions{})
				if apierrors.IsNotFound(err) {
					lease, err = leases.Create(ctx, &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Name: Name}}, metav1.CreateOptions{})
				}
				if err != nil {
					lease = nil
					return err
				}
			}
			now := metav1.NewMicroTime(n.clock.Now())
			next := lease.DeepCopy()
			next.Spec.HolderIdentity, next.Spec.LeaseDurationSeconds, next.Spec.RenewTime = ptr.To(Name), ptr.To[int32](leaseSeconds), &now
			lease, err = leases.Update(ctx, next, metav1.UpdateOptions{})
			return err
		}()
		wait := leaseEvery
		if err != nil {
			lease = nil
			wait = time.Second
			if ctx.Err() == nil {
				klog.ErrorS(err, "Renewing the node's lease")
			}
		}
		tick.Reset(wait)
	}
}

// patchStatus writes the differences between pod.Status and want; if there are none, it does nothing. A deleted pod is
// no error.
func (n *Node) patchStatus(ctx context.Context, pod *corev1.Pod, want corev1.PodStatus) (*corev1.Pod, error) {
	if equality.Semantic.DeepEqual(pod.Status, want) {
		return pod, nil
	}
	before, err := json.Marshal(corev1.Pod{Status: pod.Status})
	if err != nil {
		return nil, err
	}
	// The uid prevents a patch of a new pod with the same name.
	after, err := json.Marshal(corev1.Pod{ObjectMeta: metav1.ObjectMeta{UID: pod.UID}, Status: want})
	if err != nil {
		return nil, err
	}
	patch, err := strategicpatch.CreateTwoWayMergePatch(before, after, corev1.Pod{})
	if err != nil {
		return nil, fmt.Errorf("comparing pod status: %w", err)
	}
	got, err := n.client.CoreV1().Pods(pod.Namespace).Patch(ctx, pod.Name, types.StrategicMergePatchType, patch, metav1.PatchOptions{}, "status")
	if apierrors.IsNotFound(err) || apierrors.IsConflict(err) {
		return pod, nil // the watch reports the new state
	}
	if err != nil {
		klog.ErrorS(err, "Writing pod status", "pod", klog.KObj(pod))
		return nil, err
	}
	return got, nil
}

func (n *Node) deletePod(ctx context.Context, pod *corev1.Pod) error {
	err := n.client.CoreV1().Pods(pod.Namespace).Delete(ctx, pod.Name, metav1.DeleteOptions{
		GracePeriodSeconds: ptr.To[int64](0), Preconditions: metav1.NewUIDPreconditions(string(pod.UID)),
	})
	if err == nil || apierrors.IsNotFound(err) || apierrors.IsConflict(err) {
		return nil
	}
	klog.ErrorS(err, "Deleting pod", "pod", klog.KObj(pod))
	return err
}

func totalMemory() (int64, error) {
	raw, err := os.ReadFile("/proc/meminfo")
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(raw)) {
		if f := strings.Fields(line); len(f) > 1 && f[0] == "MemTotal:" {
			kib, err := strconv.ParseInt(f[1], 10, 64)
			return kib << 10, err
		}
	}
	return 0, fmt.Errorf("/proc/meminfo has no MemTotal")
}

func osName() string {
	raw, _ := os.ReadFile("/etc/os-release")
	for line := range strings.Lines(string(raw)) {
		if v, ok := strings.CutPrefix(strings.TrimSpace(line), "PRETTY_NAME="); ok {
			return strings.Trim(v, `"`)
		}
	}
	return runtime.GOOS
}
