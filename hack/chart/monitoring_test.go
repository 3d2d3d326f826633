// SPDX-License-Identifier: Apache-2.0

package main

import (
	"regexp"
	"slices"
	"testing"
)

// TestMonitoring_SelectsTheRelease checks that the rules of a release select its namespace and the Services that its
// ServiceMonitor selects. The Prometheus Operator names a job after its Service.
func TestMonitoring_SelectsTheRelease(t *testing.T) {
	r, err := template("films", "monitoring: {serviceMonitor: {enabled: true}, prometheusRule: {enabled: true}, dashboard: {enabled: true}}")
	if err != nil {
		t.Fatal(err)
	}
	objects, err := decode([]byte(r.Manifest))
	if err != nil {
		t.Fatal(err)
	}
	monitor := objects["ServiceMonitor films/reelops"]
	var jobs []string
	for _, o := range objects {
		if text(o, "kind") != "Service" {
			continue
		}
		selected := true
		for k, v := range at(monitor, "spec", "selector", "matchLabels").(object) {
			selected = selected && at(o, "metadata", "labels", k) == v
		}
		for _, p := range at(o, "spec", "ports").([]any) {
			if selected && text(p, "name") == "metrics" {
				jobs = append(jobs, text(o, "metadata", "name"))
			}
		}
	}
	slices.Sort(jobs)
	jobMatcher, namespaceMatcher := regexp.MustCompile(`job(=~?)"([^"]*)"`), regexp.MustCompile(`namespace="([^"]*)"`)
	n := 0
	for _, g := range at(objects["PrometheusRule films/reelops"], "spec", "groups").([]any) {
		for _, rule := range at(g, "rules").([]any) {
			n++
			expr := text(rule, "expr")
			for _, m := range namespaceMatcher.FindAllStringSubmatch(expr, -1) {
				if m[1] != "films" {
					t.Errorf("a rule selects the namespace %s: %s", m[1], expr)
				}
			}
			for _, m := range jobMatcher.FindAllStringSubmatch(expr, -1) {
				pattern := regexp.MustCompile("^(?:" + m[2] + ")$")
				if !slices.ContainsFunc(jobs, pattern.MatchString) {
					t.Errorf("a rule selects the job %s, the ServiceMonitor produces %v: %s", m[2], jobs, expr)
				}
			}
			if len(jobMatcher.FindAllString(expr, -1)) != len(namespaceMatcher.FindAllString(expr, -1)) || !namespaceMatcher.MatchString(expr) {
				t.Errorf("a selector lacks the job or the namespace: %s", expr)
			}
		}
	}
	if n < 25 {
		t.Errorf("only %d rules", n)
	}
	if text(objects["ConfigMap films/reelops-dashboard"], "data", "dashboard.json") == "" {
		t.Error("there is no dashboard")
	}
}
