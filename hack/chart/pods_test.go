// SPDX-License-Identifier: Apache-2.0

package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
)

// restricted returns the violations of OpenShift's SCC restricted-v2 in a pod, according to OpenShift's documentation.
func restricted(p *corev1.Pod) (wrong []string) {
	bad := func(rejected bool, what string) {
		if rejected {
			wrong = append(wrong, what)
		}
	}
	if s := p.Spec.SecurityContext; s == nil {
		bad(true, "no security context")
	} else {
		bad(s.RunAsUser != nil, "runAsUser outside of the namespace's range")
		bad(s.FSGroup != nil || len(s.SupplementalGroups) > 0, "a group outside of the namespace's range")
		bad(s.SeccompProfile == nil || s.SeccompProfile.Type != corev1.SeccompProfileTypeRuntimeDefault, "seccompProfile")
	}
	bad(p.Spec.HostNetwork || p.Spec.HostPID || p.Spec.HostIPC, "a host namespace")
	for _, v := range p.Spec.Volumes {
		s := v.VolumeSource
		bad(s.ConfigMap == nil && s.CSI == nil && s.DownwardAPI == nil && s.EmptyDir == nil && s.Ephemeral == nil && s.PersistentVolumeClaim == nil &&
			s.Projected == nil && s.Secret == nil, "the type of volume "+v.Name)
	}
	for _, c := range slices.Concat(p.Spec.InitContainers, p.Spec.Containers) {
		s := c.SecurityContext
		bad(s == nil || s.RunAsUser != nil || s.AllowPrivilegeEscalation == nil || *s.AllowPrivilegeEscalation || s.Privileged != nil && *s.Privileged ||
			s.Capabilities == nil || !slices.Contains(s.Capabilities.Drop, "ALL") || len(s.Capabilities.Add) > 0, "the security context of "+c.Name)
	}
	return wrong
}

func TestOpenShift_PodsFitRestrictedV2(t *testing.T) {
	for component, p := range pods(t, render(t, installations(t)["openshift"])) {
		if wrong := restricted(p); len(wrong) > 0 {
			t.Errorf("%s: got %v", component, wrong)
		}
	}
	const users = "{store: {type: s3, s3: {bucket: films}}, global: {compatibility: {openshift: {adaptSecurityContext: %s}}}}"
	for _, c := range []struct {
		mode string
		apis []string
		fits bool
	}{
		{"auto", nil, false},
		{"auto", []string{"security.openshift.io/v1"}, true},
		{"disabled", []string{"security.openshift.io/v1"}, false},
		{"force", nil, true},
	} {
		r, err := template(system, strings.Replace(users, "%s", c.mode, 1), c.apis...)
		if err != nil {
			t.Fatal(err)
		}
		objects, err := decode([]byte(r.Manifest))
		if err != nil {
			t.Fatal(err)
		}
		for component, p := range pods(t, objects) {
			if fits := len(restricted(p)) == 0; fits != c.fits {
				t.Errorf("%s with %v: %s fits %v, want %v", c.mode, c.apis, component, fits, c.fits)
			}
		}
	}
}

func TestOpenShift_RenderPodsNameNoUser(t *testing.T) {
	for values, want := range map[string]string{
		"{}": "", "renderPod: {runAsUser: 1000}": "1000", "renderPod: {runAsUser: 0}": "0", installations(t)["openshift"]: "0",
		"{renderPod: {runAsUser: 1000}, global: {compatibility: {openshift: {adaptSecurityContext: force}}}}": "1000",
	} {
		if got := env(t, deployment(t, render(t, values), "manager"))["REELOPS_RENDER_POD_USER"]; got != want {
			t.Errorf("%s: --render-pod-user is %q, want %q", values, got, want)
		}
	}
}

// variable returns the value of a container's environment variable; "" if unset.
func variable(c corev1.Container, name string) string {
	for _, e := range c.Env {
		if e.Name == name {
			return e.Value
		}
	}
	return ""
}

