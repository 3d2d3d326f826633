// SPDX-License-Identifier: Apache-2.0

// Package fetch is the one client that opens URLs which callers give. It checks the address at dial time, after every
// redirect, so that no name, however it resolves, leads into the cluster or the machine: loopback, private, link-local
// (the cloud's metadata service among them), multicast and unspecified addresses are refused, and so is anything but
// https, unless the host is allow-listed.
package fetch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"syscall"
	"time"
)

// Errors a caller can tell apart.
var (
	// ErrForbidden says that the URL leads where callers may not look.
	ErrForbidden = errors.New("the address is not allowed")
	// ErrTooLarge says that the file is over the limit.
	ErrTooLarge = errors.New("the file is too large")
)

// StatusError is an answer other than 200.
type StatusError int

func (e StatusError) Error() string { return fmt.Sprintf("the server answered %d", int(e)) }

// Client opens callers' URLs.
type Client struct {
	http  *http.Client
	allow []string
}

// New returns a client. Hosts on the allow list (host or host:port) may be plain http and may have any address.
func New(timeout time.Duration, allow ...string) *Client {
	c := &Client{allow: allow}
	dialer := &net.Dialer{Timeout: 10 * time.Second}
	transport := &http.Transport{
		Proxy:                  nil, // a proxy would dial in our place and see other addresses than we check
		ForceAttemptHTTP2:      true,
		MaxResponseHeaderBytes: 64 << 10,
		ResponseHeaderTimeout:  20 * time.Second,
		TLSHandshakeTimeout:    10 * time.Second,
		MaxIdleConns:           16,
		IdleConnTimeout:        30 * time.Second,
		DialContext: func(ctx context.Context, network, addr string) (net.Conn, error) {
			d := *dialer
			if !c.allowed(addr) {
				d.ControlContext = func(_ context.Context, _, address string, _ syscall.RawConn) error { return Check(address) }
			}
			return d.DialContext(ctx, network, addr)
		},
	}
	c.http = &http.Client{Transport: transport, Timeout: timeout, CheckRedirect: func(r *http.Request, via []*http.Request) error {
		if len(via) >= 5 {
			return errors.New("too many redirects")
		}
		return c.scheme(r.URL)
	}}
	return c
}

func (c *Client) allowed(hostport string) bool {
	host, _, err := net.SplitHostPort(hostport)
	return slices.Contains(c.allow, hostport) || (err == nil && slices.Contains(c.allow, host))
}

func (c *Client) scheme(u *url.URL) error {
	if u.Scheme == "https" || (u.Scheme == "http" && c.allowed(hostport(u))) {
		return nil
	}
	return fmt.Errorf("%w: only https is fetched", ErrForbidden)
}

// hostport is where a URL leads, its port spelt out.
func hostport(u *url.URL) string {
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	return net.JoinHostPort(u.Hostname(), port)
}

// Check says whether an address that was dialled, host:port with a literal host, may be reached.
func Check(address string) error {
	ap, err := netip.ParseAddrPort(address)
	if err != nil {
		return fmt.Errorf("%w: %s", ErrForbidden, address)
	}
	a := ap.Addr().Unmap()
	if !a.IsGlobalUnicast() || a.IsPrivate() || slices.ContainsFunc(special, func(p netip.Prefix) bool { return p.Contains(a) }) {
		return fmt.Errorf("%w: it leads into a network of its own", ErrForbidden)
	}
	return nil
}

// special holds what is global unicast by its bits but not by its use (IANA's special-purpose address registries).
var special = []netip.Prefix{
	netip.MustParsePrefix("0.0.0.0/8"), netip.MustParsePrefix("100.64.0.0/10"), netip.MustParsePrefix("192.0.0.0/24"),
	netip.MustParsePrefix("192.0.2.0/24"), netip.MustParsePrefix("198.18.0.0/15"), netip.MustParsePrefix("198.51.100.0/24"),
	netip.MustParsePrefix("203.0.113.0/24"), netip.MustParsePrefix("240.0.0.0/4"), netip.MustParsePrefix("64:ff9b::/96"),
	netip.MustParsePrefix("64:ff9b:1::/48"), netip.MustParsePrefix("100::/64"), netip.MustParsePrefix("2001::/23"),
	netip.MustParsePrefix("2001:db8::/32"), netip.MustParsePrefix("2002::/16"),
}

// ReasonForbidden tells programs that a URL leads where callers may not look.
const ReasonForbidden = "forbidden_address"

// lookUp bounds how long Permit asks for a name's addresses.
const lookUp = 3 * time.Second

// Permit says whether a URL may be fetched, before anybody does: by its scheme, and by its addresses where its name resolves
// now. The error is ErrForbidden. Get looks again at what it dials.
func (c *Client) Permit(ctx context.Context, rawURL string) error {
	u, err := url.Parse(rawURL)
	if err != nil || u.Hostname() == "" || u.User != nil {
		return fmt.Errorf("%w: it is not a URL", ErrForbidden)
	}
	if err := c.scheme(u); err != nil {
		return err
	}
	if c.allowed(hostport(u)) {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, lookUp)
	defer cancel()
	addresses, err := net.DefaultResolver.LookupNetIP(ctx, "ip", u.Hostname())
	if err != nil {
		return nil // what does not resolve now may do so when it is fetched
	}
	for _, a := range addresses {
		if err := Check(netip.AddrPortFrom(a, 443).String()); err != nil {
			return err
		}
	}
	return nil
}

// Get opens a URL. The body gives ErrTooLarge once more than limit bytes were read. The caller closes it.
func (c *Client) Get(ctx context.Context, rawURL string, limit int64) (io.ReadCloser, error) {
	u, err := url.Parse(rawURL)
	if err != nil || u.Host == "" {
		return nil, fmt.Errorf("%w: it is not a URL", ErrForbidden)
	}
	if err := c.scheme(u); err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return nil, err
	}
	req.Header.Set("User-Agent", "reelops")
	res, err := c.http.Do(req)
	if err != nil {
		return nil, err
	}
	if res.StatusCode != http.StatusOK {
		_ = res.Body.Close()
		return nil, StatusError(res.StatusCode)
	}
	if res.ContentLength > limit {
		_ = res.Body.Close()
		return nil, ErrTooLarge
	}
	return &limited{ReadCloser: res.Body, left: limit}, nil
}

type limited struct {
	io.ReadCloser
	left int64
}

func (l *limited) Read(p []byte) (int, error) {
	if int64(len(p)) > l.left+1 {
		p = p[:l.left+1]
	}
	n, err := l.ReadCloser.Read(p)
	if l.left -= int64(n); l.left < 0 {
		return n, ErrTooLarge
	}
	return n, err
}
