// SPDX-License-Identifier: Apache-2.0

package health

import (
	"bufio"
	"bytes"
	"os"
	"testing"

	"k8s.io/apimachinery/pkg/util/json"
)

// envStates is the variable with a file of states that controllers/gitops recorded. make chaos-gitops sets it.
const envStates = "REELOPS_HISTORIES_STATES"

// recorded is the state of an object when a random GitOps history had settled, with the verdict of that test's model.
type recorded struct {
	Verdict string         `json:"verdict"`
	History uint64         `json:"history"`
	Object  map[string]any `json:"object"`
}

// health is the result of kstatus, Argo CD and Flux for a state.
type health struct{ kstatus, argo, flux string }

// expected maps verdicts of the model to results. A key with a kind takes precedence over the key without one.
var expected = map[string]health{
	"good":         {current, "Healthy", current},
	"planned":      {current, "Healthy", current},
	"planned Post": {progress, "Healthy", progress}, // its batch is current; Flux and Argo CD do not apply posts
	"waiting":      {progress, "Progressing", progress},
	"asked":        {progress, "Suspended", current},
	"asked Post":   {progress, "Suspended", progress},
	"failed":       {failed, "Degraded", failed},
}

// TestHealth_StatesOfHistories compares the health of recorded states with the verdicts of the model.
func TestHealth_StatesOfHistories(t *testing.T) {
	path := os.Getenv(envStates)
	if path == "" {
		t.Skip(envStates + " is not set: run make chaos-gitops")
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	overrides, checks := argoOverrides(t), fluxChecks(t)
	n := 0
	for lines := bufio.NewScanner(bytes.NewReader(text)); lines.Scan(); n++ {
		var r recorded
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil { // keeps whole numbers, like a client of the cluster
			t.Fatal(err)
		}
		kind, _ := r.Object["kind"].(string)
		want, ok := expected[r.Verdict+" "+kind]
		if !ok {
			if want, ok = expected[r.Verdict]; !ok {
				t.Fatalf("no health for the verdict %q", r.Verdict)
			}
		}
		argo, message := argoHealth(t, overrides, r.Object)
		got := health{computeStatus(t, r.Object), argo, checks.status(t, r.Object)}
		if got != want || message == "" {
			t.Errorf("history %d: a %s is %s; kstatus, Argo CD (%s) and Flux compute %v, want %v\n%s", r.History, kind, r.Verdict, message, got, want, lines.Text())
		}
	}
	if n < 20 {
		t.Errorf("only %d states are recorded", n)
	}
}
