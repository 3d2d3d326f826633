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

// Labels that identify the programs of an installation. The chart's nameOverride changes app.kubernetes.io/name, but
// not these labels.
const (
	labelPartOf = "app.kubernetes.io/part-of"
	labelPart   = "app.kubernetes.io/component"
)

// containerOf returns the program's container.
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

// programsHere returns the Deployments of the installation's programs.
func (a *admin) programsHere(ctx context.Context) ([]appsv1.Deployment, error) {
	var list appsv1.DeploymentList
	err := a.client.List(ctx, &list, client.InNamespace(a.systemNamespace), client.MatchingLabels{labelPartOf: "reelops"})
	return list.Items, err
}

// setting returns the value of a program's flag, from its arguments or its environment variable. It returns "(set)" if
// the value is in another object.
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
		return "true" // a boolean flag without a value
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

// storeOf returns a description of the store without the parts of its URL that may be secret.
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
