// SPDX-License-Identifier: Apache-2.0

package operation

import (
	"bytes"
	"context"
	"net/http"
	"net/http/httptest"
	"reflect"

	"github.com/reelops/reelops/apiserver/auth"
)

// What a call does with its body and its query before its handler sees them, for tests from outside.

// ReadBody reads a JSON object.
func ReadBody(doc []byte, contentType string) (map[string]any, error) {
	r := httptest.NewRequest(http.MethodPost, "/", bytes.NewReader(doc))
	r.Header.Set("Content-Type", contentType)
	return readBody(httptest.NewRecorder(), r)
}

// reading is an operation that takes an In, and the schemas it is read with.
type reading[In any] struct {
	op *Operation
	h  *Handler
}

// Reading prepares to read an In.
func Reading[In any]() func(query string, doc []byte) (in In, ignored []string, err error) {
	r := reading[In]{h: &Handler{schemas: newSchemas()}}
	r.op = Define(Spec{Name: "read", Method: http.MethodPost, Path: "/"}, func(context.Context, *auth.Caller, In) (*Reply[struct{}], error) { return nil, nil })
	r.h.prepare(r.op)
	return r.read
}

func (r reading[In]) read(query string, doc []byte) (in In, ignored []string, err error) {
	c := &call{w: httptest.NewRecorder(), r: httptest.NewRequest(http.MethodPost, "/", bytes.NewReader(doc)), op: r.op}
	if c.values, err = parseQuery(query); err != nil {
		return in, nil, err
	}
	if err = r.h.query(context.Background(), c); err != nil {
		return in, nil, err
	}
	if err = r.h.body(context.Background(), c); err != nil {
		return in, nil, err
	}
	return in, c.ignored, r.op.bind(reflect.ValueOf(&in).Elem(), c.args)
}
