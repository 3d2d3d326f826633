// SPDX-License-Identifier: Apache-2.0

package health

import (
	"strings"
	"testing"

	"github.com/fluxcd/pkg/apis/kustomize"
	"github.com/fluxcd/pkg/runtime/cel"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// evaluators are the evaluators that Flux builds from the Kustomization's healthCheckExprs, by kind.
type evaluators map[string]*cel.StatusEvaluator

func fluxChecks(t *testing.T) evaluators {
	t.Helper()
	var k struct {
		Spec struct {
			HealthCheckExprs []kustomize.CustomHealthCheck `json:"healthCheckExprs"`
		} `json:"spec"`
	}
	read(t, "flux.yaml", &k)
	if _, err := cel.NewStatusReader(k.Spec.HealthCheckExprs); err != nil {
		t.Fatalf("Flux rejects the expressions: %v", err)
	}
	out := evaluators{}
	for _, c := range k.Spec.HealthCheckExprs {
		if c.APIVersion != "reelops.dev/v1beta1" || !strings.Contains(every, c.Kind) {
			t.Errorf("there is no kind %s %s", c.APIVersion, c.Kind)
		}
		e, err := cel.NewStatusEvaluator(&c.HealthCheckExpressions)
		if err != nil {
			t.Fatal(err)
		}
		out[c.Kind] = e
	}
	if len(out) != 6 {
		t.Errorf("%d kinds have expressions, want 6", len(out))
	}
	return out
}

// status returns the status that Flux computes: by the expressions of the kind if there are any, else with kstatus.
func (e evaluators) status(t *testing.T, o map[string]any) string {
	t.Helper()
	evaluator, ok := e[o["kind"].(string)]
	if !ok {
		return computeStatus(t, o)
	}
	result, err := evaluator.Evaluate(t.Context(), &unstructured.Unstructured{Object: o})
	if err != nil {
		t.Fatal(err)
	}
	return string(result.Status)
}
