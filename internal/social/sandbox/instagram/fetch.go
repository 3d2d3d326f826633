// SPDX-License-Identifier: Apache-2.0

package instagram

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"syscall"
	"time"

	"github.com/reelops/reelops/internal/social/sandbox"
)

const (
	// fetchTime is the timeout of a fetch, dialTime that of the connection.
	fetchTime = 2 * time.Minute
	dialTime  = 5 * time.Second
)

var errElsewhere = errors.New("addresses there are not fetched from")

// fetcher returns a client that reaches only this machine and the configured prefixes. Redirects are checked, and
// localhost must resolve to a loopback address.
func fetcher(core *sandbox.Sandbox) *http.Client {
	local := net.Dialer{Timeout: dialTime, Control: func(_, address string, _ syscall.RawConn) error {
		at, err := netip.ParseAddrPort(address)
		if err != nil || !at.Addr().Unmap().IsLoopback() {
			return errElsewhere
		}
		return nil
	}}
	named := net.Dialer{Timeout: dialTime}
	dial := func(ctx context.Context, network, address string) (net.Conn, error) {
		if host, _, err := net.SplitHostPort(address); err == nil && sandbox.ThisMachine(host) {
			return local.DialContext(ctx, network, address)
		}
		return named.DialContext(ctx, network, address) // the caller has already checked the URL
	}
	return &http.Client{
		Transport: &http.Transport{DialContext: dial, MaxIdleConnsPerHost: 4, IdleConnTimeout: 30 * time.Second},
		CheckRedirect: func(r *http.Request, via []*http.Request) error {
			if !core.FetchesFrom(r.URL) || len(via) > 5 {
				return errElsewhere
			}
			return nil
		},
	}
}

// get fetches a file of at most most bytes. A longer file is cut off after one more byte.
func (p *Platform) get(address, contentType string, most int64) (*sandbox.File, error) {
	u, err := url.Parse(address)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" {
		return nil, errors.New("the address is none")
	}
	if !p.core.FetchesFrom(u) {
		return nil, errElsewhere
	}
	for i := range len(address) {
		if address[i] <= ' ' || address[i] > '~' {
			return nil, errors.New("the address has characters that are not ASCII")
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), fetchTime)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, err
	}
	req.Header.Set("User-Agent", "facebookexternalhit/1.1")
	res, err := p.fetch.Do(req)
	if err != nil {
		return nil, err
	}
	defer func() { _ = res.Body.Close() }()
	if res.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("the address answered %d", res.StatusCode)
	}
	f, err := p.core.NewFile(contentType)
	if err != nil {
		return nil, err
	}
	if _, err := f.WriteFrom(io.LimitReader(res.Body, most+1), 0); err != nil {
		f.Remove()
		return nil, err
	}
	return f, nil
}
