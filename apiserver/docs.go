// SPDX-License-Identifier: Apache-2.0

package apiserver

import (
	"bytes"
	"encoding/json"
	"html/template"
	"sort"
	"strings"

	"github.com/reelops/reelops/internal/catalog"
)

// docsPage is a page for people, made from the description and the error catalog. It loads nothing.
func docsPage(description []byte) []byte {
	var doc struct {
		Info  struct{ Title, Version, Description string }
		Paths map[string]map[string]struct {
			Summary, Description string
			Scope                *string `json:"x-required-scope"`
			RequestBody          struct {
				Content map[string]struct{ Example any }
			}
		}
	}
	if err := json.Unmarshal(description, &doc); err != nil {
		return []byte("the description cannot be read")
	}
	type operation struct{ Method, Path, Summary, Description, Scope, Body string }
	var operations []operation
	for path, methods := range doc.Paths {
		for method, o := range methods {
			op := operation{Method: strings.ToUpper(method), Path: path, Summary: o.Summary, Description: o.Description, Scope: "any key"}
			if o.Scope != nil {
				op.Scope = *o.Scope
			}
			if e := o.RequestBody.Content["application/json"].Example; e != nil {
				b, _ := json.MarshalIndent(e, "", "  ") // it was JSON a moment ago
				op.Body = string(b)
			}
			operations = append(operations, op)
		}
	}
	sort.Slice(operations, func(i, j int) bool {
		return operations[i].Path+operations[i].Method < operations[j].Path+operations[j].Method
	})
	var out bytes.Buffer
	if err := docsTemplate.Execute(&out, map[string]any{"Info": doc.Info, "Operations": operations, "Errors": catalog.Errors}); err != nil {
		return []byte("the page cannot be made")
	}
	return out.Bytes()
}

var docsTemplate = template.Must(template.New("docs").Parse(`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>{{.Info.Title}} {{.Info.Version}}</title>
<style>
:root { color-scheme: light dark; }
body { font: 16px/1.55 system-ui, sans-serif; max-width: 54rem; margin: 2rem auto; padding: 0 1rem; }
h1 { margin-bottom: 0 } h2 { margin-top: 2.5rem } h3 { margin: 1.8rem 0 .2rem; font-size: 1rem }
code, pre { font-family: ui-monospace, monospace; font-size: .92em }
pre { padding: .7rem 1rem; border-radius: .5rem; background: color-mix(in srgb, currentColor 8%, transparent); overflow-x: auto; white-space: pre-wrap }
.method { display: inline-block; min-width: 3.6em; font-weight: 700 } .quiet { opacity: .72; font-size: .9rem }
p { margin: .3rem 0 } :target { outline: 2px solid; outline-offset: .4rem; border-radius: .2rem }
</style></head><body>
<h1>{{.Info.Title}} <span class="quiet">{{.Info.Version}}</span></h1>
<p class="quiet">The whole description for programs: <a href="/openapi.json">/openapi.json</a></p>
<pre>{{.Info.Description}}</pre>
<h2>Operations</h2>
{{range .Operations}}<h3><code><span class="method">{{.Method}}</span> {{.Path}}</code></h3>
<p><strong>{{.Summary}}.</strong> {{.Description}}</p><p class="quiet">Scope: {{.Scope}}</p>
{{with .Body}}<pre>{{.}}</pre>{{end}}{{end}}
<h2>Errors</h2>
{{range .Errors}}<h3 id="{{.Code}}"><code>{{.Code}}</code> <span class="quiet">HTTP {{.HTTPStatus}}{{if .Retryable}}, can be retried{{end}}</span></h3>
<p>{{.Message}} {{.Cause}}</p><p>{{.Fix}}</p>
{{end}}</body></html>
`))
