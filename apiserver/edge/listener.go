// SPDX-License-Identifier: Apache-2.0

package edge

import (
	"bytes"
	"cmp"
	"crypto/rand"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/reelops/reelops/apiserver/limit"
	"github.com/reelops/reelops/apiserver/operation"
	"github.com/reelops/reelops/apiserver/problem"
	"github.com/reelops/reelops/apiserver/view"
	"github.com/reelops/reelops/internal/catalog"
)

// Limits configures the connections of a listener.
type Limits struct {
	// Stall is how long the peer may take to accept WriteChunk bytes before its connection is closed; 0 means
	// StallTime.
	Stall time.Duration
	// Total is the maximum number of open connections, PerAddress that of one client address; 0 means no limit. An IPv6
	// /64 network counts as one address. A connection above a limit is closed at once.
	Total, PerAddress int
	// Proxies are the networks that are exempt from PerAddress, because many clients connect through them.
	Proxies []netip.Prefix
	// TLS configures HTTPS; nil means plain HTTP. The timeout of the first request's headers includes the handshake.
	TLS *tls.Config
}

const (
	// StallTime is the default of Limits.Stall.
	StallTime = time.Minute
	// WriteChunk is how many bytes a peer has to accept within Limits.Stall. With the default that is 4 KiB a second.
	WriteChunk = 256 << 10
	// MaxConnections is the connection limit of the listener that callers reach.
	MaxConnections = 8192
	// MaxConnectionsPerAddress is its connection limit for one client address.
	MaxConnectionsPerAddress = 1024
)

// Listener wraps l. It replaces the errors that net/http writes itself by the error envelope, closes connections whose
// peers do not read, and limits the number of connections. Files are still sent by the kernel.
func Listener(l net.Listener, limits Limits) net.Listener {
	limits.Stall = cmp.Or(limits.Stall, StallTime)
	return &listener{Listener: l, limits: limits, open: map[string]int{}}
}

type listener struct {
	net.Listener
	limits Limits

	mu    sync.Mutex
	total int
	open  map[string]int // by client address
}

func (l *listener) Accept() (net.Conn, error) {
	for {
		c, err := l.Listener.Accept()
		tcp, ok := c.(*net.TCPConn)
		if !ok {
			return c, err
		}
		if release, ok := l.admit(tcp.RemoteAddr().String()); ok {
			c := &conn{Conn: tcp, stall: l.limits.Stall, release: release}
			if l.limits.TLS != nil {
				c.Conn = tls.Server(tcp, l.limits.TLS)
			}
			return c, err
		}
		_ = tcp.Close()
	}
}

// admit reports whether another connection of the peer is allowed. The caller must call release when the connection
// closes.
func (l *listener) admit(peer string) (release func(), ok bool) {
	address := limit.ClientAddress(&http.Request{RemoteAddr: peer}, nil)
	most := l.limits.PerAddress
	if ap, err := netip.ParseAddrPort(peer); err == nil &&
		slices.ContainsFunc(l.limits.Proxies, func(p netip.Prefix) bool { return p.Contains(ap.Addr().Unmap()) }) {
		most = 0
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.limits.Total > 0 && l.total >= l.limits.Total || most > 0 && l.open[address] >= most {
		return nil, false
	}
	l.total++
	l.open[address]++
	return sync.OnceFunc(func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.total--
		if l.open[address]--; l.open[address] == 0 {
			delete(l.open, address)
		}
	}), true
}

// conn is a connection that inspects every Write: net/http writes its own errors with a single call. Each chunk that
// the peer accepts extends the write deadline.
type conn struct {
	net.Conn // over TCP, or over TLS on TCP
	stall    time.Duration
	release  func()
	// until is the deadline that a handler set, in Unix nanoseconds; 0 means none. A chunk does not extend the deadline
	// beyond it.
	until atomic.Int64
}

// SetWriteDeadline sets the time until which everything has to be written.
func (c *conn) SetWriteDeadline(t time.Time) error {
	var until int64
	if !t.IsZero() {
		until = t.UnixNano()
	}
	c.until.Store(until)
	return c.Conn.SetWriteDeadline(t)
}

