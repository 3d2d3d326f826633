// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/reelops/reelops/internal/process/flagenv"
)

// Labels by which the programs of an installation are found. The chart's nameOverride changes app.kubernetes.io/name, and neither of these.
const (
	labelPartOf = "app.kubernetes.io/part-of"
	labelPart   = "app.kubernetes.io/component"
)

// containerOf is the program's container.
func containerOf(d *appsv1.Deployment) *corev1.Container {
	for i := range d.Spec.Template.Spec.Containers {
		if c := &d.Spec.Template.Spec.Containers[i]; c.Name == d.Labels[labelPart] {
			return c
		}
	}
	if len(d.Spec.Template.Spec.Containers) > 0 {
		return &d.Spec.Template.Spec.Containers[0]
	}
	return &corev1.Container{}
}

// programsHere are the programs of the installation, as their Deployments say.
func (a *admin) programsHere(ctx context.Context) ([]appsv1.Deployment, error) {
	var list appsv1.DeploymentList
	err := a.client.List(ctx, &list, client.InNamespace(a.systemNamespace), client.MatchingLabels{labelPartOf: "reelops"})
	return list.Items, err
}

// setting is what a program's flag is given, as a flag or as its environment variable; "(set)" where another object holds it.
func setting(d *appsv1.Deployment, flag string) string {
	c := containerOf(d)
	args := slices.Concat(c.Command, c.Args)
	name, variable := "--"+flag, flagenv.Name(flag)
	for i, arg := range args {
		if v, ok := strings.CutPrefix(arg, name+"="); ok {
			return v
		}
		if arg != name {
			continue
		}
		if i+1 < len(args) && !strings.HasPrefix(args[i+1], "-") {
			return args[i+1]
		}
		return "true" // a switch has no value
	}
	for _, e := range c.Env {
		if e.Name == variable && e.ValueFrom != nil {
			return "(set)"
		}
		if e.Name == variable {
			return e.Value
		}
	}
	return ""
}

// storeOf says what the store is, without what may be secret in its address.
func storeOf(d *appsv1.Deployment) string {
	address := setting(d, "blob-url")
	scheme, rest, ok := strings.Cut(address, "://")
	if !ok {
		return "not set"
	}
	if scheme == "file" {
		return "a folder, " + rest
	}
	rest, _, _ = strings.Cut(rest, "?")
	return scheme + "://" + rest
}
