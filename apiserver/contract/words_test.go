// SPDX-License-Identifier: Apache-2.0

package contract_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/testkit/described"
)

// The helpers in which specs are written: get("/account").with(key).succeeds(200), post("/slideshows",
// body).refused(403, "missing_scope"). For every call, send checks the response against the rules for all responses.

// request is a call that has not been sent yet.
type request struct {
	method, path, address string
	body                  []byte
	header                http.Header
	front                 *front
	loose                 bool
}

// prefix of every path of the API.
const prefix = "/api/v1"

func get(path string, args ...any) *request    { return ask(http.MethodGet, path, args...) }
func head(path string, args ...any) *request   { return ask(http.MethodHead, path, args...) }
func remove(path string, args ...any) *request { return ask(http.MethodDelete, path, args...) }

// post, patch and put take the values for the path's verbs and then, as the last argument, the body. A string is sent
// as it is, nothing sends no body, and any other value is sent as JSON.
func post(path string, args ...any) *request  { return write(http.MethodPost, path, args...) }
func patch(path string, args ...any) *request { return write(http.MethodPatch, path, args...) }
func put(path string, args ...any) *request   { return write(http.MethodPut, path, args...) }

// nothing is the body of a request without one.
var nothing = struct{ none bool }{}

// object is a JSON object.
type object = map[string]any

func write(method, path string, args ...any) *request {
	GinkgoHelper()
	n := len(args) - 1
	return ask(method, path, args[:n]...).saying(args[n])
}

func ask(method, path string, args ...any) *request {
	if len(args) > 0 {
		path = fmt.Sprintf(path, args...)
	}
	return &request{method: method, path: prefix + path, header: http.Header{}, front: service, address: here}
}

// outside omits the API's path prefix.
func (r *request) outside() *request {
	r.path = strings.TrimPrefix(r.path, prefix)
	return r
}

func (r *request) saying(body any) *request {
	GinkgoHelper()
	switch b := body.(type) {
	case struct{ none bool }:
		return r
	case string:
		r.body = []byte(b)
	case []byte:
		r.body = b
	default:
		doc, err := json.Marshal(body)
		Expect(err).NotTo(HaveOccurred())
		r.body = doc
	}
	r.header.Set("Content-Type", "application/json")
	return r
}

// with sets a key.
func (r *request) with(key string) *request {
	return r.named("Authorization", "Bearer "+key)
}

// named sets a header.
func (r *request) named(name, value string) *request {
	r.header.Set(name, value)
	return r
}

// once sets an idempotency key.
func (r *request) once(key string) *request { return r.named("Idempotency-Key", key) }

// at sends the request to another front end.
func (r *request) at(f *front) *request {
	r.front = f
	return r
}

// from calls from another address of this machine.
func (r *request) from(address string) *request {
	r.address = address
	return r
}

// loosely permits the service to accept more here than it describes. The response is still checked against the
// description.
func (r *request) loosely() *request {
	r.loose = true
	return r
}

// succeeds sends the request and expects a success.
func (r *request) succeeds(status int) *answer {
	GinkgoHelper()
	a := r.send()
	Expect(a.status).To(Equal(status), a.raw)
	Expect(a.envelope).To(HaveKeyWithValue("success", true))
	return a
}

// refused sends the request and expects a failure whose first error has the code.
func (r *request) refused(status int, code catalog.Code) *answer {
	GinkgoHelper()
	a := r.send()
	Expect(a.status).To(Equal(status), a.raw)
	Expect(a.code()).To(Equal(code), a.raw)
	return a
}

// about expects a refusal to name a field.
func (a *answer) about(field string) *answer {
	GinkgoHelper()
	Expect(a.details()).To(HaveKeyWithValue("field", field), a.raw)
	return a
}

// answer is a response.
type answer struct {
	status   int
	header   http.Header
	raw      string
	envelope object
}

// at returns the value at a path such as data.slides.0.id. It fails the spec if there is none; a null is nil.
func (a *answer) at(path string) any {
	GinkgoHelper()
	v, ok := lookup(a.envelope, path)
	Expect(ok).To(BeTrue(), "there is no %s in %s", path, a.raw)
	return v
}

func (a *answer) data() object {
	GinkgoHelper()
	d, ok := a.at("data").(object)
	Expect(ok).To(BeTrue(), "data is not an object: %s", a.raw)
	return d
}

