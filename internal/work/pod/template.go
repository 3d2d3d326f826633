// SPDX-License-Identifier: Apache-2.0

package pod

import (
	"errors"
	"fmt"
	"maps"
	"net"
	"slices"
	"strings"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation"
	"sigs.k8s.io/yaml"
)

// Template has the labels, annotations and scheduling that an installation adds to Jobs and pods. It is the part of a
// PodTemplateSpec that cannot weaken the confinement of a pod. It has no containers, volumes, users or tokens.
type Template struct {
	Metadata TemplateMetadata `json:"metadata"`
	Spec     TemplateSpec     `json:"spec"`
}

// TemplateMetadata is added to Jobs and pods.
type TemplateMetadata struct {
	Labels      map[string]string `json:"labels,omitempty"`
	Annotations map[string]string `json:"annotations,omitempty"`
}

// TemplateSpec has fields of a PodSpec, with the same names and meanings.
type TemplateSpec struct {
	NodeSelector              map[string]string                 `json:"nodeSelector,omitempty"`
	Tolerations               []corev1.Toleration               `json:"tolerations,omitempty"`
	Affinity                  *corev1.Affinity                  `json:"affinity,omitempty"`
	TopologySpreadConstraints []corev1.TopologySpreadConstraint `json:"topologySpreadConstraints,omitempty"`
	PriorityClassName         string                            `json:"priorityClassName,omitempty"`
	RuntimeClassName          *string                           `json:"runtimeClassName,omitempty"`
	SchedulerName             string                            `json:"schedulerName,omitempty"`
	ImagePullSecrets          []corev1.LocalObjectReference     `json:"imagePullSecrets,omitempty"`
	HostUsers                 *bool                             `json:"hostUsers,omitempty"`
	HostAliases               []corev1.HostAlias                `json:"hostAliases,omitempty"`
	DNSPolicy                 corev1.DNSPolicy                  `json:"dnsPolicy,omitempty"`
	DNSConfig                 *corev1.PodDNSConfig              `json:"dnsConfig,omitempty"`
}

// ReadTemplate parses a template in YAML or JSON. An unknown field is an error. A value that a cluster would reject
// with every Job is an error as well. The errors name all such fields.
func ReadTemplate(doc []byte) (Template, error) {
	var t Template
	if err := yaml.UnmarshalStrict(doc, &t); err != nil {
		return t, fmt.Errorf("a template of render pods has metadata (labels, annotations) and spec "+
			"(nodeSelector, tolerations, affinity, topologySpreadConstraints, priorityClassName, runtimeClassName, "+
			"schedulerName, imagePullSecrets, hostUsers, hostAliases, dnsPolicy, dnsConfig): %w", err)
	}
	return t, t.check()
}

// taken are the prefixes of labels and annotations that a template cannot set.
var taken = []string{"reelops.dev/", "batch.kubernetes.io/", "kueue.x-k8s.io/", "controller-uid", "job-name"}

// check returns an error that names every invalid field.
func (t Template) check() error {
	var errs []error
	bad := func(field, format string, args ...any) {
		errs = append(errs, fmt.Errorf("%s: %s", field, fmt.Sprintf(format, args...)))
	}
	names := func(field string, m map[string]string, values bool) {
		for _, k := range slices.Sorted(maps.Keys(m)) {
			for _, e := range validation.IsQualifiedName(k) {
				bad(field, "%q: %s", k, e)
			}
			if values {
				for _, e := range validation.IsValidLabelValue(m[k]) {
					bad(field, "%q: %s", k, e)
				}
			}
		}
	}
	names("metadata.labels", t.Metadata.Labels, true)
	names("metadata.annotations", t.Metadata.Annotations, false)
	for _, m := range []map[string]string{t.Metadata.Labels, t.Metadata.Annotations} {
		for _, k := range slices.Sorted(maps.Keys(m)) {
			_, own := ownLabels[k]
			if own || slices.ContainsFunc(taken, func(p string) bool { return strings.HasPrefix(k, p) }) {
				bad("metadata", "%q is not for templates", k)
			}
		}
	}
	names("spec.nodeSelector", t.Spec.NodeSelector, true)
	for i, p := range t.Spec.Tolerations {
		checkToleration(fmt.Sprintf("spec.tolerations[%d]", i), p, bad)
	}
	name := func(field, v string) {
		for _, e := range validation.IsDNS1123Subdomain(v) {
			bad(field, "%q: %s", v, e)
		}
	}
	if v := t.Spec.PriorityClassName; v != "" {
		name("spec.priorityClassName", v)
		if strings.HasPrefix(v, "system-") {
			bad("spec.priorityClassName", "%q is reserved for the cluster's own pods", v)
		}
	}
	if v := t.Spec.RuntimeClassName; v != nil {
		name("spec.runtimeClassName", *v)
	}
	for i, v := range t.Spec.ImagePullSecrets {
		name(fmt.Sprintf("spec.imagePullSecrets[%d].name", i), v.Name)
	}
	for i, c := range t.Spec.TopologySpreadConstraints {
		if c.MaxSkew < 1 || c.TopologyKey == "" ||
			c.WhenUnsatisfiable != corev1.DoNotSchedule && c.WhenUnsatisfiable != corev1.ScheduleAnyway {
			bad(fmt.Sprintf("spec.topologySpreadConstraints[%d]", i),
				"maxSkew is at least 1, topologyKey is set, and whenUnsatisfiable is DoNotSchedule or ScheduleAnyway")
		}
		checkSelector(fmt.Sprintf("spec.topologySpreadConstraints[%d].labelSelector", i), c.LabelSelector, bad)
	}
	checkAffinity(t.Spec.Affinity, bad)
	checkNames(t.Spec, bad)
	return errors.Join(errs...)
}

