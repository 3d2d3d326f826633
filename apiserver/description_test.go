// SPDX-License-Identifier: Apache-2.0

package apiserver_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/reelops/reelops/internal/testkit/described"
)

type describedResponse struct {
	Ref         string `json:"$ref"`
	Description string
	Headers     map[string]any
	Content     map[string]describedMedia
	Codes       []string `json:"x-error-codes"`
}

type describedMedia struct {
	Example  any
	Examples map[string]any
}

type describedSchema struct {
	Description string
	Properties  map[string]struct {
		Description string
		Ref         string `json:"$ref"`
	}
}

type describedParameter struct {
	Ref         string `json:"$ref"`
	Description string
}

type describedOperation struct {
	OperationID, Summary, Description string
	Tags                              []string
	Parameters                        []describedParameter
	RequestBody                       *struct{ Content map[string]describedMedia }
	Responses                         map[string]describedResponse
}

type describedInterface struct {
	Tags  []struct{ Name, Description string }
	Paths map[string]map[string]describedOperation
	Comps struct {
		Schemas    map[string]describedSchema
		Responses  map[string]describedResponse
		Parameters map[string]struct{ Description string }
	} `json:"components"`
}

func readDescription(t *testing.T) describedInterface {
	t.Helper()
	var doc describedInterface
	if err := json.Unmarshal(description(t), &doc); err != nil {
		t.Fatal(err)
	}
	return doc
}

// each visits every operation with its responses, with references resolved.
func (d describedInterface) each(visit func(name string, o describedOperation, answers map[string]describedResponse)) {
	for path, methods := range d.Paths {
		for method, o := range methods {
			answers := map[string]describedResponse{}
			for status, r := range o.Responses {
				if r.Ref != "" {
					r = d.Comps.Responses[strings.TrimPrefix(r.Ref, "#/components/responses/")]
				}
				answers[status] = r
			}
			visit(strings.ToUpper(method)+" "+path, o, answers)
		}
	}
}

func TestDescription_IsValidWithItsExamples(t *testing.T) {
	if _, err := described.New(description(t), "/api/"); err != nil {
		t.Error(err)
	}
}

func TestEveryOperationIsDescribedInFull(t *testing.T) {
	doc := readDescription(t)
	doc.each(func(name string, o describedOperation, answers map[string]describedResponse) {
		if o.OperationID == "" || o.Summary == "" || o.Description == "" || len(o.Tags) != 1 {
			t.Errorf("%s lacks a name, a summary, a description or its tag", name)
		}
		for _, p := range o.Parameters {
			text := p.Description + doc.Comps.Parameters[strings.TrimPrefix(p.Ref, "#/components/parameters/")].Description
			if text == "" {
				t.Errorf("%s has a parameter without a description", name)
			}
		}
		if o.RequestBody != nil && o.RequestBody.Content["application/json"].Example == nil {
			t.Errorf("%s has no example of its body", name)
		}
		for _, status := range []string{"400", "401", "405", "429", "500", "503"} {
			if _, ok := answers[status]; !ok {
				t.Errorf("%s does not describe %s", name, status)
			}
		}
		if o.OperationID == "create_slideshow" || o.OperationID == "render_slideshow" {
			if !slices.Contains(o.Parameters, describedParameter{Ref: "#/components/parameters/IdempotencyKey"}) {
				t.Errorf("%s does not describe Idempotency-Key", name)
			}
		}
	})
}

func TestEveryAnswerIsDescribedWithItsHeadersAndExamples(t *testing.T) {
	need := map[string][]string{"401": {"WWW-Authenticate"}, "405": {"Allow"}, "429": {"Retry-After"}, "503": {"Retry-After"}, "304": {"ETag"}}
	readDescription(t).each(func(name string, _ describedOperation, answers map[string]describedResponse) {
		for status, r := range answers {
			for _, h := range append([]string{"X-Request-Id", "X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Window"}, need[status]...) {
				if r.Headers[h] == nil {
					t.Errorf("%s %s does not describe %s", name, status, h)
				}
			}
			body := r.Content["application/json"]
			switch {
			case r.Description == "":
				t.Errorf("%s %s has no description", name, status)
			case status < "300" && body.Example == nil && len(body.Examples) == 0:
				t.Errorf("%s %s has no example", name, status)
			case status >= "400" && len(body.Examples) != len(r.Codes), status >= "400" && len(r.Codes) == 0:
				t.Errorf("%s %s has %d examples of %v", name, status, len(body.Examples), r.Codes)
			}
		}
	})
}

func TestDescription_EverySchemaHasADescription(t *testing.T) {
	for name, s := range readDescription(t).Comps.Schemas {
		if s.Description == "" {
			t.Errorf("the schema %s has no description; add it in schema_docs.go", name)
		}
		for member, m := range s.Properties {
			if m.Description == "" && m.Ref == "" {
				t.Errorf("%s.%s has no description", name, member)
			}
		}
	}
}
