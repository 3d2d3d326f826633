// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"
)

// generatedAnnotations is the line of Chart.yaml after which the annotations are generated.
const generatedAnnotations = "  # Written by `make generate` from config/crd.\n"

// listedCRD is a kind as Artifact Hub shows it.
type listedCRD struct {
	Kind        string `json:"kind"`
	Version     string `json:"version"`
	Name        string `json:"name"`
	DisplayName string `json:"displayName"`
	Description string `json:"description"`
}

// annotate returns Chart.yaml with the annotations for Artifact Hub that list the kinds
// (https://artifacthub.io/docs/topics/annotations/helm/).
func annotate(config string, chart []byte) ([]byte, error) {
	before, _, found := bytes.Cut(chart, []byte(generatedAnnotations))
	if !found {
		return nil, fmt.Errorf("Chart.yaml has no line %q", strings.TrimSpace(generatedAnnotations))
	}
	objects, err := build(filepath.Join(config, "crd"))
	if err != nil {
		return nil, err
	}
	var all []listedCRD
	for _, o := range objects.Resources() {
		doc, err := o.AsYAML()
		if err != nil {
			return nil, err
		}
		crd := apiextensionsv1.CustomResourceDefinition{}
		if err := yaml.Unmarshal(doc, &crd); err != nil {
			return nil, err
		}
		i := slices.IndexFunc(crd.Spec.Versions, func(v apiextensionsv1.CustomResourceDefinitionVersion) bool { return v.Storage })
		if crd.Kind != "CustomResourceDefinition" || i < 0 {
			continue
		}
		v := crd.Spec.Versions[i]
		about := strings.Join(strings.Fields(v.Schema.OpenAPIV3Schema.Description), " ")
		first, _, _ := strings.Cut(about, ". ")
		all = append(all, listedCRD{
			Kind: crd.Spec.Names.Kind, Version: v.Name, Name: crd.Name, DisplayName: crd.Spec.Names.Kind,
			Description: strings.TrimSuffix(first, ".") + ".",
		})
	}
	slices.SortFunc(all, func(a, b listedCRD) int { return strings.Compare(a.Kind, b.Kind) })
	doc, err := yaml.Marshal(all)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	out.Write(before)
	out.WriteString(generatedAnnotations + "  artifacthub.io/crds: |\n")
	for line := range strings.Lines(string(doc)) {
		out.WriteString("    " + line)
	}
	return out.Bytes(), nil
}
