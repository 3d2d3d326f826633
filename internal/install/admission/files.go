// SPDX-License-Identifier: Apache-2.0

package admission

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/yaml"

	"github.com/reelops/reelops/config"
)

// CRDs returns the CRDs of this release.
func CRDs() ([]*apiextensionsv1.CustomResourceDefinition, error) {
	return read[apiextensionsv1.CustomResourceDefinition]("crd/bases/*.yaml", "CustomResourceDefinition")
}

// Policies returns the admission policies of this release that are bound with the action Deny.
func Policies() ([]*admissionv1.ValidatingAdmissionPolicy, error) {
	const files = "policy/*.yaml"
	bindings, err := read[admissionv1.ValidatingAdmissionPolicyBinding](files, "ValidatingAdmissionPolicyBinding")
	if err != nil {
		return nil, err
	}
	policies, err := read[admissionv1.ValidatingAdmissionPolicy](files, "ValidatingAdmissionPolicy")
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(policies, func(p *admissionv1.ValidatingAdmissionPolicy) bool {
		return !slices.ContainsFunc(bindings, func(b *admissionv1.ValidatingAdmissionPolicyBinding) bool {
			return b.Spec.PolicyName == p.Name && slices.Contains(b.Spec.ValidationActions, admissionv1.Deny)
		})
	}), nil
}

// read returns the objects of a kind in the files that match a pattern.
func read[T any](pattern, kind string) (out []*T, err error) {
	names, err := fs.Glob(config.Rules, pattern)
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		file, err := config.Rules.ReadFile(name)
		if err != nil {
			return nil, err
		}
		for docs := utilyaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(file))); ; {
			text, err := docs.Read()
			if errors.Is(err, io.EOF) {
				break
			}
			var is metav1.TypeMeta
			if err == nil {
				err = yaml.Unmarshal(text, &is)
			}
			if err == nil && is.Kind == kind {
				o := new(T)
				out, err = append(out, o), yaml.UnmarshalStrict(text, o)
			}
			if err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
		}
	}
	return out, nil
}
