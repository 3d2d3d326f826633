// SPDX-License-Identifier: Apache-2.0

package mcp

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// find returns a tool by its name.
func find(t testing.TB, name string) *tool {
	t.Helper()
	for _, one := range tools {
		if one.name == name {
			return one
		}
	}
	t.Fatalf("no tool %s", name)
	return nil
}

func TestArgumentsBecomeARequest(t *testing.T) {
	d := documented(t)
	for _, c := range []struct {
		why, tool, args string
		method, target  string
		body            string
		key             string
		ignored         []string
		fault           string // the field, or parameter, that is wrong
	}{
		{"no arguments", "get_account", ``, "GET", "/api/v1/account", "", "", nil, ""},
		{"null instead of arguments", "get_account", `null`, "GET", "/api/v1/account", "", "", nil, ""},
		{"a null argument is omitted", "get_account", `{"include":null}`, "GET", "/api/v1/account", "", "", nil, ""},
		{"a list of one selects the operation", "get_account", `{"include":["brand"],"brand_id":7}`, "GET", "/api/v1/brand?brand_id=7", "", "", nil, ""},
		{"so does a string", "get_account", `{"include":"brands"}`, "GET", "/api/v1/brands", "", "", nil, ""},
		{"two operations cannot be selected", "get_account", `{"include":["brand","brands"]}`, "GET", "/api/v1/account", "", "", nil, "include"},
		{"the selected operation must exist", "search_media", `{"library":"films"}`, "GET", "/api/v1/media", "", "", nil, "library"},
		{"other arguments of a joined tool are unused", "search_media", `{"library":"music","query":"x"}`, "GET", "/api/v1/background_music", "", "", []string{"query"}, ""},
		{"the presence of an argument selects", "get_capabilities", `{"error_code":"a/b?c"}`, "GET", "/api/v1/errors/a%2Fb%3Fc", "", "", nil, ""},
		{
			"a path argument is in the path, the others in the body", "update_slideshow", `{"short_id":12,"title":null,"slides":[{"id":1}]}`,
			"PATCH", "/api/v1/slideshows/12", `{"slides":[{"id":1}],"title":null}`, "", nil, "",
		},
		{"a number with a zero fraction is an integer", "get_job", `{"job_id":12.0}`, "GET", "/api/v1/jobs/12", "", "", nil, ""},
		{"a text instead of a number is left to the operation", "get_job", `{"job_id":"../x"}`, "GET", "/api/v1/jobs/..%2Fx", "", "", nil, ""},
		{"a path requires its argument", "get_job", `{"id":12}`, "GET", "/api/v1/jobs/0", "", "", []string{"id"}, "job_id"},
		{"and a list cannot be one", "get_job", `{"job_id":[12]}`, "GET", "/api/v1/jobs/0", "", "", nil, "job_id"},
		{
			"numbers, texts and booleans can be query parameters", "list_posts", `{"short_id":"3","page":2,"status":true,"brand_id":"9"}`,
			"GET", "/api/v1/posts?brand_id=9&page=2&short_id=3&status=true", "", "", nil, "",
		},
		{"lists cannot", "list_posts", `{"status":["failed"]}`, "GET", "/api/v1/posts", "", "", nil, "status"},
		{"a plus sign is escaped", "list_shorts", `{"created_after":"2026-11-21T12:00:00+02:00"}`, "GET", "/api/v1/shorts?created_after=2026-11-21T12%3A00%3A00%2B02%3A00", "", "", nil, ""},
		{
			"the idempotency key is removed from the body", "create_slideshow", `{"context":"a<b","idempotency_key":"k","brand_id":4}`,
			"POST", "/api/v1/slideshows?brand_id=4", `{"context":"a<b"}`, "k", nil, "",
		},
		{"and must be a string", "create_slideshow", `{"context":"x","idempotency_key":5}`, "POST", "/api/v1/slideshows", `{"context":"x"}`, "", nil, "idempotency_key"},
		{"unknown members of a body are left to the operation", "create_slideshow", `{"colour":"red"}`, "POST", "/api/v1/slideshows", `{"colour":"red"}`, "", nil, ""},
		{"numbers keep their notation", "create_post", `{"short_id":12345678901234567890,"x":1.50}`, "POST", "/api/v1/posts", `{"short_id":12345678901234567890,"x":1.50}`, "", nil, ""},
		{"an upload starts without a signed_id", "upload_media", `{"filename":"a.png"}`, "POST", "/api/v1/direct_uploads", `{"filename":"a.png"}`, "", nil, ""},
		{"and ends with one, which the operation calls file", "upload_media", `{"signed_id":"s","title":"A"}`, "POST", "/api/v1/media", `{"file":"s","title":"A"}`, "", nil, ""},
		{"an argument named file does not count", "upload_media", `{"signed_id":"s","file":"t"}`, "POST", "/api/v1/media", `{"file":"s"}`, "", []string{"file"}, ""},
		{"no body for an operation without one", "cancel_post", `{"post_id":3,"reason":"x"}`, "DELETE", "/api/v1/posts/3", "", "", []string{"reason"}, ""},
		{"a list instead of arguments", "get_job", `[1]`, "GET", "/api/v1/jobs/0", "", "", nil, "arguments"},
		{"long names are truncated", "get_account", `{"` + strings.Repeat("x", 300) + `":1}`, "GET", "/api/v1/account", "", "", []string{strings.Repeat("x", 199) + "…"}, ""},
	} {
		got, _ := d.request(find(t, c.tool), json.RawMessage(c.args))
		var fault string
		if got.Fault != nil {
			for _, name := range []string{"field", "parameter"} {
				if at, ok := got.Fault.Details[name].(string); ok {
					fault = at
				}
			}
		}
		key := ""
		if got.Key != nil {
			key = *got.Key
		}
		if got.Method != c.method || got.Target != c.target || strings.TrimSpace(string(got.Body)) != c.body || key != c.key || fault != c.fault {
			t.Errorf("%s: %s %s %s, key %q, fault %q", c.why, got.Method, got.Target, got.Body, key, fault)
		}
		if diff := cmp.Diff(c.ignored, got.Ignored); diff != "" {
			t.Errorf("%s: %s", c.why, diff)
		}
	}
}

