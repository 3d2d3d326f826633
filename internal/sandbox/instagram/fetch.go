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

	"github.com/reelops/reelops/internal/sandbox"
)

// fetchTime bounds the fetching of a file.
const fetchTime = 2 * time.Minute

var errElsewhere = errors.New("only addresses of this machine are fetched from")

// here says whether a host is this machine, without asking anybody for its address.
func here(host string) bool {
	if host == "localhost" {
		return true
	}
	at, err := netip.ParseAddr(host)
	return err == nil && at.Unmap().IsLoopback()
}

// loopbackClient reaches this machine and nothing else, whatever a redirect says or localhost resolves to.
func loopbackClient() *http.Client {
	d := &net.Dialer{Timeout: 5 * time.Second, Control: func(_, address string, _ syscall.RawConn) error {
		at, err := netip.ParseAddrPort(address)
		if err != nil || !at.Addr().Unmap().IsLoopback() {
			return errElsewhere
		}
		return nil
	}}
	return &http.Client{
		Transport: &http.Transport{DialContext: d.DialContext, MaxIdleConnsPerHost: 4, IdleConnTimeout: 30 * time.Second},
		CheckRedirect: func(r *http.Request, via []*http.Request) error {
			if !here(r.URL.Hostname()) || len(via) > 5 {
				return errElsewhere
			}
			return nil
		},
	}
}

// get fetches a file of at most so many bytes.
func (p *Platform) get(address, contentType string, most int64) (*sandbox.File, error) {
	u, err := url.Parse(address)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" {
		return nil, errors.New("the address is none")
	}
	if !here(u.Hostname()) {
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
