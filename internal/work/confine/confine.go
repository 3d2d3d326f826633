// SPDX-License-Identifier: Apache-2.0

// Package confine restricts the network access of pods that open files from users. The rules are defined once, in the
// NetworkPolicy of the installation's namespace, which the operator of the installation creates and changes. The
// package copies that policy into the account namespaces, where those pods run. An installation without the policy gets
// no copies.
//
// The package creates and updates policies of one name only and deletes none. Whether a policy is enforced depends on
// the cluster.
package confine

import (
	"context"
	"fmt"
	"sync"
	"time"

	networkingv1 "k8s.io/api/networking/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Policy is the name of the NetworkPolicy, in the installation's namespace and in those of accounts.
const Policy = "reelops-renderer"

// recheckInterval is how long a checked namespace is not checked again.
const recheckInterval = 10 * time.Minute

// Binder acquires the permissions that the manager needs in an account's namespace; implemented by
// internal/account/tenancy.
type Binder interface {
	Bind(ctx context.Context, namespace string) error
}

// Confiner copies the policy. It is safe for concurrent use.
type Confiner struct {
	binder Binder
	client client.Client
	system string
	clock  clock.PassiveClock

	mu   sync.Mutex
	seen map[string]time.Time
}

// New returns the Confiner of the installation in a namespace. The client must read from the API server, not from a
// cache.
func New(b Binder, c client.Client, system string, k clock.PassiveClock) *Confiner {
	return &Confiner{binder: b, client: c, system: system, clock: k, seen: map[string]time.Time{}}
}

// Bind acquires the permissions, and ensures that the account's namespace has the installation's policy. It checks a
// namespace at most every ten minutes. Only the Binder's errors can satisfy apierrors.IsForbidden.
func (c *Confiner) Bind(ctx context.Context, namespace string) error {
	if err := c.binder.Bind(ctx, namespace); err != nil {
		return err
	}
	now := c.clock.Now()
	c.mu.Lock()
	at, ok := c.seen[namespace]
	c.mu.Unlock()
	if namespace == c.system || ok && now.Sub(at) < recheckInterval {
		return nil
	}
	if err := c.confine(ctx, namespace); err != nil {
		// New permissions may take a moment to apply. Such an error must not look like one that an administrator has to
		// fix.
		return fmt.Errorf("confining the render pods of %s: %v", namespace, err) //nolint:errorlint // see above
	}
	c.mu.Lock()
	c.seen[namespace] = now
	c.mu.Unlock()
	return nil
}

func (c *Confiner) confine(ctx context.Context, namespace string) error {
	want, got := &networkingv1.NetworkPolicy{}, &networkingv1.NetworkPolicy{}
	err := c.client.Get(ctx, client.ObjectKey{Namespace: c.system, Name: Policy}, want)
	if apierrors.IsNotFound(err) {
		return nil
	}
	if err != nil {
		return err
	}
	err = c.client.Get(ctx, client.ObjectKey{Namespace: namespace, Name: Policy}, got)
	switch {
	case apierrors.IsNotFound(err):
		return client.IgnoreAlreadyExists(c.client.Create(ctx, &networkingv1.NetworkPolicy{
			ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: Policy, Labels: map[string]string{"app.kubernetes.io/part-of": "reelops"}},
			Spec:       want.Spec,
		}))
	case err != nil:
		return err
	case equality.Semantic.DeepEqual(want.Spec, got.Spec):
		return nil
	}
	got.Spec = want.Spec
	return c.client.Update(ctx, got)
}
