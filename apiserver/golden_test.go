// SPDX-License-Identifier: Apache-2.0

package apiserver_test

import (
	"encoding/json"
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/reelops/reelops/apiserver/operation"
	"github.com/reelops/reelops/apiserver/ops"
	"github.com/reelops/reelops/internal/catalog"
)

var update = flag.Bool("update", false, "update the golden files")

const golden = "testdata/openapi.json"

func description(t *testing.T) []byte {
	t.Helper()
	metrics, err := operation.NewMetrics(prometheus.NewRegistry())
	if err != nil {
		t.Fatal(err)
	}
	h, err := operation.NewHandler(operation.Config{Operations: (&ops.Service{}).Operations(), Metrics: metrics, BaseURL: "http://127.0.0.1:8080"})
	if err != nil {
		t.Fatal(err)
	}
	return h.Description()
}

func TestDescription_MatchesTheGoldenFile(t *testing.T) {
	got := description(t)
	if *update {
		if err := os.WriteFile(golden, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), string(got)); d != "" {
		t.Errorf("the API changed; after an intended change run: go test ./apiserver -run Description -update\n%s", d)
	}
}

func TestDescription_HasTheFieldsThatProgramsUse(t *testing.T) {
	var doc struct {
		OpenAPI string
		Info    struct{ Version string }
		Paths   map[string]map[string]map[string]any
		Comps   struct {
			Schemas map[string]struct {
				Properties map[string]struct{ Enum []any }
			}
		} `json:"components"`
	}
	if err := json.Unmarshal(description(t), &doc); err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(doc.OpenAPI, "3.1") || doc.Info.Version != "1.0.0" {
		t.Errorf("openapi %s, info.version %s", doc.OpenAPI, doc.Info.Version)
	}
	for path, methods := range doc.Paths {
		for method, op := range methods {
			if _, ok := op["x-required-scope"]; !ok {
				t.Errorf("%s %s has no x-required-scope", method, path)
			}
		}
	}
	if got := doc.Paths["/api/v1/errors/{code}"]["get"]["x-required-scope"]; got != nil {
		t.Errorf("the operation to look up errors requires the scope %v, want none", got)
	}
	if codes := doc.Comps.Schemas["APIError"].Properties["code"].Enum; !cmp.Equal(codes, anySlice(catalog.ErrorCodes())) {
		t.Errorf("got the enum %v of error codes", codes)
	}
	if bytesHold := string(description(t)); strings.Contains(bytesHold, `"additionalProperties": false`) {
		t.Error("the description forbids members that later versions may add")
	}
}

func anySlice(in []string) []any {
	out := make([]any, len(in))
	for i, s := range in {
		out[i] = s
	}
	return out
}
