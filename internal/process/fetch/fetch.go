// SPDX-License-Identifier: Apache-2.0

package fetch

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"io"
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
	// maxRedirects is how many redirects are followed.
	maxRedirects = 5
	// maxHeader bounds the header of an answer in bytes.
	maxHeader = 64 << 10
	// lookUpTime bounds asking for a name's addresses when a URL is accepted; dialTime the look-up and each connection when
	// it is fetched; handshakeTime and headerTime what follows.
	lookUpTime, dialTime, handshakeTime, headerTime = 3 * time.Second, 8 * time.Second, 10 * time.Second, 20 * time.Second
	// maxDials is how many of a name's addresses are tried.
	maxDials = 3
	// longest is the bound of a fetch without another.
	longest = time.Hour
)

// Resolver finds the addresses of a name; *net.Resolver is one.
type Resolver interface {
	LookupNetIP(ctx context.Context, network, host string) ([]netip.Addr, error)
}

// Config of a client.
type Config struct {
	// Timeout bounds one fetch, from the first look-up to the last byte; 0 for an hour.
	Timeout time.Duration
	// Allow lists hosts (host, or host:port) that may be plain http and may have any address and port.
	Allow []string
	// Resolver of names that are not on the allow list; nil for the system's, asked by Go itself.
	Resolver Resolver
	// Proxy is an HTTP proxy for hosts that are not on the allow list; nil connects to them directly. The proxies of the environment are
	// never used.
	Proxy *url.URL
	// Control has the last word before a socket connects to an address, host:port, those of the allow list included; nil for
	// no more to say. Tests keep with it what they try on this machine, also when what they test is broken.
	Control func(address string) error
}

// Client opens callers' URLs. It may be used by many goroutines.
type Client struct {
	allow    []string
	resolver Resolver
	timeout  time.Duration

	transport *http.Transport
	// free dials what is on the allow list.
	free net.Dialer
	// connect is the network beyond what is judged; tests play it.
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
		// The C library's resolver reads numbers in forms that no DNS has.
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
		Proxy:                  nil, // it would get the name and look it up again; see tunnel
		DialContext:            c.dial,
		TLSClientConfig:        &tls.Config{MinVersion: tls.VersionTLS12},
		TLSHandshakeTimeout:    handshakeTime,
		ResponseHeaderTimeout:  headerTime,
		MaxResponseHeaderBytes: maxHeader,
		DisableCompression:     true,
		DisableKeepAlives:      true, // every request dials, and is judged
	}
	return c
}

// dial connects to a host that was judged by how it is written: it looks its name up once, judges all that comes, and dials
// that.
func (c *Client) dial(ctx context.Context, network, hostport string) (net.Conn, error) {
	host, port, err := net.SplitHostPort(hostport)
	if err != nil {
		return nil, forbidden("it is not a URL")
	}
	if slices.Contains(c.allow, host) || slices.Contains(c.allow, hostport) {
		return c.free.DialContext(ctx, network, hostport)
	}
	if port != "443" {
		return nil, forbidden("only port 443 is opened")
	}
	looking, cancel := context.WithTimeout(ctx, dialTime)
	defer cancel()
	found, err := c.addresses(looking, host)
	if err != nil {
		return nil, err
	}
	// IPv4 first: where there is none, that is known at once; where IPv6 leads nowhere, only after a long wait.
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

// Get opens a URL. The body gives ErrTooLarge once more than limit bytes were read, and ErrTooSlow when they come too slowly.
// The caller closes it. The error is one of this package's, or context.Canceled.
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
		return nil, told(ctx, err)
	}
	return &pouring{body: body, left: limit, asked: ctx, stop: stop}, nil
}

// open asks for a file and follows redirects, judging where each leads.
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

// redirects are the statuses that lead elsewhere.
var redirects = []int{
	http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther, http.StatusTemporaryRedirect, http.StatusPermanentRedirect,
}

// redirected judges where a redirect leads, which may be told relative to where it stood.
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

// ask sends one request, and nothing along with it that an earlier host gave.
func (c *Client) ask(ctx context.Context, t *target) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, t.url.String(), nil)
	if err != nil {
		return nil, forbidden("it is not a URL")
	}
	req.Header.Set("User-Agent", "reelops")
	req.Header.Set("Accept-Encoding", "identity")
	return c.transport.RoundTrip(req)
}

// answer takes the file out of an answer.
func answer(res *http.Response, limit int64) (io.ReadCloser, error) {
	var err error
	coding := strings.ToLower(strings.TrimSpace(res.Header.Get("Content-Encoding")))
	switch {
	case res.StatusCode != http.StatusOK:
		err = StatusError(res.StatusCode)
	case coding != "" && coding != "identity":
		err = &fault{ErrUnusable, "it is compressed, which was not asked for"}
	case res.ContentLength > limit:
		err = ErrTooLarge
	default:
		return res.Body, nil
	}
	_ = res.Body.Close()
	return nil, err
}
