// SPDX-License-Identifier: Apache-2.0

package docs

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"html/template"
	"net/http"
	"slices"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"

	"github.com/reelops/reelops/internal/catalog"
)

var (
	//go:embed page.html
	pageText string
	//go:embed page.css
	style string
)

// page holds the data of the template.
type page struct {
	Title, Version string
	Style          template.CSS
	Guide          template.HTML
	// Sections of the guide.
	Sections []heading
	Groups   []group
	Schemas  []schemaView
	Errors   []errorView
}

type heading struct{ ID, Text string }

type group struct {
	Name, Description string
	Operations        []operationView
}

type operationView struct {
	ID, Method, Path, Summary, Description string
	Scope, Bucket                          string
	Deprecated                             bool
	Parameters                             []parameterView
	Body                                   *bodyView
	Success                                bodyView
	// Others are responses without an envelope.
	Others []otherView
	Errors []failureView
}

type parameterView struct {
	member
	In string
}

type bodyView struct {
	Status  string
	Type    []piece
	Headers []string
	Members []member
	Example string
	// Lines of the example: a long one is collapsed at first.
	Lines int
}

type otherView struct{ Status, Description string }

type failureView struct {
	Status string
	Codes  []string
}

type schemaView struct {
	Name, Description string
	Members           []member
	// Asked reports whether request bodies use it.
	Asked bool
}

type errorView struct {
	catalog.Entry
	Reason string
	// Of lists the operations that can return the error. Everywhere means that all operations can.
	Of         []string
	Everywhere bool
}

// everywhere are the headers of every response, which the guide describes.
var everywhere = []string{"X-Request-Id", "X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Window"}

// Page returns the HTML page for an OpenAPI description in JSON.
func Page(description []byte) ([]byte, error) {
	doc := &document{}
	if err := json.Unmarshal(description, doc); err != nil {
		return nil, fmt.Errorf("reading the description: %w", err)
	}
	p := &page{Title: doc.Info.Title, Version: doc.Info.Version, Style: template.CSS(style)} //nolint:gosec // our own file
	var err error
	if p.Guide, p.Sections, err = guide(doc.Info.Description); err != nil {
		return nil, err
	}
	for _, t := range doc.Tags {
		g := group{Name: t.Name, Description: t.Description}
		for _, path := range sortedKeys(doc.Paths) {
			for _, method := range sortedKeys(doc.Paths[path]) {
				if o := doc.Paths[path][method]; slices.Contains(o.Tags, t.Name) {
					g.Operations = append(g.Operations, doc.view(strings.ToUpper(method), path, o))
				}
			}
		}
		p.Groups = append(p.Groups, g)
	}
	inRequests := doc.inRequests()
	for _, name := range sortedKeys(doc.Components.Schemas) {
		s := doc.Components.Schemas[name]
		p.Schemas = append(p.Schemas, schemaView{Name: name, Description: s.Description, Members: members(s), Asked: inRequests[name]})
	}
	p.errors()
	t, err := template.New("page").Funcs(template.FuncMap{"md": inline}).Parse(pageText)
	if err != nil {
		return nil, fmt.Errorf("reading the page's template: %w", err)
	}
	var out bytes.Buffer
	if err := t.Execute(&out, p); err != nil {
		return nil, fmt.Errorf("writing the page: %w", err)
	}
	return out.Bytes(), nil
}

func (p *page) errors() {
	for _, e := range catalog.Errors {
		v := errorView{Entry: e, Reason: http.StatusText(e.HTTPStatus)}
		for _, g := range p.Groups {
			for _, o := range g.Operations {
				if slices.ContainsFunc(o.Errors, func(f failureView) bool { return f.Status != "405" && slices.Contains(f.Codes, string(e.Code)) }) {
					v.Of = append(v.Of, o.ID)
				}
			}
		}
		v.Everywhere = len(v.Of) > 0 && len(v.Of) == p.operations()
		p.Errors = append(p.Errors, v)
	}
}

func (p *page) operations() (n int) {
	for _, g := range p.Groups {
		n += len(g.Operations)
	}
	return n
}

func (d *document) view(method, path string, o *operation) operationView {
	out := operationView{
		ID: o.OperationID, Method: method, Path: path, Summary: o.Summary, Description: o.Description, Bucket: o.Bucket, Deprecated: o.Deprecated,
	}
	if o.Scope != nil {
		out.Scope = *o.Scope
	}
	for _, p := range o.Parameters {
		p = d.parameter(p)
		m := memberOf(p.Name, p.Schema)
		m.Description, m.Needed = p.Description, p.Required
		out.Parameters = append(out.Parameters, parameterView{member: m, In: p.In})
	}
	if o.RequestBody != nil {
		out.Body = d.body(o.RequestBody.Content["application/json"])
	}
	for _, status := range sortedKeys(o.Responses) {
		r := d.response(o.Responses[status])
		switch {
		case status < "300":
			out.Success = bodyView{}
			if m := r.Content["application/json"]; m != nil {
				out.Success = *d.body(m)
			}
			out.Success.Status = status + " " + r.Description
			for _, h := range sortedKeys(r.Headers) {
				if !slices.Contains(everywhere, h) {
					out.Success.Headers = append(out.Success.Headers, h)
				}
			}
		case status < "400":
			out.Others = append(out.Others, otherView{Status: status, Description: r.Description})
		default:
			out.Errors = append(out.Errors, failureView{Status: status, Codes: r.Codes})
		}
	}
	return out
}

// body returns the view of a request body, or of the data of a response.
func (d *document) body(m *media) *bodyView {
	s := d.data(m.Schema)
	out := &bodyView{Type: typeOf(s)}
	if s.Ref == "" {
		out.Members = members(s)
	} else if len(d.Components.Schemas[nameOf(s.Ref)].Properties) > 0 && d.data(m.Schema) == m.Schema {
		out.Members = members(d.Components.Schemas[nameOf(s.Ref)])
	}
	var example bytes.Buffer
	if len(m.Example) > 0 && json.Indent(&example, m.Example, "", "  ") == nil {
		out.Example = example.String()
		out.Lines = strings.Count(out.Example, "\n") + 1
	}
	return out
}

var markdown = goldmark.New(goldmark.WithExtensions(extension.Table), goldmark.WithParserOptions(parser.WithAutoHeadingID()))

// guide renders the text of the description and returns its sections.
func guide(source string) (template.HTML, []heading, error) {
	src := []byte(source)
	tree := markdown.Parser().Parse(text.NewReader(src))
	var sections []heading
	for n := tree.FirstChild(); n != nil; n = n.NextSibling() {
		h, ok := n.(*ast.Heading)
		if !ok {
			continue
		}
		id, _ := h.AttributeString("id")
		idText, _ := id.([]byte)
		sections = append(sections, heading{ID: string(idText), Text: string(h.Lines().Value(src))})
	}
	var out bytes.Buffer
	if err := markdown.Renderer().Render(&out, src, tree); err != nil {
		return "", nil, fmt.Errorf("rendering the guide: %w", err)
	}
	return template.HTML(out.String()), sections, nil //nolint:gosec // raw HTML in the text is left out by the renderer
}

// inline renders a sentence or two.
func inline(source string) (template.HTML, error) {
	var out bytes.Buffer
	if err := markdown.Convert([]byte(source), &out); err != nil {
		return "", fmt.Errorf("rendering a text: %w", err)
	}
	return template.HTML(out.String()), nil //nolint:gosec // raw HTML in the text is left out by the renderer
}
