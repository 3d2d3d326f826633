// SPDX-License-Identifier: Apache-2.0

package fetch_test

import (
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/reelops/reelops/internal/process/fetch"
	"github.com/reelops/reelops/internal/testkit/addresses"
)

func trap(t *testing.T) *addresses.Trap {
	t.Helper()
	out, err := addresses.Open()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(out.Close)
	return out
}

// redirector responds with redirects to the requested URL.
func redirector(t *testing.T) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header()["Location"] = []string{r.URL.Query().Get("to")}
		w.WriteHeader(http.StatusFound)
	}))
	t.Cleanup(s.Close)
	return s
}

func TestGet_HostileURLs(t *testing.T) {
	trap, lead := trap(t), redirector(t)
	for _, v := range []string{"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy"} {
		t.Setenv(v, "http://"+trap.Places()[0])
	}
	client := fetch.Open(fetch.Config{
		Timeout: time.Minute, Resolver: trap.Names.Resolver(), Control: trap.Control, Allow: []string{strings.TrimPrefix(lead.URL, "http://")},
	})
	table := trap.Table(lead.URL)
	if len(table) < 500 {
		t.Errorf("the table has only %d addresses", len(table))
	}
	for _, c := range table {
		permitted := client.Permit(t.Context(), c.URL)
		if c.Late && permitted != nil {
			t.Errorf("%s: %s: rejected before it could be known: %v", c.Why, c.URL, permitted)
		}
		if !c.Late && !errors.Is(permitted, fetch.ErrForbidden) {
			t.Errorf("%s: %s: accepted: %v", c.Why, c.URL, permitted)
		}
		body, err := client.Get(t.Context(), c.URL, 1<<20)
		if err == nil {
			_ = body.Close()
		}
		if !errors.Is(err, fetch.ErrForbidden) {
			t.Errorf("%s: %s: fetched: %v", c.Why, c.URL, err)
			continue
		}
		for _, inside := range []string{"127.", "::", "10.1", "169.254", "fd00", "0.0.0.0", "dial", "lookup", trap.Places()[0]} {
			if strings.Contains(err.Error(), inside) {
				t.Errorf("%s: %s: the error contains %q: %v", c.Why, c.URL, inside, err)
			}
		}
		if strings.Contains(c.Why, "elsewhere when it is fetched") {
			name := strings.TrimSuffix(strings.TrimPrefix(c.URL, "https://"), "/a.png")
			if n := trap.Names.LookUps(name); n != 2 {
				t.Errorf("%s was looked up %d times, want once when accepted and once when dialled", name, n)
			}
		}
	}
	if seen := trap.Seen(); len(seen) > 0 {
		t.Errorf("got requests: %v", seen)
	}
}

func TestTrap_DetectsRequests(t *testing.T) {
	trap := trap(t)
	for _, place := range trap.Places() {
		conn, err := net.Dial("tcp", place)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.ReadAll(conn)
		_ = conn.Close()
	}
	if got, want := len(trap.Seen()), len(trap.Places()); got != want || got < 3 {
		t.Errorf("got %d of %d requests", got, want)
	}
}

func TestPermit_PublicAddresses(t *testing.T) {
	trap := trap(t)
	client := fetch.Open(fetch.Config{Resolver: trap.Names.Resolver()})
	for _, u := range []string{
		"https://8.8.8.8/a.png", "https://8.8.8.8:443/a.png", "HTTPS://8.8.8.8/a.png", "https://[2606:2800:220:1:248:1893:25c8:1946]/a.png",
		"https://172.15.255.255/a.png", "https://172.32.0.1/a.png", "https://100.63.255.255/a.png", "https://198.20.0.1/a.png",
		"https://nobody.test/a.png", "https://nobody.test./a.png", "https://BÜCHER.test/a.png", "https://xn--bcher-kva.test/a.png",
		"https://my_bucket.test/a.png", "https://1and1.test/a.png", "https://123.test/a.png", "https://0x7f.test/a.png",
		"https://localhost.test/a.png", "https://internal.test/a.png", "https://mylocal.test/a.png", "https://svc.cluster.local.test/a.png",
		"https://nobody.test/a%20b.png?x=http://127.0.0.1/#@127.0.0.1",
	} {
		if err := client.Permit(t.Context(), u); err != nil {
			t.Errorf("%s: got %v", u, err)
		}
	}
}
