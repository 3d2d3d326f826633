// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strings"
	"sync/atomic"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	coordinationclient "k8s.io/client-go/kubernetes/typed/coordination/v1"
	"k8s.io/client-go/rest"
	"k8s.io/utils/clock"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"

	"github.com/reelops/reelops/internal/kube/lease"
)

// A manager that died is replaced within the lease plus two polls of it, which are at most 2.2 retry intervals apart.
// hack/decisions documents how the times were chosen.
const (
	leaseName    = lease.Manager
	defaultLease = 2 * time.Second
	defaultRenew = 10 * time.Second
	defaultRetry = 200 * time.Millisecond
	// retriesInLease is the minimum number of renewals that may be late or lost before another manager takes over.
	retriesInLease = 5
)

// errReplaced ends a manager that another one has replaced.
var errReplaced = errors.New("another manager acquired the lease")

func (o *options) checkLeader() error {
	switch {
	case o.leaderLease < time.Second || o.leaderLease%time.Second != 0:
		return errors.New("--leader-lease must be whole seconds, at least 1s")
	case o.leaderRetry < 50*time.Millisecond || o.leaderRetry > o.leaderLease/retriesInLease:
		return fmt.Errorf("--leader-retry must be from 50ms to --leader-lease divided by %d", retriesInLease)
	case o.leaderRenew < o.leaderLease || o.leaderRenew > lease.MaxUnheard:
		return fmt.Errorf("--leader-renew must be from --leader-lease to %s", lease.MaxUnheard)
	}
	return nil
}

// newLock returns the lock that lets only one of several managers work. A manager that was replaced stops; its work in
// progress is ended and recorded as at every shutdown.
func newLock(o *options, config *rest.Config, stop context.CancelCauseFunc) (*lease.Lock, error) {
	leases, err := coordinationclient.NewForConfig(rest.AddUserAgent(rest.CopyConfig(config), "leader-election"))
	if err != nil {
		return nil, fmt.Errorf("preparing leader election: %w", err)
	}
	host, err := os.Hostname()
	if err != nil {
		return nil, fmt.Errorf("reading the host name: %w", err)
	}
	return lease.New(lease.Config{
		Client: leases, Namespace: o.systemNamespace, Name: leaseName, Identity: host + "_" + strings.ToLower(rand.Text()[:8]),
		Term: o.leaderLease, Clock: clock.RealClock{},
		Replaced: func(by string) { stop(fmt.Errorf("%w: %s", errReplaced, by)) },
	})
}

// recordLeaseEvents returns a function that writes Events about the Lease.
func recordLeaseEvents(mgr ctrl.Manager) func(*coordinationv1.Lease, string) {
	events := mgr.GetEventRecorder("leader")
	return func(about *coordinationv1.Lease, said string) {
		events.Eventf(about, nil, corev1.EventTypeNormal, "LeaderElection", "Elect", "%s", said)
	}
}

// warmth reports whether this manager could start working at once: all its caches are filled. It does not depend on
// which manager is the leader. It also ignores a short outage of the cluster, because another manager would not fare
// better.
type warmth struct {
	cache  cache.Cache
	filled atomic.Bool
}

// NeedLeaderElection returns false: a standby fills its caches as well.
func (*warmth) NeedLeaderElection() bool { return false }

// Start waits until the caches are filled.
func (w *warmth) Start(ctx context.Context) error {
	if w.cache.WaitForCacheSync(ctx) {
		w.filled.Store(true)
	}
	return nil
}

func (w *warmth) check(*http.Request) error {
	if !w.filled.Load() {
		return errors.New("the caches are not synced yet")
	}
	return nil
}
