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

// arguments are what a tool is called with, each as it was written.
type arguments map[string]json.RawMessage

// has says that an argument is given: one that is null counts as left out.
func (a arguments) has(name string) bool {
	v, there := a[name]
	return there && !bytes.Equal(bytes.TrimSpace(v), []byte("null"))
}

// flag reports whether an argument is true.
func (a arguments) flag(name string) bool {
	var v bool
	return json.Unmarshal(a[name], &v) == nil && v
}

// parse reads the arguments of a call; none are none.
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

// request is the call of an operation that a call of a tool means. It is always one that the operation can answer: what is
// wrong with the arguments goes with it as its fault.
func (d *document) request(t *tool, doc json.RawMessage) (operation.Errand, arguments) {
	in, fault := parse(doc)
	w := &writer{in: in, used: map[string]bool{}, fault: fault}
	v := w.choose(t)
	if t.images != nil {
		w.truth(includeImages)
	}
	o := d.operations[v.operation]
	out := operation.Errand{Method: o.method, Target: w.path(o, v)}
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

// writer makes a request of arguments, and remembers which it used and the first that is wrong.
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

// choose picks the operation.
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

// choice reads a value that is chosen: a word, or a list of one.
func choice(doc json.RawMessage) string {
	var list []string
	if json.Unmarshal(doc, &list) == nil && len(list) == 1 {
		return list[0]
	}
	var word string
	_ = json.Unmarshal(doc, &word)
	return word
}

// path fills the operation's path.
func (w *writer) path(o *described, v *variant) string {
	if o.param == nil {
		return o.path
	}
	text, ok := w.word(v.id)
	if !ok && w.fault == nil {
		w.wrong(problem.Field(v.id, v.id+" is required."))
	}
	if !ok || text == "" {
		text = "0" // never looked up: the fault comes first
	}
	return strings.Replace(o.path, "{"+o.param.name+"}", url.PathEscape(text), 1)
}

// text puts an argument into a query.
func (w *writer) text(to url.Values, name string) {
	if text, ok := w.word(name); ok {
		to.Set(name, text)
	}
}

// word is an argument that is a word, a number or a truth value, as a path or query writes it.
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

// whole writes a number that has no fraction without one: 12.0 is 12.
func whole(n json.Number) string {
	if f, err := n.Float64(); err == nil && f == float64(int64(f)) && f > -operation.MaxID && f < operation.MaxID {
		return fmt.Sprint(int64(f))
	}
	return n.String()
}

// truth checks an argument that is true or false and that no operation knows.
func (w *writer) truth(name string) {
	w.used[name] = true
	var v bool
	if w.in.has(name) && json.Unmarshal(w.in[name], &v) != nil {
		w.wrong(problem.Field(name, name+" must be true or false."))
	}
}

// key is the idempotency key. What is none is refused by the operation, as a header would be.
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

// body are the arguments that are not used yet, in the operation's own words. The operation tells which it does not know.
func (w *writer) body(v *variant) []byte {
	members := map[string]json.RawMessage{}
	for name, value := range w.in {
		member, renamed := v.rename[name]
		if !renamed {
			member = name
		}
		if w.used[name] || v.argument(member) != name { // or it is called otherwise here
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

// What is said of unused arguments is bounded, as it is of unused members of a body.
const (
	mostUnused           = 100
	mostUnusedCharacters = 200
)

// unused names the arguments that nothing used.
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
