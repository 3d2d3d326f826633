// SPDX-License-Identifier: Apache-2.0

package mcp

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/jsonschema-go/jsonschema"
	"github.com/prometheus/client_golang/prometheus"
	clocktesting "k8s.io/utils/clock/testing"

	"github.com/reelops/reelops/apiserver/limit"
	"github.com/reelops/reelops/apiserver/operation"
	"github.com/reelops/reelops/apiserver/ops"
)

var update = flag.Bool("update", false, "update the golden file")

const golden = "testdata/tools.json"

// api has every operation, without a cluster.
func api(t testing.TB) *operation.Handler {
	t.Helper()
	metrics, err := operation.NewMetrics(prometheus.NewRegistry())
	if err != nil {
		t.Fatal(err)
	}
	h, err := operation.NewHandler(operation.Config{Operations: (&ops.Service{}).Operations(), Metrics: metrics, BaseURL: "http://127.0.0.1:8080", Limits: limit.New(limit.Default(), &clocktesting.FakePassiveClock{})})
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func documented(t testing.TB) *document {
	t.Helper()
	d, err := documentOf(api(t).Description())
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// resolved returns a schema that can validate values.
func resolved(t testing.TB, schema object) *jsonschema.Resolved {
	t.Helper()
	doc, err := json.Marshal(schema)
	if err != nil {
		t.Fatal(err)
	}
	var s jsonschema.Schema
	if err := json.Unmarshal(doc, &s); err != nil {
		t.Fatal(err)
	}
	out, err := s.Resolve(&jsonschema.ResolveOptions{ValidateDefaults: true})
	if err != nil {
		t.Fatalf("the schema of %s is invalid: %v", doc, err)
	}
	return out
}

// usual returns a tool's description with the default rate limits.
func usual(about string) string {
	return numbers(func(b limit.Bucket) limit.Ceiling { return limit.Default()[b] }).Replace(about)
}

// listed is a tool as listed for agents.
type listed struct {
	Name, Title, Description string
	Hints                    map[string]bool
	Input                    any
}

func TestTools_ChangeOnlyOnPurpose(t *testing.T) {
	d := documented(t)
	var all []listed
	for _, one := range tools {
		all = append(all, listed{one.name, one.title, usual(one.about), map[string]bool{
			"readOnly": one.reads, "destructive": one.destroys, "idempotent": one.repeatable, "openWorld": one.outside,
		}, d.input(one)})
	}
	var got bytes.Buffer
	e := json.NewEncoder(&got)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(all); err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(golden, got.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got.String()); diff != "" {
		t.Errorf("the description for agents changed; after an intended change run: go test ./apiserver/mcp -run Purpose -update\n%s", diff)
	}
}

func TestTools_SchemasAreSelfContained(t *testing.T) {
	d := documented(t)
	for _, one := range tools {
		output, err := d.output(one)
		if err != nil {
			t.Fatal(err)
		}
		for what, schema := range map[string]object{"input": d.input(one), "output": output} {
			doc, err := json.Marshal(schema)
			if err != nil {
				t.Fatal(err)
			}
			if what == "input" && bytes.Contains(doc, []byte(`"$ref"`)) {
				t.Errorf("%s: the input has an external reference", one.name)
			}
			for _, leftover := range []string{"#/components/", `"x-`, "int64", " GET ", " POST ", "/api/v1", "`GET", "`POST"} {
				if bytes.Contains(doc, []byte(leftover)) {
					t.Errorf("%s: the %s schema contains %s", one.name, what, leftover)
				}
			}
			resolved(t, schema)
		}
		words := usual(one.about)
		if strings.Contains(words, "GET /") || strings.Contains(words, "POST /") {
			t.Errorf("%s mentions paths: %s", one.name, words)
		}
		for _, number := range regexp.MustCompile(`\{[a-z_]+\}`).FindAllString(words, -1) {
			t.Errorf("%s: %s is not a number", one.name, number)
		}
	}
}

func TestTools_CoverEveryOperation(t *testing.T) {
	d := documented(t)
	// These duplicate update_slideshow and get_short. Slides are added, removed and previewed, histories are read, and posts are edited,
	// approved and returned, over REST only.
	there := map[string]bool{
		"put_slideshow": true, "get_slideshow": true, "get_video": true, "add_slide": true, "remove_slide": true, "list_short_history": true,
		"preview_slide": true, "update_post": true, "approve_post": true, "return_post": true,
		// Brands are changed, and media and packs managed, over REST only.
		"update_brand": true, "delete_short": true, "update_media": true, "delete_media": true,
		"list_webhooks": true, "create_webhook": true, "get_webhook": true, "update_webhook": true, "delete_webhook": true,
		"test_webhook": true, "rotate_webhook": true, "list_webhook_deliveries": true, "replay_webhook": true,
		"create_media_pack": true, "get_media_pack": true, "update_media_pack": true, "delete_media_pack": true,
		// Automations are managed over REST only.
		"list_automations": true, "create_automation": true, "preview_automation": true, "get_automation": true, "update_automation": true,
		"delete_automation": true, "run_automation": true, "list_automation_runs": true,
	}
	for _, one := range tools {
		for _, v := range one.variants {
			there[v.operation] = true
		}
	}
	for name := range d.operations {
		if !there[name] {
			t.Errorf("no tool calls %s", name)
		}
	}
	if len(tools) != 18 {
		t.Errorf("got %d tools", len(tools))
	}
}