// checkNames checks the host aliases and the DNS settings.
func checkNames(s TemplateSpec, bad complaint) {
	for i, a := range s.HostAliases {
		if net.ParseIP(a.IP) == nil {
			bad(fmt.Sprintf("spec.hostAliases[%d].ip", i), "%q is no address", a.IP)
		}
		for j, h := range a.Hostnames {
			for _, e := range validation.IsDNS1123Subdomain(h) {
				bad(fmt.Sprintf("spec.hostAliases[%d].hostnames[%d]", i, j), "%q: %s", h, e)
			}
		}
	}
	var c corev1.PodDNSConfig
	if s.DNSConfig != nil {
		c = *s.DNSConfig
	}
	switch s.DNSPolicy {
	case "", corev1.DNSClusterFirst, corev1.DNSClusterFirstWithHostNet, corev1.DNSDefault:
	case corev1.DNSNone:
		if len(c.Nameservers) == 0 {
			bad("spec.dnsConfig.nameservers", "dnsPolicy None needs at least one")
		}
	default:
		bad("spec.dnsPolicy", "%q is not ClusterFirst, ClusterFirstWithHostNet, Default or None", s.DNSPolicy)
	}
	for i, a := range c.Nameservers {
		if net.ParseIP(a) == nil {
			bad(fmt.Sprintf("spec.dnsConfig.nameservers[%d]", i), "%q is no address", a)
		}
	}
	for i, o := range c.Options {
		if o.Name == "" {
			bad(fmt.Sprintf("spec.dnsConfig.options[%d].name", i), "there is none")
		}
	}
}

// complaint records an invalid field.
type complaint func(field, format string, args ...any)

// checkToleration checks a toleration as the API server does.
func checkToleration(field string, p corev1.Toleration, bad complaint) {
	switch p.Operator {
	case "", corev1.TolerationOpEqual:
		if p.Key == "" {
			bad(field, "without a key the operator is Exists")
		}
	case corev1.TolerationOpExists:
		if p.Value != "" {
			bad(field, "the operator Exists has no value")
		}
	default:
		bad(field+".operator", "%q is neither Equal nor Exists", p.Operator)
	}
	switch p.Effect {
	case "", corev1.TaintEffectNoSchedule, corev1.TaintEffectPreferNoSchedule, corev1.TaintEffectNoExecute:
	default:
		bad(field+".effect", "%q is none of NoSchedule, PreferNoSchedule and NoExecute", p.Effect)
	}
	if p.TolerationSeconds != nil && p.Effect != corev1.TaintEffectNoExecute {
		bad(field, "tolerationSeconds are for the effect NoExecute")
	}
}

