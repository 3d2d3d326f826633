// SPDX-License-Identifier: Apache-2.0

package fetch_test

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/reelops/reelops/internal/process/fetch"
)

func TestCheck(t *testing.T) {
	for address, ok := range map[string]bool{
		"93.184.216.34:443": true, "[2606:2800:220:1:248:1893:25c8:1946]:443": true,
		"127.0.0.1:80": false, "10.1.2.3:443": false, "172.16.0.1:443": false, "192.168.1.1:443": false,
		"169.254.169.254:80": false, "100.64.0.1:443": false, "0.0.0.0:80": false, "224.0.0.1:80": false,
		"[::1]:443": false, "[fe80::1]:443": false, "[fd00::1]:443": false, "[::ffff:127.0.0.1]:443": false,
		"[64:ff9b::7f00:1]:443": false, "localhost:443": false,
	} {
		if err := fetch.Check(address); (err == nil) != ok {
			t.Errorf("%s: got %v", address, err)
		}
	}
}

func TestGet(t *testing.T) {
	inside := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/file":
			_, _ = io.WriteString(w, strings.Repeat("x", 100))
		case "/stream":
			w.(http.Flusher).Flush() // no Content-Length
			_, _ = io.WriteString(w, strings.Repeat("x", 100))
		default:
			http.NotFound(w, r)
		}
	}))
	defer inside.Close()
	host := strings.TrimPrefix(inside.URL, "http://")
	redirect := httptest.NewServer(http.RedirectHandler("http://localhost:1/", http.StatusFound))
	defer redirect.Close()

	open := fetch.New(time.Minute, host, strings.TrimPrefix(redirect.URL, "http://"))
	shut := fetch.New(time.Minute)
	for _, c := range []struct {
		why    string
		client *fetch.Client
		url    string
		limit  int64
		want   error
	}{
		{"an allow-listed host", open, inside.URL + "/file", 100, nil},
		{"one byte too many, declared", open, inside.URL + "/file", 99, fetch.ErrTooLarge},
		{"one byte too many, streamed", open, inside.URL + "/stream", 99, fetch.ErrTooLarge},
		{"exactly the limit, streamed", open, inside.URL + "/stream", 100, nil},
		{"a response that is not a file", open, inside.URL + "/none", 100, fetch.StatusError(404)},
		{"plain http", shut, inside.URL + "/file", 100, fetch.ErrForbidden},
		{"https to loopback", shut, "https://" + host + "/file", 100, fetch.ErrForbidden},
		{"a name that resolves to loopback", shut, "https://localhost:1/file", 100, fetch.ErrForbidden},
		{"a redirect to a forbidden host", open, redirect.URL, 100, fetch.ErrForbidden},
		{"another scheme", shut, "file:///etc/passwd", 100, fetch.ErrForbidden},
	} {
		t.Run(c.why, func(t *testing.T) {
			body, err := c.client.Get(t.Context(), c.url, c.limit)
			if err == nil {
				_, err = io.ReadAll(body)
				_ = body.Close()
			}
			if !errors.Is(err, c.want) {
				t.Errorf("got %v, want %v", err, c.want)
			}
		})
	}
}

func TestPermit(t *testing.T) {
	open, shut := fetch.New(time.Minute, "127.0.0.1", "pictures.example:8443"), fetch.New(time.Minute)
	for _, c := range []struct {
		why    string
		client *fetch.Client
		url    string
		ok     bool
	}{
		{"a public address", shut, "https://8.8.8.8/a.png", true},
		{"a name that does not resolve may resolve later", shut, "https://pictures.invalid/a.png", true},
		{"plain http", shut, "http://8.8.8.8/a.png", false},
		{"loopback", shut, "https://127.0.0.1/a.png", false},
		{"loopback by name", shut, "https://localhost/a.png", false},
		{"the other loopback family", shut, "https://[::1]/a.png", false},
		{"the cloud's metadata service", shut, "https://169.254.169.254/", false},
		{"a URL with a password", shut, "https://a:b@8.8.8.8/a.png", false},
		{"no host", shut, "https:///a.png", false},
		{"no URL", shut, "a.png", false},
		{"an allow-listed host", open, "http://127.0.0.1/a.png", true},
		{"an allow-listed host at any port", open, "https://127.0.0.1:9/a.png", true},
		{"an allow-listed port", open, "http://pictures.example:8443/a.png", true},
		{"another port than the allow-listed one", open, "http://pictures.example/a.png", false},
	} {
		if err := c.client.Permit(t.Context(), c.url); (err == nil) != c.ok || (err != nil && !errors.Is(err, fetch.ErrForbidden)) {
			t.Errorf("%s: got %v", c.why, err)
		}
	}
}