func TestProxy_ReachesProgramsAndNetworkPolicies(t *testing.T) {
	objects := render(t, installations(t)["proxy"])
	all := pods(t, objects)
	for _, c := range []corev1.Container{all["manager"].Spec.Containers[0], all["apiserver"].Spec.Containers[0], all["ollama"].Spec.InitContainers[0]} {
		for name, want := range map[string]string{
			"HTTP_PROXY":  "http://proxy.example:3128",
			"HTTPS_PROXY": "http://proxy.example:3129",
			"NO_PROXY":    "$(KUBERNETES_SERVICE_HOST),.svc,.cluster.local,10.0.0.0/8,.corp.example",
		} {
			if got := variable(c, name); got != want {
				t.Errorf("%s: %s=%q, want %q", c.Name, name, got, want)
			}
		}
	}
	for component, want := range map[string]string{"manager": "http://fetches.example:3130", "apiserver": ""} {
		if got := variable(all[component].Spec.Containers[0], "REELOPS_FETCH_PROXY"); got != want {
			t.Errorf("%s fetches files at URLs by the proxy %q, want %q", component, got, want)
		}
	}
	for _, name := range []string{"reelops-manager", "reelops-apiserver", "reelops-ollama"} {
		var open []float64
		rules, _ := at(objects["NetworkPolicy "+system+"/"+name], "spec", "egress").([]any)
		for _, r := range rules {
			for _, p := range at(r, "ports").([]any) {
				if port, ok := at(p, "port").(float64); ok {
					open = append(open, port)
				}
			}
		}
		if !slices.Contains(open, 3128) || !slices.Contains(open, 3129) || slices.Contains(open, 3130) != (name == "reelops-manager") {
			t.Errorf("%s does not permit the proxy's ports: %v", name, open)
		}
	}
	for _, c := range pods(t, render(t, ""))["manager"].Spec.Containers {
		if variable(c, "NO_PROXY") != "" {
			t.Error("without a proxy NO_PROXY is set")
		}
	}
}

func TestCABundle_IsMountedWhereProgramsReadAuthorities(t *testing.T) {
	for what, want := range map[string]corev1.VolumeSource{
		"airgapped": {ConfigMap: &corev1.ConfigMapVolumeSource{
			LocalObjectReference: corev1.LocalObjectReference{Name: "corp-ca"}, Items: []corev1.KeyToPath{{Key: "ca.crt", Path: "ca.crt"}},
		}},
		"private-ca": {Secret: &corev1.SecretVolumeSource{
			SecretName: "corp-ca", Items: []corev1.KeyToPath{{Key: "bundle.pem", Path: "ca.crt"}}, DefaultMode: new(int32(0o440)),
		}},
	} {
		for component, p := range pods(t, render(t, installations(t)[what])) {
			i := slices.IndexFunc(p.Spec.Volumes, func(v corev1.Volume) bool { return v.Name == "ca-bundle" })
			if i < 0 {
				t.Errorf("%s: %s has no volume", what, component)
				continue
			}
			if d := cmp.Diff(want, p.Spec.Volumes[i].VolumeSource); d != "" {
				t.Errorf("%s: %s (-want +got): %s", what, component, d)
			}
			c := slices.Concat(p.Spec.InitContainers, p.Spec.Containers)[0]
			i = slices.IndexFunc(c.VolumeMounts, func(m corev1.VolumeMount) bool { return m.Name == "ca-bundle" })
			if dir := variable(c, "SSL_CERT_DIR"); i < 0 || c.VolumeMounts[i].MountPath != dir || variable(c, "SSL_CERT_FILE") != "" {
				t.Errorf("%s: %s has SSL_CERT_DIR=%q and mounts %v", what, component, dir, c.VolumeMounts)
			}
		}
	}
}