func (a *answer) list() []any {
	GinkgoHelper()
	d, ok := a.at("data").([]any)
	Expect(ok).To(BeTrue(), "data is not an array: %s", a.raw)
	return d
}

func (a *answer) meta() object { m, _ := a.envelope["meta"].(object); return m }

func (a *answer) code() catalog.Code {
	v, _ := lookup(a.envelope, "errors.0.code")
	s, _ := v.(string)
	return catalog.Code(s)
}

func (a *answer) details() object {
	v, _ := lookup(a.envelope, "errors.0.details")
	d, _ := v.(object)
	return d
}

// id returns an integer at a path.
func (a *answer) id(path string) int64 {
	GinkgoHelper()
	f, ok := a.at(path).(float64)
	Expect(ok).To(BeTrue(), "%s is not a number in %s", path, a.raw)
	return int64(f)
}

func lookup(v any, path string) (any, bool) {
	for _, step := range strings.Split(path, ".") {
		switch in := v.(type) {
		case object:
			next, ok := in[step]
			if !ok {
				return nil, false
			}
			v = next
		case []any:
			i, err := strconv.Atoi(step)
			if err != nil || i < 0 || i >= len(in) {
				return nil, false
			}
			v = in[i]
		default:
			return nil, false
		}
	}
	return v, true
}

// send makes the call and checks the rules for every response.
func (r *request) send() *answer {
	GinkgoHelper()
	var in io.Reader
	if r.body != nil {
		in = bytes.NewReader(r.body)
	}
	req, err := http.NewRequestWithContext(from(r.address), r.method, r.front.url+r.path, in)
	Expect(err).NotTo(HaveOccurred())
	for name, values := range r.header {
		req.Header[name] = values
	}
	if r.loose {
		req = req.WithContext(described.Loosely(req.Context()))
	}
	if strings.HasSuffix(CurrentSpecReport().FileName(), "random_test.go") {
		req = req.WithContext(described.Aside(req.Context()))
	}
	resp, err := caller().Do(req)
	if err != nil {
		Fail(err.Error()) // the error names the difference from the description; more output would hide it
	}
	defer func() { _ = resp.Body.Close() }()
	a := &answer{status: resp.StatusCode, header: resp.Header, raw: string(read(resp.Body))}
	if strings.HasPrefix(r.path, prefix) && r.method != http.MethodHead {
		a.keepsTheRules()
	}
	return a
}

// keepsTheRules checks the rules for every response of the API.
func (a *answer) keepsTheRules() {
	GinkgoHelper()
	Expect(a.header.Get("X-Request-Id")).NotTo(BeEmpty(), "an answer without a request id: %s", a.raw)
	for name := range a.header {
		Expect(name).NotTo(HavePrefix("Access-Control-"), "a CORS header")
	}
	if a.status == http.StatusNotModified {
		Expect(a.raw).To(BeEmpty())
		return
	}
	Expect(a.header.Get("Content-Type")).To(Equal("application/json; charset=utf-8"), a.raw)
	Expect(json.Unmarshal([]byte(a.raw), &a.envelope)).To(Succeed(), a.raw)
	if a.status < 300 {
		Expect(a.envelope).To(And(HaveKeyWithValue("success", true), HaveKey("data"), HaveKeyWithValue("meta", BeAssignableToTypeOf(object{})), Not(HaveKey("errors"))), a.raw)
		return
	}
	Expect(a.envelope).To(And(HaveKeyWithValue("success", false), HaveKeyWithValue("errors", Not(BeEmpty())), Not(HaveKey("data"))), a.raw)
	for _, e := range a.envelope["errors"].([]any) {
		entry, known := catalog.LookupError(catalog.Code(e.(object)["code"].(string)))
		Expect(known).To(BeTrue(), "an unpublished code: %s", a.raw)
		Expect(e).To(And(HaveKeyWithValue("message", Not(BeEmpty())), HaveKeyWithValue("retryable", BeAssignableToTypeOf(true))), "%s: %s", entry.Code, a.raw)
	}
}

// escaped returns a text as one segment of a path.
func escaped(s string) string { return url.PathEscape(s) }

func read(r io.Reader) []byte {
	GinkgoHelper()
	doc, err := io.ReadAll(r)
	Expect(err).NotTo(HaveOccurred())
	return doc
}
