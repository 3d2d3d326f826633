// SPDX-License-Identifier: Apache-2.0

// Package workdoc holds what the documents between the control plane and the pods of its Jobs have in common: they are
// read strictly, name the field that is wrong, and lead to places that a plain HTTP client can reach. What they say is the
// matter of packages renderwork and mediawork.
package workdoc

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
)

const (
	maxURL     = 8 << 10
	maxHeaders = 32
)

// Error says what is wrong with one field of a document.
type Error struct {
	Field   string
	Message string
}

// Error is the field and the sentence.
func (e *Error) Error() string { return e.Field + ": " + e.Message }

// Wrong is the Error of a field.
func Wrong(field, message string) error { return &Error{Field: field, Message: message} }

// Target is a place to upload to.
type Target struct {
	// URL is a signed address for PUT.
	URL string `json:"url"`
	// Headers are sent with the upload, for stores whose signature covers them.
	Headers map[string]string `json:"headers,omitempty"`
}

// Check says what is wrong with a target that stands at the field; the error is an *Error.
func (t *Target) Check(field string) error {
	if len(t.Headers) > maxHeaders {
		return Wrong(field+".headers", fmt.Sprintf("There are at most %d headers.", maxHeaders))
	}
	return CheckURL(field+".url", t.URL)
}

// CheckURL refuses what a plain HTTP client cannot call. The error is an *Error; its message does not repeat the URL, which
// is signed and therefore a secret.
func CheckURL(field, s string) error {
	u, err := url.Parse(s)
	if err != nil || len(s) > maxURL || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" {
		return Wrong(field, fmt.Sprintf("The address must be an http or https URL of at most %d bytes.", maxURL))
	}
	return nil
}

// Decode reads one JSON document of at most limit bytes and nothing else: an unknown field or a second document is an error.
func Decode(doc []byte, limit int, into any) error {
	if len(doc) > limit {
		return fmt.Errorf("the document is larger than %d bytes", limit)
	}
	d := json.NewDecoder(bytes.NewReader(doc))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errors.New("there is more after the end of the document")
	}
	return nil
}
