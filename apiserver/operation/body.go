// SPDX-License-Identifier: Apache-2.0

package operation

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"strings"
	"unicode/utf8"

	"github.com/reelops/reelops/apiserver/problem"
	"github.com/reelops/reelops/internal/catalog"
)

// readBody reads a JSON object. An empty body counts as {}.
func readBody(w http.ResponseWriter, r *http.Request) (map[string]any, error) {
	doc, err := readText(w, r)
	if err != nil {
		return nil, err
	}
	if doc == nil {
		return map[string]any{}, nil
	}
	d := json.NewDecoder(bytes.NewReader(doc))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, problem.Body("The body is not readable JSON.")
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, problem.Body("There is more after the end of the JSON.")
	}
	o, ok := v.(map[string]any)
	if !ok {
		return nil, problem.Body("The body must be a JSON object.")
	}
	return o, nil
}

// readText reads what should be JSON; nil when there is none.
func readText(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	tooLarge := func() error { return problem.Body("The body is larger than 1 MiB.") }
	if r.ContentLength > catalog.MaxBodyBytes {
		return nil, tooLarge() // there is no need to wait for it
	}
	doc, err := io.ReadAll(http.MaxBytesReader(w, r.Body, catalog.MaxBodyBytes))
	if err != nil {
		var passed *http.MaxBytesError
		if errors.As(err, &passed) {
			return nil, tooLarge()
		}
		return nil, problem.Body("The body ended before it was whole.")
	}
	if len(bytes.TrimSpace(doc)) == 0 {
		return nil, nil
	}
	if t := r.Header.Get("Content-Type"); t != "" {
		kind, params, err := mime.ParseMediaType(t)
		charset := params["charset"]
		if err != nil || kind != "application/json" || (charset != "" && !strings.EqualFold(charset, "utf-8")) {
			return nil, problem.Body("The Content-Type must be application/json.")
		}
	}
	if !utf8.Valid(doc) {
		return nil, problem.Body("The body is not valid UTF-8.")
	}
	return doc, nil
}
