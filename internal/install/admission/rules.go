// SPDX-License-Identifier: Apache-2.0

package admission

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	structural "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/listtype"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/objectmeta"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metavalidation "k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
	celconfig "k8s.io/apiserver/pkg/apis/cel"

	"github.com/reelops/reelops/api/v1beta1"
)

// Rules are the CRDs and admission policies of this release.
type Rules struct {
	crds     map[string]*apiextensionsv1.CustomResourceDefinition // by kind
	kinds    map[schema.GroupVersionKind]*kind                    // those that were used, compiled
	policies []policy
}

// kind is a version of a custom resource. All kinds of Reelops are namespaced.
type kind struct {
	resource  schema.GroupVersionResource
	schema    *structural.Structural
	validator validation.SchemaValidator
	rules     *cel.Validator // of x-kubernetes-validations; nil if there are none
	hasStatus bool
}

// New reads the CRDs of this release and compiles its admission policies.
func New() (*Rules, error) {
	crds, err := CRDs()
	if err != nil {
		return nil, err
	}
	r := &Rules{crds: map[string]*apiextensionsv1.CustomResourceDefinition{}, kinds: map[schema.GroupVersionKind]*kind{}}
	for _, c := range crds {
		r.crds[c.Spec.Names.Kind] = c
	}
	policies, err := Policies()
	if err != nil {
		return nil, err
	}
	for _, p := range policies {
		c, err := compile(p)
		if err != nil {
			return nil, fmt.Errorf("the policy %s: %w", p.Name, err)
		}
		r.policies = append(r.policies, c)
	}
	return r, nil
}

// Check returns the error with which the API server rejects the creation of an object of Reelops with strict field
// validation; nil if it accepts the object. The user may create all kinds, and has the verb approve if approver is set,
// but none of the verbs that only the programs of Reelops have. The object must have a namespace.
func (r *Rules) Check(ctx context.Context, o *unstructured.Unstructured, approver bool) error {
	k, err := r.kind(o.GroupVersionKind())
	if err != nil {
		return err
	}
	o = o.DeepCopy()
	if err := k.decode(o); err != nil {
		return err
	}
	if o.GetName() == "" && o.GetGenerateName() != "" {
		o.SetName(o.GetGenerateName() + "abcde") // as long as the generated part
	}
	o.SetCreationTimestamp(metav1.NewTime(time.Now()))
	if errs := k.validate(ctx, o); len(errs) > 0 {
		return apierrors.NewInvalid(o.GroupVersionKind().GroupKind(), o.GetName(), errs)
	}
	for _, p := range r.policies {
		if err := p.check(ctx, k.resource, o, approver); err != nil {
			return err
		}
	}
	return nil
}

// decode sets defaults and removes unknown fields, as kube-apiserver does when it reads an object. Unknown fields and
// malformed metadata are errors.
func (k *kind) decode(o *unstructured.Unstructured) error {
	defaulting.Default(o.Object, k.schema)
	meta, found, unknown, err := objectmeta.GetObjectMetaWithOptions(
		o.Object, objectmeta.ObjectMetaOptions{ReturnUnknownFieldPaths: true})
	if err != nil {
		return apierrors.NewBadRequest(err.Error())
	}
	kind, version := o.GetKind(), o.GetAPIVersion()
	unknown = append(unknown, pruning.PruneWithOptions(
		o.Object, k.schema, true, structural.UnknownFieldPathOptions{TrackUnknownFieldPaths: true})...)
	defaulting.PruneNonNullableNullsWithoutDefaults(o.Object, k.schema)
	invalid, paths := objectmeta.CoerceWithOptions(
		nil, o.Object, k.schema, false, objectmeta.CoerceOptions{ReturnUnknownFieldPaths: true})
	if invalid != nil {
		return apierrors.NewBadRequest(invalid.Error())
	}
	if unknown = append(unknown, paths...); len(unknown) > 0 {
		return apierrors.NewBadRequest(fmt.Sprintf("unknown field %q", strings.Join(unknown, `", "`)))
	}
	o.SetKind(kind)
	o.SetAPIVersion(version)
	if found {
		return objectmeta.SetObjectMeta(o.Object, meta)
	}
	return nil
}

// blocking are the types of errors after which kube-apiserver does not evaluate the CEL rules of an object.
var blocking = []field.ErrorType{
	field.ErrorTypeRequired, field.ErrorTypeTooLong, field.ErrorTypeTooMany, field.ErrorTypeTypeInvalid,
}

// validate validates a decoded object.
func (k *kind) validate(ctx context.Context, o *unstructured.Unstructured) field.ErrorList {
	if k.hasStatus { // a request that creates an object cannot set it
		delete(o.Object, "status")
	}
	errs := metavalidation.ValidateObjectMetaAccessor(
		o, true, metavalidation.NameIsDNSSubdomain, field.NewPath("metadata"))
	errs = append(errs, validation.ValidateCustomResource(nil, o.Object, k.validator)...)
	errs = append(errs, objectmeta.Validate(ctx, nil, o.Object, k.schema, false)...)
	errs = append(errs, listtype.ValidateListSetsAndMaps(nil, k.schema, o.Object)...)
	blocked := slices.ContainsFunc(errs, func(e *field.Error) bool { return slices.Contains(blocking, e.Type) })
	if blocked || k.rules == nil {
		return errs
	}
	violated, _ := k.rules.Validate(ctx, nil, k.schema, o.Object, nil, celconfig.RuntimeCELCostBudget)
	return append(errs, violated...)
}

// kind returns a version of a kind, and compiles it when it is first used.
func (r *Rules) kind(of schema.GroupVersionKind) (*kind, error) {
	if k := r.kinds[of]; k != nil {
		return k, nil
	}
	crd := r.crds[of.Kind]
	if crd == nil || of.Group != v1beta1.GroupVersion.Group {
		return nil, apierrors.NewBadRequest(fmt.Sprintf("%s has no kind %q", v1beta1.GroupVersion.Group, of.Kind))
	}
	for i := range crd.Spec.Versions {
		if v := &crd.Spec.Versions[i]; v.Name == of.Version && v.Served {
			k, err := compileKind(crd, v)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", of, err)
			}
			r.kinds[of] = k
			return k, nil
		}
	}
	return nil, apierrors.NewBadRequest(fmt.Sprintf("%s has no version %q", of.Kind, of.Version))
}

func compileKind(
	crd *apiextensionsv1.CustomResourceDefinition, v *apiextensionsv1.CustomResourceDefinitionVersion,
) (*kind, error) {
	props := &apiextensions.JSONSchemaProps{}
	err := apiextensionsv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(
		v.Schema.OpenAPIV3Schema, props, nil)
	if err != nil {
		return nil, err
	}
	s, err := structural.NewStructural(props)
	if err != nil {
		return nil, err
	}
	validator, _, err := validation.NewSchemaValidator(props)
	if err != nil {
		return nil, err
	}
	gvk := schema.GroupVersionKind{Group: crd.Spec.Group, Version: v.Name, Kind: crd.Spec.Names.Kind}
	return &kind{
		resource: gvk.GroupVersion().WithResource(crd.Spec.Names.Plural), schema: s, validator: validator,
		rules:     cel.NewValidator(s, true, celconfig.PerCallLimit),
		hasStatus: v.Subresources != nil && v.Subresources.Status != nil,
	}, nil
}
