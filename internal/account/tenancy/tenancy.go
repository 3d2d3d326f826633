// SPDX-License-Identifier: Apache-2.0

// Package tenancy gives the manager access to the Secrets of accounts' namespaces, and of no others. Kubernetes roles
// cannot select Secrets by label, so the access is granted per namespace: the manager creates a RoleBinding to the role
// of accounts in each namespace with an Account. The cluster's admission policies allow this only in a namespace that
// an administrator has labelled as an account's. The package does not read Secrets; internal/social/credential does.
package tenancy

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

const (
	// Role is the ClusterRole of the manager in an account's namespace, and the name of the RoleBinding there.
	Role = "reelops-manager-account"
	// ServiceAccount is the default name of the manager's ServiceAccount. The admission policies recognize the manager
	// by its name.
	ServiceAccount = "reelops-manager"
)

// recheckInterval is how long the existence of a RoleBinding is cached.
const recheckInterval = 10 * time.Minute

// Binder creates the RoleBindings. It is safe for concurrent use.
type Binder struct {
	client  client.Client
	manager rbacv1.Subject
	clock   clock.PassiveClock

	mu   sync.Mutex
	seen map[string]time.Time
}

// New returns a Binder for a manager that runs as a ServiceAccount. The client must read from the API server, not from
// a cache.
func New(c client.Client, manager types.NamespacedName, k clock.PassiveClock) *Binder {
	subject := rbacv1.Subject{Kind: rbacv1.ServiceAccountKind, Namespace: manager.Namespace, Name: manager.Name}
	return &Binder{client: c, manager: subject, clock: k, seen: map[string]time.Time{}}
}

// Bind ensures that the manager may read the Secrets of an account's namespace. It calls the API server at most every
// ten minutes. An error for which apierrors.IsForbidden is true means that the namespace is not labelled as an
// account's; its text contains the remedy.
func (b *Binder) Bind(ctx context.Context, namespace string) error {
	now := b.clock.Now()
	b.mu.Lock()
	at, ok := b.seen[namespace]
	b.mu.Unlock()
	if ok && now.Sub(at) < recheckInterval {
		return nil
	}
	bound := &rbacv1.RoleBinding{}
	err := b.client.Get(ctx, client.ObjectKey{Namespace: namespace, Name: Role}, bound)
	switch {
	case apierrors.IsNotFound(err):
		err = client.IgnoreAlreadyExists(b.client.Create(ctx, b.binding(namespace)))
	case err == nil && !slices.Contains(bound.Subjects, b.manager):
		err = fmt.Errorf("the RoleBinding %s binds another ServiceAccount than %s/%s: delete it, and the manager creates it again", Role, b.manager.Namespace, b.manager.Name)
	}
	if err != nil {
		return fmt.Errorf("taking the right to read the tokens of %s: %w", namespace, err)
	}
	b.mu.Lock()
	b.seen[namespace] = now
	b.mu.Unlock()
	return nil
}

func (b *Binder) binding(namespace string) *rbacv1.RoleBinding {
	return &rbacv1.RoleBinding{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: Role, Labels: map[string]string{"app.kubernetes.io/part-of": "reelops"}},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: Role},
		Subjects:   []rbacv1.Subject{b.manager},
	}
}
