// SPDX-License-Identifier: Apache-2.0

package admission

import (
	"context"
	"fmt"
	"slices"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/admission/plugin/cel"
	"k8s.io/apiserver/pkg/admission/plugin/policy/validating"
	"k8s.io/apiserver/pkg/admission/plugin/webhook/matchconditions"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/authorization/authorizer"
	"k8s.io/apiserver/pkg/cel/environment"
)

// policy is a compiled admission policy.
type policy struct {
	*admissionv1.ValidatingAdmissionPolicy
	validator validating.Validator
}

// compile compiles the expressions of a policy. The policies of Reelops have neither parameters nor audit annotations.
func compile(p *admissionv1.ValidatingAdmissionPolicy) (policy, error) {
	compiler, err := cel.NewCompositedCompiler(environment.MustBaseEnvSet(environment.DefaultCompatibilityVersion()))
	if err != nil {
		return policy{}, err
	}
	full := cel.OptionalVariableDeclarations{HasAuthorizer: true}
	var variables []cel.NamedExpressionAccessor
	for _, v := range p.Spec.Variables {
		variables = append(variables, &validating.Variable{Name: v.Name, Expression: v.Expression})
	}
	compiler.CompileAndStoreVariables(variables, full, environment.StoredExpressions)
	condition := func(all []cel.ExpressionAccessor, with cel.OptionalVariableDeclarations) cel.ConditionEvaluator {
		return compiler.CompileCondition(all, with, environment.StoredExpressions)
	}
	var matcher matchconditions.Matcher
	if len(p.Spec.MatchConditions) > 0 {
		var all []cel.ExpressionAccessor
		for _, c := range p.Spec.MatchConditions {
			all = append(all, (*matchconditions.MatchCondition)(&c))
		}
		matcher = matchconditions.NewMatcher(condition(all, full), p.Spec.FailurePolicy, "policy", "validate", p.Name)
	}
	validations := make([]cel.ExpressionAccessor, len(p.Spec.Validations))
	messages := make([]cel.ExpressionAccessor, len(p.Spec.Validations)) // nil for those with a fixed message
	for i, v := range p.Spec.Validations {
		validations[i] = &validating.ValidationCondition{Expression: v.Expression, Message: v.Message, Reason: v.Reason}
		if v.MessageExpression != "" {
			messages[i] = &validating.MessageExpressionCondition{MessageExpression: v.MessageExpression}
		}
	}
	return policy{p, validating.NewValidator(
		condition(validations, full), matcher, condition(nil, full),
		condition(messages, cel.OptionalVariableDeclarations{}), p.Spec.FailurePolicy, nil,
	)}, nil
}

// check returns the error with which the policy rejects the creation of an object; nil if it accepts the object.
func (p *policy) check(
	ctx context.Context, resource schema.GroupVersionResource, o *unstructured.Unstructured, approver bool,
) error {
	if !p.matches(resource) {
		return nil
	}
	request := &admission.VersionedAttributes{
		Attributes: admission.NewAttributesRecord(o, nil, o.GroupVersionKind(), o.GetNamespace(), o.GetName(), resource, "",
			admission.Create, &metav1.CreateOptions{}, false, &user.DefaultInfo{Name: "user"}),
		VersionedObject: admission.NewLazyObject(o), VersionedKind: o.GroupVersionKind(),
	}
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: o.GetNamespace()}}
	result := p.validator.Validate(
		ctx, resource, request, nil, namespace, celconfig.RuntimeCELCostBudget, verbs(approver))
	for _, d := range result.Decisions {
		if d.Action == validating.ActionDeny {
			why := fmt.Errorf("ValidatingAdmissionPolicy %q: %s", p.Name, d.Message)
			return apierrors.NewForbidden(resource.GroupResource(), o.GetName(), why)
		}
	}
	return nil
}

// matches reports whether the policy is for new objects of a resource.
func (p *policy) matches(resource schema.GroupVersionResource) bool {
	has := func(all []string, one string) bool { return slices.Contains(all, one) || slices.Contains(all, "*") }
	return slices.ContainsFunc(p.Spec.MatchConstraints.ResourceRules, func(r admissionv1.NamedRuleWithOperations) bool {
		return has(r.APIGroups, resource.Group) && has(r.APIVersions, resource.Version) &&
			has(r.Resources, resource.Resource) &&
			(slices.Contains(r.Operations, admissionv1.Create) || slices.Contains(r.Operations, admissionv1.OperationAll))
	})
}

// verbs returns the permissions of a user, for the expressions of policies.
func verbs(approver bool) authorizer.AuthorizerFunc {
	return func(_ context.Context, a authorizer.Attributes) (authorizer.Decision, string, error) {
		if approver && a.GetVerb() == "approve" {
			return authorizer.DecisionAllow, "", nil
		}
		return authorizer.DecisionNoOpinion, "", nil
	}
}
