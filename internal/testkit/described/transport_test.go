// SPDX-License-Identifier: Apache-2.0

package described_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/reelops/reelops/internal/testkit/described"
)

const description = `{
  "openapi": "3.1.0", "info": {"title": "A thing", "version": "1.0.0"},
  "paths": {"/api/things": {"post": {
    "operationId": "make_thing",
    "requestBody": {"required": true, "content": {"application/json": {"schema": {
      "type": "object", "required": ["name"], "properties": {"name": {"type": "string"}}}}}},
    "responses": {
      "200": {"description": "Made.", "headers": {"X-Left": {"required": true, "schema": {"type": "integer"}}},
        "content": {"application/json": {"schema": {"type": "object", "required": ["id"], "properties": {
          "id": {"type": "integer"}, "title": {"type": ["string", "null"]}, "at": {"type": "string", "format": "date-time"}}}}}},
      "422": {"description": "Refused.", "x-error-codes": ["validation_failed"], "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Errors"}}}}
    }}, "get": {"operationId": "get_thing", "responses": {
      "200": {"description": "Here.", "headers": {"X-Left": {"required": true, "schema": {"type": "integer"}}}},
      "304": {"description": "As it was."}}}}},
  "components": {
    "schemas": {"Errors": {"type": "object", "required": ["errors"], "properties": {
      "errors": {"type": "array", "minItems": 1, "items": {"type": "object", "required": ["code"], "properties": {"code": {"type": "string"}}}}}}},
    "responses": {
      "NotFound": {"description": "Nothing.", "x-error-codes": ["not_found"], "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Errors"}}}},
      "MethodNotAllowed": {"description": "No.", "headers": {"Allow": {"required": true, "schema": {"type": "string"}}}}
    }}
}`

type call struct {
	method, path, body string
	status             int
	headers            map[string]string
	answer             string
	// loose indicates that the caller sends more than is described.
	loose bool
	// wrong is a part of the error, empty when the call is as described.
	wrong string
}

func TestTransport_RejectsUndescribedResponses(t *testing.T) {
	left := map[string]string{"X-Left": "3"}
	good := func(change func(*call)) call {
		c := call{method: "POST", path: "/api/things", body: `{"name":"a"}`, status: 200, headers: left, answer: `{"id":1,"title":null,"at":"2026-11-21T12:00:00Z"}`}
		change(&c)
		return c
	}
	for name, c := range map[string]call{
		"a described response":     {method: "POST", path: "/api/things", body: `{"name":"a"}`, status: 200, headers: left, answer: `{"id":1,"more":true}`},
		"a described error":        good(func(c *call) { c.body, c.status, c.answer = `{}`, 422, `{"errors":[{"code":"validation_failed"}]}` }),
		"another status":           good(func(c *call) { c.status = 418; c.wrong = "status is not described" }),
		"a missing header":         good(func(c *call) { c.headers = nil; c.wrong = `"X-Left" missing` }),
		"a header of another type": good(func(c *call) { c.headers = map[string]string{"X-Left": "many"}; c.wrong = `"X-Left"` }),
		"a missing member":         good(func(c *call) { c.answer = `{"title":"x"}`; c.wrong = "id" }),
		"a member of another type": good(func(c *call) { c.answer = `{"id":"1"}`; c.wrong = "id" }),
		"an invalid time":          good(func(c *call) { c.answer = `{"id":1,"at":"noon"}`; c.wrong = "date-time" }),
		"a body that is not JSON":  good(func(c *call) { c.answer = `<html>`; c.wrong = "body" }),
		"an undescribed code": good(func(c *call) {
			c.status, c.answer = 422, `{"errors":[{"code":"conflict"}]}`
			c.wrong = "the code conflict"
		}),
		"no errors":                   good(func(c *call) { c.status, c.answer = 422, `{"errors":[]}`; c.wrong = "errors" }),
		"an accepted invalid request": good(func(c *call) { c.body = `{"name":5}`; c.wrong = "its description refuses" }),
		"an intended invalid request": good(func(c *call) { c.body, c.loose = `{"name":5}`, true }),
		"an intended invalid request with an undescribed response": good(func(c *call) { c.body, c.loose, c.headers, c.wrong = `{"name":5}`, true, nil, `"X-Left" missing` }),
		"an unknown path":              good(func(c *call) { c.path, c.status, c.answer = "/api/none", 404, `{"errors":[{"code":"not_found"}]}` }),
		"a described unknown path":     good(func(c *call) { c.path = "/api/none"; c.wrong = "status is not described" }),
		"an unknown path, plain text":  good(func(c *call) { c.path, c.status, c.answer = "/api/none", 404, "404"; c.wrong = "body" }),
		"another method":               good(func(c *call) { c.method, c.status, c.headers = "DELETE", 405, map[string]string{"Allow": "POST"} }),
		"another method without Allow": good(func(c *call) { c.method, c.status, c.wrong = "DELETE", 405, `"Allow" missing` }),
		"HEAD":                         good(func(c *call) { c.method, c.body, c.answer = "HEAD", "", "" }),
		"HEAD without a header":        good(func(c *call) { c.method, c.body, c.headers = "HEAD", "", nil; c.wrong = `"X-Left" missing` }),
		"not modified":                 good(func(c *call) { c.method, c.body, c.status, c.answer = "GET", "", 304, "" }),
		"elsewhere":                    good(func(c *call) { c.path, c.status, c.answer = "/page", 200, "<html>" }),
	} {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if sent, _ := io.ReadAll(r.Body); string(sent) != c.body {
					t.Errorf("the service received %q, want %q", sent, c.body)
				}
				w.Header().Set("Content-Type", "application/json")
				for k, v := range c.headers {
					w.Header().Set(k, v)
				}
				w.WriteHeader(c.status)
				_, _ = io.WriteString(w, c.answer)
			}))
			defer server.Close()
			transport, err := described.New([]byte(description), "/api/")
			if err != nil {
				t.Fatal(err)
			}
			ctx := t.Context()
			if c.loose {
				ctx = described.Loosely(ctx)
			}
			req, err := http.NewRequestWithContext(ctx, c.method, server.URL+c.path, strings.NewReader(c.body))
			if err != nil {
				t.Fatal(err)
			}
			req.Header.Set("Content-Type", "application/json")
			resp, err := (&http.Client{Transport: transport}).Do(req)
			if c.wrong != "" {
				if err == nil || !strings.Contains(err.Error(), c.wrong) {
					t.Fatalf("want an error that says %q, got %v", c.wrong, err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			got, err := io.ReadAll(resp.Body)
			_ = resp.Body.Close()
			if err != nil || string(got) != c.answer {
				t.Errorf("the caller got %q (%v), want %q", got, err, c.answer)
			}
		})
	}
}

