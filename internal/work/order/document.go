// SPDX-License-Identifier: Apache-2.0

package order

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"regexp"
)

const (
	maxURL     = 8 << 10 // bytes
	maxHeaders = 32
)

var digest = regexp.MustCompile(`^[0-9a-f]{64}$`)

// IsSHA256 reports whether a text is a SHA-256 digest in lower-case hexadecimal digits.
func IsSHA256(s string) bool { return digest.MatchString(s) }

// Error is an invalid field of an order or of an outcome.
type Error struct {
	Field   string
	Message string
}

// Error returns the field and the message.
func (e *Error) Error() string { return e.Field + ": " + e.Message }

// Wrong returns the Error of a field.
func Wrong(field, message string) error { return &Error{Field: field, Message: message} }

// Target is the destination of an upload.
type Target struct {
	// URL is a signed URL for PUT.
	URL string `json:"url"`
	// Headers must be sent with the upload. Some stores sign them.
	Headers map[string]string `json:"headers,omitempty"`
}

// check returns an *Error if the target is invalid. No target is valid.
func (t *Target) check(field string) error {
	if t == nil {
		return nil
	}
	if len(t.Headers) > maxHeaders {
		return Wrong(field+".headers", fmt.Sprintf("There are at most %d headers.", maxHeaders))
	}
	return checkURL(field+".url", t.URL)
}

// checkURL returns an *Error for a URL that an HTTP client cannot request. The message does not contain the URL, which
// is signed and therefore a secret.
func checkURL(field, s string) error {
	u, err := url.Parse(s)
	if err != nil || len(s) > maxURL || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" {
		return Wrong(field, fmt.Sprintf("The address must be an http or https URL of at most %d bytes.", maxURL))
	}
	return nil
}

// Decode parses one JSON document of at most limit bytes. An unknown field or a second document is an error.
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

// Redact returns the scheme and host of a signed URL. Some stores put the signature in the query, others in the path.
func Redact(s string) string {
	u, err := url.Parse(s)
	if err != nil {
		return "(unreadable address)"
	}
	return (&url.URL{Scheme: u.Scheme, Host: u.Host}).String()
}

// Plain reports whether a text consists of ASCII letters, digits and signs that need no escaping in JSON or HTML.
func Plain(s string) bool {
	for _, c := range []byte(s) {
		if c <= ' ' || c > '~' || c == '"' || c == '\\' || c == '<' || c == '>' || c == '&' {
			return false
		}
	}
	return true
}
