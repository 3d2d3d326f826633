// SPDX-License-Identifier: Apache-2.0

package mcp

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/reelops/reelops/apiserver/operation"
	"github.com/reelops/reelops/apiserver/problem"
	"github.com/reelops/reelops/internal/catalog"
)

// arguments holds the arguments of a tool by name, as sent.
type arguments map[string]json.RawMessage

// has reports whether an argument is given. null counts as not given.
func (a arguments) has(name string) bool {
	v, there := a[name]
	return there && !bytes.Equal(bytes.TrimSpace(v), []byte("null"))
}

// flag reports whether an argument is true.
func (a arguments) flag(name string) bool {
	var v bool
	return json.Unmarshal(a[name], &v) == nil && v
}

// parse parses the arguments of a tool call; a missing document means none.
func parse(doc json.RawMessage) (arguments, *problem.Problem) {
	if doc = bytes.TrimSpace(doc); len(doc) == 0 || bytes.Equal(doc, []byte("null")) {
		return arguments{}, nil
	}
	out := arguments{}
	if err := json.Unmarshal(doc, &out); err != nil {
		return arguments{}, problem.New(catalog.BadRequest, problem.Details{"parameter": "arguments"}).Saying("The arguments must be a JSON object.")
	}
	return out, nil
}

// request is the API request for a tool call or a resource read.
type request struct {
	Method string
	// Target is the escaped path and the query.
	Target string
	// Body is JSON; nil for none.
	Body []byte
	// Key is the idempotency key; nil for none.
	Key *string
	// Fault is the first mistake in the arguments; nil for none.
	Fault *problem.Problem
	// Ignored lists the arguments that were not used.
	Ignored []string
}

// call returns the request as a call, without its sender.
func (r *request) call() *operation.Call {
	path, query, _ := strings.Cut(r.Target, "?")
	c := &operation.Call{Method: r.Method, Path: path, Query: query, Body: operation.Text(r.Body), Fault: r.Fault, Ignored: r.Ignored}
	if r.Key != nil {
		c.IdempotencyKeys = []string{*r.Key}
	}
	return c
}

// request returns the API request for a tool call. A mistake in the arguments is part of the request, as its Fault, so
// that the operation can always respond.
func (d *document) request(t *tool, doc json.RawMessage) (request, arguments) {
	in, fault := parse(doc)
	w := &writer{in: in, used: map[string]bool{}, fault: fault}
	v := w.choose(t)
	if t.images != nil {
		w.truth(includeImages)
	}
	o := d.operations[v.operation]
	out := request{Method: o.method, Target: w.path(o, v)}
	query := url.Values{}
	if o.branded {
		w.text(query, "brand_id")
	}
	if o.once {
		out.Key = w.key()
	}
	for _, q := range o.query {
		w.text(query, q.name)
	}
	if len(query) > 0 {
		out.Target += "?" + query.Encode()
	}
	if o.body != nil {
		out.Body = w.body(v)
	}
	out.Fault, out.Ignored = w.fault, w.unused()
	return out, in
}

// writer builds a request from arguments. It records which it used, and the first mistake.
type writer struct {
	in    arguments
	used  map[string]bool
	fault *problem.Problem
}

func (w *writer) wrong(p *problem.Problem) {
	if w.fault == nil {
		w.fault = p
	}
}

// choose returns the variant of the tool that the arguments select.
func (w *writer) choose(t *tool) *variant {
	chosen := map[string]string{}
	for name, values := range t.choices() {
		w.used[name] = true
		if !w.in.has(name) {
			continue
		}
		chosen[name] = choice(w.in[name])
		if !slices.Contains(values, chosen[name]) {
			w.wrong(problem.NotAllowed(name, values, name+" must be one of the accepted values."))
		}
	}
	for i := range t.variants {
		v := &t.variants[i]
		if v.given == "" || v.with == "" && w.in.has(v.given) || v.with != "" && chosen[v.given] == v.with {
			return v
		}
	}
	return &t.variants[len(t.variants)-1]
}

