// SPDX-License-Identifier: Apache-2.0

package contract_test

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"sync"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/reelops/reelops/internal/testkit/described"
)

// here is the client address of the current spec. Each spec has its own, because failed authentication is counted per
// address.
var here string

var _ = BeforeEach(func() { here = sources.another() })

var _ = AfterEach(func() { sources.forget() })

// judge checks every response against the service's own description.
var judge = sync.OnceValue(func() *described.Transport {
	doc := get("/openapi.json").outside()
	resp, err := http.Get(service.url + doc.path)
	Expect(err).NotTo(HaveOccurred())
	defer func() { _ = resp.Body.Close() }()
	t, err := described.New(read(resp.Body), prefix)
	Expect(err).NotTo(HaveOccurred())
	t.Next = sources
	return t
})

// caller sends requests and fails those whose response does not match the description.
var caller = sync.OnceValue(func() *http.Client {
	return &http.Client{
		Transport:     judge(),
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
})

// sources sends requests from the local addresses in their contexts.
var sources = &addresses{open: map[string]*http.Transport{}}

type addresses struct {
	mu   sync.Mutex
	last int
	open map[string]*http.Transport
}

type addressKey struct{}

// from returns a context for a call from an address.
func from(address string) context.Context { return context.WithValue(ctx, addressKey{}, address) }

// another returns an address that no call has used yet.
func (a *addresses) another() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.last++
	return fmt.Sprintf("127.7.%d.%d", a.last/250, a.last%250+1)
}

// RoundTrip sends a request from its address.
func (a *addresses) RoundTrip(req *http.Request) (*http.Response, error) {
	address, _ := req.Context().Value(addressKey{}).(string)
	a.mu.Lock()
	t := a.open[address]
	if t == nil {
		dial := &net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(address)}}
		t = &http.Transport{DialContext: dial.DialContext, MaxIdleConnsPerHost: 64}
		a.open[address] = t
	}
	a.mu.Unlock()
	return t.RoundTrip(req)
}

func (a *addresses) forget() {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, t := range a.open {
		t.CloseIdleConnections()
	}
	clear(a.open)
}