// checkAffinity checks the affinity as the API server does.
func checkAffinity(a *corev1.Affinity, bad complaint) {
	if a == nil {
		return
	}
	if n := a.NodeAffinity; n != nil {
		if r := n.RequiredDuringSchedulingIgnoredDuringExecution; r != nil {
			if len(r.NodeSelectorTerms) == 0 {
				bad("spec.affinity.nodeAffinity", "what is required has at least one term")
			}
			for _, t := range r.NodeSelectorTerms {
				checkNodes(t, bad)
			}
		}
		for _, p := range n.PreferredDuringSchedulingIgnoredDuringExecution {
			checkWeight("spec.affinity.nodeAffinity", p.Weight, bad)
			checkNodes(p.Preference, bad)
		}
	}
	pods := func(field string, required []corev1.PodAffinityTerm, preferred []corev1.WeightedPodAffinityTerm) {
		for _, p := range preferred {
			checkWeight(field, p.Weight, bad)
			required = append(slices.Clone(required), p.PodAffinityTerm)
		}
		for _, t := range required {
			if t.TopologyKey == "" {
				bad(field, "topologyKey is set")
			}
			checkSelector(field+".labelSelector", t.LabelSelector, bad)
			checkSelector(field+".namespaceSelector", t.NamespaceSelector, bad)
		}
	}
	if p := a.PodAffinity; p != nil {
		pods("spec.affinity.podAffinity", p.RequiredDuringSchedulingIgnoredDuringExecution,
			p.PreferredDuringSchedulingIgnoredDuringExecution)
	}
	if p := a.PodAntiAffinity; p != nil {
		pods("spec.affinity.podAntiAffinity", p.RequiredDuringSchedulingIgnoredDuringExecution,
			p.PreferredDuringSchedulingIgnoredDuringExecution)
	}
}

// checkNodes checks a term of a node selector.
func checkNodes(t corev1.NodeSelectorTerm, bad complaint) {
	for _, e := range slices.Concat(t.MatchExpressions, t.MatchFields) {
		field := "spec.affinity.nodeAffinity: " + e.Key
		ok := len(e.Values) > 0
		switch e.Operator {
		case corev1.NodeSelectorOpIn, corev1.NodeSelectorOpNotIn:
		case corev1.NodeSelectorOpExists, corev1.NodeSelectorOpDoesNotExist:
			ok = len(e.Values) == 0
		case corev1.NodeSelectorOpGt, corev1.NodeSelectorOpLt:
			ok = len(e.Values) == 1
		default:
			bad(field, "%q is no operator", e.Operator)
			continue
		}
		if !ok || e.Key == "" {
			bad(field, "the key is set, In and NotIn have values, Gt and Lt have one, Exists and DoesNotExist have none")
		}
	}
}

// checkWeight checks the weight of a preferred term.
func checkWeight(field string, w int32, bad complaint) {
	if w < 1 || w > 100 {
		bad(field, "a weight is 1 to 100, not %d", w)
	}
}

// checkSelector checks a label selector.
func checkSelector(field string, s *metav1.LabelSelector, bad complaint) {
	if _, err := metav1.LabelSelectorAsSelector(s); err != nil {
		bad(field, "%s", err)
	}
}

// put adds the template to a Job. It keeps the labels and annotations of the Job. The Job gets copies, so that a change
// of the Job does not change the template.
func (t Template) put(job *batchv1.Job) {
	pod := &job.Spec.Template
	for _, m := range []*metav1.ObjectMeta{&job.ObjectMeta, &pod.ObjectMeta} {
		m.Labels = under(m.Labels, t.Metadata.Labels)
		m.Annotations = under(m.Annotations, t.Metadata.Annotations)
	}
	p := &pod.Spec
	p.NodeSelector, p.Tolerations, p.Affinity = t.Spec.NodeSelector, t.Spec.Tolerations, t.Spec.Affinity
	p.TopologySpreadConstraints, p.PriorityClassName = t.Spec.TopologySpreadConstraints, t.Spec.PriorityClassName
	p.RuntimeClassName, p.SchedulerName = t.Spec.RuntimeClassName, t.Spec.SchedulerName
	p.ImagePullSecrets, p.HostUsers, p.HostAliases = t.Spec.ImagePullSecrets, t.Spec.HostUsers, t.Spec.HostAliases
	p.DNSPolicy, p.DNSConfig = t.Spec.DNSPolicy, t.Spec.DNSConfig
	*p = *p.DeepCopy()
}

// under returns the entries of both maps. An entry of existing takes precedence.
func under(existing, more map[string]string) map[string]string {
	if len(more) == 0 {
		return existing
	}
	out := maps.Clone(more)
	maps.Copy(out, existing)
	return out
}
