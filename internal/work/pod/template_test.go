// SPDX-License-Identifier: Apache-2.0

package pod_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/work/pod"
)

const template = `
metadata:
  labels: {team: video}
  annotations: {example.com/why: "films & clips"}
spec:
  nodeSelector: {pool: render}
  tolerations: [{key: render, operator: Exists, effect: NoSchedule}]
  affinity:
    podAntiAffinity:
      preferredDuringSchedulingIgnoredDuringExecution:
      - weight: 10
        podAffinityTerm: {topologyKey: kubernetes.io/hostname, labelSelector: {matchLabels: {team: video}}}
  topologySpreadConstraints: [{maxSkew: 1, topologyKey: zone, whenUnsatisfiable: ScheduleAnyway}]
  priorityClassName: films
  runtimeClassName: gvisor
  imagePullSecrets: [{name: registry}]
  hostUsers: false
`

func options() pod.Options {
	return pod.Options{
		Image: "renderer", CPU: resource.MustParse("2"), Memory: resource.MustParse("3Gi"),
		Scratch: resource.MustParse("2Gi"), TTLSeconds: 600,
	}
}

func TestTemplate_IsAddedToPods(t *testing.T) {
	tpl, err := pod.ReadTemplate([]byte(template))
	if err != nil {
		t.Fatal(err)
	}
	o := options()
	w := pod.Work{Namespace: "tenant", Name: "tea-a1", MemoryBytes: 1 << 30, Run: time.Minute}
	bare := w.Job(o)
	o.Template = tpl
	job := w.Job(o)
	tmpl := job.Spec.Template
	for _, m := range []map[string]string{job.Labels, tmpl.Labels} {
		if m["team"] != "video" || m[v1beta1.LabelComponent] != pod.Component {
			t.Errorf("got labels %v", m)
		}
	}
	s := tmpl.Spec
	if tmpl.Annotations["example.com/why"] == "" || s.NodeSelector["pool"] != "render" || len(s.Tolerations) != 1 ||
		s.Affinity.PodAntiAffinity == nil ||
		len(s.TopologySpreadConstraints) != 1 || s.PriorityClassName != "films" || *s.RuntimeClassName != "gvisor" ||
		s.ImagePullSecrets[0].Name != "registry" || *s.HostUsers {
		t.Errorf("got %+v", tmpl)
	}
	if d := cmp.Diff([]any{
		bare.Spec.Template.Spec.Containers, bare.Spec.Template.Spec.Volumes,
		bare.Spec.Template.Spec.SecurityContext,
	},
		[]any{s.Containers, s.Volumes, s.SecurityContext}); d != "" {
		t.Errorf("the confinement changed: %s", d)
	}
	s.NodeSelector["pool"] = "x"
	s.Affinity.PodAntiAffinity = nil
	if again := w.Job(o).Spec.Template.Spec; again.NodeSelector["pool"] != "render" ||
		again.Affinity.PodAntiAffinity == nil {
		t.Error("a change of a Job changed the template")
	}
}

