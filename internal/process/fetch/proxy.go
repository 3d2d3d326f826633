// SPDX-License-Identifier: Apache-2.0

package fetch

import (
	"bufio"
	"context"
	"crypto/tls"
	"encoding/base64"
	"errors"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"syscall"
	"time"
)

// ParseProxy parses the address of an HTTP proxy, such as http://user:password@proxy.example:3128; nil for an empty
// text. Its errors do not contain the text, which may hold a password.
func ParseProxy(text string) (*url.URL, error) {
	if text == "" {
		return nil, nil
	}
	u, err := url.Parse(text)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Hostname() == "" || (u.Path != "" && u.Path != "/") || u.RawQuery != "" || u.Fragment != "" {
		return nil, errors.New("a proxy must be http://HOST:PORT or https://HOST:PORT")
	}
	return u, nil
}

// tunnel reaches addresses through an HTTP proxy. The proxy receives the checked address, never a name, so that it
// resolves nothing.
type tunnel struct {
	proxy  *url.URL
	dialer net.Dialer
}

func newTunnel(proxy *url.URL, control func(address string) error) *tunnel {
	return &tunnel{proxy: proxy, dialer: net.Dialer{Timeout: dialTime, ControlContext: func(_ context.Context, _, address string, _ syscall.RawConn) error {
		return control(address)
	}}}
}

// connect returns a connection to an address. It fails with ErrForbidden if the address is not public, and with
// ErrUnreachable if the proxy refuses it.
func (t *tunnel) connect(ctx context.Context, address netip.AddrPort) (net.Conn, error) {
	if err := Check(address.String()); err != nil {
		return nil, err
	}
	port := t.proxy.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[t.proxy.Scheme]
	}
	conn, err := t.dialer.DialContext(ctx, "tcp", net.JoinHostPort(t.proxy.Hostname(), port))
	if err != nil {
		return nil, unreachable("its proxy cannot be reached")
	}
	cut := context.AfterFunc(ctx, func() { _ = conn.SetDeadline(time.Unix(1, 0)) })
	secured, err := t.open(ctx, conn, address.String())
	if !cut() && err == nil {
		err = ctx.Err()
	}
	if err != nil {
		_ = conn.Close()
		return nil, err
	}
	return secured, nil
}

// open requests a connection to an address from the proxy.
func (t *tunnel) open(ctx context.Context, conn net.Conn, address string) (net.Conn, error) {
	if t.proxy.Scheme == "https" {
		secured := tls.Client(conn, &tls.Config{MinVersion: tls.VersionTLS12, ServerName: t.proxy.Hostname(), NextProtos: []string{"http/1.1"}})
		if err := secured.HandshakeContext(ctx); err != nil {
			return nil, unreachable("its proxy has no certificate that can be trusted")
		}
		conn = secured
	}
	req := &http.Request{Method: http.MethodConnect, URL: &url.URL{Opaque: address}, Host: address, Header: http.Header{"User-Agent": {"reelops"}}}
	if user := t.proxy.User; user != nil {
		password, _ := user.Password()
		req.Header.Set("Proxy-Authorization", "Basic "+base64.StdEncoding.EncodeToString([]byte(user.Username()+":"+password)))
	}
	if err := req.Write(conn); err != nil {
		return nil, unreachable("its proxy does not respond")
	}
	r := bufio.NewReader(io.LimitReader(conn, maxHeader))
	res, err := http.ReadResponse(r, req) //nolint:bodyclose // after 200 the body is the tunnel; after an error the caller closes the connection
	switch {
	case err != nil:
		return nil, unreachable("its proxy does not respond")
	case res.StatusCode == http.StatusProxyAuthRequired:
		return nil, unreachable("its proxy requires a user and a password")
	case res.StatusCode != http.StatusOK:
		return nil, unreachable("its proxy rejects the connection")
	case r.Buffered() > 0: // in TLS the client speaks first
		return nil, unreachable("its proxy sent data before the server could")
	}
	return conn, nil
}

func unreachable(why string) error { return &fault{ErrUnreachable, why} }