func TestAffinity_PrefersDifferentNodes(t *testing.T) {
	spread := func(component string) *corev1.PodAntiAffinity {
		p := corev1.PodAffinityTerm{TopologyKey: "kubernetes.io/hostname"}
		p.LabelSelector = selector("app.kubernetes.io/name", "reelops", "app.kubernetes.io/component", component)
		return &corev1.PodAntiAffinity{PreferredDuringSchedulingIgnoredDuringExecution: []corev1.WeightedPodAffinityTerm{{Weight: 100, PodAffinityTerm: p}}}
	}
	for component, p := range pods(t, render(t, installations(t)["ha"])) {
		if d := cmp.Diff(&corev1.Affinity{PodAntiAffinity: spread(component)}, p.Spec.Affinity); d != "" {
			t.Errorf("%s (-want +got): %s", component, d)
		}
	}
	all := pods(t, render(t, installations(t)["spread"]))
	if a := all["apiserver"].Spec.Affinity; a.NodeAffinity == nil || !cmp.Equal(spread("apiserver"), a.PodAntiAffinity) {
		t.Errorf("a node affinity of the values replaces the default: %v", a)
	}
	if a := all["manager"].Spec.Affinity.PodAntiAffinity; len(a.PreferredDuringSchedulingIgnoredDuringExecution) > 0 {
		t.Errorf("a podAntiAffinity of the values does not replace the default: %v", a)
	}
	for component, p := range pods(t, render(t, "")) {
		if a := p.Spec.Affinity; a.PodAntiAffinity != nil || len(a.PodAffinity.RequiredDuringSchedulingIgnoredDuringExecution) != 1 {
			t.Errorf("with a volume on one node %s has %v", component, a)
		}
	}
}

func TestSpread_ListReplacesTheDefault(t *testing.T) {
	all := pods(t, render(t, installations(t)["spread"]))
	want := []corev1.TopologySpreadConstraint{
		{
			MaxSkew: 1, TopologyKey: "topology.kubernetes.io/zone", WhenUnsatisfiable: corev1.DoNotSchedule,
			LabelSelector: selector("app.kubernetes.io/name", "reelops", "app.kubernetes.io/component", "apiserver"),
		},
		{
			MaxSkew: 2, TopologyKey: "kubernetes.io/hostname", WhenUnsatisfiable: corev1.ScheduleAnyway,
			LabelSelector: selector("app.kubernetes.io/part-of", "reelops"),
		},
	}
	if d := cmp.Diff(want, all["apiserver"].Spec.TopologySpreadConstraints); d != "" {
		t.Errorf("apiserver (-want +got): %s", d)
	}
	if n := len(all["manager"].Spec.TopologySpreadConstraints); n != 2 {
		t.Errorf("manager has %d constraints, want the default 2", n)
	}
	if c := pods(t, render(t, installations(t)["minimal"]))["apiserver"].Spec.TopologySpreadConstraints; len(c) > 0 {
		t.Errorf("an empty list leaves %v", c)
	}
}

func TestExtraVolumes_AreMounted(t *testing.T) {
	for component, path := range map[string]string{"manager": "/etc/extra", "apiserver": "/extra"} {
		p := pods(t, render(t, installations(t)["extra"]))[component]
		if !slices.ContainsFunc(p.Spec.Volumes, func(v corev1.Volume) bool { return v.Name == "extra" }) ||
			!slices.ContainsFunc(p.Spec.Containers[0].VolumeMounts, func(m corev1.VolumeMount) bool { return m.Name == "extra" && m.MountPath == path }) {
			t.Errorf("%s: got %v", component, p.Spec.Volumes)
		}
	}
}

// TestEmptyDirs_FitTheEphemeralStorage checks that the size limits of emptyDirs are below the containers' limit, so
// that kubelet evicts no pod.
func TestEmptyDirs_FitTheEphemeralStorage(t *testing.T) {
	for component, p := range pods(t, render(t, "")) {
		r := p.Spec.Containers[0].Resources
		room := r.Limits.StorageEphemeral().DeepCopy()
		for _, v := range p.Spec.Volumes {
			if v.EmptyDir != nil {
				room.Sub(*v.EmptyDir.SizeLimit)
			}
		}
		if room.Sign() <= 0 || r.Requests.StorageEphemeral().IsZero() {
			t.Errorf("%s has %v, and %s next to its emptyDirs", component, r, room.String())
		}
	}
}
