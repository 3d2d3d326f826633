// SPDX-License-Identifier: Apache-2.0

package operation

import (
	"bytes"
	"context"
	"net/http"
	"net/http/httptest"
)

// Processing of a call's body and query before its handler runs, for tests in other packages.

// ReadBody parses a JSON object.
func ReadBody(doc []byte, contentType string) (map[string]any, error) {
	r := httptest.NewRequest(http.MethodPost, "/", bytes.NewReader(doc))
	r.Header.Set("Content-Type", contentType)
	c := &Call{Body: func() ([]byte, error) { return readText(httptest.NewRecorder(), r) }}
	err := c.readBody()
	return c.body, err
}

// reading is an operation with input In, and the schemas for decoding it.
type reading[In any] struct {
	op *Operation
	h  *Handler
}

// Reading returns a function that decodes an In.
func Reading[In any]() func(query string, doc []byte) (in In, ignored []string, err error) {
	r := reading[In]{h: &Handler{schemas: newSchemas()}}
	r.op = Define(Spec{Name: "read", Method: http.MethodPost, Path: "/"}, func(context.Context, *Call, In) (*Reply[struct{}], error) { return nil, nil })
	r.h.prepare(r.op)
	return r.read
}

func (r reading[In]) read(query string, doc []byte) (in In, ignored []string, err error) {
	request := httptest.NewRequest(http.MethodPost, "/", bytes.NewReader(doc))
	c := &Call{Operation: r.op, input: &in, Body: func() ([]byte, error) { return readText(httptest.NewRecorder(), request) }}
	if c.query, err = parseQuery(query); err != nil {
		return in, nil, err
	}
	if err = r.h.decodeQuery(context.Background(), c); err != nil {
		return in, nil, err
	}
	if err = r.h.decodeBody(context.Background(), c); err != nil {
		return in, nil, err
	}
	return in, c.Ignored, nil
}
