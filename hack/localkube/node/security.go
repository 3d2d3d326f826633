// SPDX-License-Identifier: Apache-2.0

package node

import (
	"errors"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
	corev1 "k8s.io/api/core/v1"
)

// nonRoot is the user and group of a container that must not run as root and names no user.
const nonRoot = 65532

// identity is the user, groups and capabilities of a container's process.
type identity struct {
	UID, GID int
	Groups   []int
	ReadOnly bool
	Caps     []int
}

// runtimeCaps are the capabilities that a container runtime grants to root by default.
var runtimeCaps = []int{
	unix.CAP_CHOWN, unix.CAP_DAC_OVERRIDE, unix.CAP_FOWNER, unix.CAP_FSETID, unix.CAP_KILL, unix.CAP_SETGID, unix.CAP_SETUID,
	unix.CAP_SETPCAP, unix.CAP_NET_BIND_SERVICE, unix.CAP_NET_RAW, unix.CAP_SYS_CHROOT, unix.CAP_MKNOD, unix.CAP_AUDIT_WRITE, unix.CAP_SETFCAP,
}

var capNames = map[string]int{
	"CHOWN": unix.CAP_CHOWN, "DAC_OVERRIDE": unix.CAP_DAC_OVERRIDE, "FOWNER": unix.CAP_FOWNER, "FSETID": unix.CAP_FSETID,
	"KILL": unix.CAP_KILL, "SETGID": unix.CAP_SETGID, "SETUID": unix.CAP_SETUID, "SETPCAP": unix.CAP_SETPCAP,
	"NET_BIND_SERVICE": unix.CAP_NET_BIND_SERVICE, "NET_RAW": unix.CAP_NET_RAW, "SYS_CHROOT": unix.CAP_SYS_CHROOT,
	"MKNOD": unix.CAP_MKNOD, "AUDIT_WRITE": unix.CAP_AUDIT_WRITE, "SETFCAP": unix.CAP_SETFCAP,
}

var errRoot = errors.New("container has runAsNonRoot but would run as root")

// who merges the security contexts of the pod and the container.
func who(pod *corev1.Pod, c *corev1.Container) (identity, error) {
	p, s := pod.Spec.SecurityContext, c.SecurityContext
	if p == nil {
		p = &corev1.PodSecurityContext{}
	}
	if s == nil {
		s = &corev1.SecurityContext{}
	}
	user, group, not := first(s.RunAsUser, p.RunAsUser), first(s.RunAsGroup, p.RunAsGroup), first(s.RunAsNonRoot, p.RunAsNonRoot)
	var id identity
	mustNot := not != nil && *not
	switch {
	case user != nil:
		id.UID = int(*user)
	case mustNot:
		id.UID, id.GID = nonRoot, nonRoot
	}
	if mustNot && id.UID == 0 {
		return id, errRoot
	}
	if group != nil {
		id.GID = int(*group)
	}
	for _, g := range p.SupplementalGroups {
		id.Groups = append(id.Groups, int(g))
	}
	if p.FSGroup != nil {
		id.Groups = append(id.Groups, int(*p.FSGroup))
	}
	id.ReadOnly = s.ReadOnlyRootFilesystem != nil && *s.ReadOnlyRootFilesystem
	id.Caps = capabilities(s.Capabilities)
	return id, nil
}

func capabilities(want *corev1.Capabilities) []int {
	caps := slices.Clone(runtimeCaps)
	if want == nil {
		return caps
	}
	number := func(c corev1.Capability) (int, bool) {
		n, ok := capNames[strings.TrimPrefix(strings.ToUpper(string(c)), "CAP_")]
		return n, ok
	}
	for _, d := range want.Drop {
		if strings.EqualFold(string(d), "ALL") {
			caps = nil
		} else if n, ok := number(d); ok {
			caps = slices.DeleteFunc(caps, func(c int) bool { return c == n })
		}
	}
	for _, a := range want.Add {
		if n, ok := number(a); ok && !slices.Contains(caps, n) {
			caps = append(caps, n)
		}
	}
	return caps
}

func first[T any](a, b *T) *T {
	if a != nil {
		return a
	}
	return b
}
