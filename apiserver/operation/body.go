// SPDX-License-Identifier: Apache-2.0

package operation

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"

	"github.com/reelops/reelops/apiserver/problem"
	"github.com/reelops/reelops/internal/catalog"
)

// Text returns a Call.Body for a document that the transport has already read.
func Text(doc []byte) func() ([]byte, error) {
	return func() ([]byte, error) {
		if len(doc) > catalog.MaxBodyBytes {
			return nil, errTooLarge()
		}
		return checkText(doc)
	}
}

func errTooLarge() *problem.Problem { return problem.Body("The body is larger than 1 MiB.") }

// checkText returns the document if it is valid UTF-8; nil if it is blank.
func checkText(doc []byte) ([]byte, error) {
	switch {
	case len(bytes.TrimSpace(doc)) == 0:
		return nil, nil
	case !utf8.Valid(doc):
		return nil, problem.Body("The body is not valid UTF-8.")
	}
	return doc, nil
}

// parseObject parses a JSON object. Numbers keep their digits. nil counts as {}.
func parseObject(doc []byte) (map[string]any, error) {
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

// unreadable returns the problem of a body that is not JSON, with the position of the error.
func unreadable(doc []byte, err error) *problem.Problem {
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		// The offset is that after the character.
		return misplaced(doc, int(syntax.Offset)-1, "The body is not JSON: "+syntax.Error())
	}
	return misplaced(doc, len(doc), "The JSON ends too early: a closing bracket or quote is missing")
}

// misplaced returns the problem of a body at an offset in bytes. Lines and columns count from 1; columns count
// characters.
func misplaced(doc []byte, offset int, why string) *problem.Problem {
	before := doc[:max(0, min(offset, len(doc)))]
	line := 1 + bytes.Count(before, []byte{'\n'})
	column := 1 + utf8.RuneCount(before[bytes.LastIndexByte(before, '\n')+1:])
	p := problem.Body(fmt.Sprintf("%s, at line %d, column %d.", why, line, column))
	p.Details["line"], p.Details["column"] = line, column
	return p
}
