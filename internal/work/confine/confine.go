// SPDX-License-Identifier: Apache-2.0

// Package confine keeps pods that open files of users from talking to more than they need. What they need is said once, in the
// NetworkPolicy of the installation's namespace, which whoever installs Reelops sets and changes; the package puts a copy of it into the
// namespaces of accounts, where those pods are. An installation without that policy has none of them.
//
// It makes and changes policies of one name alone and removes none. Whether a cluster enforces them is the cluster's matter.
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

// lookAgain is how long a policy is taken to be as it was seen.
const lookAgain = 10 * time.Minute

// Binder takes the rights that the manager needs in an account's namespace; internal/account/tenancy's.
type Binder interface {
	Bind(ctx context.Context, namespace string) error
}

// Confiner copies the policy. It may be used by many at once.
type Confiner struct {
	binder Binder
	client client.Client
	system string
	clock  clock.PassiveClock

	mu   sync.Mutex
	seen map[string]time.Time
}

// New makes the Confiner of the installation in a namespace. The client goes to the cluster itself, not to a cache.
func New(b Binder, c client.Client, system string, k clock.PassiveClock) *Confiner {
	return &Confiner{binder: b, client: c, system: system, clock: k, seen: map[string]time.Time{}}
}

// Bind takes the rights, and sees to it that the policy is in an account's namespace as it is in the installation's. It asks the cluster
// at most every ten minutes. Only an error of the Binder can be one that apierrors.IsForbidden knows.
func (c *Confiner) Bind(ctx context.Context, namespace string) error {
	if err := c.binder.Bind(ctx, namespace); err != nil {
		return err
	}
	now := c.clock.Now()
	c.mu.Lock()
	at, ok := c.seen[namespace]
	c.mu.Unlock()
	if namespace == c.system || ok && now.Sub(at) < lookAgain {
		return nil
	}
	if err := c.confine(ctx, namespace); err != nil {
		// Rights just taken may take a moment to hold; that is no reason to ask an administrator.
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
