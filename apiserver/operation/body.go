// SPDX-License-Identifier: Apache-2.0

package operation

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
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
		return nil, unreadable(doc, err)
	}
	end := d.InputOffset()
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		more := len(doc[end:]) - len(bytes.TrimLeft(doc[end:], " \t\r\n"))
		return nil, misplaced(doc, int(end)+more, "The body must be one JSON object: there is more after its end")
	}
	o, ok := v.(map[string]any)
	if !ok {
		return nil, problem.Body("The body must be a JSON object.")
	}
	return o, nil
}

// unreadable returns the problem of a body that is not JSON, with the place.
func unreadable(doc []byte, err error) *problem.Problem {
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		// The offset is that after the character.
		return misplaced(doc, int(syntax.Offset)-1, "The body is not JSON: "+syntax.Error())
	}
	return misplaced(doc, len(doc), "The JSON ends too early: a closing bracket or quote is missing")
}

// misplaced returns the problem of a body at an offset in bytes. Lines and columns count from 1; columns are
// characters.
func misplaced(doc []byte, offset int, why string) *problem.Problem {
	before := doc[:max(0, min(offset, len(doc)))]
	line := 1 + bytes.Count(before, []byte{'\n'})
	column := 1 + utf8.RuneCount(before[bytes.LastIndexByte(before, '\n')+1:])
	p := problem.Body(fmt.Sprintf("%s, at line %d, column %d.", why, line, column))
	p.Details["line"], p.Details["column"] = line, column
	return p
}

// readText reads what should be JSON; nil when there is none.
func readText(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	other := otherType(r)
	tooLarge := problem.Body("The body is larger than 1 MiB.")
	if other != nil {
		tooLarge = other // a file in a form is usually large, and its size is not what is wrong
	}
	if r.ContentLength > catalog.MaxBodyBytes {
		return nil, tooLarge // there is no need to wait for it
	}
	doc, err := io.ReadAll(http.MaxBytesReader(w, r.Body, catalog.MaxBodyBytes))
	if err != nil {
		var passed *http.MaxBytesError
		if errors.As(err, &passed) {
			return nil, tooLarge
		}
		return nil, problem.Body("The body ended before it was whole.")
	}
	switch {
	case len(bytes.TrimSpace(doc)) == 0:
		return nil, nil
	case other != nil:
		return nil, other
	case !utf8.Valid(doc):
		return nil, problem.Body("The body is not valid UTF-8.")
	}
	return doc, nil
}

// otherType returns the problem of a body that is declared as something else than JSON in UTF-8; nil if it is not, or
// nothing is declared.
func otherType(r *http.Request) *problem.Problem {
	t := r.Header.Get("Content-Type")
	if t == "" {
		return nil
	}
	kind, params, err := mime.ParseMediaType(t)
	charset := params["charset"]
	switch {
	case err == nil && kind == "application/json" && (charset == "" || strings.EqualFold(charset, "utf-8")):
		return nil
	case strings.HasPrefix(strings.ToLower(t), "multipart/"):
		return problem.Body("The Content-Type must be application/json, not a form: " +
			"declare files with POST /api/v1/direct_uploads.")
	}
	return problem.Body("The Content-Type must be application/json.")
}
