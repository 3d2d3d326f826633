// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"crypto/tls"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/utils/clock"

	"github.com/reelops/reelops/internal/process/clockskew"
	"github.com/reelops/reelops/internal/process/loopback"
	"github.com/reelops/reelops/internal/process/serving"
	"github.com/reelops/reelops/internal/testkit"
)

func TestMetricsSecure_TheManagerAuthenticatesPrometheus(t *testing.T) {
	cluster.Start(t)
	token := testkit.Prometheus(t, cluster.Client)
	kubeconfig := filepath.Join(t.TempDir(), "kubeconfig")
	if err := os.WriteFile(kubeconfig, cluster.Kubeconfig(), 0o600); err != nil {
		t.Fatal(err)
	}
	address, err := loopback.Address()
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancelCause(t.Context())
	defer stop(nil)
	mgr, err := newManager(ctx, &options{
		kubeconfig: kubeconfig, systemNamespace: "default", leaderLease: defaultLease, leaderRenew: defaultRenew, leaderRetry: defaultRetry,
		metricsListen: address, metrics: serving.Metrics{Secure: true}, healthListen: "0",
	}, slog.New(slog.DiscardHandler), clockskew.New(clock.RealClock{}), stop)
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- mgr.Start(ctx) }()
	scraper := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, DisableKeepAlives: true}} // self-signed
	status := func(bearer string) int {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "https://"+address+"/metrics", nil)
		if err != nil {
			t.Fatal(err)
		}
		if bearer != "" {
			req.Header.Set("Authorization", "Bearer "+bearer)
		}
		res, err := scraper.Do(req)
		if err != nil {
			return 0 // not listening yet
		}
		_ = res.Body.Close()
		return res.StatusCode
	}
	for bearer, want := range map[string]int{"": http.StatusUnauthorized, token: http.StatusOK} {
		got := 0
		if err := wait.PollUntilContextTimeout(t.Context(), 50*time.Millisecond, time.Minute, true, func(context.Context) (bool, error) {
			got = status(bearer)
			return got == want, nil
		}); err != nil {
			t.Errorf("with the token %.8q: %d, want %d", bearer, got, want)
		}
	}
	stop(nil)
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
