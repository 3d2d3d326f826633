// SPDX-License-Identifier: Apache-2.0

package node

import (
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/reelops/reelops/hack/localkube/sandbox"
)

// unsupported returns a message about the features of a pod that this node does not support, or "". Such a pod waits
// with this message.
func unsupported(pod *corev1.Pod, isolation sandbox.Isolation) string {
	var bad []string
	no := func(format string, args ...any) { bad = append(bad, fmt.Sprintf(format, args...)) }
	for _, v := range pod.Spec.Volumes {
		s := v.VolumeSource
		if s.EmptyDir == nil && s.Secret == nil && s.ConfigMap == nil && s.Projected == nil && s.DownwardAPI == nil && s.HostPath == nil {
			no("the kind of volume %s", v.Name)
		}
		if s.Projected != nil {
			for _, p := range s.Projected.Sources {
				if p.ClusterTrustBundle != nil || p.PodCertificate != nil {
					no("a source of the projected volume %s", v.Name)
				}
			}
		}
	}
	for _, c := range pod.Spec.InitContainers {
		if c.RestartPolicy != nil {
			no("a restartPolicy on init container %s (sidecars)", c.Name)
		}
	}
	for _, c := range append(append([]corev1.Container{}, pod.Spec.InitContainers...), pod.Spec.Containers...) {
		if c.Lifecycle != nil && (c.Lifecycle.PostStart != nil || c.Lifecycle.PreStop != nil) {
			no("lifecycle hooks of container %s", c.Name)
		}
		if len(c.VolumeDevices) > 0 {
			no("volumeDevices of container %s", c.Name)
		}
		if c.SecurityContext != nil && c.SecurityContext.Privileged != nil && *c.SecurityContext.Privileged {
			no("a privileged container %s", c.Name)
		}
		for _, m := range c.VolumeMounts {
			if m.SubPathExpr != "" {
				no("subPathExpr in container %s", c.Name)
			}
		}
		for _, p := range []*corev1.Probe{c.StartupProbe, c.LivenessProbe, c.ReadinessProbe} {
			if p != nil && (p.Exec != nil || p.GRPC != nil) {
				no("exec and gRPC probes of container %s (use httpGet or tcpSocket)", c.Name)
				break
			}
		}
	}
	if s := pod.Spec.SecurityContext; s != nil && len(s.Sysctls) > 0 {
		no("sysctls")
	}
	if isolation == sandbox.Users && len(pod.Spec.Containers) > 1 {
		no("several containers of a pod without isolation by namespaces")
	}
	if len(bad) == 0 {
		return ""
	}
	return "the local node does not support: " + strings.Join(bad, "; ")
}