// SetDeadline sets the deadlines of reads and writes.
func (c *conn) SetDeadline(t time.Time) error {
	return errors.Join(c.SetReadDeadline(t), c.SetWriteDeadline(t))
}

// advance extends the write deadline for the next chunk.
func (c *conn) advance() error {
	t := time.Now().Add(c.stall)
	if until := c.until.Load(); until != 0 && until < t.UnixNano() {
		t = time.Unix(0, until)
	}
	return c.Conn.SetWriteDeadline(t)
}

func (c *conn) Close() error {
	c.release()
	return c.Conn.Close()
}

// CloseWrite ends the stream to the peer. net/http calls it before it closes a connection.
func (c *conn) CloseWrite() error {
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return nil
}

// ReadFrom sends the reader's content in chunks. Without TLS a file is sent by the kernel.
func (c *conn) ReadFrom(r io.Reader) (n int64, err error) {
	tcp, ok := c.Conn.(*net.TCPConn)
	if !ok {
		return io.Copy(struct{ io.Writer }{c}, r)
	}
	left := int64(math.MaxInt64)
	if limited, ok := r.(*io.LimitedReader); ok {
		r, left = limited.R, limited.N
		defer func() { limited.N -= n }()
	}
	for n < left {
		if err := c.advance(); err != nil {
			return n, err
		}
		chunk := min(left-n, WriteChunk)
		sent, err := tcp.ReadFrom(&io.LimitedReader{R: r, N: chunk})
		n += sent
		if err != nil || sent < chunk {
			return n, err
		}
	}
	return n, nil
}

func (c *conn) Write(p []byte) (n int, err error) {
	status, ok := refusal(p)
	for !ok {
		if err := c.advance(); err != nil {
			return n, err
		}
		sent, err := c.Conn.Write(p[n:min(len(p), n+WriteChunk)])
		if n += sent; err != nil || n == len(p) {
			return n, err
		}
	}
	if err := c.advance(); err != nil {
		return 0, err
	}
	_, err = c.Conn.Write(envelope(refusalOf(status), status, time.Now()))
	var header tls.RecordHeaderError
	if errors.As(err, &header) && header.Conn != nil {
		// The peer does not speak TLS, so this response is plain text over TCP. An ingress that calls by HTTP can then
		// report the cause.
		notTLS := problem.New(catalog.BadRequest, problem.Details{"parameter": "request"})
		notTLS.Message = "The listener requires HTTPS, and the request is not a TLS handshake."
		_, err = header.Conn.Write(envelope(notTLS, status, time.Now()))
	}
	if err != nil {
		return 0, err
	}
	return len(p), nil
}

const (
	statusLine = "HTTP/1.1 "
	// plain is the rest of the header of a net/http error. Responses of handlers never match, because they have a Date
	// header.
	plain = "\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n\r\n"
	// longest exceeds the size of any such error, in bytes.
	longest = 512
)

// refusal reports whether a write is an error that net/http sends itself, and returns its status.
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
		return status, true // no handler responds with this status
	}
	end := bytes.IndexByte(p, '\r')
	return status, end > 0 && bytes.HasPrefix(p[end:], []byte(plain))
}

// refusalOf returns the problem that replaces a net/http error.
func refusalOf(status int) *problem.Problem {
	p := problem.New(catalog.BadRequest, problem.Details{"parameter": "request"})
	switch status {
	case http.StatusRequestHeaderFieldsTooLarge:
		p.Details["parameter"] = "headers"
		p.Message = "The request line and the headers are too large."
	case http.StatusNotImplemented:
		p.Details["parameter"] = "Transfer-Encoding"
		p.Message = "The only supported transfer encoding is chunked."
	case http.StatusHTTPVersionNotSupported:
		p.Details["parameter"] = "version"
		p.Message = "This version of HTTP is not supported."
	case http.StatusExpectationFailed:
		p.Details["parameter"] = "Expect"
		p.Message = "The only supported expectation is 100-continue."
	default:
		p.Message = "The request is not valid HTTP."
	}
	return p
}

// envelope returns the complete HTTP response that replaces a net/http error.
func envelope(p *problem.Problem, status int, now time.Time) []byte {
	// A map of strings can always be encoded as JSON.
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
