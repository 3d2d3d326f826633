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

	"golang.org/x/net/http/httpguts"
)

const (
	// maxRedirects is the maximum number of redirects.
	maxRedirects = 5
	// maxHeader is the maximum size of a response header in bytes.
	maxHeader = 64 << 10
	// maxValidator is the maximum length of a validator in bytes.
	maxValidator = 1 << 10
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
	d, err := c.GetIfModified(ctx, rawURL, limit, Validators{})
	if err != nil {
		return nil, err
	}
	return d.Body, nil
}

// Validators make a request conditional. The zero value makes none.
type Validators struct {
	// URL that returned the validators. They are sent only to it, not to the hosts of other redirects.
	URL string
	// ETag and LastModified are the response headers of these names, as received.
	ETag, LastModified string
}

// Document is the response to a conditional request.
type Document struct {
	// Body as for Get; nil if the file was not modified.
	Body io.ReadCloser
	// ContentType is the media type as received. It may be empty or wrong.
	ContentType string
	// Validators for the next request. URL is the last of the redirects.
	Validators Validators
}

// GetIfModified is Get with the validators of an earlier response.
func (c *Client) GetIfModified(ctx context.Context, rawURL string, limit int64, v Validators) (Document, error) {
	t, err := c.parse(rawURL)
	if err != nil {
		return Document{}, err
	}
	within, stop := context.WithTimeout(ctx, cmp.Or(c.timeout, longest))
	d, err := c.open(within, t, limit, v)
	if err != nil {
		stop()
		if _, answered := errors.AsType[StatusError](err); answered || errors.Is(err, ErrTooLarge) {
			return Document{}, err
		}
		return Document{}, converted(ctx, err)
	}
	if d.Body == nil {
		stop()
		return d, nil
	}
	d.Body = &limitedBody{body: d.Body, left: limit, asked: ctx, stop: stop}
	return d, nil
}

// open requests a file and follows redirects. It checks each target.
func (c *Client) open(ctx context.Context, t *target, limit int64, v Validators) (Document, error) {
	for range maxRedirects + 1 {
		sent := Validators{URL: t.url.String()}
		if v.URL == sent.URL {
			sent.ETag, sent.LastModified = validator(v.ETag), validator(v.LastModified)
		}
		res, err := c.ask(ctx, t, sent)
		if err != nil {
			return Document{}, err
		}
		to := ""
		if slices.Contains(redirects, res.StatusCode) {
			to = res.Header.Get("Location")
		}
		if to == "" {
			return answer(res, limit, sent)
		}
		_ = res.Body.Close()
		if t, err = c.redirected(t, to); err != nil {
			return Document{}, err
		}
	}
	return Document{}, &fault{ErrUnusable, "it redirects too often"}
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
func (c *Client) ask(ctx context.Context, t *target, v Validators) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, t.url.String(), nil)
	if err != nil {
		return nil, forbidden("it is not a URL")
	}
	req.Header.Set("User-Agent", "reelops")
	req.Header.Set("Accept-Encoding", "identity")
	if v.ETag != "" {
		req.Header.Set("If-None-Match", v.ETag)
	}
	if v.LastModified != "" {
		req.Header.Set("If-Modified-Since", v.LastModified)
	}
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

// answer returns the body of a usable response to a request with validators.
func answer(res *http.Response, limit int64, sent Validators) (Document, error) {
	d := Document{ContentType: res.Header.Get("Content-Type"), Validators: Validators{
		URL: sent.URL, ETag: validator(res.Header.Get("ETag")), LastModified: validator(res.Header.Get("Last-Modified")),
	}}
	var err error
	coding := strings.ToLower(strings.TrimSpace(res.Header.Get("Content-Encoding")))
	switch {
	case res.StatusCode == http.StatusNotModified && sent.ETag+sent.LastModified != "":
		_ = res.Body.Close()
		return Document{Validators: sent}, nil
	case res.StatusCode != http.StatusOK:
		err = StatusError(res.StatusCode)
	case coding != "" && coding != "identity":
		err = &fault{ErrUnusable, "it is compressed, which was not requested"}
	case res.ContentLength > limit:
		err = ErrTooLarge
	default:
		d.Body = res.Body
		return d, nil
	}
	_ = res.Body.Close()
	return Document{}, err
}

// validator returns a validator that can be stored and sent, or nothing. An invalid one would make every later request
// fail.
func validator(v string) string {
	if len(v) > maxValidator || !httpguts.ValidHeaderFieldValue(v) {
		return ""
	}
	return v
}
