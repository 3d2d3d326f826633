// SPDX-License-Identifier: Apache-2.0

package health

import (
	"bufio"
	"bytes"
	"os"
	"testing"

	"k8s.io/apimachinery/pkg/util/json"
)

// envStates names a file of states that controllers/gitops recorded: make chaos-gitops sets it.
const envStates = "REELOPS_HISTORIES_STATES"

// recorded is the state of an object at a rest of a random GitOps history, with the verdict of the model of that test.
type recorded struct {
	Verdict string         `json:"verdict"`
	History uint64         `json:"history"`
	Object  map[string]any `json:"object"`
}

// health is what kstatus, Argo CD and Flux compute of a state.
type health struct{ kstatus, argo, flux string }

// expected are the healths by the verdicts of the model; a key with a kind overrides the one without.
var expected = map[string]health{
	"good":         {current, "Healthy", current},
	"planned":      {current, "Healthy", current},
	"planned Post": {progress, "Healthy", progress}, // its batch is current; Flux and Argo CD do not apply posts
	"waiting":      {progress, "Progressing", progress},
	"asked":        {progress, "Suspended", current},
	"asked Post":   {progress, "Suspended", progress},
	"failed":       {failed, "Degraded", failed},
}

// TestHealth_StatesOfHistories compares the health of recorded states with what the model of the histories says is true.
func TestHealth_StatesOfHistories(t *testing.T) {
	path := os.Getenv(envStates)
	if path == "" {
		t.Skip(envStates + " names no file: run make chaos-gitops")
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	overrides, checks := argoOverrides(t), fluxChecks(t)
	n := 0
	for lines := bufio.NewScanner(bytes.NewReader(text)); lines.Scan(); n++ {
		var r recorded
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil { // keeps whole numbers, as a client of the cluster does
			t.Fatal(err)
		}
		kind, _ := r.Object["kind"].(string)
		want, ok := expected[r.Verdict+" "+kind]
		if !ok {
			if want, ok = expected[r.Verdict]; !ok {
				t.Fatalf("there is no health for the verdict %q", r.Verdict)
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
