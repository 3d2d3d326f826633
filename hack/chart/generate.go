// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"

	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/api/resmap"
	"sigs.k8s.io/kustomize/kyaml/filesys"
	"sigs.k8s.io/yaml"
)

const (
	header = "{{/* Written by `make generate` from %s. Change it there. */}}\n"
	// system is the namespace in the manifests. In the chart it is replaced by the namespace of the release.
	system = "reelops-system"
	// renderer is the image of the renderer in the policy on the manager's Jobs. In the chart it is replaced by the
	// image from the values.
	renderer = "reelops.dev/renderer"
)

// part is a folder of manifests that becomes one chart template.
type part struct {
	from, to string
	// when is the template expression under which the part is rendered; empty means always.
	when string
	// labels is a template expression with labels to add; empty means none. Objects with such labels are named after
	// the full name of the release.
	labels string
	// keep is the condition under which the objects outlive the release; empty means never.
	keep string
	// only reports whether a kind is included; nil means all kinds.
	only func(kind string) bool
}

var parts = []part{
	{from: "crd", to: "crds.yaml", when: `include "reelops.crdsEnabled" .`, keep: `include "reelops.crdsKept" .`},
	// A release does not contain its Namespace, and the ServiceAccounts have annotations from the values.
	{from: "rbac", to: "rbac.yaml", only: func(kind string) bool { return kind != "Namespace" && kind != "ServiceAccount" }},
	{from: "policy", to: "policy.yaml"},
	monitor("PrometheusRule", "prometheusrule.yaml", ".Values.monitoring.prometheusRule"),
	monitor("ConfigMap", "dashboard.yaml", ".Values.monitoring.dashboard"),
}

// monitor returns the part with one kind of config/monitoring. Values enable and label it.
func monitor(kind, to, values string) part {
	return part{from: "monitoring", to: to, when: values + ".enabled", labels: values + ".labels", only: func(k string) bool { return k == kind }}
}

// generate returns the generated templates by name.
func generate(config string) (map[string][]byte, error) {
	out := map[string][]byte{}
	for _, p := range parts {
		objects, err := build(filepath.Join(config, p.from))
		if err != nil {
			return nil, err
		}
		if out[p.to], err = p.template(objects); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// build renders a folder with kustomize.
func build(dir string) (resmap.ResMap, error) {
	m, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(filesys.MakeFsOnDisk(), dir)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", dir, err)
	}
	return m, nil
}

// template returns the objects as one template.
func (p part) template(objects resmap.ResMap) ([]byte, error) {
	var b bytes.Buffer
	fmt.Fprintf(&b, header, "config/"+p.from)
	if p.when != "" {
		fmt.Fprintf(&b, "{{- if %s }}\n", p.when)
	}
	for _, r := range objects.Resources() {
		if p.only != nil && !p.only(r.GetKind()) {
			continue
		}
		o, err := r.Map()
		if err != nil {
			return nil, err
		}
		text, err := p.object(o)
		if err != nil {
			return nil, err
		}
		b.WriteString("---\n")
		b.WriteString(text)
	}
	if p.when != "" {
		b.WriteString("{{- end }}\n")
	}
	return b.Bytes(), nil
}

// Keys that mark the places in an object where the template inserts text. They sort to the beginning of their map.
const (
	labelsHere = "0labels"
	keepHere   = "0keep"
)

var (
	marked    = regexp.MustCompile(`(?m)^( *)0(labels|keep): ""\n`)
	namespace = regexp.MustCompile(`\b` + regexp.QuoteMeta(system) + `\b`)
	named     = regexp.MustCompile(`(?m)^  name: reelops\b`)
	account   = regexp.MustCompile(`(?m)^(- kind: ServiceAccount\n  name: )reelops-(apiserver|manager)$`)
	identity  = regexp.MustCompile(`':reelops-(apiserver|manager)'`) // the end of a program's user name in policies
	aggregate = regexp.MustCompile(`(?m)^    rbac\.authorization\.k8s\.io/aggregate-to-(view|edit|admin): "true"\n`)
)

// aggregates maps the roles that are aggregated into Kubernetes' default roles to the conditions for that.
var aggregates = map[string]string{
	"reelops-viewer":    ".Values.rbac.aggregateToView",
	"reelops-editor":    ".Values.rbac.aggregateToEdit",
	"reelops-publisher": "and .Values.rbac.aggregateToEdit .Values.rbac.aggregatePublisher",
	"reelops-approver":  ".Values.rbac.aggregateToAdmin",
}

func (p part) object(o map[string]any) (string, error) {
	meta := child(o, "metadata")
	labels := child(meta, "labels")
	for _, k := range []string{"app.kubernetes.io/name", "app.kubernetes.io/part-of"} {
		delete(labels, k) // the chart's common labels contain these
	}
	if p.labels != "" {
		delete(labels, "grafana_dashboard") // set by the value
	}
	labels[labelsHere] = ""
	if p.keep != "" {
		child(meta, "annotations")[keepHere] = ""
	}
	text, err := yaml.Marshal(o)
	if err != nil {
		return "", err
	}
	s := escape(string(text))
	s = namespace.ReplaceAllString(s, "{{ .Release.Namespace }}")
	if p.labels != "" {
		s = named.ReplaceAllString(s, `  name: {{ include "reelops.fullname" . }}`)
	}
	s = account.ReplaceAllString(s, `${1}{{ include "reelops.serviceAccountName" (dict "root" . "component" "$2") }}`)
	s = identity.ReplaceAllString(s, `':{{ include "reelops.serviceAccountName" (dict "root" . "component" "$1") }}'`)
	name, _ := meta["name"].(string)
	if when, ok := aggregates[name]; ok {
		s = aggregate.ReplaceAllStringFunc(s, func(m string) string { return "    {{- if " + when + " }}\n" + m + "    {{- end }}\n" })
	}
	s = strings.ReplaceAll(s, renderer, `{{ include "reelops.image" (dict "root" . "program" "renderer") }}`)
	return marked.ReplaceAllStringFunc(s, func(m string) string {
		indent := len(m) - len(strings.TrimLeft(m, " "))
		pad := strings.Repeat(" ", indent)
		if strings.Contains(m, keepHere) {
			return fmt.Sprintf("%s{{- if %s }}\n%shelm.sh/resource-policy: keep\n%s{{- end }}\n", pad, p.keep, pad, pad)
		}
		labels := `include "reelops.labels" .`
		if p.labels != "" {
			labels = fmt.Sprintf(`include "reelops.labelsWith" (dict "root" . "labels" %s)`, p.labels)
		}
		return fmt.Sprintf("%s{{- %s | nindent %d }}\n", pad, labels, indent)
	}), nil
}

// escape escapes text that looks like a template action.
func escape(s string) string {
	const open, shut = "\x00", "\x01"
	s = strings.NewReplacer("{{", open, "}}", shut).Replace(s)
	return strings.NewReplacer(open, "{{ `{{` }}", shut, "{{ `}}` }}").Replace(s)
}

func child(o map[string]any, key string) map[string]any {
	c, ok := o[key].(map[string]any)
	if !ok {
		c = map[string]any{}
		o[key] = c
	}
	return c
}
