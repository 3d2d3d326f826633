// SPDX-License-Identifier: Apache-2.0

package serving_test

import (
	"context"
	"crypto/tls"
	"flag"
	"io"
	"log/slog"
	"math/big"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/reelops/reelops/internal/process/serving"
	"github.com/reelops/reelops/internal/testkit"
	"github.com/reelops/reelops/internal/testkit/authority"
)

// patience bounds waits that end early when the code works.
const patience = time.Minute

// serve serves a handler with a TLS configuration and returns the address.
func serve(t *testing.T, config *tls.Config, h http.Handler) string {
	t.Helper()
	l, err := tls.Listen("tcp", "127.0.0.1:0", config)
	if err != nil {
		t.Fatal(err)
	}
	s := &http.Server{Handler: h, ErrorLog: slog.NewLogLogger(slog.DiscardHandler, slog.LevelInfo)}
	go func() { _ = s.Serve(l) }()
	t.Cleanup(func() { _ = s.Close() })
	return "https://" + l.Addr().String()
}

func TestWatch_ServesARotatedCertificateWithoutRestart(t *testing.T) {
	dir := t.TempDir()
	a := authority.New(t)
	first := a.Issue(t, dir)
	files := serving.Files{Cert: filepath.Join(dir, "tls.crt"), Key: filepath.Join(dir, "tls.key")}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	config, err := serving.Watch(ctx, files, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	url := serve(t, config, http.NotFoundHandler())
	served := func() *big.Int {
		res, err := a.Client().Get(url)
		if err != nil {
			t.Fatal(err)
		}
		_ = res.Body.Close()
		return res.TLS.PeerCertificates[0].SerialNumber
	}
	if got := served(); got.Cmp(first) != 0 {
		t.Errorf("got certificate %v, want %v", got, first)
	}
	if err := os.WriteFile(files.Cert, []byte("half"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := served(); got.Cmp(first) != 0 {
		t.Errorf("with a broken file: got certificate %v, want the previous %v", got, first)
	}
	second := a.Issue(t, dir)
	if err := wait.PollUntilContextTimeout(t.Context(), 50*time.Millisecond, patience, true, func(context.Context) (bool, error) {
		return served().Cmp(second) == 0, nil
	}); err != nil {
		t.Errorf("the new certificate is not served: %v", err)
	}
}

func TestWatch_NeedsAPairThatFits(t *testing.T) {
	if _, err := serving.Watch(t.Context(), serving.Files{Cert: "/none", Key: "/none"}, slog.New(slog.DiscardHandler)); err == nil {
		t.Error("missing files are accepted")
	}
	one, other := t.TempDir(), t.TempDir()
	authority.New(t).Issue(t, one)
	authority.New(t).Issue(t, other)
	files := serving.Files{Cert: filepath.Join(one, "tls.crt"), Key: filepath.Join(other, "tls.key")}
	if _, err := serving.Watch(t.Context(), files, slog.New(slog.DiscardHandler)); err == nil {
		t.Error("a key of another certificate is accepted")
	}
}

func TestFlags_ThatContradict(t *testing.T) {
	for _, c := range []struct {
		args []string
		good bool
	}{
		{nil, true},
		{[]string{"--metrics-secure"}, true},
		{[]string{"--metrics-secure", "--metrics-tls-cert-file=a", "--metrics-tls-key-file=b"}, true},
		{[]string{"--metrics-tls-cert-file=a", "--metrics-tls-key-file=b"}, false},
		{[]string{"--metrics-secure", "--metrics-tls-cert-file=a"}, false},
		{[]string{"--metrics-secure", "--metrics-tls-key-file=b"}, false},
	} {
		var m serving.Metrics
		set := flag.NewFlagSet("", flag.ContinueOnError)
		set.SetOutput(io.Discard)
		m.Flags(set)
		if err := set.Parse(c.args); err != nil {
			t.Fatal(err)
		}
		if err := m.Check(); (err == nil) != c.good {
			t.Errorf("%v: got %v", c.args, err)
		}
	}
}

// TestMetrics_NeedThePermission authenticates and authorizes callers with a real API server.
func TestMetrics_NeedThePermission(t *testing.T) {
	cluster := testkit.Start(t)
	without, with := testkit.Token(t, cluster.Client, "without"), testkit.Prometheus(t, cluster.Client)
	m := serving.Metrics{Secure: true}
	config, err := m.TLS(t.Context(), slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	h, err := m.Protect(cluster.Config, logr.Discard(), http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "up 1\n") }))
	if err != nil {
		t.Fatal(err)
	}
	url := serve(t, config, h)
	insecure := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}} // self-signed
	status := func(path, bearer string) int {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		if bearer != "" {
			req.Header.Set("Authorization", "Bearer "+bearer)
		}
		res, err := insecure.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		_ = res.Body.Close()
		return res.StatusCode
	}
	for _, c := range []struct {
		why, path, bearer string
		want              int
	}{
		{"no token", "/metrics", "", http.StatusUnauthorized},
		{"an invalid token", "/metrics", "invalid", http.StatusInternalServerError}, // the filter returns this status when the API server rejects the token
		{"a token without the permission", "/metrics", without, http.StatusForbidden},
		{"another spelling of the path", "/metrics/", without, http.StatusOK}, // not the path of metrics: the handler below decides
		{"a probe without a token", "/readyz", "", http.StatusOK},
	} {
		if got := status(c.path, c.bearer); got != c.want {
			t.Errorf("%s: got %d, want %d", c.why, got, c.want)
		}
	}
	// The binding takes a moment to reach the authorizer.
	if err := wait.PollUntilContextTimeout(t.Context(), 50*time.Millisecond, patience, true, func(context.Context) (bool, error) {
		return status("/metrics", with) == http.StatusOK, nil
	}); err != nil {
		t.Errorf("a token with the permission: got %d", status("/metrics", with))
	}
}