func TestTransport_Unanswered(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Left", "1")
	}))
	defer server.Close()
	transport, err := described.New([]byte(description), "/api/")
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]string{"GET /api/things", "POST /api/things"}, transport.Unseen()); d != "" {
		t.Error(d)
	}
	resp, err := (&http.Client{Transport: transport}).Get(server.URL + "/api/things")
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	if d := cmp.Diff([]string{"POST /api/things"}, transport.Unseen()); d != "" {
		t.Error(d)
	}
}

func TestTransport_Unseen(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		switch r.Method {
		case http.MethodPost:
			w.WriteHeader(http.StatusUnprocessableEntity)
			_, _ = io.WriteString(w, `{"errors":[{"code":"validation_failed"}]}`)
		case http.MethodDelete:
			w.Header().Set("Allow", "POST")
			w.WriteHeader(http.StatusMethodNotAllowed)
		default:
			w.Header().Set("X-Left", "1")
		}
	}))
	defer server.Close()
	transport, err := described.New([]byte(strings.ReplaceAll(description, `"304": {"description"`, `"405": {"$ref": "#/components/responses/MethodNotAllowed"}, "304": {"description"`)), "/api/")
	if err != nil {
		t.Fatal(err)
	}
	call := func(ctx context.Context, method string) {
		t.Helper()
		req, err := http.NewRequestWithContext(ctx, method, server.URL+"/api/things", strings.NewReader(""))
		if err != nil {
			t.Fatal(err)
		}
		resp, err := (&http.Client{Transport: transport}).Do(req)
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
	}
	all := []string{"GET /api/things 200", "GET /api/things 304", "GET /api/things 405", "POST /api/things 200", "POST /api/things 422 validation_failed"}
	call(described.Aside(t.Context()), http.MethodGet)
	if d := cmp.Diff(all, transport.Unanswered()); d != "" {
		t.Error("calls aside must not count:", d)
	}
	for _, method := range []string{http.MethodGet, http.MethodPost, http.MethodDelete} {
		call(t.Context(), method)
	}
	if d := cmp.Diff([]string{"GET /api/things 304", "POST /api/things 200"}, transport.Unanswered()); d != "" {
		t.Error(d)
	}
}

func TestNew_RejectsAnInvalidDescription(t *testing.T) {
	for name, doc := range map[string]string{
		"a document that is not JSON":         `{`,
		"a missing reference":                 strings.Replace(description, "#/components/schemas/Errors", "#/components/schemas/None", 1),
		"an example that violates its schema": strings.Replace(description, `"id": {"type": "integer"}`, `"id": {"type": "integer", "example": "one"}`, 1),
	} {
		if _, err := described.New([]byte(doc), "/api/"); err == nil {
			t.Errorf("%s: an invalid description was accepted", name)
		}
	}
}
