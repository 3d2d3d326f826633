// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/metrics"

	"github.com/reelops/reelops/internal/kube/lease"
	"github.com/reelops/reelops/internal/process/clockskew"
	"github.com/reelops/reelops/internal/testkit"
)

// cluster serves all tests of the package.
var cluster testkit.Shared

func TestMain(m *testing.M) { cluster.Main(m) }

func TestLeaderElection_ValidatesDurations(t *testing.T) {
	for name, c := range map[string]struct {
		lease, renew, retry time.Duration
		good                bool
	}{
		"the defaults":                              {defaultLease, defaultRenew, defaultRetry, true},
		"those of Kubernetes":                       {15 * time.Second, 15 * time.Second, 2 * time.Second, true},
		"fractions of seconds":                      {1500 * time.Millisecond, defaultRenew, defaultRetry, false},
		"too few renewals":                          {defaultLease, defaultRenew, time.Second, false},
		"too frequent retries":                      {defaultLease, defaultRenew, time.Millisecond, false},
		"a renew deadline after the lease duration": {5 * time.Second, 4 * time.Second, defaultRetry, false},
		"longer than the ledger allows":             {defaultLease, lease.MaxUnheard + time.Second, defaultRetry, false},
	} {
		o := &options{leaderLease: c.lease, leaderRenew: c.renew, leaderRetry: c.retry}
		if err := o.checkLeader(); (err == nil) != c.good {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestLeaderStatus_NamesTheLease checks the label by which alerts and the dashboard distinguish Reelops's leader from
// those of other operators.
func TestLeaderStatus_NamesTheLease(t *testing.T) {
	kubeconfig := filepath.Join(t.TempDir(), "kubeconfig")
	if err := os.WriteFile(kubeconfig, cluster.Start(t).Kubeconfig(), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancelCause(t.Context())
	defer stop(nil)
	mgr, err := newManager(ctx, &options{
		kubeconfig: kubeconfig, systemNamespace: "default", leaderElect: true, leaderLease: defaultLease, leaderRenew: defaultRenew, leaderRetry: defaultRetry,
		metricsListen: "0", healthListen: "0",
	}, slog.New(slog.DiscardHandler), clockskew.New(clock.RealClock{}), stop)
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- mgr.Start(ctx) }()
	select {
	case <-mgr.Elected():
	case err := <-ended:
		t.Fatalf("the manager exited before it led: %v", err)
	}
	families, err := metrics.Registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	found := false
	for _, f := range families {
		if f.GetName() != "leader_election_master_status" {
			continue
		}
		for _, m := range f.GetMetric() {
			for _, l := range m.GetLabel() {
				found = found || l.GetName() == "name" && l.GetValue() == lease.Manager && m.GetGauge().GetValue() == 1
			}
		}
	}
	if !found {
		t.Errorf("no leader_election_master_status has the name %s and the value 1", lease.Manager)
	}
	stop(nil)
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
