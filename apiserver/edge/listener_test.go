// SPDX-License-Identifier: Apache-2.0

package edge_test

import (
	"bufio"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/reelops/reelops/apiserver/edge"
	"github.com/reelops/reelops/apiserver/operation"
	"github.com/reelops/reelops/internal/testkit/authority"
)

// serve responds to every request that gets through with its method and path.
func serve(t *testing.T) (address string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := edge.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			http.Error(w, "the body was truncated", http.StatusBadRequest)
			return
		}
		_, _ = fmt.Fprintf(w, "%s %s %d", r.Method, r.RequestURI, len(body))
	}), slog.New(slog.DiscardHandler))
	go func() { _ = s.Serve(edge.Listener(l, edge.Limits{})) }()
	t.Cleanup(func() { _ = s.Close() })
	return l.Addr().String()
}

// reply is a response.
type reply struct {
	status int
	header http.Header
	closed bool
	body   string
}

// say sends bytes and reads one response.
func say(t *testing.T, address, text string) reply {
	t.Helper()
	c, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Close() }()
	_ = c.SetDeadline(time.Now().Add(patience))
	if _, err := io.WriteString(c, text); err != nil {
		t.Fatal(err)
	}
	resp, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		t.Fatalf("response to %.80q: %v", text, err)
	}
	defer func() { _ = resp.Body.Close() }()
	doc, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return reply{resp.StatusCode, resp.Header, resp.Close, string(doc)}
}

func TestListener_RejectsInvalidRequestsWithTheEnvelope(t *testing.T) {
	address := serve(t)
	for _, c := range []struct {
		why, text string
		status    int
		parameter string
	}{
		{"no HTTP at all", "hello there\r\n\r\n", 400, "request"},
		{"no Host", "GET / HTTP/1.1\r\n\r\n", 400, "request"},
		{"two Hosts", "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", 400, "request"},
		{"a NUL in the path", "GET /\x00 HTTP/1.1\r\nHost: a\r\n\r\n", 400, "request"},
		{"a space in a header's name", "GET / HTTP/1.1\r\nHost: a\r\nX y: 1\r\n\r\n", 400, "request"},
		{"a broken escape in the path", "GET /%zz HTTP/1.1\r\nHost: a\r\n\r\n", 400, "request"},
		{"two lengths", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabcd", 400, "request"},
		{"a negative length", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n", 400, "request"},
		{"an unknown transfer encoding", "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip\r\n\r\n", 501, "Transfer-Encoding"},
		{"another version", "GET / HTTP/3.0\r\nHost: a\r\n\r\n", 505, "version"},
		{"an unknown expectation", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nExpect: tea\r\n\r\nx", 417, "Expect"},
		{"headers without end", "GET / HTTP/1.1\r\nHost: a\r\nX: " + strings.Repeat("x", 80<<10), 431, "headers"},
		{"a path without end", "GET /" + strings.Repeat("x", 80<<10), 431, "headers"},
	} {
		t.Run(c.why, func(t *testing.T) {
			r := say(t, address, c.text)
			var e operation.ErrorEnvelope
			if err := json.Unmarshal([]byte(r.body), &e); err != nil || len(e.Errors) != 1 || e.Success {
				t.Fatalf("got %d %q, not an envelope: %v", r.status, r.body, err)
			}
			got := e.Errors[0]
			if r.status != c.status || got.Code != "bad_request" || got.Details["parameter"] != c.parameter || got.Message == "" {
				t.Errorf("%d %+v", r.status, got)
			}
			if r.header.Get("Content-Type") != "application/json; charset=utf-8" || r.header.Get("X-Request-Id") == "" || !r.closed {
				t.Errorf("got headers %v", r.header)
			}
		})
	}
}

func TestListener_AnswersPlainHTTPInsteadOfTLSWithTheCause(t *testing.T) {
	dir := t.TempDir()
	authority.New(t).Issue(t, dir)
	pair, err := tls.LoadX509KeyPair(filepath.Join(dir, "tls.crt"), filepath.Join(dir, "tls.key"))
	if err != nil {
		t.Fatal(err)
	}
	address := serveWith(t, edge.Limits{TLS: &tls.Config{Certificates: []tls.Certificate{pair}}}, func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, "hello")
	})
	r := say(t, address, "GET / HTTP/1.1\r\nHost: a\r\n\r\n")
	if r.status != http.StatusBadRequest || !strings.Contains(r.body, `"bad_request"`) || !strings.Contains(r.body, "HTTPS") {
		t.Errorf("%d %q", r.status, r.body)
	}
}

func TestListener_ForwardsRequests(t *testing.T) {
	address := serve(t)
	for text, want := range map[string]string{
		"GET /a HTTP/1.1\r\nHost: a\r\n\r\n":                                                    "GET /a 0",
		"GET /a HTTP/1.0\r\n\r\n":                                                               "GET /a 0",
		"OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n":                                                 "OPTIONS * 0",
		"CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n":                                               "CONNECT a:1 0",
		"GET http://b/a HTTP/1.1\r\nHost: a\r\n\r\n":                                            "GET http://b/a 0",
		"POST /a HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n0\r\n\r\n": "POST /a 2",
	} {
		if r := say(t, address, text); r.status != http.StatusOK || r.body != want {
			t.Errorf("%q: %d %q", text, r.status, r.body)
		}
	}
}

// A handler's own plain-text responses are not replaced, even if they look similar.
func TestListener_KeepsResponsesOfHandlers(t *testing.T) {
	address := serve(t)
	r := say(t, address, "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nnonsense\r\n")
	if r.status != http.StatusBadRequest || r.body != "the body was truncated\n" || r.header.Get("Date") == "" {
		t.Errorf("%d %q %v", r.status, r.body, r.header)
	}
}
