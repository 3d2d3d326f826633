// SPDX-License-Identifier: Apache-2.0

package docs_test

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/reelops/reelops/apiserver/docs"
	"github.com/reelops/reelops/internal/catalog"
)

func page(t *testing.T, description string) string {
	t.Helper()
	out, err := docs.Page([]byte(description))
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

func real(t *testing.T) string {
	t.Helper()
	doc, err := os.ReadFile("../testdata/openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	return page(t, string(doc))
}

func TestPage_LoadsNoExternalContent(t *testing.T) {
	html := real(t)
	for _, bad := range []string{"<script", "<link", "<img", "<iframe", "<form", " src=", "@import", "url(", "javascript:"} {
		if strings.Contains(html, bad) {
			t.Errorf("the page contains %s", bad)
		}
	}
}

func TestPage_LinksHaveTargets(t *testing.T) {
	html := real(t)
	ids := map[string]int{}
	for _, m := range regexp.MustCompile(` id="([^"]+)"`).FindAllStringSubmatch(html, -1) {
		ids[m[1]]++
	}
	for id, n := range ids {
		if n > 1 {
			t.Errorf("%d elements have the id %s, want 1", n, id)
		}
	}
	links := regexp.MustCompile(` href="([^"]+)"`).FindAllStringSubmatch(html, -1)
	if len(links) < 100 {
		t.Errorf("there are only %d links", len(links))
	}
	for _, m := range links {
		name, local := strings.CutPrefix(m[1], "#")
		switch {
		case !local && m[1] != "/openapi.json":
			t.Errorf("unexpected link to %s", m[1])
		case local && ids[name] == 0:
			t.Errorf("the target of the link #%s does not exist", name)
		}
	}
	for _, e := range catalog.Errors {
		if ids[string(e.Code)] != 1 {
			t.Errorf("the target of docs_url of the error %s does not exist", e.Code)
		}
	}
}

const small = `{
  "openapi": "3.1.0", "info": {"title": "Things <b>", "version": "2.0.0", "description": "About <script>it</script>.\n\n## A part\n\nText with ` + "`code`" + `."},
  "tags": [{"name": "All", "description": "Every thing."}],
  "paths": {"/things/{id}": {"post": {
    "operationId": "make", "summary": "Make a thing", "description": "Makes <i>one</i>.", "tags": ["All"], "x-required-scope": "things:write", "x-rate-limit-bucket": "global",
    "parameters": [{"$ref": "#/components/parameters/Mode"}, {"name": "id", "in": "path", "required": true, "schema": {"type": "integer", "minimum": 1, "maximum": 9007199254740991}}],
    "requestBody": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/NewThing"}, "example": {"name": "a & b"}}}},
    "responses": {
      "202": {"description": "Accepted", "headers": {"Retry-After": {}, "X-Request-Id": {}}, "content": {"application/json": {
        "schema": {"type": "object", "properties": {"data": {"type": "array", "items": {"$ref": "#/components/schemas/Thing"}}}}, "example": {"data": [1]}}}},
      "304": {"description": "You have it."},
      "404": {"$ref": "#/components/responses/None"}}}}},
  "components": {
    "parameters": {"Mode": {"name": "mode", "in": "query", "description": "How.", "schema": {"type": "string", "enum": ["fast", "slow"], "default": "fast"}}},
    "responses": {"None": {"description": "None.", "x-error-codes": ["not_found"]}},
    "schemas": {
      "NewThing": {"type": "object", "required": ["name"], "properties": {"size": {"type": "number", "minimum": 0, "maximum": 1.5}, "count": {"type": "integer", "format": "int64", "minimum": 1, "maximum": 5}, "name": {"type": "string", "minLength": 1, "maxLength": 20, "pattern": "^a"}}},
      "Thing": {"type": "object", "properties": {"at": {"type": ["string", "null"], "format": "date-time"}, "other": {"oneOf": [{"$ref": "#/components/schemas/NewThing"}, {"type": "null"}]}}}}}
}`

// text returns the visible text, with single blanks.
func text(html string) string {
	html = regexp.MustCompile(`(?s)<style>.*?</style>|<[^>]*>`).ReplaceAllString(html, " ")
	return strings.Join(strings.Fields(html), " ")
}

func TestPage_ContainsTheDescription(t *testing.T) {
	html := page(t, small)
	got := text(html)
	for _, want := range []string{
		"Things &lt;b&gt; 2.0.0", "A part", "Text with code .", "Every thing.",
		"Make a thing POST /things/{id}", "Scope: things:write", "Counts against: global", "Name: make",
		"mode query, string How. default fast fast slow", "id path, integer required Body",
		"Body NewThing name string required 1 to 20 characters matches ^a count integer 1 to 5 size number 0 to 1.5",
		"&#34;name&#34;: &#34;a &amp; b&#34;", "Answer 202 Accepted data : array of Thing . Headers: Retry-After",
		"304 You have it.", "404 not_found",
		"NewThing name string required", "at time or null may be absent", "other NewThing or null may be absent",
		"not_found 404 Not Found", "Given by every operation",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	if strings.Contains(html, "<script") || strings.Contains(html, "<i>") {
		t.Error("HTML of the description is not escaped")
	}
	if t.Failed() {
		t.Log(got)
	}
}

func TestPage_RejectsAnInvalidDescription(t *testing.T) {
	if _, err := docs.Page([]byte("{")); err == nil {
		t.Error("an invalid description was accepted")
	}
}

func TestHandler(t *testing.T) {
	description, err := os.ReadFile("../testdata/openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, description, want string
		status                  int
	}{
		{"a description", string(description), "<!doctype html>", http.StatusOK},
		{"an invalid description", "{", "Internal Server Error", http.StatusInternalServerError},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := docs.Handler([]byte(c.description), slog.New(slog.DiscardHandler))
			for range 2 {
				w := httptest.NewRecorder()
				h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/docs", nil))
				if w.Code != c.status || !strings.HasPrefix(w.Body.String(), c.want) {
					t.Errorf("got %d and %.40q, want %d and %q", w.Code, w.Body, c.status, c.want)
				}
			}
		})
	}
}
