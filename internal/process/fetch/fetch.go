// SPDX-License-Identifier: Apache-2.0

package fetch

import (
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"maps"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"syscall"
	"time"
)

const (
	// maxRedirects is the maximum number of redirects.
	maxRedirects = 5
	// maxHeader is the maximum size of a response header in bytes.
	maxHeader = 64 << 10
	// lookUpTime is the timeout for resolving a name when a URL is accepted. dialTime is the timeout for resolving it
	// and for each connection when the URL is fetched. handshakeTime and headerTime apply to the later steps.
	lookUpTime, dialTime, handshakeTime, headerTime = 3 * time.Second, 8 * time.Second, 10 * time.Second, 20 * time.Second
	// maxDials is how many of a name's addresses are tried.
	maxDials = 3
	// longest is the default timeout of a fetch.
	longest = time.Hour
)

// Resolver resolves names. *net.Resolver implements it.
type Resolver interface {
	LookupNetIP(ctx context.Context, network, host string) ([]netip.Addr, error)
}

// Config of a client.
type Config struct {
	// Timeout limits one fetch, from the first look-up to the last byte; 0 means one hour.
	Timeout time.Duration
	// Allow lists hosts (host, or host:port) that may be plain http and may have any address and port.
	Allow []string
	// Resolver for names that are not on the allow list; nil for Go's resolver with the system's configuration.
	Resolver Resolver
	// Proxy is an HTTP proxy for hosts that are not on the allow list; nil connects to them directly. The proxies of
	// the environment are never used.
	Proxy *url.URL
	// Control is called before a socket connects to an address, host:port, including those of the allow list. An error
	// prevents the connection; nil allows all. Tests use it to keep connections on this machine, even if the tested
	// code is broken.
	Control func(address string) error
}

// Client fetches URLs supplied by callers. It is safe for concurrent use.
type Client struct {
	allow    []string
	resolver Resolver
	timeout  time.Duration

	transport *http.Transport
	// free dials hosts on the allow list.
	free net.Dialer
	// connect dials checked addresses; tests replace it.
	connect func(ctx context.Context, address netip.AddrPort) (net.Conn, error)
}

// New returns a client with a timeout and an allow list.
func New(timeout time.Duration, allow ...string) *Client {
	return Open(Config{Timeout: timeout, Allow: allow})
}

// Open returns a client.
func Open(o Config) *Client {
	c := &Client{resolver: o.Resolver, timeout: o.Timeout, free: net.Dialer{Timeout: dialTime}}
	if c.resolver == nil {
		// The C library's resolver accepts numeric forms that DNS does not have.
		c.resolver = &net.Resolver{PreferGo: true}
	}
	for _, a := range o.Allow {
		a = strings.ToLower(strings.TrimSuffix(a, "."))
		if strings.HasSuffix(a, "]") { // an IPv6 address without a port
			a = strings.Trim(a, "[]")
		}
		c.allow = append(c.allow, a)
	}
	control := o.Control
	if control == nil {
		control = func(string) error { return nil }
	}
	c.free.ControlContext = func(_ context.Context, _, address string, _ syscall.RawConn) error { return control(address) }
	guarded := &net.Dialer{Timeout: dialTime, ControlContext: func(_ context.Context, _, address string, _ syscall.RawConn) error {
		return errors.Join(Check(address), control(address))
	}}
	c.connect = func(ctx context.Context, address netip.AddrPort) (net.Conn, error) {
		return guarded.DialContext(ctx, "tcp", address.String())
	}
	if o.Proxy != nil {
		c.connect = newTunnel(o.Proxy, control).connect
	}
	c.transport = &http.Transport{
		Proxy:                  nil, // a proxy would receive the name and resolve it again; see tunnel
		DialContext:            c.dial,
		TLSClientConfig:        &tls.Config{MinVersion: tls.VersionTLS12},
		TLSHandshakeTimeout:    handshakeTime,
		ResponseHeaderTimeout:  headerTime,
		MaxResponseHeaderBytes: maxHeader,
		DisableCompression:     true,
		DisableKeepAlives:      true, // every request dials, and is checked
	}
	return c
}

