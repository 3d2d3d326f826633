// SPDX-License-Identifier: Apache-2.0

package edge

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/reelops/reelops/apiserver/operation"
	"github.com/reelops/reelops/apiserver/problem"
	"github.com/reelops/reelops/apiserver/view"
	"github.com/reelops/reelops/internal/catalog"
)

// Listener gives the answers that net/http writes itself the envelope. Its connections stay what they are, so that files
// are still sent by the kernel.
func Listener(l net.Listener) net.Listener { return listener{l} }

type listener struct{ net.Listener }

func (l listener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if tcp, ok := c.(*net.TCPConn); ok {
		return &conn{tcp}, err
	}
	return c, err
}

// conn is a connection whose every Write is looked at: net/http writes its own answers in one piece.
type conn struct{ *net.TCPConn }

func (c *conn) Write(p []byte) (int, error) {
	status, ok := refusal(p)
	if !ok {
		return c.TCPConn.Write(p)
	}
	if _, err := c.TCPConn.Write(envelope(status, time.Now())); err != nil {
		return 0, err
	}
	return len(p), nil
}

const (
	statusLine = "HTTP/1.1 "
	// plain is all that follows on the status line of a refusal. No answer of a handler looks like it: those have a Date.
	plain = "\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n\r\n"
	// longest is more than any refusal takes.
	longest = 512
)

// refusal tells whether a write is an answer that net/http gives by itself, and its status.
func refusal(p []byte) (status int, ok bool) {
	const digits = len("400")
	if len(p) > longest || len(p) < len(statusLine)+digits || p[len(statusLine)] < '4' || !bytes.HasPrefix(p, []byte(statusLine)) {
		return 0, false
	}
	status, err := strconv.Atoi(string(p[len(statusLine) : len(statusLine)+digits]))
	if err != nil {
		return 0, false
	}
	if status == http.StatusExpectationFailed {
		return status, true // no handler answers with it
	}
	end := bytes.IndexByte(p, '\r')
	return status, end > 0 && bytes.HasPrefix(p[end:], []byte(plain))
}

// envelope is the whole answer in the place of a refusal.
func envelope(status int, now time.Time) []byte {
	p := problem.New(catalog.BadRequest, problem.Details{"parameter": "request"})
	switch status {
	case http.StatusRequestHeaderFieldsTooLarge:
		p.Details["parameter"] = "headers"
		p.Message = "The request line and the headers are too large."
	case http.StatusNotImplemented:
		p.Details["parameter"] = "Transfer-Encoding"
		p.Message = "Of the transfer encodings only chunked is understood."
	case http.StatusHTTPVersionNotSupported:
		p.Details["parameter"] = "version"
		p.Message = "This version of HTTP is not spoken here."
	case http.StatusExpectationFailed:
		p.Details["parameter"] = "Expect"
		p.Message = "Of expectations only 100-continue is understood."
	default:
		p.Message = "This is not a request that HTTP knows."
	}
	// A map of strings can always be written as JSON.
	doc, _ := json.Marshal(operation.ErrorEnvelope{Errors: []operation.APIError{{
		Code: view.ErrorCode(p.Code), Message: p.Message, Retryable: p.Retryable, Details: p.Details,
	}}})
	doc = append(doc, '\n')
	var out bytes.Buffer
	fmt.Fprintf(&out, "%s%d %s\r\n", statusLine, status, http.StatusText(status))
	fmt.Fprintf(&out, "Content-Type: application/json; charset=utf-8\r\nContent-Length: %d\r\n", len(doc))
	fmt.Fprintf(&out, "Date: %s\r\nX-Request-Id: req_%s\r\n", now.UTC().Format(http.TimeFormat), strings.ToLower(rand.Text()))
	out.WriteString("Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\nConnection: close\r\n\r\n")
	out.Write(doc)
	return out.Bytes()
}