func TestReadTemplate_RejectsOtherFields(t *testing.T) {
	for name, c := range map[string]struct{ doc, says string }{
		"containers":          {"spec: {containers: [{name: x}]}", `"containers"`},
		"a token":             {"spec: {automountServiceAccountToken: true}", "automountServiceAccountToken"},
		"a service account":   {"spec: {serviceAccountName: admin}", "serviceAccountName"},
		"volumes":             {"spec: {volumes: []}", "volumes"},
		"the host's network":  {"spec: {hostNetwork: true}", "hostNetwork"},
		"another user":        {"spec: {securityContext: {runAsUser: 0}}", "securityContext"},
		"a label of ours":     {"metadata: {labels: {reelops.dev/component: x}}", "is not for templates"},
		"a label of others":   {"metadata: {labels: {kueue.x-k8s.io/queue-name: x}}", "is not for templates"},
		"our name":            {"metadata: {labels: {app.kubernetes.io/name: x}}", "is not for templates"},
		"no label":            {"metadata: {labels: {'a b': x}}", "metadata.labels"},
		"no value":            {"spec: {nodeSelector: {pool: 'a b'}}", "spec.nodeSelector"},
		"no operator":         {"spec: {tolerations: [{key: a, operator: Is}]}", "spec.tolerations[0].operator"},
		"a toleration of all": {"spec: {tolerations: [{value: a}]}", "the operator is Exists"},
		"no priority":         {"spec: {priorityClassName: 'A B'}", "spec.priorityClassName"},
		"no secret":           {"spec: {imagePullSecrets: [{}]}", "spec.imagePullSecrets[0].name"},
		"nodes without values": {
			"spec: {affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: " +
				"{nodeSelectorTerms: [{matchExpressions: [{key: a, operator: In}]}]}}}}",
			"nodeAffinity: a",
		},
		"pods without topology": {
			"spec: {affinity: {podAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{}]}}}",
			"topologyKey is set",
		},
		"no address": {"spec: {hostAliases: [{ip: films}]}", "spec.hostAliases[0].ip"},
		"no host": {
			"spec: {hostAliases: [{ip: 10.0.0.1, hostnames: ['a b']}]}",
			"spec.hostAliases[0].hostnames[0]",
		},
		"no policy of names":     {"spec: {dnsPolicy: Cluster}", "spec.dnsPolicy"},
		"no server of names":     {"spec: {dnsPolicy: None}", "spec.dnsConfig.nameservers"},
		"a name as a server":     {"spec: {dnsConfig: {nameservers: [dns.example]}}", "spec.dnsConfig.nameservers[0]"},
		"no option":              {"spec: {dnsConfig: {options: [{value: x}]}}", "spec.dnsConfig.options[0].name"},
		"the cluster's priority": {"spec: {priorityClassName: system-node-critical}", "spec.priorityClassName"},
		"a list":                 {"[]", "a template of render pods has"},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := pod.ReadTemplate([]byte(c.doc)); err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("got %v, want an error with %q", err, c.says)
			}
		})
	}
	if tpl, err := pod.ReadTemplate(nil); err != nil || tpl.Spec.HostUsers != nil {
		t.Errorf("an empty file: got %v, want an empty template", err)
	}
}

func TestJob_RequestsScratchOfTheMedium(t *testing.T) {
	w := pod.Work{Namespace: "tenant", Name: "tea-a1", MemoryBytes: 1 << 30}
	for medium, want := range map[pod.Medium]struct {
		volume       corev1.StorageMedium
		memory, disk string
	}{
		"":         {corev1.StorageMediumMemory, "3Gi", "64Mi"},
		pod.Memory: {corev1.StorageMediumMemory, "3Gi", "64Mi"},
		pod.Disk:   {"", "1Gi", "2112Mi"},
	} {
		o := options()
		o.Medium = medium
		s := w.Job(o).Spec.Template.Spec
		r := s.Containers[0].Resources.Limits
		if s.Volumes[0].EmptyDir.Medium != want.volume || r.Memory().Cmp(resource.MustParse(want.memory)) != 0 ||
			r.StorageEphemeral().Cmp(resource.MustParse(want.disk)) != 0 {
			t.Errorf("%q: got %+v and %v, want %+v", medium, s.Volumes[0].EmptyDir, r, want)
		}
		if o.Scratch.Cmp(resource.MustParse("2Gi")) != 0 {
			t.Error("the options changed")
		}
	}
	if _, err := pod.ParseMedium("tape"); err == nil {
		t.Error("tape is accepted as a medium")
	}
}

func TestJob_IsSuspendedInAQueue(t *testing.T) {
	w := pod.Work{Namespace: "tenant", Name: "tea-a1", MemoryBytes: 1 << 30}
	o := options()
	if pod.Held(w.Job(o)) || pod.Held(nil) {
		t.Error("a Job without a queue is suspended")
	}
	o.Queue = "films"
	job := w.Job(o)
	if !pod.Held(job) || job.Labels["kueue.x-k8s.io/queue-name"] != "films" ||
		job.Spec.Template.Labels["kueue.x-k8s.io/queue-name"] != "" {
		t.Errorf("got labels %v (Job) and %v (pod), want the queue on the Job", job.Labels, job.Spec.Template.Labels)
	}
}