// dial connects to a host whose spelling was checked. It resolves the name once, checks all addresses, and dials those.
func (c *Client) dial(ctx context.Context, network, hostport string) (net.Conn, error) {
	host, port, err := net.SplitHostPort(hostport)
	if err != nil {
		return nil, forbidden("it is not a URL")
	}
	if slices.Contains(c.allow, host) || slices.Contains(c.allow, hostport) {
		return c.free.DialContext(ctx, network, hostport)
	}
	if port != "443" {
		return nil, forbidden("only port 443 is allowed")
	}
	looking, cancel := context.WithTimeout(ctx, dialTime)
	defer cancel()
	found, err := c.addresses(looking, host)
	if err != nil {
		return nil, err
	}
	// IPv4 first: missing IPv4 connectivity fails at once, broken IPv6 connectivity only after a long timeout.
	slices.SortStableFunc(found, func(a, b netip.Addr) int { return a.BitLen() - b.BitLen() })
	last := errors.New("no address")
	for _, a := range found[:min(len(found), maxDials)] {
		trying, cancel := context.WithTimeout(ctx, dialTime)
		conn, err := c.connect(trying, netip.AddrPortFrom(a, httpsPort))
		cancel()
		if err == nil {
			return conn, nil
		}
		last = err
	}
	return nil, last
}

// Get opens a URL. Reading the body fails with ErrTooLarge after limit bytes, and with ErrTooSlow when the server is
// too slow. The caller closes the body. The error is one of this package's, or context.Canceled.
func (c *Client) Get(ctx context.Context, rawURL string, limit int64) (io.ReadCloser, error) {
	t, err := c.parse(rawURL)
	if err != nil {
		return nil, err
	}
	within, stop := context.WithTimeout(ctx, cmp.Or(c.timeout, longest))
	body, err := c.open(within, t, limit)
	if err != nil {
		stop()
		if _, answered := errors.AsType[StatusError](err); answered || errors.Is(err, ErrTooLarge) {
			return nil, err
		}
		return nil, converted(ctx, err)
	}
	return &limitedBody{body: body, left: limit, asked: ctx, stop: stop}, nil
}

// open requests a file and follows redirects. It checks each target.
func (c *Client) open(ctx context.Context, t *target, limit int64) (io.ReadCloser, error) {
	for range maxRedirects + 1 {
		res, err := c.ask(ctx, t)
		if err != nil {
			return nil, err
		}
		to := ""
		if slices.Contains(redirects, res.StatusCode) {
			to = res.Header.Get("Location")
		}
		if to == "" {
			return answer(res, limit)
		}
		_ = res.Body.Close()
		if t, err = c.redirected(t, to); err != nil {
			return nil, err
		}
	}
	return nil, &fault{ErrUnusable, "it redirects too often"}
}

// redirects are the status codes of redirects.
var redirects = []int{
	http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther, http.StatusTemporaryRedirect, http.StatusPermanentRedirect,
}

// redirected checks the target of a redirect, which may be relative to from.
func (c *Client) redirected(from *target, to string) (*target, error) {
	if len(to) > maxURL {
		return nil, forbidden("it is too long")
	}
	u, err := from.url.Parse(to)
	if err != nil {
		return nil, forbidden("it is not a URL")
	}
	return c.judge(u)
}

// ask sends one request. The request contains nothing that an earlier host set.
func (c *Client) ask(ctx context.Context, t *target) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, t.url.String(), nil)
	if err != nil {
		return nil, forbidden("it is not a URL")
	}
	req.Header.Set("User-Agent", "reelops")
	req.Header.Set("Accept-Encoding", "identity")
	return c.transport.RoundTrip(req)
}

// Post sends a body to a URL by the rules of Get, and returns the status code of the response. It follows no redirect and
// does not read the body of the response. The error is one of this package's, or context.Canceled.
func (c *Client) Post(ctx context.Context, rawURL string, header http.Header, body []byte) (code int, err error) {
	t, err := c.parse(rawURL)
	if err != nil {
		return 0, err
	}
	within, stop := context.WithTimeout(ctx, cmp.Or(c.timeout, longest))
	defer stop()
	req, err := http.NewRequestWithContext(within, http.MethodPost, t.url.String(), bytes.NewReader(body))
	if err != nil {
		return 0, forbidden("it is not a URL")
	}
	maps.Copy(req.Header, header)
	req.Header.Set("User-Agent", "reelops")
	res, err := c.transport.RoundTrip(req)
	if err != nil {
		return 0, converted(ctx, err)
	}
	_ = res.Body.Close() // closes the connection: the client keeps none
	return res.StatusCode, nil
}

// answer returns the body of a usable response.
func answer(res *http.Response, limit int64) (io.ReadCloser, error) {
	var err error
	coding := strings.ToLower(strings.TrimSpace(res.Header.Get("Content-Encoding")))
	switch {
	case res.StatusCode != http.StatusOK:
		err = StatusError(res.StatusCode)
	case coding != "" && coding != "identity":
		err = &fault{ErrUnusable, "it is compressed, which was not requested"}
	case res.ContentLength > limit:
		err = ErrTooLarge
	default:
		return res.Body, nil
	}
	_ = res.Body.Close()
	return nil, err
}