func TestArguments_UnusedOnesAreLimited(t *testing.T) {
	in := map[string]int{}
	for i := range 300 {
		in[strings.Repeat("x", i+1)] = i
	}
	doc, err := json.Marshal(in)
	if err != nil {
		t.Fatal(err)
	}
	got, _ := documented(t).request(find(t, "get_account"), doc)
	if len(got.Ignored) != mostUnused {
		t.Errorf("%d unused arguments are listed", len(got.Ignored))
	}
}

// Examples of the description are valid under the listed input schemas of the tools.
func TestExamplesOfBodiesAreArguments(t *testing.T) {
	var doc struct {
		Paths map[string]map[string]struct {
			OperationID string
			RequestBody struct {
				Content map[string]struct{ Example object }
			}
		}
	}
	if err := json.Unmarshal(api(t).Description(), &doc); err != nil {
		t.Fatal(err)
	}
	d, tried := documented(t), 0
	for _, one := range tools {
		if len(one.variants) > 1 {
			continue
		}
		schema := resolved(t, d.input(one))
		for _, methods := range doc.Paths {
			for _, o := range methods {
				example := o.RequestBody.Content["application/json"].Example
				if o.OperationID != one.variants[0].operation || example == nil {
					continue
				}
				if id := one.variants[0].id; id != "" {
					example[id] = 12
				}
				if err := schema.Validate(example); err != nil {
					t.Errorf("%s: %v", one.name, err)
				}
				tried++
			}
		}
	}
	if tried < 6 {
		t.Errorf("got only %d examples", tried)
	}
}
