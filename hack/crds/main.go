// SPDX-License-Identifier: Apache-2.0

// Command crds completes the CustomResourceDefinitions written by controller-gen: it makes each status atomic, and adds
// the served version v1alpha1.
//
// managedFields names every field of an object that has an owner, and an atomic status as one field. Only the programs of
// Reelops write statuses, by merge patches, which do not depend on owners.
// hack/decisions/2026-11-30-atomic-statuses.md has the figures.
//
// Kinds that are newer than v1beta1 are served in v1beta1 only. Every version has the schema of v1beta1, so that no object changes when it is read in another version. The conversion
// strategy stays None and there is no webhook. hack/decisions/2026-11-24-v1beta1.md has the reasons.
//
//	go -C hack run ./crds ../config/crd/bases
package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/yaml"
)

// deprecated is the version that is served in addition to the stored one.
const deprecated = "v1alpha1"

// newer are the kinds that were added after v1alpha1 was deprecated. They are served in the stored version only.
var newer = map[string]bool{"Archive": true, "Automation": true, "AutomationRun": true, "WebhookEndpoint": true}

func main() {
	err := errors.New("usage: crds FOLDER")
	if len(os.Args) == 2 {
		err = addAll(os.Args[1])
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "crds:", err)
		os.Exit(1)
	}
}

func addAll(dir string) error {
	files, err := filepath.Glob(filepath.Join(dir, "*.yaml"))
	if err != nil {
		return err
	}
	for _, file := range files {
		if err := addTo(file); err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
	}
	return nil
}

func addTo(file string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	var crd apiextensionsv1.CustomResourceDefinition
	if err := yaml.UnmarshalStrict(text, &crd); err != nil {
		return err
	}
	if err := complete(&crd); err != nil {
		return err
	}
	out, err := yaml.Marshal(document{APIVersion: crd.APIVersion, Kind: crd.Kind, Metadata: crd.ObjectMeta, Spec: crd.Spec})
	if err != nil {
		return err
	}
	return os.WriteFile(file, append([]byte("---\n"), out...), 0o644)
}

// document is a CustomResourceDefinition without status, because an empty status would be applied with the file.
type document struct {
	APIVersion string                                       `json:"apiVersion"`
	Kind       string                                       `json:"kind"`
	Metadata   any                                          `json:"metadata"`
	Spec       apiextensionsv1.CustomResourceDefinitionSpec `json:"spec"`
}

// complete makes the status atomic, and appends the deprecated version, a copy of the only existing version, to the kinds
// that had it.
func complete(crd *apiextensionsv1.CustomResourceDefinition) error {
	if n := len(crd.Spec.Versions); n != 1 || !crd.Spec.Versions[0].Storage {
		return fmt.Errorf("%d versions, want the stored one alone", n)
	}
	root := crd.Spec.Versions[0].Schema.OpenAPIV3Schema
	if status, has := root.Properties["status"]; has {
		status.XMapType = ptr.To("atomic")
		root.Properties["status"] = status
	}
	if newer[crd.Spec.Names.Kind] {
		return nil
	}
	v := crd.Spec.Versions[0].DeepCopy()
	warning := fmt.Sprintf("%s/%s %s is deprecated; use %s/%s", crd.Spec.Group, deprecated, crd.Spec.Names.Kind, crd.Spec.Group, v.Name)
	v.Name, v.Storage, v.Deprecated, v.DeprecationWarning = deprecated, false, true, ptr.To(warning)
	crd.Spec.Versions = append(crd.Spec.Versions, *v)
	return nil
}