// choice returns the value of an argument that selects a variant: a string, or a list of one string.
func choice(doc json.RawMessage) string {
	var list []string
	if json.Unmarshal(doc, &list) == nil && len(list) == 1 {
		return list[0]
	}
	var word string
	_ = json.Unmarshal(doc, &word)
	return word
}

// path returns the operation's path with its parameter.
func (w *writer) path(o *described, v *variant) string {
	if o.param == nil {
		return o.path
	}
	text, ok := w.word(v.id)
	if !ok && w.fault == nil {
		w.wrong(problem.Field(v.id, v.id+" is required."))
	}
	if !ok || text == "" {
		text = "0" // never looked up: the fault is reported first
	}
	return strings.Replace(o.path, "{"+o.param.name+"}", url.PathEscape(text), 1)
}

// text sets a query parameter from an argument.
func (w *writer) text(to url.Values, name string) {
	if text, ok := w.word(name); ok {
		to.Set(name, text)
	}
}

// word returns an argument that is a string, a number or a boolean, as it appears in a path or query.
func (w *writer) word(name string) (string, bool) {
	w.used[name] = true
	if !w.in.has(name) {
		return "", false
	}
	d := json.NewDecoder(bytes.NewReader(w.in[name]))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		v = nil
	}
	switch v := v.(type) {
	case string:
		return v, v != ""
	case json.Number:
		return whole(v), true
	case bool:
		return fmt.Sprint(v), true
	}
	w.wrong(problem.Field(name, name+" must not be a list or an object."))
	return "", false
}

// whole returns the digits of a number; one without a fraction as an integer: 12.0 is 12.
func whole(n json.Number) string {
	if f, err := n.Float64(); err == nil && f == float64(int64(f)) && f > -operation.MaxID && f < operation.MaxID {
		return fmt.Sprint(int64(f))
	}
	return n.String()
}

// truth validates a boolean argument that belongs to the tool, not to an operation.
func (w *writer) truth(name string) {
	w.used[name] = true
	var v bool
	if w.in.has(name) && json.Unmarshal(w.in[name], &v) != nil {
		w.wrong(problem.Field(name, name+" must be true or false."))
	}
}

// key returns the idempotency key. The operation rejects an invalid one, like an invalid header.
func (w *writer) key() *string {
	const name = "idempotency_key"
	w.used[name] = true
	if !w.in.has(name) {
		return nil
	}
	var key string
	if json.Unmarshal(w.in[name], &key) != nil {
		w.wrong(problem.Field(name, name+" must be a string."))
		return nil
	}
	return &key
}

// body returns the arguments that are not used yet under their names in the operation's body. The operation reports
// unknown ones.
func (w *writer) body(v *variant) []byte {
	members := map[string]json.RawMessage{}
	for name, value := range w.in {
		member, renamed := v.rename[name]
		if !renamed {
			member = name
		}
		if w.used[name] || v.argument(member) != name { // or the tool has another name for the member
			continue
		}
		w.used[name], members[member] = true, value
	}
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	if err := e.Encode(members); err != nil {
		w.wrong(problem.New(catalog.BadRequest, problem.Details{"parameter": "arguments"}).Saying("The arguments are not readable JSON."))
		return []byte("{}")
	}
	return out.Bytes()
}

// Limits on the names of unused arguments in a response, as for unknown members of a body.
const (
	mostUnused           = 100
	mostUnusedCharacters = 200
)

// unused returns the names of the arguments that were not used.
func (w *writer) unused() (out []string) {
	for name := range w.in {
		if !w.used[name] {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	out = out[:min(len(out), mostUnused)]
	for i, name := range out {
		if utf8.RuneCountInString(name) > mostUnusedCharacters {
			out[i] = string([]rune(name)[:mostUnusedCharacters-1]) + "…"
		}
	}
	return out
}
